"""What the user sees while a long run goes on: a progress bar, and a word when kernels are being compiled."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Bar(Protocol):
    def update(self, n: int) -> object: ...
    def close(self) -> object: ...


class PlainBar:
    """A line on stderr: rewritten in place on a terminal, printed at every tenth elsewhere."""

    def __init__(self, total: int, label: str) -> None:
        self.total = total
        self.label = label
        self.done = 0
        self._begin = self._shown = time.monotonic()
        self._tenth = 0
        self._terminal = sys.stderr.isatty()

    def update(self, n: int) -> None:
        self.done += n
        now = time.monotonic()
        if self._terminal and (now - self._shown > 0.1 or self.done == self.total):
            self._shown = now
            print(f"\r{self._text(now)}", end="", file=sys.stderr, flush=True)
        elif not self._terminal and self.done * 10 // self.total > self._tenth:
            self._tenth = self.done * 10 // self.total
            print(self._text(now), file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._terminal:
            print(file=sys.stderr)

    def _text(self, now: float) -> str:
        filled = 30 * self.done // self.total
        seconds = now - self._begin
        left = seconds * (self.total - self.done) / max(self.done, 1)
        bar = "#" * filled + "-" * (30 - filled)
        return f"{self.label} [{bar}] {self.done}/{self.total} steps, {seconds:.1f} s, {left:.1f} s left"


def progress_bar(total: int, label: str) -> Bar:
    """tqdm's bar where it is installed, a plain one otherwise."""
    try:
        from tqdm import tqdm
    except ImportError:
        return PlainBar(total, label)
    bar: Bar = tqdm(total=total, desc=label, unit="step", file=sys.stderr)
    return bar


@contextmanager
def compiling_message(patience: float = 1.0, about: float = 30.0) -> Iterator[None]:
    """Say that kernels are being compiled if what is inside takes longer than loading them would [s]."""
    message = f"compiling the engine's kernels, once per machine, about {about:.0f} s ..."
    timer = threading.Timer(patience, lambda: print(message, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
