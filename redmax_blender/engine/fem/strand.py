"""The thesis's mass-spring strand (§4.6.3): point masses in a row, with springs between neighbours.

A segment of rest length L and length l has the energy ½ K ε² with ε = (l - L) / L (Eq. 4.88), so K is in joules and the
tension is K ε / L (Eq. 4.89).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.spatial import Tuple
from ..errors import InputError
from ..jit.decorators import inline, njit
from ..model.records import Floats, Ints
from .solving.pattern import BlockPattern, block_pattern

_SHORT = 1e-12
"""Length [m] below which a segment has no direction."""


@dataclass(frozen=True)
class Strands:
    """nn nodes and ns segments, of any number of strands."""

    X: Floats
    """Rest positions of the nodes [m], shape (nn, 3)."""
    mass: Floats
    """[kg], shape (nn,)."""
    segment: Ints
    """The two nodes of each segment, shape (ns, 2)."""
    stiffness: Floats
    """K [J], shape (ns,)."""
    rest: Floats
    """L [m], shape (ns,)."""


@dataclass(frozen=True)
class HeldStrands:
    """Strands among other vertices of a pattern."""

    strands: Strands
    """Its segments are numbered as the vertices are."""
    block: Ints
    """Blocks 00 01 10 11 of each segment's ends, shape (ns, 4)."""


def make_strand(
    begin: ArrayLike, end: ArrayLike, nodes: int, stiffness: float, mass: float, place: str = "strand"
) -> Strands:
    """Equal masses at equal distances along a straight line at rest; `mass` [kg] is that of the whole strand."""
    a, b = np.asarray(begin, np.float64).reshape(3), np.asarray(end, np.float64).reshape(3)
    if nodes < 2:
        raise InputError(f"{place}.nodes", f"a strand cannot have {nodes}", "Give at least 2.")
    for name, value, unit in (("stiffness", stiffness, "J"), ("mass", mass, "kg")):
        if not (np.isfinite(value) and value > 0.0):
            raise InputError(f"{place}.{name}", f"it is {value:g} {unit}", "Give a positive number.")
    length = float(np.linalg.norm(b - a))
    if not (np.isfinite(length) and length > _SHORT):
        raise InputError(place, f"the strand has the length {length:g} m", "Give ends that are apart.")
    i = np.arange(nodes)
    return Strands(
        X=a + (i / (nodes - 1))[:, None] * (b - a),
        mass=np.full(nodes, mass / nodes),
        segment=np.stack([i[:-1], i[1:]], axis=1),
        stiffness=np.full(nodes - 1, stiffness),
        rest=np.full(nodes - 1, length / (nodes - 1)),
    )


def join_strands(strands: list[Strands]) -> Strands:
    """Several strands as one set of nodes, in order."""
    offset = np.cumsum([0] + [len(s.X) for s in strands])
    return Strands(
        X=np.concatenate([s.X for s in strands]),
        mass=np.concatenate([s.mass for s in strands]),
        segment=np.concatenate([s.segment + o for s, o in zip(strands, offset)]),
        stiffness=np.concatenate([s.stiffness for s in strands]),
        rest=np.concatenate([s.rest for s in strands]),
    )


@inline
def _span(segment: Ints, s: int, x: Floats) -> tuple[float, Tuple]:
    """Length and direction of a segment."""
    i, j = segment[s, 0], segment[s, 1]
    dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
    l = np.sqrt(dx * dx + dy * dy + dz * dz)
    n = 1.0 / l if l > _SHORT else 0.0
    return (l, (n * dx, n * dy, n * dz))


@njit
def _energy(segment: Ints, stiffness: Floats, rest: Floats, x: Floats) -> float:
    total = 0.0
    for s in range(len(segment)):
        l, _ = _span(segment, s, x)
        strain = (l - rest[s]) / rest[s]
        total += 0.5 * stiffness[s] * strain * strain
    return total


def strand_energy(strands: Strands, x: Floats) -> float:
    """[J] at node positions x (nn, 3) [m]."""
    return float(_energy(strands.segment, strands.stiffness, strands.rest, x))


@njit
def _forces(segment: Ints, stiffness: Floats, rest: Floats, x: Floats, f: Floats) -> None:
    for s in range(len(segment)):
        l, u = _span(segment, s, x)
        tension = stiffness[s] * (l - rest[s]) / (rest[s] * rest[s])
        for c in range(3):
            f[segment[s, 0], c] += tension * u[c]
            f[segment[s, 1], c] -= tension * u[c]


def add_strand_forces(strands: Strands, x: Floats, f: Floats) -> None:
    """Add the springs' forces [N] at node positions x (nn, 3) [m] to f (nn, 3)."""
    _forces(strands.segment, strands.stiffness, strands.rest, x, f)


def strand_pattern(strands: Strands, held: Ints | None = None) -> tuple[BlockPattern, Ints]:
    """The pattern of the nodes' matrix, and the blocks 00 01 10 11 of each segment's ends, shape (ns, 4)."""
    i, j = strands.segment[:, 0], strands.segment[:, 1]
    pattern = block_pattern(len(strands.X), i, j, held)
    return pattern, np.stack([pattern.blocks(a, b) for a in (i, j) for b in (i, j)], axis=1)


@njit
def _blocks(
    segment: Ints,
    stiffness: Floats,
    rest: Floats,
    x: Floats,
    scale: float,
    exact: bool,
    block: Ints,
    value: Floats,
) -> None:
    for s in range(len(segment)):
        l, u = _span(segment, s, x)
        along = scale * stiffness[s] / (rest[s] * rest[s])
        across = along * (l - rest[s]) / l if l > _SHORT else 0.0
        if not exact and across < 0.0:
            across = 0.0  # a spring under compression pushes sideways, which no positive matrix can say
        for a in range(3):
            for b in range(3):
                k = (along - across) * u[a] * u[b] + (across if a == b else 0.0)
                value[block[s, 0], 3 * a + b] += k
                value[block[s, 1], 3 * a + b] -= k
                value[block[s, 2], 3 * a + b] -= k
                value[block[s, 3], 3 * a + b] += k


def add_strand_blocks(
    strands: Strands, x: Floats, h: float, block: Ints, value: Floats, exact: bool = False
) -> None:
    """Add -h² ∂f/∂x to blocks of a pattern (nb, 9), for a step of h [s].

    Without negative eigenvalues, unless `exact`.
    """
    _blocks(strands.segment, strands.stiffness, strands.rest, x, h * h, exact, block, value)
