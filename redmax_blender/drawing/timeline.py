"""The timeline: which frames are simulated, along its lower edge."""

import bpy
import gpu
from gpu_extras.batch import batch_for_shader

from ..bridge.recording import cache, cache_status

HEIGHT = 4
"""Of the strip [pixels], before the user's resolution scale."""
CACHED, OUTDATED, COMING = (0.25, 0.65, 0.95, 0.9), (0.85, 0.5, 0.15, 0.9), (0.3, 0.9, 0.45, 1.0)

_handle = None


def strips(scene):
    """(first frame, last frame, colour) of what is simulated; what is on its way is over the old."""
    found = []
    for key in sorted({obj.redmax.result for obj in scene.objects if obj.redmax.result}):
        recording = cache.get(key, scene)
        coming = cache.standing_in(key)
        if recording is not None:
            old = coming is not None or cache_status.is_outdated(scene)
            found.append((recording.frame_start, recording.frame_last, OUTDATED if old else CACHED))
        if coming is not None:
            found.append((coming.frame_start, coming.frame_last, COMING))
    return found


def draw():
    """Blender calls this for every timeline and dope sheet that it draws."""
    context = bpy.context
    if context.space_data.mode != "TIMELINE":
        return
    shown = strips(context.scene)
    if not shown:
        return
    view, scale = context.region.view2d, context.preferences.system.ui_scale
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    gpu.state.blend_set("ALPHA")
    for first, last, colour in shown:
        left, right = (view.view_to_region(frame, 0.0, clip=False)[0] for frame in (first, last))
        corners = [
            (left, 0),
            (max(right, left + 1), 0),
            (max(right, left + 1), HEIGHT * scale),
            (left, HEIGHT * scale),
        ]
        shader.uniform_float("color", colour)
        batch_for_shader(shader, "TRI_FAN", {"pos": corners}).draw(shader)
    gpu.state.blend_set("NONE")


def register():
    global _handle
    if not bpy.app.background:
        _handle = bpy.types.SpaceDopeSheetEditor.draw_handler_add(draw, (), "WINDOW", "POST_PIXEL")


def unregister():
    global _handle
    if _handle is not None:
        bpy.types.SpaceDopeSheetEditor.draw_handler_remove(_handle, "WINDOW")
        _handle = None
