"""What binds bodies to each other: loops, gears, couplings, springs, ropes."""

from __future__ import annotations

from collections.abc import Iterator

from mechanisms import four_bar, gear_train, ring, slider_crank, where
from msgspec.structs import replace

from redmax_blender.engine.scene import (
    Cuboid,
    Field,
    Fixed,
    Free,
    Interval,
    JointFriction,
    LoopDistance,
    LoopHinge,
    LoopPiston,
    LoopPoint,
    LoopSlider,
    LoopWeld,
    Point,
    PointForce,
    Pose,
    Revolute,
    SceneSpec,
    Sine,
    Spherical,
    Spring,
    Term,
    Wind,
)
from redmax_blender.engine.scene.base import Constant
from redmax_blender.engine.scene.constraints import CouplingSpec, Gear
from redmax_blender.engine.shots import klann, samples

from .case import GROUND, Case, bar, chain, loose

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
PIN = JointFriction(0.3, 0.01, 0.04)
FREE3 = (Spherical(), Spherical(), Spherical(), Spherical())


def rubbing(spec: SceneSpec) -> SceneSpec:
    """With friction in all joints, of loops too."""
    for body in spec.bodies:
        if not isinstance(body.joint.type, (Fixed, Free)):
            body.joint.friction = PIN
    for loop in spec.constraints:
        if isinstance(loop, (LoopPoint, LoopHinge, LoopSlider, LoopPiston)):
            loop.friction = PIN
    return spec


def twice(spec: SceneSpec) -> SceneSpec:
    """Every loop closed once more."""
    spec.constraints += [replace(each, name=f"{each.name} again") for each in spec.constraints]
    return spec


def closed(kind: type, **more: object) -> SceneSpec:
    """Four bars on balls between two places, closed by a loop of some kind at the last one's end."""
    spec = chain(*FREE3, damping=0.02)
    for body, turn in zip(spec.bodies, (-0.4, 0.6, 0.3, 0.5)):
        body.joint.q = [0.1, turn, -0.2 * turn]
    end = Point((0.15, 0.0, 0.0), "3")
    there = Point(tuple(map(float, where(spec, end))))
    spec.constraints.append(kind(end, there, name="end", **more))
    return spec


def bound_to_itself() -> SceneSpec:
    """A free body with two arms that a weld, and two hinges, hold together; it flies."""
    bodies = [bar("base", Free(), qdot=[0.0, 0.0, 1.0, 1.0, 2.0, 0.5])]
    bodies += [
        bar("left", Revolute(Z), "base"),
        bar("right", Revolute(Z), "left"),
        bar("back", Spherical(), "base"),
    ]
    weld = LoopWeld(Point((-0.15, 0.0, 0.0), "right"), Point((0.15, 0.0, 0.0), "back"), name="weld")
    hinge = LoopHinge(
        Point((-0.15, 0.0, 0.0), "left"), Point((-0.15, 0.0, 0.0), "back"), axis=Z, name="hinge"
    )
    return SceneSpec(bodies=bodies, constraints=[weld, hinge])


def coming_and_going() -> SceneSpec:
    """Loops that hold for a while, one of which closes a gap."""
    spec = chain(Revolute(Y), Revolute(Y), Revolute(Y))
    for body, turn in zip(spec.bodies, (-0.4, 0.6, 0.5)):
        body.joint.q = turn
    end = Point((0.15, 0.0, 0.0), "2")
    spec.constraints.append(LoopPoint(end, Point((0.8, 0.0, -0.1)), active=[Interval(0.05, 0.2, 0.05)]))
    spec.constraints.append(LoopDistance(end, Point((0.2, 0.0, 0.4)), active=[Interval(end=0.04)]))
    return spec


def driven_loop_on_feet(kind: str) -> SceneSpec:
    """A linkage on a body that stands on balls; its crank has a torque."""
    spec = four_bar(kind, torque=[Constant(2.0)])
    for body in spec.bodies:
        if body.parent is None:
            body.parent = "base"
    base = loose("base", Cuboid((1.2, 0.4, 0.1)), (0.45, 0.0, 0.0), mass=4.0)
    spec.bodies.insert(0, base)
    spec.bodies[1].joint.frame.position = (-0.45, 0.0, 0.0)
    loop = spec.constraints[0]
    loop.b = Point((0.45, 0.0, 0.0), "base")
    spec.colliders.append(replace(GROUND, pose=Pose((0.0, 0.0, -0.0501))))
    return spec


def walker(friction: float) -> Case:
    spec = klann.spec(klann.Klann(friction=friction))
    return Case(spec, steps=30, at=(0, 1, 14, 29), h=spec.time.step)


def geared() -> SceneSpec:
    spec = gear_train(torque=[Sine(3.0, 2.0)])
    spec.bodies[2].joint.friction = PIN
    spec.bodies += chain(Revolute(Y), Revolute(Z), Revolute(Y)).bodies
    spec.constraints.append(Gear([Term("0", 1.0), Term("1", -2.0), Term("2", 0.5)]))
    return spec


def coupled(free: bool) -> SceneSpec:
    """A tail whose joints follow one coordinate, two others that follow another, and a loop, and a rope."""
    kinds = [Free() if free else Spherical(), *[Revolute(Y)] * 5, Revolute(Z), Revolute(Z)]
    spec = chain(*kinds, damping=0.01)
    spec.couplings = [
        CouplingSpec([Term(str(i), 1.0 + 0.1 * i) for i in range(1, 6)]),
        CouplingSpec([Term("6", 1.0), Term("7", -0.5)]),
    ]
    spec.constraints.append(
        LoopDistance(Point(body="7"), Point((1.0, 0.3, 1.0)), length=1.5, sense="at-most")
    )
    spec.forces.append(Spring([Point(body="5"), Point((1.0, 0.0, 0.5))], 40.0, 0.5))
    return spec


def springs() -> SceneSpec:
    spec = samples.springs()
    tip, base = Point((0.15, 0.0, 0.0), "bar 2"), Point((-0.1, 0.0, 0.0), "bar 0")
    through = [tip, Point((0.0, 0.05, 0.0), "bar 1"), base, Point((0.0, 0.0, 0.6))]
    spec.forces.append(Spring(through, 80.0, 1.0, rest_length=0.7, tension_only=True, name="string"))
    spec.forces.append(Spring(through[:2], 200.0, 2.0, tension_only=True, rest_length=0.1, tangent="axial"))
    return spec


def net() -> SceneSpec:
    """More springs than are taken as rows: neighbours of three chains."""
    spec = SceneSpec(bodies=[])
    for c in range(3):
        for i in range(8):
            spec.bodies.append(
                bar(
                    f"{c}.{i}",
                    Spherical(),
                    f"{c}.{i - 1}" if i else None,
                    0.1,
                    None if i else (0.0, 0.1 * c, 0.0),
                )
            )
    for c, d in ((0, 1), (1, 2)):
        for i in range(8):
            for x in (-0.05, 0.0, 0.05):
                spec.forces.append(
                    Spring([Point((x, 0.0, 0.0), f"{c}.{i}"), Point((x, 0.0, 0.0), f"{d}.{i}")], 300.0, 0.3)
                )
    return spec


def ropes() -> SceneSpec:
    """Rods, ropes and struts between bodies and to the world, some of which become taut."""
    spec = chain(Revolute(Y), Spherical(), Spherical())
    spec.bodies.append(bar("loose", Free(), at=(0.3, 0.4, 0.0), qdot=[0.5, 0.2, 2.0, 1.0, 0.0, 0.0]))
    tip, hand = Point((0.15, 0.0, 0.0), "2"), Point((0.1, 0.0, 0.0), "loose")
    spec.constraints += [
        LoopDistance(tip, hand, length=0.75, sense="at-most", name="rope"),
        LoopDistance(tip, Point((0.9, 0.0, 0.3)), length=0.31, sense="at-most", name="halter"),
        LoopDistance(Point(body="1"), Point((0.45, 0.0, -0.3)), length=0.27, sense="at-least", name="strut"),
        LoopDistance(Point(body="loose"), Point(body="0"), name="rod"),
    ]
    return spec


def pushed() -> SceneSpec:
    """Forces over time, wind in and out of the matrix, and every force field."""
    spec = chain(Free(), Spherical(), Revolute(Y), damping=0.05)
    spec.forces += [
        PointForce("1", (0.1, 0.0, 0.0), force=[Sine(5.0, 2.0), None, Constant(2.0)]),
        PointForce("2", torque=[None, Sine(0.3, 3.0), None], axes="body"),
        Wind([Constant(3.0), Sine(2.0, 1.0), None], linear=0.4, quadratic=0.2),
        Wind([None, Constant(1.0), None], linear=0.1, bodies=["1"], implicit=False),
    ]
    at = Pose((0.4, -0.3, 0.2), [0.3, 0.5, -0.2])
    kinds = ("force", "wind", "vortex", "magnetic", "harmonic", "turbulence", "drag")
    spec.forces += [Field(kind, at, strength=2.0, flow=0.1, size=0.3, power=1.0) for kind in kinds]
    return spec


def cases() -> Iterator[tuple[str, Case]]:
    for kind in ("hinge", "point", "planar"):
        yield f"four-bar, {kind}", Case(four_bar(kind, 4.0))
    yield "four-bar, rubbing", Case(rubbing(four_bar("planar", 4.0)))
    yield "four-bar, hinge, rubbing", Case(rubbing(four_bar("hinge", 4.0)))
    yield "four-bar, twice, midway", Case(twice(four_bar("hinge", 4.0)), integrator="euler-midway")
    yield "slider-crank", Case(slider_crank(qdot=6.0))
    yield "ring of 20", Case(ring(20, "planar"))
    yield "loop-point", Case(closed(LoopPoint))
    yield "loop-hinge", Case(closed(LoopHinge, axis=Y))
    yield "loop-weld", Case(closed(LoopWeld))
    yield "loop-slider, rubbing", Case(rubbing(closed(LoopSlider, axis=(1.0, 0.2, 0.0))))
    yield "loop-piston, rubbing", Case(rubbing(closed(LoopPiston, axis=(1.0, 0.2, 0.0))))
    yield "loop-point, rubbing", Case(rubbing(closed(LoopPoint)))
    yield "bound to itself", Case(bound_to_itself(), integrator="euler-midway")
    yield "loops that come and go", Case(coming_and_going(), at=(0, 11, 12, 20, 30, 47, 59))
    yield "linkage on feet, planar", Case(driven_loop_on_feet("planar"))
    yield "linkage on feet, hinge", Case(driven_loop_on_feet("hinge"))
    yield "linkage on feet, rubbing", Case(rubbing(driven_loop_on_feet("planar")))
    yield "walking machine", walker(0.3)
    yield "gears", Case(geared())
    yield "hyper-reduced", Case(coupled(False))
    yield "hyper-reduced, free, midway", Case(coupled(True), integrator="euler-midway")
    yield "springs of every kind", Case(springs(), h=0.002)
    rubs = springs()
    for body in rubs.bodies[1:]:
        body.joint.friction = PIN
    rubs.bodies[2].joint.type = Revolute(Y)
    rubs.bodies[2].joint.q = None
    yield "springs and friction", Case(rubs, h=0.002)
    yield "a net of springs", Case(net(), steps=30, at=(0, 1, 14, 29))
    yield "ropes, rods and struts", Case(ropes())
    yield "forces, wind and fields", Case(pushed())
    yield "stabilised loops", Case(four_bar("planar", 4.0), options={"stabilisation": 50.0})
    yield "loops along a tangent", Case(four_bar("planar", 4.0), options={"curved_loops": False})
    yield "loop by the direct solver", Case(closed(LoopPoint), options={"solver": "direct"})
