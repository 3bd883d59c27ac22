"""What a geodesic needs to know of a surface: normal, curvature, and the nearest point on it.

Points are in the surface's own frame [m], normals point outwards. `second` is the second fundamental form for the
outward normal: a curve that runs straight on along t on the surface bends by II(t, t) n; convex surfaces have II < 0.
"""

from __future__ import annotations

import math
from typing import Any

from ...jit.decorators import inline, subroutine
from ..records import Surface
from .vectors import axpy, blend, cross, dot, norm, scaled, unit

Tuple = Any

CYLINDER, SPHERE, ELLIPSOID, TORUS, CAPSULE = (int(kind) for kind in Surface)


@inline
def _axis_point(size: Tuple, p: Tuple) -> Tuple:
    """Nearest point of a capsule's axis."""
    return (0.0, 0.0, min(0.0, max(-size[1], p[2])))


@inline
def _ring_point(size: Tuple, p: Tuple) -> Tuple:
    rho = math.sqrt(p[0] * p[0] + p[1] * p[1])
    if rho < 1e-300:
        return (size[0], 0.0, 0.0)
    return (size[0] * p[0] / rho, size[0] * p[1] / rho, 0.0)


@subroutine
def normal(kind: int, size: Tuple, p: Tuple) -> Tuple:
    if kind == CYLINDER:
        return unit((p[0], p[1], 0.0))
    if kind == SPHERE:
        return unit(p)
    if kind == ELLIPSOID:
        return unit((p[0] / (size[0] * size[0]), p[1] / (size[1] * size[1]), p[2] / (size[2] * size[2])))
    if kind == TORUS:
        return unit(axpy(-1.0, _ring_point(size, p), p))
    return unit(axpy(-1.0, _axis_point(size, p), p))


@subroutine
def second(kind: int, size: Tuple, p: Tuple, u: Tuple, v: Tuple) -> Any:
    """II(u, v) of tangent vectors [1/m]."""
    if kind == SPHERE:
        return -dot(u, v) / size[0]
    if kind == ELLIPSOID:
        a, b, c = size[0] * size[0], size[1] * size[1], size[2] * size[2]
        g = norm((p[0] / a, p[1] / b, p[2] / c))
        return -(u[0] * v[0] / a + u[1] * v[1] / b + u[2] * v[2] / c) / g
    if kind == CAPSULE and (p[2] > 0.0 or p[2] < -size[1]):
        return -dot(u, v) / size[0]
    rho = math.sqrt(p[0] * p[0] + p[1] * p[1])
    round_u = (p[0] * u[1] - p[1] * u[0]) / rho
    round_v = (p[0] * v[1] - p[1] * v[0]) / rho
    if kind == TORUS:
        outward = unit(axpy(-1.0, _ring_point(size, p), p))
        cosine = (outward[0] * p[0] + outward[1] * p[1]) / rho
        return -(dot(u, v) - round_u * round_v) / size[1] - cosine / rho * round_u * round_v
    return -round_u * round_v / size[0]


@subroutine
def gauss(kind: int, size: Tuple, p: Tuple) -> Any:
    """Gaussian curvature of an ellipsoid or a torus [1/m²]."""
    if kind == ELLIPSOID:
        a, b, c = size[0] * size[0], size[1] * size[1], size[2] * size[2]
        g = (p[0] / a) ** 2 + (p[1] / b) ** 2 + (p[2] / c) ** 2
        return 1.0 / (a * b * c * g * g)
    rho = math.sqrt(p[0] * p[0] + p[1] * p[1])
    return (rho - size[0]) / (size[1] * size[1] * rho)


@inline
def sharpest(kind: int, size: Tuple) -> Any:
    """Largest normal curvature there is [1/m]."""
    if kind == ELLIPSOID:
        return max(size[0], size[1], size[2]) / min(size[0], size[1], size[2]) ** 2
    if kind == TORUS:
        return max(1.0 / size[1], 1.0 / (size[0] - size[1]))
    return 1.0 / size[0]


@subroutine
def nearest(kind: int, size: Tuple, p: Tuple) -> Tuple:
    """A point of the surface: the nearest one, but of an ellipsoid only nearly so unless p is close to it."""
    if kind == CYLINDER:
        n = unit((p[0], p[1], 0.0))
        return (size[0] * n[0], size[0] * n[1], p[2])
    if kind == SPHERE:
        return scaled(size[0], unit(p))
    if kind == TORUS:
        c = _ring_point(size, p)
        return axpy(size[1], unit(axpy(-1.0, c, p)), c)
    if kind == CAPSULE:
        c = _axis_point(size, p)
        return axpy(size[0], unit(axpy(-1.0, c, p)), c)
    a, b, c2 = size[0] * size[0], size[1] * size[1], size[2] * size[2]
    x = p
    for _ in range(60):
        g = (x[0] / a, x[1] / b, x[2] / c2)
        f = 0.5 * (dot(x, g) - 1.0)
        step = f / dot(g, g)
        x = axpy(-step, g, x)
        if abs(step) * norm(g) < 1e-17:
            break
    return x


@subroutine
def depth(kind: int, size: Tuple, p: Tuple) -> Any:
    """How far p is inside the surface [m], negative outside; of an ellipsoid to first order."""
    if kind == CYLINDER:
        return size[0] - math.sqrt(p[0] * p[0] + p[1] * p[1])
    if kind == SPHERE:
        return size[0] - norm(p)
    if kind == TORUS:
        return size[1] - norm(axpy(-1.0, _ring_point(size, p), p))
    if kind == CAPSULE:
        return size[0] - norm(axpy(-1.0, _axis_point(size, p), p))
    g = (p[0] / (size[0] * size[0]), p[1] / (size[1] * size[1]), p[2] / (size[2] * size[2]))
    f = dot(p, g)
    if f < 1e-300:
        return min(size[0], size[1], size[2])
    return 0.5 * (1.0 - f) / norm(g) if f > 0.25 else (1.0 - math.sqrt(f)) * norm(p) / math.sqrt(f)


@inline
def onto(kind: int, size: Tuple, p: Tuple, t: Tuple) -> tuple[Tuple, Tuple]:
    """The point and the direction that these become on the surface."""
    q = nearest(kind, size, p)
    n = normal(kind, size, q)
    return q, unit(axpy(-dot(n, t), n, t))


@inline
def sideways(n: Tuple, t: Tuple) -> Tuple:
    """b = n x t: (t, b, n) is right-handed."""
    return cross(n, t)


@inline
def turned(c: float, x: Tuple, s: float, y: Tuple) -> Tuple:
    return blend(c, x, s, y)
