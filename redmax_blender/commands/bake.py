"""`bake`: simulates a .blend file as its panel says, bakes the motion to keyframes, and saves it."""

from __future__ import annotations

import argparse
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

from .. import register, unregister
from ..cli import DIVERGED, OK
from ..engine.errors import InputError
from .progress import compiling_message, progress_bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("blend", metavar="FILE.blend", type=Path, help="the file to simulate")
    parser.add_argument("--out", metavar="OUT.blend", type=Path, help="save here instead of in place")
    parser.add_argument("--start", metavar="FRAME", type=int, help="first frame instead of the file's")
    parser.add_argument("--end", metavar="FRAME", type=int, help="last frame instead of the file's")
    parser.add_argument(
        "--substeps",
        metavar="N",
        type=_substeps,
        help="steps a frame instead of the file's; 'automatic': as many as the scene needs",
    )
    parser.add_argument("--no-keys", action="store_true", help="keep the simulation as a cache, unbaked")


def _substeps(text: str) -> int:
    """A number of steps, 0 for automatic."""
    return 0 if text == "automatic" else int(text)


def run(args: argparse.Namespace) -> int:
    if find_spec("bpy") is None:
        raise InputError(
            "bpy", "Blender's Python module is not installed here", "Install it: pip install bpy."
        )
    if not args.blend.is_file():
        raise InputError(str(args.blend), "there is no such file", "Check the path.")
    out = (args.out or args.blend).resolve()
    if not out.parent.is_dir():
        raise InputError("--out", f"there is no folder '{out.parent}'", "Create it first.")
    import bpy

    ours = not hasattr(bpy.types.Scene, "redmax")
    if ours:
        register()
    try:
        return _bake(args, out)
    finally:
        if ours:  # with classes registered, bpy hangs when Python exits
            unregister()


def _bake(args: argparse.Namespace, out: Path) -> int:
    import bpy

    from ..bridge.bake.bake import bake_object
    from ..bridge.run.simulate_scene import simulate_scene
    from ..engine.model.state import Options
    from ..engine.run.simulate import warm_up

    try:
        bpy.ops.wm.open_mainfile(filepath=str(args.blend.resolve()), load_ui=False)
    except RuntimeError as error:
        raise InputError(str(args.blend), str(error).strip(), "Give a .blend file.") from None
    settings = bpy.context.scene.redmax
    for name, value in (
        ("frame_start", args.start),
        ("frame_end", args.end),
        ("substeps", args.substeps or None),
    ):
        if value is not None:
            setattr(settings, name, value)
    if args.substeps == 0:
        settings.auto_substeps = True
    with compiling_message():
        warm_up(Options(h=0.01, integrator=settings.integrator))
    with closing(progress_bar(settings.frame_end - settings.frame_start + 1, "simulating")) as bar:
        done = [0]

        def advance(frames: int, _total: int) -> None:
            bar.update(frames - done[0])
            done[0] = frames

        outcome = simulate_scene(bpy.context, advance)
    for warning in outcome.warnings:
        print(f"redmax: {warning}")
    baked = 0
    if not args.no_keys:
        for obj in [obj for obj in bpy.context.scene.objects if obj.redmax.result]:
            bake_object(obj, bpy.context.scene)
            baked += 1
    bpy.ops.wm.save_as_mainfile(filepath=str(out), check_existing=False)
    last = outcome.recording.frame_last
    print(f"frames {outcome.recording.frame_start} to {last}, {baked} objects baked, wrote {out}")
    if outcome.diverged:
        print(f"redmax: {outcome.diverged}")
        return DIVERGED
    return OK
