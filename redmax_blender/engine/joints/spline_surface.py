"""Spline-surface joint (supplement §5.3): six cubic B-spline surfaces over (q0, q1), three lengths and three angles.

Q = trans(φ0, φ1, φ2) Rx(φ3) Ry(φ4) Rz(φ5). Parameters: n1, n2, then the controls c[i1][i2][0:6]; i1 goes with q1
and i2 with q0. Beyond the last knot the outermost polynomial goes on.
"""

from __future__ import annotations

import math

from ..algebra.spatial import ZERO6, Floats, Row, Tuple, axpy6, cross, unrotate
from ..jit.decorators import subroutine
from .spherical_euler import columns_gradient, euler_columns, euler_curvature, euler_gradient, euler_rotation

HEADER = 2
_XYZ = 6
"""Number of the chart XYZ."""


@subroutine
def _basis(u: float, order: int) -> tuple[float, float, float, float]:
    """Values or derivatives (order 0 to 3) of the four uniform cubic B-spline basis functions."""
    if order == 0:
        v = 1.0 - u
        return (
            v * v * v / 6.0,
            (4.0 + u * u * (3.0 * u - 6.0)) / 6.0,
            (4.0 + v * v * (3.0 * v - 6.0)) / 6.0,
            u * u * u / 6.0,
        )
    if order == 1:
        return (-0.5 * (1.0 - u) * (1.0 - u), u * (1.5 * u - 2.0), 0.5 + u * (1.0 - 1.5 * u), 0.5 * u * u)
    if order == 2:
        return (1.0 - u, 3.0 * u - 2.0, 1.0 - 3.0 * u, u)
    return (-1.0, 3.0, -3.0, 1.0)


@subroutine
def field(params: Row, at: int, q0: float, q1: float, o0: int, o1: int) -> Tuple:
    """∂^(o0+o1) φ / ∂q0^o0 ∂q1^o1, six numbers."""
    n1, n2 = int(params[at]), int(params[at + 1])
    k1 = max(0, min(int(math.floor(q1)), n1 - 4))
    k2 = max(0, min(int(math.floor(q0)), n2 - 4))
    w1, w0 = _basis(q1 - k1, o1), _basis(q0 - k2, o0)
    a, b, c, d, e, f = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(4):
        for j in range(4):
            w = w1[i] * w0[j]
            o = at + HEADER + ((k1 + i) * n2 + k2 + j) * 6
            a += w * params[o]
            b += w * params[o + 1]
            c += w * params[o + 2]
            d += w * params[o + 3]
            e += w * params[o + 4]
            f += w * params[o + 5]
    return (a, b, c, d, e, f)


@subroutine
def transform(params: Row, at: int, q: Row, i: int) -> Tuple:
    p = field(params, at, q[i], q[i + 1], 0, 0)
    R = euler_rotation(_XYZ, p[3], p[4], p[5])
    return (R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8], p[0], p[1], p[2])


@subroutine
def _sum(a: Tuple, b: Tuple, c: Tuple, d: Tuple) -> Tuple:
    """a d3 + b d4 + c d5: angular velocity of the Euler angles among the derivatives d of the six surfaces."""
    return (
        a[0] * d[3] + b[0] * d[4] + c[0] * d[5],
        a[1] * d[3] + b[1] * d[4] + c[1] * d[5],
        a[2] * d[3] + b[2] * d[4] + c[2] * d[5],
    )


@subroutine
def _angular(p: Tuple, w: Tuple) -> Tuple:
    """T(φ) w: angular velocity of the Euler angles p[3:6] at rates w."""
    a, b, c = euler_columns(_XYZ, p[4], p[5])
    return _sum(a, b, c, (0.0, 0.0, 0.0, w[0], w[1], w[2]))


@subroutine
def _order(k: int, m: int) -> tuple[int, int]:
    """Derivative orders in (q0, q1) of ∂²/∂q_k∂q_m."""
    return ((1 if k == 0 else 0) + (1 if m == 0 else 0), (1 if k == 1 else 0) + (1 if m == 1 else 0))


@subroutine
def column_gradient(params: Row, at: int, q0: float, q1: float, k: int, m: int) -> Tuple:
    """∂(column k of S)/∂q_m."""
    p = field(params, at, q0, q1, 0, 0)
    dk = field(params, at, q0, q1, 1 - k, k)
    dm = field(params, at, q0, q1, 1 - m, m)
    o = _order(k, m)
    dkm = field(params, at, q0, q1, o[0], o[1])
    R = euler_rotation(_XYZ, p[3], p[4], p[5])
    wm = _angular(p, (dm[3], dm[4], dm[5]))
    w1 = _angular(p, (dkm[3], dkm[4], dkm[5]))
    w2 = euler_gradient(_XYZ, p[4], p[5], (dm[3], dm[4], dm[5]), (dk[3], dk[4], dk[5]))
    v = unrotate(R, (dk[0], dk[1], dk[2]))
    v1 = unrotate(R, (dkm[0], dkm[1], dkm[2]))
    # d(Rᵀ x) = Rᵀ dx - ω × (Rᵀ x)
    return (
        w1[0] + w2[0], w1[1] + w2[1], w1[2] + w2[2],
        v1[0] - (wm[1] * v[2] - wm[2] * v[1]),
        v1[1] - (wm[2] * v[0] - wm[0] * v[2]),
        v1[2] - (wm[0] * v[1] - wm[1] * v[0]),
    )  # fmt: skip


@subroutine
def subspace(params: Row, at: int, q: Row, qdot: Row, i: int, S: Floats, Sdot: Floats) -> None:
    """S, and `column_gradient` along qdot, with each derivative of the surface evaluated once."""
    q0, q1, v0, v1 = q[i], q[i + 1], qdot[i], qdot[i + 1]
    p = field(params, at, q0, q1, 0, 0)
    d0, d1 = field(params, at, q0, q1, 1, 0), field(params, at, q0, q1, 0, 1)
    d01 = field(params, at, q0, q1, 1, 1)
    rate = axpy6(v0, d0, axpy6(v1, d1, ZERO6))
    rate0 = axpy6(v0, field(params, at, q0, q1, 2, 0), axpy6(v1, d01, ZERO6))
    rate1 = axpy6(v0, d01, axpy6(v1, field(params, at, q0, q1, 0, 2), ZERO6))
    R = euler_rotation(_XYZ, p[3], p[4], p[5])
    t0, t1, t2 = euler_columns(_XYZ, p[4], p[5])
    g0, g1 = columns_gradient(t0, t1, t2, (rate[3], rate[4], rate[5]))
    omega = _sum(t0, t1, t2, rate)
    for k in range(2):
        d, dot = (d0, rate0) if k == 0 else (d1, rate1)
        w = _sum(t0, t1, t2, d)
        v = unrotate(R, (d[0], d[1], d[2]))
        wdot = _sum(t0, t1, t2, dot)
        vdot = unrotate(R, (dot[0], dot[1], dot[2]))
        back = cross(omega, v)
        for c in range(3):
            S[i + k, c], S[i + k, 3 + c] = w[c], v[c]
            Sdot[i + k, c] = wdot[c] + d[3] * g0[c] + d[4] * g1[c]
            Sdot[i + k, 3 + c] = vdot[c] - back[c]


@subroutine
def subspace_gradient(params: Row, at: int, q: Row, i: int, dS: Floats) -> None:
    for k in range(2):
        for m in range(2):
            d = column_gradient(params, at, q[i], q[i + 1], k, m)
            for c in range(6):
                dS[m, k, c] = d[c]


@subroutine
def _directional(params: Row, at: int, q0: float, q1: float, u: Tuple) -> Tuple:
    a = field(params, at, q0, q1, 1, 0)
    b = field(params, at, q0, q1, 0, 1)
    return (
        u[0] * a[0] + u[1] * b[0], u[0] * a[1] + u[1] * b[1], u[0] * a[2] + u[1] * b[2],
        u[0] * a[3] + u[1] * b[3], u[0] * a[4] + u[1] * b[4], u[0] * a[5] + u[1] * b[5],
    )  # fmt: skip


@subroutine
def _second(params: Row, at: int, q0: float, q1: float, u: Tuple, v: Tuple) -> Tuple:
    a = field(params, at, q0, q1, 2, 0)
    b = field(params, at, q0, q1, 1, 1)
    c = field(params, at, q0, q1, 0, 2)
    aa, bb, cc = u[0] * v[0], u[0] * v[1] + u[1] * v[0], u[1] * v[1]
    return (
        aa * a[0] + bb * b[0] + cc * c[0], aa * a[1] + bb * b[1] + cc * c[1],
        aa * a[2] + bb * b[2] + cc * c[2], aa * a[3] + bb * b[3] + cc * c[3],
        aa * a[4] + bb * b[4] + cc * c[4], aa * a[5] + bb * b[5] + cc * c[5],
    )  # fmt: skip


@subroutine
def _third(params: Row, at: int, q0: float, q1: float, u: Tuple, v: Tuple, w: Tuple) -> Tuple:
    a = field(params, at, q0, q1, 3, 0)
    b = field(params, at, q0, q1, 2, 1)
    c = field(params, at, q0, q1, 1, 2)
    d = field(params, at, q0, q1, 0, 3)
    t0 = u[0] * v[0] * w[0]
    t1 = u[0] * v[0] * w[1] + u[0] * v[1] * w[0] + u[1] * v[0] * w[0]
    t2 = u[0] * v[1] * w[1] + u[1] * v[0] * w[1] + u[1] * v[1] * w[0]
    t3 = u[1] * v[1] * w[1]
    return (
        t0 * a[0] + t1 * b[0] + t2 * c[0] + t3 * d[0], t0 * a[1] + t1 * b[1] + t2 * c[1] + t3 * d[1],
        t0 * a[2] + t1 * b[2] + t2 * c[2] + t3 * d[2], t0 * a[3] + t1 * b[3] + t2 * c[3] + t3 * d[3],
        t0 * a[4] + t1 * b[4] + t2 * c[4] + t3 * d[4], t0 * a[5] + t1 * b[5] + t2 * c[5] + t3 * d[5],
    )  # fmt: skip


@subroutine
def bias_curvature(params: Row, at: int, q: Row, i: int, u: Tuple, v: Tuple) -> Tuple:
    """(d²S/dq² [u, v]) v, by differentiating S v = (T(φ) φ', Rᵀ p') along v and then along u."""
    q0, q1 = q[i], q[i + 1]
    p = field(params, at, q0, q1, 0, 0)
    du, dv = _directional(params, at, q0, q1, u), _directional(params, at, q0, q1, v)
    duv, dvv = _second(params, at, q0, q1, u, v), _second(params, at, q0, q1, v, v)
    duvv = _third(params, at, q0, q1, u, v, v)
    au, av = (du[3], du[4], du[5]), (dv[3], dv[4], dv[5])
    auv, avv = (duv[3], duv[4], duv[5]), (dvv[3], dvv[4], dvv[5])
    # angular: d/du [ T dvv + (dT[av]) av ]
    t1 = _angular(p, (duvv[3], duvv[4], duvv[5]))
    t2 = euler_gradient(_XYZ, p[4], p[5], au, avv)
    t3 = euler_curvature(_XYZ, p[4], p[5], au, av, av)
    t4 = euler_gradient(_XYZ, p[4], p[5], auv, av)
    t5 = euler_gradient(_XYZ, p[4], p[5], av, auv)
    w = (
        t1[0] + t2[0] + t3[0] + t4[0] + t5[0],
        t1[1] + t2[1] + t3[1] + t4[1] + t5[1],
        t1[2] + t2[2] + t3[2] + t4[2] + t5[2],
    )
    # linear: d/du [ Rᵀ p_vv - ω_v × Rᵀ p_v ]
    R = euler_rotation(_XYZ, p[3], p[4], p[5])
    wu, wv = _angular(p, au), _angular(p, av)
    g1 = _angular(p, auv)
    g2 = euler_gradient(_XYZ, p[4], p[5], au, av)
    dwv = (g1[0] + g2[0], g1[1] + g2[1], g1[2] + g2[2])
    pv = unrotate(R, (dv[0], dv[1], dv[2]))
    puv = unrotate(R, (duv[0], duv[1], duv[2]))
    pvv = unrotate(R, (dvv[0], dvv[1], dvv[2]))
    puvv = unrotate(R, (duvv[0], duvv[1], duvv[2]))
    c1 = cross(wu, pvv)
    c2 = cross(dwv, pv)
    c3 = cross(wv, puv)
    c4 = cross(wv, cross(wu, pv))
    return (
        w[0], w[1], w[2],
        puvv[0] - c1[0] - c2[0] - c3[0] + c4[0],
        puvv[1] - c1[1] - c2[1] - c3[1] + c4[1],
        puvv[2] - c1[2] - c2[2] - c3[2] + c4[2],
    )  # fmt: skip
