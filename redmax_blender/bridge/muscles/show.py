"""Tubes and figures of muscles in the pose that is shown."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import InputError
from ..bake.actions import curves_in
from ..recording import figure_cache
from ..recording.figures import Figures
from ..rig.rig import metres_per_unit
from . import tube as tubes
from .objects import muscles
from .places import shape_of

Floats = NDArray[np.float64]

_seen: dict[str, bytes] = {}
"""Points of each muscle's path when its tube was last written: nothing is written again without need."""


def give_tube(obj: bpy.types.Object, scene: bpy.types.Scene) -> bpy.types.Object:
    """A mesh that shows the muscle, beside it."""
    mesh = bpy.data.meshes.new(f"{obj.name} Tube")
    mesh.from_pydata(np.zeros((tubes.RINGS * tubes.SIDES, 3)).tolist(), [], tubes.faces())
    for polygon in mesh.polygons:
        polygon.use_smooth = True
    made = bpy.data.objects.new(f"{obj.name} Tube", mesh)
    for collection in obj.users_collection:
        collection.objects.link(made)
    obj.redmax.muscle.tube = made
    _seen.pop(obj.name, None)
    show(obj, scene)
    return made


def vertices_of(obj: bpy.types.Object, scene: bpy.types.Scene) -> tuple[Floats, float]:
    """Of the tube in the world, and the length of the path [Blender units]."""
    settings = obj.redmax.muscle
    scale = metres_per_unit(scene)
    found = shape_of(obj, scene, tubes.ALPHAS)
    wanted = max(settings.mass, 1e-9) / settings.density
    made = tubes.tube(
        found.points, wanted, settings.belly_start, max(settings.belly_end, settings.belly_start)
    )
    return made / scale, found.length / scale


def show(obj: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Write the length of a muscle, and its tube where it has one."""
    vertices, length = vertices_of(obj, scene)
    mark, settings = vertices.round(7).tobytes(), obj.redmax.muscle
    # undo may have put an older length back
    if _seen.get(obj.name) == mark and abs(settings.length - length) <= 1e-6 * length:
        return
    _seen[obj.name] = mark
    settings.length = length
    made = settings.tube
    if made is None or made.type != "MESH" or len(made.data.vertices) != len(vertices):
        return
    if made.data.shape_keys is not None:
        return  # it is baked
    inverse = np.linalg.inv(np.array(made.matrix_world, float))
    local = vertices @ inverse[:3, :3].T + inverse[:3, 3]
    made.data.vertices.foreach_set("co", np.ascontiguousarray(local, np.float32).ravel())
    made.data.update()


def show_figures(obj: bpy.types.Object, frame: int, figures: Figures | None) -> None:
    """Tension and activation as they were simulated; nothing where they were not."""
    found = None if figures is None else figures.muscle_at(obj.name, frame)
    tension, activation = (0.0, 0.0) if found is None else (float(found[1]), float(found[2]))
    settings = obj.redmax.muscle
    for name, value in (("tension", tension), ("activation", activation)):
        if abs(getattr(settings, name) - value) > 1e-6 * max(
            1.0, abs(value)
        ):  # a change draws everything anew
            setattr(settings, name, value)


def show_all(scene: bpy.types.Scene) -> list[str]:
    """Every muscle of a scene; returns what is wrong with some."""
    wrong = []
    begin, figures = figure_cache.shown(scene) or (0, None)
    for obj in muscles(scene):
        show_figures(obj, scene.frame_current - begin, figures)
        try:
            show(obj, scene)
        except InputError as error:
            wrong.append(str(error))
    return wrong


def bake_tube(obj: bpy.types.Object, scene: bpy.types.Scene, step: int = 1) -> int:
    """Shape keys on the tube for the frames of the scene, one every `step`; returns how many."""
    made = obj.redmax.muscle.tube or give_tube(obj, scene)
    free_tube(obj)
    current, subframe = scene.frame_current, scene.frame_subframe
    frames = sorted({*range(scene.frame_start, scene.frame_end + 1, step), scene.frame_end})
    poses = []
    for frame in frames:
        scene.frame_set(frame)
        vertices, _ = vertices_of(obj, scene)
        inverse = np.linalg.inv(np.array(made.matrix_world, float))
        poses.append(vertices @ inverse[:3, :3].T + inverse[:3, 3])
    scene.frame_set(current, subframe=subframe)
    key_shapes(made, frames, poses)
    return len(frames)


def key_shapes(made: bpy.types.Object, frames: Sequence[int], poses: Sequence[Floats]) -> None:
    """A shape key a frame, each shown at its own and between it and its neighbours in proportion."""
    basis = made.shape_key_add(name="Basis", from_mix=False)
    basis.value = 0.0
    for i, (frame, pose) in enumerate(zip(frames, poses, strict=True)):
        key = made.shape_key_add(name=f"Muscle {frame}", from_mix=False)
        key.data.foreach_set("co", np.ascontiguousarray(pose, np.float32).ravel())
        for f in frames[max(0, i - 1) : i + 2]:
            key.value = 1.0 if f == frame else 0.0
            key.keyframe_insert("value", frame=f)
    for curve in _curves(made):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def _curves(made: bpy.types.Object) -> list[bpy.types.FCurve]:
    data = made.data.shape_keys.animation_data
    return curves_in(data.action, getattr(data, "action_slot", None))


def free_tube(obj: bpy.types.Object) -> None:
    """Remove the shape keys of a bake, and their action."""
    made = obj.redmax.muscle.tube
    if made is None or made.data.shape_keys is None:
        return
    data = made.data.shape_keys.animation_data
    action = data.action if data is not None else None
    made.shape_key_clear()
    if action is not None and action.users == 0:
        bpy.data.actions.remove(action)
    _seen.pop(obj.name, None)
