"""Where compiled kernels are kept, so that each is compiled once per machine and never used when it is out of date.

Numba decides by the file of a kernel alone whether its compiled form is still good. But functions of other files are
compiled into it, so a kernel's folder is named after the contents of all files that its own file imports. And Numba's
cache is bound to the name under which the package was imported: the same sources may run as an ordinary package and as
a Blender extension, and each gets a folder of its own around those. So does each NumPy.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_ENGINE = Path(__file__).resolve().parents[1]
_BROUGHT = _ENGINE.parent / "kernels"
"""Where a zip of the extension has kernels that were compiled when it was made; see `tools/compile_kernels.py`."""
_KEEP_DAYS = 30
_IMPORT = re.compile(r"^[ \t]*from (\.+)([\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
_IMPORT_OUTSIDE = re.compile(
    rf"^[ \t]*from {re.escape(__name__.rsplit('.', 2)[0])}([\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE
)
_KERNELS = re.compile(r"^@(njit|inline|subroutine|borrower)\b", re.MULTILINE)


@cache
def root() -> Path:
    """The folder around the folders of all kernels of this installation."""
    base = os.environ.get("REDMAX_CACHE") or os.environ.get("XDG_CACHE_HOME")
    if base is None:
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / ".cache")
    folder = Path(base) / "redmax" / _identity()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:  # a read-only home: compiled kernels last as long as this machine's temporary files
        folder = Path(tempfile.gettempdir()) / "redmax" / folder.name
    _in_use(folder)
    return folder


def brought(folder: Path) -> Path:
    """What came with the extension for `root()`, or for a folder in it. It need not exist."""
    return _BROUGHT / _identity() / folder.relative_to(root())


@cache
def _identity() -> str:
    return _short_hash(f"{__name__}|numpy {_numpy_version()}|numba {version('numba')}")


def _numpy_version() -> str:
    """Without loading it, if it need not be: it may have come without metadata, as Numba never does."""
    try:
        return str(sys.modules["numpy"].__version__ if "numpy" in sys.modules else version("numpy"))
    except PackageNotFoundError:
        import numpy

        return numpy.__version__


@cache
def kernel_folder(file: Path) -> Path:
    """The folder for the kernels of a file."""
    name = next((name for name, path in modules().items() if path == file), None)
    names = set().union(*map(imported, _imported_outside(file) if name is None else [name]))
    texts = [
        text("jit.decorators"),
        text("jit.linkage"),
        *(source for source in map(text, sorted(names)) if _KERNELS.search(source)),
    ]
    folder = root() / _short_hash("\0".join(texts))
    new = not folder.exists()
    _in_use(folder)
    if new:
        for parent in (root(), root().parent):
            _remove_unused(parent)
    return folder


def imported(module: str) -> set[str]:
    """A module of the engine and all modules of the engine that it imports, directly or not."""
    found: set[str] = set()
    todo = [module]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(_imports(name))
    return found


@cache
def modules() -> dict[str, Path]:
    """Every file of the engine by its name inside of it, such as `joints.revolute`; a package is its `__init__`."""
    files = {}
    for path in _ENGINE.rglob("*.py"):
        parts = path.relative_to(_ENGINE).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return files


@cache
def _imports(module: str) -> set[str]:
    """The modules that the text of a module imports."""
    names = module.split(".") if module else []
    package = names if modules()[module].name == "__init__.py" else names[:-1]
    found = set()
    for dots, target, wanted in _IMPORT.findall(text(module)):
        base = [*package[: len(package) + 1 - len(dots)], *filter(None, target.split("."))]
        if target:  # `from . import x` needs x, and nothing else of the package
            found.add(".".join(base))
        found.update(".".join([*base, name]) for name in re.findall(r"\w+", wanted))
    return found & modules().keys()


def _imported_outside(file: Path) -> set[str]:
    """The modules of the engine that a file outside of it imports, such as a test with a kernel of its own."""
    found: set[str] = set()
    if not file.is_file():  # typed at a prompt; Numba does not keep that
        return found
    for target, wanted in _IMPORT_OUTSIDE.findall(file.read_text(encoding="utf-8")):
        base = target.lstrip(".")
        found.update([base, *(f"{base}.{name}".lstrip(".") for name in re.findall(r"\w+", wanted))])
    return found & (modules().keys() - {""})


@cache
def text(module: str) -> str:
    """What stands in a file of the engine."""
    return modules()[module].read_text(encoding="utf-8")


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _in_use(folder: Path) -> None:
    """Create a folder, and leave the time of its last use on it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError:
        pass  # Numba then compiles without keeping


def _remove_unused(parent: Path) -> None:
    """Delete the folders that nobody has used for a month. What cannot be deleted stays."""
    oldest = time.time() - _KEEP_DAYS * 86400.0
    try:
        folders = [f for f in parent.iterdir() if re.fullmatch("[0-9a-f]{16}", f.name)]
        unused = [f for f in folders if f.stat().st_mtime < oldest]
    except OSError:
        return
    for folder in unused:
        shutil.rmtree(folder, ignore_errors=True)
