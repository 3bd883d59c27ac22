"""A row of arcs between two points: straight on, over one surface after the other, and straight to the end.

Every arc has four unknowns: where it begins on its surface (two), in which direction, and how long it is. They are
found where both its ends meet the straight pieces without a corner, which is four equations, by Newton's method with
exact derivatives: an arc moves by ξ along itself, β to the side, turns by φ and grows by ℓ; its end then moves by
σ = ξ + ℓ along and y = a β + r φ to the side (`geodesic.py`). An arc whose length comes out negative does not touch.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...jit.decorators import njit, subroutine
from .geodesic import travel
from .surfaces import normal, onto, second, sideways
from .vectors import axpy, blend, dot, norm, scaled

Tuple = Any

# Columns of an arc's frames in world axes, three numbers each: at its beginning point, direction, side, normal; the
# same at its end. Then its curvatures II(t,t), II(t,b), II(b,b) at both ends, and a, r, a', r'.
P, T, B, N, Q, T2, B2, N2 = range(0, 24, 3)
CURVE, CURVE2, FIELD = 24, 27, 30
WIDTH = 34

_ITERATIONS = 60
_TOLERANCE = 3e-15


@subroutine
def _world(pose: Any, i: int, v: Tuple, point: bool) -> Tuple:
    x = (
        pose[i, 0] * v[0] + pose[i, 1] * v[1] + pose[i, 2] * v[2],
        pose[i, 3] * v[0] + pose[i, 4] * v[1] + pose[i, 5] * v[2],
        pose[i, 6] * v[0] + pose[i, 7] * v[1] + pose[i, 8] * v[2],
    )
    if point:
        return (x[0] + pose[i, 9], x[1] + pose[i, 10], x[2] + pose[i, 11])
    return x


@subroutine
def _put(out: Any, i: int, at: int, v: Tuple) -> None:
    out[i, at], out[i, at + 1], out[i, at + 2] = v[0], v[1], v[2]


@subroutine
def _get(out: Any, i: int, at: int) -> Tuple:
    return (out[i, at], out[i, at + 1], out[i, at + 2])


@subroutine
def place(kinds: Any, sizes: Any, poses: Any, arcs: Any, out: Any) -> None:
    """Frames of arcs, rows of point, direction and length in the surfaces' frames, in world axes."""
    for i in range(len(kinds)):
        kind, size = kinds[i], (sizes[i, 0], sizes[i, 1], sizes[i, 2])
        p, t = (arcs[i, 0], arcs[i, 1], arcs[i, 2]), (arcs[i, 3], arcs[i, 4], arcs[i, 5])
        n = normal(kind, size, p)
        b = sideways(n, t)
        q, t2, a, da, r, dr = travel(kind, size, p, t, arcs[i, 6])
        n2 = normal(kind, size, q)
        b2 = sideways(n2, t2)
        _put(out, i, P, _world(poses, i, p, True))
        _put(out, i, T, _world(poses, i, t, False))
        _put(out, i, B, _world(poses, i, b, False))
        _put(out, i, N, _world(poses, i, n, False))
        _put(out, i, Q, _world(poses, i, q, True))
        _put(out, i, T2, _world(poses, i, t2, False))
        _put(out, i, B2, _world(poses, i, b2, False))
        _put(out, i, N2, _world(poses, i, n2, False))
        _put(
            out,
            i,
            CURVE,
            (second(kind, size, p, t, t), second(kind, size, p, t, b), second(kind, size, p, b, b)),
        )
        _put(
            out,
            i,
            CURVE2,
            (second(kind, size, q, t2, t2), second(kind, size, q, t2, b2), second(kind, size, q, b2, b2)),
        )
        out[i, FIELD], out[i, FIELD + 1], out[i, FIELD + 2], out[i, FIELD + 3] = a, r, da, dr


@subroutine
def residual(start: Any, end: Any, frames: Any, f: Any) -> float:
    """Components of the straight pieces across the arcs' ends, shape (4 m,), and their norm; 10 more where a piece
    points the wrong way."""
    m = len(frames)
    worst = 0.0
    wrong = 0.0
    for i in range(m):
        before = (start[0], start[1], start[2]) if i == 0 else _get(frames, i - 1, Q)
        after = (end[0], end[1], end[2]) if i == m - 1 else _get(frames, i + 1, P)
        e = axpy(-1.0, before, _get(frames, i, P))
        e = scaled(1.0 / max(norm(e), 1e-300), e)
        g = axpy(-1.0, _get(frames, i, Q), after)
        g = scaled(1.0 / max(norm(g), 1e-300), g)
        f[4 * i], f[4 * i + 1] = dot(e, _get(frames, i, B)), dot(e, _get(frames, i, N))
        f[4 * i + 2], f[4 * i + 3] = dot(g, _get(frames, i, B2)), dot(g, _get(frames, i, N2))
        for k in range(4):
            worst += f[4 * i + k] ** 2
        if dot(e, _get(frames, i, T)) < 0.0 or dot(g, _get(frames, i, T2)) < 0.0:
            wrong = 10.0
    return math.sqrt(worst) + wrong


@subroutine
def tangent(start: Any, end: Any, frames: Any, J: Any) -> None:
    """Derivative of `residual` by (ξ, β, φ, ℓ) of each arc, shape (4 m, 4 m)."""
    m = len(frames)
    J[:, :] = 0.0
    for i in range(m):
        t, b, n = _get(frames, i, T), _get(frames, i, B), _get(frames, i, N)
        before = (start[0], start[1], start[2]) if i == 0 else _get(frames, i - 1, Q)
        e = axpy(-1.0, before, _get(frames, i, P))
        length = max(norm(e), 1e-300)
        e = scaled(1.0 / length, e)
        row, column = 4 * i, 4 * i
        curve = _get(frames, i, CURVE)
        # Of the piece before: de = (I - e eᵀ) (dP - dQ_before) / length, against b and n.
        eb, en = dot(e, b), dot(e, n)
        across_b = scaled(1.0 / length, axpy(-eb, e, b))
        across_n = scaled(1.0 / length, axpy(-en, e, n))
        et = dot(e, t)
        J[row, column] = dot(across_b, t) + curve[1] * en
        J[row, column + 1] = dot(across_b, b) + curve[2] * en
        J[row, column + 2] = -et
        J[row + 1, column] = dot(across_n, t) - (curve[0] * et + curve[1] * eb)
        J[row + 1, column + 1] = dot(across_n, b) - (curve[1] * et + curve[2] * eb)
        if i > 0:
            _end_columns(frames, i - 1, across_b, J, row, -1.0)
            _end_columns(frames, i - 1, across_n, J, row + 1, -1.0)
        # Of the piece after.
        t2, b2, n2 = _get(frames, i, T2), _get(frames, i, B2), _get(frames, i, N2)
        after = (end[0], end[1], end[2]) if i == m - 1 else _get(frames, i + 1, P)
        g = axpy(-1.0, _get(frames, i, Q), after)
        length = max(norm(g), 1e-300)
        g = scaled(1.0 / length, g)
        gb, gn, gt = dot(g, b2), dot(g, n2), dot(g, t2)
        across_b = scaled(1.0 / length, axpy(-gb, g, b2))
        across_n = scaled(1.0 / length, axpy(-gn, g, n2))
        _end_columns(frames, i, across_b, J, row + 2, -1.0)
        _end_columns(frames, i, across_n, J, row + 3, -1.0)
        curve = _get(frames, i, CURVE2)
        a, r, da, dr = frames[i, FIELD], frames[i, FIELD + 1], frames[i, FIELD + 2], frames[i, FIELD + 3]
        for k in range(4):
            shift = 1.0 if k == 0 or k == 3 else 0.0
            y = a if k == 1 else (r if k == 2 else 0.0)
            turn = da if k == 1 else (dr if k == 2 else 0.0)
            J[row + 2, column + k] += -turn * gt + (shift * curve[1] + y * curve[2]) * gn
            J[row + 3, column + k] -= (shift * curve[0] + y * curve[1]) * gt + (
                shift * curve[1] + y * curve[2]
            ) * gb
        if i < m - 1:
            J[row + 2, column + 4] += dot(across_b, _get(frames, i + 1, T))
            J[row + 2, column + 5] += dot(across_b, _get(frames, i + 1, B))
            J[row + 3, column + 4] += dot(across_n, _get(frames, i + 1, T))
            J[row + 3, column + 5] += dot(across_n, _get(frames, i + 1, B))


@subroutine
def _end_columns(frames: Any, i: int, across: Tuple, J: Any, row: int, sign: float) -> None:
    """Adds sign · acrossᵀ dQ of arc i."""
    along, side = sign * dot(across, _get(frames, i, T2)), sign * dot(across, _get(frames, i, B2))
    J[row, 4 * i] += along
    J[row, 4 * i + 3] += along
    J[row, 4 * i + 1] += side * frames[i, FIELD]
    J[row, 4 * i + 2] += side * frames[i, FIELD + 1]


@subroutine
def _eliminate(J: Any, x: Any) -> bool:
    """Solve J x = x in place with partial pivoting; False when J is singular."""
    n = len(x)
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(J[i, k]) > abs(J[pivot, k]):
                pivot = i
        if abs(J[pivot, k]) < 1e-14:
            return False
        if pivot != k:
            for j in range(n):
                J[k, j], J[pivot, j] = J[pivot, j], J[k, j]
            x[k], x[pivot] = x[pivot], x[k]
        for i in range(k + 1, n):
            factor = J[i, k] / J[k, k]
            if factor != 0.0:
                for j in range(k, n):
                    J[i, j] -= factor * J[k, j]
                x[i] -= factor * x[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= J[i, j] * x[j]
        x[i] /= J[i, i]
    return True


@subroutine
def _moved(kinds: Any, sizes: Any, arcs: Any, x: Any, scale: float, out: Any) -> None:
    for i in range(len(kinds)):
        kind, size = kinds[i], (sizes[i, 0], sizes[i, 1], sizes[i, 2])
        p, t = (arcs[i, 0], arcs[i, 1], arcs[i, 2]), (arcs[i, 3], arcs[i, 4], arcs[i, 5])
        along, side, turn = scale * x[4 * i], scale * x[4 * i + 1], scale * x[4 * i + 2]
        # Along the arc exactly; to the side and turning to first order.
        p, t = onto(kind, size, p, t)
        q, v, _, _, _, _ = travel(kind, size, p, t, along)
        b = sideways(normal(kind, size, q), v)
        q, v = onto(kind, size, axpy(side, b, q), blend(math.cos(turn), v, math.sin(turn), b))
        for k in range(3):
            out[i, k], out[i, 3 + k] = q[k], v[k]
        out[i, 6] = arcs[i, 6] + scale * x[4 * i + 3]


@njit
def solve(start: Any, end: Any, kinds: Any, sizes: Any, poses: Any, arcs: Any, frames: Any, J: Any) -> float:
    """Newton's method on `arcs` (m, 7): point, direction, length, in the surfaces' frames; returns the residual.

    `poses` (m, 12) are the surfaces' in the world. `frames` (m, 34) and `J` (4 m, 4 m) are those of the solution.
    """
    m = len(kinds)
    f, x = np.empty(4 * m), np.empty(4 * m)
    trial, kept = np.empty((m, 7)), np.empty((m, WIDTH))
    for k in range(4 * m):
        x[k] = 0.0
    _moved(kinds, sizes, arcs, x, 0.0, trial)  # onto the surfaces
    arcs[:, :] = trial
    place(kinds, sizes, poses, arcs, frames)
    worst = residual(start, end, frames, f)
    for _ in range(_ITERATIONS):
        if worst < _TOLERANCE:
            break
        tangent(start, end, frames, J)
        for k in range(4 * m):
            x[k] = -f[k]
        if not _eliminate(J, x):
            break
        scale = 1.0
        for i in range(m):
            reach = 0.5 * (min(sizes[i, 0], sizes[i, 1]) if kinds[i] == 2 or kinds[i] == 3 else sizes[i, 0])
            for k in range(4):
                limit = 0.5 if k == 2 else reach
                if abs(x[4 * i + k]) * scale > limit:
                    scale = limit / abs(x[4 * i + k])
        better = False
        for _ in range(12):
            _moved(kinds, sizes, arcs, x, scale, trial)
            place(kinds, sizes, poses, trial, kept)
            now = residual(start, end, kept, f)
            if now < worst:
                better = True
                break
            scale *= 0.5
        if not better:
            residual(start, end, frames, f)
            break
        arcs[:, :] = trial
        frames[:, :] = kept
        worst = now
    tangent(start, end, frames, J)
    return worst
