"""Inverse dynamics of a skeleton whose muscles have mass that slides (thesis, Eq. 5.6-5.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .opensim.read_muscles import MuscleRecord
from .paths import exact
from .polyline import along
from .records import WORLD, Floats, MusclePath
from .skeleton import Body, Motion, Skeleton, cross, inverse_dynamics, move, skew

POINTS = 12
"""Mass points along a muscle: the thesis finds 10 to 20 sufficient."""


@dataclass(frozen=True)
class Massive:
    """A muscle with mass points at fractions of its length."""

    path: MusclePath
    mass: float
    """[kg]"""
    alphas: Floats


def share_masses(
    skeleton: Skeleton, muscles: Sequence[MuscleRecord], fraction: float, points: int = POINTS
) -> tuple[Skeleton, list[Massive]]:
    """Give a fraction of each body's mass to the muscles that are attached to it, in proportion to their volumes
    (strength times optimal fibre length), evenly along their lengths; what is left of a body keeps its shape."""
    volume = np.array([m.max_isometric_force * m.optimal_fiber_length for m in muscles])
    masses = np.zeros(len(muscles))
    bodies: list[Body] = []
    for b, body in enumerate(skeleton.bodies):
        users = [
            i for i, m in enumerate(muscles) if any(p.frame == b for p in m.path.points) and volume[i] > 0.0
        ]
        if not users or body.mass == 0.0:
            bodies.append(body)
            continue
        masses[users] += fraction * body.mass * volume[users] / volume[users].sum()
        bodies.append(
            replace(body, mass=(1.0 - fraction) * body.mass, inertia=(1.0 - fraction) * body.inertia)
        )
    alphas = (np.arange(points) + 0.5) / points
    massive = [
        Massive(m.path, float(mass), alphas) for m, mass in zip(muscles, masses, strict=True) if mass > 0.0
    ]
    return replace(skeleton, bodies=tuple(bodies)), massive


def _corners(path: MusclePath, m: Motion, q: Any, qdot: Any) -> tuple[Floats, Floats, Floats, Floats]:
    """Active points of a path: positions, Jacobians, velocities, and accelerations with coordinates unaccelerated."""
    X, active = exact.point_positions(path, m.poses, q)
    n = len(q)
    D, rest = np.zeros((len(active), 3, n)), np.zeros((len(active), 3))
    for k, i in enumerate(active):
        point = path.points[i]
        b = point.frame
        R = np.eye(3) if b == WORLD else m.R[b]
        w = np.zeros(3)
        if b != WORLD:
            r = X[i] - m.p[b]
            D[k] = m.Jv[b] - skew(r) @ m.Jw[b]
            w = m.Jw[b] @ qdot
            rest[k] = m.bias_v[b] + cross(m.bias_w[b], r) + cross(w, cross(w, r))
        slip, turn = np.zeros(3), np.zeros(3)
        for c, mover in enumerate(point.movers or ()):
            if mover.coordinate >= 0:
                j = mover.coordinate
                slope = mover.curve(q[j], 1)
                D[k][:, j] += R[:, c] * slope
                slip += R[:, c] * slope * qdot[j]
                turn += R[:, c] * mover.curve(q[j], 2) * qdot[j] ** 2
        rest[k] += 2.0 * cross(w, slip) + turn
    return X[active], D, D @ qdot, rest


def mass_motion(muscle: Massive, m: Motion, q: Floats, qdot: Floats) -> tuple[Floats, Floats]:
    """Jacobian of the mass points (na, 3, n), and their accelerations with coordinates unaccelerated (na, 3)."""
    path = muscle.path
    if not path.wraps:
        X, D, Xd, Xdd = _corners(path, m, q, qdot)
        _, J, accel = along(X, D, Xd, Xdd, muscle.alphas)
        return J, accel
    bodies = np.array([m.body_jacobian(b) for b in range(len(m.p))])
    twists = bodies @ qdot
    shape = exact.evaluate(path, m.poses, muscle.alphas, q, twists, qdot)
    assert shape.jacobian_rate is not None
    J = np.einsum("akbi,bin->akn", shape.jacobian, bodies)
    bias = np.array([m.body_bias(b, qdot) for b in range(len(m.p))])
    accel = np.einsum("akbi,bi->ak", shape.jacobian, bias) + np.einsum(
        "akbi,bi->ak", shape.jacobian_rate, twists
    )
    for k, j in enumerate(path.coordinates):
        J[:, :, j] += shape.coordinate_jacobian[:, :, k]
        assert shape.coordinate_jacobian_rate is not None
        accel += shape.coordinate_jacobian_rate[:, :, k] * qdot[j]
    return J, accel


def inverse_with_muscles(
    skeleton: Skeleton, muscles: Sequence[Massive], q: Any, qdot: Any, qddot: Any
) -> Floats:
    """Generalized forces of bodies and mass points together, shape (n,)."""
    q, qdot, qddot = (np.asarray(x, float) for x in (q, qdot, qddot))
    m = move(skeleton, q, qdot)
    tau = inverse_dynamics(skeleton, q, qdot, qddot, m)
    g = np.asarray(skeleton.gravity)
    for muscle in muscles:
        J, accel = mass_motion(muscle, m, q, qdot)
        force = (muscle.mass / len(muscle.alphas)) * (J @ qddot + accel - g)
        tau += np.einsum("ak,akn->n", force, J)
    return tau
