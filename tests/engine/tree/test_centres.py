"""Euler's steps of what turns freely: as good wherever the coordinates are, at every step that is in use."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.run.simulate import simulate
from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    ColliderSpec,
    Cuboid,
    Fixed,
    Free,
    FreePlanar,
    JointSpec,
    Plane,
    Pose,
    SceneSpec,
    Spherical,
    Surface,
)
from redmax_blender.engine.tree.kinematics import body_poses, body_twists, forward_kinematics

STEPS = (1 / 24, 1 / 60, 1 / 240, 1 / 960)
EULERS = ("euler", "euler-midway")
WEIGHTLESS = (0.0, 0.0, 0.0)
SPIN = np.array([0.1, 1.0, 0.15]) / np.linalg.norm([0.1, 1.0, 0.15])
"""Nearly about the middle axis: the brick turns over again and again."""


def brick(joint: Free | FreePlanar, qdot: list[float], at=(0.0, 0.0, 0.0), **more) -> BodySpec:
    return BodySpec(
        name="brick",
        shape=Cuboid((0.1, 0.2, 0.4)),
        density=1000.0,
        pose=Pose(tuple(at)),
        joint=JointSpec(type=joint, qdot=qdot, **more),
    )


def states(model: Model, h: float, end: float, integrator: str) -> list[State]:
    return [f.state for f in simulate(model, Options(h=h, integrator=integrator), end=end)]


def motion(model: Model, state: State) -> tuple[float, np.ndarray, np.ndarray]:
    """Kinetic energy, angular momentum about the centre of mass, and this, of the first body."""
    kin = forward_kinematics(model, state)
    E, V = body_poses(model.bodies, kin)[0], body_twists(model.bodies, kin.V)[0]
    momentum = model.bodies.inertia[0] * V
    return 0.5 * float(momentum @ V), E[:9].reshape(3, 3) @ momentum[:3], E[9:]


@pytest.mark.parametrize("integrator", EULERS)
@pytest.mark.parametrize("h", STEPS)
def test_a_brick_keeps_energy_and_angular_momentum(h: float, integrator: str) -> None:
    for turn in (0.01, 0.1, 0.5):
        model = compile_scene(
            SceneSpec(
                bodies=[brick(Free(), [0.0, 0.0, 0.0, *(turn / h * SPIN)])],
                gravity=WEIGHTLESS,
            )
        )
        first, *rest = [motion(model, s) for s in states(model, h, 240 * h, integrator)]
        energy, angular = np.array([m[0] for m in rest]), np.array([m[1] for m in rest])
        assert np.abs(energy / first[0] - 1.0).max() < 1e-11
        assert np.abs(angular - first[1]).max() < 1e-11 * np.linalg.norm(first[1])


@pytest.mark.parametrize("speed", [1e2, 1e3, 1e5])
def test_a_brick_does_not_diverge_at_any_speed(speed: float) -> None:
    model = compile_scene(
        SceneSpec(bodies=[brick(Free(), [0.0, 0.0, 0.0, *(speed * SPIN)])], gravity=WEIGHTLESS)
    )
    first, *rest = [motion(model, s) for s in states(model, 1 / 24, 10.0, "euler")]
    moments = model.bodies.inertia[0, :3]
    most = 0.5 * first[1] @ first[1] / moments.min()  # what the angular momentum allows
    assert max(m[0] for m in rest) <= most * (1.0 + 1e-9)
    assert max(np.abs(m[1] - first[1]).max() for m in rest) < 1e-8 * np.linalg.norm(first[1])


@pytest.mark.parametrize("integrator", EULERS)
@pytest.mark.parametrize("h", STEPS)
def test_a_gyroscope_precesses_as_it_should(h: float, integrator: str) -> None:
    """A heavy top in steady precession: I₁ cos θ p² - I₃ ω₃ p + m g l = 0."""
    g, l, tilt, spin = 9.81, 0.1, 0.5, 120.0
    shape = Cuboid((0.2, 0.2, 0.02))
    mass = 1000.0 * 0.2 * 0.2 * 0.02
    I3 = mass * (0.04 + 0.04) / 12.0
    I1 = mass * (0.04 + 0.0004) / 12.0 + mass * l * l
    root = (I3 * spin) ** 2 - 4.0 * I1 * np.cos(tilt) * mass * g * l
    rate = (I3 * spin - np.sqrt(root)) / (2.0 * I1 * np.cos(tilt))
    omega = se3.exp_so3([tilt, 0.0, 0.0]).T @ [0.0, 0.0, rate]
    omega[2] = spin
    top = BodySpec(
        name="top",
        shape=shape,
        density=1000.0,
        pose=Pose((0.0, 0.0, l)),
        joint=JointSpec(type=Spherical(), frame=Pose(rotation=[tilt, 0.0, 0.0]), qdot=omega.tolist()),
    )
    model = compile_scene(SceneSpec(bodies=[top], gravity=(0.0, 0.0, -g)))
    axis = np.array(
        [forward_kinematics(model, s).E_wj[0, [2, 5, 8]] for s in states(model, h, 4.0, integrator)]
    )
    turned = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    assert (turned[-1] - turned[0]) / 4.0 == pytest.approx(rate, rel=0.03 if h > 1 / 50 else 0.01)
    assert np.abs(np.arccos(axis[:, 2]) - tilt).max() < 0.05


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize(
    "joint",
    [Free(), Free(order="rotation-translation"), Free(rotation="euler")],
    ids=["translation first", "rotation first", "Euler angles"],
)
def test_a_free_body_flies_straight_wherever_its_joint_is(joint: Free, h: float) -> None:
    first = joint.order == "rotation-translation"
    moves, turns = [1.0, -2.0, 0.5], [3.0, 5.0, -6.0]
    body = brick(joint, [*turns, *moves] if first else [*moves, *turns], at=(0.1, -0.02, 0.05))
    rider = BodySpec(
        name="rider",
        parent="brick",
        shape=Cuboid((0.05, 0.05, 0.05)),
        density=3000.0,
        joint=JointSpec(type=Fixed(), frame=Pose((0.2, 0.1, 0.0), rotation=[0.3, 0.0, 0.2])),
    )
    model = compile_scene(SceneSpec(bodies=[body, rider], gravity=(0.0, 0.0, -9.81)))
    masses = model.bodies.inertia[:, 3]
    centre = np.array(
        [
            masses @ body_poses(model.bodies, forward_kinematics(model, s))[:, 9:] / masses.sum()
            for s in states(model, h, 2.0, "euler-midway")
        ]
    )
    n = np.arange(len(centre))[:, None]
    rate = (centre[1] - centre[0]) / h + [0.0, 0.0, 9.81 * h]
    fall = np.array([0.0, 0.0, -9.81]) * h * h * n * (n + 1) / 2  # the parabola of Euler's step
    np.testing.assert_allclose(centre, centre[0] + h * n * rate + fall, atol=1e-9)


@pytest.mark.parametrize("h", STEPS)
def test_a_free_body_flies_straight_in_a_plane(h: float) -> None:
    model = compile_scene(
        SceneSpec(bodies=[brick(FreePlanar(), [1.0, 2.0, 10.0], at=(0.1, 0.05, 0.0))], gravity=WEIGHTLESS)
    )
    found = [motion(model, s) for s in states(model, h, 2.0, "euler")]
    centre = np.array([m[2] for m in found])
    way = np.linspace(0.0, 1.0, len(centre))[:, None] * (centre[-1] - centre[0])
    np.testing.assert_allclose(centre, centre[0] + way, atol=1e-9)
    np.testing.assert_allclose([m[0] for m in found], found[0][0], rtol=1e-9)


def chain(turn: np.ndarray, apart: bool) -> SceneSpec:
    """Three links on ball joints, the first turned already: in its coordinates, or in the joint's frame."""
    bodies = []
    for i in range(3):
        joint = JointSpec(type=Spherical())
        at = (0.0, 0.0, -0.4 if i else 0.0)
        joint.frame = Pose(at)
        if i == 0 and apart:
            joint.frame = Pose(at, rotation=turn.tolist())
            joint.qdot = [2.0, 1.0, 3.0]
        elif i == 0:
            joint.q = turn.tolist()
            joint.qdot = np.linalg.solve(se3.right_jacobian(turn), [2.0, 1.0, 3.0]).tolist()
        bodies.append(
            BodySpec(
                name=f"link{i}",
                parent=f"link{i - 1}" if i else None,
                shape=Cuboid((0.1, 0.2, 0.4)),
                density=1000.0,
                pose=Pose((0.0, 0.0, -0.2)),
                joint=joint,
            )
        )
    return SceneSpec(bodies=bodies, gravity=(0.0, 0.0, -9.81))


@pytest.mark.parametrize("integrator", EULERS)
def test_nothing_depends_on_where_the_coordinates_are(integrator: str) -> None:
    turn = np.array([1.5, -2.5, 2.0])
    ends = []
    for apart in (False, True):
        model = compile_scene(chain(turn, apart))
        ends.append(forward_kinematics(model, states(model, 1 / 240, 0.5, integrator)[-1]).E_wj)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


@pytest.mark.parametrize("h", STEPS)
def test_a_capsule_rolls_straight_and_keeps_its_energy(h: float) -> None:
    r, v = 0.2, 2.0
    lie = Pose((0.0, 0.0, r), rotation=[pi / 2.0, 0.0, 0.0])
    R = se3.exp_so3([pi / 2.0, 0.0, 0.0])
    qdot = [*(R.T @ [v, 0.0, 0.0]), *(R.T @ [0.0, v / r, 0.0])]
    capsule = BodySpec(
        name="capsule",
        shape=Capsule(radius=r, height=0.6),
        density=500.0,
        joint=JointSpec(type=Free(), frame=lie, qdot=qdot),
        surface=Surface(friction=0.8),
    )
    ground = ColliderSpec(name="ground", shape=Plane(), friction=0.8)
    model = compile_scene(SceneSpec(bodies=[capsule], colliders=[ground]))
    first, *_, last = simulate(model, Options(h=h), end=4.0)
    np.testing.assert_allclose(last.body_pose[0, 9:], [8.0, 0.0, r], atol=1e-5)
    assert last.energy.sum() == pytest.approx(first.energy.sum(), rel=1e-6)
