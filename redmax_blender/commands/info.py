"""`info`: the bodies and joints of a scene as a tree, with their kinds, masses and coordinates."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ..engine import SceneSpec, compile_scene, load_scene
from ..engine.compile.forest import parent_indices
from ..engine.model.records import Model
from ..engine.muscles.inertia import inertia_shares
from .progress import compiling_message

_DEEPEST = 30
"""Branchings beyond this are not indented any further."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scene", metavar="SCENE.json", help="the scene file")


def run(args: argparse.Namespace) -> int:
    spec = load_scene(args.scene)
    with compiling_message():
        model = compile_scene(spec)
    mass = float(model.bodies.inertia[:, 3].sum())
    print(f"{spec.name or args.scene}: {len(spec.bodies)} bodies, {model.nr} coordinates, {mass:.6g} kg")
    print(f"gravity {list(spec.gravity)} m/s², {spec.time.start:g} to {spec.time.end:g} s", end="")
    print(f" in steps of {spec.time.step:.6g} s with {spec.integrator}")
    for line in tree_lines(spec, model):
        print(line)
    for line in muscle_lines(model):
        print(line)
    return 0


def muscle_lines(model: Model) -> Iterator[str]:
    """A line a muscle, that whose inertia matters most first."""
    if model.muscles is None:
        return
    muscles = model.muscles
    mass = {
        name: float(muscles.paths.masses["mass"][p["mass"] : p["mass"] + p["masses"]].sum())
        for name, p in zip(muscles.names, muscles.paths.paths, strict=True)
    }
    yield f"{len(mass)} muscles; share of the kinetic energy that each can have in any motion from here:"
    for name, share in inertia_shares(model, [model.initial_state()]).items():
        yield f"{name}  {mass[name]:.6g} kg  {100.0 * share:.3g} %"


def tree_lines(spec: SceneSpec, model: Model) -> Iterator[str]:
    """A line a body. Only branches are indented, so that a long chain stays a column."""
    children: list[list[int]] = [[] for _ in spec.bodies]
    roots: list[int] = []
    for i, parent in enumerate(parent_indices(spec.bodies)):
        (roots if parent < 0 else children[parent]).append(i)
    stack = [(i, 0) for i in reversed(roots)]
    while stack:
        i, depth = stack.pop()
        yield "  " * min(depth, _DEEPEST) + _line(spec, model, i)
        deeper = depth + 1 if len(children[i]) > 1 else depth
        stack.extend((child, deeper) for child in reversed(children[i]))


def _line(spec: SceneSpec, model: Model, i: int) -> str:
    body, joints = spec.bodies[i], model.joints
    begin, end = joints.dof[i].tolist()
    text = f"{body.name}  {body.shape.__struct_config__.tag} {model.bodies.inertia[i, 3]:.6g} kg"
    text += f"  · {joints.kinds[i]}"
    if joints.names[i] != body.name:
        text += f" '{joints.names[i]}'"
    text += f" to {body.parent or 'the world'}, {end - begin} coordinates"
    driven = int((~joints.free[begin:end]).sum())
    return f"{text}, {driven} prescribed" if driven else text
