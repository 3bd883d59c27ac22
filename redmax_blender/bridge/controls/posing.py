"""An armature whose controls are set and whose bones are read, again and again, in double precision.

Poses are in the armature's space [its units]: rotations without their scale, and in the last row, which is zero in a
matrix, how much longer than at rest the bone is (`LONGER`). A twist is (angular, linear), in the frame of the bone that
it moves; what is done to a bone has as its seventh component how much longer the bone becomes.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ..bake.channels import read_channels, write_channels
from ..mechanism.parts import rotation_channel, rotation_of
from ..motion.rotations import quaternion, rotation_near, rotation_vectors, turn

Floats = NDArray[np.float64]
LONGER = (3, 1)
"""Place in a pose of how much longer than at rest a bone is [units]."""
PARTS = 7
"""Components of what is done to a bone."""


@dataclass
class Channels:
    """Location and rotation of one control, as its own channels have them."""

    location: Floats
    """[units], shape (3,)."""
    rotation: Floats
    """Shape (3, 3)."""
    scale: Floats
    """Shape (3,)."""
    axes: Floats
    """From the axes of the bone in the rest pose to those of its location: others without Local Location."""

    def moved(self, twist: Floats) -> Channels:
        """After a twist in the control's own frame, shape (6,)."""
        angle = float(np.linalg.norm(twist[:3]))
        turned = self.rotation @ turn(twist[:3] / angle, angle) if angle > 0.0 else self.rotation
        return Channels(self.location + self.axes @ self.rotation @ twist[3:], turned, self.scale, self.axes)


class Posing:
    """Sets controls and reads bones of one armature."""

    def __init__(self, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        self.context, self.obj = context, obj
        self.names = [bone.name for bone in obj.pose.bones]
        self.column = {name: i for i, name in enumerate(self.names)}
        self.unlocked: set[str] = set()
        """Bones whose locks do not count."""
        self.lengths = np.array([bone.length for bone in obj.data.bones])
        self.flat = np.empty(16 * len(self.names), dtype=np.float32)

    def poses(self) -> Floats:
        """All bones as Blender shows them now, shape (nb, 4, 4)."""
        self.context.view_layer.update()
        shown = self.obj.evaluated_get(self.context.evaluated_depsgraph_get())
        shown.pose.bones.foreach_get("matrix", self.flat)
        return poses_of(self.flat.astype(float).reshape(-1, 4, 4).transpose(0, 2, 1), self.lengths)

    def read(self, name: str) -> Channels:
        bone = self.obj.pose.bones[name]
        rotation = np.array(rotation_of(bone).to_matrix(), dtype=float)
        local = bone.bone.use_local_location or bone.parent is None
        axes = np.eye(3) if local else np.array(bone.bone.matrix_local.to_3x3(), dtype=float)
        location, scale = (np.array(values, dtype=float) for values in (bone.location, bone.scale))
        return Channels(location, rotation, scale, axes)

    def write(self, name: str, channels: Channels, locks: bool = True) -> None:
        """Set a control; rotations stay near what is there, and locked angles stay."""
        bone = self.obj.pose.bones[name]
        bone.location = channels.location.tolist()
        channel = rotation_channel(bone)
        before = list(getattr(bone, channel))
        values = rotation_near(bone.rotation_mode, quaternion(channels.rotation).tolist(), before)
        if locks and channel == "rotation_euler" and name not in self.unlocked:
            values = [old if lock else new for old, new, lock in zip(before, values, bone.lock_rotation)]
        setattr(bone, channel, values)

    def free(self, name: str) -> list[int]:
        """Components of a twist that the control's locks leave, 0 to 2 angular, 3 to 5 linear."""
        bone = self.obj.pose.bones[name]
        turns = [i for i in range(3) if not bone.lock_rotation[i]]
        if len(turns) == 2:  # two Euler angles are no two axes of the bone
            turns = turns if bone.rotation_mode not in ("QUATERNION", "AXIS_ANGLE") else []
        moves = [] if any(bone.lock_location) or is_connected(bone) else [3, 4, 5]
        return turns + moves

    def remember(self) -> Floats:
        return read_channels(self.obj.pose.bones)

    def put_back(self, rows: Floats) -> None:
        for bone, row in zip(self.obj.pose.bones, rows):
            write_channels(bone, row)
        self.context.view_layer.update()


def is_connected(bone: bpy.types.PoseBone) -> bool:
    return bone.parent is not None and bone.bone.use_connect


def poses_of(matrices: Floats, lengths: Floats) -> Floats:
    """Poses of bones with given lengths at rest [units], shape (nb, 4, 4)."""
    poses = np.array(matrices)
    scales = np.linalg.norm(poses[:, :3, :3], axis=1)
    poses[:, :3, :3] /= np.maximum(scales, 1e-12)[:, None, :]
    poses[:, LONGER[0], LONGER[1]] = (scales[:, 1] - 1.0) * lengths
    return poses


def twists(before: Floats, after: Floats) -> Floats:
    """Twists that take poses into others, in the frames of the former, and changes of length, shape (n, 7)."""
    Rt = before[:, :3, :3].transpose(0, 2, 1)
    angular = rotation_vectors(Rt @ after[:, :3, :3])
    linear = np.einsum("nij,nj->ni", Rt, after[:, :3, 3] - before[:, :3, 3])
    longer = after[:, LONGER[0], LONGER[1]] - before[:, LONGER[0], LONGER[1]]
    return np.concatenate([angular, linear, longer[:, None]], axis=1)


def carried(control: Floats, bones: Floats) -> Floats:
    """Twists of bones that move rigidly with a control, for each twist of its own as columns, shape (n, 6, 6).

    control: its pose, shape (4, 4); bones: theirs, shape (n, 4, 4).
    """
    R, Rt = control[:3, :3], bones[:, :3, :3].transpose(0, 2, 1)
    arms = bones[:, :3, 3] - control[:3, 3]
    turned = Rt @ R
    result = np.zeros((len(bones), 6, 6))
    result[:, :3, :3] = result[:, 3:, 3:] = turned
    # v = ω × arm = -[arm]× ω, in the frame of the bone
    cross = np.zeros((len(bones), 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -arms[:, 2], arms[:, 1], -arms[:, 0]
    cross -= cross.transpose(0, 2, 1)
    result[:, 3:, :3] = -(Rt @ cross @ R)
    return result
