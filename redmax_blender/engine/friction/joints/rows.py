"""Friction inside joints as rows in reduced coordinates, and the loads that all joints carry."""

from __future__ import annotations

import numpy as np

from ...forces.springs import tangent_times
from ...jit.decorators import njit
from ...model.records import Floats, Ints, Model
from ...solvers.implicit_system import ImplicitSystem
from ...tree.jacobian import jacobian_times
from ...tree.kinematics import Kinematics
from ...tree.passes import spread, transmitted
from ..contacts.rows import add_row_wrenches
from .arrays import Rubs
from .loads import BALL, PLATE, friction_bounds


def rub_rows(rubs: Rubs, kin: Kinematics, nr: int) -> tuple[Ints, Floats]:
    """The first row of each pair of surfaces, (n+1,), and the rows (m, nr).

    One coordinate is a row of its own. A ball has the three components of its angular velocity, a plate its velocity
    along two directions.
    """
    first = np.concatenate([[0], np.cumsum(rubs.dofs)]).astype(np.int64)
    G: Floats = np.zeros((int(first[-1]), nr))
    single = rubs.dofs == 1
    G[first[:-1][single], rubs.dof[single]] = 1.0
    for i in np.flatnonzero(~single):
        k, n = rubs.dof[i], rubs.dofs[i]
        rows, S = slice(first[i], first[i + 1]), kin.S[k : k + n]
        if rubs.shape[i] == BALL:
            G[rows, k : k + n] = S[:, :3].T
        elif rubs.shape[i] == PLATE:
            Q = np.linalg.qr(S[:, 3:].T)[0]
            G[rows, k : k + n] = Q.T @ S[:, 3:].T
    return first, G


@njit
def _joint_loads(
    parent: Ints,
    dof: Ints,
    mass: Floats,
    A_r: Floats,
    E_pj: Floats,
    S: Floats,
    F: Floats,
    b_r: Floats,
    qdot: Floats,
    shape: Ints,
    link: Ints,
    rub_dof: Ints,
    size: Floats,
    points: int,
    out: Floats,
) -> None:
    nl, nr = len(parent), len(qdot)
    V, wrench, lack = np.empty((nl, 6)), np.empty((nl, 6)), np.empty(nr)
    spread(parent, dof, E_pj, S, qdot, V)
    transmitted(parent, dof, mass, A_r, E_pj, S, F, b_r, qdot, V, wrench, lack)
    friction_bounds(shape, link, rub_dof, size, points, S, wrench, out)


def joint_loads(
    model: Model,
    system: ImplicitSystem,
    rubs: Rubs,
    F: Floats,
    pushes: list[tuple[Ints, Floats, Floats]],
    qdot: Floats,
) -> Floats:
    """Largest friction over μ of each pair, shape (n,), with the impulses F on the links and those of rows.

    `pushes` are rows in maximal coordinates: links (m, 2), derivatives (m, 2, 6) and impulses (m,).
    """
    out: Floats = np.zeros(len(rubs))
    if not len(rubs):
        return out
    F = F.copy()
    for link, G, value in pushes:
        add_row_wrenches(link, G, value, F)
    t, kin = model.tree, system.kin
    if system.springs is not None:
        # not by blocks of single links: a spring between two of them feels how both move
        F -= tangent_times(model.springs, *system.springs, kin, jacobian_times(model, kin, qdot))
    _joint_loads(
        t.parent, t.dof, t.inertia + system.A_m, system.A_r, kin.E_pj, kin.S, F,
        np.zeros(model.nr), qdot, rubs.shape, rubs.link, rubs.dof, rubs.size, rubs.points, out,
    )  # fmt: skip
    return out
