"""Compiled kernels are never out of date, never used from the wrong side, and do not pile up."""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import redmax_blender.engine as engine
from redmax_blender.engine.algebra.spatial import cross
from redmax_blender.engine.jit import cache as jit_cache
from redmax_blender.engine.jit.decorators import njit
from redmax_blender.engine.jit.turns import Turns

ROOT = Path(__file__).resolve().parents[3]


def kernels() -> list[Dispatcher]:
    """Every compiled function of the engine, in its own module."""
    found = []
    for info in pkgutil.walk_packages(engine.__path__, engine.__name__ + "."):
        module = importlib.import_module(info.name)
        found += [
            f for f in vars(module).values() if isinstance(f, Dispatcher) and f.__module__ == module.__name__
        ]
    return found


def called(kernel: Dispatcher) -> set[str]:
    """Modules of the compiled functions that a kernel names, by themselves or as `module.function`."""
    names, scope = kernel.py_func.__code__.co_names, kernel.py_func.__globals__
    values = [scope.get(name) for name in names]
    for value in list(values):
        if isinstance(value, types.ModuleType) and value.__name__.startswith(engine.__name__):
            values += [getattr(value, name, None) for name in names]
    return {value.__module__ for value in values if isinstance(value, Dispatcher)}


def test_the_cache_knows_every_file_that_is_compiled_into_a_kernel() -> None:
    if not isinstance(cross, Dispatcher):
        pytest.skip("the JIT is off")
    prefix = engine.__name__ + "."
    for kernel in kernels():
        known = jit_cache.imported(kernel.__module__.removeprefix(prefix))
        missing = {module.removeprefix(prefix) for module in called(kernel)} - known
        assert not missing, f"{kernel.__module__}.{kernel.__name__} is compiled with {missing}"


def test_imports_are_found_in_every_form() -> None:
    known = jit_cache.imported("tree.kinematics")
    assert {
        "tree.kinematics",
        "joints",
        "joints.universal",
        "algebra.spatial",
        "algebra.se3",
        "jit.decorators",
    } <= known  # from . import joints
    assert "run.simulate" not in known and "tree.linearise" not in known
    assert "algebra.spatial" in jit_cache.imported("joints.revolute")  # from ..spatial import


def run_script(code: str, name: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What a process of its own prints."""
    # Numba wants the source of a cached function in a file.
    script = ROOT / "tests" / "engine" / "__pycache__" / f"{name}_{os.getpid()}.py"
    script.parent.mkdir(exist_ok=True)
    script.write_text(code)
    os.utime(script, (0, 0))  # the same file in every run, as its cache sees it
    try:
        return subprocess.run(
            [sys.executable, str(script)],
            env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "0", **environment},
            capture_output=True,
            text=True,
            timeout=200,
        )
    finally:
        script.unlink()


def test_a_function_for_kernels_says_so_when_python_calls_it() -> None:
    """In a process of its own: without the message it would be the end of this one."""
    code = """
from redmax_blender.engine.jit.decorators import njit
from redmax_blender.engine.jit.turns import Turns
from redmax_blender.engine.algebra.spatial import cross
@njit
def kernel(a, b): return cross(a, b)
x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
for _ in range(2):  # before and after it has been compiled for these types
    try:
        cross(x, y)
    except TypeError as error:
        print(error)
    assert kernel(x, y) == (0.0, 0.0, 1.0)
"""
    done = run_script(code, "kernel_only")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["cross is for kernels: call it from a function under @njit"] * 2


def test_kernels_keep_to_their_own_copies(tmp_path: Path) -> None:
    """Nothing that a kernel calls can be taken for what another one calls, whichever of them is loaded first."""
    code = """
import numpy as np
from redmax_blender.engine.jit.decorators import njit, subroutine

@subroutine
def total(x):
    out = 0.0
    for i in range(len(x)):
        out += x[i] / (1.0 + i)
    return out

@njit
def once(x): return total(x)

@njit
def twice(x): return total(x) + total(x[1:])

x = np.linspace(0.1, 1.0, 1001)
print(once(x).hex(), twice(x).hex(), total.overloads != {})
for kernel in (once, twice):
    for compiled in kernel.overloads.values():
        for function in compiled.library.get_defined_functions():
            if function.linkage.name != "internal":
                print(function.name)
for compiled in total.overloads.values():
    print(len(list(compiled.library.get_defined_functions())), "loaded")
"""
    cold, warm = (run_script(code, "own_copies", REDMAX_CACHE=str(tmp_path)) for _ in range(2))
    assert not (cold.returncode or warm.returncode), cold.stderr + warm.stderr
    (*numbers, compiled), *seen, loaded = cold.stdout.split("\n", 1)[0].split(), *cold.stdout.splitlines()[1:]
    assert compiled == "True" and warm.stdout.split() == [*numbers, "False"]
    assert seen and all("once" in name or "twice" in name for name in seen)
    assert loaded == "0 loaded"


@njit
def _double(x):  # type: ignore[no-untyped-def]
    return 2.0 * x


def test_kernels_keep_nan() -> None:
    """Fast arithmetic, but not so fast that it assumes there is no NaN."""

    assert np.isnan(_double(np.nan))
    assert _double(2.0) == 4.0


def test_unused_caches_go_after_a_month(tmp_path: Path) -> None:
    fresh, old, other = tmp_path / ("0" * 16), tmp_path / ("f" * 16), tmp_path / "kept by the user"
    for folder in (fresh, old, other):
        folder.mkdir()
        (folder / "kernel.nbi").touch()
    month_ago = time.time() - 31 * 86400
    os.utime(old, (month_ago, month_ago))
    os.utime(other, (month_ago, month_ago))
    jit_cache._remove_unused(tmp_path)
    assert fresh.exists() and other.exists() and not old.exists()


def test_a_cache_that_cannot_be_read_is_no_error(tmp_path: Path) -> None:
    jit_cache._remove_unused(tmp_path / "not there")


def test_the_first_time_is_known(tmp_path: Path) -> None:
    """An empty cache says so, and one with a compiled kernel does not; a cache that cannot be written is no error."""
    code = (
        "from redmax_blender.engine.jit import decorators as jit; from redmax_blender.engine.algebra.se3 import exp;"
        "from redmax_blender.engine.jit.cache import kernel_folder; from pathlib import Path;"
        "print(jit.first_time());"
        "f = kernel_folder(Path(jit.__file__).parents[1] / 'tree' / 'kinematics.py') / 'x';"
        "f.mkdir(parents=True); (f / 'k.nbi').touch(); print(jit.first_time())"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "REDMAX_CACHE": str(tmp_path),
        "NUMBA_DISABLE_JIT": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=100
    )
    assert done.stdout.split() == ["True", "False"], done.stderr
    environment["REDMAX_CACHE"] = str(tmp_path / "file")
    (tmp_path / "file").touch()
    done = subprocess.run(
        [sys.executable, "-c", "import redmax_blender.engine.tree.kinematics"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr


def test_a_process_that_must_not_compile_runs_plain_python(tmp_path: Path) -> None:
    """As a Blender with a window, whose graphics driver may have an LLVM of its own."""
    code = (
        "from redmax_blender.engine.jit import switch; switch.compile_kernels = False\n"
        "from redmax_blender.engine import compile_scene\nfrom redmax_blender.engine.tree import kinematics\n"
        "from redmax_blender.engine.scene import BodySpec, Cuboid, JointSpec, Revolute, SceneSpec\n"
        "bar = BodySpec('bar', Cuboid((1.0, 0.1, 0.1)), joint=JointSpec(Revolute(), q=0.5))\n"
        "model = compile_scene(SceneSpec(bodies=[bar]))\n"
        "print(type(kinematics.forward_pass).__name__)\n"
        "print(kinematics.forward_kinematics(model, model.initial_state()).E_wj[0, 3])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT), "REDMAX_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=100,
    )
    kind, sine = done.stdout.split()
    assert kind == "function", done.stderr
    assert float(sine) == pytest.approx(np.sin(0.5))
    assert not list(tmp_path.rglob("*.nbi"))


def test_a_copy_of_the_sources_finds_what_was_compiled(tmp_path: Path) -> None:
    """Kernels are known by what is in their sources, so that they can be brought along with them."""
    code = (
        "from redmax_blender.engine import compile_scene\n"
        "from redmax_blender.engine.tree.kinematics import forward_kinematics, forward_pass\n"
        "from redmax_blender.engine.scene import BodySpec, Cuboid, JointSpec, Revolute, SceneSpec\n"
        "bar = BodySpec('bar', Cuboid((1.0, 0.1, 0.1)), joint=JointSpec(Revolute()))\n"
        "model = compile_scene(SceneSpec(bodies=[bar]))\n"
        "forward_kinematics(model, model.initial_state())\n"
        "print(sum(forward_pass.stats.cache_hits.values()), sum(forward_pass.stats.cache_misses.values()))"
    )
    shutil.copytree(ROOT / "redmax_blender", tmp_path / "copy" / "redmax_blender")
    printed = []
    for place in (ROOT, tmp_path / "copy"):
        environment = {**os.environ, "PYTHONPATH": str(place), "REDMAX_CACHE": str(tmp_path / "kernels")}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=200
        )
        printed.append(done.stdout.split())
        assert done.returncode == 0, done.stderr
    assert printed == [["0", "1"], ["1", "0"]]


def test_two_processes_compile_a_kernel_once(tmp_path: Path) -> None:
    """The second waits and loads what the first has kept; and a process that ends in between holds up nobody."""
    code = (
        "import sys, time\n"
        "from redmax_blender.engine.tree.kinematics import forward_kinematics, forward_pass\n"
        "from redmax_blender.engine import compile_scene\n"
        "from redmax_blender.engine.scene import BodySpec, Cuboid, JointSpec, Revolute, SceneSpec\n"
        "bar = BodySpec('bar', Cuboid((1.0, 0.1, 0.1)), joint=JointSpec(Revolute()))\n"
        "model = compile_scene(SceneSpec(bodies=[bar]))\n"
        "forward_kinematics(model, model.initial_state())\n"
        "print(sum(forward_pass.stats.cache_hits.values()), sum(forward_pass.stats.cache_misses.values()))"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "REDMAX_CACHE": str(tmp_path),
        "NUMBA_DISABLE_JIT": "0",
    }
    both = [
        subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in "ab"
    ]
    printed = [one.communicate(timeout=200)[0].split() for one in both]
    made = list(tmp_path.rglob("kinematics.forward_pass-*.nbc"))
    assert len(made) == 1, made
    assert all(len(each) == 2 for each in printed)


def test_a_lock_goes_with_its_process(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from redmax_blender.engine.jit.turns import Turns;"
        "t = Turns(Path(sys.argv[1])); t.take('kernel'); print('taken', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert other.stdout is not None and other.stdout.readline() == "taken\n"
    timer = threading.Timer(0.3, other.kill)
    timer.start()
    turns = Turns(tmp_path)
    assert turns.take("kernel")  # after a wait
    other.wait(10)
    turns.give("kernel")
    assert not Turns(tmp_path).take("kernel")
    assert not Turns(tmp_path / "not there").take("kernel")
