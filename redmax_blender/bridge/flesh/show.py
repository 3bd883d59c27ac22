"""Show a soft mesh's recording: a Mesh Cache modifier in front of all others, on a file in the cache folder.

The mesh itself, its shape keys and its other modifiers stay as they are, in edit mode too, and Blender plays the file
without us, in the viewport as in renders.
"""

from __future__ import annotations

import bpy

from ..recording import cache
from ..rig import deformers
from ..run import own_pose
from .soft_meshes import MODIFIER, deforming_armatures


def shows(obj: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    """Whether the mesh has a recording to show that is not baked."""
    return own_pose.is_on(obj, scene) and cache.mesh_of(obj, scene) is not None


def refresh(obj: bpy.types.Object, scene: bpy.types.Scene, saving: bool = False) -> None:
    """Make the mesh's modifiers as its recording and its bake ask for; harmless when they are.

    Undo, saving and opening call it, and must not change what the user sees: what else deforms the mesh is switched
    off once, when there is a new recording (`show_new`), and not for what became of the scene since.

    saving: the file is about to be saved, and its paths are to be as they will be then.
    """
    if obj.type != "MESH":
        return
    if shows(obj, scene):
        recording, _ = cache.mesh_of(obj, scene)
        file = cache.mesh_file(obj, scene, saving or bool(bpy.data.filepath))
        play(obj, file, recording.frame_start)
        if not obj.redmax.flesh.paused:
            pause(obj, scene)
    elif not obj.redmax.flesh.baked:
        stop(obj)
        deformers.restore(obj)


def show_new(obj: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Show a recording that the mesh has just got."""
    pause(obj, scene)
    refresh(obj, scene)


def pause(obj: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Switch off what deforms the mesh by armatures that were simulated with it: those that its recording moves.

    An armature that became physical later is not among them, and has to go on deforming the mesh.
    """
    recording = cache.get(obj.redmax.result, scene)
    tracks = recording.tracks if recording is not None else {}
    simulated = [
        armature
        for armature in deforming_armatures(obj)
        if armature.redmax.result == obj.redmax.result and armature.redmax.result_name in tracks
    ]
    deformers.pause(obj, simulated)


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
