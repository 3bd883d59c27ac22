"""Lines of mechanisms: bodies, joints with their limits and friction, springs, targets, colliders."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

import bpy
import numpy as np
from numpy.typing import NDArray

from ..bridge.read.colliders import colliders, shape_kind
from ..bridge.read.friction import joint_ends, joint_friction_size
from ..bridge.read.spring import spring_ends
from ..bridge.rig.bodies import bodies, is_anchored, joints, springs
from . import shapes
from .bones import AXES, BODY, LIMIT, RUBBING, TARGET
from .shapes import Colour, Lines

Floats = NDArray[np.float64]

ANCHORED: Colour = (0.6, 0.6, 0.65, 0.7)
LINK: Colour = (0.75, 0.75, 0.75, 0.5)
WAITING: Colour = (1.0, 0.3, 0.8, 0.9)
"""Between the two ends of a joint that are not together."""
SPRING: Colour = (1.0, 0.6, 0.15, 1.0)
SOLID: Colour = (0.75, 0.55, 0.95, 0.7)
LENGTHS, ANGLES = ("x", "y", "z"), ("rx", "ry", "rz")
FREE: dict[str, tuple[str, ...]] = {
    "FIXED": (),
    "POINT": ANGLES,
    "HINGE": ("rz",),
    "SLIDER": ("x",),
    "PISTON": ("x", "rx"),
    "UNIVERSAL": ("rx", "ry"),
    "PLANAR": ("x", "y"),
    "FREE_PLANAR": ("x", "y", "rz"),
    "TRANSLATIONAL": LENGTHS,
    "CURVE": (),
    "SURFACE": (),
    "GENERIC": LENGTHS + ANGLES,
    "GENERIC_SPRING": LENGTHS + ANGLES,
}
"""Directions in which joints of each kind may move."""
MANY = 4000
"""Edges of a mesh from which only its bounding box is drawn."""


def matrix_of(obj: bpy.types.Object) -> Floats:
    return np.array(obj.matrix_world, dtype=float)


def bounds(obj: bpy.types.Object) -> tuple[Floats, Floats]:
    """Lowest and highest corner of the bounding box, in the object's frame."""
    corners = np.array(obj.bound_box, dtype=float)
    return corners.min(axis=0), corners.max(axis=0)


def shape_lines(obj: bpy.types.Object, kind: str) -> Floats:
    """Outline of an object's shape (Blender's names of collision shapes) in the world."""
    matrix = matrix_of(obj)
    scale = np.linalg.norm(matrix[:3, :3], axis=0)
    low, high = bounds(obj)
    if kind in ("MESH", "CONVEX_HULL", "CONE", "COMPOUND"):
        edges = mesh_edges(obj)
        if edges is not None:
            return shapes.moved(edges, matrix)
    if kind in ("SPHERE", "CAPSULE", "CYLINDER"):  # round ones keep round, whatever the scale
        x, y, z = (high - low) * scale
        rigid = matrix.copy()
        rigid[:3, :3] = matrix[:3, :3] / np.maximum(scale, 1e-12)
        rigid[:3, 3] = matrix[:3, :3] @ (0.5 * (low + high)) + matrix[:3, 3]
        radius = 0.5 * max(x, y)
        if kind == "SPHERE":
            return shapes.moved(shapes.sphere(0.5 * max(x, y, z)), rigid)
        if kind == "CYLINDER":
            return shapes.moved(shapes.cylinder(radius, z), rigid)
        return shapes.moved(shapes.capsule(radius, max(z - 2.0 * radius, 0.0)), rigid)
    return shapes.moved(shapes.cuboid(low, high), matrix)


def mesh_edges(obj: bpy.types.Object) -> Floats | None:
    """Edges of an object's own mesh in its frame; None where there are too many to be readable."""
    mesh = obj.data
    if not isinstance(mesh, bpy.types.Mesh) or not 0 < len(mesh.edges) <= MANY:
        return None
    points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    ends = np.empty(2 * len(mesh.edges), dtype=np.int32)
    mesh.edges.foreach_get("vertices", ends)
    return points.reshape(-1, 3).astype(float)[ends.reshape(-1, 2)]


def joint_size(obj: bpy.types.Object) -> float:
    """How large a joint is drawn [Blender units]."""
    return float(obj.empty_display_size) if obj.type == "EMPTY" else 0.5


def free_directions(obj: bpy.types.Object) -> list[str]:
    """Directions in which a joint moves: x, y, z and rx, ry, rz."""
    own = obj.redmax.joint
    if own.kind != "GENERIC":
        return list(FREE.get(own.kind if own.kind != "NONE" else obj.rigid_body_constraint.type, ()))
    free = [*own.free_location, *own.free_rotation]
    return [name for name, on in zip(LENGTHS + ANGLES, free) if on]


def joint_lines(obj: bpy.types.Object) -> list[tuple[Floats, Colour]]:
    """Axes and limits of a joint in the frame of its empty, without its scale."""
    size = joint_size(obj)
    own = obj.redmax.joint
    found: list[tuple[Floats, Colour]] = []
    for name in free_directions(obj):
        k = "xyz".index(name[-1])
        axis = np.eye(3)[k]
        turns = name in ANGLES
        if turns:
            found.append((np.array([[-axis * size, axis * size]]), AXES["XYZ"[k]]))
        else:
            found.append((shapes.arrow(-axis * size, 2.0 * axis * size), AXES["XYZ"[k]]))
        what = "rotation" if turns else "location"
        if own.kind in ("NONE", "POINT") or not getattr(own, f"limit_{what}")[k]:
            continue
        low, high = getattr(own, f"{what}_min")[k], getattr(own, f"{what}_max")[k]
        if turns and low <= high:
            found.append((shapes.arc(axis, np.eye(3)[(k + 1) % 3], low, high, 0.8 * size), LIMIT))
        elif isfinite(low) and isfinite(high) and high - low < 1e3:
            across = np.eye(3)[(k + 1) % 3] * 0.2 * size
            stops = [[axis * at - across, axis * at + across] for at in (low, high)]
            found.append((shapes.joined(np.array([[axis * low, axis * high]]), np.array(stops)), LIMIT))
    return found


def joint_friction_lines(obj: bpy.types.Object) -> Floats:
    """The ball or the cylinder on which a joint rubs, in the frame of its empty, without its scale."""
    radius, height = joint_friction_size(obj)
    free = free_directions(obj)
    if sum(name in ANGLES for name in free) == 3:
        return shapes.sphere(radius)
    axes = {"xyz".index(name[-1]) for name in free}
    rims = [shapes.cylinder(radius, height) @ shapes.leading(np.eye(3)[k]).T for k in sorted(axes)]
    return shapes.joined(*rims) if rims else np.zeros((0, 2, 3))


def unscaled(obj: bpy.types.Object) -> Floats:
    """World matrix of an object with axes of length one."""
    matrix = matrix_of(obj)
    matrix[:3, :3] /= np.maximum(np.linalg.norm(matrix[:3, :3], axis=0), 1e-12)
    return matrix


def spring_lines(obj: bpy.types.Object) -> Floats:
    """A coil for a spring, straight lines for all others, between where its ends are shown."""
    points = [np.array(end.matrix_world.translation, dtype=float) for end in spring_ends(obj)]
    if len(points) < 2:
        return np.zeros((0, 2, 3))
    if obj.redmax.spring.kind != "SPRING":
        return shapes.polyline(np.array(points))
    radius = 0.04 * float(np.linalg.norm(points[-1] - points[0]))
    return shapes.joined(*(shapes.coil(a, b, radius) for a, b in zip(points, points[1:])))


def target_lines(obj: bpy.types.Object) -> Floats:
    """From the object to the target that leads it."""
    target = obj.redmax.body.target
    here, there = (np.array(o.matrix_world.translation, dtype=float) for o in (obj, target))
    size = 0.15 * float(max(np.linalg.norm(np.ptp(np.array(bounds(obj)), axis=0)), 0.1))
    return shapes.joined(np.array([[here, there]]), shapes.cross(size) + there)


def collider_lines(obj: bpy.types.Object) -> Floats:
    """Outline of what is solid."""
    if obj.redmax.collider.role == "GROUND":
        low, high = bounds(obj) if obj.type == "MESH" else (np.full(3, -0.5), np.full(3, 0.5))
        scale = np.linalg.norm(matrix_of(obj)[:3, :3], axis=0)
        return shapes.moved(shapes.grid(max(float(((high - low) * scale)[:2].max()), 1.0)), unscaled(obj))
    return shape_lines(obj, shape_kind(obj))


def add_objects(
    lines: Lines, scene: bpy.types.Scene, overlay: bpy.types.PropertyGroup, torques: Mapping[str, float]
) -> None:
    """Add what the overlay shows of the mechanisms of a scene; `torques` as in `bones.add_bones`, by joint's name."""

    def drawn(objects: list[bpy.types.Object]) -> list[bpy.types.Object]:
        return [o for o in objects if o.visible_get() and (not overlay.selected_only or o.select_get())]

    for obj in drawn(bodies(scene)):
        if overlay.bodies:
            own = obj.redmax.body
            kind = own.shape if own.role != "NONE" else obj.rigid_body.collision_shape
            lines.add(shape_lines(obj, kind), ANCHORED if is_anchored(obj) else BODY)
        if overlay.targets and obj.redmax.body.target is not None:
            lines.add(target_lines(obj), TARGET)
    for obj in drawn(joints(scene)):
        if overlay.joints:
            for segments, colour in joint_lines(obj):
                lines.add(shapes.moved(segments, unscaled(obj)), colour)
            middle = np.array(obj.matrix_world.translation, dtype=float)
            if obj.redmax.joint.other is not None and obj.redmax.joint.kind != "NONE":
                there = np.array(obj.redmax.joint.other.matrix_world.translation, dtype=float)
                lines.add(np.array([[middle, there]]), WAITING)
            for end in filter(None, joint_ends(obj)):
                lines.add(np.array([[middle, np.array(end.matrix_world.translation, dtype=float)]]), LINK)
        friction = obj.redmax.friction
        if overlay.friction and max(friction.coefficient, friction.static) > 0.0:
            colour = shapes.ramp(torques[obj.name]) if obj.name in torques else RUBBING
            lines.add(shapes.moved(joint_friction_lines(obj), unscaled(obj)), colour)
    if overlay.springs:
        for obj in drawn(springs(scene)):
            lines.add(spring_lines(obj), SPRING)
    if overlay.colliders:
        for obj in drawn(colliders(scene)):
            lines.add(collider_lines(obj), SOLID)
