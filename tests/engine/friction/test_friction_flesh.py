"""Joints rub under what they carry, flesh included: its weight, its pull, and what touches it."""

from __future__ import annotations

from dataclasses import replace
from math import pi
from typing import Any

import numpy as np
import pytest
from friction_scenes import G, total_energy

from redmax_blender.engine import compile_scene
from redmax_blender.engine.fem.bar import bar
from redmax_blender.engine.fem.flesh import held_velocities
from redmax_blender.engine.friction.joints.loads import BALL_LOAD
from redmax_blender.engine.integrators.euler import euler
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.scene import (
    Attachment,
    BodySpec,
    ColliderSpec,
    Constant,
    Cuboid,
    Fixed,
    FleshSpec,
    JointFriction,
    JointSpec,
    MaterialSpec,
    Motor,
    Plane,
    Pose,
    Revolute,
    SceneSpec,
    Spherical,
    Surface,
)
from redmax_blender.engine.tree import conversions
from redmax_blender.engine.tree.kinematics import forward_kinematics

Array = np.ndarray
BLOCK = (0.2, 0.2, 0.2)
"""Sides of what the bone carries [m]."""
MASS = 8.0
"""Of it [kg]."""
MIDDLE = -0.5
"""Where its middle is along z [m]; the joint is at the origin, and the bone hangs down from it."""
MU, RADIUS = 0.4, 0.02
SLIPS = JointFriction(MU, RADIUS, 0.05)


def bone(**joint: Any) -> BodySpec:
    shape = Cuboid((0.04, 0.04, 0.5))
    return BodySpec("bone", shape, joint=JointSpec(**joint), pose=Pose((0.0, 0.0, -0.25)), mass=1.0)


def block(
    young: float = 3e5, stiffness: float | None = None, lowest: float = MIDDLE, **more: Any
) -> FleshSpec:
    """A soft block that the bone carries by the vertices along it, down to the lowest [m], or by springs [N/m]."""
    X, tets = bar((4, 4, 4), BLOCK)
    X = X + np.array([-0.1, -0.1, MIDDLE - 0.1])
    held = np.flatnonzero((np.hypot(X[:, 0], X[:, 1]) < 0.02) & (X[:, 2] > lowest - 0.01)).tolist()
    material = MaterialSpec(young=young, stiffness_damping=0.02)
    return FleshSpec(
        "block", [tuple(x) for x in X.tolist()], tets.tolist(), material, mass=MASS,
        attachments=[Attachment("bone", held, stiffness)], **more,
    )  # fmt: skip


def soft(
    flesh: FleshSpec | None = None, colliders: list[ColliderSpec] | None = None, **joint: Any
) -> SceneSpec:
    return SceneSpec(bodies=[bone(**joint)], flesh=[flesh or block()], colliders=colliders or [])


def rigid(**joint: Any) -> SceneSpec:
    """The same with a block as hard as the bone."""
    load = BodySpec(
        "block",
        Cuboid(BLOCK),
        parent="bone",
        joint=JointSpec(type=Fixed()),
        pose=Pose((0.0, 0.0, MIDDLE)),
        mass=MASS,
    )
    return SceneSpec(bodies=[bone(**joint), load])


def friction_torque(scene: SceneSpec, steps: int, **options: Any) -> float:
    """Largest component of friction inside joints in the last of some steps of 4 ms [N·m]."""
    model = compile_scene(scene)
    run = euler(model, model.initial_state(), Options(h=0.004, **options))
    for _ in range(steps):
        next(run)
    return float(np.abs(run.memory.report.dry.force).max())


@pytest.mark.parametrize("held_by", [None, 2e4], ids=["vertices", "springs"])
def test_a_hinge_rubs_as_much_under_a_soft_block_as_under_a_hard_one(held_by: float | None) -> None:
    """A motor turns the bone slowly through the lowest point, where all weight hangs on the pin."""
    turns: dict[str, Any] = dict(
        type=Revolute((0.0, 1.0, 0.0)), q=-0.02, friction=SLIPS, motors=[Motor(Constant(0.1), 200.0)]
    )
    hard = friction_torque(rigid(**turns), 50)
    assert hard == pytest.approx(4 / pi * MU * RADIUS * (MASS + 1.0) * G, rel=1e-3)
    # it has come to rest to a percent by then, hanging from where it is held
    assert friction_torque(soft(block(stiffness=held_by), **turns), 150) == pytest.approx(hard, rel=0.02)


def momentum(model: Model, state: State, qdot: Array) -> Array:
    """Linear momentum of bones and flesh where they are in a state, with velocities qdot of the joints [N·s]."""
    assert model.flesh is not None
    moving = replace(state, qdot=qdot, v=state.v.copy())
    kin = forward_kinematics(model, moving)
    moving.v[model.flesh.pattern.held] = held_velocities(model.flesh, kin, kin.V)
    return conversions.momentum(model, moving, kin)[3:]


@pytest.mark.parametrize("solver", ["direct", "pcg"])
@pytest.mark.parametrize("touches", [False, True], ids=["in air", "on the ground"])
def test_the_load_of_a_ball_is_what_bone_and_flesh_together_lack_of_their_momentum(
    solver: str, touches: bool
) -> None:
    """Whatever the flesh does in a step: dented, moving, and pushed by a floor at free and at held vertices."""
    h, mu = 0.004, 0.02
    flesh = block(3e4, lowest=-1.0, surface=Surface(friction=0.5) if touches else None)
    floor = ColliderSpec("floor", Plane(), pose=Pose((0.0, 0.0, MIDDLE - 0.1)))
    model = compile_scene(soft(flesh, [floor], type=Spherical(), friction=JointFriction(mu, RADIUS)))
    draw, start = np.random.default_rng(5), model.initial_state()
    size = start.x.shape
    start = replace(start, x=start.x + 0.003 * draw.standard_normal(size), v=draw.normal(-0.5, 0.5, size))
    exact = Options(h=h, solver=solver, tolerance=1e-10, friction_enough=0.0, contact_enough=0.0)
    run = euler(model, start, exact)
    end, dry = next(run), run.memory.report.dry
    # the bone stood still: what impulses the step has, they have where everything was at its start
    change = momentum(model, replace(start, v=end.v), end.qdot) - momentum(model, start, start.qdot)
    push = np.zeros(3)
    if touches:
        assert dry.contacts is not None
        sign = np.where(dry.contacts.tet[:, 0] >= 0, 1.0, -1.0)
        push = sign @ dry.impulse
        assert push[2] > 0.2 * MASS * G * h
    joint = change - push - h * (MASS + 1.0) * np.array([0.0, 0.0, -G])
    assert np.linalg.norm(dry.force) == pytest.approx(
        mu * BALL_LOAD * RADIUS * np.linalg.norm(joint) / h, rel=1e-4
    )


def swing(scene: SceneSpec, steps: int) -> tuple[list[float], float]:
    """Angles at which a pendulum turns round [rad], and the energy that friction took [J], which it never gives."""
    model, h = compile_scene(scene), 0.004
    state = model.initial_state()
    start, taken = total_energy(model, state), 0.0
    lowest = total_energy(model, replace(state, qdot=0.0 * state.qdot, v=0.0 * state.v))
    run = euler(model, state, Options(h=h))
    before, found = 0.0, []
    for _ in range(steps):
        state = next(run)
        dry = run.memory.report.dry
        work = 0.0 if dry is None else h * float(dry.force @ state.qdot)
        assert work <= 1e-12
        taken -= work
        # steps of first order: energy sways by less than three percent of the swing
        assert total_energy(model, state) <= start - taken + 0.03 * (start - lowest)
        if before * state.qdot[0] < 0.0:
            found.append(abs(float(state.q[0])))
        before = float(state.qdot[0]) or before
    return found, taken


def test_a_pendulum_of_flesh_loses_its_swing_as_a_hard_one_does() -> None:
    speed = 2.0
    flesh = block(3e6)
    flesh.velocities = [(speed * z, 0.0, -speed * x) for x, _, z in flesh.vertices]
    swings: dict[str, Any] = dict(type=Revolute((0.0, 1.0, 0.0)), qdot=speed)
    rubs = swings | dict(friction=SLIPS)
    hard, soft_ = swing(rigid(**rubs), 300), swing(soft(flesh, **rubs), 300)
    # flesh that bends swings a little slower and, damped, less far
    assert soft_[1] == pytest.approx(hard[1], rel=0.04)
    lost_hard, lost_soft = (
        np.subtract(swing(without, 300)[0], with_[0])
        for without, with_ in ((rigid(**swings), hard), (soft(flesh, **swings), soft_))
    )
    assert lost_soft == pytest.approx(lost_hard, rel=0.1)
