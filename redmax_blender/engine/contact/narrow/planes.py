"""Contact points of a piece with a half-space, in the frame of the piece."""

from __future__ import annotations

import math

from ...algebra.arrays import Floats, Ints
from ...algebra.spatial import Tuple
from ...jit.decorators import subroutine
from ..shapes.kinds import BOX, CAPSULE, CYLINDER, HULL
from ..shapes.support import support
from ..vectors import along, dot, row3, scale, sub, turn_by
from .manifold import ROOM, four

_FAR_TURN = 1.0
"""Turn [rad] that nothing is foreseen over."""


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
def _rolled(
    kind: Ints, size: Floats, first: Ints, verts: Floats, i: int, half: Tuple, n: Tuple, rim: int
) -> Tuple:
    """The point of a smooth solid that is lowest after a turn by `half` [rad], as it lies then in the solid's frame of
    now. `rim` is 0 for an ellipsoid; of a cylinder 1 to 8, the lowest point of each rim and three more around it."""
    down = turn_by(scale(-1.0, half), scale(-1.0, n))
    if rim == 0:
        return turn_by(half, support(kind, size, first, verts, i, down))
    across = math.sqrt(down[0] * down[0] + down[1] * down[1])
    c, s = (1.0, 0.0) if across < 1e-9 else (down[0] / across, down[1] / across)
    for _ in range((rim - 1) % 4):
        c, s = -s, c
    z = size[i, 2] if rim > 4 else -size[i, 2]
    return turn_by(half, (size[i, 0] * c, size[i, 0] * s, z))


@subroutine
def plane_contacts(
    kind: Ints, size: Floats, first: Ints, verts: Floats, i: int, E: Tuple, turn: Tuple, far: float, M: Floats
) -> tuple[int, Tuple]:
    """Up to four rows of M, as for pairs, and the normal, for a plane at the pose E in piece i.

    `turn` is how far the piece turns in the step, along its own axes [rad]: what rolls touches with other points on the
    way.
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
    else:
        # What rolls does not stand on one of its points. How high it is changes in a step by the velocity of the point
        # that is lowest midway: height(q + h q') = height(q) + h n·(v + ω × r_midway), to second order in the turn.
        half = scale(0.5, turn) if dot(turn, turn) < _FAR_TURN * _FAR_TURN else (0.0, 0.0, 0.0)
        corners = 8 if k == CYLINDER else 1
        for p in range(corners):
            rim = p + 1 if k == CYLINDER else 0
            now = _rolled(kind, size, first, verts, i, (0.0, 0.0, 0.0), n, rim)
            before = count
            count = _lower(M, count, now, o, n, far, float(p))
            if count > before:
                x = _rolled(kind, size, first, verts, i, half, n, rim)
                y = along(x, -dot(n, sub(x, o)), n)
                for c in range(3):
                    M[before, c], M[before, 3 + c] = x[c], y[c]
    return four(M, count, n, far), n
