"""Colliders of a scene as Blender objects: solid for a simulation there as well, and keyed as their curves say."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from ...engine.compile.poses import pose_parts
from ...engine.model.curves import evaluate, pack
from ...engine.scene import Capsule, ColliderSpec, Cuboid, Cylinder, Hull, Plane, SceneSpec, Sphere
from .add_ground import add_ground
from .build_scene import fill_mesh, key_poses
from .primitives import surface_of

Floats = NDArray[np.float64]

SHAPES: dict[type, str] = {
    Cuboid: "BOX",
    Sphere: "SPHERE",
    Capsule: "CAPSULE",
    Cylinder: "CYLINDER",
    Hull: "CONVEX_HULL",
}


def build_colliders(
    spec: SceneSpec, scene: bpy.types.Scene, end: float, *, frame_start: int = 1, unit: float = 1.0
) -> dict[str, bpy.types.Object]:
    """Add an object a collider, in a collection of their own; those that move are keyed until `end` [s].

    unit: metres a Blender unit. Returns the objects by the names of the colliders.
    """
    if not spec.colliders:
        return {}
    collection = bpy.data.collections.new(f"{spec.name or 'RedMax'} Colliders")
    scene.collection.children.link(collection)
    rate = scene.render.fps / scene.render.fps_base
    frames = np.arange(int(np.floor((end - spec.time.start) * rate + 1e-6)) + 1, dtype=float)
    made = {}
    for k, collider in enumerate(spec.colliders):
        place = f"colliders[{k}] '{collider.name}'"
        obj = _object(collider, place, scene, collection, unit)
        obj.redmax.surface.friction = collider.friction
        obj.redmax.surface.restitution = collider.restitution
        if collider.motion:
            times = spec.time.start + frames / rate
            key_poses(obj, frame_start + frames, collider_poses(collider, place, times, unit))
        else:
            rotation, origin = pose_parts(collider.pose, f"{place}.pose")
            place_in_world = Matrix.Translation((origin / unit).tolist())
            obj.matrix_world = place_in_world @ Matrix(rotation.tolist()).to_4x4()
        made[collider.name] = obj
    return made


def _object(
    collider: ColliderSpec, place: str, scene: bpy.types.Scene, collection: bpy.types.Collection, unit: float
) -> bpy.types.Object:
    if isinstance(collider.shape, Plane):
        return add_ground(scene, collection, name=collider.name)
    mesh = bpy.data.meshes.new(collider.name)
    obj = bpy.data.objects.new(collider.name, mesh)
    collection.objects.link(obj)
    if isinstance(collider.shape, Hull):
        from scipy.spatial import ConvexHull

        hull = ConvexHull(np.array(collider.shape.vertices))
        mesh.from_pydata((hull.points / unit).tolist(), [], hull.simplices.tolist())
    else:
        surface = surface_of(collider.shape, f"{place}.shape")
        fill_mesh(mesh, surface.moved(np.eye(3) / unit, np.zeros(3)))
    obj.redmax.collider.role = "COLLIDER"
    obj.redmax.collider.shape = SHAPES.get(type(collider.shape), "MESH")
    return obj


def collider_poses(collider: ColliderSpec, place: str, times: Floats, unit: float) -> Floats:
    """Positions [Blender units] and quaternions (w, x, y, z) at times, shape (n, 7)."""
    curves = pack([(i, curve, f"{place}.motion[{i}]") for i, curve in enumerate(collider.motion)])
    values = np.array([evaluate(curves, float(t))[:, 0] for t in times])
    quaternions = Rotation.from_rotvec(values[:, 3:]).as_quat()[:, [3, 0, 1, 2]]
    return np.concatenate([values[:, :3] / unit, quaternions], axis=1)
