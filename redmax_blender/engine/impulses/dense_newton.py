"""Newton steps and sweeps on impulses whose blocks have given bounds (`dense.py`)."""

from __future__ import annotations

import math

from ..jit.decorators import subroutine
from ..model.records import Floats, Ints
from .laws import BOX, DISC, PUSH, length, mean_diagonal, project

_NEAR = 1e-9
"""Weight of the penalty on the distance from given impulses, as a fraction of the diagonal of W."""
_STIFF = 1e8
"""What keeps a sliding disc at its bound, times what its rows have on the diagonal."""
EXACT = 1e-10
"""Velocities and impulses that are this fraction of the largest count as none."""
FREE, ZERO, LOW, HIGH, SLIDES = 0, 1, 2, 3, 4
"""What holds in a block: y = 0; λ = 0; λ at its lower or upper bound; a disc at its bound."""


@subroutine
def factor_solve(A: Floats, x: Floats, n: int) -> bool:
    """Solve A x = x in place by Cholesky's factors, which replace the lower triangle; False where A is not positive."""
    for i in range(n):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            if i == j:
                if not total > 0.0:
                    return False
                A[i, i] = math.sqrt(total)
            else:
                A[i, j] = total / A[j, j]
    for i in range(n):
        total = x[i]
        for k in range(i):
            total -= A[i, k] * x[k]
        x[i] = total / A[i, i]
    for i in range(n - 1, -1, -1):
        x[i] /= A[i, i]
        for k in range(i):
            x[k] -= A[i, k] * x[i]
    return True


@subroutine
def slacks(W: Floats, r: Floats, rows: Ints, m: int, lam: Floats, y: Floats) -> None:
    """y = W λ - r on the rows of an island."""
    for a in range(m):
        i = rows[a]
        total = -r[i]
        for b in range(m):
            total += W[i, rows[b]] * lam[rows[b]]
        y[i] = total


@subroutine
def value_of(r: Floats, rows: Ints, m: int, lam: Floats, y: Floats) -> float:
    """½ λᵀ W λ - rᵀ λ."""
    total = 0.0
    for a in range(m):
        i = rows[a]
        total += lam[i] * (y[i] - r[i])
    return 0.5 * total


@subroutine
def expect(
    kind: int, i: int, j: int, bound: float, w: float, none: float, lam: Floats, y: Floats, way: Floats
) -> int:
    """What will hold in a block, from where a step along -y would lead; λ may be beyond its bounds.

    A disc that slides leaves its direction in `way`.
    """
    if kind == PUSH:
        return FREE if lam[i] - y[i] / w > 0.0 else ZERO
    if kind == BOX:
        z = lam[i] - y[i] / w
        if bound <= none:
            return ZERO
        if z > bound:
            return HIGH
        return LOW if z < -bound else FREE
    if kind == DISC:
        if bound <= none:
            return ZERO
        size = 0.0
        for c in range(i, j):
            way[c] = y[c] / w - lam[c]
            size += way[c] * way[c]
        size = math.sqrt(size)
        if size <= bound:
            return FREE
        for c in range(i, j):
            way[c] /= size
        return SLIDES
    return FREE


@subroutine
def stay(
    kind: int, i: int, j: int, bound: float, none: float, lam: Floats, y: Floats, eps: float, way: Floats
) -> int:
    """What holds in a block whose λ is within its bounds: what is at a bound stays there unless y draws it off."""
    if kind == PUSH:
        return ZERO if lam[i] <= 0.0 and y[i] >= -eps else FREE
    if kind == BOX:
        if bound <= none:
            return ZERO
        if lam[i] <= -bound and y[i] >= -eps:
            return LOW
        return HIGH if lam[i] >= bound and y[i] <= eps else FREE
    if kind == DISC:
        if bound <= none:
            return ZERO
        size, along = length(lam, i, j), 0.0
        if size < bound * (1.0 - 1e-10):
            return FREE
        for c in range(i, j):
            way[c] = -lam[c] / size
            along += way[c] * y[c]
        return SLIDES if along >= -eps else FREE
    return FREE


@subroutine
def drawn_back(kind: int, i: int, j: int, bound: float, lam: Floats, goal: Floats, way: Floats) -> int:
    """The bound that a free block is at and would go beyond; FREE for none."""
    if kind == PUSH and lam[i] <= 0.0 and goal[i] < 0.0:
        return ZERO
    if kind == BOX and lam[i] <= -bound and goal[i] < lam[i]:
        return LOW
    if kind == BOX and lam[i] >= bound and goal[i] > lam[i]:
        return HIGH
    if kind == DISC:
        size, out = length(lam, i, j), 0.0
        if size >= bound * (1.0 - 1e-10):
            for c in range(i, j):
                way[c] = -lam[c] / size
                out -= way[c] * (goal[c] - lam[c])
            if out > 0.0:
                return SLIDES
    return FREE


@subroutine
def newton_goal(
    W: Floats, r: Floats, first: Ints, bound: Floats, near: Floats, blocks: Ints, n: int, hold: Ints, lam: Floats,
    y: Floats, A: Floats, goal: Floats, change: Floats, index: Ints, way: Floats,
) -> bool:  # fmt: skip
    """Where a Newton step leads when it is known what holds; False where there is no step.

    A disc that slides has λ = -bound along the direction in which it slides, and across it λ = -y / σ with
    σ = |y| / bound, which is how that direction turns.
    """
    f = 0
    for a in range(n):
        b = blocks[a]
        i, j = first[b], first[b + 1]
        if hold[b] != FREE and hold[b] != SLIDES:
            sign = 0.0
            if hold[b] == HIGH:
                sign = 1.0
            elif hold[b] == LOW:
                sign = -1.0
            for row in range(i, j):
                goal[row] = sign * bound[b]
            continue
        w = mean_diagonal(W, i, j)
        sigma, grip = 0.0, 0.0
        if hold[b] == SLIDES:
            along = 0.0
            for row in range(i, j):
                along += way[row] * y[row]
            sigma = max(along, 0.0) / bound[b]
            grip = _STIFF * (sigma + w)
        begin = f
        for row in range(i, j):
            index[f] = row
            for c in range(f + 1):
                A[f, c] = W[row, index[c]]
            A[f, f] += _NEAR * W[row, row]
            change[f] = -y[row] - _NEAR * W[row, row] * (lam[row] - near[row])
            if hold[b] == SLIDES:
                for c in range(begin, f + 1):
                    A[f, c] += (grip - sigma) * way[row] * way[index[c]]
                A[f, f] += sigma
                # across the direction: what turns it. Along it: back to the bound, whatever the velocity.
                out, across = 0.0, 0.0
                for c in range(i, j):
                    out += way[c] * lam[c]
                    across += way[c] * y[c]
                change[f] += (
                    across * way[row]
                    - grip * (out + bound[b]) * way[row]
                    - sigma * (lam[row] - out * way[row])
                )
            f += 1
    if f == 0:
        return True
    for a in range(n):
        b = blocks[a]
        if hold[b] == FREE or hold[b] == SLIDES:
            continue
        for row in range(first[b], first[b + 1]):
            d = goal[row] - lam[row]
            if d != 0.0:
                for c in range(f):
                    change[c] -= W[index[c], row] * d
    if not factor_solve(A, change, f):
        return False
    for c in range(f):
        goal[index[c]] = lam[index[c]] + change[c]
    return True


@subroutine
def free_part(kind: int, i: int, j: int, bound: float, lam: Floats, goal: Floats) -> float:
    """How far towards its goal a block gets before it meets its bound, as a fraction."""
    if kind == PUSH and goal[i] < 0.0:
        return float(lam[i] / (lam[i] - goal[i]))
    if kind == BOX and goal[i] > bound:
        return float((bound - lam[i]) / (goal[i] - lam[i]))
    if kind == BOX and goal[i] < -bound:
        return float((bound + lam[i]) / (lam[i] - goal[i]))
    if kind == DISC and length(goal, i, j) > bound:
        a, b, c = 0.0, 0.0, -bound * bound
        for k in range(i, j):
            d = goal[k] - lam[k]
            a += d * d
            b += d * lam[k]
            c += lam[k] * lam[k]
        root = b * b - a * c
        return max((math.sqrt(max(root, 0.0)) - b) / a, 0.0)
    return 1.0


@subroutine
def sweep(
    W: Floats, first: Ints, kind: Ints, bound: Floats, blocks: Ints, n: int, rows: Ints, m: int, lam: Floats, y: Floats,
    old: Floats,
) -> None:  # fmt: skip
    """One pass of projected Gauss-Seidel, block by block."""
    for a in range(n):
        b = blocks[a]
        i, j = first[b], first[b + 1]
        w = 0.0
        for c in range(i, j):
            old[c] = lam[c]
            total = 0.0
            for d in range(i, j):
                total += abs(W[c, d])
            w = max(w, total)
        for c in range(i, j):
            lam[c] -= y[c] / w
        project(kind[b], i, j, bound[b], lam)
        for c in range(i, j):
            d = lam[c] - old[c]
            if d != 0.0:
                for e in range(m):
                    y[rows[e]] += W[c, rows[e]] * d


@subroutine
def residual(
    W: Floats, first: Ints, kind: Ints, bound: Floats, blocks: Ints, n: int, lam: Floats, y: Floats, scale: float,
    old: Floats,
) -> float:  # fmt: skip
    """How far a step along -y, brought back to what is allowed, would change the impulses; as a fraction of all."""
    worst = 0.0
    for a in range(n):
        b = blocks[a]
        i, j = first[b], first[b + 1]
        w = mean_diagonal(W, i, j)
        for c in range(i, j):
            old[c] = lam[c]
            lam[c] -= y[c] / w
        project(kind[b], i, j, bound[b], lam)
        total = 0.0
        for c in range(i, j):
            total += (lam[c] - old[c]) ** 2
            lam[c] = old[c]
        change = math.sqrt(total * w)
        if not change <= worst:
            worst = change
    return worst / scale
