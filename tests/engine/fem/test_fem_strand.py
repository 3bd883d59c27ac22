"""The mass-spring strand: derivatives, the tone of a taut string, and the published case with two on a chain."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import bsr_matrix
from test_fem_materials import difference

from redmax_blender.engine import compile_scene
from redmax_blender.engine.errors import InputError
from redmax_blender.engine.fem.strand import (
    Strands,
    add_strand_blocks,
    add_strand_forces,
    join_strands,
    make_strand,
    strand_energy,
    strand_pattern,
)
from redmax_blender.engine.model.state import State
from redmax_blender.engine.scene import spec as sc
from redmax_blender.engine.tree.jacobian import dense_jacobian
from redmax_blender.engine.tree.kinematics import body_poses, forward_kinematics
from redmax_blender.engine.tree.recursive import inverse_dynamics, mass_times

RNG = np.random.default_rng(9)


def forces(strands: Strands, x: np.ndarray) -> np.ndarray:
    f = np.zeros_like(x)
    add_strand_forces(strands, x, f)
    return f


def matrix(strands: Strands, x: np.ndarray, exact: bool) -> np.ndarray:
    pattern, block = strand_pattern(strands)
    value = pattern.zeros()
    add_strand_blocks(strands, x, 1.0, block, value, exact)
    return bsr_matrix((value.reshape(-1, 3, 3), pattern.column, pattern.first)).toarray()


def test_force_and_stiffness_differentiate_the_energy():
    strands = join_strands(
        [make_strand([0, 0, 0], [1, 0, 0], 4, 50.0, 1.0), make_strand([0, 1, 0], [0, 1, 2], 3, 9.0, 2.0)]
    )
    x = strands.X + 0.2 * RNG.standard_normal(strands.X.shape)
    f = forces(strands, x)
    assert (
        np.abs(f + difference(lambda y: strand_energy(strands, y), x, 1e-5).reshape(x.shape)).max()
        < 1e-6 * np.abs(f).max()
    )
    K = difference(lambda y: -forces(strands, y).reshape(-1), x, 1e-5)
    assert np.abs(matrix(strands, x, exact=True) - K).max() < 1e-6 * np.abs(K).max()
    assert np.linalg.eigvalsh(K).min() < -1e-3, "some segment is compressed"
    positive = matrix(strands, x, exact=False)
    assert np.linalg.eigvalsh(positive).min() > -1e-12 * np.abs(positive).max()


def test_the_segments_follow_the_law_of_the_thesis():
    strand = make_strand([0, 0, 0], [3, 0, 0], 4, 8.0, 2.0)
    assert strand.mass == pytest.approx(0.5)
    assert strand.rest == pytest.approx(1.0)
    x = strand.X * 1.5
    assert strand_energy(strand, x) == pytest.approx(3 * 0.5 * 8.0 * 0.5**2)
    assert forces(strand, x)[[0, -1], 0] == pytest.approx([4.0, -4.0])
    assert forces(strand, x)[1:3] == pytest.approx(0.0)


def test_a_taut_string_sounds_its_first_tone():
    strand = make_strand([0, 0, 0], [1, 0, 0], 101, 100.0, 0.05)
    x = strand.X * 1.2
    tension = forces(strand, x)[0, 0]
    inner = np.arange(3, 3 * 100)
    K = matrix(strand, x, exact=True)[np.ix_(inner, inner)] / strand.mass[0]
    per_length = strand.mass[0] / 0.012
    assert np.sqrt(np.linalg.eigvalsh(K).min()) == pytest.approx(
        np.pi / 1.2 * np.sqrt(tension / per_length), rel=1e-3
    )


@pytest.mark.parametrize(
    "change, text",
    [
        ({"nodes": 1}, "nodes"),
        ({"stiffness": 0.0}, "stiffness"),
        ({"mass": -1.0}, "mass"),
        ({"end": [0, 0, 0]}, "apart"),
    ],
)
def test_an_impossible_strand_is_named(change, text):
    given = {"begin": [0, 0, 0], "end": [1, 0, 0], "nodes": 3, "stiffness": 1.0, "mass": 1.0, **change}
    with pytest.raises(InputError, match=text):
        make_strand(**given, place="rope")


def test_the_published_chain_with_two_strings():
    """Two bars on hinges, a string of three nodes to a wall and one of two between the bars, linearly implicit Euler.

    The strings are explicit and tied by position constraints, stabilised at 5/s; lengths in centimetres and masses in
    grams, as published. The energy at the end is a fingerprint of all of it.
    """
    bar = {"shape": sc.Cuboid((10.0, 1.0, 1.0)), "pose": sc.Pose((5.0, 0.0, 0.0)), "density": 1.0}
    hinge = sc.Revolute((0.0, 1.0, 0.0))
    bodies = [
        sc.BodySpec("upper", joint=sc.JointSpec(hinge), **bar),
        sc.BodySpec(
            "lower", parent="upper", joint=sc.JointSpec(hinge, frame=sc.Pose((10.0, 0.0, 0.0))), **bar
        ),
    ]
    model = compile_scene(sc.SceneSpec(gravity=(0.0, 0.0, -980.0), bodies=bodies))
    strings = join_strands(
        [make_strand([30, 0, 10], [20, 0, 0], 3, 1e5, 1.0), make_strand([5, 0, 0], [15, 0, 0], 2, 1e5, 1.0)]
    )
    # node, body (-1 for the wall) and place in its frame
    ties = [(0, -1, (30, 0, 10)), (2, 1, (5, 0, 0)), (3, 0, (0, 0, 0)), (4, 1, (0, 0, 0))]
    h, rate, gravity = 0.005, 5.0, np.array([0.0, 0.0, -980.0])
    nr, nn = model.nr, len(strings.X)
    size = nr + 3 * nn

    def tie_rows(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        kin = forward_kinematics(model, State(0.0, q, np.zeros(nr), model.tree.chart))
        poses, J = body_poses(model.bodies, kin), dense_jacobian(model, kin)
        G, g = np.zeros((3 * len(ties), size)), np.zeros(3 * len(ties))
        for i, (node, body, place) in enumerate(ties):
            rows = slice(3 * i, 3 * i + 3)
            G[rows, nr + 3 * node : nr + 3 * node + 3] = -np.eye(3)
            where = np.array(place, float)
            if body >= 0:
                R, r = poses[body, :9].reshape(3, 3), np.array(place, float)
                moment = -np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
                G[rows, :nr] = R @ np.hstack([moment, np.eye(3)]) @ J[6 * body : 6 * body + 6]
                where = R @ r + poses[body, 9:]
            g[rows] = where - x[node]
        return G, g

    def energy() -> tuple[float, float]:
        kin = forward_kinematics(model, State(0.0, q, qdot, model.tree.chart))
        heights = body_poses(model.bodies, kin)[:, 9:] @ gravity
        kinetic = 0.5 * qdot @ mass_times(model, kin, qdot) + 0.5 * strings.mass @ np.sum(v**2, axis=1)
        potential = (
            -model.bodies.inertia[:, 3] @ heights - strings.mass @ (x @ gravity) + strand_energy(strings, x)
        )
        return float(kinetic), float(potential)

    q, qdot = np.zeros(nr), np.zeros(nr)
    x, v = strings.X.copy(), np.zeros((nn, 3))
    start = energy()
    assert start == pytest.approx((0.0, 4900.0))
    for _ in range(200):
        state = State(0.0, q, qdot, model.tree.chart)
        kin = forward_kinematics(model, state)
        A = np.zeros((size, size))
        A[:nr, :nr] = np.stack([mass_times(model, kin, e) for e in np.eye(nr)])
        A[nr:, nr:] = np.diag(np.repeat(strings.mass, 3))
        f = forces(strings, x) + strings.mass[:, None] * gravity
        pull = np.concatenate([-inverse_dynamics(model, kin, qdot, np.zeros(nr)), f.reshape(-1)])
        G, g = tie_rows(q)
        now = np.concatenate([qdot, v.reshape(-1)])
        kkt = np.block([[A, G.T], [G, np.zeros((len(g), len(g)))]])
        new = np.linalg.solve(kkt, np.concatenate([A @ now + h * pull, -rate * g]))[:size]
        qdot, v = new[:nr], new[nr:].reshape(nn, 3)
        q, x = q + h * qdot, x + h * v
    kinetic, potential = energy()
    assert kinetic == pytest.approx(27921.250959109457, rel=1e-9)
    assert kinetic + potential - start[1] == pytest.approx(-11740.40135652951, rel=1e-9)
    assert q == pytest.approx([0.29956120258785635, -0.41337441250045176], rel=1e-9)
