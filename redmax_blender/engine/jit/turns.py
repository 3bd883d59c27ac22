"""Two processes never compile the same kernel at once: the second waits until the first has kept it.

Each holds a lock on a file while it compiles, which the system takes away when the process ends, however it ends.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import BinaryIO

LOOK = 0.05
"""Seconds between two looks at a lock that is taken."""

if os.name == "nt":
    import msvcrt

    def _lock(file: BinaryIO) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]

else:
    import fcntl

    def _lock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Turns:
    """Locks by the name of what is compiled, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.held: dict[str, BinaryIO] = {}

    def take(self, name: str) -> bool:
        """Wait for the lock; whether there was something to wait for. Where no lock can be made, nobody waits."""
        if name in self.held:
            return False
        try:
            file = (self.folder / f"{name}.turn").open("ab")
        except OSError:
            return False
        waited = False
        while True:
            try:
                _lock(file)
            except (BlockingIOError, PermissionError):
                waited = True
                time.sleep(LOOK)
            except OSError:  # a network folder without locks
                file.close()
                return waited
            else:
                self.held[name] = file
                return waited

    def give(self, name: str) -> None:
        """Others may go on."""
        file = self.held.pop(name, None)
        if file is not None:
            file.close()
