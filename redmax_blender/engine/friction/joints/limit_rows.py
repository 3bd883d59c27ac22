"""Friction at the stops of joints: a coordinate that moves while another one of its joint is pressed against a stop.

Like contacts, it is bounded by what presses: the impulse of the stop, times a coefficient.
"""

from __future__ import annotations

import numpy as np

from ...constraints.active import ActiveRows
from ...model.records import Floats, Ints
from .arrays import StopRubs


def stop_rows(stops: StopRubs, rows: ActiveRows | None, nr: int) -> tuple[Floats, Floats, Ints]:
    """For stops that may be reached in a step: rows (m, nr), coefficients (m,), and the row that presses each (m,)."""
    owner = np.zeros(0, np.int64) if rows is None else rows.owner
    which, normal = np.nonzero(-1 - stops.limit[:, None] == owner[None, :])
    G: Floats = np.zeros((len(which), nr))
    G[np.arange(len(which)), stops.dof[which]] = 1.0
    return G, stops.mu[which], normal.astype(np.int64)
