"""What the user meant: the scene as typed, validated structs. The JSON scene file is exactly these types.

Everything is in SI units and refers to other things by name. Nothing here is needed while stepping:
`compile.py` turns a `SceneSpec` into the constant arrays of a `Model`, and finds every error that types alone
cannot express.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from .base import (
    Constant,
    Curve,
    Logistic,
    Name,
    Piece,
    Piecewise,
    Polynomial,
    Pose,
    Sampled,
    Sine,
    SmoothStep,
    Spec,
    Vec3,
)
from .changes import Change, Pull
from .constraints import (
    ConstraintSpec,
    CouplingSpec,
    Gear,
    Guide,
    Interval,
    LoopDistance,
    LoopHinge,
    LoopPiston,
    LoopPoint,
    LoopSlider,
    LoopWeld,
    Mode,
    PrescribedPoint,
    PrescribedPose,
    PrescribedTwist,
    Switch,
    Term,
)
from .contact import ColliderSpec, Hull, JointFriction, Motor, Plane, SelfCollision, Surface, Tube
from .fields import Field, FieldKind
from .flesh import Attachment, FleshSpec, MaterialSpec, SpringFloor, StrandSpec
from .forces import ForceSpec, Point, PointForce, Spring, Tangent, Wind
from .muscles import (
    HillActuator,
    MovingAxis,
    MusclePoint,
    MuscleSpec,
    Over,
    Reflex,
    SpringActuator,
    WithinRange,
    WrapCapsule,
    WrapCylinder,
    WrapEllipsoid,
    WrapShape,
    WrapSpec,
    WrapSphere,
    WrapTorus,
)
from .shapes import Capsule, Composite, Cuboid, Cylinder, Ellipsoid, Inertia, Mesh, Part, Shape, Sphere
from .task import TaskSpec

__all__ = [
    "FORMAT",
    "VERSION",
    "Attachment",
    "BodySpec",
    "Capsule",
    "Change",
    "ColliderSpec",
    "Composite",
    "CompositeJoint",
    "Constant",
    "ConstraintSpec",
    "CouplingSpec",
    "Cuboid",
    "Curve",
    "Cylinder",
    "Ellipsoid",
    "Field",
    "FieldKind",
    "Fixed",
    "FleshSpec",
    "ForceSpec",
    "Free",
    "FreePlanar",
    "Gear",
    "Guide",
    "HillActuator",
    "Hull",
    "Inertia",
    "Interval",
    "JointFriction",
    "JointKind",
    "JointSpec",
    "Limits",
    "Logistic",
    "LoopDistance",
    "LoopHinge",
    "LoopPiston",
    "LoopPoint",
    "LoopSlider",
    "LoopWeld",
    "MaterialSpec",
    "Mesh",
    "Mode",
    "Motor",
    "MovingAxis",
    "MusclePoint",
    "MuscleSpec",
    "Name",
    "Over",
    "Part",
    "Piece",
    "Piecewise",
    "Planar",
    "Plane",
    "Point",
    "PointForce",
    "Polynomial",
    "Pose",
    "PrescribedPoint",
    "PrescribedPose",
    "PrescribedTwist",
    "Prismatic",
    "Pull",
    "Reflex",
    "Revolute",
    "Sampled",
    "SceneSpec",
    "SelfCollision",
    "Shape",
    "Sine",
    "SmoothStep",
    "Sphere",
    "Spherical",
    "SphericalEuler",
    "SplineCurve",
    "SplineSurface",
    "Spring",
    "SpringActuator",
    "SpringFloor",
    "StrandSpec",
    "Surface",
    "Switch",
    "Tangent",
    "TaskSpec",
    "Term",
    "TimeSpec",
    "Translational",
    "Tube",
    "Universal",
    "Vec3",
    "Wind",
    "WithinRange",
    "WrapCapsule",
    "WrapCylinder",
    "WrapEllipsoid",
    "WrapShape",
    "WrapSpec",
    "WrapSphere",
    "WrapTorus",
]

FORMAT: Final = "redmax-scene"
VERSION: Final = 1

# Joints: how a body moves relative to its parent (supplement §4-5). -----------------------------------------


class Fixed(Spec, tag_field="kind", tag="fixed"):
    """No freedom."""


class Revolute(Spec, tag_field="kind", tag="revolute"):
    """One angle [rad] about an axis."""

    axis: Vec3 = (0.0, 0.0, 1.0)


class Prismatic(Spec, tag_field="kind", tag="prismatic"):
    """One length [m] along an axis."""

    axis: Vec3 = (0.0, 0.0, 1.0)


class Planar(Spec, tag_field="kind", tag="planar"):
    """Two lengths [m], along x and y."""


class Translational(Spec, tag_field="kind", tag="translational"):
    """Three lengths [m]."""


class Universal(Spec, tag_field="kind", tag="universal"):
    """Two angles [rad]: about x, then about the turned y."""


class Spherical(Spec, tag_field="kind", tag="spherical"):
    """Three exponential coordinates (a rotation vector) [rad], re-parameterised before 2π."""

    centred: bool = True
    """Whether Euler's steps move along the angular velocity, wherever the coordinates are; otherwise along their rates,
    as the published code does."""


class SphericalEuler(Spec, tag_field="kind", tag="spherical-euler"):
    """Three Euler angles [rad]; the chart is switched on the fly, away from gimbal lock."""

    chart: Literal["XYX", "XZX", "YZY", "YXY", "ZXZ", "ZYZ", "XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX"] = "XYZ"


class Free(Spec, tag_field="kind", tag="free"):
    """Six coordinates: by default position [m] in the parent's frame, then a rotation [rad]."""

    rotation: Literal["exponential", "euler"] = "exponential"
    order: Literal["translation-rotation", "rotation-translation"] = "translation-rotation"
    """With rotation first, the position is measured along the turned axes (supplement §4.8)."""
    centred: bool = True
    """Whether Euler's steps move along the angular velocity and that of the centre of mass, wherever the coordinates
    are; otherwise along the rates of these, as the published code does."""


class FreePlanar(Spec, tag_field="kind", tag="free-planar"):
    """Three coordinates: x and y [m], then an angle about z [rad]."""

    centred: bool = True
    """Whether Euler's steps move the centre of mass along its velocity, rather than the joint."""


class SplineCurve(Spec, tag_field="kind", tag="spline-curve"):
    """One parameter along a cubic B-spline of frames (supplement §5.2); whole numbers are at the knots."""

    frames: list[Pose]
    cyclic: bool = True


class SplineSurface(Spec, tag_field="kind", tag="spline-surface"):
    """Two parameters over a cubic B-spline surface of frames (supplement §5.3)."""

    controls: list[list[list[float]]]
    """controls[i1][i2] = translation x, y, z [m], rotation x, y, z [rad]; i1 goes with q1, i2 with q0."""


class CompositeJoint(Spec, tag_field="kind", tag="composite"):
    """Joints one after the other with nothing between them; their coordinates are concatenated."""

    joints: list[
        Fixed | Revolute | Prismatic | Planar | Translational | Universal | Spherical | SphericalEuler
        | Free | FreePlanar | SplineCurve | SplineSurface | CompositeJoint
    ]  # fmt: skip


JointKind = (
    Fixed | Revolute | Prismatic | Planar | Translational | Universal | Spherical | SphericalEuler
    | Free | FreePlanar | SplineCurve | SplineSurface | CompositeJoint
)  # fmt: skip


class JointSpec(Spec):
    """The joint that carries a body.

    Lists have one entry a coordinate; a single number holds for all of them.
    """

    type: JointKind = msgspec.field(default_factory=Fixed)
    name: Name | None = None
    """The body's name when null."""
    frame: Pose = msgspec.field(default_factory=Pose)
    """The joint's frame at q = 0, in the joint frame of the parent body (in the world for a root)."""
    q: list[float] | float | None = None
    """Initial coordinates; when null, those of `motion` where it prescribes them, and 0 elsewhere."""
    qdot: list[float] | float | None = None
    """Initial velocities; when null, those of `motion` where it prescribes them, and 0 elsewhere."""
    stiffness: list[float] | float = 0.0
    """Spring towards `rest` [N·m/rad or N/m]."""
    damping: list[float] | float = 0.0
    """[N·m·s/rad or N·s/m]"""
    rest: list[float] | float | None = None
    """Coordinates at which the spring is at rest; the initial ones when null."""
    implicit: bool = True
    """Whether Euler's step has spring and damper in its matrix; otherwise the step must be small."""
    torque: list[Curve | None] = msgspec.field(default_factory=list)
    """Applied generalized force [N·m or N], a curve a coordinate."""
    motion: list[Curve | None] = msgspec.field(default_factory=list)
    """Prescribed coordinates over time, a curve a coordinate: the joint follows them exactly."""
    modes: list[Switch] = msgspec.field(default_factory=list)
    """When the motion is followed exactly, guided towards, or left; followed throughout when empty."""
    guide: Guide | None = None
    """How the motion guides the joint in the mode `guided`."""
    wake: float | None = None
    """Impulse of contacts on the body in a step [N·s] above which the joint leaves its motion, and with it all joints
    that have a `wake` and hang together with it; null: never. A later switch takes it back."""
    base: list[Curve | None] = msgspec.field(default_factory=list)
    """How the joint's frame itself moves, whatever the mode: three curves of its origin [m] and three of its rotation
    vector [rad], along and about the axes of `frame`; null stands for zero. Without it the frame is fixed."""
    spring_curve: list[Curve | None] = msgspec.field(default_factory=list)
    """A nonlinear spring: restoring torque [N·m, N] over the distance from `rest`, a curve a coordinate."""
    limits: Limits | None = None
    friction: JointFriction | None = None
    """Dry friction inside the joint; null for none."""
    motors: list[Motor | None] = msgspec.field(default_factory=list)
    """Motors with a torque limit, one a coordinate."""


class Limits(Spec):
    """Bounds of a joint's coordinates; null leaves a side open."""

    lower: list[float | None] | float | None = None
    upper: list[float | None] | float | None = None
    restitution: float = 0.0
    """Fraction of the speed that comes back from the stop."""
    stiffness: float | None = None
    """With this the stop is a spring instead of a hard one [N·m/rad, N/m]."""
    damping: float = 0.0
    """Of a springy stop [N·m·s/rad, N·s/m]."""
    friction: float = 0.0
    """Coefficient at a hard stop, which rubs against the motion of the joint's other coordinates."""
    radius: float = 0.01
    """Where a stop rubs, from the axis [m]: counts in joints that both turn and slide."""


class BodySpec(Spec):
    """A rigid body and the joint that carries it."""

    name: Name
    shape: Shape
    parent: Name | None = None
    """The parent body; null for the world."""
    joint: JointSpec = msgspec.field(default_factory=JointSpec)
    pose: Pose = msgspec.field(default_factory=Pose)
    """The frame of the shape in the joint's frame."""
    density: float | None = None
    """[kg/m³]; 1000 when neither density nor mass is given."""
    mass: float | None = None
    """[kg]; scales the shape's inertia to this mass."""
    weight: float = 1.0
    """How much of gravity it feels: 0 for none of it."""
    damping: float = 0.0
    """Viscous drag on all six components of the body's twist [N·m·s/rad and N·s/m]."""
    implicit: bool = True
    """Whether Euler's step has the damping in its matrix; otherwise the step must be small."""
    surface: Surface | None = None
    """How the body collides; null: it passes through everything."""


class TimeSpec(Spec):
    start: float = 0.0
    end: float = 1.0
    """[s]"""
    step: float = 0.01
    """Step of the fixed-step integrators [s]."""
    record: Annotated[int, Meta(ge=1)] = 1
    """Every how many steps a frame is recorded."""


class SceneSpec(Spec, kw_only=True, omit_defaults=False):
    """A whole scene. Its own fields are always written, so that a file says what it is."""

    format: Literal["redmax-scene"] = FORMAT
    version: Literal[1] = VERSION
    name: str = ""
    gravity: Vec3 = (0.0, 0.0, -9.81)
    """[m/s²]"""
    bodies: list[BodySpec]
    forces: list[ForceSpec] = msgspec.field(default_factory=list)
    constraints: list[ConstraintSpec] = msgspec.field(default_factory=list)
    couplings: list[CouplingSpec] = msgspec.field(default_factory=list)
    flesh: list[FleshSpec] = msgspec.field(default_factory=list)
    strands: list[StrandSpec] = msgspec.field(default_factory=list)
    """Strings of point masses; their nodes come after all vertices of flesh."""
    wraps: list[WrapSpec] = msgspec.field(default_factory=list)
    """Surfaces that muscles can slide over."""
    muscles: list[MuscleSpec] = msgspec.field(default_factory=list)
    colliders: list[ColliderSpec] = msgspec.field(default_factory=list)
    self_collision: SelfCollision = msgspec.field(default_factory=SelfCollision)
    """Which bodies collide with one another."""
    tubes: list[Tube] = msgspec.field(default_factory=list)
    """Smooth skins of chains that collide with themselves."""
    time: TimeSpec = msgspec.field(default_factory=TimeSpec)
    integrator: str = "euler-midway"
    """One of the names that `redmax_blender.engine.integrators` lists."""
    solver: str = "auto"
    """Linear solver of the implicit step: `auto`, `direct` or `pcg`."""
    changes: list[Change] = msgspec.field(default_factory=list)
    """What becomes of the scene while it runs, in the order of their times."""
    pulls: list[Pull] = msgspec.field(default_factory=list)
    """Hands that draw bodies along, one after the other."""
    task: TaskSpec | None = None
    """What `optimise` is to find; simulations take no notice of it."""
