"""The linearly implicit Euler step backwards.

The step (`integrators/euler.py`) solves R(q0, qdot0, u) = 0 for its velocities u, where

    R = τ_inertia(q0, qdot0, (u - qdot0)/h) + what damps at u + h K u - f(q0, qdot0),

everything but u at its start, and ends at q0 + h u. Coordinates that are prescribed, or that a limit holds, have a
velocity that is known. A λ = ū with the step's own matrix A then gives all derivatives, ψ = h λ·R being differentiated
once, in reverse.

Loops, couplings and prescribed points are rows beside that (`euler/held.py`).

Where a step solves again with the forces of motion midway (`corrections`), each solve is one of these
(`euler/solves.py`), with the forces of motion at rates that depend on the solve before it.
"""

from __future__ import annotations

import numpy as np

from ...forces.joint import joint_action
from ...integrators.euler import Piece
from ...model.control import control_at
from ...model.records import PRESCRIBED, Floats, Ints, Model
from ...model.state import Options, State
from ...solvers.implicit_system import implicit_system
from ...tree.centred_step import CentredStep, centred_kinematics
from ...tree.centres import FLAGS, MOVE, MOVES, TURN, TURNED_MOVE, TURNS
from ...tree.kinematics import Kinematics, forward_kinematics
from ..bars import ModelBars
from ..curves import add_curves
from ..forces import add_external
from ..joint_forces import add_joint_forces
from ..springs import add_springs, spring_arrays
from ..tree import (
    CoordinateBars,
    Motion,
    TreeArrays,
    add_bodies,
    carry,
    coordinate_bars,
    link_bars,
    motion_at,
    sweep,
    tree_arrays,
)
from . import centred, held
from . import contact_step as touch_step
from .contact_solves import TouchSolves
from .contact_step import TouchBack
from .solves import Limit, Pass, Solves

_HELD = 1e-6
"""Part of what brings positions back that its rows cannot have done, above which limits had a part in it."""


def what_prevents(model: Model, options: Options) -> str | None:
    """Why there is no adjoint of Euler's steps of a model; null where there is one."""
    moved = np.zeros(model.nr, bool)
    moved[model.joints.motion.target] = True
    if any(moved[row[TURN] : row[TURN] + row[TURNS]].any() for row in model.centres.which):
        return "there is no adjoint of Euler's steps of ball joints that follow a motion (unless 'centred' is false)"
    if centred.what_prevents(model) is not None:
        return centred.what_prevents(model)
    if model.reduction is not None:
        return "there is no adjoint of Euler's steps with couplings that reduce the coordinates"
    if model.guides is not None:
        return "there is no adjoint of Euler's steps with guided points"
    if any(mode != PRESCRIBED for switches in model.joints.switches for _, mode, _ in switches[1:]):
        return "there is no adjoint of Euler's steps of joints that change between their modes"
    return touch_step.what_prevents(model) or held.what_prevents(model, options)


class EulerAdjoint:
    """Euler's steps of one model backwards; what they add up by the model's arrays is in `bars`.

    corrections: how often a step solves again with the forces of motion midway through it."""

    def __init__(self, model: Model, options: Options, bars: ModelBars, corrections: int = 0) -> None:
        self.model, self.h, self.bars, self.corrections = model, options.h, bars, corrections
        self.options = options
        drag, late = np.zeros_like(model.tree.damping), model.tree.damping.copy()
        if model.bodies.explicit is not None:
            links = model.bodies.link[model.bodies.explicit]
            drag[links], late[links] = late[links], 0.0
        self.tree: TreeArrays = centred.centre_tree(model, tree_arrays(model, drag, late))
        self._undragged = self.tree._replace(drag=np.zeros_like(drag))
        self._forces_only = self.tree._replace(
            inertia=np.zeros_like(model.tree.inertia), late=np.zeros_like(late), gravity=np.zeros(3)
        )
        self._pushed = bool(drag.any()) or len(model.springs.rest) > 0 or model.external is not None
        self._none: Floats = np.zeros((model.nl, 6, 6))
        self.of_bars: Floats = np.zeros((len(model.centres), 9))
        self._seen: Floats = np.zeros((model.nl, 3))
        self.springs = spring_arrays(model.springs)
        c = model.constraints
        self._has_rows = len(c.rows.type) + len(c.gears.offset) > 0
        self.plain = held.plain_tree(model)

    def back(self, start: State, end: State, q_bar: Floats, qdot_bar: Floats) -> tuple[Floats, Floats]:
        """Derivatives by the start of a step, from those by its end."""
        model, h = self.model, self.h
        control = control_at(model, end.t)
        action = joint_action(model, start, control, h)
        kin = centred_kinematics(model, start, action.free)
        step = CentredStep(model, start, kin, action.free, h)
        rows = held.held_rows(model, start, end.t, kin, step, self.options) if self._has_rows else None
        system = implicit_system(model, start, kin, control, action, h, step.couples)
        solves = Solves(model, h, start, kin, step, system, rows)
        q0, v0 = np.zeros((2, model.nr))
        if rows is None:
            u = end.qdot.copy()
            arrivals = self.arrivals(start, end, kin, u)
            passes = solves.passes(u, self.corrections)
        else:
            passes = solves.passes(None, self.corrections)
            u = passes[-1].u.copy()
            q = np.where(action.free, step.arrive(u), action.landing)
            tangent = State(end.t, q, step.rates(u, q), end.chart)
            q_bar, qdot_bar, a, b = self._brought_back(
                rows, solves, passes[-1], tangent, end, q_bar, qdot_bar
            )
            q0 += a
            v0 += b
            arrivals = self.arrivals(start, tangent, kin, u)
            end = tangent
        prescribed = np.flatnonzero(~action.free)
        a, u_bar = self.arrived(arrivals, u, q_bar, qdot_bar)
        u_bar[prescribed] = qdot_bar[prescribed]
        q0 += np.where(action.free, a, 0.0)
        by_motion, fit_bar = np.zeros((2, model.nr))
        for each in reversed(passes):
            mu, nu = solves.transposed(u_bar, each.limits)
            out, by_rates = self.reverse(start, end.t, kin, each, h * mu)
            known = u_bar + out.after + out.qddot / h
            q0 += out.q
            v0 += out.qdot - out.qddot / h
            if rows is not None:
                known -= nu @ rows.G
                rows.pairs += [(each.force, mu), (-nu, each.u)]
                rows.by_wanted += nu
                rows.by_bend += nu
            for limit in each.limits:
                q0[limit.dof] -= limit.of_q * known[limit.dof]
                v0[limit.dof] += limit.of_v * known[limit.dof]
                self.bars.limits[limit.number] += limit.of_q * known[limit.dof]
            by_motion += known
            if by_rates is None:
                break
            v0 += np.where(each.kept, by_rates, 0.0)
            u_bar = np.where(each.kept, 0.0, 0.5 * by_rates)
            fit_bar += u_bar
        if rows is None:
            v0 += fit_bar
        else:
            a, b = self._held_back(rows, solves, step, fit_bar, end)
            q0 += a
            v0 += b
        self.add_motion(prescribed, by_motion, q_bar, start.t, end.t)
        return q0, v0

    def add_motion(
        self, prescribed: Ints, by_rate: Floats, by_place: Floats, before: float, after: float
    ) -> None:
        """Add the derivatives by curves that coordinates are prescribed by, in a step between two times [s]."""
        if not len(prescribed):
            return
        # it goes from curve to curve: u = (x(t1) - x(t0)) / h, and ends at x(t1)
        motion = self.model.joints.motion
        on = np.isin(motion.target, prescribed)
        rate = np.where(on, by_rate[motion.target] / self.h, 0.0)
        reached = rate + np.where(on, by_place[motion.target], 0.0)
        add_curves(motion, after, reached, None, self.bars.joints.motion)
        add_curves(motion, before, -rate, None, self.bars.joints.motion)

    def back_piece(self, piece: Piece, q_bar: Floats, qdot_bar: Floats) -> tuple[Floats, Floats]:
        """The same where something may touch, for a step or a part of one."""
        self.h, self.corrections = piece.h, piece.corrections
        self.options = self.options.with_(h=piece.h, corrections=piece.corrections)
        solves = TouchSolves(self.model, piece.start, self.options, piece.corrections)
        if solves.touches:
            return TouchBack(self, solves, piece.end).back(q_bar, qdot_bar)
        return self.back(piece.start, piece.end, q_bar, qdot_bar)

    def arrived(
        self, arrivals: list[tuple[int, centred.Arrival]], u: Floats, q_bar: Floats, qdot_bar: Floats
    ) -> tuple[Floats, Floats]:
        """Derivatives by the coordinates at the start and by the velocities u of the way, from those by the end."""
        u_bar, carried = qdot_bar + self.h * q_bar, q_bar.copy()
        for c, arrival in arrivals:
            out_q, out_u, of_bar = arrival.back(u, self.h, q_bar, qdot_bar)
            for span in (arrival.turn, arrival.move):
                u_bar[span], carried[span] = out_u[span], out_q[span]
            self.of_bars[c] += of_bar
        return carried, u_bar

    def _brought_back(
        self,
        rows: held.HeldRows,
        solves: Solves,
        last: Pass,
        tangent: State,
        end: State,
        q_bar: Floats,
        qdot_bar: Floats,
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Derivatives by where the velocities of a step lead and by these, and by the start of the step, from those by
        where its positions are brought back to."""
        model, h = self.model, self.h
        delta = end.q - tangent.q
        shift = centred.shifted_back(model, tangent, end, qdot_bar, self.of_bars)
        q_bar, by_tangent = q_bar + shift.q_end, shift.q_tangent
        if rows.follows():
            q_bar = q_bar + shift.v_end / h
            by_tangent = by_tangent - shift.v_end / h
        limits: list[Limit] = []
        force, left = solves.explained(delta, limits)
        if last.limits and left > _HELD * np.abs(delta).max():
            limits = last.limits  # which are kept while positions move
            force, _ = solves.explained(delta, limits)
        C = rows.at(end.q)
        mu, nu = solves.transposed(q_bar, limits, C)
        rows.pairs.append((force, mu))
        rows.add_places(self.plain, end.q, end.t, -nu, self.bars)
        a, b = self.moved(rows.start, rows.kin, end.t, delta, mu)
        return q_bar - nu @ C + by_tangent, shift.v_end + shift.v_tangent, a, b

    def moved(
        self, start: State, kin: Kinematics, t: float, way: Floats, mu: Floats
    ) -> tuple[Floats, Floats]:
        """Derivatives of -μ·(A way) by the start of a step: what its equations have with a way less what they have
        without."""
        q0, v0 = np.zeros((2, self.model.nr))
        if not way.any():
            return q0, v0
        for u, sign in ((way, 1.0), (np.zeros_like(way), -1.0)):
            out, _ = self.reverse(start, t, kin, Pass(u, [], start.qdot), sign * self.h * mu)
            q0 += out.q
            v0 += out.qdot - out.qddot / self.h
        return q0, v0

    def _held_back(
        self, rows: held.HeldRows, solves: Solves, step: CentredStep, fit_bar: Floats, end: State
    ) -> tuple[Floats, Floats]:
        """Derivatives by the start of a step from all that was found about its rows, and from those by the velocities
        that fit them."""
        model, start = self.model, rows.start
        q0, v0 = np.zeros((2, model.nr))
        if fit_bar.any():
            mu, nu = solves.transposed(fit_bar, [])
            rows.pairs += [(solves.fit_force, mu), (-nu, solves.fit)]
            rows.by_wanted += nu
            rows.by_bend -= nu
            a, b = self.moved(start, rows.kin, end.t, solves.fit - start.qdot, mu)
            q0 += a
            v0 += b + fit_bar - nu @ rows.G
        ahead = step.arrive(start.qdot) if self.options.curved_loops else None
        out, by_ahead = rows.finish(self.plain, ahead, self.bars)
        q0 += out.q
        v0 += out.qdot
        if ahead is not None and by_ahead is not None:
            there = State(end.t, ahead, step.rates(start.qdot, ahead), start.chart)
            speed = start.qdot.copy()
            arrivals = self.arrivals(start, there, rows.kin, speed)
            a, b = self.arrived(arrivals, speed, by_ahead, np.zeros(model.nr))
            q0 += a
            v0 += b
        return q0, v0

    def finish(self) -> None:
        """To be called after the last step: each link's drag has a derivative where it acts only."""
        t = self.bars.tree
        t.drag[~self.tree.drag.any(axis=1)] = 0.0
        t.late[self.tree.drag.any(axis=1)] = 0.0
        centred.to_inertia(self.model, self.of_bars, t.inertia)

    def arrivals(
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

    def reverse(
        self, start: State, t: float, kin: Kinematics, each: Pass, lam: Floats
    ) -> tuple[CoordinateBars, Floats | None]:
        """Derivatives of -ψ by the coordinates, and by the rates of the forces of motion where these are not those of
        the start; those by the model's arrays go to `bars`."""
        h, u = self.h, each.u
        out = coordinate_bars(self.model.nr)
        qddot = (u - start.qdot) / h
        if each.kin is None:
            m = self._motion(self.tree, kin, start, start.qdot, qddot, u, lam)
            self._sweep(self.tree, m, t, out, pushed=True)
            add_joint_forces(self.model, m, t, h, out, self.bars.joints)
            return out, None
        m = self._motion(self._undragged, each.kin, start, each.rates, qddot, u, lam)
        self._sweep(self._undragged, m, t, out, pushed=False)
        by_rates = out.qdot.copy()
        out.qdot[:] = 0.0
        if self._pushed:  # forces are at the velocities of the start
            there = self._motion(self._forces_only, kin, start, start.qdot, np.zeros_like(u), u, lam)
            self._sweep(self._forces_only, there, t, out, pushed=True)
        add_joint_forces(self.model, m._replace(qdot=start.qdot), t, h, out, self.bars.joints)
        return out, by_rates

    @staticmethod
    def _motion(
        tree: TreeArrays, kin: Kinematics, start: State, rates: Floats, qddot: Floats, u: Floats, lam: Floats
    ) -> Motion:
        m = motion_at(tree, kin, start.chart, start.q, rates, qddot, u)
        m.lam[:] = -lam
        carry(tree.links, m.E_pj, m.S, m.lam, m.W)
        return m

    def _sweep(self, tree: TreeArrays, m: Motion, t: float, out: CoordinateBars, pushed: bool) -> None:
        """Add the derivatives by the tree's equations of motion, and where it is `pushed` by forces on its links."""
        model, h, bars = self.model, self.h, self.bars
        links, constants = link_bars(model.nl), bars.tree
        # what a tree lacks has no derivative there
        if tree is self._undragged:
            constants = constants._replace(drag=self._none)
        elif tree is self._forces_only:
            constants = constants._replace(inertia=self._none, late=self._none)
        add_bodies(tree, m, links, constants)
        if pushed and len(model.springs.rest):
            add_springs(self.springs, m, h, links, bars.springs)
        if pushed and model.external is not None and bars.external is not None:
            add_external(model.external, m, t, h, links, bars.external)
        if tree is not self._forces_only:
            centred.add_gyroscopic(model, m, links, self.of_bars)
        sweep(tree, m, links, out, bars.tree)
        centred.add_arms(model, bars.tree, out, self.of_bars, self._seen)
