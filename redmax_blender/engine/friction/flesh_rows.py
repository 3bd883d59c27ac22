"""Contacts of flesh: what impulses at its vertices do, with the free vertices eliminated (`solvers/coupled.py`).

With K the matrix of the free vertices and R = -K⁻¹ A_fq how they follow the bones, an impulse λ along g moves them by
K⁻¹ gᵀ λ and the bones as a row g R would; the velocity of the row is (g R) qdot + g (alone) + g K⁻¹ gᵀ λ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..contact.contacts import Contacts
from ..fem.cholesky import backwards, forwards
from ..fem.solve import solve_pcg
from ..model import Floats, Ints
from ..solvers.coupled import Coupled, CoupledDirect, CoupledPCG


@dataclass
class FleshRows:
    """Additions to the rows of nc contacts, three each."""

    coupled: Coupled
    rows: Floats
    """The rows at the vertices, shape (3 nc, nv, 3)."""
    solved: Floats
    """L⁻¹ of the rows, shape (nf, 3, 3 nc), or K⁻¹ of them, shape (3 nc, nv, 3)."""
    G: Floats
    """In reduced coordinates, shape (3 nc, nr)."""
    W: Floats
    """shape (3 nc, 3 nc)."""
    alone: Floats
    """Velocities of the rows if bones stood still [m/s], shape (3 nc,)."""

    def pushed(self, value: Floats) -> Floats:
        """What impulses add to the velocities of free vertices while the bones do not move [m/s], shape (nv, 3)."""
        if isinstance(self.coupled, CoupledDirect):
            return backwards(
                self.coupled.elimination, self.coupled.L, np.ascontiguousarray(self.solved @ value)
            )
        return np.asarray(np.tensordot(value, self.solved, axes=1))


def vertex_rows(contacts: Contacts, corner: Ints, tangent: Floats, nv: int) -> Floats:
    """Velocity of side 0 against side 1 along normal and tangents, by the vertices of flesh; shape (3 nc, nv, 3)."""
    directions = np.concatenate([contacts.normal[:, None], tangent], axis=1)
    out: Floats = np.zeros((len(contacts), 3, nv, 3))
    for side, sign in ((0, 1.0), (1, -1.0)):
        for c in np.flatnonzero(contacts.tet[:, side] >= 0):
            for vertex, weight in zip(corner[contacts.tet[c, side]], contacts.weight[c, side], strict=True):
                out[c, :, vertex] += sign * weight * directions[c]
    return out.reshape(-1, nv, 3)


def flesh_rows(coupled: Coupled, contacts: Contacts, tangent: Floats) -> FleshRows | None:
    """What flesh adds to the rows of contacts; null where it touches nothing."""
    if not np.any(contacts.tet >= 0):
        return None
    whole = coupled.whole
    p, nr = whole.flesh.pattern, whole.model.nr
    rows = vertex_rows(contacts, whole.flesh.tets.corner, tangent, p.nv)
    m = len(rows)
    touching = np.flatnonzero(np.any(rows != 0.0, axis=(1, 2)))
    G: Floats = np.zeros((m, nr))
    for i in touching:
        G[i] = whole.push(rows[i])
    if isinstance(coupled, CoupledDirect):
        solved = np.ascontiguousarray(rows[:, coupled.elimination.order].transpose(1, 2, 0))
        forwards(coupled.elimination, coupled.L, solved)
        flat, Z = solved.reshape(-1, m), coupled.Z.reshape(-1, nr + 1)
        G -= flat.T @ Z[:, :nr]
        return FleshRows(coupled, rows, solved, G, flat.T @ flat, flat.T @ Z[:, nr])
    assert isinstance(coupled, CoupledPCG)
    solved = np.zeros_like(rows)
    free = rows.copy()
    free[:, p.held] = 0.0
    for i in touching:
        solved[i] = solve_pcg(whole.A, free[i], np.zeros((p.nv, 3)), coupled.tolerance, coupled.most)[0]
        G[i] -= whole.push(whole.A.times(solved[i]))
    W = np.tensordot(free, solved, axes=([1, 2], [1, 2]))
    return FleshRows(
        coupled, rows, solved, G, 0.5 * (W + W.T), np.tensordot(free, coupled.alone, axes=([1, 2], [0, 1]))
    )
