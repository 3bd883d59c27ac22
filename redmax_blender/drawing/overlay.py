"""The overlay on the graphics card: the only file that calls `gpu`."""

import bpy
import gpu
from bpy.app.handlers import persistent
from gpu_extras.batch import batch_for_shader

from . import inquiry, picked
from .best_so_far import is_shown
from .collect import scene_lines

WIDTH = 1.6
"""Of lines [pixels], before the user's resolution scale."""

_handle = None
_batches: dict = {}
"""Scene's name -> its lines as a batch, until something changes."""


def draw():
    """Blender calls this for every 3D view that it draws."""
    context = bpy.context
    scene = context.scene
    overlay = scene.redmax.overlay
    wanted = overlay.show or is_shown(scene.name) or picked.is_shown()
    wanted = wanted or inquiry.is_shown(scene) or any(take.ghost for take in scene.redmax.takes)
    if not wanted or not context.space_data.overlay.show_overlays:
        return
    batch = _batch(scene)
    if batch is None:
        return
    shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE" if overlay.in_front else "LESS_EQUAL")
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", WIDTH * context.preferences.system.ui_scale)
    batch.draw(shader)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


def _batch(scene):
    if scene.name not in _batches:
        points, colours = scene_lines(scene).arrays()
        _batches[scene.name] = (
            batch_for_shader(
                gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR"), "LINES", {"pos": points, "color": colours}
            )
            if len(points)
            else None
        )
    return _batches[scene.name]


@persistent
def forget(_scene=None, _depsgraph=None):
    """Something changed: compute the lines again when they are next drawn."""
    _batches.clear()


picked.on_change = forget
HANDLERS = ("depsgraph_update_post", "frame_change_post", "load_post", "undo_post", "redo_post")


def register():
    global _handle
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).append(forget)
    if not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_VIEW")


def unregister():
    global _handle
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).remove(forget)
    forget()
