"""Springs and dampers along lines through points of bodies (thesis §3.10), with everything an implicit step needs.

A spring is a polyline of nodes, each at a constant place of a link or of the world. Its length l has the gradient
g_i = ∂l/∂x_i at node i; the tension T = k (l - L) + d dl/dt pulls node i with -T g_i. Pulled back to the links,
g becomes one wrench-like row γ_i = Γ(x_i)ᵀ Rᵀ g_i a node, and the rate of the length is Σ γ_i · V.

`spring_tangent.py` has the stiffness and damping that an implicit step sees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.spatial import Tuple, cross, load12, rotate, transform_point, unrotate
from ..jit.decorators import inline, njit
from ..model.records import Floats, Ints, Springs
from ..tree.kinematics import Kinematics
from .spring_tangent import (
    EXPLICIT,
    SHORT,
    TANGENTS,
    SpringTangent,
    add_diagonal_blocks,
    add_tangent_product,
    spring_tangent,
    tangent_times,
)

__all__ = [
    "TANGENTS", "SpringState", "SpringTangent", "add_diagonal_blocks", "add_spring_wrenches", "add_tangent_product",
    "elastic_tension", "measure_springs", "spring_energy", "spring_tangent", "tangent_times",
]  # fmt: skip


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
def measure(
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
            inv = 1.0 / d if d > SHORT else 0.0
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
    measure(
        springs.first, springs.link, springs.x, springs.stiffness, springs.damping, springs.rest,
        springs.tension_only, kin.E_wj, kin.V, state.length, state.rate, state.tension, state.row, state.arm,
        state.along, state.span,
    )  # fmt: skip
    return state


@njit
def push_nodes(first: Ints, link: Ints, row: Floats, pull: Floats, F: Floats) -> None:
    for s in range(len(pull)):
        for n in range(first[s], first[s + 1]):
            if link[n] >= 0:
                for c in range(6):
                    F[link[n], c] -= pull[s] * row[n, c]


def add_spring_wrenches(springs: Springs, state: SpringState, pull: Floats, F: Floats) -> None:
    """Add the wrenches of springs that pull with the tensions `pull` [N] to the link wrenches F (nl, 6)."""
    push_nodes(springs.first, springs.link, state.row, pull, F)


@njit
def elastic(
    damping: Floats,
    rest: Floats,
    tension_only: Ints,
    tangent: Ints,
    length: Floats,
    rate: Floats,
    tension: Floats,
    out: Floats,
) -> None:
    for s in range(len(rest)):
        out[s] = tension[s]
        if tangent[s] != EXPLICIT and (length[s] > rest[s] or tension_only[s] == 0):
            out[s] -= damping[s] * rate[s]


def elastic_tension(springs: Springs, state: SpringState) -> Floats:
    """Tension without the damper of the springs that are implicit, whose damping the system's matrix brings [N]."""
    out: Floats = np.empty(len(springs.rest))
    elastic(
        springs.damping, springs.rest, springs.tension_only, springs.tangent, state.length, state.rate,
        state.tension, out,
    )  # fmt: skip
    return out


def spring_energy(springs: Springs, state: SpringState) -> float:
    """[J]"""
    stretch = state.length - springs.rest
    pulls = (stretch > 0.0) | (springs.tension_only == 0)
    return 0.5 * float(np.sum(springs.stiffness * stretch * stretch * pulls))
