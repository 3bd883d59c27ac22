"""How bones are stretched: by their animation while they follow it; let go, they keep the length that they had."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .rotations import nearest_rotation
from .sample_bones import MODES

Floats = NDArray[np.float64]


def stretches(poses: Floats) -> Floats:
    """What poses do along the axes of their bones besides turning them, shape (nf, 3, 3), from shape (nf, 4, 4)."""
    linear = poses[:, :3, :3]
    return np.asarray(nearest_rotation(linear).transpose(0, 2, 1) @ linear)


def kept(stretch: Floats, modes: NDArray[np.int8], lead: int, ease: int) -> Floats:
    """Stretch of a bone that keeps its length while it is free, shape (nf, 3, 3).

    A free bone is as long as it was when it was let go, or at the first frame, which `lead` frames come before. Led
    again, it goes back to its animation within `ease` frames.
    """
    found = stretch.copy()
    free = modes == MODES.index("FREE")
    led = ease  # frames since it was led again
    for f in range(len(found)):
        if f <= lead:
            found[f] = stretch[lead] if free[f] else stretch[f]
        elif free[f]:
            found[f], led = found[f - 1], 0
        elif led < ease:
            led += 1
            found[f] = found[f - led] + (stretch[f] - found[f - led]) * (led / ease)
    return found
