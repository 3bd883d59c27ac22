"""Contacts of flesh: what impulses at its vertices do, with the free vertices eliminated (`solvers/coupled.py`).

With K the matrix of the free vertices and R = -K⁻¹ A_fq how they follow the bones, an impulse λ along g moves them by
K⁻¹ gᵀ λ and the bones as a row g R would; the velocity of the row is (g R) qdot + g (alone) + g K⁻¹ gᵀ λ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...contact.contacts import Contacts
from ...fem.solving.cholesky import backwards, forwards
from ...fem.solving.solve import solve_pcg
from ...model.records import Floats, Ints
from ...solvers.coupled import Coupled, CoupledDirect, CoupledPCG

TOLERANCE = 1e-5
"""Residual of the impulses where flesh touches something, as a fraction of the largest, that is good enough.

Vertices of flesh repeat the rows of the bones inside it, so that the solver crawls when it has to be more exact; and
what is missing is less than a millimetre a second.
"""


@dataclass
class FleshRows:
    """Additions to the rows of nc contacts, three each, of which m are rows of flesh."""

    coupled: Coupled
    own: Ints
    """Which rows are of flesh, shape (m,)."""
    solved: Floats
    """L⁻¹ of them, shape (nf, 3, m), or K⁻¹ of them, shape (m, nv, 3)."""
    held: Floats
    """The rows on held vertices, shape (m, nh, 3)."""
    G: Floats
    """In reduced coordinates, shape (3 nc, nr)."""
    W: Floats
    """shape (3 nc, 3 nc)."""
    alone: Floats
    """Velocities of the rows if bones stood still [m/s], shape (3 nc,)."""

    def pushed(self, value: Floats) -> Floats:
        """What impulses add to the velocities of free vertices while the bones do not move [m/s], shape (nv, 3)."""
        value = value[self.own]
        if isinstance(self.coupled, CoupledDirect):
            return backwards(
                self.coupled.elimination, self.coupled.L, np.ascontiguousarray(self.solved @ value)
            )
        return np.asarray(np.tensordot(value, self.solved, axes=1))

    def held_impulses(self, value: Floats) -> Floats:
        """What impulses push held vertices with [N·s], shape (nh, 3)."""
        return np.asarray(np.tensordot(value[self.own], self.held, axes=1))


def vertex_rows(contacts: Contacts, soft: Ints, corner: Ints, tangent: Floats, nv: int) -> Floats:
    """Velocity of side 0 against side 1 along normal and tangents, by the vertices of flesh; shape (3 ns, nv, 3).

    soft: the ns contacts that are meant.
    """
    directions = np.concatenate([contacts.normal[soft, None], tangent[soft]], axis=1)
    out: Floats = np.zeros((len(soft), 3, nv, 3))
    for side, sign in ((0, 1.0), (1, -1.0)):
        for k in np.flatnonzero(contacts.tet[soft, side] >= 0):
            c = soft[k]
            for vertex, weight in zip(corner[contacts.tet[c, side]], contacts.weight[c, side], strict=True):
                out[k, :, vertex] += sign * weight * directions[k]
    return out.reshape(-1, nv, 3)


def flesh_rows(coupled: Coupled, contacts: Contacts, tangent: Floats) -> FleshRows | None:
    """What flesh adds to the rows of contacts; null where it touches nothing."""
    soft = np.flatnonzero(np.any(contacts.tet >= 0, axis=1))
    if not len(soft):
        return None
    whole, nr = coupled.whole, coupled.whole.model.nr
    rows = vertex_rows(contacts, soft, whole.flesh.tets.corner, tangent, whole.flesh.pattern.nv)
    own = (3 * soft[:, None] + np.arange(3)).ravel()
    some = np.array([whole.push(row) for row in rows])
    if isinstance(coupled, CoupledDirect):
        solved = np.ascontiguousarray(rows[:, coupled.elimination.order].transpose(1, 2, 0))
        forwards(coupled.elimination, coupled.L, solved)
        flat, Z = solved.reshape(-1, len(own)), coupled.Z.reshape(-1, nr + 1)
        turned = flat.T @ Z
        some -= turned[:, :nr]
        square, velocity = flat.T @ flat, turned[:, nr]
    else:
        assert isinstance(coupled, CoupledPCG)
        solved, free = _solved(coupled, rows)
        some -= np.array([whole.push(whole.A.times(row)) for row in solved])
        square = np.tensordot(free, solved, axes=([1, 2], [1, 2]))
        square = 0.5 * (square + square.T)
        velocity = np.tensordot(free, coupled.alone, axes=([1, 2], [0, 1]))
    G, W, alone = (
        np.zeros((3 * len(contacts), nr)),
        np.zeros((3 * len(contacts),) * 2),
        np.zeros(3 * len(contacts)),
    )
    G[own], W[np.ix_(own, own)], alone[own] = some, square, velocity
    return FleshRows(coupled, own, solved, rows[:, whole.flesh.pattern.held], G, W, alone)


def _solved(coupled: CoupledPCG, rows: Floats) -> tuple[Floats, Floats]:
    """K⁻¹ of rows, and the rows themselves without held vertices."""
    whole = coupled.whole
    free = rows.copy()
    free[:, whole.flesh.pattern.held] = 0.0
    still = np.zeros((whole.flesh.pattern.nv, 3))
    found = [solve_pcg(whole.A, row, still.copy(), coupled.tolerance, coupled.most)[0] for row in free]
    return np.array(found), free
