"""A figure of thirty capsules falls onto a plane: the same bodies, joints, limits, damping and friction in MuJoCo.

The figure of the shot `ragdoll`, let go upright and tilted, a metre above the ground; steps of 1/240 s, friction 0.6,
self-collision as the shot has it. MuJoCo: Newton's solver, elliptic cones, implicit damping (its `implicitfast`
integrator), its default softness of contacts and limits; bodies next to each other do not collide, and neither do those
that touch at the start. Ours is kept awake. Reported are the processor's time for a second of the scene and the deepest
overlap; and how far a joint went beyond its limits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import radians

import mujoco
import numpy as np

from redmax_blender.engine import se3
from redmax_blender.engine.compile import compile_scene
from redmax_blender.engine.integrators.euler import euler
from redmax_blender.engine.model import Model
from redmax_blender.engine.scene import ColliderSpec, Plane, SceneSpec, SelfCollision
from redmax_blender.engine.shots.figure import AXES, SEGMENTS, Skin, figure
from redmax_blender.engine.state import Options

from .timing import Row, row

BENCH = "ragdoll"
H = 1.0 / 240.0
MU = 0.6
SKIN = Skin(friction=MU, joint_friction=0.0)
"""MuJoCo's friction in joints would be a torque that knows no load: there is none here."""
START = [0.0, 0.0, 1.92, 0.5, 0.2, 0.0]
"""Place of the pelvis [m] and rotation vector [rad]."""


def compiled() -> Model:
    bodies = figure(SKIN, START)
    ground = ColliderSpec(name="ground", shape=Plane(), friction=MU)
    return compile_scene(SceneSpec(bodies=bodies, colliders=[ground], self_collision=SelfCollision()))


@dataclass
class Runner:
    step: Callable[[], None]
    overlap: Callable[[], float]
    beyond: Callable[[], float]
    """Farthest that a joint is beyond its limits [°]."""


def ours() -> Runner:
    model = compiled()
    steps = euler(model, model.initial_state(), Options(h=H, sleep=False))
    limits = model.constraints.limits

    def overlap() -> float:
        dry = steps.memory.report.dry
        if dry is None or dry.contacts is None:
            return 0.0
        return max(0.0, -float(dry.contacts.gap.min(initial=0.0)))

    def beyond() -> float:
        gap = limits.side * (steps.state.q[limits.dof] - limits.bound)
        return float(np.degrees(max(0.0, -gap.min())))

    return Runner(lambda: next(steps), overlap, beyond)


def in_mujoco() -> Runner:
    surfaces = compiled().contact
    assert surfaces is not None
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep = H
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    rubs = {"friction": [MU, 0, 0], "condim": 3}
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[10, 10, 1], **rubs)
    made, at = {}, {part.name: np.array(part.joint) for part in SEGMENTS}
    for part, body in zip(SEGMENTS, figure(SKIN, START), strict=True):
        if part.parent is None:
            made[part.name] = spec.worldbody.add_body(name=part.name, pos=START[:3])
            made[part.name].quat = se3.quaternion(se3.exp_so3(np.array(START[3:])))
            made[part.name].add_freejoint()
        else:
            made[part.name] = made[part.parent].add_body(name=part.name, pos=at[part.name] - at[part.parent])
        for turn in part.turns:
            made[part.name].add_joint(
                type=mujoco.mjtJoint.mjJNT_HINGE,
                axis=AXES[turn.axis],
                limited=True,
                range=[radians(turn.low), radians(turn.high)],
                damping=body.joint.damping,
            )
        ends = [*(np.array(part.begin) - part.joint), *(np.array(part.end) - part.joint)]
        made[part.name].add_geom(
            type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=ends, size=[part.radius, 0, 0], mass=body.mass, **rubs
        )
    for code in surfaces.apart.tolist():
        one, other = (surfaces.names[i] for i in divmod(code, len(surfaces.names)))
        if one in made and other in made:
            spec.add_exclude(bodyname1=one, bodyname2=other)
    model = spec.compile()
    data = mujoco.MjData(model)
    hinges = model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE

    def beyond() -> float:
        angle, low, high = data.qpos[model.jnt_qposadr[hinges]], *model.jnt_range[hinges].T
        return float(np.degrees(max(0.0, (low - angle).max(), (angle - high).max())))

    return Runner(
        lambda: mujoco.mj_step(model, data),
        lambda: max(0.0, -float(data.contact.dist.min())) if data.ncon else 0.0,
        beyond,
    )


def measure(make: Callable[[], Runner], seconds: float) -> tuple[float, float, float]:
    """Time for a second of the scene [s], deepest overlap [m], and the farthest beyond a limit [°]."""
    steps, spent, deepest, beyond = round(seconds / H), 0.0, 0.0, 0.0
    runner = make()
    for _ in range(steps):  # not counted: kernels may have to be compiled and loaded for it
        runner.step()
    runner = make()
    for _ in range(steps):
        begin = time.process_time()
        runner.step()
        spent += time.process_time() - begin
        deepest, beyond = max(deepest, runner.overlap()), max(beyond, runner.beyond())
    return spent / seconds, deepest, beyond


def rows() -> Iterator[Row]:
    mine, theirs = measure(ours, 3.0), measure(in_mujoco, 3.0)
    note = f"overlap {mine[1]:.1e} / {theirs[1]:.1e} m, beyond limits {mine[2]:.2f} / {theirs[2]:.2f}°"
    yield row(BENCH, "falls, 1 s", len(SEGMENTS), mine[0], "MuJoCo", theirs[0], note)


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
