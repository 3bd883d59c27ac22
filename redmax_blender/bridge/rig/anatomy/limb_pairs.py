"""Limbs that are each other's mirror image: what arms, legs and wings are, whatever their bones are called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .skeleton import Skeleton

Floats = NDArray[np.float64]

ALIKE = 0.1
"""How far joints may be from their mirror images, as a part of the limb's length."""
LEAST = 0.08
"""Length of the shortest limb that counts, as a part of the size of all."""


@dataclass(frozen=True)
class LimbPair:
    """Two limbs that mirror each other; the first is on the side that `across` points to."""

    carrier: str | None
    limbs: tuple[list[str], list[str]]
    """Bodies from the trunk outwards."""
    across: Floats
    """Normal of the mirror plane, a unit vector."""
    length: float


def limb_pairs(tree: Skeleton) -> list[LimbPair]:
    """All pairs of limbs of two bodies and more, longest first."""
    size = tree.size
    roots = [name for name, carrier in tree.carrier.items() if carrier is None]
    found = []
    for carrier, siblings in [(None, roots), *tree.carried.items()]:
        chains = [chain for name in siblings if len(chain := tree.chain(name)) > 1]
        long = [chain for chain in chains if length_of(tree, chain) > LEAST * size]
        tried = sorted(_mirrored(tree, long), key=lambda pair: pair[0])
        taken: set[str] = set()
        for _, a, b, normal in tried:
            if a[0] not in taken and b[0] not in taken:
                taken |= {a[0], b[0]}
                found.append(LimbPair(carrier, (a, b), normal, length_of(tree, a)))
    return sorted(found, key=lambda pair: -pair.length)


def _mirrored(
    tree: Skeleton, chains: list[list[str]]
) -> Iterator[tuple[float, list[str], list[str], Floats]]:
    """How far from mirror images two chains are, the chains, and the normal of their mirror."""
    for i, a in enumerate(chains):
        for b in chains[i + 1 :]:
            count = min(len(a), len(b), 5)
            if abs(len(a) - len(b)) > 1:
                continue
            p, q = line_of(tree, a)[: count + 1], line_of(tree, b)[: count + 1]
            between = np.mean(p - q, axis=0)
            apart = float(np.linalg.norm(between))
            length = length_of(tree, a)
            if apart < 0.05 * length:
                continue
            normal = between / apart
            middle = 0.5 * np.mean(p + q, axis=0)
            image = q - 2.0 * np.outer((q - middle) @ normal, normal)
            off = float(np.linalg.norm(image - p, axis=1).max()) / length
            if off < ALIKE:
                yield off, a, b, normal


def line_of(tree: Skeleton, chain: list[str]) -> Floats:
    """The joints of a limb and its end, shape (n + 1, 3)."""
    return np.array([*(tree.head[name] for name in chain), tree.tip[chain[-1]]])


def length_of(tree: Skeleton, chain: list[str]) -> float:
    """Along all joints."""
    return float(np.linalg.norm(np.diff(line_of(tree, chain), axis=0), axis=1).sum())


def main_joint(tree: Skeleton, chain: list[str]) -> int:
    """Which body of a limb is its thigh or upper arm: the first of the two that are longest together."""
    lengths = np.linalg.norm(np.diff(line_of(tree, chain), axis=0), axis=1)
    if len(lengths) < 3:
        return 0
    # neither the hand or foot that ends it, nor fingers, which come late
    both = (lengths[:-1] + lengths[1:])[: min(len(lengths) - 2, 4)]
    return int(np.argmax(both))
