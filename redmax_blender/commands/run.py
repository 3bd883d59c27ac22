"""`run`: simulates a scene file, and writes the result and a report."""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ..cli import DIVERGED, INTERRUPTED, OK
from ..engine import Result, SceneSpec, compile_scene, load_scene, run_key, simulate, warm_up
from ..engine.errors import FAILURES, DivergedError, InputError
from ..engine.model.records import Model
from ..engine.model.state import Options
from ..engine.run.automatic_step import automatic_substeps
from ..engine.run.simulate import Frame, Stopwatch, check_options, count_steps
from ..engine.run.tally import Tally
from .progress import compiling_message, progress_bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scene", metavar="SCENE.json", help="the scene file")
    parser.add_argument(
        "--until", metavar="T", type=float, help="end at this time [s] instead of the scene's"
    )
    parser.add_argument(
        "--h",
        metavar="H",
        type=_step,
        help="step [s] instead of the scene's; 'automatic': as many steps in a recorded frame as the scene needs",
    )
    parser.add_argument(
        "--integrator",
        metavar="NAME",
        help="euler, euler-midway, bdf1, bdf2, sdirk2, rk-recursive or rk-redmax",
    )
    parser.add_argument(
        "--solver", metavar="NAME", help="auto, direct or pcg: the linear solver of the implicit step"
    )
    parser.add_argument("--out", metavar="RESULT.npz", type=Path, help="write the recorded frames")
    parser.add_argument("--report", metavar="REPORT.json", type=Path, help="write what happened as JSON")


def _step(text: str) -> float:
    """A step [s], 0 for automatic."""
    return 0.0 if text == "automatic" else float(text)


def run(args: argparse.Namespace) -> int:
    begin = time.perf_counter()
    for option, path in (("--out", args.out), ("--report", args.report)):
        _check_folder(option, path)
    spec = load_scene(args.scene)
    if args.h == 0.0:
        spec = _with_automatic_step(spec)
        args.h = None
    options, end = _choices(spec, args)
    wall = {"compile": time.perf_counter() - begin}
    with compiling_message():  # before the scene is compiled, which uses kernels as well
        wall["jit"] = warm_up(options)
    compiling = time.perf_counter()
    model = compile_scene(spec)
    steps = count_steps(model.t0, end, options.h)
    wall["compile"] += time.perf_counter() - compiling
    tally = Tally()
    frames, watch, status, message = _record(model, options, end, steps, spec.time.record, tally)
    wall.update(step=watch.step, record=watch.record, total=time.perf_counter() - begin)
    about = {"scene": str(args.scene), "status": status, "message": message, "wall_time_s": wall}
    about |= {"solver": tally.summary()}
    # A part of a run must not pass for all of it, nor a run with another end for the scene's own.
    ran = replace(spec, time=replace(spec.time, end=end))
    key = run_key(ran, options) if status == "finished" else ""
    result = Result.from_frames(model, frames, key, about)
    report = make_report(result, options)
    if args.out:
        result.save(args.out)
    if args.report:
        _write_json(args.report, report)
    print(summary(report))
    for path in (args.out, args.report):
        if path:
            print(f"wrote {path}")
    for said in [*tally.remarks(), *([message] if message else [])]:
        print(f"redmax: {said}", file=sys.stderr)
    return {"finished": OK, "interrupted": INTERRUPTED}.get(status, DIVERGED)


def _with_automatic_step(spec: SceneSpec) -> SceneSpec:
    frame = spec.time.step * spec.time.record
    count, reason = automatic_substeps(spec, frame)
    print(f"{count} steps of {1e3 * frame / count:.3g} ms a frame{f', for {reason}' if reason else ''}")
    return replace(spec, time=replace(spec.time, step=frame / count, record=count))


def _check_folder(option: str, path: Path | None) -> None:
    """Before the work, not after it."""
    if path is not None and not path.parent.is_dir():
        raise InputError(option, f"there is no folder '{path.parent}'", "Create it, or choose another place.")


def _choices(spec: SceneSpec, args: argparse.Namespace) -> tuple[Options, float]:
    """The scene's own step, integrator and end, unless the command line says otherwise."""
    h = spec.time.step if args.h is None else args.h
    options = Options(h=h, integrator=args.integrator or spec.integrator, solver=args.solver or spec.solver)
    check_options(options, "--integrator" if args.integrator else "integrator")
    return options, spec.time.end if args.until is None else args.until


def _record(
    model: Model, options: Options, end: float, steps: int, record: int, tally: Tally
) -> tuple[list[Frame], Stopwatch, str, str | None]:
    """Take frames until the end, until one is not finite, or until Ctrl-C; good frames are always kept."""
    frames: list[Frame] = []
    watch = Stopwatch()
    with closing(progress_bar(steps, "simulating")) as bar:
        try:
            for frame in simulate(model, options, end=end, record=record, watch=watch, tally=tally):
                if frames:
                    bar.update(frame.step - frames[-1].step)
                frames.append(frame)
        except FAILURES as error:
            if not frames:
                raise
            status = "diverged" if isinstance(error, DivergedError) else "failed"
            return frames, watch, status, str(error)
        except KeyboardInterrupt:
            if not frames:
                raise
            return frames, watch, "interrupted", f"interrupted at t = {frames[-1].state.t:.6g} s"
    return frames, watch, "finished", None


def make_report(result: Result, options: Options) -> dict[str, Any]:
    """What happened: status, wall times, energies at start and end, final coordinates by joint."""
    start, end = result.energies(0), result.energies(-1)
    joints = {}
    for name, kind in zip(result.joints, result.kinds, strict=True):
        span = result.coordinates(name)
        joints[name] = {
            "kind": kind,
            "q": result.q[-1, span].tolist(),
            "qdot": result.qdot[-1, span].tolist(),
        }
    return {
        **result.diagnostics,
        "integrator": options.integrator,
        "h": options.h,
        "steps": int(result.step[-1]),
        "frames": len(result),
        "time": {"start": float(result.t[0]), "end": float(result.t[-1])},
        "energy": {"start": start, "end": end, "change": {name: end[name] - start[name] for name in end}},
        "final": joints,
        "constraint_forces": dict(zip(result.constraints, result.constraint_force[-1].tolist(), strict=True)),
        "key": result.key,
    }


def summary(report: dict[str, Any]) -> str:
    """A few lines for the terminal."""
    wall, energy, span = report["wall_time_s"], report["energy"], report["time"]
    phases = ", ".join(f"{name} {seconds:.3g} s" for name, seconds in wall.items())
    lines = [
        f"{report['scene']}: {report['status']} at t = {span['end']:.6g} s, "
        f"{report['steps']} steps of {report['h']:.6g} s with {report['integrator']}",
        f"wall time: {phases}",
    ]
    solver = report["solver"]
    if solver:
        used = ", ".join(f"{name} {count}" for name, count in solver["steps_by_solver"].items())
        lines.append(
            f"solver: {used} steps, {solver['iterations_mean']:.3g} iterations a solve "
            f"(most {solver['iterations_max']}), "
            f"constraints held to {solver['constraint_residual']:.2g} of the scene's size"
        )
    for name in ("kinetic", "potential", "total"):
        a, b, change = (energy[part][name] for part in ("start", "end", "change"))
        lines.append(f"{name:>9} energy: {a:.9g} J -> {b:.9g} J (change {change:.6g} J)")
    return "\n".join(lines)


def _write_json(path: Path, report: dict[str, Any]) -> None:
    try:
        path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(
            str(path), f"the report cannot be written ({error.strerror})", "Choose another place."
        ) from None
