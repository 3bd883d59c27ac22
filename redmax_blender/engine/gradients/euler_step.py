"""The linearly implicit Euler step backwards.

The step (`integrators/euler.py`) solves R(q0, qdot0, u) = 0 for its velocities u, where

    R = τ_inertia(q0, qdot0, (u - qdot0)/h) + what damps at u + h K u - f(q0, qdot0),

everything but u at its start, and ends at q0 + h u. Coordinates that are prescribed, or that a limit holds, have a
velocity that is known. A λ = ū with the step's own matrix A then gives all derivatives, ψ = h λ·R being differentiated
once, in reverse.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..constraints.active import RECOVERY
from ..forces.joint import joint_action
from ..model.control import control_at
from ..model.records import PRESCRIBED, Floats, Ints, Model
from ..model.state import State
from ..solvers.direct import Direct
from ..solvers.implicit_system import ImplicitSystem, implicit_system
from ..solvers.pcg import times
from ..tree.centred_step import CentredStep, centred_kinematics
from ..tree.centres import FLAGS, MOVE, MOVES, TURN, TURNED_MOVE, TURNS
from ..tree.kinematics import Kinematics, forward_kinematics
from . import centred
from .bars import ModelBars
from .curves import add_curves
from .forces import add_external
from .joint_forces import add_joint_forces
from .springs import add_springs, spring_arrays
from .tree import (
    CoordinateBars,
    TreeArrays,
    add_bodies,
    carry,
    coordinate_bars,
    link_bars,
    motion_at,
    sweep,
    tree_arrays,
)

_HELD = 1e-9
"""Impulse of a limit, as a fraction of the largest impulse of a step, that is more than rounding."""


def what_prevents(model: Model) -> str | None:
    """Why there is no adjoint of Euler's steps of a model; null where there is one."""
    c = model.constraints
    moved = np.zeros(model.nr, bool)
    moved[model.joints.motion.target] = True
    if any(moved[row[TURN] : row[TURN] + row[TURNS]].any() for row in model.centres.which):
        return "there is no adjoint of Euler's steps of ball joints that follow a motion (unless 'centred' is false)"
    if centred.what_prevents(model) is not None:
        return centred.what_prevents(model)
    if len(c.rows.type) or len(c.gears.offset) or model.reduction is not None:
        return "there is no adjoint of Euler's steps with loops, couplings or prescribed points"
    if model.guides is not None:
        return "there is no adjoint of Euler's steps with guided points"
    if any(mode != PRESCRIBED for switches in model.joints.switches for _, mode, _ in switches[1:]):
        return "there is no adjoint of Euler's steps of joints that change between their modes"
    return None


@dataclass(frozen=True)
class _Limit:
    """A limit that holds a coordinate: u = of_q (bound - q0) + of_v qdot0."""

    number: int
    dof: int
    of_q: float
    of_v: float


class EulerAdjoint:
    """Euler's steps of one model backwards; what they add up by the model's arrays is in `bars`."""

    def __init__(self, model: Model, h: float, bars: ModelBars) -> None:
        self.model, self.h, self.bars = model, h, bars
        drag, late = np.zeros_like(model.tree.damping), model.tree.damping.copy()
        if model.bodies.explicit is not None:
            links = model.bodies.link[model.bodies.explicit]
            drag[links], late[links] = late[links], 0.0
        self.tree: TreeArrays = centred.centre_tree(model, tree_arrays(model, drag, late))
        self._of_bars: Floats = np.zeros((len(model.centres), 9))
        self._seen: Floats = np.zeros((model.nl, 3))
        self.springs = spring_arrays(model.springs)

    def back(self, start: State, end: State, q_bar: Floats, qdot_bar: Floats) -> tuple[Floats, Floats]:
        """Derivatives by the start of a step, from those by its end."""
        model, h, u = self.model, self.h, end.qdot.copy()
        control = control_at(model, end.t)
        action = joint_action(model, start, control, h)
        kin = centred_kinematics(model, start, action.free)
        step = CentredStep(model, start, kin, action.free, h)
        system = implicit_system(model, start, kin, control, action, h, step.couples)
        arrivals = self._arrivals(start, end, kin, u)
        limits = self._limits(system, start, u)
        u_bar = qdot_bar + h * q_bar
        carried = q_bar.copy()  # what of the derivative by the end's coordinates is one by the start's
        for c, arrival in arrivals:
            out_q, out_u, of_bar = arrival.back(u, h, q_bar, qdot_bar)
            for span in (arrival.turn, arrival.move):
                u_bar[span], carried[span] = out_u[span], out_q[span]
            self._of_bars[c] += of_bar
        prescribed = np.flatnonzero(~action.free)
        u_bar[prescribed] = qdot_bar[prescribed]
        fixed = np.concatenate([prescribed, [limit.dof for limit in limits]]).astype(np.int64)
        lam = self._solve(system, u_bar, fixed)
        out = self._reverse(start, end.t, kin, u, h * lam)
        known = u_bar + out.after + out.qddot / h
        q0, v0 = out.q + np.where(action.free, carried, 0.0), out.qdot - out.qddot / h
        for limit in limits:
            q0[limit.dof] -= limit.of_q * known[limit.dof]
            v0[limit.dof] += limit.of_v * known[limit.dof]
            self.bars.limits[limit.number] += limit.of_q * known[limit.dof]
        if len(prescribed):
            # it goes from curve to curve: u = (x(t1) - x(t0)) / h, and ends at x(t1)
            motion = model.joints.motion
            on = np.isin(motion.target, prescribed)
            rate = np.where(on, known[motion.target] / h, 0.0)
            reached = rate + np.where(on, q_bar[motion.target], 0.0)
            add_curves(motion, end.t, reached, None, self.bars.joints.motion)
            add_curves(motion, start.t, -rate, None, self.bars.joints.motion)
        return q0, v0

    def finish(self) -> None:
        """To be called after the last step: each link's drag has a derivative where it acts only."""
        t = self.bars.tree
        t.drag[~self.tree.drag.any(axis=1)] = 0.0
        t.late[self.tree.drag.any(axis=1)] = 0.0
        centred.to_inertia(self.model, self._of_bars, t.inertia)

    def _arrivals(
        self, start: State, end: State, kin: Kinematics, u: Floats
    ) -> list[tuple[int, centred.Arrival]]:
        """What is centred; its velocities in the step are put into u (nr,)."""
        model = self.model
        if not len(model.centres):
            return []
        last = forward_kinematics(model, end)
        found = []
        for c, (row, of) in enumerate(zip(model.centres.which, model.centres.of, strict=True)):
            link = centred.turning_link(model, row)
            R0 = centred.rotation_of(kin, model, link)
            arrival = centred.Arrival(model, c, start, end, kin.S, last.S, R0)
            arrival.R1 = centred.rotation_of(last, model, link)
            arrival.velocities(arrival.R1, self.h, u)
            if row[FLAGS] & TURNED_MOVE:
                place = start.q[row[MOVE] : row[MOVE] + row[MOVES]]
                self.tree.arm[link] = of[:3]
                self.tree.arm[link, : len(place)] += place
            found.append((c, arrival))
        return found

    def _limits(self, system: ImplicitSystem, start: State, u: Floats) -> list[_Limit]:
        """The limits that have given an impulse in the step."""
        limits = self.model.constraints.limits
        if not len(limits.dof):
            return []
        push = times(system, u) - system.b
        scale = float(np.abs(system.b).max()) + float(np.abs(times(system, start.qdot)).max())
        found = []
        for n, i in enumerate(limits.dof.tolist()):
            side = limits.side[n]
            if not system.free[i] or side * push[i] <= _HELD * scale:
                continue
            gap, speed = side * (start.q[i] - limits.bound[n]), side * start.qdot[i]
            rate = 1.0 / self.h if gap >= 0.0 else min(1.0 / self.h, RECOVERY)
            bounce = -limits.restitution[n] * speed
            if gap + self.h * speed < 0.0 and bounce > max(-rate * gap, 0.0):
                found.append(_Limit(n, i, 0.0, -float(limits.restitution[n])))
            else:
                found.append(_Limit(n, i, rate, 0.0))
        return found

    def _solve(self, system: ImplicitSystem, y: Floats, fixed: Ints) -> Floats:
        """λ of A λ = y in the coordinates that are not fixed, zero in the others."""
        solver = Direct(system)
        still: Floats = np.zeros(self.model.nr)
        inside = fixed[system.free[fixed]]
        lam = np.where(system.free, solver.solve(y, still, still), 0.0)
        if len(inside):
            columns = [
                np.where(system.free, solver.solve(row, still, still), 0.0) for row in np.eye(len(y))[inside]
            ]
            C = np.stack(columns, axis=1)
            lam = lam - C @ np.linalg.solve(C[inside], lam[inside])
        return np.asarray(lam)

    def _reverse(self, start: State, t: float, kin: Kinematics, u: Floats, lam: Floats) -> CoordinateBars:
        """Derivatives of -ψ by the coordinates; those by the model's arrays go to `bars`."""
        model, h, bars = self.model, self.h, self.bars
        m = motion_at(self.tree, kin, start.chart, start.q, start.qdot, (u - start.qdot) / h, u)
        m.lam[:] = -lam
        carry(self.tree.links, m.E_pj, m.S, m.lam, m.W)
        links, out = link_bars(model.nl), coordinate_bars(model.nr)
        add_bodies(self.tree, m, links, bars.tree)
        if len(model.springs.rest):
            add_springs(self.springs, m, h, links, bars.springs)
        if model.external is not None and bars.external is not None:
            add_external(model.external, m, t, h, links, bars.external)
        centred.add_gyroscopic(model, m, links, self._of_bars)
        sweep(self.tree, m, links, out, bars.tree)
        centred.add_arms(model, bars.tree, out, self._of_bars, self._seen)
        add_joint_forces(model, m, t, h, out, bars.joints)
        return out
