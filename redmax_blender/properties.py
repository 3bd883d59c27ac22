"""The user's settings, as Blender keeps them. Data only.

Bone settings are on `PoseBone`, not on `Bone`: IK locks, IK limits and constraints are there as well; two characters
that share one armature data block may differ; linked characters can be changed by a library override; and they are
saved, copied with the bone, and kept through edit mode and renaming.

Only who controls a bone (`control_properties.py`) is animatable: a simulation reads the rest once, at its first frame.
"""

import bpy
from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from . import (
    board_properties,
    control_properties,
    coupling_properties,
    field_properties,
    flesh_properties,
    friction_properties,
    goal_properties,
    inquire_properties,
    mechanism_properties,
    muscle_properties,
    scene_properties,
    take_properties,
)
from .bridge.rig.limbs.total_mass import set_total_mass, total_mass
from .bridge.rig.root import KINDS, root_kind, set_root
from .bridge.run.ready import get_ready
from .control_properties import REDMAX_PG_control
from .coupling_properties import REDMAX_PG_coupling, REDMAX_PG_coupling_of_joints
from .field_properties import REDMAX_PG_fields, REDMAX_PG_thruster
from .flesh_properties import REDMAX_PG_flesh
from .friction_properties import REDMAX_PG_collider, REDMAX_PG_friction, REDMAX_PG_surface
from .mechanism_properties import REDMAX_PG_body, REDMAX_PG_joint, REDMAX_PG_socket, REDMAX_PG_spring
from .muscle_properties import REDMAX_PG_muscle, REDMAX_PG_wrap
from .scene_properties import REDMAX_PG_progress, REDMAX_PG_scene
from .show_properties import OwnPose, Shown

JOINTS = (
    ("FIXED", "Fixed", "Does not move relative to its parent"),
    ("REVOLUTE", "Revolute", "Turns about one axis, as an elbow or a knee"),
    ("UNIVERSAL", "Universal", "Turns about two axes, one after the other, as a wrist"),
    ("SPHERICAL", "Spherical", "Turns about every axis, as a hip or a shoulder"),
    ("PRISMATIC", "Prismatic", "Slides along one axis, as a piston"),
    ("FREE", "Free", "Moves and turns freely; only bones that are not connected to their parent"),
)

AXES = (
    ("X", "X", "The bone's X axis"),
    ("Y", "Y", "The bone's Y axis, along the bone"),
    ("Z", "Z", "The bone's Z axis"),
)

ENFORCED = (
    "The implicit Euler integrator stops the joint there; the other integrators refuse scenes with limits"
)


def _setting(**more):
    return {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}, **more}


class REDMAX_PG_bone(OwnPose, bpy.types.PropertyGroup):
    """One bone as a rigid body and the joint that carries it."""

    physical: BoolProperty(
        name="Physical",
        description="The bone is a rigid body of the simulation",
        update=get_ready,
        **_setting(),
    )
    joint: EnumProperty(
        name="Joint",
        description="How the bone moves relative to the nearest physical bone above it",
        items=JOINTS,
        default="SPHERICAL",
        **_setting(),
    )
    axis: EnumProperty(
        name="Axis",
        description="Axis of the joint, in the bone's own frame; the first one of a universal joint",
        items=(*AXES, ("CUSTOM", "Custom", "Any direction in the bone's frame")),
        default="X",
        **_setting(),
    )
    axis_vector: FloatVectorProperty(
        name="Direction",
        description="Axis of the joint in the bone's frame; its length does not matter",
        default=(1.0, 0.0, 0.0),
        soft_min=-1.0,
        soft_max=1.0,
        subtype="XYZ",
        **_setting(),
    )
    second_axis: EnumProperty(
        name="Second Axis",
        description="Second axis of a universal joint: it turns with the first rotation",
        items=AXES,
        default="Z",
        **_setting(),
    )
    use_limits: BoolVectorProperty(
        name="Limit", description=f"Rotation about this axis is limited. {ENFORCED}", size=3, **_setting()
    )
    limits_min: FloatVectorProperty(
        name="Min",
        description=f"Smallest angle about each of the bone's axes. {ENFORCED}",
        default=(-3.141593, -3.141593, -3.141593),
        soft_min=-3.141593,
        soft_max=0.0,
        subtype="EULER",
        **_setting(),
    )
    limits_max: FloatVectorProperty(
        name="Max",
        description=f"Largest angle about each of the bone's axes. {ENFORCED}",
        default=(3.141593, 3.141593, 3.141593),
        soft_min=0.0,
        soft_max=3.141593,
        subtype="EULER",
        **_setting(),
    )
    stiffness: FloatProperty(
        name="Stiffness",
        description="Spring of the joint towards its rest angle, in N·m/rad (N/m for a prismatic joint)",
        min=0.0,
        soft_max=1000.0,
        precision=3,
        **_setting(),
    )
    damping: FloatProperty(
        name="Damping",
        description="Torque against the joint's motion, in N·m·s/rad (N·s/m for a prismatic joint)",
        min=0.0,
        soft_max=100.0,
        precision=3,
        **_setting(),
    )
    rest_from: EnumProperty(
        name="Rest",
        description="Where the joint's spring is at rest",
        items=(
            ("START", "Start Pose", "The pose at the first frame of the simulation"),
            ("REST_POSE", "Rest Pose", "The bone's rest pose, as in edit mode"),
            ("ANGLES", "Angles", "Angles given here"),
        ),
        default="START",
        **_setting(),
    )
    rest_angles: FloatVectorProperty(
        name="Rest Angles",
        description="Angles about the bone's axes at which the spring is at rest; "
        "a spherical joint reads them as a rotation vector",
        soft_min=-3.141593,
        soft_max=3.141593,
        subtype="EULER",
        **_setting(),
    )
    rest_length: FloatProperty(
        name="Rest Length",
        description="Where the spring of a prismatic joint is at rest, along its axis from the bone's rest position",
        soft_min=-10.0,
        soft_max=10.0,
        subtype="DISTANCE",
        **_setting(),
    )
    radius: FloatProperty(
        name="Radius",
        description="Radius of the body's capsule, measured like the bone's length",
        min=0.0,
        soft_max=1.0,
        default=0.05,
        precision=4,
        subtype="DISTANCE",
        **_setting(),
    )
    use_bone_length: BoolProperty(
        name="Bone Length",
        description="The capsule lies along the bone, and is as long",
        default=True,
        **_setting(),
    )
    length: FloatProperty(
        name="Length",
        description="Length of the body's capsule from end to end",
        min=0.0,
        soft_max=10.0,
        default=0.2,
        precision=4,
        subtype="DISTANCE",
        **_setting(),
    )
    start: FloatVectorProperty(
        name="Start",
        description="Where the capsule of the body begins, from the bone's head along the bone's own axes",
        soft_min=-10.0,
        soft_max=10.0,
        subtype="TRANSLATION",
        precision=4,
        **_setting(),
    )
    direction: FloatVectorProperty(
        name="Capsule Direction",
        description="Where the capsule goes from its start, along the bone's own axes; its length does not matter",
        default=(0.0, 1.0, 0.0),
        soft_min=-1.0,
        soft_max=1.0,
        subtype="XYZ",
        **_setting(),
    )
    carrier: StringProperty(
        name="Carried By",
        description="The bone that this one's joint is on; the nearest physical bone above it when empty",
        **_setting(),
    )
    mass_from: EnumProperty(
        name="Mass From",
        description="What the body's mass follows from",
        items=(
            ("DENSITY", "Density", "Mass is density × volume of the capsule"),
            ("MASS", "Mass", "Mass is given"),
        ),
        default="DENSITY",
        **_setting(),
    )
    density: FloatProperty(
        name="Density",
        description="Density of the body, in kg/m³ (water and flesh: 1000)",
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
    friction: PointerProperty(
        name="Joint Friction", type=REDMAX_PG_friction, description="Friction inside the joint", **_setting()
    )
    surface: PointerProperty(
        name="Contact", type=REDMAX_PG_surface, description="How the body collides", **_setting()
    )
    control: PointerProperty(
        name="Control",
        type=REDMAX_PG_control,
        description="How the bone is led to its animation and back, and what leads a point of it",
        **_setting(),
    )
    coupling: PointerProperty(
        name="Coupling",
        type=REDMAX_PG_coupling,
        description="Another bone whose hinge this one turns with",
        **_setting(),
    )
    decision: StringProperty(
        name="Decision", description="What Make Physical decided for this bone, and why", **_setting()
    )
    made: StringProperty(
        name="Decided Settings",
        description="Settings that Make Physical wrote, to tell them from those that were changed since",
        **_setting(),
    )
    muted: StringProperty(
        name="Muted Constraints",
        description="Constraints that were muted because they would override the simulated pose, one a line",
        **_setting(),
    )


def _active_bone_index(self):
    """Nothing is stored: the list shows the bone that is active."""
    obj = self.id_data
    active = obj.data.bones.active if obj.type == "ARMATURE" else None
    return obj.pose.bones.find(active.name) if active is not None else -1


def _activate_bone(self, index):
    bone = self.id_data.pose.bones[index]
    self.id_data.data.bones.active = bone.bone
    for other in self.id_data.pose.bones:  # from Blender 5.0 on a pose bone is selected itself
        (other if hasattr(other, "select") else other.bone).select = other == bone


def _total_mass(self):
    return total_mass(self.id_data, bpy.context.scene)


def _root(self):
    return KINDS.index(root_kind(self.id_data)) if self.id_data.type == "ARMATURE" else 0


def _set_root(self, number):
    set_root(self.id_data, KINDS[number])


def _set_total_mass(self, mass):
    set_total_mass(self.id_data, bpy.context.scene, mass)


class REDMAX_PG_object(OwnPose, Shown, bpy.types.PropertyGroup):
    """An object: its part in a mechanism, which result it shows, and what its bake has to restore."""

    body: PointerProperty(
        name="Body", type=REDMAX_PG_body, description="The object as a rigid body", **_setting()
    )
    joint: PointerProperty(
        name="Joint", type=REDMAX_PG_joint, description="The empty as a joint between bodies", **_setting()
    )
    sockets: CollectionProperty(
        name="Sockets",
        type=REDMAX_PG_socket,
        description="Places of the part that are made to be connected",
        override={"LIBRARY_OVERRIDABLE"},
    )
    coupling: PointerProperty(
        name="Coupling",
        type=REDMAX_PG_coupling_of_joints,
        description="Another joint that this one moves with",
        **_setting(),
    )
    fields: PointerProperty(
        name="Force Fields",
        type=REDMAX_PG_fields,
        description="Which of Blender's force fields push it, and how strongly",
        **_setting(),
    )
    thruster: PointerProperty(
        name="Thruster",
        type=REDMAX_PG_thruster,
        description="The empty as something that pushes",
        **_setting(),
    )
    spring: PointerProperty(
        name="Spring", type=REDMAX_PG_spring, description="The curve as a spring", **_setting()
    )
    friction: PointerProperty(
        name="Joint Friction", type=REDMAX_PG_friction, description="Friction inside the joint", **_setting()
    )
    surface: PointerProperty(
        name="Contact", type=REDMAX_PG_surface, description="How the body collides", **_setting()
    )
    collider: PointerProperty(
        name="Collider", type=REDMAX_PG_collider, description="The object as something solid", **_setting()
    )
    self_collision: BoolProperty(
        name="Self Collision",
        description="Bones of this armature collide with each other, except those that a joint connects "
        "or that overlap at the start",
        **_setting(),
    )
    total_mass: FloatProperty(
        name="Total Mass",
        description="Mass of all physical bones together, in kg; a new one makes each heavier or lighter by the same "
        "factor, and its joint's damping with it",
        min=0.000001,
        soft_max=1000.0,
        precision=3,
        get=_total_mass,
        set=_set_total_mass,
        **_setting(),
    )
    root: EnumProperty(
        name="Root",
        description="How the character hangs in the world",
        items=(
            ("ANCHORED", "Anchored", "Its root stays where it is, or follows its keys"),
            ("FREE", "Free", "It moves freely, as a falling character"),
        ),
        get=_root,
        set=_set_root,
        **_setting(),
    )
    findings: StringProperty(
        name="Findings", description="What the check of the character has found", **_setting()
    )
    hold_locations: BoolProperty(
        name="Hold Locations",
        description="Free bones stay where they were on their carriers when they were let go, whatever their keyed "
        "locations do afterwards",
        default=True,
        **_setting(),
    )
    flesh: PointerProperty(
        name="Flesh", type=REDMAX_PG_flesh, description="The mesh as an elastic body", **_setting()
    )
    muscle: PointerProperty(
        name="Muscle", type=REDMAX_PG_muscle, description="The curve as a muscle", **_setting()
    )
    wrap: PointerProperty(
        name="Surface of Muscles",
        type=REDMAX_PG_wrap,
        description="The object as a surface that muscles slide over",
        **_setting(),
    )
    muted: StringProperty(
        name="Muted Constraints",
        description="Constraints that were muted because they would override the simulated motion, one a line",
        **_setting(),
    )

    graphs: BoolProperty(
        name="Graphs", description="The object holds the graphs of the simulation", **_setting()
    )
    result: StringProperty(
        name="Result", description="Key of the cached simulation that this object shows", **_setting()
    )
    result_name: StringProperty(
        name="Name in Result", description="The object's name when it was simulated", **_setting()
    )
    is_baked: BoolProperty(
        name="Baked", description="The simulated motion is in the object's action", **_setting()
    )
    baked_action: PointerProperty(
        name="Baked Action", type=bpy.types.Action, description="The action that Bake made", **_setting()
    )
    original_action: PointerProperty(
        name="Original Action",
        type=bpy.types.Action,
        description="The action before the bake, which Delete Bake restores",
        **_setting(),
    )
    original_slot: StringProperty(
        name="Original Slot", description="Slot of the original action that the object used", **_setting()
    )
    baked_into: StringProperty(
        name="Baked Into", description="Where Bake put its curves: COPY, NEW, SLOT or NLA", **_setting()
    )
    baked_digest: StringProperty(
        name="Baked Keys",
        description="Digest of the keys that Bake wrote, to see whether they were edited",
        **_setting(),
    )
    baked_slot: StringProperty(
        name="Baked Slot", description="Slot of the baked action that the object uses", **_setting()
    )
    baked_tracks: StringProperty(
        name="Baked Tracks", description="Tracks of the NLA that Bake made, one a line", **_setting()
    )
    baked_nla: BoolProperty(name="Used NLA", description="The NLA was on before the bake", **_setting())
    had_animation_data: BoolProperty(
        name="Had Animation Data", description="There was animation data before the bake", **_setting()
    )
    bone_index: IntProperty(
        name="Bone",
        description="Active bone in the list of physical bones; choosing one makes it active in pose mode too",
        get=_active_bone_index,
        set=_activate_bone,
        **_setting(),
    )


CLASSES = (
    *control_properties.CLASSES,
    *coupling_properties.CLASSES,
    *field_properties.CLASSES,
    *friction_properties.CLASSES,
    *mechanism_properties.CLASSES,
    *flesh_properties.CLASSES,
    *muscle_properties.CLASSES,
    REDMAX_PG_bone,
    REDMAX_PG_object,
    *board_properties.CLASSES,
    *goal_properties.CLASSES,
    *inquire_properties.CLASSES,
    *take_properties.CLASSES,
    *scene_properties.CLASSES,
)

OWNERS = (
    (bpy.types.PoseBone, REDMAX_PG_bone),
    (bpy.types.Object, REDMAX_PG_object),
    (bpy.types.Scene, REDMAX_PG_scene),
    (bpy.types.WindowManager, REDMAX_PG_progress),
)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    for owner, group in OWNERS:
        owner.redmax = PointerProperty(
            name="RedMax", type=group, options=set(), override={"LIBRARY_OVERRIDABLE"}
        )
    control_properties.register()


def unregister():
    control_properties.unregister()
    for owner, _ in reversed(OWNERS):
        del owner.redmax
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
