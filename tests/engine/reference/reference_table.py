"""Runs every scene file of a folder in the format of the published RedMax scenes, and compares energies.

    python tests/engine/reference/reference_table.py FOLDER [--json OUT] [--keep FOLDER]

prints case, integrator, expected and computed H = T(t1) + V(t1) - V(t0), and their relative difference; or why a case
is not covered. With --keep, the scenes are written in our own format to a folder as well, with the figures to
reproduce in `expected.json`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[3])]

from reference_format import Case, NotCoveredError, Run, read_case

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import FAILURES, InputError
from redmax_blender.engine.integrators import INTEGRATORS
from redmax_blender.engine.integrators.euler import euler
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import State
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.scene.file import encode_scene
from redmax_blender.engine.tree.kinematics import body_poses, forward_kinematics


def energy_change(case: Case, run: Run) -> tuple[float, float]:
    """H, and the largest kinetic energy met on the way, as the scale against which a small H is judged."""
    model = compile_scene(case.scene)
    state = model.initial_state()

    def parts(state: State) -> tuple[float, float]:
        e = energies(model, state, forward_kinematics(model, state))
        return float(e[0]), float(e[1:].sum())

    kinetic, v0 = parts(state)
    scale = abs(kinetic)
    span = (case.scene.time.end if run.end is None else run.end) - case.scene.time.start
    options = case.options
    steps = round(span / options.h)
    if run.integrator.startswith("rk"):
        options, steps = options.with_(h=span), 1
    stepping = INTEGRATORS[run.integrator](model, state, options)
    for _ in range(steps):
        state = next(stepping)
        scale = max(scale, parts(state)[0])
    kinetic, v1 = parts(state)
    return kinetic + v1 - v0, scale


def relative_error(run: Run, got: float, scale: float) -> float:
    """Adaptive runs conserve energy, so that H is about zero: what counts is its size against the energy."""
    adaptive = run.integrator.startswith("rk")
    return abs(got - run.expected) / max(abs(run.expected), scale if adaptive else 1e-6 * scale)


def published_dampers(model: Model) -> Model:
    """The model with the sign fault of the published spring dampers: an explicit push where they should brake.

    Their implicit part is right, so that the fault is one explicit spring a damper, without stiffness, that brakes
    negatively. Nothing in this project behaves so; it is here to compare every other digit.
    """
    s = model.springs
    twice = replace(
        s,
        names=s.names * 2,
        first=np.concatenate([s.first, s.first[-1] + s.first[1:]]),
        link=np.tile(s.link, 2),
        x=np.tile(s.x, (2, 1)),
        stiffness=np.concatenate([s.stiffness, 0.0 * s.stiffness]),
        damping=np.concatenate([s.damping, -s.damping]),
        rest=np.tile(s.rest, 2),
        tension_only=np.tile(s.tension_only, 2),
        tangent=np.concatenate([s.tangent, 0 * s.tangent]),
    )
    return replace(model, springs=twice)


def probe_error(case: Case, model: Model, solver: str) -> float:
    """Largest difference of the probes' positions, over all times that are known [length unit of the scene]."""
    stepping = euler(model, model.initial_state(), case.options.with_(solver=solver))
    worst, n = 0.0, 0
    for steps, wanted in sorted(case.probe_positions.items()):
        while n < steps:
            state = next(stepping)
            n += 1
        poses = body_poses(model.bodies, forward_kinematics(model, state))
        worst = max(worst, float(np.abs(poses[case.probes, 9:] - np.array(wanted)).max()))
    return worst


def probe_rows(case: Case, solver: str) -> Iterator[dict[str, Any]]:
    """Largest difference of the probes' positions, over the scene's size, with the published and with right dampers."""
    model = compile_scene(case.scene)
    for label, variant in (("dampers as published", published_dampers(model)), ("dampers corrected", model)):
        worst = probe_error(case, variant, solver)
        yield {
            "case": case.name,
            "integrator": "euler",
            "reference": "cpp_refreshed",
            "expected": 0.0,
            "got": worst,
            "relative_error": worst / model.constraints.size,
            "note": f"probe positions, {label}, {solver}",
        }


def case_rows(case: Case) -> Iterator[dict[str, Any]]:
    if case.probe_positions:
        for solver in ("direct", "pcg"):
            yield from probe_rows(case, solver)
    for run in case.runs:
        row: dict[str, Any] = {"case": case.name, "integrator": run.integrator, "reference": run.label}
        try:
            got, scale = energy_change(case, run)
        except (*FAILURES, InputError, np.linalg.LinAlgError) as error:
            yield row | {"not_covered": f"{run.integrator}: {error}"}
            continue
        error_ = relative_error(run, got, scale)
        yield row | {"expected": run.expected, "got": got, "relative_error": error_, "note": run.note}
    if not case.runs and not case.probe_positions:
        yield {"case": case.name, "not_covered": "the file has no figure that can be compared"}


def table(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.json")):
        try:
            rows += case_rows(read_case(path))
        except NotCoveredError as reason:
            rows.append({"case": path.stem, "not_covered": str(reason)})
    return rows


def keep(folder: Path, out: Path) -> None:
    """Write every covered scene in our own format, and what it should give."""
    out.mkdir(parents=True, exist_ok=True)
    expected: dict[str, Any] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            case = read_case(path)
        except NotCoveredError:
            continue
        (out / f"{path.stem}.json").write_bytes(encode_scene(case.scene))
        o = case.options
        expected[path.stem] = {
            "h": o.h,
            "stabilisation": o.stabilisation,
            "runs": [{k: v for k, v in asdict(run).items() if v not in ("", None)} for run in case.runs],
            "probes": case.probes,
            "probe_positions": case.probe_positions,
        }
    (out / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", type=Path)
    args = parser.parse_args()
    if not args.folder.is_dir():
        print(
            f"{args.folder}: there is no such folder. Give the folder that holds the scene files.",
            file=sys.stderr,
        )
        return 2
    if args.keep:
        keep(args.folder, args.keep)
    rows = table(args.folder)
    print(f"{'case':14} {'integrator':13} {'expected':>24} {'got':>24} {'rel. error':>11}")
    for r in rows:
        if "not_covered" in r:
            print(f"{r['case']:14} not covered: {r['not_covered']}")
        else:
            print(
                f"{r['case']:14} {r['integrator']:13} {r['expected']:24.12g} {r['got']:24.12g} "
                f"{r['relative_error']:11.2e}  {r['note']}"
            )
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
