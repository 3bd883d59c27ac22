"""How hard the surfaces inside a joint are pressed together by the wrench that the joint transmits (paper, §5.2.3).

The paper puts points on the surface of a joint, and finds pressures there that add up to the wrench: the least ones,
Eq. 16 with a vanishing regularisation. Since they have no component along the motion of the joint they do not depend
on the inertias then, and have closed forms. What friction needs is their sum without signs, for it does not matter to
which side a pin is pressed. Evenly spread points, the default here, are the limit of many.
"""

from __future__ import annotations

import math

from ...algebra.spatial import Tuple, cross
from ...jit.decorators import borrower, inline, subroutine
from ...model.records import Floats, Ints

CYLINDER, SLEEVE, BOX_SLEEVE, BALL, PLATE = 0, 1, 2, 3, 4
"""`parts.Rub`, as plain numbers."""
_FLAT = 1e-8
"""Level of a rim, over its slope, that makes no difference to a sum."""
BALL_LOAD = 3.0 * math.pi / 8.0
"""Torque over μ · radius · force of a ball under a cosine of pressure, averaged over all axes it may turn about."""


@inline
def dot3(a: Tuple, b: Tuple) -> float:
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@inline
def norm3(a: Tuple) -> float:
    return math.sqrt(dot3(a, a))


@inline
def scale3(s: float, a: Tuple) -> Tuple:
    return (s * a[0], s * a[1], s * a[2])


@inline
def plus3(s: float, a: Tuple, b: Tuple) -> Tuple:
    """b + s a."""
    return (b[0] + s * a[0], b[1] + s * a[1], b[2] + s * a[2])


@inline
def across_axis(a: Tuple) -> Tuple:
    """A unit vector perpendicular to the unit vector a; x for z, so that points on a rim begin there."""
    if abs(a[2]) > 0.9999999:
        return (1.0, 0.0, 0.0)
    n = (a[1], -a[0], 0.0)
    return scale3(1.0 / norm3(n), n)


@inline
def rim_sum(level: float, c: Tuple, axis: Tuple, points: int) -> float:
    """Sum of |level + c · u| over the rim's unit vectors u; over the angle [rad] where they are all around."""
    if points > 0:
        return sum_of_points(level, c, axis, points)
    size = norm3(c)
    if abs(level) <= _FLAT * size:
        return 4.0 * size
    if size <= abs(level):
        return 2.0 * math.pi * abs(level)
    ratio = abs(level) / size
    return 4.0 * (size * math.sqrt(1.0 - ratio * ratio) + abs(level) * math.asin(ratio))


@subroutine
def sum_of_points(level: float, c: Tuple, axis: Tuple, points: int) -> float:
    """The same over a number of points."""
    u = across_axis(axis)
    w = cross(axis, u)
    total = 0.0
    for k in range(points):
        angle = 2.0 * math.pi * k / points
        total += abs(level + math.cos(angle) * dot3(c, u) + math.sin(angle) * dot3(c, w))
    return total


@inline
def bearing_load(f: Tuple, axis: Tuple, radius: float, height: float, points: int, faces: bool) -> float:
    """Sum of the pressures [N, or N·s for an impulse] on the two rims of a cylinder about its axis; with `faces` its
    two end faces carry thrust and tilt as well."""
    half = math.pi if points == 0 else 0.5 * points
    M = (f[0], f[1], f[2])
    F = (f[3], f[4], f[5])
    thrust = dot3(F, axis)
    side = scale3(0.5 / half, plus3(-thrust, axis, F))
    tilt = cross(M, axis)
    reach = height * height
    if faces:
        reach += 4.0 * radius * radius
    lean, level, face = 0.0, 0.0, 0.0
    if reach > 0.0:
        each = 1.0 / (half * reach)
        lean = height * each
        face = 2.0 * radius * each
    none = (0.0, 0.0, 0.0)
    load = rim_sum(0.0, plus3(lean, tilt, side), axis, points)
    load += rim_sum(0.0, plus3(-lean, tilt, side), axis, points)
    if faces:
        level = 0.25 * thrust / half
        load += 2.0 * rim_sum(level, plus3(-face, tilt, none), axis, points)
    return load


@inline
def box_load(f: Tuple, axis: Tuple, sides: Tuple) -> float:
    """Sum of the pressures on the eight corners of a rod with the given sides along the joint's x, y and z."""
    first, second, along = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), 0
    if abs(axis[1]) > 0.5:
        first, second, along = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), 1
    elif abs(axis[2]) > 0.5:
        first, second, along = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), 2
    l, a, b = sides[0], sides[1], sides[2]
    if along == 1:
        l, a, b = sides[1], sides[2], sides[0]
    elif along == 2:
        l, a, b = sides[2], sides[0], sides[1]
    sign = 1.0 if dot3(axis, cross(first, second)) > 0.0 else -1.0
    M = (f[0], f[1], f[2])
    F = (f[3], f[4], f[5])
    lever = 0.25 * sign / l if l > 0.0 else 0.0
    square = a * a + b * b
    twist = 0.5 * sign * dot3(M, axis) / square if square > 0.0 else 0.0
    total = 0.0
    for i in range(8):
        s = 1.0 if i & 1 else -1.0
        p = 1.0 if i & 2 else -1.0
        q = 1.0 if i & 4 else -1.0
        total += abs(0.125 * dot3(F, first) + s * lever * dot3(M, second) - 0.5 * q * b * twist)
        total += abs(0.125 * dot3(F, second) - s * lever * dot3(M, first) + 0.5 * p * a * twist)
    return total


@inline
def friction_bound(shape: int, f: Tuple, s: Tuple, size: Floats, i: int, points: int) -> float:
    """Largest generalized friction force over μ in a joint that transmits the wrench f.

    `s` is the twist of the joint a unit of its coordinate, for shapes with a single one; all in the joint's frame.
    """
    if shape == CYLINDER:
        axis: Tuple = (s[0], s[1], s[2])
        rate = 1.0
        square = dot3(axis, axis)
        if abs(square - 1.0) > 1e-15:  # seldom: hinges have unit axes
            rate = math.sqrt(square)
            axis = scale3(1.0 / rate, axis)
        return rate * float(size[i, 0]) * bearing_load(f, axis, size[i, 0], size[i, 1], points, True)
    if shape in (SLEEVE, BOX_SLEEVE):
        v = (s[3], s[4], s[5])
        rate = norm3(v)
        if not rate > 0.0:
            return 0.0
        axis = scale3(1.0 / rate, v)
        if shape == BOX_SLEEVE:
            return rate * box_load(f, axis, (size[i, 0], size[i, 1], size[i, 2]))
        load = bearing_load(f, axis, size[i, 0], size[i, 1], points, False)
        if size[i, 0] > 0.0:  # a key keeps the rod from turning
            load += abs(dot3((f[0], f[1], f[2]), axis)) / size[i, 0]
        return rate * load
    F = (f[3], f[4], f[5])
    if shape == BALL:
        return BALL_LOAD * float(size[i, 0]) * norm3(F)
    return norm3(F)


@borrower
def friction_bounds(
    shape: Ints, link: Ints, dof: Ints, size: Floats, points: int, S: Floats, wrench: Floats, out: Floats
) -> None:
    """`friction_bound` of every pair of surfaces; `wrench` is what each joint transmits, shape (nl, 6)."""
    for i in range(len(shape)):
        j, k = link[i], dof[i]
        f = (wrench[j, 0], wrench[j, 1], wrench[j, 2], wrench[j, 3], wrench[j, 4], wrench[j, 5])
        if shape[i] == PLATE:
            # what presses two plates together is across both directions in which they slide
            n = cross((S[k, 3], S[k, 4], S[k, 5]), (S[k + 1, 3], S[k + 1, 4], S[k + 1, 5]))
            size_n = norm3(n)
            F = (f[3], f[4], f[5])
            out[i] = abs(dot3(F, n)) / size_n if size_n > 0.0 else 0.0
        else:
            s = (S[k, 0], S[k, 1], S[k, 2], S[k, 3], S[k, 4], S[k, 5])
            out[i] = friction_bound(shape[i], f, s, size, i, points)
