"""Compile the engine ahead of time: a few steps of scenes that between them need what scenes need.

What is compiled is kept on disk, and the next process that needs it loads it. When all of it is there, a mark says so,
which can be looked at without loading the engine (`jit/prepared.py`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from numba.core import event

from ..compile.scene import compile_scene
from ..errors import FAILURES
from ..gradients.problem import Problem
from ..jit import prepared
from ..scene import SceneSpec
from ..shots import ragdoll_flesh, samples, shot
from .simulate import scene_options, simulate

STEPS = 5
"""Of each scene."""
WARM = 5
"""Parts that a process that stays ready loads before it is asked for anything."""

Heard = Callable[[str], None]
"""Called with the name of each function that is compiled."""


@dataclass(frozen=True)
class Part:
    """A share of the kernels."""

    name: str
    scenes: Callable[[], list[SceneSpec]]
    solvers: tuple[str, ...] = ("auto",)
    steps: int = STEPS


@dataclass(frozen=True)
class Preparing:
    """How far it is."""

    done: int
    parts: int
    name: str
    """The part that comes next; empty at the end."""


def _by(scene: Callable[[], SceneSpec], *integrators: str) -> Callable[[], list[SceneSpec]]:
    def made() -> list[SceneSpec]:
        out = [scene() for _ in integrators]
        for spec, integrator in zip(out, integrators, strict=True):
            spec.integrator = integrator
        return out

    return made


def _shot(*names: str) -> Callable[[], list[SceneSpec]]:
    return lambda: [shot(name).spec() for name in names]


PARTS = (
    Part("bodies that touch", _shot("ragdoll")),
    Part("trees with joint friction", _shot("chains")),
    Part("loops with joint friction", _shot("klann", "hand", "umbrella"), ("auto", "pcg")),
    Part("springs", _by(samples.springs, "euler", "euler-midway")),
    Part("soft bodies", _shot("starfish"), ("auto", "pcg")),
    Part("soft bodies that touch", lambda: [ragdoll_flesh.spec()]),
    Part("many loops and springs", _shot("bridge"), ("direct", "pcg")),
    Part("skins that touch themselves", _shot("hagfish")),
    Part("loops", lambda: [samples.loops()], ("auto", "direct")),
    Part("strands", lambda: [samples.strands()]),
    Part("turning joints", _by(samples.turning, "euler", "euler-midway", "bdf2", "rk-recursive"), steps=20),
    Part("higher order", _by(samples.springs, "bdf1", "bdf2", "sdirk2")),
    Part("Runge-Kutta", _by(samples.springs, "rk-recursive", "rk-redmax")),
    Part("muscles", _by(samples.muscles, "euler-midway", "bdf2")),
    Part("muscles on exact paths", lambda: [samples.exact_muscles()]),
    Part("goals", lambda: list(samples.tasks())),
)
"""What most scenes need comes first."""


def prepare(heard: Heard | None = None) -> Iterator[Preparing]:
    """Compile what is not there yet, a part at a time; the mark is set at the end."""
    with _listening(heard):
        for i, part in enumerate(PARTS):
            yield Preparing(i, len(PARTS), part.name)
            for spec in part.scenes():
                for solver in part.solvers:
                    _run(spec, solver, part.steps)
    prepared.mark()
    yield Preparing(len(PARTS), len(PARTS), "")


def warm_up_parts() -> Iterator[str]:
    """Load, or compile, what most scenes need into this process, a part at a time; their names before each."""
    for part in PARTS[:WARM]:
        for spec in part.scenes():
            yield part.name
            _run(spec, "auto", part.steps)


def _run(spec: SceneSpec, solver: str, steps: int) -> None:
    if spec.task is not None:
        problem = Problem(spec)
        problem.evaluate(problem.parameters.initial)
        return
    options = replace(scene_options(spec), solver=solver)
    with contextlib.suppress(*FAILURES):  # what a scene does is not asked here
        for _ in simulate(compile_scene(spec), options, end=spec.time.start + steps * options.h):
            pass


class _Listener(event.Listener):  # type: ignore[misc]
    """Hands on what Numba compiles."""

    def __init__(self, heard: Heard) -> None:
        self.heard = heard

    def on_start(self, heard: event.Event) -> None:
        self.heard(heard.data["dispatcher"].py_func.__name__)

    def on_end(self, heard: event.Event) -> None:
        pass


@contextlib.contextmanager
def _listening(heard: Heard | None) -> Iterator[None]:
    if heard is None:
        yield
        return
    with event.install_listener("numba:compile", _Listener(heard)):
        yield
