"""Objects that are solid -> colliders: where they are, what shape they have, and how their animation moves them."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.scene import spec
from ..flesh.soft_meshes import is_soft
from ..motion.sample_motion import carried, may_move, position_curves, rotation_curves, sample
from ..rig.bodies import active_bodies, bodies, is_anchored, is_body, joints
from ..rig.body_shape import Surface, read_surface, shape_of
from ..rig.rig import is_physical, metres_per_unit, physical_armatures
from .bone import make_pose
from .friction import joint_ends, rigid_body_surface, surface_spec
from .present import present

Floats = NDArray[np.float64]

PLACED = "collider"
"""Suffix of the collider of an object that is a body as well: names in a scene are unique."""


def is_collider(obj: bpy.types.Object) -> bool:
    """True for an object that is solid and that forces do not move. Light enough for panels."""
    return why_solid(obj) != ""


def why_solid(obj: bpy.types.Object) -> str:
    """What makes an object a collider, for panels; empty when it is none."""
    if obj.type not in ("MESH", "EMPTY") or is_soft(obj):
        return ""
    if obj.redmax.collider.role == "GROUND":
        return "Ground"
    if obj.type == "EMPTY":
        return ""
    if is_body(obj):
        if not is_anchored(obj):
            return ""
        if obj.redmax.body.role == "NONE":
            return "Passive rigid body"
        return "Anchored body" if obj.redmax.surface.collide or obj.redmax.collider.role != "NONE" else ""
    if obj.redmax.collider.role == "COLLIDER":
        return "Collider"
    return "Collision modifier" if any(m.type == "COLLISION" for m in obj.modifiers) else ""


def colliders(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's colliders, in order of name."""
    active = set(active_bodies(scene))
    ours = set(bodies(scene))
    return sorted(
        (o for o in present(scene) if is_collider(o) and o not in active and (not is_body(o) or o in ours)),
        key=lambda obj: obj.name,
    )


def read_colliders(context: bpy.types.Context, warnings: list[str]) -> list[spec.ColliderSpec]:
    """Read all colliders as the depsgraph shows them now, at the first frame of the range, and their motion over it."""
    scene = context.scene
    found = []
    for obj in colliders(scene):
        skin = simulated_deformer(obj)
        if skin is None:
            found.append(obj)
            continue
        warnings.append(
            f"Collider '{obj.name}': '{skin.name}' deforms it and is simulated, so it is left out. "
            "The bodies of the bones collide instead"
        )
    if not found:
        return []
    unit = metres_per_unit(scene)
    fps = scene.render.fps / scene.render.fps_base
    depsgraph = context.evaluated_depsgraph_get()
    placed = [_place(obj, depsgraph, unit, warnings) for obj in found]
    moving = [obj for obj in found if may_move(obj)]
    samples = sample(context, moving, [], [*physical_armatures(scene), *active_bodies(scene), *found])
    specs = []
    for obj, (shape, pose) in zip(found, placed):
        collider = _surface(obj, unit)
        collider.shape = shape
        if samples.moves(obj.name):
            way = carried(samples.matrices[obj.name], pose, unit)
            collider.motion = position_curves(way, fps) + rotation_curves(way, fps)
        else:
            collider.pose = make_pose(pose[:3, :3], pose[:3, 3])
        specs.append(collider)
    return specs


def simulated_deformer(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The physical armature that deforms an object, if there is one."""
    return next((m.object for m in obj.modifiers if m.type == "ARMATURE" and is_physical(m.object)), None)


def collider_name(obj: bpy.types.Object) -> str:
    """The collider's name in the scene of the engine."""
    return f"{obj.name} ({PLACED})" if is_body(obj) else obj.name


def jointed(scene: bpy.types.Scene) -> list[tuple[str, str]]:
    """Bodies and anchored colliders that a joint connects: their overlap at the joint is no collision."""
    pairs = []
    for joint in joints(scene):
        for one, other in (joint_ends(joint), joint_ends(joint)[::-1]):
            if one is not None and other is not None and is_collider(one) and not is_collider(other):
                pairs.append((other.name, collider_name(one)))
    return pairs


def _surface(obj: bpy.types.Object, unit: float) -> spec.ColliderSpec:
    """Name, friction and groups of a collider; its shape comes later."""
    settings = obj.redmax.surface
    if obj.redmax.collider.role == "NONE" and obj.redmax.body.role == "NONE" and obj.rigid_body is not None:
        surface = rigid_body_surface(obj, unit)
    else:
        surface = surface_spec(settings, f"Collider '{obj.name}'", unit, always=True)
    return spec.ColliderSpec(
        name=collider_name(obj),
        shape=spec.Plane(),
        friction=surface.friction,
        restitution=surface.restitution,
        groups=surface.groups,
    )


def _place(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float, warnings: list[str]
) -> tuple[spec.Plane | spec.Shape | spec.Hull, Floats]:
    """Shape of a collider and its world pose [m], shape (4, 4)."""
    if obj.redmax.collider.role == "GROUND":
        return spec.Plane(), _ground(obj, depsgraph, unit)
    surface = read_surface(obj, depsgraph, unit)
    kind = shape_kind(obj)
    if kind == "MESH":
        return _mesh(surface), surface.frame
    placed = shape_of(surface, kind, True, warnings)
    if isinstance(placed.shape, spec.Mesh):  # a convex hull or a cone
        return spec.Hull(vertices=placed.shape.vertices), placed.pose
    return placed.shape, placed.pose


def shape_kind(obj: bpy.types.Object) -> str:
    """Which shape of an object is solid, in Blender's words."""
    if obj.redmax.collider.role == "NONE" and is_body(obj):
        kind = obj.redmax.body.shape if obj.redmax.body.role != "NONE" else obj.rigid_body.collision_shape
        return "MESH" if kind == "COMPOUND" else str(kind)
    return str(obj.redmax.collider.shape)


def _ground(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float) -> Floats:
    matrix = np.array(obj.evaluated_get(depsgraph).matrix_world, dtype=float)
    linear = matrix[:3, :3]
    if not np.isfinite(matrix).all() or not abs(np.linalg.det(linear)) > 1e-12:
        raise SceneError(f"Ground '{obj.name}'", "its axes are not usable", "Clear its rotation and scale.")
    z = linear[:, 2] / np.linalg.norm(linear[:, 2])  # also of a mirrored one
    x = linear[:, 0] - z * (z @ linear[:, 0])
    x /= np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    pose[:3, 3] = matrix[:3, 3] * unit
    return pose


def _mesh(surface: Surface) -> spec.Mesh:
    if not len(surface.triangles):
        raise SceneError(
            surface.place, "it is a collider without faces", "Give it faces, or choose another shape."
        )
    return spec.Mesh(
        vertices=[(x, y, z) for x, y, z in surface.vertices.tolist()],
        triangles=[(i, j, k) for i, j, k in surface.triangles.tolist()],
    )
