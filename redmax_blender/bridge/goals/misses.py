"""How far a search has stayed away from what was wanted, in words that say what to do."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

FAR = 0.01
"""Distance [m] or speed [m/s] from which a goal is missed."""


def farthest_miss(wanted: Any, terms: Mapping[str, float]) -> tuple[int, float] | None:
    """Number of the goal that is missed by most, from 1 on, and by how much [m, m/s]; None where none is missed.

    What a goal adds to the objective is half its weight times the square of that.
    """
    worst: tuple[int, float] | None = None
    for i, goal in enumerate(wanted):
        if goal.kind not in ("REACH", "REST") or not goal.weight > 0.0:
            continue
        off = sqrt(max(2.0 * terms.get(f"goal {i + 1}", 0.0) / goal.weight, 0.0))
        if off > FAR and (worst is None or off > worst[1]):
            worst = (i + 1, off)
    return worst
