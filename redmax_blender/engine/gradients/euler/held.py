"""The rows of loops, couplings and prescribed points in an Euler step, backwards.

A solve under rows G leaves A u - Gᵀ f = b and G u = w, with multipliers f. For the derivative ū by u, the adjoint

    A μ + Gᵀ ν = ū,   G μ = 0

gives ū·du = μ·(db - dA u + dGᵀ f) + ν·(dw - dG u): the first is what a step without rows has, with μ for its λ. What
brings positions back onto the rows, c(q) = 0, at the end of a step, and what makes velocities fit them for the forces
of motion midway, are the same with b = 0: A δ = Gᵀ y.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...constraints.active import ActiveRows, active_rows, follows, gear_rows, reduced_rows
from ...constraints.bending import share_of
from ...constraints.newton import least_motions
from ...constraints.rows import TWIST, RowState, evaluate_rows
from ...model.records import Floats, Model
from ...model.state import Options, State
from ...solvers.semidefinite import semidefinite_inverse
from ...tree.centred_step import CentredStep
from ...tree.kinematics import Kinematics, forward_kinematics, kinematics_at_rest
from ..bars import ModelBars
from ..rows import Paired, add_rows
from ..tree import (
    CoordinateBars,
    TreeArrays,
    carry,
    coordinate_bars,
    link_bars,
    motion_at,
    sweep,
    tree_arrays,
)


def what_prevents(model: Model, options: Options) -> str | None:
    """Why steps under the rows of a model cannot be differentiated; null where they can."""
    c = model.constraints
    if not (len(c.rows.type) or len(c.gears.offset)):
        return None
    if np.any(c.rows.type == TWIST):
        return "there is no adjoint of Euler's steps with prescribed velocities of bodies"
    if options.stabilisation is not None:
        return "there is no adjoint of Euler's steps that bring loops back at a rate ('stabilisation')"
    if any(over > 0.0 for spans in c.active for _, _, over in spans):
        return "there is no adjoint of Euler's steps with constraints that take hold over some time"
    return None


@dataclass
class HeldRows:
    """The m equality rows of a step, those of gears last; what the way back finds about them is added up here."""

    model: Model
    options: Options
    start: State
    t: float
    """The end of the step [s]."""
    kin: Kinematics
    active: ActiveRows
    maximal: RowState
    G: Floats
    """Shape (m, nr)."""
    wanted: Floats
    bend: Floats
    pairs: list[tuple[Floats, Floats]] = field(default_factory=list)
    """Weights (m,) of velocities of the rows, and rates of the coordinates (nr,) that these velocities come from."""
    by_wanted: Floats = field(init=False)
    """Derivatives by what is wanted of the velocities without the bend, and by the bend, shape (m,)."""
    by_bend: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.by_wanted, self.by_bend = np.zeros((2, len(self.G)))

    @property
    def links(self) -> int:
        """How many of the rows are between links."""
        return len(self.active.index)

    def at(self, q: Floats) -> Floats:
        """G at other coordinates, shape (m, nr)."""
        kin = kinematics_at_rest(self.model, q, self.start.chart)
        rows = evaluate_rows(self.model.constraints.rows, self.t, kin)
        first = reduced_rows(self.model, kin, rows, self.active.index)
        return np.vstack([first, gear_rows(self.model, q, self.active.gears)[0]])

    def follows(self) -> bool:
        """Whether what brings positions back is a part of the velocities."""
        return follows(self.model, self.active, self.kin, self.options)

    def add_gears(self, weight: Floats, q: Floats, bars: ModelBars, is_place: bool) -> None:
        """Derivatives of Σ weight · (rows of gears times q), less their offsets where these are places."""
        g, rows = self.model.constraints.gears, bars.rows
        for w, i in zip(weight[self.links :], self.active.gears, strict=True):
            span = slice(g.first[i], g.first[i + 1])
            rows.factor[span] += w * q[g.dof[span]]
            if is_place:
                rows.offset[i] -= w

    def add_places(
        self, plain: TreeArrays, q: Floats, t: float, weight: Floats, bars: ModelBars
    ) -> tuple[Floats, Floats]:
        """Add the derivatives of Σ weight · c at coordinates q and time t [s]; returns c, without gears, and the
        derivatives by q."""
        model = self.model
        state = State(t, q, np.zeros(model.nr), self.start.chart)
        kin = forward_kinematics(model, state)
        links, out = link_bars(model.nl), coordinate_bars(model.nr)
        index = self.active.index
        add_rows(model.constraints.rows, index, kin.E_wj, t, [], weight[: self.links], links.xi, bars.rows)
        sweep(
            plain,
            motion_at(plain, kin, state.chart, q, state.qdot, state.qdot, state.qdot),
            links,
            out,
            bars.tree,
        )
        self.add_gears(weight, q, bars, True)
        gears = weight[self.links :] @ self.G[self.links :]
        return evaluate_rows(model.constraints.rows, t, kin).error[index], out.q + gears

    def finish(
        self, plain: TreeArrays, ahead: Floats | None, bars: ModelBars
    ) -> tuple[CoordinateBars, Floats | None]:
        """Turn all that was added up into derivatives by the start of the step, and by the coordinates `ahead` where
        it would arrive at the velocities of the start (null where there are none)."""
        model, start, h, k = self.model, self.start, self.options.h, self.links
        rows = model.constraints.rows
        out = coordinate_bars(model.nr)
        by_ahead: Floats | None = None
        V_bar = np.zeros((model.nl, 6))
        if len(rows.targets) and k:
            for t, sign in ((start.t, 1.0), (self.t, -1.0)):
                weight = np.zeros(len(self.G))
                weight[:k] = sign * self.by_wanted[:k] / h
                out.q[:] += self.add_places(plain, start.q, t, weight, bars)[1]
        bent = self.by_bend.copy()
        bent[k:] = 0.0
        if ahead is not None and bent.any():
            share = share_of(self.kin.V, h)
            weight = share * bent
            now, q_bar = self.add_places(plain, start.q, self.t, weight / h, bars)
            then, by_ahead = self.add_places(plain, ahead, self.t, -weight / h, bars)
            out.q[:] += q_bar
            out.qdot[:] += weight @ self.G
            self.pairs.append((weight, start.qdot))
            if share < 1.0:
                by_share = float(bent[:k] @ (self.G[:k] @ start.qdot - (then - now) / h))
                fastest = int(np.argmax((self.kin.V[:, :3] ** 2).sum(axis=1)))
                w = self.kin.V[fastest, :3]
                V_bar[fastest, :3] = -2.0 * share * by_share * w / (w @ w)
        self._finish_pairs(plain, V_bar, out, bars)
        return out, by_ahead

    def _finish_pairs(self, plain: TreeArrays, V_bar: Floats, out: CoordinateBars, bars: ModelBars) -> None:
        model, start, k = self.model, self.start, self.links
        rows, index = model.constraints.rows, self.active.index
        xi = np.zeros((model.nl, 6))
        whole = []
        for weight, rates in self.pairs:
            self.add_gears(weight, rates, bars, False)
            twist, twist_bar = np.zeros((2, model.nl, 6))
            carry(plain.links, self.kin.E_pj, self.kin.S, rates, twist)
            for side in (0, 1):
                link = rows.link[index, side]
                on = link >= 0
                np.add.at(twist_bar, link[on], (weight[:k, None] * self.maximal.G[index, side])[on])
            whole.append(Paired(weight[:k], twist, twist_bar))
        if k:
            add_rows(rows, index, self.kin.E_wj, self.t, whole, None, xi, bars.rows)
        still = np.zeros(model.nr)
        for n in range(0, len(whole), 2):
            links = link_bars(model.nl)
            m = motion_at(plain, self.kin, start.chart, start.q, start.qdot, still, self.pairs[n][1])
            if n == 0:
                links.xi[:], links.V[:] = xi, V_bar
            links.U[:] = whole[n].bar
            if n + 1 < len(whole):
                m.lam[:], m.W[:] = self.pairs[n + 1][1], whole[n + 1].twist
                links.W[:] = whole[n + 1].bar
            sweep(plain, m, links, out, bars.tree)


def plain_tree(model: Model) -> TreeArrays:
    """A tree that nothing acts on, for sweeps of rows alone."""
    nothing = np.zeros_like(model.tree.damping)
    return tree_arrays(model, nothing, nothing)


def held_rows(
    model: Model, start: State, t: float, kin: Kinematics, step: CentredStep, options: Options
) -> HeldRows | None:
    """Those of a step that ends at time t [s]; null where none holds."""
    ahead = step.arrive if options.curved_loops else None
    found = active_rows(model, start, kin, t, options.h, options, step.free, None, ahead)
    m = 0 if found is None else int((~found.inequality).sum())
    if found is None or not m:
        return None
    maximal = found.maximal
    if maximal is None:
        maximal = evaluate_rows(model.constraints.rows, t, kin)
    return HeldRows(
        model, options, start, t, kin, found, maximal, found.G[:m], found.wanted[:m], found.bend[:m]
    )


def assembled_back(
    model: Model, options: Options, free: NDArray[np.bool_], state: State, q_bar: Floats, bars: ModelBars
) -> Floats:
    """Derivatives by the coordinates that a scene gives, from those by the ones with which its loops are closed; the
    two are the same but for rounding, or the second is linear in the first as far as that goes."""
    kin = forward_kinematics(model, state)
    step = CentredStep(model, state, kin, free, options.h)
    held = held_rows(model, state, state.t + options.h, kin, step, options)
    if held is None:
        return q_bar
    G = np.where(free, held.G, 0.0)
    ways = least_motions(model, kin, G, free)
    nu = semidefinite_inverse(G @ ways.T) @ (ways @ q_bar)
    held.add_places(plain_tree(model), state.q, state.t, -nu, bars)
    return q_bar - nu @ held.G
