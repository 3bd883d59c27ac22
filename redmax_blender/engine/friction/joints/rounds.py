"""Impulses and the bounds of friction inside joints, found in turn until they belong to each other.

Where rows repeat each other, as the feet of a machine that stands on six of them do, or the hinges that close a loop in
a plane, velocities do not tell how impulses are shared, and so they do not tell the loads of the joints. Impulses that
are any of many solutions jump from round to round, and the bounds never settle. Then rows give way a little, in
proportion to how far their impulses are from those of the last step: the impulses of every round are definite then, and
change little when bounds do. With the bounds that this leads to, rows are made hard again by and by, each time near the
impulses found before: from soft rows to hard ones at once is too far for Newton's steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...constraints.active import ActiveRows
from ...impulses.dense import EQUAL, solve_blocks
from ...model.records import Floats
from ...model.state import Options
from ..blocks import Blocks
from ..memory import DryMemory, DryReport
from ..response import Islands, Precision, Response
from .bounds import JointBounds

_SOFTER = {8: 1e-4, 40: 1e-2}
"""From which round on rows give way, and by which fraction of their response."""
_HARDER = (1e-5, 1e-6, 1e-7, 0.0)
"""The fractions by which they give way after that."""
_FINER = 1e-2
"""What impulses are found to, as a fraction of the change of bounds that ends the rounds."""
_FEW, _MANY = 2, 7
"""Rounds, at least and at most, where contacts press on the joints of a tree that moves: the next step goes on from
there."""
EFFORT = 3000
"""Newton steps and sweeps after which the bounds are left as they are."""


@dataclass(frozen=True)
class SoftRows:
    """The matrix of all rows, which give way to impulses other than `near`."""

    W: Floats
    r: Floats
    islands: Islands
    near: Floats

    @staticmethod
    def of(response: Response, near: Floats, part: float) -> SoftRows:
        """By a part of what each row responds with to itself."""
        m = len(near)
        W = np.array(response.within(slice(0, m)))
        soft = part * np.diagonal(W)
        W.reshape(-1)[:: m + 1] += soft
        return SoftRows(W, response.r + soft * near, response.islands, near)

    def solve(self, blocks: Blocks, tolerance: float, value: Floats) -> tuple[int, int, float, float]:
        """Impulses into `value` (m,), which comes as a guess, as `dual.solve_blocks` says."""
        return solve_blocks(
            self.W, self.r, blocks.first, blocks.kind, blocks.mu, blocks.normal, self.islands.of_block,
            self.islands.count, tolerance, blocks.bound, self.near, value,
        )  # fmt: skip


def settle_bounds(
    joints: JointBounds,
    response: Response,
    blocks: Blocks,
    rows: ActiveRows | None,
    x: Floats,
    memory: DryMemory,
    options: Options,
    precision: Precision,
    value: Floats,
    report: DryReport,
) -> Floats:
    """Impulses into `value` (m,), which comes as those of the last step; returns velocities from the free motion x."""
    near, before = value.copy(), report.passes + report.sweeps
    closed = bool(np.any(blocks.kind[: blocks.rows.stop] == EQUAL))
    # What is at rest stays there only with bounds that are the same in every step.
    hits = float(np.abs(response.r).max(initial=0.0)) > precision.calm
    touches = blocks.contact is not None and not closed and hits
    touches = touches and options.friction_enough > options.friction_tolerance
    settled = max(options.friction_tolerance, options.friction_enough if touches else 0.0)
    tolerance = min(precision.tolerance, _FINER * settled)
    precision = Precision(tolerance, precision.enough if touches else tolerance, precision.calm)
    soft = SoftRows.of(response, near, 0.0) if closed else None
    qdot = x
    for round_ in range(1, options.friction_iterations + 1):
        report.rounds = round_
        if round_ in _SOFTER:
            soft = SoftRows.of(response, near, _SOFTER[round_])
            joints.restart(blocks)
            value[:] = near
        if soft is None:
            count(response.solve(blocks, precision, near, value), report)
        else:
            count(soft.solve(blocks, tolerance, value), report)
        qdot = response.moved(x, value)
        report.bound = blocks.bound[blocks.rubs.start : blocks.loops.stop].copy()
        report.change = joints.update(rows, blocks, value, qdot, memory, settled)
        effort = report.passes + report.sweeps - before
        if not report.change > options.friction_tolerance or effort > EFFORT:
            break
        if touches and round_ >= _FEW and (report.change <= settled or round_ == _MANY):
            break
    if report.rounds >= min(_SOFTER):
        report.bound = blocks.bound[blocks.rubs.start : blocks.loops.stop].copy()
        for part in _HARDER:
            count(SoftRows.of(response, value.copy(), part).solve(blocks, tolerance, value), report)
        qdot = response.moved(x, value)
    return qdot


def count(found: tuple[int, int, float, float], report: DryReport) -> None:
    """Put down what a solution took."""
    steps, sweeps, report.residual, report.shift = found
    report.passes += steps
    report.sweeps += sweeps
