"""The user's settings of mechanisms: an object as a body, an empty as a joint, a curve as a spring. Data only.

Objects with one of Blender's own rigid bodies or rigid body constraints need none of this; what is set here has
precedence.
"""

import bpy
from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    PointerProperty,
)

from .bridge.run.ready import get_ready

ROLES = (
    ("NONE", "None", "Not a body, unless it has one of Blender's own rigid bodies"),
    ("ACTIVE", "Active", "Moves by forces"),
    ("ANCHORED", "Anchored", "Feels no forces: it stands still, or follows its animation exactly"),
)

SHAPES = (
    ("BOX", "Box", "The object's bounding box", "MESH_CUBE", 0),
    ("SPHERE", "Sphere", "A sphere as wide as the bounding box", "MESH_UVSPHERE", 1),
    ("CAPSULE", "Capsule", "A capsule along Z", "MESH_CAPSULE", 2),
    ("CYLINDER", "Cylinder", "A cylinder along Z", "MESH_CYLINDER", 3),
    ("CONE", "Cone", "A cone along Z, its tip up", "MESH_CONE", 4),
    ("CONVEX_HULL", "Convex Hull", "The smallest convex body around the mesh", "MESH_ICOSPHERE", 5),
    ("MESH", "Mesh", "The mesh itself, which must be closed", "MESH_MONKEY", 6),
)

JOINT_KINDS = (
    ("NONE", "None", "Not a joint, unless it has one of Blender's own rigid body constraints"),
    ("FIXED", "Fixed", "The two objects do not move against each other"),
    ("POINT", "Point", "They turn about every axis, as a ball in its socket"),
    ("HINGE", "Hinge", "They turn about the empty's Z axis"),
    ("SLIDER", "Slider", "They slide along the empty's X axis"),
    ("PISTON", "Piston", "They slide along the empty's X axis and turn about it"),
    ("SCREW", "Screw", "They turn about the empty's X axis and advance along it by the pitch for each turn"),
    ("UNIVERSAL", "Universal", "They turn about the empty's X axis and then about its Y axis"),
    ("PLANAR", "Planar", "They slide along the empty's X and Y axes and do not turn"),
    ("FREE_PLANAR", "Planar, Turning", "They slide along the empty's X and Y axes and turn about its Z axis"),
    ("TRANSLATIONAL", "Translational", "They slide along all three axes and do not turn"),
    ("CURVE", "Curve", "The second object slides along a curve, which the first one carries"),
    ("SURFACE", "Surface", "The second object slides over a surface, which the first one carries"),
    ("GENERIC", "Generic", "They move along and about the axes that are free"),
)

TURNS = (
    ("FREE", "Free", "It turns as it likes, as a bead on a wire"),
    ("FOLLOW", "Follow", "It turns as the curve or surface does, as a train on its rails"),
    ("KEEP", "Keep", "It does not turn"),
)

CUTS = (
    ("AUTO", "Automatic", "RedMax chooses which joint of a loop is cut"),
    ("ALWAYS", "Always", "This joint is held by a constraint, not by the tree of joints"),
    ("NEVER", "Never", "This joint is part of the tree of joints"),
)

MOTOR_KINDS = (
    (
        "FALLING",
        "Torque Drops with Speed",
        "Full torque or force at standstill, less the faster it goes, none at its top speed",
    ),
    ("LIMITED", "Speed", "Keeps its speed with whatever force that takes, up to the largest one"),
    ("KEYED", "Keyframed", "Follows the angle or distance below exactly, with whatever force that takes"),
)

SPRING_KINDS = (
    ("NONE", "None", "Just a curve"),
    ("SPRING", "Spring", "Pulls and pushes towards its rest length"),
    ("CABLE", "Cable", "Pulls only, like a rubber string"),
    ("ROPE", "Rope", "Its ends come no further apart than its length; it does not stretch"),
    ("ROD", "Rod", "Its ends keep their distance, as on a massless rod between two ball joints"),
    ("STRUT", "Strut", "Its ends come no nearer than its length"),
)
LINES = ("ROPE", "ROD", "STRUT")
"""Kinds that have a length and no stiffness."""


def _setting(**more):
    return {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}, **more}


def _other_object(self, obj):
    return obj != self.id_data


def _mesh_object(self, obj):
    return obj != self.id_data and obj.type == "MESH"


def _path_object(self, obj):
    return obj.type == ("MESH" if self.kind == "SURFACE" else "CURVE")


def _other_empty(self, obj):
    return obj != self.id_data and obj.type == "EMPTY"


class REDMAX_PG_body(bpy.types.PropertyGroup):
    """A mesh object as a rigid body."""

    role: EnumProperty(
        name="Body",
        description="How the object takes part in the simulation",
        items=ROLES,
        update=get_ready,
        **_setting(),
    )
    shape: EnumProperty(
        name="Shape",
        description="Where the body's mass is",
        items=SHAPES,
        default="CONVEX_HULL",
        **_setting(),
    )
    mass_from: EnumProperty(
        name="Mass From",
        description="What the body's mass follows from",
        items=(
            ("DENSITY", "Density", "Mass is density × volume of the shape"),
            ("MASS", "Mass", "Mass is given"),
        ),
        default="DENSITY",
        **_setting(),
    )
    density: FloatProperty(
        name="Density",
        description="Density of the body, in kg/m³ (water: 1000)",
        min=0.001,
        soft_max=10000.0,
        default=1000.0,
        precision=1,
        **_setting(),
    )
    mass: FloatProperty(
        name="Mass",
        description="Mass of the body, in kg",
        min=0.000001,
        soft_max=1000.0,
        default=1.0,
        precision=3,
        **_setting(),
    )
    weight: FloatProperty(
        name="Gravity",
        description="How much of gravity the body feels: 0 for none of it, 1 for all",
        default=1.0,
        soft_min=0.0,
        soft_max=1.0,
        subtype="FACTOR",
        precision=3,
        **_setting(),
    )
    drag: FloatProperty(
        name="Drag",
        description="Resistance against all motion of the body, in N·s/m and N·m·s/rad",
        min=0.0,
        soft_max=100.0,
        precision=3,
        **_setting(),
    )
    target: PointerProperty(
        name="Target",
        type=bpy.types.Object,
        description="Object to follow: the point of the body where it is at the first frame follows it exactly",
        poll=_other_object,
        **_setting(),
    )
    follow: BoolProperty(
        name="Follow",
        description="The body follows its target; animate it to take hold and to let go",
        default=True,
        override={"LIBRARY_OVERRIDABLE"},
    )
    follow_rotation: BoolProperty(
        name="Rotation", description="The body turns with its target as well", **_setting()
    )


class REDMAX_PG_joint(bpy.types.PropertyGroup):
    """An empty as a joint between two bodies, or between a body and the world."""

    kind: EnumProperty(name="Joint", description="How the objects may move", items=JOINT_KINDS, **_setting())
    object1: PointerProperty(
        name="First",
        type=bpy.types.Object,
        description="First body; empty for the world",
        poll=_mesh_object,
        **_setting(),
    )
    object2: PointerProperty(
        name="Second",
        type=bpy.types.Object,
        description="Second body; empty for the world",
        poll=_mesh_object,
        **_setting(),
    )
    other: PointerProperty(
        name="Second End",
        type=bpy.types.Object,
        description="Empty on the second object that belongs where the joint is, when the two are not together yet: "
        "Assemble brings them there. Angles and lengths are zero where the two empties agree",
        poll=_other_empty,
        **_setting(),
    )
    path: PointerProperty(
        name="Along",
        type=bpy.types.Object,
        description="Curve that the second object slides along, or mesh that it slides over",
        poll=_path_object,
        **_setting(),
    )
    path_turn: EnumProperty(
        name="Turning",
        description="How the second object turns on the curve or surface",
        items=TURNS,
        **_setting(),
    )
    pitch: FloatProperty(
        name="Pitch",
        description="How far a screw advances along the empty's X axis in a whole turn about it; negative for a "
        "left-handed thread",
        default=0.01,
        soft_min=-1.0,
        soft_max=1.0,
        precision=4,
        subtype="DISTANCE",
        **_setting(),
    )
    stop_at_ends: BoolProperty(
        name="Stop at Ends",
        description="It does not leave an open curve at its ends, or a surface at its rim",
        default=True,
        **_setting(),
    )
    cut: EnumProperty(
        name="Loop Closure",
        description="Whether this joint may close a loop of joints as a constraint, instead of being part of the tree",
        items=CUTS,
        **_setting(),
    )
    free_location: BoolVectorProperty(
        name="Free", description="Moves along this axis of the empty", size=3, subtype="XYZ", **_setting()
    )
    free_rotation: BoolVectorProperty(
        name="Free", description="Turns about this axis of the empty", size=3, subtype="XYZ", **_setting()
    )
    limit_location: BoolVectorProperty(
        name="Limit", description="Movement along this axis is limited", size=3, **_setting()
    )
    location_min: FloatVectorProperty(
        name="Min",
        description="Smallest distance along each axis, from where it starts",
        soft_min=-10.0,
        soft_max=0.0,
        subtype="TRANSLATION",
        default=(-1.0,) * 3,
        **_setting(),
    )
    location_max: FloatVectorProperty(
        name="Max",
        description="Largest distance along each axis, from where it starts",
        soft_min=0.0,
        soft_max=10.0,
        subtype="TRANSLATION",
        default=(1.0,) * 3,
        **_setting(),
    )
    limit_rotation: BoolVectorProperty(
        name="Limit", description="Rotation about this axis is limited", size=3, **_setting()
    )
    rotation_min: FloatVectorProperty(
        name="Min",
        description="Smallest angle about each axis, from where it starts",
        soft_min=-3.141593,
        soft_max=0.0,
        subtype="EULER",
        default=(-0.785398,) * 3,
        **_setting(),
    )
    rotation_max: FloatVectorProperty(
        name="Max",
        description="Largest angle about each axis, from where it starts",
        soft_min=0.0,
        soft_max=3.141593,
        subtype="EULER",
        default=(0.785398,) * 3,
        **_setting(),
    )
    location_stiffness: FloatVectorProperty(
        name="Stiffness",
        description="Spring towards where it starts, in N/m",
        min=0.0,
        soft_max=10000.0,
        **_setting(),
    )
    location_damping: FloatVectorProperty(
        name="Damping",
        description="Force against the motion, in N·s/m",
        min=0.0,
        soft_max=1000.0,
        **_setting(),
    )
    rotation_stiffness: FloatVectorProperty(
        name="Stiffness",
        description="Spring towards where it starts, in N·m/rad",
        min=0.0,
        soft_max=10000.0,
        **_setting(),
    )
    rotation_damping: FloatVectorProperty(
        name="Damping",
        description="Torque against the motion, in N·m·s/rad",
        min=0.0,
        soft_max=1000.0,
        **_setting(),
    )
    use_motor: BoolProperty(name="Motor", description="A motor drives the joint", **_setting())
    motor_kind: EnumProperty(name="Drive", description="What the motor does", items=MOTOR_KINDS, **_setting())
    motor_angle: FloatProperty(
        name="Angle",
        description="Angle that a keyframed motor turns the second object to against the first. "
        "Key it; the angle at the first frame stands for how they are then",
        subtype="ANGLE",
        soft_min=-6.283185,
        soft_max=6.283185,
        override={"LIBRARY_OVERRIDABLE"},
    )
    motor_distance: FloatProperty(
        name="Distance",
        description="Distance that a keyframed motor moves the second object to against the first. "
        "Key it; the distance at the first frame stands for how they are then",
        subtype="DISTANCE",
        soft_min=-10.0,
        soft_max=10.0,
        override={"LIBRARY_OVERRIDABLE"},
    )
    motor_speed: FloatProperty(
        name="Speed",
        description="Speed that the motor drives at without load, in rad/s (a slider's: m/s)",
        soft_min=-100.0,
        soft_max=100.0,
        default=1.0,
        **_setting(),
    )
    motor_force: FloatProperty(
        name="Force",
        description="Largest torque of the motor, in N·m (a slider's force: N)",
        min=0.0,
        soft_max=1000.0,
        default=1.0,
        **_setting(),
    )


class REDMAX_PG_socket(bpy.types.PropertyGroup):
    """A place of a part that is made to be connected."""

    place: FloatVectorProperty(
        name="Place",
        description="In the object's own axes",
        soft_min=-100.0,
        soft_max=100.0,
        subtype="TRANSLATION",
        **_setting(),
    )
    axis: FloatVectorProperty(
        name="Axis",
        description="Of a joint there, in the object's own axes; its length does not matter",
        soft_min=-1.0,
        soft_max=1.0,
        default=(0.0, 0.0, 1.0),
        **_setting(),
    )
    radius: FloatProperty(
        name="Radius",
        description="At which teeth or belts run around the axis; 0 for none",
        min=0.0,
        soft_max=100.0,
        subtype="DISTANCE",
        **_setting(),
    )


class REDMAX_PG_spring(bpy.types.PropertyGroup):
    """A curve as a spring, a cable, a rope or a rod between the objects that its points are hooked to."""

    kind: EnumProperty(
        name="Spring", description="How the curve holds its ends", items=SPRING_KINDS, **_setting()
    )
    stiffness: FloatProperty(
        name="Stiffness",
        description="Force for a metre of stretch, in N/m",
        min=0.0,
        soft_max=10000.0,
        default=100.0,
        **_setting(),
    )
    damping: FloatProperty(
        name="Damping",
        description="Force against a change of length, in N·s/m",
        min=0.0,
        soft_max=100.0,
        default=1.0,
        **_setting(),
    )
    rest_length: FloatProperty(
        name="Rest Length",
        description="Length without force, or of a rope, a rod or a strut; 0 for the length at the first frame",
        min=0.0,
        soft_max=100.0,
        subtype="DISTANCE",
        **_setting(),
    )


CLASSES = (REDMAX_PG_body, REDMAX_PG_joint, REDMAX_PG_socket, REDMAX_PG_spring)
