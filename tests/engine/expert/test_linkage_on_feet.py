"""A four-bar that a torque drives, on a body that stands on four balls: it may not turn by itself, nor make energy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from linkages import Y

from redmax_blender.engine import compile_scene, simulate
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import (
    BodySpec,
    ColliderSpec,
    Cuboid,
    Free,
    JointFriction,
    JointSpec,
    LoopHinge,
    LoopPoint,
    Plane,
    Point,
    Pose,
    Revolute,
    SceneSpec,
    Sine,
    Sphere,
    Surface,
)

CORNERS = ((0.0, 0.0), (0.0, 0.3), (0.81, 0.52), (0.9, 0.0))
"""Of crank, coupler and rocker [m], above the base."""


def machine(closure: str, torque: float, rubs: bool) -> SceneSpec:
    rub = JointFriction(0.3, 0.01, 0.03) if rubs else None
    surface = Surface(friction=0.6)
    base = BodySpec(
        "base", Cuboid((1.2, 0.4, 0.1)), mass=5.0, joint=JointSpec(Free(), frame=Pose((0.0, 0.0, 0.1))),
    )  # fmt: skip
    bodies = [base]
    for i, (x, y) in enumerate(((0.5, 0.2), (0.5, -0.2), (-0.5, 0.2), (-0.5, -0.2))):
        at = JointSpec(frame=Pose((x, y, -0.05)))
        bodies.append(BodySpec(f"foot {i}", Sphere(0.05), "base", at, mass=0.1, surface=surface))
    way = np.diff(np.array(CORNERS), axis=0)
    lengths, heading = np.linalg.norm(way, axis=1).tolist(), np.arctan2(-way[:, 1], way[:, 0])
    turns = np.diff(heading, prepend=0.0).tolist()
    for i, name in enumerate(("crank", "coupler", "rocker")):
        at = (-0.45, 0.0, 0.05) if i == 0 else (lengths[i - 1], 0.0, 0.0)
        joint = JointSpec(
            type=Revolute(Y), frame=Pose(at, [0.0, turns[i], 0.0]), friction=rub,
            torque=[Sine(torque, 1.0)] if i == 0 else [],
        )  # fmt: skip
        shape = Cuboid((lengths[i], 0.04, 0.04))
        bodies.append(
            BodySpec(name, shape, ("base", "crank", "coupler")[i], joint, Pose((0.5 * lengths[i], 0.0, 0.0)))
        )
    end, there = Point((0.5 * lengths[2], 0.0, 0.0), "rocker"), Point((0.45, 0.0, 0.05), "base")
    loops = {
        "planar": LoopPoint(end, there, perpendicular_to=Y, friction=rub),
        "point": LoopPoint(end, there, friction=rub),
        "hinge": LoopHinge(end, there, axis=Y, friction=rub),
    }
    ground = ColliderSpec(name="ground", shape=Plane(), friction=0.6)
    return SceneSpec(bodies=bodies, constraints=[loops[closure]], colliders=[ground])


@pytest.mark.parametrize("rubs", [False, True], ids=["smooth", "rubs"])
@pytest.mark.parametrize("torque", [0.0, 2.0], ids=["let go", "driven"])
@pytest.mark.parametrize("closure", ["planar", "point", "hinge"])
@pytest.mark.parametrize("rate", [24, 60, 240, 960])
def test_a_machine_on_feet_stays_straight_and_makes_no_energy(
    rate: int, closure: str, torque: float, rubs: bool
) -> None:
    """For a second, at default options. It is the same to its left and right: nothing turns it."""
    model = compile_scene(machine(closure, torque, rubs))
    found = list(simulate(model, Options(h=1.0 / rate, integrator="euler-midway"), end=1.0))
    R = found[-1].body_pose[0, :9].reshape(3, 3)
    first = found[0].body_pose[0, :9].reshape(3, 3)
    turned = math.degrees(math.atan2((first.T @ R)[1, 0], (first.T @ R)[0, 0]))
    assert abs(turned) < 0.3, f"turns by {turned:.1f} degrees"
    energy = np.array([f.energy.sum() for f in found])
    work = 2.0 * math.pi * abs(torque)  # a turn of the crank
    grown = float(energy.max() - energy[0])
    assert grown < work + 0.1, f"energy grows by {grown:.2g} J"
