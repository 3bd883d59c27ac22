"""Bodies that touch: sliding, sticking, stacking, bouncing, and what moves them."""

from __future__ import annotations

from math import atan, cos, pi, radians, sin

import numpy as np
import pytest

from redmax_blender.engine import compile_scene
from redmax_blender.engine.errors import InputError
from redmax_blender.engine.fem.bar import bar
from redmax_blender.engine.integrators.euler import EulerSteps, euler
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.run.simulate import simulate
from redmax_blender.engine.scene import (
    BodySpec,
    ColliderSpec,
    Constant,
    Cuboid,
    FleshSpec,
    Free,
    JointFriction,
    JointSpec,
    Limits,
    MaterialSpec,
    Plane,
    Polynomial,
    Pose,
    Revolute,
    SceneSpec,
    SmoothStep,
    Sphere,
    Surface,
)
from redmax_blender.engine.tree.kinematics import forward_kinematics

G = 9.81


def box(
    name: str, at, sides=(0.4, 0.4, 0.2), density: float = 500.0, friction: float = 0.5, **joint
) -> BodySpec:
    turn = joint.pop("turn", [0.0, 0.0, 0.0])
    return BodySpec(
        name=name,
        shape=Cuboid(sides),
        density=density,
        joint=JointSpec(type=Free(), frame=Pose(tuple(at), rotation=turn), **joint),
        surface=Surface(friction=friction),
    )


def plane(angle: float = 0.0, friction: float = 0.5, **more) -> ColliderSpec:
    """Through the origin, falling towards +x."""
    return ColliderSpec(
        name="ground", shape=Plane(), pose=Pose(rotation=[0.0, angle, 0.0]), friction=friction, **more
    )


def on_slope(angle: float, friction: float) -> SceneSpec:
    at = (0.1 * sin(angle), 0.0, 0.1 * cos(angle))
    return SceneSpec(
        bodies=[box("block", at, friction=friction, turn=[0.0, angle, 0.0])],
        colliders=[plane(angle, friction)],
    )


def stack(count: int, heavy: float = 1.0, gap: float = 0.0) -> SceneSpec:
    boxes = [
        box(
            str(i),
            (0.01 * (i % 3), 0.0, 0.1 + i * (0.2 + gap)),
            density=500.0 * (heavy if i == count - 1 else 1.0),
        )
        for i in range(count)
    ]
    return SceneSpec(bodies=boxes, colliders=[plane()])


def steps_of(scene: SceneSpec, h: float = 1 / 240, **options) -> EulerSteps:
    model = compile_scene(scene)
    return euler(model, model.initial_state(), Options(h=h, **options))


def run(steps: EulerSteps, seconds: float):
    for _ in range(round(seconds / steps.options.h)):
        state = next(steps)
    return state


def total_energy(steps: EulerSteps) -> float:
    return float(energies(steps.model, steps.state, forward_kinematics(steps.model, steps.state)).sum())


# Slopes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cone", ["smooth", "boxed"])
@pytest.mark.parametrize("friction", [0.2, 0.5, 1.0])
def test_a_block_sticks_below_the_angle_of_friction_and_slides_above_it(friction, cone):
    limit = atan(friction)
    for angle, slides in ((limit - 0.01, False), (limit + 0.01, True)):
        steps = steps_of(on_slope(angle, friction), h=0.01, boxed_friction=cone == "boxed")
        state = run(steps, 0.5)
        speed = np.linalg.norm(state.qdot[:3])
        assert (speed > 1e-3) == slides


@pytest.mark.parametrize("degrees", [30.0, 40.0])
def test_a_block_slides_with_the_acceleration_of_theory(degrees):
    angle, friction = radians(degrees), 0.5
    steps = steps_of(on_slope(angle, friction), h=0.005)
    state = run(steps, 1.0)
    speed = float(np.linalg.norm(state.qdot[:3]))
    assert speed == pytest.approx(G * (sin(angle) - friction * cos(angle)), rel=0.005)


def test_a_block_that_sticks_does_not_creep():
    """60 s on a slope of 20° with μ = 0.5, kept awake."""
    scene = on_slope(radians(20.0), 0.5)
    steps = steps_of(scene, h=1 / 60, sleep=False)
    start = run(steps, 0.5).q
    moved = run(steps, 60.0).q - start
    assert np.abs(moved).max() < 1e-7


def test_a_sliding_block_stops_where_theory_says():
    scene = SceneSpec(
        bodies=[box("block", (0.0, 0.0, 0.1), qdot=[2.0, 1.0, 0.0, 0.0, 0.0, 0.0])],
        colliders=[plane(friction=0.5)],
    )
    state = run(steps_of(scene, h=0.002), 1.0)
    distance = 5.0 / (2 * 0.5 * G)
    assert np.linalg.norm(state.q[:2]) == pytest.approx(distance, rel=0.01)
    assert state.q[1] / state.q[0] == pytest.approx(0.5, rel=1e-3)
    assert np.abs(state.qdot).max() < 1e-9


# Stacks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sleep", [True, False])
def test_ten_boxes_stand_for_a_minute(sleep):
    steps = steps_of(stack(10), h=1 / 60, sleep=sleep)
    state = run(steps, 60.0)
    assert np.abs(state.q).max() < 5e-5  # impulses are found to 1e-5: awake, they creep by a micrometre a box
    assert np.abs(state.qdot).max() < 1e-5
    assert steps.memory.report.dry.asleep == (10 if sleep else 0)


def test_a_sleeping_stack_wakes_when_it_is_hit():
    scene = stack(3)
    ball = BodySpec(
        name="ball",
        shape=Sphere(0.1),
        density=2000.0,
        joint=JointSpec(type=Free(), frame=Pose((0.0, 0.0, 12.0))),
        surface=Surface(),
    )
    scene.bodies.append(ball)
    steps = steps_of(scene)
    slept = [0]
    for _ in range(600):
        next(steps)
        slept.append(steps.memory.report.dry.asleep if steps.memory.report.dry else 0)
    assert max(slept[:300]) == 3
    hit = np.flatnonzero(np.diff(slept) < 0)
    assert len(hit) >= 1
    fall = (2 * (12.0 - 0.7) / G) ** 0.5
    assert hit[0] / 240 == pytest.approx(fall, abs=0.03)


def test_what_a_collider_carries_wakes_when_it_moves():
    lift = plane()
    lift.motion = [Constant(0.0), Constant(0.0), SmoothStep(2.0, 3.0), *[Constant(0.0)] * 3]
    scene = SceneSpec(bodies=[box("box", (0.0, 0.0, 0.1))], colliders=[lift])
    steps = steps_of(scene)
    run(steps, 1.5)
    assert steps.memory.report.dry.asleep == 1
    assert run(steps, 2.0).q[2] == pytest.approx(1.0, abs=2e-2)


@pytest.mark.parametrize("heavy", [1e3, 1e6])
def test_a_heavy_box_on_light_ones_is_carried(heavy):
    steps = steps_of(stack(4, heavy, gap=0.005), sleep=False)
    state = run(steps, 1.0)
    assert np.abs(state.qdot).max() < 5e-3  # light ones tremble under 1e-5 of what carries the heavy one
    assert -state.q.reshape(-1, 6)[:, 2].min() == pytest.approx(3 * 0.005, abs=1e-3)
    assert steps.memory.report.dry.contacts.gap.min() > -1e-4


def test_a_falling_stack_loses_energy_only():
    steps = steps_of(stack(3, gap=0.05))
    energy = []
    for _ in range(240):
        next(steps)
        energy.append(total_energy(steps))
    assert np.diff(energy).max() < 1e-3 * np.ptp(energy)


# Bounces, colliders that move ----------------------------------------------------------------------------------


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_a_ball_comes_back_with_its_restitution(restitution):
    scene = SceneSpec(
        bodies=[
            BodySpec(
                name="ball",
                shape=Sphere(0.1),
                joint=JointSpec(type=Free(), frame=Pose((0.0, 0.0, 1.1))),
                surface=Surface(restitution=restitution),
            )
        ],
        colliders=[plane()],
    )
    steps = steps_of(scene, h=0.001)
    speeds = [float(next(steps).qdot[2]) for _ in range(700)]
    assert min(speeds) == pytest.approx(-((2 * G) ** 0.5), rel=0.01)
    assert max(speeds) == pytest.approx(restitution * (2 * G) ** 0.5, rel=0.01, abs=1e-6)


def test_a_conveyor_takes_a_box_along():
    belt = plane()
    belt.motion = [Polynomial([0.0, 1.5]), *[Constant(0.0)] * 5]
    scene = SceneSpec(bodies=[box("box", (0.0, 0.0, 0.1))], colliders=[belt])
    steps = steps_of(scene, h=0.005)
    state = run(steps, 0.1)
    assert state.qdot[0] == pytest.approx(0.5 * G * 0.1, rel=0.01)
    state = run(steps, 0.6)
    assert state.qdot[0] == pytest.approx(1.5, abs=1e-6)


def test_a_lift_carries_a_box():
    lift = plane()
    lift.motion = [Constant(0.0), Constant(0.0), Polynomial([0.0, 0.0, 1.0]), *[Constant(0.0)] * 3]
    scene = SceneSpec(bodies=[box("box", (0.0, 0.0, 0.1))], colliders=[lift])
    state = run(steps_of(scene), 1.0)
    assert state.q[2] == pytest.approx(1.0, abs=1e-3)


def test_overlapping_boxes_part_without_a_jump():
    scene = SceneSpec(bodies=[box("box", (0.0, 0.0, 0.08))], colliders=[plane()])
    steps = steps_of(scene)
    fastest = max(float(np.abs(next(steps).qdot).max()) for _ in range(240))
    assert fastest < 0.05
    assert steps.state.q[2] == pytest.approx(0.02, abs=1e-3)


# With joints ---------------------------------------------------------------------------------------------------


def test_a_rod_between_hinge_and_ground_rubs_in_both():
    """Statics: the ground carries half of a rod; its hinge the other half. Friction in neither moves it."""
    rod = BodySpec(
        name="rod",
        shape=Cuboid((1.0, 0.1, 0.1)),
        density=1000.0,
        pose=Pose((0.5, 0.0, 0.0)),
        joint=JointSpec(
            type=Revolute((0, 1, 0)),
            frame=Pose((0.0, 0.0, 0.05)),
            limits=Limits(lower=-1.0, upper=1.0),
            friction=JointFriction(coefficient=0.2, radius=0.01, height=0.05),
        ),
        surface=Surface(),
    )
    steps = steps_of(SceneSpec(bodies=[rod], colliders=[plane()]))
    state = run(steps, 0.5)
    dry = steps.memory.report.dry
    carried = float(dry.impulse[:, 2].sum()) / steps.options.h
    friction = abs(float(dry.force[0]))
    assert abs(state.q[0]) < 1e-9
    assert 0.0 < carried < 98.1
    assert friction <= 4 / pi * 0.2 * 0.01 * 98.1


def test_forces_on_the_ground_balance_the_weight():
    steps = steps_of(stack(5), sleep=False)
    run(steps, 0.5)
    dry = steps.memory.report.dry
    on_ground = (dry.contacts.link < 0).any(axis=1)
    up = float(dry.impulse[on_ground][:, 2].sum()) / steps.options.h
    assert up == pytest.approx(5 * 500.0 * 0.4 * 0.4 * 0.2 * G, rel=1e-4)  # each impulse to 1e-5


@pytest.mark.parametrize("solver", ["direct", "pcg"])
def test_flesh_carries_a_plate_and_the_ground_carries_both(solver):
    vertices, tets = bar((2, 2, 2), (0.4, 0.4, 0.4))
    vertices = vertices - vertices.min(axis=0)
    soft = FleshSpec(
        name="soft",
        vertices=[tuple(v) for v in vertices.tolist()],
        tets=[tuple(t) for t in tets.tolist()],
        material=MaterialSpec(young=3e4, poisson=0.3, density=500.0, stiffness_damping=0.05),
        surface=Surface(friction=0.6),
    )
    plate = box("plate", (0.2, 0.2, 0.46), sides=(0.5, 0.5, 0.1))
    scene = SceneSpec(bodies=[plate], flesh=[soft], colliders=[plane()])
    steps = steps_of(scene, h=1 / 60, solver=solver, sleep=False)
    state = run(steps, 1.5)
    dry, model = steps.memory.report.dry, steps.model
    on_ground = (dry.contacts.link[:, 1] < 0) & (dry.contacts.tet[:, 1] < 0)
    up = float(dry.impulse[on_ground][:, 2].sum()) / steps.options.h
    weight = G * (float(model.flesh.tets.mass.sum()) + float(model.bodies.inertia[0, 3]))
    assert up == pytest.approx(weight, rel=0.02)
    assert state.x[:, 2].min() > -1e-3
    assert 0.3 < state.x[:, 2].max() < 0.4
    assert 0.46 + state.q[2] == pytest.approx(state.x[:, 2].max() + 0.05, abs=5e-3)


def test_only_euler_knows_contact():
    model = compile_scene(stack(1))
    with pytest.raises(InputError, match="contact"):
        simulate(model, Options(integrator="bdf2"), end=1.0)
