"""`optimise`: finds the parameters of a scene's task, or tells the gradient of what it wants."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from ..cli import INTERRUPTED, OK
from ..engine import encode_scene, load_scene
from ..engine.errors import InputError
from ..engine.gradients.problem import Evaluation, Problem
from ..engine.gradients.search.search import Search, search
from ..engine.model.records import Floats
from .progress import compiling_message


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", metavar="TASK.json", help="a scene file with a 'task'")
    parser.add_argument(
        "--gradient-only",
        action="store_true",
        help="no search: the objective and its gradient at the initial values",
    )
    parser.add_argument(
        "--check", action="store_true", help="the gradient by central differences as well, for comparison"
    )
    parser.add_argument("--integrator", metavar="NAME", help="instead of the scene's")
    parser.add_argument("--json", metavar="OUT.json", type=Path, help="write what was found as JSON")
    parser.add_argument("--out", metavar="SCENE.json", type=Path, help="write the scene with what was found")


def run(args: argparse.Namespace) -> int:
    for option, path in (("--json", args.json), ("--out", args.out)):
        if path is not None and not path.parent.is_dir():
            raise InputError(
                option, f"there is no folder '{path.parent}'", "Create it, or choose another place."
            )
    spec = load_scene(args.task)
    if args.integrator:
        spec = replace(spec, integrator=args.integrator)
    begin = time.perf_counter()
    with compiling_message():
        problem = Problem(spec)
        first = problem.evaluate(problem.parameters.initial)
    if problem.reason is not None and problem.task.derivatives == "auto":
        print(f"redmax: {problem.reason}: the gradient is by central differences", file=sys.stderr)
    if problem.by_differences:
        listed = ", ".join(f"'{name}'" for name in problem.by_differences)
        print(f"redmax: there is no adjoint of what {listed} change: by central differences", file=sys.stderr)
    found: Search | None = None
    best = first
    if not args.gradient_only:
        found = search(problem, _Line())
        print(file=sys.stderr)
        best = found.best or first
    report = _report(args.task, problem, first, best, found)
    if args.check:
        differences = problem.differences(best.values)
        report["check"] = _named(problem, differences)
        report["check_error"] = _error(best.gradient, differences, problem.parameters.scale)
    report["simulations"] = problem.simulations
    report["wall_time_s"] = time.perf_counter() - begin
    print(_summary(report))
    if args.json:
        _write(args.json, json.dumps(report, indent=2) + "\n")
    if args.out:
        done = problem.parameters.scene(best.values)
        _write(args.out, encode_scene(done).decode())
    return INTERRUPTED if report["status"] == "cancelled" else OK


class _Line:
    """One line on the terminal, with the objective as it falls."""

    def __init__(self) -> None:
        self.shown = 0.0

    def __call__(self, found: Search) -> None:
        now = time.monotonic()
        if sys.stderr.isatty() and now - self.shown > 0.1:
            self.shown = now
            text = f"\rrun {len(found.history)}: objective {found.history[-1]:.6g}    "
            print(text, end="", file=sys.stderr, flush=True)


def _named(problem: Problem, numbers: Floats) -> dict[str, float]:
    return dict(zip(problem.parameters.names, (float(x) for x in numbers), strict=True))


def _error(a: Floats, b: Floats, scale: Floats) -> float:
    """Largest difference, as a fraction of the largest derivative by value / scale."""
    largest = float(np.abs(a * scale).max(initial=0.0))
    return float(np.abs((a - b) * scale).max(initial=0.0)) / largest if largest > 0.0 else 0.0


def _report(
    task: str, problem: Problem, first: Evaluation, best: Evaluation, found: Search | None
) -> dict[str, Any]:
    report: dict[str, Any] = {
        "task": task,
        "status": "gradient" if found is None else found.status,
        "integrator": problem.options.integrator,
        "h": problem.options.h,
        "steps": problem.steps,
        "derivatives": "adjoint" if problem.by_adjoint else "differences",
        "by_differences": problem.by_differences if problem.by_adjoint else problem.parameters.names,
        "objective": best.objective,
        "terms": best.terms,
        "parameters": _named(problem, best.values),
        "gradient": _named(problem, best.gradient),
        "scaled_gradient": _named(problem, best.gradient * problem.parameters.scale),
    }
    if found is not None:
        report |= {
            "initial": {"objective": first.objective, "parameters": _named(problem, first.values)},
            "history": found.history,
            "diverged_runs": found.failures,
            "starts": [
                {
                    "initial": _named(problem, s.initial),
                    "parameters": _named(problem, s.values),
                    "objective": s.objective,
                    "evaluations": s.evaluations,
                    "message": s.message,
                }
                for s in found.starts
            ],
        }
    return report


def _summary(report: dict[str, Any]) -> str:
    lines = [
        f"{report['task']}: {report['status']}, objective {report['objective']:.12g} "
        f"({report['simulations']} runs of {report['steps']} steps with {report['integrator']}, "
        f"{report['wall_time_s']:.3g} s)"
    ]
    if len(report["terms"]) > 1:
        lines += [f"  {name}: {value:.9g}" for name, value in report["terms"].items()]
    width = max(len(name) for name in report["parameters"])
    check = report.get("check")
    lines.append(
        f"{'parameter':<{width}}  {'value':>18}  {'gradient':>18}" + ("  by differences" if check else "")
    )
    for name, value in report["parameters"].items():
        line = f"{name:<{width}}  {value:>18.10g}  {report['gradient'][name]:>18.10g}"
        lines.append(line + (f"  {check[name]:>18.10g}" if check else ""))
    return "\n".join(lines)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            str(path), f"it cannot be written ({error.strerror})", "Choose another place."
        ) from None
