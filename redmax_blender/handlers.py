"""Blender's calls to us: a frame changed, a file was opened or saved."""

import bpy
from bpy.app.handlers import persistent

from . import scene_properties, show_properties
from .bridge.bake.flesh import write_missing
from .bridge.flesh import show as show_flesh
from .bridge.muscles.objects import is_muscle
from .bridge.recording import cache, cache_status, figure_cache, playback
from .bridge.run import auto, kept_keys, notice, own_pose
from .bridge.run.ready import get_ready_for_file
from .bridge.run.simulate_scene import keep_substeps, migrate

_keeping = False


@persistent
def show_recordings(scene, _depsgraph=None):
    playback.show_frame(scene)
    kept_keys.look(scene)
    notice.clear()
    show_muscles(scene, posed=True)


def show_muscles(scene, posed=False):
    """Tubes and figures of muscles; the module is loaded only where there are some, since it needs Numba.

    posed: whether a recording has just posed bones, so that what hangs on them is still where it was.
    """
    if any(is_muscle(obj) for obj in scene.objects):
        from .bridge.muscles.show import show_all

        if posed and any(own_pose.is_on(obj, scene) for obj in scene.objects):
            for layer in scene.view_layers:
                layer.update()
        show_all(scene)


@persistent
def find_recordings(_file):
    """Look for the opened file's own recordings, and show them at its current frame."""
    cache.forget_missing()
    kept_keys.forget()
    bpy.context.window_manager.redmax.running = False  # no simulation outlives its file
    for scene in bpy.data.scenes:
        migrate(scene)
        keep_substeps(scene)
        playback.cease_missing(scene)
        show_flesh.refresh_all(scene)
        playback.show_frame(scene, spare=True)
        kept_keys.look(scene)
    get_ready_for_file()
    auto.switch()


@persistent
def stop_auto(_scene):
    """What is simulated in the background may refer to what undo or another file takes away."""
    auto.auto.stop()


@persistent
def load_recordings(_file):
    for scene in bpy.data.scenes:
        cache.load_all(scene)
        figure_cache.load_all(scene)
        scene.redmax.auto_substeps = (
            scene.redmax.auto_substeps
        )  # from now on it is in the file (`keep_substeps`)
        show_flesh.refresh_all(scene, saving=True)


@persistent
def write_recordings(_file):
    """Now there is a folder beside the file: bring what was kept in memory or in a temporary folder."""
    for scene in bpy.data.scenes:
        cache.write_all(scene)
        figure_cache.write_all(scene)
        show_flesh.refresh_all(scene)


@persistent
def bring_back_files(_scene):
    """Undo may lead back to recordings whose files are gone; modifiers need them as files."""
    for scene in bpy.data.scenes:
        if any(obj.redmax.flesh.paused for obj in scene.objects):
            cache.write_all(scene)
            write_missing(scene)
            show_flesh.refresh_all(scene)


@persistent
def show_again(_scene):
    """Undo evaluates the animation anew, so that keyed bones would show their keys until the next frame; and the others
    may come back as another frame has them, since Blender makes its steps before we are called.
    """
    for scene in bpy.data.scenes:
        playback.cease_missing(scene)
        if any(own_pose.is_on(obj, scene) for obj in scene.objects):
            for layer in scene.view_layers:  # now, not later: the keys would overwrite what is shown
                layer.update()
            playback.show_frame(scene, spare=True)
        show_muscles(scene)


def switch():
    """Show Simulation was turned on or off."""
    for scene in bpy.data.scenes:
        playback.switch(scene)
        show_flesh.refresh_all(scene)
        kept_keys.look(scene)


@persistent
def note_change(scene, depsgraph=None):
    cache_status.note_change()
    if depsgraph is not None and depsgraph.id_type_updated("OBJECT"):
        show_muscles(scene)
    global _keeping
    if _keeping or depsgraph is None or not depsgraph.id_type_updated("ACTION"):
        return
    _keeping = True  # it evaluates the scene, and we are called again
    try:
        keep_keys(scene)
    finally:
        _keeping = False


@persistent
def keep_keys(scene, _depsgraph=None):
    """Keys that were inserted while a simulation is shown hold the animation; and Blender has evaluated that anew."""
    kept = kept_keys.keep(scene)
    if any(own_pose.is_on(obj, scene) for obj in scene.objects):
        for (
            layer
        ) in scene.view_layers:  # now, not later: keys that were looked at would overwrite what is shown
            layer.update()
        playback.show_frame(scene, spare=True)
    if kept:
        notice.say_kept_keys(kept)


@persistent
def learn_keys(scene):
    """Undo brought other keys, which are the user's."""
    kept_keys.forget()
    kept_keys.look(scene)


HANDLERS = (
    (bpy.app.handlers.load_pre, stop_auto),
    (bpy.app.handlers.undo_pre, stop_auto),
    (bpy.app.handlers.redo_pre, stop_auto),
    (bpy.app.handlers.save_pre, stop_auto),
    (bpy.app.handlers.depsgraph_update_post, note_change),
    (bpy.app.handlers.frame_change_post, show_recordings),
    (bpy.app.handlers.load_post, find_recordings),
    (bpy.app.handlers.save_pre, load_recordings),
    (bpy.app.handlers.save_post, write_recordings),
    (bpy.app.handlers.undo_post, bring_back_files),
    (bpy.app.handlers.redo_post, bring_back_files),
    (bpy.app.handlers.undo_post, show_again),
    (bpy.app.handlers.redo_post, show_again),
    (bpy.app.handlers.undo_post, learn_keys),
    (bpy.app.handlers.redo_post, keep_keys),
)


def register():
    for calls, function in HANDLERS:
        calls.append(function)
    show_properties.switched.append(switch)
    scene_properties.auto_switched.append(auto.switch)


def unregister():
    show_properties.switched.remove(switch)
    scene_properties.auto_switched.remove(auto.switch)
    auto.auto.stop()
    if bpy.app.timers.is_registered(auto.tick):
        bpy.app.timers.unregister(auto.tick)
    for calls, function in HANDLERS:
        calls.remove(function)
