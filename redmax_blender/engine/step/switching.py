"""How motions are followed and which constraints hold from one time to the next, for kernels that take many steps, and
how many steps there are until the next switch. The step in which something switches is left to the general route."""

from __future__ import annotations

import numpy as np

from ..forces.joint import motion_modes
from ..model.records import Floats, Ints, Model
from ..tree.charts import turn_limits

_NEAR = 1e-6
"""Part of a step before and after a switch of modes that is the switch's own: times are sums of steps."""
_ALWAYS = 1 << 30


class Switching:
    """For steps of h [s]."""

    def __init__(self, model: Model, h: float, near: float = _NEAR) -> None:
        """near: steps before and after a switch that are the switch's own."""
        self.model, self.h, self.segment = model, h, -1
        near *= h
        spans = [(s - near, s + over + near) for each in model.joints.switches for s, _, over in each]
        for a, b, over in (span for every in model.constraints.active for span in every):
            spans += [(a - near, a + over + near), (b - near, b + near)]
        spans = [span for span in spans if np.isfinite(span).all()]
        spans.sort(key=lambda span: span[1])
        self.ends = np.array([end for _, end in spans])
        begins = np.array([begin for begin, _ in spans])
        self.begins = np.minimum.accumulate(begins[::-1])[::-1]
        """The first begin of the spans that end no earlier, shape (n,)."""

    def until(self, t: float) -> tuple[int, bool]:
        """How many steps from time t [s] on are away from switches of modes, and whether other modes hold than when
        this was last asked."""
        i = int(np.searchsorted(self.ends, t))
        changed, self.segment = i != self.segment, i
        if i == len(self.ends):
            return _ALWAYS, changed
        return max(int((self.begins[i] - t) / self.h), 0), changed

    def modes(self, t: float) -> Ints:
        """The mode of each motion in steps after time t [s]."""
        return motion_modes(self.model, t + self.h)

    def turn_limits(self, t: float) -> Floats:
        return turn_limits(self.model, t)
