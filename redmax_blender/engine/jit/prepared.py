"""Whether everything has been compiled on this machine: a mark beside the kernels.

Looking at it loads neither Numba nor the engine.
"""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path

from . import cache


def is_prepared() -> bool:
    """Whether `mark` was called for the engine as it is now, here or where the extension's zip was made."""
    return _place().exists() or cache.brought(_place()).exists()


def mark() -> None:
    """Everything is compiled."""
    try:
        _place().touch()
    except OSError:  # a folder that cannot be written: nothing is kept in it either
        return


def _place() -> Path:
    digest = hashlib.sha256(platform.machine().encode())
    for name in sorted(cache.modules()):
        digest.update(name.encode() + b"\0" + cache.text(name).encode())
    return cache.root() / f"prepared-{digest.hexdigest()[:16]}"
