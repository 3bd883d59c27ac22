"""What a simulation was made from, as one number: to see when the scene is no longer the one that was simulated.

Reading the scene as `read_scene` does goes through all frames; this looks at the settings, keys and shapes themselves.
What playback and the current frame change is left out: the channels of what is simulated, or animated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import bpy
import numpy as np

from .actions import HAS_SLOTS, animated_bones, curves_in, curves_of
from .bodies import bodies, joints, simulated_objects, springs
from .channels import read_channels
from .keys import Keys
from .parts import WHOLE, name_of, parts_of
from .rig import gravity, metres_per_unit
from .soft_meshes import flesh_content, is_soft

NOT_MEANT = {
    "bake_folder", "bake_step", "bake_to", "baked", "baked_action", "baked_into", "baked_nla", "baked_slot",
    "baked_tracks", "bone_index", "cache_folder", "cage_text", "converted", "cut_joints", "decision",
    "had_animation_data", "inputs", "is_baked", "motor_angle", "motor_distance", "muted", "name",
    "original_action", "original_slot", "overlay", "paused", "paused_rigid_bodies", "result", "result_name",
    "rna_type",
}  # fmt: skip
"""Settings that say what a simulation did, or what is drawn, but not what it is made from; or of which only keys do."""
NOT_MEANT_OF_CONSTRAINTS = {
    "rna_type", "mute", "active", "show_expanded", "is_valid", "error_location", "error_rotation", "enabled",
    "is_override_data",
}  # fmt: skip


def fingerprint(scene: bpy.types.Scene) -> str:
    """The same for scenes that would give the same simulation, another one for almost all others."""
    digest = hashlib.blake2b(digest_size=12)
    for part in _scene(scene):
        digest.update(part if isinstance(part, bytes) else repr(part).encode())
    return digest.hexdigest()


def _scene(scene: bpy.types.Scene) -> Iterator[Any]:
    yield tuple(_values(scene.redmax, NOT_MEANT))
    yield gravity(scene), metres_per_unit(scene), scene.render.fps, scene.render.fps_base
    simulated = {obj.name for obj in simulated_objects(scene)}
    for obj in _involved(scene):
        yield from _object(obj, obj.name in simulated)


def _involved(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """What is simulated, and everything that it refers to or hangs on."""
    found: dict[str, bpy.types.Object] = {}
    colliders = [obj for obj in scene.objects if obj.redmax.collider.role != "NONE"]
    pending = [*simulated_objects(scene), *bodies(scene), *joints(scene), *springs(scene), *colliders]
    while pending:
        obj = pending.pop()
        if obj.name in found:
            continue
        found[obj.name] = obj
        pending += [other for other in _referred(obj) if other is not None]
    return [found[name] for name in sorted(found)]


def _referred(obj: bpy.types.Object) -> Iterator[bpy.types.Object | None]:
    yield obj.parent
    yield from _pointers(obj.redmax)
    yield from (getattr(modifier, "object", None) for modifier in obj.modifiers)
    for part in parts_of(obj):
        if part is not obj:
            yield part.redmax.control.target
        for constraint in part.constraints:
            yield getattr(constraint, "target", None)
            yield from (target.target for target in getattr(constraint, "targets", ()))


def _pointers(group: bpy.types.PropertyGroup) -> Iterator[bpy.types.Object]:
    """Objects that settings refer to."""
    for prop in group.bl_rna.properties:
        if prop.type != "POINTER" or prop.identifier in NOT_MEANT:
            continue
        value = getattr(group, prop.identifier)
        if isinstance(value, bpy.types.Object):
            yield value
        elif isinstance(value, bpy.types.PropertyGroup):
            yield from _pointers(value)


def _object(obj: bpy.types.Object, simulated: bool) -> Iterator[Any]:
    yield obj.name, obj.type, tuple(_values(obj.redmax, NOT_MEANT))
    yield from _animation(obj.animation_data, obj)
    data = obj.data
    if data is not None:
        yield from _animation(data.animation_data, None)
    keyed = animated_bones(obj) if obj.type == "ARMATURE" else set()
    still = not simulated or obj.type == "ARMATURE"
    if still and obj.animation_data is None:
        yield read_channels([obj]).tobytes()
    yield repr([tuple(row) for row in obj.matrix_parent_inverse])
    for part in parts_of(obj):
        for constraint in part.constraints:
            on = not constraint.mute or constraint.name in part.redmax.muted.splitlines()
            yield constraint.type, on, tuple(_values(constraint, NOT_MEANT_OF_CONSTRAINTS))
        if name_of(part) == WHOLE:
            continue
        bone = part.bone
        yield part.name, tuple(_values(part.redmax, NOT_MEANT)), bone.parent and bone.parent.name
        yield bone.use_inherit_rotation, bone.inherit_scale, bone.use_local_location, bone.use_connect
        yield np.array(bone.matrix_local).tobytes(), bone.length
        if part.name not in keyed:
            yield part.redmax_control, part.redmax_influence
            if not part.redmax.physical:
                yield read_channels([part]).tobytes()
    if obj.type == "MESH":
        corners = np.empty(3 * len(data.vertices), np.float32)
        data.vertices.foreach_get("co", corners)
        yield corners.tobytes()
    if is_soft(obj):
        yield from flesh_content(obj)


def _animation(data: bpy.types.AnimData | None, obj: bpy.types.Object | None) -> Iterator[Any]:
    if data is None:
        return
    if obj is not None and obj.redmax.is_baked:
        return  # what is baked was made from the simulation, not the simulation from it
    curves: Iterable[bpy.types.FCurve] = curves_of(obj) if obj is not None else ()
    yield from _curves(curves)
    for driver in data.drivers:
        yield driver.data_path, driver.array_index, driver.driver.type, driver.driver.expression
    for track in data.nla_tracks if data.use_nla else ():
        for strip in track.strips:
            yield track.mute, strip.mute, strip.frame_start, strip.frame_end, strip.scale, strip.repeat
            yield strip.blend_type, strip.influence, strip.extrapolation, strip.action_frame_start
            if strip.action is not None:
                yield from _curves(curves_in(strip.action, strip.action_slot if HAS_SLOTS else None))


def _curves(curves: Iterable[bpy.types.FCurve]) -> Iterator[Any]:
    for curve in curves:
        yield curve.data_path, curve.array_index, curve.mute, curve.extrapolation, len(curve.modifiers)
        yield from (values.tobytes() for values in Keys.read(curve).fields.values())


def _values(thing: Any, left_out: set[str]) -> Iterator[Any]:
    """Names and values of properties; those of groups among them too."""
    for prop in thing.bl_rna.properties:
        name = prop.identifier
        if name in left_out or prop.type == "COLLECTION":
            continue
        value = getattr(thing, name)
        if prop.type == "POINTER":
            if isinstance(value, bpy.types.PropertyGroup):
                yield from _values(value, left_out)
            elif isinstance(value, bpy.types.ID):
                yield name, value.name
        elif isinstance(value, (str, int, float, bool)):
            yield name, value
        elif hasattr(value, "__len__"):
            yield (
                name,
                repr([tuple(v) if hasattr(v, "__len__") and not isinstance(v, str) else v for v in value]),
            )
