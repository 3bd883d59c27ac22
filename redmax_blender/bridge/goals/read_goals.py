"""The goals of a scene as the engine's task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.scene import spec, task
from ..mechanism.export_scene import read_for_export
from ..motion.sample_motion import first_frame
from ..read.scene import Reading
from ..rig.rig import metres_per_unit

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Change:
    """A setting of an object that the search may change, and which of its numbers are the setting's."""

    kind: str
    object: str
    first: int
    """Number of its first parameter."""
    count: int
    axes: Floats
    """Axes along which its numbers are, as columns in the world, shape (3, 3)."""


@dataclass(frozen=True)
class Goals:
    scene: spec.SceneSpec
    """With its task."""
    reading: Reading
    changes: list[Change]


def read_goals(context: bpy.types.Context) -> Goals:
    """Read the scene as a simulation would, and its goals. Changes nothing."""
    scene = context.scene
    wanted, changes = scene.redmax.goals.wanted, scene.redmax.goals.changes
    if not len(wanted):
        raise SceneError("Goals", "there is no goal", "Press Add Goal and say what is wanted.")
    if not len(changes):
        raise SceneError(
            "Goals", "nothing may change", "Press Add Change and say what may change to reach the goals."
        )
    targets = [_target(context, goal, i) for i, goal in enumerate(wanted)]
    reading = read_for_export(context)
    places = _Places(scene, reading)
    objectives = [
        _objective(context, reading, places, g, x, i) for i, (g, x) in enumerate(zip(wanted, targets))
    ]
    parameters: list[Any] = []
    found: list[Change] = []
    count = 0
    for i, change in enumerate(changes):
        one = _parameter(scene, reading, places, change, i)
        axes = places.axes(change.object.name) if change.kind != "FRICTION" else np.eye(3)
        numbers = 1 if change.kind == "FRICTION" else 3
        found.append(Change(change.kind, change.object.name, count, numbers, axes))
        parameters.append(one)
        count += numbers
    wish = task.TaskSpec(
        parameters=parameters,
        objectives=objectives,
        iterations=int(scene.redmax.goals.iterations),
        tolerance=1e-6,
    )
    return Goals(replace(reading.scene, task=wish), reading, found)


class _Places:
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

    def axes(self, body: str) -> Floats:
        """Axes of the frame along which a root body's coordinates are."""
        i = self.model.bodies.names.index(body)
        first = int(self.model.bodies.link[i])
        while self.model.tree.parent[first] >= 0:
            first = int(self.model.tree.parent[first])
        return np.asarray(self.model.tree.E_pj0[first, :9].reshape(3, 3))


def _place(i: int) -> str:
    return f"Goal {i + 1}"


def _target(context: bpy.types.Context, goal: Any, i: int) -> Floats:
    """Where a goal's target is at its frame [m]."""
    scene = context.scene
    if goal.kind == "REST":
        return np.zeros(3)
    if goal.target is None:
        raise SceneError(
            _place(i), "it has no target", "Choose an object where it is to be, such as an empty."
        )
    now = scene.frame_current
    try:
        scene.frame_set(goal.frame)
        shown = goal.target.evaluated_get(context.evaluated_depsgraph_get())
        return np.asarray(np.array(shown.matrix_world.translation, float) * metres_per_unit(scene))
    finally:
        scene.frame_set(now)


def _objective(
    context: bpy.types.Context, reading: Reading, places: _Places, goal: Any, target: Floats, i: int
) -> Any:
    scene = context.scene
    if not reading.frame_start < goal.frame <= reading.frame_end:
        raise SceneError(
            _place(i),
            f"frame {goal.frame} is outside of the simulation, frames {reading.frame_start} to {reading.frame_end}",
            "Choose a frame of the range, or change the range.",
        )
    body, x = _body_and_point(context, reading, places, goal, i)
    time = (goal.frame - first_frame(scene)) / reading.fps
    if goal.kind == "REST":
        return task.VelocityGoal(
            body=body, position=places.in_shape(body, x), time=time, weight=goal.weight, name=f"goal {i + 1}"
        )
    return task.PointGoal(
        body=body,
        position=places.in_shape(body, x),
        target=[float(c) for c in target],
        time=time,
        weight=float(goal.weight),
        name=f"goal {i + 1}",
    )


def _body_and_point(
    context: bpy.types.Context, reading: Reading, places: _Places, goal: Any, i: int
) -> tuple[str, Floats]:
    """The body of the scene that a goal is about, and the point of it that counts, at the first frame [m]."""
    obj = goal.object
    if obj is None:
        raise SceneError(
            _place(i), "it is about nothing", "Choose a body, or an armature and one of its bones."
        )
    if obj.type != "ARMATURE":
        if obj.name not in {each.name for each in reading.objects} or obj.name not in places.bodies:
            raise SceneError(
                _place(i),
                f"'{obj.name}' is not an active body",
                "Choose one that is, or make it one (Body panel).",
            )
        read = next(each for each in reading.objects if each.name == obj.name)
        return obj.name, np.asarray(read.world[:3, 3] * places.unit)
    at = 0
    for rig in reading.rigs:
        names = [body.name for body in reading.scene.bodies[at : at + len(rig.bones)]]
        if rig.name == obj.name and goal.bone in rig.bones:
            k = rig.bones.index(goal.bone)
            i_body = places.model.bodies.names.index(names[k])
            E = places.kin.E_wj[places.model.bodies.link[i_body]]
            tip = np.array([0.0, obj.data.bones[goal.bone].length * rig.bone_scales[k] * abs(rig.scale), 0.0])
            turned = rig.axes[k].T @ tip
            return names[k], np.asarray(E[:9].reshape(3, 3) @ turned + E[9:])
        at += len(rig.bones)
    raise SceneError(
        _place(i),
        f"'{goal.bone}' is not a physical bone of '{obj.name}'",
        "Choose one of its physical bones.",
    )


def _parameter(scene: bpy.types.Scene, reading: Reading, places: _Places, change: Any, i: int) -> Any:
    place = f"Change {i + 1}"
    obj, largest = change.object, float(change.largest)
    names = {each.name for each in reading.objects}
    if obj is None or obj.name not in names or obj.name not in places.bodies:
        about = "nothing" if obj is None else f"'{obj.name}', which is not an active body"
        raise SceneError(place, f"it is about {about}", "Choose a mesh object that is an active body.")
    body = places.bodies[obj.name]
    if not largest > 0.0:
        raise SceneError(place, "the largest value is zero", "Give one above zero.")
    if change.kind == "FRICTION":
        if body.surface is None:
            raise SceneError(place, f"'{obj.name}' touches nothing", "Let it collide, in the Contact panel.")
        return task.ValueParameter(
            path=["bodies", obj.name, "surface", "friction"], name=f"{place}: {obj.name}", lower=0.0, upper=largest,
            scale=0.5,
        )  # fmt: skip
    if not isinstance(body.joint.type, spec.Free) or body.joint.motion:
        raise SceneError(
            place,
            f"'{obj.name}' does not move freely at the start",
            "Choose a body that hangs on nothing, or let something else change.",
        )
    if not scene.redmax.use_start_velocity:
        raise SceneError(
            place, "simulations start at rest", "Switch on Start in Motion, in the Simulate panel."
        )
    own: list[int] = [0, 1, 2] if change.kind == "VELOCITY" else [3, 4, 5]
    return task.StartVelocityParameter(
        joint=body.joint.name or body.name,
        coordinates=own,
        lower=-largest,
        upper=largest,
        scale=0.25 * largest,
        name=f"{place}: {obj.name}",
    )
