"""Objects that lead points of bones: paths that the points follow, or are drawn to, as the user keyed it."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.scene import spec
from ..flesh.attachments import point_on
from ..motion.sample_bones import RigSamples
from ..motion.sample_motion import curve
from ..rig.rig import physical_bones

Floats = NDArray[np.float64]

EXACT = 1.0 - 1e-6
"""Influence from which a point is held exactly."""
APART = 1e-4
"""Distance [m] between a point and its target from which it is closed over time rather than at once."""


def read_targets(
    obj: bpy.types.Object, samples: RigSamples, poses: Mapping[str, Floats], unit: float, fps: float
) -> list[spec.ConstraintSpec]:
    """A prescribed point for each physical bone of an armature that has a target.

    poses: world pose of the capsule of each bone at the first frame [m], by the name of its body. unit: metres a
    Blender unit.
    """
    found: list[spec.ConstraintSpec] = []
    for bone in physical_bones(obj):
        settings = bone.redmax.control
        target = settings.target
        if target is None:
            continue
        if target == obj:
            raise SceneError(
                f"Bone '{bone.name}' of '{obj.name}', target",
                "it is the armature itself",
                "Choose another object, such as an empty.",
            )
        influence = samples.influence[samples.lead :, samples.column[bone.name]]
        if not influence.any():
            continue
        path = samples.targets[target.name][samples.lead :, :3, 3] * unit
        at = path[0] if settings.target_point == "PLACE" else end_of(bone, obj, samples, unit)
        gap = float(np.linalg.norm(path[0] - at))
        modes = modes_between(influence)
        found.append(
            spec.PrescribedPoint(
                point=point_on(f"{obj.name}/{bone.name}", at, poses),
                path=[curve(row, fps, releases(modes)) for row in path.T],
                modes=switches(influence, fps, settings.ease, gap),
                guide=spec.Guide(response=float(settings.response), ratio=float(settings.ratio)),
                influence=influence_curve(influence, fps) if "guided" in modes else None,
                name=f"{bone.name} follows {target.name}",
            )
        )
    return found


def end_of(bone: bpy.types.PoseBone, obj: bpy.types.Object, samples: RigSamples, unit: float) -> Floats:
    """Head or tail of a bone in the world at the first frame [m], shape (3,)."""
    along = bone.bone.length if bone.redmax.control.target_point == "TAIL" else 0.0
    pose = samples.pose(bone.name)[samples.lead]
    return np.asarray((samples.world[samples.lead] @ pose @ np.array([0.0, along, 0.0, 1.0]))[:3] * unit)


def modes_between(influence: Floats) -> list[spec.Mode]:
    """How a point follows from each frame to the next: as the influence at the end of the way says.

    Influence that is keyed to change at once takes hold, or lets go, at the frame before the key, as Control does.
    """
    ends = influence[1:] if len(influence) > 1 else influence
    found: list[spec.Mode] = []
    for before, after in zip(influence, ends):
        if after >= EXACT:
            found.append("prescribed")
        elif after == 0.0 and (before == 0.0 or before >= EXACT):
            found.append("free")
        else:
            found.append("guided")
    return found


def releases(modes: list[spec.Mode]) -> list[int]:
    """The frames, counted from the first, at which a point that was held is let go."""
    return [f for f in range(1, len(modes)) if modes[f - 1] == "prescribed" and modes[f] != "prescribed"]


def influence_curve(influence: Floats, fps: float) -> spec.Curve:
    """Influence over time, for the ways on which it is neither full nor none: even from frame to frame."""
    values = influence.copy()
    if len(values) > 1:
        left = np.append(influence[:-1] >= EXACT, False)
        values[left] = influence[1:][left[:-1]]  # what was held is as firm as it is going to be at once
    if not np.any(values != values[0]):
        return spec.Constant(float(values[0]))
    times = np.arange(len(values)) / fps
    return spec.Sampled(times=times.tolist(), values=values.tolist(), interpolation="linear")


def switches(influence: Floats, fps: float, ease: int, gap: float) -> list[spec.Switch]:
    """When a point follows its target. What is not there yet takes `ease` frames to get there, and the fewer of them
    the more it was led already; `gap`: how far it is away at first [m]."""
    modes = modes_between(influence)
    found = []
    if modes[0] != "prescribed":
        found = [spec.Switch(time=-1.0, mode=modes[0])]
    elif gap > APART:
        found = [spec.Switch(time=-1.0, mode="free")]
        found.append(spec.Switch(time=0.0, mode="prescribed", over=max(ease, 1) / fps))
    for frame in range(1, len(modes)):
        if modes[frame] == modes[frame - 1]:
            continue
        over = ceil(ease * (1.0 - influence[frame])) / fps if modes[frame] == "prescribed" else 0.0
        found.append(spec.Switch(time=frame / fps, mode=modes[frame], over=over))
    return found
