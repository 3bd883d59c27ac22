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
)

CHANGES = (
    ("VELOCITY", "Start Velocity", "How fast the body flies at the first frame"),
    ("SPIN", "Start Spin", "How fast the body turns at the first frame"),
    ("FRICTION", "Surface Friction", "The coefficient of friction of the body's surface"),
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
        name="Of Body", type=bpy.types.Object, description="The body whose setting may change", **_setting()
    )
    largest: FloatProperty(
        name="Largest",
        description="Largest value that may be tried, in m/s, rad/s or without unit",
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
    iterations: IntProperty(
        name="Search Steps",
        description="Steps of the search, at most; each takes some simulations",
        min=1,
        soft_max=200,
        default=30,
        **_setting(),
    )


CLASSES = (REDMAX_PG_goal, REDMAX_PG_change, REDMAX_PG_goals)
