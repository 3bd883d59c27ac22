"""Linearly implicit Euler for flesh alone (paper, Eq. 2 without a skeleton): A v₁ = M v₀ + h f, x₁ = x₀ + h v₁.

With A = M + h D - h² K. Held vertices move at velocities that are given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..model.records import Floats, Ints
from .elements import POSITIVE, elastic_energy, linearise
from .solving.assemble import add_blocks
from .solving.pattern import BlockPattern, tet_pattern
from .solving.solve import solve_direct, solve_pcg
from .solving.sweeps import BlockMatrix
from .tets import Tets


@dataclass(frozen=True)
class Flesh:
    """A body of tetrahedra and its matrix pattern, in a field of gravity."""

    tets: Tets
    pattern: BlockPattern
    block: Ints
    """Block of each pair of corners of each tetrahedron, shape (nt, 16)."""
    gravity: Floats
    """[m/s²], shape (3,)."""


def flesh(tets: Tets, held: ArrayLike = (), gravity: ArrayLike = (0.0, 0.0, -9.81)) -> Flesh:
    """`held` are the vertices whose motion is given."""
    pattern, block = tet_pattern(tets.nv, tets.corner, np.asarray(held, np.int64))
    return Flesh(tets, pattern, block, np.asarray(gravity, np.float64))


def implicit_matrix(
    body: Flesh, x: Floats, v: Floats, h: float, tangent: int = POSITIVE
) -> tuple[BlockMatrix, Floats]:
    """M + h D - h² K at a state, and M v + h f, shape (nv, 3)."""
    tets = body.tets
    f = tets.mass[:, None] * body.gravity
    A = BlockMatrix(body.pattern, body.pattern.zeros())
    add_blocks(linearise(tets, x, h, f, tangent), body.block, A.value)
    A.add_to_diagonal(tets.mass + h * tets.drag)
    return A, tets.mass[:, None] * v + h * f


def step(
    body: Flesh,
    x: Floats,
    v: Floats,
    h: float,
    held_velocity: ArrayLike = 0.0,
    tangent: int = POSITIVE,
    solver: str = "pcg",
    tolerance: float = 1e-6,
) -> tuple[Floats, Floats]:
    """Positions and velocities (nv, 3) after h [s]. `held_velocity` is one for all held vertices, or one each."""
    A, b = implicit_matrix(body, x, v, h, tangent)
    guess = v.copy()
    guess[body.pattern.held] = np.asarray(held_velocity, np.float64)
    v = solve_direct(A, b, guess) if solver == "direct" else solve_pcg(A, b, guess, tolerance)[0]
    return x + h * v, v


def energies(body: Flesh, x: Floats, v: Floats) -> dict[str, float]:
    """Kinetic, elastic and gravitational energy [J]."""
    mass = body.tets.mass
    return {
        "kinetic": 0.5 * float(mass @ np.einsum("ij,ij->i", v, v)),
        "elastic": elastic_energy(body.tets, x),
        "gravity": -float(mass @ (x @ body.gravity)),
    }
