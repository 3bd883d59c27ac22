"""Springs and dampers along lines through points of bodies (thesis §3.10), with everything an implicit step needs.

A spring is a polyline of nodes, each at a constant place of a link or of the world. Its length l has the gradient
g_i = ∂l/∂x_i at node i; the tension T = k (l - L) + d dl/dt pulls node i with -T g_i. Pulled back to the links,
g becomes one wrench-like row γ_i = Γ(x_i)ᵀ Rᵀ g_i a node, and the rate of the length is Σ γ_i · V.

The stiffness that an implicit step sees is k g gᵀ along the line, and T (I - u uᵀ) / |segment| across every segment;
`exact` adds what comes from the rotation of the lever arms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..jit import inline, njit
from ..kinematics import Kinematics
from ..model import Floats, Ints, Springs
from ..spatial import ZERO3, Tuple, cross, load12, rotate, transform_point, unrotate

EXPLICIT, AXIAL, PROJECTED, EXACT = 0, 1, 2, 3
"""The ways in which a spring enters the implicit system (`scene_forces.Tangent`)."""
TANGENTS = {"explicit": EXPLICIT, "axial": AXIAL, "projected": PROJECTED, "exact": EXACT}

_SHORT = 1e-12
"""Length [m] below which a segment has no direction."""


@dataclass(frozen=True)
class SpringState:
    """Springs at one state. ns springs with nn nodes in all; segment i begins at node i (none at a spring's last)."""

    length: Floats
    """[m], shape (ns,)."""
    rate: Floats
    """dl/dt [m/s], shape (ns,)."""
    tension: Floats
    """[N], shape (ns,)."""
    row: Floats
    """γ of each node in its link's joint frame, shape (nn, 6)."""
    arm: Floats
    """Each node from its link's origin, along world axes [m], shape (nn, 3)."""
    along: Floats
    """Unit vector of the segment that begins at each node, in world axes, shape (nn, 3)."""
    span: Floats
    """Length of that segment [m], shape (nn,)."""


@inline
def _node(E_wj: Floats, link: Ints, x: Floats, n: int) -> Tuple:
    r = (x[n, 0], x[n, 1], x[n, 2])
    if link[n] < 0:
        return r
    return transform_point(load12(E_wj, link[n]), r)


@njit
def _measure(
    first: Ints,
    link: Ints,
    x: Floats,
    stiffness: Floats,
    damping: Floats,
    rest: Floats,
    tension_only: Ints,
    E_wj: Floats,
    V: Floats,
    length: Floats,
    rate: Floats,
    tension: Floats,
    row: Floats,
    arm: Floats,
    along: Floats,
    span: Floats,
) -> None:
    for s in range(len(rest)):
        total, speed = 0.0, 0.0
        for n in range(first[s], first[s + 1] - 1):
            a = _node(E_wj, link, x, n)
            b = _node(E_wj, link, x, n + 1)
            dx, dy, dz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
            d = np.sqrt(dx * dx + dy * dy + dz * dz)
            span[n] = d
            total += d
            inv = 1.0 / d if d > _SHORT else 0.0
            along[n, 0], along[n, 1], along[n, 2] = dx * inv, dy * inv, dz * inv
        last = first[s + 1] - 1
        span[last] = 0.0
        along[last, 0] = along[last, 1] = along[last, 2] = 0.0
        for n in range(first[s], first[s + 1]):
            g0, g1, g2 = -along[n, 0], -along[n, 1], -along[n, 2]
            if n > first[s]:
                g0 += along[n - 1, 0]
                g1 += along[n - 1, 1]
                g2 += along[n - 1, 2]
            l = link[n]
            if l < 0:
                for c in range(6):
                    row[n, c] = 0.0
                arm[n, 0] = arm[n, 1] = arm[n, 2] = 0.0
                continue
            E = load12(E_wj, l)
            f = unrotate(E, (g0, g1, g2))
            r = (x[n, 0], x[n, 1], x[n, 2])
            m = cross(r, f)
            row[n, 0], row[n, 1], row[n, 2] = m[0], m[1], m[2]
            row[n, 3], row[n, 4], row[n, 5] = f[0], f[1], f[2]
            w = rotate(E, r)
            arm[n, 0], arm[n, 1], arm[n, 2] = w[0], w[1], w[2]
            for c in range(6):
                speed += row[n, c] * V[l, c]
        length[s] = total
        rate[s] = speed
        stretch = total - rest[s]
        if tension_only[s] and stretch <= 0.0:
            tension[s] = 0.0
        else:
            tension[s] = stiffness[s] * stretch + damping[s] * speed


def measure_springs(springs: Springs, kin: Kinematics) -> SpringState:
    """Lengths, rates, tensions and rows of all springs."""
    ns, nn = len(springs.rest), len(springs.link)
    state = SpringState(
        np.empty(ns),
        np.empty(ns),
        np.empty(ns),
        np.empty((nn, 6)),
        np.empty((nn, 3)),
        np.empty((nn, 3)),
        np.empty(nn),
    )
    _measure(
        springs.first, springs.link, springs.x, springs.stiffness, springs.damping, springs.rest,
        springs.tension_only, kin.E_wj, kin.V, state.length, state.rate, state.tension, state.row, state.arm,
        state.along, state.span,
    )  # fmt: skip
    return state


@njit
def _push(first: Ints, link: Ints, row: Floats, pull: Floats, F: Floats) -> None:
    for s in range(len(pull)):
        for n in range(first[s], first[s + 1]):
            if link[n] >= 0:
                for c in range(6):
                    F[link[n], c] -= pull[s] * row[n, c]


def add_spring_wrenches(springs: Springs, state: SpringState, pull: Floats, F: Floats) -> None:
    """Add the wrenches of springs that pull with the tensions `pull` [N] to the link wrenches F (nl, 6)."""
    _push(springs.first, springs.link, state.row, pull, F)


def elastic_tension(springs: Springs, state: SpringState) -> Floats:
    """Tension without the damper of the springs that are implicit, whose damping the system's matrix brings [N]."""
    implicit = springs.tangent != EXPLICIT
    taut = (state.length > springs.rest) | (springs.tension_only == 0)
    damper = springs.damping * state.rate * taut
    return np.where(implicit, state.tension - damper, state.tension)


def spring_energy(springs: Springs, state: SpringState) -> float:
    """[J]"""
    stretch = state.length - springs.rest
    pulls = (stretch > 0.0) | (springs.tension_only == 0)
    return 0.5 * float(np.sum(springs.stiffness * stretch * stretch * pulls))


@dataclass(frozen=True)
class SpringTangent:
    """h D - h² K of all implicit springs, as coefficients: a matrix in maximal coordinates that is never formed."""

    axial: Floats
    """Coefficient of γ γᵀ of each spring, shape (ns,)."""
    across: Floats
    """Coefficient of I - u uᵀ between the ends of the segment that begins at each node, shape (nn,)."""
    turning: Floats
    """Coefficient of the term from the rotation of lever arms, shape (ns,)."""

    @property
    def is_empty(self) -> bool:
        return not (self.axial.any() or self.across.any() or self.turning.any())


def spring_tangent(springs: Springs, state: SpringState, h: float) -> SpringTangent:
    """For a step of h [s]."""
    taut = (state.length > springs.rest) | (springs.tension_only == 0)
    implicit = (springs.tangent != EXPLICIT) & taut
    axial = np.where(implicit, h * springs.damping + h * h * springs.stiffness, 0.0)
    counts = np.diff(springs.first)
    # Without the damper: its contribution would make the matrix depend on the velocity and may turn it indefinite.
    pull = springs.stiffness * (state.length - springs.rest)
    whole = springs.tangent == EXACT
    coefficient = np.where(springs.tangent >= PROJECTED, np.where(whole, pull, np.maximum(pull, 0.0)), 0.0)
    coefficient = h * h * coefficient * implicit
    per_node = np.repeat(coefficient, counts)
    if not whole.all():
        # A segment between two places of one link cannot turn against it; only the exact form has the terms that say so.
        same = np.append(springs.link[:-1] == springs.link[1:], False)
        per_node[same & ~np.repeat(whole, counts)] = 0.0
    across = np.divide(per_node, state.span, out=np.zeros_like(per_node), where=state.span > _SHORT)
    # A spring of zero rest length at zero length pulls with k in every direction.
    slack = (state.span <= _SHORT) & np.repeat(implicit & (springs.tangent >= PROJECTED), counts)
    slack[springs.first[1:] - 1] = False
    free = np.repeat(h * h * springs.stiffness * (springs.rest == 0.0), counts)
    across = np.where(slack, free, across)
    return SpringTangent(axial, across, np.where(whole & implicit, h * h * pull, 0.0))


@inline
def _velocity(E_wj: Floats, V: Floats, arm: Floats, l: int, n: int) -> Tuple:
    """World velocity of node n on link l."""
    E = load12(E_wj, l)
    w = rotate(E, (V[l, 0], V[l, 1], V[l, 2]))
    v = rotate(E, (V[l, 3], V[l, 4], V[l, 5]))
    c = cross(w, (arm[n, 0], arm[n, 1], arm[n, 2]))
    return (v[0] + c[0], v[1] + c[1], v[2] + c[2])


@inline
def _add_force(E_wj: Floats, x: Floats, l: int, n: int, f: Tuple, F: Floats) -> None:
    b = unrotate(load12(E_wj, l), f)
    m = cross((x[n, 0], x[n, 1], x[n, 2]), b)
    F[l, 0] += m[0]
    F[l, 1] += m[1]
    F[l, 2] += m[2]
    F[l, 3] += b[0]
    F[l, 4] += b[1]
    F[l, 5] += b[2]


@inline
def _turn(row: Floats, x: Floats, n: int, t: float, V: Floats, l: int, F: Floats) -> None:
    """Symmetric part of the lever-arm term: the pull -γ turns with the body; t is h² times the tension."""
    f = (row[n, 3], row[n, 4], row[n, 5])
    r = (x[n, 0], x[n, 1], x[n, 2])
    w = (V[l, 0], V[l, 1], V[l, 2])
    v = (V[l, 3], V[l, 4], V[l, 5])
    # G = [[r][f], 0; [f], 0] with the pull -t f; half of G and half of its transpose
    fw = cross(f, w)
    rfw = cross(r, fw)
    # ([r][f])ᵀ w = [f][r] w
    frw = cross(f, cross(r, w))
    fv = cross(f, v)
    k = 0.5 * t
    F[l, 0] += k * (rfw[0] + frw[0] - fv[0])
    F[l, 1] += k * (rfw[1] + frw[1] - fv[1])
    F[l, 2] += k * (rfw[2] + frw[2] - fv[2])
    F[l, 3] += k * fw[0]
    F[l, 4] += k * fw[1]
    F[l, 5] += k * fw[2]


@inline
def _spring_product(
    s: int,
    first: Ints,
    link: Ints,
    x: Floats,
    axial: Floats,
    across: Floats,
    turning: Floats,
    row: Floats,
    arm: Floats,
    along: Floats,
    E_wj: Floats,
    V: Floats,
    F: Floats,
) -> None:
    if axial[s] != 0.0:
        rate = 0.0
        for n in range(first[s], first[s + 1]):
            l = link[n]
            if l >= 0:
                for c in range(6):
                    rate += row[n, c] * V[l, c]
        rate *= axial[s]
        for n in range(first[s], first[s + 1]):
            l = link[n]
            if l >= 0:
                for c in range(6):
                    F[l, c] += rate * row[n, c]
    if turning[s] != 0.0:
        for n in range(first[s], first[s + 1]):
            if link[n] >= 0:
                _turn(row, x, n, turning[s], V, link[n], F)
    for n in range(first[s], first[s + 1] - 1):
        k = across[n]
        if k != 0.0:
            a, b = link[n], link[n + 1]
            va, vb = ZERO3, ZERO3
            if a >= 0:
                va = _velocity(E_wj, V, arm, a, n)
            if b >= 0:
                vb = _velocity(E_wj, V, arm, b, n + 1)
            d = (vb[0] - va[0], vb[1] - va[1], vb[2] - va[2])
            u = (along[n, 0], along[n, 1], along[n, 2])
            p = d[0] * u[0] + d[1] * u[1] + d[2] * u[2]
            f = (k * (d[0] - p * u[0]), k * (d[1] - p * u[1]), k * (d[2] - p * u[2]))
            if a >= 0:
                _add_force(E_wj, x, a, n, (-f[0], -f[1], -f[2]), F)
            if b >= 0:
                _add_force(E_wj, x, b, n + 1, f, F)


@inline
def add_tangent_product(
    first: Ints,
    link: Ints,
    x: Floats,
    axial: Floats,
    across: Floats,
    turning: Floats,
    row: Floats,
    arm: Floats,
    along: Floats,
    E_wj: Floats,
    V: Floats,
    F: Floats,
) -> None:
    """F += (h D - h² K) V for link twists V and wrenches F, both (nl, 6)."""
    for s in range(len(axial)):
        _spring_product(s, first, link, x, axial, across, turning, row, arm, along, E_wj, V, F)


@njit
def _tangent_product(
    first: Ints,
    link: Ints,
    x: Floats,
    axial: Floats,
    across: Floats,
    turning: Floats,
    row: Floats,
    arm: Floats,
    along: Floats,
    E_wj: Floats,
    V: Floats,
    F: Floats,
) -> None:
    add_tangent_product(first, link, x, axial, across, turning, row, arm, along, E_wj, V, F)


def tangent_times(
    springs: Springs, state: SpringState, t: SpringTangent, kin: Kinematics, V: Floats
) -> Floats:
    """(h D - h² K) V, shape (nl, 6)."""
    F: Floats = np.zeros_like(V)
    _tangent_product(
        springs.first, springs.link, springs.x, t.axial, t.across, t.turning, state.row, state.arm, state.along,
        kin.E_wj, V, F,
    )  # fmt: skip
    return F


@njit
def _blocks(
    first: Ints,
    link: Ints,
    x: Floats,
    axial: Floats,
    across: Floats,
    turning: Floats,
    row: Floats,
    arm: Floats,
    along: Floats,
    E_wj: Floats,
    out: Floats,
) -> None:
    """Add the 6x6 diagonal blocks of h D - h² K, in joint frames, to rows of 21."""
    B = np.zeros((6, 6))
    V = np.zeros((len(E_wj), 6))
    F = np.zeros((len(E_wj), 6))
    for s in range(len(axial)):
        simple = turning[s] == 0.0
        for n in range(first[s], first[s + 1] - 1):
            if across[n] != 0.0:
                simple = False
        for n in range(first[s], first[s + 1]):
            l = link[n]
            seen = l < 0
            for m in range(first[s], n):
                if link[m] == l:
                    seen = True
            if seen:
                continue
            if simple:
                for i in range(6):
                    F[l, i] = 0.0
                    for m in range(n, first[s + 1]):
                        if link[m] == l:
                            F[l, i] += row[m, i]
                for i in range(6):
                    for j in range(6):
                        B[i, j] = axial[s] * F[l, i] * F[l, j]
            else:
                for j in range(6):
                    for m in range(first[s], first[s + 1]):
                        if link[m] >= 0:
                            for i in range(6):
                                F[link[m], i] = 0.0
                    V[l, j] = 1.0
                    _spring_product(s, first, link, x, axial, across, turning, row, arm, along, E_wj, V, F)
                    V[l, j] = 0.0
                    for i in range(6):
                        B[i, j] = F[l, i]
            k = 0
            for i in range(3):
                for j in range(i, 3):
                    out[l, k] += B[i, j]
                    k += 1
            for i in range(3):
                for j in range(3, 6):
                    out[l, k] += B[i, j]
                    k += 1
            for i in range(3, 6):
                for j in range(i, 6):
                    out[l, k] += B[i, j]
                    k += 1


def add_diagonal_blocks(
    springs: Springs, state: SpringState, t: SpringTangent, kin: Kinematics, A_m: Floats
) -> None:
    """Add blkdiag(h D - h² K) (paper, Eq. 3) to A_m, rows of 21 in joint frames, shape (nl, 21)."""
    _blocks(
        springs.first, springs.link, springs.x, t.axial, t.across, t.turning, state.row, state.arm,
        state.along, kin.E_wj, A_m,
    )  # fmt: skip
