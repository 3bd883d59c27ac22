"""Keep what is shown as a take, show a take again, and forget it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy

from ...engine.errors import SceneError
from ..mechanism.parts import WHOLE
from ..recording import cache, figure_cache, playback
from ..recording.cache import Recording
from ..run.simulate_scene import mute_posing, show_recording


def keep(scene: bpy.types.Scene, name: str = "") -> Any:
    """Keep the simulation that the scene shows as a take; the one that has it already where there is one."""
    shown = {obj.redmax.result_name: obj for obj in scene.objects if obj.redmax.result}
    keys = {obj.redmax.result for obj in shown.values()}
    recordings = [recording for recording in (cache.get(key, scene) for key in keys) if recording is not None]
    if not recordings:
        raise SceneError("Takes", "there is no simulation to keep", "Simulate first.")
    return add(scene, recordings[0], shown, name)


def add(
    scene: bpy.types.Scene, recording: Recording, objects: Mapping[str, bpy.types.Object], name: str = ""
) -> Any:
    """Make a take of a recording, whose objects are given by their names in it."""
    takes = scene.redmax.takes
    for i, take in enumerate(takes):
        if take.key == recording.key:
            scene.redmax.take_index = i
            return take
    take = takes.add()
    take.name = free_name(scene, name or "Take 1")
    take.key = recording.key
    take.frame_start, take.frame_end = recording.frame_start, recording.frame_last
    for each in (*recording.tracks, *recording.meshes):
        if each in objects:
            part = take.parts.add()
            part.name, part.object = each, objects[each]
    cache.put(recording, scene)
    figure_cache.get(recording.key, scene)
    scene.redmax.take_index = len(takes) - 1
    return take


def free_name(scene: bpy.types.Scene, name: str) -> str:
    """A name that no take has: the next number where it is taken."""
    used = {take.name for take in scene.redmax.takes}
    stem, _, number = name.rpartition(" ")
    if name in used and not number.isdigit():
        stem, number = name, "1"
    while name in used:
        number = str(int(number) + 1)
        name = f"{stem} {number}"
    return name


def show(context: bpy.types.Context, take: Any) -> list[str]:
    """Let the objects show a take; what to tell the user about it. Their own poses stay as they are."""
    scene = context.scene
    recording = recording_of(take, scene)
    objects = objects_of(take, scene)
    baked = [obj.name for obj in objects.values() if obj.redmax.is_baked]
    if baked:
        raise SceneError(f"'{baked[0]}'", "it is baked", "Delete its bake before showing a take.")
    said = [
        f"'{name}' of the take is not in the scene any more"
        for name in (*recording.tracks, *recording.meshes)
        if name not in objects
    ]
    for name, obj in objects.items():
        if name in recording.tracks:
            playback.show_start(obj, scene, but=recording.tracks[name].bones)
    said += mute_posing(
        {
            obj: set(recording.tracks[name].bones) or {WHOLE}
            for name, obj in objects.items()
            if name in recording.tracks
        }
    )
    said += show_recording(scene, recording, objects)
    for obj in objects.values():
        obj.redmax.shown_frame = scene.frame_current_final
    playback.show_frame(scene)
    context.view_layer.update()
    return said


def remove(scene: bpy.types.Scene, index: int) -> None:
    """Forget a take; its files go unless it is shown."""
    key = scene.redmax.takes[index].key
    recording_of_key = cache.get(key, scene)  # in memory for undo
    scene.redmax.takes.remove(index)
    scene.redmax.take_index = max(min(scene.redmax.take_index, len(scene.redmax.takes) - 1), 0)
    if recording_of_key is not None:
        cache.remove_file(key, scene)


def recording_of(take: Any, scene: bpy.types.Scene) -> Recording:
    """The frames of a take; SceneError where they are gone."""
    recording = cache.get(take.key, scene)
    if recording is None:
        raise SceneError(
            f"Take '{take.name}'",
            "its frames are not in the cache folder",
            "Simulate it again, or remove it.",
        )
    return recording


def objects_of(take: Any, scene: bpy.types.Scene) -> dict[str, bpy.types.Object]:
    """The objects of a take that are still in the scene, by their names in its recording."""
    return {
        part.name: part.object
        for part in take.parts
        if part.object is not None and scene.objects.get(part.object.name) is part.object
    }


def is_shown(take: Any, scene: bpy.types.Scene) -> bool:
    """Whether the scene shows this take now."""
    return take.key in cache.keys_shown(scene)


def use_values(take: Any) -> list[str]:
    """Set the settings that the take was simulated with; what to tell the user about those that are gone."""
    from .settings import put

    said = []
    for value in take.values:
        if value.owner is None or not put(value.owner, value.path, value.value):
            said.append(f"the setting '{value.name}' is not there any more")
    return said
