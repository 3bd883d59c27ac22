"""Objects that lead points of bones: paths that the points follow, or are drawn to, as the user keyed it."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np
from numpy.typing import NDArray

from ..engine import scene as spec
from ..engine.errors import SceneError
from .attachments import point_on
from .bone_motion import curve
from .rig import physical_bones
from .sample_bones import TARGET_MODES, RigSamples

Floats = NDArray[np.float64]

ENGINE_MODES: dict[str, spec.Mode] = {"OFF": "free", "GUIDED": "guided", "EXACT": "prescribed"}
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
        modes = samples.target_modes[samples.lead :, samples.column[bone.name]]
        if not modes.any():
            continue
        path = samples.targets[target.name][samples.lead :, :3, 3] * unit
        at = path[0] if settings.target_point == "PLACE" else end_of(bone, obj, samples, unit)
        gap = float(np.linalg.norm(path[0] - at))
        found.append(
            spec.PrescribedPoint(
                point=point_on(f"{obj.name}/{bone.name}", at, poses),
                path=[curve(row, fps) for row in path.T],
                modes=switches(modes, fps, settings.ease, gap),
                guide=spec.Guide(response=float(settings.response), ratio=float(settings.ratio)),
                name=f"{bone.name} follows {target.name}",
            )
        )
    return found


def end_of(bone: bpy.types.PoseBone, obj: bpy.types.Object, samples: RigSamples, unit: float) -> Floats:
    """Head or tail of a bone in the world at the first frame [m], shape (3,)."""
    along = bone.bone.length if bone.redmax.control.target_point == "TAIL" else 0.0
    pose = samples.pose(bone.name)[samples.lead]
    return np.asarray((samples.world[samples.lead] @ pose @ np.array([0.0, along, 0.0, 1.0]))[:3] * unit)


def switches(modes: NDArray[np.int8], fps: float, ease: int, gap: float) -> list[spec.Switch]:
    """When a point follows its target; one that is elsewhere at first [m] takes `ease` frames to get there."""
    first = ENGINE_MODES[TARGET_MODES[modes[0]]]
    found = []
    if first == "prescribed" and gap > APART:
        found = [spec.Switch(time=-1.0, mode="free")]
        found.append(spec.Switch(time=0.0, mode=first, over=max(ease, 1) / fps))
    elif first != "prescribed":
        found = [spec.Switch(time=-1.0, mode=first)]
    for frame in np.flatnonzero(np.diff(modes)):
        mode = ENGINE_MODES[TARGET_MODES[modes[frame + 1]]]
        if found and found[-1].time >= frame / fps:
            found.pop()
        over = ease / fps if mode == "prescribed" else 0.0
        found.append(spec.Switch(time=float(frame) / fps, mode=mode, over=over))
    return found
