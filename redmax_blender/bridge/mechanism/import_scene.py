"""A scene file as objects of a mechanism, with its friction, surfaces, colliders and time."""

from __future__ import annotations

from math import ceil
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...engine.compile.poses import pose_parts
from ...engine.errors import SceneError
from ...engine.scene import spec
from ...engine.scene.file import load_scene
from ..flesh.own_tets import add_flesh, check_flesh
from ..read.tubes import half_thickness
from ..rig.rig import metres_per_unit
from .build_colliders import collider_poses
from .build_mechanism import Mechanism, build_mechanism
from .build_scene import fill_mesh, key_poses
from .joint_couplings import REDUCED
from .primitives import Surface, surface_of

Floats = NDArray[np.float64]

COLLIDER_SHAPES: dict[type, str] = {
    spec.Cuboid: "BOX",
    spec.Sphere: "SPHERE",
    spec.Capsule: "CAPSULE",
    spec.Cylinder: "CYLINDER",
    spec.Hull: "CONVEX_HULL",
}
"""How the shape of a collider is called in Blender; all others are meshes."""
GROUND = 20.0
"""Side of the plane that shows a ground [m]."""


def import_scene(context: bpy.types.Context, path: str | Path) -> Mechanism:
    """Add the scene of a file as objects; range, step and gravity of the Blender scene follow it.

    SceneError where it holds something that no object means; nothing is added then.
    """
    made = load_scene(path)
    return add_scene(context.scene, made, name=made.name or Path(path).stem)


def add_scene(scene: bpy.types.Scene, made: spec.SceneSpec, *, name: str = "") -> Mechanism:
    """Add a scene as objects that a simulation reads back as the same scene."""
    check_supported(made)
    before = set(bpy.data.objects), set(bpy.data.collections), set(bpy.data.meshes), set(bpy.data.curves)
    try:
        mechanism = build_mechanism(scene, made, name=name)
        add_contact(scene, made, mechanism)
        add_couplings(made, mechanism)
        add_soft(scene, made, mechanism)
    except SceneError:
        _remove_new(*before)
        raise
    set_time(scene, made)
    bpy.context.view_layer.update()
    return mechanism


def check_supported(made: spec.SceneSpec) -> None:
    """What has no object at all, before anything is built."""
    if made.strands:
        raise SceneError(
            "strands", "there are no objects that mean them", "Run the file on the command line instead."
        )
    for flesh in made.flesh:
        check_flesh(flesh)
    for coupling in made.couplings:
        if any(term.index or term.factor == 0.0 for term in coupling.terms):
            raise SceneError(
                f"coupling '{coupling.name}'",
                "it is of joints with several coordinates, or one of its factors is zero",
                "Couple hinges and sliders, or run the file on the command line instead.",
            )


def add_contact(scene: bpy.types.Scene, made: spec.SceneSpec, mechanism: Mechanism) -> None:
    """Friction of joints, surfaces of bodies, and colliders."""
    units = 1.0 / metres_per_unit(scene)
    for body in made.bodies:
        obj = mechanism.bodies[body.name]
        _fill_surface(obj.redmax.surface, body.surface, units)
        joint = body.joint.name or f"{body.name} joint"
        _fill_friction(mechanism, joint, body.joint.friction, units)
        _fill_stops(mechanism, joint, body.joint.limits, units)
    for loop in made.constraints:
        if isinstance(loop, (spec.LoopPoint, spec.LoopHinge, spec.LoopSlider, spec.LoopPiston)):
            _fill_friction(mechanism, loop.name, loop.friction, units)
    for tube in made.tubes:
        _fill_tube(mechanism, made, tube, units)
    if not made.colliders:
        return
    folder = bpy.data.collections.new(f"{mechanism.collection.name} Colliders")
    mechanism.collection.children.link(folder)
    for collider in made.colliders:
        add_collider(scene, made, collider, folder, units)


def add_soft(scene: bpy.types.Scene, made: spec.SceneSpec, mechanism: Mechanism) -> None:
    """Flesh, as meshes of its tetrahedra."""
    if not made.flesh:
        return
    units = 1.0 / metres_per_unit(scene)
    folder = bpy.data.collections.new(f"{mechanism.collection.name} Flesh")
    mechanism.collection.children.link(folder)
    for flesh in made.flesh:
        obj = add_flesh(flesh, folder, units)
        _fill_surface(obj.redmax.surface, flesh.surface, units)


def add_couplings(made: spec.SceneSpec, mechanism: Mechanism) -> None:
    """The first joint of each coupling leads, and the others move with it."""
    named = {body.name: body.joint.name or f"{body.name} joint" for body in made.bodies}
    for coupling in made.couplings:
        joints = [mechanism.joints.get(named.get(term.joint, term.joint)) for term in coupling.terms]
        if any(joint is None or joint.redmax.joint.kind not in REDUCED for joint in joints):
            raise SceneError(
                f"coupling '{coupling.name}'",
                "there are no objects that mean it: one of its joints is neither a hinge nor a slider",
                "Run the file on the command line instead.",
            )
        for joint, term in zip(joints[1:], coupling.terms[1:]):
            joint.redmax.coupling.joint = joints[0]
            joint.redmax.coupling.ratio = term.factor / coupling.terms[0].factor


def add_collider(
    scene: bpy.types.Scene,
    made: spec.SceneSpec,
    collider: spec.ColliderSpec,
    folder: bpy.types.Collection,
    units: float,
) -> bpy.types.Object:
    """An object for a collider, with `units` Blender units a metre; one that moves is keyed at every frame."""
    mesh = bpy.data.meshes.new(collider.name)
    fill_mesh(mesh, _surface_of(collider).moved(np.eye(3) * units, np.zeros(3)))
    obj = bpy.data.objects.new(collider.name, mesh)
    folder.objects.link(obj)
    if collider.motion:
        fps, frames = scene.render.fps / scene.render.fps_base, np.arange(_length(scene, made) + 1.0)
        poses = collider_poses(collider, collider.name, made.time.start + frames / fps, 1.0 / units)
        key_poses(obj, scene.redmax.frame_start + frames, poses)
    else:
        R, p = pose_parts(collider.pose, f"collider '{collider.name}'")
        obj.matrix_world = Matrix.Translation((p * units).tolist()) @ Matrix(R.tolist()).to_4x4()
    settings, surface = obj.redmax.collider, obj.redmax.surface
    settings.role = "GROUND" if isinstance(collider.shape, spec.Plane) else "COLLIDER"
    settings.shape = COLLIDER_SHAPES.get(type(collider.shape), "MESH")
    surface.friction, surface.restitution = collider.friction, collider.restitution
    surface.group = collider.groups[0] if collider.groups else ""
    return obj


def set_time(scene: bpy.types.Scene, made: spec.SceneSpec) -> None:
    """Range, substeps, integrator and gravity, at the scene's own frame rate."""
    fps = scene.render.fps / scene.render.fps_base
    settings = scene.redmax
    settings.frame_end = settings.frame_start + _length(scene, made)
    settings.substeps = max(ceil(1.0 / (fps * made.time.step) - 1e-6), 1)
    if made.integrator in settings.bl_rna.properties["integrator"].enum_items:
        settings.integrator = made.integrator
    scene.use_gravity, scene.gravity = True, made.gravity
    settings.gravity_in_scene_units = False


def _length(scene: bpy.types.Scene, made: spec.SceneSpec) -> int:
    """Of the range [frames]."""
    fps = scene.render.fps / scene.render.fps_base
    return max(ceil((made.time.end - made.time.start) * fps - 1e-6), 1)


def _fill_friction(
    mechanism: Mechanism, joint: str, friction: spec.JointFriction | None, units: float
) -> None:
    if friction is None or joint not in mechanism.joints:
        return
    settings = mechanism.joints[joint].redmax.friction
    settings.coefficient, settings.static = friction.coefficient, friction.static or 0.0
    settings.radius, settings.height = friction.radius * units, friction.height * units


def _fill_stops(mechanism: Mechanism, joint: str, limits: spec.Limits | None, units: float) -> None:
    if limits is None or joint not in mechanism.joints:
        return
    settings = mechanism.joints[joint].redmax.friction
    settings.stop_friction, settings.stop_restitution = limits.friction, limits.restitution
    if limits.friction > 0.0:
        settings.stop_radius = limits.radius * units


def _fill_surface(settings: bpy.types.PropertyGroup, surface: spec.Surface | None, units: float) -> None:
    settings.collide = surface is not None
    if surface is not None:
        settings.friction, settings.restitution = surface.friction, surface.restitution
        settings.margin = surface.margin * units
        settings.group = surface.groups[0] if surface.groups else ""


def _fill_tube(mechanism: Mechanism, made: spec.SceneSpec, tube: spec.Tube, units: float) -> None:
    """Its bodies collide; where the tube is thicker than they are, a margin is around them."""
    bodies = {body.name: body for body in made.bodies}
    radii = tube.radius if isinstance(tube.radius, list) else [tube.radius] * len(tube.bodies)
    for name, radius in zip(tube.bodies, radii):
        settings = mechanism.bodies[name].redmax.surface
        settings.collide = settings.tube = True
        settings.friction, settings.restitution = tube.friction, tube.restitution
        settings.margin = max(radius - half_thickness(bodies[name]), 0.0) * units


def _surface_of(collider: spec.ColliderSpec) -> Surface:
    shape = collider.shape
    if isinstance(shape, spec.Plane):
        half = 0.5 * GROUND
        corners = np.array([(-half, -half, 0.0), (half, -half, 0.0), (half, half, 0.0), (-half, half, 0.0)])
        return Surface(corners, [[0, 1, 2, 3]], np.zeros(1, bool))
    if isinstance(shape, spec.Hull):
        from scipy.spatial import ConvexHull  # takes a second to load

        points = np.array(shape.vertices, float)
        hull = ConvexHull(points)
        corners = points[hull.simplices]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        inwards = np.einsum("ij,ij->i", normals, hull.equations[:, :3]) < 0.0
        faces = np.where(inwards[:, None], hull.simplices[:, ::-1], hull.simplices).tolist()
        return Surface(points, faces, np.zeros(len(faces), bool))
    return surface_of(shape, f"collider '{collider.name}'")


def _remove_new(objects: set, collections: set, meshes: set, curves: set) -> None:
    """Nothing half-built stays."""
    for kept, data in (
        (objects, bpy.data.objects),
        (collections, bpy.data.collections),
        (meshes, bpy.data.meshes),
        (curves, bpy.data.curves),
    ):
        for block in set(data) - kept:
            data.remove(block)
