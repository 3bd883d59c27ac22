"""The pose that a run begins with: loops that are a little open are closed; for others an error says how far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import ConstraintError
from ..model.records import Model
from ..model.state import Options, State
from ..tree.kinematics import Kinematics, forward_kinematics
from .active import ActiveRows, active_rows
from .naming import names_of
from .newton import newton
from .projection import FAR, levers, position_errors
from .rows import AXES, world_side


def assemble(model: Model, state: State, free: NDArray[np.bool_], options: Options) -> State:
    """The state with its positions on all equality constraints that hold from the start.

    Prescribed joints (not `free`, shape (nr,)) keep their places. Velocities stay as they are: the first step makes
    them fit. Raises ConstraintError where an error is above a hundredth of the scene's size, or cannot be removed.
    """
    c = model.constraints
    if options.stabilisation is not None or not (len(c.rows.type) or len(c.gears.offset)):
        return state
    kin = forward_kinematics(model, state)
    rows = _rows_at_start(model, state, kin, options, free)
    if rows is None:
        return state  # they all take hold later
    _check_facing(model, kin, state.t, rows)
    goal = options.position_tolerance * c.size
    left = np.abs(position_errors(model, state.q, state.chart, state.t, rows)) * levers(model, rows)
    if left.max() <= goal:
        return state
    if left.max() <= FAR * c.size:
        q, left = newton(model, state.q, state.chart, state.t, rows, goal)
        if left.max() <= goal:
            return State(state.t, q, state.qdot, state.chart)
    worst = float(left.max())
    raise ConstraintError(state.t, names_of(model, rows, np.flatnonzero(left > 0.1 * worst)), worst, "m")


def _rows_at_start(
    model: Model, state: State, kin: Kinematics, options: Options, free: NDArray[np.bool_]
) -> ActiveRows | None:
    """Equality rows that hold from the start on; one that takes hold over some time may be open."""
    found = active_rows(model, state, kin, state.t + options.h, options.h, options, free)
    if found is None:
        return None
    spans = model.constraints.active
    later = np.array([any(over > 0.0 and state.t < a + over - 1e-9 for a, _, over in s) for s in spans], bool)
    keep = ~found.inequality
    keep[keep] = ~later[found.owner[keep]]
    if not keep.any():
        return None
    k, g = len(found.index), len(found.gears)
    return ActiveRows(
        found.G[keep],
        found.wanted[keep],
        found.inequality[keep],
        found.owner[keep],
        found.maximal,
        found.index[keep[:k]],
        found.gears[keep[k : k + g]],
        free,
        np.zeros(int(keep.sum())),
        np.zeros(int(keep.sum())),
    )


def _check_facing(model: Model, kin: Kinematics, t: float, rows: ActiveRows) -> None:
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
            raise ConstraintError(t, names_of(model, rows, np.flatnonzero(rows.owner == owner)), angle, "rad")
