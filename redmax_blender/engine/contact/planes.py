"""Contact points of a piece with a half-space, in the frame of the piece."""

from __future__ import annotations

import math

from ..jit import subroutine
from ..spatial import Tuple, cross
from .arrays import Floats, Ints
from .kinds import BOX, CAPSULE, CYLINDER, ELLIPSOID, HULL
from .manifold import ROOM, four
from .support import support
from .vectors import along, dot, row3, sub

_ROLLS = 0.02
"""Turn within a step [rad] below which a smooth solid stays on the point that it touches with."""


@subroutine
def _lower(M: Floats, count: int, x: Tuple, o: Tuple, n: Tuple, far: float, id_: float) -> int:
    """Adds the corner x where it is low enough."""
    height = dot(n, sub(x, o))
    if height > far:
        return count
    if count == ROOM:
        count = four(M, count, n, far)
    y = along(x, -height, n)
    for c in range(3):
        M[count, c], M[count, 3 + c] = x[c], y[c]
    M[count, 6], M[count, 7] = height, id_
    return count + 1


@subroutine
def plane_contacts(
    kind: Ints, size: Floats, first: Ints, verts: Floats, i: int, E: Tuple, turn: Tuple, far: float, M: Floats
) -> tuple[int, Tuple]:
    """Up to four rows of M, as for pairs, and the normal, for a plane at the pose E in piece i.

    `turn` is how far the piece turns in the step, along its own axes [rad]: what rolls lands on another point.
    """
    n = (E[2], E[5], E[8])
    o = (E[9], E[10], E[11])
    k = kind[i]
    count = 0
    if k == BOX:
        for p in range(8):
            corner = (
                size[i, 0] if p & 4 else -size[i, 0],
                size[i, 1] if p & 2 else -size[i, 1],
                size[i, 2] if p & 1 else -size[i, 2],
            )
            count = _lower(M, count, corner, o, n, far, float(p))
    elif k == HULL:
        for v in range(first[i], first[i + 1]):
            count = _lower(M, count, row3(verts, v), o, n, far, float(v - first[i]))
    elif k == CAPSULE:
        for p in range(2):
            count = _lower(M, count, (0.0, 0.0, size[i, 2] * (2.0 * p - 1.0)), o, n, far, float(p))
    elif k == CYLINDER:
        # On each rim the lowest point, and three more for when the cylinder stands.
        across = math.sqrt(n[0] * n[0] + n[1] * n[1])
        dx, dy = (1.0, 0.0) if across < 1e-9 else (-n[0] / across, -n[1] / across)
        for p in range(8):
            z = size[i, 2] if p >= 4 else -size[i, 2]
            c, s = dx, dy
            for _ in range(p % 4):
                c, s = -s, c
            count = _lower(M, count, (size[i, 0] * c, size[i, 0] * s, z), o, n, far, float(p))
    else:
        lowest = support(kind, size, first, verts, i, (-n[0], -n[1], -n[2]))
        count = _lower(M, count, lowest, o, n, far, 0.0)
    if k in (CYLINDER, ELLIPSOID) and dot(turn, turn) > _ROLLS * _ROLLS:
        down = sub(cross(turn, n), n)  # as the piece will see it
        landing = support(kind, size, first, verts, i, down)
        count = _lower(M, count, landing, o, n, far, 16.0)
    return four(M, count, n, far), n
