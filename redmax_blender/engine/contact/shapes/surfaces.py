"""The surfaces of a scene as constant arrays for collision detection."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...model.curves import Curves, pack
from ...model.records import Floats, Ints
from .kinds import PLANE


@dataclass(frozen=True)
class Solids:
    """What convex pieces look like, n of them, each in a frame of its own around its middle."""

    kind: Ints
    """`kinds.Solid`, shape (n,)."""
    size: Floats
    """Half lengths or radii [m], as the kind says, shape (n, 3)."""
    first: Ints
    """Piece i has the vertices first[i]:first[i+1], shape (n+1,)."""
    verts: Floats
    """[m], shape (nv, 3)."""
    faces: Ints
    """Piece i has the faces faces[i]:faces[i+1], shape (n+1,)."""
    face_at: Ints
    """Face f has the corners face_vertex[face_at[f]:face_at[f+1]], shape (nf+1,)."""
    face_vertex: Ints
    """Counter-clockwise seen from outside."""
    face_normal: Floats
    """Outwards, shape (nf, 3)."""
    edge_at: Ints
    """Vertex v shares edges with edge_to[edge_at[v]:edge_at[v+1]], shape (nv+1,)."""
    edge_to: Ints
    guard: Floats
    """Middle of the ball in each piece that may not pass through anything, and its radius or -1 [m], shape (n, 4)."""


@dataclass(frozen=True)
class Meshes:
    """Triangle meshes of colliders, with a tree of boxes over their triangles; nm meshes."""

    of_piece: Ints
    """Number of the mesh that each piece is, -1 for none, shape (np,)."""
    first: Ints
    """Mesh m has the triangles first[m]:first[m+1], shape (nm+1,)."""
    corner: Floats
    """Corners of each triangle in the frame of its piece [m], shape (nt, 9)."""
    normal: Floats
    """shape (nt, 3)."""
    beside: Floats
    """For each edge (0-1, 1-2, 2-0): the normal of the triangle on its other side, shape (nt, 9); zero for none."""
    edge: Ints
    """What each edge is (`kinds.Edge`), seen from the side that the normal is on, shape (nt, 3)."""
    closed: Ints
    """1 for meshes with an inside, shape (nm,)."""
    order: Ints
    """Triangles of each mesh along its tree, shape (nt,)."""
    node_first: Ints
    """Mesh m has the nodes node_first[m]:node_first[m+1], shape (nm+1,)."""
    nodes: Floats


@dataclass(frozen=True)
class Tubes:
    """Smooth skins of chains: n nodes, ns spans between them."""

    link: Ints
    """The link that carries each node, shape (n,)."""
    r: Floats
    """Each node in its link's joint frame [m], shape (n, 3)."""
    radius: Floats
    """[m], shape (n,)."""
    length: Floats
    """Of the bone from each node to the next [m], shape (n,)."""
    arc: Floats
    """Length of bones from the beginning of the tube to each node [m], shape (n,)."""
    ends: Ints
    """1 for the first node of a tube and 2 for its last, shape (n,)."""
    span: Ints
    """The first node of each span, shape (ns,)."""
    tube: Ints
    """The surface that each span is of, shape (ns,)."""
    friction: Floats
    """shape (ns,)."""
    restitution: Floats
    """shape (ns,)."""


@dataclass(frozen=True)
class Surfaces:
    """Everything that can touch: ns surfaces (bodies, colliders, flesh, tubes), made of np pieces."""

    names: tuple[str, ...]
    solids: Solids
    owner: Ints
    """The surface of each piece, shape (np,)."""
    link: Ints
    """The link that carries each piece, -1 for none, shape (np,)."""
    collider: Ints
    """Number of the collider that each piece is, -1 for none, shape (np,)."""
    vertex: Ints
    """The vertex of flesh that each piece is, or from nv on the middle of an edge; -1 for none, shape (np,)."""
    E: Floats
    """Pose of each piece in its link's joint frame, or in the collider's frame, shape (np, 12)."""
    half: Floats
    """Half extents of a box around each piece without its rounding, in its frame [m], shape (np, 3)."""
    rounding: Floats
    """Radius by which each piece is thicker all around [m], its margin included, shape (np,)."""
    friction: Floats
    """shape (np,)."""
    restitution: Floats
    """shape (np,)."""
    still: NDArray[np.bool_]
    """Pieces that nothing can move, shape (np,)."""
    group: Ints
    """Bits of the groups that each surface is in, shape (ns,)."""
    ignores: Ints
    """Bits of the groups that each surface does not collide with, shape (ns,)."""
    apart: Ints
    """Pairs of surfaces that never collide, as a·ns + b with a < b, in increasing order."""
    parted: Ints
    """Single pieces of flesh that do not collide with a surface, as piece·ns + surface, in increasing order."""
    bodies_collide: bool
    """Whether anything but colliders collides with bodies."""
    pose: Floats
    """Poses of colliders in the world where they do not move, shape (ncol, 12)."""
    motion: Curves
    """Six curves each for the colliders that move."""
    moving: Ints
    """The first curve of each collider, -1 for those that stay, shape (ncol,)."""
    meshes: Meshes
    tet: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """For each vertex of flesh a tetrahedron that it is a corner of, for each middle one with its edge, shape
    (nv + ne,)."""
    weight: Floats = field(default_factory=lambda: np.zeros((0, 4)))
    """Where in it they are, as barycentric weights, shape (nv + ne, 4)."""
    middle: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    """Edges of the outside of flesh whose middles touch too, by their vertices, shape (ne, 2)."""
    tubes: Tubes | None = None
    overlapping: tuple[tuple[str, str], ...] = ()
    """Bodies that overlap at the start, and therefore pass through each other."""

    def __len__(self) -> int:
        return len(self.owner)

    @cached_property
    def planes(self) -> Ints:
        """The pieces that are planes."""
        return np.flatnonzero(self.solids.kind == PLANE)

    @cached_property
    def bounded(self) -> Ints:
        """The pieces that others can come to: all but planes and flesh."""
        return np.flatnonzero((self.solids.kind != PLANE) & (self.vertex < 0))

    @cached_property
    def members(self) -> int:
        """Number of pieces that are not flesh; those of flesh come after them."""
        return int(np.count_nonzero(self.vertex < 0))

    @cached_property
    def smallest(self) -> float:
        """Radius of a ball around the smallest piece of a body [m], infinite where there is none."""
        ball = np.linalg.norm(self.half, axis=1) + self.rounding
        return float(ball[(self.link >= 0) & (ball > 0.0)].min(initial=np.inf))

    @cached_property
    def at_rest(self) -> tuple[Floats, Floats]:
        """Poses of colliders now and at the end of a step (ncol, 24) and twists (ncol, 6) where none moves."""
        return np.hstack([self.pose, self.pose]), np.zeros((len(self.pose), 6))


def no_surfaces() -> Surfaces:
    """Of a scene in which nothing can touch."""
    ints, floats = np.zeros(0, np.int64), np.zeros(0)
    one, three, poses = np.zeros(1, np.int64), np.zeros((0, 3)), np.zeros((0, 12))
    solids = Solids(ints, three, one, three, one, one, ints, three, one, ints, np.zeros((0, 4)))
    meshes = Meshes(
        ints, one, np.zeros((0, 9)), three, np.zeros((0, 9)), np.zeros((0, 3), np.int64), ints, ints, one,
        np.zeros((0, 6)),
    )  # fmt: skip
    return Surfaces(
        names=(), solids=solids, owner=ints, link=ints, collider=ints, vertex=ints, E=poses, half=three,
        rounding=floats, friction=floats, restitution=floats, still=np.zeros(0, bool), group=ints, ignores=ints,
        apart=ints, parted=ints, bodies_collide=False, pose=poses, motion=pack([]), moving=ints, meshes=meshes,
    )  # fmt: skip
