"""Friction inside joints whose motion is given: it changes nothing but what drives them."""

from __future__ import annotations

import numpy as np

from ..model import Floats


def led_friction(J: Floats, bound: float, qdot: Floats, lack: Floats) -> Floats:
    """Generalized impulses on the n coordinates of a joint, of what these need to move as they do, `lack` (n,).

    J (m, n) are the velocities of the surfaces for each of them, `bound` is the largest impulse: all of it against the
    motion, and at rest as much as is needed.
    """
    v = J @ qdot
    if v.any():
        return np.asarray(-bound / np.linalg.norm(v) * v @ J)
    f = np.linalg.lstsq(J.T, lack, rcond=None)[0]
    return np.asarray(min(1.0, bound / max(float(np.linalg.norm(f)), 1e-300)) * f @ J)
