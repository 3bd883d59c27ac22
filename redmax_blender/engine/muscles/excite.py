"""What excites muscles: curves over time and controllers on joint angles or lengths."""

from __future__ import annotations

import numpy as np

from ..model.curves import evaluate
from ..model.records import Floats
from ..model.state import State
from .compiled import Muscles


def excitations(muscles: Muscles, t: float, state: State, length: Floats, rate: Floats) -> Floats:
    """Excitation of every muscle at time t [s], 0 to 1, with controllers at a state and lengths [m, m/s]."""
    u = np.zeros(len(muscles.names))
    if len(muscles.excitation):
        u[muscles.excitation.target] = evaluate(muscles.excitation, t)[:, 0]
    r = muscles.reflexes
    if len(r.muscle):
        by_length = r.dof < 0
        value = np.where(by_length, length[r.muscle], state.q[r.dof])
        speed = np.where(by_length, rate[r.muscle], state.qdot[r.dof])
        off = value - r.target
        on = ~r.only_beyond | (off > 0.0)
        np.add.at(u, r.muscle, np.where(on, r.gain * off + r.rate_gain * speed, 0.0))
    return np.clip(u, 0.0, 1.0)
