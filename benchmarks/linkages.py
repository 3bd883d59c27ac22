"""Planar linkages with many loops, and the same in MuJoCo and PyBullet.

The tower hangs from two hinges: each cell has two posts and a rung, a parallelogram that is not quite one, and moves by
itself. The legs are those of the walking machine (`shots/klann.py`) with its hull held, driven by constant torques on
the two cranks. Loops close with two rows each in ours, with `connect` in MuJoCo and with point-to-point constraints in
PyBullet, which have three.

Friction is that of pins under load in ours, in the loops' pins too. The others have a torque that the user gives, in
the joints of the tree alone: MuJoCo's `frictionloss`, PyBullet's velocity motor with that force.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import cos, pi, sin
from pathlib import Path

import mujoco
import numpy as np
from msgspec.structs import replace

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.integrators.euler import euler
from redmax_blender.engine.joints.kinds import Kind
from redmax_blender.engine.model.control import control_at
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import (
    BodySpec,
    Cuboid,
    Fixed,
    JointFriction,
    JointSpec,
    LoopPoint,
    Point,
    Polynomial,
    Pose,
    Revolute,
    SceneSpec,
    Vec3,
)
from redmax_blender.engine.shots import klann
from redmax_blender.engine.tree.kinematics import forward_kinematics

from .mujoco_tree import mujoco_spec
from .timing import take

H = 1.0 / 240.0
Y: Vec3 = (0.0, -1.0, 0.0)
RUB = JointFriction(0.3, 0.01, 0.04)
LOSS = 0.05
"""Torque [N·m] of the rivals' friction."""
TORQUE, MORE = 0.2, 1.0
"""On each crank of the legs [N·m]: so that friction holds them, and so that they slide."""
WIDE, LEFT, RIGHT = 0.4, 0.5, 0.55
"""Rung and posts of the tower [m]."""


def tower(cells: int, friction: bool) -> SceneSpec:
    """Cells that hang below each other, the first posts to one side."""
    rub = RUB if friction else None
    bodies: list[BodySpec] = []
    loops: list[LoopPoint] = []
    below: str | None = None
    heading, ends = 0.0, (0j, complex(WIDE, 0.0))
    for i in range(cells):
        start = heading - 0.5 * pi + (0.35 if i == 0 else 0.0)
        left = ends[0] + LEFT * complex(cos(start), sin(start))
        right = klann._meet(left, WIDE, ends[1], RIGHT, 1.0)
        angles = [float(np.angle(left - ends[0])), float(np.angle(right - ends[1]))]
        turn = float(np.angle(right - left))
        bodies += [
            _bar(f"left{i}", below, 0.0, LEFT, angles[0] - heading, rub),
            _bar(f"right{i}", below, WIDE, RIGHT, angles[1] - heading, rub),
            _bar(f"rung{i}", f"left{i}", LEFT, WIDE, turn - angles[0], rub),
        ]
        loops.append(
            LoopPoint(
                Point((0.5 * WIDE, 0.0, 0.0), f"rung{i}"),
                Point((0.5 * RIGHT, 0.0, 0.0), f"right{i}"),
                perpendicular_to=Y,
                name=f"loop{i}",
                friction=rub,
            )
        )
        below, heading, ends = f"rung{i}", turn, (left, right)
    return SceneSpec(bodies=bodies, constraints=list(loops))


def _bar(
    name: str, parent: str | None, at: float, length: float, angle: float, rub: JointFriction | None
) -> BodySpec:
    return BodySpec(
        name=name,
        parent=parent,
        shape=Cuboid((length, 0.04, 0.04)),
        pose=Pose((0.5 * length, 0.0, 0.0)),
        joint=JointSpec(Revolute(Y), frame=Pose((at, 0.0, 0.0), rotation=[0.0, -angle, 0.0]), friction=rub),
    )


def legs(friction: bool, torque: float = TORQUE) -> SceneSpec:
    """The six legs of the machine, two loops each; the hull is held."""
    scene = klann.spec(klann.Klann(friction=0.3 if friction else 0.0))
    bodies = []
    for body in scene.bodies:
        joint = body.joint
        if body.name == "hull":
            joint = JointSpec(type=Fixed(), frame=joint.frame)
        elif body.name.startswith("crank"):
            joint = replace(joint, motion=[], torque=[Polynomial([torque])])
        bodies.append(replace(body, joint=joint, surface=None))
    return replace(scene, bodies=bodies, colliders=[])


@dataclass
class Runner:
    advance: Callable[[int], None]
    drift: Callable[[], float]
    """How far the loops are open [m]."""


def ours(model: Model) -> Runner:
    steps = euler(model, model.initial_state(), Options(h=H, sleep=False))

    return Runner(partial(take, steps), lambda: _gap(model, forward_kinematics(model, steps.state).E_wj))


def _gap(model: Model, E_wj: np.ndarray) -> float:
    """The largest distance of two points that a loop joins [m], from the poses of the links."""
    return float(max((np.linalg.norm(a - b) for a, b in _points(model, E_wj)), default=0.0))


def _points(model: Model, E_wj: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    rows = model.constraints.rows
    first = np.unique(rows.owner, return_index=True)[1]
    out = []
    for i in first:
        ends = [
            se3.pose_matrix(E_wj[l]) @ np.append(x, 1.0) for l, x in zip(rows.link[i], rows.x[i], strict=True)
        ]
        out.append((ends[0][:3], ends[1][:3]))
    return out


def in_mujoco(model: Model) -> Runner:
    """Newton's solver and implicitfast, with the stiffest loops that it holds safely: a time constant of two steps."""
    spec = mujoco_spec(model)
    spec.option.timestep = H
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
    names = _body_of_link(model)
    rows = model.constraints.rows
    for i in np.unique(rows.owner, return_index=True)[1]:
        sites = []
        for side in range(2):
            sites.append(f"site{i}.{side}")
            spec.body(names[int(rows.link[i, side])]).add_site(name=sites[-1], pos=rows.x[i, side])
        spec.add_equality(
            type=mujoco.mjtEq.mjEQ_CONNECT,
            objtype=mujoco.mjtObj.mjOBJ_SITE,
            name1=sites[0],
            name2=sites[1],
            solref=(2.0 * H, 1.0),
            solimp=(0.99, 0.9999, 0.001, 0.5, 2.0),
        )
    m = spec.compile()
    rubs = model.friction is not None
    if rubs:
        m.dof_frictionloss[:] = LOSS
    data, tau = mujoco.MjData(m), control_at(model, 0.0).tau
    for target in model.joints.torque.target:
        name = names[_link_of(model, int(target))]
        data.qfrc_applied[m.jnt_dofadr[m.body_jntadr[m.body(name).id]]] = tau[target]
    pairs = [
        (m.site(f"site{i}.0").id, m.site(f"site{i}.1").id)
        for i in np.unique(rows.owner, return_index=True)[1]
    ]
    return Runner(
        lambda count: mujoco.mj_step(m, data, count),
        lambda: float(
            max((np.linalg.norm(data.site_xpos[a] - data.site_xpos[b]) for a, b in pairs), default=0.0)
        ),
    )


def in_pybullet(model: Model) -> Runner:
    """Its multibody, 50 iterations, without its damping of every link."""
    import pybullet as p

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "linkage.urdf")
        file.write_text(_urdf(model))
        client = p.connect(p.DIRECT)
        body = p.loadURDF(
            str(file), useFixedBase=True, flags=p.URDF_USE_INERTIA_FROM_FILE, physicsClientId=client
        )
    p.setGravity(*model.gravity, physicsClientId=client)
    p.setTimeStep(H, physicsClientId=client)
    number = {
        p.getJointInfo(body, j, physicsClientId=client)[12].decode(): j
        for j in range(len(model.bodies.names))
    }
    names, rows = _body_of_link(model), model.constraints.rows
    loss = LOSS if model.friction is not None else 0.0
    for j in number.values():
        p.changeDynamics(
            body, j, linearDamping=0.0, angularDamping=0.0, jointDamping=0.0, physicsClientId=client
        )
        p.setJointMotorControl2(
            body, j, p.VELOCITY_CONTROL, targetVelocity=0, force=loss, physicsClientId=client
        )
    ends = []
    for i in np.unique(rows.owner, return_index=True)[1]:
        link = [number[names[int(l)]] for l in rows.link[i]]
        local = []
        for l, x in zip(rows.link[i], rows.x[i], strict=True):
            C = se3.pose_matrix(model.bodies.E_jb[list(names.values()).index(names[int(l)])])
            local.append((np.linalg.inv(C) @ np.append(x, 1.0))[:3].tolist())
        p.createConstraint(
            body, link[0], body, link[1], p.JOINT_POINT2POINT, [0, 0, 0], local[0], local[1],
            physicsClientId=client,
        )  # fmt: skip
        ends.append((link, local))
    tau = control_at(model, 0.0).tau
    driven = {number[names[_link_of(model, int(k))]]: float(tau[k]) for k in model.joints.torque.target}

    def advance(count: int) -> None:
        for _ in range(count):
            for j, torque in driven.items():
                p.setJointMotorControl2(body, j, p.TORQUE_CONTROL, force=torque, physicsClientId=client)
            p.stepSimulation(physicsClientId=client)

    def drift() -> float:
        worst = 0.0
        for link, local in ends:
            at = []
            for l, x in zip(link, local, strict=True):
                s = p.getLinkState(body, l, computeForwardKinematics=True, physicsClientId=client)
                at.append(np.array(p.multiplyTransforms(s[0], s[1], x, [0, 0, 0, 1])[0]))
            worst = max(worst, float(np.linalg.norm(at[0] - at[1])))
        return worst

    return Runner(advance, drift)


def _body_of_link(model: Model) -> dict[int, str]:
    return dict(zip(model.bodies.link.tolist(), model.bodies.names, strict=True))


def _link_of(model: Model, coordinate: int) -> int:
    return int(np.searchsorted(model.tree.dof, coordinate, side="right")) - 1


def _urdf(model: Model) -> str:
    """The tree as a URDF file; every frame is that of our joint at q = 0."""
    tree, bodies, names = model.tree, model.bodies, _body_of_link(model)
    base = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    out = [f'<robot name="linkage"><link name="base">{base}</link>']
    for b, link in enumerate(bodies.link.tolist()):
        E, C = se3.pose_matrix(tree.E_pj0[link]), se3.pose_matrix(bodies.E_jb[b])
        xx, yy, zz, mass = bodies.inertia[b, :4]
        turns = tree.kind[link] == Kind.REVOLUTE
        axis = tree.params[tree.at[link] :][:3] if turns else np.array([0.0, 0.0, 1.0])
        out.append(
            f'<link name="{bodies.names[b]}"><inertial>{_origin(C)}<mass value="{mass!r}"/>'
            f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="j{bodies.names[b]}" type="{"continuous" if turns else "fixed"}">{_origin(E)}'
            f'<parent link="{names.get(int(tree.parent[link]), "base")}"/><child link="{bodies.names[b]}"/>'
            f'<axis xyz="{axis[0]} {axis[1]} {axis[2]}"/></joint>'
        )
    return "\n".join([*out, "</robot>"])


def _origin(E: np.ndarray) -> str:
    """A pose as URDF has it: the angles are about fixed x, y and z, in that order."""
    x = E[:3, 3]
    roll, pitch = np.arctan2(E[2, 1], E[2, 2]), np.arctan2(-E[2, 0], np.hypot(E[2, 1], E[2, 2]))
    yaw = np.arctan2(E[1, 0], E[0, 0])
    return f'<origin xyz="{x[0]} {x[1]} {x[2]}" rpy="{roll} {pitch} {yaw}"/>'
