"""The blocks that the rows of contacts are."""

from __future__ import annotations

from ...algebra.arrays import Floats, Ints
from ...impulses.laws import BOX, DISC, PUSH
from ...jit.decorators import njit


@njit
def contact_blocks(
    friction: Floats, row: int, block: int, boxed: bool, first: Ints, kind: Ints, mu: Floats, normal: Ints
) -> None:
    """Blocks of contacts from `block` on, with rows from `row` on: a push, and a disc or the two sides of a box."""
    first[block] = row
    for c in range(len(friction)):
        top = row + 3 * c
        for k in range(3 if boxed else 2):
            if k == 0:
                kind[block], mu[block], normal[block] = PUSH, 0.0, -1
            else:
                kind[block], mu[block], normal[block] = (BOX if boxed else DISC), friction[c], top
            block += 1
            first[block] = top + (k + 1 if boxed or k == 0 else 3)
