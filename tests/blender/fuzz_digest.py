"""Everything in a file that undo has to bring back, as plain values that can be compared."""

import hashlib

import bpy
import numpy as np
from blender_fixtures import curve_table

from redmax_blender.bridge.bake.actions import animated_bones, animated_paths
from redmax_blender.bridge.bake.channels import read_channels

DERIVED = {"rna_type", "bone_index"}
FIGURES = {("REDMAX_PG_muscle", name) for name in ("length", "tension", "activation")}
"""Measured in the frame that is shown; nobody sets them."""


def digest() -> dict[str, object]:
    """The state of the open file, by what it is about."""
    scene = bpy.context.scene
    found: dict[str, object] = {
        "scene": (scene.frame_current, scene.frame_subframe, scene.use_gravity, values(scene.redmax)),
        "texts": {text.name: text.as_string() for text in bpy.data.texts},
        "actions": {action.name: curve_table(action) for action in bpy.data.actions},
        "collections": {c.name: sorted(obj.name for obj in c.objects) for c in bpy.data.collections},
        "in the scene": sorted(obj.name for obj in scene.objects),
        "rigid bodies": scene.rigidbody_world and scene.rigidbody_world.enabled,
    }
    for obj in bpy.data.objects:
        found[f"object {obj.name}"] = _object(obj)
        keyed = animated_bones(obj) if obj.pose else set()
        for bone in obj.pose.bones if obj.pose else ():
            found[f"bone {obj.name}/{bone.name}"] = (
                *_bone(bone),
                bone.name not in keyed and _animatable(bone),
            )
    for mesh in bpy.data.meshes:
        found[f"mesh {mesh.name}"] = _mesh(mesh)
    for armature in bpy.data.armatures:
        found[f"armature {armature.name}"] = [
            (bone.name, bone.parent and bone.parent.name, tuple(bone.head_local), tuple(bone.tail_local))
            for bone in armature.bones
        ]
    return found


def data_blocks() -> dict[str, set[int]]:
    """Which data-blocks there are, by kind; texts are left out, which nothing refers to."""
    kinds = ("objects", "meshes", "armatures", "actions", "collections", "curves", "shape_keys", "materials")
    return {kind: {block.session_uid for block in getattr(bpy.data, kind)} for kind in kinds}


def differences(a: dict[str, object], b: dict[str, object]) -> str:
    """What differs between two digests, shortly."""
    lines = []
    for name in sorted({*a, *b}):
        if a.get(name) != b.get(name):
            lines.append(f"{name}: {_shortly(a.get(name), b.get(name))}")
    return "\n".join(lines[:12])


def _shortly(a: object, b: object) -> str:
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return "; ".join(_shortly(x, y) for x, y in zip(a, b) if x != y)
    if isinstance(a, dict) and isinstance(b, dict):
        return "; ".join(f"{k}: {_shortly(a.get(k), b.get(k))}" for k in {*a, *b} if a.get(k) != b.get(k))
    return f"{str(a)[:150]} ≠ {str(b)[:150]}"


def _object(obj: bpy.types.Object) -> tuple[object, ...]:
    data = obj.animation_data
    return (
        obj.type,
        obj.parent and obj.parent.name,
        obj.parent_type,
        not animated_paths(obj) and _channels(obj),
        [(m.name, m.type, m.show_viewport, m.show_render) for m in obj.modifiers],
        [(c.name, c.type, c.mute) for c in obj.constraints],
        [group.name for group in obj.vertex_groups],
        data and data.action and data.action.name,
        data and [[(s.name, s.frame_start, s.mute) for s in track.strips] for track in data.nla_tracks],
        data and [(d.data_path, d.array_index, d.mute, d.driver.expression) for d in data.drivers],
        obj.rigid_body and obj.rigid_body.type,
        obj.data and obj.data.name,
        values(obj.redmax),
    )


def _channels(part: bpy.types.Object | bpy.types.PoseBone) -> str:
    """Of what is not animated: undo over a change of frames shows animated channels as the animation has them."""
    return str(read_channels([part])[0].tolist())


def _bone(bone: bpy.types.PoseBone) -> tuple[object, ...]:
    return (
        bone.rotation_mode,
        [(c.name, c.type, c.mute) for c in bone.constraints],
        values(bone.redmax),
    )


def _animatable(bone: bpy.types.PoseBone) -> tuple[object, ...]:
    """Of a bone that is not animated: what frames show is the animation's."""
    return _channels(bone), bone.redmax_control, bone.redmax_influence


def _mesh(mesh: bpy.types.Mesh) -> tuple[object, ...]:
    keys = mesh.shape_keys
    return (
        _hash(mesh.vertices, "co", 3),
        len(mesh.polygons),
        keys and [(block.name, block.value, _hash(block.data, "co", 3)) for block in keys.key_blocks],
    )


def _hash(items: bpy.types.bpy_prop_collection, name: str, width: int) -> str:
    numbers = np.empty(width * len(items), np.float32)
    items.foreach_get(name, numbers)
    return hashlib.blake2b(numbers.tobytes(), digest_size=8).hexdigest()


def values(group: bpy.types.PropertyGroup) -> dict[str, object]:
    """All settings of a group and of the groups in it. As text: NaN is not equal to itself."""
    found: dict[str, object] = {}
    for prop in group.bl_rna.properties:
        if prop.identifier in DERIVED or (group.bl_rna.identifier, prop.identifier) in FIGURES:
            continue
        value = getattr(group, prop.identifier)
        if isinstance(value, bpy.types.PropertyGroup):
            found[prop.identifier] = values(value)
        elif isinstance(value, bpy.types.ID):
            found[prop.identifier] = value.name
        elif prop.type == "COLLECTION":
            found[prop.identifier] = [values(item) for item in value]
        else:
            found[prop.identifier] = repr(tuple(value) if getattr(prop, "is_array", False) else value)
    return found
