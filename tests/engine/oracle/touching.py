"""Contact: shapes, meshes, colliders that move, figures, stacks that sleep, tubes, blows."""

from __future__ import annotations

from collections.abc import Iterator

from fem_shapes import sphere
from random_contact import random_scene

from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    ColliderSpec,
    Composite,
    CompositeJoint,
    Constant,
    Cuboid,
    Cylinder,
    Ellipsoid,
    Free,
    Hull,
    JointFriction,
    JointSpec,
    Limits,
    LoopDistance,
    Mesh,
    Motor,
    Part,
    Point,
    Polynomial,
    Pose,
    Prismatic,
    Revolute,
    SceneSpec,
    SelfCollision,
    Sine,
    Sphere,
    Spherical,
    Spring,
    Surface,
    Tube,
    Wind,
)
from redmax_blender.engine.shots.figure import Skin, figure

from .case import GROUND, Case, bar, loose

TETRA = Hull([(0.1, 0.0, 0.0), (-0.1, 0.1, 0.0), (-0.1, -0.1, 0.0), (0.0, 0.0, 0.2)])
AWAKE, ASLEEP = {"sleep": False}, {"sleep": True}


def ball_mesh() -> Mesh:
    x, triangles = sphere(1, 0.1)
    return Mesh([tuple(p) for p in x.tolist()], [tuple(t) for t in triangles.tolist()])


def bowl() -> ColliderSpec:
    """A valley of triangles."""
    points = [
        (x, y, 0.1 * (x * x + y * y))
        for x in (-2.0, -1.0, 0.0, 1.0, 2.0)
        for y in (-2.0, -1.0, 0.0, 1.0, 2.0)
    ]
    faces = []
    for i in range(4):
        for j in range(4):
            a, b, c, d = 5 * i + j, 5 * i + j + 5, 5 * i + j + 6, 5 * i + j + 1
            faces += [(a, b, c), (a, c, d)]
    return ColliderSpec(name="valley", shape=Mesh(points, faces), friction=0.4)


def shapes(**surface: float) -> list[BodySpec]:
    """One of each, about to come down, two of them onto others."""
    two = Composite([Part(Sphere(0.06), Pose((0.1, 0.0, 0.0))), Part(Cuboid((0.2, 0.05, 0.05)))])
    spin = (1.0, 2.0, 0.5)
    all_ = [
        ("ball", Sphere(0.1), 0.12), ("box", Cuboid((0.3, 0.2, 0.2)), 0.16), ("rod", Capsule(0.05, 0.3), 0.1),
        ("drum", Cylinder(0.1, 0.1), 0.12), ("egg", Ellipsoid((0.12, 0.1, 0.08)), 0.12),
        ("two", two, 0.12), ("mesh", ball_mesh(), 0.12),
    ]  # fmt: skip
    out = [
        loose(
            name,
            shape,
            (0.5 * (i % 3), 0.5 * (i // 3), z),
            (0.3, 0.1 * i, 0.0),
            (0.5, 0.0, -1.0),
            spin,
            **surface,
        )
        for i, (name, shape, z) in enumerate(all_)
    ]
    out += [
        loose("top", Cuboid((0.3, 0.3, 0.1)), (0.02, 0.01, 0.3), speed=(0.0, 0.0, -1.0), **surface),
        loose("hull", Sphere(0.1), (0.5, 0.02, 0.36), speed=(0.0, 0.0, -1.0), **{**surface, "shape": TETRA}),
    ]
    return out


def platform() -> ColliderSpec:
    still = Constant(0.0)
    return ColliderSpec(
        name="platform", shape=Cuboid((3.0, 3.0, 0.2)), friction=0.8,
        motion=[Sine(0.1, 1.0), still, Sine(0.05, 2.0, offset=-0.1), still, Sine(0.05, 1.0), Sine(0.2, 0.5)],
    )  # fmt: skip


def stack(count: int) -> SceneSpec:
    boxes = [
        loose(f"box{i}", Cuboid((0.3, 0.3, 0.2)), (0.01 * i, 0.0, 0.1 + 0.2001 * i)) for i in range(count)
    ]
    return SceneSpec(bodies=boxes, colliders=[GROUND])


def cradle() -> SceneSpec:
    """Balls that rest, and one that strikes them."""
    balls = [
        loose(f"ball{i}", Sphere(0.1), (0.2001 * i, 0.0, 0.1), restitution=1.0, friction=0.0)
        for i in range(4)
    ]
    balls.append(
        loose(
            "striker",
            Sphere(0.1),
            (-0.9, 0.0, 0.1),
            speed=(2.0, 0.0, 0.0),
            restitution=1.0,
            friction=0.0,
            mass=20.0,
        )
    )
    return SceneSpec(bodies=balls, colliders=[GROUND])


def falling(skin: Skin, height: float = 1.2) -> SceneSpec:
    return SceneSpec(
        bodies=figure(skin, [0.0, 0.0, height, 0.5, 0.2, 0.0]),
        colliders=[GROUND],
        self_collision=SelfCollision(),
    )


def busy(skin: Skin) -> SceneSpec:
    """A figure with a rope, a spring, a motor and wind, on a platform."""
    spec = falling(skin)
    left, right = Point(body="hand.L"), Point(body="hand.R")
    spec.constraints.append(LoopDistance(left, right, length=1.2, sense="at-most"))
    spec.forces.append(Spring([Point(body="head"), Point(body="foot.L")], 50.0, 1.0))
    spec.forces.append(Wind([Constant(3.0), None, None], linear=0.5, quadratic=0.2))
    body = next(b for b in spec.bodies if b.name == "forearm.L")
    body.joint.motors = [Motor(Constant(1.0), 5.0)]
    spec.colliders = [platform()]
    return spec


def arm(springy: bool, rubs: bool) -> SceneSpec:
    """An arm that comes down on the ground, with limits hard, springy and rubbing, and curved springs."""
    base = loose("base", Cuboid((0.3, 0.3, 0.2)), (0.0, 0.0, 0.5), spin=(0.3, 1.0, 0.2), density=500.0)
    hard = Limits(lower=-0.3, upper=0.2, restitution=0.3)
    soft = Limits(lower=-0.3, upper=0.2, stiffness=200.0, damping=2.0)
    friction = JointFriction(0.2, 0.03, 0.05) if rubs else None
    bodies = [base]
    for i, parent in enumerate(("base", "upper")):
        bodies.append(
            BodySpec(
                name=("upper", "lower")[i], parent=parent, shape=Capsule(0.04, 0.2), density=800.0, surface=Surface(),
                pose=Pose((0.0, 0.0, -0.15)),
                joint=JointSpec(
                    type=Revolute((0.0, 1.0, 0.0)), frame=Pose((0.2 if i == 0 else 0.0, 0.0, -0.3 if i else 0.0)),
                    limits=soft if springy else hard, friction=friction,
                    spring_curve=[Polynomial([0.0, 2.0, 0.0, 30.0])] if springy else [],
                ),
            )
        )  # fmt: skip
    slide = CompositeJoint([Prismatic((0.0, 0.0, 1.0)), Revolute((0.0, 0.0, 1.0))])
    stop = Limits(lower=[-0.05, None], upper=[0.05, None], friction=0.4 if rubs else 0.0, radius=0.05)
    bodies.append(
        BodySpec(
            name="spindle", parent="base", shape=Cylinder(0.04, 0.1), surface=Surface(),
            pose=Pose((0.0, 0.0, -0.1)),
            joint=JointSpec(type=slide, frame=Pose((-0.2, 0.0, -0.1)), limits=stop, qdot=[0.0, 5.0]),
        )
    )  # fmt: skip
    return SceneSpec(bodies=bodies, colliders=[GROUND], self_collision=SelfCollision())


def chain_on_the_ground(kind: object, friction: JointFriction | None) -> SceneSpec:
    bodies = [loose("0", Capsule(0.03, 0.1), (0.0, 0.0, 0.05))]
    for i in range(1, 8):
        bodies.append(bar(str(i), kind, str(i - 1), 0.12, friction=friction, surface=Surface(), damping=0.01))
    return SceneSpec(bodies=bodies, colliders=[GROUND])


def eel() -> SceneSpec:
    """Bones in a tube that curls onto itself."""
    bodies = [
        BodySpec(
            name=f"bone{i}", parent=f"bone{i - 1}" if i else None, shape=Capsule(0.04, 0.1),
            pose=Pose((0.05, 0.0, 0.0), [0.0, 1.5707963, 0.0]), surface=Surface(),
            joint=JointSpec(
                type=Spherical() if i else Free(), frame=Pose((0.1 if i else 0.0, 0.0, 0.0 if i else 0.08)),
                q=[0.0, 0.1, 0.55] if i else None, qdot=[0.0, 0.2, 1.5] if i else None,
            ),
        )
        for i in range(12)
    ]  # fmt: skip
    skin = Tube(name="skin", bodies=[b.name for b in bodies], radius=0.05, friction=0.3)
    return SceneSpec(bodies=bodies, tubes=[skin], colliders=[GROUND])


def bullets() -> SceneSpec:
    """Fast small bodies against a thin wall, and a fast spinning one on the ground: steps in parts."""
    wall = ColliderSpec(name="wall", shape=Cuboid((0.01, 4.0, 4.0)), pose=Pose((1.0, 0.0, 0.0)))
    shapes_ = (Sphere(0.02), Cuboid((0.05, 0.03, 0.03)), Capsule(0.01, 0.04), Cylinder(0.02, 0.04))
    bodies = [
        loose(
            str(i), shape, (0.0, 0.2 * i, 0.5), speed=(60.0 + 20.0 * i, 0.0, 0.0), spin=(0.0, 30.0 * i, 100.0)
        )
        for i, shape in enumerate(shapes_)
    ]
    bodies.append(loose("whirl", Cuboid((0.3, 0.1, 0.05)), (-1.0, 0.0, 0.1), spin=(0.0, 80.0, 20.0)))
    return SceneSpec(bodies=bodies, colliders=[GROUND, wall])


def cases() -> Iterator[tuple[str, Case]]:
    ground = [GROUND]
    yield "shapes on the ground", Case(SceneSpec(bodies=shapes(), colliders=ground))
    yield (
        "shapes that bounce, boxed",
        Case(
            SceneSpec(bodies=shapes(restitution=0.5), colliders=ground),
            options=AWAKE | {"boxed_friction": True},
        ),
    )
    yield "shapes in a valley of triangles", Case(SceneSpec(bodies=shapes(margin=0.005), colliders=[bowl()]))
    yield (
        "shapes on a moving platform",
        Case(SceneSpec(bodies=shapes(), colliders=[platform()]), integrator="euler-midway"),
    )
    yield "a stack", Case(stack(6), frame=24)
    yield "a stack that sleeps", Case(stack(4), steps=120, at=(0, 20, 80, 119), frame=60, options=ASLEEP)
    yield "a cradle", Case(cradle(), steps=90, at=(0, 40, 80, 82, 84, 86, 89), options=ASLEEP)
    bare, rubs = Skin(friction=0.6, joint_friction=0.0), Skin(friction=0.6)
    at = (0, 20, 40, 60, 80, 100, 119)
    yield "a figure", Case(falling(bare), steps=120, at=at)
    yield "a figure, midway", Case(falling(bare), steps=120, at=at, integrator="euler-midway")
    yield "a figure, friction", Case(falling(rubs), steps=120, at=at)
    yield "a busy figure", Case(busy(bare), steps=120, at=at)
    yield "a busy figure, friction", Case(busy(rubs), steps=120, at=at)
    yield "an arm, hard limits", Case(arm(False, False), steps=90, at=(0, 20, 40, 60, 70, 80, 89))
    yield "an arm, springy limits", Case(arm(True, False), steps=90, at=(0, 20, 40, 60, 70, 80, 89))
    yield "an arm, friction", Case(arm(False, True), steps=90, at=(0, 20, 40, 60, 70, 80, 89))
    pin = JointFriction(0.3, 0.02, 0.05)
    sticky = JointFriction(0.2, 0.02, 0.05, static=0.5)
    yield (
        "hinges on the ground, static friction",
        Case(chain_on_the_ground(Revolute((0.0, 1.0, 0.0)), sticky)),
    )
    yield "balls on the ground, friction", Case(chain_on_the_ground(Spherical(), pin))
    yield "a tube", Case(eel(), steps=90, at=(0, 20, 40, 60, 89))
    yield "bullets", Case(bullets(), steps=12, at=(0, 1, 2, 3, 4, 5, 6, 7, 11), frame=2)


def random_cases() -> Iterator[tuple[str, Case]]:
    """Scenes as the thousand random ones are."""
    for seed in range(20):
        yield f"random contacts {seed}", Case(random_scene(seed), steps=120, at=(0, 30, 60, 90, 119), frame=4)
