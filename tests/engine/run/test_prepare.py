"""After `compile` nothing is compiled any more, whatever the scene."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.dispatcher import Dispatcher

import redmax_blender.engine as engine
from redmax_blender.cli import main
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.jit import prepared
from redmax_blender.engine.run import prepare
from redmax_blender.engine.run.simulate import scene_options, simulate

ROOT = Path(__file__).resolve().parents[3]

# Scenes with features beside each other that no part of the preparation has so, in a process that must compile nothing.
AFTERWARDS = """
import sys
sys.path.insert(0, sys.argv[1])
from numba.core import event
from benchmarks.features import FEATURES, scene
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.run.simulate import scene_options, simulate
from redmax_blender.engine.shots import samples, shot

class Say(event.Listener):
    def on_start(self, e): print(e.data["dispatcher"].py_func.__qualname__)
    def on_end(self, e): pass

specs = []
for change in FEATURES.values():
    for rubs in (False, True):
        specs.append(scene([0.0, 0.0, 2.0, 0.0, 0.0, 0.0], rubs))
        change(specs[-1])
specs += [shot(name).spec() for name in ("chain", "starfish", "bridge")]
specs += [samples.springs(), samples.loops(), samples.muscles()]
with event.install_listener("numba:compile", Say()):
    for spec in specs:
        model, options = compile_scene(spec), scene_options(spec)
        for _ in simulate(model, options, end=spec.time.start + 4 * options.h): pass
print("steps", len(specs))
"""


@pytest.fixture(scope="module")
def compiled() -> dict[str, int]:
    """Everything, in the folder that the tests share; how many functions had to be compiled for each part."""
    heard: dict[str, int] = {}
    names: list[str] = []
    part = ""
    for at in prepare.prepare(names.append):
        heard[part] = len(names) - sum(heard.values())
        part = at.name
    return heard


def test_afterwards_nothing_is_compiled(compiled: dict[str, int], tmp_path: Path) -> None:
    script = tmp_path / "afterwards.py"
    script.write_text(AFTERWARDS)
    done = subprocess.run(
        [sys.executable, str(script), str(ROOT)],
        capture_output=True, text=True, timeout=300, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:-1] == []
    assert done.stdout.splitlines()[-1].startswith("steps")
    assert prepared.is_prepared()


def test_most_kernels_have_been_called(compiled: dict[str, int]) -> None:
    """A kernel of the step or of flesh that no scene of the preparation reaches is missing in the list of parts."""
    untouched = set()
    for info in pkgutil.walk_packages(engine.__path__, engine.__name__ + "."):
        for value in vars(importlib.import_module(info.name)).values():
            kernel = isinstance(value, Dispatcher) and not value.targetoptions.get("no_cpython_wrapper")
            if kernel and value.__module__ == info.name and not value.overloads:
                untouched.add(info.name.removeprefix(engine.__name__ + "."))
    assert not {name for name in untouched if name.startswith(("step", "contact", "integrators"))}


def test_samples_and_shots_of_the_preparation_run(compiled: dict[str, int]) -> None:
    """Those that cannot take their steps would prepare nothing."""
    for part in prepare.PARTS:
        for spec in part.scenes():
            if spec.task is None:
                model, options = compile_scene(spec), scene_options(spec)
                steps = min(part.steps, 5)
                frames = list(simulate(model, options, end=spec.time.start + steps * options.h))
                assert len(frames) == steps + 1, (part.name, spec.name)


def test_the_mark_goes_with_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared.cache, "root", lambda: tmp_path)
    assert not prepared.is_prepared()
    prepared.mark()
    assert prepared.is_prepared()
    monkeypatch.setattr(prepared.cache, "text", lambda name: "other")
    assert not prepared.is_prepared()


def test_the_command_says_how_far_it_is(compiled: dict[str, int], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    steps = [line for line in lines if "parts" in line]
    assert [line["done"] for line in steps] == list(range(len(prepare.PARTS) + 1))
    assert main(["compile", "--check"]) == 0
    assert capsys.readouterr().out.startswith("all of the engine is compiled")


def test_looking_at_the_mark_loads_no_compiler() -> None:
    code = (
        "import sys; from redmax_blender.engine.jit import prepared; prepared.is_prepared();"
        "print([m for m in ('numba', 'numpy', 'llvmlite') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.strip() == "[]", done.stderr
