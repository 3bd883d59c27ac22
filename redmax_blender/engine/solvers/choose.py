"""Which linear solver a step uses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.records import Model
from ..model.state import Options
from .direct import Direct
from .implicit_system import ImplicitSystem
from .pcg import PCG
from .reduced import Reduced

SOLVERS = ("auto", "direct", "pcg")

# Microseconds, fitted to the solvers' part of a step on the scenes of `bench bridge-rigid bridge-flexy umbrella` to
# within 10% where the two are close; only ratios matter.
_PCG_CALL, _PCG_SIZE, _PCG_SWEEP, _PCG_NODE, _PCG_ROW = 25.0, 0.029, 0.0235, 0.031, 1.7
_DIRECT_CALL, _DIRECT_PAIR, _DIRECT_SPRING, _DIRECT_FLOP, _DIRECT_SOLVE = 40.0, 0.0097, 0.0012, 8.8e-5, 1.6e-4


@dataclass(frozen=True)
class Structure:
    """What the cost of a step depends on, but for the iterations of PCG."""

    size: int
    """Links and coordinates."""
    nodes: int
    """Of springs."""
    rows: int
    """Of equality constraints."""
    pairs: int
    """Entries of the lower triangle that the tree fills."""
    spring_pairs: int
    """Additions to it by springs."""
    n: int
    """Coordinates."""

    def pcg(self, sweeps: float) -> float:
        per_sweep = _PCG_SWEEP * self.size + _PCG_NODE * self.nodes
        return _PCG_CALL + _PCG_SIZE * self.size + _PCG_ROW * self.rows + sweeps * per_sweep

    def direct(self) -> float:
        assembly = _DIRECT_CALL + _DIRECT_PAIR * self.pairs + _DIRECT_SPRING * self.spring_pairs
        return assembly + _DIRECT_FLOP * self.n**3 / 3.0 + _DIRECT_SOLVE * self.n**2 * (1 + self.rows)


def structure(model: Model) -> Structure:
    t, s = model.tree, model.springs
    own = np.diff(t.dof)
    above = own.copy()  # coordinates of a link and of all links above it
    for j, p in enumerate(t.parent):
        if p >= 0:
            above[j] += above[p]
    moved = np.append(above, 0)[s.link]  # a node in the world has link -1
    used = (
        np.minimum(np.add.reduceat(moved, s.first[:-1]), model.nr) if len(s.rest) else np.zeros(0, np.int64)
    )
    rows = len(model.constraints.rows.type) + len(model.constraints.gears.offset)
    pairs = int(np.sum(own * (above - own) + own * (own + 1) // 2))
    return Structure(
        model.nl + model.nr, len(s.link), rows, pairs, int(np.sum(used * (used + 1) // 2)), model.nr
    )


class SolverChoice:
    """Picks between PCG and the direct solver from the model's structure and the iterations that PCG needed so far.

    It depends on nothing but the run itself, so that the same run gives the same result on any machine. Steps 1, 2, 4,
    8 … are PCG's in any case, so that a change in what it needs is noticed.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.sweeps = 0.0
        """Estimate of PCG's tree solves in a step."""
        self.steps = 0
        self.structure: Structure | None = None

    def __call__(self, system: ImplicitSystem) -> PCG | Direct | Reduced:
        kind = self.options.solver
        if system.model.reduction is not None:
            return Reduced(system, self.options.tolerance, kind)
        if system.muscles is not None:
            return Direct(system)
        if kind == "auto":
            kind = "pcg" if system.is_tree or self._prefers_pcg(system.model) else "direct"
        return Direct(system) if kind == "direct" else PCG(system, self.options.tolerance)

    def learn(self, solver: PCG | Direct | Reduced) -> None:
        """Take the counts of a finished step into account."""
        if isinstance(solver, PCG) and solver.iterations:
            sweeps = float(sum(solver.iterations) + len(solver.iterations))
            self.sweeps = 0.5 * (self.sweeps + sweeps) if self.sweeps else sweeps

    def _prefers_pcg(self, model: Model) -> bool:
        self.steps += 1
        if self.steps & (self.steps - 1) == 0:
            return True
        if self.structure is None:
            self.structure = structure(model)
        return self.structure.pcg(self.sweeps) < self.structure.direct()
