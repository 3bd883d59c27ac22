"""What a simulation was made from, as one number: to see when the scene is no longer the one that was simulated.

Reading the scene as `read_scene` does goes through all frames; this looks at the settings, keys and shapes themselves.
What playback and the current frame change is left out: the channels of what is simulated, or animated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from ..bake.channels import CHANNELS
from ..board import keys as board
from ..flesh.soft_meshes import MODIFIER, flesh_content, is_soft, shape_keys
from ..mechanism.parts import WHOLE, Part, channel_path, name_of, parts_of
from ..read.colliders import colliders
from ..read.fields import force_fields, weight_of
from ..read.thrusters import thrusters
from ..rig.bodies import bodies, joints, simulated_objects, springs
from ..rig.rig import gravity, metres_per_unit
from .fingerprint_nodes import inputs_of, node_trees, objects_in
from .fingerprint_values import (
    SHOWN_ONLY,
    animated_in,
    animation,
    curves,
    custom_values,
    driven_by,
    numbers,
    values,
)

NOT_MEANT = {
    "auto", "bake_folder", "bake_step", "bake_to", "baked", "baked_action", "baked_digest", "baked_into", "baked_nla",
    "baked_slot", "board", "board_index", "baked_tracks", "bone_index", "cache_folder", "cage_text",
    "chosen_substeps", "converted", "cut_joints", "decision",
    "diagnosis", "findings", "goals", "graphs", "had_animation_data", "inputs", "inquire", "is_baked", "is_shown",
    "made", "motor_angle",
    "motor_distance", "muted", "name", "original_action", "original_slot", "overlay", "own_pose", "paused",
    "paused_rigid_bodies", "result", "result_frames", "result_name", "rna_type", "root", "show_simulation",
    "shown_frame", "total_mass",
}  # fmt: skip
"""Settings that say what a simulation did, or what is drawn, but not what it is made from; or of which only keys do."""
OF_BONES = (
    "rotation_mode", "lock_ik_x", "lock_ik_y", "lock_ik_z", "use_ik_limit_x", "use_ik_limit_y", "use_ik_limit_z",
    "ik_min_x", "ik_max_x", "ik_min_y", "ik_max_y", "ik_min_z", "ik_max_z", "ik_stiffness_x", "ik_stiffness_y",
    "ik_stiffness_z", "ik_stretch",
)  # fmt: skip
"""Of a pose bone: how IK moves it, and which rotation counts."""


def fingerprint(scene: bpy.types.Scene) -> str:
    """The same for scenes that would give the same simulation, another one for almost all others."""
    digest = hashlib.blake2b(digest_size=12)
    for part in _scene(scene):
        digest.update(part if isinstance(part, bytes) else repr(part).encode())
    return digest.hexdigest()


def _scene(scene: bpy.types.Scene) -> Iterator[Any]:
    yield tuple(values(scene.redmax, NOT_MEANT))
    yield metres_per_unit(scene), scene.render.fps, scene.render.fps_base
    if not {"gravity", "use_gravity"} & animated_in(scene):
        yield gravity(scene)
    for index, curve in board.curves(scene).items():
        control = scene.redmax.board[index]
        yield (
            control.owner.name if control.owner else "",
            control.path,
            control.kind,
            control.first,
            control.last,
        )
        yield from curves([curve])
    simulated = {obj.name for obj in simulated_objects(scene)}
    for obj in force_fields(scene):
        yield tuple(values(obj.field, SHOWN_ONLY, animated_in(obj), "field"))
        yield obj.name, [weight_of(owner, obj) for owner in simulated_objects(scene)]
    for obj in _involved(scene):
        yield from _object(obj, obj.name in simulated)


def _involved(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """What is simulated, and everything that it refers to or hangs on."""
    found: dict[str, bpy.types.Object] = {}
    pending = [*simulated_objects(scene), *bodies(scene), *joints(scene), *springs(scene), *colliders(scene)]
    pending += [*force_fields(scene), *thrusters(scene)]
    while pending:
        obj = pending.pop()
        if obj.name_full in found:
            continue
        found[obj.name_full] = obj
        pending += [other for other in _referred(obj) if isinstance(other, bpy.types.Object)]
    return [found[name] for name in sorted(found)]


def _referred(obj: bpy.types.Object) -> Iterator[bpy.types.ID | None]:
    yield obj.parent
    yield from _pointers(obj.redmax)
    for modifier in obj.modifiers:
        yield from _pointers(modifier)
        if modifier.type == "NODES":
            yield from objects_in(modifier)
    if obj.rigid_body is not None and obj.rigid_body.collision_shape == "COMPOUND":
        yield from obj.children_recursive
    if obj.rigid_body_constraint is not None:
        yield from _pointers(obj.rigid_body_constraint)
    for owner in _data_blocks(obj):
        yield from driven_by(owner.animation_data)
    for part in (obj, *parts_of(obj)):
        if part is not obj:
            yield part.redmax.control.target
        for constraint in part.constraints:
            yield from _pointers(constraint)
            yield from (target.target for target in getattr(constraint, "targets", ()))


def _data_blocks(obj: bpy.types.Object) -> list[bpy.types.ID]:
    """An object, its data and its shape keys."""
    keys = getattr(obj.data, "shape_keys", None)
    return [owner for owner in (obj, obj.data, keys) if owner is not None]


def _pointers(thing: Any) -> Iterator[bpy.types.Object]:
    """Objects that settings refer to."""
    for prop in thing.bl_rna.properties:
        if prop.type != "POINTER" or prop.identifier in NOT_MEANT:
            continue
        value = getattr(thing, prop.identifier)
        if isinstance(value, bpy.types.Object):
            yield value
        elif isinstance(value, bpy.types.PropertyGroup):
            yield from _pointers(value)


def _object(obj: bpy.types.Object, simulated: bool) -> Iterator[Any]:
    animated = animated_in(obj)
    yield obj.name, obj.type, tuple(values(obj.redmax, NOT_MEANT, animated, "redmax"))
    if "redmax_push" not in animated:
        yield tuple(obj.redmax_push)
    if not obj.redmax.is_baked:  # what is baked was made from the simulation, not the simulation from it
        yield from animation(obj.animation_data, _drivers_that_we_muted(obj))
    for owner in _data_blocks(obj)[1:]:
        yield from animation(owner.animation_data)
    if not simulated or obj.type == "ARMATURE":
        yield from _channels(obj, animated)
    yield from _place(obj)
    yield from custom_values(obj, animated)
    yield from _modifiers(obj, animated)
    for settings in (obj.rigid_body, obj.rigid_body_constraint):
        if settings is not None:
            yield tuple(values(settings, SHOWN_ONLY - {"enabled"}, animated, _rigid(settings)))
    for part in (obj, *(part for part in parts_of(obj) if part is not obj)):
        yield from _constraints(part, animated)
        if name_of(part) != WHOLE:
            yield from _bone(part, animated)
    yield from _shape(obj)


def _place(obj: bpy.types.Object) -> Iterator[Any]:
    """Where the object is besides its channels."""
    yield repr([tuple(row) for row in obj.matrix_parent_inverse]), obj.rotation_mode
    # Flesh is a plain child of what deforms it while it is shown (`deformers`).
    yield obj.parent and obj.parent.name, {"ARMATURE": "OBJECT"}.get(obj.parent_type, obj.parent_type)
    yield obj.parent_bone, tuple(obj.parent_vertices)
    for name in ("location", "rotation_euler", "rotation_quaternion", "scale"):
        yield tuple(getattr(obj, f"delta_{name}"))


def _channels(part: Part, animated: set[str]) -> Iterator[Any]:
    """What an object or a bone is posed by that has no animation."""
    for name, _ in CHANNELS:
        if channel_path(part, name) not in animated:
            yield tuple(getattr(part, name))


def _drivers_that_we_muted(obj: bpy.types.Object) -> set[tuple[str, int]]:
    """Path and index of drivers that are off because a recording is shown (`constraints.mute`)."""
    found = set()
    for part in parts_of(obj):
        for line in part.redmax.muted.splitlines():
            if line.startswith("\t"):
                _, channel, index = line.split("\t")
                found.add((channel_path(part, channel), int(index)))
    return found


def _modifiers(obj: bpy.types.Object, animated: set[str]) -> Iterator[Any]:
    """What shapes the mesh; but not what shows a recording, or is off because one is shown."""
    soft = is_soft(obj)
    for modifier in obj.modifiers:
        if modifier.name == MODIFIER:
            continue
        left_out = SHOWN_ONLY | ({"show_viewport", "show_render"} if soft else set())
        path = f'modifiers["{bpy.utils.escape_identifier(modifier.name)}"]'
        yield modifier.type, tuple(values(modifier, left_out, animated, path))
        if modifier.type == "NODES":
            yield from inputs_of(modifier, animated, path)
            yield from node_trees(modifier.node_group)


def _rigid(settings: bpy.types.RigidBodyObject | bpy.types.RigidBodyConstraint) -> str:
    is_body = isinstance(settings, bpy.types.RigidBodyObject)
    return "rigid_body" if is_body else "rigid_body_constraint"


def _constraints(part: Part, animated: set[str]) -> Iterator[Any]:
    for constraint in part.constraints:
        path = channel_path(part, f'constraints["{bpy.utils.escape_identifier(constraint.name)}"]')
        on = not constraint.mute or constraint.name in part.redmax.muted.splitlines()
        left_out = SHOWN_ONLY | {"mute"}
        yield constraint.type, on, tuple(values(constraint, left_out, animated, path))
        for target in getattr(constraint, "targets", ()):
            yield target.target and target.target.name, target.subtarget, target.weight


def _bone(part: bpy.types.PoseBone, animated: set[str]) -> Iterator[Any]:
    bone = part.bone
    yield part.name, tuple(values(part.redmax, NOT_MEANT)), bone.parent and bone.parent.name
    yield bone.use_inherit_rotation, bone.inherit_scale, bone.use_local_location, bone.use_connect
    yield np.array(bone.matrix_local).tobytes(), bone.length
    yield tuple(getattr(part, name) for name in OF_BONES)
    for name in ("redmax_control", "redmax_influence"):
        if channel_path(part, name) not in animated:
            yield getattr(part, name)
    for name in ("redmax_torque", "redmax_push"):
        if channel_path(part, name) not in animated:
            yield tuple(getattr(part, name))
    if not part.redmax.physical:
        yield from _channels(part, animated)
    path = channel_path(part, "").rstrip(".")
    yield from custom_values(part, animated, path)


def _shape(obj: bpy.types.Object) -> Iterator[Any]:
    """Vertices and faces, keys, control points."""
    data = obj.data
    if obj.type == "ARMATURE":
        yield data.pose_position
        yield from custom_values(data, animated_in(data))
    elif obj.type == "MESH":
        yield numbers(data.vertices, "co", 3)
        yield numbers(data.loops, "vertex_index", 1, np.int32)
        yield numbers(data.polygons, "loop_start", 1, np.int32)
        yield from shape_keys(obj)
        if is_soft(obj):
            yield from flesh_content(obj)
    elif obj.type == "CURVE":
        yield tuple(values(data, SHOWN_ONLY | {"name_full"}, animated_in(data)))
        for spline in data.splines:
            yield spline.type, spline.use_cyclic_u, spline.order_u, spline.use_endpoint_u, spline.resolution_u
            yield numbers(spline.points, "co", 4)
            for name in ("co", "handle_left", "handle_right"):
                yield numbers(spline.bezier_points, name, 3)
    elif obj.type == "LATTICE":
        yield numbers(data.points, "co_deform", 3)
