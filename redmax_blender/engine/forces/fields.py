"""Fields of force (`scene/fields.py`): what they do at a point, to links and to flesh.

The formulas are those of Blender's force fields. What is proportional to the velocity of a point is a damper, and in an
implicit step it is in the matrix only, as for all dampers; a magnetic field turns velocities in such a step without
changing their size. Every length is divided by the field's unit first, and every force multiplied by it.
"""

from __future__ import annotations

import math

import numpy as np

from ..algebra.spatial import (
    Tuple,
    add6,
    cross,
    load6,
    load12,
    load21,
    rotate,
    store6,
    store21,
    sym_minus_outer,
    transform_point,
    unrotate,
)
from ..jit.decorators import borrower, inline, njit, subroutine
from ..joints import spherical
from ..model.curves import evaluate
from ..model.records import Fields, Floats, Ints, Model
from ..tree.kinematics import Kinematics
from .noise import random_part, turbulence

FORCE, WIND, VORTEX, MAGNETIC, HARMONIC, TURBULENCE, DRAG = range(7)
POINT, LINE, PLANE = range(3)
SPHERE, TUBE, CONE = range(3)
WHAT, SHAPE, FALLOFF, SIDE, GRAVITATION, IN_WORLD, SEED = range(7)
"""Columns of `Fields.kind`; the side is 1 in front, -1 behind, and 0 everywhere."""
FLOW, DAMPING, SIZE, POWER, NEAR, FAR, POWER_R, NEAR_R, FAR_R, NOISE, RATE, UNIT = range(12)
"""Columns of `Fields.number`."""
CURVES = 7
"""Curves of a field: its strength, its place and its rotation vector."""
MOST_DRAG = 2.0
_STEP = 1e-6
"""Of the differences that give the change of a force [m, m/s]."""


@inline
def _dot(a: Tuple, b: Tuple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def _by(a: Tuple, s: float) -> Tuple:
    return (s * a[0], s * a[1], s * a[2])


@inline
def _plus(a: Tuple, b: Tuple) -> Tuple:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inline
def _unit(a: Tuple) -> Tuple:
    size = math.sqrt(_dot(a, a))
    return _by(a, 1.0 / size) if size > 0.0 else a


@inline
def _fading(distance: float, near: float, far: float, power: float) -> float:
    if distance > far:
        return 0.0
    if distance < near or power == 0.0:
        return 1.0
    return float((1.0 + distance - near) ** -power)


@subroutine
def _falloff(
    kind: Ints, number: Floats, i: int, distance: float, along: float, to: Tuple, axis: Tuple
) -> float:
    """How much of a field there is at a distance; `to` is the way from its origin, `along` of it on the axis."""
    if kind[i, SIDE] * along < 0.0:
        return 0.0
    near, far, power = number[i, NEAR], number[i, FAR], number[i, POWER]
    if kind[i, FALLOFF] == SPHERE:
        return _fading(distance, near, far, power)
    across = _plus(to, _by(axis, -along))
    aside = math.sqrt(_dot(across, across))
    if kind[i, FALLOFF] == CONE:
        aside = math.degrees(math.atan2(aside, along))
    part = _fading(abs(along), near, far, power)
    return part * _fading(aside, number[i, NEAR_R], number[i, FAR_R], number[i, POWER_R])


@subroutine
def field_at(
    kind: Ints, number: Floats, order: Ints, i: int, values: Floats, weight: float, X: Tuple,
    V: Tuple, t: float, point: int,
) -> Tuple:  # fmt: skip
    """A field at a point X [m] that moves at V [m/s], at time t [s]: the force but for dampers [N], the damper [N·s/m],
    and what a velocity is crossed with to give a force [N·s/m]; seven numbers. `point` tells random numbers apart."""
    u = number[i, UNIT]
    at = CURVES * i
    strength = values[at, 0]
    damping = number[i, DAMPING]
    if number[i, NOISE] > 0.0:
        tick = int(math.floor(t * number[i, RATE] + 1e-6))
        strength += number[i, NOISE] * random_part(kind[i, SEED], tick, point)
        if kind[i, WHAT] == HARMONIC or kind[i, WHAT] == DRAG:
            damping += number[i, NOISE] * random_part(kind[i, SEED] + 1, tick, point)
    R = spherical.transform(values[at + 4 : at + 7, 0], 0)
    axis: Tuple = (R[2], R[5], R[8])
    x = _by(X, 1.0 / u)
    to: Tuple = (x[0] - values[at + 1, 0] / u, x[1] - values[at + 2, 0] / u, x[2] - values[at + 3, 0] / u)
    v = _by(V, 1.0 / u)
    what, along = kind[i, WHAT], _dot(to, axis)
    way = to
    if kind[i, SHAPE] != POINT:
        if kind[i, SHAPE] == LINE or what == VORTEX:
            way = _plus(to, _by(axis, -along))
        else:
            way = _by(axis, along)
    distance = math.sqrt(_dot(way, way))
    part = weight * _falloff(kind, number, i, distance, along, to, axis)
    if part == 0.0:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    f: Tuple = (0.0, 0.0, 0.0)
    B: Tuple = (0.0, 0.0, 0.0)
    drag = part * number[i, FLOW]
    push = part * strength
    if what == WIND:
        f = _by(axis, push)
    elif what == FORCE:
        if kind[i, GRAVITATION] != 0:
            push = push / (distance * distance) if distance > 1e-7 else 0.0
        f = _by(_unit(way), push)
    elif what == VORTEX:
        if kind[i, SHAPE] == POINT:
            f = _by(_unit(cross(axis, way)), push * distance)
        else:
            round_ = _by(cross(axis, to), push)
            f = _plus(_by(cross(axis, round_), push), round_)
            drag += 1.0
    elif what == MAGNETIC:
        B = _by(_unit(axis if kind[i, SHAPE] == PLANE else cross(axis, way)), push)
    elif what == HARMONIC:
        short = 1.0
        if number[i, SIZE] > 0.0:
            short = (distance - number[i, SIZE] / u) / distance if distance > 0.0 else 0.0
        f = _by(way, -push * short)
        drag = 2.0 * damping * math.sqrt(abs(strength))
    elif what == TURBULENCE:
        p = x if kind[i, IN_WORLD] != 0 else _plus(to, axis)
        if number[i, SIZE] > 0.0:
            p = _by(p, u / number[i, SIZE])
        f = _by(
            (
                turbulence(order, i, p[0], p[1], p[2]),
                turbulence(order, i, p[1], p[2], p[0]),
                turbulence(order, i, p[2], p[0], p[1]),
            ),
            push,
        )
    elif what == DRAG:
        drag = part * (min(strength, MOST_DRAG) * math.sqrt(_dot(v, v)) + min(damping, MOST_DRAG))
    return (u * f[0], u * f[1], u * f[2], drag, B[0], B[1], B[2])


@inline
def _turned(v: Tuple, B: Tuple, h: float, mass: float) -> Tuple:
    """The force that turns a velocity by v × B over a step of h [s] without changing its size, for a mass [kg]."""
    if h == 0.0 or mass <= 0.0:
        return cross(v, B)
    b = _by(B, 0.5 * h / mass)
    first = cross(v, b)
    return _by(_plus(first, cross(first, b)), 2.0 * mass / (h * (1.0 + _dot(b, b))))


@borrower
def push_points(
    kind: Ints, number: Floats, order: Ints, link: Ints, at: Floats, weight: Floats, values: Floats,
    E_wj: Floats, V: Floats, t: float, h: float, F: Floats, mass: Floats,
) -> None:  # fmt: skip
    """Add the wrenches of fields to F (nl, 6) in joint frames, and their damping times h to `mass` (nl, 21).

    values (7 nf, >= 1) are the curves of all fields at time t [s]. With h zero all is in F.
    """
    for n in range(len(link)):
        l = link[n]
        E, r = load12(E_wj, l), (at[n, 0], at[n, 1], at[n, 2])
        X = transform_point(E, r)
        spin = cross((V[l, 0], V[l, 1], V[l, 2]), r)
        v = rotate(E, (V[l, 3] + spin[0], V[l, 4] + spin[1], V[l, 5] + spin[2]))
        f: Tuple = (0.0, 0.0, 0.0)
        drag = 0.0
        for i in range(len(kind)):
            if weight[i, n] == 0.0:
                continue
            a = field_at(kind, number, order, i, values, weight[i, n], X, v, t, n)
            f = (f[0] + a[0], f[1] + a[1], f[2] + a[2])
            if a[4] != 0.0 or a[5] != 0.0 or a[6] != 0.0:
                f = _plus(f, _turned(v, (a[4], a[5], a[6]), h, at[n, 4] / at[n, 3]))
            drag += a[3]
        share = at[n, 3]
        if h == 0.0:
            f = _plus(f, _by(v, -drag))
        elif drag != 0.0:
            M = load21(mass, l)
            for c in range(3):
                d: Tuple = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
                m = cross(r, d)
                M = sym_minus_outer(M, (m[0], m[1], m[2], d[0], d[1], d[2]), -h * share * drag)
            store21(mass, l, M)
        f = unrotate(E, _by(f, share))
        m = cross(r, f)
        store6(F, l, add6(load6(F, l), (m[0], m[1], m[2], f[0], f[1], f[2])))


@njit
def _push_points(
    kind: Ints, number: Floats, order: Ints, link: Ints, at: Floats, weight: Floats, values: Floats,
    E_wj: Floats, V: Floats, t: float, h: float, F: Floats, mass: Floats,
) -> None:  # fmt: skip
    push_points(kind, number, order, link, at, weight, values, E_wj, V, t, h, F, mass)


@njit
def _push_vertices(
    kind: Ints, number: Floats, order: Ints, mass: Floats, whole: Floats, of: Ints, weight: Floats,
    values: Floats, x: Floats, v: Floats, t: float, h: float, f: Floats, drag: Floats,
) -> None:  # fmt: skip
    for n in range(len(of)):
        k = of[n]
        if k < 0 or mass[n] <= 0.0:
            continue
        share = mass[n] / whole[k]
        X: Tuple = (x[n, 0], x[n, 1], x[n, 2])
        V: Tuple = (v[n, 0], v[n, 1], v[n, 2])
        for i in range(len(kind)):
            if weight[i, k] == 0.0:
                continue
            a = field_at(kind, number, order, i, values, weight[i, k], X, V, t, 1000003 + n)
            turn = _turned(V, (a[4], a[5], a[6]), h, whole[k])
            for c in range(3):
                f[n, c] += share * (a[c] + turn[c])
            drag[n] += share * a[3]


@njit
def _changes(
    kind: Ints, number: Floats, order: Ints, link: Ints, at: Floats, weight: Floats, values: Floats,
    E_wj: Floats, V: Floats, t: float, xi: Floats, dV: Floats, dF: Floats,
) -> None:  # fmt: skip
    """Change of the wrenches along a displacement xi and a change dV of link twists, each (nl, 6)."""
    for n in range(len(link)):
        l = link[n]
        E, r = load12(E_wj, l), (at[n, 0], at[n, 1], at[n, 2])
        X = transform_point(E, r)
        w: Tuple = (V[l, 0], V[l, 1], V[l, 2])
        spin = cross(w, r)
        own: Tuple = (V[l, 3] + spin[0], V[l, 4] + spin[1], V[l, 5] + spin[2])
        turn: Tuple = (xi[l, 0], xi[l, 1], xi[l, 2])
        b = cross(turn, r)
        dX = rotate(E, (xi[l, 3] + b[0], xi[l, 4] + b[1], xi[l, 5] + b[2]))
        c = cross((dV[l, 0], dV[l, 1], dV[l, 2]), r)
        e = cross(turn, own)
        dv = rotate(E, (dV[l, 3] + c[0] + e[0], dV[l, 4] + c[1] + e[1], dV[l, 5] + c[2] + e[2]))
        v = rotate(E, own)
        size = math.sqrt(_dot(dX, dX) + _dot(dv, dv))
        if size == 0.0:
            continue
        f: Tuple = (0.0, 0.0, 0.0)
        df: Tuple = (0.0, 0.0, 0.0)
        for i in range(len(kind)):
            if weight[i, n] == 0.0:
                continue
            for side in (-1.0, 0.0, 1.0):
                s = side * _STEP / size
                vs = _plus(v, _by(dv, s))
                a = field_at(kind, number, order, i, values, weight[i, n], _plus(X, _by(dX, s)), vs, t, n)
                force = _plus((a[0], a[1], a[2]), _plus(_by(vs, -a[3]), cross(vs, (a[4], a[5], a[6]))))
                if side == 0.0:
                    f = _plus(f, force)
                else:
                    df = _plus(df, _by(force, 0.5 * side * size / _STEP))
        share = at[n, 3]
        f, df = unrotate(E, _by(f, share)), unrotate(E, _by(df, share))
        back = cross(turn, f)
        df = (df[0] - back[0], df[1] - back[1], df[2] - back[2])
        m = cross(r, df)
        for k in range(3):
            dF[l, k] += m[k]
            dF[l, 3 + k] += df[k]


def add_fields(model: Model, kin: Kinematics, t: float, h: float, F: Floats, A_m: Floats | None) -> None:
    """Add what fields do to links to the wrenches F (nl, 6), and h [s] times its damping to A_m (nl, 21).

    With A_m null all of it is in F.
    """
    e = model.fields
    if e is None or not len(e.link):
        return
    none = np.empty((0, 21))
    _push_points(
        e.kind, e.number, e.order, e.link, e.at, e.weight, evaluate(e.curves, t), kin.E_wj, kin.V, t,
        0.0 if A_m is None else h, F, none if A_m is None else A_m,
    )  # fmt: skip


def field_changes(model: Model, kin: Kinematics, t: float, xi: Floats, dV: Floats, dF: Floats) -> None:
    """Add the change of these wrenches along displacements xi and changes dV of link twists, each (n, nl, 6), to dF."""
    e = model.fields
    if e is None or not len(e.link):
        return
    values = evaluate(e.curves, t)
    for k in range(len(xi)):
        _changes(
            e.kind, e.number, e.order, e.link, e.at, e.weight, values, kin.E_wj, kin.V, t, xi[k], dV[k], dF[k]
        )  # fmt: skip


def push_flesh(e: Fields, mass: Floats, x: Floats, v: Floats, t: float, h: float, f: Floats) -> Floats:
    """Add what fields do to vertices at x with velocities v to f [N], each (nv, 3); its damping [N·s/m], shape (nv,).

    `mass` (nv,) are the masses [kg] of the vertices.
    """
    drag: Floats = np.zeros(len(x))
    _push_vertices(
        e.kind, e.number, e.order, mass, e.flesh_mass, e.flesh_of, e.flesh_weight, evaluate(e.curves, t), x, v,
        t, h, f, drag,
    )  # fmt: skip
    return drag
