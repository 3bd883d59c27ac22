"""Between generalized and Cartesian velocities and forces (the tutorial's chapter 6), for use with other simulators.

Cartesian velocities and wrenches are of bodies, in the axes of the world: angular velocity [rad/s] and velocity of the
centre of mass [m/s]; torque about the centre of mass [N·m] and force [N]. Going down, to coordinates, velocities are
fitted and forces are exact; going up, to bodies, velocities are exact and forces are one choice of many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..algebra import se3
from ..errors import InputError
from ..model.records import Floats, Model
from ..model.state import State
from .jacobian import dense_jacobian, jacobian_times, jacobian_transpose_times
from .kinematics import Kinematics, body_poses, body_twists
from .recursive import mass_solve


def body_velocities(model: Model, kin: Kinematics, qdot: Floats) -> Floats:
    """V = J qdot (tutorial Eq. 60), shape (nb, 6)."""
    return _to_world(model, kin, body_twists(model.bodies, jacobian_times(model, kin, qdot)))


def point_velocity(model: Model, kin: Kinematics, qdot: Floats, body: str, point: ArrayLike) -> Floats:
    """World velocity [m/s] of the material point of a body that is at a world position [m], shape (3,)."""
    b = _index(model, body)
    V = body_velocities(model, kin, qdot)[b]
    arm = np.asarray(point, float) - body_poses(model.bodies, kin)[b, 9:]
    return np.asarray(V[3:] + np.cross(V[:3], arm))


def generalized_velocities(model: Model, kin: Kinematics, velocities: Floats) -> Floats:
    """qdot = J⁺ V (tutorial Eq. 61), shape (nr,): least squares over all components, radians and metres alike.

    Where `body_velocities` of the result is not V again, no motion of the joints has that V.
    """
    J = dense_jacobian(model, kin)
    return np.asarray(np.linalg.lstsq(J, _to_bodies(model, kin, velocities).ravel(), rcond=None)[0])


def generalized_velocities_by_joint(model: Model, kin: Kinematics, velocities: Floats) -> Floats:
    """As `generalized_velocities`, joint by joint from the velocity relative to the parent (tutorial Eq. 66), in O(n).

    The same where V can be reached; otherwise errors stay in the joints where they are.
    """
    twists = _to_bodies(model, kin, velocities)
    E_jb = [se3.pose_matrix(row) for row in model.bodies.E_jb]
    V = [se3.Ad(E) @ twist for E, twist in zip(E_jb, twists, strict=True)]
    qdot: Floats = np.zeros(model.nr)
    for joint in _joints(model, kin):
        relative = V[joint.body]
        if joint.parent >= 0:
            relative = relative - joint.down @ V[joint.parent]
        qdot[joint.span] = np.linalg.lstsq(joint.columns, relative, rcond=None)[0]
    return qdot


def projected_velocities(model: Model, kin: Kinematics, velocities: Floats) -> Floats:
    """(JᵀMJ)⁻¹ JᵀM V, shape (nr,), in O(n): of all motions of the joints, the one with V's generalized momentum.

    It is also the nearest to V by kinetic energy, which is what an impulse that restores the joints would leave.
    Vertices of flesh that a body carries count as part of it.
    """
    twists = _to_bodies(model, kin, velocities)
    F: Floats = np.zeros((model.nl, 6))
    for b, row in enumerate(model.bodies.E_jb):
        link = model.bodies.link[b]
        F[link] = se3.symmetric(model.tree.inertia[link]) @ (se3.Ad(se3.pose_matrix(row)) @ twists[b])
    return mass_solve(model, kin, jacobian_transpose_times(model, kin, F))


def momentum(model: Model, state: State, kin: Kinematics) -> Floats:
    """Angular momentum about the world's origin [kg·m²/s] and linear momentum [kg·m/s] of all bodies and all flesh,
    shape (6,)."""
    rows = _to_world(model, kin, model.bodies.inertia * body_twists(model.bodies, kin.V))
    centres = body_poses(model.bodies, kin)[:, 9:]
    angular = rows[:, :3].sum(axis=0) + np.cross(centres, rows[:, 3:]).sum(axis=0)
    linear = rows[:, 3:].sum(axis=0)
    if model.flesh is not None:
        p = model.flesh.tets.mass[:, None] * state.v
        angular, linear = angular + np.cross(state.x, p).sum(axis=0), linear + p.sum(axis=0)
    return np.concatenate([angular, linear])


def generalized_forces(model: Model, kin: Kinematics, wrenches: Floats) -> Floats:
    """Q = Jᵀ F (tutorial Eq. 67) of wrenches on the bodies, shape (nb, 6) -> (nr,)."""
    F = np.zeros((model.nl, 6))
    local = _to_bodies(model, kin, wrenches)
    for b, row in enumerate(model.bodies.E_jb):
        F[model.bodies.link[b]] += se3.Ad(se3.inverse(se3.pose_matrix(row))).T @ local[b]
    return jacobian_transpose_times(model, kin, F)


def generalized_force_at(
    model: Model,
    kin: Kinematics,
    body: str,
    point: ArrayLike,
    force: ArrayLike,
    torque: ArrayLike = (0.0, 0.0, 0.0),
) -> Floats:
    """Q of a world force [N] at a world position [m] of a body, and a world torque [N·m] on it, shape (nr,)."""
    b = _index(model, body)
    arm = np.asarray(point, float) - body_poses(model.bodies, kin)[b, 9:]
    F = np.zeros((len(model.bodies.names), 6))
    F[b, :3] = np.asarray(torque, float) + np.cross(arm, np.asarray(force, float))
    F[b, 3:] = force
    return generalized_forces(model, kin, F)


def body_wrenches(model: Model, kin: Kinematics, Q: Floats) -> Floats:
    """Wrenches on the bodies with Jᵀ F = Q: the smallest of many (tutorial Eq. 70), shape (nb, 6)."""
    J = dense_jacobian(model, kin)
    F = np.linalg.lstsq(J.T, Q, rcond=None)[0]
    return _to_world(model, kin, F.reshape(-1, 6))


def joint_wrenches(model: Model, kin: Kinematics, Q: Floats) -> Floats:
    """What each joint exerts on its body, and the opposite on the parent (tutorial Eq. 71), shape (nj, 6).

    World torque about the origin of the joint's frame [N·m] and world force [N]: the smallest that work like Q. For
    rotations they are torques alone.
    """
    out: Floats = np.zeros((len(model.joints.names), 6))
    for joint in _joints(model, kin):
        F = np.linalg.lstsq(joint.columns.T, Q[joint.span], rcond=None)[0]
        R = joint.E_w[:3, :3]
        out[joint.body] = np.concatenate([R @ F[:3], R @ F[3:]])
    return out


def body_wrenches_of_joints(model: Model, kin: Kinematics, wrenches: Floats) -> Floats:
    """The wrenches on the bodies that wrenches of joints amount to (tutorial Eq. 68), shape (nj, 6) -> (nb, 6)."""
    centres = body_poses(model.bodies, kin)[:, 9:]
    out: Floats = np.zeros((len(centres), 6))
    for joint in _joints(model, kin):
        torque, force = wrenches[joint.body, :3], wrenches[joint.body, 3:]
        for b, sign in ((joint.body, 1.0), (joint.parent, -1.0)):
            if b >= 0:
                arm = joint.E_w[:3, 3] - centres[b]
                out[b, :3] += sign * (torque + np.cross(arm, force))
                out[b, 3:] += sign * force
    return out


@dataclass(frozen=True)
class _Joint:
    body: int
    parent: int
    """Parent body, -1 for the world."""
    span: slice
    """Its coordinates."""
    columns: Floats
    """Twist of the body's link per velocity of each coordinate, in the link's joint frame, shape (6, n)."""
    down: Floats
    """Takes twists of the parent body's link to the link, shape (6, 6)."""
    E_w: Floats
    """World pose of the link, shape (4, 4)."""


def _joints(model: Model, kin: Kinematics) -> Iterator[_Joint]:
    """The joints with the links of composite ones put together."""
    tree = model.tree
    body_of = {int(link): b for b, link in enumerate(model.bodies.link)}
    for b, link in enumerate(model.bodies.link):
        down, columns, j = np.eye(6), [], int(link)
        while True:
            columns.append(down @ kin.S[tree.dof[j] : tree.dof[j + 1]].T)
            down = down @ se3.Ad(se3.inverse(se3.pose_matrix(kin.E_pj[j])))
            j = int(tree.parent[j])
            if j < 0 or j in body_of:
                break
        begin, end = model.joints.dof[b].tolist()
        E_w = se3.pose_matrix(kin.E_wj[link])
        yield _Joint(b, body_of.get(j, -1), slice(begin, end), np.hstack(columns[::-1]), down, E_w)


def _rotations(model: Model, kin: Kinematics) -> Floats:
    return body_poses(model.bodies, kin)[:, :9].reshape(-1, 3, 3)


def _to_world(model: Model, kin: Kinematics, rows: Floats) -> Floats:
    """Both halves of each row turned from the body's axes to the world's."""
    pairs = np.einsum("bij,bkj->bki", _rotations(model, kin), rows.reshape(-1, 2, 3))
    return np.asarray(pairs.reshape(-1, 6))


def _to_bodies(model: Model, kin: Kinematics, rows: Floats) -> Floats:
    """Both halves of each row turned from the world's axes to the body's."""
    shape = (len(model.bodies.names), 6)
    if np.shape(rows) != shape:
        raise InputError(
            "rows of bodies", f"the array has the shape {np.shape(rows)}", f"Give one of {shape}."
        )
    pairs = np.einsum("bji,bkj->bki", _rotations(model, kin), np.asarray(rows, float).reshape(-1, 2, 3))
    return np.asarray(pairs.reshape(-1, 6))


def _index(model: Model, body: str) -> int:
    if body not in model.bodies.names:
        raise InputError(
            "body", f"there is no body '{body}'", f"There are: {', '.join(model.bodies.names[:20])}."
        )
    return model.bodies.names.index(body)
