"""All flesh of a model, and how the tree carries its held vertices (thesis §4.6.3).

A held vertex sits at r in the joint frame of its link, at x = p + R r. It moves at R Γ(r) V with Γ(r) V = ω × r + v
for the link's twist V = (ω, v). Its mass is part of the link's inertia, so that the tree knows its weight and its
Coriolis force; what is left for it here is how it takes part in deformation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..algebra.se3 import symmetric_rows
from ..forces.floor import Floor, floor_energy
from ..forces.ties import Ties, tie_energy
from ..jit.decorators import njit
from ..model.records import Floats, Ints
from ..tree.kinematics import Kinematics
from .elements import elastic_energy
from .solving.cholesky import Elimination, elimination
from .solving.pattern import BlockPattern
from .strand import HeldStrands, strand_energy
from .tets import Tets


@dataclass(frozen=True)
class Flesh:
    """nv vertices, nh of them held: carried by links or pinned to the world.

    Anchors of soft attachments come last: held vertices without mass that belong to no tetrahedron.
    """

    names: tuple[str, ...]
    first: Ints
    """Flesh i has the vertices first[i]:first[i+1], shape (n+1,); from first[n] on there are anchors."""
    tets: Tets
    """All of them together."""
    pattern: BlockPattern
    block: Ints
    """Block of each pair of corners of each tetrahedron, shape (nt, 16)."""
    link: Ints
    """The link of each held vertex, -1 for the world, in the order of `pattern.held`, shape (nh,)."""
    r: Floats
    """Each held vertex in its link's joint frame, or in the world [m], shape (nh, 3)."""
    x0: Floats
    """Positions at the start [m], shape (nv, 3)."""
    v0: Floats
    """Velocities at the start [m/s], shape (nv, 3)."""
    floor: Floor | None = None
    """What of it stands on springy floors."""
    ties: Ties | None = None
    """Soft attachments."""
    strands: HeldStrands | None = None
    """Nodes of strands are vertices too, after those of all tetrahedra and before the anchors."""

    @property
    def nv(self) -> int:
        return self.tets.nv

    @cached_property
    def elimination(self) -> Elimination:
        """For factors."""
        return elimination(self.pattern)

    @cached_property
    def held_number(self) -> Ints:
        """Which of the held vertices each vertex is, -1 for free ones, shape (nv,)."""
        number: Ints = np.full(self.pattern.nv, -1, np.int64)
        number[self.pattern.held] = np.arange(len(self.pattern.held))
        return number

    @cached_property
    def inner_pairs(self) -> tuple[Ints, Ints, Ints]:
        """Blocks between held vertices of one link, and the two vertices of each as numbers in `held`."""
        p, number = self.pattern, self.held_number
        row = number[np.repeat(np.arange(p.nv), np.diff(p.first))]
        column = number[p.column]
        of = np.append(self.link, -1)  # what is not held has the number -1
        inner = np.flatnonzero((of[row] >= 0) & (of[row] == of[column]))
        return inner, row[inner], column[inner]

    @cached_property
    def point_jacobian(self) -> Floats:
        """Γ(r) = (-[r], 1) of each held vertex, shape (nh, 3, 6)."""
        x, y, z = self.r.T
        out: Floats = np.zeros((len(self.r), 3, 6))
        out[:, 0, 1], out[:, 0, 2], out[:, 1, 2] = z, -y, x
        out[:, 1, 0], out[:, 2, 0], out[:, 2, 1] = -z, y, -x
        out[:, (0, 1, 2), (3, 4, 5)] = 1.0
        return out


@njit
def _places(link: Ints, r: Floats, E_wj: Floats, out: Floats) -> None:
    for i in range(len(link)):
        l = link[i]
        for c in range(3):
            if l < 0:
                out[i, c] = r[i, c]
            else:
                out[i, c] = (
                    E_wj[l, 9 + c]
                    + E_wj[l, 3 * c] * r[i, 0]
                    + E_wj[l, 3 * c + 1] * r[i, 1]
                    + E_wj[l, 3 * c + 2] * r[i, 2]
                )


def held_places(flesh: Flesh, kin: Kinematics) -> Floats:
    """Where the held vertices are [m], shape (nh, 3)."""
    out: Floats = np.empty((len(flesh.link), 3))
    _places(flesh.link, flesh.r, kin.E_wj, out)
    return out


@njit
def _velocities(link: Ints, r: Floats, E_wj: Floats, V: Floats, out: Floats) -> None:
    for i in range(len(link)):
        l = link[i]
        if l < 0:
            out[i, 0], out[i, 1], out[i, 2] = 0.0, 0.0, 0.0
            continue
        a = V[l, 1] * r[i, 2] - V[l, 2] * r[i, 1] + V[l, 3]
        b = V[l, 2] * r[i, 0] - V[l, 0] * r[i, 2] + V[l, 4]
        d = V[l, 0] * r[i, 1] - V[l, 1] * r[i, 0] + V[l, 5]
        for c in range(3):
            out[i, c] = E_wj[l, 3 * c] * a + E_wj[l, 3 * c + 1] * b + E_wj[l, 3 * c + 2] * d


def held_velocities(flesh: Flesh, kin: Kinematics, V: Floats) -> Floats:
    """How the held vertices move when the links have the twists V (nl, 6) [m/s], shape (nh, 3)."""
    out: Floats = np.empty((len(flesh.link), 3))
    _velocities(flesh.link, flesh.r, kin.E_wj, V, out)
    return out


@njit
def _wrenches(link: Ints, r: Floats, E_wj: Floats, f: Floats, F: Floats) -> None:
    for i in range(len(link)):
        l = link[i]
        if l < 0:
            continue
        a = E_wj[l, 0] * f[i, 0] + E_wj[l, 3] * f[i, 1] + E_wj[l, 6] * f[i, 2]
        b = E_wj[l, 1] * f[i, 0] + E_wj[l, 4] * f[i, 1] + E_wj[l, 7] * f[i, 2]
        c = E_wj[l, 2] * f[i, 0] + E_wj[l, 5] * f[i, 1] + E_wj[l, 8] * f[i, 2]
        F[l, 0] += r[i, 1] * c - r[i, 2] * b
        F[l, 1] += r[i, 2] * a - r[i, 0] * c
        F[l, 2] += r[i, 0] * b - r[i, 1] * a
        F[l, 3] += a
        F[l, 4] += b
        F[l, 5] += c


def held_wrenches(flesh: Flesh, kin: Kinematics, f: Floats) -> Floats:
    """Wrenches on the links, in joint frames, of forces f (nh, 3) [N] on the held vertices; shape (nl, 6)."""
    out: Floats = np.zeros((len(kin.E_wj), 6))
    _wrenches(flesh.link, flesh.r, kin.E_wj, f, out)
    return out


@njit
def _masses(
    free: Ints,
    diagonal: Ints,
    mass: Floats,
    drag: Floats,
    gravity: Floats,
    h: float,
    v: Floats,
    f: Floats,
    value: Floats,
    b: Floats,
) -> None:
    for k in range(len(free)):
        i = free[k]
        n, w = diagonal[i], mass[i] + h * drag[i]
        for c in range(3):
            value[n, 4 * c] += w
            b[i, c] = mass[i] * (v[i, c] + h * gravity[c]) + h * f[i, c]


def add_masses(flesh: Flesh, gravity: Floats, h: float, v: Floats, f: Floats, value: Floats) -> Floats:
    """Add M + h D of mass and drag of the free vertices to the blocks on the diagonal, for a step of h [s].

    Returns their right-hand side M v + h (f + M g) for velocities v and forces f, zero for held ones, each (nv, 3).
    """
    p, tets = flesh.pattern, flesh.tets
    b: Floats = np.zeros((p.nv, 3))
    _masses(p.free, p.diagonal, tets.mass, tets.drag, gravity, h, v, f, value, b)
    return b


@njit
def _link_blocks(n: Ints, a: Ints, b: Ints, link: Ints, moved: Floats, value: Floats, out: Floats) -> None:
    for k in range(len(n)):
        m, i, j = n[k], a[k], b[k]
        l = link[i]
        for c in range(6):
            t0 = value[m, 0] * moved[j, 0, c] + value[m, 1] * moved[j, 1, c] + value[m, 2] * moved[j, 2, c]
            t1 = value[m, 3] * moved[j, 0, c] + value[m, 4] * moved[j, 1, c] + value[m, 5] * moved[j, 2, c]
            t2 = value[m, 6] * moved[j, 0, c] + value[m, 7] * moved[j, 1, c] + value[m, 8] * moved[j, 2, c]
            for d in range(6):
                out[l, d, c] += moved[i, 0, d] * t0 + moved[i, 1, d] * t1 + moved[i, 2, d] * t2


def link_blocks(flesh: Flesh, kin: Kinematics, value: Floats) -> Floats:
    """What the blocks `value` (nb, 9) between vertices of one link mean for its twist, rows of 21, shape (nl, 21)."""
    out: Floats = np.zeros((len(kin.E_wj), 6, 6))
    # vertices that the world holds take no part: whatever stands in their rows is not read
    moved = kin.E_wj[:, :9].reshape(-1, 3, 3)[flesh.link] @ flesh.point_jacobian
    _link_blocks(*flesh.inner_pairs, flesh.link, moved, value, out)
    return symmetric_rows(0.5 * (out + np.swapaxes(out, 1, 2)))


def flesh_energies(flesh: Flesh, gravity: Floats, x: Floats, v: Floats) -> Floats:
    """Kinetic, gravitational and elastic energy [J], the last with floors and soft attachments, shape (3,)."""
    mass = flesh.tets.mass
    kinetic = 0.5 * float(mass @ np.einsum("ij,ij->i", v, v))
    elastic = elastic_energy(flesh.tets, x)
    if flesh.floor is not None:
        elastic += floor_energy(flesh.floor, x)
    if flesh.strands is not None:
        elastic += strand_energy(flesh.strands.strands, x)
    if flesh.ties is not None:
        elastic += tie_energy(flesh.ties, x)
    return np.array([kinetic, -float(mass @ (x @ gravity)), elastic])
