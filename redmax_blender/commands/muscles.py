"""`muscles`: lengths and moment arms of an OpenSim model's muscles in poses."""

from __future__ import annotations

import argparse
import json
import math
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.errors import InputError
from ..engine.muscles.measure import Evaluate, measure_all
from ..engine.muscles.opensim.model import OpenSimModel, read_model
from ..engine.muscles.paths import exact
from ..engine.muscles.records import Floats
from ..engine.muscles.skeleton import Skeleton


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL.osim", help="the model")
    parser.add_argument(
        "--poses",
        metavar="POSES.json",
        help="a list of {coordinate: value} [rad, m]; without it, the default pose",
    )
    parser.add_argument("--json", metavar="OUT.json", help="where to write; without it, to standard output")
    parser.add_argument(
        "--rounding",
        metavar="R",
        type=float,
        default=0.0,
        help="radius [m] by which the smooth path rounds off contact with surfaces; 0 for exact geodesics",
    )


def run(args: argparse.Namespace) -> int:
    model = read_model(args.model)
    say_notes(model)
    evaluate = _evaluator(args.rounding)
    names = [c.name for c in model.skeleton.coordinates]
    out = []
    for q in _read_poses(args.poses, model.skeleton):
        found = measure_all(model.skeleton, [m.path for m in model.muscles], q, evaluate)
        out.append(
            {
                name: {
                    "length": measured.length,
                    "moment_arms": {
                        c: -float(x) + 0.0 for c, x in zip(names, measured.gradient, strict=True)
                    },
                }
                for name, measured in found.items()
            }
        )
    write_json(args.json, out)
    return 0


def _evaluator(rounding: float) -> Evaluate:
    if not rounding >= 0.0 or math.isinf(rounding):
        raise InputError("--rounding", f"{rounding:g} m is no radius", "Give a number that is not negative.")
    if rounding == 0.0:
        return exact.evaluate
    from ..engine.muscles.paths.smooth.evaluate import evaluate

    return partial(evaluate, rounding=rounding)


def say_notes(model: OpenSimModel) -> None:
    """What was not understood, on standard error."""
    for note in model.notes:
        print(f"redmax: {note}", file=sys.stderr)


def write_json(path: str | None, data: Any) -> None:
    text = json.dumps(data)
    if path is None:
        print(text)
        return
    try:
        Path(path).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(
            path, f"it cannot be written ({error.strerror})", "Choose a folder that exists."
        ) from None


def read_json(path: str) -> Any:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(path, f"it cannot be read ({error.strerror})", "Give the path of a file.") from None
    except ValueError as error:
        raise InputError(path, f"it is not JSON ({error})", "Was it cut off while it was copied?") from None


def _read_poses(path: str | None, skeleton: Skeleton) -> list[Floats]:
    if path is None:
        return [skeleton.default()]
    poses = read_json(path)
    if not isinstance(poses, list):
        raise InputError(path, "it is not a list", "Write [{coordinate: value, ...}, ...].")
    return [read_pose(pose, skeleton, f"{path}[{i}]", skeleton.default()) for i, pose in enumerate(poses)]


def read_pose(pose: Any, skeleton: Skeleton, place: str, start: Floats) -> Floats:
    """Values by coordinate; those that are not named keep those of `start`."""
    if not isinstance(pose, dict):
        raise InputError(place, "it is not an object", "Write {coordinate: value, ...}.")
    index = {c.name: i for i, c in enumerate(skeleton.coordinates)}
    q = np.array(start)
    for name, value in pose.items():
        if name not in index:
            known = ", ".join(list(index)[:12])
            raise InputError(place, f"there is no coordinate '{name}'", f"The model has {known}.")
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise InputError(f"{place}.{name}", f"{value!r} is no angle or length", "Give a number [rad, m].")
        q[index[name]] = value
    return q
