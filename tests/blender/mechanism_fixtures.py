"""Mechanisms of mesh objects and empties to test on."""

from collections.abc import Sequence

import bpy
import numpy as np
from mathutils import Euler, Matrix
from numpy.typing import NDArray

from redmax_blender.bridge.recording import cache

Point = Sequence[float]
ABOUT_Y = (-np.pi / 2, 0.0, 0.0)
"""Turns an empty so that its z axis, about which a hinge turns, is the world's y."""


def link(obj: bpy.types.Object) -> bpy.types.Object:
    bpy.context.scene.collection.objects.link(obj)
    return obj


def add_box(name: str, at: Point, sides: Point = (1.0, 1.0, 1.0), role: str = "ACTIVE") -> bpy.types.Object:
    """A cube scaled to these sides, as a body of ours."""
    mesh = bpy.data.meshes.new(name)
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], faces)
    obj = link(bpy.data.objects.new(name, mesh))
    obj.location, obj.scale = at, sides
    obj.redmax.body.role, obj.redmax.body.shape = role, "BOX"
    return obj


def add_empty(name: str, at: Point, turned: Point = (0.0, 0.0, 0.0)) -> bpy.types.Object:
    obj = link(bpy.data.objects.new(name, None))
    obj.location, obj.rotation_euler = at, turned
    return obj


def add_joint(
    name: str,
    kind: str,
    first: bpy.types.Object | None,
    second: bpy.types.Object | None,
    at: Point,
    turned: Point = ABOUT_Y,
) -> bpy.types.Object:
    """An empty as a joint of ours."""
    obj = add_empty(name, at, turned)
    joint = obj.redmax.joint
    joint.kind, joint.object1, joint.object2 = kind, first, second
    return obj


def make_blenders(obj: bpy.types.Object, kind: str = "ACTIVE", shape: str = "BOX") -> None:
    """Give an object one of Blender's rigid bodies instead of ours."""
    obj.redmax.body.role = "NONE"
    bpy.context.view_layer.objects.active = obj
    bpy.ops.rigidbody.object_add(type=kind)
    obj.rigid_body.collision_shape = shape


def add_constraint(
    name: str,
    kind: str,
    first: bpy.types.Object,
    second: bpy.types.Object,
    at: Point,
    turned: Point = ABOUT_Y,
) -> bpy.types.Object:
    """An empty with one of Blender's rigid body constraints."""
    obj = add_empty(name, at, turned)
    constrain(obj, kind, first, second)
    return obj


def constrain(obj: bpy.types.Object, kind: str, first: bpy.types.Object, second: bpy.types.Object) -> None:
    """Give an empty one of Blender's rigid body constraints."""
    bpy.context.view_layer.objects.active = obj
    bpy.ops.rigidbody.constraint_add(type=kind)
    obj.rigid_body_constraint.object1, obj.rigid_body_constraint.object2 = first, second


def add_four_bar() -> list[bpy.types.Object]:
    """Ground, left, coupler, right; leaning, so that it falls; hinges 'A' to 'D'."""
    ground = add_box("ground", (1.0, 0.0, 0.0), (2.0, 0.1, 0.1), role="ANCHORED")
    lean = Matrix.Rotation(0.3, 4, "Y")
    top = lean @ Matrix.Translation((0.0, 0.0, 1.0))
    bars = [ground]
    for name, x in (("left", 0.0), ("right", 2.0)):
        bar = add_box(name, (0.0, 0.0, 0.0), (0.1, 0.1, 1.0))
        bar.matrix_world = (
            Matrix.Translation((x, 0.0, 0.0))
            @ lean
            @ Matrix.Translation((0.0, 0.0, 0.5))
            @ Matrix.Diagonal((*bar.scale, 1.0))
        )
        bars.append(bar)
    shift = top.translation
    bars.insert(2, add_box("coupler", (1.0 + shift.x, 0.0, shift.z), (2.0, 0.1, 0.1)))
    ground, left, coupler, right = bars
    add_joint("A", "HINGE", ground, left, (0.0, 0.0, 0.0))
    add_joint("B", "HINGE", left, coupler, shift)
    add_joint("C", "HINGE", coupler, right, (2.0 + shift.x, 0.0, shift.z))
    add_joint("D", "HINGE", ground, right, (2.0, 0.0, 0.0))
    bpy.context.view_layer.update()
    return bars


def world(obj: bpy.types.Object) -> NDArray[np.float64]:
    """Where the depsgraph shows an object, shape (4, 4)."""
    return np.array(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world, dtype=float)


def off_cache(obj: bpy.types.Object, frame: int) -> float:
    """Largest difference between where an object is shown at a frame and the recording."""
    scene = bpy.context.scene
    recording, track = cache.track_of(obj, scene)
    scene.frame_set(frame)
    return float(np.abs(world(obj) - track.pose[frame - recording.frame_start, 0]).max())


def turned_euler(obj: bpy.types.Object) -> Euler:
    return obj.matrix_world.to_euler()
