"""Flesh against the theory of solids: the patch test, a beam's deflection, a bar's tones."""

from __future__ import annotations

import numpy as np
import pytest
from fem_shapes import Array
from scipy.linalg import expm
from scipy.optimize import brentq
from scipy.sparse import bsr_matrix, csc_matrix, diags
from scipy.sparse.linalg import eigsh, spsolve

from redmax_blender.engine.fem.bar import bar
from redmax_blender.engine.fem.elements import EXACT, linearise
from redmax_blender.engine.fem.materials.materials import KINDS, Material
from redmax_blender.engine.fem.solving.assemble import add_blocks
from redmax_blender.engine.fem.solving.pattern import tet_pattern
from redmax_blender.engine.fem.tets import Tets, make_tets

LENGTH, SIDE, YOUNG, DENSITY = 1.0, 0.2, 1e6, 1000.0


def stiffness(tets: Tets, x: Array, held: Array) -> tuple[csc_matrix, Array, Array]:
    """-∂f/∂x on the free vertices, the forces on them, and which they are."""
    pattern, block = tet_pattern(tets.nv, tets.corner, held)
    value, f = pattern.zeros(), np.zeros_like(x)
    add_blocks(linearise(tets, x, 1.0, f, EXACT), block, value)
    whole = bsr_matrix((value.reshape(-1, 3, 3), pattern.column, pattern.first)).tocsr()
    free = (3 * pattern.free[:, None] + np.arange(3)).reshape(-1)
    return whole[free][:, free].tocsc(), f[pattern.free].reshape(-1), pattern.free


@pytest.mark.parametrize("kind", KINDS)
def test_patch(kind):
    """Held by its border at an affine map, large strain and turn included, the inside settles at that map exactly."""
    rng = np.random.default_rng(2)
    X, corner = bar((3, 3, 3), (1.0, 1.0, 1.0))
    inner = np.all((X > 1e-9) & (X < 1 - 1e-9), axis=1)
    X[inner] += 0.08 * rng.standard_normal((inner.sum(), 3))
    tets = make_tets(X, corner, Material(1e5, 0.4, kind=kind))
    affine = X @ np.array([[1.15, 0.2, 0.0], [-0.1, 0.9, 0.1], [0.15, 0.0, 1.1]]).T + [1.0, 2.0, 3.0]
    x = affine.copy()
    x[inner] += 0.02 * rng.standard_normal((inner.sum(), 3))
    for _ in range(12):
        K, f, free = stiffness(tets, x, np.flatnonzero(~inner))
        x[free] += spsolve(K, f).reshape(-1, 3)
    assert np.abs(x - affine).max() < 1e-10


def tip_loads(tets: Tets) -> Array:
    """A force of 1 N upwards, spread evenly over the end of the bar, shape (nv, 3)."""
    share = np.zeros(tets.nv)
    for face in ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)):
        c = tets.corner[:, face]
        c = c[(tets.X[c][:, :, 0] > LENGTH - 1e-9).all(axis=1)]
        p = tets.X[c]
        area = 0.5 * np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1)
        share += np.bincount(c.reshape(-1), weights=np.repeat(area / 3, 3), minlength=tets.nv)
    return share[:, None] / share.sum() * [0.0, 0.0, 1.0]


def clamped(n: int, poisson: float) -> tuple[Tets, csc_matrix, Array]:
    X, corner = bar((5 * n, n, n), (LENGTH, SIDE, SIDE))
    tets = make_tets(X, corner, Material(YOUNG, poisson, DENSITY))
    K, _, free = stiffness(tets, tets.X, np.flatnonzero(X[:, 0] < 1e-9))
    return tets, K, free


def shear_rigidity(poisson: float) -> float:
    """κ G A of the square section (Cowper 1966) [N]."""
    return 10 * (1 + poisson) / (12 + 11 * poisson) * YOUNG / (2 * (1 + poisson)) * SIDE**2


def extrapolated(coarse: float, fine: float, ratio: float) -> float:
    """The limit of values whose error falls with the square of the size."""
    return fine + (fine - coarse) / (ratio**2 - 1)


@pytest.mark.parametrize("poisson", [0.0, 0.3])
def test_a_cantilever_bends_like_a_beam_under_refinement(poisson):
    bending = YOUNG * SIDE**4 / 12
    theory = LENGTH**3 / (3 * bending) + LENGTH / shear_rigidity(poisson)
    tips = []
    for n in (2, 4, 6, 8):
        tets, K, free = clamped(n, poisson)
        load = tip_loads(tets)
        u = spsolve(K, load[free].reshape(-1)).reshape(-1, 3)
        tips.append(float(np.sum(load[free] * u)) / theory)
    misses = 1.0 - np.array(tips)
    # Linear tetrahedra are too stiff, and less so with every refinement, at second order.
    assert np.all(misses > 0.0) and np.all(np.diff(misses) < 0.0)
    order = np.log(misses[2] / misses[3]) / np.log(8 / 6)
    assert 1.4 < order < 2.2
    assert misses[3] < 0.08
    assert extrapolated(tips[2], tips[3], 8 / 6) == pytest.approx(1.0, abs=0.03)


def beam_frequency(poisson: float) -> float:
    """First bending tone [rad/s] of the clamped bar by Timoshenko's beam: shear and rotary inertia included."""
    area, bending, shear = SIDE**2, YOUNG * SIDE**4 / 12, shear_rigidity(poisson)
    rotary = DENSITY * SIDE**4 / 12

    def end_condition(omega: float) -> float:
        # along the beam: deflection, slope, moment, shear force
        A = np.zeros((4, 4))
        A[0, 1], A[0, 3] = 1.0, 1.0 / shear
        A[1, 2] = 1.0 / bending
        A[2, 1], A[2, 3] = -rotary * omega**2, -1.0
        A[3, 0] = -DENSITY * area * omega**2
        return float(np.linalg.det(expm(A * LENGTH)[2:, 2:]))

    euler = 1.8751**2 * np.sqrt(bending / (DENSITY * area * LENGTH**4))
    return brentq(end_condition, 0.5 * euler, 1.05 * euler)


@pytest.mark.parametrize("poisson", [0.0, 0.3])
def test_a_clamped_bar_sounds_its_first_tone(poisson):
    tones = []
    for n in (4, 6):
        tets, K, free = clamped(n, poisson)
        M = diags(np.repeat(tets.mass[free], 3)).tocsc()
        tones.append(float(np.sqrt(eigsh(K, k=2, M=M, sigma=0, return_eigenvectors=False).min())))
    assert abs(tones[1] / beam_frequency(poisson) - 1.0) < abs(tones[0] / beam_frequency(poisson) - 1.0)
    assert extrapolated(tones[0], tones[1], 6 / 4) == pytest.approx(beam_frequency(poisson), rel=0.02)


def test_a_bar_sounds_its_first_tone_along_its_length():
    tets, K, free = clamped(3, 0.0)
    M = diags(np.repeat(tets.mass[free], 3)).tocsc()
    squares, modes = eigsh(K, k=8, M=M, sigma=0)
    # the tone along the bar is the one in which all mass moves along it
    along = (modes.reshape(len(free), 3, -1)[:, 0] ** 2 * tets.mass[free, None]).sum(axis=0)
    mode = int(np.argmax(along))
    assert along[mode] > 0.9
    assert np.sqrt(squares[mode]) == pytest.approx(np.pi / 2 / LENGTH * np.sqrt(YOUNG / DENSITY), rel=0.005)
