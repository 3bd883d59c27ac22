"""The panels: every one draws in every state, in the order of the work, and every setting explains itself."""

import re
import subprocess
import sys
from pathlib import Path

import bpy
import pytest
from blender_fixtures import make_chain, set_range
from interface_texts import settings
from mechanism_fixtures import add_box, add_empty, add_four_bar, add_joint, make_blenders
from panel_fixtures import Layout, draw, our_panels

from redmax_blender.bridge.bake.bake import bake_object
from redmax_blender.bridge.mechanism.add_ground import add_ground
from redmax_blender.bridge.mechanism.add_spring import add_spring
from redmax_blender.bridge.rig.make_physical import make_physical
from redmax_blender.bridge.run.simulate_scene import simulate_scene

ROOT = Path(__file__).resolve().parents[3]
UNITS = re.compile(
    r"N·m|N/m|N·s|in N\b|kg|m/s|rad/s|\bPa\b|in s\b|seconds|1/s|without unit|[Pp]art of|fraction|[Ff]rames?\b"
    r"|unit of the setting"
    r"|[Mm]ultiplies|[Ww]eight|ratio|swings past|[Hh]ow many|[Ss]teps|its length does not matter|bulges|for each angle"
)
"""How the description of a number without a unit of Blender's says what it is measured in."""


def activate(obj):
    bpy.context.view_layer.objects.active = obj
    bpy.context.view_layer.update()


def nothing():
    pass


def fresh_armature():
    make_chain(3)


def physical():
    obj = make_chain(3)
    make_physical(obj, bpy.context.scene)
    obj.data.bones.active = obj.data.bones["bone1"]
    return obj


def joints_of_all_kinds():
    obj = physical()
    for bone, kind in zip(obj.pose.bones, ("PRISMATIC", "FREE", "FIXED")):
        bone.redmax.joint = kind


def simulated():
    obj = physical()
    set_range(1, 3)
    simulate_scene(bpy.context)
    return obj


def baked():
    bake_object(simulated(), bpy.context.scene)


def running():
    physical()
    bpy.context.window_manager.redmax.running = True


def body():
    activate(add_box("box", (0, 0, 0)))


def anchored():
    activate(add_box("box", (0, 0, 0), role="ANCHORED"))


def blenders_body():
    box = add_box("box", (0, 0, 0))
    make_blenders(box)
    activate(box)


def passive():
    box = add_box("box", (0, 0, 0))
    make_blenders(box, kind="PASSIVE")
    activate(box)


def mesh():
    activate(add_box("box", (0, 0, 0), role="NONE"))


def hinge():
    add_four_bar()
    activate(bpy.data.objects["A"])


def generic():
    box = add_box("box", (0, 0, 0))
    joint = add_joint("joint", "GENERIC", None, box, (0, 0, 1))
    joint.redmax.joint.free_rotation = (True, False, True)
    activate(joint)


def spring():
    box = add_box("box", (0, 0, 0))
    post = add_empty("post", (0, 0, 2))
    bpy.context.view_layer.update()
    activate(add_spring([post, box], bpy.context.scene.collection, kind="SPRING", name="spring"))


def ground():
    activate(add_ground(bpy.context.scene, bpy.context.scene.collection))


def empty():
    activate(add_empty("empty", (0, 0, 0)))


def camera():
    obj = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    bpy.context.scene.collection.objects.link(obj)
    activate(obj)


STATES = (
    nothing,
    fresh_armature,
    physical,
    joints_of_all_kinds,
    simulated,
    baked,
    running,
    body,
    anchored,
    blenders_body,
    passive,
    mesh,
    hinge,
    generic,
    spring,
    ground,
    empty,
    camera,
)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_every_panel_draws_in_every_state(state):
    state()
    drawn = {panel.bl_label: found for panel in our_panels() if (found := draw(panel)) is not None}
    bpy.context.window_manager.redmax.running = False
    assert {"Set Up", "Simulate", "Bake", "Overlay"} <= drawn.keys()
    assert all(drawn[name] for name in ("Set Up", "Simulate", "Bake", "Overlay"))


def test_panels_come_in_the_order_of_the_work():
    top = sorted((p for p in our_panels() if not getattr(p, "bl_parent_id", "")), key=lambda p: p.bl_order)
    labels = [panel.bl_label for panel in top]
    wanted = [
        "Set Up",
        "Bone",
        "Mechanism",
        "Joint Friction",
        "Contact",
        "Flesh",
        "Simulate",
        "Bake",
        "Overlay",
    ]
    assert [label for label in labels if label in wanted] == wanted
    assert len({panel.bl_order for panel in top if panel.bl_label in wanted}) == len(wanted)


def test_friction_box_has_coefficient_radius_and_height_for_the_active_bone():
    physical()
    drawn = draw(bpy.types.VIEW3D_PT_redmax_friction)
    assert {"coefficient", "static", "radius", "height"} <= {
        name for kind, name, _ in drawn if kind == "prop"
    }
    assert ("operator", "redmax.copy_part", None) in drawn
    assert ("popover", "REDMAX_PT_friction_presets", None) in drawn


def test_friction_box_says_why_a_fixed_joint_has_none():
    obj = physical()
    obj.pose.bones["bone1"].redmax.joint = "FIXED"
    drawn = draw(bpy.types.VIEW3D_PT_redmax_friction)
    assert not any(kind == "prop" for kind, *_ in drawn)
    assert any("Fixed joints" in text for kind, text, _ in drawn if kind == "label")


def test_contact_panel_says_what_makes_an_object_solid():
    passive()
    labels = [text for kind, text, _ in draw(bpy.types.VIEW3D_PT_redmax_contact) if kind == "label"]
    assert any("Passive rigid body" in text for text in labels)


# Settings. --------------------------------------------------------------------------------------------------


def test_every_setting_has_a_name_and_a_description():
    for place, prop in settings().items():
        assert prop.name.strip() and prop.name[0].isupper(), place
        assert len(prop.description) >= 5, place
        assert not prop.description.endswith("."), f"{place}: Blender adds the full stop itself"


def test_every_choice_has_a_name_and_a_description():
    for place, prop in settings().items():
        if prop.type == "ENUM":
            for item in prop.enum_items:
                assert item.name and item.description, (place, item.identifier)


def test_every_number_has_a_range_that_a_mouse_can_cover():
    for place, prop in settings().items():
        if prop.type in ("FLOAT", "INT") and place[1] != "bone_index":
            assert prop.soft_max - prop.soft_min <= 2.2e7, place
            lowest, highest = (
                min(prop.default_array or [prop.default]),
                max(prop.default_array or [prop.default]),
            )
            assert prop.soft_min - 1e-6 <= lowest and highest <= prop.soft_max + 1e-6, place


def test_every_measured_number_says_its_unit():
    for place, prop in settings().items():
        if prop.type == "FLOAT" and prop.unit == "NONE" and prop.subtype != "FACTOR":
            assert UNITS.search(prop.description), (place, prop.description)


def test_every_operator_explains_itself_and_every_edit_can_be_undone():
    for name in dir(bpy.ops.redmax):
        rna = getattr(bpy.ops.redmax, name).get_rna_type()
        cls = getattr(bpy.types, f"REDMAX_OT_{name}")
        assert rna.name and rna.description, name
        for prop in rna.properties:
            if (
                prop.identifier not in ("rna_type", "name", "remove_name", "remove_active")
                and not prop.is_hidden
            ):
                assert prop.description or prop.type == "ENUM", f"{name}.{prop.identifier}"
        options = getattr(cls, "bl_options", set())
        if "INTERNAL" not in options and not name.startswith(("show_", "export_", "live", "grab", "inquir")):
            assert "UNDO" in options, name


def test_every_button_that_can_be_grey_says_why(capsys):
    """Operators whose poll fails on an empty file give a reason."""
    for name in dir(bpy.ops.redmax):
        operator = getattr(bpy.ops.redmax, name)
        if operator.poll():
            continue
        with pytest.raises(RuntimeError) as error:
            operator()
        assert "poll()" in str(error.value)
        assert not str(error.value).strip().endswith("context is incorrect"), name


def test_blenders_search_finds_what_buttons_do():
    """F3 looks through menus only: each button that needs nothing else to be chosen is in one, with its icon."""
    found = set()
    for menu in (bpy.types.VIEW3D_MT_redmax_object, bpy.types.VIEW3D_MT_redmax_pose):
        drawn = []
        menu.draw(type("Menu", (), {"layout": Layout(drawn)}), None)
        found |= {name.removeprefix("redmax.") for kind, name, _ in drawn if kind == "operator"}
    elsewhere = {"add_shot", "export_scene", "import_scene"}  # Add, File
    about_a_row = {"decide", "fix_finding", "copy_part", "try_remedy", "remove_cage", "remove_goal"}
    about_a_row |= {"add_control", "remove_control", "vary_in_wedge", "remove_varied", "show_wedge_file"}
    presets = {name for name in dir(bpy.ops.redmax) if name.endswith("_preset_add")}
    elsewhere |= {"import_opensim", "import_opensim_motion"}
    assert found == set(dir(bpy.ops.redmax)) - elsewhere - about_a_row - presets


def test_the_whole_character_is_given_to_its_keys_or_to_physics_with_one_button():
    physical()
    drawn = draw(bpy.types.VIEW3D_PT_redmax_set_up)
    buttons = [text for kind, name, text in drawn if (kind, name) == ("operator", "redmax.set_control")]
    assert buttons == ["Free", "Guided", "Keyframed"]


# Registration. ----------------------------------------------------------------------------------------------


def test_enabling_the_extension_loads_neither_numba_nor_scipy():
    code = (
        "import sys, os, bpy, redmax_blender; redmax_blender.register(); "
        "print([m for m in ('numba', 'llvmlite', 'scipy') if m in sys.modules], flush=True); os._exit(0)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert run.stdout.strip().endswith("[]"), run.stdout + run.stderr


def test_disabling_leaves_nothing_behind():
    code = (
        "import sys, os, bpy, redmax_blender; before = {n for n in dir(bpy.types) if 'redmax' in n.lower()}\n"
        "count = lambda: [len(getattr(bpy.app.handlers, n)) for n in dir(bpy.app.handlers) "
        "if isinstance(getattr(bpy.app.handlers, n), list)]\n"
        "handlers = count(); paths = bpy.utils.preset_paths('redmax')\n"
        "for _ in range(2):\n    redmax_blender.register(); redmax_blender.unregister()\n"
        "after = {n for n in dir(bpy.types) if 'redmax' in n.lower()}\n"
        "print([after - before, count() == handlers, bpy.utils.preset_paths('redmax') == paths, "
        "hasattr(bpy.types.Scene, 'redmax')], flush=True); os._exit(0)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert run.stdout.strip().endswith("[set(), True, True, False]"), run.stdout + run.stderr


def test_figures_have_units_and_three_digits_at_most():
    from redmax_blender.panels.sidebar import figure

    shown = [figure(value, "J") for value in (1147.0, 999.6, 0.5, 0.03, 1e-5, 0.0, -12345.0, 2.5e6)]
    assert shown == ["1.15 kJ", "1 kJ", "500 mJ", "30 mJ", "10 µJ", "0 J", "-12.3 kJ", "2.5 MJ"]


def test_an_example_is_selected_where_it_moves_so_that_it_can_be_seen():
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.redmax.add_shot(shot="ragdoll")
    assert [obj.name for obj in bpy.context.selected_objects] == ["Ragdoll"]


def test_root_is_a_setting_and_free_where_there_is_a_ground_below():
    from redmax_blender.bridge.rig.root import suits

    obj = physical()
    obj.location.z = 5.0
    bpy.context.view_layer.update()
    assert suits(obj, bpy.context.scene) == "ANCHORED"
    obj.redmax.root = "FREE"
    roots = [bone for bone in obj.pose.bones if bone.redmax.physical and bone.redmax.joint == "FREE"]
    assert len(roots) == 1 and obj.redmax.root == "FREE"
    obj.redmax.root = "ANCHORED"
    assert roots[0].redmax.joint == "FIXED"
    bpy.ops.redmax.add_ground()
    assert suits(obj, bpy.context.scene) == "FREE"
