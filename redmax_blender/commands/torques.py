"""Torques of a shot's driven joints, as numbers and as a chart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .line_chart import line_chart

if TYPE_CHECKING:
    from ..examples.shots.performance import Performance

LABELS = {"title": "Torque of the motors", "x_label": "time [s]", "y_label": "torque [N·m]"}


def torques(performance: Performance) -> dict[str, Any]:
    """Torque [N·m, N] of each driven joint over the frames of a run, and the times of these [s]."""
    result = performance.result
    found = {name: result.torque[:, result.coordinates(name).start] for name in performance.driven}
    return {"t": result.t, **found} if found else {}


def plot_torques(path: Path, performance: Performance) -> list[Path]:
    """Draw the torques of the driven joints; returns the file, or none where nothing is driven, or too short."""
    lines = torques(performance)
    if not lines or len(lines["t"]) < 3:
        return []
    t = lines.pop("t")
    lines["together"] = sum(lines.values())
    chart = line_chart(t[1:], {name: values[1:] for name, values in lines.items()}, **LABELS)
    path.write_text(chart, encoding="utf-8")
    return [path]
