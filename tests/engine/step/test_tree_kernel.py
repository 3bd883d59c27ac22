"""Steps of trees in one kernel are those of the general route, whatever their joints have."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from mechanisms import end_of, four_bar, line, rod
from msgspec.structs import replace
from random_trees import KINDS, random_scene

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import DivergedError
from redmax_blender.engine.integrators.euler import EulerSteps
from redmax_blender.engine.integrators.trees.pack import suits
from redmax_blender.engine.integrators.trees.run import TreeRun, TreeSteps
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.checkpoint import Checkpoint
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.run.simulate import simulate
from redmax_blender.engine.run.tally import Tally
from redmax_blender.engine.scene import (
    Guide,
    JointFriction,
    JointSpec,
    Limits,
    Motor,
    Polynomial,
    SceneSpec,
    Switch,
)
from redmax_blender.engine.scene.constraints import LoopPoint
from redmax_blender.engine.tree.kinematics import forward_kinematics

Rng = np.random.Generator
RUBBING = ("revolute", "prismatic", "universal", "spline-curve", "spline-curve, open")
H = 0.005


def furnish(rng: Rng, joint: JointSpec, n: int, rubs: bool, dry: bool) -> None:
    """Give a joint of n coordinates some of what joints can have."""
    some = rng.random(8) < 0.3
    joint.q, joint.qdot = rng.uniform(-0.5, 0.5, n).tolist(), rng.uniform(-2.0, 2.0, n).tolist()
    if some[0]:
        joint.stiffness, joint.rest = rng.uniform(0.0, 50.0, n).tolist(), rng.uniform(-0.5, 0.5, n).tolist()
    if some[1]:
        joint.damping = rng.uniform(0.0, 2.0, n).tolist()
    if some[2]:
        joint.torque = [line(float(rng.uniform(-5.0, 5.0)), 3.0) for _ in range(n)]
    if some[3] and n:
        joint.motion = [line(x, float(rng.normal())) for x in joint.q]
        if rng.random() < 0.5:
            joint.modes = [Switch(time=-1.0, mode="guided"), Switch(time=0.06, mode="prescribed", over=0.02)]
            joint.guide = Guide(stiffness=100.0, damping=3.0)
    elif some[4]:
        q = np.array(joint.q)
        springy = 300.0 if rng.random() < 0.3 else None
        joint.limits = Limits(
            (q - rng.uniform(0.0, 0.05, n)).tolist(),
            (q + rng.uniform(0.01, 0.1, n)).tolist(),
            restitution=0.5 if springy is None and rng.random() < 0.5 else 0.0,
            stiffness=springy,
        )
    if dry and rubs and some[5:7].any():
        mu = float(rng.uniform(0.1, 0.6))
        joint.friction = JointFriction(mu, 0.03, 0.05, static=1.5 * mu if rng.random() < 0.5 else None)
    if dry and some[7] and n == 1 and not joint.motion:
        joint.motors = [Motor(line(float(rng.normal()), 0.0), float(rng.uniform(0.5, 5.0)))]
    joint.implicit = bool(rng.random() < 0.8)


def furnished(seed: int, dry: bool) -> SceneSpec:
    """A forest of every kind of joint."""
    rng = np.random.default_rng(seed)
    scene = random_scene(rng, len(KINDS))
    kind_of = {type(make(rng)): name for name, make in KINDS.items()}
    for body in scene.bodies:
        kind = kind_of[type(body.joint.type)]
        n = compile_scene(SceneSpec(bodies=[replace(body, parent=None)])).nr
        furnish(rng, body.joint, n, kind in RUBBING, dry)
        body.damping = float(rng.choice([0.0, 0.2]))
        body.implicit = bool(rng.random() < 0.8)
    return scene


def routes(scene: SceneSpec, steps: int, **options) -> Iterator[tuple[EulerSteps, EulerSteps]]:
    """After every step: those in the kernel, and the general ones."""
    model = compile_scene(scene)
    given = Options(h=H, friction_tolerance=1e-12, contact_tolerance=1e-13, **options)
    assert suits(model, given)
    fast, general = (EulerSteps(model, model.initial_state(), given) for _ in range(2))
    fast.tree, general.tree = TreeRun(model, given), None
    for _ in range(steps):
        next(fast)
        next(general)
        yield fast, general


def assert_same(fast: EulerSteps, general: EulerSteps) -> None:
    scale = 1.0 + np.abs(general.state.qdot).max()
    np.testing.assert_allclose(fast.state.q, general.state.q, atol=1e-10 * scale, rtol=0)
    np.testing.assert_allclose(fast.state.qdot, general.state.qdot, atol=1e-9 * scale, rtol=0)
    ours, theirs = fast.memory.report, general.memory.report
    assert (ours.motor is None) == (theirs.motor is None)
    if theirs.motor is not None:
        np.testing.assert_allclose(
            ours.motor, theirs.motor, atol=1e-6 * (1.0 + np.abs(theirs.motor).max()), rtol=0
        )
    if theirs.dry is not None:
        force = theirs.dry.force
        np.testing.assert_allclose(ours.dry.force, force, atol=1e-6 * (1.0 + np.abs(force).max()), rtol=0)


@pytest.mark.parametrize("seed", range(6))
def test_the_kernel_does_what_the_general_route_does(seed: int) -> None:
    taken = 0
    for fast, general in routes(furnished(seed, seed % 2 == 1), 25, corrections=2 * (seed // 4)):
        taken += isinstance(fast.memory.latest, TreeSteps)
        assert_same(fast, general)
    assert taken > 5


def linkage(friction: float, **crank) -> SceneSpec:
    """A four-bar whose rocker hits a stop unless it is driven, and a tree beside it."""
    scene = four_bar("planar", speed=3.0, **crank)
    if friction:
        rub = JointFriction(friction, 0.02, 0.04)
        for body in scene.bodies:
            body.joint.friction = rub
        scene.constraints[0].friction = rub
    if "motion" not in crank:
        scene.bodies[2].joint.limits = Limits(upper=0.3, restitution=0.3)
    scene.bodies.append(rod("pendulum", 0.5, None, (0.0, 1.0, 0.0), 0.3))
    return scene


CRANKS = {
    "free": {},
    "driven": {"motion": [line(0.0, 4.0)]},
    "motor": {"motors": [Motor(line(4.0, 0.0), 3.0)]},
    "sprung": {"stiffness": 5.0, "damping": 0.1},
}


@pytest.mark.parametrize("friction", [0.0, 0.2])
@pytest.mark.parametrize("crank", list(CRANKS))
@pytest.mark.parametrize("corrections", [0, 2])
def test_loops_in_the_kernel_move_as_on_the_general_route(
    crank: str, friction: float, corrections: int
) -> None:
    """With friction, the general route keeps impulses near to those of the last step by a small penalty, of which a
    millionth of a blow at the stop is left in the step after it. Within its tolerance a loop may be open by any amount:
    here there is next to none."""
    slack = 1e-5 if friction else 1e-8
    taken, largest = 0, 0.0
    scene = linkage(friction, **CRANKS[crank])
    for fast, general in routes(scene, 40, corrections=corrections, position_tolerance=1e-12):
        scale = 1.0 + np.abs(general.state.qdot).max()
        np.testing.assert_allclose(fast.state.q, general.state.q, atol=0.1 * slack * scale, rtol=0)
        np.testing.assert_allclose(fast.state.qdot, general.state.qdot, atol=slack * scale, rtol=0)
        in_kernel = isinstance(fast.memory.latest, TreeSteps)
        taken += in_kernel
        ours, theirs = fast.memory.report, general.memory.report
        assert ours.residual < 1e-5
        largest = max(largest, np.abs(theirs.impulse).max())
        if in_kernel:
            np.testing.assert_array_equal(ours.rows.owner[:2], theirs.rows.owner[:2])
            np.testing.assert_allclose(ours.impulse[:2], theirs.impulse[:2], atol=slack * largest, rtol=0)
            if friction:
                np.testing.assert_allclose(ours.dry.loop, theirs.dry.loop, atol=slack * largest / H, rtol=0)
    assert taken > 30


def test_a_stuck_loop_shares_what_holds_it() -> None:
    """No single pin could hold the four-bar; together they do, and it does not creep."""
    scene = linkage(0.9)
    scene.bodies[0].joint.qdot = 0.0
    for body in scene.bodies[:3]:
        body.joint.friction = JointFriction(0.9, 0.1, 0.04)
    model = compile_scene(scene)
    steps = EulerSteps(model, model.initial_state(), Options(h=H))
    start = steps.state.q.copy()
    taken = sum(isinstance(next_report(steps), TreeSteps) for _ in range(40))
    assert taken == 40
    assert np.abs(steps.state.q - start)[:3].max() < 1e-9


@pytest.mark.parametrize("corrections", [0, 2])
def test_friction_in_loops_does_no_work_on_them(corrections: int) -> None:
    """Four-bars that hang on each other: their pins and joints stick and slip at all times of the swing."""
    model = compile_scene(ladder(4, JointFriction(0.3, 0.02, 0.04)))
    steps = EulerSteps(model, model.initial_state(), Options(h=H, sleep=False, corrections=corrections))
    before, stuck = np.inf, 0
    for _ in range(300):
        assert isinstance(next_report(steps), TreeSteps)
        rubs = steps.memory.report.dry.force * steps.state.qdot
        assert rubs.max() < 1e-7 * (1.0 + np.abs(rubs).max())
        energy = float(energies(model, steps.state, forward_kinematics(model, steps.state)).sum())
        assert energy < before + 1e-6
        before = energy
        stuck += int(steps.memory.dry.at_rest.any() and not steps.memory.dry.at_rest.all())
    assert stuck > 5
    assert steps.memory.report.residual < 1e-5


def ladder(cells: int, rub: JointFriction) -> SceneSpec:
    """Four-bars below each other, the first one let go from the side."""
    bodies, loops = [], []
    for i in range(cells):
        below = f"rung{i - 1}" if i else None
        turn = 1.2 if i == 0 else 0.5 * np.pi
        for side, at in (("left", 0.0), ("right", 0.4)):
            bodies.append(rod(f"{side}{i}", 0.5, below, (at, 0.0, 0.0), turn, friction=rub))
        bodies.append(rod(f"rung{i}", 0.4, f"left{i}", (0.5, 0.0, 0.0), -turn, friction=rub))
        loops.append(
            LoopPoint(
                a=end_of(0.4, f"rung{i}"),
                b=end_of(0.5, f"right{i}"),
                perpendicular_to=(0.0, 1.0, 0.0),
                name=f"loop{i}",
                friction=rub,
            )
        )
    return SceneSpec(bodies=bodies, constraints=loops)


def next_report(steps: EulerSteps):
    next(steps)
    return steps.memory.latest


def test_legs_that_jam_stay_in_the_kernel() -> None:
    """Twelve loops that slide to a halt: where nearly all of a leg is held, the rows of its loops have next to nothing
    left that they could move, and hold all the same."""
    pytest.importorskip("mujoco", reason="the scene is one of the benchmarks, which need MuJoCo")
    from benchmarks.linkages import legs

    model = compile_scene(legs(True, 0.5))
    steps = EulerSteps(model, model.initial_state(), Options(h=1.0 / 240.0, sleep=False))
    for _ in range(100):
        assert isinstance(next_report(steps), TreeSteps)
        assert steps.memory.report.residual < 5.1e-6
    assert np.abs(steps.state.qdot).max() < 1e-9


@pytest.mark.parametrize("speed", [60.0, 100.0])
def test_a_crank_that_turns_far_in_a_step_is_put_back_onto_its_loop(speed: float) -> None:
    """By up to half a radian, so far that the rows of the step's start no longer point to where the loop closes."""
    model = compile_scene(four_bar("planar", speed=speed))
    steps = EulerSteps(model, model.initial_state(), Options(h=H))
    for _ in range(60):
        assert isinstance(next_report(steps), TreeSteps)
        assert steps.memory.report.residual < 5.1e-6


def test_bounds_are_as_exact_as_is_asked_for() -> None:
    """Of four-bars that swing and rub, with bounds that are looked for ever more exactly."""
    ends = []
    for tolerance in (1e-12, 1e-7, 1e-5, 1e-4):
        model = compile_scene(ladder(3, JointFriction(0.3, 0.02, 0.04)))
        options = Options(h=H, sleep=False, friction_tolerance=tolerance, position_tolerance=1e-10)
        steps = EulerSteps(model, model.initial_state(), options)
        for _ in range(30):
            next(steps)
        ends.append(steps.state.qdot)
    off = [np.abs(end - ends[0]).max() for end in ends[1:]]
    assert off[0] < 1e-6 and off[1] < 1e-4 and off[2] < 1e-3


def test_a_linkage_moves_a_kilometre_away_as_it_does_here() -> None:
    """Two trees that a loop joins, and more below. A kilometre costs three digits of sixteen, and swings that stick
    and slip a few more."""
    rub, ends = JointFriction(0.3, 0.02, 0.04), []
    for away in (0.0, 1000.0):
        scene = ladder(3, rub)
        for body in scene.bodies:
            if body.parent is None:
                x, y, z = body.joint.frame.position
                body.joint.frame = replace(body.joint.frame, position=(x + away, y - away, z))
        model = compile_scene(scene)
        steps = EulerSteps(model, model.initial_state(), Options(h=H, position_tolerance=1e-9))
        assert all(isinstance(next_report(steps), TreeSteps) for _ in range(60))
        ends.append(steps.state)
    np.testing.assert_allclose(ends[1].q, ends[0].q, atol=1e-6)
    np.testing.assert_allclose(ends[1].qdot, ends[0].qdot, atol=1e-4)


def test_rows_that_say_nothing_new_change_nothing_in_the_kernel() -> None:
    """A hinge in space closes a planar four-bar with five rows, of which its other hinges imply three."""
    plain, more = (compile_scene(four_bar(closure, speed=3.0)) for closure in ("planar", "hinge"))
    tight = Options(h=H, position_tolerance=1e-11)
    runs = [EulerSteps(model, model.initial_state(), tight) for model in (plain, more)]
    for _ in range(40):
        assert all(isinstance(next_report(steps), TreeSteps) for steps in runs)
        np.testing.assert_allclose(runs[1].state.q, runs[0].state.q, atol=1e-9, rtol=0)
        np.testing.assert_allclose(runs[1].memory.report.impulse[3:], 0.0, atol=1e-9)


def test_rubbing_loops_that_share_their_load_anyhow_are_left_to_the_general_route() -> None:
    scene = linkage(0.2)
    scene.constraints.append(replace(scene.constraints[0], name="again"))
    steps = EulerSteps(model := compile_scene(scene), model.initial_state(), Options(h=H))
    assert not isinstance(next_report(steps), TreeSteps)


def test_a_run_goes_on_from_a_frame_as_if_it_had_not_stopped() -> None:
    model, options = compile_scene(linkage(0.2, **CRANKS["motor"])), Options(h=H)
    tally = Tally()
    whole = list(simulate(model, options, end=0.5, record=10, tally=tally))
    assert sum(tally.steps.values()) == 100
    saved = Checkpoint()
    for frame in simulate(model, options, end=0.5, record=10, checkpoint=saved):
        if frame.state.t > 0.24:
            break
    rest = list(simulate(model, options, end=0.5, record=10, checkpoint=saved))
    np.testing.assert_array_equal(rest[-1].state.q, whole[-1].state.q)
    np.testing.assert_array_equal(rest[-1].state.qdot, whole[-1].state.qdot)
    single = list(simulate(model, options, end=0.5))
    np.testing.assert_array_equal(single[-1].state.q, whole[-1].state.q)


def test_a_diverging_tree_is_named_with_its_step() -> None:
    arm = rod("arm", 0.5, None, (0.0, 0.0, 0.0), 0.0, torque=[Polynomial([1e200, 1e307])])
    model = compile_scene(SceneSpec(bodies=[arm]))
    with pytest.raises(DivergedError, match="arm"):
        list(simulate(model, Options(h=H), end=1.0, record=10))


def test_a_tree_at_rest_falls_asleep_in_the_same_step() -> None:
    scene = SceneSpec(
        bodies=[rod("arm", 0.5, None, (0.0, 0.0, 0.0), 0.3, friction=JointFriction(0.5, 0.5, 0.1))],
    )
    slept = []
    for fast, general in routes(scene, 110):
        slept.append([steps.memory.report.dry.asleep for steps in (fast, general)])
    when = np.argmax(slept, axis=0)
    assert 90 < when[0] == when[1] < 110
