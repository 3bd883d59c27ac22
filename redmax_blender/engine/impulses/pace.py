"""How sweeps and Newton steps on the impulses of an island take turns, whichever way its rows are known."""

from __future__ import annotations

from ..jit.decorators import inline

FIRST_SWEEPS, SWEEPS = 7, 13
"""Sweeps before the first Newton step, and the first time that one makes no progress."""
NEARLY, FEW = 1e-3, 3
"""Residual of a guess that is nearly right, and sweeps that make it so: what rests, or slides on."""
CALM = 0.3
"""Sweeps end early when they change less than this fraction of the residual that is wanted."""
NEWTON = 30
"""Newton steps for an island, at most."""
NEAR = 1e-3
"""How much Newton steps are kept near to where they begin, at first."""
ASTRAY = 2
"""How many steps may lead away from the solution before they have to have led nearer."""
_NEAREST, FARTHEST = 1.0, 1e-8
"""The same as `NEAR`, at most where they fail and at least where they succeed."""
EASE = 0.03
"""What is left of that after a step that succeeds."""
INSIDE_SWEEPS, INSIDE_NEAR, INSIDE_FARTHEST, INSIDE_EASE = 15, 0.1, 100.0, 0.1
"""The first sweeps, `NEAR`, `FARTHEST` over the residual that is wanted, and `EASE` with friction inside joints: joints
that stick share what contacts do to them in many ways, and far from where it begins a step ends in one that others have
nothing to do with."""
_SLOW = 0.9
"""A Newton step that leaves more than this fraction of the residual makes no progress."""
_GROWTH = 1.5
"""By how much more sweeps there are each time that one makes none."""


@inline
def pace(
    left: float, best: float, astray: int, near: float, again: float, ease: float, farthest: float
) -> tuple[bool, int, int, float, float]:
    """After a Newton step that leaves a residual: whether to go back to the best impulses, how many steps have led away
    from the solution, sweeps before the next, how near that is kept, and the sweeps for the next time."""
    if left < _SLOW * best:
        return False, 0, 0, max(ease * near, farthest), again
    if astray < ASTRAY:
        return False, astray + 1, 0, near, again
    return True, 0, int(again) | 1, min(10.0 * near, _NEAREST), _GROWTH * again
