"""Motions: joints, points, poses and twists that follow curves, are guided, released, and woken."""

from __future__ import annotations

from collections.abc import Iterator

from mechanisms import where

from redmax_blender.engine.scene import (
    Constant,
    Cuboid,
    Free,
    Guide,
    Interval,
    JointFriction,
    Point,
    Polynomial,
    PrescribedPoint,
    Prismatic,
    Revolute,
    SceneSpec,
    Sine,
    SmoothStep,
    Sphere,
    Spherical,
    Surface,
    Switch,
    Universal,
)
from redmax_blender.engine.scene.constraints import PrescribedPose, PrescribedTwist

from .case import GROUND, Case, bar, chain, loose

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
RUB = JointFriction(0.3, 0.02, 0.05)
TURNS = [Sine(0.3, 1.0), Sine(0.2, 1.5), Constant(0.1)]


def keyed(friction: JointFriction | None) -> SceneSpec:
    """Joints that follow curves, a base that moves, free ones between."""
    spec = chain(
        Spherical(), Revolute(Y), Universal(), Revolute(Z), Prismatic((1.0, 0.0, 0.0)), friction=friction
    )
    spec.bodies[0].joint.base = [Sine(0.2, 1.0), None, Constant(0.1), None, Sine(0.3, 1.0), None]
    spec.bodies[1].joint.motion = [Sine(0.4, 2.0)]
    spec.bodies[2].joint.motion = [None, Sine(0.4, 1.0)]
    spec.bodies[4].joint.motion = [Sine(0.05, 2.0)]
    return spec


def switched(friction: JointFriction | None) -> SceneSpec:
    """Prescribed, guided, free, and back at once and smoothly."""
    spec = chain(Spherical(), Revolute(Y), Universal(), Revolute(Z), friction=friction)
    modes = [
        Switch(0.05, "guided"),
        Switch(0.1, "free"),
        Switch(0.15, "prescribed", 0.04),
        Switch(0.22, "free"),
    ]
    for i, n in enumerate((3, 1, 2, 1)):
        joint = spec.bodies[i].joint
        joint.motion, joint.guide = TURNS[:n], Guide(stiffness=5.0, damping=0.5)
        joint.modes = modes[i % 2 :]
    return spec


def guided() -> SceneSpec:
    """Joints and points that are guided, points as much as an influence says."""
    spec = chain(Free(), Spherical(), Revolute(Y), Revolute(Y))
    for i, n in ((1, 3), (2, 1)):
        joint = spec.bodies[i].joint
        joint.motion, joint.modes, joint.guide = TURNS[:n], [Switch(-1.0, "guided")], Guide(response=0.1)
    for at, influence in ((0.0, None), (0.1, SmoothStep(0.0, 0.2)), (-0.1, Constant(0.97))):
        spec.constraints.append(
            PrescribedPoint(
                Point((at, 0.0, 0.0), "3"), [Sine(0.2, 1.0, offset=0.8), None, Constant(0.2)],
                modes=[Switch(-1.0, "guided")], guide=Guide(response=0.1, ratio=0.7), influence=influence,
            )
        )  # fmt: skip
    return spec


def led() -> SceneSpec:
    """Points, poses and twists on their paths, for a while; one along a direction."""
    spec = chain(Spherical(), Spherical(), Spherical(), Revolute(Y))
    for body, turn in zip(spec.bodies, (-0.4, 0.6, 0.3, 0.5)):
        body.joint.q = [0.1, turn, -0.2 * turn] if body.name < "3" else [turn]
    tip = Point((0.15, 0.0, 0.0), "3")
    x, _, z = map(float, where(spec, tip))
    spec.constraints.append(
        PrescribedPoint(
            tip, [Sine(0.1, 1.0, offset=x), None, Polynomial([z, 0.5])], active=[Interval(end=0.12)]
        )
    )
    spec.constraints.append(
        PrescribedPoint(
            Point(body="1"), [Sine(0.05, 2.0)], direction=(0.0, 1.0, 0.0), active=[Interval(0.15, 0.2, 0.03)]
        )
    )
    spec.bodies.append(bar("plate", Free(), at=(0.0, 1.0, 0.0)))
    spec.bodies.append(bar("arm", Revolute(Z), "plate"))
    spec.constraints.append(
        PrescribedPose(
            "plate", [Sine(0.1, 1.0, offset=0.15), Constant(1.0), None], [None, None, Sine(0.5, 1.0)]
        )
    )
    spec.bodies.append(bar("top", Free(), at=(0.0, 2.0, 0.0)))
    spec.constraints.append(PrescribedTwist("top", angular=[None, None, Sine(4.0, 1.0)], components=[2, 3]))
    return spec


def keyed_on_the_ground(friction: JointFriction | None) -> SceneSpec:
    """A crawler whose joints are keyed, and one that is released, on the ground."""
    bodies = [loose("base", Cuboid((0.3, 0.3, 0.1)), (0.0, 0.0, 0.06), mass=3.0)]
    for i, side in enumerate((1.0, -1.0)):
        thigh = bar(
            f"thigh{i}",
            Revolute(Y),
            "base",
            0.2,
            (0.15 * side, 0.0, 0.0),
            friction=friction,
            surface=Surface(),
        )
        shin = bar(f"shin{i}", Revolute(Y), f"thigh{i}", 0.2, friction=friction, surface=Surface())
        thigh.joint.motion, shin.joint.motion = [Sine(0.5, 2.0)], [Sine(0.4, 1.0)]
        if i:
            shin.joint.modes = [Switch(0.1, "free"), Switch(0.2, "prescribed", 0.05)]
        bodies += [thigh, shin]
    bodies[3].joint.frame.rotation = [0.0, 0.0, 3.14159]
    return SceneSpec(bodies=bodies, colliders=[GROUND])


def woken() -> SceneSpec:
    """Keyed joints that a ball wakes when it strikes them, and a ball that is too light to."""
    spec = chain(Revolute(Y), Revolute(Y), Revolute(Y), surface=Surface())
    for body in spec.bodies:
        body.joint.motion, body.joint.wake = [Sine(0.1, 1.0)], 0.5
    spec.bodies.append(loose("ball", Sphere(0.08), (0.75, 0.0, 0.3), speed=(0.0, 0.0, -3.0), mass=2.0))
    spec.bodies.append(loose("pea", Sphere(0.01), (0.2, 0.0, 0.2), speed=(0.0, 0.0, -3.0), mass=0.001))
    return spec


def cases() -> Iterator[tuple[str, Case]]:
    yield "prescribed joints", Case(keyed(None))
    yield "prescribed joints, friction, midway", Case(keyed(RUB), integrator="euler-midway")
    at = (0, 11, 12, 13, 23, 24, 30, 36, 40, 46, 52, 53, 59)
    yield "switches", Case(switched(None), at=at)
    yield "switches and friction", Case(switched(RUB), at=at)
    yield "guides with influence", Case(guided())
    yield "prescribed points, poses and twists", Case(led(), at=(0, 1, 28, 29, 36, 37, 43, 48, 59))
    yield "keys on the ground", Case(keyed_on_the_ground(None), at=(0, 7, 20, 23, 24, 30, 48, 55, 59))
    yield (
        "keys on the ground, friction",
        Case(keyed_on_the_ground(RUB), at=(0, 7, 20, 23, 24, 30, 48, 55, 59)),
    )
    yield "woken by a blow", Case(woken(), at=(0, 10, 14, 16, 18, 20, 22, 24, 40, 59))
