"""Empties that push -> forces and torques on the bodies that carry them, over time."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.scene import spec
from ..flesh.attachments import carrier, point_on, world_position
from ..motion.sample_motion import curve, rigid, visit
from ..rig.bodies import active_bodies
from ..rig.rig import metres_per_unit, physical_armatures
from .present import present

Floats = NDArray[np.float64]


def is_thruster(obj: bpy.types.Object | None) -> bool:
    return obj is not None and obj.type == "EMPTY" and obj.redmax.thruster.use


def thrusters(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's thrusters, in order of name."""
    return sorted((obj for obj in present(scene) if is_thruster(obj)), key=lambda obj: obj.name)


def read_thrusters(
    context: bpy.types.Context, poses: Mapping[str, Floats], fps: float
) -> list[spec.PointForce]:
    """Every thruster with its keys. poses: world pose of the shape of each body [m], by its name."""
    scene = context.scene
    found = thrusters(scene)
    values = _sample(context, found)
    depsgraph, unit = context.evaluated_depsgraph_get(), metres_per_unit(scene)
    forces = []
    for obj in found:
        body = carrier(obj, poses)
        if body is None:
            raise SceneError(
                f"Thruster '{obj.name}'",
                "it is on no body",
                "Parent it to an active body, or to a physical bone (Ctrl P, Bone).",
            )
        own = obj.redmax.thruster.axes == "OWN"
        turn = np.eye(3)
        if own:
            frame = rigid(np.array(obj.evaluated_get(depsgraph).matrix_world, dtype=float)[None], unit)[0]
            turn = poses[body][:3, :3].T @ frame[:3, :3]
        force, torque = (rows @ turn.T for rows in values[obj.name])
        forces.append(
            spec.PointForce(
                body=body,
                position=point_on(body, world_position(obj, depsgraph, unit), poses).position,
                force=[curve(column, fps) for column in force.T],
                torque=[curve(column, fps) for column in torque.T],
                axes="body" if own else "world",
                name=obj.name,
            )
        )
    return forces


def _sample(context: bpy.types.Context, objects: list[bpy.types.Object]) -> dict[str, tuple[Floats, Floats]]:
    """Forces [N] and torques [N·m] of thrusters over the range, each (nf, 3), by name."""
    scene = context.scene

    def numbers(obj: bpy.types.Object) -> tuple[list[float], list[float]]:
        settings = obj.redmax.thruster
        return list(settings.force), list(settings.torque)

    keyed = [obj for obj in objects if obj.animation_data is not None]
    rows = {obj.name: [numbers(obj)] for obj in objects if obj not in keyed}
    if keyed:
        rows |= {obj.name: [] for obj in keyed}
        for _, depsgraph in visit(context, [*physical_armatures(scene), *active_bodies(scene)]):
            for obj in keyed:
                rows[obj.name].append(numbers(obj.evaluated_get(depsgraph)))
    return {name: (np.array([f for f, _ in r]), np.array([t for _, t in r])) for name, r in rows.items()}
