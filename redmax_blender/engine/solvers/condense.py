"""The free vertices of flesh eliminated: what is left of them on the bones' coordinates.

With L Lᵀ the factor of the free vertices' matrix and Z = L⁻¹ A_fq, flesh adds J_hᵀ B_hh J_h - Zᵀ Z to the matrix of the
bones; one more column of Z carries the right-hand side.
"""

from __future__ import annotations

import numpy as np

from ..algebra.spatial import cross, load6, load12, rotate
from ..fem.flesh import Flesh
from ..fem.solving.cholesky import Elimination, forwards
from ..jit.decorators import njit
from ..model.records import Floats, Ints, Tree
from ..tree.kinematics import Kinematics


@njit
def _held_jacobian(
    parent: Ints, dof: Ints, E_wj: Floats, S: Floats, link: Ints, x: Floats, J: Floats
) -> None:
    nr = S.shape[0]
    world = np.empty((nr, 6))  # of each coordinate: angular velocity, and velocity of what is at the origin
    for j in range(len(parent)):
        E = load12(E_wj, j)
        for k in range(dof[j], dof[j + 1]):
            s = load6(S, k)
            w, v = rotate(E, (s[0], s[1], s[2])), rotate(E, (s[3], s[4], s[5]))
            m = cross((E[9], E[10], E[11]), w)
            for c in range(3):
                world[k, c], world[k, 3 + c] = w[c], v[c] + m[c]
    for i in range(len(link)):
        j = link[i]
        while j >= 0:
            for k in range(dof[j], dof[j + 1]):
                J[i, 0, k] = world[k, 3] + world[k, 1] * x[i, 2] - world[k, 2] * x[i, 1]
                J[i, 1, k] = world[k, 4] + world[k, 2] * x[i, 0] - world[k, 0] * x[i, 2]
                J[i, 2, k] = world[k, 5] + world[k, 0] * x[i, 1] - world[k, 1] * x[i, 0]
            j = parent[j]


def held_jacobian(tree: Tree, kin: Kinematics, flesh: Flesh, x: Floats) -> Floats:
    """J_h of held vertices at the places x (nh, 3) [m], shape (nh, 3, nr)."""
    J: Floats = np.zeros((len(flesh.link), 3, len(kin.S)))
    _held_jacobian(tree.parent, tree.dof, kin.E_wj, kin.S, flesh.link, x, J)
    return J


@njit
def _condense(
    order: Ints,
    held: Ints,
    number: Ints,
    first: Ints,
    held_from: Ints,
    column: Ints,
    value: Floats,
    J: Floats,
    b: Floats,
    Z: Floats,
    C: Floats,
) -> None:
    """Z = (A_fq, b_f), and C += J_hᵀ B_hh J_h."""
    nr = J.shape[2]
    for o in range(len(order)):
        i = order[o]
        for n in range(held_from[i], first[i + 1]):
            h = number[column[n]]
            for r in range(3):
                a, d, e = value[n, 3 * r], value[n, 3 * r + 1], value[n, 3 * r + 2]
                for k in range(nr):
                    Z[o, r, k] += a * J[h, 0, k] + d * J[h, 1, k] + e * J[h, 2, k]
        for r in range(3):
            Z[o, r, nr] = b[i, r]
    y = np.empty((3, nr))
    for g in range(len(held)):
        i = held[g]
        y[:] = 0.0
        for n in range(held_from[i], first[i + 1]):
            h = number[column[n]]
            for r in range(3):
                a, d, e = value[n, 3 * r], value[n, 3 * r + 1], value[n, 3 * r + 2]
                for k in range(nr):
                    y[r, k] += a * J[h, 0, k] + d * J[h, 1, k] + e * J[h, 2, k]
        for r in range(3):
            for k in range(nr):
                s = J[g, r, k]
                if s != 0.0:
                    for l in range(nr):
                        C[k, l] += s * y[r, l]


@njit
def _square(Z: Floats, C: Floats, c: Floats) -> None:
    """C - Zᵀ Z on and above the diagonal, and then mirrored; c - Zᵀ z, where z is one column more in Z."""
    nr = C.shape[0]
    for o in range(Z.shape[0]):
        for r in range(3):
            last = Z[o, r, nr]
            for k in range(nr):
                s = Z[o, r, k]
                if s != 0.0:
                    c[k] -= s * last
                    for l in range(k, nr):
                        C[k, l] -= s * Z[o, r, l]
    for k in range(nr):
        for l in range(k):
            C[k, l] = C[l, k]


@njit
def _combine(Z: Floats, qdot: Floats, share: float, y: Floats) -> None:
    nr = len(qdot)
    for o in range(Z.shape[0]):
        for r in range(3):
            total = share * Z[o, r, nr]
            for k in range(nr):
                total -= Z[o, r, k] * qdot[k]
            y[o, r] = total


def combine(Z: Floats, qdot: Floats, share: float) -> Floats:
    """share · z - Z qdot, z being the right side's column, shape (nf, 3)."""
    y: Floats = np.empty(Z.shape[:2])
    _combine(Z, qdot, share, y)
    return y


def condense(
    flesh: Flesh, e: Elimination, L: Floats, value: Floats, J: Floats, b: Floats, C: Floats, c: Floats
) -> Floats:
    """Make C (nr, nr), the upper triangle of the bones' matrix, and c (nr,), their right side, those with flesh.

    Returns Z with the right side's column, shape (nf, 3, nr + 1).
    """
    p = flesh.pattern
    Z: Floats = np.zeros((len(e.order), 3, len(C) + 1))
    _condense(e.order, p.held, flesh.held_number, p.first, p.held_from, p.column, value, J, b, Z, C)
    forwards(e, L, Z)
    _square(Z, C, c)
    return Z
