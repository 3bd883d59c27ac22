"""Every panel of the RedMax tab, for the manual: a scene for each, and where in the window its picture is.

Runs inside Blender. What it returns is read by tools/make_pictures.py: {picture: {"box": [left, top, right, bottom]}},
and "before" where the picture is of what came up since another one.
"""

import sys
from contextlib import suppress

sys.path.insert(0, "/project/tests/gui")

import bpy
from driver import in_view, package, picture, play, region, view, window, x11

SCALE = 1.5
"""Of the interface: text that is still sharp on a page."""
LAST = 24
"""Last frame of what is simulated."""

found = {}


def scenario():
    classes = take_panels_away()
    prepare_window()
    yield 1.0
    yield from on_a_bone(classes)
    yield from on_a_run(classes)
    yield from on_objects(classes)
    yield from on_flesh(classes)
    yield from on_muscles(classes)
    yield from on_a_failure(classes)
    return found


def take_panels_away():
    """All our panels by name, none of them registered and none closed from now on: Blender remembers which are."""
    classes = {
        cls.__name__.removeprefix("VIEW3D_PT_redmax_"): cls
        for cls in package("panels").CLASSES
        if cls.__name__.startswith("VIEW3D_PT_redmax_")
    }
    for cls in reversed(classes.values()):
        bpy.utils.unregister_class(cls)
        cls.bl_options = set()
    return classes


def prepare_window():
    preferences = bpy.context.preferences
    preferences.view.ui_scale = SCALE
    preferences.system.use_region_overlap = False
    view().spaces[0].show_region_ui = True
    view().spaces[0].show_region_tool_header = False
    view().spaces[0].show_region_toolbar = False


def clear():
    if bpy.context.object is not None and bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    bpy.context.view_layer.update()


def make_active(obj, others=()):
    for other in bpy.context.view_layer.objects:
        other.select_set(other in (obj, *others))
    bpy.context.view_layer.objects.active = obj


def shoot(name, classes, *shown):
    """A picture of the sidebar with some panels in it and no others."""
    for each in shown:
        bpy.utils.register_class(classes[each])
    x11("mousemove", 5, window().height - 5)
    view().tag_redraw()
    yield 1.0  # the tab is there once it was drawn
    region("UI").active_panel_category = "RedMax"
    for _ in range(3):  # panels slide open
        view().tag_redraw()
        yield 0.5
    picture(name)
    found[name] = {"box": box(region("UI"))}
    yield 0.2
    for each in reversed(shown):
        bpy.utils.unregister_class(classes[each])


def shoot_popup(name, before, open_it, classes, *shown):
    """A picture of what comes up over the 3D view."""
    for each in shown:
        bpy.utils.register_class(classes[each])
    area = region("WINDOW")
    x11("mousemove", area.x + area.width // 2, window().height - area.y - area.height // 2)
    yield 1.0
    picture(before)
    with in_view():
        open_it()
    yield 1.5
    picture(name)
    found[name] = {"box": box(area), "before": before}
    x11("key", "Escape")
    yield 1.0
    for each in reversed(shown):
        bpy.utils.unregister_class(classes[each])


def box(shown):
    """Where a region is in a picture of the window: left, top, right, bottom [px]."""
    top = window().height - shown.y - shown.height
    return [shown.x, top, shown.x + shown.width, top + shown.height]


def add_metarig():
    clear()
    bpy.ops.preferences.addon_enable(module="rigify")
    with in_view():
        bpy.ops.object.armature_basic_human_metarig_add()
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_orbit(angle=0.7, type="ORBITRIGHT")
        bpy.ops.view3d.view_selected()
        bpy.ops.redmax.make_physical()
    return bpy.context.object


def on_a_bone(classes):
    rig = add_metarig()
    yield from shoot("panel-set-up", classes, "set_up")
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones["forearm.L"]
    bone = rig.pose.bones["forearm.L"]
    bone.redmax.stiffness, bone.redmax.damping = 10.0, 0.5
    yield from shoot("panel-bone", classes, "bone", "limits", "body")
    bone.redmax.coupling.bone, bone.redmax.coupling.ratio = "forearm.R", -1.0
    yield from shoot("panel-coupling", classes, "bone", "coupling")
    bone.redmax.coupling.bone = ""
    hand = rig.pose.bones["hand.L"]
    rig.data.bones.active = hand.bone
    rail = bpy.data.objects.new("Rail", None)
    bpy.context.scene.collection.objects.link(rail)
    rail.location = rig.matrix_world @ hand.tail
    rail.empty_display_size = 0.05
    hand.redmax.control.target, hand.redmax_control = rail, "GUIDED"
    hand.keyframe_insert("redmax_control", frame=1)
    yield from shoot("panel-control", classes, "bone", "control")
    hand.redmax.control.target = None
    for name in ("upper_arm.L", "thigh.L"):
        rig.pose.bones[name].redmax.friction.coefficient = 0.3
    rig.data.bones.active = rig.data.bones["upper_arm.L"]
    bpy.context.scene.redmax.overlay.show = True
    yield from shoot("panel-joint-friction", classes, "friction")
    yield from shoot("panel-contact", classes, "contact")
    yield from shoot("panel-overlay", classes, "overlay")

    def presets():
        bpy.ops.wm.call_panel(name="REDMAX_PT_friction_presets", keep_open=True)

    yield from shoot_popup("panel-presets", "presets-before", presets, classes, "friction")
    x11("mousemove", 5, window().height - 5)
    yield 1.0
    picture("overlay")
    found["overlay"] = {"box": box(region("WINDOW"))}


def on_a_run(classes):
    scene = bpy.context.scene
    scene.redmax.frame_end = LAST
    with in_view():
        bpy.ops.redmax.simulate("EXEC_DEFAULT")
    scene.frame_set(LAST // 2)
    yield 1.0
    yield from shoot("panel-run", classes, "run")
    yield from shoot("panel-simulate", classes, "simulate", "diagnosis", "solver")

    def bake():
        bpy.ops.redmax.bake("INVOKE_DEFAULT")

    yield from shoot_popup("panel-bake-options", "bake-before", bake, classes, "bake")
    with in_view():
        bpy.ops.redmax.bake("EXEC_DEFAULT")
    yield from shoot("panel-bake", classes, "bake")
    with in_view():
        bpy.ops.redmax.delete_bake()
        bpy.ops.redmax.free_cache()


def on_objects(classes):
    clear()
    bpy.context.scene.redmax.overlay.show = False
    bodies = []
    for name, x in (("Crank", 0.0), ("Rod", 1.1)):
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=(x, 0.0, 1.0), scale=(1.0, 0.2, 0.1))
        bodies.append(bpy.context.object)
        bodies[-1].name = name
    make_active(bodies[1], bodies)
    bpy.ops.redmax.set_role(role="ACTIVE")
    yield from shoot("panel-body", classes, "mechanism", "object_body")
    bpy.context.scene.cursor.location = (0.55, 0.0, 1.0)
    with in_view():
        bpy.ops.redmax.add_joint(kind="HINGE")
    bpy.context.object.redmax.joint.use_motor = True
    yield from shoot("panel-mechanism", classes, "mechanism", "joint")
    make_active(bodies[1], bodies)
    with in_view():
        bpy.ops.redmax.add_spring(kind="SPRING")
    yield from shoot("panel-spring", classes, "mechanism", "spring")
    bpy.ops.mesh.primitive_plane_add(size=4.0)
    bpy.context.object.redmax.collider.role = "COLLIDER"
    yield from shoot("panel-collider", classes, "contact")


def on_flesh(classes):
    clear()
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, location=(0.0, 0.0, 1.0))
    with in_view():
        bpy.ops.redmax.make_soft(preset="FAT")
    boxes = [name for name in classes if name.startswith("flesh")]
    yield from shoot("panel-flesh", classes, *boxes)


def on_muscles(classes):
    """The upper arm's flexor, bent, with its tube."""
    rig = add_metarig()
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        selected = bone.name in ("upper_arm.L", "forearm.L")
        (bone if hasattr(bone, "select") else bone.bone).select = selected
    rig.data.bones.active = rig.data.bones["forearm.L"]
    with in_view():
        bpy.ops.redmax.add_muscle(mass=0.4)
    bpy.ops.object.mode_set(mode="OBJECT")
    make_active(next(obj for obj in bpy.data.objects if obj.redmax.muscle.is_muscle))
    yield from shoot("panel-muscles", classes, "muscles", "muscle")


def on_a_failure(classes):
    """One step a frame is too long for a chain of small bones that swings freely."""
    clear()
    data = bpy.data.armatures.new("Whip")
    rig = bpy.data.objects.new("Whip", data)
    bpy.context.scene.collection.objects.link(rig)
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for k in range(12):
        bone = data.edit_bones.new(f"link.{k + 1:02d}")
        bone.head, bone.tail = (0.1 * k, 0.0, 1.0), (0.1 * k + 0.1, 0.0, 1.0)
        bone.parent, bone.use_connect = parent, parent is not None
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    with in_view():
        bpy.ops.redmax.make_physical(damping=0.0)
    settings = bpy.context.scene.redmax
    settings.integrator, settings.substeps, settings.frame_end = "euler", 1, 60
    with in_view(), suppress(RuntimeError):  # which is how an operator's error reaches a script
        bpy.ops.redmax.simulate("EXEC_DEFAULT")
    yield 1.0
    yield from shoot("panel-diagnosis", classes, "simulate", "diagnosis")


play(scenario)
