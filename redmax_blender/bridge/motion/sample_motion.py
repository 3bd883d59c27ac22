"""What animation does to objects over the range: sampled once, as curves over time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.scene import spec
from ..bake.channels import read_channels, write_channels
from ..mechanism.parts import parts_of
from .rotations import nearest_rotation, rotation_vector

Floats = NDArray[np.float64]

STILL = 1e-7
"""Change of a matrix below which an object stands still."""


@dataclass
class Samples:
    """World matrices of objects at every frame of the range, by name, shape (nf, 4, 4) [Blender units]."""

    matrices: dict[str, Floats] = field(default_factory=dict)
    follow: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    """Whether each body follows its target, by the body's name, shape (nf,)."""

    def moves(self, name: str) -> bool:
        frames = self.matrices.get(name)
        return frames is not None and float(np.abs(frames - frames[0]).max()) > STILL


def may_move(obj: bpy.types.Object | None) -> bool:
    """True when something other than the simulation could move an object: keys, drivers, constraints, parents."""
    while obj is not None:
        if may_move_by_itself(obj):
            return True
        obj = obj.parent
    return False


def may_move_by_itself(obj: bpy.types.Object) -> bool:
    """The same, but for parents."""
    data = obj.animation_data
    if data is not None and (data.action is not None or data.drivers or data.nla_tracks):
        return True
    return any(not constraint.mute for constraint in obj.constraints)


def sample(
    context: bpy.types.Context,
    objects: Collection[bpy.types.Object],
    followers: Collection[bpy.types.Object],
    keep: Iterable[bpy.types.Object],
) -> Samples:
    """Go through the range once and note where objects are, and whether followers follow.

    The scene must be at its first frame, and is there again afterwards; what the user set by hand on `keep` stays.
    """
    samples = Samples()
    if not objects and not followers:
        return samples
    matrices: dict[str, list[Floats]] = {obj.name: [] for obj in objects}
    follow: dict[str, list[bool]] = {obj.name: [] for obj in followers}
    for _, depsgraph in visit(context, keep):
        for obj in objects:
            matrices[obj.name].append(np.array(obj.evaluated_get(depsgraph).matrix_world, dtype=float))
        for obj in followers:
            follow[obj.name].append(bool(obj.evaluated_get(depsgraph).redmax.body.follow))
    samples.matrices = {name: np.stack(rows) for name, rows in matrices.items()}
    samples.follow = {name: np.array(rows) for name, rows in follow.items()}
    return samples


def first_frame(scene: bpy.types.Scene) -> int:
    """The frame at which a run begins: the first one of the range, or earlier with a pre-roll."""
    return int(scene.redmax.frame_start - scene.redmax.preroll)


def visit(
    context: bpy.types.Context, keep: Iterable[bpy.types.Object], lead: int = 0
) -> Iterator[tuple[int, bpy.types.Depsgraph]]:
    """Go through the frames of a run, and then through `lead` frames before it; yields the distance from its first.

    The scene must be at the first frame, and is there again afterwards; what the user set by hand on `keep` stays.
    """
    count = context.scene.redmax.frame_end - first_frame(context.scene)
    yield from go_through(context, keep, [*range(count + 1), *range(-1, -1 - lead, -1)])


def go_through(
    context: bpy.types.Context, keep: Iterable[bpy.types.Object], frames: Sequence[int]
) -> Iterator[tuple[int, bpy.types.Depsgraph]]:
    """The same for frames that are counted from the first one of a run, itself at the beginning."""
    scene = context.scene
    parts = [part for obj in keep for part in parts_of(obj)]
    before = read_channels(parts)
    start = first_frame(scene)
    try:
        for frame in frames:
            if frame:
                scene.frame_set(start + frame)
            yield frame, context.evaluated_depsgraph_get()
    finally:
        scene.frame_set(start)
        for part, row in zip(parts, before):
            write_channels(part, row)
        context.view_layer.update()


def rigid(matrices: Floats, unit: float) -> Floats:
    """Rotations and origins [m] of matrices, scale and mirrors left out, shape (nf, 4, 4)."""
    poses = np.tile(np.eye(4), (len(matrices), 1, 1))
    for pose, matrix in zip(poses, matrices):
        linear = matrix[:3, :3]
        pose[:3, :3] = nearest_rotation(-linear if np.linalg.det(linear) < 0.0 else linear)
        pose[:3, 3] = matrix[:3, 3] * unit
    return poses


def carried(matrices: Floats, pose: Floats, unit: float) -> Floats:
    """The way of something that is at `pose` first and then moves rigidly with matrices, shape (nf, 4, 4) [m]."""
    frames = rigid(matrices, unit)
    return np.asarray(frames @ np.linalg.inv(frames[0]) @ pose)


def position_curves(poses: Floats, fps: float, releases: Sequence[int] = ()) -> list[spec.Curve | None]:
    """x, y, z of poses over time [m]; `releases` as for `curve`."""
    return [curve(poses[:, i, 3], fps, releases) for i in range(3)]


def rotation_curves(poses: Floats, fps: float, releases: Sequence[int] = ()) -> list[spec.Curve | None]:
    """Rotation vectors of poses over time [rad], without jumps."""
    vectors = continuous([rotation_vector(pose[:3, :3]) for pose in poses])
    return [curve(vectors[:, i], fps, releases) for i in range(3)]


def continuous(vectors: Iterable[Floats]) -> Floats:
    """The same rotations, each vector by whole turns as near as it can be to the one before, shape (nf, 3)."""
    rows: list[Floats] = []
    for vector in vectors:
        angle = float(np.linalg.norm(vector))
        last = rows[-1] if rows else vector
        if angle > 1e-9:
            axis = vector / angle
        elif np.linalg.norm(last) > 1e-9:
            axis = last / np.linalg.norm(last)
        else:
            axis = np.zeros(3)
        turns = round((float(axis @ last) - angle) / (2.0 * np.pi))
        rows.append(axis * (angle + 2.0 * np.pi * turns))
    return np.array(rows)


def curve(values: Floats, fps: float, releases: Sequence[int] = ()) -> spec.Curve:
    """Values at whole frames from time 0 on.

    releases: frames at which the motion is let go. There the curve ends and begins anew, so that what is let go has
    the velocity with which the animation arrives. One curve through all frames would round off a last key, and half
    of the velocity with it.
    """
    last = len(values) - 1
    ends = [*(frame for frame in releases if 0 < frame < last), last]
    pieces = [
        spec.Piece(curve=_between(values, start, end, fps), until=end / fps if end < last else None)
        for start, end in zip([0, *ends[:-1]], ends)
    ]
    return pieces[0].curve if len(pieces) == 1 else spec.Piecewise(pieces=pieces)


def _between(values: Floats, start: int, end: int, fps: float) -> spec.Constant | spec.Sampled:
    """The curve of some of the frames, both ends included."""
    own = [float(v) for v in values[start : end + 1]]
    if all(v == own[0] for v in own):
        return spec.Constant(own[0])
    return spec.Sampled(times=(np.arange(start, end + 1) / fps).tolist(), values=own)


def intervals(flags: NDArray[np.bool_], fps: float) -> list[spec.Interval] | None:
    """When flags are set [s]; an empty list for always, None for never."""
    if flags.all():
        return []
    if not flags.any():
        return None
    changes = np.flatnonzero(np.diff(flags.astype(int))) + 1
    starts = [0, *changes] if flags[0] else list(changes)
    ends: list[float | None] = [float(f) / fps for f in starts[1::2]]
    begins = [float(f) / fps for f in starts[::2]]
    if len(ends) < len(begins):
        ends.append(None)
    return [spec.Interval(start=a if a > 0.0 else None, end=b) for a, b in zip(begins, ends)]
