"""Where bodies are at the first frame, and where animation has bones at any frame."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..motion.rotations import nearest_rotation
from ..motion.sample_motion import first_frame
from ..read.scene import Reading, RigReading
from ..rig.rig import metres_per_unit

Floats = NDArray[np.float64]


class Places:
    """Where bodies are at the first frame."""

    def __init__(self, scene: bpy.types.Scene, reading: Reading) -> None:
        from ...engine.compile.scene import compile_scene  # loads Numba
        from ...engine.tree.kinematics import forward_kinematics

        self.unit = metres_per_unit(scene)
        self.model = compile_scene(reading.scene)
        self.kin = forward_kinematics(self.model, self.model.initial_state())
        self.bodies = {body.name: body for body in reading.scene.bodies}

    def in_shape(self, body: str, x: Floats) -> tuple[float, float, float]:
        """A point of the world [m] in the frame of a body's shape."""
        i = self.model.bodies.names.index(body)
        E, S = self.kin.E_wj[self.model.bodies.link[i]], self.model.bodies.E_js[i]
        R = E[:9].reshape(3, 3)
        p = S[:9].reshape(3, 3).T @ (R.T @ (x - E[9:]) - S[9:])
        return float(p[0]), float(p[1]), float(p[2])

    def turned_shape(self, body: str) -> Floats:
        """Rotation of a body's shape in the frame of its joint, shape (3, 3)."""
        return np.asarray(self.model.bodies.E_js[self.model.bodies.names.index(body), :9].reshape(3, 3))

    def axes(self, body: str) -> Floats:
        """Axes of the frame along which a root body's coordinates are."""
        i = self.model.bodies.names.index(body)
        first = int(self.model.bodies.link[i])
        while self.model.tree.parent[first] >= 0:
            first = int(self.model.tree.parent[first])
        return np.asarray(self.model.tree.E_pj0[first, :9].reshape(3, 3))


class Bones:
    """The bones of one armature: their bodies, and where animation has them."""

    def __init__(self, scene: bpy.types.Scene, reading: Reading, obj: Any) -> None:
        self.obj, self.unit, self.first = obj, metres_per_unit(scene), first_frame(scene)
        at = 0
        self.rig: RigReading | None = None
        self.bodies: dict[str, str] = {}
        """Names of the bodies, by bones."""
        for rig in reading.rigs:
            if obj is not None and rig.name == obj.name:
                self.rig = rig
                self.bodies = {bone: reading.scene.bodies[at + k].name for k, bone in enumerate(rig.bones)}
            at += len(rig.bones)
        self.samples = None if self.rig is None else reading.samples[self.rig.name]

    def index(self, frame: int) -> int:
        """Where a frame is in the samples."""
        assert self.samples is not None
        row = self.samples.lead + frame - self.first
        return min(max(row, 0), len(self.samples.poses) - 1)

    def joint_rotation(self, bone: str, frame: int) -> Floats:
        """Rotation in the world of a bone's joint frame as it is animated, shape (3, 3)."""
        assert self.samples is not None and self.rig is not None
        row = self.index(frame)
        turned = nearest_rotation(self.samples.world[row, :3, :3]) @ nearest_rotation(
            self.samples.pose(bone)[row, :3, :3]
        )
        return np.asarray(turned @ self.rig.axes[self.rig.bones.index(bone)])

    def point(self, bone: str, frame: int, along: float) -> Floats:
        """Where a point of a bone is as it is animated [m]: 0 its head, 1 its tail."""
        assert self.samples is not None
        row = self.index(frame)
        local = np.array([0.0, along * self.obj.data.bones[bone].length, 0.0, 1.0])
        return np.asarray((self.samples.world[row] @ self.samples.pose(bone)[row] @ local)[:3] * self.unit)

    def keyed_frames(self, last: int) -> list[int]:
        """Frames after the first one at which a key poses a bone of the armature, or moves it."""
        from ..bake.actions import curves_of

        found = set()
        for curve in curves_of(self.obj):
            if curve.data_path.endswith(
                ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")
            ):
                found |= {round(point.co.x) for point in curve.keyframe_points}
        return sorted(frame for frame in found if self.first < frame <= last)
