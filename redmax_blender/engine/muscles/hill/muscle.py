"""A musculotendon's constants, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model.records import Floats
from .curves import CURVES, Shapes, undamped

Records = NDArray[Any]
"""Of muscles, shape (n,)."""

HILL = np.dtype(
    (
        np.record,
        [
            ("force", np.float64),  # greatest active force [N]
            ("fibre", np.float64),  # optimal fibre length [m]
            ("slack", np.float64),  # tendon slack length [m]
            ("height", np.float64),  # of the parallelogram that pennate fibres keep [m]
            ("shortest", np.float64),  # fibre length at which it cannot shorten any more [m]
            ("speed", np.float64),  # fastest shortening [m/s]
            ("damping", np.float64),  # of the fibre, normalized force over normalized velocity
            ("rise", np.float64),  # activation time constant [s]
            ("fall", np.float64),  # deactivation time constant [s]
            ("least", np.float64),  # smallest activation
            ("rigid", np.int64),  # 1: a tendon that does not stretch
            ("curves", np.int64),  # number of its first curve
        ],
    )
)

_STEEPEST = float(np.arccos(0.1))
"""Greatest pennation angle [rad]."""


@dataclass(frozen=True)
class Hill:
    """What a user says of a musculotendon. Defaults are those of Millard et al. (2013)."""

    max_force: float
    """Greatest active force of the fibres [N]."""
    optimal_length: float
    """Fibre length at which it is [m]."""
    slack_length: float
    """Length at which the tendon begins to pull [m]."""
    pennation: float = 0.0
    """Angle of fibres of optimal length to the tendon [rad]."""
    max_velocity: float = 10.0
    """Fastest shortening [optimal lengths / s]."""
    damping: float = 0.1
    """Of the fibre; without, force cannot vanish with activation (`undamped`)."""
    activation_time: float = 0.01
    """[s]"""
    deactivation_time: float = 0.04
    """[s]"""
    min_activation: float = 0.01
    rigid_tendon: bool = False
    shapes: Shapes | None = None
    """Curves; those of the literature when null."""


def pack(muscles: list[Hill]) -> tuple[Records, Floats]:
    """Records and curves, shapes (n,) and (4 m, WIDTH); muscles with the same shapes share curves."""
    records = np.zeros(len(muscles), HILL)
    known: dict[Shapes, int] = {}
    for r, m in zip(records, muscles, strict=True):
        damped = m.damping > 0.0
        least = m.min_activation if damped else max(m.min_activation, 0.01)
        shapes = m.shapes or (Shapes() if damped else undamped())
        number = known.setdefault(shapes, len(known))
        height = m.optimal_length * np.sin(m.pennation)
        shortest = max(m.optimal_length * shapes.active.shortest, height / np.sin(_STEEPEST))
        r["force"], r["fibre"], r["slack"] = m.max_force, m.optimal_length, m.slack_length
        r["height"], r["shortest"] = height, shortest
        r["speed"], r["damping"] = m.max_velocity * m.optimal_length, m.damping
        r["rise"], r["fall"], r["least"] = m.activation_time, m.deactivation_time, least
        r["rigid"], r["curves"] = int(m.rigid_tendon), CURVES * number
    curves = np.concatenate([s.rows() for s in known]) if known else np.zeros((0, 0))
    return records, np.ascontiguousarray(curves)
