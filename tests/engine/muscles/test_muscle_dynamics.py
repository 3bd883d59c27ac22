"""Muscles in scenes: their mass and their pull in every integrator, energy, errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from muscle_scenes import OVER, STRAIGHT, THROUGH, arm, over

from redmax_blender.cli import main
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.muscles.inertia import inertia_forces, inertia_shares, muscle_inertia
from redmax_blender.engine.muscles.lift_off import clearances, longest_step
from redmax_blender.engine.muscles.motion import follow_muscles
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.run.simulate import Frame, simulate
from redmax_blender.engine.scene import (
    Constant,
    HillActuator,
    MusclePoint,
    MuscleSpec,
    Over,
    Reflex,
    SceneSpec,
    SpringActuator,
)
from redmax_blender.engine.scene.file import decode_scene, encode_scene
from redmax_blender.engine.tree.kinematics import forward_kinematics

HEAVY = {"mass": 0.8, "mass_points": 12}
PULL = SpringActuator(max_force=120.0, stiffness=300.0, damping=4.0)
HILL = HillActuator(max_force=400.0, optimal_length=0.12)


def moved(model: Model, q: Floats, qdot: Floats) -> State:
    return replace(model.initial_state(), q=np.array(q, float), qdot=np.array(qdot, float))


def run(spec: SceneSpec, integrator: str, h: float, end: float) -> list[Frame]:
    options = Options(h=h, integrator=integrator, rtol=1e-9, atol=1e-11)
    return list(simulate(compile_scene(spec), options, end=end, record=round(0.02 / h)))


MUSCLES = {
    "straight": MuscleSpec(name="m", points=STRAIGHT, **HEAVY),
    "through": MuscleSpec(name="m", points=THROUGH, **HEAVY),
    "over": over(**HEAVY),
    "exact": over(rounding=0.0, **HEAVY),
    "tendons": over(origin_tendon=0.05, insertion_tendon=0.08, **HEAVY),
}


@pytest.mark.parametrize("name", MUSCLES)
def test_quadratic_velocity_vector_follows_from_the_mass_matrix(name: str) -> None:
    """c = Mdot qdot - d/dq (qdotᵀ M qdot) / 2, which knows nothing of Jacobians of points."""
    model = compile_scene(arm([MUSCLES[name]]))
    q, qdot, d = np.array([-0.4, -0.9]), np.array([2.0, -1.5]), 1e-5

    def M(q: Floats) -> Floats:
        state = moved(model, q, np.zeros(2))
        return muscle_inertia(
            model, follow_muscles(model, state, forward_kinematics(model, state), True)
        ).mass

    state = moved(model, q, qdot)
    found = muscle_inertia(model, follow_muscles(model, state, forward_kinematics(model, state), True))
    dM = np.array([(M(q + d * e) - M(q - d * e)) / (2.0 * d) for e in np.eye(2)])
    expected = np.einsum("k,kij,j->i", qdot, dM, qdot) - 0.5 * np.einsum("kij,i,j->k", dM, qdot, qdot)
    assert found.bias == pytest.approx(expected, rel=1e-5, abs=1e-7)

    def weight(q: Floats) -> float:
        state = moved(model, q, np.zeros(2))
        return float(energies(model, state, forward_kinematics(model, state))[1])

    slope = np.array([(weight(q + d * e) - weight(q - d * e)) / (2.0 * d) for e in np.eye(2)])
    bare = compile_scene(arm([]))
    state = moved(bare, q, np.zeros(2))
    own = np.array(
        [
            (
                energies(bare, s, forward_kinematics(bare, s))[1]
                - energies(bare, t, forward_kinematics(bare, t))[1]
            )
            / (2.0 * d)
            for s, t in ((moved(bare, q + d * e, [0, 0]), moved(bare, q - d * e, [0, 0])) for e in np.eye(2))
        ]
    )
    assert -found.gravity == pytest.approx(slope - own, rel=1e-6, abs=1e-7)


def test_mass_at_a_point_of_a_body_is_mass_of_that_body() -> None:
    """A muscle whose mass is all at its insertion is a point mass there."""
    m, n = 0.7, 1000
    last = MuscleSpec(
        name="m",
        points=STRAIGHT,
        mass=m,
        mass_points=n,
        distribution=[0.0] * (n - 1) + [1.0],
        insertion_tendon=1e-6,
    )
    model = compile_scene(arm([last]))
    state = moved(model, [0.3, -0.7], [0.5, 1.1])
    kin = forward_kinematics(model, state)
    found = muscle_inertia(model, follow_muscles(model, state, kin, True)).mass
    p = np.array(
        [0.3 + (0.08 + 0.0) * np.cos(-0.7) - 0.03 * np.sin(-0.7), 0.08 * np.sin(-0.7) + 0.03 * np.cos(-0.7)]
    )
    r = p - [0.3, 0.0]
    J = np.array([[-p[1], -r[1]], [p[0], r[0]]])
    assert found == pytest.approx(m * J.T @ J, rel=2e-3)


@pytest.mark.parametrize("name", ["straight", "over"])
def test_runge_kutta_keeps_energy_and_its_routes_agree(name: str) -> None:
    spec = arm([MUSCLES[name]])
    a, b = (run(spec, integrator, 0.02, 0.3) for integrator in ("rk-recursive", "rk-redmax"))
    total = np.array([f.energy.sum() for f in a])
    assert np.abs(total - total[0]).max() < 1e-6
    assert np.abs(a[-1].state.q - b[-1].state.q).max() < 1e-6


def test_sdirk2_keeps_energy_of_a_pendulum_over_a_cylinder() -> None:
    """Through three times of touching down and lifting off, at the rounding that users have and a step of 4 ms."""
    frames = run(arm([over(**HEAVY)]), "sdirk2", 0.004, 1.0)
    total = np.array([f.energy.sum() for f in frames])
    moving = max(f.energy[0] for f in frames)
    assert np.ptp(total) < 2e-4 * moving


def test_steps_are_divided_only_while_a_path_lifts_off() -> None:
    model = compile_scene(arm([over(**HEAVY)]))
    h = 0.004
    deep, far = moved(model, [-0.4, -1.4], [0.5, 0.5]), moved(model, [-0.4, 0.6], [0.5, 0.5])
    assert longest_step(model, deep, h, h / 256) == h
    assert longest_step(model, far, h, h / 256) == h
    grazing = min(
        (moved(model, [-0.4, q], [0.0, -3.0]) for q in np.linspace(-1.0, 0.5, 151)),
        key=lambda s: abs(clearances(model, s)[0]),
    )
    assert longest_step(model, grazing, h, h / 256) < 0.1 * h
    assert longest_step(compile_scene(arm([over(inertia=False)])), grazing, h, h / 256) == h


@pytest.mark.parametrize("muscle", ["spring", "rigid", "both"])
@pytest.mark.parametrize("integrator", ["euler", "bdf1", "bdf2", "sdirk2"])
def test_every_integrator_goes_where_small_steps_go(muscle: str, integrator: str) -> None:
    settings: dict[str, Any] = {
        "spring": {"actuator": PULL, "excitation": Constant(0.4)},
        "rigid": {
            "actuator": HillActuator(400.0, 0.12, rigid_tendon=True), "excitation": Constant(0.5), "activation": 0.1
        },
        "both": {"actuator": HILL, "excitation": Constant(0.5), "activation": 0.1, **HEAVY},
    }[muscle]  # fmt: skip
    spec = arm([over(rounding=0.004, **settings)], damping=0.05)
    end = 0.08

    def path(integrator: str, h: float) -> Floats:
        return np.array([f.state.q for f in run(spec, integrator, h, end)])

    best = path("rk-recursive", 0.02)
    coarse, fine = (np.abs(path(integrator, h) - best).max() for h in (0.002, 0.0005))
    if integrator in ("euler", "bdf1"):
        assert fine < 0.6 * coarse  # a quarter, but for what cancels
        assert fine < 0.01
    else:
        assert fine < 0.15 * coarse or fine < 2e-5
        assert fine < 1e-3


def test_stiff_tendons_do_not_need_small_steps() -> None:
    """At steps of a 60th of a second, with a tendon that would take tens of microseconds."""
    stiff = HillActuator(3000.0, 0.06, tendon_strain=0.01)
    spec = arm([over(actuator=stiff, excitation=Constant(0.6), activation=0.05)], damping=0.5)
    fine = run(spec, "sdirk2", 0.0005, 1.0)[-1]
    for integrator in ("euler", "sdirk2"):
        frames = list(simulate(compile_scene(spec), Options(h=1.0 / 60.0, integrator=integrator), end=1.0))
        assert np.abs(frames[-1].state.q - fine.state.q).max() < 0.03


def test_inverse_dynamics_with_muscles_undoes_forward_dynamics() -> None:
    model = compile_scene(arm([MUSCLES["over"]]))
    from redmax_blender.engine.muscles.accelerate import hybrid_with_muscles
    from redmax_blender.engine.tree.recursive import inverse_dynamics

    state = moved(model, [-0.3, -0.8], [1.0, -2.0])
    tau = np.array([3.0, -1.0])
    free, none = np.ones(2, bool), np.zeros((0, 6))
    qddot, _ = hybrid_with_muscles(model, state, tau, np.zeros(2), free, none)
    kin = forward_kinematics(model, state)
    found = inverse_dynamics(model, kin, state.qdot, qddot) + inertia_forces(model, state, kin, qddot)
    assert found == pytest.approx(tau, abs=1e-9)
    half = np.array([True, False])
    mixed, needed = hybrid_with_muscles(model, state, tau, qddot, half, none)
    assert mixed == pytest.approx(qddot, abs=1e-9)
    assert needed == pytest.approx(tau, abs=1e-9)


def test_muscle_inertia_fades_linearly_with_mass() -> None:
    def torque(mass: float) -> Floats:
        model = compile_scene(arm([over(mass=mass)]))
        state = moved(model, [-0.3, -0.8], [1.0, -2.0])
        return inertia_forces(model, state, forward_kinematics(model, state), np.array([4.0, 2.0]))

    assert torque(0.2) == pytest.approx(2.0 * torque(0.1), rel=1e-9)
    assert not torque(0.0).any()


def test_shares_name_the_muscle_whose_inertia_matters_most() -> None:
    light, heavy = over(mass=0.05), MuscleSpec(name="heavy", points=THROUGH, mass=1.0)
    model = compile_scene(arm([light, heavy]))
    shares = inertia_shares(model, [model.initial_state()])
    assert list(shares) == ["heavy", "biceps"]
    assert 0.0 < shares["biceps"] < shares["heavy"] < 1.0


def test_a_reflex_holds_the_joint_at_its_target() -> None:
    """Of the muscle over the elbow: gravity stretches it, the reflex pulls back."""
    pull = SpringActuator(max_force=600.0)
    lax = run(arm([over(actuator=pull)], q=(-1.5, 0.0), damping=0.4), "euler", 0.002, 1.5)
    held = arm(
        [over(actuator=pull, reflexes=[Reflex("lower", target=0.5, gain=-3.0, rate_gain=-0.1)])],
        q=(-1.5, 0.0), damping=0.4,
    )  # fmt: skip
    for integrator in ("euler", "sdirk2", "rk-recursive"):
        frames = run(held, integrator, 0.002, 1.5)
        assert frames[-1].state.q[1] > 0.2 > lax[-1].state.q[1]


def test_conditional_points_count_within_their_range() -> None:
    from redmax_blender.engine.scene import WithinRange

    points = [
        THROUGH[0],
        MusclePoint((0.07, 0.05, 0.01), "upper", WithinRange("lower", -1.0, 0.0)),
        THROUGH[2],
    ]
    model = compile_scene(arm([MuscleSpec(name="m", points=points)]))

    def length(q: float) -> float:
        state = moved(model, [0.3, q], [0.0, 0.0])
        return float(follow_muscles(model, state, forward_kinematics(model, state)).length[0])

    through = compile_scene(arm([MuscleSpec(name="m", points=THROUGH)]))
    state = moved(through, [0.3, -0.5], [0.0, 0.0])
    assert length(-0.5) == pytest.approx(
        follow_muscles(through, state, forward_kinematics(through, state)).length[0]
    )
    assert length(0.1) < length(0.0) - 1e-3


def test_scene_files_keep_muscles() -> None:
    spec = arm([over(actuator=HILL, excitation=Constant(0.5), reflexes=[Reflex(gain=2.0)], **HEAVY)])
    assert decode_scene(encode_scene(spec)) == spec


@pytest.mark.parametrize(
    ("muscle", "says"),
    [
        ({"points": [MusclePoint((0.13, 0.0, 0.0), "upper"), OVER[1]]}, "inside the surface 'elbow'"),
        ({"over": [Over("knee")]}, "no surface 'knee'"),
        ({"over": [Over("elbow", 1, 1)]}, "not two of the muscle's 2"),
        ({"points": [OVER[0], OVER[0]]}, "on one body"),
        ({"points": [MusclePoint((0.0, 0.0, 0.0), "hand"), OVER[1]]}, "no body 'hand'"),
        ({"mass": -1.0}, "the mass is -1.0"),
        ({"mass": float("nan")}, "the number is nan"),
        ({"insertion_tendon": 2.0}, "its tendons are 2 m long"),
        ({"actuator": HillActuator(-5.0)}, "the force is -5.0"),
        ({"actuator": HillActuator(5.0, optimal_length=0.0)}, "the length is 0.0"),
        ({"actuator": SpringActuator(stiffness=-1.0)}, "the stiffness is -1.0"),
        ({"reflexes": [Reflex("wrist")]}, "no joint 'wrist'"),
        ({"distribution": [-1.0, 2.0]}, "not shares of a mass"),
    ],
)
def test_errors_name_the_muscle_and_the_trouble(muscle: dict[str, Any], says: str) -> None:
    settings = {"name": "biceps", "points": OVER, "over": [Over("elbow")], **muscle}
    with pytest.raises(SceneError, match=says):
        compile_scene(arm([MuscleSpec(**settings)]))


def test_bodies_without_muscles_step_as_before() -> None:
    bare, weightless = arm([]), arm([over()])
    a, b = (run(spec, "euler", 0.002, 0.2)[-1].state.q for spec in (bare, weightless))
    assert a == pytest.approx(b, abs=1e-12)


def test_info_lists_muscles_by_what_their_inertia_matters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heavy = MuscleSpec(name="heavy", points=THROUGH, mass=1.0)
    file = tmp_path / "arm.json"
    file.write_bytes(encode_scene(arm([over(mass=0.05), heavy])))
    assert main(["info", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2].startswith("heavy  1 kg")
    assert lines[-1].startswith("biceps  0.05 kg")
