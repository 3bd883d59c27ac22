"""`shot`: builds a shot or a scene file in Blender, simulates it, leaves .blend, contact sheet and video."""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import register, unregister
from ..cli import DIVERGED, OK
from ..engine.errors import InputError
from ..engine.scene.file import load_scene
from ..engine.shots import SHOTS, figures, shot
from .line_chart import write_figures
from .progress import Bar, compiling_message, progress_bar
from .torques import plot_torques, torques

if TYPE_CHECKING:
    from ..engine.scene import SceneSpec
    from ..examples.shots.performance import Performance

FPS = 24
FRAMES = 72
LENGTHS = {"starfish": 240, "ragdoll": 96, "hagfish": 138}
"""Length of a shot when the command line does not say, in frames: of all, and of those that take their time."""
UNPHYSICAL = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = "; ".join(f"{name}: {what}" for name, what in SHOTS.items())
    parser.add_argument("shot", metavar="SHOT", help=f"a scene file (.json), or the name of a shot ({names})")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, default=Path("out"), help="folder for the files (out)"
    )
    parser.add_argument("--report", metavar="FILE", type=Path, help="write what happened as JSON")
    parser.add_argument("--frames", metavar="N", type=int, help=f"length in frames, {FPS} a second")
    parser.add_argument(
        "--friction", metavar="MU", type=float, help="coefficient inside the joints of the shot klann (0.4)"
    )
    parser.add_argument(
        "--falls",
        metavar="N",
        type=int,
        help="of the shot ragdoll: try N random falls and print how each went",
    )
    parser.add_argument("--soft", action="store_true", help="with --falls: the figure has a soft belly")
    parser.add_argument("--no-video", action="store_true", help="only the .blend file and the contact sheet")
    parser.add_argument(
        "--size", metavar="WxH", default="480x270", help="size of a frame in pixels (480x270)"
    )
    parser.add_argument("--samples", metavar="N", type=int, default=4, help="Cycles samples a pixel (4)")


def run(args: argparse.Namespace) -> int:
    if args.falls is not None:
        return _try_falls(args)
    phases = Phases()
    size = _check(args)
    with ExitStack() as stack:
        with phases("start"):
            scene = stack.enter_context(_blender())
            from ..examples.shots.film import make_film, set_stage
            from ..examples.shots.picture import Look
        look = Look(*size, args.samples)
        try:
            performance = _perform(scene, args, phases)
        except AssertionError as error:
            print(f"redmax: the simulation is not physical. {error}", file=sys.stderr)
            return UNPHYSICAL
        with phases("stage"):
            set_stage(scene, performance.actors, look, performance.ground, performance.elevation)
        progress = stack.enter_context(RenderProgress())
        with quiet_stdout():
            film = make_film(scene, args.out, _name(args.shot), look, not args.no_video, phases, progress)
        plots = plot_torques(args.out / f"{_name(args.shot)}_torque.svg", performance)
        if args.shot in SHOTS and not performance.problem:
            with phases("figures"):
                plots += write_figures(args.out, args.shot, figures(args.shot, performance.result))
        report = make_report(args.shot, performance, [*film.files, *plots], phases)
    if args.report:
        _write_json(args.report, report)
    print(summary(report))
    if performance.problem:
        print(f"redmax: {performance.problem}", file=sys.stderr)
        return DIVERGED
    return OK


def _try_falls(args: argparse.Namespace) -> int:
    """Random falls instead of a film."""
    if args.shot != "ragdoll":
        raise InputError("--falls", f"the shot '{args.shot}' has no falls", "Use it with ragdoll.")
    if args.falls < 1:
        raise InputError("--falls", f"it is {args.falls}", "Give 1 or more.")
    from .falls import try_falls

    report = try_falls(args.falls, soft=args.soft)
    if args.report:
        _write_json(args.report, report)
    print(f"{report['good']} of {args.falls} falls are good")
    return OK if report["good"] == args.falls else UNPHYSICAL


def _check(args: argparse.Namespace) -> tuple[int, int]:
    """Everything that can be wrong with the arguments, before any work; returns width and height [px]."""
    if args.shot not in SHOTS and not args.shot.endswith(".json"):
        known = ", ".join(SHOTS)
        raise InputError(
            f"shot '{args.shot}'", "there is no such shot", f"Choose {known}, or a scene file (.json)."
        )
    if args.friction is not None and args.shot != "klann":
        raise InputError("--friction", f"the shot '{args.shot}' has no such setting", "Use it with klann.")
    if args.soft:
        raise InputError("--soft", "it is a setting of random falls", "Use it with --falls.")
    if args.frames is not None and args.frames < 2:
        raise InputError("--frames", f"{args.frames} frames are not a motion", "Give 2 or more.")
    if args.samples < 1:
        raise InputError("--samples", f"it is {args.samples}", "Give 1 or more.")
    size = re.fullmatch(r"([1-9][0-9]{1,4})x([1-9][0-9]{1,4})", args.size)
    if size is None:
        raise InputError(
            "--size", f"'{args.size}' is not a size", "Give width and height in pixels, as in 480x270."
        )
    width, height = (int(number) for number in size.groups())
    if (width % 2 or height % 2) and not args.no_video:
        raise InputError("--size", f"{args.size} has an odd number", "Give even numbers: H.264 needs them.")
    if args.report is not None:
        folder = args.report.parent
        if not folder.is_dir() and folder.resolve() != args.out.resolve():  # that one is made here
            raise InputError("--report", f"there is no folder '{folder}'", "Create it first.")
    if find_spec("bpy") is None:
        raise InputError(
            "bpy", "Blender's Python module is not installed here", "Install it: pip install bpy."
        )
    try:
        args.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"--out {args.out}", f"no folder can be made there ({error.strerror})", "Choose another."
        ) from None
    return width, height


@contextmanager
def _blender() -> Iterator[Any]:
    """Blender with an empty file and the extension in it; its scene.

    A process of our own must unregister at the end: with classes registered, bpy hangs when Python exits.
    """
    import bpy

    # Not the factory's preferences as well: with those no extension is enabled, and Blender removes its libraries.
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    ours = not hasattr(bpy.types.Scene, "redmax")
    if ours:
        register()
    try:
        scene = bpy.context.scene
        scene.render.fps, scene.render.fps_base = FPS, 1.0
        yield scene
    finally:
        if ours:
            unregister()


def _perform(scene: Any, args: argparse.Namespace, phases: Phases) -> Performance:
    """A shot with a rig, a shot without one, or a scene file."""
    from ..examples.shots.perform import PERFORMED
    from ..examples.shots.perform_spec import perform_spec

    if args.shot in PERFORMED:
        more = {} if args.friction is None else {"friction": args.friction}
        return PERFORMED[args.shot](scene, args.frames or LENGTHS.get(args.shot, FRAMES), phases, **more)
    with phases("read"):
        spec = _spec(args)
    performance = perform_spec(scene, spec, _name(args.shot), args.frames, phases)
    if args.shot in SHOTS and args.frames is None and not performance.problem:
        with phases("check"):
            shot(args.shot).check(performance.result)
    return performance


def _spec(args: argparse.Namespace) -> SceneSpec:
    """A shot without a rig, or a scene file."""
    return shot(args.shot).spec() if args.shot in SHOTS else load_scene(args.shot)


def _name(given: str) -> str:
    return given if given in SHOTS else Path(given).stem


class Phases:
    """Wall and processor time [s] of each phase; a word to the user when kernels are being compiled."""

    def __init__(self) -> None:
        self.begin = time.perf_counter()
        self.seconds: dict[str, float] = {}
        self.cpu: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        begin, cpu = time.perf_counter(), time.process_time()
        with compiling_message() if name == "jit" else nullcontext():
            yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin
        self.cpu[name] = self.cpu.get(name, 0.0) + time.process_time() - cpu

    def total(self) -> float:
        return time.perf_counter() - self.begin


class RenderProgress:
    """A progress bar that appears with the first frame."""

    bar: Bar | None = None

    def __enter__(self) -> RenderProgress:
        return self

    def __call__(self, done: int, of: int) -> None:
        self.bar = self.bar or progress_bar(of, "rendering")
        self.bar.update(1)

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.close()


@contextmanager
def quiet_stdout() -> Iterator[None]:
    """Blender writes a line for every sample, past Python's `sys.stdout`: not while this lasts."""
    c_library = ctypes.CDLL("ucrtbase" if os.name == "nt" else None)
    sys.stdout.flush()
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        kept = os.dup(1)
        try:
            os.dup2(nowhere.fileno(), 1)
            yield
        finally:
            c_library.fflush(None)  # its last lines may still wait in C's buffer
            os.dup2(kept, 1)
            os.close(kept)


def make_report(name: str, performance: Performance, files: Sequence[Path], phases: Phases) -> dict[str, Any]:
    """What was made and how long it took."""
    import bpy

    result, options = performance.result, performance.options
    shot_s = float(result.t[-1] - result.t[0])
    made_s = phases.seconds["simulate"] + phases.seconds["bake"]
    return {
        "shot": name,
        "status": "failed" if performance.problem else "finished",
        "message": performance.problem or None,
        "wall_s": phases.total(),
        "jit_s": phases.seconds["jit"],
        "phases_s": phases.seconds,
        "phases_cpu_s": phases.cpu,
        "shot_s": shot_s,
        "ratio": made_s / shot_s,
        "steps": int(result.step[-1]),
        "h": options.h,
        "integrator": options.integrator,
        "frames": bpy.context.scene.frame_end - bpy.context.scene.frame_start + 1,
        "bodies": len(result.bodies),
        "energy": {"start": result.energies(0), "end": result.energies(-1)},
        "torque": {name: values.tolist() for name, values in torques(performance).items()},
        "blender": bpy.app.version_string,
        "files": {str(path): path.stat().st_size for path in files},
    }


def summary(report: dict[str, Any]) -> str:
    """A few lines for the terminal."""
    phases = ", ".join(f"{name} {s:.1f} s" for name, s in report["phases_s"].items() if s >= 0.05)
    lines = [
        f"{report['shot']}: {report['bodies']} bodies, {report['shot_s']:.3g} s in {report['steps']} steps "
        f"with {report['integrator']}, {report['frames']} frames",
        f"wall time: {report['wall_s']:.1f} s ({phases}); "
        f"simulated and baked in {report['ratio']:.2f} of the time that the shot lasts",
    ]
    lines += [f"wrote {path} ({size / 1024:.0f} KB)" for path, size in report["files"].items()]
    return "\n".join(lines)


def _write_json(path: Path, report: dict[str, Any]) -> None:
    try:
        path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(
            str(path), f"the report cannot be written ({error.strerror})", "Choose another place."
        ) from None
