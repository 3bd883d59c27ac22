"""SceneSpec -> Blender objects, one a body; and the recording of a run -> their keyframes."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

from ...engine.compile.poses import pose_parts
from ...engine.compile.scene import compile_scene
from ...engine.run.result import Result
from ...engine.run.simulate import make_frame
from ...engine.scene import SceneSpec
from ..bake.actions import ensure_bag, new_curve, own_copy, slot_of
from ..bake.keys import Keys
from .primitives import Surface, surface_of

Floats = NDArray[np.float64]

CHANNELS = (("location", 3), ("rotation_quaternion", 4))


def build_scene(spec: SceneSpec, scene: bpy.types.Scene, *, name: str = "") -> dict[str, bpy.types.Object]:
    """Add an object a body, named as it and standing where it starts, in a collection named as the scene.

    The object's origin is that of the body's joint frame, so that it turns about its joint by hand as well.
    One Blender unit is a metre. Returns the objects by the names of the bodies.
    """
    model = compile_scene(spec)
    start = make_frame(model, model.initial_state()).joint_pose
    collection = bpy.data.collections.new(name or spec.name or "RedMax")
    scene.collection.children.link(collection)
    objects = {}
    for k, body in enumerate(spec.bodies):
        place = f"bodies[{k}] '{body.name}'"
        surface = surface_of(body.shape, f"{place}.shape").moved(*pose_parts(body.pose, f"{place}.pose"))
        mesh = bpy.data.meshes.new(body.name)
        fill_mesh(mesh, surface)
        thing = bpy.data.objects.new(body.name, mesh)
        collection.objects.link(thing)
        thing.rotation_mode = "QUATERNION"
        thing.matrix_world = matrix_of(start[k])
        objects[body.name] = thing
    return objects


def fill_mesh(mesh: bpy.types.Mesh, surface: Surface) -> None:
    """Put a surface into an empty mesh."""
    mesh.from_pydata(surface.vertices.tolist(), [], surface.faces)
    mesh.polygons.foreach_set("use_smooth", surface.smooth)


def matrix_of(pose: Floats) -> Matrix:
    """A pose row of the engine, the rotation row by row and then the origin, as Blender's 4x4 matrix."""
    rotation, origin = pose[:9].reshape(3, 3), pose[9:]
    return Matrix([[*row, p] for row, p in zip(rotation.tolist(), origin.tolist())] + [[0.0, 0.0, 0.0, 1.0]])


def key_result(
    objects: dict[str, bpy.types.Object], result: Result, fps: float, *, frame_start: int = 1
) -> int:
    """Key every object that is a body of the result, on whole frames from `frame_start` on.

    Between two recorded moments positions are interpolated linearly and rotations on the shortest arc; a
    recording that has the frames themselves is keyed exactly. Returns the last frame.
    """
    times, frames = frame_times(result, fps, frame_start)
    for k, name in enumerate(result.bodies):
        if name in objects:
            key_poses(objects[name], frames, resample(result.t, result.joint_pose[:, k], times))
    return int(frames[-1])


def frame_times(result: Result, fps: float, frame_start: int) -> tuple[Floats, Floats]:
    """Times [s] of the whole frames that the recording spans, and their numbers."""
    count = int(np.floor((result.t[-1] - result.t[0]) * fps + 1e-6)) + 1
    times = np.minimum(result.t[0] + np.arange(count) / fps, result.t[-1])
    return times, frame_start + np.arange(count, dtype=float)


def resample(t: Floats, poses: Floats, times: Floats) -> Floats:
    """Position and quaternion (w, x, y, z) at other times, without jumps of sign, shape (n, 7)."""
    turns = Rotation.from_matrix(poses[:, :9].reshape(-1, 3, 3))
    turns = Slerp(t, turns)(times) if len(t) > 1 else turns
    quaternions = turns.as_quat()[:, [3, 0, 1, 2]]
    flips = np.sum(quaternions[1:] * quaternions[:-1], axis=1) < 0.0
    quaternions[1:][np.cumsum(flips) % 2 == 1] *= -1.0
    positions = np.stack([np.interp(times, t, poses[:, axis]) for axis in (9, 10, 11)], axis=1)
    return np.concatenate([positions, quaternions], axis=1)


def key_poses(thing: bpy.types.Object, frames: Floats, poses: Floats) -> None:
    """Write location and rotation keys, shape (n, 7), into an action of the object's own."""
    thing.rotation_mode = "QUATERNION"
    action = own_copy(thing, f"{thing.name} (RedMax)")
    bag = ensure_bag(action, slot_of(thing))
    paths = [(path, index) for path, size in CHANNELS for index in range(size)]
    for (path, index), values in zip(paths, poses.T):
        Keys.linear(frames, values).write(new_curve(bag, path, index, "Object Transforms"))
