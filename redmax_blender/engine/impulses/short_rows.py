"""Rows by their entries: a contact moves two paths of the forest and nothing else.

Kernels only; `friction/response.py` calls them. Row i of G has the entries entry[at[i]:at[i+1]] at the coordinates
index[...], and `pushed` is L⁻¹ of the row on the same coordinates (`solvers/tree_solve.py`): W = G A⁻¹ Gᵀ is Σ pushed
D pushed."""

from __future__ import annotations

import numpy as np

from ..algebra.arrays import Floats, Ints, Mask, Places
from ..algebra.spatial import ZERO6, Tuple, add6, axpy6, dot6, load6, load12, twist_down, wrench_up
from ..jit.decorators import borrower, njit, subroutine
from ..solvers.tree_solve import push_row


@borrower
def _side(G: Floats, i: int, side: int) -> Tuple:
    return (G[i, side, 0], G[i, side, 1], G[i, side, 2], G[i, side, 3], G[i, side, 4], G[i, side, 5])


@borrower
def enter_contact(
    parent: Ints, dof: Ints, E_pj: Floats, S: Floats, link: Ints, G: Floats, i: int, e: int, index: Places,
    entry: Floats,
) -> int:  # fmt: skip
    """Entries of row i in maximal coordinates, from e on, child before parent; returns where they end.

    Where both sides move alike they cancel, and what rounding leaves is no row.
    """
    a, b = link[i, 0], link[i, 1]
    f, g = _side(G, i, 0), _side(G, i, 1)
    begin, most = e, 0.0
    while a >= 0 or b >= 0:
        j = max(a, b)
        for k in range(dof[j + 1] - 1, dof[j] - 1, -1):
            s = load6(S, k)
            x = dot6(s, f) if a == j else 0.0
            y = dot6(s, g) if b == j else 0.0
            most = max(most, abs(x), abs(y))
            index[e], entry[e] = k, x + y
            e += 1
        E = load12(E_pj, j)
        if a == j:
            a = parent[j]
            if a >= 0:
                f = wrench_up(E, f)
        if b == j:
            b = parent[j]
            if b >= 0:
                g = wrench_up(E, g)
    for k in range(begin, e):
        if abs(entry[k]) < 1e-12 * most:
            entry[k] = 0.0
    return e


@borrower
def push_path(
    parent: Ints, dof: Ints, E_pj: Floats, S: Floats, U: Floats, D: Floats, free: Mask, a: int, b: int, e: int,
    entry: Floats, pushed: Floats,
) -> None:  # fmt: skip
    """L⁻¹ of the row on links a and b whose entries are from e on."""
    f, g = ZERO6, ZERO6
    while a >= 0 or b >= 0:
        j = max(a, b)
        w = ZERO6
        if a == j:
            w = f
        if b == j:
            w = add6(w, g)
        for k in range(dof[j + 1] - 1, dof[j] - 1, -1):
            s = 0.0
            if free[k]:
                s = entry[e] - dot6(load6(S, k), w)
                w = axpy6(s * D[k], load6(U, k), w)
            pushed[e] = s
            e += 1
        up = parent[j]
        if up >= 0:
            w = wrench_up(load12(E_pj, j), w)
        if a == j:
            a, f = up, w
            if b == j:  # one path from here on
                b = -1
        else:
            b, g = up, w


@borrower
def _units(
    at: Places,
    index: Places,
    free: Mask,
    tree: Ints,
    others: int,
    units: int,
    stamp: Ints,
    first: Ints,
    member: Ints,
) -> None:
    """The units (a row of another kind, or the three of a contact) that move each tree: member[first[t]:first[t+1]]."""
    trees = len(first) - 1
    for turn in range(2):
        for t in range(trees):
            stamp[t] = -1
        for u in range(units):
            i = u if u < others else others + 3 * (u - others)
            for e in range(at[i], at[i + 1]):
                t = tree[index[e]]
                if free[index[e]] and stamp[t] != u:
                    stamp[t] = u
                    if turn:
                        member[first[t]] = u
                    first[t] += 1
        if turn == 0:
            total = 0
            for t in range(trees):
                count = first[t]
                first[t] = total
                total += count
            first[trees] = total
        else:
            for t in range(trees - 1, 0, -1):
                first[t] = first[t - 1]
            first[0] = 0


@borrower
def _block(
    at: Places, index: Places, pushed: Floats, wide: Floats, i: int, n: int, j: int, m: int, W: Floats
) -> None:
    """W of n rows from i, spread over `wide`, and m rows from j; rows of a unit have entries at the same places."""
    if n == 3 and m == 3:
        a, b, c = at[j], at[j + 1], at[j + 2]
        s00, s01, s02, s10, s11, s12, s20, s21, s22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for e in range(at[j + 1] - at[j]):
            k = index[a + e]
            x, y, z = wide[k, 0], wide[k, 1], wide[k, 2]
            p, q, r = pushed[a + e], pushed[b + e], pushed[c + e]
            s00, s01, s02 = s00 + x * p, s01 + x * q, s02 + x * r
            s10, s11, s12 = s10 + y * p, s11 + y * q, s12 + y * r
            s20, s21, s22 = s20 + z * p, s21 + z * q, s22 + z * r
        W[i, j], W[i, j + 1], W[i, j + 2] = s00, s01, s02
        W[i + 1, j], W[i + 1, j + 1], W[i + 1, j + 2] = s10, s11, s12
        W[i + 2, j], W[i + 2, j + 1], W[i + 2, j + 2] = s20, s21, s22
    else:
        for a in range(n):
            for b in range(m):
                total = 0.0
                for e in range(at[j + b], at[j + b + 1]):
                    total += wide[index[e], a] * pushed[e]
                W[i + a, j + b] = total
    for a in range(n):
        for b in range(m):
            W[j + b, i + a] = W[i + a, j + b]


@subroutine
def _fill(
    at: Places, index: Places, pushed: Floats, D: Floats, free: Mask, tree: Ints, others: int, units: int, first: Ints,
    member: Ints, W: Floats,
) -> None:  # fmt: skip
    """W, block by block where two units move the same tree."""
    wide = np.zeros((len(D), 3))
    seen = np.full(units, -1, np.int64)
    W[:] = 0.0
    for u in range(units):
        i, n = (u, 1) if u < others else (others + 3 * (u - others), 3)
        for a in range(n):
            for e in range(at[i + a], at[i + a + 1]):
                wide[index[e], a] = pushed[e] * D[index[e]] if free[index[e]] else 0.0
        for e in range(at[i], at[i + 1]):
            if not free[index[e]]:
                continue
            t = tree[index[e]]
            for s in range(first[t], first[t + 1]):
                v = member[s]
                if v > u or seen[v] == u:
                    if v > u:
                        break
                    continue
                seen[v] = u
                j, m = (v, 1) if v < others else (others + 3 * (v - others), 3)
                _block(at, index, pushed, wide, i, n, j, m, W)
        for a in range(n):
            for e in range(at[i + a], at[i + a + 1]):
                wide[index[e], a] = 0.0


@njit
def tree_rows(
    parent: Ints, dof: Ints, E_pj: Floats, S: Floats, U: Floats, D: Floats, free: Mask, others: Floats, link: Ints,
    G: Floats, wanted: Floats, x: Floats, at: Places, index: Places, entry: Floats, pushed: Floats, diagonal: Floats,
    r: Floats,
) -> None:  # fmt: skip
    """Short rows of `others` in reduced coordinates (mo, nr) and of contacts in maximal ones (3 nc, 2, 6); the diagonal
    of W, and r = wanted - G x."""
    mo, nl = len(others), len(parent)
    F, touched = np.zeros((nl if mo else 0, 6)), np.zeros(nl if mo else 0, np.bool_)
    at[0], begin, end = 0, 0, 0
    for i in range(mo):
        end = push_row(parent, dof, E_pj, S, U, D, free, others, i, end, F, touched, index, entry, pushed)
        at[i + 1] = end
    for c in range(len(link)):
        begin, end = end, enter_contact(parent, dof, E_pj, S, link, G, c, end, index, entry)
        at[mo + c + 1] = end
        push_path(parent, dof, E_pj, S, U, D, free, link[c, 0], link[c, 1], begin, entry, pushed)
    for i in range(len(wanted)):
        lack, square = wanted[i], 0.0
        for e in range(at[i], at[i + 1]):
            lack -= entry[e] * x[index[e]]
            if free[index[e]]:  # D is not set elsewhere
                square += pushed[e] * pushed[e] * D[index[e]]
        r[i], diagonal[i] = lack, square


@njit
def tree_products(
    at: Places,
    index: Places,
    pushed: Floats,
    D: Floats,
    free: Mask,
    tree: Ints,
    trees: int,
    others: int,
    W: Floats,
) -> None:
    """W of short rows, zero where two move no tree in common; those after `others` are contacts, three rows each."""
    units = others + (len(W) - others) // 3
    first, member = np.zeros(trees + 1, np.int64), np.empty(at[len(W)], np.int64)
    _units(at, index, free, tree, others, units, np.empty(trees, np.int64), first, member)
    _fill(at, index, pushed, D, free, tree, others, units, first, member, W)


@njit
def tree_change(
    parent: Ints, dof: Ints, E_pj: Floats, S: Floats, U: Floats, D: Floats, free: Mask, at: Places, index: Places,
    pushed: Floats, value: Floats, x: Floats, out: Floats,
) -> None:  # fmt: skip
    """out = x + A⁻¹ Gᵀ value. Links that nothing pushes, on parents that do not move, stay as they are."""
    nl, nr = len(parent), len(x)
    u, V, moves = np.zeros(nr), np.empty((nl, 6)), np.empty(nl, np.bool_)
    for i in range(len(value)):
        if value[i] != 0.0:
            for e in range(at[i], at[i + 1]):
                u[index[e]] += value[i] * pushed[e]
    for j in range(nl):
        a, p = ZERO6, parent[j]
        moves[j] = p >= 0 and moves[p]
        if moves[j]:
            a = twist_down(load12(E_pj, j), load6(V, p))
        for k in range(dof[j], dof[j + 1]):
            moves[j] = moves[j] or u[k] != 0.0
        for k in range(dof[j], dof[j + 1]):
            y = 0.0
            if moves[j] and free[k]:
                y = (u[k] - dot6(load6(U, k), a)) * D[k]
                a = axpy6(y, load6(S, k), a)
            out[k] = x[k] + y
        V[j, 0], V[j, 1], V[j, 2], V[j, 3], V[j, 4], V[j, 5] = a


@njit
def dense_rows(
    parent: Ints, dof: Ints, E_pj: Floats, S: Floats, others: Floats, link: Ints, G: Floats, index: Places,
    entry: Floats, out: Floats,
) -> None:  # fmt: skip
    """The same rows in reduced coordinates, shape (mo + 3 nc, nr), which comes as zeros; `index` and `entry` have room
    for one row."""
    mo = len(others)
    out[:mo] = others
    for c in range(len(link)):
        end = enter_contact(parent, dof, E_pj, S, link, G, c, 0, index, entry)
        for e in range(end):
            out[mo + c, index[e]] = entry[e]


@njit
def transpose_times(at: Places, index: Places, entry: Floats, value: Floats, begin: int, out: Floats) -> None:
    """out += Gᵀ value of the rows from `begin` on."""
    for i in range(begin, len(value)):
        if value[i] != 0.0:
            for e in range(at[i], at[i + 1]):
                out[index[e]] += value[i] * entry[e]


@njit
def shorten(G: Floats, at: Places, index: Places, entry: Floats) -> None:
    """Short rows of dense ones; the arrays have room for all of G."""
    e = 0
    for i in range(len(G)):
        at[i] = e
        for k in range(G.shape[1]):
            if G[i, k] != 0.0:
                index[e], entry[e] = k, G[i, k]
                e += 1
    at[len(G)] = e
