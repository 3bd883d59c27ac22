"""What makes the staircases of a model: pairs of surfaces that rub, motors and stops, by coordinate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ...model.records import Model

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Sources:
    """Pairs of surfaces, then motors, then stops; ns of them."""

    first: Ints
    """Coordinate k has the sources source[first[k]:first[k+1]], shape (nr+1,)."""
    source: Ints
    """shape (ns,)."""
    dof: Ints
    """The coordinate of each, shape (ns,)."""
    rubs: int
    motors: int
    stops: int

    def __len__(self) -> int:
        return len(self.source)


def sources_of(model: Model) -> Sources:
    """Those of single coordinates; balls and plates are not among them."""
    friction, stops = model.friction, model.constraints.limits.dof
    rubs = motors = np.zeros(0, np.int64)
    if friction is not None:
        rubs, motors = friction.rubs.dof, friction.motors.speed.target
    dof = np.concatenate([rubs, motors, stops]).astype(np.int64)
    source = np.argsort(dof, kind="stable").astype(np.int64)
    first = np.searchsorted(dof[source], np.arange(model.nr + 1)).astype(np.int64)
    return Sources(first, source, dof, len(rubs), len(motors), len(stops))
