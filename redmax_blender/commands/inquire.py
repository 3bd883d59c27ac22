"""`inquire`: what joints, springs, contacts and bodies of a scene file feel over time, as a CSV table."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path

from ..cli import OK
from ..engine import Result, compile_scene, load_scene, scene_options, simulate
from ..engine.errors import InputError
from ..engine.inquire.inquiry import inquire
from ..engine.inquire.table import WHOLE, check_names, names, rows, write_csv
from ..engine.run.simulate import count_steps
from .progress import progress_bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scene", metavar="SCENE.json", help="the scene file")
    parser.add_argument(
        "--of",
        metavar="NAME",
        nargs="+",
        default=[WHOLE],
        help=f"joints, bodies, constraints, springs, muscles or colliders; default: {WHOLE}",
    )
    parser.add_argument(
        "--axes",
        choices=("world", "joint", "body"),
        default="world",
        help="axes of the reactions in joints; default: world",
    )
    parser.add_argument(
        "--result",
        metavar="RESULT.npz",
        type=Path,
        help="ask at the frames of this recording of the scene (`run --out`) instead of simulating it anew",
    )
    parser.add_argument("--out", metavar="TABLE.csv", type=Path, help="where to write; default: the terminal")
    parser.add_argument("--list", action="store_true", help="print the names that can be asked for")


def run(args: argparse.Namespace) -> int:
    spec = load_scene(args.scene)
    model, options = compile_scene(spec), scene_options(spec)
    if args.list:
        print("\n".join(names(model)))
        return OK
    check_names(model, args.of)
    if args.out is not None and not args.out.parent.is_dir():
        raise InputError(
            "--out", f"there is no folder '{args.out.parent}'", "Create it, or choose another place."
        )
    if args.result is not None:
        recorded = Result.load(args.result)
        if recorded.q.shape[1] != model.nr or recorded.joints != model.joints.names:
            raise InputError(
                str(args.result), "it is not of this scene", "Give the file that `run --out` wrote of it."
            )
        states = [recorded.state(i) for i in range(len(recorded))]
    else:
        steps = count_steps(model.t0, spec.time.end, options.h)
        states, done = [], 0
        with closing(progress_bar(steps, "simulating")) as bar:
            for frame in simulate(model, options, end=spec.time.end, record=spec.time.record):
                bar.update(frame.step - done)
                done = frame.step
                states.append(frame.state)
    asked = [inquire(model, state, options) for state in states]
    table = list(rows(asked, args.of, args.axes))
    if args.out is None:
        write_csv(sys.stdout, table)
        return OK
    with args.out.open("w", encoding="utf-8", newline="") as file:
        write_csv(file, table)
    print(f"{args.out}: {len(table)} frames of {', '.join(args.of)}")
    return OK
