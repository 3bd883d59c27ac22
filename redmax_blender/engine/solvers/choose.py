"""Which linear solver a step uses."""

from __future__ import annotations

import numpy as np

from ..model import Options
from .direct import Direct
from .implicit_system import ImplicitSystem
from .pcg import PCG
from .reduced import Reduced

SOLVERS = ("auto", "direct", "pcg")

# Seconds, fitted to `bench bridge-rigid bridge-flexy umbrella`; only their ratios matter.
_PCG_CALL = 4e-6
_PCG_LINK = 0.12e-6
_PCG_NODE = 0.03e-6
_DIRECT_CALL = 40e-6
_DIRECT_PATH = 0.012e-6
_DIRECT_FLOP = 0.12e-9


class SolverChoice:
    """Picks between PCG and the direct solver from the model's structure and the iterations that PCG needed so far.

    It depends on nothing but the run itself, so that the same run gives the same result on any machine.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.iterations = 8.0
        """Estimate of PCG iterations a solve."""
        self.solves = 1.0
        """Estimate of solves a step."""

    def __call__(self, system: ImplicitSystem) -> PCG | Direct | Reduced:
        kind = self.options.solver
        if system.model.reduction is not None:
            return Reduced(system, self.options.tolerance, kind)
        if kind == "auto":
            kind = "pcg" if system.is_tree or self._pcg_is_cheaper(system) else "direct"
        return Direct(system) if kind == "direct" else PCG(system, self.options.tolerance)

    def learn(self, solver: PCG | Direct | Reduced) -> None:
        """Take the counts of a finished step into account."""
        if solver.iterations:
            self.solves = float(len(solver.iterations))
            if isinstance(solver, PCG):
                self.iterations = 0.5 * self.iterations + 0.5 * float(np.mean(solver.iterations))

    def _pcg_is_cheaper(self, system: ImplicitSystem) -> bool:
        m = system.model
        n, nodes = m.nr, len(m.springs.link)
        product = _PCG_CALL + _PCG_LINK * m.nl + _PCG_NODE * nodes
        pcg = self.solves * (self.iterations + 1.0) * product
        direct = (
            _DIRECT_CALL
            + _DIRECT_PATH * n * (n + nodes)
            + _DIRECT_FLOP * n**3 / 3.0
            + self.solves * 1e-9 * n * n
        )
        return pcg < direct
