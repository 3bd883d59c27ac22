"""Whether forces midway through a step were found, in the kernel of `touch_kernel.py`: as `midway.py` has it."""

from __future__ import annotations

from ..contact.arrays import Floats, Ints
from ..jit import borrower, inline
from ..spatial import ZERO6, axpy6, dot6, load6, load12, load21, store6, sym_times, twist_down
from .midway import CONTRACTS, LARGE, SLIGHT


@borrower
def motion(
    parent: Ints, dof: Ints, mass: Floats, A_r: Floats, E_pj: Floats, S: Floats, qdot: Floats, V: Floats
) -> float:
    """Twice the energy of velocities [J], with what is implicit in the step; V (nl, 6) is scratch."""
    total = 0.0
    for j in range(len(parent)):
        a = ZERO6
        if parent[j] >= 0:
            a = twist_down(load12(E_pj, j), load6(V, parent[j]))
        for k in range(dof[j], dof[j + 1]):
            a = axpy6(qdot[k], load6(S, k), a)
            total += A_r[k] * qdot[k] * qdot[k]
        store6(V, j, a)
        total += dot6(a, sym_times(load21(mass, j), a))
    return total


@inline
def strays(all_: float, first: float, last: float) -> bool:
    """As `midway.astray_by`: from the motion before corrections, and that of what the first and the last changed."""
    if last <= SLIGHT * SLIGHT * all_:
        return False
    return not (last <= CONTRACTS * CONTRACTS * first and first <= LARGE * LARGE * all_)
