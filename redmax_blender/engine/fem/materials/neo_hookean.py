"""Stable Neo-Hookean elasticity (Smith, De Goes, Kim 2018, Eq. 14), smooth through flat and inverted elements.

    W = μ/2 (I - 3) + λ/2 (J - α)² - μ/2 log(I + 1),   I = |F|² = Σ σi²,   J = det F = σ1 σ2 σ3

less its value at rest. μ = 4/3 μL, λ = λL + 5/6 μL and α = 1 + 3/4 μ/λ make it linear elasticity with Lamé's parameters
μL, λL at small strains (their §3.4); λ is positive for every Poisson's ratio in (-1, 0.5).
"""

from __future__ import annotations

import math

from ...algebra.spatial import Tuple
from ...jit.decorators import inline, subroutine
from .stretch import eigen

_LOG4 = math.log(4.0)


@inline
def _parameters(mu: float, lam: float) -> tuple[float, float, float]:
    m, l = 4.0 / 3.0 * mu, lam + 5.0 / 6.0 * mu
    return (m, l, 1.0 + 0.75 * m / l)


@inline
def energy(s: Tuple, mu: float, lam: float) -> float:
    """Energy a volume [J/m³] at the stretches s, with Lamé's parameters [Pa]."""
    m, l, alpha = _parameters(mu, lam)
    I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2]
    J = s[0] * s[1] * s[2]
    at_rest = l * (1.0 - alpha) * (1.0 - alpha) - m * _LOG4
    return 0.5 * (m * (I - 3.0) + l * (J - alpha) * (J - alpha) - m * math.log(I + 1.0) - at_rest)


@inline
def stress(s: Tuple, mu: float, lam: float) -> Tuple:
    """ψi = ∂W/∂σi [Pa]."""
    m, l, alpha = _parameters(mu, lam)
    I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2]
    k = m * (1.0 - 1.0 / (I + 1.0))
    p = l * (s[0] * s[1] * s[2] - alpha)
    return (k * s[0] + p * s[1] * s[2], k * s[1] + p * s[0] * s[2], k * s[2] + p * s[0] * s[1])


@inline
def curvature(s: Tuple, mu: float, lam: float) -> Tuple:
    """∂²W/∂σ² (00 01 02 11 12 22), then (ψi - ψj)/(σi - σj) and (ψi + ψj)/(σi + σj) of the pairs 01, 02, 12 [Pa]."""
    m, l, alpha = _parameters(mu, lam)
    I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2]
    n = 1.0 / (I + 1.0)
    k = m * (1.0 - n)
    d = 2.0 * m * n * n
    p = l * (s[0] * s[1] * s[2] - alpha)
    c0, c1, c2 = s[1] * s[2], s[0] * s[2], s[0] * s[1]
    return (
        k + d * s[0] * s[0] + l * c0 * c0, d * s[0] * s[1] + l * c0 * c1 + p * s[2],
        d * s[0] * s[2] + l * c0 * c2 + p * s[1], k + d * s[1] * s[1] + l * c1 * c1,
        d * s[1] * s[2] + l * c1 * c2 + p * s[0], k + d * s[2] * s[2] + l * c2 * c2,
        k - p * s[2], k - p * s[1], k - p * s[0],
        k + p * s[2], k + p * s[1], k + p * s[0],
    )  # fmt: skip


@inline
def positive_curvature(s: Tuple, mu: float, lam: float) -> Tuple:
    """The same with the absolute value of every eigenvalue (Chen et al. 2024).

    Setting the negative ones to zero would leave a strongly squeezed element nothing but its mass to resist the step.
    """
    c = curvature(s, mu, lam)
    A = _absolute((c[0], c[1], c[2], c[3], c[4], c[5]))
    return (
        A[0], A[1], A[2], A[3], A[4], A[5],
        abs(c[6]), abs(c[7]), abs(c[8]), abs(c[9]), abs(c[10]), abs(c[11]),
    )  # fmt: skip


@subroutine
def _absolute(A: Tuple) -> Tuple:
    """The symmetric 3x3 matrix A (00 01 02 11 12 22) with the absolute values of its eigenvalues."""
    a, b, c, d, e, f = A
    if a > 0.0 and a * d > b * b and a * (d * f - e * e) - b * (b * f - e * c) + c * (b * e - d * c) > 0.0:
        return A
    w, V = eigen(a, b, c, d, e, f)
    x, y, z = abs(w[0]), abs(w[1]), abs(w[2])
    return (
        x * V[0] * V[0] + y * V[1] * V[1] + z * V[2] * V[2],
        x * V[0] * V[3] + y * V[1] * V[4] + z * V[2] * V[5],
        x * V[0] * V[6] + y * V[1] * V[7] + z * V[2] * V[8],
        x * V[3] * V[3] + y * V[4] * V[4] + z * V[5] * V[5],
        x * V[3] * V[6] + y * V[4] * V[7] + z * V[5] * V[8],
        x * V[6] * V[6] + y * V[7] * V[7] + z * V[8] * V[8],
    )
