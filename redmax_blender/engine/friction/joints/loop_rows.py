"""Friction in joints that close loops: what rubs there as rows, and how hard it is pressed."""

from __future__ import annotations

import numpy as np

from ...algebra.spatial import Tuple, cross, load6, load12, rotate, unrotate
from ...constraints.active import ActiveRows
from ...jit.decorators import borrower, njit
from ...model.records import Floats, Ints
from ...tree.kinematics import Kinematics
from .arrays import LoopRubs
from .loads import BALL, friction_bound


@borrower
def pin_rows(
    link: Ints, x: Floats, axis: Floats, shape: Ints, slides: Ints, first: Ints, E_wj: Floats, G: Floats
) -> None:
    """Derivatives G (m, 2, 6) of how surfaces slide, by the twists of both sides."""
    for i in range(len(shape)):
        side_a = 0 if link[i, 0] >= 0 else 1
        E_a = load12(E_wj, link[i, side_a])
        for row in range(first[i], first[i + 1]):
            k = row - first[i]
            d: Tuple = (axis[i, side_a, 0], axis[i, side_a, 1], axis[i, side_a, 2])
            if shape[i] == BALL:
                d = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
            world = rotate(E_a, d)
            for side in range(2):
                l = link[i, side]
                if l < 0:
                    continue
                f = unrotate(load12(E_wj, l), world)
                sign = 1.0 if side == side_a else -1.0
                r = (x[i, side, 0], x[i, side, 1], x[i, side, 2])
                m = cross(r, f)
                for c in range(3):
                    if slides[i] == 1:
                        G[row, side, c] = sign * m[c]
                        G[row, side, 3 + c] = sign * f[c]
                    else:
                        G[row, side, c] = sign * f[c]


@njit
def _pin_rows(
    link: Ints, x: Floats, axis: Floats, shape: Ints, slides: Ints, first: Ints, E_wj: Floats, G: Floats
) -> None:
    """The same, for Python."""
    pin_rows(link, x, axis, shape, slides, first, E_wj, G)


def loop_rows(loops: LoopRubs, kin: Kinematics) -> tuple[Ints, Ints, Floats]:
    """The first row of each pair of surfaces, (n+1,); and links (m, 2) and derivatives (m, 2, 6) of the rows."""
    first = np.concatenate([[0], np.cumsum(np.where(loops.shape == BALL, 3, 1))]).astype(np.int64)
    G: Floats = np.zeros((int(first[-1]), 2, 6))
    _pin_rows(loops.link, loops.x, loops.axis, loops.shape, loops.slides, first, kin.E_wj, G)
    return first, np.repeat(loops.link, np.diff(first), axis=0), G


@borrower
def pin_loads(
    link: Ints, x: Floats, axis: Floats, shape: Ints, slides: Ints, size: Floats, wrench: Floats, out: Floats
) -> None:
    """Largest friction over μ of each pair, from the impulse that its loop has on the first of its links (n, 6)."""
    for i in range(len(shape)):
        side = 0 if link[i, 0] >= 0 else 1
        f = load6(wrench, i)
        F = (f[3], f[4], f[5])
        m = cross((x[i, side, 0], x[i, side, 1], x[i, side, 2]), F)
        f = (f[0] - m[0], f[1] - m[1], f[2] - m[2], F[0], F[1], F[2])
        a = (axis[i, side, 0], axis[i, side, 1], axis[i, side, 2])
        s = (a[0], a[1], a[2], 0.0, 0.0, 0.0)
        if slides[i] == 1:
            s = (0.0, 0.0, 0.0, a[0], a[1], a[2])
        out[i] = friction_bound(shape[i], f, s, size, i, 0)


@njit
def _pin_loads(
    link: Ints, x: Floats, axis: Floats, shape: Ints, slides: Ints, size: Floats, wrench: Floats, out: Floats
) -> None:
    """The same, for Python."""
    pin_loads(link, x, axis, shape, slides, size, wrench, out)


def loop_loads(loops: LoopRubs, rows: ActiveRows | None, value: Floats) -> Floats:
    """Largest friction over μ of each pair, from the multipliers of the constraint rows, shape (n,)."""
    n = len(loops)
    wrench, out = np.zeros((n, 6)), np.zeros(n)
    if rows is None or rows.maximal is None:
        return out
    owner = rows.owner[: len(rows.index)]
    G = rows.maximal.G[rows.index]
    for i in range(n):
        mine = owner == loops.constraint[i]
        side = 0 if loops.link[i, 0] >= 0 else 1
        wrench[i] = value[: len(rows.index)][mine] @ G[mine, side]
    _pin_loads(loops.link, loops.x, loops.axis, loops.shape, loops.slides, loops.size, wrench, out)
    return out
