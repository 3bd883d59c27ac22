"""The solves of one Euler step, found again on the way back: one, and one more for each correction of the forces of
motion; and which limits hold in each of them, and what their rows give."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...constraints.active import RECOVERY
from ...integrators.midway import bias_change
from ...model.records import Floats, Model
from ...model.state import State
from ...solvers.direct import Direct
from ...solvers.implicit_system import ImplicitSystem
from ...solvers.pcg import times
from ...solvers.semidefinite import semidefinite_inverse
from ...tree.centred_step import CentredStep, centred_kinematics
from ...tree.kinematics import Kinematics
from .held import HeldRows

_HELD = 1e-9
"""Impulse of a limit, as a fraction of the largest impulse of a step, that is more than rounding."""
_ROUNDS = 100
"""Changes of the set of limits that hold, at most, until it is found."""
_RANK = 1e-10
"""Singular values of rows, as a fraction of the largest, that are those of rows that repeat each other."""


@dataclass(frozen=True)
class Limit:
    """A limit that holds a coordinate: u = of_q (bound - q0) + of_v qdot0."""

    number: int
    dof: int
    of_q: float
    of_v: float

    def speed(self, start: State, bound: float) -> float:
        return self.of_q * (bound - float(start.q[self.dof])) + self.of_v * float(start.qdot[self.dof])


def limit_of(model: Model, start: State, h: float, n: int) -> Limit:
    """What limit n asks for in a step of h [s]."""
    limits = model.constraints.limits
    i, side = int(limits.dof[n]), limits.side[n]
    gap, speed = side * (start.q[i] - limits.bound[n]), side * start.qdot[i]
    rate = 1.0 / h if gap >= 0.0 else min(1.0 / h, RECOVERY)
    bounce = -limits.restitution[n] * speed
    if gap + h * speed < 0.0 and bounce > max(-rate * gap, 0.0):
        return Limit(n, i, 0.0, -float(limits.restitution[n]))
    return Limit(n, i, rate, 0.0)


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
    force: Floats = field(default_factory=lambda: np.zeros(0))
    """Multipliers of the equality rows, shape (m,)."""


class Solves:
    """The linear system of a step at its start, and the solves with it."""

    def __init__(
        self,
        model: Model,
        h: float,
        start: State,
        kin: Kinematics,
        step: CentredStep,
        system: ImplicitSystem,
        held: HeldRows | None = None,
    ) -> None:
        self.model, self.h, self.start, self.kin, self.step, self.system = model, h, start, kin, step, system
        self._solver: Direct | None = None
        self._still: Floats = np.zeros(model.nr)
        self.held = held
        self.G: Floats = np.zeros((0, model.nr)) if held is None else held.G
        self.fit, self.fit_force = start.qdot, np.zeros(len(self.G))
        """Velocities that fit the rows, for the forces of motion midway, and the multipliers that lead there."""

    @property
    def solver(self) -> Direct:
        if self._solver is None:
            self._solver = Direct(self.system)
        return self._solver

    def passes(self, u: Floats | None, corrections: int) -> list[Pass]:
        """All solves, of which the last gave u; null where that is to be found as well."""
        start, system = self.start, self.system
        if not corrections:
            return [self._pass(system.b, start.qdot, None, None, u)]
        if self.held is not None:
            self._fit(self.held)
        found = [self._pass(system.b, start.qdot, None, None)]
        marks: Floats = np.full(self.model.nr, np.nan)
        kept = ~np.isnan(self.step.midway(marks))
        for k in range(1, corrections + 1):
            rates = self.step.midway(0.5 * (self.fit + found[-1].u))
            b = system.b + self.h * bias_change(self.model, start, self.kin, rates, system.free)
            kin = centred_kinematics(self.model, State(start.t, start.q, rates, start.chart), system.free)
            found.append(self._pass(b, rates, kin, kept, u if k == corrections else None))
        return found

    def _fit(self, held: HeldRows) -> None:
        """As `midway.fitting`."""
        columns = self.solver.solve_rows(self.G)
        lack = held.wanted - 2.0 * held.bend - self.G @ self.start.qdot
        self.fit_force = semidefinite_inverse(self.G @ columns.T) @ lack
        self.fit = self.start.qdot + self.fit_force @ columns

    def _pass(
        self,
        b: Floats,
        rates: Floats,
        kin: Kinematics | None,
        kept: NDArray[np.bool_] | None,
        u: Floats | None = None,
    ) -> Pass:
        force = np.zeros(0)
        if u is None:
            u, limits, force = self._solve(b)
        else:
            limits = self._holding(b, u)
        if kin is None or kept is None:
            return Pass(u, limits, rates, force=force)
        return Pass(u, limits, rates, kin, kept, force)

    def _limit(self, n: int) -> Limit:
        return limit_of(self.model, self.start, self.h, n)

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

    def _solve(self, b: Floats) -> tuple[Floats, list[Limit], Floats]:
        """Velocities with this right-hand side, the limits that hold in them, and the multipliers of the rows."""
        system, limits, m = self.system, self.model.constraints.limits, len(self.G)
        u = self.solver.solve(b, system.known, self.start.qdot)
        if not len(limits.dof) and not m:
            return u, [], np.zeros(0)
        every = [self._limit(n) for n in range(len(limits.dof))]
        goal = np.array([each.speed(self.start, limits.bound[each.number]) for each in every])
        wanted = goal if self.held is None else np.concatenate([self.held.wanted, goal])
        rows = np.vstack([self.G, np.eye(self.model.nr)[limits.dof]])
        columns = self.solver.solve_rows(rows)
        W = rows @ columns.T
        free = system.free[limits.dof]
        on: NDArray[np.bool_] = free & (limits.side * (u[limits.dof] - goal) < 0.0)
        if m:
            on[:] = False
        found, value = u, np.zeros(len(rows))
        for _ in range(_ROUNDS):
            active = np.concatenate([np.arange(m), m + np.flatnonzero(on)]).astype(np.int64)
            value[:] = 0.0
            value[active] = semidefinite_inverse(W[np.ix_(active, active)]) @ (wanted - rows @ u)[active]
            found = u + value @ columns
            late = free & ~on & (limits.side * (found[limits.dof] - goal) < -1e-14 * np.abs(goal))
            wrong = on & (limits.side * value[m:] < 0.0)
            if not (late.any() or wrong.any()):
                break
            on = (on | late) & ~wrong
        return found, [each for each, holds in zip(every, on, strict=True) if holds], value[:m]

    def transposed(self, y: Floats, limits: list[Limit], held: Floats | None = None) -> tuple[Floats, Floats]:
        """μ and ν of A μ + Cᵀ ν = y and G μ = 0 in the coordinates that are neither prescribed nor held by these
        limits, μ zero in the others; C are the rows `held` (m, nr), or G as well."""
        free, n = self.system.free, len(limits)
        ends = np.eye(self.model.nr)[[each.dof for each in limits]].reshape(n, self.model.nr)
        x = self.solver.solve_rows(np.where(free, y, 0.0)[None])[0]
        if not n and not len(self.G):
            return x, np.zeros(0)
        rows = np.vstack([self.G, ends])
        sides = rows if held is None else np.vstack([held, ends])
        columns = self.solver.solve_rows(np.where(free, sides, 0.0))
        nu = np.linalg.pinv(rows @ columns.T, _RANK) @ (rows @ x)
        return x - nu @ columns, nu[: len(self.G)]

    def explained(self, way: Floats, limits: list[Limit]) -> tuple[Floats, float]:
        """Multipliers of the rows that a way of the coordinates comes from, with these limits kept; and how far another
        way is that they do lead to."""
        ends = np.eye(self.model.nr)[[each.dof for each in limits]].reshape(-1, self.model.nr)
        rows = np.vstack([self.G, ends])
        columns = self.solver.solve_rows(rows)
        force = np.linalg.pinv(rows @ columns.T, _RANK) @ (rows @ way)
        return force[: len(self.G)], float(np.abs(way - force @ columns).max(initial=0.0))
