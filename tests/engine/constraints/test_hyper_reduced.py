"""Hyper-reduced coordinates: several joints driven by one, exactly, with everything else on top."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mechanisms import end_of, line, open_by, point_of, rod
from small_scenes import mixed_tree

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import InputError, SceneError
from redmax_blender.engine.forces.joint import joint_action
from redmax_blender.engine.integrators import INTEGRATORS
from redmax_blender.engine.integrators.euler import EulerSteps
from redmax_blender.engine.model.control import control_at
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.scene import Constant, JointSpec, Limits, SceneSpec, Sine
from redmax_blender.engine.scene.constraints import CouplingSpec, Gear, LoopDistance, PrescribedPoint, Term
from redmax_blender.engine.scene.forces import Point, Spring
from redmax_blender.engine.solvers.direct import assemble
from redmax_blender.engine.solvers.implicit_system import implicit_system
from redmax_blender.engine.tree.kinematics import forward_kinematics

SOLVERS = ["direct", "pcg"]


def finger(**proximal: Any) -> SceneSpec:
    """Three phalanges; the middle joint (PIP) bends twice as much as the last one (DIP)."""
    return SceneSpec(
        bodies=[
            rod("proximal", 0.05, None, (0.0, 0.0, 0.0), 0.0, 0.02, **proximal),
            rod("middle", 0.03, "proximal", (0.05, 0.0, 0.0), 0.1, 0.012),
            rod("distal", 0.02, "middle", (0.03, 0.0, 0.0), 0.1, 0.008),
        ],
        couplings=[
            CouplingSpec(
                terms=[Term(joint="middle", factor=2.0), Term(joint="distal", factor=1.0)], name="tendon"
            )
        ],
    )


def tail(count: int = 12) -> SceneSpec:
    """A chain whose joints are all equal: one coordinate rolls it up."""
    bodies = [
        rod(f"link{k}", 0.1, None if k == 0 else f"link{k - 1}", (0.0 if k == 0 else 0.1, 0.0, 0.0), 0.0, 0.1)
        for k in range(count)
    ]
    terms = [Term(joint=f"link{k}", factor=1.0) for k in range(count)]
    return SceneSpec(bodies=bodies, couplings=[CouplingSpec(terms=terms)])


def run(
    spec: SceneSpec, end: float, h: float = 1.0 / 240.0, **options: object
) -> tuple[Model, list[State], EulerSteps]:
    model = compile_scene(spec)
    steps = EulerSteps(model, model.initial_state(), Options(h=h).with_(**options))
    return model, [next(steps) for _ in range(round(end / h))], steps


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_middle_joint_bends_twice_as_much_as_the_last(solver: str) -> None:
    _, states, _ = run(finger(), 2.0, solver=solver)
    for s in states:
        assert s.q[1] == pytest.approx(2.0 * s.q[2], abs=1e-12)
        assert s.qdot[1] == pytest.approx(2.0 * s.qdot[2], abs=1e-12)
    assert max(abs(s.q[2]) for s in states) > 0.2


@pytest.mark.parametrize("solver", SOLVERS)
def test_all_joints_of_a_chain_are_equal(solver: str) -> None:
    _, states, _ = run(tail(), 2.0, solver=solver)
    q = np.array([s.q for s in states])
    np.testing.assert_allclose(q, np.repeat(q[:, :1], 12, axis=1), atol=1e-12)
    assert np.abs(q).max() > 0.05


def test_the_step_is_that_of_the_smaller_system() -> None:
    """Bᵀ A B zdot = Bᵀ b, formed densely (paper, Eq. 10 in the implicit form of Eq. 2)."""
    spec = finger(damping=1e-3)
    spec.bodies[1].joint.stiffness = 0.01
    spec.forces = [
        Spring(points=[end_of(0.02, "distal"), Point(position=(0.1, 0.0, 0.05))], stiffness=5.0, damping=0.1)
    ]
    model = compile_scene(spec)
    state = model.initial_state()
    h = 1.0 / 240.0
    control = control_at(model, h)
    system = implicit_system(
        model, state, forward_kinematics(model, state), control, joint_action(model, state, control, h), h
    )
    A, B = assemble(system), np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 0.0]])
    expected = B @ np.linalg.solve(B.T @ A @ B, B.T @ system.b)
    for solver in SOLVERS:
        got = next(EulerSteps(model, state, Options(h=h, solver=solver, tolerance=1e-12))).qdot
        np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_a_coupling_does_what_gears_do() -> None:
    """All joints equal, once as one coordinate and once by eleven gears."""
    free = tail()
    free.couplings = []
    free.constraints = [
        Gear(terms=[Term(joint=f"link{k}", factor=1.0), Term(joint=f"link{k + 1}", factor=-1.0)])
        for k in range(11)
    ]
    ends = [run(spec, 1.0, solver="direct")[1][-1].q for spec in (tail(), free)]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-7)


def _everything() -> SceneSpec:
    """A coupled finger that a cable bends, with a stop, a rod to the world, and a driven knuckle."""
    spec = finger(motion=[Sine(amplitude=0.3, frequency=1.0)])
    spec.bodies[2].joint.limits = Limits(lower=-0.25, upper=0.25)
    spec.bodies.append(rod("lever", 0.1, None, (0.02, 0.0, -0.08), 0.3, 0.01))
    spec.forces = [
        Spring(
            points=[
                end_of(0.02, "distal"),
                Point(body="middle", position=(0.0, 0.0, -0.01)),
                Point(position=(0.0, 0.0, -0.02)),
            ],
            stiffness=40.0,
            damping=0.2,
            rest_length=0.05,
            tension_only=True,
        )
    ]
    spec.constraints = [LoopDistance(a=end_of(0.1, "lever"), b=end_of(0.03, "middle"), name="link")]
    return spec


@pytest.mark.parametrize("solver", SOLVERS)
def test_couplings_hold_with_springs_loops_limits_and_motions_on_top(solver: str) -> None:
    model, states, steps = run(_everything(), 2.0, solver=solver, tolerance=1e-9)
    q = np.array([s.q for s in states])
    np.testing.assert_allclose(q[:, 1], 2.0 * q[:, 2], atol=1e-12)
    assert np.abs(q[:, 2]).max() <= 0.25 + 1e-9
    assert np.abs(q[:, 2]).max() > 0.25 - 1e-6
    t = np.array([s.t for s in states])
    np.testing.assert_allclose(q[:, 0], 0.3 * np.sin(2.0 * np.pi * t), atol=1e-12)
    assert max(open_by(model, s) for s in states) < 1e-5
    assert steps.memory.report.motor is not None


def test_both_solvers_agree_on_everything_at_once() -> None:
    ends = [run(_everything(), 0.5, solver=solver, tolerance=1e-12)[1][-1].q for solver in SOLVERS]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)


def test_a_fingertip_is_led_through_the_coupling() -> None:
    """One point, two directions, two coordinates that are left: the hand example of the paper."""
    spec = finger()
    model = compile_scene(spec)
    tip = end_of(0.02, "distal")
    x, _, z = point_of(model, model.initial_state(), tip)
    spec.constraints = [PrescribedPoint(point=tip, path=[line(x, -0.01), None, line(z, -0.02)], name="tip")]
    model, states, _ = run(spec, 1.0)
    for s in states:
        here: Floats = point_of(model, s, tip)
        np.testing.assert_allclose(here[[0, 2]], [x - 0.01 * s.t, z - 0.02 * s.t], atol=2e-7)
        assert s.q[1] == pytest.approx(2.0 * s.q[2], abs=1e-12)


def test_energy_is_kept_as_well_as_without_the_coupling() -> None:
    lost = []
    for h in (1.0 / 1000.0, 1.0 / 2000.0):
        model, states, _ = run(tail(5), 0.5, h)
        e = [
            energies(model, s, forward_kinematics(model, s)).sum()
            for s in (model.initial_state(), states[-1])
        ]
        lost.append(e[0] - e[1])
    assert lost[1] == pytest.approx(0.5 * lost[0], rel=0.2)


def test_a_coupled_chain_of_many_joints_is_solved_without_forming_the_large_system() -> None:
    _, states, steps = run(tail(250), 0.05, solver="auto")
    q = states[-1].q
    np.testing.assert_allclose(q, q[0], atol=1e-12)
    assert steps.memory.report.solver == "reduced"


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2", "sdirk2", "rk-recursive", "rk-redmax"])
def test_integrators_that_cannot_hold_a_coupling_say_so(integrator: str) -> None:
    model = compile_scene(finger())
    with pytest.raises(InputError, match="couplings"):
        next(INTEGRATORS[integrator](model, model.initial_state(), Options(h=0.01)))


BAD: list[tuple[list[CouplingSpec], str, str]] = [
    ([CouplingSpec(terms=[Term(joint="foot", factor=1.0)])], "couplings[0].terms[0].joint", "there is no joint 'foot'"),
    ([CouplingSpec(terms=[Term(joint="hand", factor=0.0)])], "couplings[0].terms[0].factor", "the factor is zero"),
    (
        [CouplingSpec(terms=[Term(joint="hand", factor=1.0), Term(joint="hand", factor=2.0)], name="twice")],
        "couplings[0] 'twice'.terms[1].joint",
        "already in couplings[0] 'twice'",
    ),
    (
        [CouplingSpec(terms=[Term(joint="hand", factor=1.0)]), CouplingSpec(terms=[Term(joint="hand", factor=2.0)])],
        "couplings[1].terms[0].joint",
        "already in couplings[0]",
    ),
    (
        [CouplingSpec(terms=[Term(joint="tail", factor=1.0, index=2)])],
        "couplings[0].terms[0].index",
        "has 2 coordinates",
    ),
    ([CouplingSpec(terms=[Term(joint="slide", factor=1.0)])], "terms[0].joint", "prescribed and coupled at once"),
]  # fmt: skip


@pytest.mark.parametrize(("couplings", "place", "problem"), BAD)
def test_a_coupling_that_cannot_be_is_named(couplings: list[CouplingSpec], place: str, problem: str) -> None:
    bodies = mixed_tree()
    old = bodies[5].joint
    bodies[5].joint = JointSpec(type=old.type, frame=old.frame, motion=[Constant(value=0.0)])
    with pytest.raises(SceneError) as caught:
        compile_scene(SceneSpec(bodies=bodies, couplings=couplings))
    assert place in caught.value.place
    assert problem in caught.value.problem
