"""Whether forces midway through a step were found, in the kernel of `step.py`: as `midway.py` has it."""

from __future__ import annotations

from ..algebra.arrays import Floats, Ints
from ..algebra.spatial import dot6, load6, load21, sym_times
from ..integrators.midway import CONTRACTS, LARGE, SLIGHT
from ..jit.decorators import borrower, inline
from ..tree.passes import spread


@borrower
def motion(
    parent: Ints, dof: Ints, mass: Floats, A_r: Floats, E_pj: Floats, S: Floats, qdot: Floats, V: Floats
) -> float:
    """Twice the energy of velocities [J], with what is implicit in the step; V (nl, 6) becomes their twists."""
    spread(parent, dof, E_pj, S, qdot, V)
    total = 0.0
    for k in range(len(qdot)):
        total += A_r[k] * qdot[k] * qdot[k]
    for j in range(len(parent)):
        a = load6(V, j)
        total += dot6(a, sym_times(load21(mass, j), a))
    return total


@inline
def strays(all_: float, first: float, last: float) -> bool:
    """As `midway.astray_by`: from the motion before corrections, and that of what the first and the last changed."""
    if last <= SLIGHT * SLIGHT * all_:
        return False
    return not (last <= CONTRACTS * CONTRACTS * first and first <= LARGE * LARGE * all_)
