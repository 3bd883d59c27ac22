"""What animation alone does to an armature over the range: sampled once, with all that moves its bones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from .sample_motion import may_move, visit

Floats = NDArray[np.float64]

LEAD = 2
"""Frames before the first one that are sampled as well: they say how fast it is reached."""
MODES = ("FREE", "GUIDED", "KEYFRAMED")


@dataclass(frozen=True)
class RigSamples:
    """One armature at `lead` frames before the first one, and at every frame from it on; nf frames of nb bones.

    An armature that nothing moves has a single frame.
    """

    lead: int
    column: dict[str, int]
    """Where each bone is."""
    poses: Floats
    """Of the bones in the armature's space [units], shape (nf, nb, 4, 4)."""
    world: Floats
    """World matrix of the armature object [units], shape (nf, 4, 4)."""
    modes: NDArray[np.int8]
    """Who controls each bone, as numbers of MODES, shape (nf, nb)."""
    influence: Floats
    """How much each bone's point follows its target, from 0 to 1, shape (nf, nb)."""
    targets: dict[str, Floats]
    """World matrices of the targets of bones, by their names [units], shape (nf, 4, 4)."""

    def pose(self, bone: str) -> Floats:
        return self.poses[:, self.column[bone]]


def sample_rigs(context: bpy.types.Context, armatures: Iterable[bpy.types.Object]) -> dict[str, RigSamples]:
    """Go through the range once, if anything moves an armature.

    The scene must be at the first frame of the run, and is there again afterwards, with what the user set by hand.
    """
    armatures = list(armatures)
    takes = {obj.name: _Take(obj) for obj in armatures}
    moving = [obj for obj in armatures if rig_may_move(obj)]
    depsgraph = context.evaluated_depsgraph_get()
    for obj in armatures:
        takes[obj.name].add(obj, 0, depsgraph)
    if moving:
        for frame, depsgraph in visit(context, armatures, LEAD):
            for obj in moving:
                if frame:
                    takes[obj.name].add(obj, frame, depsgraph)
    return {name: take.samples() for name, take in takes.items()}


def rig_may_move(obj: bpy.types.Object) -> bool:
    """True when anything but the simulation could move the armature's bones, or change who controls them."""
    if may_move(obj) or obj.data.animation_data is not None:
        return True
    for bone in obj.pose.bones:
        if bone.redmax.physical and bone.redmax.control.target is not None:
            return True
        for constraint in bone.constraints:
            targets = [getattr(constraint, "target", None), getattr(constraint, "pole_target", None)]
            targets += [target.target for target in getattr(constraint, "targets", ())]
            if not constraint.mute and any(target not in (None, obj) for target in targets):
                return True
    return False


class _Take:
    """Samples of one armature as they are taken, by the frame's distance from the first."""

    def __init__(self, obj: bpy.types.Object) -> None:
        self.column = {bone.name: i for i, bone in enumerate(obj.pose.bones)}
        self.targets = {
            bone.redmax.control.target.name: bone.redmax.control.target
            for bone in obj.pose.bones
            if bone.redmax.physical and bone.redmax.control.target is not None
        }
        self.rows: dict[int, tuple[Floats, Floats, list[int], list[float], list[Floats]]] = {}

    def add(self, obj: bpy.types.Object, frame: int, depsgraph: bpy.types.Depsgraph) -> None:
        shown = obj.evaluated_get(depsgraph)
        # Keys reach the original bones as well; what the user has just set reaches nothing else yet.
        bones = obj.pose.bones
        self.rows[frame] = (
            np.array([bone.matrix for bone in shown.pose.bones], dtype=float),
            np.array(shown.matrix_world, dtype=float),
            [MODES.index(bone.redmax_control) for bone in bones],
            [float(bone.redmax_influence) for bone in bones],
            [np.array(t.evaluated_get(depsgraph).matrix_world, dtype=float) for t in self.targets.values()],
        )

    def samples(self) -> RigSamples:
        frames = sorted(self.rows)
        poses, world, modes, influence, targets = zip(*(self.rows[frame] for frame in frames))
        return RigSamples(
            lead=frames.index(0),
            column=self.column,
            poses=np.stack(poses),
            world=np.stack(world),
            modes=np.array(modes, dtype=np.int8),
            influence=np.array(influence, dtype=float),
            targets={name: np.stack([row[i] for row in targets]) for i, name in enumerate(self.targets)},
        )
