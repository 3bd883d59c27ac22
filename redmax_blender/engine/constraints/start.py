"""The pose that a run begins with: loops that are a little open are closed, and others are an error that says how far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import ConstraintError
from ..kinematics import Kinematics, forward_kinematics
from ..model import Floats, Model, Options, State
from ..recursive import factor, mass_times, solve
from ..solvers.constrained import solve_equalities
from .active import ActiveRows, active_rows
from .naming import names_of
from .projection import FAR, levers, position_errors
from .rows import AXES, world_side

_MOST = 30


def assemble(model: Model, state: State, free: NDArray[np.bool_], options: Options) -> State:
    """The state with its positions on all equality constraints that hold from the start.

    Joints move as little as they can, measured by their inertia; prescribed ones (not `free`, shape (nr,)) keep their
    places. Velocities stay as they are: the first step makes them fit. Raises ConstraintError where an error is larger
    than a hundredth of the scene's size, or cannot be removed.
    """
    c = model.constraints
    if options.stabilisation is not None or not (len(c.rows.type) or len(c.gears.offset)):
        return state
    size, goal = c.size, options.position_tolerance * c.size
    first = True
    for _ in range(_MOST):
        kin = forward_kinematics(model, state)
        rows = _rows_at_start(model, state, kin, options, free)
        if rows is None:
            return state  # they all take hold later
        _check_facing(model, kin, state.t, rows, free)
        error = position_errors(model, state.q, state.chart, state.t, rows)
        far = np.abs(error) * levers(model, rows)
        worst = float(far.max())
        if worst <= goal:
            return state
        if first and worst > FAR * size:
            break
        first = False
        ways = _least_motions(model, kin, rows.G, free)
        q = state.q - solve_equalities(rows.G @ ways.T, error) @ ways
        state = State(state.t, q, state.qdot, state.chart)
    assert rows is not None
    bad = np.flatnonzero(far > 0.1 * worst)
    raise ConstraintError(state.t, names_of(model, rows, bad, free), worst, "m")


def _rows_at_start(
    model: Model, state: State, kin: Kinematics, options: Options, free: NDArray[np.bool_]
) -> ActiveRows | None:
    """Equality rows that hold from the start on; one that takes hold over some time may be open."""
    found = active_rows(model, state, kin, state.t + options.h, options.h, options, free)
    if found is None:
        return None
    later = np.array([any(a >= state.t - 1e-9 and over > 0.0 for a, _, over in s) for s in model.constraints.active], bool)
    keep = ~found.inequality
    keep[keep] = ~later[found.owner[keep]]
    k = len(found.index)
    if not keep.any():
        return None
    return ActiveRows(
        found.G[keep],
        found.wanted[keep],
        found.inequality[keep],
        found.owner[keep],
        found.maximal,
        found.index[keep[:k]],
        found.gears[keep[k : k + len(found.gears)]],
        np.zeros(int(keep.sum())),
    )


def _least_motions(model: Model, kin: Kinematics, G: Floats, free: NDArray[np.bool_]) -> Floats:
    """M⁻¹ Gᵀ on the free coordinates, and within couplings where there are any, shape (m, nr)."""
    if model.reduction is None:
        tree = factor(model, kin, free=free)
        return np.array([solve(model, tree, g) for g in G])
    B = model.reduction[:, ~np.any((model.reduction != 0.0) & ~free[:, None], axis=0)]
    MB = np.array([mass_times(model, kin, b) for b in B.T]).T
    return np.asarray(np.linalg.solve(B.T @ MB, B.T @ G.T).T @ B.T)


def _check_facing(
    model: Model, kin: Kinematics, t: float, rows: ActiveRows, free: NDArray[np.bool_]
) -> None:
    """A prescribed orientation must be less than a quarter turn away: half a turn away its rows would be zero too."""
    r = model.constraints.rows
    side = world_side(r, t)
    for owner in np.unique(r.owner[rows.index]):
        three = np.flatnonzero((r.owner == owner) & (r.type == AXES) & (r.turn >= 0))
        if len(three) != 3:
            continue
        R = kin.E_wj[r.link[three[0], 0], :9].reshape(3, 3)
        # row k holds axis k of the body and axis k + 1 of the target
        cosines = [float(R @ r.axis[three[k], 0] @ side.axis[three[k - 1]]) for k in range(3)]
        if min(cosines) < 0.0:
            angle = float(np.arccos(np.clip(0.5 * (sum(cosines) - 1.0), -1.0, 1.0)))
            which = np.flatnonzero(rows.owner == owner)
            raise ConstraintError(t, names_of(model, rows, which, free), angle, "rad")
