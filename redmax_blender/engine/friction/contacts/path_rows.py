"""Rows of contacts and stops by what an impulse on a link does on the way to the root.

Kernels only. With A = L D⁻¹ Lᵀ the short row of an impulse (`impulses/short_rows.py`), L⁻¹ Jᵀ f, is linear in the
wrench f on its link: the six numbers that f is multiplied with, for each coordinate of the link's path, are the same
for all contacts of the link.
"""

from __future__ import annotations

import numpy as np

from ...algebra.arrays import Floats, Ints, Mask, Places
from ...algebra.spatial import ZERO6, Tuple, axpy6, cross, dot6, load6, load12, store6, unrotate, wrench_up
from ...jit.decorators import borrower, inline, subroutine
from ..joints.loads import across_axis


@borrower
def path_length(parent: Ints, dof: Ints, l: int) -> int:
    """Coordinates between a link and the world."""
    n = 0
    while l >= 0:
        n += dof[l + 1] - dof[l]
        l = parent[l]
    return n


@borrower
def _leave(
    dof: Ints, S: Floats, U: Floats, D: Floats, free: Mask, l: int, e: int, index: Places, T: Floats, M: Floats
) -> int:  # fmt: skip
    """Coordinates and rows of T of link l alone, the last first, from e on; where they end. See `fill_path`."""
    for k in range(dof[l + 1] - 1, dof[l] - 1, -1):
        index[e] = k
        if free[k]:
            s, u = load6(S, k), load6(U, k)
            for c in range(6):
                m = load6(M, c)
                t = dot6(s, m)
                T[e, c] = t
                store6(M, c, axpy6(-t * D[k], u, m))
        else:
            for c in range(6):
                T[e, c] = 0.0
        e += 1
    return e


@borrower
def fill_path(
    parent: Ints, dof: Ints, E_pj: Floats, S: Floats, U: Floats, D: Floats, free: Mask, l: int, first: Ints,
    index: Places, T: Floats, M: Floats,
) -> int:  # fmt: skip
    """Coordinates and rows of T of the path of link l from first[l] on, child before parent; where they end. The path
    of a link before it that is known is not found again.

    Column c of the scratch M (6, 6), kept as its row c, is what is left on its way of a unit wrench along c.
    """
    e = int(first[l])
    for c in range(6):
        for k in range(6):
            M[c, k] = 1.0 if c == k else 0.0
    while l >= 0:
        e = _leave(dof, S, U, D, free, l, e, index, T, M)
        up = parent[l]
        if up >= 0:
            E = load12(E_pj, l)
            for c in range(6):
                store6(M, c, wrench_up(E, load6(M, c)))
            if first[up + 1] > first[up]:
                for i in range(first[up], first[up + 1]):
                    t = load6(T, i)
                    index[e] = index[i]
                    for c in range(6):
                        T[e, c] = dot6(t, load6(M, c))
                    e += 1
                break
        l = up
    return e


@borrower
def enter_joint(
    parent: Ints, dof: Ints, E_pj: Floats, S: Floats, U: Floats, D: Floats, free: Mask, first: Ints, coordinate: Places,
    T: Floats, l: int, k: int, n: int, axis: int, e: int, index: Places, pushed: Floats,
) -> int:  # fmt: skip
    """Entries of L⁻¹ of a row of a joint of link l from e on; where they end. The path of its parent is known.

    The row is that of its coordinate k; or, where n coordinates from k on turn a ball, of its angular velocity along an
    axis of the link."""
    w = ZERO6
    for c in range(k + n - 1, dof[l] - 1, -1):
        s = 0.0
        if free[c]:
            s = dot6(load6(S, c), w)
            if c >= k:
                s += 1.0 if n == 1 else S[c, axis]
            w = axpy6(-s * D[c], load6(U, c), w)
        index[e], pushed[e] = c, s
        e += 1
    up = parent[l]
    if up >= 0:
        w = wrench_up(load12(E_pj, l), w)
        for i in range(first[up], first[up + 1]):
            index[e], pushed[e] = coordinate[i], dot6(load6(T, i), w)
            e += 1
    return e


@borrower
def enter_stop(
    parent: Ints, dof: Ints, l: int, k: int, side: float, e: int, index: Places, entry: Floats
) -> int:
    """Entries of the row of a stop of coordinate k of link l from e on, with zeros towards the root; where they end."""
    begin = e
    while l >= 0:
        for c in range(dof[l + 1] - 1, dof[l] - 1, -1):
            index[e], entry[e - begin] = c, side if c == k else 0.0
            e += 1
        l = parent[l]
    return e


@inline
def wrench_at(E: Tuple, x: Tuple, d: Tuple, sign: float) -> Tuple:
    """Of a force d at the point x of the world, or of one against it, in the frame E."""
    f = unrotate(E, d)
    m = cross(unrotate(E, (x[0] - E[9], x[1] - E[10], x[2] - E[11])), f)
    return (sign * m[0], sign * m[1], sign * m[2], sign * f[0], sign * f[1], sign * f[2])


@borrower
def _push_three(
    first: Ints, coordinate: Places, T: Floats, D: Floats, free: Mask, a: int, b: int, f: Floats, e: int, stride: int,
    index: Places, pushed: Floats,
) -> tuple[int, float, float, float]:  # fmt: skip
    """Entries of the three rows of a contact of links a and b, -1 for none, from e, e + stride, e + 2 stride on; how
    many each has, and their responses to themselves.

    f (6, 6) are the wrenches of the three directions on a, then on b.
    """
    i, n = (first[a], first[a + 1]) if a >= 0 else (0, 0)
    j, m = (first[b], first[b + 1]) if b >= 0 else (0, 0)
    count, xx, yy, zz = 0, 0.0, 0.0, 0.0
    while i < n or j < m:
        at_a = i < n and (j >= m or coordinate[i] >= coordinate[j])
        at_b = j < m and (i >= n or coordinate[j] >= coordinate[i])
        k = coordinate[i] if at_a else coordinate[j]
        x, y, z = 0.0, 0.0, 0.0
        if at_a:
            t = load6(T, i)
            x, y, z = dot6(t, load6(f, 0)), dot6(t, load6(f, 1)), dot6(t, load6(f, 2))
            i += 1
        if at_b:
            t = load6(T, j)
            x, y, z = x + dot6(t, load6(f, 3)), y + dot6(t, load6(f, 4)), z + dot6(t, load6(f, 5))
            j += 1
        index[e + count], index[e + stride + count], index[e + 2 * stride + count] = k, k, k
        pushed[e + count], pushed[e + stride + count], pushed[e + 2 * stride + count] = x, y, z
        if free[k]:  # D is not set elsewhere
            d = D[k]
            xx, yy, zz = xx + d * x * x, yy + d * y * y, zz + d * z * z
        count += 1
    return count, xx, yy, zz


@subroutine
def find_paths(
    parent: Ints, dof: Ints, E_pj: Floats, S: Floats, U: Floats, D: Floats, free: Mask, touched: Mask, first: Ints,
    longest: int,
) -> tuple[Places, Floats]:  # fmt: skip
    """Coordinates and rows of T of the links that are touched: those of link l from first[l] to first[l + 1]."""
    nl = len(parent)
    n = 0
    for l in range(nl):
        n += longest if touched[l] else 0
    coordinate, T, M = np.empty(n, np.uint32), np.empty((n, 6)), np.empty((6, 6))
    first[0] = 0
    for l in range(nl):
        first[l + 1] = first[l]
        if touched[l]:
            first[l + 1] = fill_path(parent, dof, E_pj, S, U, D, free, l, first, coordinate, T, M)
    return coordinate, T


@subroutine
def touch_rows(
    link: Ints, x: Floats, normal: Floats, gap: Floats, velocity: Floats, restitution: Floats, E_wj: Floats, V: Floats,
    V_free: Floats, D: Floats, free: Mask, first: Ints, coordinate: Places, T: Floats, fast: float, h: float,
    begin: int, at: Places, index: Places, pushed: Floats, tangent: Floats, r: Floats, diagonal: Floats, hits: Floats,
) -> bool:  # fmt: skip
    """Short rows of contacts from row `begin` on: normal, first and second tangent; what the velocities V_free (nl, 6)
    lack of what is wanted, in `r`; and their responses to themselves, in `diagonal`. Gaps close and no more; those that
    may bounce are told by the speed with which they close at the start of the step [m/s], in `hits` (nc,), which is
    zero for others. Returned is whether there are any: `friction/contacts/bounce.py` sees to these.

    As `contact_rows.fill_rows` has it, which says it in other coordinates.
    """
    any_hits = False
    f = np.empty((6, 6))
    for c in range(len(gap)):
        n: Tuple = (normal[c, 0], normal[c, 1], normal[c, 2])
        t = across_axis(n)
        u = cross(n, t)
        for k in range(3):
            tangent[c, 0, k], tangent[c, 1, k] = t[k], u[k]
        i = begin + 3 * c
        v: Tuple = (velocity[c, 0], velocity[c, 1], velocity[c, 2])
        speed = -(n[0] * v[0] + n[1] * v[1] + n[2] * v[2])
        r[i] = -speed
        r[i + 1] = t[0] * v[0] + t[1] * v[1] + t[2] * v[2]
        r[i + 2] = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
        for side in range(2):
            l = link[c, side]
            if l < 0:
                continue
            E = load12(E_wj, l)
            p: Tuple = (x[c, side, 0], x[c, side, 1], x[c, side, 2])
            sign = 1.0 if side == 0 else -1.0
            unbound = load6(V_free, l)
            for a in range(3):
                d = n
                if a == 1:
                    d = t
                elif a == 2:
                    d = u
                w = wrench_at(E, p, d, sign)
                store6(f, 3 * side + a, w)
                r[i + a] -= dot6(w, unbound)
                if a == 0:
                    speed += dot6(w, load6(V, l))
        hits[c] = 0.0
        if restitution[c] > 0.0 and speed < -fast and gap[c] + h * (speed - fast) < 0.0:
            hits[c], any_hits = speed, True
        r[i] += -gap[c] / h if gap[c] > 0.0 else 0.0
        a, b = link[c, 0], link[c, 1]
        stride = (first[a + 1] - first[a] if a >= 0 else 0) + (first[b + 1] - first[b] if b >= 0 else 0)
        count, diagonal[i], diagonal[i + 1], diagonal[i + 2] = _push_three(
            first, coordinate, T, D, free, a, b, f, at[i], stride, index, pushed
        )
        if count < stride:  # the paths meet
            for a in range(1, 3):
                for e in range(count):
                    index[at[i] + a * count + e] = index[at[i] + a * stride + e]
                    pushed[at[i] + a * count + e] = pushed[at[i] + a * stride + e]
        for a in range(3):
            at[i + a + 1] = at[i + a] + count
    return any_hits
