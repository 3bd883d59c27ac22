"""A motion of an OpenSim model as an action of the armature that was made from the model."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.algebra.se3 import quaternion as rotation_quaternion
from ...engine.errors import InputError
from ...engine.muscles.opensim.model import read_model
from ...engine.muscles.opensim.motion import coordinates_of, read_motion
from ...engine.muscles.records import WORLD
from ...engine.muscles.skeleton import Skeleton, follow_couplers
from ..bake.actions import bone_path, ensure_bag, new_curve, own_copy, slot_of
from ..rig.rig import metres_per_unit
from .bone_frames import bone_matrices, directions
from .import_opensim import MODEL

Floats = NDArray[np.float64]


def import_motion(obj: bpy.types.Object, scene: bpy.types.Scene, path: str | Path) -> tuple[int, list[str]]:
    """Keys on every bone, one a row of the table; returns their number and the columns that were left out."""
    if MODEL not in obj:
        raise InputError(
            f"armature '{obj.name}'",
            "it is not from an OpenSim model",
            "Import the model first, and select its armature.",
        )
    model = read_model(str(obj[MODEL]))
    missing = [body.name for body in model.skeleton.bodies if body.name not in obj.pose.bones]
    if missing:
        raise InputError(f"armature '{obj.name}'", f"it has no bone '{missing[0]}'", "Import the model anew.")
    table = read_motion(path)
    q, unused = coordinates_of(table, model.skeleton)
    basis = bone_channels(model.skeleton, q, 1.0 / metres_per_unit(scene))
    fps = scene.render.fps / scene.render.fps_base
    frames = scene.frame_start + table.times * fps
    action = own_copy(obj, Path(path).stem)
    bag = ensure_bag(action, slot_of(obj))
    location, quaternion = basis
    for b, body in enumerate(model.skeleton.bodies):
        for channel, values in (("location", location[:, b]), ("rotation_quaternion", quaternion[:, b])):
            for k in range(values.shape[1]):
                curve = new_curve(bag, bone_path(body.name, channel), k, body.name)
                curve.keyframe_points.add(len(frames))
                co = np.stack([frames, values[:, k]], axis=1).astype(np.float32)
                curve.keyframe_points.foreach_set("co", co.ravel())
                for point in curve.keyframe_points:
                    point.interpolation = "LINEAR"
                curve.update()
        obj.pose.bones[body.name].rotation_mode = "QUATERNION"
    scene.frame_end = max(scene.frame_end, int(np.ceil(frames[-1])))
    return len(frames), unused


def bone_channels(skeleton: Skeleton, q: Floats, scale: float) -> tuple[Floats, Floats]:
    """Location and quaternion of each bone against its rest, (rows, nb, 3) and (rows, nb, 4)."""
    axes, _ = directions(skeleton)
    rest = bone_matrices(skeleton, follow_couplers(skeleton, skeleton.default()), axes, scale)
    parent = np.full(len(skeleton.bodies), WORLD)
    for joint in skeleton.joints:
        parent[joint.child] = joint.parent
    location, quaternion = np.zeros((len(q), len(parent), 3)), np.zeros((len(q), len(parent), 4))
    for row, coordinates in enumerate(q):
        now = bone_matrices(skeleton, follow_couplers(skeleton, coordinates), axes, scale)
        for b, p in enumerate(parent):
            local_rest = rest[b] if p == WORLD else np.linalg.inv(rest[p]) @ rest[b]
            local = now[b] if p == WORLD else np.linalg.inv(now[p]) @ now[b]
            change = np.linalg.inv(local_rest) @ local
            location[row, b] = change[:3, 3]
            turn = np.asarray(rotation_quaternion(change[:3, :3]))
            if row and turn @ quaternion[row - 1, b] < 0.0:
                turn = -turn
            quaternion[row, b] = turn
    return location, quaternion
