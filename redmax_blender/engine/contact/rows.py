"""Contacts as rows: point of side 0, point of side 1, normal from 1 to 0, and gap; ten numbers, all in the world."""

from __future__ import annotations

from ..algebra.arrays import Floats
from ..algebra.spatial import Tuple, cross, rotate, transform_point
from ..jit.decorators import subroutine
from .vectors import along, dot, norm, row3, sub

SWIFT = 0.5
"""Pieces that approach by more than this fraction of the smaller one's size in a step are followed through it; so are
those that approach by more than the thinner one is thick."""


@subroutine
def thickness(half: Floats, rounding: Floats, i: int) -> float:
    """Of piece i [m]."""
    return float(2.0 * (min(half[i, 0], half[i, 1], half[i, 2]) + rounding[i]))


@subroutine
def touch(a: float, b: float) -> float:
    """Distance at which pieces of these radii [m] touch when they are followed through a step."""
    return max(1e-3 * min(a, b), 1e-6 * (a + b))


@subroutine
def deepest(M: Floats, n: int) -> float:
    """The least distance in n rows of M [m]."""
    least = M[0, 6]
    for k in range(1, n):
        least = min(least, M[k, 6])
    return float(least)


@subroutine
def closing(v: Floats, w: Floats, reach: Floats, i: int, j: int, h: float) -> float:
    """The most by which two pieces can approach each other over a step at their present velocities [m]."""
    between = sub(row3(v, i), row3(v, j))
    return float(h * (norm(between) + norm(row3(w, i)) * reach[i] + norm(row3(w, j)) * reach[j]))


@subroutine
def approach(X: Floats, k: int, E: Floats, v: Floats, w: Floats, i: int, j: int) -> float:
    """n·v at the points of contact k of pieces i and j, negative where they approach [m/s]."""
    rate = 0.0
    for side in range(2):
        p = i if side == 0 else j
        o = 3 * side
        arm = (X[k, o] - E[p, 9], X[k, o + 1] - E[p, 10], X[k, o + 2] - E[p, 11])
        u = along(cross(row3(w, p), arm), 1.0, row3(v, p))
        speed = dot((X[k, 6], X[k, 7], X[k, 8]), u)
        rate += speed if side == 0 else -speed
    return rate


@subroutine
def back_to_start(
    X: Floats, k: int, E: Floats, v: Floats, w: Floats, a: Floats, i: int, j: int, t: float
) -> None:
    """Contact k, found where the pieces are after a time t, as it is for the step that begins now.

    The points move back with the middles of their pieces. The gap is what may be closed: the velocities that lead to
    the touch at t close it to what it is then.
    """
    for c in range(3):
        X[k, c] -= t * v[i, c] + 0.5 * t * t * a[i, c]
        X[k, 3 + c] -= t * v[j, c] + 0.5 * t * t * a[j, c]
    X[k, 9] -= t * approach(X, k, E, v, w, i, j)


@subroutine
def put_contact(M: Floats, k: int, E: Tuple, n: Tuple, ra: float, rb: float, X: Floats, count: int) -> None:
    """Row k of M, in the frame E of side 0, as row `count` of X, with the rounding of both sides."""
    a = transform_point(E, along((M[k, 0], M[k, 1], M[k, 2]), -ra, n))
    b = transform_point(E, along((M[k, 3], M[k, 4], M[k, 5]), rb, n))
    m = rotate(E, n)
    for c in range(3):
        X[count, c], X[count, 3 + c], X[count, 6 + c] = a[c], b[c], m[c]
    X[count, 9] = M[k, 6] - ra - rb
