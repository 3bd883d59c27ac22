"""`plot`: energy, angles or torques of a result over time, as a picture."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.errors import InputError
from ..engine.run.energy import ENERGIES
from ..engine.run.result import Result

_LEGEND = 24
"""More lines than this are drawn without a legend."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("result", metavar="RESULT.npz", help="what `run --out` wrote")
    parser.add_argument(
        "--what", choices=("energy", "angles", "torques"), default="energy", help="default: energy"
    )
    parser.add_argument("--joints", metavar="NAME", nargs="+", help="only these joints (angles and torques)")
    parser.add_argument("--out", metavar="PNG", required=True, help="the picture to write")


def run(args: argparse.Namespace) -> int:
    result = Result.load(args.result)
    lines = curves(result, args.what, args.joints)
    figure = _figure(result, args.what, lines)
    try:
        figure.savefig(args.out, dpi=120)
    except (OSError, ValueError) as error:
        raise InputError(
            str(args.out), f"the picture cannot be written ({error})", "Choose another place."
        ) from None
    print(f"{args.out}: {args.what} of {len(result)} frames")
    return 0


def curves(result: Result, what: str, names: list[str] | None = None) -> dict[str, np.ndarray]:
    """The lines to draw, by label."""
    if what == "energy":
        lines = {name: result.energy[:, k] for k, name in enumerate(ENERGIES)}
        return {**lines, "total": result.energy.sum(axis=1)}
    unknown = [name for name in names or () if name not in result.joints]
    if unknown:
        raise InputError(
            "--joints", f"there is no joint '{unknown[0]}'", f"There are: {', '.join(result.joints[:20])}."
        )
    array = result.q if what == "angles" else result.torque
    lines = {}
    for name in names or result.joints:
        span = result.coordinates(name)
        single = span.stop - span.start == 1
        for k in range(span.start, span.stop):
            lines[name if single else f"{name}[{k - span.start}]"] = array[:, k]
    return lines


def _figure(result: Result, what: str, lines: dict[str, np.ndarray]) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError(
            "plot",
            "matplotlib is not installed in this Python",
            "Install it: python -m pip install matplotlib.",
        ) from None
    figure = Figure(figsize=(9.0, 5.0), layout="constrained")
    axes = figure.subplots()
    for label, values in lines.items():
        width = 2.0 if label == "total" and what == "energy" else 1.0
        axes.plot(result.t, values, label=label, linewidth=width)
    axes.set_xlabel("time [s]")
    axes.set_ylabel({"energy": "energy [J]", "angles": "q [rad, m]", "torques": "force [N·m, N]"}[what])
    axes.set_title(Path(str(result.diagnostics.get("scene", ""))).name)
    axes.grid(alpha=0.3)
    if 0 < len(lines) <= _LEGEND:
        axes.legend(fontsize="small", ncols=1 + (len(lines) - 1) // 8)
    return figure
