"""Mesh objects, empties and curves of a scene -> bodies, joints, loops, springs and prescribed motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.mechanisms.mechanism import assemble
from ...engine.mechanisms.parts import Body
from ...engine.scene import spec
from ..flesh.attachments import point_on
from ..mechanism.assemble import check_together
from ..mechanism.joint_couplings import couple, coupled
from ..mechanism.object_reading import ObjectReading, read_object
from ..mechanism.screws import keep_screws, screws
from ..motion.drive_joints import drive, keep_in_tree
from ..motion.driven_joints import drive_exactly, driven
from ..motion.sample_motion import (
    Samples,
    carried,
    intervals,
    may_move,
    position_curves,
    rigid,
    rotation_curves,
    sample,
)
from ..motion.start_speed import start_in_motion
from ..rig import bodies as parts
from ..rig.rig import metres_per_unit, physical_armatures
from .applied import pushes_on_objects
from .body import read_body
from .bone import make_pose
from .joint import read_joints
from .spring import read_spring

Floats = NDArray[np.float64]


@dataclass
class MechanismReading:
    """What mechanisms add to a scene, and how to go back."""

    bodies: list[spec.BodySpec] = field(default_factory=list)
    forces: list[spec.ForceSpec] = field(default_factory=list)
    constraints: list[spec.ConstraintSpec] = field(default_factory=list)
    couplings: list[spec.CouplingSpec] = field(default_factory=list)
    objects: list[ObjectReading] = field(default_factory=list)
    """The active bodies."""
    poses: dict[str, Floats] = field(default_factory=dict)
    """World pose of the shape of each of its bodies at first [m], shape (4, 4)."""
    cut: list[str] = field(default_factory=list)
    """Joints that close loops."""
    warnings: list[str] = field(default_factory=list)


def read_mechanism(context: bpy.types.Context, bones: Mapping[str, Floats]) -> MechanismReading:
    """Read all mechanisms as the depsgraph shows them now, at the first frame of the range. Changes nothing.

    bones: world pose of the capsule of each physical bone, by the name of its body, to which springs may be attached.
    """
    scene = context.scene
    unit = metres_per_unit(scene)
    reading = MechanismReading()
    objects = parts.bodies(scene)
    empties, curves = parts.joints(scene), parts.springs(scene)
    if not objects and not curves:
        return reading
    depsgraph = context.evaluated_depsgraph_get()
    bodies = {obj.name: read_body(obj, depsgraph, unit, reading.warnings) for obj in objects}
    joints = read_joints(empties, bodies.keys(), depsgraph, unit, reading.warnings)
    reading.poses = {name: body.pose for name, body in bodies.items()}
    poses = {**bones, **reading.poses}
    for curve in curves:
        held = read_spring(curve, poses, depsgraph, unit, reading.warnings)
        if isinstance(held, spec.Spring):
            reading.forces.append(held)
        else:
            reading.constraints.append(held)
    active = [obj for obj in objects if not bodies[obj.name].anchored]
    reading.objects = [read_object(obj, depsgraph, scene, active) for obj in active]
    reading.forces += pushes_on_objects(active, scene)
    samples = _sample(context, objects, active, bodies)
    fps = scene.render.fps / scene.render.fps_base
    for obj in objects:
        body = bodies[obj.name]
        if body.anchored and samples.moves(obj.name):
            way = _turned(carried(samples.matrices[obj.name], body.pose, unit), body.pose)
            body.motion = position_curves(way, fps) + rotation_curves(way, fps)
        if obj.redmax.body.target is not None:
            reading.constraints += _follow(obj, body, samples, unit, fps, reading.warnings)
    for thing in reading.objects:
        thing.parent_moves = samples.matrices.get(thing.parent or "")
    check_together(list(bodies.values()), joints.connections)
    keep_in_tree(joints.motors, joints.connections)
    by_motors = driven(empties, joints.connections)
    followers = coupled(empties, joints.connections)
    keep_screws(empties, joints.connections)
    made = assemble(list(bodies.values()), joints.connections)
    for made_body in made.bodies:
        body = bodies.get(made_body.name)  # null for the half of a body that was cut in two
        if body is not None and body.motion is not None:
            made_body.joint.frame = make_pose(body.pose[:3, :3], np.zeros(3))
    drive(joints.motors, joints.connections, made)
    keep = [*physical_armatures(scene), *objects]
    drive_exactly(context, by_motors, joints.connections, made, keep)
    start_in_motion(context, active, made, unit, keep)
    reading.bodies, reading.cut = made.bodies, made.cut
    reading.couplings, gears = couple(followers, made)
    reading.constraints += [*made.constraints, *gears, *screws(empties, unit)]
    return reading


def _sample(
    context: bpy.types.Context,
    objects: list[bpy.types.Object],
    active: list[bpy.types.Object],
    bodies: Mapping[str, Body],
) -> Samples:
    """Sample what the animation moves: anchored bodies, targets, and parents of active bodies."""
    moving = {obj.name: obj for obj in objects if bodies[obj.name].anchored and may_move(obj)}
    followers = [obj for obj in active if obj.redmax.body.target is not None]
    moving |= {obj.redmax.body.target.name: obj.redmax.body.target for obj in followers}
    moving |= {
        obj.parent.name: obj.parent for obj in active if obj.parent is not None and may_move(obj.parent)
    }
    keep = [*physical_armatures(context.scene), *objects]
    return sample(context, list(moving.values()), followers, keep)


def _turned(way: Floats, start: Floats) -> Floats:
    """Poses seen from axes that stand as the body does at first, shape (nf, 4, 4).

    In these, the rotation vector of a body that spins about a fixed axis stays on a line through zero, where whole
    turns are harmless.
    """
    axes = np.eye(4)
    axes[:3, :3] = start[:3, :3].T
    return np.asarray(axes @ way)


def _follow(
    obj: bpy.types.Object, body: Body, samples: Samples, unit: float, fps: float, warnings: list[str]
) -> list[spec.ConstraintSpec]:
    """The body led by its target: the point of it where the target is at first, or all of it."""
    settings = obj.redmax.body
    place = f"Object '{obj.name}'"
    if body.anchored:
        warnings.append(f"{place}: it is anchored, so it does not follow its target '{settings.target.name}'")
        return []
    if settings.target == obj or settings.target.name not in samples.matrices:
        raise SceneError(f"{place}, target", "it is the object itself", "Choose another object.")
    active = intervals(samples.follow[obj.name], fps)
    if active is None:
        return []
    matrices = samples.matrices[settings.target.name]
    name = f"{obj.name} follows {settings.target.name}"
    if settings.follow_rotation:
        way = carried(matrices, body.pose, unit)
        return [
            spec.PrescribedPose(
                body=obj.name,
                position=position_curves(way, fps),
                rotation=rotation_curves(way, fps),
                active=active,
                name=name,
            )
        ]
    way = rigid(matrices, unit)
    point = point_on(obj.name, way[0, :3, 3], {obj.name: body.pose})
    return [spec.PrescribedPoint(point=point, path=position_curves(way, fps), active=active, name=name)]
