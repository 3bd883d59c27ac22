"""Nothing swift passes through anything: a row that keeps the middle of a body on the side that it comes from.

Rows of contact are linear, and a corner that strikes stops by turning the body as well as by slowing it down. At
500 m/s that lets the middle of a centimetre go on for metres within the step, and through whatever is there. In truth
its other corners would strike long before. The guard is what all of that comes to: a ball around the middle, half as
large as the body is thick, may not pass either. It does not turn, so its row is exact however fast the body spins; it
holds only what nothing else has held, and neither rubs nor bounces.
"""

from __future__ import annotations

import math

from ..algebra.spatial import load12
from ..jit.decorators import subroutine
from .arrays import Floats, Ints
from .kinds import BOX, CYLINDER, ELLIPSOID, GUARD, HULL
from .pairs import nearest
from .rows import back_to_start, put_contact, touch
from .sweep import first_touch, pose_at
from .vectors import apart, dot, row3

_PART = 0.5
"""Radius of the ball, as a fraction of the largest that fits in: what rests or slides does so on its own surface."""


@subroutine
def ball_inside(
    kind: Ints, size: Floats, first: Ints, verts: Floats, faces: Ints, face_at: Ints, face_vertex: Ints,
    face_normal: Floats, rounding: Floats, i: int,
) -> float:  # fmt: skip
    """Radius of the guard of piece i [m], -1 where its middle is outside of it."""
    k = kind[i]
    r = 0.0
    if k in (BOX, ELLIPSOID):
        r = min(size[i, 0], size[i, 1], size[i, 2])
    elif k == CYLINDER:
        r = min(size[i, 0], size[i, 2])
    elif k == HULL:
        r = math.inf
        for f in range(faces[i], faces[i + 1]):
            r = min(r, dot(row3(face_normal, f), row3(verts, face_vertex[face_at[f]])))
        if not r >= 0.0:
            return -1.0
    return float(_PART * (r + rounding[i]))


@subroutine
def guard_contact(
    point: Ints, no_size: Floats, i: int, radius: float, kind_b: Ints, size_b: Floats, first_b: Ints, verts_b: Floats,
    jb: int, rounding_b: float, j: int, E: Floats, v: Floats, w: Floats, a: Floats, reach: Floats, h: float,
    S: Floats, weight: Floats, N: Floats, F: Ints, H: Ints, M: Floats, X: Floats, count: int,
) -> float:  # fmt: skip
    """The guard of piece i against piece j (of shape jb), as row `count` of X with i as side 0; when it touches [s],
    infinite for no row, which leaves X as it is. `point` and `no_size` are points in place of all pieces."""
    own = reach[i]
    reach[i] = 0.0  # a ball may turn as it likes
    near = touch(radius, reach[j])
    t = first_touch(
        point, no_size, first_b, verts_b, i, kind_b, size_b, first_b, verts_b, jb, E, v, w, a, reach, j,
        radius + rounding_b, near, h, S, weight, N, F, H,
    )  # fmt: skip
    reach[i] = own
    if t > h:
        return math.inf
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
    return t


@subroutine
def turn_round(X: Floats, k: int) -> None:
    """Contact k with its sides exchanged."""
    for c in range(3):
        X[k, c], X[k, 3 + c], X[k, 6 + c] = X[k, 3 + c], X[k, c], -X[k, 6 + c]
