"""Rotations and free bodies in Euler's steps: coordinates whose origin is where the joint is, in every step anew.

Rates of a rotation vector depend on where its origin is, and a step that moves along them leaves the way of a body that
turns: a wheel would gain energy and run in circles. The step of `integrators/` therefore moves a ball joint along its
angular velocity ω, in its own frame, R' = R exp(h ω), and a free body along the velocity of its centre of mass. Seen
from there, S is constant, so that its part of Ṡ qdot is left out of the forces of motion (`centre_bias`). q and qdot
stay what they are elsewhere: a rotation vector and its rates (`arrive`, `carry_rates`).

What turns freely as a whole has a gyroscopic torque of its own. It has no part in the impulses of a step; after them,
from the ω that they lead to, the body turns by itself to R' = R exp(h ω_m) and ω* with

    I ω* = exp(-h ω_m) I ω,   ω_m = (ω + ω*) / 2.

That keeps R I ω and, since ω_m is normal to the change of I ω, the energy, both to rounding, at any step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import joints
from ..algebra.se3 import exp_coefficients
from ..algebra.spatial import (
    ZERO6,
    Row,
    Tuple,
    ad_times,
    add3,
    add6,
    axpy6,
    cross,
    load3,
    load6,
    load12,
    rotate,
    store6,
    twist_down,
    unrotate,
)
from ..jit.decorators import borrower, inline, subroutine
from ..joints import REVOLUTE
from ..joints.kinds import DOFS, Kind
from ..joints.spherical_euler import euler_columns

if TYPE_CHECKING:
    from ..model.records import Model, Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

LINK, FLAGS, TURN, MOVE, KIND, AT, TURNS, MOVES = range(8)
"""Columns of `Centres.which`: the link with the body, flags, first coordinates of the rotation and of the translation,
the kind of the rotation and where its parameters begin, and how many coordinates the two have."""
BALL, MOVED_TURN, TURNED_MOVE, SPINS = 1, 2, 4, 8
"""Flags: a rotation vector; a free body that moves first and turns then, or turns first; nothing else turns with it."""
ARM, INERTIA = 0, 3
"""Columns of `Centres.of`: the centre of mass in the link's frame [m], and moments xx, xy, xz, yy, yz, zz [kg·m²] about
it, or about the joint where that cannot move."""
_SUBSTEP = 0.5
"""Angle [rad] by which a body turns while Newton's method for ω* surely leads to it; more is taken in parts,"""
_SUBSTEPS = 64
"""and in no more than these."""
_ITERATIONS = 30
_EXACT = 1e-14
"""Change of ω*, as a fraction of ω, at which it is found."""


@dataclass(frozen=True)
class Centres:
    """Ball joints and free bodies of a model whose coordinates are centred anew in every step."""

    which: Ints
    """shape (n, 8)."""
    of: Floats
    """shape (n, 9)."""

    def __len__(self) -> int:
        return len(self.which)


def find_centres(model: Model) -> Centres:
    """Those that are to be centred, and may: nothing refers to their coordinates as such."""
    t = model.tree
    named = np.zeros(model.nr, bool)
    limits, gears = model.constraints.limits.dof, model.constraints.gears.dof
    for dofs in (limits, gears) if model.joints.switches else (limits, gears, model.joints.motion.target):
        named[dofs] = True
    if model.reduction is not None:
        named[:] = True
    which, of = [], []
    for j in range(model.nl):
        p, kind = int(t.parent[j]), int(t.kind[j])
        if not t.centred[j]:
            continue
        turn, move, flags = j, -1, BALL if kind == Kind.SPHERICAL else 0
        if p >= 0 and t.parent[p] < 0 and _carries_nothing_else(t, p, j) and t.kind[p] == _MOVES.get(kind):
            move, link, flags = p, j, flags | MOVED_TURN
        else:
            child = np.flatnonzero(t.parent == j)
            alone = p < 0 and len(child) == 1 and _carries_nothing_else(t, j, int(child[0]))
            if alone and t.kind[child[0]] == Kind.TRANSLATIONAL:
                move, link, flags = int(child[0]), int(child[0]), flags | TURNED_MOVE
            else:
                link = j
        mass, arm, moments, whole = _cluster(t, link, about_joint=move < 0)
        if move >= 0 and (mass <= 0.0 or named[t.dof[move] : t.dof[move + 1]].any()):
            flags, move, link, whole = flags & BALL, -1, j, False
        if not flags or named[t.dof[turn] : t.dof[turn + 1]].any():
            continue
        root = p < 0 or (move >= 0 and move == p)
        turns_alone = root and whole and mass > 0.0 and (move < 0 or t.kind[move] == Kind.TRANSLATIONAL)
        if flags & BALL and turns_alone and model.flesh is None and np.linalg.eigvalsh(moments)[0] > 0.0:
            flags |= SPINS
        which.append(
            [link, flags, t.dof[turn], t.dof[move] if move >= 0 else 0, kind, t.at[turn], DOFS[Kind(kind)],
             DOFS[Kind(int(t.kind[move]))] if move >= 0 else 0]
        )  # fmt: skip
        of.append([*arm, *moments[np.triu_indices(3)]])
    return Centres(np.array(which, np.int64).reshape(-1, 8), np.array(of, float).reshape(-1, 9))


_MOVES: dict[int, int] = {
    Kind.SPHERICAL: Kind.TRANSLATIONAL,
    Kind.SPHERICAL_EULER: Kind.TRANSLATIONAL,
    Kind.REVOLUTE: Kind.PLANAR,
}
"""What moves a free body that turns like this."""


def _carries_nothing_else(t: Tree, first: int, second: int) -> bool:
    """Whether one link is there for the sake of another alone."""
    bare = not t.inertia[first].any() and not t.damping[first].any()
    return bare and np.count_nonzero(t.parent == first) == 1 and int(t.parent[second]) == first


def _cluster(t: Tree, link: int, about_joint: bool) -> tuple[float, Floats, Floats, bool]:
    """Mass, centre and moments of a link with all that is fixed to it, in its frame; whether nothing moves on it."""
    offset = {link: np.eye(4)}
    mass, first, second, whole = 0.0, np.zeros(3), np.zeros((3, 3)), True
    for j in range(link, len(t.parent)):
        if j != link:
            if int(t.parent[j]) not in offset:
                continue
            if t.kind[j] != Kind.FIXED:
                whole = False
                continue
            E = np.eye(4)
            E[:3, :3], E[:3, 3] = t.E_pj0[j, :9].reshape(3, 3), t.E_pj0[j, 9:]
            offset[j] = offset[int(t.parent[j])] @ E
        R, x = offset[j][:3, :3], offset[j][:3, 3]
        row = t.inertia[j]
        m = float(row[15])
        own = np.array([[row[0], row[1], row[2]], [row[1], row[3], row[4]], [row[2], row[4], row[5]]])
        c = np.array([row[13], row[8], row[9]])  # m times the centre, from [m c]
        if m > 0.0:
            r = R @ (c / m) + x
            own = R @ (own - _about(m, c / m)) @ R.T + _about(m, r)
            mass, first, second = mass + m, first + m * r, second + own
    arm = first / mass if mass > 0.0 else np.zeros(3)
    return mass, arm, second if about_joint else second - _about(mass, arm), whole


def _about(m: float, r: Floats) -> Floats:
    """Moments of a point [kg·m²]."""
    return np.asarray(m * ((r @ r) * np.eye(3) - np.outer(r, r)))


# Kernels. `which` and `of` are those of `Centres`; without any, they cost nothing.


@inline
def _three(a: Floats, j: int, o: int) -> Tuple:
    return (a[j, o], a[j, o + 1], a[j, o + 2])


@inline
def _is_free(which: Ints, c: int, free: Mask) -> bool:
    all_free = True
    for k in range(which[c, TURN], which[c, TURN] + which[c, TURNS]):
        all_free = all_free and free[k]
    for k in range(which[c, MOVE], which[c, MOVE] + which[c, MOVES]):
        all_free = all_free and free[k]
    return all_free


@inline
def _place_of(which: Ints, c: int, q: Row) -> Tuple:
    """Translation of a free body [m]."""
    i, n = which[c, MOVE], which[c, MOVES]
    return (q[i], q[i + 1], q[i + 2] if n > 2 else 0.0)


@inline
def _put3(into: Row, i: int, n: int, x: Tuple) -> None:
    into[i] = x[0]
    into[i + 1] = x[1]
    if n > 2:
        into[i + 2] = x[2]


@inline
def _times_row(s: float, a: Tuple, b: Tuple) -> Tuple:
    return (b[0] + s * a[0], b[1] + s * a[1], b[2] + s * a[2])


@inline
def _angular_velocity(which: Ints, c: int, S: Floats, qdot: Row) -> Tuple:
    w: Tuple = (0.0, 0.0, 0.0)
    for k in range(which[c, TURN], which[c, TURN] + which[c, TURNS]):
        w = _times_row(qdot[k], _three(S, k, 0), w)
    return w


@borrower
def centre_bias(
    which: Ints, of: Floats, free: Mask, parent: Ints, dof: Ints, q: Row, qdot: Row, E_pj: Floats, V: Floats,
    S: Floats, Sdot: Floats, A: Floats,
) -> None:  # fmt: skip
    """Make Ṡ and the accelerations A at constant rates those of the centred coordinates."""
    if len(which) == 0:
        return
    for c in range(len(which)):
        if not _is_free(which, c, free):
            continue
        flags, link = which[c, FLAGS], which[c, LINK]
        first, last = which[c, TURN], which[c, TURN] + which[c, TURNS]
        if flags & BALL:
            for k in range(first, last):
                for m in range(6):
                    Sdot[k, m] = 0.0
        if flags & (MOVED_TURN | TURNED_MOVE):
            w, r = _three(V, link, 0), _three(of, c, ARM)
            if flags & TURNED_MOVE:
                r = add3(r, _place_of(which, c, q))
                for k in range(which[c, MOVE], which[c, MOVE] + which[c, MOVES]):
                    d = cross(w, _three(S, k, 3))
                    for m in range(3):
                        Sdot[k, 3 + m] = -2.0 * d[m]
            for k in range(first, last):
                d = add3(cross(w, cross(_three(S, k, 0), r)), cross(_three(Sdot, k, 0), r))
                for m in range(3):
                    Sdot[k, 3 + m] = -d[m]
    for j in range(len(parent)):
        rate, bias = ZERO6, ZERO6
        for k in range(dof[j], dof[j + 1]):
            rate = axpy6(qdot[k], load6(S, k), rate)
            bias = axpy6(qdot[k], load6(Sdot, k), bias)
        p = parent[j]
        if p >= 0:
            bias = add6(twist_down(load12(E_pj, j), load6(A, p)), add6(ad_times(load6(V, j), rate), bias))
        store6(A, j, bias)


@inline
def _moments_times(of: Floats, c: int, w: Tuple) -> Tuple:
    a, b, d = of[c, INERTIA], of[c, INERTIA + 1], of[c, INERTIA + 2]
    e, f, g = of[c, INERTIA + 3], of[c, INERTIA + 4], of[c, INERTIA + 5]
    return (a * w[0] + b * w[1] + d * w[2], b * w[0] + e * w[1] + f * w[2], d * w[0] + f * w[1] + g * w[2])


@subroutine
def _turned_back(h: float, w: Tuple, L: Tuple) -> Tuple:
    """exp(-h [w]) L."""
    r = (-h * w[0], -h * w[1], -h * w[2])
    a = exp_coefficients(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    rL = cross(r, L)
    return _times_row(a[2], cross(r, rL), _times_row(a[1], rL, L))


@subroutine
def _solve_turned(of: Floats, c: int, s: float, L: Tuple, x: Tuple) -> Tuple:
    """(I - s [L])⁻¹ x."""
    a, b, d = of[c, INERTIA], of[c, INERTIA + 1], of[c, INERTIA + 2]
    e, f, g = of[c, INERTIA + 3], of[c, INERTIA + 4], of[c, INERTIA + 5]
    u = (a, b - s * L[2], d + s * L[1])  # columns
    v = (b + s * L[2], e, f - s * L[0])
    w = (d - s * L[1], f + s * L[0], g)
    vw, wu, uv = cross(v, w), cross(w, u), cross(u, v)
    det = u[0] * vw[0] + u[1] * vw[1] + u[2] * vw[2]
    return (
        (x[0] * vw[0] + x[1] * vw[1] + x[2] * vw[2]) / det,
        (x[0] * wu[0] + x[1] * wu[1] + x[2] * wu[2]) / det,
        (x[0] * uv[0] + x[1] * uv[1] + x[2] * uv[2]) / det,
    )


@inline
def _length(x: Tuple) -> float:
    return math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])


@subroutine
def _quaternion(r: Tuple) -> tuple[float, float, float, float]:
    """Of a rotation vector [rad]; it tells turns apart up to 4π."""
    n = _length(r)
    s = math.sin(0.5 * n) / n if n > 1e-8 else 0.5
    return (math.cos(0.5 * n), s * r[0], s * r[1], s * r[2])


@subroutine
def compose_turns(a: Tuple, b: Tuple, near: Tuple) -> Tuple:
    """The rotation vector of exp([a]) exp([b]) [rad]: of all whole turns the one next to `near`."""
    p, r = _quaternion(a), _quaternion(b)
    u, v = (p[1], p[2], p[3]), (r[1], r[2], r[3])
    x = _times_row(p[0], v, _times_row(r[0], u, cross(u, v)))
    w = p[0] * r[0] - (u[0] * v[0] + u[1] * v[1] + u[2] * v[2])
    s = _length(x)
    if s < 1e-150:
        if w < 0.0:  # a whole turn, about the axis that it had
            n = _length(near)
            return (near[0] * 2.0 * math.pi / n, near[1] * 2.0 * math.pi / n, near[2] * 2.0 * math.pi / n)
        return (2.0 * x[0], 2.0 * x[1], 2.0 * x[2])
    angle = 2.0 * math.atan2(s, w)
    along = (near[0] * x[0] + near[1] * x[1] + near[2] * x[2]) / s
    turns = (along - angle) / (2.0 * math.pi) + 0.5
    if abs(turns) < 1e9:
        angle += 2.0 * math.pi * math.floor(turns)
    f = angle / s
    return (f * x[0], f * x[1], f * x[2])


@subroutine
def _turn_freely(of: Floats, c: int, w: Tuple, h: float) -> tuple[Tuple, Tuple]:
    """Angular velocity after h [s] without a torque, and the one that leads there when it is kept [rad/s]."""
    L = _moments_times(of, c, w)
    g = cross(w, L)
    if h * _length(g) <= 1e-15 * _length(L):
        return w, w
    n = 1
    if h * _length(w) > _SUBSTEP:
        n = int(min(h * _length(w) / _SUBSTEP, _SUBSTEPS - 1.0)) + 1
    step = h / n
    way: Tuple = (0.0, 0.0, 0.0)
    for _ in range(n):
        L = _moments_times(of, c, w)
        new: Tuple = w
        found = False
        for _trial in range(_ITERATIONS):
            mean: Tuple = (0.5 * (w[0] + new[0]), 0.5 * (w[1] + new[1]), 0.5 * (w[2] + new[2]))
            goal = _turned_back(step, mean, L)
            d = _solve_turned(of, c, 0.5 * step, goal, _times_row(-1.0, _moments_times(of, c, new), goal))
            new = add3(new, d)
            if not _length(d) > _EXACT * _length(w):
                found = True
                break
        mean = (0.5 * (w[0] + new[0]), 0.5 * (w[1] + new[1]), 0.5 * (w[2] + new[2]))
        if not found:  # angular momentum is kept in any case, and bounds the energy
            goal = _turned_back(step, w, L)
            new, mean = _solve_turned(of, c, 0.0, goal, goal), w
        w = new
        if n == 1:
            return w, mean
        turn = (step * mean[0], step * mean[1], step * mean[2])
        way = compose_turns(way, turn, add3(way, turn))
    return w, (way[0] / h, way[1] / h, way[2] / h)


@borrower
def take_off_gyroscopic(which: Ints, of: Floats, free: Mask, V: Floats, h: float, F: Floats) -> None:
    """Take -h ω × I ω [N·m·s] of what spins by itself off the impulses F (nl, 6) on links: `arrive` has its part."""
    for c in range(len(which)):
        if which[c, FLAGS] & SPINS and _is_free(which, c, free):
            w = _three(V, which[c, LINK], 0)
            known = cross(w, _moments_times(of, c, w))
            for m in range(3):
                F[which[c, LINK], m] += h * known[m]


@borrower
def keep_spins(which: Ints, free: Mask, qdot: Row, midway: Row) -> None:
    """Leave what spins by itself out of the forces of motion midway through a step: these are exact already."""
    for c in range(len(which)):
        if which[c, FLAGS] & SPINS and _is_free(which, c, free):
            for k in range(which[c, TURN], which[c, TURN] + which[c, TURNS]):
                midway[k] = qdot[k]
            for k in range(which[c, MOVE], which[c, MOVE] + which[c, MOVES]):
                midway[k] = qdot[k]


@subroutine
def arrive(
    which: Ints, of: Floats, free: Mask, params: Row, chart: Ints, S: Floats, h: float, q: Row, qdot: Row, end: Row,
    moving: Floats,
) -> None:  # fmt: skip
    """Where the centred joints are h [s] later at the velocities qdot, into end (nr,); and `moving` (n, 6): their
    angular velocities in their own frames, and the velocities of their centres of mass."""
    for c in range(len(which)):
        if not _is_free(which, c, free):
            continue
        flags, i, j = which[c, FLAGS], which[c, TURN], which[c, MOVE]
        w = _angular_velocity(which, c, S, qdot)
        mean, final = w, w
        if flags & SPINS:
            final, mean = _turn_freely(of, c, w, h)
        moving[c, 0], moving[c, 1], moving[c, 2] = final
        if flags & BALL:
            turn = (h * mean[0], h * mean[1], h * mean[2])
            near = _times_row(h, load3(qdot, i), load3(q, i))
            r = compose_turns(load3(q, i), turn, near)
            end[i], end[i + 1], end[i + 2] = r
        if flags & (MOVED_TURN | TURNED_MOVE):
            kind, at, number = which[c, KIND], which[c, AT], chart[_turning(which, c)]
            R = joints.transform(kind, params, at, number, q, i)
            R_end = joints.transform(kind, params, at, number, end, i)
            place, rate, r = _place_of(which, c, q), _place_of(which, c, qdot), _three(of, c, ARM)
            if flags & MOVED_TURN:
                v = add3(rate, rotate(R, cross(w, r)))
                x = _times_row(h, v, add3(place, rotate(R, r)))
                x = _times_row(-1.0, rotate(R_end, r), x)
            else:
                x = add3(place, r)
                v = rotate(R, add3(rate, cross(w, x)))
                x = _times_row(-1.0, r, unrotate(R_end, _times_row(h, v, rotate(R, x))))
            _put3(end, j, which[c, MOVES], x)
            moving[c, 3], moving[c, 4], moving[c, 5] = v


@subroutine
def carry_blow(
    which: Ints, of: Floats, free: Mask, params: Row, chart: Ints, S: Floats, h: float, q: Row, mean: Row, qdot: Row,
    moving: Floats,
) -> None:  # fmt: skip
    """Make `moving` what it is of the velocities qdot, where `arrive` went along others, `mean`, as a blow came within
    the step. What spins by itself keeps its angular momentum on the way."""
    for c in range(len(which)):
        if not _is_free(which, c, free):
            continue
        flags, i = which[c, FLAGS], which[c, TURN]
        w = _angular_velocity(which, c, S, qdot)
        spin = w
        if flags & SPINS:
            _final, way = _turn_freely(of, c, _angular_velocity(which, c, S, mean), h)
            L = _turned_back(h, way, _moments_times(of, c, w))
            spin = _solve_turned(of, c, 0.0, L, L)
        moving[c, 0], moving[c, 1], moving[c, 2] = spin
        if flags & (MOVED_TURN | TURNED_MOVE):
            R = joints.transform(which[c, KIND], params, which[c, AT], chart[_turning(which, c)], q, i)
            rate, r = _place_of(which, c, qdot), _three(of, c, ARM)
            if flags & MOVED_TURN:
                v = add3(rate, rotate(R, cross(w, r)))
            else:
                v = rotate(R, add3(rate, cross(w, add3(_place_of(which, c, q), r))))
            moving[c, 3], moving[c, 4], moving[c, 5] = v


@inline
def _turning(which: Ints, c: int) -> int:
    """The link of the rotation."""
    return int(which[c, LINK] - 1 if which[c, FLAGS] & TURNED_MOVE else which[c, LINK])


@subroutine
def carry_rates(
    which: Ints, of: Floats, free: Mask, params: Row, chart: Ints, q: Row, moving: Floats, qdot: Row
) -> None:
    """Turn qdot into the rates at the coordinates q where a step has ended, for the velocities that `arrive` told."""
    for c in range(len(which)):
        if not _is_free(which, c, free):
            continue
        flags, kind, i = which[c, FLAGS], which[c, KIND], which[c, TURN]
        w = _three(moving, c, 0)
        if flags & BALL:
            r = load3(q, i)
            a = exp_coefficients(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
            # S⁻¹ = I + [q]/2 + c [q]², with the same c as in the logarithm
            rw = cross(r, w)
            x = _times_row((a[3] - 2.0 * a[4]) / (2.0 * a[2]), cross(r, rw), _times_row(0.5, rw, w))
            qdot[i], qdot[i + 1], qdot[i + 2] = x
        elif kind != REVOLUTE:
            s0, s1, s2 = euler_columns(chart[_turning(which, c)], q[i + 1], q[i + 2])
            w = _times_row(qdot[i], s0, _times_row(qdot[i + 1], s1, (0.0, 0.0, 0.0)))
            w = _times_row(qdot[i + 2], s2, w)
        if flags & (MOVED_TURN | TURNED_MOVE):
            R = joints.transform(kind, params, which[c, AT], chart[_turning(which, c)], q, i)
            r, v = _three(of, c, ARM), _three(moving, c, 3)
            if flags & MOVED_TURN:
                v = _times_row(-1.0, rotate(R, cross(w, r)), v)
            else:
                v = _times_row(-1.0, cross(w, add3(_place_of(which, c, q), r)), unrotate(R, v))
            _put3(qdot, which[c, MOVE], which[c, MOVES], v)
