"""Torques in joints and pushes on bodies, as they are set or keyed -> curves of the engine."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
from numpy.typing import NDArray

from ...engine.scene import spec
from ..bake.actions import bone_path, curves_of
from ..motion.sample_motion import first_frame

Curves = list["spec.Curve | None"]
TORQUE, PUSH = "redmax_torque", "redmax_push"


def joint_torques(bone: bpy.types.PoseBone, count: int, scene: bpy.types.Scene) -> Curves:
    """Torques in the first `count` coordinates of a bone's joint [N·m, N], three at most; empty for none."""
    if count > 3:  # a free joint has none
        return []
    curves = _vector(bone.id_data, bone_path(bone.name, TORQUE), bone.redmax_torque, scene)[:count]
    return curves if any(curve is not None for curve in curves) else []


def push_on_bone(bone: bpy.types.PoseBone, body: str, scene: bpy.types.Scene) -> list[spec.ForceSpec]:
    return _push(body, _vector(bone.id_data, bone_path(bone.name, PUSH), bone.redmax_push, scene))


def pushes_on_objects(objects: Iterable[bpy.types.Object], scene: bpy.types.Scene) -> list[spec.ForceSpec]:
    return [force for obj in objects for force in _push(obj.name, _vector(obj, PUSH, obj.redmax_push, scene))]


def _push(body: str, curves: Curves) -> list[spec.ForceSpec]:
    """A force on the middle of a body's shape, if there is any."""
    if all(curve is None for curve in curves):
        return []
    return [spec.PointForce(body=body, force=curves, name=f"push on {body}")]


def _vector(obj: bpy.types.Object, path: str, now: NDArray, scene: bpy.types.Scene) -> Curves:
    """Curves over the run of three numbers at a data path: as they are keyed, frame by frame, or as they are set."""
    keyed = {curve.array_index: curve for curve in curves_of(obj) if curve.data_path == path}
    first, last = first_frame(scene), scene.redmax.frame_end
    fps = scene.render.fps / scene.render.fps_base
    found: Curves = []
    for i in range(3):
        if i in keyed:
            values = [float(keyed[i].evaluate(frame)) for frame in range(first, last + 1)]
            times = [(frame - first) / fps for frame in range(first, last + 1)]
            found.append(spec.Sampled(times, values, "linear") if any(values) else None)
        else:
            found.append(spec.Constant(float(now[i])) if now[i] else None)
    return found
