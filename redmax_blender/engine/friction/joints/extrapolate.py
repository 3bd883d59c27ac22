"""What the next step of a motion will find, from what the last steps found."""

from __future__ import annotations

from ...jit.decorators import borrower
from ...model.records import Floats

CHANGES = 3
"""How many of the last ones are kept."""
_WILD = 3.0
"""Weight of an earlier change above which the changes tell nothing about the next one."""
_ALIKE = 1e-6
"""Of the squares of two changes, how much has to be left of one without the other."""


@borrower
def foresee(last: Floats, changes: Floats, out: Floats) -> None:
    """Numbers (n,) of a step from those of the step before and their last changes, the latest first, shape (3, n).

    The latest change and the one before it are added with the weights with which the two before the latest would have
    given that, the same for all n, as what hangs together swings together; where that tells nothing, as on a parabola.
    """
    aa, ab, bb, ac, bc = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(last)):
        c, a, b = changes[0, i], changes[1, i], changes[2, i]
        aa += a * a
        ab += a * b
        bb += b * b
        ac += a * c
        bc += b * c
    latest, earlier = 2.0, -1.0
    left = aa * bb - ab * ab
    if left > _ALIKE * aa * bb:
        one, two = (bb * ac - ab * bc) / left, (aa * bc - ab * ac) / left
        if max(abs(one), abs(two)) < _WILD:
            latest, earlier = one, two
    for i in range(len(last)):
        out[i] = last[i] + latest * changes[0, i] + earlier * changes[1, i]


@borrower
def remember(found: Floats, last: Floats, changes: Floats) -> None:
    """Put down what a step found (n,) for the next ones."""
    for i in range(len(last)):
        changes[2, i], changes[1, i], changes[0, i] = changes[1, i], changes[0, i], found[i] - last[i]
        last[i] = found[i]
