"""Timing rivals fairly on a machine that does other things too, and the rows that a benchmark reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

Row = dict[str, Any]


class Steps(Protocol):
    def advance(self, most: int) -> int: ...


def take(steps: Steps, count: int) -> None:
    """So many steps of a run of ours."""
    while count > 0:
        count -= steps.advance(count)


def race(
    contenders: Mapping[str, Callable[[], object]],
    seconds: float = 1.0,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Best time of one call of each [s], with about `seconds` for each contender.

    They take turns of a millisecond, so that a slow spell of the machine hits all of them and a quiet one is not
    missed, and the best turn counts: noise only ever adds. The first call of each is not timed. For
    calls that are long and in one thread, `time.process_time` as the clock leaves out what other processes take.
    """
    repeats = {}
    for name, call in contenders.items():
        call()
        begin = clock()
        call()
        repeats[name] = max(1, int(1e-3 / (clock() - begin)))
    best = dict.fromkeys(contenders, float("inf"))
    spent = dict.fromkeys(contenders, 0.0)
    while min(spent.values()) < seconds:
        for name, call in contenders.items():
            if spent[name] > 3.0 * seconds:
                continue  # enough of this one; only a much faster rival is not done yet
            begin = clock()
            for _ in range(repeats[name]):
                call()
            turn = clock() - begin
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
