"""Staggered Projections in maximal coordinates, for comparison only: joints are rows that hold bodies together.

One step of a chain of hinges, from a state of ours: the pressures on the points of all pins hold the joints (a linear
system in all of them), friction follows from a box QP in the bodies' own velocities, and the two take turns. Nothing is
reduced, so that a change at one joint has to travel through all the others, a joint a turn.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.linalg

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.impulses.dense import BOX, solve_blocks
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import State
from redmax_blender.engine.tree.jacobian import dense_jacobian, dense_jacobian_dot
from redmax_blender.engine.tree.kinematics import body_poses, forward_kinematics

Floats = np.ndarray
POINTS = 4


@dataclass
class MaximalStep:
    """The rows and forces of a step, which a solver of maximal coordinates has at hand."""

    M: Floats
    free: Floats
    """Velocities without joints, shape (6 nb,)."""
    N: Floats
    """Normal rows of all pins, shape (4 POINTS nb, 6 nb)."""
    T: Floats
    """Sliding of each pin, shape (nb, 6 nb)."""
    mu: Floats


@dataclass
class Solved:
    v: Floats
    iterations: int
    settled: bool
    friction: Floats = field(default_factory=lambda: np.zeros(0))


def prepare(model: Model, state: State, h: float) -> MaximalStep:
    kin = forward_kinematics(model, state)
    J, Jdot = dense_jacobian(model, kin), dense_jacobian_dot(model, kin, state.qdot)
    poses = [se3.pose_matrix(E) for E in body_poses(model.bodies, kin)]
    I, nb = model.bodies.inertia, len(poses)
    phi = (J @ state.qdot).reshape(-1, 6)
    f = np.array([se3.ad(p).T @ (i * p) for p, i in zip(phi, I, strict=True)])
    for i, E in enumerate(poses):
        f[i, 3:] += I[i, 3] * E[:3, :3].T @ model.gravity
    M = I.ravel()
    free = J @ state.qdot + h * f.ravel() / M
    rubs = model.friction.rubs
    N = np.zeros((nb, 4 * POINTS, 6 * nb))
    T = np.zeros((nb, 6 * nb))
    target = np.zeros((nb, 4 * POINTS))
    drift = Jdot @ state.qdot * h
    for i in range(nb):
        link = int(rubs.link[i])
        parent = int(model.tree.parent[link])
        E_wj = se3.pose_matrix(kin.E_wj[link])
        axis, radius, height = kin.S[rubs.dof[i], :3], rubs.size[i, 0], rubs.size[i, 1]
        u = np.cross(axis, [0.0, 0.0, 1.0]) if abs(axis[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
        u /= np.linalg.norm(u)
        k = 0
        for end in (-0.5, 0.5):
            for p in range(POINTS):
                a = 2 * np.pi * p / POINTS
                n = np.cos(a) * u + np.sin(a) * np.cross(axis, u)
                x = radius * n + end * height * axis
                for d in (n, axis):
                    for body, sign in ((i, 1.0), (parent, -1.0)):
                        if body >= 0:
                            E = np.linalg.inv(poses[body]) @ E_wj
                            at, along = (E @ np.r_[x, 1.0])[:3], E[:3, :3] @ d
                            N[i, k, 6 * body : 6 * body + 6] += sign * np.r_[np.cross(at, along), along]
                    k += 1
        for body, sign in ((i, 1.0), (parent, -1.0)):
            if body >= 0:
                T[i, 6 * body : 6 * body + 3] += sign * (
                    np.linalg.inv(poses[body])[:3, :3] @ E_wj[:3, :3] @ axis
                )
        target[i] = N[i] @ drift
    # the rows turn with the bodies: what keeps the joints together is not zero velocity but that of the turning rows
    rows = N.reshape(-1, 6 * nb)
    least = np.linalg.lstsq(rows / np.sqrt(M), target.ravel(), rcond=None)[0] / np.sqrt(M)
    return MaximalStep(M, free - least, rows, T, rubs.mu[:, 0] * rubs.size[:, 0])


def solve_maximal(step: MaximalStep, tolerance: float, most: int = 2000) -> Solved:
    M, N, T = step.M, step.N, step.T
    nb = len(T)
    H = (N / M) @ N.T
    factor = scipy.linalg.cho_factor(H + 1e-10 * np.trace(H) / len(H) * np.eye(len(H)))
    W = (T / M) @ T.T
    bound, beta, push = np.zeros(nb), np.zeros(nb), np.zeros(len(M))
    ones, none = np.arange(nb + 1), np.full(nb, -1)
    for iteration in range(1, most + 1):
        alpha = scipy.linalg.cho_solve(factor, N @ (step.free + push / M))
        held = step.free - (N.T @ alpha) / M
        now = step.mu * np.abs(alpha).reshape(nb, -1).sum(axis=1)
        change = np.abs(now - bound).max() / max(now.max(), 1e-300)
        before, bound = beta.copy(), now
        solve_blocks(
            W, -(T @ held), ones, np.full(nb, BOX), np.zeros(nb), none, np.zeros(nb, np.int64), 1, 1e-9, bound,
            beta.copy(), beta,
        )  # fmt: skip
        push = T.T @ beta
        moved = np.abs(beta - before).max() / max(bound.max(), 1e-300)
        if max(change, moved) < tolerance:
            return Solved(held + push / M, iteration, True, beta)
    return Solved(held + push / M, most, False, beta)
