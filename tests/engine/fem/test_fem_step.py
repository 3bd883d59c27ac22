"""Flesh by itself in implicit steps: it recovers from anything, conserves what it should, and both solvers agree."""

from __future__ import annotations

import numpy as np
import pytest
from fem_shapes import Array
from scipy.spatial.transform import Rotation

from redmax_blender.engine.fem.bar import bar
from redmax_blender.engine.fem.elements import POSITIVE, ROTATED
from redmax_blender.engine.fem.materials.materials import KINDS, Material
from redmax_blender.engine.fem.solving.pattern import tet_pattern
from redmax_blender.engine.fem.solving.solve import solve_direct, solve_pcg
from redmax_blender.engine.fem.solving.sweeps import BlockMatrix
from redmax_blender.engine.fem.step import energies, flesh, implicit_matrix, step
from redmax_blender.engine.fem.tets import make_tets, signed_volumes

NO_GRAVITY = (0.0, 0.0, 0.0)


def misshape(x: Array, X: Array) -> float:
    """Greatest distance [m] from X after the best rigid motion."""
    turn, _ = Rotation.align_vectors(x - x.mean(axis=0), X - X.mean(axis=0))
    return float(np.abs(x - x.mean(axis=0) - turn.apply(X - X.mean(axis=0))).max())


def ruined(X: Array) -> dict[str, Array]:
    return {
        "flattened": X * [1, 1, 0],
        "mirrored": X * [1, 1, -1],
        "inside out": -X,
        "pressed to a line": X * [1, 0, 0],
        "a point": X * 0,
        "scrambled": np.random.default_rng(4).uniform(size=X.shape),
    }


def released(kind: str, state: str) -> tuple[Array, Array, Array]:
    """Rest positions, tetrahedra and, ten seconds after it was let go in a ruined state, positions of a cube."""
    X, corner = bar((3, 3, 3), (1.0, 1.0, 1.0))
    tets = make_tets(X, corner, Material(1e5, 0.45, kind=kind, stiffness_damping=0.02, mass_damping=0.5))
    body = flesh(tets, gravity=NO_GRAVITY)
    x = ruined(X)[state]
    assert state == "scrambled" or np.all(signed_volumes(x, tets.corner) <= 1e-12)
    v = np.zeros_like(x)
    for _ in range(24 * 10):
        x, v = step(body, x, v, 1 / 24)
    return X, tets.corner, x


# A point is a balance of the smooth energy, and a scrambled cube can tangle in it for good.
@pytest.mark.parametrize(
    "kind, state",
    [("corotated", s) for s in ruined(np.zeros((1, 3)))]
    + [("neo-hookean", s) for s in ("flattened", "mirrored", "inside out", "pressed to a line")],
)
def test_a_ruined_cube_recovers(kind, state):
    X, corner, x = released(kind, state)
    assert signed_volumes(x, corner).min() > 0.0
    assert misshape(x, X) < 2e-3


def test_a_scrambled_cube_of_neo_hookean_flesh_stays_in_one_place():
    X, _, x = released("neo-hookean", "scrambled")
    assert np.abs(x - x.mean(axis=0)).max() < np.abs(X - X.mean(axis=0)).max() * 3


def test_free_fall_is_exact_and_changes_no_shape():
    X, corner = bar((2, 2, 2), (0.3, 0.2, 0.1))
    body = flesh(make_tets(X, corner, Material(1e4)), gravity=(0.0, 0.0, -10.0))
    x, v = X.copy(), np.tile([1.0, 0.0, 2.0], (len(X), 1))
    for _ in range(10):
        x, v = step(body, x, v, 0.01, solver="direct")
    assert np.abs(v - [1.0, 0.0, 1.0]).max() < 1e-11
    assert np.abs(x - X - [0.1, 0.0, 0.2 - 10 * 0.01**2 * 55]).max() < 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_momentum_stays_and_energy_never_grows(kind):
    rng = np.random.default_rng(7)
    X, corner = bar((3, 2, 2), (0.3, 0.2, 0.2))
    tets = make_tets(X, corner, Material(2e4, 0.4, kind=kind))
    body = flesh(tets, gravity=NO_GRAVITY)
    x, v = X * [1.2, 1.0, 1.0], 0.5 * rng.standard_normal(X.shape)
    before = tets.mass @ v
    total = [sum(energies(body, x, v).values())]
    for _ in range(60):
        x, v = step(body, x, v, 0.005, tolerance=1e-10)
        total.append(sum(energies(body, x, v).values()))
    assert np.abs(tets.mass @ v - before).max() < 1e-8 * tets.mass.sum()
    assert np.all(np.diff(total) < 1e-6 * total[0])


def test_the_step_is_of_first_order():
    X, corner = bar((2, 2, 2), (0.2, 0.2, 0.2))
    body = flesh(make_tets(X, corner, Material(1e4, 0.3)), gravity=NO_GRAVITY)

    def run(steps: int) -> Array:
        x, v = X @ np.diag([1.2, 0.9, 1.0]), np.cross([0.0, 0.0, 3.0], X)
        for _ in range(steps):
            x, v = step(body, x, v, 0.02 / steps, solver="direct")
        return x

    fine = run(1024)
    errors = [np.abs(run(n) - fine).max() for n in (32, 64, 128)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(orders - 1.0) < 0.15)


def hang(young: float, dense: float, kind: str, tangent: int = POSITIVE) -> tuple[Array, float, float]:
    """Three seconds of a thin bar, held at one end, the last tenth of it `dense`, pushed sideways, a step a frame.

    Positions, and the highest and last total energy, less the first and over the energy of the push.
    """
    X, corner = bar((12, 2, 2), (1.2, 0.1, 0.1))
    end = (X[corner].mean(axis=1)[:, 0] > 1.1).astype(int)
    stuff = [Material(young, 0.45, kind=kind), Material(young, 0.45, dense, kind=kind)]
    body = flesh(make_tets(X, corner, stuff, material=end), held=np.flatnonzero(X[:, 0] < 1e-9))
    x, v = X.copy(), 3.0 * X[:, :1] * [0.0, 1.0, 0.0]
    start = energies(body, x, v)
    total = []
    for _ in range(72):
        x, v = step(body, x, v, 1 / 24, tangent=tangent)
        total.append((sum(energies(body, x, v).values()) - sum(start.values())) / start["kinetic"])
    return x, max(total), total[-1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("young", [1e6, 1e8])
@pytest.mark.parametrize("dense", [1e6, 1.0])
def test_a_frame_a_step_with_a_heavy_or_a_light_end_does_not_blow_up(kind, young, dense):
    x, highest, last = hang(young, dense, kind)
    assert np.isfinite(x).all()
    assert np.abs(x).max() < 2.5  # at 1e6 Pa the weight doubles the bar's length of 1.2 m
    assert highest < 0.3  # the first step goes straight where the end should go in a circle
    assert last < 0.0


def test_a_stretched_bar_needs_the_stiffness_of_tension():
    """What `rotated` leaves out lets the same bar explode: `positive` is the default for a reason."""
    assert hang(1e6, 1e6, "corotated", ROTATED)[1] > 10.0


def test_held_vertices_move_as_told_and_carry_the_rest():
    X, corner = bar((4, 2, 2), (0.4, 0.2, 0.2))
    held = np.flatnonzero(X[:, 0] < 1e-9)
    body = flesh(make_tets(X, corner, Material(1e5, stiffness_damping=0.05)), held, gravity=NO_GRAVITY)
    x, v = X.copy(), np.zeros_like(X)
    for _ in range(60):
        x, v = step(body, x, v, 0.02, held_velocity=(0.0, 0.5, 0.0))
    assert np.abs(x[held] - X[held] - [0.0, 0.6, 0.0]).max() < 1e-12
    assert np.abs(v - [0.0, 0.5, 0.0]).max() < 0.05


@pytest.mark.parametrize("tangent", [POSITIVE, ROTATED])
@pytest.mark.parametrize("held_side", [True, False])
def test_conjugate_gradients_and_the_factor_agree(tangent, held_side):
    rng = np.random.default_rng(3)
    X, corner = bar((4, 3, 3), (0.4, 0.3, 0.3))
    held = np.flatnonzero(X[:, 0] < 1e-9) if held_side else ()
    body = flesh(make_tets(X, corner, Material(1e6, 0.45, stiffness_damping=0.01)), held)
    x, v = X + 0.01 * rng.standard_normal(X.shape), rng.standard_normal(X.shape)
    A, b = implicit_matrix(body, x, v, 1 / 96, tangent)
    direct = solve_direct(A, b, v)
    known = body.pattern.held
    assert np.array_equal(direct[known], v[known])
    rest = (A.times(direct) - b)[body.pattern.free]
    assert np.abs(rest).max() < 1e-10 * np.abs(b).max()
    for guess in (v, np.where(np.isin(np.arange(len(X)), known)[:, None], v, 0.0)):
        for tolerance, agreement in ((1e-6, 1e-4), (1e-10, 1e-8)):
            iterative, count = solve_pcg(A, b, guess, tolerance)
            assert 0 < count < 200
            assert np.abs(iterative - direct).max() < agreement * np.abs(direct).max()
    again, count = solve_pcg(A, b, direct, 1e-8)
    assert count == 0 and np.array_equal(again, direct)


def test_an_indefinite_matrix_is_not_solved_silently():
    X, corner = bar((1, 1, 1), (1.0, 1.0, 1.0))
    pattern, _ = tet_pattern(len(X), corner)
    A = BlockMatrix(pattern, pattern.zeros())
    A.add_to_diagonal(np.where(np.arange(len(X)) % 2, 1.0, -2.0))
    x, _ = solve_pcg(A, np.ones_like(X), np.zeros_like(X))
    assert np.isnan(x).all()
