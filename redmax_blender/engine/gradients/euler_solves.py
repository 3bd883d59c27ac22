"""The solves of one Euler step, found again on the way back: one, and one more for each correction of the forces of
motion; and which limits hold in each of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..constraints.active import RECOVERY
from ..integrators.midway import bias_change
from ..model.records import Floats, Ints, Model
from ..model.state import State
from ..solvers.direct import Direct
from ..solvers.implicit_system import ImplicitSystem
from ..solvers.pcg import times
from ..tree.centred_step import CentredStep, centred_kinematics
from ..tree.kinematics import Kinematics

_HELD = 1e-9
"""Impulse of a limit, as a fraction of the largest impulse of a step, that is more than rounding."""
_ROUNDS = 100
"""Changes of the set of limits that hold, at most, until it is found."""


@dataclass(frozen=True)
class Limit:
    """A limit that holds a coordinate: u = of_q (bound - q0) + of_v qdot0."""

    number: int
    dof: int
    of_q: float
    of_v: float

    def speed(self, start: State, bound: float) -> float:
        return self.of_q * (bound - float(start.q[self.dof])) + self.of_v * float(start.qdot[self.dof])


@dataclass(frozen=True)
class Pass:
    """One solve of a step."""

    u: Floats
    """The velocities that it gives, shape (nr,)."""
    limits: list[Limit]
    """Those that gave an impulse."""
    rates: Floats
    """At which the forces of motion are."""
    kin: Kinematics | None = None
    """The tree at these rates; null where they are those of the start."""
    kept: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    """Coordinates whose rates are those of the start in any case, shape (nr,)."""


class Solves:
    """The linear system of a step at its start, and the solves with it."""

    def __init__(
        self, model: Model, h: float, start: State, kin: Kinematics, step: CentredStep, system: ImplicitSystem
    ) -> None:
        self.model, self.h, self.start, self.kin, self.step, self.system = model, h, start, kin, step, system
        self._solver: Direct | None = None
        self._still: Floats = np.zeros(model.nr)

    @property
    def solver(self) -> Direct:
        if self._solver is None:
            self._solver = Direct(self.system)
        return self._solver

    def passes(self, u: Floats, corrections: int) -> list[Pass]:
        """All solves, of which the last gave u."""
        start, system = self.start, self.system
        if not corrections:
            return [Pass(u, self._holding(system.b, u), start.qdot)]
        found = [self._pass(system.b, start.qdot, None, None)]
        marks: Floats = np.full(self.model.nr, np.nan)
        kept = ~np.isnan(self.step.midway(marks))
        for k in range(1, corrections + 1):
            rates = self.step.midway(0.5 * (start.qdot + found[-1].u))
            b = system.b + self.h * bias_change(self.model, start, self.kin, rates, system.free)
            kin = centred_kinematics(self.model, State(start.t, start.q, rates, start.chart), system.free)
            found.append(self._pass(b, rates, kin, kept, u if k == corrections else None))
        return found

    def _pass(
        self,
        b: Floats,
        rates: Floats,
        kin: Kinematics | None,
        kept: NDArray[np.bool_] | None,
        u: Floats | None = None,
    ) -> Pass:
        if u is None:
            u, limits = self._solve(b)
        else:
            limits = self._holding(b, u)
        return Pass(u, limits, rates) if kin is None or kept is None else Pass(u, limits, rates, kin, kept)

    def _limit(self, n: int) -> Limit:
        """What a limit asks for in the step."""
        limits, start = self.model.constraints.limits, self.start
        i, side = int(limits.dof[n]), limits.side[n]
        gap, speed = side * (start.q[i] - limits.bound[n]), side * start.qdot[i]
        rate = 1.0 / self.h if gap >= 0.0 else min(1.0 / self.h, RECOVERY)
        bounce = -limits.restitution[n] * speed
        if gap + self.h * speed < 0.0 and bounce > max(-rate * gap, 0.0):
            return Limit(n, i, 0.0, -float(limits.restitution[n]))
        return Limit(n, i, rate, 0.0)

    def _holding(self, b: Floats, u: Floats) -> list[Limit]:
        """The limits that have given an impulse in a solve that gave u."""
        limits, system = self.model.constraints.limits, self.system
        if not len(limits.dof):
            return []
        push = times(system, u) - b
        scale = float(np.abs(b).max()) + float(np.abs(times(system, self.start.qdot)).max())
        return [
            self._limit(n)
            for n, i in enumerate(limits.dof)
            if system.free[i] and limits.side[n] * push[i] > _HELD * scale
        ]

    def _solve(self, b: Floats) -> tuple[Floats, list[Limit]]:
        """Velocities with this right-hand side, and the limits that hold in them."""
        system, limits = self.system, self.model.constraints.limits
        u = self.solver.solve(b, system.known, self.start.qdot)
        if not len(limits.dof):
            return u, []
        every = [self._limit(n) for n in range(len(limits.dof))]
        goal = np.array([each.speed(self.start, limits.bound[each.number]) for each in every])
        free = system.free[limits.dof]
        columns = self._columns(limits.dof)
        on: NDArray[np.bool_] = free & (limits.side * (u[limits.dof] - goal) < 0.0)
        found = u
        for _ in range(_ROUNDS):
            push: Floats = np.zeros(len(limits.dof))
            if on.any():
                dofs = limits.dof[on]
                push[on] = np.linalg.solve(columns[np.ix_(dofs, on)], goal[on] - u[dofs])
            found = u + columns @ push
            late = free & ~on & (limits.side * (found[limits.dof] - goal) < -1e-14 * np.abs(goal))
            wrong = on & (limits.side * push < 0.0)
            if not (late.any() or wrong.any()):
                break
            on = (on | late) & ~wrong
        return found, [each for each, holds in zip(every, on, strict=True) if holds]

    def _columns(self, dofs: Ints) -> Floats:
        """What unit impulses in coordinates change, shape (nr, n)."""
        units = np.eye(self.model.nr)[dofs]
        solved = [self.solver.solve(unit, self._still, self._still) for unit in units]
        return np.stack([np.where(self.system.free, x, 0.0) for x in solved], axis=1)

    def transposed(self, y: Floats, fixed: Ints) -> Floats:
        """λ of A λ = y in the coordinates that are not fixed, zero in the others."""
        free = self.system.free
        lam = np.where(free, self.solver.solve(y, self._still, self._still), 0.0)
        inside = fixed[free[fixed]]
        if len(inside):
            C = self._columns(inside)
            lam = lam - C @ np.linalg.solve(C[inside], lam[inside])
        return np.asarray(lam)
