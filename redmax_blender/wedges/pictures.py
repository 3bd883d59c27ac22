"""What a wedge looks like, as SVG files: a contact sheet of its runs, and a chart of a measure over what is varied."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bridge.recording.frame_file import StoredFrame, iterate_frames
from ..commands.line_chart import line_chart
from ..engine.scene import SceneSpec
from ..engine.scene import shapes as kinds
from ..engine.scene.file import load_scene
from .folder import Plan, frames_path, scene_path
from .measures import MEASURES
from .outlines import outline

Floats = NDArray[np.float64]

TILE, CAPTION = 240, 22
"""Width of a picture of a run, and height of the words below it."""
MOMENTS = 5
"""Moments of a run that are drawn over each other, from faint to dark."""
VIEW = np.array([[0.86, 0.5, 0.0], [-0.2, 0.34, 0.92]])
"""Directions of the world to the right and upwards in a picture."""


def contact_sheet(folder: Path, plan: Plan, reports: Sequence[dict[str, Any] | None]) -> str:
    """A picture of every run: how it goes from start to end, with its values below, all at one scale."""
    drawn = [_run(folder, run.number, report) for run, report in zip(plan.runs, reports, strict=True)]
    every = [lines for moments in drawn for lines in moments if len(lines)]
    low = np.min([lines.reshape(-1, 2).min(axis=0) for lines in every], axis=0) if every else np.zeros(2)
    high = np.max([lines.reshape(-1, 2).max(axis=0) for lines in every], axis=0) if every else np.ones(2)
    scale = (TILE - 12) / max(float((high - low).max()), 1e-9)
    height = int(scale * (high - low)[1]) + 12 + CAPTION
    columns = len(plan.varied[0].values) if len(plan.varied) == 2 else ceil(sqrt(len(plan.runs)))
    rows = ceil(len(plan.runs) / columns)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {columns * TILE} {rows * height}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{columns * TILE}" height="{rows * height}" fill="white"/>',
    ]
    for i, (run, moments, report) in enumerate(zip(plan.runs, drawn, reports, strict=True)):
        x, y = i % columns * TILE, i // columns * height
        parts.append(
            f'<g transform="translate({x} {y})"><path d="M0 0H{TILE}V{height}" fill="none" stroke="#dee2e6"/>'
        )
        for k, lines in enumerate(moments):
            faint = 0.15 + 0.85 * ((k + 1) / len(moments)) ** 2
            at = 6.0 + scale * (lines - low)
            at[..., 1] = height - CAPTION - at[..., 1]
            d = "".join(f"M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}" for a, b in at)
            parts.append(f'<path d="{d}" stroke="#1c3d5a" stroke-opacity="{faint:.2f}" fill="none"/>')
        words = ", ".join(
            f"{vary.label} {value:.4g}" for vary, value in zip(plan.varied, run.values, strict=True)
        )
        if run.seed:
            words = ", ".join(filter(None, [words, f"seed {run.seed}"]))
        status = "missing" if report is None else str(report["status"])
        if status != "finished":
            words = f"{status}: {words}"
        colour = "#343a40" if status == "finished" else "#b3123c"
        parts.append(f'<text x="6" y="{height - 7}" fill="{colour}">{run.number}: {escape(words)}</text></g>')
    return "\n".join([*parts, "</svg>", ""])


def chart(plan: Plan, reports: Sequence[dict[str, Any] | None], measure: str) -> str:
    """A measure over the first thing that is varied: a line for each value of the second; the mean over seeds."""
    first = sorted(set(plan.varied[0].values)) if plan.varied else []
    lines: dict[str, dict[float, list[float]]] = {}
    for run, report in zip(plan.runs, reports, strict=True):
        if report is None or measure not in report.get("measures", {}):
            continue
        others = zip(plan.varied[1:], run.values[1:], strict=True)
        name = ", ".join(f"{vary.label} {value:.4g}" for vary, value in others)
        at = run.values[0] if plan.varied else float(run.seed)
        lines.setdefault(name, {}).setdefault(at, []).append(float(report["measures"][measure]))
    x = np.array(first if plan.varied else sorted({float(run.seed) for run in plan.runs}))
    whole = {
        name: np.array([np.mean(found[value]) for value in x.tolist()])
        for name, found in lines.items()
        if all(value in found for value in x.tolist())
    }
    if len(x) < 2 or not whole:
        return ""
    label = plan.varied[0].label if plan.varied else "seed"
    return line_chart(x, whole, title=MEASURES[measure], x_label=label, y_label=measure)


def _run(folder: Path, number: int, report: dict[str, Any] | None) -> list[Floats]:
    """Lines of some moments of a run in the picture's plane, shape (n, 2, 2) each."""
    if report is None or not report.get("frames"):
        return []
    wanted = set(np.linspace(0, report["frames"] - 1, MOMENTS).round().astype(int).tolist())
    spec = load_scene(scene_path(folder, number))
    with frames_path(folder, report).open("rb") as file:
        return [_lines(spec, frame) @ VIEW.T for i, frame in enumerate(iterate_frames(file)) if i in wanted]


def _lines(spec: SceneSpec, frame: StoredFrame) -> Floats:
    """Outlines of the bodies at a frame, in the world, shape (n, 2, 3)."""
    from ..engine.compile.scene import compile_scene  # loads Numba

    shape_in_joint = compile_scene(spec).bodies.E_js
    found = []
    for body, E, S in zip(spec.bodies, frame.joint_pose, shape_in_joint, strict=True):
        if isinstance(body.shape, kinds.Inertia):
            continue
        lines = outline(body.shape)
        for pose in (S, E):
            lines = lines @ pose[:9].reshape(3, 3).T + pose[9:]
        found.append(lines)
    return np.concatenate([np.zeros((0, 2, 3)), *found])
