"""What the kernels of a tree's steps look at before they take one, and after."""

from __future__ import annotations

from ...jit.decorators import borrower
from ...model.records import Floats, Ints
from ...tree.passes import Mask

_DIVERGED = 1e4
"""Turn [rad], or way in sizes of the scene, that nothing covers in a step."""
_PASSED = 1e-10
"""Distance [rad, m] beyond a stop that is more than rounding."""


@borrower
def too_fast(V: Floats, h: float, size: float) -> bool:
    """Whether a link is on its way across the universe, or nowhere."""
    for j in range(len(V)):
        for c in range(6):
            if not h * abs(V[j, c]) < _DIVERGED * (1.0 if c < 3 else size):
                return True
    return False


@borrower
def calm_for(
    tree: Ints, drowsy: Mask, V: Floats, speed: float, size: float, h: float, before: Floats, now: Floats
) -> float:
    """How long the trees that `drowsy` marks have been calm at the end of a step of h [s], into `now` (nt,); returns
    the longest [s]."""
    for i in range(len(drowsy)):
        now[i] = before[i] + h if drowsy[i] else 0.0
    for j in range(len(V)):
        turn = V[j, 0] * V[j, 0] + V[j, 1] * V[j, 1] + V[j, 2] * V[j, 2]
        way = V[j, 3] * V[j, 3] + V[j, 4] * V[j, 4] + V[j, 5] * V[j, 5]
        if not (turn < speed * speed and way < speed * speed * size * size):
            now[tree[j]] = 0.0
    longest = 0.0
    for i in range(len(drowsy)):
        longest = max(longest, now[i])
    return longest


@borrower
def any_calm(tree: Ints, drowsy: Mask, V: Floats, speed: float, size: float, calm: Mask) -> bool:
    """Whether a tree that may fall asleep is calm; the trees are marked in `drowsy`, and `calm` is scratch."""
    for i in range(len(drowsy)):
        calm[i] = drowsy[i]
    for j in range(len(V)):
        turn = V[j, 0] * V[j, 0] + V[j, 1] * V[j, 1] + V[j, 2] * V[j, 2]
        way = V[j, 3] * V[j, 3] + V[j, 4] * V[j, 4] + V[j, 5] * V[j, 5]
        if not (turn < speed * speed and way < speed * speed * size * size):
            calm[tree[j]] = False
    found = False
    for i in range(len(drowsy)):
        found = found or calm[i]
    return found


@borrower
def misses(dof: Ints, side: Floats, speed: Floats, holds: Mask, qdot: Floats, slack: float) -> bool:
    """Whether velocities go through a stop."""
    for i in range(len(dof)):
        beyond = side[i] * (qdot[dof[i]] - speed[i])
        if holds[i] and not beyond >= -slack * (1.0 + abs(beyond)):
            return True
    return False


@borrower
def largest_error(error: Floats, lever: Floats) -> float:
    """As a length [m]."""
    worst = 0.0
    for i in range(len(error)):
        size = abs(error[i] * lever[i])
        if not size <= worst:
            worst = size
    return worst


@borrower
def passes_stop(dof: Ints, side: Floats, limit: Floats, free: Mask, before: Floats, q: Floats) -> bool:
    """Whether coordinates have been moved through a stop, or further beyond it."""
    for i in range(len(dof)):
        k = dof[i]
        gap = side[i] * (q[k] - limit[i])
        if free[k] and gap < -_PASSED and gap < side[i] * (before[k] - limit[i]):
            return True
    return False
