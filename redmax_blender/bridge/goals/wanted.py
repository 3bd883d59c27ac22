"""What is wanted of a simulation, as objectives of the engine."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.scene import spec, task
from ..motion.rotations import rotation_vector
from ..motion.sample_motion import first_frame
from ..read.scene import Reading
from ..rig.rig import metres_per_unit
from .places import Bones, Places

Floats = NDArray[np.float64]

ABOUT_KEYS = ("POSE", "KEYS", "FOLLOW")
"""Goals about the animation of an armature."""


def place_of(i: int) -> str:
    return f"Goal {i + 1}"


def find_target(context: bpy.types.Context, goal: Any, i: int) -> Floats:
    """Where a goal's target is at its frame [m]."""
    scene = context.scene
    if goal.kind != "REACH":
        return np.zeros(3)
    if goal.target is None:
        raise SceneError(
            place_of(i), "it has no target", "Choose an object where it is to be, such as an empty."
        )
    now = scene.frame_current
    try:
        scene.frame_set(goal.frame)
        shown = goal.target.evaluated_get(context.evaluated_depsgraph_get())
        return np.asarray(np.array(shown.matrix_world.translation, float) * metres_per_unit(scene))
    finally:
        scene.frame_set(now)


def objectives_of(
    context: bpy.types.Context, reading: Reading, places: Places, goal: Any, target: Floats, i: int
) -> list[Any]:
    """What the engine is to make small for one goal."""
    scene = context.scene
    at_frame = goal.kind not in ("KEYS", "FOLLOW")
    if at_frame and not reading.frame_start < goal.frame <= reading.frame_end:
        raise SceneError(
            place_of(i),
            f"frame {goal.frame} is outside of the simulation, frames {reading.frame_start} to {reading.frame_end}",
            "Choose a frame of the range, or change the range.",
        )
    if goal.object is None:
        raise SceneError(
            place_of(i), "it is about nothing", "Choose a body, or an armature and one of its bones."
        )
    if goal.kind in ABOUT_KEYS:
        return _about_keys(scene, reading, places, goal, i)
    body, x = _body_and_point(scene, reading, places, goal, i)
    some: dict[str, Any] = {
        "body": body,
        "position": places.in_shape(body, x),
        "time": (goal.frame - first_frame(scene)) / reading.fps,
        "weight": float(goal.weight),
        "name": f"goal {i + 1}",
    }
    if goal.kind == "REST":
        return [task.VelocityGoal(**some)]
    return [task.PointGoal(target=[float(c) for c in target], **some)]


def _about_keys(scene: bpy.types.Scene, reading: Reading, places: Places, goal: Any, i: int) -> list[Any]:
    bones = Bones(scene, reading, goal.object)
    if bones.rig is None:
        raise SceneError(
            place_of(i), f"'{goal.object.name}' has no physical bones", "Choose an armature that has some."
        )
    chosen = list(bones.bodies)
    if goal.bone:
        if goal.bone not in bones.bodies:
            raise _no_bone(goal, i)
        chosen = [goal.bone]
    if goal.kind == "FOLLOW":
        return _follow(reading, places, bones, chosen, float(goal.weight), i)
    frames = [int(goal.frame)]
    if goal.kind == "KEYS":
        frames = bones.keyed_frames(reading.frame_end)
        if not frames:
            raise SceneError(
                place_of(i),
                f"'{goal.object.name}' has no keys within the simulation after its first frame",
                "Key poses that it is to pass through, or change the range.",
            )
    return [
        each
        for frame in frames
        for bone in chosen
        for each in _in_pose(reading, places, bones, bone, frame, float(goal.weight) / len(chosen), i)
    ]


def _in_pose(
    reading: Reading, places: Places, bones: Bones, bone: str, frame: int, weight: float, i: int
) -> list[Any]:
    """A bone is turned as it is keyed at a frame, and where it is keyed if it moves freely."""
    body = bones.bodies[bone]
    time = (frame - bones.first) / reading.fps
    R = bones.joint_rotation(bone, frame) @ places.turned_shape(body)
    name = f"goal {i + 1}, {bone} at frame {frame}"
    turned = [float(x) for x in rotation_vector(R)]
    found: list[Any] = [task.RotationGoal(body=body, target=turned, time=time, weight=weight, name=name)]
    joint = places.bodies[body].joint.type
    if isinstance(joint, spec.Free):
        found.append(
            task.PointGoal(
                body=body,
                position=places.in_shape(body, bones.point(bone, bones.first, 0.0)),
                target=[float(x) for x in bones.point(bone, frame, 0.0)],
                time=time,
                weight=weight,
                name=f"{name} (place)",
            )
        )
    return found


def _follow(
    reading: Reading, places: Places, bones: Bones, chosen: list[str], weight: float, i: int
) -> list[Any]:
    """The tails of bones are where they are animated, at all times: the mean of squares counts."""
    assert bones.samples is not None
    if len(bones.samples.poses) == 1:
        raise SceneError(
            place_of(i),
            f"nothing moves '{bones.obj.name}'",
            "Key the motion that the simulation is to resemble.",
        )
    frames = range(bones.first, reading.frame_end + 1)
    times = [(frame - bones.first) / reading.fps for frame in frames]
    found: list[Any] = []
    for bone in chosen:
        body = bones.bodies[bone]
        way = np.array([bones.point(bone, frame, 1.0) for frame in frames])
        found.append(
            task.PointGoal(
                body=body,
                position=places.in_shape(body, way[0]),
                target=[spec.Sampled(times, [float(x) for x in way[:, k]], "linear") for k in range(3)],
                start=0.0,
                weight=weight / (len(chosen) * times[-1]),
                name=f"goal {i + 1}, {bone}",
            )
        )
    return found


def _no_bone(goal: Any, i: int) -> SceneError:
    return SceneError(
        place_of(i),
        f"'{goal.bone}' is not a physical bone of '{goal.object.name}'",
        "Choose one of its physical bones.",
    )


def _body_and_point(
    scene: bpy.types.Scene, reading: Reading, places: Places, goal: Any, i: int
) -> tuple[str, Floats]:
    """The body of the scene that a goal is about, and the point of it that counts, at the first frame [m]."""
    obj = goal.object
    if obj.type != "ARMATURE":
        if obj.name not in {each.name for each in reading.objects} or obj.name not in places.bodies:
            raise SceneError(
                place_of(i),
                f"'{obj.name}' is not an active body",
                "Choose one that is, or make it one (Body panel).",
            )
        read = next(each for each in reading.objects if each.name == obj.name)
        return obj.name, np.asarray(read.world[:3, 3] * places.unit)
    bones = Bones(scene, reading, obj)
    if bones.rig is None or goal.bone not in bones.bodies:
        raise _no_bone(goal, i)
    body, rig = bones.bodies[goal.bone], bones.rig
    k = rig.bones.index(goal.bone)
    E = places.kin.E_wj[places.model.bodies.link[places.model.bodies.names.index(body)]]
    tip = np.array([0.0, obj.data.bones[goal.bone].length * rig.bone_scales[k] * abs(rig.scale), 0.0])
    turned = rig.axes[k].T @ tip
    return body, np.asarray(E[:9].reshape(3, 3) @ turned + E[9:])
