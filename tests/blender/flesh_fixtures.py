"""Soft meshes to test on, and all that must not change about them."""

import bmesh
import bpy
import numpy as np
from blender_fixtures import curve_table, make_armature, set_range
from numpy.typing import NDArray

from redmax_blender.bridge.flesh.make_soft import make_soft
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.simulate_scene import simulate_scene

Floats = NDArray[np.float64]


def make_rig(name: str = "Rig") -> bpy.types.Object:
    """Two bones, one above the other: the lower one stands still, the upper one swings to the side."""
    rig = make_armature(
        [("lower", None, (0, 0, -0.8), (0, 0, 0)), ("upper", "lower", (0, 0, 0), (0, 0, 0.8))], name
    )
    bpy.ops.object.mode_set(mode="OBJECT")
    make_physical(rig, bpy.context.scene, Choices(root="ANCHORED"))
    for bone in rig.pose.bones:
        bone.redmax.radius = 0.25
    bpy.context.scene.gravity = (6.0, 0.0, -7.0)
    return rig


def add_suzanne(rig: bpy.types.Object | None, name: str = "Suzanne") -> bpy.types.Object:
    """Suzanne, with an Armature modifier and weights when there is a rig; a Subdivision modifier after it."""
    bpy.ops.mesh.primitive_monkey_add()
    suzanne = bpy.context.object
    suzanne.name = suzanne.data.name = name
    if rig is not None:
        suzanne.parent = rig
        suzanne.modifiers.new("Armature", "ARMATURE").object = rig
        for bone in rig.data.bones:
            members = [v.index for v in suzanne.data.vertices if (v.co.z < 0.0) == (bone.name == "lower")]
            suzanne.vertex_groups.new(name=bone.name).add(members, 1.0, "REPLACE")
    suzanne.modifiers.new("Subdivision", "SUBSURF").levels = 1
    return suzanne


def soft_suzanne(frames: tuple[int, int] = (3, 14)) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Suzanne soft on a two-bone armature, ready to be simulated."""
    rig = make_rig()
    suzanne = add_suzanne(rig)
    soften(suzanne)
    set_range(*frames, substeps=2)
    bpy.context.scene.frame_set(frames[0])
    return suzanne, rig


def soften(*objects: bpy.types.Object, count: int = 60) -> None:
    for obj in objects:
        obj.redmax.flesh.cage_count = count
    make_soft(objects, bpy.context, "MUSCLE")


def simulate() -> list[str]:
    outcome = simulate_scene(bpy.context)
    assert not outcome.diverged
    return outcome.warnings


def shown(obj: bpy.types.Object) -> Floats:
    """Vertices that the depsgraph shows, all modifiers applied, in the world, shape (n, 3)."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    flat = np.empty(3 * len(evaluated.data.vertices), np.float32)
    evaluated.data.vertices.foreach_get("co", flat)
    matrix = np.array(evaluated.matrix_world, dtype=float)
    return flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def film(obj: bpy.types.Object, frames=None) -> Floats:
    """What is shown at each frame of the range and a little beyond, shape (nf, n, 3)."""
    scene = bpy.context.scene
    start, end = scene.redmax.frame_start, scene.redmax.frame_end
    found = []
    for frame in frames or range(start - 2, end + 3):
        scene.frame_set(int(frame), subframe=frame % 1)
        found.append(shown(obj))
    return np.stack(found)


def recorded(obj: bpy.types.Object) -> Floats:
    """Recorded vertices, shape (nf, ns, 3)."""
    return cache.mesh_of(obj, bpy.context.scene)[1]


def mesh_state(obj: bpy.types.Object) -> dict[str, object]:
    """All of a mesh object that a bake could damage, bit for bit."""
    flat = np.empty(3 * len(obj.data.vertices), np.float32)
    obj.data.vertices.foreach_get("co", flat)
    keys = obj.data.shape_keys
    state: dict[str, object] = {
        "vertices": flat.tobytes(),
        "modifiers": [
            (m.name, m.type, m.show_viewport, m.show_render, m.persistent_uid) for m in obj.modifiers
        ],
        "parent": (
            obj.parent and obj.parent.name,
            obj.parent_type,
            [list(row) for row in obj.matrix_parent_inverse],
        ),
        "groups": [group.name for group in obj.vertex_groups],
        "actions": {action.name: curve_table(action) for action in bpy.data.actions},
        "active": (obj.active_shape_key_index, obj.show_only_shape_key),
        "keys": None,
    }
    if keys is not None:
        data = keys.animation_data
        state["keys"] = (
            keys.name,
            keys.use_relative,
            keys.eval_time,
            data and (data.action and data.action.name, len(data.drivers)),
            [
                (b.name, b.value, b.mute, b.relative_key.name, b.interpolation, b.frame)
                for b in keys.key_blocks
            ],
            [_bytes(b) for b in keys.key_blocks],
        )
    return state


def _bytes(block: bpy.types.ShapeKey) -> bytes:
    flat = np.empty(3 * len(block.data), np.float32)
    block.data.foreach_get("co", flat)
    return flat.tobytes()


def select(*objects: bpy.types.Object) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = objects[-1]


def ball(name: str, at=(0.0, 0.0, 0.0), radius: float = 0.4) -> bpy.types.Object:
    """A round mesh."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8, radius=radius, location=at)
    bpy.context.object.name = name
    return bpy.context.object


def delete_vertices(obj: bpy.types.Object, wanted) -> None:
    """Delete the vertices of a mesh that a test picks."""
    mesh = bmesh.new()
    mesh.from_mesh(obj.data)
    bmesh.ops.delete(mesh, geom=[v for v in mesh.verts if wanted(v)])
    mesh.to_mesh(obj.data)
    mesh.free()
