"""Mechanisms that tests run: an arm, four-bar, slider-crank, gear train, ring; and how to run and measure them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.constraints.active import gear_rows
from redmax_blender.engine.constraints.rows import evaluate_rows
from redmax_blender.engine.integrators.euler import EulerSteps
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.scene import (
    BodySpec,
    Cuboid,
    JointSpec,
    Polynomial,
    Pose,
    Prismatic,
    Revolute,
    SceneSpec,
    Vec3,
)
from redmax_blender.engine.scene.constraints import Gear, LoopHinge, LoopPoint, Term
from redmax_blender.engine.scene.forces import Point
from redmax_blender.engine.tree.kinematics import forward_kinematics

Y: Vec3 = (0.0, 1.0, 0.0)
NO_GRAVITY: Vec3 = (0.0, 0.0, 0.0)


def rod(
    name: str, length: float, parent: str | None, at: Vec3, angle: float, mass: float = 1.0, **joint: Any
) -> BodySpec:
    """A rod along x from its hinge about y, its frame turned by an angle [rad] against the parent's."""
    return BodySpec(
        name=name,
        parent=parent,
        shape=Cuboid(sides=(length, 0.04, 0.04)),
        mass=mass,
        pose=Pose(position=(0.5 * length, 0.0, 0.0)),
        joint=JointSpec(type=Revolute(axis=Y), frame=Pose(position=at, rotation=[0.0, angle, 0.0]), **joint),
    )


def end_of(length: float, body: str, other: bool = False) -> Point:
    """The far end of a rod, or the near one."""
    return Point(body=body, position=((-0.5 if other else 0.5) * length, 0.0, 0.0))


def chain_angles(points: Sequence[Sequence[float]]) -> list[float]:
    """Frame angles about y, each against the last, of rods between points (x, z) in the plane."""
    heading, out = 0.0, []
    for (x0, z0), (x1, z1) in zip(points[:-1], points[1:], strict=True):
        angle = float(np.arctan2(-(z1 - z0), x1 - x0))  # turning about y takes x towards -z
        out.append(angle - heading)
        heading = angle
    return out


def four_bar(closure: str = "hinge", speed: float = 0.0, **crank: Any) -> SceneSpec:
    """Crank, coupler and rocker on the ground: a Grashof four-bar, closed at the rocker's foot.

    The closure is a `hinge` in space (5 rows, of which 3 repeat what the hinges say already), a `point` (3 rows) or
    `planar` (2 rows).
    """
    a, b, c, ground = 0.3, 0.8, 0.6, 0.9
    tip = np.array([0.0, a])
    # the joint between coupler and rocker, from the two lengths
    foot = np.array([ground, 0.0])
    d = float(np.linalg.norm(foot - tip))
    along = (b * b - c * c + d * d) / (2.0 * d)
    up = float(np.sqrt(b * b - along * along))
    u = (foot - tip) / d
    knee = tip + along * u + up * np.array([-u[1], u[0]])
    angles = chain_angles([(0.0, 0.0), tip, knee, foot])
    bodies = [
        rod("crank", a, None, (0.0, 0.0, 0.0), angles[0], mass=0.5, **({"qdot": speed} | crank)),
        rod("coupler", b, "crank", (a, 0.0, 0.0), angles[1]),
        rod("rocker", c, "coupler", (b, 0.0, 0.0), angles[2]),
    ]
    tip_of_rocker, ground_point = end_of(c, "rocker"), Point(position=(ground, 0.0, 0.0))
    loops: dict[str, Any] = {
        "hinge": LoopHinge(a=tip_of_rocker, b=ground_point, axis=Y, name="foot"),
        "point": LoopPoint(a=tip_of_rocker, b=ground_point, name="foot"),
        "planar": LoopPoint(a=tip_of_rocker, b=ground_point, perpendicular_to=Y, name="foot"),
    }
    return SceneSpec(bodies=bodies, constraints=[loops[closure]])


def slider_crank(**crank: Any) -> SceneSpec:
    """A crank drives a piston along x through a rod; the loop is closed at the piston's pin."""
    a, b = 0.2, 0.6
    angles = chain_angles([(0.0, 0.0), (0.0, a), (np.sqrt(b * b - a * a), 0.0)])
    reach = float(np.sqrt(b * b - a * a))
    return SceneSpec(
        bodies=[
            rod("crank", a, None, (0.0, 0.0, 0.0), angles[0], **crank),
            rod("rod", b, "crank", (a, 0.0, 0.0), angles[1]),
            BodySpec(
                name="piston",
                shape=Cuboid(sides=(0.1, 0.1, 0.1)),
                mass=0.5,
                joint=JointSpec(type=Prismatic(axis=(1.0, 0.0, 0.0)), frame=Pose(position=(reach, 0.0, 0.0))),
            ),
        ],
        constraints=[LoopHinge(a=end_of(b, "rod"), b=Point(body="piston"), axis=Y, name="pin")],
    )


def gear_train(**first: Any) -> SceneSpec:
    """Three wheels with ratios -2 and -0.5 and a rack on the last one."""
    wheels = [
        BodySpec(
            name=f"wheel{i}",
            shape=Cuboid(sides=(0.2 + 0.1 * i, 0.05, 0.2 + 0.1 * i)),
            mass=1.0 + i,
            joint=JointSpec(
                type=Revolute(axis=Y), frame=Pose(position=(float(i), 0.0, 0.0)), **(first if i == 0 else {})
            ),
        )
        for i in range(3)
    ]
    rack = BodySpec(
        name="rack",
        shape=Cuboid(sides=(0.1, 0.1, 0.5)),
        mass=2.0,
        joint=JointSpec(type=Prismatic(axis=(0.0, 0.0, 1.0)), frame=Pose(position=(2.3, 0.0, 0.0))),
    )

    def mesh(a: str, b: str, ratio: float) -> Gear:
        return Gear(
            terms=[Term(joint=b, factor=1.0), Term(joint=a, factor=-ratio)], offset=0.0, name=f"{a}-{b}"
        )

    return SceneSpec(
        bodies=[*wheels, rack],
        constraints=[
            mesh("wheel0", "wheel1", -2.0),
            mesh("wheel1", "wheel2", -0.5),
            mesh("wheel2", "rack", 0.3),
        ],
    )


def ring(count: int = 20, closure: str = "hinge", **root: Any) -> SceneSpec:
    """A closed chain of rods, hung up at one joint, in the plane y = 0."""
    turn = 2.0 * np.pi / count
    side = 2.0 * np.sin(0.5 * turn)
    points = [(np.sin(k * turn), -1.0 + np.cos(k * turn)) for k in range(count + 1)]
    angles = chain_angles(points)
    bodies = []
    for k in range(count):
        at = (0.0, 0.0, 0.0) if k == 0 else (side, 0.0, 0.0)
        bodies.append(
            rod(
                f"link{k}",
                side,
                None if k == 0 else f"link{k - 1}",
                at,
                angles[k],
                0.2,
                **(root if k == 0 else {}),
            )
        )
    last, hook = end_of(side, f"link{count - 1}"), Point(position=(0.0, 0.0, 0.0))
    loop: Any = LoopHinge(a=last, b=hook, axis=Y, name="hook")
    if closure == "planar":
        loop = LoopPoint(a=last, b=hook, perpendicular_to=Y, name="hook")
    return SceneSpec(bodies=bodies, constraints=[loop])


def arm() -> SceneSpec:
    """Two rods of half a metre in the plane y = 0."""
    return SceneSpec(
        bodies=[
            rod("upper", 0.5, None, (0.0, 0.0, 0.0), 0.3),
            rod("lower", 0.5, "upper", (0.5, 0.0, 0.0), -1.0),
        ]
    )


TIP = end_of(0.5, "lower")
"""The end of the arm."""


def line(start: float, speed: float) -> Polynomial:
    return Polynomial(coefficients=[float(start), float(speed)])


def where(spec: SceneSpec, point: Point) -> Floats:
    """World position of a point in the initial pose."""
    model = compile_scene(SceneSpec(bodies=spec.bodies))
    return point_of(model, model.initial_state(), point)


def point_of(model: Model, state: State, point: Point) -> Floats:
    kin = forward_kinematics(model, state)
    i = model.bodies.names.index(str(point.body))
    E, S = kin.E_wj[model.bodies.link[i]], model.bodies.E_js[i]
    local = S[:9].reshape(3, 3) @ point.position + S[9:]
    return E[:9].reshape(3, 3) @ local + E[9:]


def open_by(model: Model, state: State) -> float:
    """Largest error of all rows at a state, angles by the scene's size, as a fraction of that size."""
    c = model.constraints
    kin = forward_kinematics(model, state)
    errors = np.abs(evaluate_rows(c.rows, state.t, kin).error) * c.rows.lever
    gears = np.abs(gear_rows(model, state.q, np.arange(len(c.gears.offset)))[1]) * c.gears.lever
    return float(max(errors.max(initial=0.0), gears.max(initial=0.0))) / c.size


def total(model: Model, state: State) -> float:
    return float(energies(model, state, forward_kinematics(model, state)).sum())


def run(model: Model, h: float, end: float, **options: object) -> tuple[list[State], EulerSteps]:
    steps = EulerSteps(model, model.initial_state(), Options(h=h).with_(**options))
    return [next(steps) for _ in range(round(end / h))], steps
