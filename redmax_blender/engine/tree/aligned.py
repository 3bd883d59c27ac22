"""The tree as the forward-dynamics kernel wants it: frames turned to the joints' axes, everything in two arrays.

Turning the frame of a revolute or prismatic link so that x is the joint's axis makes its S a unit vector, and
changes nothing that can be seen in generalized coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..joints.kinds import Kind

if TYPE_CHECKING:
    from ..model.records import Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WITH_AXIS = (Kind.REVOLUTE, Kind.PRISMATIC)
LAST_PLAIN = Kind.SPHERICAL
"""The kinds beyond this one need charts or parameters other than an axis."""


@dataclass(frozen=True)
class AlignedTree:
    links: Ints
    """A row a link: parent, kind, first coordinate, number of coordinates, parameter offset, whether it is a leaf,
    and whether it is the last child of its parent; shape (nl, 7)."""
    constants: Floats
    """A row a link: the pose at q = 0 in the parent (12), and the inertia as A, m c, m (10). One more row begins with
    gravity. Shape (nl + 1, 22)."""
    turns: Floats
    """Rotation of each aligned frame in its joint frame, row by row, shape (nl, 9)."""
    plain: bool
    """Whether the kernel needs neither parameters nor charts."""


def align(tree: Tree, gravity: Floats) -> AlignedTree:
    """Pack a tree for `articulated.py`."""
    nl = len(tree.parent)
    axial = np.flatnonzero(np.isin(tree.kind, WITH_AXIS))
    Z = np.tile(np.eye(3), (nl, 1, 1))
    Z[axial] = _frames_of_axes(tree.params[tree.at[axial, None] + np.arange(3)])
    child = np.flatnonzero(tree.parent >= 0)
    Z_parent = np.tile(np.eye(3), (nl, 1, 1))
    Z_parent[child] = Z[tree.parent[child]]

    constants = np.zeros((nl + 1, 22))
    R = np.swapaxes(Z_parent, 1, 2) @ tree.E_pj0[:, :9].reshape(-1, 3, 3) @ Z
    constants[:nl, :9] = R.reshape(-1, 9)
    constants[:nl, 9:12] = np.einsum("lji,lj->li", Z_parent, tree.E_pj0[:, 9:])
    A = tree.inertia[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
    A = np.swapaxes(Z, 1, 2) @ A @ Z
    constants[:nl, 12:18] = A[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    constants[:nl, 18:21] = np.einsum("lji,lj->li", Z, tree.inertia[:, [13, 8, 9]])  # from B = [m c]
    constants[:nl, 21] = tree.inertia[:, 15]
    constants[nl, :3] = gravity

    leaf = np.ones((nl, 1), np.int64)
    leaf[tree.parent[child]] = 0
    last_child = np.full(nl, -1)
    last_child[tree.parent[child]] = child  # of repeated indices, the last one counts
    last = np.zeros((nl, 1), np.int64)
    last[last_child[last_child >= 0]] = 1
    return AlignedTree(
        links=np.hstack([tree.links, leaf, last]),
        constants=constants,
        turns=np.ascontiguousarray(Z.reshape(-1, 9)),
        plain=bool(np.all(tree.kind <= LAST_PLAIN)),
    )


def _frames_of_axes(axes: Floats) -> Floats:
    """Rotations whose x axis is each of the unit vectors, shape (n, 3, 3)."""
    other = np.eye(3)[np.argmin(np.abs(axes), axis=1)]
    y = np.cross(axes, other)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    return np.stack([axes, y, np.cross(axes, y)], axis=2)
