"""Spherical joint in exponential coordinates (supplement §4.7): R = exp([q]).

S is the right Jacobian I - a2 [q] + a3 [q]², the a_k being functions of x = |q|² (`se3.exp_coefficients`) with
da_k/dx = (k a_{k+2} - a_{k+1}) / 2, so that S and all its derivatives are regular at zero.
"""

from __future__ import annotations

import math

from ..algebra.se3 import exp_coefficients
from ..algebra.spatial import Floats, Row, Tuple, cross, load3
from ..jit.decorators import njit, subroutine

_TURNED_TOO_FAR = 1e8
"""Length of a rotation vector [rad] from which its direction has lost too many digits: the motion has diverged."""


@subroutine
def transform(q: Row, i: int) -> Tuple:
    x, y, z = q[i], q[i + 1], q[i + 2]
    t = x * x + y * y + z * z
    a = exp_coefficients(t)
    s, k = a[1], a[2]
    return (
        1.0 - k * (y * y + z * z), k * x * y - s * z, k * x * z + s * y,
        k * x * y + s * z, 1.0 - k * (x * x + z * z), k * y * z - s * x,
        k * x * z - s * y, k * y * z + s * x, 1.0 - k * (x * x + y * y),
        0.0, 0.0, 0.0,
    )  # fmt: skip


@subroutine
def _unit(k: int) -> Tuple:
    return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


@subroutine
def _dot(a: Tuple, b: Tuple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@subroutine
def _combine(s: float, a: Tuple, t: float, b: Tuple) -> Tuple:
    return (s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2])


@subroutine
def times(q: Tuple, a: tuple[float, ...], w: Tuple) -> Tuple:
    """S(q) w."""
    qw = cross(q, w)
    qqw = cross(q, qw)
    c = _combine(-a[2], qw, a[3], qqw)
    return (w[0] + c[0], w[1] + c[1], w[2] + c[2])


@subroutine
def gradient_times(q: Tuple, a: tuple[float, ...], u: Tuple, w: Tuple) -> Tuple:
    """(dS/dq [u]) w."""
    da2 = 0.5 * (2.0 * a[4] - a[3])
    da3 = 0.5 * (3.0 * a[5] - a[4])
    s = 2.0 * _dot(q, u)
    qw = cross(q, w)
    uw = cross(u, w)
    c = _combine(-s * da2, qw, s * da3, cross(q, qw))
    d = _combine(-a[2], uw, a[3], cross(u, qw))
    e = cross(q, uw)
    return (
        c[0] + d[0] + a[3] * e[0],
        c[1] + d[1] + a[3] * e[1],
        c[2] + d[2] + a[3] * e[2],
    )


@subroutine
def curvature_times(q: Tuple, a: tuple[float, ...], u: Tuple, v: Tuple, w: Tuple) -> Tuple:
    """(d²S/dq² [u, v]) w."""
    da2 = 0.5 * (2.0 * a[4] - a[3])
    da3 = 0.5 * (3.0 * a[5] - a[4])
    dda2 = 0.5 * ((4.0 * a[6] - a[5]) - 0.5 * (3.0 * a[5] - a[4]))
    dda3 = 0.5 * (1.5 * (5.0 * a[7] - a[6]) - 0.5 * (4.0 * a[6] - a[5]))
    su, sv, suv = 2.0 * _dot(q, u), 2.0 * _dot(q, v), 2.0 * _dot(u, v)
    qw, uw, vw = cross(q, w), cross(u, w), cross(v, w)
    first = _combine(-(su * sv * dda2 + suv * da2), qw, su * sv * dda3 + suv * da3, cross(q, qw))
    along_u = _combine(-su * da2, vw, su * da3, _combine(1.0, cross(v, qw), 1.0, cross(q, vw)))
    along_v = _combine(-sv * da2, uw, sv * da3, _combine(1.0, cross(u, qw), 1.0, cross(q, uw)))
    both = _combine(a[3], cross(u, vw), a[3], cross(v, uw))
    return (
        first[0] + along_u[0] + along_v[0] + both[0],
        first[1] + along_u[1] + along_v[1] + both[1],
        first[2] + along_u[2] + along_v[2] + both[2],
    )


@subroutine
def subspace(q: Row, qdot: Row, i: int, S: Floats, Sdot: Floats) -> None:
    r = load3(q, i)
    rdot = load3(qdot, i)
    a = exp_coefficients(_dot(r, r))
    for k in range(3):
        w = _unit(k)
        s = times(r, a, w)
        d = gradient_times(r, a, rdot, w)
        for c in range(3):
            S[i + k, c] = s[c]
            Sdot[i + k, c] = d[c]
            S[i + k, 3 + c] = 0.0
            Sdot[i + k, 3 + c] = 0.0


@subroutine
def subspace_gradient(q: Row, i: int, dS: Floats) -> None:
    r = load3(q, i)
    a = exp_coefficients(_dot(r, r))
    for k in range(3):
        for c in range(3):
            d = gradient_times(r, a, _unit(k), _unit(c))
            for m in range(3):
                dS[k, c, m] = d[m]


@subroutine
def bias_curvature(q: Row, i: int, u: Tuple, v: Tuple) -> Tuple:
    """(d²S/dq² [u, v]) v."""
    r = load3(q, i)
    a = exp_coefficients(_dot(r, r))
    w = curvature_times(r, a, u, v, v)
    return (w[0], w[1], w[2], 0.0, 0.0, 0.0)


@njit
def reparameterise(q: Row, qdot: Row, i: int, limit: float) -> bool:
    """Bring |q| below `limit` [rad] by whole turns, with the same rotation and the same angular velocity.

    The exponential map is singular at 2π; replacing q by (1 - 2π/|q|) q before that keeps away from it (Grassia 1998).
    """
    r = load3(q, i)
    n = math.sqrt(_dot(r, r))
    if not n > limit:
        return False
    if not n < _TURNED_TOO_FAR:
        return False
    old = exp_coefficients(n * n)
    omega = times(r, old, load3(qdot, i))
    turns = math.ceil((n - limit) / (2.0 * math.pi))
    s = 1.0 - 2.0 * math.pi * turns / n
    r = (s * r[0], s * r[1], s * r[2])
    n = math.sqrt(_dot(r, r))
    # S⁻¹ = I + [q]/2 + c [q]², with the same c as in the logarithm
    a = exp_coefficients(n * n)
    c = (a[3] - 2.0 * a[4]) / (2.0 * a[2])
    qw = cross(r, omega)
    e = _combine(0.5, qw, c, cross(r, qw))
    for k in range(3):
        q[i + k] = r[k]
        qdot[i + k] = omega[k] + e[k]
    return True
