"""Trees that touch nothing: every joint, what acts inside joints, friction, motors, limits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from random_trees import ALL, random_scene, random_state

from redmax_blender.engine import compile_scene
from redmax_blender.engine.scene import (
    BodySpec,
    CompositeJoint,
    Constant,
    Cuboid,
    Free,
    FreePlanar,
    JointFriction,
    JointSpec,
    Limits,
    Motor,
    Polynomial,
    Pose,
    Prismatic,
    Revolute,
    SceneSpec,
    Sine,
    Spherical,
    SphericalEuler,
    Universal,
)
from redmax_blender.engine.shots import chain as chain_shot

from .case import Case, bar, chain

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
RUB = JointFriction(0.3, 0.02, 0.05)
STICKY = JointFriction(0.2, 0.03, 0.05, static=0.5)


def every_joint(integrator: str) -> Case:
    rng = np.random.default_rng(4)
    spec = random_scene(rng, len(ALL))
    model = compile_scene(spec)
    start = random_state(rng, model)
    for i, body in enumerate(spec.bodies):
        a, b = model.joints.dof[i]
        body.damping = 0.1 * (i % 3)
        body.joint.q, body.joint.qdot = start.q[a:b].tolist(), start.qdot[a:b].tolist()
    return Case(spec, integrator=integrator)


def springs_in_joints() -> Case:
    """Springs, dampers, curves, torques and springy limits, in the matrix and not."""
    spec = chain(Revolute(Y), Spherical(), Universal(), SphericalEuler(), Prismatic(X), Revolute(Z))
    for i, n in enumerate((1, 3, 2, 3, 1, 1)):
        joint = spec.bodies[i].joint
        joint.stiffness, joint.damping, joint.rest = 4.0, 0.2, 0.1
        joint.torque = [Sine(0.3, 2.0)] * n
        if i == 3:
            joint.stiffness, joint.damping, joint.implicit = 0.2, 1e-3, False
        if i == 2:
            joint.spring_curve = [Polynomial([0.0, 3.0, 0.0, 20.0])] * n
        if i in (0, 4):
            joint.limits = Limits(lower=-0.02, upper=0.02, stiffness=300.0, damping=2.0)
    return Case(spec)


def papers_coordinates(integrator: str) -> Case:
    """Rotations along the rates of their coordinates, as published, through a change of chart."""
    spec = chain(Free(centred=False), Spherical(centred=False), Revolute(Y), FreePlanar(centred=False))
    spec.bodies[0].joint.q, spec.bodies[0].joint.qdot = (
        [0.0, 0.0, 0.0, 0.2, 0.1, 0.0],
        [1.0, 0.0, 2.0, 2.0, 3.0, 1.0],
    )
    spec.bodies[1].joint.q, spec.bodies[1].joint.qdot = [5.9, 0.0, 0.2], [9.0, 1.0, 0.0]
    return Case(spec, integrator=integrator)


def spinning(integrator: str) -> Case:
    """Centres of mass off their joints, fast, in every chart that is centred."""
    bodies = [
        BodySpec(
            name=str(i), shape=Cuboid((0.3, 0.2, 0.1)), pose=Pose((0.1, 0.02, -0.05), [0.2, 0.1, 0.3]),
            joint=JointSpec(type=kind, frame=Pose((float(i), 0.0, 0.0)), qdot=qdot),
        )
        for i, (kind, qdot) in enumerate(
            [
                (Free(), [1.0, 0.0, 2.0, 5.0, 8.0, 2.0]),
                (Free(rotation="euler"), [1.0, 0.0, 2.0, 3.0, 4.0, 2.0]),
                (Free(order="rotation-translation"), [5.0, 8.0, 2.0, 1.0, 0.0, 2.0]),
                (FreePlanar(), [1.0, 2.0, 9.0]),
                (Spherical(), [8.0, 2.0, 9.0]),
                (SphericalEuler("ZXZ"), [2.0, 1.0, 4.0]),
            ]
        )
    ]  # fmt: skip
    return Case(SceneSpec(bodies=bodies), integrator=integrator)


def friction_in_joints(friction: JointFriction, **more: object) -> Case:
    """Hinges, balls and a sleeve under load."""
    spec = chain(
        Revolute((0.3, 1.0, 0.1)), Spherical(), Universal(), Revolute(Z), Spherical(), friction=friction
    )
    rail = bar("rail", Prismatic(X), "4", friction=friction, stiffness=100.0)
    rod = bar("rod", Prismatic(Y), "rail", friction=JointFriction(0.3, sides=(0.1, 0.05, 0.04)))
    spec.bodies += [rail, rod]
    return Case(spec, **more)  # type: ignore[arg-type]


def motors(friction: JointFriction | None) -> Case:
    """Motors of too little and of enough torque, into limits."""
    spec = chain(Revolute(Y), Revolute(Z), Universal(), Spherical(), friction=friction)
    spec.bodies[0].joint.motors = [Motor(Sine(2.0, 1.0), 1.0)]
    spec.bodies[1].joint.motors = [Motor(Constant(1.0), 50.0)]
    spec.bodies[1].joint.limits = Limits(lower=-0.05, upper=0.1)
    spec.bodies[2].joint.motors = [None, Motor(Constant(-1.0), 0.3)]
    return Case(spec)


def limits(restitution: float, friction: float) -> Case:
    """Limits that are met with speed, some with a second coordinate that slides along them."""
    hinge = Limits(lower=-0.05, upper=0.08, restitution=restitution)
    both = Limits(lower=[-0.02, None], restitution=restitution, friction=friction, radius=0.05)
    spec = chain(Revolute(Y), Revolute((0.2, 1.0, 0.4)), Revolute(Y), limits=hinge)
    slide = CompositeJoint([Prismatic(Z), Revolute(Z)])
    spec.bodies.append(bar("spindle", slide, "2", limits=both, qdot=[0.0, 4.0]))
    return Case(spec)


def cases() -> Iterator[tuple[str, Case]]:
    for integrator in ("euler", "euler-midway"):
        yield f"every joint, {integrator}", every_joint(integrator)
        yield f"papers' coordinates, {integrator}", papers_coordinates(integrator)
        yield f"spinning, {integrator}", spinning(integrator)
    undamped = chain_shot.spec(chain_shot.Chain(damping=0.0), integrator="euler")
    yield "plain chain", Case(undamped)
    yield "plain chain of 60", Case(chain(*[Revolute(Y if i % 2 else Z) for i in range(60)]))
    yield "springs in joints", springs_in_joints()
    yield "friction in joints", friction_in_joints(RUB)
    yield "friction in joints, midway", friction_in_joints(RUB, integrator="euler-midway")
    yield "static friction in joints", friction_in_joints(STICKY)
    hinges = chain(*[Revolute((0.0, 1.0, 0.1 * i)) for i in range(12)], friction=RUB)
    yield "friction in a chain of hinges", Case(hinges)
    yield "motors", motors(None)
    yield "motors and friction", motors(RUB)
    yield "limits", limits(0.0, 0.0)
    yield "limits that bounce and rub", limits(0.5, 0.4)
