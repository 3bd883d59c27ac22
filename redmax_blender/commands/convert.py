"""`convert`: an OpenSim model as a scene file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec

from ..engine.compile.scene import compile_scene
from ..engine.errors import InputError
from ..engine.muscles.moving_mass import POINTS, Massive, share_masses
from ..engine.muscles.opensim.model import read_model
from ..engine.muscles.opensim.motion import coordinates_of, differentiate, read_motion
from ..engine.muscles.opensim.to_scene import to_scene
from ..engine.muscles.records import Floats
from ..engine.muscles.skeleton import Skeleton, follow_couplers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL.osim", type=Path, help="the model")
    parser.add_argument("scene", metavar="SCENE.json", type=Path, help="where to write the scene")
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
        "--motion", metavar="MOTION.mot", type=Path, help="coordinates over time that all joints follow"
    )
    parser.add_argument(
        "--filter",
        metavar="HZ",
        type=float,
        help="cutoff of a Butterworth filter of the motion there and back",
    )


def run(args: argparse.Namespace) -> int:
    if not 0.0 <= args.muscle_mass < 1.0:
        raise InputError(
            "--muscle-mass", f"{args.muscle_mass:g} leaves no mass to the bodies", "Give 0 or more, below 1."
        )
    if args.points < 1:
        raise InputError("--points", f"{args.points} mass points are too few", "Give 1 or more; 10 to 20 do.")
    model = read_model(args.model)
    skeleton, masses = model.skeleton, list[Massive]()
    if args.muscle_mass > 0.0:
        skeleton, masses = share_masses(skeleton, model.muscles, args.muscle_mass, args.points)
    motion = None if args.motion is None else _motion(args.motion, skeleton, args.filter)
    made = to_scene(model, skeleton, masses, motion)
    compile_scene(made.scene)  # what would be wrong with it is said now
    for note in made.notes:
        print(f"redmax: {note}", file=sys.stderr)
    for name, place in made.places.items():
        if (place.gain, place.shift) != (1.0, 0.0):
            print(
                f"redmax: coordinate '{name}' is number {place.number} of the joint '{place.joint}', times "
                f"{place.gain:.9g} plus {place.shift:.9g}",
                file=sys.stderr,
            )
    try:
        args.scene.write_bytes(msgspec.json.format(msgspec.json.encode(made.scene), indent=1) + b"\n")
    except OSError as error:
        raise InputError(
            str(args.scene), f"it cannot be written ({error.strerror})", "Choose a folder that exists."
        ) from None
    bodies, muscles = len(made.scene.bodies), len(made.scene.muscles)
    print(f"wrote {args.scene}: {bodies} bodies, {len(made.places)} coordinates, {muscles} muscles")
    return 0


def _motion(path: Path, skeleton: Skeleton, cutoff: float | None) -> tuple[Floats, Floats]:
    table = read_motion(path)
    q, unused = coordinates_of(table, skeleton)
    if len(unused) == len(table.names):
        raise InputError(
            str(path), "none of its columns is a coordinate of the model", "Is it a motion of another model?"
        )
    for row in range(len(q)):
        q[row] = follow_couplers(skeleton, q[row])
    return table.times, differentiate(table.times, q, cutoff)[0]
