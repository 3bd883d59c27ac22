"""The solves of an Euler step in which bodies touch, found again on the way back and made exact: with u the velocities
and λ the impulses of the contacts that push,

    A u - Gᵀ λ = b,   n·u = w for each of them,   and along the tangents s = 0 or λ_t = -μ λ_n s/|s|

with s the velocity at which a contact slides. Which push, and which of these slide, is what the step itself has found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...constraints.active import project_rows
from ...contact.contacts import Contacts
from ...errors import ConvergenceError
from ...forces.joint import joint_action
from ...friction.contacts.rows import contact_rows
from ...friction.dry import DryStep
from ...friction.memory import DryMemory
from ...integrators.euler import constrained
from ...integrators.midway import astray_by, bias_change
from ...model.control import control_at
from ...model.records import Floats, Ints, Model
from ...model.state import Options, State
from ...solvers.direct import Direct, assemble
from ...solvers.implicit_system import implicit_system
from ...solvers.pcg import times
from ...tree.centred_step import CentredStep, centred_kinematics
from ...tree.kinematics import Kinematics
from .solves import Limit, limit_of

_PUSHES = 1e-7
"""Impulse of a contact that pushes, as a fraction of the largest."""
_SLIDES = 1e-6
"""Velocity of a contact that slides, as a fraction of the largest that there is."""
_NEAR = 1e-6
"""Part of the bound of friction that is no difference."""
_ROUNDS = 20
_NEWTON = 12
_SMALL = 1e-11


@dataclass
class TouchPass:
    """One solve of a step: u, the impulses, and the derivatives of its equations by both."""

    u: Floats
    value: Floats
    """λ, three a contact: along the normal and the two tangents [N·s], shape (3 nc,)."""
    pushes: Ints
    """Numbers of the contacts that push."""
    slides: NDArray[np.bool_]
    """Which of these slide."""
    limits: list[Limit]
    matrix: Floats
    """By u in the free coordinates, the impulses of the contacts that push, and those of the limits."""
    rates: Floats
    kin: Kinematics | None
    kept: NDArray[np.bool_]


class TouchSolves:
    """The linear system of a step at its start, its contacts, and the solves with both."""

    def __init__(self, model: Model, start: State, options: Options, corrections: int) -> None:
        self.model, self.start, self.options = model, start, options
        self.h = options.h
        self.t = start.t + options.h
        control = control_at(model, self.t)
        self.action = joint_action(model, start, control, self.h)
        self.kin = centred_kinematics(model, start, self.action.free)
        self.dry = DryStep.of(model, start, self.kin, self.t, options, DryMemory())
        self.step = CentredStep(model, start, self.kin, self.action.free, self.h)
        self.system = implicit_system(model, start, self.kin, control, self.action, self.h, self.step.couples)
        self.passes: list[TouchPass] = []
        if self.touches:
            self._solve_all(corrections)

    @property
    def touches(self) -> bool:
        return self.dry is not None and self.dry.contacts is not None and len(self.dry.contacts) > 0

    @property
    def contacts(self) -> Contacts:
        assert self.dry is not None and self.dry.contacts is not None
        return self.dry.contacts

    def _solve_all(self, corrections: int) -> None:
        """As `euler.step`."""
        model, start, system = self.model, self.start, self.system
        self.solver = Direct(system)
        self.A = assemble(system)
        rows = contact_rows(model, self.contacts, self.kin, start.v, self.h)
        self.wanted = rows.wanted
        self.G: Floats = np.zeros((len(rows.wanted), model.nr))
        t = model.tree
        index = np.arange(len(rows.wanted))
        project_rows(t.parent, t.dof, self.kin.E_pj, self.kin.S, rows.link, rows.G, index, self.G)
        marks: Floats = np.full(model.nr, np.nan)
        kept = ~np.isnan(self.step.midway(marks))
        moved: list[float] = []
        guess = start.qdot
        for k in range(corrections + 2):
            rates, kin, b = start.qdot, None, system.b
            if k > corrections and not (corrections and astray_by(moved)):
                break
            if 0 < k <= corrections:
                rates = self.step.midway(0.5 * (start.qdot + guess))
                b = system.b + self.h * bias_change(model, start, self.kin, rates, system.free)
                kin = centred_kinematics(model, State(start.t, start.q, rates, start.chart), system.free)
            self.passes.append(self._solve(b, guess, rates, kin, kept))
            u = self.passes[-1].u
            change = u - guess if k else u
            moved.append(float(times(system, change) @ change))
            guess = u
        if len(self.passes) > corrections + 1:  # the step did without them
            self.passes = self.passes[-1:]

    def _solve(
        self, b: Floats, guess: Floats, rates: Floats, kin: Kinematics | None, kept: NDArray[np.bool_]
    ) -> TouchPass:
        model, system, dry = self.model, self.system, self.dry
        assert dry is not None
        x = self.solver.solve(b, system.known, guess)
        hold = partial(dry.hold, self.solver, replace(system, b=b), x)
        u, rows, multipliers = constrained(
            model, self.start, self.kin, self.t, self.options, system.free, hold, x, None, self.step.arrive, dry,
            self.step,
        )  # fmt: skip
        assert dry.outcome is not None
        value = dry.outcome.value[dry.outcome.blocks.contacts].copy()
        limits = []
        if rows is not None and multipliers is not None:
            most = float(np.abs(times(system, u)).max(initial=0.0))
            held = (multipliers.value > _PUSHES * most) & rows.inequality
            limits = [limit_of(model, self.start, self.h, int(-1 - n)) for n in rows.owner[held]]
        normal = value[::3]
        pushes = np.flatnonzero(normal > _PUSHES * float(normal.max(initial=0.0)))
        slip = (self.G @ u - self.wanted).reshape(-1, 3)[:, 1:]
        fastest = float(np.abs(self.G @ u).max(initial=0.0)) + float(
            np.abs(self.G @ self.start.qdot).max(initial=0.0)
        )
        mu = self.contacts.friction[pushes]
        pull = value.reshape(-1, 3)[pushes]
        at_bound = np.hypot(*pull[:, 1:].T) >= (1.0 - _NEAR) * mu * pull[:, 0]
        slides = (at_bound & (np.hypot(*slip[pushes].T) > _SLIDES * fastest)) | (mu == 0.0)
        for _ in range(_ROUNDS):
            found, impulse, matrix = self._polish(b, u, value, pushes, slides, limits)
            pull = impulse.reshape(-1, 3)[pushes]
            slip = (self.G @ found - self.wanted).reshape(-1, 3)[pushes, 1:]
            bound = np.hypot(*pull[:, 1:].T)
            loose = ~slides & (bound > (1.0 + _NEAR) * mu * np.maximum(pull[:, 0], 0.0))
            fast = slides & (mu > 0.0) & (np.hypot(*slip.T) < 1e-9 * fastest)
            let_go = pull[:, 0] < 0.0
            if not (loose.any() or fast.any() or let_go.any()):
                break
            slides = ((slides | loose) & ~fast)[~let_go]
            pushes, mu = pushes[~let_go], mu[~let_go]
        return TouchPass(found, impulse, pushes, slides, limits, matrix, rates, kin, kept)

    def _polish(
        self,
        b: Floats,
        u: Floats,
        value: Floats,
        pushes: Ints,
        slides: NDArray[np.bool_],
        limits: list[Limit],
    ) -> tuple[Floats, Floats, Floats]:
        """Newton's method from what a solver with a tolerance has found; and the derivatives there."""
        free = np.flatnonzero(self.system.free)
        n, p, l = len(free), len(pushes), len(limits)
        rows = (3 * pushes[:, None] + np.arange(3)).ravel()
        G, wanted = self.G[rows], self.wanted[rows]
        ends = np.eye(self.model.nr)[[each.dof for each in limits]].reshape(l, self.model.nr)
        bounds = self.model.constraints.limits.bound
        goal = np.array([each.speed(self.start, bounds[each.number]) for each in limits])
        impulse, kept = value[rows].copy(), np.zeros(l)
        mu = self.contacts.friction[pushes]
        u = u.copy()
        for trip in range(_NEWTON):
            gap = (G @ u - wanted).reshape(p, 3)
            F = np.concatenate(
                [(self.A @ u - b - impulse @ G - kept @ ends)[free], np.zeros(3 * p), ends @ u - goal]
            )
            K = np.zeros((n + 3 * p + l, n + 3 * p + l))
            K[:n, :n] = self.A[np.ix_(free, free)]
            K[:n, n : n + 3 * p], K[:n, n + 3 * p :] = -G[:, free].T, -ends[:, free].T
            K[n + 3 * p :, :n] = ends[:, free]
            for c in range(p):
                i = n + 3 * c
                g = G[3 * c : 3 * c + 3][:, free]
                F[i], K[i, :n] = gap[c, 0], g[0]
                if not slides[c]:
                    F[i + 1 : i + 3], K[i + 1 : i + 3, :n] = gap[c, 1:], g[1:]
                    continue
                s = gap[c, 1:]
                speed = max(float(np.hypot(*s)), 1e-300)
                along, push = s / speed, impulse[3 * c]
                F[i + 1 : i + 3] = impulse[3 * c + 1 : 3 * c + 3] + mu[c] * push * along
                K[i + 1 : i + 3, :n] = mu[c] * push / speed * (np.eye(2) - np.outer(along, along)) @ g[1:]
                K[i + 1 : i + 3, i] = mu[c] * along
                K[i + 1, i + 1] = K[i + 2, i + 2] = 1.0
            if trip == _NEWTON - 1 or float(np.abs(F).max(initial=0.0)) <= 1e-14 * float(
                np.abs(b).max(initial=1e-300)
            ):
                break
            d = solved(K, -F)
            u[free] += d[:n]
            impulse += d[n : n + 3 * p]
            kept += d[n + 3 * p :]
        out = np.zeros_like(value)
        out[rows] = impulse
        if not np.isfinite(u).all():
            raise ConvergenceError(self.t, self.model.joint_of(0), np.inf)
        return u, out, K

    def transposed(self, each: TouchPass, y: Floats) -> tuple[Floats, Floats, Floats]:
        """μ, ν of the rows of contacts (3 nc,), and derivatives by the coefficients of friction (nc,)."""
        free = np.flatnonzero(self.system.free)
        n = len(free)
        z = solved(each.matrix.T, np.concatenate([y[free], np.zeros(len(each.matrix) - n)]))
        mu, nu, by_friction = (
            np.zeros(self.model.nr),
            np.zeros(len(self.wanted)),
            np.zeros(len(self.contacts)),
        )
        mu[free] = z[:n]
        for c, contact in enumerate(each.pushes):
            own = z[n + 3 * c : n + 3 * c + 3]
            i = 3 * contact
            nu[i] = own[0]
            if not each.slides[c]:
                nu[i + 1 : i + 3] = own[1:]
                continue
            s = (self.G[i + 1 : i + 3] @ each.u) - self.wanted[i + 1 : i + 3]
            speed = max(float(np.hypot(*s)), 1e-300)
            along, push = s / speed, each.value[i]
            across = own[1:] - along * (along @ own[1:])
            nu[i + 1 : i + 3] = self.contacts.friction[contact] * push / speed * across
            by_friction[contact] = -push * float(along @ own[1:])
        return mu, nu, by_friction


def solved(K: Floats, y: Floats) -> Floats:
    """The least solution, where rows repeat each other."""
    try:
        z = np.linalg.solve(K, y)
        if float(np.abs(K @ z - y).max(initial=0.0)) <= 1e-9 * float(np.abs(y).max(initial=0.0)) and np.abs(
            z
        ).max(initial=0.0) < 1e12 * float(np.abs(y).max(initial=0.0)):
            return z
    except np.linalg.LinAlgError:
        pass
    return np.asarray(np.linalg.lstsq(K, y, rcond=_SMALL)[0])
