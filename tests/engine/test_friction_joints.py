"""Dry friction, motors and stops inside joints."""

from __future__ import annotations

from dataclasses import replace
from math import copysign, cos, hypot, pi, sin

import numpy as np
import pytest
from dense_friction import Staggered
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax_blender.engine import compile_scene
from redmax_blender.engine.diagnostics import energies
from redmax_blender.engine.errors import InputError, SceneError
from redmax_blender.engine.friction.loads import bearing_load, box_load
from redmax_blender.engine.integrators.euler import EulerSteps, euler
from redmax_blender.engine.jit import njit
from redmax_blender.engine.kinematics import forward_kinematics
from redmax_blender.engine.model import Model, Options, State
from redmax_blender.engine.result import Result
from redmax_blender.engine.scene import (
    BodySpec,
    Constant,
    Cuboid,
    Fixed,
    Free,
    JointFriction,
    JointSpec,
    Limits,
    LoopHinge,
    Motor,
    Point,
    Pose,
    Prismatic,
    Revolute,
    SceneSpec,
    Spherical,
    Universal,
)
from redmax_blender.engine.shots import chains
from redmax_blender.engine.simulate import scene_options, simulate

G = 9.81
TURN = [0.0, 0.0, 0.0]


def bar(
    name: str, kind, parent: str | None = None, length: float = 1.0, at: float | None = None, **joint
) -> BodySpec:
    """A bar along x that begins at its joint."""
    along = 0.0 if parent is None else (length if at is None else at)
    frame = joint.pop("frame", Pose((along, 0.0, 0.0)))
    return BodySpec(
        name=name,
        parent=parent,
        shape=Cuboid((length, 0.1 * length, 0.1 * length)),
        pose=Pose((0.5 * length, 0.0, 0.0)),
        joint=JointSpec(type=kind, frame=frame, **joint),
    )


def rub(coefficient: float = 0.3, radius: float = 0.02, height: float = 0.05, **more) -> JointFriction:
    return JointFriction(coefficient=coefficient, radius=radius, height=height, **more)


def chain(links: int, friction: JointFriction | None, tilt: float = pi / 4) -> SceneSpec:
    """Hinges about one axis, which is tilted against gravity; let go from the horizontal."""
    bodies = [bar("0", Revolute((0, 0, 1)), frame=Pose(rotation=[tilt, 0, 0]), friction=friction, length=0.2)]
    for i in range(1, links):
        bodies.append(bar(str(i), Revolute((0, 0, 1)), parent=str(i - 1), friction=friction, length=0.2))
    return SceneSpec(bodies=bodies)


def steps_of(scene: SceneSpec | Model, h: float = 0.005, **options) -> EulerSteps:
    model = scene if isinstance(scene, Model) else compile_scene(scene)
    return euler(model, model.initial_state(), Options(h=h, **options))


def total_energy(model: Model, state: State) -> float:
    return float(energies(model, state, forward_kinematics(model, state)).sum())


# Loads ---------------------------------------------------------------------------------------------------------


@njit
def _bearing(f, axis, radius, height, points, faces):
    return bearing_load(
        (f[0], f[1], f[2], f[3], f[4], f[5]), (axis[0], axis[1], axis[2]), radius, height, points, faces
    )


@njit
def _box(f, axis, sides):
    return box_load(
        (f[0], f[1], f[2], f[3], f[4], f[5]), (axis[0], axis[1], axis[2]), (sides[0], sides[1], sides[2])
    )


def least_pressures(x, normals, f) -> float:
    """Sum of the least pressures along normals at points that add up to a wrench (paper, Eq. 16)."""
    N = np.array([np.r_[np.cross(p, n), n] for p, n in zip(x, normals, strict=True)])
    return float(np.abs(np.linalg.lstsq(N.T, f, rcond=None)[0]).sum())


@pytest.mark.parametrize("faces", [True, False])
@pytest.mark.parametrize("points", [4, 7, 16])
def test_pressures_on_a_pin_are_the_least_that_add_up_to_the_wrench(points, faces):
    draw = np.random.default_rng(points)
    z = np.array([0.0, 0.0, 1.0])
    radius, height = 0.3, 0.5
    x, normals = [], []
    for end in (-0.5, 0.5):
        for k in range(points):
            u = np.array([cos(2 * pi * k / points), sin(2 * pi * k / points), 0.0])
            for n in [u, z] if faces else [u]:
                x.append(radius * u + end * height * z)
                normals.append(n)
    for _ in range(20):
        f = draw.normal(size=6)
        f[2] = 0.0
        if not faces:
            f[5] = 0.0
        assert _bearing(f, z, radius, height, points, faces) == pytest.approx(
            least_pressures(x, normals, f), rel=1e-9
        )


def test_pressures_on_a_rectangular_rod_are_the_least_that_add_up_to_the_wrench():
    draw = np.random.default_rng(0)
    sides = np.array([0.5, 0.2, 0.3])
    corners = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]) * 0.5 * sides
    for k in range(3):
        axis = np.eye(3)[k]
        lateral = [e for i, e in enumerate(np.eye(3)) if i != k]
        x = [p for p in corners for _ in lateral]
        normals = [n for _ in corners for n in lateral]
        for sign in (1.0, -1.0):
            f = draw.normal(size=6)
            f[3 + k] = 0.0
            assert _box(f, sign * axis, sides) == pytest.approx(least_pressures(x, normals, f), rel=1e-9)


def test_an_even_load_is_the_limit_of_many_points():
    draw = np.random.default_rng(1)
    axis = np.array([0.6, 0.0, 0.8])
    for _ in range(20):
        f = draw.normal(size=6)
        assert _bearing(f, axis, 0.3, 0.5, 0, True) == pytest.approx(
            _bearing(f, axis, 0.3, 0.5, 4000, True), rel=1e-5
        )
    side = np.array([0.0, 0.0, 0.0, 5.0, 0.0, 0.0])
    assert _bearing(side, np.array([0.0, 0.0, 1.0]), 0.3, 0.5, 0, True) == pytest.approx(4 / pi * 5.0)


# Theory --------------------------------------------------------------------------------------------------------


def swings(q0: float, mu: float, radius: float, length: float, end: float) -> list[float]:
    """Turning points of a pendulum [rad], from its equation with the torque (4/π) μ r |reaction|, by small steps."""
    mass = 10.0 * length**3
    inertia = mass * (length**2 + (0.1 * length) ** 2) / 12 + mass * length**2 / 4
    l, k = length / 2, 4 / pi * mu * radius

    def acceleration(q: float, w: float) -> float:
        # q from the horizontal; reaction = mass · (acceleration of the centre - g), solved with the torque it makes
        drive = -mass * G * l * cos(q)
        a = drive / inertia
        for _ in range(6):
            across, along = mass * (l * a + G * cos(q)), mass * (-l * w * w + G * sin(q))
            a = (drive - copysign(k * hypot(across, along), w)) / inertia
        return a

    h, q, w, found, t = 1e-3, q0, 0.0, [], 0.0
    w = h * acceleration(q, -1e-12)
    while t < end:
        k1 = acceleration(q, w)
        k2 = acceleration(q + h / 2 * w, w + h / 2 * k1)
        q, before, w = q + h * w + h * h / 2 * k1, w, w + h * k2
        t += h
        if before * w < 0:
            found.append(q)
    return found


def test_a_pendulum_loses_with_every_swing_what_theory_says():
    mu, radius = 0.4, 0.02
    scene = SceneSpec(
        bodies=[
            BodySpec(
                name="bar",
                shape=Cuboid((1.0, 0.1, 0.1)),
                density=1000.0,
                pose=Pose((0.5, 0.0, 0.0)),
                joint=JointSpec(
                    type=Revolute((0, 1, 0)), q=0.3, friction=JointFriction(coefficient=mu, radius=radius)
                ),
            )
        ]
    )
    expected = swings(-0.3, mu, radius, 1.0, 5.0)
    steps, found = steps_of(scene, h=0.001), []
    before = 0.0
    for _ in range(5000):
        state = next(steps)
        if before * state.qdot[0] < 0.0:
            found.append(-float(state.q[0]))
        if state.qdot[0] != 0.0:
            before = float(state.qdot[0])
    assert len(found) >= 4
    lost, theory = (np.diff(np.sin([-0.3, *turns[:4]])) for turns in (found, expected))
    assert lost == pytest.approx(theory, rel=0.02)


def test_a_hinge_slips_above_the_angle_that_it_can_hold():
    mu, radius = 0.4, 0.05
    limit = np.arcsin(4 / pi * mu * radius / 0.5)
    for factor, moves in ((0.98, False), (1.02, True)):
        q = pi / 2 - factor * limit
        scene = SceneSpec(bodies=[bar("bar", Revolute((0, 1, 0)), q=q, friction=JointFriction(mu, radius))])
        steps = steps_of(scene)
        for _ in range(50):
            state = next(steps)
        assert (state.qdot[0] != 0.0) == moves


def slide(angle: float, mu: float, static: float | None = None) -> SceneSpec:
    """A block whose prismatic joint is tilted by an angle, with its sleeve around its centre."""
    friction = JointFriction(coefficient=mu, height=1.0, static=static)
    return SceneSpec(
        bodies=[
            BodySpec(
                name="block",
                shape=Cuboid((0.2, 0.2, 0.2)),
                joint=JointSpec(
                    type=Prismatic((1, 0, 0)), frame=Pose(rotation=[0, angle, 0]), friction=friction
                ),
            )
        ]
    )


def test_a_rod_slides_with_the_acceleration_of_theory():
    angle, mu = 0.6, 0.3
    steps = steps_of(slide(angle, mu))
    for _ in range(200):
        state = next(steps)
    assert state.qdot[0] == pytest.approx(G * (sin(angle) - 4 / pi * mu * cos(angle)) * 1.0, rel=1e-9)


def test_friction_at_rest_holds_more_than_in_motion():
    angle = 0.5
    needed = np.tan(angle) * pi / 4
    held = steps_of(slide(angle, 0.8 * needed, static=1.05 * needed))
    for _ in range(20):
        state = next(held)
    assert state.qdot[0] == 0.0
    slips = steps_of(slide(angle, 0.8 * needed, static=0.95 * needed))
    for _ in range(100):
        state = next(slips)
    assert state.qdot[0] == pytest.approx(0.5 * 0.2 * G * sin(angle), rel=1e-6)


# Routes --------------------------------------------------------------------------------------------------------


def test_the_published_algorithm_and_ours_agree_on_couples():
    """The published algorithm with its friction QP in maximal coordinates, its many points drawn together into one
    couple a joint; and the recursion. They differ by its regularisation, 1e-6 against inverse inertias."""
    model = compile_scene(chain(4, rub(0.4, 0.01, 0.02)))
    model = replace(model, friction=replace(model.friction, rubs=replace(model.friction.rubs, points=4)))
    dense = Staggered(model, 0.005, tolerance=1e-20, most=300, couples=True)
    steps = steps_of(model, friction_tolerance=1e-12)
    a = model.initial_state()
    for _ in range(25):
        a, b = dense.step(a), next(steps)
    assert np.abs(b.qdot).max() > 0.1
    assert b.q == pytest.approx(a.q, abs=2e-5 * np.abs(a.q).max())


def all_kinds() -> SceneSpec:
    """A tree with every kind of joint that rubs by one coordinate, limits, a motor and a driven joint."""
    return SceneSpec(
        bodies=[
            bar("root", Revolute((0, 0.6, 0.8)), friction=rub()),
            bar("slide", Prismatic((1, 0, 0)), "root", friction=rub(0.1)),
            bar("cross", Universal(), "slide", friction=rub(0.2)),
            bar(
                "stop", Revolute((0, 1, 0)), "cross", limits=Limits(lower=-0.1, upper=0.1), friction=rub(0.05)
            ),
            bar("motor", Revolute((1, 0, 0)), "root", motors=[Motor(Constant(2.0), 3.0)], friction=rub()),
        ]
    )


def general(monkeypatch) -> None:
    """Let everything be solved by the impulses of rows."""
    from redmax_blender.engine.friction import in_tree

    monkeypatch.setattr(in_tree, "applies", lambda *_: False)


def test_recursion_and_impulses_of_rows_agree(monkeypatch):
    recursive = steps_of(all_kinds(), friction_tolerance=1e-12)
    states = [next(recursive) for _ in range(80)]
    general(monkeypatch)
    rows = steps_of(all_kinds(), friction_tolerance=1e-12, contact_tolerance=1e-12)
    other = [next(rows) for _ in states][-1]
    state = states[-1]
    assert np.abs(state.qdot).max() > 0.1
    assert other.q == pytest.approx(state.q, abs=1e-7)
    assert other.qdot == pytest.approx(state.qdot, abs=1e-5)


def test_a_ball_that_turns_about_one_axis_rubs_like_a_ball_in_any_frame():
    """Friction of a ball is a torque against its angular velocity, whatever coordinates describe it."""
    ends = []
    for turn in (TURN, [0.7, -0.4, 0.2]):
        scene = SceneSpec(
            bodies=[
                BodySpec(
                    name="bob",
                    shape=Cuboid((0.3, 0.3, 0.3)),
                    pose=Pose((0.0, 0.0, -1.0)),
                    joint=JointSpec(type=Spherical(), q=[0.3, 0, 0], friction=rub(0.3, 0.05)),
                )
            ]
        )
        if turn is not TURN:
            R = Pose(rotation=turn)
            scene.bodies[0].joint.frame = R
            scene.gravity = tuple(_rotation(turn) @ np.array([0, 0, -G]))
        steps = steps_of(scene)
        for _ in range(150):
            state = next(steps)
        ends.append(state.q)
    assert ends[0] == pytest.approx(ends[1], abs=1e-8)
    assert np.abs(ends[0][1:]).max() < 1e-9


def _rotation(w):
    from redmax_blender.engine.se3 import exp_so3

    return exp_so3(np.array(w))


# Properties ----------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    h=st.sampled_from([1 / 24, 1 / 100, 1 / 500]),
    mu=st.floats(0.01, 2.0),
    ball=st.booleans(),
)
def test_friction_never_does_work_on_a_joint(seed, h, mu, ball):
    draw = np.random.default_rng(seed)
    kinds = [Revolute((0, 0, 1)), Prismatic((1, 0, 0)), Universal(), *([Spherical()] if ball else [])]
    bodies = []
    for i in range(6):
        kind = kinds[draw.integers(len(kinds))]
        size = float(10 ** draw.uniform(-1, 1))
        bodies.append(
            bar(
                str(i),
                kind,
                str(draw.integers(i)) if i else None,
                length=size,
                frame=Pose(tuple(draw.normal(size=3) * size), rotation=list(draw.normal(size=3))),
                friction=rub(mu, 0.1 * size, 0.2 * size),
                qdot=float(draw.normal()),
            )
        )
    steps = steps_of(SceneSpec(bodies=bodies), h=h)
    for _ in range(12):
        state = next(steps)
        dry = steps.memory.report.dry
        power = dry.force * state.qdot
        scale = np.abs(dry.force).max() * np.abs(state.qdot).max() + 1e-30
        if not ball:
            assert power.max() <= 1e-9 * scale
        assert power.sum() <= 1e-7 * scale
        assert dry.change <= 1e-5 or dry.rounds == 50


def test_chains_come_to_rest_from_their_roots_and_sooner_with_thicker_pins():
    scene = chains.spec()
    model = compile_scene(scene)
    result = Result.from_frames(model, simulate(model, scene_options(scene), end=scene.time.end))
    chains.check(result)
    assert np.all(result.qdot[-1] == 0.0)
    last = chains.last_moves(result)
    assert last[0].max() > 1.1 * last[1].max()


def test_energy_only_falls_in_a_chain_with_friction():
    steps = steps_of(chain(10, rub(0.5, 0.008, 0.02)), h=0.001)
    energy = [total_energy(steps.model, next(steps)) for _ in range(2000)]
    assert np.diff(energy).max() < 1e-4 * np.ptp(energy)


# Motors and stops ----------------------------------------------------------------------------------------------


def test_a_motor_keeps_its_speed_and_stalls_at_its_torque():
    def turntable(torque: float, load: float) -> EulerSteps:
        scene = SceneSpec(
            gravity=(0.0, 0.0, 0.0),
            bodies=[
                bar(
                    "arm",
                    Revolute((0, 0, 1)),
                    motors=[Motor(Constant(3.0), torque)],
                    torque=[Constant(-load)],
                )
            ],
        )
        return steps_of(scene)

    strong, weak = turntable(50.0, 20.0), turntable(50.0, 60.0)
    for _ in range(400):
        a, b = next(strong), next(weak)
    assert a.qdot[0] == pytest.approx(3.0, abs=1e-12)
    assert strong.memory.report.dry.motor[0] == pytest.approx(20.0, rel=1e-9)
    assert b.qdot[0] < 0.0
    assert weak.memory.report.dry.motor[0] == pytest.approx(50.0, rel=1e-12)


def test_a_motor_pushes_against_a_stop_with_its_torque():
    scene = SceneSpec(
        gravity=(0.0, 0.0, 0.0),
        bodies=[
            bar(
                "arm",
                Revolute((0, 0, 1)),
                motors=[Motor(Constant(1.0), 7.0)],
                limits=Limits(upper=0.05),
                friction=rub(),
            )
        ],
    )
    steps = steps_of(scene)
    for _ in range(300):
        state = next(steps)
    assert state.q[0] == pytest.approx(0.05, abs=1e-9)
    assert state.qdot[0] == 0.0
    report = steps.memory.report
    assert report.dry.motor[0] == pytest.approx(7.0)


def test_friction_in_a_loop_holds_it():
    """Two bars that hold each other up like a tent slide apart, unless their joints rub."""

    def tent(mu: float) -> EulerSteps:
        friction = None if mu == 0.0 else JointFriction(mu, 0.2, 0.1)
        scene = SceneSpec(
            bodies=[
                bar("left", Revolute((0, 1, 0)), q=-0.1, friction=friction),
                bar("right", Revolute((0, 1, 0)), "left", q=0.2, friction=friction),
                BodySpec(
                    name="shoe",
                    shape=Cuboid((0.1, 0.1, 0.1)),
                    joint=JointSpec(type=Prismatic((1, 0, 0)), frame=Pose((2 * cos(0.1), 0.0, 0.0))),
                ),
            ],
            constraints=[
                LoopHinge(
                    a=Point(position=(0.5, 0.0, 0.0), body="right"),
                    b=Point(position=(0.0, 0.0, 0.0), body="shoe"),
                    axis=(0, 1, 0),
                    friction=friction,
                )
            ],
        )
        return steps_of(scene)

    free, held = tent(0.0), tent(2.5)
    for _ in range(40):
        a, b = next(free), next(held)
    assert abs(a.qdot[2]) > 0.1
    assert np.abs(b.qdot).max() < 1e-7
    assert held.memory.report.residual < 1e-6


# Errors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("joint", "place", "problem"),
    [
        ({"type": Revolute(), "friction": JointFriction(-0.1, 0.1)}, "friction.coefficient", "-0.1"),
        ({"type": Revolute(), "friction": JointFriction(0.1, -0.1)}, "friction.radius", "-0.1 m"),
        ({"type": Revolute(), "friction": JointFriction(0.1)}, "friction.radius", "no lever"),
        ({"type": Revolute(), "friction": JointFriction(0.1, 0.1, -1.0)}, "friction.height", "-1.0 m"),
        ({"type": Revolute(), "friction": JointFriction(0.5, 0.1, static=0.4)}, "friction.static", "0.4"),
        ({"type": Prismatic(), "friction": JointFriction(0.5, sides=(1, 0, 1))}, "friction.sides", "above zero"),
        ({"type": Fixed(), "friction": JointFriction(0.5, 0.1)}, "joint.friction", "nothing rubs in a fixed joint"),
        ({"type": Revolute(), "motors": [None, None]}, "joint.motors", "2 motors"),
        ({"type": Revolute(), "motors": [Motor(Constant(1.0), -2.0)]}, "motors[0].torque", "-2.0"),
        (
            {"type": Revolute(), "motors": [Motor(Constant(1.0), 2.0)], "motion": [Constant(0.0)]},
            "motors[0]",
            "prescribed as well",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_named(joint, place, problem):
    scene = SceneSpec(bodies=[BodySpec(name="arm", shape=Cuboid((1, 1, 1)), joint=JointSpec(**joint))])
    with pytest.raises(SceneError) as error:
        compile_scene(scene)
    assert "bodies[0] 'arm'" in error.value.place
    assert place in error.value.place
    assert problem in str(error.value)


def test_a_free_joint_rubs_nowhere():
    scene = SceneSpec(
        bodies=[BodySpec(name="box", shape=Cuboid((1, 1, 1)), joint=JointSpec(type=Free(), friction=rub()))]
    )
    with pytest.raises(SceneError, match="nothing rubs in a free joint"):
        compile_scene(scene)


def test_only_euler_knows_friction():
    model = compile_scene(chain(2, rub()))
    with pytest.raises(InputError, match="friction"):
        simulate(model, Options(integrator="sdirk2"), end=1.0)
