"""A body-centred cubic lattice of tetrahedra: the corners and the centres of a grid of cubes.

Two cubes that share a face have their centres joined by an edge; around it stand four tetrahedra, one over each edge
of the face. All are alike, with dihedral angles of 60° and 90° only (Labelle and Shewchuk 2007).
A tetrahedron's number is ((axis · cells + lower cube) · 4 + side of the face), so that the one that contains a point
is found by comparing coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model.records import Floats, Ints


@dataclass(frozen=True)
class Lattice:
    origin: Floats
    """Low corner of the grid [m], shape (3,)."""
    cell: float
    """Side of a cube [m]."""
    shape: Ints
    """Cubes along each axis, shape (3,)."""

    @property
    def cells(self) -> int:
        return int(np.prod(self.shape))

    @property
    def count(self) -> int:
        """Numbers in use; those whose upper cube lies beyond the grid name no tetrahedron."""
        return 12 * self.cells


def lattice_around(low: Floats, high: Floats, cell: float, shift: float = 0.0) -> Lattice:
    """A grid with at least one spare cube around the box low..high, a corner at the middle of the box.

    Mirror images of the box's contents get mirror images of tetrahedra. `shift` moves the grid by that many cubes.
    """
    half = np.ceil(0.5 * (high - low) / cell).astype(np.int64) + 2
    return Lattice(0.5 * (low + high) + (shift - half) * cell, cell, 2 * half)


def _flat(lattice: Lattice, cube: Ints) -> Ints:
    flat: Ints = (cube[..., 0] * lattice.shape[1] + cube[..., 1]) * lattice.shape[2] + cube[..., 2]
    return flat


def locate(lattice: Lattice, points: Floats) -> Ints:
    """The tetrahedron that contains each of the points (n, 3), which must lie within the inner cubes, shape (n,)."""
    g = (points - lattice.origin) / lattice.cell
    cube = np.floor(g).astype(np.int64)
    d = g - cube - 0.5
    n = np.arange(len(points))
    axis = np.argmax(np.abs(d), axis=1)
    cube[n, axis] -= d[n, axis] < 0.0
    b, c = (axis + 1) % 3, (axis + 2) % 3
    along_b = np.abs(d[n, b]) >= np.abs(d[n, c])
    side = np.where(along_b, d[n, b] >= 0.0, 2 + (d[n, c] >= 0.0))
    number: Ints = (axis * lattice.cells + _flat(lattice, cube)) * 4 + side
    return number


def _unflat(lattice: Lattice, number: Ints) -> tuple[Ints, Ints, Ints]:
    """Axis, lower cube (n, 3) and side of tetrahedra."""
    side, rest = number % 4, number // 4
    axis, flat = rest // lattice.cells, rest % lattice.cells
    cube = np.stack(np.unravel_index(flat, tuple(int(s) for s in lattice.shape)), axis=1).astype(np.int64)
    return axis, cube, side


def interior_tets(lattice: Lattice) -> Ints:
    """Numbers of all tetrahedra of the lattice."""
    number = np.arange(lattice.count)
    axis, cube, _ = _unflat(lattice, number)
    exists: Ints = number[cube[np.arange(len(number)), axis] + 1 < lattice.shape[axis]]
    return exists


def corners(lattice: Lattice, number: Ints) -> Ints:
    """Lattice vertices of tetrahedra, positively turned, shape (n, 4); centres are numbered after corners."""
    axis, cube, side = _unflat(lattice, number)
    n = np.arange(len(number))
    unit = np.eye(3, dtype=np.int64)
    upper = cube + unit[axis]
    b, c = (axis + 1) % 3, (axis + 2) % 3
    across, along = np.where(side < 2, b, c), np.where(side < 2, c, b)
    first = upper.copy()
    first[n, across] += side % 2
    second = first + unit[along]
    grid = lattice.shape + 1

    def corner_number(p: Ints) -> Ints:
        flat: Ints = (p[:, 0] * grid[1] + p[:, 1]) * grid[2] + p[:, 2]
        return flat

    centre = int(np.prod(grid))
    tets: Ints = np.stack(
        [
            centre + _flat(lattice, cube),
            centre + _flat(lattice, upper),
            corner_number(first),
            corner_number(second),
        ],
        axis=1,
    )
    # (axis, across, along) is right-handed across b and left-handed across c, and one side mirrors the other
    swap = (side % 2 == 1) != (side < 2)
    tets[swap] = tets[swap][:, [0, 1, 3, 2]]
    return tets


def positions(lattice: Lattice, vertex: Ints) -> Floats:
    """Of lattice vertices [m], shape (n, 3)."""
    grid = lattice.shape + 1
    centre = int(np.prod(grid))
    is_centre = vertex >= centre
    g = np.empty((len(vertex), 3))
    g[~is_centre] = np.stack(np.unravel_index(vertex[~is_centre], tuple(int(s) for s in grid)), axis=1)
    shape = tuple(int(s) for s in lattice.shape)
    g[is_centre] = np.stack(np.unravel_index(vertex[is_centre] - centre, shape), axis=1) + 0.5
    return lattice.origin + lattice.cell * g
