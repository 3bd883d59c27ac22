"""Corotated linear elasticity: W = μ |F - R|² + λ/2 tr²(RᵀF - I), R the rotation nearest to F.

In principal stretches, R being U Vᵀ: W = μ Σ (σi - 1)² + λ/2 (Σ σi - 3)². Flat and inverted elements are ordinary
states: the force always pulls every σ towards 1.
"""

from __future__ import annotations

from ...algebra.spatial import Tuple
from ...jit.decorators import inline

_NEAR = 1e-9
"""Least size of σi + σj by which the exact curvature divides; the energy has a kink at zero."""


@inline
def energy(s: Tuple, mu: float, lam: float) -> float:
    """Energy a volume [J/m³] at the stretches s, with Lamé's parameters [Pa]."""
    a, b, c = s[0] - 1.0, s[1] - 1.0, s[2] - 1.0
    t = a + b + c
    return mu * (a * a + b * b + c * c) + 0.5 * lam * t * t


@inline
def stress(s: Tuple, mu: float, lam: float) -> Tuple:
    """ψi = ∂W/∂σi [Pa]."""
    p = lam * (s[0] + s[1] + s[2] - 3.0) - 2.0 * mu
    return (2.0 * mu * s[0] + p, 2.0 * mu * s[1] + p, 2.0 * mu * s[2] + p)


@inline
def curvature(s: Tuple, mu: float, lam: float) -> Tuple:
    """∂²W/∂σ² (00 01 02 11 12 22), then (ψi - ψj)/(σi - σj) and (ψi + ψj)/(σi + σj) of the pairs 01, 02, 12 [Pa]."""
    p = 2.0 * lam * (s[0] + s[1] + s[2] - 3.0) - 4.0 * mu
    m = 2.0 * mu
    return (
        m + lam, lam, lam, m + lam, lam, m + lam,
        m, m, m,
        m + p / _away(s[0] + s[1]), m + p / _away(s[0] + s[2]), m + p / _away(s[1] + s[2]),
    )  # fmt: skip


@inline
def positive_curvature(s: Tuple, mu: float, lam: float) -> Tuple:
    """The same without negative eigenvalues; only slopes of turning can have them, in compression."""
    c = curvature(s, mu, lam)
    # Beside the kink the slope has no bound; a few moduli are enough for a step to feel it.
    most = 8.0 * mu + 4.0 * abs(lam)
    return (
        c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8],
        min(max(c[9], 0.0), most), min(max(c[10], 0.0), most), min(max(c[11], 0.0), most),
    )  # fmt: skip


@inline
def _away(g: float) -> float:
    """g, kept away from zero."""
    if abs(g) >= _NEAR:
        return g
    return _NEAR if g >= 0.0 else -_NEAR
