"""Compiled kernels for the extension's zip, so that its first simulation need not compile.

A kernel is good for one Python, NumPy and Numba, and one kind of processor (`engine/jit/baseline.py`). Blender brings
the first two, so the engine is compiled in every environment of this folder (`tools/venv.sh`) that is like one of the
Blenders that the zip is for; what is missing there is compiled by its user, once.
"""

import os
import platform
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 3600
"""Allowed for an environment."""
_SYSTEMS = {"Linux": "linux", "Darwin": "macos", "Windows": "windows"}
_MACHINES = {"x86_64": "x64", "AMD64": "x64", "arm64": "arm64"}


def this_platform() -> str:
    """Blender's name of the platform that this runs on."""
    return f"{_SYSTEMS[platform.system()]}-{_MACHINES[platform.machine()]}"


def environments(python: str) -> list[Path]:
    """The interpreters here of that Python, one for each NumPy."""
    found: dict[str, Path] = {}
    for folder in (ROOT / ".venv", *sorted((ROOT / ".venvs").glob("blender-*"))):
        for site in (folder / "lib" / f"python{python}" / "site-packages", folder / "Lib" / "site-packages"):
            for numpy in site.glob("numpy-*.dist-info"):
                scripts = folder / ("Scripts" if os.name == "nt" else "bin")
                found.setdefault(numpy.name, scripts / "python")
    return list(found.values())


def compile_kernels(package: Path, python: str) -> int:
    """Compile the engine of an unpacked extension, and put the kernels into it; returns how many files these are."""
    cache = package.parent / "cache"
    for interpreter in environments(python):
        subprocess.run(
            [str(interpreter), "-P", "-m", package.name, "compile"],
            env={**os.environ, "PYTHONPATH": str(package.parent), "REDMAX_CACHE": str(cache)},
            cwd=package.parent,
            check=True,
            timeout=SECONDS,
        )
    made = cache / "redmax"
    count = 0
    for file in made.rglob("*"):
        if file.suffix in (".nbi", ".nbc") or file.name.startswith("prepared-"):
            place = package / "kernels" / file.relative_to(made)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, place)
            count += 1
    shutil.rmtree(cache, ignore_errors=True)
    for folder in package.rglob("__pycache__"):
        shutil.rmtree(folder)
    return count
