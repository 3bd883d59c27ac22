"""A compiled model as a MuJoCo model, and the way between our coordinates and MuJoCo's.

MuJoCo has hinges, slides, balls and free bodies. A ball has a quaternion and the body's angular velocity where ours has
a rotation vector r and its rate: ω = S(r) ṙ. A free body has its position and velocity in the world, where ours has
them in the frame that its joint has at q = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.joints.kinds import Kind
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import State
from redmax_blender.engine.tree.kinematics import Kinematics, forward_kinematics

Floats = np.ndarray

_WITH_AXIS = (Kind.REVOLUTE, Kind.PRISMATIC)
_JOINTS = {
    (Kind.FIXED,): None,
    (Kind.REVOLUTE,): mujoco.mjtJoint.mjJNT_HINGE,
    (Kind.PRISMATIC,): mujoco.mjtJoint.mjJNT_SLIDE,
    (Kind.SPHERICAL,): mujoco.mjtJoint.mjJNT_BALL,
    (Kind.TRANSLATIONAL, Kind.SPHERICAL): mujoco.mjtJoint.mjJNT_FREE,
}


@dataclass(frozen=True)
class _Joint:
    """The links of one body's joint, from its parent to the body."""

    links: list[int]
    kinds: tuple[Kind, ...]


def _joints(model: Model) -> list[_Joint]:
    carrier = set(model.bodies.link.tolist())
    joints = []
    for link in model.bodies.link.tolist():
        links = [link]
        while (above := int(model.tree.parent[links[0]])) >= 0 and above not in carrier:
            links.insert(0, above)
        joints.append(_Joint(links, tuple(Kind(int(model.tree.kind[j])) for j in links)))
    return joints


def mujoco_model(model: Model) -> mujoco.MjModel:
    """The same bodies and joints in MuJoCo. Raises ValueError for kinds that it does not have."""
    return mujoco_spec(model).compile()


def mujoco_spec(model: Model) -> mujoco.MjSpec:
    """The same, still to be added to; bodies have our names, and the frames of our joints."""
    tree, bodies = model.tree, model.bodies
    spec = mujoco.MjSpec()
    spec.option.gravity = model.gravity
    made = {-1: spec.worldbody}
    joints = _joints(model)
    for b in sorted(range(len(joints)), key=lambda b: joints[b].links[0]):  # parents first
        links, kinds = joints[b].links, joints[b].kinds
        if kinds not in _JOINTS:
            raise ValueError(f"MuJoCo has no joint like that of body '{bodies.names[b]}'")
        E, C = se3.pose_matrix(tree.E_pj0[links[0]]), se3.pose_matrix(bodies.E_jb[b])
        body = made[int(tree.parent[links[0]])].add_body(
            name=bodies.names[b],
            pos=E[:3, 3],
            quat=se3.quaternion(E[:3, :3]),
            ipos=C[:3, 3],
            iquat=se3.quaternion(C[:3, :3]),
            mass=float(bodies.inertia[b, 3]),
            inertia=bodies.inertia[b, :3],
            explicitinertial=True,
        )
        made[links[-1]] = body
        if _JOINTS[kinds] is not None:
            joint = body.add_joint(type=_JOINTS[kinds])
            if kinds[0] in _WITH_AXIS:
                joint.axis = tree.params[tree.at[links[0]] :][:3]
    return spec


@dataclass(frozen=True)
class MujocoTree:
    """A MuJoCo model with the same bodies, and the conversions of coordinates, velocities, forces, accelerations."""

    ours: Model
    model: mujoco.MjModel

    @classmethod
    def of(cls, model: Model) -> MujocoTree:
        return cls(model, mujoco_model(model))

    def data(self, state: State) -> mujoco.MjData:
        """MuJoCo's data at one of our states, positions and velocities set."""
        data = mujoco.MjData(self.model)
        kin = forward_kinematics(self.ours, state)
        for b, joint in enumerate(_joints(self.ours)):
            at, first = self._addresses(b)
            if at < 0:
                continue
            link = joint.links[-1]
            R = se3.pose_matrix(kin.E_wj[link])[:3, :3]
            a = int(self.ours.tree.dof[joint.links[0]])
            if joint.kinds == (Kind.SPHERICAL,):
                data.qpos[at : at + 4] = se3.quaternion(se3.exp_so3(state.q[a : a + 3]))
            elif len(joint.kinds) == 2:
                data.qpos[at : at + 3] = kin.E_wj[link, 9:]
                data.qpos[at + 3 : at + 7] = se3.quaternion(R)
            else:
                data.qpos[at] = state.q[a]
            X = self._velocity_map(joint, kin)
            data.qvel[first : first + len(X)] = X @ state.qdot[a : a + len(X)]
        return data

    def accelerations(self, state: State, qddot: Floats) -> Floats:
        """Our qddot as MuJoCo's qacc: X qddot + Xdot qdot."""
        kin = forward_kinematics(self.ours, state)
        qacc = np.zeros(self.model.nv)
        for b, joint in enumerate(_joints(self.ours)):
            _, first = self._addresses(b)
            X = self._velocity_map(joint, kin)
            a = int(self.ours.tree.dof[joint.links[0]])
            qacc[first : first + len(X)] = X @ qddot[a : a + len(X)]
            if Kind.SPHERICAL in joint.kinds:
                i = int(self.ours.tree.dof[joint.links[-1]])
                qacc[first + len(X) - 3 : first + len(X)] += kin.Sdot[i : i + 3, :3].T @ state.qdot[i : i + 3]
        return qacc

    def forces(self, state: State, qfrc: Floats) -> Floats:
        """MuJoCo's generalized forces as ours: Xᵀ f."""
        kin = forward_kinematics(self.ours, state)
        tau = np.zeros(self.ours.nr)
        for b, joint in enumerate(_joints(self.ours)):
            _, first = self._addresses(b)
            X = self._velocity_map(joint, kin)
            a = int(self.ours.tree.dof[joint.links[0]])
            tau[a : a + len(X)] = X.T @ qfrc[first : first + len(X)]
        return tau

    def _addresses(self, b: int) -> tuple[int, int]:
        """Where the positions and velocities of a body's joint begin, (-1, 0) for a fixed one."""
        body = self.model.body(self.ours.bodies.names[b]).id
        joint = int(self.model.body_jntadr[body])
        return (
            (int(self.model.jnt_qposadr[joint]), int(self.model.jnt_dofadr[joint])) if joint >= 0 else (-1, 0)
        )

    def _velocity_map(self, joint: _Joint, kin: Kinematics) -> Floats:
        """X with qvel = X qdot."""
        tree = self.ours.tree
        if joint.kinds == (Kind.FIXED,):
            return np.zeros((0, 0))
        if Kind.SPHERICAL not in joint.kinds:
            return np.eye(1)
        i = int(tree.dof[joint.links[-1]])
        S = kin.S[i : i + 3, :3].T
        if len(joint.kinds) == 1:
            return np.asarray(S)
        X = np.zeros((6, 6))
        X[:3, :3] = se3.pose_matrix(tree.E_pj0[joint.links[0]])[:3, :3]
        X[3:, 3:] = S
        return X
