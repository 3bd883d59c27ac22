"""A camera that holds a whole motion in view."""

from __future__ import annotations

from collections.abc import Iterable
from math import pi

import bpy
import numpy as np
from mathutils import Matrix, Vector


def motion_points(
    scene: bpy.types.Scene, objects: Iterable[bpy.types.Object], frames: Iterable[int]
) -> np.ndarray:
    """Corners of the evaluated objects' bounding boxes over all frames, in the world, shape (n, 3)."""
    objects = list(objects)
    points = []
    for frame in frames:
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for thing in objects:
            evaluated = thing.evaluated_get(depsgraph)
            corners = np.array([tuple(corner) for corner in evaluated.bound_box])
            world = np.array(evaluated.matrix_world)
            points.append(corners @ world[:3, :3].T + world[:3, 3])
    return np.concatenate(points)


def add_camera(
    scene: bpy.types.Scene, points: np.ndarray, *, width: int, height: int, azimuth: float = 0.35,
    elevation: float = 0.2, margin: float = 0.05,
) -> bpy.types.Object:  # fmt: skip
    """A camera as near as it can be with all points in view.

    margin: what stays free on each side, as a part of the picture, which has width and height [px]. azimuth
    [rad] turns the camera to the right of Blender's front view, elevation [rad] raises it.
    """
    data = bpy.data.cameras.new("Camera")
    data.lens, data.sensor_width, data.sensor_fit = 50.0, 36.0, "HORIZONTAL"
    camera = bpy.data.objects.new("Camera", data)
    scene.collection.objects.link(camera)
    scene.camera = camera

    turn = Matrix.Rotation(azimuth, 3, "Z") @ Matrix.Rotation(pi / 2 - elevation, 3, "X")
    local = points @ np.array(turn)  # in camera axes: x right, y up, -z into the picture
    half = np.array([1.0, height / width]) * data.sensor_width / (2 * data.lens) * (1 - 2 * margin)
    # A point is in view when |x - c| <= half (D - z). On each side one point is tightest; two give c and D.
    above = (local[:, :2] + half * local[:, 2:]).max(axis=0)
    below = (half * local[:, 2:] - local[:, :2]).max(axis=0)
    centre, distance = (above - below) / 2, ((above + below) / (2 * half)).max()
    # The tight axis is centred now; the other one has room, which perspective shares unevenly.
    depth = distance - local[:, 2:]
    for _ in range(20):
        seen = (local[:, :2] - centre) / depth
        centre = centre + depth.mean() * (seen.max(axis=0) + seen.min(axis=0)) / 2
    camera.matrix_world = Matrix.Translation(turn @ Vector((*centre, distance))) @ turn.to_4x4()
    data.clip_start, data.clip_end = 0.01 * float(distance), 20.0 * float(distance)
    return camera
