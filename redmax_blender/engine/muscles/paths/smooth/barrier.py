"""How strongly a surface pushes a point of the string away, over its distance."""

from __future__ import annotations

import numpy as np

from ....jit.decorators import subroutine
from ....model.records import Floats
from ...records import Surface

KIND, SIZE, ROUNDING, STRENGTH, SHIFT, POSE = 0, 1, 4, 5, 6, 7
"""Columns of a row that describes a surface: kind, three sizes [m], rounding [m], strength of the barrier, how far
inside the surface the barrier's middle is [m], and the pose in the world (12)."""
ROW = 19

AT_SURFACE = 35.0 / 256.0
"""`ramp` at zero."""
STORED = 1.0 / 36.0
"""Its integral up to zero."""

_CYLINDER, _SPHERE, _ELLIPSOID = int(Surface.CYLINDER), int(Surface.SPHERE), int(Surface.ELLIPSOID)
_TORUS = int(Surface.TORUS)


@subroutine
def ramp(s: float) -> tuple[float, float, float]:
    """A ramp that rises from -1 on and is straight, s, from 1 on; its integral, itself and its slope.

    It has three continuous derivatives, so that motions of points have accelerations without jumps.
    """
    if s <= -1.0:
        return 0.0, 0.0, 0.0
    if s >= 1.0:
        return 5.0 / 9.0 + 0.5 * (s * s - 1.0), s, 1.0
    u = 0.5 * (s + 1.0)
    u2 = u * u
    u4 = u2 * u2
    area = 4.0 * u4 * u2 * (7.0 / 6.0 - 2.0 * u + 1.25 * u2 - 2.5 / 9.0 * u2 * u)
    value = 2.0 * u4 * u * (7.0 - 14.0 * u + 10.0 * u2 - 2.5 * u2 * u)
    slope = u4 * (35.0 - 84.0 * u + 70.0 * u2 - 20.0 * u2 * u)
    return area, value, slope


@subroutine
def distance(surf: Floats, k: int, x: float, y: float, z: float, g: Floats, H: Floats) -> float:
    """Distance of a point from surface k in the surface's frame [m], its gradient g (3,) and Hessian H (3, 3).

    Of an ellipsoid it is the distance to first order, exact at the surface, which is all that the barrier needs.
    """
    kind = int(surf[k, KIND])
    a, b, c = surf[k, SIZE], surf[k, SIZE + 1], surf[k, SIZE + 2]
    H[:] = 0.0
    if kind == _ELLIPSOID:
        A0, A1, A2 = 1.0 / (a * a), 1.0 / (b * b), 1.0 / (c * c)
        p = A0 * x * x + A1 * y * y + A2 * z * z
        q = A0 * A0 * x * x + A1 * A1 * y * y + A2 * A2 * z * z
        q = max(q, 1e-12 * A0)
        p = max(p, 1e-12)
        w, m = np.sqrt(p), 1.0 / np.sqrt(q)
        d = (p - w) * m
        d_p = (1.0 - 0.5 / w) * m
        d_q = -0.5 * d / q
        d_pp = 0.25 / (p * w) * m
        d_pq = -0.5 * d_p / q
        d_qq = 0.75 * d / (q * q)
        p_x = (2.0 * A0 * x, 2.0 * A1 * y, 2.0 * A2 * z)
        q_x = (2.0 * A0 * A0 * x, 2.0 * A1 * A1 * y, 2.0 * A2 * A2 * z)
        for i in range(3):
            g[i] = d_p * p_x[i] + d_q * q_x[i]
            for j in range(3):
                H[i, j] = (
                    d_pp * p_x[i] * p_x[j]
                    + d_pq * (p_x[i] * q_x[j] + q_x[i] * p_x[j])
                    + d_qq * q_x[i] * q_x[j]
                )
        H[0, 0] += 2.0 * A0 * (d_p + A0 * d_q)
        H[1, 1] += 2.0 * A1 * (d_p + A1 * d_q)
        H[2, 2] += 2.0 * A2 * (d_p + A2 * d_q)
        return float(d)
    if kind == _TORUS:
        rho = max(np.sqrt(x * x + y * y), 1e-9 * a)
        across = rho - a
        d = max(np.sqrt(across * across + z * z), 1e-9 * b)
        nr, nz = across / d, z / d
        ux, uy = x / rho, y / rho
        g[0], g[1], g[2] = nr * ux, nr * uy, nz
        rr, rz, zz = (1.0 - nr * nr) / d, -nr * nz / d, (1.0 - nz * nz) / d
        t = nr / rho
        H[0, 0] = rr * ux * ux + t * uy * uy
        H[1, 1] = rr * uy * uy + t * ux * ux
        H[0, 1] = H[1, 0] = (rr - t) * ux * uy
        H[0, 2] = H[2, 0] = rz * ux
        H[1, 2] = H[2, 1] = rz * uy
        H[2, 2] = zz
        return float(d - b)
    s, ds, dds = 0.0, 0.0, 0.0  # the part of z that counts, and its derivatives
    if kind == _SPHERE:
        s, ds = z, 1.0
    elif kind != _CYLINDER:
        # where the axis ends, the cap begins over a tenth of the radius instead of at once: curvature does not jump
        soft = 0.1 * a
        _, value, slope = ramp(z / soft)
        s, ds, dds = soft * value, slope, 0.0
        u = 0.5 * (z / soft + 1.0)
        if 0.0 < u < 1.0:
            dds = 70.0 * (u * (1.0 - u)) ** 3 / soft
        if np.isfinite(b):
            below = -(z + b) / soft
            _, value, slope = ramp(below)
            s -= soft * value
            ds += slope
            u = 0.5 * (below + 1.0)
            if 0.0 < u < 1.0:
                dds -= 70.0 * (u * (1.0 - u)) ** 3 / soft
    r = max(np.sqrt(x * x + y * y + s * s), 1e-9 * a)
    nx, ny, ns = x / r, y / r, s / r
    g[0], g[1], g[2] = nx, ny, ns * ds
    H[0, 0] = (1.0 - nx * nx) / r
    H[1, 1] = (1.0 - ny * ny) / r
    H[0, 1] = H[1, 0] = -nx * ny / r
    H[0, 2] = H[2, 0] = -nx * ns * ds / r
    H[1, 2] = H[2, 1] = -ny * ns * ds / r
    H[2, 2] = (1.0 - ns * ns) / r * ds * ds + ns * dds
    return float(r - a)


@subroutine
def barrier(surf: Floats, k: int, x: float, y: float, z: float, g: Floats, H: Floats, force: Floats) -> float:
    """Energy of the barrier of surface k at a point in the world; its gradient into `force` (3,) and Hessian into H
    (3, 3), along world axes. g (3,) is scratch. Nothing is written where it does not act, and zero is returned."""
    e = POSE
    dx, dy, dz = x - surf[k, e + 9], y - surf[k, e + 10], z - surf[k, e + 11]
    lx = surf[k, e] * dx + surf[k, e + 3] * dy + surf[k, e + 6] * dz
    ly = surf[k, e + 1] * dx + surf[k, e + 4] * dy + surf[k, e + 7] * dz
    lz = surf[k, e + 2] * dx + surf[k, e + 5] * dy + surf[k, e + 8] * dz
    eps = surf[k, ROUNDING]
    d = distance(surf, k, lx, ly, lz, g, H) - surf[k, SHIFT]
    area, value, slope = ramp(-d / eps)
    if not area > 0.0:
        return 0.0
    K = surf[k, STRENGTH]
    for i in range(3):
        for j in range(3):
            H[i, j] = K * (slope / eps * g[i] * g[j] - value * H[i, j])
    # into world axes: R H Rᵀ and R g
    for i in range(3):
        force[i] = (
            -K
            * value
            * (surf[k, e + 3 * i] * g[0] + surf[k, e + 3 * i + 1] * g[1] + surf[k, e + 3 * i + 2] * g[2])
        )
    for j in range(3):
        h0, h1, h2 = H[0, j], H[1, j], H[2, j]
        for i in range(3):
            H[i, j] = surf[k, e + 3 * i] * h0 + surf[k, e + 3 * i + 1] * h1 + surf[k, e + 3 * i + 2] * h2
    for i in range(3):
        h0, h1, h2 = H[i, 0], H[i, 1], H[i, 2]
        for j in range(3):
            H[i, j] = surf[k, e + 3 * j] * h0 + surf[k, e + 3 * j + 1] * h1 + surf[k, e + 3 * j + 2] * h2
    return float(K * eps * area)
