"""Timing rivals fairly on a machine that does other things too, and the rows that a benchmark reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

Row = dict[str, Any]


def race(contenders: Mapping[str, Callable[[], object]], seconds: float = 1.0) -> dict[str, float]:
    """Best time of one call of each [s], with about `seconds` for each contender.

    They take turns of a millisecond, so that a slow spell of the machine hits all of them and a quiet one is not
    missed, and the best turn counts: noise only ever adds. The first call of each is not timed.
    """
    repeats = {}
    for name, call in contenders.items():
        call()
        begin = time.perf_counter()
        call()
        repeats[name] = max(1, int(1e-3 / (time.perf_counter() - begin)))
    best = dict.fromkeys(contenders, float("inf"))
    spent = dict.fromkeys(contenders, 0.0)
    while min(spent.values()) < seconds:
        for name, call in contenders.items():
            if spent[name] > 3.0 * seconds:
                continue  # enough of this one; only a much faster rival is not done yet
            begin = time.perf_counter()
            for _ in range(repeats[name]):
                call()
            turn = time.perf_counter() - begin
            best[name] = min(best[name], turn / repeats[name])
            spent[name] += turn
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
