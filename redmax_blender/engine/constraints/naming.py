"""What stands in the way of what, in words for an error message."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import ConstraintError
from ..model.records import Floats, Ints, Model
from .active import ActiveRows

Mask = NDArray[np.bool_]
_CONTRADICTION = 1e-6
"""A limit that is missed by more than this fraction of the velocities is contradicted."""


def names_of(model: Model, rows: ActiveRows, which: Ints) -> list[str]:
    """The constraints, limits and prescribed joints that the given rows have to do with, each once."""
    c = model.constraints
    names: list[str] = []
    for i in which:
        owner = int(rows.owner[i])
        if owner >= 0:
            names.append(c.names[owner])
        else:
            names.append(f"limit of {model.joint_of(int(c.limits.dof[-1 - owner]))}")
    # a prescribed joint takes part where a row would move it
    held = np.flatnonzero(~rows.free & np.any(rows.G[which] != 0.0, axis=0))
    names += [f"motion of {model.joint_of(int(k))}" for k in held]
    return list(dict.fromkeys(names))


def in_the_way(rows: ActiveRows, bad: Mask, touched: Mask) -> Ints:
    """The bad rows, and those of the touched limits that are of coordinates which these would move."""
    moves = np.any(rows.G[bad] != 0.0, axis=0)
    return np.flatnonzero(bad | (touched & np.any((rows.G != 0.0) & moves, axis=1)))


def check_limits(
    model: Model, rows: ActiveRows, qdot: Floats, unconstrained: Floats, t: float, blur: float = 0.0
) -> None:
    """Stop where limits contradict other constraints, rather than with a motion through them.

    blur: what a solution by iteration may miss [m/s, rad/s].
    """
    if not rows.inequality.any() or not np.isfinite(unconstrained).all():
        return
    miss = np.where(rows.inequality, rows.wanted - rows.G @ qdot, 0.0)
    if np.isfinite(miss).all():
        scale = np.abs(rows.wanted).max() + np.abs(rows.G @ unconstrained).max() + 1e-9
        if not miss.max() > _CONTRADICTION * scale + blur:
            return
        bad = np.flatnonzero((miss > 0.1 * miss.max()) | ~rows.inequality)
        residual = float(miss.max())
    else:  # no multipliers at all
        bad = np.arange(len(rows.owner))
        residual = float(np.max(rows.wanted - rows.G @ unconstrained))
    raise ConstraintError(t, names_of(model, rows, bad), residual, "m/s or rad/s")
