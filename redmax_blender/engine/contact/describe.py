"""What is known about contacts beside their geometry: whose they are, how they rub, and how to know them again."""

from __future__ import annotations

import math

from ..algebra.arrays import Floats, Ints
from ..algebra.spatial import Tuple, load12, unrotate
from ..jit.decorators import njit, subroutine
from .shapes.kinds import GUARD, KEYS
from .vectors import along


@subroutine
def collider_velocity(E_col: Floats, m: int, x: Tuple, h: float) -> Tuple:
    """The mean velocity over a step of h [s] of the point of collider m that is at x now."""
    E = load12(E_col, m)
    local = unrotate(E, (x[0] - E[9], x[1] - E[10], x[2] - E[11]))
    there: Tuple = (E_col[m, 21], E_col[m, 22], E_col[m, 23])
    for k in range(3):
        there = along(there, local[k], (E_col[m, 12 + k], E_col[m, 15 + k], E_col[m, 18 + k]))
    return ((there[0] - x[0]) / h, (there[1] - x[1]) / h, (there[2] - x[2]) / h)


@njit
def describe(
    X: Floats, which: Ints, nc: int, pairs: Ints, owner_of: Ints, link_of: Ints, collider_of: Ints, vertex_of: Ints,
    moving: Ints, rubs: Floats, bounces: Floats, tet_of: Ints, weight_of: Floats, E_col: Floats, h: float, link: Ints,
    tet: Ints, weight: Floats, x: Floats, normal: Floats, gap: Floats, velocity: Floats, friction: Floats,
    restitution: Floats, key: Ints, pair: Ints,
) -> None:  # fmt: skip
    """Arrays of `Contacts` for nc rows X; `which` are the pair and the feature of each."""
    n = len(owner_of)
    for c in range(nc):
        code = pairs[which[c, 0]]
        i, j = code // n, code % n
        for k in range(3):
            x[c, 0, k], x[c, 1, k], normal[c, k] = X[c, k], X[c, 3 + k], X[c, 6 + k]
            velocity[c, k] = 0.0
        gap[c] = X[c, 9]
        for side in range(2):
            p = i if side == 0 else j
            link[c, side], pair[c, side], tet[c, side] = link_of[p], owner_of[p], -1
            for k in range(4):
                weight[c, side, k] = 0.0
            if vertex_of[p] >= 0 and link_of[p] < 0:
                tet[c, side] = tet_of[vertex_of[p]]
                for k in range(4):
                    weight[c, side, k] = weight_of[vertex_of[p], k]
        m = collider_of[j]
        if m >= 0 and moving[m] >= 0:
            u = collider_velocity(E_col, m, (X[c, 3], X[c, 4], X[c, 5]), h)
            velocity[c, 0], velocity[c, 1], velocity[c, 2] = u
        friction[c] = math.sqrt(rubs[i] * rubs[j])
        restitution[c] = max(bounces[i], bounces[j])
        if which[c, 1] == GUARD:
            friction[c], restitution[c] = 0.0, 0.0
        key[c] = code * KEYS + which[c, 1]
