"""Kernels that come with the extension are used where they fit, and nothing is written beside them."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core import config

from redmax_blender.engine.jit import cache
from redmax_blender.engine.jit.baseline import compile_for_baseline

CALL = """
from redmax.engine.jit import prepared
from redmax.engine.jit.decorators import first_time
from redmax.engine.algebra.se3 import exp_coefficients
value = exp_coefficients(0.25)
print(sum(exp_coefficients.stats.cache_hits.values()), sum(exp_coefficients.stats.cache_misses.values()), value[0])
print(prepared.is_prepared())
"""


def call(folder: Path, kept: Path, code: str = CALL, **environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={
            **os.environ,
            "PYTHONPATH": str(folder),
            "REDMAX_CACHE": str(kept),
            "NUMBA_DISABLE_JIT": "0",
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_kernels_in_the_package_need_not_be_compiled(tmp_path: Path) -> None:
    package = tmp_path / "redmax"
    shutil.copytree(
        Path(cache.__file__).parents[2],
        package,
        ignore=shutil.ignore_patterns("__pycache__", "bridge", "operators"),
    )
    before = call(tmp_path, tmp_path / "first")
    assert before[:2] == ["0", "1"] and before[3] == "False"
    mark = "from redmax.engine.jit import prepared; prepared.mark()"
    call(tmp_path, tmp_path / "first", mark)
    shutil.copytree(tmp_path / "first" / "redmax", package / "kernels")
    brought = sorted(package.rglob("*.nb?"))
    assert brought

    after = call(tmp_path, tmp_path / "second")
    assert after == ["1", "0", before[2], "True"]
    assert not list((tmp_path / "second").rglob("*.nb?"))
    assert sorted(package.rglob("*.nb?")) == brought

    other_processor = call(tmp_path, tmp_path / "third", NUMBA_CPU_NAME="nehalem", NUMBA_CPU_FEATURES="")
    assert other_processor[:2] == ["0", "1"]


def test_x86_64_is_compiled_for_what_all_of_them_have(monkeypatch: pytest.MonkeyPatch) -> None:
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("another kind of processor")
    monkeypatch.setattr(config, "CPU_NAME", None)
    monkeypatch.setattr(config, "CPU_FEATURES", None)
    compile_for_baseline()
    assert (config.CPU_NAME, config.CPU_FEATURES) in (("x86-64-v3", ""), (None, None))
    monkeypatch.setattr(config, "CPU_NAME", "nehalem")
    compile_for_baseline()
    assert config.CPU_NAME == "nehalem"
