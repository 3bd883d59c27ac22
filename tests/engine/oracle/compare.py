"""How far steps differ from those that a file holds."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .digest import KINDS, Arrays
from .files import Record

FIELDS = {
    "q": ("q", "x", "muscle"),
    "qdot": ("qdot", "v"),
    "forces": ("constraint_force", "friction", "torque", "contact_push", "contact_moment"),
}
"""What is compared together: places [rad, m], velocities [rad/s, m/s], and forces as a part of the largest."""


@dataclass
class Difference:
    """Of a case: largest differences by kind of step and by what is compared, and what else is to be said."""

    largest: dict[tuple[str, str], float] = field(default_factory=dict)
    where: dict[tuple[str, str], int] = field(default_factory=dict)
    """The step at whose state that was."""
    said: list[str] = field(default_factory=list)
    routes: tuple[list[str], list[str]] = ((), ())  # type: ignore[assignment]
    unsettled: tuple[int, int] = (0, 0)
    blur: float = 0.0
    """How much the velocities of a step with the case's own tolerances differed from those with tight ones."""

    def put(self, kind: str, what: str, value: float, step: int) -> None:
        if not value <= self.largest.get((kind, what), -1.0):  # also where it is not a number
            self.largest[kind, what], self.where[kind, what] = value, step


def far(old: Arrays, new: Arrays, what: str) -> float:
    most = 0.0
    for name in FIELDS[what]:
        a, b = old.get(name), new.get(name)
        if a is None or b is None or not (a.size or b.size):
            continue
        if a.shape != b.shape:
            most = np.inf
        else:
            scale = max(1.0, float(np.abs(a).max())) if what == "forces" else 1.0
            change = float(np.abs(a - b).max()) / scale
            most = change if not change <= most else most
    return most


def compare(old: Record, new: Record) -> Difference:
    out = Difference()
    for (k, kind), was in old.results.items():
        now = new.results[k, kind]
        mine, other = old.told[f"{k} {kind}"], new.told[f"{k} {kind}"]
        if mine.get("error") != other.get("error"):
            out.said.append(f"step {k} ({kind}): {mine.get('error')} -> {other.get('error')}")
        elif was:
            for what in FIELDS:
                out.put(kind, what, far(was, now, what), k)
    both = [(old.results[k, "step"], old.results[k, "tight"]) for k in old.states]
    out.blur = max((far(a, b, "qdot") for a, b in both if a and b), default=0.0)
    out.routes = tuple(  # type: ignore[assignment]
        sorted({route for told in each.told.values() for route in told.get("routes", [])})
        for each in (old, new)
    )
    out.unsettled = tuple(  # type: ignore[assignment]
        sum(told.get("unsettled", 0) for told in each.told.values()) for each in (old, new)
    )
    return out


def table(differences: dict[str, Difference]) -> str:
    """Lines for people, the worst by a step with tight tolerances first."""
    head = ["case", *(f"{kind} {what}" for kind in KINDS for what in FIELDS), "blur", "unsettled", "routes"]
    rows = [head]
    for name, each in sorted(
        differences.items(), key=lambda item: -item[1].largest.get(("tight", "qdot"), np.inf)
    ):
        cells = [f"{each.largest.get((kind, what), np.nan):.0e}" for kind in KINDS for what in FIELDS]
        before, after = (", ".join(routes) for routes in each.routes)
        unsettled = f"{each.unsettled[0]} -> {each.unsettled[1]}"
        rows.append(
            [
                name,
                *cells,
                f"{each.blur:.0e}",
                unsettled,
                before if before == after else f"{before} -> {after}",
            ]
        )
    widths = [max(len(row[c]) for row in rows) for c in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    for name, each in differences.items():
        lines += [f"{name}: {said}" for said in each.said]
    return "\n".join(lines)
