"""Joint frames in the world -> poses and channels of bones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..read.scene import RigReading
from ..recording.cache import Track
from ..rig.rig import parents_first
from .sample_bones import RigSamples

Floats = NDArray[np.float64]


def bone_poses(rig: RigReading, joint_pose: Floats, first: int = 0) -> Floats:
    """Poses of the bones in the armature's space from the world poses of their joints.

    `joint_pose` has rows of twelve, shape (nf, nb, 12), the first of which is the run's frame `first`; the result has
    shape (nf, nb, 4, 4).
    """
    frames, count, _ = joint_pose.shape
    R = joint_pose[..., :9].reshape(frames, count, 3, 3)
    p = joint_pose[..., 9:]
    poses = np.zeros((frames, count, 4, 4))
    poses[..., 3, 3] = 1.0
    axes = rig.axes.transpose(0, 2, 1)
    if rig.moves is None:
        poses[..., :3, :3] = rig.rotation.T @ R @ axes @ rig.stretch
        poses[..., :3, 3] = (p - rig.origin) @ rig.rotation / rig.scale
        return poses
    moves = rig.moves
    turned = moves.rotation[first : first + frames, None].transpose(0, 1, 3, 2)
    poses[..., :3, :3] = turned @ R @ axes @ moves.stretch[first : first + frames]
    arms = p - moves.origin[first : first + frames, None]
    poses[..., :3, 3] = (turned @ arms[..., None])[..., 0] / moves.scale[first : first + frames, None, None]
    return poses


@dataclass(frozen=True)
class ChainBone:
    """One bone on the way from an armature's root to its simulated bones, as it is at the start frame."""

    name: str
    parent: str | None
    rest: Matrix
    parent_rest: Matrix | None
    pose: Matrix
    """In the armature's space."""
    basis: Matrix
    """The bone's own transform that gives it this pose."""
    constrained: bool
    """It has constraints, so that where it goes is for Blender to say, not for its parent."""
    follows: str | None = None
    """The simulated bone that a constrained one moves with, see `settle`; None when it stays where it is."""
    animated: tuple[tuple[Matrix, Matrix], ...] = ()
    """Pose and own transform at each frame of the run, where the animation moves a bone that is not simulated."""

    def channels(self, bone: bpy.types.Bone, pose: Matrix, parent: Matrix | None) -> Matrix:
        """The bone's own transform that gives it a pose."""
        return _local_to_pose(bone, pose, self.rest, parent, self.parent_rest, invert=True)

    def shown(self, bone: bpy.types.Bone, basis: Matrix, parent: Matrix | None) -> Matrix:
        """The pose that the bone's own transform gives it."""
        return _local_to_pose(bone, basis, self.rest, parent, self.parent_rest, invert=False)

    def at(self, frame: int) -> tuple[Matrix, Matrix]:
        """Pose and own transform that the animation gives the bone at a frame of the run."""
        return self.animated[frame] if self.animated else (self.pose, self.basis)

    def carried(self, bone: bpy.types.Bone, parent: Matrix | None, frame: int) -> Matrix:
        """Pose of a bone that is neither simulated nor constrained: it moves with its parent."""
        pose, basis = self.at(frame)
        if parent is None:
            return pose
        return self.shown(bone, basis, parent)


def read_chain(
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    simulated: set[str],
    samples: RigSamples | None = None,
) -> list[ChainBone]:
    """The simulated bones and all their ancestors, parents first, with what the animation does to the latter."""
    shown = obj.evaluated_get(depsgraph)
    needed = set(simulated)
    for name in simulated:
        needed.update(parent.name for parent in obj.pose.bones[name].parent_recursive)
    chain = [_read(shown.pose.bones[bone.name]) for bone in parents_first(obj) if bone.name in needed]
    if samples is None or len(samples.poses) == 1:
        return chain
    return [
        link
        if link.name in simulated
        else replace(link, animated=_animated(obj.data.bones[link.name], link, samples))
        for link in chain
    ]


def _animated(
    bone: bpy.types.Bone, link: ChainBone, samples: RigSamples
) -> tuple[tuple[Matrix, Matrix], ...]:
    poses = [Matrix(rows) for rows in samples.pose(link.name)[samples.lead :].tolist()]
    parents: list[Matrix | None] = [None] * len(poses)
    if link.parent is not None:
        parents = [Matrix(rows) for rows in samples.pose(link.parent)[samples.lead :].tolist()]
    return tuple(
        (pose, _local_to_pose(bone, pose, link.rest, parent, link.parent_rest, invert=True))
        for pose, parent in zip(poses, parents)
    )


def _read(shown: bpy.types.PoseBone) -> ChainBone:
    above = shown.parent
    rest, pose = shown.bone.matrix_local.copy(), shown.matrix.copy()
    parent_rest = None if above is None else above.bone.matrix_local.copy()
    return ChainBone(
        name=shown.name,
        parent=None if above is None else above.name,
        rest=rest,
        parent_rest=parent_rest,
        pose=pose,
        basis=_local_to_pose(
            shown.bone, pose, rest, None if above is None else above.matrix, parent_rest, invert=True
        ),
        constrained=any(not constraint.mute for constraint in shown.constraints),
    )


def _local_to_pose(
    bone: bpy.types.Bone,
    matrix: Matrix,
    rest: Matrix,
    parent: Matrix | None,
    parent_rest: Matrix | None,
    *,
    invert: bool,
) -> Matrix:
    """Blender's own conversion, with the bone's settings of what it inherits."""
    if parent is None:
        return bone.convert_local_to_pose(matrix, rest, invert=invert)
    return bone.convert_local_to_pose(
        matrix, rest, parent_matrix=parent, parent_matrix_local=parent_rest, invert=invert
    )


def make_track(
    obj: bpy.types.Object,
    rig: RigReading,
    chain: list[ChainBone],
    poses: Floats,
    animated: Floats,
    first: int = 0,
) -> Track:
    """The channels that give the simulated bones these poses, shape (nf, nb, 4, 4), from the run's frame `first` on.

    animated: the poses that these bones have at all frames of the run without the simulation; or a single one.
    """
    bones = rig.bones
    frames, count = poses.shape[:2]
    column = {name: i for i, name in enumerate(bones)}
    location = np.zeros((frames, count, 3))
    quaternion = np.zeros((frames, count, 4))
    scale = np.ones((frames, count, 3))
    data = [(link, obj.data.bones[link.name]) for link in chain]
    for f in range(frames):
        still = animated[min(first + f, len(animated) - 1)]
        matrices: dict[str | None, Matrix | None] = {None: None}
        for link, bone in data:
            parent = matrices[link.parent]
            if link.name not in column:
                matrices[link.name] = (
                    follow(link, poses[f], still, column, first + f)
                    if link.constrained
                    else link.carried(bone, parent, first + f)
                )
                continue
            i = column[link.name]
            own = link.channels(bone, Matrix(poses[f, i].tolist()), parent).decompose()
            own[1].normalize()
            location[f, i], quaternion[f, i], scale[f, i] = own
            # A stretched parent shears what turns on it, and no channel undoes that: children are placed as it shows.
            matrices[link.name] = link.shown(bone, Matrix.LocRotScale(*own), parent)
    without = animated[np.minimum(np.arange(first, first + frames), len(animated) - 1), :, :3]
    if not np.ptp(without, axis=0).any():
        without = without[:1]
    return Track(bones, poses, location, without_flips(quaternion), scale, rig.start, without)


def follow(link: ChainBone, poses: Floats, still: Floats, column: dict[str, int], frame: int) -> Matrix:
    """Pose of a constrained bone: moved rigidly with the bone it follows, from where the animation has that.

    poses and still: simulated and animated poses of the simulated bones at a frame of the run, shape (nb, 4, 4).
    """
    pose, _ = link.at(frame)
    if link.follows is None:
        return pose
    i = column[link.follows]
    return Matrix((poses[i] @ np.linalg.inv(still[i]) @ np.array(pose)).tolist())


def without_flips(quaternion: Floats) -> Floats:
    """The same rotations with each quaternion on the side of the one before it, frames along the first axis."""
    dots = np.sum(quaternion[1:] * quaternion[:-1], axis=-1)
    signs = np.cumprod(np.where(dots < 0.0, -1.0, 1.0), axis=0)
    result = quaternion.copy()
    result[1:] *= signs[..., None]
    return result
