"""Helper bones that do what no control does, as the twist of a finger about its length in rigs that stretch fingers."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from .graph import Graph, drivers_of
from .posing import PARTS
from .probe import Control, Probe

REMOTE = 4
"""So many bones away from a simulated one a helper bone is looked for."""


def helpers_of(probe: Probe, graph: Graph, row: int, known: Collection[str]) -> Iterator[Control]:
    """The bones nearest in front of a simulated one that turn it and that no animator moves, if there are any.

    known: names of bones that are keyed or simulated already. Locks of helpers do not count.
    """
    bones, still = probe.posing.obj.pose.bones, probe.posing.poses()
    level, seen = [probe.rows[row]], {probe.rows[row]}
    for _ in range(REMOTE):
        level = list(
            dict.fromkeys(each for name in level for each in drivers_of(bones[name]) if each not in seen)
        )
        seen |= set(level)
        for name in level:
            if name in known or name in graph.in_chain:
                continue
            probe.posing.unlocked.add(name)
            moves = probe.reach(name, [0, 1, 2], still)
            rows = [i for i, each in enumerate(probe.rows) if each in moves]
            if row in rows:
                control = Control(
                    name, [0, 1, 2], moves, rows, np.zeros((0, PARTS, 6)), np.zeros(0, dtype=bool)
                )
                probe.answer([control], still)
                yield control
