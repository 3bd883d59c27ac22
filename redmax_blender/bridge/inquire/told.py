"""What was told about some parts at a frame, as it goes through a pipe. Needs no Blender and loads no engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Row = tuple[str, tuple[float, float, float], tuple[float, float, float]]


@dataclass(frozen=True)
class Told:
    """One moment."""

    t: float
    """[s]"""
    columns: dict[str, float]
    """Figures by their headings, which end with the unit."""
    arrows: list[Row] = field(default_factory=list)
    """Kind, place [m] and vector [N, N·m, kg·m/s] of each."""

    def message(self) -> dict[str, Any]:
        return {"t": self.t, "columns": self.columns, "arrows": self.arrows}

    @staticmethod
    def of(message: dict[str, Any]) -> Told:
        arrows = [(kind, tuple(point), tuple(vector)) for kind, point, vector in message["arrows"]]
        return Told(message["t"], message["columns"], arrows)


def lines(columns: dict[str, float]) -> list[tuple[str, str]]:
    """Figures for people: what, and its value with the unit; the components of a vector together."""
    found: dict[str, list[float]] = {}
    for head, value in columns.items():
        what, _, unit = head.rpartition(" [")
        vector = what[-2:] in (" x", " y", " z")
        found.setdefault(f"{what[:-2] if vector else what} [{unit}", []).append(value)
    return [
        (what.rpartition(" [")[0], f"{', '.join(f'{x:.4g}' for x in values)} {what.rpartition(' [')[2][:-1]}")
        for what, values in found.items()
    ]
