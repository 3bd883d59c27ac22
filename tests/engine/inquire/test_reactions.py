"""Reactions in joints sum up to the rate of the momentum of every body, whatever acts on it."""

from __future__ import annotations

import numpy as np
import pytest
from friction_scenes import bar, rub
from hypothesis import HealthCheck, assume, given, settings
from random_contact import random_scene
from random_scenes import H, Mix, mixes

from redmax_blender.engine import compile_scene
from redmax_blender.engine.errors import FAILURES, InputError
from redmax_blender.engine.forces.joint import joint_force
from redmax_blender.engine.inquire.accelerate import Motion, accelerate
from redmax_blender.engine.inquire.inquiry import Inquiry, inquire
from redmax_blender.engine.inquire.moment import Moment, moment
from redmax_blender.engine.inquire.reactions import to_world, weights
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.run.simulate import simulate
from redmax_blender.engine.scene import (
    BodySpec,
    ColliderSpec,
    Constant,
    Cuboid,
    Free,
    Gear,
    JointSpec,
    Limits,
    LoopDistance,
    LoopHinge,
    Motor,
    Plane,
    Point,
    Pose,
    Revolute,
    SceneSpec,
    Spring,
    StrandSpec,
    Surface,
    Term,
)
from redmax_blender.engine.tree.kinematics import body_poses, body_twists, forward_kinematics

STEP = 3e-4
"""Of the differences in time [s], which are of fourth order, where accelerations are 1."""


def body_momenta(model: Model, state: State) -> Floats:
    """About the world's origin, shape (nb, 6)."""
    kin = forward_kinematics(model, state)
    poses, twists = body_poses(model.bodies, kin), body_twists(model.bodies, kin.V)
    out = np.empty((len(poses), 6))
    for b, (row, V, I) in enumerate(zip(poses, twists, model.bodies.inertia)):
        R, c = row[:9].reshape(3, 3), row[9:]
        out[b, 3:] = I[3] * R @ V[3:]
        out[b, :3] = R @ (I[:3] * V[:3]) + np.cross(c, out[b, 3:])
    return out


def rates(model: Model, state: State, qddot: Floats) -> Floats:
    """How momenta change along the motion with these accelerations."""

    def at(t: float) -> Floats:
        q = state.q + t * state.qdot + 0.5 * t * t * qddot
        return body_momenta(model, State(state.t + t, q, state.qdot + t * qddot, state.chart))

    h = STEP / np.sqrt(1.0 + np.abs(qddot).max(initial=0.0))
    return (8.0 * (at(h) - at(-h)) - at(2.0 * h) + at(-2.0 * h)) / (12.0 * h)


def missing(model: Model, state: State, options: Options) -> tuple[float, float]:
    """What the forces on a body lack of its momentum's rate, and what the drives in the joints lack of what is known to
    act there, at most, as fractions of the largest."""
    now = moment(model, state, options)
    motion, told = accelerate(now), inquire(model, state, options)
    outside = to_world(now.kin, motion.wrenches) + weights(model, now.kin)
    total = np.zeros((model.nl, 6))
    parts = [np.abs(outside).max(initial=0.0)]
    carrier = {int(link): b for b, link in enumerate(model.bodies.link)}
    for b, name in enumerate(model.joints.names):
        link = int(model.bodies.link[b])
        reaction = told.joints[name].reaction
        W = np.concatenate([reaction.about(np.zeros(3)), reaction.force])
        parts.append(np.abs(W).max())
        total[link] += W
        above = int(model.tree.parent[link])
        while above >= 0 and above not in carrier:
            above = int(model.tree.parent[above])
        if above >= 0:
            total[above] -= W
    found = rates(model, now.state, motion.qddot)
    size = max(*parts, np.abs(found).max())
    lack = np.abs((total + outside)[model.bodies.link] - found).max()
    return lack / size, _drives(model, now, motion, told, size)


def _drives(model: Model, now: Moment, motion: Motion, told: Inquiry, size: float) -> float:
    known = joint_force(model, now.state, now.control) + now.dry_forces()
    gears = model.constraints.gears
    for g, force in zip(motion.gears, motion.gear_force):
        span = slice(gears.first[g], gears.first[g + 1])
        np.add.at(known, gears.dof[span], force * gears.factor[span])
    drive = np.concatenate([told.joints[name].drive for name in model.joints.names])
    dof = np.concatenate([np.arange(a, b) for a, b in model.joints.dof])
    free = np.ones(model.nr, bool)
    free[model.joints.motion.target] = False
    if model.reduction is not None:  # couplings pass forces on from joint to joint
        free[:] = False
    mine = free[dof]
    return float(np.abs(drive - known[dof])[mine].max(initial=0.0)) / size


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(mixes())
def test_forces_on_every_body_sum_to_the_rate_of_its_momentum(mix: Mix) -> None:
    """Any joints, springs, guides, limits, wind, loops, gears and prescribed motions."""
    model = compile_scene(mix.spec)
    try:
        lack, drive = missing(model, model.initial_state(), Options(h=H))
    except FAILURES:
        assume(False)
    assert lack < 1e-8
    assert drive < 1e-8


@pytest.mark.parametrize("seed", range(25))
def test_so_they_do_in_contact(seed: int) -> None:
    """Bodies of 1 g to 1 t that fall on each other, with friction in their joints: at frames of a run."""
    model = compile_scene(random_scene(seed))
    options = Options(h=0.004)
    state, touched = model.initial_state(), 0
    for frame in simulate(model, options, end=1.2, record=60):
        state = frame.state
        lack, drive = missing(model, state, options)
        assert lack < 1e-8
        assert drive < 1e-8
        told = inquire(model, state, options)
        touched += len(told.contacts)
        for touch in told.contacts:
            assert touch.push >= 0.0
            # impulses of contacts, and so their cones, are found to this tolerance
            assert touch.used <= touch.available * (1.0 + options.contact_tolerance) + 1e-12
        for joint in told.friction:
            assert joint.used <= joint.available * (1.0 + 1e-9) + 1e-12
    assert touched


def test_a_standing_block_is_carried_by_its_contacts() -> None:
    """The pushes of the ground sum to the weight, and friction on a slope to its share along the slope."""
    tilt = 0.2
    ramp = ColliderSpec(name="ramp", shape=Plane(), pose=Pose(rotation=[0.0, tilt, 0.0]), friction=0.5)
    up = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    block = BodySpec(
        name="block",
        shape=Cuboid((0.4, 0.4, 0.2)),
        mass=3.0,
        surface=Surface(friction=0.5),
        joint=JointSpec(type=Free(), frame=Pose(tuple(0.1 * up), [0.0, tilt, 0.0])),
    )
    model = compile_scene(SceneSpec(bodies=[block], colliders=[ramp]))
    options = Options(h=0.005)
    *_, frame = simulate(model, options, end=1.0, record=100)
    told = inquire(model, frame.state, options)
    weight = 3.0 * 9.81
    assert sum(touch.push for touch in told.contacts) == pytest.approx(weight * np.cos(tilt), rel=1e-4)
    along = sum(touch.force for touch in told.contacts) @ np.array([np.cos(tilt), 0.0, -np.sin(tilt)])
    assert along == pytest.approx(-weight * np.sin(tilt), rel=1e-4)
    assert sum(touch.available for touch in told.contacts) == pytest.approx(
        0.5 * weight * np.cos(tilt), rel=1e-4
    )
    assert np.abs(told.joints["block"].reaction.force).max() < 1e-9


def test_a_pendulum_pulls_at_its_hinge() -> None:
    """m g cos θ + m ω² r along the bar, and m g sin θ less what it accelerates across: the textbook's."""
    bob = bar("bob", Revolute((0.0, 1.0, 0.0)), length=2.0, q=0.7, qdot=1.3)
    bob.mass = 5.0
    model = compile_scene(SceneSpec(bodies=[bob]))
    told = inquire(model, model.initial_state(), Options(h=0.01))
    force, torque = told.joints["bob"].along("joint")
    I = float(model.bodies.inertia[0, 1]) + 5.0
    alpha = 5.0 * 9.81 * np.cos(0.7) / I
    assert force == pytest.approx(
        [-5.0 * (1.3**2 + 9.81 * np.sin(0.7)), 0.0, 5.0 * (9.81 * np.cos(0.7) - alpha)], rel=1e-9, abs=1e-9
    )
    assert torque == pytest.approx(np.zeros(3), abs=1e-9)
    body, _ = told.joints["bob"].along("body")
    assert np.sort(np.abs(body)) == pytest.approx(np.sort(np.abs(force)), abs=1e-9)


def test_a_motor_and_a_limit_are_told_as_drives() -> None:
    """A motor that stalls at its largest torque against a limit: the limit gives what is left of the weight's."""
    lift = bar("lift", Revolute((0.0, 1.0, 0.0)), length=1.0, q=0.0, friction=rub(0.2))
    lift.mass = 2.0
    lift.joint.limits = Limits(lower=-1.0, upper=0.0)
    lift.joint.motors = [Motor(speed=_constant(-1.0), torque=4.0)]
    model = compile_scene(SceneSpec(bodies=[lift]))
    options = Options(h=0.005)
    *_, frame = simulate(model, options, end=0.5, record=20)
    told = inquire(model, frame.state, options)
    assert told.joints["lift"].drive[0] == pytest.approx(-2.0 * 9.81 * 0.5, rel=1e-6)
    (pin,) = told.friction
    assert 0.0 < pin.used <= pin.available * (1.0 + 1e-9)


def test_lines_pull_what_hangs_on_them() -> None:
    """A weight on a spring, on a rod and on a rope."""
    spring = Spring(
        points=[Point((0.0, 0.0, 1.0)), Point(body="a")], stiffness=100.0, rest_length=0.5, name="rubber"
    )
    rod = LoopDistance(a=Point((1.0, 0.0, 1.0)), b=Point(body="b"), name="rod")
    rope = LoopDistance(a=Point((2.0, 0.0, 1.0)), b=Point(body="c"), sense="at-most", name="rope")
    bodies = [
        BodySpec(
            name=n,
            shape=Cuboid((0.1, 0.1, 0.1)),
            mass=2.0,
            joint=JointSpec(type=Free(), frame=Pose((x, 0, 0))),
        )
        for n, x in (("a", 0.0), ("b", 1.0), ("c", 2.0))
    ]
    model = compile_scene(SceneSpec(bodies=bodies, forces=[spring], constraints=[rod, rope]))
    told = inquire(model, model.initial_state(), Options(h=0.005))
    assert told.lines["rubber"].tension == pytest.approx(50.0)
    assert told.lines["rod"].tension == pytest.approx(2.0 * 9.81, rel=1e-9)
    assert told.lines["rope"].tension == pytest.approx(2.0 * 9.81, rel=1e-6)
    assert told.loops["rod"].force == pytest.approx([0.0, 0.0, 2.0 * 9.81], rel=1e-9, abs=1e-9)


def test_a_four_bar_shares_its_load_as_statics_says() -> None:
    """Cranks that stand upright under a beam carry half of its weight each, in the tree as in the loop."""
    scene = SceneSpec(
        bodies=[
            bar("left", Revolute((0.0, 1.0, 0.0)), frame=Pose(rotation=[0.0, -np.pi / 2, 0.0])),
            bar("beam", Revolute((0.0, 1.0, 0.0)), parent="left", q=np.pi / 2),
            bar("right", Revolute((0.0, 1.0, 0.0)), frame=Pose((1.0, 0.0, 0.0), [0.0, -np.pi / 2, 0.0])),
        ],
        constraints=[
            LoopHinge(
                a=Point((0.5, 0.0, 0.0), "beam"),
                b=Point((0.5, 0.0, 0.0), "right"),
                axis=(0.0, 1.0, 0.0),
                name="pin",
            )
        ],
    )
    model = compile_scene(scene)
    told = inquire(model, model.initial_state(), Options(h=0.005))
    each = 10.0 * 9.81  # 1 m x 0.1 m x 0.1 m of water
    assert abs(told.loops["pin"].force[2]) == pytest.approx(0.5 * each, rel=1e-9)
    assert told.joints["beam"].reaction.force[2] == pytest.approx(0.5 * each, rel=1e-9)
    assert told.joints["left"].reaction.force[2] == pytest.approx(1.5 * each, rel=1e-9)
    assert told.joints["right"].reaction.force[2] == pytest.approx(1.5 * each, rel=1e-9)


def test_accelerations_are_those_of_short_steps() -> None:
    """With gears, a loop and a limit: the mean over a short step is what is told at its start."""
    a = bar("a", Revolute((0.0, 1.0, 0.0)), qdot=1.0)
    b = bar("b", Revolute((0.0, 1.0, 0.0)), frame=Pose((2.0, 0.0, 0.0)), qdot=-0.5)
    gear = Gear(terms=[Term(joint="a", factor=1.0), Term(joint="b", factor=2.0)], name="gear")
    model = compile_scene(SceneSpec(bodies=[a, b], constraints=[gear]))
    told = inquire(model, model.initial_state(), Options(h=0.005))
    h = 1e-6
    *_, frame = simulate(model, Options(h=h), end=h)
    assert (frame.state.qdot - model.qdot0) / h == pytest.approx(told.acceleration, rel=1e-4)


def test_strands_and_flesh_are_refused_by_name() -> None:
    bob = bar("bob", Revolute((0.0, 1.0, 0.0)))
    string = StrandSpec("string", Point((0.0, 0.0, 1.0)), Point(body="bob"), 1e5, 1.0, 2)
    model = compile_scene(SceneSpec(bodies=[bob], strands=[string]))
    with pytest.raises(InputError, match="Inquire a scene without flesh"):
        inquire(model, model.initial_state(), Options(h=0.01))


def _constant(value: float) -> Constant:
    return Constant(value)
