"""`inverse`: generalized forces of an OpenSim model's motion, with muscles that have mass or have none."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ..engine.errors import InputError
from ..engine.muscles.moving_mass import POINTS, Massive, inverse_with_muscles, share_masses
from ..engine.muscles.opensim.model import read_model
from ..engine.muscles.opensim.motion import coordinates_of, differentiate, read_motion
from ..engine.muscles.records import Floats
from ..engine.muscles.skeleton import Skeleton
from .muscles import read_json, read_pose, say_notes, write_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL.osim", help="the model")
    parser.add_argument(
        "motion",
        metavar="MOTION.mot",
        help="coordinates over time; or a .json list of states {q, qdot, qddot}, each {coordinate: value} [rad, m, s]",
    )
    parser.add_argument("--json", metavar="OUT.json", help="where to write; without it, to standard output")
    parser.add_argument(
        "--muscle-mass",
        metavar="FRACTION",
        type=float,
        default=0.0,
        help="part of the mass of each body that its muscles have, 0 to 1; it slides along their paths",
    )
    parser.add_argument(
        "--points", metavar="N", type=int, default=POINTS, help=f"mass points along a muscle ({POINTS})"
    )
    parser.add_argument(
        "--filter",
        metavar="HZ",
        type=float,
        help="cutoff of a Butterworth filter there and back; without it, the motion is taken as it is",
    )


def run(args: argparse.Namespace) -> int:
    if not 0.0 <= args.muscle_mass <= 1.0:
        raise InputError(
            "--muscle-mass", f"{args.muscle_mass:g} is no part of a mass", "Give a number from 0 to 1."
        )
    if args.points < 1:
        raise InputError("--points", f"{args.points} mass points are too few", "Give 1 or more; 10 to 20 do.")
    model = read_model(args.model)
    say_notes(model)
    times, q, qdot, qddot = _read_states(args.motion, model.skeleton, args.filter)
    skeleton, muscles = model.skeleton, list[Massive]()
    if args.muscle_mass > 0.0:
        skeleton, muscles = share_masses(skeleton, model.muscles, args.muscle_mass, args.points)
    instants = [
        {
            **({} if times is None else {"time": float(times[i])}),
            "q": q[i].tolist(),
            "qdot": qdot[i].tolist(),
            "qddot": qddot[i].tolist(),
            "tau": inverse_with_muscles(skeleton, muscles, q[i], qdot[i], qddot[i]).tolist(),
        }
        for i in range(len(q))
    ]
    write_json(
        args.json,
        {
            "coordinates": [c.name for c in skeleton.coordinates],
            "rotational": [c.rotational for c in skeleton.coordinates],
            "muscle_mass": {m.path.name: m.mass for m in muscles},
            "instants": instants,
        },
    )
    return 0


def _read_states(
    path: str, skeleton: Skeleton, cutoff: float | None
) -> tuple[Floats | None, Floats, Floats, Floats]:
    if path.lower().endswith(".json"):
        states = read_json(path)
        if not isinstance(states, list) or not states:
            raise InputError(
                path, "it is not a list of states", "Write [{q: {...}, qdot: {...}, qddot: {...}}, ...]."
            )
        rows: dict[str, list[Any]] = {"q": [], "qdot": [], "qddot": []}
        for i, state in enumerate(states):
            if not isinstance(state, dict):
                raise InputError(
                    f"{path}[{i}]", "it is not an object", "Write {q: {...}, qdot: {...}, qddot: {...}}."
                )
            for key, out in rows.items():
                start = skeleton.default() if key == "q" else np.zeros(len(skeleton.coordinates))
                out.append(read_pose(state.get(key, {}), skeleton, f"{path}[{i}].{key}", start))
        return None, *(np.array(rows[key]) for key in ("q", "qdot", "qddot"))  # type: ignore[return-value]
    table = read_motion(path)
    q, unused = coordinates_of(table, skeleton)
    if len(unused) == len(table.names):
        raise InputError(
            path, "none of its columns is a coordinate of the model", "Is it a motion of another model?"
        )
    return table.times, *differentiate(table.times, q, cutoff)
