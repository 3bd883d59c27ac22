"""Blender's calls to us: a frame changed, a file was opened or saved."""

import bpy
from bpy.app.handlers import persistent

from .bridge import cache, playback


@persistent
def show_recordings(scene, _depsgraph=None):
    playback.show_frame(scene)


@persistent
def find_recordings(_file):
    """Look for the opened file's own recordings, and show them at its current frame."""
    cache.forget_missing()
    bpy.context.window_manager.redmax.running = False  # no simulation outlives its file
    for scene in bpy.data.scenes:
        playback.show_frame(scene)


@persistent
def load_recordings(_file):
    for scene in bpy.data.scenes:
        cache.load_all(scene)


@persistent
def write_recordings(_file):
    """Now there is a folder beside the file: bring what was kept in memory or in a temporary folder."""
    for scene in bpy.data.scenes:
        cache.write_all(scene)


HANDLERS = (
    (bpy.app.handlers.frame_change_post, show_recordings),
    (bpy.app.handlers.load_post, find_recordings),
    (bpy.app.handlers.save_pre, load_recordings),
    (bpy.app.handlers.save_post, write_recordings),
)


def register():
    for calls, function in HANDLERS:
        calls.append(function)


def unregister():
    for calls, function in HANDLERS:
        calls.remove(function)
