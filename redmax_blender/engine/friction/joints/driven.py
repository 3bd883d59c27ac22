"""Friction inside joints whose motion is given: it changes nothing but what drives them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...model.records import Floats
from .arrays import Rubs


def led_friction(
    rubs: Rubs,
    bound: Floats,
    rows_of: Callable[[int], Floats],
    free: NDArray[np.bool_],
    qdot: Floats,
    lack: Floats,
) -> Floats:
    """Generalized impulses of friction in joints that are not free, of what their motion needs, `lack`; shapes (nr,).

    rows_of: of pair i the velocities of its surfaces for each of the n coordinates of its joint, shape (m, n).
    """
    out: Floats = np.zeros_like(lack)
    for i, (k, n) in enumerate(zip(rubs.dof, rubs.dofs, strict=True)):
        mine = slice(k, k + n)
        if not free[k]:
            out[mine] = _of_joint(rows_of(i), float(bound[i]), qdot[mine], lack[mine])
    return out


def _of_joint(J: Floats, bound: float, qdot: Floats, lack: Floats) -> Floats:
    """All that surfaces can give against the motion, and at rest as much as is needed."""
    v = J @ qdot
    if v.any():
        return np.asarray(-bound / np.linalg.norm(v) * v @ J)
    f = np.linalg.lstsq(J.T, lack, rcond=None)[0]
    return np.asarray(min(1.0, bound / max(float(np.linalg.norm(f)), 1e-300)) * f @ J)
