"""What an implicit step sees of springs: h D - h² K in maximal coordinates, never formed (thesis §3.10).

Along the line it is k g gᵀ, across every segment T (I - u uᵀ) / |segment|; `exact` adds what comes from the rotation
of the lever arms. Here are its coefficients, its product with link twists, and its diagonal blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..algebra.spatial import (
    ZERO3,
    Tuple,
    axpy6,
    cross,
    load6,
    load12,
    load21,
    rotate,
    store6,
    sym_times,
    unrotate,
)
from ..jit.decorators import inline, njit, subroutine
from ..model.records import Floats, Ints, Springs
from ..tree.kinematics import Kinematics

if TYPE_CHECKING:
    from .springs import SpringState

EXPLICIT, AXIAL, PROJECTED, EXACT = 0, 1, 2, 3
"""The ways in which a spring enters the implicit system (`scene_forces.Tangent`)."""
TANGENTS = {"explicit": EXPLICIT, "axial": AXIAL, "projected": PROJECTED, "exact": EXACT}

SHORT = 1e-12
"""Length [m] below which a segment has no direction."""


@dataclass(frozen=True)
class SpringTangent:
    """h D - h² K of all implicit springs, as coefficients."""

    axial: Floats
    """Coefficient of γ γᵀ of each spring, shape (ns,)."""
    across: Floats
    """Coefficient of I - u uᵀ between the ends of the segment that begins at each node, shape (nn,)."""
    turning: Floats
    """Coefficient of the term from the rotation of lever arms, shape (ns,)."""
    is_empty: bool
    """Whether all of them are zero."""


@njit
def coefficients(
    first: Ints,
    link: Ints,
    stiffness: Floats,
    damping: Floats,
    rest: Floats,
    tension_only: Ints,
    tangent: Ints,
    length: Floats,
    span: Floats,
    h: float,
    axial: Floats,
    across: Floats,
    turning: Floats,
) -> bool:
    empty = True
    for s in range(len(rest)):
        taut = length[s] > rest[s] or tension_only[s] == 0
        implicit = tangent[s] != EXPLICIT and taut
        whole = tangent[s] == EXACT
        axial[s] = h * damping[s] + h * h * stiffness[s] if implicit else 0.0
        # Without the damper: its contribution would make the matrix depend on the velocity and may turn it indefinite.
        pull = stiffness[s] * (length[s] - rest[s]) if implicit else 0.0
        turning[s] = h * h * pull if whole else 0.0
        if axial[s] != 0.0 or turning[s] != 0.0:
            empty = False
        sideways = h * h * (pull if whole else max(pull, 0.0)) if tangent[s] >= PROJECTED else 0.0
        last = first[s + 1] - 1
        across[last] = 0.0
        for n in range(first[s], last):
            if span[n] > SHORT:
                # A segment between two places of one link cannot turn against it; only the exact form has the
                # terms that say so.
                across[n] = sideways / span[n] if whole or link[n] != link[n + 1] else 0.0
            elif implicit and tangent[s] >= PROJECTED and rest[s] == 0.0:
                # A spring of zero rest length at zero length pulls with k in every direction.
                across[n] = h * h * stiffness[s]
            else:
                across[n] = 0.0
            if across[n] != 0.0:
                empty = False
    return empty


def spring_tangent(springs: Springs, state: SpringState, h: float) -> SpringTangent:
    """For a step of h [s]."""
    ns, nn = len(springs.rest), len(springs.link)
    axial, across, turning = np.empty(ns), np.empty(nn), np.empty(ns)
    empty = coefficients(
        springs.first, springs.link, springs.stiffness, springs.damping, springs.rest, springs.tension_only,
        springs.tangent, state.length, state.span, h, axial, across, turning,
    )  # fmt: skip
    return SpringTangent(axial, across, turning, empty)


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


@subroutine
def add_coupling(
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
    block: Floats,
    links: Ints,
    V: Floats,
    F: Floats,
) -> None:
    """F += (h D - h² K - its diagonal blocks) V: what springs transmit from one link to another.

    `block` (nl, 21) has the diagonal blocks of `links`, which are all that springs touch.
    """
    add_tangent_product(first, link, x, axial, across, turning, row, arm, along, E_wj, V, F)
    for s in range(len(links)):
        l = links[s]
        store6(F, l, axpy6(-1.0, sym_times(load21(block, l), load6(V, l)), load6(F, l)))


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
