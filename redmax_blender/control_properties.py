"""How keyframes and physics share a bone. Data only.

What can be keyed is directly on `PoseBone`: Blender makes no data paths, and so no keys, for groups on pose bones.
"""

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
)

MODES = (
    ("FREE", "Free", "Physics alone moves the bone", "NONE", 0),
    ("GUIDED", "Guided", "Physics moves the bone, and a spring leads it towards its animation", "NONE", 1),
    (
        "KEYFRAMED",
        "Keyframed",
        "The bone follows its animation exactly, and moves what hangs on it",
        "NONE",
        2,
    ),
)
"""Numbers in the order of freedom: curves of the mode are stepped, whatever their interpolation. Without icons all
three names fit into a sidebar of Blender's own width."""

TARGET_POINTS = (
    ("TAIL", "Tail", "The end of the bone"),
    ("HEAD", "Head", "The beginning of the bone"),
    ("PLACE", "Where It Is", "The point of the bone's body where the target is at the first frame"),
)


def _setting(**more):
    return {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}, **more}


class REDMAX_PG_control(bpy.types.PropertyGroup):
    """How a physical bone is led to its animation and back, and what leads a point of it."""

    response: FloatProperty(
        name="Response",
        description="How fast a guided bone closes a gap to its animation, in seconds: shorter is stiffer. "
        "Stiffness follows from it and from the mass that the bone moves",
        min=0.001,
        soft_min=0.01,
        soft_max=1.0,
        default=0.05,
        precision=3,
        step=1,
        unit="TIME_ABSOLUTE",
        **_setting(),
    )
    ratio: FloatProperty(
        name="Damping Ratio",
        description="Damping of the guide: below 1 the bone swings past its animation, above 1 it lags",
        min=0.0,
        soft_max=2.0,
        default=1.0,
        precision=2,
        **_setting(),
    )
    ease: IntProperty(
        name="Ease Back",
        description="Frames that a bone takes to return to its animation when it becomes keyframed; 0: at once",
        min=0,
        soft_max=50,
        default=8,
        **_setting(),
    )
    wake: FloatProperty(
        name="Wake on Impact",
        description="A keyframed or guided bone becomes free when something that collides strikes it with more than "
        "this impulse (mass × speed), in N·s; 0 for never. Bones with this that hang together wake together, and stay "
        "free until a key takes them back",
        min=0.0,
        soft_max=10.0,
        precision=3,
        **_setting(),
    )
    target: PointerProperty(
        name="Target",
        type=bpy.types.Object,
        description="Object to follow with a point of the bone, whatever the joints above it have to do for that",
        **_setting(),
    )
    target_point: EnumProperty(
        name="Point", description="Which point of the bone follows", items=TARGET_POINTS, **_setting()
    )
    use_start_speeds: BoolProperty(
        name="Own Start Speeds",
        description="The joint starts with the speeds given here, instead of those of the animation before the first "
        "frame",
        **_setting(),
    )
    start_speeds: FloatVectorProperty(
        name="Start Speeds",
        description="How fast each coordinate of the joint changes at the first frame: angles in rad/s, lengths in "
        "m/s; a free joint has three of its place and then three of its rotation",
        size=6,
        soft_min=-20.0,
        soft_max=20.0,
        precision=3,
        **_setting(),
    )


CLASSES = (REDMAX_PG_control,)


def _keyable(**more):
    return {"options": {"ANIMATABLE"}, "override": {"LIBRARY_OVERRIDABLE"}, **more}


def register():
    bpy.types.PoseBone.redmax_control = EnumProperty(
        name="Control",
        description="Who moves the bone. Can be keyed: a bone that is let go keeps its velocity, "
        "and one that returns to its animation does so smoothly",
        items=MODES,
        default="FREE",
        **_keyable(),
    )
    bpy.types.PoseBone.redmax_influence = FloatProperty(
        name="Influence",
        description="How much a point of the bone follows its target: 1 exactly, 0 not at all. Between, a spring leads "
        "it, which at 0.5 closes a gap in the time that Response says and becomes firmer towards 1. Can be keyed: "
        "a point that is let go keeps its velocity, and one that is taken hold of at once gets there in the frames of "
        "Ease Back",
        min=0.0,
        max=1.0,
        default=1.0,
        precision=3,
        subtype="FACTOR",
        **_keyable(),
    )

    bpy.types.PoseBone.redmax_torque = FloatVectorProperty(
        name="Torque",
        description="Torque in the bone's joint, in N·m: about the axis of a hinge (the first number), the two axes of "
        "a universal joint, or the three of a ball joint; a force in N along a slider. Can be keyed",
        soft_min=-1000.0,
        soft_max=1000.0,
        precision=3,
        **_keyable(),
    )
    bpy.types.PoseBone.redmax_push = _push("bone's")
    bpy.types.Object.redmax_push = _push("object's")


def _push(whose):
    return FloatVectorProperty(
        name="Push",
        description=f"Force on the middle of the {whose} body along the world's axes, in N. Can be keyed",
        soft_min=-1000.0,
        soft_max=1000.0,
        precision=3,
        **_keyable(),
    )


def unregister():
    del bpy.types.Object.redmax_push
    del bpy.types.PoseBone.redmax_push
    del bpy.types.PoseBone.redmax_torque
    del bpy.types.PoseBone.redmax_influence
    del bpy.types.PoseBone.redmax_control
