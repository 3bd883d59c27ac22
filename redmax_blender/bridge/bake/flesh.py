"""Bake flesh: a soft mesh's recording as shape keys, or as a point cache that stays; and back.

What the bake made, and what it has to restore, is noted in the mesh's settings.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import bpy

from ...engine.errors import SceneError
from ..flesh import show as show_flesh
from ..recording import cache
from ..recording.cache import Recording
from ..recording.point_cache import Positions, write_pc2
from . import shape_keys as shape_key_bake

POINT_CACHE = "Choose Point Cache (RedMax tab, Bake To)"


def check_flesh_bake(obj: bpy.types.Object, scene: bpy.types.Scene) -> tuple[Recording, Positions]:
    """What there is to bake; SceneError, before anything has changed, where it cannot be baked as asked."""
    place = f"Object '{obj.name}'"
    if obj.redmax.is_baked:
        raise SceneError(place, "it is baked", "Delete its bake first.")
    if obj.mode == "EDIT":
        raise SceneError(place, "it is in edit mode", "Leave edit mode (Tab).")
    found = cache.mesh_of(obj, scene)
    if found is None:
        raise SceneError(place, "there is nothing to bake", "Simulate first.")
    vertices = len(obj.data.vertices)
    if found[1].shape[1] != vertices:
        raise SceneError(
            place,
            f"its mesh has {vertices} vertices now, and had {found[1].shape[1]} when it was simulated",
            "Simulate again.",
        )
    if obj.redmax.flesh.bake_to == "PC2":
        _bake_folder(obj)
    else:
        _check_keys(obj, place)
    return found


def _check_keys(obj: bpy.types.Object, place: str) -> None:
    if obj.data.library is not None or obj.library is not None:
        raise SceneError(place, "its mesh is linked from a library", f"Make it local, or: {POINT_CACHE}.")
    others = [o.name for o in bpy.data.objects if o.data == obj.data and o != obj]
    if others:
        raise SceneError(
            place,
            f"its mesh is also that of '{others[0]}', which would be deformed as well",
            f"Make it a single user (Object > Relations > Make Single User), or: {POINT_CACHE}.",
        )
    keys = obj.data.shape_keys
    if keys is not None and not keys.use_relative:
        raise SceneError(
            place, "it has absolute shape keys of its own", f"Make them relative, or: {POINT_CACHE}."
        )
    if keys is not None and keys.animation_data is not None and keys.animation_data.use_tweak_mode:
        raise SceneError(
            place, "an NLA strip of its shape keys is being edited", "Leave tweak mode (Tab in the NLA)."
        )


def bake_flesh(obj: bpy.types.Object, scene: bpy.types.Scene) -> bpy.types.Action | None:
    """Bake what a soft mesh shows; its new action, or None for a point cache."""
    recording, positions = check_flesh_bake(obj, scene)
    settings = obj.redmax
    action = None
    if settings.flesh.bake_to == "PC2":
        file = f"{_bake_folder(obj)}/{bpy.path.clean_name(obj.name)}_{recording.key[:8]}.pc2"
        try:
            write_pc2(Path(bpy.path.abspath(file)), positions, recording.frame_start)
        except OSError as error:
            raise SceneError(
                f"Object '{obj.name}'",
                f"its point cache cannot be written ({error.strerror or error})",
                "Choose another Bake Folder (RedMax tab, Bake To).",
            ) from None
        show_flesh.play(obj, file, recording.frame_start)
        settings.flesh.baked = json.dumps({"file": file, "frame_start": recording.frame_start})
    else:
        relative = settings.flesh.bake_to == "RELATIVE" or obj.data.shape_keys is not None
        made = shape_key_bake.bake(obj, scene, recording, positions, relative, settings.flesh.bake_step)
        settings.flesh.baked = json.dumps({"keys": made.names, "active": made.active, "alone": made.alone})
        settings.baked_action = action = made.action
        show_flesh.stop(obj)
    settings.is_baked = True
    show_flesh.pause(obj, scene)
    return action


def _bake_folder(obj: bpy.types.Object) -> str:
    folder = str(obj.redmax.flesh.bake_folder)
    if folder.startswith("//") and not bpy.data.filepath:
        raise SceneError(
            f"Object '{obj.name}'",
            "a point cache goes beside the .blend file, which is not saved yet",
            "Save the file first, or choose another Bake Folder.",
        )
    return folder.rstrip("/\\") or folder


def delete_flesh_bake(obj: bpy.types.Object) -> None:
    """Remove what the bake made; the mesh shows its recording again, if there is one."""
    settings = obj.redmax
    scene = obj.users_scene[0]
    baked = json.loads(settings.flesh.baked)
    settings.flesh.baked = ""
    settings.is_baked = False
    if "keys" in baked:
        shape_key_bake.remove(obj, baked["keys"], baked["active"], baked["alone"])
    else:
        show_flesh.stop(obj)
        if cache.mesh_of(obj, scene) is not None:  # else undo could not bring it back
            Path(bpy.path.abspath(baked["file"])).unlink(missing_ok=True)
    show_flesh.refresh(obj, scene)


def write_missing(scene: bpy.types.Scene) -> None:
    """Write point caches again that an undone Delete Bake had removed."""
    for obj in scene.objects:
        if obj.type != "MESH" or not obj.redmax.flesh.baked:
            continue
        baked = json.loads(obj.redmax.flesh.baked)
        found = cache.mesh_of(obj, scene)
        if "file" in baked and found is not None:
            path = Path(bpy.path.abspath(baked["file"]))
            if not path.exists():
                with contextlib.suppress(OSError):  # the modifier says that its file is missing
                    write_pc2(path, found[1], baked["frame_start"])
                obj.update_tag()
