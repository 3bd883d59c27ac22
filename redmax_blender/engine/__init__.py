"""The physics: articulated dynamics in reduced and maximal coordinates, with NumPy, SciPy and Numba; never
Blender.

    from redmax_blender.engine import Result, compile_scene, load_scene, scene_options, simulate

    spec = load_scene("pendulum.json")
    model = compile_scene(spec)
    result = Result.from_frames(model, simulate(model, scene_options(spec), end=spec.time.end))
    print(result.t[-1], result.q[-1], result.energies(-1))

Names are loaded when they are first used: importing the package imports no kernel, and nothing is compiled
before the first call that needs it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .compile.scene import compile_scene
    from .errors import DivergedError, InputError, SceneError
    from .model.records import Model
    from .model.state import Options, State
    from .run.result import Result, run_key
    from .run.simulate import Frame, make_frame, scene_options, simulate, warm_up
    from .scene import SceneSpec
    from .scene.file import decode_scene, encode_scene, load_scene, scene_schema

_HOME = {
    "compile_scene": "compile.scene",
    "DivergedError": "errors",
    "InputError": "errors",
    "SceneError": "errors",
    "Model": "model.records",
    "Options": "model.state",
    "State": "model.state",
    "Result": "run.result",
    "run_key": "run.result",
    "SceneSpec": "scene",
    "decode_scene": "scene.file",
    "encode_scene": "scene.file",
    "load_scene": "scene.file",
    "scene_schema": "scene.file",
    "Frame": "run.simulate",
    "make_frame": "run.simulate",
    "scene_options": "run.simulate",
    "simulate": "run.simulate",
    "warm_up": "run.simulate",
}

__all__ = [
    "DivergedError", "Frame", "InputError", "Model", "Options", "Result", "SceneError", "SceneSpec", "State",
    "compile_scene", "decode_scene", "encode_scene", "load_scene", "make_frame", "run_key", "scene_options",
    "scene_schema", "simulate", "warm_up",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


class _Package(ModuleType):
    """A module in which `simulate` is the function, although a submodule has the same name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "simulate" and isinstance(value, ModuleType):  # bound by the import system
            value = value.simulate
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
