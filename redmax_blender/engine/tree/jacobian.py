"""Products with the Jacobian that takes reduced to maximal velocities, without forming it (supplement Alg. 1-3).

The maximal quantities of the kernels are link twists and wrenches in joint frames, shape (nl, 6). The dense forms,
for tests and small systems, stack body twists in body frames as the papers do: φ = J qdot.
"""

from __future__ import annotations

import numpy as np

from ..algebra.spatial import ZERO6, ad_times, add6, axpy6, dot6, load6, load12, store6, twist_down, wrench_up
from ..jit.decorators import njit
from ..model.records import Floats, Ints, Model
from .kinematics import Kinematics, body_twists


@njit
def _times(parent: Ints, dof: Ints, E_pj: Floats, S: Floats, x: Floats, out: Floats) -> None:
    for j in range(len(parent)):
        rate = ZERO6
        for k in range(dof[j], dof[j + 1]):
            rate = axpy6(x[k], load6(S, k), rate)
        if parent[j] >= 0:
            rate = add6(twist_down(load12(E_pj, j), load6(out, parent[j])), rate)
        store6(out, j, rate)


@njit
def _transpose_times(parent: Ints, dof: Ints, E_pj: Floats, S: Floats, F: Floats, out: Floats) -> None:
    """Overwrites F with the wrenches accumulated over each link's subtree."""
    for j in range(len(parent) - 1, -1, -1):
        wrench = load6(F, j)
        for k in range(dof[j], dof[j + 1]):
            out[k] = dot6(load6(S, k), wrench)
        if parent[j] >= 0:
            p = parent[j]
            store6(F, p, add6(load6(F, p), wrench_up(load12(E_pj, j), wrench)))


@njit
def _dot_times(
    parent: Ints,
    dof: Ints,
    E_pj: Floats,
    V: Floats,
    S: Floats,
    Sdot: Floats,
    qdot: Floats,
    x: Floats,
    W: Floats,
    out: Floats,
) -> None:
    """Jdot x, with W = J x along the way: d/dt of the recursion W = Ad(E⁻¹) W_p + S x at constant x."""
    for j in range(len(parent)):
        zero = ZERO6
        rate, own, bias = zero, zero, zero
        for k in range(dof[j], dof[j + 1]):
            rate = axpy6(x[k], load6(S, k), rate)
            own = axpy6(qdot[k], load6(S, k), own)
            bias = axpy6(x[k], load6(Sdot, k), bias)
        p = parent[j]
        if p >= 0:
            E = load12(E_pj, j)
            carried = twist_down(E, load6(W, p))
            rate = add6(carried, rate)
            # d/dt Ad(E⁻¹) = -ad(S qdot) Ad(E⁻¹)
            bias = add6(bias, add6(twist_down(E, load6(out, p)), ad_times(carried, own)))
        store6(W, j, rate)
        store6(out, j, bias)


def jacobian_times(model: Model, kin: Kinematics, x: Floats) -> Floats:
    """J x: link twists in joint frames, shape (nl, 6)."""
    out: Floats = np.empty((model.nl, 6))
    _times(model.tree.parent, model.tree.dof, kin.E_pj, kin.S, x, out)
    return out


def jacobian_transpose_times(model: Model, kin: Kinematics, F: Floats) -> Floats:
    """Jᵀ F: generalized forces of link wrenches in joint frames, shape (nr,)."""
    out: Floats = np.empty(model.nr)
    _transpose_times(model.tree.parent, model.tree.dof, kin.E_pj, kin.S, F.copy(), out)
    return out


def jacobian_dot_times(model: Model, kin: Kinematics, qdot: Floats, x: Floats) -> Floats:
    """Jdot x at velocity qdot: link twist accelerations in joint frames, shape (nl, 6)."""
    W: Floats = np.empty((model.nl, 6))
    out: Floats = np.empty((model.nl, 6))
    t = model.tree
    _dot_times(t.parent, t.dof, kin.E_pj, kin.V, kin.S, kin.Sdot, qdot, x, W, out)
    return out


def dense_jacobian(model: Model, kin: Kinematics) -> Floats:
    """J of the papers: body twists in body frames per reduced velocity, shape (6 nb, nr)."""
    columns = [body_twists(model.bodies, jacobian_times(model, kin, e)).ravel() for e in np.eye(model.nr)]
    return np.array(columns).reshape(model.nr, 6 * len(model.bodies.names)).T


def dense_jacobian_dot(model: Model, kin: Kinematics, qdot: Floats) -> Floats:
    """Jdot of the papers, shape (6 nb, nr)."""
    columns = [
        body_twists(model.bodies, jacobian_dot_times(model, kin, qdot, e)).ravel() for e in np.eye(model.nr)
    ]
    return np.array(columns).reshape(model.nr, 6 * len(model.bodies.names)).T


def dense_link_jacobian(model: Model, kin: Kinematics) -> Floats:
    """J in joint frames, shape (6 nl, nr)."""
    columns = [jacobian_times(model, kin, e).ravel() for e in np.eye(model.nr)]
    return np.array(columns).reshape(model.nr, 6 * model.nl).T
