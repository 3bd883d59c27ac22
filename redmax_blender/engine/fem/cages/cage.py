"""From an artist's mesh to a coarse cage of tetrahedra around its volume.

The cage is every tetrahedron of a lattice that the surface passes through or that lies inside it. It encloses more than
the solid, so each tetrahedron carries the fraction of it that is solid, and weighs and resists by that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ...errors import InputError
from ...model.records import Floats, Ints
from .lattice import Lattice, corners, interior_tets, lattice_around, locate, positions
from .surface import area, checked_surface, surface_samples
from .winding import WindingTree, inside, winding_tree

MOST_CUBES = 2_000_000
"""Cubes in the grid around a mesh; beyond it a cage is a mistake in the cell size."""
_SPACING = 0.125
"""Distance of sample points on the surface, in cells."""
_SAMPLES = 32
"""Points in a tetrahedron that measure how much of it is solid."""
_THIN = 1e-3
"""A mesh whose volume is less than this fraction of area times size encloses nothing that a cage could hold."""


@dataclass(frozen=True)
class Cage:
    X: Floats
    """Vertices [m], shape (nv, 3)."""
    corner: Ints
    """Vertices of each tetrahedron, positively turned, shape (nt, 4)."""
    fill: Floats
    """Fraction of each tetrahedron that is solid, 0 to 1, shape (nt,)."""
    part: Ints
    """Which connected part each vertex belongs to, shape (nv,)."""
    cell: float
    """Size of the lattice's cubes [m]; the tetrahedra's edges are 1 and √3/2 of it."""

    @property
    def parts(self) -> int:
        """Number of parts that do not touch each other."""
        return int(self.part.max()) + 1

    @property
    def solid_volume(self) -> float:
        """[m³]"""
        return float(self.fill.sum()) * self.cell**3 / 12.0


def make_cage(
    vertices: ArrayLike,
    triangles: ArrayLike,
    cell: float | None = None,
    count: int | None = None,
    place: str = "mesh",
) -> Cage:
    """A cage around a mesh with vertices (nv, 3) [m] and triangles (nt, 3); every vertex is inside it.

    Give the size of its cells [m], or about how many vertices it should have. The mesh may be open, overlap itself,
    and have edges with any number of faces; where the surface is missing, the solid ends about where it would be.
    """
    points, faces = checked_surface(vertices, triangles, place)
    if (cell is None) == (count is None):
        raise InputError(
            place, "neither or both of cell size and vertex count are given", "Give one of them."
        )
    solid = _Solid(points, faces, place)
    if cell is not None:
        if not (np.isfinite(cell) and cell > 0.0):
            raise InputError(f"{place}.cell", f"it is {cell:g} m", "Give a positive size.")
        chosen = solid.tets(cell)
    else:
        assert count is not None
        if count < 4:
            raise InputError(
                f"{place}.count", f"{count} vertices make no tetrahedron", "Ask for about 50 or more."
            )
        chosen = _search(solid, count)
    return solid.cage(*chosen)


class _Solid:
    """A mesh and its inside, asked about at several cell sizes."""

    def __init__(self, points: Floats, faces: Ints, place: str) -> None:
        used = np.unique(faces)
        self.points, self.faces, self.place = points, faces, place
        self.low, self.high = points.min(axis=0), points.max(axis=0)
        self.size = float(np.linalg.norm(points[used].max(axis=0) - points[used].min(axis=0)))
        self.area = area(points, faces)
        if not self.area > 1e-12 * self.size**2:
            raise self.no_volume()
        self.tree: WindingTree = winding_tree(points, faces)

    def no_volume(self) -> InputError:
        return InputError(
            self.place,
            "the mesh encloses no volume",
            "Give it a thickness (in Blender: the Solidify modifier), or close it.",
        )

    def tets(self, cell: float, shift: float = 0.0) -> tuple[Lattice, Ints, int]:
        """Lattice, the numbers of its tetrahedra that belong to the cage, and how many the surface passes through.

        These come first.
        """
        lattice = lattice_around(self.low, self.high, cell, shift)
        if lattice.cells > MOST_CUBES:
            raise InputError(
                f"{self.place}.cell",
                f"cells of {cell:g} m would be {lattice.cells:,} around a mesh of {self.size:g} m",
                "Give a larger cell, or ask for fewer vertices.",
            )
        touched = np.unique(locate(lattice, surface_samples(self.points, self.faces, _SPACING * cell)))
        others = np.setdiff1d(interior_tets(lattice), touched, assume_unique=True)
        centre = _points_in(lattice, others, np.full((1, 4), 0.25)).reshape(-1, 3)
        within = np.all((centre > self.low) & (centre < self.high), axis=1)
        others, centre = others[within], centre[within]
        return lattice, np.concatenate([touched, others[inside(self.tree, centre)]]), len(touched)

    def cage(self, lattice: Lattice, number: Ints, touched: int) -> Cage:
        """The finished cage, with its fill measured."""
        fill = np.ones(len(number))
        samples = _points_in(lattice, number[:touched], _spread_in_tet(_SAMPLES))
        fill[:touched] = inside(self.tree, samples.reshape(-1, 3)).reshape(touched, -1).mean(axis=1)
        vertex, corner = np.unique(corners(lattice, number), return_inverse=True)
        corner = corner.reshape(-1, 4)
        cage = Cage(
            positions(lattice, vertex), corner, fill, connected_parts(len(vertex), corner), lattice.cell
        )
        if cage.solid_volume < _THIN * self.area * self.size and not self.has_volume():
            raise self.no_volume()
        return cage

    def has_volume(self) -> bool:
        """Whether a thin mesh is a closed one: then its volume is small, but it is there."""
        edges = np.sort(self.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        _, uses = np.unique(edges, axis=0, return_counts=True)
        if np.any(uses % 2):
            return False
        a, b, c = (self.points[self.faces[:, k]] - self.low for k in range(3))
        volume = abs(float(np.einsum("ij,ij->", a, np.cross(b, c)))) / 6.0
        return volume > 1e-3 * _THIN * self.area * self.size


def _search(solid: _Solid, count: int) -> tuple[Lattice, Ints, int]:
    """The cell size whose cage has nearly `count` vertices."""
    best: tuple[Lattice, Ints, int] | None = None
    best_miss = np.inf

    def vertices(cell: float, shift: float = 0.0) -> int:
        nonlocal best, best_miss
        chosen = solid.tets(cell, shift)
        found = len(np.unique(corners(chosen[0], chosen[1])))
        miss = abs(np.log(found / count))
        if miss < best_miss:
            best, best_miss = chosen, miss
        return found

    small, large = 0.0, np.inf
    cell = 0.25 * solid.size
    for _ in range(24):
        found = vertices(cell)
        if best_miss < 0.04:
            break
        if found > count:
            small = max(small, cell)
        else:
            large = min(large, cell)
        # The count falls with a power of the size between 2 and 3; close to the goal, halve the bracket.
        guess = cell * (found / count) ** 0.4
        within = small < guess < large
        cell = guess if within else (np.sqrt(small * large) if 0.0 < small < large < np.inf else guess)
        if small > 0.0 and large < small * 1.002:
            break
    # The count jumps where the lattice meets the surface differently; other places of the lattice fill the gaps.
    assert best is not None
    around = best[0].cell
    for factor in (1.0, 0.985, 1.015, 0.97, 1.03):
        for shift in (0.5, 0.25):
            if best_miss >= 0.05:
                vertices(around * factor, shift)
    return best


def connected_parts(nv: int, corner: Ints) -> Ints:
    """The number of the connected part of each vertex, shape (nv,)."""
    a, b = corner[:, :1].repeat(3, axis=1).reshape(-1), corner[:, 1:].reshape(-1)
    _, part = connected_components(coo_matrix((np.ones(len(a)), (a, b)), shape=(nv, nv)), directed=False)
    parts: Ints = part.astype(np.int64)
    return parts


def _points_in(lattice: Lattice, number: Ints, weights: Floats) -> Floats:
    """Points with barycentric weights (m, 4) in each of n tetrahedra, shape (n, m, 3)."""
    corner = corners(lattice, number)
    X = positions(lattice, corner.reshape(-1)).reshape(-1, 4, 3)
    points: Floats = np.einsum("mk,nkc->nmc", weights, X)
    return points


def _spread_in_tet(n: int) -> Floats:
    """Barycentric weights of n points spread evenly in a tetrahedron, shape (n, 4)."""
    # An additive recurrence with the root of x⁴ = x + 1 fills the cube evenly; sorted coordinates fold it to a simplex.
    g = 1.2207440846057596
    cube = np.sort((0.5 + np.arange(1, n + 1)[:, None] * g ** -np.arange(1.0, 4.0)) % 1.0, axis=1)
    return np.diff(np.concatenate([np.zeros((n, 1)), cube, np.ones((n, 1))], axis=1), axis=1)
