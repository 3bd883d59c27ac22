"""Where constrained helper bones go while the simulated bones move: found by trying, since only Blender knows.

A helper bone with constraints may stay where it is, or move with any simulated bone, whatever its parent is: in
generated rigs the palms copy parts of the hand that they hang on through other helpers. Bones that hang on a helper
need to know, for their channels are relative to it.
"""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ..bake.channels import read_channels, write_channels
from ..mechanism.parts import show
from ..motion.retarget import ChainBone, follow, make_track
from ..read.scene import RigReading
from ..recording.playback import paused, transform_at

Floats = NDArray[np.float64]

PASSES = 4
"""Helpers may depend on simulated bones that depend on helpers; rigs have few such storeys."""


def settle(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    rig: RigReading,
    chain: list[ChainBone],
    poses: Floats,
    animated: Floats,
    start: int,
) -> list[ChainBone]:
    """The chain with its constrained helpers following what they follow on the way to the last of `poses`.

    poses and animated: of the simulated bones with and without the simulation, from the frame `start` of the scene on,
    shape (nf, nb, 4, 4); `animated` may be a single one.
    """
    if not any(link.constrained and link.name not in rig.bones for link in chain):
        return chain
    last = len(poses) - 1
    if rig.moves is None:
        return _settle(context, obj, rig, chain, poses[-1], animated[-1], last)
    scene = context.scene
    frame, subframe = scene.frame_current, scene.frame_subframe
    with paused():
        scene.frame_set(start + last)
        try:
            return _settle(context, obj, rig, chain, poses[-1], animated[min(last, len(animated) - 1)], last)
        finally:
            scene.frame_set(frame, subframe=subframe)


def _settle(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    rig: RigReading,
    chain: list[ChainBone],
    poses: Floats,
    still: Floats,
    frame: int,
) -> list[ChainBone]:
    bones = [obj.pose.bones[name] for name in rig.bones]
    before = read_channels(bones)
    for _ in range(PASSES):
        track = make_track(obj, rig, chain, poses[None], still[None], frame)
        for i, bone in enumerate(bones):
            show(bone, transform_at(track, i, 0.0))
        context.view_layer.update()
        found = [_following(link, obj, rig, poses, still, frame, context) for link in chain]
        if found == chain:
            break
        chain = found
    for bone, row in zip(bones, before):
        write_channels(bone, row)
    context.view_layer.update()
    return chain


def _following(
    link: ChainBone,
    obj: bpy.types.Object,
    rig: RigReading,
    poses: Floats,
    still: Floats,
    frame: int,
    context: bpy.types.Context,
) -> ChainBone:
    """The same bone, following the simulated bone whose motion explains best where Blender shows it now."""
    if not link.constrained or link.name in rig.bones:
        return link
    shown = np.array(obj.evaluated_get(context.evaluated_depsgraph_get()).pose.bones[link.name].matrix)
    column = {name: i for i, name in enumerate(rig.bones)}
    candidates = [replace(link, follows=name) for name in (link.follows, None, *rig.bones)]
    return min(
        candidates,
        key=lambda c: float(np.abs(np.array(follow(c, poses, still, column, frame)) - shown).max()),
    )
