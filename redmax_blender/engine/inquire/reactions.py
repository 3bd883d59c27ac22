"""What joints transmit: from the rates of momentum of all that they carry, and what acts on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..algebra import se3
from ..model.records import Floats, Model
from ..tree.jacobian import jacobian_times
from ..tree.kinematics import Kinematics
from .accelerate import Motion
from .moment import Moment

Axes = Literal["world", "joint", "body"]
"""Along which axes a force is told: of the world, of the joint's frame, or of the body (its principal axes)."""


@dataclass(frozen=True)
class Wrench:
    """A force and a torque about a point, along world axes."""

    point: Floats
    """[m], shape (3,)."""
    force: Floats
    """[N], shape (3,)."""
    torque: Floats
    """[N·m], shape (3,)."""

    def along(self, axes: Floats) -> tuple[Floats, Floats]:
        """Force and torque along other axes, the columns of a rotation matrix (3, 3)."""
        return axes.T @ self.force, axes.T @ self.torque

    def about(self, point: Floats) -> Floats:
        """Its torque about another point [N·m], shape (3,)."""
        return np.asarray(self.torque + np.cross(self.point - point, self.force))


def to_world(kin: Kinematics, F: Floats) -> Floats:
    """Wrenches in joint frames as torques about the world's origin and forces along world axes, shape (nl, 6)."""
    R, p = kin.E_wj[:, :9].reshape(-1, 3, 3), kin.E_wj[:, 9:]
    f = np.einsum("lij,lj->li", R, F[:, 3:])
    return np.concatenate([np.einsum("lij,lj->li", R, F[:, :3]) + np.cross(p, f), f], axis=1)


def momentum_rates(model: Model, kin: Kinematics, qddot: Floats) -> Floats:
    """Rates of the momenta of all links, as torques about the world's origin and forces, shape (nl, 6)."""
    M = se3.symmetric(model.tree.inertia)
    a = jacobian_times(model, kin, qddot) + kin.A
    p = np.einsum("lij,lj->li", M, kin.V)
    turned = np.array([se3.ad(V).T @ row for V, row in zip(kin.V, p, strict=True)]).reshape(-1, 6)
    return to_world(kin, np.einsum("lij,lj->li", M, a) - turned)


def weights(model: Model, kin: Kinematics) -> Floats:
    """Gravity on all links, as torques about the world's origin and forces, shape (nl, 6)."""
    M = se3.symmetric(model.tree.inertia)
    R = kin.E_wj[:, :9].reshape(-1, 3, 3)
    fall = np.concatenate([np.zeros((model.nl, 3)), np.einsum("lij,i->lj", R, model.gravity)], axis=1)
    return to_world(kin, np.einsum("lij,lj->li", M, fall))


def transmitted(now: Moment, motion: Motion) -> Floats:
    """What each link's joint exerts on it, as a torque about the world's origin and a force, shape (nl, 6)."""
    m, kin = now.model, now.kin
    W = momentum_rates(m, kin, motion.qddot) - weights(m, kin) - to_world(kin, motion.wrenches)
    for j in range(m.nl - 1, -1, -1):
        if m.tree.parent[j] >= 0:
            W[m.tree.parent[j]] += W[j]
    return W


def joint_reactions(now: Moment, motion: Motion) -> list[Wrench]:
    """What each joint exerts on its body, and the opposite on the parent, at the origin of the joint's frame."""
    W, out = transmitted(now, motion), []
    for link in now.model.bodies.link:
        p = now.kin.E_wj[link, 9:].copy()
        out.append(Wrench(p, W[link, 3:], W[link, :3] - np.cross(p, W[link, 3:])))
    return out


def loop_reactions(now: Moment, motion: Motion) -> dict[str, Wrench]:
    """What each constraint between bodies, or of a body, exerts on its first body, at the place where it holds it."""
    m, kin, rows = now.model, now.kin, motion.rows
    out: dict[str, Wrench] = {}
    if rows is None:
        return out
    owner = m.constraints.rows.owner[motion.index]
    for c in np.unique(owner).tolist():
        mine = motion.index[owner == c]
        side = 0 if rows.link[mine[0], 0] >= 0 else 1
        link = int(rows.link[mine[0], side])
        F = motion.force[owner == c] @ rows.G[mine, side]
        E = kin.E_wj[link]
        R = E[:9].reshape(3, 3)
        x = m.constraints.rows.x[mine[0], side]
        force = R @ F[3:]
        out[m.constraints.names[c]] = Wrench(E[9:] + R @ x, force, R @ (F[:3] - np.cross(x, F[3:])))
    return out


def axes_of(now: Moment, joint: int, axes: Axes) -> Floats:
    """The axes that a joint's forces are told along, as the columns of a rotation matrix (3, 3)."""
    if axes == "world":
        return np.eye(3)
    link = now.model.bodies.link[joint]
    R = now.kin.E_wj[link, :9].reshape(3, 3)
    return R if axes == "joint" else np.asarray(R @ now.model.bodies.E_jb[joint, :9].reshape(3, 3))
