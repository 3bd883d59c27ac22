"""Presets: shipped ones do what they say, and users can add and remove their own."""

from pathlib import Path

import bpy
import pytest
from blender_fixtures import make_chain
from mechanism_fixtures import add_box, add_joint

from redmax_blender import panels
from redmax_blender.bridge.flesh.make_soft import PRESETS

FOLDER = Path(panels.PRESETS) / "presets" / "redmax"
MENUS = {kind: f"REDMAX_PT_{kind}_presets" for kind in ("friction", "surface", "control", "flesh")}


def apply(kind, name):
    filepath = bpy.utils.preset_find(name, f"redmax/{kind}", display_name=True)
    assert filepath, name
    assert bpy.ops.script.execute_preset(filepath=filepath, menu_idname=MENUS[kind]) == {"FINISHED"}


def active_bone():
    obj = make_chain(2)
    obj.data.bones.active = obj.data.bones["bone1"]
    return obj.pose.bones["bone1"].redmax


@pytest.mark.parametrize("kind", MENUS)
def test_blender_finds_every_shipped_preset(kind):
    files = {path.stem for path in (FOLDER / kind).glob("*.py")}
    assert len(files) >= 5
    listed = {
        Path(name).stem
        for path in bpy.utils.preset_paths(f"redmax/{kind}")
        for name in Path(path).glob("*.py")
    }
    assert files <= listed


def test_joints_of_the_shipped_presets_rub_more_and_more():
    settings = active_bone().friction
    found = []
    for name in ("Ball Bearing", "Human Joint", "Arthritic Joint", "Rusty Hinge", "Stiff Doll"):
        apply("friction", name)
        found.append(settings.coefficient)
        assert settings.static >= settings.coefficient
    assert found == sorted(set(found))


def test_a_preset_is_for_the_active_bone_in_object_mode_too():
    settings = active_bone().friction
    bpy.ops.object.mode_set(mode="OBJECT")
    apply("friction", "Rusty Hinge")
    assert settings.coefficient == pytest.approx(0.5)


def test_a_preset_is_for_the_active_joint_of_a_mechanism():
    box = add_box("box", (0.0, 0.0, 0.0))
    hinge = add_joint("hinge", "HINGE", None, box, (0.0, 0.0, 0.5))
    bpy.context.view_layer.objects.active = hinge
    apply("friction", "Rusty Hinge")
    assert hinge.redmax.friction.coefficient == pytest.approx(0.5)


def test_every_contact_preset_can_be_used():
    settings = active_bone().surface
    for path in (FOLDER / "surface").glob("*.py"):
        apply("surface", bpy.path.display_name(path.stem))
        assert 0.0 < settings.friction <= 1.5 and 0.0 <= settings.restitution < 1.0


def test_flesh_presets_are_the_materials_of_make_soft():
    box = add_box("box", (0.0, 0.0, 0.0), role="NONE")
    bpy.context.view_layer.objects.active = box
    box.redmax.flesh.soft, settings = True, box.redmax.flesh
    assert len(list((FOLDER / "flesh").glob("*.py"))) == len(PRESETS)
    for preset in PRESETS.values():
        apply("flesh", preset.label)
        found = (settings.young, settings.poisson, settings.density, settings.damping)
        assert found == pytest.approx((preset.young, preset.poisson, preset.density, preset.damping))


def test_control_presets_lead_bones_less_and_less():
    settings = active_bone().control
    found = []
    for name in ("Tense", "Alert", "Relaxed", "Loose Follow-Through"):
        apply("control", name)
        found.append(settings.response)
    assert found == sorted(set(found)) and settings.wake == 0.0
    apply("control", "Knocked Out by a Blow")
    assert settings.wake > 0.0


def test_a_user_adds_a_preset_uses_it_and_removes_it():
    settings = active_bone().friction
    settings.coefficient, settings.radius = 0.123, 0.02
    assert bpy.ops.redmax.friction_preset_add(name="Creaky Door") == {"FINISHED"}
    settings.coefficient = settings.radius = 0.0
    apply("friction", "Creaky Door")
    assert (settings.coefficient, settings.radius) == pytest.approx((0.123, 0.02))
    assert bpy.ops.redmax.friction_preset_add(name="Creaky Door", remove_name=True) == {"FINISHED"}
    assert not bpy.utils.preset_find("Creaky Door", "redmax/friction", display_name=True)
