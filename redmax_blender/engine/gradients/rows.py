"""Constraint rows backwards: how their errors, and their velocities under given twists, change with the poses of links
and with the numbers that they are made of.

Both are short analytic functions of two poses and a dozen numbers (`constraints/rows.py`), which are differentiated by
complex steps, all rows at once, exact to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra import se3
from ..constraints.rows import ACROSS, AXES, DISTANCE, world_side
from ..model.curves import Curves, evaluate
from ..model.records import Constraints, Floats, Ints, Rows
from .curves import add_curves

Numbers = NDArray[np.complex128]
_EPS = 1e-30
_INPUTS = 31
"""Displacements of both sides, points, axes, the value, the world's point and the world's axis."""


@dataclass
class RowBars:
    """Derivatives by what rows and gears are made of; shapes as in `model.Rows` and `model.Gears`."""

    x: Floats
    axis: Floats
    value: Floats
    targets: Floats
    factor: Floats
    offset: Floats

    @classmethod
    def of(cls, c: Constraints) -> RowBars:
        return cls(
            np.zeros_like(c.rows.x), np.zeros_like(c.rows.axis), np.zeros_like(c.rows.value),
            np.zeros_like(c.rows.targets.data), np.zeros_like(c.gears.factor), np.zeros_like(c.gears.offset),
        )  # fmt: skip


class Paired(NamedTuple):
    """Σ weight · (velocity of a row under twists): one summand a row."""

    weight: Floats
    """shape (n,)."""
    twist: Floats
    """Of all links, in joint frames, shape (nl, 6)."""
    bar: Floats | None = None
    """Where derivatives by the twists are added, shape (nl, 6); null where nobody asks."""


def _rotate(R: Numbers, x: Numbers) -> Numbers:
    return np.asarray(np.einsum("...ij,...j->...i", R, x))


def _dot(a: Numbers, b: Numbers) -> Numbers:
    return np.asarray(np.einsum("...i,...i->...", a, b))


def _hat(x: Numbers) -> Numbers:
    out = np.zeros((*x.shape, 3), complex)
    out[..., 2, 1], out[..., 0, 2], out[..., 1, 0] = x[..., 0], x[..., 1], x[..., 2]
    return np.asarray(out - np.swapaxes(out, -1, -2))


class _Sides:
    """The inputs of n rows, each changed by a complex step in turn; shapes (_INPUTS, n, ...)."""

    def __init__(self, rows: Rows, which: Ints, E_wj: Floats, t: float) -> None:
        n = len(which)
        side = world_side(rows, t)
        self.kind = rows.type[which]
        self.link = rows.link[which]
        self.world = self.link < 0
        padded = np.vstack([E_wj, np.array([[1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]], float)])
        E = padded[self.link]  # -1 is the last row: the identity
        steps = 1j * _EPS * np.eye(_INPUTS)[:, None, :]
        turn = [np.where(self.world[:, s, None], 0.0, steps[..., 6 * s : 6 * s + 3]) for s in (0, 1)]
        move = [np.where(self.world[:, s, None], 0.0, steps[..., 6 * s + 3 : 6 * s + 6]) for s in (0, 1)]
        R = E[:, :, :9].reshape(n, 2, 3, 3)
        self.R = [R[None, :, s] @ (np.eye(3) + _hat(turn[s])) for s in (0, 1)]
        self.p = [E[None, :, s, 9:] + _rotate(R[None, :, s].astype(complex), move[s]) for s in (0, 1)]
        self.x = [rows.x[which, s] + steps[..., 12 + 3 * s : 15 + 3 * s] for s in (0, 1)]
        self.axis = [rows.axis[which, s] + steps[..., 18 + 3 * s : 21 + 3 * s] for s in (0, 1)]
        self.value = rows.value[which] + steps[..., 24]
        self.wx = side.x[which] + steps[..., 25:28]
        self.waxis = side.axis[which] + steps[..., 28:31]

    def points(self) -> list[Numbers]:
        found = [_rotate(self.R[s], self.x[s]) + self.p[s] for s in (0, 1)]
        found[1] = np.where(self.world[:, 1, None], self.wx, found[1])
        return found

    def errors(self) -> Numbers:
        """c of each row, shape (_INPUTS, n)."""
        pA, pB = self.points()
        gap = pA - pB
        a = _rotate(self.R[0], self.axis[0])
        b = np.where(self.world[:, 1, None], self.waxis, _rotate(self.R[1], self.axis[1]))
        d = np.where((self.kind == ACROSS)[:, None], a, self.axis[0])
        length = np.sqrt(_dot(gap, gap) + (self.kind != DISTANCE))
        out = np.where(self.kind == DISTANCE, length - self.value, _dot(d, gap))
        return np.asarray(np.where(self.kind == AXES, _dot(a, b), out))

    def rates(self, twist: Floats) -> Numbers:
        """G · twists of each row, shape (_INPUTS, n)."""
        padded = np.vstack([twist, np.zeros((1, 6))])[self.link]
        w, v = padded[:, :, :3], padded[:, :, 3:]
        pA, pB = self.points()
        vA, vB = (_rotate(self.R[s], v[:, s] + np.cross(w[:, s], self.x[s])) for s in (0, 1))
        gap, closing = pA - pB, vA - vB
        a = _rotate(self.R[0], self.axis[0])
        b = np.where(self.world[:, 1, None], self.waxis, _rotate(self.R[1], self.axis[1]))
        turning_a = _rotate(self.R[0], np.cross(w[:, 0], self.axis[0]))
        turning_b = np.where(self.world[:, 1, None], 0.0, _rotate(self.R[1], np.cross(w[:, 1], self.axis[1])))
        slide = _rotate(self.R[0], self.axis[1])
        slid = _dot(slide, gap)[..., None] * slide
        length = np.sqrt(_dot(gap, gap) + (self.kind != DISTANCE))
        across = self.kind == ACROSS
        d = np.where(across[:, None], a, self.axis[0])
        out = _dot(d, closing) + np.where(across, _dot(turning_a, slid), 0.0)
        out = np.where(self.kind == DISTANCE, _dot(gap, closing) / length, out)
        return np.asarray(np.where(self.kind == AXES, _dot(turning_a, b) + _dot(a, turning_b), out))


def add_rows(
    rows: Rows, which: Ints, E_wj: Floats, t: float, pairs: list[Paired], error: Floats | None, xi: Floats, out: RowBars
) -> None:  # fmt: skip
    """Add the derivatives of the sum of `pairs` and of Σ error · c, by the displacements of links, xi (nl, 6), and by
    the rows' own numbers, at the poses E_wj and with the world's side at time t [s]."""
    if not len(which):
        return
    sides = _Sides(rows, which, E_wj, t)
    total = np.zeros((_INPUTS, len(which)))
    if error is not None:
        total += error * sides.errors().imag
    for pair in pairs:
        total += pair.weight * sides.rates(pair.twist).imag
    total /= _EPS
    for s in (0, 1):
        on = ~sides.world[:, s]
        np.add.at(xi, sides.link[on, s], total[6 * s : 6 * s + 6].T[on])
    for s in (0, 1):  # each row is there once
        out.x[which, s] += total[12 + 3 * s : 15 + 3 * s].T
        out.axis[which, s] += total[18 + 3 * s : 21 + 3 * s].T
    out.value[which] += total[24]
    _add_world(rows, which, t, total[25:28].T, total[28:31].T, out)


def _add_world(rows: Rows, which: Ints, t: float, point: Floats, axis: Floats, out: RowBars) -> None:
    """The world's side is constant, or goes along curves."""
    curves: Curves = rows.targets
    values = evaluate(curves, t)[:, 0] if len(curves.target) else np.zeros(0)
    weights = np.zeros(len(values))
    for n, i in enumerate(which):
        if rows.link[i, 1] >= 0:
            continue
        c, turn = int(rows.path[i]), int(rows.turn[i])
        if c >= 0:
            weights[c : c + 3] += (rows.value[i] or 1.0) * point[n]
            if rows.value[i]:
                out.value[i] += values[c : c + 3] @ point[n]
        else:
            out.x[i, 1] += point[n]
        if turn >= 0:
            q = values[turn : turn + 3]
            back = se3.exp_so3(q).T @ axis[n]
            weights[turn : turn + 3] += se3.right_jacobian(q).T @ np.cross(rows.axis[i, 1], back)
            out.axis[i, 1] += back
        else:
            out.axis[i, 1] += axis[n]
    if len(values):
        add_curves(curves, t, weights, None, out.targets)
