"""Active bodies back to their objects: the channels that give an object the simulated motion."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ..bake.channels import read_channels
from ..motion.retarget import without_flips
from ..motion.rotations import nearest_rotation, quaternion
from ..recording.cache import Track
from ..rig.rig import is_physical
from .parts import WHOLE

Floats = NDArray[np.float64]

UNIFORM = 1e-4
"""How far what a parent gives may be from a rotation with one scale, relatively."""


@dataclass
class ObjectReading:
    """How one object was read. All matrices are in Blender units."""

    name: str
    world: Floats
    """Where it starts, shape (4, 4)."""
    inherited: Floats
    """What its parent gives it at the start: world = inherited · own transform, shape (4, 4)."""
    rotation: Floats
    """Of its own transform at the start, shape (3, 3)."""
    delta_location: Floats
    delta_rotation: Floats
    """Shape (3, 3)."""
    start: Floats
    """Its channels at the start frame, a row of `channels.read_channels`."""
    parent: str | None
    """Its parent, of any kind."""
    carrier: str | None
    """The nearest parent that is simulated as well."""
    parent_moves: Floats | None = None
    """World matrix of a parent that is animated, at each frame, shape (nf, 4, 4)."""


def read_object(
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    scene: bpy.types.Scene,
    active: list[bpy.types.Object],
) -> ObjectReading:
    """Read an active body as the depsgraph shows it."""
    shown = obj.evaluated_get(depsgraph)
    world = np.array(shown.matrix_world, dtype=float)
    inherited = _inherited(shown)
    linear = inherited[:3, :3] / np.cbrt(abs(np.linalg.det(inherited[:3, :3])))
    if not np.abs(linear.T @ linear - np.eye(3)).max() < 2.0 * UNIFORM:
        raise SceneError(
            f"Object '{obj.name}'",
            f"its parent '{obj.parent.name}' is scaled unevenly, so that turning it would shear it",
            "Apply the parent's scale (Object > Apply > Scale), or clear the parent.",
        )
    own = np.linalg.inv(inherited) @ world
    scale = np.array(shown.scale, dtype=float) * np.array(shown.delta_scale, dtype=float)
    if not (np.abs(scale) > 1e-12).all():
        raise SceneError(f"Object '{obj.name}'", "its scale is zero", "Give it a scale.")
    names = {other.name for other in active}
    above, carrier = obj.parent, None
    while above is not None and carrier is None:
        carrier = above.name if above.name in names else None
        above = above.parent
    return ObjectReading(
        name=obj.name,
        world=world,
        inherited=inherited,
        rotation=nearest_rotation(own[:3, :3] / scale),
        delta_location=np.array(shown.delta_location, dtype=float),
        delta_rotation=np.array(_delta_rotation(shown), dtype=float),
        start=read_channels([obj])[0],
        parent=None if obj.parent is None else obj.parent.name,
        carrier=carrier,
    )


def _inherited(shown: bpy.types.Object) -> Floats:
    parent = shown.parent
    if parent is None:
        return np.eye(4)
    if (
        parent.type == "ARMATURE"
        and shown.parent_type in ("BONE", "ARMATURE")
        and is_physical(parent.original)
    ):
        raise SceneError(
            f"Object '{shown.name}'",
            f"it is an active body and parented to a bone of '{parent.name}', which is simulated itself",
            "Clear its parent (Alt P), and connect it by a joint or a spring.",
        )
    if shown.parent_type == "OBJECT":
        return np.array(parent.matrix_world @ shown.matrix_parent_inverse, dtype=float)
    return np.array(shown.matrix_world, dtype=float) @ np.linalg.inv(
        np.array(shown.matrix_basis, dtype=float)
    )


def _delta_rotation(obj: bpy.types.Object) -> Matrix:
    if obj.rotation_mode == "QUATERNION":
        return obj.delta_rotation_quaternion.to_matrix()
    return obj.delta_rotation_euler.to_matrix()


def object_motion(joint_pose: Floats, unit: float) -> Floats:
    """World motion of a body since its first frame, shape (nf, 4, 4) [units].

    joint_pose: poses of its joint, rows of twelve, shape (nf, 12) [m].
    """
    poses = np.tile(np.eye(4), (len(joint_pose), 1, 1))
    poses[:, :3, :3] = joint_pose[:, :9].reshape(-1, 3, 3)
    poses[:, :3, 3] = joint_pose[:, 9:] / unit
    return np.asarray(poses @ np.linalg.inv(poses[0]))


def object_tracks(objects: list[ObjectReading], motions: dict[str, Floats]) -> dict[str, Track]:
    """A track for each object, from the world motions of all of them, shape (nf, 4, 4)."""
    return {thing.name: _track(thing, motions) for thing in objects}


def _track(thing: ObjectReading, motions: dict[str, Floats]) -> Track:
    motion = motions[thing.name]
    world = motion @ thing.world
    inherited = _inherited_over_time(thing, motions, len(motion))
    # What the object has to do in its parent's space, from where it starts there.
    own = np.linalg.inv(inherited) @ world
    change = own @ np.linalg.inv(np.linalg.inv(thing.inherited) @ thing.world)
    location = own[:, :3, 3] - thing.delta_location
    turned = thing.delta_rotation.T @ change[:, :3, :3] @ thing.rotation
    quaternions = np.array([quaternion(nearest_rotation(R)) for R in turned])
    scale = np.tile(thing.start[-3:], (len(motion), 1))
    return Track(
        bones=(WHOLE,),
        pose=world[:, None],
        location=location[:, None],
        quaternion=without_flips(quaternions)[:, None],
        scale=scale[:, None],
        start=thing.start[None],
    )


def _inherited_over_time(thing: ObjectReading, motions: dict[str, Floats], frames: int) -> Floats:
    if thing.carrier is not None:
        return motions[thing.carrier] @ thing.inherited
    if thing.parent_moves is not None:
        moves = thing.parent_moves[:frames]
        return np.asarray(moves @ np.linalg.inv(moves[0]) @ thing.inherited)
    return np.tile(thing.inherited, (frames, 1, 1))
