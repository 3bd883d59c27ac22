"""Poses, twists and motion subspaces of all links, from the root outwards (supplement §3, Eq. 14-18)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import joints
from ..algebra.spatial import (
    ZERO6,
    ad_times,
    add6,
    axpy6,
    compose,
    load6,
    load12,
    store6,
    store12,
    twist_down,
)
from ..jit.decorators import njit
from ..model.records import Bodies, Floats, Ints, Model, Tree
from ..model.state import State


@dataclass(frozen=True)
class Kinematics:
    """What follows from a state. Twists and subspaces are in each link's joint frame."""

    E_pj: Floats
    """Pose of each link in its parent link, shape (nl, 12)."""
    E_wj: Floats
    """Pose of each link in the world, shape (nl, 12)."""
    V: Floats
    """Twist of each link [rad/s, m/s], shape (nl, 6)."""
    S: Floats
    """Motion subspace: row r is the twist per unit velocity of coordinate r, shape (nr, 6)."""
    Sdot: Floats
    """Time derivative of S, shape (nr, 6)."""
    A: Floats
    """Jdot·qdot: twist acceleration of each link at zero qddot [rad/s², m/s²], shape (nl, 6)."""


@njit
def forward_pass(
    parent: Ints,
    kind: Ints,
    dof: Ints,
    at: Ints,
    params: Floats,
    E_pj0: Floats,
    chart: Ints,
    q: Floats,
    qdot: Floats,
    E_pj: Floats,
    E_wj: Floats,
    V: Floats,
    S: Floats,
    Sdot: Floats,
    A: Floats,
) -> None:
    for j in range(len(parent)):
        i, n = dof[j], dof[j + 1] - dof[j]
        E = compose(load12(E_pj0, j), joints.transform(kind[j], params, at[j], chart[j], q, i))
        store12(E_pj, j, E)
        joints.subspace(kind[j], params, at[j], chart[j], q, qdot, i, n, S, Sdot)
        rate = ZERO6
        bias = rate
        for k in range(i, i + n):
            rate = axpy6(qdot[k], load6(S, k), rate)
            bias = axpy6(qdot[k], load6(Sdot, k), bias)
        p = parent[j]
        if p < 0:
            store12(E_wj, j, E)
            twist = rate
            acceleration = bias
        else:
            store12(E_wj, j, compose(load12(E_wj, p), E))
            twist = add6(twist_down(E, load6(V, p)), rate)
            acceleration = add6(twist_down(E, load6(A, p)), add6(ad_times(twist, rate), bias))
        store6(V, j, twist)
        store6(A, j, acceleration)


def forward_kinematics(model: Model | Tree, state: State) -> Kinematics:
    """Everything that follows from (q, qdot), in one pass over the links."""
    t = model if isinstance(model, Tree) else model.tree
    nl, nr = len(t.parent), int(t.dof[-1])
    kin = Kinematics(
        E_pj=np.empty((nl, 12)),
        E_wj=np.empty((nl, 12)),
        V=np.empty((nl, 6)),
        S=np.empty((nr, 6)),
        Sdot=np.empty((nr, 6)),
        A=np.empty((nl, 6)),
    )
    forward_pass(
        t.parent, t.kind, t.dof, t.at, t.params, t.E_pj0, state.chart, state.q, state.qdot,
        kin.E_pj, kin.E_wj, kin.V, kin.S, kin.Sdot, kin.A,
    )  # fmt: skip
    return kin


@njit
def place_pass(
    parent: Ints,
    kind: Ints,
    dof: Ints,
    at: Ints,
    params: Floats,
    E_pj0: Floats,
    chart: Ints,
    q: Floats,
    still: Floats,
    E_pj: Floats,
    E_wj: Floats,
    S: Floats,
    Sdot: Floats,
) -> None:
    for j in range(len(parent)):
        i, n = dof[j], dof[j + 1] - dof[j]
        E = compose(load12(E_pj0, j), joints.transform(kind[j], params, at[j], chart[j], q, i))
        store12(E_pj, j, E)
        joints.subspace(kind[j], params, at[j], chart[j], q, still, i, n, S, Sdot)
        p = parent[j]
        store12(E_wj, j, E if p < 0 else compose(load12(E_wj, p), E))


def kinematics_at_rest(model: Model, q: Floats, chart: Ints) -> Kinematics:
    """What `forward_kinematics` gives at zero velocities, for less: position solvers call it many times a step."""
    t = model.tree
    nl, nr = model.nl, model.nr
    still: Floats = np.zeros((nl, 6))
    kin = Kinematics(
        np.empty((nl, 12)), np.empty((nl, 12)), still, np.empty((nr, 6)), np.empty((nr, 6)), still
    )
    place_pass(
        t.parent, t.kind, t.dof, t.at, t.params, t.E_pj0, chart, q, np.zeros(nr),
        kin.E_pj, kin.E_wj, kin.S, kin.Sdot,
    )  # fmt: skip
    return kin


@njit
def _compose_rows(a: Floats, index: Ints, b: Floats, out: Floats) -> None:
    for k in range(len(index)):
        store12(out, k, compose(load12(a, index[k]), load12(b, k)))


def body_poses(bodies: Bodies, kin: Kinematics) -> Floats:
    """World pose of every body frame (centre of mass, principal axes), shape (nb, 12)."""
    out: Floats = np.empty((len(bodies.link), 12))
    _compose_rows(kin.E_wj, bodies.link, bodies.E_jb, out)
    return out


@njit
def _twists_down(V: Floats, index: Ints, E: Floats, out: Floats) -> None:
    for k in range(len(index)):
        store6(out, k, twist_down(load12(E, k), load6(V, index[k])))


def body_twists(bodies: Bodies, V: NDArray[np.float64]) -> Floats:
    """Twist of every body in its body frame, from link twists V (nl, 6); shape (nb, 6)."""
    out: Floats = np.empty((len(bodies.link), 6))
    _twists_down(V, bodies.link, bodies.E_jb, out)
    return out
