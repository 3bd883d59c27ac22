"""Changes of a rotation's coordinates between steps, backwards: another Euler chart, a rotation vector without a turn.

Both keep the rotation and the angular velocity: S' δq' = S δq, and S' δqdot' + dS'[δq'] qdot' = S δqdot + dS[δq] qdot.
"""

from __future__ import annotations

import numpy as np

from .. import joints
from ..jit.decorators import njit
from ..model.records import Floats, Ints, Model
from ..model.state import State
from ..tree.kinematics import forward_kinematics


@njit
def _gradient(kind: int, params: Floats, at: int, chart: int, q: Floats, i: int, dS: Floats) -> None:
    joints.subspace_gradient(kind, params, at, chart, q, i, dS)


def subspace_slopes(model: Model, s: State, j: int, rates: Floats) -> Floats:
    """d(S rates)/dq of a link, angular part, shape (3, n)."""
    t = model.tree
    i, n = int(t.dof[j]), int(t.dof[j + 1] - t.dof[j])
    dS = np.zeros((3, 3, 6))
    _gradient(int(t.kind[j]), t.params, int(t.at[j]), int(s.chart[j]), s.q, i, dS)
    return np.asarray(np.einsum("kmc,m->ck", dS[:n, :n, :3], rates))


def _turning(model: Model, s: State, S: Floats, j: int) -> tuple[Floats, Floats]:
    """Angular columns of S, and d(S qdot)/dq, each (3, 3), of a link with three coordinates."""
    t = model.tree
    i = int(t.dof[j])
    dS = np.zeros((3, 3, 6))
    _gradient(int(t.kind[j]), t.params, int(t.at[j]), int(s.chart[j]), s.q, i, dS)
    return S[i : i + 3, :3].T, np.einsum("kmc,m->ck", dS[:, :, :3], s.qdot[i : i + 3])


def changed_links(before: State, after: State, dof: Ints) -> Ints:
    """Links whose coordinates are others, although nothing has moved."""
    differs = (before.q != after.q) | (before.qdot != after.qdot)
    return np.array([j for j in range(len(dof) - 1) if differs[dof[j] : dof[j + 1]].any()], np.int64)


def back(model: Model, before: State, after: State, q_bar: Floats, qdot_bar: Floats) -> tuple[Floats, Floats]:
    """Derivatives by q and qdot before such a change, from those after it."""
    if before is after:
        return q_bar, qdot_bar
    links = changed_links(before, after, model.tree.dof)
    if not len(links):
        return q_bar, qdot_bar
    q_bar, qdot_bar = q_bar.copy(), qdot_bar.copy()
    S0, S1 = forward_kinematics(model, before).S, forward_kinematics(model, after).S
    for j in links:
        i = int(model.tree.dof[j])
        a, da = _turning(model, before, S0, int(j))
        b, db = _turning(model, after, S1, int(j))
        J = np.linalg.solve(b, a)
        K = np.linalg.solve(b, da - db @ J)
        span = slice(i, i + 3)
        q_bar[span], qdot_bar[span] = (
            J.T @ q_bar[span] + K.T @ qdot_bar[span],
            J.T @ qdot_bar[span],
        )
    return q_bar, qdot_bar
