"""Timing rivals fairly on a machine that does other things too, and the rows that a benchmark reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

Row = dict[str, Any]


def race(contenders: Mapping[str, Callable[[], object]], seconds: float = 1.0, rounds: int = 30) -> dict[str, float]:
    """Best time of one call of each [s].

    They take turns, so that a slow spell of the machine hits all of them, and the best of the rounds counts: noise only
    ever adds. Each round has about seconds / rounds for each contender; the first call of each is not timed.
    """
    repeats = {}
    for name, call in contenders.items():
        call()
        begin = time.perf_counter()
        call()
        once = time.perf_counter() - begin
        repeats[name] = max(1, min(10_000, int(seconds / rounds / max(once, 1e-7))))
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, call in contenders.items():
            n = repeats[name]
            begin = time.perf_counter()
            for _ in range(n):
                call()
            best[name] = min(best[name], (time.perf_counter() - begin) / n)
    return best


def row(
    bench: str, case: str, n: int, ours_s: float, rival: str, rival_s: float | None = None, note: str = ""
) -> Row:
    """One line of a benchmark's table; ratio > 1 means that ours is faster."""
    result: Row = {
        "bench": bench,
        "case": case,
        "n": n,
        "ours_s": ours_s,
        "rival": rival,
        "rival_s": rival_s,
        "ratio": None if rival_s is None else rival_s / ours_s,
    }
    return {**result, "note": note} if note else result
