"""Blender asks: what is selected, over all frames of the simulation that is shown; and keeps what it was told."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from ...engine.errors import InputError, SceneError
from ..mechanism.export_scene import read_for_export
from ..recording import cache
from ..rig.bodies import is_body, is_spring
from ..rig.make_physical import is_selected
from ..run.engine_process import engine
from ..run.engine_run import rebuilt
from .told import Told

if TYPE_CHECKING:
    from ...engine.inquire.reactions import Axes

EVERYTHING = "everything"


@dataclass
class Answers:
    """What a scene was told, frame by frame."""

    names: list[str]
    axes: Axes
    key: str
    """Of the recording that it is about; empty for a live run."""
    first: int = 0
    """Frame of the first."""
    moments: list[Told] = field(default_factory=list)

    def at(self, frame: int) -> Told | None:
        """What was told about a frame of the scene; of a live run, the latest."""
        if not self.key and self.moments:
            return self.moments[-1]
        k = frame - self.first
        return self.moments[k] if 0 <= k < len(self.moments) else None


_answers: dict[str, Answers] = {}
"""By the scene's name: for this session only, since all can be asked again."""


def answers(scene: bpy.types.Scene) -> Answers | None:
    """What was last told about the simulation that the scene shows; None when it shows another one."""
    found = _answers.get(scene.name)
    if found is not None and found.key and found.key not in cache.keys_shown(scene):
        return None
    return found


def keep(scene: bpy.types.Scene, found: Answers) -> None:
    """Let the panel and the overlay show these."""
    _answers[scene.name] = found


def forget(scene: bpy.types.Scene) -> None:
    _answers.pop(scene.name, None)


def selected(context: bpy.types.Context) -> list[str]:
    """The engine's names of what is selected; of everything where nothing of the simulation is."""
    found = []
    for obj in context.selected_objects or ([context.object] if context.object else []):
        if obj.type == "ARMATURE":
            found += [f"{obj.name}/{bone.name}" for bone in obj.pose.bones if is_selected(bone)]
        elif (
            is_body(obj)
            or is_spring(obj)
            or obj.redmax.joint.kind != "NONE"
            or obj.rigid_body_constraint is not None
            or obj.redmax.collider.role != "NONE"
            or obj.redmax.muscle.is_muscle
        ):
            found.append(obj.name)
    return found or [EVERYTHING]


class Asking:
    """An inquiry under way: the scene is read, and the engine goes through the frames, here or in its own process."""

    def __init__(self, context: bpy.types.Context, axes: Axes, apart: bool = False) -> None:
        scene = context.scene
        recording = next((r for r in (cache.get(key, scene) for key in cache.keys_shown(scene)) if r), None)
        if recording is None:
            raise SceneError("Inquire", "nothing is simulated", "Simulate first.")
        if not cache.is_current(scene):
            raise SceneError(
                "Inquire", "settings were changed since it was simulated", "Simulate again, and ask then."
            )
        frames = cache.frames_path(recording.key, scene)
        if not frames.exists():
            raise SceneError(
                "Inquire",
                "the engine's frames are not in the cache: it was played live, or they were removed",
                "Simulate, and ask then.",
            )
        self.total = recording.frame_count + recording.preroll
        self.answers = Answers(
            selected(context), axes, recording.key, recording.frame_start - recording.preroll
        )
        spec = read_for_export(context).scene
        if scene.redmax.auto_substeps and scene.redmax.chosen_substeps:  # more, where it diverged with those
            frame = spec.time.step * spec.time.record
            spec.time.record = int(scene.redmax.chosen_substeps)
            spec.time.step = frame / spec.time.record
        self.job = None
        if apart:
            self.job = engine.ask("inquire", spec, frames=str(frames), names=self.answers.names, axes=axes)
            return
        from .tell import tell  # loads Numba, which takes a moment

        self.moments: Iterator[Told] = tell(spec, Path(frames), self.answers.names, axes)

    def finish(self) -> Answers:
        """All frames, here and now."""
        self.answers.moments.extend(self.moments)
        return self.answers

    def advance(self) -> bool:
        """Take what has arrived from the engine's process; False when that was all. Raises what it raised."""
        assert self.job is not None
        while (heard := engine.hear(self.job)) is not None:
            message, _ = heard
            if "error" in message:
                raise rebuilt(message)
            if "end" in message:
                return False
            self.answers.moments.append(Told.of(message["told"]))
        return True

    def stop(self) -> None:
        if self.job is not None:
            engine.stop(self.job)


def inquire_scene(context: bpy.types.Context, axes: Axes = "world") -> Answers:
    """Ask about what is selected, at all frames of the simulation that is shown, and keep it for the panel."""
    found = Asking(context, axes).finish()
    keep(context.scene, found)
    return found


def write_table(found: Answers, path: Path) -> int:
    """What was told as CSV, a line for each frame; how many."""
    heads = list(dict.fromkeys(head for told in found.moments for head in told.columns))
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["frame", "time [s]", *heads])
            for k, told in enumerate(found.moments):
                writer.writerow([found.first + k, told.t, *(told.columns.get(head, 0.0) for head in heads)])
    except OSError as error:
        raise InputError(
            str(path), f"it cannot be written ({error.strerror or error})", "Choose another place."
        ) from None
    return len(found.moments)
