"""A recording as motion of controls: their channels at each of its frames."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import bpy
import numpy as np

from ..recording.cache import Recording, Track
from ..recording.playback import paused
from ..rig.rig import physical_parents
from .choose import choose
from .graph import Graph, has_controls, signature
from .posing import Channels, Floats, Posing, poses_of
from .probe import Probe
from .solve import Solver

KEPT_STILL = 2e-6
"""A control that never differs by more than this from the animation [rad, units of the armature] needs no key."""


@dataclass
class ControlTracks:
    """Channels of the controls that the recording moves, at its nf frames."""

    location: dict[str, Floats] = field(default_factory=dict)
    """[units], shape (nf, 3)."""
    rotation: dict[str, Floats] = field(default_factory=dict)
    """As matrices, shape (nf, 3, 3)."""
    scale: dict[str, Floats] = field(default_factory=dict)
    """As the animation has it, shape (nf, 3)."""
    error: float = 0.0
    """Largest distance of a simulated bone from its pose, as a fraction of the rig's size."""
    worst: int = 0
    """The frame that has it."""

    @property
    def names(self) -> list[str]:
        return list(self.location)

    def keep(self, names: Collection[str]) -> None:
        """Forget about all other controls."""
        for table in (self.location, self.rotation, self.scale):
            for name in [name for name in table if name not in names]:
                del table[name]


def rig_size(obj: bpy.types.Object) -> float:
    """Diagonal of the box around the rest pose [units of the armature]."""
    points = np.array([p for bone in obj.data.bones for p in (bone.head_local, bone.tail_local)], dtype=float)
    return float(np.linalg.norm(np.ptp(points, axis=0)))


def track_controls(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    recording: Recording,
    track: Track,
    progress: Callable[[int, int], None] | None = None,
) -> ControlTracks:
    """Go through the frames of a recording and find the channels of the rig's controls that show it.

    The rig must act (nothing muted by us), with its simulated bones' own channels as they were before the simulation.
    Frame and channels are put back afterwards.
    """
    scene, posing = context.scene, Posing(context, obj)
    frame, subframe, before = scene.frame_current, scene.frame_subframe, posing.remember()
    moved: list[dict[str, tuple[Channels, Channels]]] = []
    tracks = ControlTracks()
    follower = Follower(posing, track)
    known = [i for i, name in enumerate(track.bones) if name in posing.column]
    lengths = np.array([obj.data.bones[track.bones[i]].length for i in known])
    with paused(), skins_at_rest(context, obj):
        try:
            for f in range(recording.frame_count):
                found, error = follower.follow(
                    recording.frame_start + f, poses_of(track.pose[f, known], lengths)
                )
                moved.append(found)
                if error > tracks.error:
                    tracks.error, tracks.worst = error, recording.frame_start + f
                if progress is not None:
                    progress(f + 1, recording.frame_count)
        finally:
            scene.frame_set(frame, subframe=subframe)
            posing.put_back(before)
    collect(tracks, moved)
    return tracks


@contextmanager
def skins_at_rest(context: bpy.types.Context, obj: bpy.types.Object) -> Iterator[None]:
    """Meshes do not follow their armature meanwhile: it is evaluated a dozen times a frame, and a skin costs more."""
    followers = [
        modifier
        for skin in context.view_layer.objects
        if skin.library is None
        for modifier in skin.modifiers
        if modifier.type == "ARMATURE" and modifier.object == obj and modifier.show_viewport
    ]
    for modifier in followers:
        modifier.show_viewport = False
    try:
        yield
    finally:
        for modifier in followers:
            modifier.show_viewport = True


class Follower:
    """Brings a rig from frame to frame, each pose from the one before it."""

    def __init__(self, posing: Posing, track: Track) -> None:
        self.posing, self.track = posing, track
        self.solvers: dict[object, Solver] = {}
        self.last: dict[str, Channels] = {}
        self.before = posing.remember()

    def follow(self, frame: int, wanted: Floats) -> tuple[dict[str, tuple[Channels, Channels]], float]:
        """Pose the rig; channels of each control as the animation has them and as they must be, and the error left."""
        self.posing.put_back(self.before)  # frames bring back keyed channels only
        self.posing.context.scene.frame_set(frame)
        solver, bones = self.solver(), self.posing.obj.pose.bones
        animated = {bone.name: self.posing.read(bone.name) for bone in bones}
        moved = {channel.control.name for channel in solver.choice.first}
        for name in moved & self.last.keys():
            self.posing.write(name, self.last[name])
        error = solver.solve(wanted)
        self.last = {control.name: self.posing.read(control.name) for control in solver.choice.controls}
        return {name: (channels, self.last.get(name, channels)) for name, channels in animated.items()}, error

    def solver(self) -> Solver:
        """The solver for the switches of this frame, as IK and FK."""
        obj = self.posing.obj
        acting = signature(self.posing.obj.evaluated_get(self.posing.context.evaluated_depsgraph_get()))
        if acting not in self.solvers:
            names = [name for name in self.track.bones if name in self.posing.column]
            lengths = [obj.data.bones[name].length for name in names]
            graph, probe = Graph(obj), Probe(self.posing, names, float(np.median(lengths)))
            carriers = physical_parents(obj)
            moving = [
                name
                for name in names
                if obj.pose.bones[name].redmax.joint != "FIXED" or carriers[name] is None
            ]
            controls = probe.controls(graph, moving)
            choice = choose(probe, graph, carriers, moving, controls)
            at = {name: i for i, name in enumerate(names)}
            checked = [
                i for i in range(len(names)) if names[i] in moving or any(i in c.rows for c in controls)
            ]
            self.solvers[acting] = Solver(
                probe, choice, [at[name] for name in moving], checked, rig_size(obj), np.array(lengths)
            )
        return self.solvers[acting]


def collect(tracks: ControlTracks, moved: list[dict[str, tuple[Channels, Channels]]]) -> None:
    """Keep the controls that differ from the animation at some frame."""
    used = {
        name
        for frame in moved
        for name, (old, new) in frame.items()
        if np.abs(old.location - new.location).max() > KEPT_STILL
        or np.abs(old.rotation - new.rotation).max() > KEPT_STILL
    }
    for name in sorted(used):
        channels = [frame[name][1] for frame in moved]
        tracks.location[name] = np.stack([each.location for each in channels])
        tracks.rotation[name] = np.stack([each.rotation for each in channels])
        tracks.scale[name] = np.stack([each.scale for each in channels])


__all__ = ["ControlTracks", "has_controls", "rig_size", "track_controls"]
