"""The engine is a plain Python library: nothing in it needs Blender, or any other part of the extension."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

IMPORT_EVERYTHING = """
import importlib, pkgutil, sys
for blender in ("bpy", "bpy_extras", "bl_ext", "bmesh", "gpu", "mathutils"):
    sys.modules[blender] = None  # an import of it raises ImportError
import redmax_blender.engine as engine
names = [m.name for m in pkgutil.walk_packages(engine.__path__, engine.__name__ + ".")]
for name in names:
    importlib.import_module(name)
outside = [m for m in sys.modules if m.startswith("redmax_blender.") and not m.startswith("redmax_blender.engine")]
assert not outside, outside
print(len(names))
"""


def run(code: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_engine_module_imports_without_blender() -> None:
    files = [f for f in (ROOT / "redmax_blender" / "engine").rglob("*.py") if f.name != "__init__.py"]
    assert int(run(IMPORT_EVERYTHING)) >= len(files)


def test_the_engine_takes_only_what_the_extension_bundles() -> None:
    """NumPy comes with Blender; everything else that an import of the engine loads must be in the zip."""
    code = IMPORT_EVERYTHING + "print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = set(run(code).splitlines()[1].split())
    for development_only in ("mujoco", "pinocchio", "matplotlib", "tqdm", "hypothesis", "pytest"):
        assert development_only not in loaded


def imported_modules(file: Path) -> set[Path]:
    """Files of the package that a file imports when it is imported itself."""
    found = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for name in (alias.name for alias in node.names):
                candidates = (folder / f"{name}.py", folder / name / "__init__.py", folder / "__init__.py")
                found |= {next((c for c in (*candidates, folder.with_suffix(".py")) if c.is_file()), file)}
    return found - {file}


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {file: imported_modules(file) for file in (ROOT / "redmax_blender").rglob("*.py")}
    done: set[Path] = set()

    def visit(file: Path, way: tuple[Path, ...]) -> None:
        assert file not in way, " -> ".join(str(f.relative_to(ROOT)) for f in (*way, file))
        if file not in done:
            for other in graph[file]:
                visit(other, (*way, file))
            done.add(file)

    for file in graph:
        visit(file, ())


def test_the_solver_of_impulses_knows_no_source_of_rows() -> None:
    engine = ROOT / "redmax_blender" / "engine"
    sources = (
        "scene",
        "compile",
        "contact",
        "constraints",
        "forces",
        "friction",
        "muscles",
        "fem",
        "step",
        "run",
    )
    for file in (engine / "impulses").glob("*.py"):
        rooms = {other.relative_to(engine).parts[0] for other in imported_modules(file)}
        assert not rooms & set(sources), file.name
