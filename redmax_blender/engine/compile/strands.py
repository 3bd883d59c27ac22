"""Strands of a scene -> arrays: their nodes are vertices beside those of flesh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import SceneError
from ..fem.cages.attach import FREE
from ..fem.solving.pattern import BlockPattern
from ..fem.strand import HeldStrands, Strands, join_strands, make_strand
from ..fem.tets import Tets
from ..model.records import Ints
from ..scene.flesh import StrandSpec
from .forces import Places


def strands(
    specs: Sequence[StrandSpec], places: Places, seen: dict[str, int]
) -> tuple[list[Strands], list[Ints]]:
    """The strands where the bodies are at the start, and the link of each node, -1 for the world, `FREE` for most."""
    made, links = [], []
    for i, spec in enumerate(specs):
        place = f"strands[{i}] '{spec.name}'"
        if spec.name in seen:
            raise SceneError(
                f"{place}.name", "flesh or another strand has the same name", "Give each a name of its own."
            )
        seen[spec.name] = i
        ends = [
            places.point(point, f"{place}.{name}")
            for point, name in ((spec.begin, "begin"), (spec.end, "end"))
        ]
        begin, end = (places.in_world(link, x) for link, x in ends)
        made.append(make_strand(begin, end, spec.nodes, spec.stiffness, spec.mass, place))
        link = np.full(spec.nodes, FREE, np.int64)
        for node, held, (carrier, _) in ((0, spec.hold_begin, ends[0]), (-1, spec.hold_end, ends[1])):
            if held:
                link[node] = carrier
        links.append(link)
    return made, links


def nodes_as_tets(strand: Strands) -> Tets:
    """The nodes as vertices of a body without tetrahedra."""
    n, none = len(strand.X), np.zeros(0)
    return Tets(
        X=strand.X,
        corner=np.zeros((0, 4), np.int64),
        volume=none,
        fill=none,
        kind=np.zeros(0, np.int64),
        element=np.zeros((0, 13)),
        mass=strand.mass,
        drag=np.zeros(n),
    )


def numbered(made: list[Strands], first: int) -> Strands:
    """All strands as one, their nodes numbered from `first` on."""
    joined = join_strands(made)
    return replace(joined, segment=joined.segment + first)


def with_blocks(joined: Strands, pattern: BlockPattern) -> HeldStrands:
    i, j = joined.segment[:, 0], joined.segment[:, 1]
    return HeldStrands(joined, np.stack([pattern.blocks(a, b) for a in (i, j) for b in (i, j)], axis=1))
