"""The implicit system in hyper-reduced coordinates (paper, Eq. 8-10): qdot = B zdot, Bᵀ A B zdot = Bᵀ b."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from ..model.records import Floats
from ..tree.recursive import solve
from .direct import assemble
from .implicit_system import ImplicitSystem
from .pcg import times

DIRECT_BELOW = 200
"""Number of coordinates below which the small matrix is factored."""


class Reduced:
    """Solves on the coordinates z that are left. Prescribed joints stay columns of their own in B."""

    def __init__(self, system: ImplicitSystem, tolerance: float, kind: str) -> None:
        B = system.model.reduction
        assert B is not None
        self.system = system
        self.tolerance = tolerance
        self.iterations: list[int] = []
        # a column belongs to z unless its joint is prescribed
        self.B = B[:, ~np.any((B != 0.0) & ~system.free[:, None], axis=0)]
        direct = (
            kind == "direct"
            or system.muscles is not None
            or (kind == "auto" and system.model.nr < DIRECT_BELOW)
        )
        self.factor = None
        if direct:
            self.A = assemble(system)
            self.factor = scipy.linalg.cho_factor(self.B.T @ self.A @ self.B, check_finite=False)
        else:
            self.inverse = np.linalg.solve(self.B.T @ self.B, self.B.T)

    def solve(self, b: Floats, known: Floats | None = None, guess: Floats | None = None) -> Floats:
        """qdot = B zdot on the free coordinates; the others are `known`, or zero."""
        x = np.zeros(len(b)) if known is None else np.where(self.system.free, 0.0, known)
        r = b - times(self.system, x) if known is not None else b
        if self.factor is not None:
            self.iterations.append(1)
            return np.asarray(
                x + self.B @ scipy.linalg.cho_solve(self.factor, self.B.T @ r, check_finite=False)
            )
        return x + self.B @ self._pcg(self.B.T @ r)

    def _precondition(self, r: Floats) -> Floats:
        """Through the full coordinates, where the tree is factored: B⁺ P⁻¹ B⁺ᵀ r."""
        full = self.inverse.T @ r
        return np.asarray(self.inverse @ solve(self.system.model, self.system.preconditioner, full))

    def _pcg(self, b: Floats) -> Floats:
        z = np.zeros(len(b))
        r = b.copy()
        p = s = self._precondition(r)
        rs = float(r @ s)
        stop = self.tolerance**2 * rs
        for iteration in range(1, 10 * len(b) + 50):
            if rs <= stop or rs <= 0.0:
                self.iterations.append(iteration - 1)
                break
            Ap = self.B.T @ times(self.system, self.B @ p)
            alpha = rs / float(p @ Ap)
            z = z + alpha * p
            r = r - alpha * Ap
            s = self._precondition(r)
            new = float(r @ s)
            p = s + (new / rs) * p
            rs = new
        return z
