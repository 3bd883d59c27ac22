"""The linearly implicit system of a step (paper, Eq. 2), kept as what it is made of and never formed.

    A = Jᵀ (M_m + h D_m - h² K_m) J + h D_r - h² K_r
    b = Jᵀ (M_m J qdot + h (f_m - M_m Jdot qdot)) + h f_r

The part of D_m and K_m that stays within one link joins the inertia (`A_m`), exactly; springs between links stay apart
(`springs`). Damping appears in A only, as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..algebra.spatial import (
    ad_transpose_times,
    add6,
    axpy6,
    dot6,
    load6,
    load12,
    load21,
    store6,
    sym_times,
    unrotate,
    wrench_up,
)
from ..forces.drag import drag_wrenches
from ..forces.external import add_external_wrenches, add_wind
from ..forces.fields import add_fields
from ..forces.guides import add_guides
from ..forces.joint import JointAction
from ..forces.springs import (
    SpringState,
    SpringTangent,
    add_diagonal_blocks,
    add_spring_wrenches,
    elastic_tension,
    measure_springs,
    spring_tangent,
)
from ..jit.decorators import njit
from ..model.records import Floats, Ints, Model
from ..model.state import Control, State
from ..muscles.implicit import MuscleStep, begin_step
from ..tree.kinematics import Kinematics
from ..tree.recursive import TreeFactor, factor


@njit
def _right_side(
    parent: Ints,
    dof: Ints,
    inertia: Floats,
    gravity: Floats,
    E_pj: Floats,
    E_wj: Floats,
    V: Floats,
    A: Floats,
    S: Floats,
    wrenches: Floats,
    h: float,
    out: Floats,
) -> None:
    """Jᵀ (M V + h (f_m - M Jdot qdot)), with the Coriolis force, gravity and the given wrenches in f_m."""
    nl = len(parent)
    F = np.empty((nl, 6))
    for j in range(nl):
        M = load21(inertia, j)
        V_j = load6(V, j)
        g = unrotate(load12(E_wj, j), (gravity[0], gravity[1], gravity[2]))
        # gravity acts like an acceleration of the frame: M (0, g)
        accelerated = axpy6(-1.0, load6(A, j), (0.0, 0.0, 0.0, g[0], g[1], g[2]))
        momentum = sym_times(M, V_j)
        f = add6(ad_transpose_times(V_j, momentum), sym_times(M, accelerated))
        store6(F, j, axpy6(h, add6(f, load6(wrenches, j)), momentum))
    for j in range(nl - 1, -1, -1):
        f = load6(F, j)
        for k in range(dof[j], dof[j + 1]):
            out[k] = dot6(load6(S, k), f)
        p = parent[j]
        if p >= 0:
            store6(F, p, add6(load6(F, p), wrench_up(load12(E_pj, j), f)))


@dataclass(frozen=True)
class ImplicitSystem:
    model: Model
    kin: Kinematics
    A_m: Floats
    """What joins the inertia of each link, rows of 21 in joint frames, shape (nl, 21)."""
    A_r: Floats
    """Diagonal in reduced coordinates, shape (nr,)."""
    b: Floats
    """Right-hand side [N·m·s, N·s], shape (nr,)."""
    free: NDArray[np.bool_]
    """False for prescribed coordinates, shape (nr,)."""
    known: Floats
    """Velocities of the prescribed coordinates, zero elsewhere, shape (nr,)."""
    springs: tuple[SpringState, SpringTangent] | None
    """Implicit springs, if any."""
    muscles: MuscleStep | None = None
    """What muscles bring: mass and stiffness between coordinates that share no joint; null for none."""
    wrenches: Floats = field(default_factory=lambda: np.zeros((0, 6)))
    """Applied to the links at the step's start, in joint frames, without gravity [N·m, N], shape (nl, 6)."""

    def with_b(self, b: Floats) -> ImplicitSystem:
        """The same system with another right-hand side, and all that is known about its matrix already."""
        other = object.__new__(ImplicitSystem)
        other.__dict__.update(self.__dict__, b=b)
        return other

    @cached_property
    def all_free(self) -> bool:
        """Whether nothing is prescribed."""
        return bool(self.free.all())

    @cached_property
    def is_tree(self) -> bool:
        """Whether the preconditioner is the matrix itself, because every implicit spring moves one link at most."""
        if self.muscles is not None:
            return False
        if self.springs is None:
            return True
        return self.model.springs_within_links

    @cached_property
    def spring_blocks(self) -> Floats:
        """Diagonal blocks of what springs bring, rows of 21 in joint frames, shape (nl, 21)."""
        blocks: Floats = np.zeros(self.A_m.shape)
        if self.springs is not None:
            add_diagonal_blocks(self.model.springs, *self.springs, self.kin, blocks)
        return blocks

    @cached_property
    def preconditioner(self) -> TreeFactor:
        """The projected block Jacobi preconditioner (paper, Eq. 3 and Alg. 1), factored in linear time."""
        A_m = self.A_m if self.springs is None else self.A_m + self.spring_blocks
        return factor(self.model, self.kin, A_m, self.A_r, self.free)


def implicit_system(
    model: Model,
    state: State,
    kin: Kinematics,
    control: Control,
    action: JointAction,
    h: float,
    couples: Floats | None = None,
) -> ImplicitSystem:
    """Eq. 2 at a state, for a step of h [s] with the inputs at its end; `couples` (nl, 6) are impulses on links."""
    t = model.tree
    wrenches: Floats = np.zeros((model.nl, 6)) if couples is None else couples / h
    A_m = h * t.damping
    if model.bodies.explicit is not None:
        links = model.bodies.link[model.bodies.explicit]
        A_m[links] = 0.0
        wrenches[links] += drag_wrenches(model, kin.V)[links]
    springs = None
    if len(model.springs.rest):
        measured = measure_springs(model.springs, kin)
        add_spring_wrenches(model.springs, measured, elastic_tension(model.springs, measured), wrenches)
        tangent = spring_tangent(model.springs, measured, h)
        springs = None if tangent.is_empty else (measured, tangent)
    if model.external is not None:
        add_external_wrenches(model, kin, control.t, wrenches)
        add_wind(model, kin, control.t, h, wrenches, A_m)
    add_fields(model, kin, control.t, h, wrenches, A_m)
    add_guides(model, kin, control.t, h, wrenches, A_m)
    b: Floats = np.empty(model.nr)
    _right_side(
        t.parent, t.dof, t.inertia, model.gravity, kin.E_pj, kin.E_wj, kin.V, kin.A, kin.S, wrenches, h, b
    )
    b += h * (action.force - (action.damping - action.D) * state.qdot)
    # where a spring weakens with its stretch, its negative stiffness would make the matrix indefinite
    A_r = h * action.D + h * h * np.maximum(action.K, 0.0)
    muscles = None if model.muscles is None else begin_step(model, state, kin, control.t, h)
    if muscles is not None:
        b += muscles.b
    return ImplicitSystem(model, kin, A_m, A_r, b, action.free, action.known, springs, muscles, wrenches)
