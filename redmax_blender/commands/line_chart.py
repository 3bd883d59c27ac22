"""A line chart as an SVG file: what a shot plots without any library for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log10
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..engine.shots.figures import Figure

Floats = NDArray[np.float64]

WIDTH, HEIGHT = 720, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 40, 48
"""Margins around the lines, for labels."""
COLOURS = ("#b3123c", "#e8590c", "#1c7ed6", "#2b8a3e", "#6741d9", "#495057")


def line_chart(x: Floats, lines: Mapping[str, Floats], *, title: str, x_label: str, y_label: str) -> str:
    """Lines over common places x, shape (n,) each, by their names."""
    every = np.concatenate([np.asarray(values, float) for values in lines.values()])
    low, high = min(float(every.min()), 0.0), max(float(every.max()), 0.0)
    high = high if high > low else low + 1.0
    across = [value for value in ticks(float(x[0]), float(x[-1])) if x[0] <= value <= x[-1]]
    up = ticks(low, high)
    low, high = min(low, up[0]), max(high, up[-1])

    def at_x(value: float | Floats) -> Floats:
        return np.asarray(LEFT + (value - x[0]) / (x[-1] - x[0]) * (WIDTH - LEFT - RIGHT))

    def at_y(value: float | Floats) -> Floats:
        return np.asarray(HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM))

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="12" fill="#343a40">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(LEFT, 20, title, "start", 14),
        _text(0.5 * (LEFT + WIDTH - RIGHT), HEIGHT - 10, x_label, "middle"),
        f'<g transform="rotate(-90 16 {0.5 * HEIGHT})">{_text(16, 0.5 * HEIGHT, y_label, "middle")}</g>',
    ]
    for value in up:
        shade = "#495057" if value == 0.0 else "#dee2e6"
        y = float(at_y(value))
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{shade}"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{value:g}", "end"))
    parts += [_text(float(at_x(value)), HEIGHT - BOTTOM + 18, f"{value:g}", "middle") for value in across]
    for k, (name, values) in enumerate(lines.items()):
        colour = COLOURS[k % len(COLOURS)]
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(at_x(x), at_y(np.asarray(values, float))))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts.append(_text(WIDTH - RIGHT, TOP - 6 + 16 * k, name, "end", colour=colour))
    return "\n".join([*parts, "</svg>", ""])


def write_figures(folder: Path, name: str, figures: Sequence[Figure]) -> list[Path]:
    """A chart a figure, named after the shot; returns the files."""
    out = []
    for figure in figures:
        chart = line_chart(
            figure.x, figure.lines, title=figure.title, x_label=figure.x_label, y_label=figure.y_label
        )
        path = folder / f"{name}_{figure.name}.svg"
        path.write_text(chart, encoding="utf-8")
        out.append(path)
    return out


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Round numbers from the one below `low` to the one above `high`."""
    rough = max(high - low, 1e-12) / about
    power = 10.0 ** floor(log10(rough))
    step = power * next((m for m in (1.0, 2.0, 2.5, 5.0) if m * power >= rough), 10.0)
    return [k * step for k in range(floor(low / step + 1e-9), ceil(high / step - 1e-9) + 1)]


def _text(x: float, y: float, text: str, anchor: str, size: int = 12, colour: str = "#343a40") -> str:
    style = f'text-anchor="{anchor}" font-size="{size}" fill="{colour}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(text)}</text>'
