"""The recipes of the manual, built by their scripts and shown in the 3D view at four of their frames.

Runs inside Blender. What it returns is read by tools/make_pictures.py: which pictures of the window make up one of the
manual, and where in them the view is.
"""

import importlib
import sys

sys.path.insert(0, "/project/tests/gui")
sys.path.insert(0, "/project/docs/manual/recipes")

import bpy
from driver import in_view, picture, play, region, view, window, x11
from mathutils import Vector

RECIPES = {
    "tail": ((8, 20, 28, 44), 1.1, 0.7),
    "hand_over": ((12, 24, 40, 60), 0.6, 0.25),
    "ragdoll_hit": ((15, 22, 28, 60), 0.9, 0.25),
    "rope_bridge": ((1, 12, 24, 60), 0.6, 0.25),
    "pinned_prop": ((1, 20, 36, 60), 0.6, 0.25),
    "soft_belly": ((1, 9, 17, 22), 0.6, 0.25),
}
"""Which frames show what a recipe is about, and how far the view is turned from the front and raised [rad]."""
DISTANCE = 0.9
"""From where the middle square of the view holds something, in terms of its size."""


def scenario():
    found = {}
    prepare_window()
    yield 1.0
    for name, (frames, turned, raised) in RECIPES.items():
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False, load_ui=False)
        yield 1.0
        prepare_window()
        with in_view():
            actors = importlib.import_module(name).build()
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.ops.object.select_all(action="DESELECT")
        overlay = bpy.context.scene.redmax.overlay
        overlay.show, overlay.joints = any(actor.type == "ARMATURE" for actor in actors), False
        hold_in_view(actors, frames, turned, raised)
        yield 1.0
        boxes = {}
        for frame in frames:
            bpy.context.scene.frame_set(frame)
            view().tag_redraw()
            yield 1.0
            picture(f"{name}-{frame}")
            boxes[f"{name}-{frame}"] = box(region("WINDOW"))
        found[f"recipe-{name.replace('_', '-')}"] = {"frames": boxes}
    return found


def prepare_window():
    """A view with nothing but the scene in it."""
    space = view().spaces[0]
    space.show_region_ui = space.show_region_toolbar = space.show_region_tool_header = False
    space.show_region_header = space.show_gizmo = False
    space.overlay.show_text = space.overlay.show_cursor = space.overlay.show_relationship_lines = False
    x11("mousemove", 5, window().height - 5)


def hold_in_view(actors, frames, turned, raised):
    """Turn the view so that all of the motion is in it."""
    points = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        points += [actor.matrix_world @ Vector(point) for actor in actors for point in extremes(actor)]
    low, high = (Vector(f(p[i] for p in points) for i in range(3)) for f in (min, max))
    with in_view():
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_orbit(angle=turned, type="ORBITRIGHT")
        bpy.ops.view3d.view_orbit(angle=raised, type="ORBITUP")
    seen = view().spaces[0].region_3d
    seen.view_perspective = "PERSP"
    seen.view_location = (low + high) / 2
    seen.view_distance = DISTANCE * (high - low).length


def extremes(actor):
    """Points between which an object is, in its own frame."""
    if actor.type == "ARMATURE":
        return [point for bone in actor.pose.bones for point in (bone.head, bone.tail)]
    return actor.evaluated_get(bpy.context.evaluated_depsgraph_get()).bound_box


def box(shown):
    top = window().height - shown.y - shown.height
    return [shown.x, top, shown.x + shown.width, top + shown.height]


play(scenario)
