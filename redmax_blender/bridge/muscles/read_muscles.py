"""Muscles and their surfaces -> what the engine simulates, at the places where they are in the start pose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.algebra.se3 import quaternion
from ...engine.muscles.check import check_path
from ...engine.muscles.records import Surface, WrapSurface
from ...engine.scene import spec
from ..bake.actions import curves_of
from ..rig.rig import metres_per_unit
from .objects import muscles, surfaces
from .places import hooks, path_of, read_surface

Floats = NDArray[np.float64]

_EXCITATION = "redmax.muscle.excitation"


class ReadMuscles(NamedTuple):
    wraps: list[spec.WrapSpec]
    muscles: list[spec.MuscleSpec]


def read_muscles(scene: bpy.types.Scene, poses: Mapping[str, Floats], first: int, last: int) -> ReadMuscles:
    """Every muscle of a scene between frames `first` and `last`.

    poses: world pose of the shape of each body [m], shape (4, 4), by the body's name.
    """
    scale = metres_per_unit(scene)
    found, made = {}, []
    for obj in muscles(scene):
        path = path_of(obj, scale)
        check_path(path)
        for other in surfaces(obj):
            found[other.name] = other
        carriers = _carriers(obj, len(path.points), poses)
        settings = obj.redmax.muscle
        made.append(
            spec.MuscleSpec(
                name=obj.name,
                points=[
                    spec.MusclePoint(_in_body(body, np.array(point.location), poses), body)
                    for body, point in zip(carriers, path.points, strict=True)
                ],
                over=[
                    spec.Over(path.surfaces[w.surface].name, w.first, None if w.last < 0 else w.last)
                    for w in path.wraps
                ],
                mass=float(settings.mass),
                inertia=bool(settings.inertia) and settings.mass > 0.0,
                actuator=spec.HillActuator(
                    max_force=float(settings.max_force),
                    optimal_length=scale * float(settings.optimal_length),
                    slack_length=scale * float(settings.tendon_length),
                ),
                excitation=_excitation(obj, scene, first, last),
            )
        )
    wraps = [_wrap(read_surface(other, scale), _carrier(other, poses), poses) for other in found.values()]
    return ReadMuscles(wraps, made)


def _carriers(obj: bpy.types.Object, count: int, poses: Mapping[str, Floats]) -> list[str | None]:
    held = hooks(obj)
    out: list[str | None] = []
    for i in range(count):
        hook = held.get(i)
        if hook is None:
            out.append(None)
        elif hook.subtarget and hook.object.type == "ARMATURE":
            out.append(_bone(hook.object, hook.subtarget, poses))
        else:
            out.append(_carrier(hook.object, poses))
    return out


def _bone(armature: bpy.types.Object, name: str, poses: Mapping[str, Floats]) -> str | None:
    """The physical bone that a bone is, or that carries it."""
    bone = armature.pose.bones.get(name)
    while bone is not None:
        if f"{armature.name}/{bone.name}" in poses:
            return f"{armature.name}/{bone.name}"
        bone = bone.parent
    return None


def _carrier(obj: bpy.types.Object, poses: Mapping[str, Floats]) -> str | None:
    here: bpy.types.Object | None = obj
    while here is not None:
        if here.name in poses:
            return here.name
        if here.parent is not None and here.parent_type == "BONE":
            return _bone(here.parent, here.parent_bone, poses)
        here = here.parent
    return None


def _in_body(body: str | None, at: Floats, poses: Mapping[str, Floats]) -> spec.Vec3:
    if body is not None:
        at = (np.linalg.inv(poses[body]) @ np.array([*at, 1.0]))[:3]
    return (float(at[0]), float(at[1]), float(at[2]))


def _wrap(surface: WrapSurface, body: str | None, poses: Mapping[str, Floats]) -> spec.WrapSpec:
    R = np.array(surface.rotation).reshape(3, 3)
    if body is not None:
        R = poses[body][:3, :3].T @ R
    pose = spec.Pose(_in_body(body, np.array(surface.origin), poses), [float(x) for x in quaternion(R)])
    return spec.WrapSpec(surface.name, _shape(surface), body, pose)


def _shape(surface: WrapSurface) -> spec.WrapShape:
    x, y, z = surface.size
    match surface.kind:
        case Surface.CYLINDER:
            return spec.WrapCylinder(x)
        case Surface.SPHERE:
            return spec.WrapSphere(x)
        case Surface.ELLIPSOID:
            return spec.WrapEllipsoid((x, y, z))
        case Surface.TORUS:
            return spec.WrapTorus(x, y)
    return spec.WrapCapsule(x, y)


def _excitation(obj: bpy.types.Object, scene: bpy.types.Scene, first: int, last: int) -> spec.Curve | None:
    """As it is keyed, frame by frame, or as it is set."""
    keyed = next((curve for curve in curves_of(obj) if curve.data_path == _EXCITATION), None)
    if keyed is None:
        value = float(obj.redmax.muscle.excitation)
        return spec.Constant(value) if value > 0.0 else None
    fps = scene.render.fps / scene.render.fps_base
    frames = list(range(first, last + 1))
    values = [min(1.0, max(0.0, float(keyed.evaluate(frame)))) for frame in frames]
    return spec.Sampled([(frame - first) / fps for frame in frames], values, "linear")
