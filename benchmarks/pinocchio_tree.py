"""A compiled model as a Pinocchio model, and the way between our coordinates and Pinocchio's.

Pinocchio's velocities are those of a motion subspace: the body's angular velocity at a ball, its whole twist in its own
frame at a free joint. For a joint whose subspace is constant there, v = X qdot with X = P S, where S (6, n) is ours and
P picks Pinocchio's components; for the others the coordinates are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.joints.kinds import Kind
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import State
from redmax_blender.engine.tree.kinematics import forward_kinematics

Floats = np.ndarray

DATA_BYTES_PER_CUBED_DOF = 48
"""Pinocchio's Data has a tensor of second derivatives, 6 x nv x nv x nv numbers."""


def data_bytes(nv: int) -> int:
    """Memory that Pinocchio's Data takes, whatever it is used for."""
    return DATA_BYTES_PER_CUBED_DOF * nv**3


def _composite(*parts: Any) -> Any:
    joint = pin.JointModelComposite(parts[0])
    for part in parts[1:]:
        joint.addJoint(part)
    return joint


_X, _Y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
_ANGULAR, _LINEAR = [0, 1, 2], [3, 4, 5]


@dataclass(frozen=True)
class _Rival:
    make: Callable[[Floats], Any]
    """Pinocchio's joint, from the axis where there is one."""
    components: list[int] | None = None
    """Components of our twist (angular first) that are its velocities; None where they are our qdot."""
    position: Callable[[Floats, Floats], Floats] = lambda q, E: q
    """Pinocchio's q from ours and from the pose of the body's link in its frame at q = 0."""


_JOINTS = {
    (Kind.REVOLUTE,): _Rival(lambda axis: pin.JointModelRevoluteUnaligned(axis)),
    (Kind.PRISMATIC,): _Rival(lambda axis: pin.JointModelPrismaticUnaligned(axis)),
    (Kind.PLANAR,): _Rival(lambda _: _composite(pin.JointModelPX(), pin.JointModelPY())),
    (Kind.TRANSLATIONAL,): _Rival(lambda _: pin.JointModelTranslation()),
    (Kind.UNIVERSAL,): _Rival(lambda _: pin.JointModelUniversal(_X, _Y)),
    (Kind.SPHERICAL,): _Rival(
        lambda _: pin.JointModelSpherical(), _ANGULAR, lambda q, E: _scalar_last(se3.quaternion(E[:3, :3]))
    ),
    (Kind.TRANSLATIONAL, Kind.SPHERICAL): _Rival(
        lambda _: pin.JointModelFreeFlyer(),
        _LINEAR + _ANGULAR,
        lambda q, E: np.concatenate([E[:3, 3], _scalar_last(se3.quaternion(E[:3, :3]))]),
    ),
    (Kind.PLANAR, Kind.REVOLUTE): _Rival(
        lambda _: pin.JointModelPlanar(),
        [3, 4, 2],
        lambda q, E: np.array([*E[:2, 3], E[0, 0], E[1, 0]]),
    ),
}


def _scalar_last(q: Floats) -> Floats:
    return np.roll(q, -1)


@dataclass(frozen=True)
class _Joint:
    links: list[int]
    rival: _Rival
    span: slice
    id: int


class PinocchioTree:
    """A Pinocchio model with the same bodies. Raises ValueError for kinds that Pinocchio does not have."""

    def __init__(self, ours: Model) -> None:
        self.ours = ours
        self.model = pin.Model()
        self.model.gravity.linear = ours.gravity
        self._joints: list[_Joint] = []
        tree, bodies = ours.tree, ours.bodies
        carried = {int(link): b for b, link in enumerate(bodies.link)}
        made = {-1: 0}
        for link in sorted(carried):  # parents first
            b, links = carried[link], [link]
            while (above := int(tree.parent[links[0]])) >= 0 and above not in carried:
                links.insert(0, above)
            kinds = tuple(Kind(int(tree.kind[j])) for j in links)
            if kinds not in _JOINTS:
                raise ValueError(f"Pinocchio has no joint like that of body '{bodies.names[b]}'")
            E, C = se3.pose_matrix(tree.E_pj0[links[0]]), se3.pose_matrix(bodies.E_jb[b])
            joint = _JOINTS[kinds].make(tree.params[tree.at[links[0]] :][:3].copy())
            made[link] = self.model.addJoint(made[above], joint, pin.SE3(E), bodies.names[b])
            moments = C[:3, :3] @ np.diag(bodies.inertia[b, :3]) @ C[:3, :3].T
            inertia = pin.Inertia(float(bodies.inertia[b, 3]), C[:3, 3], moments)
            self.model.appendBodyToJoint(made[link], inertia, pin.SE3.Identity())
            span = slice(int(tree.dof[links[0]]), int(tree.dof[link + 1]))
            self._joints.append(_Joint(links, _JOINTS[kinds], span, made[link]))

    def configuration(self, state: State) -> tuple[Floats, Floats]:
        """Pinocchio's q and v at one of our states."""
        q, v = pin.neutral(self.model), np.zeros(self.model.nv)
        kin = forward_kinematics(self.ours, state)
        for joint in self._joints:
            E = np.linalg.inv(se3.pose_matrix(self.ours.tree.E_pj0[joint.links[0]]))
            for j in joint.links:
                E = E @ se3.pose_matrix(kin.E_pj[j])
            at, first = self.model.idx_qs[joint.id], self.model.idx_vs[joint.id]
            q[at : at + self.model.nqs[joint.id]] = joint.rival.position(state.q[joint.span], E)
            X, _ = self._velocity_map(joint, state)
            v[first : first + len(X)] = X @ state.qdot[joint.span]
        return q, v

    def forces(self, state: State, tau: Floats) -> Floats:
        """Pinocchio's joint forces as ours: Xᵀ tau."""
        out = np.zeros(self.ours.nr)
        for joint in self._joints:
            X, _ = self._velocity_map(joint, state)
            first = self.model.idx_vs[joint.id]
            out[joint.span] = X.T @ tau[first : first + len(X)]
        return out

    def accelerations(self, state: State, qddot: Floats) -> Floats:
        """Our qddot as Pinocchio's: X qddot + Xdot qdot."""
        out = np.zeros(self.model.nv)
        for joint in self._joints:
            X, bias = self._velocity_map(joint, state)
            first = self.model.idx_vs[joint.id]
            out[first : first + len(X)] = X @ qddot[joint.span] + bias
        return out

    def _velocity_map(self, joint: _Joint, state: State) -> tuple[Floats, Floats]:
        """X and Xdot qdot."""
        n = joint.span.stop - joint.span.start
        if joint.rival.components is None:
            return np.eye(n), np.zeros(n)
        kin, dof = forward_kinematics(self.ours, state), self.ours.tree.dof
        S, V, A = np.zeros((6, 0)), np.zeros(6), np.zeros(6)
        for j in joint.links:  # the links of the joint, as if their parent were at rest
            down = se3.Ad(se3.inverse(se3.pose_matrix(kin.E_pj[j])))
            own, qdot = kin.S[dof[j] : dof[j + 1]].T, state.qdot[dof[j] : dof[j + 1]]
            S = np.hstack([down @ S, own])
            V = down @ V + own @ qdot
            A = down @ A + se3.ad(V) @ own @ qdot + qdot @ kin.Sdot[dof[j] : dof[j + 1]]
        return S[joint.rival.components], A[joint.rival.components]
