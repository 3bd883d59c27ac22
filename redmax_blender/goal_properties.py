"""The user's goals: what a simulation is to reach, and what may change for that. Data only."""

import bpy
from bpy.props import (
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from .friction_properties import FRAMES

GOALS = (
    ("REACH", "Reach", "It is where the target is, at the frame"),
    ("REST", "Come to Rest", "It stands still at the frame"),
    ("POSE", "Keyed Pose", "The armature, or its bone, is posed at the frame as it is keyed there"),
    ("KEYS", "Pass Keys", "The armature, or its bone, is posed as it is keyed at each frame that has keys"),
    ("FOLLOW", "Resemble Keys", "The armature, or its bone, moves as it is keyed, at all frames"),
)

CHANGES = (
    ("VELOCITY", "Start Velocity", "How fast the body flies at the first frame"),
    ("SPIN", "Start Spin", "How fast the body turns at the first frame"),
    ("PLACE", "Start Place", "Where the body is at the first frame"),
    ("SPEEDS", "Start Speeds", "How fast the joints of the bones move at the first frame"),
    ("PUSH", "Push", "A force on the body or bone at a frame"),
    ("TORQUE", "Joint Torques", "Torques in the joints of the bones, over time"),
    ("EXCITATION", "Excitation", "How much the muscle is excited, over time"),
    ("FRICTION", "Surface Friction", "The coefficient of friction of the body's surface"),
    ("STIFFNESS", "Stiffness", "A factor for the stiffness of the bones' joints"),
    ("DAMPING", "Damping", "A factor for the damping of the bones' joints"),
    ("MASS", "Mass", "A factor for the mass of the body or of the bones"),
)

METHODS = (
    (
        "AUTO",
        "Automatic",
        "By gradients, at random where things touch, and by least squares for what is to resemble keys",
    ),
    (
        "GRADIENT",
        "Gradients",
        "Along the derivatives of the whole simulation: for many numbers, and what moves smoothly",
    ),
    ("LEAST_SQUARES", "Least Squares", "By the change of every distance with every number: for few numbers"),
    (
        "EVOLUTION",
        "At Random",
        "At random about the best so far, in the directions that do well: for impacts, rolling and sliding",
    ),
)


def _setting(**more):
    return {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}, **more}


class REDMAX_PG_goal(bpy.types.PropertyGroup):
    """One thing that is wanted."""

    kind: EnumProperty(name="Goal", description="What is wanted", items=GOALS, **_setting())
    object: PointerProperty(
        name="Of", type=bpy.types.Object, description="The body, or the armature of the bone", **_setting()
    )
    bone: StringProperty(name="Bone", description="The bone whose tip the goal is about", **_setting())
    target: PointerProperty(
        name="Target", type=bpy.types.Object, description="Where it is to be at the frame", **_setting()
    )
    frame: IntProperty(
        name="At Frame",
        description="When it is wanted; a frame of the simulation's range",
        min=-FRAMES,
        max=FRAMES,
        default=250,
        **_setting(),
    )
    weight: FloatProperty(
        name="Weight",
        description="How much this goal counts against the others, without unit",
        min=0.0,
        soft_max=100.0,
        default=1.0,
        **_setting(),
    )


class REDMAX_PG_change(bpy.types.PropertyGroup):
    """One thing that may change."""

    kind: EnumProperty(name="What", description="What may change", items=CHANGES, **_setting())
    object: PointerProperty(
        name="Of Body",
        type=bpy.types.Object,
        description="The body, the armature of the bones or the muscle whose setting may change",
        **_setting(),
    )
    bone: StringProperty(
        name="Bone", description="The bone that it is about; all physical bones when empty", **_setting()
    )
    frame: IntProperty(
        name="From Frame",
        description="First frame of the push",
        min=-FRAMES,
        max=FRAMES,
        default=1,
        **_setting(),
    )
    duration: IntProperty(
        name="Frames",
        description="How many frames the push takes",
        min=1,
        soft_max=50,
        default=2,
        **_setting(),
    )
    knots: IntProperty(
        name="Knots",
        description="How many keys the curve gets, evenly over the simulation's range",
        min=2,
        soft_max=30,
        default=5,
        **_setting(),
    )
    largest: FloatProperty(
        name="Largest",
        description="Largest value that may be tried, in m, m/s, rad/s, N, N·m or without unit; of a factor also, how "
        "small it may become",
        min=0.0,
        soft_max=100.0,
        default=20.0,
        **_setting(),
    )


class REDMAX_PG_goals(bpy.types.PropertyGroup):
    """All goals of a scene, and all that may change."""

    wanted: CollectionProperty(
        name="Goals", type=REDMAX_PG_goal, description="What the simulation is to reach", **_setting()
    )
    changes: CollectionProperty(
        name="May Change", type=REDMAX_PG_change, description="What may change to reach it", **_setting()
    )
    effort: FloatProperty(
        name="Effort",
        description="How much the squares of torques and excitations count against the goals, as fractions of their "
        "largest values: with more of it, less strength is used",
        min=0.0,
        soft_max=1.0,
        precision=4,
        **_setting(),
    )
    method: EnumProperty(name="Method", description="How to search", items=METHODS, **_setting())
    iterations: IntProperty(
        name="Search Steps",
        description="Steps of the search, at most; each takes some simulations",
        min=1,
        soft_max=200,
        default=30,
        **_setting(),
    )


CLASSES = (REDMAX_PG_goal, REDMAX_PG_change, REDMAX_PG_goals)
