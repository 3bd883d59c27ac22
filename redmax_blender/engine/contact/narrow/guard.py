"""Nothing swift passes through anything: a row that keeps the middle of a body on the side that it comes from.

Rows of contact are linear, and a corner that strikes stops by turning the body as well as by slowing it down. At
500 m/s that lets the middle of a centimetre go on for metres within the step, and through whatever is there. In truth
its other corners would strike long before. The guard is what all of that comes to: a ball around the point that the
body turns about, half as large as the body is thick (`shapes/inner_balls.py`), may not pass either. It does not turn,
so its row is exact however fast the body spins; it holds only what nothing else has held, and neither rubs nor bounces.
"""

from __future__ import annotations

import math

from ...algebra.arrays import Floats, Ints
from ...algebra.spatial import Tuple, cross, load12, rotate, transform_point, unrotate
from ...jit.decorators import subroutine
from ..rows import back_to_start, put_contact, touch
from ..shapes.kinds import GUARD
from ..shapes.support import support
from ..vectors import along, apart, dot, row3, sub
from .pairs import nearest
from .sweep import first_touch, pose_at


@subroutine
def _put_middle(E: Floats, v: Floats, a: Floats, i: int, place: Tuple, velocity: Tuple, curve: Tuple) -> None:
    """Let a point of what carries piece i be its middle, by its place, velocity and acceleration."""
    for c in range(3):
        E[i, 9 + c], v[i, c], a[i, c] = place[c], velocity[c], curve[c]


@subroutine
def guard_contact(
    point: Ints, no_size: Floats, i: int, guard: Floats, kind_b: Ints, size_b: Floats, first_b: Ints, verts_b: Floats,
    jb: int, rounding_b: float, j: int, E: Floats, v: Floats, w: Floats, a: Floats, reach: Floats, h: float,
    S: Floats, weight: Floats, N: Floats, F: Ints, H: Ints, M: Floats, X: Floats, count: int,
) -> float:  # fmt: skip
    """The guard of piece i against piece j (of shape jb), as row `count` of X with i as side 0; when it touches [s],
    infinite for no row, which leaves X as it is. `point` and `no_size` are points in place of all pieces."""
    radius = guard[i, 3]
    pose, spin, velocity, curve = load12(E, i), row3(w, i), row3(v, i), row3(a, i)
    middle = (pose[9], pose[10], pose[11])
    arm = rotate(pose, row3(guard, i))
    swing = cross(spin, arm)
    _put_middle(
        E,
        v,
        a,
        i,
        along(middle, 1.0, arm),
        along(velocity, 1.0, swing),
        along(curve, 1.0, cross(spin, swing)),
    )
    own = reach[i]
    reach[i] = 0.0  # a ball may turn as it likes
    near = touch(radius, reach[j])
    t = first_touch(
        point, no_size, first_b, verts_b, i, kind_b, size_b, first_b, verts_b, jb, E, v, w, a, reach, j,
        radius + rounding_b, near, h, S, weight, N, F, H,
    )  # fmt: skip
    reach[i] = own
    if t <= h:
        Ei = load12(E, i) if t == 0.0 else pose_at(E, v, w, a, i, t)
        relative = apart(Ei, load12(E, j) if t == 0.0 else pose_at(E, v, w, a, j, t))
        _state, d, n, p, q = nearest(
            point, no_size, first_b, verts_b, i, kind_b, size_b, first_b, verts_b, jb, relative, math.inf,
            own + reach[j], S, weight, N, F, H,
        )  # fmt: skip
        for c in range(3):
            M[0, c], M[0, 3 + c] = p[c], q[c]
        M[0, 6], M[0, 7] = d, GUARD
        put_contact(M, 0, Ei, n, radius, rounding_b, X, count)
        if t > 0.0:
            back_to_start(X, count, E, v, w, a, i, j, t)
    else:
        t = math.inf
    _put_middle(E, v, a, i, middle, velocity, curve)
    return t


@subroutine
def comes_from(
    point: Ints, no_size: Floats, i: int, guard: Floats, kind_b: Ints, size_b: Floats, first_b: Ints, verts_b: Floats,
    j: int, rounding_b: float, E: Floats, scale: float, S: Floats, weight: Floats, N: Floats, F: Ints, H: Ints,
) -> Tuple:  # fmt: skip
    """From piece j to the middle of the guard of piece i, a unit vector in the world; zero where that is inside."""
    pose = load12(E, i)
    x = transform_point(pose, row3(guard, i))
    middle = (
        pose[0], pose[1], pose[2], pose[3], pose[4], pose[5], pose[6], pose[7], pose[8], x[0], x[1], x[2]
    )  # fmt: skip
    _state, d, n, _p, _q = nearest(
        point, no_size, first_b, verts_b, i, kind_b, size_b, first_b, verts_b, j, apart(middle, load12(E, j)),
        math.inf, scale, S, weight, N, F, H,
    )  # fmt: skip
    return rotate(pose, n) if d > rounding_b else (0.0, 0.0, 0.0)


@subroutine
def push_back(
    kind: Ints, size: Floats, first: Ints, verts: Floats, i: int, j: int, E: Tuple, n: Tuple, M: Floats
) -> int:
    """One row of M for piece j at the pose E in piece i, as deep as they overlap along n, which is from j to i."""
    a = support(kind, size, first, verts, i, (-n[0], -n[1], -n[2]))
    b = transform_point(E, support(kind, size, first, verts, j, unrotate(E, n)))
    d = dot(n, sub(a, b))
    b = along(a, -d, n)
    for c in range(3):
        M[0, c], M[0, 3 + c] = a[c], b[c]
    M[0, 6], M[0, 7] = d, 0.0
    return 1


@subroutine
def turn_round(X: Floats, k: int) -> None:
    """Contact k with its sides exchanged."""
    for c in range(3):
        X[k, c], X[k, 3 + c], X[k, 6 + c] = X[k, 3 + c], X[k, c], -X[k, 6 + c]
