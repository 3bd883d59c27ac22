"""Viscous drag on the twist of every body."""

from __future__ import annotations

import numpy as np

from ..algebra.se3 import symmetric
from ..model.records import Floats, Model

_NONE: Floats = np.zeros((0, 6))


def drag_wrenches(model: Model, V: Floats) -> Floats:
    """Wrench on each link in its joint frame [N·m, N], shape (nl, 6), or (0, 6) where nothing is damped."""
    if not model.tree.damping.any():
        return _NONE
    return np.asarray(-np.einsum("lij,lj->li", symmetric(model.tree.damping), V))
