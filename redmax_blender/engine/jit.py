"""The project's `njit`: one place for flags, cache folder, and the plain-Python fallback.

`njit` makes a kernel that Python calls, `shared` one that kernels of other files call too. `inline` and `subroutine` make
functions that only kernels call: the first disappears into its callers, the second is too large for that. Neither gets
the entry points that Python would use, which would be a third of the time to compile.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])

# Reassociation and contraction are worth a third of the run time. Never `nnan` or `ninf`: the checks for a diverging
# simulation rely on NaN comparing as NaN.
FASTMATH = {"nsz", "arcp", "contract", "afn", "reassoc"}

_KEEP_DAYS = 30
_COPIED = re.compile(rb"^@(inline|subroutine|shared)\b", re.MULTILINE)


def copied_sources() -> list[Path]:
    """The files whose functions end up in the kernels of other files."""
    here = Path(__file__).resolve().parent
    return [f for f in sorted(here.rglob("*.py")) if _COPIED.search(f.read_bytes())]


def cache_folder() -> Path:
    """Where compiled kernels are kept.

    Numba's cache is bound to the name under which the package was imported, and the same sources may run as an
    ordinary package and as a Blender extension, or from two checkouts: each gets a folder of its own. Numba also
    looks only at the file of the kernel itself, so the files whose functions are copied into kernels count too.
    """
    base = os.environ.get("REDMAX_CACHE") or os.environ.get("XDG_CACHE_HOME")
    if base is None:
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / ".cache")
    here = Path(__file__).resolve()
    identity = hashlib.sha256(f"{__name__}|{here}|numba {numba.__version__}".encode())
    for file in [here, *copied_sources()]:
        identity.update(file.read_bytes())
    return Path(base) / "redmax" / identity.hexdigest()[:16]


def first_time() -> bool:
    """Whether no kernel is in the cache folder yet: the next run will spend its first half minute compiling."""
    return not any(Path(str(numba.config.CACHE_DIR)).rglob("*.nbi"))


def _use_cache_folder() -> None:
    folder = cache_folder()
    try:
        new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)  # says that it is in use
    except OSError:  # a read-only home: compiled kernels last as long as this machine's temporary files
        folder = Path(tempfile.gettempdir()) / "redmax" / folder.name
        new = False
    if new:
        _remove_unused(folder.parent)
    numba.config.CACHE_DIR = str(folder)


def _remove_unused(parent: Path) -> None:
    """Delete the caches of versions that nobody has started for a month. What cannot be deleted stays."""
    oldest = time.time() - _KEEP_DAYS * 86400.0
    for folder in parent.iterdir():
        try:
            unused = re.fullmatch("[0-9a-f]{16}", folder.name) and folder.stat().st_mtime < oldest
        except OSError:
            continue
        if unused:
            shutil.rmtree(folder, ignore_errors=True)


_use_cache_folder()


def njit(function: F) -> F:
    """Compile on first call, keep the result on disk, release the GIL. With NUMBA_DISABLE_JIT=1: plain Python."""
    options = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=FASTMATH, no_cfunc_wrapper=True)
    return cast(F, options(function))


def shared(function: F) -> F:
    """A kernel that kernels in other files call as well."""
    return njit(function)


def inline(function: F) -> F:
    """A small function that must disappear into the kernels that call it: tuples then stay in registers."""
    return _for_kernels(function, forceinline=True)


def subroutine(function: F) -> F:
    """A function called from kernels only, and too large to be copied into each of them."""
    return _for_kernels(function, forceinline=False)


def _for_kernels(function: F, forceinline: bool) -> F:
    options = numba.njit(
        nogil=True,
        error_model="numpy",
        fastmath=FASTMATH,
        forceinline=forceinline,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
    )
    dispatcher = options(function)
    if not numba.config.DISABLE_JIT:
        _refuse_python(dispatcher)
    return cast(F, dispatcher)


def _refuse_python(dispatcher: Any) -> None:
    """Let a call from Python fail with a message: without an entry point it would end the process."""

    def keep_for_kernels(compiled: Any) -> None:
        dispatcher.overloads[tuple(compiled.signature.args)] = compiled

    def refuse(*_: object) -> None:
        raise TypeError(f"{dispatcher.py_func.__qualname__} is for kernels: call it from a function under @njit")

    dispatcher.add_overload = keep_for_kernels
    dispatcher._compile_for_args = refuse
