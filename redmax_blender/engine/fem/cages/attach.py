"""Which vertices of a cage a body carries: those in or near a bone's capsule, or those that weights give it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_matrix, diags
from scipy.sparse.linalg import spsolve

from ...errors import InputError
from ...model.records import Floats, Ints
from .embed import Embedding

WORLD = -1
"""The body of a vertex that is pinned to the world."""
FREE = -2
"""The body of a vertex that nothing carries, where every vertex has an entry."""


@dataclass(frozen=True)
class Attachment:
    """na vertices and the body that carries each."""

    vertex: Ints
    """Increasing, shape (na,)."""
    body: Ints
    """Number of a body, or `WORLD`, shape (na,)."""

    def of_vertices(self, nv: int) -> Ints:
        """The body of every vertex, `FREE` for most, shape (nv,): the form that is edited."""
        body = np.full(nv, FREE, np.int64)
        body[self.vertex] = self.body
        return body


def attachment(body: ArrayLike) -> Attachment:
    """From the body of every vertex, shape (nv,)."""
    bodies: Ints = np.asarray(body, np.int64)
    vertex = np.flatnonzero(bodies > FREE)
    return Attachment(vertex, bodies[vertex])


def attach_to_capsules(
    X: Floats, head: ArrayLike, tail: ArrayLike, radius: ArrayLike, reach: float = 0.0
) -> Attachment:
    """Vertices X (nv, 3) inside the capsules of bones, or less than `reach` [m] outside; bone i is body i.

    Heads and tails are (nb, 3), radii (nb,) [m]. In two capsules, the one whose surface is farther away wins.
    """
    a, b = np.asarray(head, np.float64).reshape(-1, 3), np.asarray(tail, np.float64).reshape(-1, 3)
    r = np.asarray(radius, np.float64).reshape(-1)
    if not len(a) == len(b) == len(r):
        raise InputError(
            "capsules", f"there are {len(a)} heads, {len(b)} tails and {len(r)} radii", "Give one of each."
        )
    if len(r) == 0:
        return attachment(np.full(len(X), FREE))
    axis = b - a
    length2 = np.maximum(np.einsum("bc,bc->b", axis, axis), 1e-300)
    along = np.clip(np.einsum("vbc,bc->vb", X[:, None] - a, axis) / length2, 0.0, 1.0)
    nearest = a + along[:, :, None] * axis
    depth = r - np.linalg.norm(X[:, None] - nearest, axis=2)
    body = np.argmax(depth, axis=1)
    return attachment(np.where(depth[np.arange(len(X)), body] >= -reach, body, FREE))


def attach_by_weight(weight: ArrayLike, threshold: float = 0.5) -> Attachment:
    """Each vertex to the body with its largest weight, where that is at least `threshold`; weights are (nv, nb)."""
    w: Floats = np.asarray(weight, np.float64)
    if w.ndim != 2:
        raise InputError("weights", f"they have the shape {w.shape}", "Give one column for each body.")
    if w.shape[1] == 0:
        return attachment(np.full(len(w), FREE))
    body = np.argmax(w, axis=1)
    return attachment(np.where(w[np.arange(len(w)), body] >= threshold, body, FREE))


def transfer_to_cage(embedding: Embedding, corner: Ints, nv: int, value: ArrayLike) -> Floats:
    """Numbers of surface vertices (ns,) or (ns, k), a painted group, carried over to the cage, (nv,) or (nv, k).

    A cage vertex takes the mean of the surface vertices that hang on it, by how much they do; where there are none,
    as deep inside, the numbers spread harmonically along the cage's edges. A part without any surface gets zero.
    """
    values: Floats = np.asarray(value, np.float64)
    table = values.reshape(len(values), -1)
    weight = np.maximum(embedding.weight, 0.0)
    total = np.bincount(embedding.corner.reshape(-1), weights=weight.reshape(-1), minlength=nv)
    result = np.zeros((nv, table.shape[1]))
    for k in range(table.shape[1]):
        carried = (weight * table[:, k : k + 1]).reshape(-1)
        result[:, k] = np.bincount(embedding.corner.reshape(-1), weights=carried, minlength=nv)
    known = total > 1e-9
    result[known] /= total[known, None]
    if not known.all():
        result[~known] = spread(corner, nv, known, result)[~known]
    shaped: Floats = result.reshape((nv, *values.shape[1:]))
    return shaped


def spread(corner: Ints, nv: int, known: NDArray[np.bool_], value: Floats) -> Floats:
    """Values (nv, k) with harmonic ones on the vertices that are not known: means along the cage's edges."""
    pairs = np.concatenate([corner[:, [i, j]] for i in range(4) for j in range(4) if i != j])
    edges = coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(nv, nv)).tocsr()
    edges.data[:] = 1.0
    degree = np.asarray(edges.sum(axis=1)).reshape(-1)
    unknown = np.flatnonzero(~known)
    # The touch of identity keeps a part without known vertices solvable, at zero.
    matrix = diags(degree[unknown] + 1e-9) - edges[unknown][:, unknown]
    filled = value.copy()
    solved = spsolve(matrix.tocsc(), edges[unknown][:, np.flatnonzero(known)] @ value[known])
    filled[unknown] = np.asarray(solved).reshape(len(unknown), -1)
    return filled


@dataclass(frozen=True)
class LoosePart:
    """A connected part of a cage that no body carries: it will fall on its own."""

    part: int
    vertices: Ints
    centre: Floats
    """[m], shape (3,)."""

    def __str__(self) -> str:
        x, y, z = self.centre
        return (
            f"part {self.part} of the cage ({len(self.vertices)} vertices around {x:.3g}, {y:.3g}, {z:.3g} m) is "
            "attached to nothing and will move freely. Attach some of its vertices to a bone, or pin them."
        )


def loose_parts(X: Floats, part: Ints, attached: Attachment) -> list[LoosePart]:
    """The connected parts (`Cage.part`) without an attached vertex."""
    held = np.zeros(int(part.max(initial=-1)) + 1, bool)
    held[part[attached.vertex]] = True
    found = []
    for p in np.flatnonzero(~held).tolist():
        vertices = np.flatnonzero(part == p)
        found.append(LoosePart(p, vertices, X[vertices].mean(axis=0)))
    return found


def bodies_without_vertices(attached: Attachment, nb: int) -> list[int]:
    """Bodies of nb that carry no vertex: the flesh will not follow them."""
    return sorted(set(range(nb)) - set(attached.body.tolist()))
