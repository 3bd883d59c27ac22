"""What the user meant: the scene as typed, validated structs. The JSON scene file is exactly these types.

Everything is in SI units and refers to other things by name. Nothing here is needed while stepping:
`compile.py` turns a `SceneSpec` into the constant arrays of a `Model`, and finds every error that types alone
cannot express.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

FORMAT: Final = "redmax-scene"
VERSION: Final = 1

Vec3 = tuple[float, float, float]
Name = Annotated[str, Meta(min_length=1)]


class _Spec(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Settings of every struct in a scene file: unknown fields are errors, defaults are not written."""


class Pose(_Spec):
    """A rigid transform: where a frame is, seen from the frame it is given in."""

    position: Vec3 = (0.0, 0.0, 0.0)
    """Origin [m]."""
    rotation: list[float] = msgspec.field(default_factory=lambda: [1.0, 0.0, 0.0, 0.0])
    """Quaternion (w, x, y, z), or rotation vector (x, y, z) [rad] when three numbers are given."""


# Curves: how an input varies with time. Each has a value and its first two time derivatives. ----------------


class Constant(_Spec, tag_field="kind", tag="constant"):
    value: float


class Sine(_Spec, tag_field="kind", tag="sine"):
    """offset + amplitude · sin(2π · frequency · t + phase)."""

    amplitude: float
    frequency: float
    """[Hz]"""
    phase: float = 0.0
    """[rad]"""
    offset: float = 0.0


class SmoothStep(_Spec, tag_field="kind", tag="smooth-step"):
    """From one value to another between two times, at rest and unaccelerated at both ends (quintic)."""

    t0: float
    t1: float
    start: float = 0.0
    end: float = 1.0


class Logistic(_Spec, tag_field="kind", tag="logistic"):
    """height / (1 + exp(-steepness · s)), with s going from -1 at t0 to 1 at t1."""

    t0: float
    t1: float
    height: float = 1.0
    steepness: float = 7.0


class Polynomial(_Spec, tag_field="kind", tag="polynomial"):
    """Σ coefficients[k] · (t - t0)^k."""

    coefficients: list[float]
    t0: float = 0.0


class Sampled(_Spec, tag_field="kind", tag="sampled"):
    """Values at given times; held before the first and after the last."""

    times: list[float]
    """Strictly increasing [s]."""
    values: list[float]
    interpolation: Literal["cubic", "linear", "step"] = "cubic"


class Piece(_Spec):
    curve: Constant | Sine | SmoothStep | Logistic | Polynomial | Sampled
    until: float | None = None
    """First time [s] at which the next piece applies; null for ever (last piece only)."""


class Piecewise(_Spec, tag_field="kind", tag="piecewise"):
    pieces: list[Piece]


Curve = Constant | Sine | SmoothStep | Logistic | Polynomial | Sampled | Piecewise

# Shapes: from which mass and inertia follow. ----------------------------------------------------------------


class Cuboid(_Spec, tag_field="kind", tag="cuboid"):
    sides: Vec3
    """Full lengths along x, y, z [m]."""


class Sphere(_Spec, tag_field="kind", tag="sphere"):
    radius: float


class Cylinder(_Spec, tag_field="kind", tag="cylinder"):
    """Axis along z, centred."""

    radius: float
    height: float


class Capsule(_Spec, tag_field="kind", tag="capsule"):
    """Axis along z, centred: a cylinder of the given height with a hemisphere on each end."""

    radius: float
    height: float
    """Length of the cylindrical part [m], without the caps."""


class Ellipsoid(_Spec, tag_field="kind", tag="ellipsoid"):
    radii: Vec3


class Mesh(_Spec, tag_field="kind", tag="mesh"):
    """A closed triangle mesh, its triangles counter-clockwise seen from outside."""

    vertices: list[Vec3]
    triangles: list[tuple[int, int, int]]


class Inertia(_Spec, tag_field="kind", tag="inertia"):
    """No geometry: the mass properties themselves, about the centre of mass, in principal axes."""

    mass: float
    moments: Vec3
    """Principal moments [kg·m²]."""


class Part(_Spec):
    shape: Cuboid | Sphere | Cylinder | Capsule | Ellipsoid | Mesh | Inertia
    pose: Pose = msgspec.field(default_factory=Pose)
    density: float | None = None
    """[kg/m³]; the body's own density when null."""


class Composite(_Spec, tag_field="kind", tag="composite"):
    parts: list[Part]


Shape = Cuboid | Sphere | Cylinder | Capsule | Ellipsoid | Mesh | Inertia | Composite

# Joints: how a body moves relative to its parent (supplement §4-5). -----------------------------------------


class Fixed(_Spec, tag_field="kind", tag="fixed"):
    """No freedom."""


class Revolute(_Spec, tag_field="kind", tag="revolute"):
    """One angle [rad] about an axis."""

    axis: Vec3 = (0.0, 0.0, 1.0)


class Prismatic(_Spec, tag_field="kind", tag="prismatic"):
    """One length [m] along an axis."""

    axis: Vec3 = (0.0, 0.0, 1.0)


class Planar(_Spec, tag_field="kind", tag="planar"):
    """Two lengths [m], along x and y."""


class Translational(_Spec, tag_field="kind", tag="translational"):
    """Three lengths [m]."""


class Universal(_Spec, tag_field="kind", tag="universal"):
    """Two angles [rad]: about x, then about the turned y."""


class Spherical(_Spec, tag_field="kind", tag="spherical"):
    """Three exponential coordinates (a rotation vector) [rad], re-parameterised before 2π."""


class SphericalEuler(_Spec, tag_field="kind", tag="spherical-euler"):
    """Three Euler angles [rad]; the chart is switched on the fly, away from gimbal lock."""

    chart: Literal[
        "XYX", "XZX", "YZY", "YXY", "ZXZ", "ZYZ", "XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX"
    ] = "XYZ"


class Free(_Spec, tag_field="kind", tag="free"):
    """Six coordinates: by default position [m] in the parent's frame, then a rotation [rad]."""

    rotation: Literal["exponential", "euler"] = "exponential"
    order: Literal["translation-rotation", "rotation-translation"] = "translation-rotation"
    """With rotation first, the position is measured along the turned axes (supplement §4.8)."""


class FreePlanar(_Spec, tag_field="kind", tag="free-planar"):
    """Three coordinates: x and y [m], then an angle about z [rad]."""


class SplineCurve(_Spec, tag_field="kind", tag="spline-curve"):
    """One parameter along a cubic B-spline of frames (supplement §5.2); whole numbers are at the knots."""

    frames: list[Pose]
    cyclic: bool = True


class SplineSurface(_Spec, tag_field="kind", tag="spline-surface"):
    """Two parameters over a cubic B-spline surface of frames (supplement §5.3)."""

    controls: list[list[list[float]]]
    """controls[i1][i2] = translation x, y, z [m], rotation x, y, z [rad]; i1 goes with q1, i2 with q0."""


class CompositeJoint(_Spec, tag_field="kind", tag="composite"):
    """Joints one after the other with nothing between them; their coordinates are concatenated."""

    joints: list[
        Fixed | Revolute | Prismatic | Planar | Translational | Universal | Spherical | SphericalEuler
        | Free | FreePlanar | SplineCurve | SplineSurface | CompositeJoint
    ]  # fmt: skip


JointKind = (
    Fixed | Revolute | Prismatic | Planar | Translational | Universal | Spherical | SphericalEuler
    | Free | FreePlanar | SplineCurve | SplineSurface | CompositeJoint
)  # fmt: skip


class JointSpec(_Spec):
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
    torque: list[Curve | None] = msgspec.field(default_factory=list)
    """Applied generalized force [N·m or N], a curve a coordinate."""
    motion: list[Curve | None] = msgspec.field(default_factory=list)
    """Prescribed coordinates over time, a curve a coordinate: the joint follows them exactly."""


class BodySpec(_Spec):
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
    damping: float = 0.0
    """Viscous drag on all six components of the body's twist [N·m·s/rad and N·s/m]."""


class TimeSpec(_Spec):
    start: float = 0.0
    end: float = 1.0
    """[s]"""
    step: float = 0.01
    """Step of the fixed-step integrators [s]."""
    record: Annotated[int, Meta(ge=1)] = 1
    """Every how many steps a frame is recorded."""


class SceneSpec(_Spec, kw_only=True, omit_defaults=False):
    """A whole scene. Its own fields are always written, so that a file says what it is."""

    format: Literal["redmax-scene"] = FORMAT
    version: Literal[1] = VERSION
    name: str = ""
    gravity: Vec3 = (0.0, 0.0, -9.81)
    """[m/s²]"""
    bodies: list[BodySpec]
    time: TimeSpec = msgspec.field(default_factory=TimeSpec)
    integrator: str = "euler"
    """One of the names that `redmax_blender.engine.integrators` lists."""
