"""Shapes of a scene as convex pieces, and pieces as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...algebra import se3
from ...compile.poses import IDENTITY, pose_numbers
from ...errors import SceneError
from ...model.records import Floats
from ...scene.contact import Hull as HullSpec
from ...scene.contact import Plane
from ...scene.shapes import Capsule, Composite, Cuboid, Cylinder, Ellipsoid, Inertia, Mesh, Sphere
from .hulls import Hull, convex_hull
from .kinds import Solid
from .surfaces import Solids

Solid3 = Cuboid | Sphere | Cylinder | Capsule | Ellipsoid | Mesh | HullSpec | Plane | Inertia | Composite
Row = tuple[float, ...]


@dataclass(frozen=True)
class Piece:
    """One convex solid, or one triangle mesh."""

    kind: Solid
    half: tuple[float, float, float]
    """Half extents of the box around it, without its rounding [m]."""
    E: Row = IDENTITY
    """Pose of its middle in the frame of the shape."""
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rounding: float = 0.0
    """[m]"""
    hull: Hull | None = None
    triangles: Floats = field(default_factory=lambda: np.zeros((0, 9)))
    """Corners of the triangles of a mesh, in its frame [m], shape (nt, 9)."""
    guard: tuple[float, float, float, float] = (0.0, 0.0, 0.0, -1.0)
    """Middle and radius of the ball that may not pass through anything (`shapes/inner_balls.py`) [m]; -1 for none."""


def shape_pieces(shape: Solid3, place: str, *, hollow: bool = False) -> list[Piece]:
    """The pieces of a shape. A mesh is one as it is where `hollow`, and its convex hull otherwise."""
    match shape:
        case Plane():
            return [Piece(Solid.PLANE, (0.0, 0.0, 0.0))]
        case Sphere():
            return [Piece(Solid.SPHERE, (0.0, 0.0, 0.0), rounding=_positive(shape.radius, f"{place}.radius"))]
        case Capsule():
            r, h = _positive(shape.radius, f"{place}.radius"), _positive(shape.height, f"{place}.height")
            half = (0.0, 0.0, 0.5 * h)
            return [Piece(Solid.CAPSULE, half, size=half, rounding=r)]
        case Cylinder():
            r, h = _positive(shape.radius, f"{place}.radius"), _positive(shape.height, f"{place}.height")
            half = (r, r, 0.5 * h)
            return [Piece(Solid.CYLINDER, half, size=half)]
        case Cuboid():
            a, b, c = (0.5 * _positive(s, f"{place}.sides[{k}]") for k, s in enumerate(shape.sides))
            return [Piece(Solid.BOX, (a, b, c), size=(a, b, c))]
        case Ellipsoid():
            a, b, c = (_positive(s, f"{place}.radii[{k}]") for k, s in enumerate(shape.radii))
            return [Piece(Solid.ELLIPSOID, (a, b, c), size=(a, b, c))]
        case HullSpec():
            return [_hull(np.array(shape.vertices, float).reshape(-1, 3), f"{place}.vertices")]
        case Mesh():
            if hollow:
                return [_mesh(shape, place)]
            return [_hull(np.array(shape.vertices, float).reshape(-1, 3), f"{place}.vertices")]
        case Composite():
            return _composite(shape, place)
        case Inertia():
            raise SceneError(
                place, "a shape of kind 'inertia' has no geometry to touch with", "Give the surface a shape."
            )


def _composite(shape: Composite, place: str) -> list[Piece]:
    out: list[Piece] = []
    for k, part in enumerate(shape.parts):
        if isinstance(part.shape, Inertia):
            continue  # weight only
        here = f"{place}.parts[{k}]"
        E = np.array(pose_numbers(part.pose, f"{here}.pose"))
        out += [placed_at(E, piece) for piece in shape_pieces(part.shape, f"{here}.shape")]
    if not out:
        raise SceneError(
            place, "no part of the shape has geometry to touch with", "Give the surface a shape."
        )
    return out


def placed_at(E: Floats, piece: Piece) -> Piece:
    """The piece seen from a frame in which its own is at the pose E (12,)."""
    row = se3.pose_row(se3.pose_matrix(E) @ se3.pose_matrix(piece.E))
    return Piece(
        piece.kind,
        piece.half,
        tuple(row.tolist()),
        piece.size,
        piece.rounding,
        piece.hull,
        piece.triangles,
        piece.guard,
    )


def _middle(points: Floats) -> tuple[Floats, tuple[float, float, float]]:
    low, high = points.min(axis=0), points.max(axis=0)
    x, y, z = (0.5 * (high - low)).tolist()
    return 0.5 * (low + high), (x, y, z)


def _hull(points: Floats, place: str) -> Piece:
    hull = convex_hull(points, place)
    middle, half = _middle(hull.points)
    centred = Hull(hull.points - middle, hull.faces, hull.normals, hull.edges)
    return Piece(Solid.HULL, half, (*IDENTITY[:9], *middle.tolist()), hull=centred)


def _mesh(shape: Mesh, place: str) -> Piece:
    points = np.array(shape.vertices, float).reshape(-1, 3)
    corners = np.array(shape.triangles, np.int64).reshape(-1, 3)
    bad = np.argwhere((corners < 0) | (corners >= len(points)))
    if len(bad):
        t, k = (int(x) for x in bad[0])
        raise SceneError(
            f"{place}.triangles[{t}][{k}]",
            f"there is no vertex {int(corners[t, k])}; the mesh has {len(points)}, counted from 0",
            "Correct the index.",
        )
    X = points[corners]
    area = 0.5 * np.linalg.norm(np.cross(X[:, 1] - X[:, 0], X[:, 2] - X[:, 0]), axis=1)
    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    X = X[area > 1e-14 * size * size]  # a sliver without area touches with its neighbours' edges
    if len(X) == 0:
        raise SceneError(f"{place}.triangles", "the mesh has no triangles with an area", "Give it some.")
    middle, half = _middle(X.reshape(-1, 3))
    return Piece(Solid.MESH, half, (*IDENTITY[:9], *middle.tolist()), triangles=(X - middle).reshape(-1, 9))


def pack_solids(pieces: Sequence[Piece]) -> Solids:
    first, faces, face_at, edge_at = [0], [0], [0], [0]
    verts: list[Floats] = []
    normals: list[Floats] = []
    face_vertex: list[int] = []
    edge_to: list[int] = []
    for piece in pieces:
        if piece.hull is not None:
            base = first[-1]
            verts.append(piece.hull.points)
            normals.append(piece.hull.normals)
            for face in piece.hull.faces:
                face_vertex += [base + v for v in face]
                face_at.append(len(face_vertex))
            for edges in piece.hull.edges:
                edge_to += [base + v for v in edges]
                edge_at.append(len(edge_to))
            first.append(base + len(piece.hull.points))
        else:
            first.append(first[-1])
        faces.append(len(face_at) - 1)
    return Solids(
        kind=np.array([p.kind for p in pieces], np.int64),
        size=np.array([p.size for p in pieces], float).reshape(-1, 3),
        first=np.array(first, np.int64),
        verts=np.concatenate([*verts, np.zeros((0, 3))]),
        faces=np.array(faces, np.int64),
        face_at=np.array(face_at, np.int64),
        face_vertex=np.array(face_vertex, np.int64),
        face_normal=np.ascontiguousarray(np.concatenate([*normals, np.zeros((0, 3))])),
        edge_at=np.array(edge_at, np.int64),
        edge_to=np.array(edge_to, np.int64),
        guard=np.array([p.guard for p in pieces], float).reshape(-1, 4),
    )


def _positive(value: float, place: str) -> float:
    if not value > 0.0:
        raise SceneError(place, f"the length is {value} m", "Give a length above zero.")
    return value
