"""`wedge`: one scene simulated with many values, on all cores, on a Dask cluster, or by a farm's own manager."""

from __future__ import annotations

import argparse
import csv
import json
import os
import shlex
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from ..cli import DIVERGED, OK
from ..engine import load_scene
from ..engine.errors import InputError
from ..wedges.cluster import run_all
from ..wedges.folder import CHART, SHEET, TABLE, Plan, missing, prepare, read_plan, read_report, table
from ..wedges.measures import MEASURES
from ..wedges.one_run import run_one
from ..wedges.pictures import chart, contact_sheet
from ..wedges.variants import parse_vary, variants
from .progress import progress_bar

JOLT = 0.01
"""What a seed adds to start velocities, where --jolt says nothing [rad/s, m/s]."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "scene", metavar="SCENE.json", help="the scene file; or the folder of a wedge, to go on with it"
    )
    parser.add_argument(
        "--out", metavar="FOLDER", type=Path, help="where everything goes; needed for a scene file"
    )
    parser.add_argument(
        "--vary",
        metavar="PATH=VALUES",
        action="append",
        default=[],
        help="numbers of the scene, and their values: FIRST:LAST:COUNT or VALUE,VALUE; in a path, * is every entry, "
        "as in bodies.*.surface.friction=0:0.8:5",
    )
    parser.add_argument(
        "--scale",
        metavar="PATH=FACTORS",
        action="append",
        default=[],
        help="the same, by factors of what the scene has",
    )
    parser.add_argument(
        "--seeds",
        metavar="N",
        type=int,
        default=0,
        help="each of these N times, jolted at random at the start",
    )
    parser.add_argument(
        "--jolt",
        metavar="V",
        type=float,
        default=JOLT,
        help=f"how much a seed jolts start velocities [rad/s, m/s]; {JOLT} if not said",
    )
    parser.add_argument(
        "--workers",
        metavar="N",
        type=int,
        default=0,
        help="processes on this machine; one a core if not said",
    )
    parser.add_argument(
        "--cluster", metavar="ADDRESS", default="", help="a Dask cluster instead, by its scheduler's address"
    )
    parser.add_argument(
        "--commands",
        action="store_true",
        help="only print the commands of the runs, one a line, for a farm's manager",
    )
    parser.add_argument(
        "--run", metavar="NUMBER", type=int, help="only this run of a wedge's folder, in this process"
    )
    parser.add_argument(
        "--measure", choices=list(MEASURES), default="travel", help="what the chart shows; travel if not said"
    )
    parser.add_argument("--json", metavar="OUT.json", type=Path, help="write the reports of all runs as JSON")


def run(args: argparse.Namespace) -> int:
    folder, plan = _wedge(args)
    if args.run is not None:
        if args.run not in [each.number for each in plan.runs]:
            raise InputError(
                "--run", f"there is no run {args.run}", f"The wedge has runs 1 to {len(plan.runs)}."
            )
        report = run_one(str(folder), args.run)
        print(f"run {args.run}: {report['status']}, {report['frames']} frames in {report['seconds']:.3g} s")
        return OK if report["status"] == "finished" else DIVERGED
    if args.commands:
        for number in missing(folder, plan):
            command = [sys.executable, "-m", __name__.partition(".commands")[0], "wedge", str(folder)]
            print(shlex.join([*command, "--run", str(number)]))
        return OK
    _simulate(folder, plan, args)
    return _collect(folder, plan, args)


def _wedge(args: argparse.Namespace) -> tuple[Path, Plan]:
    """The folder and what is in it; made, where a scene file is given."""
    given = Path(args.scene)
    if given.is_dir():
        if args.vary or args.scale or args.seeds:
            raise InputError(
                str(given),
                "what it varies is there already",
                "Give the scene file and another folder for more.",
            )
        return given.resolve(), read_plan(given)
    if args.out is None:
        raise InputError("--out", "there is no folder for the runs", "Name one: --out FOLDER.")
    if args.jolt < 0.0 or args.seeds < 0:
        raise InputError("--seeds, --jolt", "they cannot be negative", "Give 0 or more.")
    varied = [parse_vary(text, False) for text in args.vary] + [parse_vary(text, True) for text in args.scale]
    if not varied and not args.seeds:
        raise InputError("wedge", "nothing varies", "Give --vary, --scale or --seeds.")
    plan = Plan(title=given.stem, varied=varied, jolt=args.jolt, runs=variants(varied, args.seeds))
    prepare(args.out, load_scene(given), plan)
    return args.out.resolve(), plan


def _simulate(folder: Path, plan: Plan, args: argparse.Namespace) -> None:
    numbers = missing(folder, plan)
    if not numbers:
        return
    problems: list[str] = []
    with closing(progress_bar(len(numbers), "runs")) as bar:

        def told(report: dict[str, Any]) -> None:
            bar.update(1)
            if report["status"] != "finished":
                problems.append(f"run {report['number']}: {report['status']}: {report['message']}")

        workers = args.workers or min(os.cpu_count() or 1, len(numbers))
        run_all(folder, numbers, told, workers, args.cluster)
    for problem in problems:
        print(f"redmax: {problem}", file=sys.stderr)


def _collect(folder: Path, plan: Plan, args: argparse.Namespace) -> int:
    """Write table, chart and contact sheet; the exit code says whether all runs have finished."""
    reports = [read_report(folder, each.number) for each in plan.runs]
    rows = table(plan, reports)
    with (folder / TABLE).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    written = [folder / TABLE, folder / SHEET]
    written[1].write_text(contact_sheet(folder, plan, reports), encoding="utf-8")
    drawn = chart(plan, reports, args.measure)
    if drawn:
        written.append(folder / CHART)
        written[-1].write_text(drawn, encoding="utf-8")
    if args.json:
        args.json.write_text(json.dumps({"runs": reports}, indent=2) + "\n", encoding="utf-8")
        written.append(args.json)
    finished = sum(report is not None and report["status"] == "finished" for report in reports)
    print(f"{finished} of {len(reports)} runs finished")
    for path in written:
        print(f"wrote {path}")
    return OK if finished == len(reports) else DIVERGED
