"""Show a soft mesh's recording: a Mesh Cache modifier in front of all others, on a file in the cache folder.

The mesh itself, its shape keys and its other modifiers stay as they are, in edit mode too, and Blender plays the file
without us, in the viewport as in renders.
"""

from __future__ import annotations

import bpy

from . import cache, deformers

MODIFIER = "RedMax Flesh"


def shows(obj: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    """Whether the mesh has a recording to show that is not baked."""
    return not obj.redmax.is_baked and cache.mesh_of(obj, scene) is not None


def refresh(obj: bpy.types.Object, scene: bpy.types.Scene, saving: bool = False) -> None:
    """Make the mesh's modifiers as its recording and its bake ask for; harmless when they are.

    saving: the file is about to be saved, and its paths are to be as they will be then.
    """
    if obj.type != "MESH":
        return
    if shows(obj, scene):
        recording, _ = cache.mesh_of(obj, scene)
        file = cache.mesh_file(obj, scene, saving or bool(bpy.data.filepath))
        play(obj, file, recording.frame_start)
        deformers.pause(obj)
    elif obj.redmax.flesh.baked:
        deformers.pause(obj)
    else:
        stop(obj)
        deformers.restore(obj)


def refresh_all(scene: bpy.types.Scene, saving: bool = False) -> None:
    for obj in scene.objects:
        if obj.type == "MESH" and (obj.redmax.result or obj.redmax.flesh.paused):
            refresh(obj, scene, saving)


def play(obj: bpy.types.Object, file: str, frame_start: int) -> None:
    """Let a Mesh Cache modifier show a PC2 file from a frame on."""
    modifier = obj.modifiers.get(MODIFIER)
    if modifier is None or modifier.type != "MESH_CACHE":
        modifier = obj.modifiers.new(MODIFIER, "MESH_CACHE")
        modifier.cache_format = "PC2"
        modifier.show_expanded = False
        obj.modifiers.move(len(obj.modifiers) - 1, 0)
    if modifier.filepath != file:
        modifier.filepath = file
    if modifier.frame_start != frame_start:
        modifier.frame_start = frame_start
    obj.update_tag()  # the file may be another one under the same name


def stop(obj: bpy.types.Object) -> None:
    """Remove the modifier that `play` made."""
    modifier = obj.modifiers.get(MODIFIER)
    if modifier is not None and modifier.type == "MESH_CACHE":
        obj.modifiers.remove(modifier)
