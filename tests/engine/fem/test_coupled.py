"""Flesh on a skeleton: both move each other, and however that is computed, it is the same motion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import InputError, SceneError
from redmax_blender.engine.fem.bar import bar
from redmax_blender.engine.fem.elements import add_product, linearise
from redmax_blender.engine.fem.flesh import held_places
from redmax_blender.engine.fem.materials.materials import KINDS
from redmax_blender.engine.forces.joint import joint_action
from redmax_blender.engine.model.control import control_at
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.run.result import Result
from redmax_blender.engine.run.simulate import simulate
from redmax_blender.engine.scene import (
    Attachment,
    BodySpec,
    CouplingSpec,
    Cuboid,
    FleshSpec,
    Free,
    JointSpec,
    Limits,
    LoopPoint,
    MaterialSpec,
    Point,
    Pose,
    Revolute,
    SceneSpec,
    Sine,
    Spherical,
    Spring,
    Term,
    Translational,
)
from redmax_blender.engine.solvers.coupled import CoupledDirect, CoupledPCG, flesh_system
from redmax_blender.engine.solvers.direct import assemble
from redmax_blender.engine.solvers.implicit_system import implicit_system
from redmax_blender.engine.tree import conversions
from redmax_blender.engine.tree.kinematics import forward_kinematics

Array = np.ndarray
NO_GRAVITY = (0.0, 0.0, 0.0)
X_AXIS, Y_AXIS = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def bone(name: str, parent: str | None, joint: Any, at: Any = (0.0, 0.0, 0.0), **more: Any) -> BodySpec:
    """A stick of 0.4 m along x from its joint."""
    given = {k: more.pop(k) for k in ("mass", "damping") if k in more}
    return BodySpec(
        name=name,
        parent=parent,
        shape=Cuboid(sides=(0.4, 0.05, 0.05)),
        pose=Pose(position=(0.2, 0.0, 0.0)),
        joint=JointSpec(type=joint, frame=Pose(position=at), **more),
        **given,
    )


def sleeve(
    bodies: dict[str, tuple[float, float]],
    material: MaterialSpec,
    length: float = 0.8,
    counts: tuple[int, int, int] = (8, 2, 2),
    **more: Any,
) -> FleshSpec:
    """A bar of flesh along x around the bones; each carries the middle vertices between two places along x."""
    X, corner = bar(counts, (length, 0.12, 0.12))
    X = X - [0.0, 0.06, 0.06]
    middle = np.hypot(X[:, 1], X[:, 2]) < 0.07
    attachments = [
        Attachment(name, np.flatnonzero(middle & (X[:, 0] >= a - 1e-9) & (X[:, 0] <= b + 1e-9)).tolist())
        for name, (a, b) in bodies.items()
    ]
    return FleshSpec(
        "sleeve", [tuple(x) for x in X.tolist()], corner.tolist(), material, attachments=attachments, **more
    )


def arm(
    root: Any, material: MaterialSpec | None = None, gravity: Any = NO_GRAVITY, **upper: Any
) -> SceneSpec:
    """Two bones with flesh around both, its middle vertices carried but for those near the elbow."""
    material = material or MaterialSpec(young=2e4, stiffness_damping=0.01)
    return SceneSpec(
        gravity=gravity,
        bodies=[
            bone("upper", None, root, **upper),
            bone("lower", "upper", Revolute(axis=Y_AXIS), (0.4, 0.0, 0.0), qdot=2.0),
        ],
        flesh=[sleeve({"upper": (0.0, 0.3), "lower": (0.5, 0.8)}, material)],
    )


def run(model: Model, options: Options, steps: int, state: State | None = None) -> list[State]:
    t0 = (state or model.initial_state()).t
    return [f.state for f in simulate(model, options, end=t0 + steps * options.h, state=state)]


def scrambled(model: Model, seed: int = 3) -> State:
    """Any state: the bones turned and moving, the flesh dented and moving."""
    rng = np.random.default_rng(seed)
    s = model.initial_state()
    free = model.joints.free
    q = s.q + np.where(free, rng.uniform(-0.4, 0.4, model.nr), 0.0)
    qdot = np.where(free, rng.uniform(-1.0, 1.0, model.nr), s.qdot)
    x = s.x + 0.005 * rng.standard_normal(s.x.shape)
    return replace(s, q=q, qdot=qdot, x=x, v=0.3 * rng.standard_normal(s.x.shape))


def momentum(model: Model, s: State) -> tuple[Array, Array]:
    """Linear and angular momentum of all bodies and vertices about the world's origin."""
    both = conversions.momentum(model, s, forward_kinematics(model, s))
    return both[3:], both[:3]


# Eq. 6, dense and plain: attached vertices are unknowns of their own, tied to the bones by multipliers. ------------


def held_at(model: Model, s: State, q: Array) -> Array:
    assert model.flesh is not None
    return held_places(model.flesh, forward_kinematics(model, replace(s, q=q))).ravel()


def held_jacobian(model: Model, s: State, q: Array) -> Array:
    """By differences of where vertices are."""
    e = 1e-5 * np.eye(model.nr)
    return np.array(
        [
            (8 * (held_at(model, s, q + d) - held_at(model, s, q - d))
             - (held_at(model, s, q + 2 * d) - held_at(model, s, q - 2 * d))) / 12e-5
            for d in e
        ]
    ).T  # fmt: skip


def step_by_multipliers(spec: SceneSpec, s: State, h: float, curving: bool) -> tuple[Array, Array]:
    """qdot and all vertex velocities of one step under the rows J_h qdot - v_h = 0 of Eq. 6.

    `curving` gives attached masses the force -m Jdot qdot that Eq. 2 gives to bodies.
    """
    model = compile_scene(spec)
    bones = compile_scene(SceneSpec(gravity=spec.gravity, bodies=spec.bodies))  # without what they carry
    flesh = model.flesh
    assert flesh is not None
    still = State(s.t, s.q, s.qdot, s.chart)
    kin = forward_kinematics(bones, still)
    control = control_at(bones, s.t + h)
    tree = implicit_system(bones, still, kin, control, joint_action(bones, still, control, h), h)
    held, nv, nr = flesh.pattern.held, flesh.nv, model.nr
    x, v = s.x.copy(), s.v.copy()
    x[held] = held_at(model, s, s.q).reshape(-1, 3)
    J = held_jacobian(model, s, s.q)
    v[held] = (J @ s.qdot).reshape(-1, 3)
    f = flesh.tets.mass[:, None] * np.asarray(spec.gravity)
    lin = linearise(flesh.tets, x, h, f)
    K = np.zeros((3 * nv, 3 * nv))
    for k, e in enumerate(np.eye(3 * nv)):
        column = np.zeros((nv, 3))
        add_product(lin, e.reshape(-1, 3), column)
        K[:, k] = column.ravel()
    K += np.diag(np.repeat(flesh.tets.mass + h * flesh.tets.drag, 3))
    b = (flesh.tets.mass[:, None] * v + h * f).ravel()
    rows = (3 * held[:, None] + np.arange(3)).ravel()
    if curving:
        d = 1e-4
        rate = (held_jacobian(model, s, s.q + d * s.qdot) - held_jacobian(model, s, s.q - d * s.qdot)) / (
            2 * d
        )
        b[rows] -= h * np.repeat(flesh.tets.mass[held], 3) * (rate @ s.qdot)
    G = np.hstack([J, np.zeros((len(rows), 3 * nv))])
    G[np.arange(len(rows)), nr + rows] = -1.0
    n = nr + 3 * nv
    kkt = np.zeros((n + len(rows), n + len(rows)))
    kkt[:nr, :nr], kkt[nr:n, nr:n], kkt[:n, n:], kkt[n:, :n] = assemble(tree), K, G.T, G
    z = np.linalg.solve(kkt, np.concatenate([tree.b, b, np.zeros(len(rows))]))
    return z[:nr], z[nr:n].reshape(-1, 3)


def one_step(
    model: Model, s: State, h: float, solver: type = CoupledDirect, **more: Any
) -> tuple[Array, Array]:
    kin, control = forward_kinematics(model, s), control_at(model, s.t + h)
    tree = implicit_system(model, s, kin, control, joint_action(model, s, control, h), h)
    assert model.flesh is not None
    coupled = solver(flesh_system(tree, model.flesh, s, h), **more)
    qdot = coupled.solve(coupled.c, tree.known, s.qdot)
    free = np.zeros((model.flesh.nv, 1))
    free[model.flesh.pattern.free] = 1.0
    return qdot, free * (coupled.alone + coupled.response(qdot)) + coupled.whole.motion(qdot)


@pytest.mark.parametrize("root", [Free(), Spherical(), Revolute(axis=Y_AXIS)], ids=lambda r: type(r).__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_the_jacobian_route_is_the_constraint_route_of_eq_6(root, kind):
    spec = arm(
        root, MaterialSpec(3e4, kind=kind, stiffness_damping=0.01, mass_damping=0.5), (0.0, 0.0, -9.81)
    )
    model = compile_scene(spec)
    s = scrambled(model)
    qdot, v = one_step(model, s, 0.01)
    wanted_qdot, wanted_v = step_by_multipliers(spec, s, 0.01, curving=True)
    assert np.abs(wanted_qdot - s.qdot).max() > 0.05, "the step changes something"
    assert np.abs(qdot - wanted_qdot).max() < 1e-6
    assert np.abs(v - wanted_v).max() < 1e-6


def test_without_the_force_of_curved_paths_eq_6_differs_with_the_step():
    spec = arm(Spherical())
    model = compile_scene(spec)
    s = scrambled(model)
    gaps = []
    for h in (2e-3, 1e-3, 5e-4):
        gaps.append(
            np.abs(one_step(model, s, h)[0] - step_by_multipliers(spec, s, h, curving=False)[0]).max()
        )
    rates = np.log2(np.array(gaps[:-1]) / gaps[1:])
    assert np.all(rates > 0.9), gaps


@pytest.mark.parametrize("young, density", [(1e4, 1000.0), (1e6, 1.0), (1e6, 1e5)])
def test_conjugate_gradients_and_the_factor_agree(young, density):
    model = compile_scene(arm(Free(), MaterialSpec(young, density=density), (0.0, 0.0, -9.81)))
    s = scrambled(model)
    direct = one_step(model, s, 1 / 96)
    iterative = one_step(model, s, 1 / 96, CoupledPCG, tolerance=1e-9)
    assert np.abs(direct[0] - iterative[0]).max() < 1e-6 * np.abs(direct[0]).max()
    assert np.abs(direct[1] - iterative[1]).max() < 1e-6 * np.abs(direct[1]).max()


# Two ways ------------------------------------------------------------------------------------------------------


def test_a_passive_joint_is_moved_through_flesh_alone():
    def spec(with_flesh: bool) -> SceneSpec:
        return SceneSpec(
            gravity=NO_GRAVITY,
            bodies=[
                bone("driven", None, Revolute(axis=Y_AXIS), motion=[Sine(0.3, 1.0)]),
                bone("passive", None, Revolute(axis=Y_AXIS), (0.4, 0.0, 0.0)),
            ],
            flesh=[sleeve({"driven": (0.0, 0.3), "passive": (0.5, 0.8)}, MaterialSpec(3e4))]
            if with_flesh
            else [],
        )

    options = Options(h=0.01)
    alone = run(compile_scene(spec(False)), options, 50)
    assert all(s.q[1] == 0.0 for s in alone), "nothing else connects the two"
    model = compile_scene(spec(True))
    frames = run(model, options, 50)
    assert max(abs(s.q[1]) for s in frames) > 0.05
    assert all(abs(s.q[0] - 0.3 * np.sin(2 * np.pi * s.t)) < 1e-12 for s in frames)


def test_the_motor_of_a_prescribed_joint_bears_the_weight_of_the_flesh():
    spec = arm(
        Revolute(axis=Y_AXIS),
        MaterialSpec(2e5, stiffness_damping=0.1),
        (0.0, 0.0, -9.81),
        motion=[Sine(0.0, 1.0)],
    )
    model = compile_scene(spec)
    *_, end = simulate(model, Options(h=0.02), end=4.0)
    assert model.flesh is not None
    assert np.abs(end.state.v).max() < 1e-3, "it has come to rest"
    weighed = model.bodies.inertia[:, 3] @ end.body_pose[:, 9], model.flesh.tets.mass @ end.state.x[:, 0]
    assert weighed[1] > weighed[0], "most of the moment is the flesh's"
    assert end.torque[0] == pytest.approx(-9.81 * sum(weighed), rel=1e-3)


def test_attached_vertices_never_drift_and_pinned_ones_never_move():
    spec = arm(Spherical(), gravity=(0.0, 0.0, -9.81))
    X = np.array(spec.flesh[0].vertices)
    spec.flesh[0].pinned = np.flatnonzero((np.hypot(X[:, 1], X[:, 2]) > 0.07) & (X[:, 0] < 1e-9)).tolist()
    model = compile_scene(spec)
    flesh = model.flesh
    assert flesh is not None
    for s in run(model, Options(h=0.01), 40):
        kin = forward_kinematics(model, s)
        assert np.abs(s.x[flesh.pattern.held] - held_places(flesh, kin)).max() < 1e-12
        assert np.array_equal(s.x[spec.flesh[0].pinned], X[spec.flesh[0].pinned])


def test_thin_flesh_leaves_the_motion_of_the_skeleton_as_it_is():
    options = Options(h=0.005)
    bare = arm(Spherical(), gravity=(0.0, 0.0, -9.81))
    bare.flesh = []
    wanted = run(compile_scene(bare), options, 60)[-1].q
    gaps = []
    for scale in (1e-2, 1e-3, 1e-4):
        spec = arm(Spherical(), MaterialSpec(1e4 * scale, density=1000.0 * scale), (0.0, 0.0, -9.81))
        gaps.append(np.abs(run(compile_scene(spec), options, 60)[-1].q - wanted).max())
    assert gaps[-1] < 1e-3
    assert np.all(np.array(gaps[:-1]) > 8.0 * np.array(gaps[1:])), gaps


# What is conserved -----------------------------------------------------------------------------------------------


def test_linear_momentum_of_a_floating_body_with_flesh_is_kept_to_rounding_where_nothing_turns():
    spec = arm(Translational(), MaterialSpec(2e4))
    spec.bodies[1] = bone("lower", "upper", Translational(), (0.4, 0.0, 0.0), qdot=[0.3, 0.5, -0.4])
    model = compile_scene(spec)
    frames = run(model, Options(h=0.01), 50)
    first = momentum(model, frames[0])[0]
    assert np.linalg.norm(first) > 0.5
    assert max(np.abs(momentum(model, s)[0] - first).max() for s in frames) < 1e-11


def test_momentum_and_energy_of_a_floating_skeleton_with_flesh_drift_by_the_order_of_the_step():
    spec = arm(Free(), MaterialSpec(2e3))
    X = np.array(
        spec.flesh[0].vertices
    )  # which turns with the lower bone at the start, so that nothing is jerked
    turning = np.where(X[:, :1] > 0.4, np.cross([0.0, 2.0, 0.0], X - [0.4, 0.0, 0.0]), 0.0)
    spec.flesh[0].velocities = [tuple(v) for v in turning.tolist()]
    model = compile_scene(spec)
    drifts = []
    for steps in (50, 100, 200):
        frames = list(simulate(model, Options(h=0.2 / steps), end=0.2, record=steps))
        (p0, l0), (p1, l1) = momentum(model, frames[0].state), momentum(model, frames[-1].state)
        energy = frames[-1].energy.sum() / frames[0].energy.sum() - 1.0
        assert energy < 0.0, "the step damps"
        drifts.append(
            [
                np.linalg.norm(p1 - p0) / np.linalg.norm(p0),
                np.linalg.norm(l1 - l0) / np.linalg.norm(l0),
                -energy,
            ]
        )
    rates = np.log2(np.array(drifts[:-1]) / np.array(drifts[1:]))
    assert np.all(np.array(drifts[-1]) < 0.01), drifts
    assert np.all(np.abs(rates[:, :2] - 1.0) < 0.1) and np.all(np.abs(rates[:, 2] - 1.0) < 0.3), rates


# Everything at once, and far from anything sensible ---------------------------------------------------------------


@pytest.mark.parametrize("ratio", [1e3, 1.0, 1e-3])
@pytest.mark.parametrize("young", [1e5, 1e6, 1e7])
@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_a_step_does_not_blow_up(ratio, young, kind):
    """`ratio` is the mass of the bones over that of the flesh. Bones alone would gain 0.28 of the bound's unit."""
    # in the papers' coordinates: with centred ones heavy bones in the softest flesh gain four times the bound
    spec = arm(Spherical(centred=False), MaterialSpec(young, kind=kind), (0.0, 0.0, -9.81))
    for body in spec.bodies:
        body.mass = 0.5 * ratio * 1000.0 * 0.8 * 0.12 * 0.12
    model = compile_scene(spec)
    frames = list(simulate(model, Options(h=1 / 24, integrator="euler-midway"), end=3.0))
    total = np.array([f.energy.sum() for f in frames])
    size = model.bodies.inertia[:, 3].sum() + model.flesh.tets.mass.sum()  # type: ignore[union-attr]
    assert np.abs(np.array([f.state.x for f in frames])).max() < 2.0
    assert total.max() - total[0] < 0.5 * size * 9.81 * 0.8


def everything(solver: str) -> Result:
    """A four-bar loop with flesh on three sides, a spring, a limit, a motion and a free end."""
    material = MaterialSpec(5e4, stiffness_damping=0.01)
    spec = SceneSpec(
        bodies=[
            bone("crank", None, Revolute(axis=Y_AXIS), motion=[Sine(0.4, 1.0)]),
            bone("rod", "crank", Revolute(axis=Y_AXIS), (0.4, 0.0, 0.0), q=0.0),
            bone("rocker", None, Revolute(axis=Y_AXIS), (0.8, 0.0, -0.4), q=-np.pi / 2),
            bone("tail", "rod", Revolute(axis=Y_AXIS), (0.4, 0.0, 0.0), limits=Limits(lower=-0.2, upper=0.2)),
        ],
        constraints=[
            LoopPoint(
                a=Point(body="rod", position=(0.2, 0.0, 0.0)),
                b=Point(body="rocker", position=(0.2, 0.0, 0.0)),
            )
        ],
        forces=[
            Spring(
                points=[Point(body="crank", position=(0.2, 0.0, 0.0)), Point(position=(0.4, 0.0, 0.6))],
                stiffness=200.0,
            ),
            Spring(points=[Point(body="tail"), Point(body="crank")], stiffness=100.0),
        ],
        flesh=[
            sleeve({"crank": (0.0, 0.3), "rod": (0.5, 0.7), "tail": (0.9, 1.2)}, material, 1.2, (12, 2, 2))
        ],
    )
    model = compile_scene(spec)
    options = Options(h=0.005, solver=solver, tolerance=1e-9)
    return Result.from_frames(model, simulate(model, options, end=0.5))


def test_springs_loops_limits_and_motions_work_together_with_flesh_by_either_solver():
    direct, iterative = everything("direct"), everything("pcg")
    tail = direct.q[:, direct.coordinates("tail")]
    assert np.abs(tail).max() == pytest.approx(0.2, abs=1e-9), "the limit is reached and holds"
    assert np.abs(direct.q[:, 0] - 0.4 * np.sin(2 * np.pi * direct.t)).max() < 1e-12
    rod, rocker = direct.body_pose[:, 1], direct.body_pose[:, 2]
    ends = [E[:, 9:] + 0.2 * E[:, 0:9:3] for E in (rod, rocker)]
    assert np.abs(ends[0] - ends[1]).max() < 1e-5, "the loop stays closed"
    assert np.abs(direct.q - iterative.q).max() < 1e-5
    assert np.abs(direct.x - iterative.x).max() < 1e-5
    assert np.abs(direct.torque[1:, 0] - iterative.torque[1:, 0]).max() < 1e-3 * np.abs(direct.torque).max()


def test_hyper_reduced_bones_carry_flesh():
    spec = arm(Revolute(axis=Y_AXIS), gravity=(0.0, 0.0, -9.81), qdot=2.0)
    spec.couplings = [CouplingSpec([Term("lower", 1.0), Term("upper", 1.0)])]
    model = compile_scene(spec)
    frames = run(model, Options(h=0.01), 30)
    assert np.abs(frames[-1].q).max() > 0.1
    assert max(abs(s.q[0] - s.q[1]) for s in frames) < 1e-9


def test_a_run_goes_on_from_a_recorded_frame():
    model = compile_scene(arm(Free()))
    options = Options(h=0.01)
    result = Result.from_frames(model, simulate(model, options, end=0.2))
    again = run(model, options, 10, result.state(10))
    assert np.array_equal(again[-1].x, result.x[-1]) and np.array_equal(again[-1].v, result.v[-1])


# Bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, place",
    [
        (dict(attachments=[Attachment("wing", [0])]), "attachments[0].body"),
        (dict(attachments=[Attachment("upper", [0, 500])]), "attachments[0].vertices[1]"),
        (
            dict(attachments=[Attachment("upper", [3]), Attachment("lower", [3])]),
            "attachments[1].vertices[0]",
        ),
        (dict(attachments=[Attachment("upper", [3])], pinned=[3]), "pinned[0]"),
        (dict(start=[(0.0, 0.0, 0.0)]), "start"),
        (dict(stiffness=[1.0]), "stiffness"),
        (dict(tets=[]), "sleeve"),
        (dict(material=MaterialSpec(0.0)), "material.young"),
        (dict(material=MaterialSpec(1e4, 0.5)), "material.poisson"),
    ],
)
def test_flesh_that_cannot_be_used_is_named(change, place):
    spec = arm(Free())
    for name, value in change.items():
        setattr(spec.flesh[0], name, value)
    with pytest.raises((SceneError, InputError), match="sleeve") as error:
        compile_scene(spec)
    assert place in error.value.place


def test_an_integrator_that_cannot_move_flesh_says_so():
    with pytest.raises(InputError, match="euler"):
        simulate(compile_scene(arm(Free())), Options(integrator="bdf2"), end=0.1)
