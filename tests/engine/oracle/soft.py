"""Flesh, strands and muscles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from muscles.muscle_scenes import OVER, STRAIGHT, THROUGH
from muscles.muscle_scenes import arm as muscled

from redmax_blender.engine.fem.bar import bar as bricks
from redmax_blender.engine.scene import (
    Attachment,
    Cuboid,
    Fixed,
    FleshSpec,
    Free,
    HillActuator,
    JointFriction,
    MaterialSpec,
    MuscleSpec,
    Over,
    Point,
    Reflex,
    Revolute,
    SceneSpec,
    Sine,
    Spherical,
    SpringActuator,
    SpringFloor,
    StrandSpec,
    Surface,
    Term,
)
from redmax_blender.engine.scene.constraints import CouplingSpec

from .case import GROUND, Case, bar, loose

Y = (0.0, 1.0, 0.0)
RUB = JointFriction(0.3, 0.02, 0.05)
FEW = (0, 1, 14, 29)


def block(
    kind: str = "corotated", z: float = 0.0, counts: tuple[int, int, int] = (6, 2, 2), **more: object
) -> FleshSpec:
    X, tets = bricks(counts, (0.6, 0.12, 0.12))
    X = X + np.array([0.0, -0.06, z - 0.06])
    material = MaterialSpec(young=4e4, stiffness_damping=0.005, kind=kind)
    return FleshSpec("block", [tuple(x) for x in X.tolist()], tets.tolist(), material, **more)


def limb(root: object, friction: JointFriction | None = None, z: float = 0.0, **more: object) -> SceneSpec:
    """Two bones in a bar of flesh."""
    flesh = block(z=z, **more)
    X = np.array(flesh.vertices)
    middle = np.hypot(X[:, 1], X[:, 2] - z) < 0.03
    for name, (a, b) in {"upper": (0.0, 0.2), "lower": (0.4, 0.6)}.items():
        held = np.flatnonzero(middle & (X[:, 0] > a - 1e-9) & (X[:, 0] < b + 1e-9)).tolist()
        flesh.attachments.append(Attachment(name, held, None if name == "upper" else 3e3))
    bones = [
        bar("upper", root, None, 0.3, (0.0, 0.0, z)),
        bar("lower", Revolute(Y), "upper", 0.3, qdot=2.0, friction=friction),
    ]
    return SceneSpec(bodies=bones, flesh=[flesh])


def coupled_limb() -> SceneSpec:
    spec = limb(Revolute(Y))
    spec.couplings = [CouplingSpec([Term("upper", 1.0), Term("lower", -0.5)])]
    spec.bodies[1].joint.qdot = None
    return spec


def soft_on_hard() -> SceneSpec:
    """Flesh with a bone in it that lands on the ground, and a box that lands on the flesh."""
    spec = limb(Free(), z=0.1, surface=Surface(friction=0.6))
    spec.bodies.append(loose("box", Cuboid((0.1, 0.1, 0.1)), (0.3, 0.0, 0.25), speed=(0.0, 0.0, -2.0)))
    spec.colliders = [GROUND]
    return spec


def strands() -> SceneSpec:
    spec = SceneSpec(bodies=[bar("upper", Spherical()), bar("lower", Revolute(Y), "upper")])
    end, world = Point((0.15, 0.0, 0.0), "lower"), Point((0.9, 0.0, 0.3))
    spec.strands.append(StrandSpec("bound", end, world, stiffness=100.0, mass=0.2, nodes=5))
    spec.strands.append(StrandSpec("loose", Point(body="upper"), world, 50.0, 0.1, 4, hold_end=False))
    return spec


def muscle_arm(mass: float, rounding: float | None = None, **joints: object) -> SceneSpec:
    hill = HillActuator(300.0, tendon_strain=0.05)
    common = {"mass": mass, "excitation": Sine(0.3, 1.0, offset=0.5)}
    return muscled(
        [
            MuscleSpec("over", OVER, [Over("elbow", side="clockwise")], rounding, actuator=hill, **common),
            MuscleSpec("straight", STRAIGHT, actuator=HillActuator(200.0, rigid_tendon=True), **common),
            MuscleSpec(
                "through", THROUGH, actuator=SpringActuator(50.0, 500.0, 2.0, activation_time=0.02),
                reflexes=[Reflex(gain=5.0, rate_gain=0.2, only_beyond=True)], **common,
            ),
        ],
        **joints,
    )  # fmt: skip


def cases() -> Iterator[tuple[str, Case]]:
    few = {"steps": 30, "at": FEW, "frame": 4}
    post = bar("post", Fixed(), at=(0.0, 1.0, 0.0))
    falling = block(z=0.08, floor=SpringFloor(200.0, 1.0, 0.5))
    pinned = block("neo-hookean", pinned=[0, 1, 2, 3])
    yield "flesh that falls on its floor", Case(SceneSpec(bodies=[post], flesh=[falling]), **few)
    yield "neo-hookean flesh, pinned", Case(SceneSpec(bodies=[post], flesh=[pinned]), **few)
    yield "flesh on bones", Case(limb(Revolute(Y)), **few)
    yield "flesh on free bones, midway", Case(limb(Free()), integrator="euler-midway", **few)
    yield "flesh on bones with friction", Case(limb(Revolute(Y), RUB), **few)
    yield "flesh on coupled bones", Case(coupled_limb(), **few)
    yield "flesh that collides", Case(soft_on_hard(), steps=40, at=(0, 10, 20, 30, 39), frame=4)
    yield "strands", Case(strands(), **few)
    yield "muscles", Case(muscle_arm(0.0), steps=30, at=FEW)
    yield "muscles with mass", Case(muscle_arm(0.3), steps=30, at=FEW)
    yield "muscles with mass, midway", Case(muscle_arm(0.3), steps=30, at=FEW, integrator="euler-midway")
    yield "muscles, friction", Case(muscle_arm(0.0, friction=RUB), steps=30, at=FEW)
    yield "muscles on exact paths", Case(muscle_arm(0.2, 0.0), steps=10, at=(0, 1, 9), h=0.002)
