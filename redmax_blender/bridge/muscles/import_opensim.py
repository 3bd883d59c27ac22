"""An OpenSim model as an armature, with its muscles as curves hooked to the bones and its surfaces as wire meshes.

The armature stands upright: OpenSim's y axis is Blender's z axis. Inside the armature everything is as in the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from ...engine.muscles.opensim.model import OpenSimModel, read_model
from ...engine.muscles.opensim.read_muscles import MuscleRecord
from ...engine.muscles.paths.exact import point_positions
from ...engine.muscles.records import WORLD, WrapSurface
from ...engine.muscles.skeleton import follow_couplers, move
from ..rig.rig import metres_per_unit
from .add_muscle import End, add_surface, curve_through, let_slide
from .bone_frames import bone_matrices, directions
from .bone_joints import give_joints
from .show import give_tube

Floats = NDArray[np.float64]

UPRIGHT = Matrix(((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, -1.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
MODEL = "redmax_opensim"
"""Name of the armature's property that says which file it is from."""


class Imported(NamedTuple):
    armature: bpy.types.Object
    muscles: list[bpy.types.Object]
    surfaces: list[bpy.types.Object]
    notes: list[str]
    """What was not understood, or is not as in the file."""


def import_model(
    context: bpy.types.Context,
    path: str | Path,
    density: float = 1060.0,
    tubes: bool = True,
    joints: bool = True,
) -> Imported:
    """Read a model and build it, with its joints and masses where `joints`; nothing is made when the file is bad."""
    model = read_model(path)
    scene = context.scene
    name = model.name or Path(path).stem
    collection = bpy.data.collections.new(name)
    scene.collection.children.link(collection)
    scale = 1.0 / metres_per_unit(scene)
    q = follow_couplers(model.skeleton, model.skeleton.default())
    armature = _armature(context, model, collection, name, q, scale)
    armature[MODEL] = str(Path(path).resolve())
    surfaces = _surfaces(model, armature, collection, scale, q)
    notes = list(model.notes)
    if joints:
        give_joints(armature, model.skeleton, q, scale, notes)
    muscles = [
        _muscle(model, record, armature, collection, surfaces, q, scale, notes) for record in model.muscles
    ]
    context.view_layer.update()
    for obj, record in zip(muscles, model.muscles, strict=True):
        settings = obj.redmax.muscle
        settings.density = density
        # A belly of the volume that gives its strength at 0.25 MPa, and so the mass of the muscle.
        settings.mass = density * record.max_isometric_force / 250e3 * record.optimal_fiber_length
        settings.max_force = record.max_isometric_force
        settings.optimal_length = scale * record.optimal_fiber_length
        settings.tendon_length = scale * record.tendon_slack_length
        if tubes:
            give_tube(obj, scene)
    return Imported(armature, muscles, list(surfaces.values()), notes)


def _armature(
    context: bpy.types.Context,
    model: OpenSimModel,
    collection: bpy.types.Collection,
    name: str,
    q: Floats,
    scale: float,
) -> bpy.types.Object:
    data = bpy.data.armatures.new(name)
    obj = bpy.data.objects.new(name, data)
    collection.objects.link(obj)
    obj.matrix_world = UPRIGHT
    for other in context.selected_objects:
        other.select_set(False)
    obj.select_set(True)
    context.view_layer.objects.active = obj
    axes, lengths = directions(model.skeleton)
    matrices = bone_matrices(model.skeleton, q, axes, scale)
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        for body, matrix, length in zip(model.skeleton.bodies, matrices, lengths, strict=True):
            bone = data.edit_bones.new(body.name)
            bone.head, bone.tail = (0.0, 0.0, 0.0), (0.0, scale * float(length), 0.0)
            bone.matrix = Matrix(matrix.tolist())
        for joint in model.skeleton.joints:
            if joint.parent != WORLD:
                child = data.edit_bones[model.skeleton.bodies[joint.child].name]
                child.parent = data.edit_bones[model.skeleton.bodies[joint.parent].name]
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
    for bone in obj.pose.bones:
        bone.rotation_mode = "QUATERNION"
    context.view_layer.update()
    return obj


def _world(armature: bpy.types.Object, place: Floats, scale: float) -> Vector:
    return armature.matrix_world @ Vector((scale * place).tolist())


def _surfaces(
    model: OpenSimModel, armature: bpy.types.Object, collection: bpy.types.Collection, scale: float, q: Floats
) -> dict[str, bpy.types.Object]:
    found: dict[str, WrapSurface] = {}
    for muscle in model.muscles:
        found |= {surface.name: surface for surface in muscle.path.surfaces if surface.active}
    poses = move(model.skeleton, q)
    made = {}
    for name, surface in found.items():
        local = np.eye(4)
        local[:3, :3] = np.array(surface.rotation).reshape(3, 3)
        local[:3, 3] = surface.origin
        body = np.eye(4)
        carrier = None
        if surface.frame != WORLD:
            body[:3, :3], body[:3, 3] = poses.R[surface.frame], poses.p[surface.frame]
            carrier = (armature, model.skeleton.bodies[surface.frame].name)
        place = body @ local
        place[:3, 3] *= scale
        obj = add_surface(
            surface.kind.name,
            [scale * x if x > 0.0 else 0.01 for x in surface.size],
            armature.matrix_world @ Matrix(place.tolist()),
            collection,
            name=name,
            length=scale * surface.length if np.isfinite(surface.length) else 0.0,
            carrier=carrier,
        )
        if surface.quadrant is not None:
            obj.redmax.wrap.half = ("-" if surface.quadrant[1] < 0 else "") + "XYZ"[surface.quadrant[0]]
        made[name] = obj
    return made


def _muscle(
    model: OpenSimModel,
    record: MuscleRecord,
    armature: bpy.types.Object,
    collection: bpy.types.Collection,
    surfaces: dict[str, bpy.types.Object],
    q: Floats,
    scale: float,
    notes: list[str],
) -> bpy.types.Object:
    m = move(model.skeleton, q)
    X, active = point_positions(record.path, m.poses, q)
    ends = []
    for i in active:
        frame = record.path.points[i].frame
        carrier = "" if frame == WORLD else model.skeleton.bodies[frame].name
        ends.append(End(None if frame == WORLD else armature, carrier, _world(armature, X[i], scale)))
    moving = sum(record.path.points[i].movers is not None for i in active)
    gone = len(record.path.points) - len(active)
    if moving or gone:
        notes.append(
            f"muscle '{record.name}': {moving} of its points move with a coordinate and stand still here; "
            f"{gone} come with a coordinate and are left out"
        )
    obj = curve_through(ends, collection, record.name, armature.matrix_world)
    for wrap in record.path.wraps:
        surface = record.path.surfaces[wrap.surface]
        if surface.active:
            let_slide(obj, surfaces[surface.name])
    obj.redmax.muscle.ranges = _ranges(record, active, surfaces)
    return obj


def _ranges(record: MuscleRecord, active: Sequence[int], surfaces: dict[str, bpy.types.Object]) -> str:
    lines = []
    for wrap in record.path.wraps:
        end = len(record.path.points) - 1 if wrap.last < 0 else wrap.last
        inside = [k for k, i in enumerate(active) if wrap.first <= i <= end]
        name = record.path.surfaces[wrap.surface].name
        if inside and name in surfaces and (inside[0], inside[-1]) != (0, len(active) - 1):
            lines.append(f"{surfaces[name].name}\t{inside[0]} {inside[-1]}")
    return "\n".join(lines)
