"""`check`: says what is wrong with a scene file, without running it."""

from __future__ import annotations

import argparse

from ..engine import compile_scene, load_scene, scene_options
from ..engine.run.simulate import count_steps
from .progress import compiling_message


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scene", metavar="SCENE.json", help="the scene file")


def run(args: argparse.Namespace) -> int:
    spec = load_scene(args.scene)
    with compiling_message():
        model = compile_scene(spec)
    options = scene_options(spec)
    steps = count_steps(spec.time.start, spec.time.end, options.h)
    print(
        f"{args.scene}: good; {len(model.bodies.names)} bodies, {model.nr} coordinates, "
        f"{steps} steps of {options.h:.6g} s with {options.integrator}"
    )
    return 0
