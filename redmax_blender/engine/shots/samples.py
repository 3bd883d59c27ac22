"""Small scenes that between them have what the shots leave out, so that one short run of each needs every kernel."""

from __future__ import annotations

from collections.abc import Iterator

from ..scene import (
    BodySpec,
    Constant,
    Cuboid,
    Curve,
    Free,
    Guide,
    HillActuator,
    JointSpec,
    LoopPoint,
    MusclePoint,
    MuscleSpec,
    Over,
    Point,
    PointForce,
    Pose,
    PrescribedPoint,
    Revolute,
    SceneSpec,
    Sine,
    Spherical,
    SphericalEuler,
    Spring,
    SpringActuator,
    StrandSpec,
    Switch,
    TimeSpec,
    Wind,
    WrapCylinder,
    WrapSpec,
)
from ..scene.muscles import WrapCapsule, WrapEllipsoid, WrapShape, WrapTorus
from ..scene.task import EnergyGoal, PointGoal, StartVelocityParameter, TaskSpec, TorqueParameter

STEP = 0.002
"""[s]"""


def _bar(name: str, parent: str | None, joint: JointSpec) -> BodySpec:
    """A bar of 30 cm that begins at its joint."""
    if parent is not None:
        joint.frame = Pose((0.3, 0.0, 0.0))
    shape = Cuboid((0.3, 0.03, 0.03))
    return BodySpec(name=name, parent=parent, shape=shape, mass=1.0, pose=Pose((0.15, 0.0, 0.0)), joint=joint)


def _scene(name: str, *joints: JointSpec) -> SceneSpec:
    """A chain of bars."""
    names = [f"bar {i}" for i in range(len(joints))]
    parents: list[str | None] = [None, *names[:-1]]
    bodies = [_bar(*each) for each in zip(names, parents, joints, strict=True)]
    return SceneSpec(name=name, bodies=bodies, time=TimeSpec(end=10.0 * STEP, step=STEP))


def springs() -> SceneSpec:
    """Every kind of spring, wind, a push, a strand, and a point that an empty guides."""
    out = _scene(
        "springs", JointSpec(Free()), JointSpec(Spherical()), JointSpec(SphericalEuler(), q=[0.1, 1.5, 0.2])
    )
    near, far, world = (
        Point((0.1, 0.0, 0.0), "bar 0"),
        Point((0.2, 0.0, 0.0), "bar 2"),
        Point((0.0, 0.5, 0.5)),
    )
    for tangent in ("projected", "axial", "exact", "explicit"):
        out.forces.append(Spring([near, far], 100.0, 1.0, tangent=tangent))
    out.forces.append(Spring([world, near, far], 50.0, tension_only=True))
    out.forces.append(Wind([Constant(2.0), None, None], linear=0.1, quadratic=0.1))
    out.forces.append(PointForce("bar 1", force=[Sine(1.0, 2.0), None, None]))
    path: list[Curve | None] = [Constant(0.2), Constant(0.1), Constant(0.0)]
    out.constraints.append(
        PrescribedPoint(near, path, modes=[Switch(-1.0, "guided")], guide=Guide(response=0.2))
    )
    return out


def strands() -> SceneSpec:
    """Point masses in a row, between a bar and the world."""
    out = _scene("strands", JointSpec(Free()), JointSpec(Revolute()))
    begin, end = Point((0.3, 0.0, 0.0), "bar 1"), Point((1.0, 0.0, 0.0))
    out.strands.append(StrandSpec("strand", begin, end, stiffness=100.0, mass=0.2, nodes=4))
    return out


def loops() -> SceneSpec:
    """Bars that turn fast, on joints of which two close a loop."""
    joints = [JointSpec(Spherical(), qdot=[40.0, 0.0, 0.0]), *(JointSpec(Spherical()) for _ in range(2))]
    out = _scene("loops", *joints)
    out.constraints.append(LoopPoint(Point((0.15, 0.0, 0.0), "bar 2"), Point((0.9, 0.0, 0.0))))
    return out


def turning() -> SceneSpec:
    """Rotations that are about to leave their chart, of both kinds."""
    euler = JointSpec(SphericalEuler(), q=[0.1, 1.57, 0.2], qdot=[1.0, 1.0, 0.0])
    vector = JointSpec(Spherical(centred=False), q=[6.0, 0.0, 0.0], qdot=[40.0, 0.0, 0.0])
    return _scene("turning", euler, vector)


def muscles() -> SceneSpec:
    """An arm with muscles over surfaces of every kind, with and without springy tendons, and with none."""
    return _arm(
        None,
        WrapCylinder(0.035),
        WrapEllipsoid((0.03, 0.035, 0.04)),
        WrapTorus(0.05, 0.01),
        WrapCapsule(0.035),
    )


def exact_muscles() -> SceneSpec:
    """A muscle on the shortest path there is."""
    return _arm(0.0, WrapCylinder(0.035))


def _arm(rounding: float | None, *shapes: WrapShape) -> SceneSpec:
    across = Revolute(axis=(0.0, 0.0, 1.0))
    out = _scene("muscles", JointSpec(across, q=-1.2), JointSpec(across, q=-0.3))
    ends = [MusclePoint((-0.09, 0.05, 0.0), "bar 0"), MusclePoint((-0.03, 0.02, 0.01), "bar 1")]
    for i, shape in enumerate(shapes):
        out.wraps.append(WrapSpec(f"elbow {i}", shape, "bar 0", Pose((0.15, 0.0, 0.0))))
        pull = (
            HillActuator(300.0, rigid_tendon=i == 1)
            if i < 2
            else SpringActuator(100.0, 200.0, activation_time=0.01)
        )
        out.muscles.append(
            MuscleSpec(
                name=f"muscle {i}", points=ends, over=[Over(f"elbow {i}", side="clockwise")], rounding=rounding,
                mass=0.2, actuator=pull, excitation=Sine(0.2, 1.0, offset=0.4),
            )
        )  # fmt: skip
    return out


def tasks() -> Iterator[SceneSpec]:
    """What is to be reached, by each formula that has gradients."""
    for integrator in ("euler", "euler-midway", "bdf1", "bdf2", "sdirk2"):
        out = springs()
        out.constraints, out.forces, out.integrator = [], out.forces[:1] + out.forces[-2:], integrator
        out.task = TaskSpec(
            [TorqueParameter(joint="bar 1", times=[0.0, 0.01]), StartVelocityParameter(joint="bar 0")],
            [PointGoal(body="bar 2", target=[0.5, 0.0, 0.0]), EnergyGoal()],
        )
        yield out
