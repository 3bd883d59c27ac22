"""Every material, by one list: energy, force and stiffness differentiate into each other, and what that must give."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import bsr_matrix
from scipy.spatial.transform import Rotation

from redmax_blender.engine.errors import InputError
from redmax_blender.engine.fem.bar import bar
from redmax_blender.engine.fem.elements import (
    EXACT,
    POSITIVE,
    ROTATED,
    TANGENTS,
    add_elastic_forces,
    add_product,
    elastic_energy,
    linearise,
)
from redmax_blender.engine.fem.materials.materials import KINDS, Material, check_material
from redmax_blender.engine.fem.solving.assemble import add_blocks, add_diagonal_blocks
from redmax_blender.engine.fem.solving.pattern import tet_pattern
from redmax_blender.engine.fem.tets import Tets, join_tets, make_tets, vertex_to_tet

RNG = np.random.default_rng(5)
TURN = Rotation.from_rotvec([0.3, -1.1, 0.8]).as_matrix()


def body(kind: str = "corotated", poisson: float = 0.3, damping: float = 0.0) -> Tets:
    X, corner = bar((2, 1, 1), (0.4, 0.2, 0.2))
    X = X + 0.01 * RNG.standard_normal(X.shape)
    return make_tets(X, corner, Material(2e4, poisson, kind=kind, stiffness_damping=damping))


def states(tets: Tets) -> dict[str, np.ndarray]:
    """Positions to differentiate at: none exactly where the corotated energy has its kink."""
    noise = RNG.standard_normal(tets.X.shape)
    return {
        "bent": (tets.X + 0.02 * noise) @ TURN.T,
        "scrambled": tets.X + 0.15 * noise,
        "stretched": tets.X * [2.0, 0.8, 0.9] + 0.005 * noise,
        "crushed": tets.X * [0.3, 1.1, 0.6] + 0.005 * noise,
        "inverted": tets.X * [1.0, 0.9, -0.5] + 0.005 * noise,
    }


def forces(tets: Tets, x: np.ndarray) -> np.ndarray:
    f = np.zeros_like(x)
    add_elastic_forces(tets, x, f)
    return f


def matrix(tets: Tets, x: np.ndarray, tangent: int, h: float = 1.0) -> np.ndarray:
    """h D - h² K, dense."""
    pattern, block = tet_pattern(tets.nv, tets.corner)
    value = pattern.zeros()
    add_blocks(linearise(tets, x, h, np.zeros_like(x), tangent), block, value)
    return bsr_matrix((value.reshape(-1, 3, 3), pattern.column, pattern.first)).toarray()


def difference(function, x: np.ndarray, eps: float) -> np.ndarray:
    """Derivative by every coordinate of x, of fourth order; the last axis counts the coordinates."""
    columns = []
    for i in range(x.size):
        step = np.zeros(x.size)
        step[i] = eps
        d = step.reshape(x.shape)
        columns.append(
            (8.0 * (function(x + d) - function(x - d)) - function(x + 2 * d) + function(x - 2 * d))
            / (12 * eps)
        )
    return np.stack([np.asarray(c) for c in columns], axis=-1)


@pytest.mark.parametrize("poisson", [-0.4, 0.0, 0.3, 0.49])
@pytest.mark.parametrize("kind", KINDS)
def test_force_and_stiffness_differentiate_the_energy(kind, poisson):
    tets = body(kind, poisson)
    for name, x in states(tets).items():
        f = forces(tets, x)
        gradient = difference(lambda y: elastic_energy(tets, y), x, 1e-5).reshape(x.shape)
        assert np.abs(f + gradient).max() < 1e-6 * np.abs(f).max(), name
        K = difference(lambda y: -forces(tets, y).reshape(-1), x, 1e-5)
        assert np.abs(matrix(tets, x, EXACT) - K).max() < 1e-6 * np.abs(K).max(), name


@pytest.mark.parametrize("kind", KINDS)
def test_at_rest_and_under_rigid_motion_there_is_no_force(kind):
    tets = body(kind, 0.45)
    scale = 2e4 * 0.04
    assert abs(elastic_energy(tets, tets.X)) < 1e-14 * scale
    for x in (tets.X, tets.X @ TURN.T + [3.0, -2.0, 1.0]):
        assert np.abs(forces(tets, x)).max() < 1e-11 * scale
        assert abs(elastic_energy(tets, x)) < 1e-13 * scale


@pytest.mark.parametrize("poisson", [-0.4, 0.0, 0.45])
@pytest.mark.parametrize("kind", KINDS)
def test_small_strains_follow_hookes_law(kind, poisson):
    tets = body(kind, poisson)
    m = Material(2e4, poisson)
    strain = 1e-6 * RNG.standard_normal((3, 3))
    strain = 0.5 * (strain + strain.T)
    energy = elastic_energy(tets, tets.X @ (np.eye(3) + strain).T)
    density = m.mu * np.sum(strain**2) + 0.5 * m.lam * np.trace(strain) ** 2
    assert energy == pytest.approx(tets.volume.sum() * density, rel=2e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tangent", ["positive", "rotated"])
def test_the_matrix_of_a_step_has_no_negative_eigenvalue(kind, tangent):
    tets = body(kind, 0.45, damping=0.02)
    for name, x in {
        **states(tets),
        "flat": tets.X * [1, 1, 0],
        "point": 0.0 * tets.X,
        "mirrored": -tets.X,
    }.items():
        A = matrix(tets, x, TANGENTS[tangent], 0.01)
        assert np.abs(A - A.T).max() < 1e-12 * np.abs(A).max()
        w = np.linalg.eigvalsh(0.5 * (A + A.T))
        assert w.min() > -1e-12 * w.max(), name


@pytest.mark.parametrize("kind", KINDS)
def test_without_negative_eigenvalues_the_positive_stiffness_is_the_exact_one(kind):
    tets = body(kind, 0.3)
    x = tets.X * [1.04, 1.05, 1.03] + 1e-4 * RNG.standard_normal(tets.X.shape)
    exact = matrix(tets, x, EXACT)
    assert np.abs(matrix(tets, x, POSITIVE) - exact).max() < 1e-10 * np.abs(exact).max()
    crushed = matrix(tets, states(tets)["crushed"], EXACT)
    assert np.linalg.eigvalsh(crushed).min() < 0.0, "in compression there is something to remove"


def test_rotated_stiffness_is_the_rest_stiffness_turned():
    tets = body("corotated")
    R = np.kron(np.eye(tets.nv), TURN)
    rest = matrix(tets, tets.X, EXACT)
    assert np.abs(matrix(tets, tets.X, ROTATED) - rest).max() < 1e-10 * np.abs(rest).max()
    turned = matrix(tets, tets.X @ TURN.T, ROTATED)
    assert np.abs(turned - R @ rest @ R.T).max() < 1e-10 * np.abs(rest).max()


@pytest.mark.parametrize("kind", KINDS)
def test_stiffness_damping_is_rayleighs_at_rest_and_ignores_rigid_motion(kind):
    beta, h = 0.03, 0.01
    plain = body(kind, 0.3)
    damped = make_tets(plain.X, plain.corner, Material(2e4, 0.3, kind=kind, stiffness_damping=beta))

    def damper(x: np.ndarray) -> np.ndarray:
        return (matrix(damped, x, EXACT, h) - matrix(plain, x, EXACT, h)) / h

    K = matrix(plain, plain.X, EXACT)
    assert np.abs(damper(plain.X) - beta * K).max() < 1e-10 * beta * np.abs(K).max()
    for name, x in states(plain).items():
        D = damper(x)
        spin = np.cross([0.4, -1.0, 0.7], x - [1.0, 2.0, 3.0])
        felt = D @ spin.reshape(-1)
        assert np.linalg.eigvalsh(0.5 * (D + D.T)).min() > -1e-10 * np.abs(D).max()
        if name in ("bent", "stretched"):  # where no element is nearly inverted
            assert np.abs(felt).max() < 1e-10 * np.abs(D).max() * np.abs(spin).max(), name


@pytest.mark.parametrize("tangent", TANGENTS)
@pytest.mark.parametrize("kind", KINDS)
def test_matrix_free_product_and_diagonal_agree_with_the_matrix(kind, tangent):
    tets = body(kind, 0.4, damping=0.02)
    for x in states(tets).values():
        lin = linearise(tets, x, 0.02, np.zeros_like(x), TANGENTS[tangent])
        A = matrix(tets, x, TANGENTS[tangent], 0.02)
        v = RNG.standard_normal(x.shape)
        out = np.ones_like(x)
        add_product(lin, v, out)
        assert np.abs(out - 1.0 - (A @ v.reshape(-1)).reshape(x.shape)).max() < 1e-12 * np.abs(A).max()
        diagonal = np.zeros((tets.nv, 9))
        add_diagonal_blocks(lin, diagonal)
        for i in range(tets.nv):
            block = A[3 * i : 3 * i + 3, 3 * i : 3 * i + 3]
            assert np.abs(diagonal[i].reshape(3, 3) - block).max() < 1e-12 * np.abs(A).max()


@pytest.mark.parametrize("tangent", TANGENTS)
@pytest.mark.parametrize("kind", KINDS)
def test_forces_of_a_linearisation_are_the_forces(kind, tangent):
    tets = body(kind, 0.4)
    for x in states(tets).values():
        f = np.zeros_like(x)
        linearise(tets, x, 0.01, f, TANGENTS[tangent])
        assert np.abs(f - forces(tets, x)).max() < 1e-11 * np.abs(f).max()


def test_mass_drag_and_stiffness_follow_density_fill_and_weights():
    X, corner = bar((2, 2, 2), (1.0, 1.0, 1.0))
    heavy, light = Material(1e4, density=3000.0, mass_damping=2.0), Material(1e4, density=500.0)
    which = (X[corner].mean(axis=1)[:, 0] > 0.5).astype(int)
    tets = make_tets(X, corner, [heavy, light], material=which, fill=np.full(len(corner), 0.5))
    assert tets.mass.sum() == pytest.approx(0.5 * (0.5 * 3000.0 + 0.5 * 500.0))
    assert tets.drag.sum() == pytest.approx(2.0 * 0.5 * 0.5 * 3000.0)
    assert make_tets(X, corner, heavy, mass=7.0).mass.sum() == pytest.approx(7.0)
    soft = make_tets(X, corner, heavy)
    hard = make_tets(X, corner, heavy, stiffness=vertex_to_tet(corner, np.full(len(X), 4.0)))
    x = X + 0.05 * RNG.standard_normal(X.shape)
    assert elastic_energy(hard, x) == pytest.approx(4.0 * elastic_energy(soft, x))


@pytest.mark.parametrize(
    "changes, place",
    [
        ({"young": 0.0}, "young"),
        ({"young": -1.0}, "young"),
        ({"young": np.nan}, "young"),
        ({"poisson": 0.5}, "poisson"),
        ({"poisson": -1.0}, "poisson"),
        ({"poisson": np.nan}, "poisson"),
        ({"density": 0.0}, "density"),
        ({"kind": "jelly"}, "kind"),
        ({"mass_damping": -0.1}, "mass_damping"),
        ({"stiffness_damping": np.inf}, "stiffness_damping"),
    ],
)
def test_an_impossible_material_is_named(changes, place):
    with pytest.raises(InputError, match=rf"skin\.{place}"):
        check_material(Material(**{"young": 1e4, **changes}), "skin")


@pytest.mark.parametrize(
    "change, text",
    [
        (lambda X, T: X.__setitem__((3, 1), np.nan), r"vertices\[3\].*nan"),
        (lambda X, T: T.__setitem__((2, 1), 99), r"tets\[2\]\[1\].*no vertex 99"),
        (lambda X, T: T.__setitem__((0, 1), T[0, 0]), r"tets\[0\].*no volume"),
    ],
)
def test_impossible_tetrahedra_are_named(change, text):
    X, corner = bar((2, 1, 1), (1.0, 1.0, 1.0))
    change(X, corner)
    with pytest.raises(InputError, match=text):
        make_tets(X, corner, Material(1e4))


def test_numbers_a_tetrahedron_are_checked():
    X, corner = bar((1, 1, 1), (1.0, 1.0, 1.0))
    for name, value, text in (
        ("stiffness", np.zeros(6), r"stiffness\[0\].*multiplier is 0"),
        ("stiffness", np.ones(5), "for each of the 6"),
        ("fill", np.full(6, np.nan), r"fill\[0\]"),
        ("material", np.full(6, 3), "materials 3 to 3 of 1"),
        ("mass", 0.0, "mass"),
    ):
        with pytest.raises(InputError, match=text):
            make_tets(X, corner, Material(1e4), **{name: value})
    with pytest.raises(InputError, match="belongs to no tetrahedron"):
        make_tets(np.concatenate([X, [[5, 5, 5]]]), corner, Material(1e4))


def test_tetrahedra_are_turned_so_that_volumes_are_positive():
    X, corner = bar((1, 1, 1), (1.0, 1.0, 1.0))
    flipped = corner.copy()
    flipped[::2] = flipped[::2][:, [1, 0, 2, 3]]
    tets = make_tets(X, flipped, Material(1e4))
    assert tets.volume.sum() == pytest.approx(1.0)
    assert elastic_energy(tets, X * 1.1) == pytest.approx(
        elastic_energy(make_tets(X, corner, Material(1e4)), X * 1.1)
    )


def test_joined_bodies_are_the_bodies_side_by_side():
    a, b = body("corotated"), body("neo-hookean", 0.4, damping=0.01)
    both = join_tets([a, b])
    x, y = states(a)["bent"], states(b)["stretched"]
    assert elastic_energy(both, np.concatenate([x, y])) == pytest.approx(
        elastic_energy(a, x) + elastic_energy(b, y)
    )
    f = forces(both, np.concatenate([x, y]))
    assert np.abs(f - np.concatenate([forces(a, x), forces(b, y)])).max() < 1e-12 * np.abs(f).max()
    assert both.mass.sum() == pytest.approx(a.mass.sum() + b.mass.sum())
