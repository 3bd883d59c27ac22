"""Rows of what binds links to each other: loops, gears, ropes, and springs between links.

In the kernel of `steps.py`. A row is a direction, as a wrench on a few links or factors of a few coordinates; a
velocity that is wanted along it; and what it gives way for a unit of impulse: nothing for loops and gears, and for
springs what the implicit step makes of their stiffness and damping. Springs that move a single link join its inertia.
"""

from __future__ import annotations

import math

import numpy as np

from ..algebra.arrays import Floats, Ints, Mask, Places
from ..algebra.spatial import (
    ZERO6,
    Tuple,
    axpy6,
    cross,
    dot6,
    load6,
    load12,
    load21,
    rotate,
    store6,
    store21,
    sym_minus_outer,
    transform_point,
    wrench_up,
)
from ..constraints.bending import bend_share, fastest_turn
from ..constraints.rows import place_rows
from ..forces.spring_tangent import coefficients
from ..forces.springs import elastic, measure, push_nodes
from ..friction.contacts.path_rows import wrench_at
from ..friction.joints.loads import across_axis
from ..impulses.laws import EQUAL, PUSH
from ..jit.decorators import borrower, subroutine
from ..joints import spherical
from .parts import Bonds, Links, Rows

_NEAR = 0.02
"""Fraction of the scene's size below which a slack rope is looked at whatever its speed."""


@subroutine
def make_rows(bonds: Bonds) -> Rows:
    """Room for the rows of all bonds."""
    m, ng, nr, ns = len(bonds.type), len(bonds.gear_offset), len(bonds.rope_length), len(bonds.rest)
    nodes = len(bonds.spring_link)
    n, k = m + ng + nr + ns, 2 * (m + nr) + len(bonds.gear_dof) + nodes
    if ns > 0:
        n, k = n + 3 * nodes, k + 6 * nodes
    return Rows(
        np.zeros(n + 1, np.int64), np.empty(k, np.int64), np.empty(k, np.int64), np.empty((k, 6)), np.zeros(n),
        np.zeros(n), np.empty(n, np.int64), np.zeros(n), np.empty(n, np.int64), np.zeros(m + ng), np.zeros(m + ng),
        np.zeros(m + ng), np.zeros(n), np.zeros(n),
    )  # fmt: skip


@borrower
def _add_wrench(rows: Rows, e: int, link: int, w: Tuple) -> int:
    if link < 0:
        return e
    rows.link[e], rows.dof[e] = link, -1
    store6(rows.w, e, w)
    return e + 1


@borrower
def _end_row(rows: Rows, i: int, e: int, kind: int, wanted: float, soft: float) -> int:
    rows.first[i + 1], rows.kind[i], rows.wanted[i], rows.soft[i], rows.gap[i] = e, kind, wanted, soft, 0.0
    rows.source[i] = -1
    return i + 1


@borrower
def _end_soft_row(rows: Rows, i: int, e: int, stiff: float, mass: Floats) -> int:
    """A row that resists its velocity by `stiff`: part of a link's inertia where it moves no other one."""
    begin = rows.first[i]
    single = True
    for a in range(begin + 1, e):
        single = single and rows.link[a] == rows.link[begin]
    if not single:
        return _end_row(rows, i, e, EQUAL, 0.0, 1.0 / stiff)
    if e > begin:
        w = ZERO6
        for a in range(begin, e):
            w = axpy6(1.0, load6(rows.w, a), w)
        l = rows.link[begin]
        store21(mass, l, sym_minus_outer(load21(mass, l), w, -stiff))
    return i


@borrower
def _move_world(bonds: Bonds, values: Floats) -> None:
    """The world's side of rows that have curves, at the values of these (`constraints.rows.world_side`)."""
    for i in range(len(bonds.path)):
        if bonds.path[i] >= 0:
            by = bonds.value[i] if bonds.value[i] != 0.0 else 1.0
            for k in range(3):
                bonds.world_x[i, k] = by * values[bonds.path[i] + k, 0]
        if bonds.turn[i] >= 0:
            c = bonds.turn[i]
            R = spherical.transform(values[c : c + 3, 0], 0)
            a: Tuple = (bonds.axis_at_rest[i, 0], bonds.axis_at_rest[i, 1], bonds.axis_at_rest[i, 2])
            a = rotate(R, a)
            bonds.world_axis[i, 0], bonds.world_axis[i, 1], bonds.world_axis[i, 2] = a[0], a[1], a[2]


@borrower
def errors_at(bonds: Bonds, E_wj: Floats, q: Floats, G: Floats, error: Floats) -> None:
    """Errors of rows and gears at poses and coordinates, and derivatives G (m, 2, 6) of rows."""
    m = len(bonds.type)
    if m > 0:
        place_rows(
            bonds.type, bonds.link, bonds.x, bonds.axis, bonds.value, bonds.world_x, bonds.world_axis, E_wj, G, error
        )  # fmt: skip
    for g in range(len(bonds.gear_offset)):
        error[m + g] = -bonds.gear_offset[g]
        for a in range(bonds.gear_first[g], bonds.gear_first[g + 1]):
            error[m + g] += bonds.gear_factor[a] * q[bonds.gear_dof[a]]


@borrower
def _place_equal(
    bonds: Bonds, rows: Rows, targets: Floats, links: Links, E_wj: Floats, V: Floats, q: Floats, E_ahead: Floats,
    curves: bool, h: float, G: Floats,
) -> tuple[int, int]:  # fmt: skip
    """Rows of loops and gears that hold: links move as far as the world's side does (`constraints.active`)."""
    if len(targets) > 0:
        _move_world(bonds, targets[0])
        errors_at(bonds, E_wj, q, G, rows.before)
        _move_world(bonds, targets[1])
    errors_at(bonds, E_ahead, q, G, rows.ahead)
    errors_at(bonds, E_wj, q, G, rows.error)
    share = bend_share(h * fastest_turn(V)) if curves else 0.0
    i, e, m = 0, 0, len(bonds.type)
    for s in range(m + len(bonds.gear_offset)):
        if not bonds.on[s]:
            continue
        wanted, bend = 0.0, 0.0
        if s < m:
            bend = (rows.error[s] - rows.ahead[s]) / h
            for side in range(2):
                w: Tuple = (
                    G[s, side, 0], G[s, side, 1], G[s, side, 2], G[s, side, 3], G[s, side, 4], G[s, side, 5]
                )  # fmt: skip
                e = _add_wrench(rows, e, bonds.link[s, side], w)
                if bonds.link[s, side] >= 0:
                    bend += dot6(w, load6(V, bonds.link[s, side]))
            if len(targets) > 0:
                wanted = (rows.before[s] - rows.error[s]) / h
        else:
            for a in range(bonds.gear_first[s - m], bonds.gear_first[s - m + 1]):
                k = bonds.gear_dof[a]
                rows.link[e], rows.dof[e], rows.w[e, 0] = links.owner[k], k, bonds.gear_factor[a]
                e += 1
        i = _end_row(rows, i, e, EQUAL, wanted + share * bend, 0.0)
        rows.source[i - 1], rows.bend[i - 1] = s, share * bend
    return i, e


@borrower
def _end_of(link: int, x: Floats, i: int, side: int, E_wj: Floats) -> Tuple:
    p: Tuple = (x[i, side, 0], x[i, side, 1], x[i, side, 2])
    return p if link < 0 else transform_point(load12(E_wj, link), p)


@borrower
def _place_ropes(
    bonds: Bonds, rows: Rows, E_wj: Floats, V: Floats, h: float, size: float, i: int, e: int
) -> tuple[int, int]:
    """As `constraints.ropes` has them: a rope that is taut pulls its ends together. One that is slack and hardly can
    become taut in the step has no row."""
    before = len(bonds.type) + len(bonds.gear_offset)
    for r in range(len(bonds.rope_length)):
        if not bonds.on[before + r]:
            continue
        a = _end_of(bonds.rope_link[r, 0], bonds.rope_x, r, 0, E_wj)
        b = _end_of(bonds.rope_link[r, 1], bonds.rope_x, r, 1, E_wj)
        line = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
        distance = math.sqrt(line[0] * line[0] + line[1] * line[1] + line[2] * line[2])
        side = bonds.rope_side[r]
        n = (0.0, 0.0, side)
        if distance > 0.0:
            by = side / distance
            n = (by * line[0], by * line[1], by * line[2])
        begin, speed, gap = e, 0.0, side * (bonds.rope_length[r] - distance)
        for s in range(2):
            l = bonds.rope_link[r, s]
            if l >= 0:
                w = wrench_at(load12(E_wj, l), a if s == 0 else b, n, 1.0 if s == 0 else -1.0)
                e = _add_wrench(rows, e, l, w)
                speed += dot6(w, load6(V, l))
        if gap > _NEAR * size + 4.0 * h * abs(speed):
            e = begin
            continue
        i = _end_row(rows, i, e, PUSH, -gap / h if gap > 0.0 else 0.0, 0.0)
        rows.gap[i - 1], rows.source[i - 1] = gap, before + r
    return i, e


@borrower
def _wrench_of_node(bonds: Bonds, n: int, d: Tuple, sign: float, E_wj: Floats) -> Tuple:
    """Of a unit force along d of the world, or against it, at node n of a spring, which is on a link."""
    E = load12(E_wj, bonds.spring_link[n])
    p = transform_point(E, (bonds.spring_x[n, 0], bonds.spring_x[n, 1], bonds.spring_x[n, 2]))
    return wrench_at(E, p, d, sign)


@borrower
def _place_springs(
    bonds: Bonds, rows: Rows, E_wj: Floats, V: Floats, h: float, i: int, e: int, of_springs: Floats,
    of_nodes: Floats, F: Floats, mass: Floats,
) -> int:  # fmt: skip
    """Forces of springs to F (nl, 6), what is implicit of them to rows and to `mass` (nl, 21); returns the number of
    rows. `of_springs` (6, ns) and `of_nodes` (nn, 14) are scratch."""
    length, rate, tension, pull, axial, turning = (
        of_springs[0], of_springs[1], of_springs[2], of_springs[3], of_springs[4], of_springs[5]
    )  # fmt: skip
    nn = len(bonds.spring_link)
    flat = of_nodes.reshape(14 * nn)
    row, arm, along = (
        flat[: 6 * nn].reshape(nn, 6), flat[6 * nn : 9 * nn].reshape(nn, 3), flat[9 * nn : 12 * nn].reshape(nn, 3)
    )  # fmt: skip
    span, across = flat[12 * nn : 13 * nn], flat[13 * nn :]
    measure(
        bonds.spring_first, bonds.spring_link, bonds.spring_x, bonds.stiffness, bonds.damping, bonds.rest,
        bonds.tension_only, E_wj, V, length, rate, tension, row, arm, along, span,
    )  # fmt: skip
    elastic(bonds.damping, bonds.rest, bonds.tension_only, bonds.tangent, length, rate, tension, pull)
    push_nodes(bonds.spring_first, bonds.spring_link, row, pull, F)
    coefficients(
        bonds.spring_first, bonds.spring_link, bonds.stiffness, bonds.damping, bonds.rest, bonds.tension_only,
        bonds.tangent, length, span, h, axial, across, turning,
    )  # fmt: skip
    for s in range(len(bonds.rest)):
        first, last = bonds.spring_first[s], bonds.spring_first[s + 1]
        if axial[s] != 0.0:
            e = rows.first[i]
            for n in range(first, last):
                e = _add_wrench(rows, e, bonds.spring_link[n], load6(row, n))
            i = _end_soft_row(rows, i, e, axial[s], mass)
        for n in range(first, last - 1):
            if across[n] == 0.0:
                continue
            u: Tuple = (along[n, 0], along[n, 1], along[n, 2])
            every = u[0] * u[0] + u[1] * u[1] + u[2] * u[2] < 0.5  # no direction: it is stiff in all of them
            d: Tuple = (1.0, 0.0, 0.0)
            g: Tuple = (0.0, 1.0, 0.0)
            if not every:
                d = across_axis(u)
                g = cross(u, d)
            for a in range(3 if every else 2):
                e = rows.first[i]
                way = d
                if a == 1:
                    way = g
                elif a == 2:
                    way = (0.0, 0.0, 1.0)
                for side in range(2):
                    if bonds.spring_link[n + side] >= 0:
                        w = _wrench_of_node(bonds, n + side, way, -1.0 if side == 0 else 1.0, E_wj)
                        e = _add_wrench(rows, e, bonds.spring_link[n + side], w)
                i = _end_soft_row(rows, i, e, across[n], mass)
    return i


@borrower
def place_bonds(
    bonds: Bonds, rows: Rows, targets: Floats, links: Links, E_wj: Floats, V: Floats, q: Floats, E_ahead: Floats,
    curves: bool, h: float, size: float, G: Floats, of_springs: Floats, of_nodes: Floats, F: Floats, mass: Floats,
) -> tuple[int, int]:  # fmt: skip
    """All rows at a state; how many they are, and how many of them, the first ones, are loops and gears. Forces of
    springs are added to F, and what is implicit of those that move one link to `mass`.

    `targets` (2, nc, 3) are the inputs at the start and the end of the step, (0, nc, 3) where no row has any; E_ahead
    (nl, 12) are poses where the velocities at the start would lead, and `curves` is whether rows follow that; G
    (m, 2, 6) is scratch."""
    rows.first[0] = 0
    equal, e = _place_equal(bonds, rows, targets, links, E_wj, V, q, E_ahead, curves, h, G)
    i, e = _place_ropes(bonds, rows, E_wj, V, h, size, equal, e)
    if len(bonds.rest) > 0:
        i = _place_springs(bonds, rows, E_wj, V, h, i, e, of_springs, of_nodes, F, mass)
    return i, equal


@borrower
def mark_links(rows: Rows, m: int, parent: Ints, touched: Mask) -> None:
    """Links whose paths the first m rows move."""
    for a in range(rows.first[m]):
        l = rows.link[a]
        if rows.dof[a] >= 0:
            l = parent[l]
        if l >= 0:
            touched[l] = True


@borrower
def _add_entry(k: int, x: float, e: int, mark: int, index: Places, wide: Floats, stamp: Ints) -> int:
    if stamp[k] != mark:
        stamp[k], wide[k] = mark, 0.0
        index[e] = k
        e += 1
    wide[k] += x
    return e


@borrower
def enter_bonds(
    rows: Rows, m: int, parent: Ints, dof: Ints, E_pj: Floats, S: Floats, U: Floats, D: Floats, free: Mask,
    path: Ints, coordinate: Places, T: Floats, V_free: Floats, unbound: Floats, row: int, at: Places, index: Places,
    pushed: Floats, r: Floats, wide: Floats, stamp: Ints,
) -> None:  # fmt: skip
    """Short rows of the first m bonds (`impulses/short_rows.py`) as rows from `row` on, and what they lack. `wide` and
    `stamp` (nr,) are scratch, the latter below zero at first."""
    e = int(np.int64(at[row]))
    for i in range(m):
        begin = e
        lack = rows.wanted[i]
        for a in range(rows.first[i], rows.first[i + 1]):
            l, k = rows.link[a], rows.dof[a]
            if k < 0:
                w = load6(rows.w, a)
                lack -= dot6(w, load6(V_free, l))
            else:
                f = rows.w[a, 0]
                lack -= f * unbound[k]
                w = ZERO6
                for c in range(k, dof[l] - 1, -1):
                    if free[c]:
                        s = dot6(load6(S, c), w) + (f if c == k else 0.0)
                        w = axpy6(-s * D[c], load6(U, c), w)
                        e = _add_entry(c, s, e, i, index, wide, stamp)
                if parent[l] >= 0:
                    w = wrench_up(load12(E_pj, l), w)
                l = parent[l]
            if l >= 0:
                for p in range(path[l], path[l + 1]):
                    e = _add_entry(int(coordinate[p]), dot6(load6(T, p), w), e, i, index, wide, stamp)
        for a in range(begin + 1, e):  # child before parent
            k, b = index[a], a
            while b > begin and index[b - 1] < k:
                index[b] = index[b - 1]
                b -= 1
            index[b] = k
        for a in range(begin, e):
            pushed[a] = wide[index[a]]
        r[row + i] = lack
        at[row + i + 1] = e


@borrower
def push_bonded(rows: Rows, m: int, value: Floats, begin: int, F: Floats) -> None:
    """Add the impulses of the first m rows, which are value[begin:], to those on links, (nl, 6)."""
    for i in range(m):
        f = value[begin + i]
        for a in range(rows.first[i], rows.first[i + 1]):
            if rows.dof[a] < 0 and f != 0.0:
                l = rows.link[a]
                store6(F, l, axpy6(f, load6(rows.w, a), load6(F, l)))


@borrower
def turn_rows(bonds: Bonds, rows: Rows, equal: int, G: Floats) -> None:
    """Put the wrenches of rows of loops that hold as the derivatives G (m, 2, 6) have them now."""
    for i in range(equal):
        s, e = rows.source[i], rows.first[i]
        if s >= len(bonds.type):
            continue
        for side in range(2):
            if bonds.link[s, side] >= 0:
                for k in range(6):
                    rows.w[e, k] = G[s, side, k]
                e += 1
