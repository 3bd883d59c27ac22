"""What holds flesh to bodies and to the floor: soft attachments, shared bodies, springy floors, loose parts."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from test_coupled import NO_GRAVITY, Y_AXIS, arm, bone, one_step, run, scrambled, sleeve, step_by_multipliers

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import SceneError, SceneWarning
from redmax_blender.engine.fem.bar import bar
from redmax_blender.engine.fem.solving.cholesky import backwards, cholesky, elimination, forwards
from redmax_blender.engine.fem.solving.pattern import tet_pattern
from redmax_blender.engine.fem.solving.solve import solve_direct
from redmax_blender.engine.fem.solving.sweeps import BlockMatrix
from redmax_blender.engine.forces.floor import add_floor, floor_energy
from redmax_blender.engine.forces.ties import add_ties, tie_energy
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.scene import (
    Attachment,
    FleshSpec,
    Free,
    MaterialSpec,
    Revolute,
    SceneSpec,
    Spherical,
    SpringFloor,
    Translational,
)
from redmax_blender.engine.solvers.coupled import CoupledDirect, CoupledPCG
from redmax_blender.engine.tree.conversions import body_velocities, projected_velocities
from redmax_blender.engine.tree.kinematics import forward_kinematics

Array = np.ndarray


def softened(spec: SceneSpec, stiffness: float) -> SceneSpec:
    for attachment in spec.flesh[0].attachments:
        attachment.stiffness = stiffness
    return spec


def with_anchors(rigid: Model, soft: Model, s: State) -> State:
    """A state of the rigidly attached model as one of the softly attached: vertices where their anchors are."""
    flesh, hung = rigid.flesh, soft.flesh
    assert flesh is not None and hung is not None and hung.ties is not None
    from redmax_blender.engine.fem.flesh import held_places, held_velocities

    kin = forward_kinematics(rigid, s)
    x, v = s.x.copy(), s.v.copy()
    x[flesh.pattern.held], v[flesh.pattern.held] = (
        held_places(flesh, kin),
        held_velocities(flesh, kin, kin.V),
    )
    vertex = hung.ties.ends[:, 0]
    return replace(s, x=np.concatenate([x, x[vertex]]), v=np.concatenate([v, v[vertex]]))


def extrapolated_step(make, s: State, h: float, stiffness: float = 3e7) -> tuple[Array, Array]:
    """qdot and velocities of one step at infinite stiffness, from three finite ones: errors are a series in 1/k."""
    rigid = compile_scene(make())
    found = []
    for k in (stiffness, 2.0 * stiffness, 4.0 * stiffness):
        soft = compile_scene(softened(make(), k))
        qdot, v = one_step(soft, with_anchors(rigid, soft, s), h)
        found.append((qdot, v[: rigid.flesh.nv]))  # type: ignore[union-attr]
    return tuple((a - 6.0 * b + 8.0 * c) / 3.0 for a, b, c in zip(*found))  # type: ignore[return-value]


@pytest.mark.parametrize("root", [Free(), Spherical()], ids=lambda r: type(r).__name__)
def test_stiff_soft_attachments_become_the_constraints_of_eq_6(root):
    def make() -> SceneSpec:
        return arm(root, MaterialSpec(3e4, stiffness_damping=0.01), (0.0, 0.0, -9.81))

    s = scrambled(compile_scene(make()))
    qdot, v = extrapolated_step(make, s, 0.01)
    wanted_qdot, wanted_v = step_by_multipliers(make(), s, 0.01, curving=False)
    assert np.abs(qdot - wanted_qdot).max() < 1e-6
    assert np.abs(v - wanted_v).max() < 1e-6


def test_stiff_soft_attachments_become_rigid_ones_where_paths_are_straight():
    def make() -> SceneSpec:
        spec = arm(Translational(), MaterialSpec(3e4), (0.0, 0.0, -9.81))
        spec.bodies[1] = bone("lower", "upper", Translational(), (0.4, 0.0, 0.0), qdot=[0.3, 0.5, -0.4])
        return spec

    model = compile_scene(make())
    s = scrambled(model)
    for got, wanted in zip(extrapolated_step(make, s, 0.01), one_step(model, s, 0.01)):
        assert np.abs(got - wanted).max() < 1e-6


def test_softly_attached_flesh_sags_from_its_bone_by_its_weight_over_the_stiffness():
    spec = arm(Spherical(), MaterialSpec(1e7, stiffness_damping=0.02), (0.0, 0.0, -9.81))
    bones = [bone("upper", None, Revolute(axis=Y_AXIS)), spec.bodies[1]]
    from redmax_blender.engine.scene import Constant

    bones[0].joint.motion, bones[1].joint.motion = [Constant(0.0)], [Constant(0.0)]
    bones[1].joint.qdot = None
    spec.bodies = bones
    softened(spec, 500.0)
    for attachment in spec.flesh[0].attachments:
        attachment.vertices = [
            n for n in attachment.vertices if abs(spec.flesh[0].vertices[n][2]) < 1e-9
        ]  # one line along the bone
    model = compile_scene(spec)
    flesh = model.flesh
    assert flesh is not None and flesh.ties is not None
    end = run(model, Options(h=0.02), 300)[-1]
    ends = flesh.ties.ends
    sag = end.x[ends[:, 1], 2] - end.x[ends[:, 0], 2]
    weight = 9.81 * flesh.tets.mass.sum()
    assert np.abs(end.v).max() < 1e-3
    assert (flesh.ties.stiffness * sag).sum() == pytest.approx(weight, rel=1e-3)


def test_soft_attachments_by_either_solver_are_the_same_motion():
    spec = softened(arm(Free(), MaterialSpec(5e4), (0.0, 0.0, -9.81)), 2e3)
    model = compile_scene(spec)
    s = scrambled(model)
    direct, iterative = (
        one_step(model, s, 0.01, CoupledDirect),
        one_step(model, s, 0.01, CoupledPCG, tolerance=1e-10),
    )
    for a, b in zip(direct, iterative):
        assert np.abs(a - b).max() < 1e-6 * np.abs(a).max()


def test_a_vertex_may_hang_softly_on_two_bodies():
    spec = arm(Free(), MaterialSpec(5e4))
    X = np.array(spec.flesh[0].vertices)
    elbow = np.flatnonzero(np.abs(X[:, 0] - 0.4) < 1e-9).tolist()
    spec.flesh[0].attachments += [Attachment(name, elbow, stiffness=1e3) for name in ("upper", "lower")]
    model = compile_scene(spec)
    assert model.flesh is not None and model.flesh.ties is not None
    assert len(model.flesh.ties.stiffness) == 2 * len(elbow)
    assert model.flesh.first[-1] == len(X) and model.flesh.nv == len(X) + 2 * len(elbow)
    assert np.isfinite(run(model, Options(h=0.01), 20)[-1].x).all()


# Energies, forces, stiffness ---------------------------------------------------------------------------------------


def floored(points: list[tuple[float, float, float]] | None = None) -> Model:
    spec = arm(Free(), MaterialSpec(5e4))
    spec.flesh[0].floor = SpringFloor(
        stiffness=300.0, damping=0.0, drag=0.0, height=0.01, normal=(0.1, 0.0, 1.0), points=points
    )
    return compile_scene(spec)


def differentiated(energy, x: Array, e: float = 1e-6) -> Array:
    """-∂E/∂x by central differences, shape (nv, 3)."""
    out = np.zeros_like(x)
    for n in np.ndindex(*x.shape):
        d = np.zeros_like(x)
        d[n] = e
        out[n] = -(energy(x + d) - energy(x - d)) / (2.0 * e)
    return out


@pytest.mark.parametrize("what", ["floor", "floor of a skin", "ties"])
def test_force_and_stiffness_are_the_derivatives_of_the_energy(what):
    if what == "ties":
        model = compile_scene(softened(arm(Free(), MaterialSpec(5e4)), 700.0))
        part, add, energy = model.flesh.ties, add_ties, tie_energy  # type: ignore[union-attr]
    else:
        points = None if what == "floor" else [(0.01 + 0.03 * i, 0.013, -0.031) for i in range(20)]
        model = floored(points)
        part, add, energy = model.flesh.floor, add_floor, floor_energy  # type: ignore[union-attr]
    flesh = model.flesh
    assert flesh is not None and part is not None
    x = scrambled(model).x
    f, A = np.zeros_like(x), BlockMatrix(flesh.pattern, flesh.pattern.zeros())
    h = 0.1
    add(part, x, h, f, A.value)
    assert np.abs(f).max() > 1.0
    assert np.abs(f - differentiated(lambda x: energy(part, x), x)).max() < 1e-6 * np.abs(f).max()
    rng = np.random.default_rng(1)
    for _ in range(3):
        d, e = rng.standard_normal(x.shape), 1e-7
        ahead, behind = np.zeros_like(x), np.zeros_like(x)
        nothing = flesh.pattern.zeros()
        add(part, x + e * d, h, ahead, nothing)
        add(part, x - e * d, h, behind, nothing)
        wanted = -h * h * (ahead - behind) / (2.0 * e)
        assert np.abs(A.times(d) - wanted).max() < 1e-5 * np.abs(wanted).max()


def test_the_dampers_of_a_floor_act_along_and_across_its_normal():
    spec = arm(Free(), MaterialSpec(5e4))
    spec.flesh[0].floor = SpringFloor(stiffness=0.0, damping=3.0, drag=0.5, height=10.0)
    flesh = compile_scene(spec).flesh
    assert flesh is not None and flesh.floor is not None
    A = BlockMatrix(flesh.pattern, flesh.pattern.zeros())
    f = np.zeros((flesh.nv, 3))
    assert add_floor(flesh.floor, flesh.x0, 0.1, f, A.value) == flesh.nv
    v = np.tile([1.0, 2.0, 3.0], (flesh.nv, 1))
    assert np.allclose(A.times(v).sum(axis=0), 0.1 * flesh.nv * np.array([0.5, 1.0, 9.0]))
    assert np.all(f == 0.0)


def test_flesh_dropped_on_a_floor_comes_to_rest_on_it_and_the_floor_carries_it():
    X, corner = bar((3, 3, 3), (0.3, 0.3, 0.3))
    block = FleshSpec(
        "block", [tuple(x) for x in np.add(X, [0.0, 0.0, 0.1]).tolist()], corner.tolist(),
        MaterialSpec(5e4, stiffness_damping=0.01),
        floor=SpringFloor(stiffness=5e3, damping=100.0, drag=50.0),
    )  # fmt: skip
    model = compile_scene(SceneSpec(bodies=[bone("elsewhere", None, Revolute())], flesh=[block]))
    flesh = model.flesh
    assert flesh is not None and flesh.floor is not None
    end = run(model, Options(h=0.005), 600)[-1]
    f = np.zeros_like(end.x)
    add_floor(flesh.floor, end.x, 0.0, f, flesh.pattern.zeros())
    assert np.abs(end.v).max() < 1e-3
    assert f[:, 2].sum() == pytest.approx(9.81 * flesh.tets.mass.sum(), rel=1e-3)
    assert np.abs(end.x[:, :2].mean(axis=0) - X[:, :2].mean(axis=0)).max() < 3e-3, "the diagonals lean"


# Several meshes, and parts that hang on nothing ---------------------------------------------------------------------


def test_several_meshes_share_a_body_and_move_as_one_mesh_in_two_parts_does():
    material = MaterialSpec(3e4)
    two = arm(Spherical(), material, (0.0, 0.0, -9.81))
    other = sleeve({"upper": (0.0, 0.3), "lower": (0.5, 0.8)}, material)
    other.name = "other"
    other.vertices = [(x, y + 0.5, z) for x, y, z in other.vertices]
    two.flesh.append(other)
    one = arm(Spherical(), material, (0.0, 0.0, -9.81))
    first, n = one.flesh[0], len(one.flesh[0].vertices)
    first.vertices = [*first.vertices, *other.vertices]
    first.tets = [*first.tets, *[tuple(v + n for v in tet) for tet in other.tets]]  # type: ignore[misc]
    for mine, theirs in zip(first.attachments, other.attachments):
        mine.vertices = [*mine.vertices, *[v + n for v in theirs.vertices]]
    a, b = (run(compile_scene(spec), Options(h=0.01), 20)[-1] for spec in (two, one))
    assert np.abs(a.q).max() > 0.1
    assert np.abs(a.q - b.q).max() < 1e-12 and np.abs(a.x - b.x).max() < 1e-12


def test_a_part_that_is_attached_to_nothing_is_warned_of_and_falls():
    spec = arm(Spherical(), gravity=(0.0, 0.0, -9.81))
    flesh = spec.flesh[0]
    n = len(flesh.vertices)
    flesh.vertices = [*flesh.vertices, *[(x, y + 1.0, z) for x, y, z in flesh.vertices]]
    flesh.tets = [*flesh.tets, *[tuple(v + n for v in tet) for tet in flesh.tets]]  # type: ignore[misc]
    with pytest.warns(SceneWarning, match=r"'sleeve'.*81 vertices.*attached to nothing") as caught:
        model = compile_scene(spec)
    assert len(caught) == 1
    end = run(model, Options(h=0.01), 20)[-1]
    fallen = end.x[n:, 2].mean() - np.mean([z for _, _, z in flesh.vertices[n:]])
    assert fallen == pytest.approx(-0.5 * 9.81 * 0.2 * 0.21, rel=1e-6)  # as Euler's steps fall


def test_flesh_that_is_meant_to_be_free_is_not_warned_of():
    spec = arm(Free())
    spec.flesh[0].attachments = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compile_scene(spec)


@pytest.mark.parametrize(
    "change, place",
    [
        (dict(attachments=[Attachment("upper", [0], stiffness=0.0)]), "attachments[0].stiffness"),
        (dict(attachments=[Attachment("wing", [0], stiffness=1.0)]), "attachments[0].body"),
        (dict(attachments=[Attachment("upper", [500], stiffness=1.0)]), "attachments[0].vertices[0]"),
        (dict(pinned=[3], attachments=[Attachment("upper", [3], stiffness=1.0)]), "attachments[0].vertices[0]"),
        (dict(floor=SpringFloor(-1.0)), "floor.stiffness"),
        (dict(floor=SpringFloor(1.0, normal=(0.0, 0.0, 0.0))), "floor.normal"),
        (dict(floor=SpringFloor(1.0, points=[])), "floor.points"),
        (dict(floor=SpringFloor(1.0, points=[(5.0, 0.0, 0.0)])), "floor.points"),
    ],
)  # fmt: skip
def test_what_cannot_hold_flesh_is_named(change, place):
    spec = arm(Free())
    for name, value in change.items():
        setattr(spec.flesh[0], name, value)
    with pytest.raises(ValueError, match="sleeve") as error:
        compile_scene(spec)
    assert place in str(error.value)
    assert isinstance(error.value, SceneError) or "points" in place


# The factor, and momenta -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [(1, 1, 1), (6, 2, 2), (4, 4, 4)])
def test_the_factor_solves_what_another_factor_solves(counts):
    X, corner = bar(counts, (1.0, 0.4, 0.4))
    held = np.flatnonzero(X[:, 0] < 1e-9)
    pattern, block = tet_pattern(len(X), corner, held)
    rng = np.random.default_rng(0)
    value = pattern.zeros()
    for t in range(len(corner)):  # any symmetric, positive matrix of each tetrahedron
        B = rng.standard_normal((12, 12))
        K = (B @ B.T).reshape(4, 3, 4, 3)
        for n, (i, j) in enumerate(np.ndindex(4, 4)):
            value[block[t, n]] += K[i, :, j].ravel()
    A = BlockMatrix(pattern, value)
    b = rng.standard_normal((len(X), 3))
    e = elimination(pattern)
    L = cholesky(e, value)
    y = np.ascontiguousarray(b[e.order][:, :, None].repeat(2, axis=2))
    forwards(e, L, y)
    got = backwards(e, L, np.ascontiguousarray(y[:, :, 1]))
    wanted = solve_direct(A, b, np.zeros_like(b))
    assert np.abs(got - wanted).max() < 1e-9 * np.abs(wanted).max()
    with pytest.raises(np.linalg.LinAlgError):
        cholesky(e, -value)


def test_projected_velocities_count_carried_flesh_as_part_of_its_body():
    spec = arm(Free(), gravity=NO_GRAVITY)
    bare = arm(Free(), gravity=NO_GRAVITY)
    bare.flesh = []
    rng = np.random.default_rng(2)
    found = []
    for made in (spec, bare):
        model = compile_scene(made)
        kin = forward_kinematics(model, model.initial_state())
        qdot = rng.standard_normal(model.nr)
        assert np.allclose(projected_velocities(model, kin, body_velocities(model, kin, qdot)), qdot)
        torn = np.array([[0, 0, 0, 1.0, 0, 0], [0, 0, 0, 0, 0, 2.0]])
        found.append(projected_velocities(model, kin, torn))
    assert np.abs(found[0] - found[1]).max() > 1e-3, "the flesh changes what is torn apart by how much"
