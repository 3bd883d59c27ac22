"""A mesh object -> the shape of its body in world metres: scale, shear and mirrors are baked into the vertices."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.bodies.mesh_volume import mesh_moments
from ...engine.errors import SceneError
from ...engine.scene import spec
from ..motion.rotations import nearest_rotation

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

THIN = 1e-3
"""Least thickness of a box, as a part of its largest side: what a plane gets."""
AROUND = 48
"""Sides of a cone."""


@dataclass(frozen=True)
class Placed:
    """A shape and where it is."""

    shape: spec.Shape
    pose: Floats
    """World pose of the shape's frame [m], shape (4, 4)."""


@dataclass(frozen=True)
class Surface:
    """An object's evaluated mesh along its own axes, in metres from its origin."""

    place: str
    vertices: Floats
    """Shape (n, 3)."""
    triangles: Ints
    """Counter-clockwise seen from outside, also of a mirrored object, shape (m, 3)."""
    frame: Floats
    """World pose of the object without its scale [m], shape (4, 4)."""

    @property
    def middle(self) -> Floats:
        return 0.5 * (self.vertices.min(axis=0) + self.vertices.max(axis=0))

    @property
    def sides(self) -> Floats:
        """Of the bounding box [m], shape (3,)."""
        return np.asarray(self.vertices.max(axis=0) - self.vertices.min(axis=0))


def read_surface(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float) -> Surface:
    """The mesh that the depsgraph shows, modifiers included; `unit` metres a Blender unit."""
    place = f"Object '{obj.name}'"
    shown = obj.evaluated_get(depsgraph)
    matrix = np.array(shown.matrix_world, dtype=float)
    if not np.isfinite(matrix).all():
        raise SceneError(
            place, "its transform is not a finite number", "Clear its location, rotation and scale."
        )
    linear = matrix[:3, :3]
    mirrored = np.linalg.det(linear) < 0.0
    mesh = shown.to_mesh()
    try:
        mesh.calc_loop_triangles()
        vertices = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", vertices)
        triangles = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
    finally:
        shown.to_mesh_clear()
    frame = np.eye(4)
    frame[:3, :3] = nearest_rotation(-linear if mirrored else linear)
    frame[:3, 3] = matrix[:3, 3] * unit
    points = vertices.reshape(-1, 3).astype(float) @ (frame[:3, :3].T @ linear).T * unit
    corners = triangles.reshape(-1, 3).astype(np.int64)
    surface = Surface(place, points, corners[:, ::-1] if mirrored else corners, frame)
    if len(points) == 0 or not surface.sides.max() > 1e-9:
        raise SceneError(place, "its mesh has no size", "Give it faces, or do not make it a body.")
    return surface


def shape_of(surface: Surface, kind: str, anchored: bool, warnings: list[str]) -> Placed:
    """The shape of this kind (Blender's names of collision shapes) around a surface."""
    x, y, z = surface.sides
    radius = 0.5 * max(x, y)
    match kind:
        case "SPHERE":
            return _at_middle(surface, spec.Sphere(radius=0.5 * float(max(x, y, z))))
        case "CAPSULE" if z > 2.0 * radius * (1.0 + 1e-6) and radius > 0.0:
            return _at_middle(surface, spec.Capsule(radius=float(radius), height=float(z - 2.0 * radius)))
        case "CAPSULE":
            return _at_middle(surface, spec.Sphere(radius=float(max(radius, 0.5 * z))))
        case "CYLINDER" if radius > 0.0 and z > 0.0:
            return _at_middle(surface, spec.Cylinder(radius=float(radius), height=float(z)))
        case "CONE" if radius > 0.0 and z > 0.0:
            return _at_middle(surface, _cone(float(radius), float(z)))
        case "CONVEX_HULL":
            hull = _hull(surface)
            if hull is not None:
                return hull
        case "MESH":
            closed = _closed(surface.vertices, surface.triangles)
            if closed is not None:
                return Placed(closed, surface.frame)
    return _box(surface, kind, anchored, warnings)


def _at_middle(surface: Surface, shape: spec.Shape) -> Placed:
    pose = surface.frame.copy()
    pose[:3, 3] += pose[:3, :3] @ surface.middle
    return Placed(shape, pose)


def _box(surface: Surface, kind: str, anchored: bool, warnings: list[str]) -> Placed:
    """The bounding box; a flat one becomes a thin plate."""
    sides = np.maximum(surface.sides, THIN * surface.sides.max())
    if kind != "BOX" and not anchored:  # where mass is does not matter to what stands still
        warnings.append(
            f"{surface.place}: its mesh is open or has no volume, so its bounding box is the body's shape. "
            "Close the mesh, or choose Box as its shape"
        )
    elif (surface.sides < sides).any() and not anchored:
        warnings.append(f"{surface.place}: it is flat; a plate {sides.min():.2g} m thick is the body's shape")
    a, b, c = (float(side) for side in sides)
    return _at_middle(surface, spec.Cuboid(sides=(a, b, c)))


def _closed(vertices: Floats, triangles: Ints) -> spec.Mesh | None:
    """The mesh turned outwards; None when it is open or encloses nothing."""
    points, used = np.unique(triangles, return_inverse=True)
    corners = used.reshape(-1, 3)
    for order in (corners, corners[:, ::-1]):
        try:
            mesh_moments(vertices[points].tolist(), order.tolist(), "mesh")
        except SceneError:
            continue
        return _mesh(vertices[points], order)
    return None


def _hull(surface: Surface) -> Placed | None:
    from scipy.spatial import ConvexHull, QhullError  # takes a second to load

    try:
        hull = ConvexHull(surface.vertices)
    except (QhullError, ValueError):  # flat, or too few points
        return None
    corners = surface.vertices[hull.simplices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inwards = np.einsum("ij,ij->i", normals, hull.equations[:, :3]) < 0.0
    triangles = np.where(inwards[:, None], hull.simplices[:, ::-1], hull.simplices)
    mesh = _closed(surface.vertices, triangles)
    return None if mesh is None else Placed(mesh, surface.frame)


def _cone(radius: float, height: float) -> spec.Mesh:
    angle = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
    rim = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(AROUND, -0.5 * height)], axis=1)
    vertices = np.concatenate([rim, [[0.0, 0.0, -0.5 * height], [0.0, 0.0, 0.5 * height]]])
    here = np.arange(AROUND)
    there = np.roll(here, -1)
    base, tip = np.full(AROUND, AROUND), np.full(AROUND, AROUND + 1)
    return _mesh(
        vertices, np.concatenate([np.stack(t, axis=1) for t in ((there, here, base), (here, there, tip))])
    )


def _mesh(vertices: Floats, triangles: Ints) -> spec.Mesh:
    return spec.Mesh(
        vertices=[(x, y, z) for x, y, z in vertices.tolist()],
        triangles=[(i, j, k) for i, j, k in triangles.tolist()],
    )
