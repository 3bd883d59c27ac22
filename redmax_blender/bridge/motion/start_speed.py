"""Bodies that animation moves until the simulation starts: they start as fast as it brings them there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.compile.scene import compile_scene
from ...engine.compile.start_rates import joint_rates
from ...engine.mechanisms.mechanism import Assembly
from ...engine.scene import spec
from .rotations import rotation_vectors
from .sample_motion import go_through, may_move, rigid

Floats = NDArray[np.float64]

SLOWEST = 1e-6
"""Speed [m/s, rad/s] below which something stands still."""


def start_in_motion(
    context: bpy.types.Context,
    objects: Iterable[bpy.types.Object],
    made: Assembly,
    unit: float,
    keep: Iterable[bpy.types.Object],
) -> None:
    """Give the joints of bodies the rates that the animation of their objects has at the first frame."""
    moving = [obj for obj in objects if may_move(obj)]
    if not moving or not context.scene.redmax.use_start_velocity:
        return
    twists = arrivals(context, moving, unit, keep)
    if not any(np.abs(twist).max() > SLOWEST for twist in twists.values()):
        return
    model = compile_scene(spec.SceneSpec(bodies=made.bodies))
    whole = halves(made)
    wanted = {
        b: twists[whole.get(body.name, body.name)]
        for b, body in enumerate(made.bodies)
        if whole.get(body.name, body.name) in twists
    }
    qdot = joint_rates(model, wanted)
    for b in wanted:
        own = qdot[slice(*model.joints.dof[b])]
        if own.any():
            made.bodies[b].joint.qdot = own.tolist()


def arrivals(
    context: bpy.types.Context,
    objects: Iterable[bpy.types.Object],
    unit: float,
    keep: Iterable[bpy.types.Object],
) -> dict[str, Floats]:
    """Twists in the world with which animation brings objects to the first frame, by name, shape (6,).

    Angular velocity [rad/s] and the velocity of the point at the world's origin [m/s], to second order.
    """
    rows: dict[str, list[Floats]] = {obj.name: [] for obj in objects}
    for _, depsgraph in go_through(context, keep, (0, -1, -2)):
        for obj in objects:
            rows[obj.name].append(np.array(obj.evaluated_get(depsgraph).matrix_world, dtype=float))
    fps = context.scene.render.fps / context.scene.render.fps_base
    return {name: _twist(rigid(np.stack(matrices), unit), fps) for name, matrices in rows.items()}


def _twist(poses: Floats, fps: float) -> Floats:
    """From poses at a frame and at the two before it, shape (3, 4, 4)."""
    weights = fps * np.array([1.5, -2.0, 0.5])
    turn = weights @ rotation_vectors(poses[:, :3, :3] @ poses[0, :3, :3].T)
    return np.concatenate([turn, weights @ poses[:, :3, 3] - np.cross(turn, poses[0, :3, 3])])


def halves(made: Assembly) -> Mapping[str, str]:
    """Names of the bodies that halves of them were cut from, where loops needed it."""
    objects = {
        constraint.a.body: constraint.b.body for constraint in made.constraints if _is_seam(constraint)
    }
    return {half: body for half, body in objects.items() if half is not None and body is not None}


def _is_seam(constraint: spec.ConstraintSpec) -> bool:
    return (
        isinstance(constraint, spec.LoopWeld)
        and constraint.a.body is not None
        and constraint.a.body.startswith(f"{constraint.b.body} at ")
    )
