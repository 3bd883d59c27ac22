"""Rigid transforms against the matrix exponential, exact series and their own inverses, near 0, π and 2π above all."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax_blender.engine.algebra import se3

Floats = np.ndarray

# Angles: anything up to 2π, and the places where formulas for rotations like to break.
ANGLES = st.one_of(
    st.floats(0.0, 2.0 * math.pi - 1e-3),
    st.floats(0.0, 1e-7),
    st.floats(math.pi - 1e-7, math.pi + 1e-7),
    st.floats(2.0 * math.pi - 1e-2, 2.0 * math.pi - 1e-3),
    st.sampled_from([0.0, 1e-300, 2.0 - 1e-12, 2.0, 2.0 + 1e-12, math.pi]),
)
SEEDS = st.integers(0, 2**32 - 1)
property_of = settings(deadline=None, max_examples=60)  # the first call may compile


def direction(seed: int) -> Floats:
    """A unit vector; every other one is along an axis or in a plane of two, where components vanish."""
    rng = np.random.default_rng(seed)
    v = rng.normal(size=3)
    if seed % 2:
        v[rng.permutation(3)[: 1 + seed // 2 % 2]] = 0.0
    return np.asarray(v / np.linalg.norm(v))


def twist(seed: int, angle: float) -> Floats:
    rng = np.random.default_rng(seed + 1)
    return np.concatenate([angle * direction(seed), rng.normal(size=3)])


def exact_coefficient(k: int, x: float) -> float:
    """Σ (-x)^n / (2n + k)! in rational arithmetic, until the terms no longer count."""
    term, total, n = Fraction(1, math.factorial(k)), Fraction(0), 0
    while abs(term) > Fraction(1, 10**25):
        total, n = total + term, n + 1
        term *= -Fraction(x) / ((2 * n + k - 1) * (2 * n + k))
    return float(total)


@property_of
@given(x=st.one_of(st.floats(0.0, 40.0), st.floats(3.999, 4.001), st.just(4.0)))
def test_coefficients_of_the_exponential_are_their_series(x: float) -> None:
    for k, a in enumerate(se3.exp_coefficients(x)):
        # relative to the first term: a_1 passes through zero at π
        assert abs(a - exact_coefficient(k, x)) < 3e-14 / math.factorial(k)


@property_of
@given(seed=SEEDS, angle=ANGLES)
def test_exp_is_the_matrix_exponential(seed: int, angle: float) -> None:
    xi = twist(seed, angle)
    assert np.abs(se3.exp(xi) - scipy.linalg.expm(se3.bracket6(xi))).max() < 1e-13
    assert np.abs(se3.exp_so3(xi[:3]) - scipy.linalg.expm(se3.bracket3(xi[:3]))).max() < 1e-13


@property_of
@given(seed=SEEDS, angle=ANGLES)
def test_log_undoes_exp_up_to_a_turn(seed: int, angle: float) -> None:
    E = se3.exp(twist(seed, angle))
    xi = se3.log(E)
    assert np.linalg.norm(xi[:3]) <= math.pi + 1e-12
    assert np.abs(se3.exp(xi) - E).max() < 1e-12


@property_of
@given(seed=SEEDS, angle=st.one_of(st.floats(0.0, math.pi - 1e-6), st.floats(0.0, 1e-9)))
def test_log_is_the_shortest_rotation(seed: int, angle: float) -> None:
    xi = twist(seed, angle)
    # Near π the axis is known to sqrt(ε) of how far the angle is from it, as for any logarithm.
    assert np.abs(se3.log(se3.exp(xi)) - xi).max() < 1e-13 / (math.pi - angle) + 1e-13


@property_of
@given(seed=SEEDS)
def test_log_at_exactly_half_a_turn_has_the_right_axis(seed: int) -> None:
    n = direction(seed)
    w = se3.log_so3(2.0 * np.outer(n, n) - np.eye(3))
    assert abs(np.linalg.norm(w) - math.pi) < 1e-12
    assert abs(abs(w @ n) - math.pi) < 1e-12


@property_of
@given(seed=SEEDS, angle=ANGLES)
def test_dexp_is_the_series_of_ad(seed: int, angle: float) -> None:
    """dexp(ξ) = Σ (-ad ξ)^k / (k + 1)!, summed until nothing is added."""
    xi = twist(seed, angle)
    X, term, total = -se3.ad(xi), np.eye(6), np.eye(6)
    for k in range(2, 80):
        term = term @ X / k
        total = total + term
    assert np.abs(se3.dexp(xi) - total).max() < 1e-11


@property_of
@given(seed=SEEDS, angle=ANGLES)
def test_dlog_undoes_dexp(seed: int, angle: float) -> None:
    xi = twist(seed, angle)
    product = se3.dlog(xi) @ se3.dexp(xi)
    # On the 2π shell dexp is singular: its condition grows with the square of the distance, and rounding by it twice.
    assert np.abs(product - np.eye(6)).max() < 5e-13 + 5e-14 / (2.0 * math.pi - angle) ** 4


@property_of
@given(seed=SEEDS, angle=st.floats(0.0, math.pi - 0.1))
def test_dlog_is_the_derivative_of_log(seed: int, angle: float) -> None:
    xi = twist(seed, angle)
    eta = np.random.default_rng(seed + 2).normal(size=6)
    h = 1e-4
    ahead, behind = (se3.log(se3.exp(xi) @ se3.exp(s * h * eta)) for s in (1.0, -1.0))
    assert np.abs((ahead - behind) / (2.0 * h) - se3.dlog(xi) @ eta).max() < 1e-5


@property_of
@given(seed=SEEDS, angle=ANGLES)
def test_right_jacobian_is_the_angular_part_of_dexp(seed: int, angle: float) -> None:
    xi = twist(seed, angle)
    assert np.abs(se3.right_jacobian(xi[:3]) - se3.dexp(xi)[:3, :3]).max() < 1e-14


@property_of
@given(seed=SEEDS, angle=ANGLES)
def test_adjoints(seed: int, angle: float) -> None:
    """Ad carries twists like the conjugation of their matrices; ad is its derivative; exp turns one into the other."""
    xi, eta = twist(seed, angle), twist(seed + 7, 1.0)
    E = se3.exp(xi)
    assert np.abs(se3.bracket6(se3.Ad(E) @ eta) - E @ se3.bracket6(eta) @ se3.inverse(E)).max() < 1e-12
    X, Y = se3.bracket6(xi), se3.bracket6(eta)
    assert np.abs(se3.bracket6(se3.ad(xi) @ eta) - (X @ Y - Y @ X)).max() < 1e-12
    assert np.abs(se3.Ad(E) - scipy.linalg.expm(se3.ad(xi))).max() < 1e-11
    h = 1e-4
    ahead, behind = se3.Ad(E @ se3.exp(h * eta)), se3.Ad(E @ se3.exp(-h * eta))
    assert np.abs((ahead - behind) / (2.0 * h) - se3.Ad_dot(E, eta)).max() < 1e-5


@property_of
@given(seed=SEEDS, angle=ANGLES)
def test_inverse_and_rows(seed: int, angle: float) -> None:
    E = se3.exp(twist(seed, angle))
    assert np.abs(se3.inverse(E) @ E - np.eye(4)).max() < 1e-14
    assert np.array_equal(se3.pose_matrix(se3.pose_row(E)), E)


@property_of
@given(seed=SEEDS, angle=ANGLES)
def test_quaternions(seed: int, angle: float) -> None:
    R = se3.exp_so3(angle * direction(seed))
    q = se3.quaternion(R)
    assert abs(np.linalg.norm(q) - 1.0) < 1e-15
    assert np.abs(se3.rotation_matrix(q) - R).max() < 1e-14


@pytest.mark.parametrize("w", [(0.3, -1.2, 0.5), (0.0, 0.0, 0.0)])
def test_brackets(w: tuple[float, float, float]) -> None:
    x = np.array([1.5, 0.2, -0.7])
    assert np.abs(se3.bracket3(w) @ x - np.cross(w, x)).max() < 1e-15  # BLAS may fuse a product and a sum
    assert np.array_equal(se3.unbracket3(se3.bracket3(w)), np.array(w))
