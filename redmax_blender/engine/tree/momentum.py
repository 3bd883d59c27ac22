"""The right side of the implicit system as impulses on links, before they are summed towards the root."""

from __future__ import annotations

import numpy as np

from ..algebra.spatial import (
    ad_transpose_times,
    add6,
    axpy6,
    load6,
    load12,
    load21,
    store6,
    sym_times,
    unrotate,
)
from ..jit.decorators import njit
from ..model.records import Floats
from ..solvers.implicit_system import ImplicitSystem
from .jacobian import jacobian_transpose_times


@njit
def _link_impulses(
    inertia: Floats,
    gravity: Floats,
    E_wj: Floats,
    V: Floats,
    A: Floats,
    wrenches: Floats,
    h: float,
    out: Floats,
) -> None:
    for j in range(len(inertia)):
        M = load21(inertia, j)
        V_j = load6(V, j)
        g = unrotate(load12(E_wj, j), (gravity[0], gravity[1], gravity[2]))
        accelerated = axpy6(-1.0, load6(A, j), (0.0, 0.0, 0.0, g[0], g[1], g[2]))
        momentum = sym_times(M, V_j)
        f = add6(ad_transpose_times(V_j, momentum), sym_times(M, accelerated))
        store6(out, j, axpy6(h, add6(f, load6(wrenches, j)), momentum))


def link_impulses(system: ImplicitSystem, h: float) -> Floats:
    """F with b = Jᵀ F + b_r: momenta, and what gravity, Coriolis and applied wrenches add in h [s]; shape (nl, 6)."""
    m, kin = system.model, system.kin
    out: Floats = np.empty((m.nl, 6))
    _link_impulses(m.tree.inertia, m.gravity, kin.E_wj, kin.V, kin.A, system.wrenches, h, out)
    return out


def split_right_side(system: ImplicitSystem, h: float) -> tuple[Floats, Floats]:
    """F on the links, shape (nl, 6), and b_r in the coordinates, shape (nr,)."""
    F = link_impulses(system, h)
    return F, system.b - jacobian_transpose_times(system.model, system.kin, F)
