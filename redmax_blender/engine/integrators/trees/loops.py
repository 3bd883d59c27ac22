"""The recursion over a tree with loops: elimination and solution, a cell at a time (`trees/cells.py`).

Rows g λ of loops act beside the forces in the tree's own system P = L D⁻¹ Lᵀ. A row pushed through the links of its
cell, L⁻¹ g, leaves a wrench w on the base of the cell, so that its velocity is

    pushed · D (u + Σ pushed λ) + w · V_base,    u = L⁻¹ b.

With W = Σ pushed D pushed of the cell's rows, that is solved for λ, and the base is left with w W⁻¹ wᵀ more inertia.
Rows that others imply, or that nothing can move, are left out. A row may also yield: by `give` times its impulse.
"""

from __future__ import annotations

import numpy as np

from ...algebra.spatial import (
    ZERO6,
    add6,
    add21,
    axpy6,
    dot6,
    load6,
    load21,
    store6,
    store21,
    sym_minus_outer,
    sym_times,
)
from ...jit.decorators import borrower, inline, natural
from ...model.records import Floats, Ints
from ...tree.passes import Mask
from .rows import row_side, row_speed
from .unpack import ints_at

_SAFE, _SAFE_HELD = 1e-9, 1e-13
"""Pivot, as a fraction of a row's response, above which a row is clearly not implied by others; and where it is known
that none is, but stiff things hold coordinates."""
_IMMOVABLE = 1e-16
"""Response of a row, as a fraction of the cell's strongest, below which the joints hold it already."""
ABSENT, MEASURED = -1.0, -2.0
"""What a row gives that takes no part, and one of which only the response is wanted."""


@inline
def close_cell(
    parent: Ints,
    dof: Ints,
    S: Floats,
    free: Mask,
    base: int,
    moves: bool,
    way_at: Ints,
    ways: Ints,
    entry_at: Ints,
    entries: Ints,
    rows: Ints,
    first_row: int,
    m: int,
    link: Ints,
    G: Floats,
    give: Floats,
    U: Floats,
    D: Floats,
    f: Floats,
    kept: Mask,
    response: Floats,
    pushed: Floats,
    at_pushed: int,
    L: Floats,
    at_L: int,
    Y: Floats,
    IA: Floats,
    wide: Floats,
    here: int,
    there: int,
    safe: float,
) -> bool:
    """Factor the m rows of one cell whose links have been eliminated; see `factor_cells`."""
    strongest = 0.0
    for a in range(m):
        i = rows[first_row + a]
        if give[i] == ABSENT:
            continue
        below = ZERO6
        for side in range(2):
            l = link[i, side]
            if l >= 0:
                w = row_side(G, i, side)
                if l == base:
                    below = add6(below, w)
                else:
                    store6(f, l, axpy6(-1.0, w, load6(f, l)))
        total, e = 0.0, at_pushed + entry_at[i]
        for at in range(way_at[i], way_at[i + 1]):
            l = ways[natural(at)]
            g = load6(f, l)
            store6(f, l, ZERO6)
            for k in range(dof[l + 1] - 1, dof[l] - 1, -1):
                pushed[natural(e)] = 0.0
                if free[k]:
                    s = -dot6(load6(S, k), g)
                    total += s * s * D[here + k]
                    g = axpy6(s * D[here + k], load6(U, here + k), g)
                    pushed[natural(e)] = s
                e += 1
            p = parent[l]
            if p != base:
                store6(f, p, add6(load6(f, p), g))
            elif moves:
                below = axpy6(-1.0, g, below)
        response[i] = total
        store6(Y, there + i, below)
        if give[i] >= 0.0:
            strongest = max(strongest, total)
    whole = True
    for a in range(m):
        i = rows[first_row + a]
        kept[there + i] = False
        size = response[i] + give[i]
        if give[i] < 0.0 or not size > _IMMOVABLE * strongest:
            continue
        rest, y = size, load6(Y, there + i)
        for e in range(entry_at[i], entry_at[i + 1]):
            k = entries[natural(e)]
            wide[natural(k)] = pushed[natural(at_pushed + e)] * D[natural(here + k)]
        for b in range(a):
            other_row = rows[first_row + b]
            o = there + other_row
            mine, other = at_L + a * m, at_L + b * m
            if not kept[o]:
                L[mine + b] = 0.0
                continue
            x = 0.0
            for e in range(entry_at[other_row], entry_at[other_row + 1]):
                x += wide[natural(entries[natural(e)])] * pushed[natural(at_pushed + e)]
            for c in range(b):
                x -= L[natural(mine + c)] * L[natural(other + c)]
            x *= L[natural(other + b)]
            L[natural(mine + b)] = x
            rest -= x * x
            if moves:
                y = axpy6(-x, load6(Y, o), y)
        for e in range(entry_at[i], entry_at[i + 1]):
            wide[natural(entries[natural(e)])] = 0.0
        if not rest > safe * size:
            whole = False
            continue
        kept[there + i] = True
        inverse = 1.0 / np.sqrt(rest)
        L[at_L + a * m + a] = inverse
        store6(Y, there + i, axpy6(inverse, y, ZERO6))
    if moves:
        M = load21(IA, base)
        for a in range(m):
            o = there + rows[first_row + a]
            if kept[o]:
                M = sym_minus_outer(M, load6(Y, o), -1.0)
        store21(IA, base, M)
    return whole


@borrower
def factor_cells(
    ints: Ints,
    mass: Floats,
    A_r: Floats,
    S: Floats,
    free: Mask,
    link: Ints,
    G: Floats,
    give: Floats,
    IA: Floats,
    f: Floats,
    wide: Floats,
    U: Floats,
    D: Floats,
    kept: Mask,
    response: Floats,
    pushed: Floats,
    L: Floats,
    Y: Floats,
    which: int,
) -> bool:
    """Factor Jᵀ mass J + A_r on the free coordinates, bordered by rows; whether no row was implied by others.

    `ints` is the model, packed (`trees/pack.py`); mass (nl, 21), S (nr, 6) and G are in one frame (`trees/common.py`).
    `link` (m, 2) and G (m, 2, 6) are the rows in maximal coordinates; each yields by `give` times its impulse, or is
    `ABSENT` or `MEASURED`. `kept` tells which take part, and `response` (m,) is g A⁻¹ gᵀ within the cell. IA,
    f (nl, 6) and `wide` (nr,) are scratch; f comes and goes as zeros. The arrays from U on have room for two
    factors, of which `which` is meant: one with nothing held, and one with what holds. L has the inverses of its
    diagonal in its place.
    """
    parent, dof, cell_of, carried, base = (
        ints_at(ints, 0), ints_at(ints, 2), ints_at(ints, 29), ints_at(ints, 30), ints_at(ints, 31)
    )  # fmt: skip
    cell_at, rows, factor_at, way_at, ways, entry_at, entries = (
        ints_at(ints, 32), ints_at(ints, 33), ints_at(ints, 34), ints_at(ints, 35), ints_at(ints, 36),
        ints_at(ints, 37), ints_at(ints, 38),
    )  # fmt: skip
    nl = len(parent)
    whole = True
    safe = _SAFE if which == 0 else _SAFE_HELD
    here, there = which * dof[nl], which * len(link)
    for k in range(dof[nl]):
        wide[k] = 0.0
    for j in range(nl):
        store21(IA, j, load21(mass, j))
    for j in range(nl - 1, -1, -1):
        M = load21(IA, j)
        for k in range(dof[j + 1] - 1, dof[j] - 1, -1):
            if free[k]:
                s = load6(S, k)
                w = sym_times(M, s)
                d = 1.0 / (dot6(s, w) + A_r[k])
                store6(U, here + k, w)
                D[here + k] = d
                M = sym_minus_outer(M, w, d)
            else:
                D[here + k] = 0.0
        p = parent[j]
        if p >= 0:
            store21(IA, p, add21(load21(IA, p), M))
        c = cell_of[j]
        if c >= 0:
            m = cell_at[c + 1] - cell_at[c]
            moves = base[c] >= 0 and carried[base[c]] > 0
            good = close_cell(
                parent, dof, S, free, base[c], moves, way_at, ways, entry_at, entries, rows, cell_at[c], m, link, G,
                give, U, D, f, kept, response, pushed, which * entry_at[-1], L,
                which * factor_at[-1] + factor_at[c], Y, IA, wide, here, there, safe,
            )  # fmt: skip
            whole = whole and good
    return whole


@borrower
def solve_cells(
    ints: Ints,
    mass: Floats,
    S: Floats,
    free: Mask,
    link: Ints,
    G: Floats,
    U: Floats,
    D: Floats,
    kept: Mask,
    pushed: Floats,
    L: Floats,
    Y: Floats,
    which: int,
    F: Floats,
    b: Floats,
    wanted: Floats,
    any_known: bool,
    known: Floats,
    qdot: Floats,
    value: Floats,
    V: Floats,
    lack: Floats,
    X: Floats,
    u: Floats,
    wide: Floats,
) -> None:
    """Velocities with the rows at the speeds `wanted`, their impulses, and V = J qdot, under impulses F (nl, 6) on
    links and b (nr,) in coordinates; with `any_known`, what is not free is as `known` says, and otherwise it rests.

    All in one frame, as in `factor_cells`. `lack`, X, u and `wide` are scratch.
    """
    parent, dof, cell_of, carried, base = (
        ints_at(ints, 0), ints_at(ints, 2), ints_at(ints, 29), ints_at(ints, 30), ints_at(ints, 31)
    )  # fmt: skip
    cell_at, rows, factor_at, entry_at, entries = (
        ints_at(ints, 32), ints_at(ints, 33), ints_at(ints, 34), ints_at(ints, 37), ints_at(ints, 38)
    )  # fmt: skip
    nl = len(parent)
    here, there = which * dof[nl], which * len(link)
    at_pushed, at_L = which * entry_at[-1], which * factor_at[-1]
    for j in range(nl):
        if any_known:
            a = ZERO6
            if parent[j] >= 0:
                a = load6(V, parent[j])
            for k in range(dof[j], dof[j + 1]):
                if not free[k]:
                    a = axpy6(known[k], load6(S, k), a)
            store6(V, j, a)
            store6(lack, j, axpy6(-1.0, load6(F, j), sym_times(load21(mass, j), a)))
        else:
            store6(lack, j, axpy6(-1.0, load6(F, j), ZERO6))
    for j in range(nl - 1, -1, -1):
        f = load6(lack, j)
        for k in range(dof[j + 1] - 1, dof[j] - 1, -1):
            u[k], wide[k] = 0.0, 0.0
            if free[k]:
                s = b[k] - dot6(load6(S, k), f)
                u[k], wide[k] = s, s * D[here + k]
                f = axpy6(s * D[here + k], load6(U, here + k), f)
        p = parent[j]
        if p >= 0:
            store6(lack, p, add6(load6(lack, p), f))
        c = cell_of[j]
        if c >= 0:
            begin, m = cell_at[c], cell_at[c + 1] - cell_at[c]
            below = ZERO6
            for a_ in range(m):
                i = rows[begin + a_]
                value[i] = 0.0
                if not kept[there + i]:
                    continue
                gap = wanted[i]
                if any_known:
                    gap -= row_speed(link, G, i, V)
                for e in range(entry_at[i], entry_at[i + 1]):
                    gap -= pushed[natural(at_pushed + e)] * wide[natural(entries[natural(e)])]
                row = at_L + factor_at[c] + a_ * m
                for b_ in range(a_):
                    gap -= L[natural(row + b_)] * value[natural(rows[natural(begin + b_)])]
                value[i] = gap * L[row + a_]
                if base[c] >= 0:
                    below = axpy6(value[i], load6(Y, there + i), below)
            if base[c] >= 0 and carried[base[c]] > 0:
                store6(lack, base[c], axpy6(-1.0, below, load6(lack, base[c])))
    for j in range(nl):
        c = cell_of[j]
        if c >= 0:
            begin, m = cell_at[c], cell_at[c + 1] - cell_at[c]
            moves = ZERO6
            mobile = base[c] >= 0 and carried[base[c]] > 0
            if mobile:
                moves = load6(X, base[c])
            for a_ in range(m - 1, -1, -1):
                i = rows[begin + a_]
                if not kept[there + i]:
                    continue
                gap = value[i]
                if mobile:
                    gap -= dot6(load6(Y, there + i), moves)
                for b_ in range(a_ + 1, m):
                    if kept[there + rows[begin + b_]]:
                        gap -= L[at_L + factor_at[c] + b_ * m + a_] * value[rows[begin + b_]]
                value[i] = gap * L[at_L + factor_at[c] + a_ * m + a_]
                for e in range(entry_at[i], entry_at[i + 1]):
                    u[natural(entries[natural(e)])] += value[i] * pushed[natural(at_pushed + e)]
        a = ZERO6
        if parent[j] >= 0:
            a = load6(X, parent[j])
        for k in range(dof[j], dof[j + 1]):
            qdot[k] = known[k]
            if free[k]:
                qdot[k] = (u[k] - dot6(load6(U, here + k), a)) * D[here + k]
                a = axpy6(qdot[k], load6(S, k), a)
        store6(X, j, a)
        store6(V, j, add6(load6(V, j), a) if any_known else a)
