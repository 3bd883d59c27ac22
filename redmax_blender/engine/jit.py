"""The project's `njit`: one place for flags, cache folder, and the plain-Python fallback."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])

# Reassociation and contraction are worth a third of the run time. Never `nnan` or `ninf`: the checks for a diverging
# simulation rely on NaN comparing as NaN.
FASTMATH = {"nsz", "arcp", "contract", "afn", "reassoc"}


def cache_folder() -> Path:
    """Where compiled kernels are kept.

    Numba's cache is bound to the name under which the package was imported, and the same sources may run as an
    ordinary package and as a Blender extension, or from two checkouts: each gets a folder of its own. Numba also
    looks only at the file of the kernel itself, so the files whose functions are copied into kernels count too.
    """
    base = os.environ.get("REDMAX_CACHE") or os.environ.get("XDG_CACHE_HOME")
    if base is None:
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / ".cache")
    here = Path(__file__).resolve().parent
    copied = [here / "jit.py", here / "spatial.py", here / "se3.py", *sorted(here.glob("joints/*.py"))]
    stamps = [(f.name, f.stat().st_mtime_ns, f.stat().st_size) for f in copied]
    identity = f"{__name__}|{here}|numba {numba.__version__}|{stamps}"
    return Path(base) / "redmax" / hashlib.sha256(identity.encode()).hexdigest()[:16]


def _use_cache_folder() -> None:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:  # a read-only home: compiled kernels last as long as this machine's temporary files
        folder = Path(tempfile.gettempdir()) / "redmax" / folder.name
    numba.config.CACHE_DIR = str(folder)


_use_cache_folder()


def njit(function: F) -> F:
    """Compile on first call, keep the result on disk, release the GIL. With NUMBA_DISABLE_JIT=1: plain Python."""
    return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=FASTMATH)(function))


def inline(function: F) -> F:
    """A small function that must disappear into the kernels that call it: tuples then stay in registers."""
    return cast(F, numba.njit(nogil=True, error_model="numpy", fastmath=FASTMATH, forceinline=True)(function))


def subroutine(function: F) -> F:
    """A function called from kernels only, and too large to be copied into each of them."""
    return cast(F, numba.njit(nogil=True, error_model="numpy", fastmath=FASTMATH)(function))
