"""Chains that play live, and how many frames of them are drawn a second. Runs inside Blender."""

import time

import bpy
from driver import in_view, view

COUNTS = (30, 100, 300)
WATCHED = 4.0
"""Seconds over which frames are counted."""
FIRST_FRAME = 600.0
"""How long the first frame may take [s]: kernels are compiled once after installing."""


def make_chain(count):
    """A chain two metres long that hangs from its upper end, a little to the side."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    data = bpy.data.armatures.new("Chain")
    rig = bpy.data.objects.new("Chain", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    with in_view():
        bpy.ops.object.mode_set(mode="EDIT")
        parent = None
        for k in range(count):
            bone = data.edit_bones.new(f"link{k}")
            bone.head, bone.tail = ((0.4 * s, 0.0, 2.0 - 2.0 * s) for s in (k / count, (k + 1) / count))
            bone.parent, bone.use_connect = parent, parent is not None
            parent = bone
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.ops.redmax.make_physical()
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
    view().spaces.active.region_3d.view_distance *= 1.6
    rig.pose.bones["link0"].redmax.joint = "FIXED"
    return rig


def tip(rig):
    return rig.matrix_world @ rig.pose.bones[-1].tail


def show_little(on):
    """The view with next to nothing to draw but the bones, as lines; or as Blender has it at first."""
    space = view().spaces.active
    space.shading.type = "WIREFRAME" if on else "SOLID"
    for name in ("show_floor", "show_axis_x", "show_axis_y", "show_cursor", "show_text", "show_stats"):
        setattr(space.overlay, name, not on and name != "show_stats")
    space.show_gizmo = space.show_region_ui = space.show_region_toolbar = space.show_region_header = not on
    for armature in bpy.data.armatures:
        armature.display_type = "WIRE" if on else "OCTAHEDRAL"


def watch():
    """Frames that are shown and drawn a second, and what drawing one costs the processor [s]."""
    shown, drawn = [0], [0]

    def count_frame(_scene, _depsgraph):
        shown[0] += 1

    def count_drawing():
        drawn[0] += 1

    space = bpy.types.SpaceView3D
    handle = space.draw_handler_add(count_drawing, (), "WINDOW", "POST_PIXEL")
    bpy.app.handlers.depsgraph_update_post.append(count_frame)
    begin, spent = time.perf_counter(), time.process_time()
    yield WATCHED
    passed, spent = time.perf_counter() - begin, time.process_time() - spent
    bpy.app.handlers.depsgraph_update_post.remove(count_frame)
    space.draw_handler_remove(handle, "WINDOW")
    return {
        "shown": round(shown[0] / passed, 2),
        "drawn": round(drawn[0] / passed, 2),
        "cpu": round(spent / max(drawn[0], 1), 4),
    }
