"""SceneSpec -> a mechanism that a user can take apart: a mesh object a body, an empty a joint, a curve a spring.

What is built here is read back by `read_mechanism` as the same scene, wherever its kinds have objects that mean them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...engine.compile.poses import pose_parts
from ...engine.compile.scene import compile_scene
from ...engine.errors import SceneError
from ...engine.run.simulate import make_frame
from ...engine.scene import spec
from ..rig.rig import metres_per_unit
from .add_joint import add_joint
from .add_spring import add_end, add_spring
from .build_scene import fill_mesh
from .primitives import Surface, surface_of

Floats = NDArray[np.float64]

SHAPES: dict[type, str] = {
    spec.Cuboid: "BOX",
    spec.Sphere: "SPHERE",
    spec.Capsule: "CAPSULE",
    spec.Cylinder: "CYLINDER",
}
"""How the shape of a body's mass is called in Blender; all others are meshes."""
FREE: dict[type, tuple[tuple[int, ...], tuple[int, ...]]] = {
    spec.Universal: ((), (0, 1)),
    spec.Planar: ((0, 1), ()),
    spec.Translational: ((0, 1, 2), ()),
    spec.FreePlanar: ((0, 1), (2,)),
}
"""Axes along and about which generic joints move."""
Loop = spec.LoopPoint | spec.LoopHinge | spec.LoopWeld | spec.LoopSlider | spec.LoopPiston
LOOPS = (spec.LoopPoint, spec.LoopHinge, spec.LoopWeld, spec.LoopSlider, spec.LoopPiston)


@dataclass
class Mechanism:
    """What was built, by the names in the spec."""

    collection: bpy.types.Collection
    bodies: dict[str, bpy.types.Object] = field(default_factory=dict)
    joints: dict[str, bpy.types.Object] = field(default_factory=dict)
    springs: dict[str, bpy.types.Object] = field(default_factory=dict)


def build_mechanism(
    scene: bpy.types.Scene,
    made: spec.SceneSpec,
    *,
    name: str = "",
    anchored: Collection[str] = (),
    surfaces: Mapping[str, Surface] | None = None,
    size: float = 0.25,
) -> Mechanism:
    """Add a scene as objects, in collections of their own, standing where they start.

    anchored: bodies that shall not feel forces, besides those that are fixed to the world.
    surfaces: meshes of bodies that shall not look as their shapes do, in the frame of the shape [m]; mass is in them.
    size: of empties [m], and ten times the radius of springs.
    """
    model = compile_scene(made)
    start = make_frame(model, model.initial_state()).joint_pose
    parent = bpy.data.collections.new(name or made.name or "Mechanism")
    scene.collection.children.link(parent)
    builder = _Builder(parent, 1.0 / metres_per_unit(scene), size)
    fixed = _fixed(made, anchored)
    for body, row in zip(made.bodies, start):
        builder.add_body(body, row, body.name in fixed, (surfaces or {}).get(body.name))
    bpy.context.view_layer.update()
    for body, row in zip(made.bodies, start):
        if body.name not in fixed:
            builder.add_joint(body, row)
    for constraint in made.constraints:
        if isinstance(constraint, spec.LoopDistance):
            builder.add_distance(constraint)
        else:
            builder.add_loop(constraint)
    for force in made.forces:
        if isinstance(force, spec.Spring):
            builder.add_spring(force)
    bpy.context.view_layer.update()
    return builder.made


def _fixed(made: spec.SceneSpec, anchored: Collection[str]) -> set[str]:
    """Names of the bodies that nothing moves."""
    fixed, before = set(anchored), -1
    while len(fixed) > before:  # parents may come after their children
        before = len(fixed)
        fixed |= {
            body.name
            for body in made.bodies
            if isinstance(body.joint.type, spec.Fixed) and (body.parent is None or body.parent in fixed)
        }
    return fixed


class _Builder:
    def __init__(self, parent: bpy.types.Collection, units: float, size: float) -> None:
        self.made = Mechanism(parent)
        self.units = units
        """Blender units a metre."""
        self.size = size * units
        self.rotations: dict[str, Floats] = {}
        """Of the bodies' joint frames in the world, shape (3, 3)."""
        self.folders = {
            what: bpy.data.collections.new(f"{parent.name} {what}")
            for what in ("Bodies", "Joints", "Springs")
        }
        for folder in self.folders.values():
            parent.children.link(folder)

    def matrix(self, rotation: Floats, origin: Floats) -> Matrix:
        matrix = Matrix(rotation.tolist()).to_4x4()
        matrix.translation = (origin * self.units).tolist()
        return matrix

    def add_body(self, body: spec.BodySpec, row: Floats, anchored: bool, surface: Surface | None) -> None:
        """The object's origin and axes are those of the shape."""
        place = f"body '{body.name}'"
        shown = surface_of(body.shape, place) if surface is None else surface
        mesh = bpy.data.meshes.new(body.name)
        fill_mesh(mesh, shown.moved(np.eye(3) * self.units, np.zeros(3)))
        obj = bpy.data.objects.new(body.name, mesh)
        self.folders["Bodies"].objects.link(obj)
        R, p = row[:9].reshape(3, 3), row[9:]
        self.rotations[body.name] = R
        R_shape, p_shape = pose_parts(body.pose, place)
        obj.matrix_world = self.matrix(R @ R_shape, p + R @ p_shape)
        settings = obj.redmax.body
        settings.role = "ANCHORED" if anchored else "ACTIVE"
        settings.shape = SHAPES.get(type(body.shape), "MESH") if surface is None else "MESH"
        settings.drag, settings.weight = body.damping, body.weight
        if body.mass is not None:
            settings.mass_from, settings.mass = "MASS", body.mass
        else:
            settings.density = 1000.0 if body.density is None else body.density
        self.made.bodies[body.name] = obj

    def add_joint(self, body: spec.BodySpec, row: Floats) -> None:
        kind = body.joint.type
        if isinstance(kind, spec.Free):
            return
        R, p = row[:9].reshape(3, 3), row[9:]
        called, free = _kind_of(kind, f"body '{body.name}'")
        if isinstance(kind, spec.Revolute):
            R = R @ _leading(np.array(kind.axis), 2)
        elif isinstance(kind, spec.Prismatic):
            R = R @ _leading(np.array(kind.axis), 0)
        parent = None if body.parent is None else self.made.bodies[body.parent]
        name = body.joint.name or f"{body.name} joint"
        obj = self.new_joint(called, parent, self.made.bodies[body.name], self.matrix(R, p), name)
        _fill_joint(obj.redmax.joint, body.joint, free, called, self.units)

    def new_joint(
        self,
        kind: str,
        first: bpy.types.Object | None,
        second: bpy.types.Object | None,
        pose: Matrix,
        name: str,
    ) -> bpy.types.Object:
        obj = add_joint(kind, first, second, pose, self.folders["Joints"], name=name, size=self.size)
        self.made.joints[name] = obj
        return obj

    def add_loop(self, constraint: spec.ConstraintSpec) -> None:
        """Loops become joints that are always cut; what else holds the scene has no object here."""
        if not isinstance(constraint, LOOPS):
            raise SceneError(
                f"constraint '{constraint.name}'",
                "there are no objects that mean it",
                "Build the scene without it, and set it up by hand.",
            )
        kind, axis = _loop_kind(constraint)
        pose = self.pose_of(constraint.a)
        if axis is not None:
            above = np.eye(3) if constraint.a.body is None else self.rotations[constraint.a.body]
            turned = _leading(above @ np.array(axis), 2 if kind == "HINGE" else 0)
            pose = Matrix.Translation(pose.translation) @ Matrix(turned.tolist()).to_4x4()
        ends = [
            None if end.body is None else self.made.bodies[end.body] for end in (constraint.a, constraint.b)
        ]
        obj = self.new_joint(kind, ends[0], ends[1], pose, constraint.name or "loop")
        obj.redmax.joint.cut = "ALWAYS"

    def pose_of(self, point: spec.Point) -> Matrix:
        """Where a point is in the world, with the axes of its body's shape."""
        local = Matrix.Translation([c * self.units for c in point.position])
        if point.body is None:
            return local
        return self.made.bodies[point.body].matrix_world @ local

    def add_spring(self, spring: spec.Spring) -> None:
        kind = "CABLE" if spring.tension_only else "SPRING"
        settings = self.new_line(kind, spring.name or "spring", spring.points, spring.rest_length)
        settings.stiffness, settings.damping = spring.stiffness, spring.damping

    def add_distance(self, line: spec.LoopDistance) -> None:
        kind = {"equal": "ROD", "at-most": "ROPE", "at-least": "STRUT"}[line.sense]
        self.new_line(kind, line.name or kind.lower(), [line.a, line.b], line.length)

    def new_line(
        self, kind: str, name: str, points: Sequence[spec.Point], length: float | None
    ) -> bpy.types.PropertyGroup:
        """Ends at the middle of a body are hooked to the body itself, others to an empty on it."""
        ends = []
        for i, point in enumerate(points):
            body = None if point.body is None else self.made.bodies[point.body]
            if body is not None and not any(point.position):
                ends.append(body)
                continue
            at = self.pose_of(point).translation
            label = f"{name} end {i + 1}"
            ends.append(add_end(body, at, self.folders["Springs"], name=label, size=0.3 * self.size))
        bpy.context.view_layer.update()
        obj = add_spring(ends, self.folders["Springs"], kind=kind, name=name, radius=0.1 * self.size)
        obj.redmax.spring.rest_length = (length or 0.0) * self.units
        self.made.springs[name] = obj
        return obj.redmax.spring


def _loop_kind(loop: Loop) -> tuple[str, spec.Vec3 | None]:
    """Blender's name of a loop's joint, and its axis in the joint frame of its first body."""
    match loop:
        case spec.LoopPoint(perpendicular_to=None):
            return "POINT", None
        case spec.LoopPoint():  # two rows are all that a planar loop needs of a hinge
            return "HINGE", loop.perpendicular_to
        case spec.LoopHinge():
            return "HINGE", loop.axis
        case spec.LoopSlider():
            return "SLIDER", loop.axis
        case spec.LoopPiston():
            return "PISTON", loop.axis
    return "FIXED", None


def _kind_of(kind: spec.JointKind, place: str) -> tuple[str, tuple[tuple[int, ...], tuple[int, ...]]]:
    """Blender's name of a joint's kind; and its axes of movement and rotation, in the order of its coordinates."""
    match kind:
        case spec.Fixed():
            return "FIXED", ((), ())
        case spec.Revolute():
            return "HINGE", ((), (2,))
        case spec.Prismatic():
            return "SLIDER", ((0,), ())
        case spec.Spherical() | spec.SphericalEuler():
            return "POINT", ((), (0, 1, 2))
        case spec.CompositeJoint():
            free = _along_axes(kind)
            if free is not None:
                return "PISTON" if free == ((0,), (0,)) else "GENERIC", free
    if type(kind) not in FREE:
        raise SceneError(place, "there is no joint between objects of its kind", "Use another kind of joint.")
    return "GENERIC", FREE[type(kind)]


def _along_axes(kind: spec.CompositeJoint) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Axes that a chain of joints slides along and then turns about, in the order in which a generic joint has them;
    None for other chains."""
    slides: list[int] = []
    turns: list[int] = []
    for part in kind.joints:
        if isinstance(part, spec.Spherical) and not turns:
            turns += [0, 1, 2]
            continue
        if not isinstance(part, spec.Prismatic | spec.Revolute) or sorted(part.axis) != [0.0, 0.0, 1.0]:
            return None
        if isinstance(part, spec.Prismatic) and turns:
            return None
        (turns if isinstance(part, spec.Revolute) else slides).append(part.axis.index(1.0))
    ordered = all(sorted(set(axes)) == axes for axes in (slides, turns))
    hinges = turns == [0, 1, 2] and not isinstance(kind.joints[-1], spec.Spherical)  # which are no ball
    return (tuple(slides), tuple(turns)) if ordered and not hinges else None


def _fill_joint(
    settings: bpy.types.PropertyGroup,
    joint: spec.JointSpec,
    free: tuple[tuple[int, ...], tuple[int, ...]],
    kind: str,
    units: float,
) -> None:
    """Springs, dampers and limits of a joint, coordinate by coordinate."""
    coordinates = [("location", i) for i in free[0]] + [("rotation", i) for i in free[1]]
    for k, (what, i) in enumerate(coordinates):
        if kind == "GENERIC":
            getattr(settings, f"free_{what}")[i] = True
        getattr(settings, f"{what}_stiffness")[i] = _entry(joint.stiffness, k) or 0.0
        getattr(settings, f"{what}_damping")[i] = _entry(joint.damping, k) or 0.0
        if joint.limits is None:
            continue
        length = units if what == "location" else 1.0
        lower, upper = _entry(joint.limits.lower, k), _entry(joint.limits.upper, k)
        start = _entry(joint.q, k) or 0.0  # from where an empty measures
        if lower is not None or upper is not None:
            getattr(settings, f"limit_{what}")[i] = True
            getattr(settings, f"{what}_min")[i] = -1e6 if lower is None else (lower - start) * length
            getattr(settings, f"{what}_max")[i] = 1e6 if upper is None else (upper - start) * length


def _entry(values: list[float] | list[float | None] | float | None, k: int) -> float | None:
    return values[k] if isinstance(values, list) else values


def _leading(axis: Floats, column: int) -> Floats:
    """A rotation whose given column is the axis, shape (3, 3); none where it is already."""
    z = axis / np.linalg.norm(axis)
    if abs(z[column] - 1.0) < 1e-12:
        return np.eye(3)
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return np.roll(np.stack([x, np.cross(z, x), z], axis=1), column - 2, axis=1)
