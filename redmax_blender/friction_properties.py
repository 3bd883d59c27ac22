"""The user's settings of friction and contact: inside joints, on the outside of bodies, and of colliders. Data only."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

FRAMES = 1048574
"""Blender's own last frame."""

COLLIDER_ROLES = (
    ("NONE", "None", "Not solid, unless it has a Collision modifier or is an anchored body", "X", 0),
    ("COLLIDER", "Collider", "Solid for bodies and bones; it follows its animation", "MOD_PHYSICS", 1),
    (
        "GROUND",
        "Ground",
        "An infinite plane through the object's origin, solid below; its normal is the object's Z axis",
        "MESH_GRID",
        2,
    ),
)

COLLIDER_SHAPES = (
    ("MESH", "Mesh", "Every triangle of the mesh; an open mesh is solid from both sides", "MESH_MONKEY", 0),
    (
        "CONVEX_HULL",
        "Convex Hull",
        "The smallest convex body around the mesh; faster than the mesh",
        "MESH_ICOSPHERE",
        1,
    ),
    ("BOX", "Box", "The object's bounding box", "MESH_CUBE", 2),
    ("SPHERE", "Sphere", "A sphere as wide as the bounding box", "MESH_UVSPHERE", 3),
    ("CAPSULE", "Capsule", "A capsule along Z", "MESH_CAPSULE", 4),
    ("CYLINDER", "Cylinder", "A cylinder along Z", "MESH_CYLINDER", 5),
)


def _setting(**more):
    return {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}, **more}


class REDMAX_PG_friction(bpy.types.PropertyGroup):
    """Dry friction inside a joint, where its two halves rub on each other, and what its limits are like."""

    coefficient: FloatProperty(
        name="Friction",
        description="Coefficient of dry friction between the two halves of the joint, without unit; 0 for none. "
        "The friction torque is coefficient × radius × the force that presses the halves together",
        min=0.0,
        soft_max=1.0,
        step=1,
        precision=3,
        **_setting(),
    )
    static: FloatProperty(
        name="Static Friction",
        description="Coefficient while the joint is at rest, without unit. "
        "When it is below Friction, that holds at rest as well",
        min=0.0,
        soft_max=1.5,
        step=1,
        precision=3,
        **_setting(),
    )
    radius: FloatProperty(
        name="Friction Radius",
        description="Radius of the joint's ball or cylinder, at which friction acts. "
        "0 for half the radius of the body that it carries",
        min=0.0,
        soft_max=1.0,
        precision=4,
        subtype="DISTANCE",
        **_setting(),
    )
    height: FloatProperty(
        name="Friction Height",
        description="Length of the joint's cylinder or sleeve along its axis. 0 for as long as it is wide",
        min=0.0,
        soft_max=1.0,
        precision=4,
        subtype="DISTANCE",
        **_setting(),
    )
    stop_friction: FloatProperty(
        name="Stop Friction",
        description="Coefficient of friction at the joint's limits, without unit; 0 for none. "
        "While the joint is pressed against a limit, its other motions are slowed by coefficient × what it is "
        "pressed with",
        min=0.0,
        soft_max=1.0,
        step=1,
        precision=3,
        **_setting(),
    )
    stop_radius: FloatProperty(
        name="Stop Radius",
        description="Distance from the axis at which a limit rubs, where the joint both turns and slides. "
        "0 for the friction radius",
        min=0.0,
        soft_max=1.0,
        precision=4,
        subtype="DISTANCE",
        **_setting(),
    )
    stop_restitution: FloatProperty(
        name="Stop Bounciness",
        description="Part of the speed that comes back when the joint hits one of its limits",
        min=0.0,
        max=1.0,
        precision=3,
        subtype="FACTOR",
        **_setting(),
    )


class REDMAX_PG_surface(bpy.types.PropertyGroup):
    """The outside of a bone's body, of an object's body, or of flesh."""

    collide: BoolProperty(
        name="Collide",
        description="It collides with colliders and with other things that collide",
        **_setting(),
    )
    friction: FloatProperty(
        name="Surface Friction",
        description="Coefficient of friction of the surface, without unit. "
        "Where two surfaces touch, the geometric mean of both counts",
        min=0.0,
        soft_max=1.0,
        default=0.5,
        step=1,
        precision=3,
        **_setting(),
    )
    restitution: FloatProperty(
        name="Bounciness",
        description="Part of the speed that comes back from an impact; the larger one of two surfaces counts",
        min=0.0,
        max=1.0,
        precision=3,
        subtype="FACTOR",
        **_setting(),
    )
    margin: FloatProperty(
        name="Margin",
        description="Thickness that is added all around for collisions",
        min=0.0,
        soft_max=0.1,
        precision=4,
        subtype="DISTANCE",
        **_setting(),
    )
    group: StringProperty(
        name="Collision Group",
        description="Things in a group of the same name do not collide with one another",
        **_setting(),
    )
    tube: BoolProperty(
        name="Smooth Tube",
        description="A chain of bodies with this collides with itself, and with other tubes, as one smooth tube around "
        "a spline through its joints, rather than body by body: for tails, tentacles, ropes and snakes",
        **_setting(),
    )


class REDMAX_PG_collider(bpy.types.PropertyGroup):
    """An object as something solid, which nothing moves but its animation."""

    role: EnumProperty(
        name="Collider",
        description="Whether the object is solid for bodies, bones and flesh",
        items=COLLIDER_ROLES,
        **_setting(),
    )
    shape: EnumProperty(
        name="Collider Shape",
        description="What of the object is solid",
        items=COLLIDER_SHAPES,
        default="MESH",
        **_setting(),
    )


class REDMAX_PG_overlay(bpy.types.PropertyGroup):
    """What RedMax draws over the 3D view."""

    show: BoolProperty(
        name="RedMax", description="Draw bodies, joints and contacts of the simulation over the 3D view"
    )
    bodies: BoolProperty(name="Bodies", description="Outlines of the bodies that are simulated", default=True)
    joints: BoolProperty(
        name="Joint Axes",
        description="Axes of the joints, and how far their limits let them turn",
        default=True,
    )
    springs: BoolProperty(name="Springs", description="Springs and cables", default=True)
    friction: BoolProperty(
        name="Joint Friction",
        description="The balls and cylinders on which joints rub, coloured by the friction torque of the frame "
        "where one is recorded",
        default=True,
    )
    targets: BoolProperty(
        name="Targets", description="Objects that lead bodies, and the points that they lead", default=True
    )
    contacts: BoolProperty(
        name="Contacts",
        description="Where surfaces touch in the recorded frame, and their force",
        default=True,
    )
    colliders: BoolProperty(name="Colliders", description="What is solid for the simulation", default=False)
    ghost: BoolProperty(
        name="Keyframed Pose",
        description="The pose that the keyframes give, beside the simulated one",
        default=False,
    )
    selected_only: BoolProperty(
        name="Selected Only",
        description="Draw only what belongs to selected bones and objects",
        default=False,
    )
    in_front: BoolProperty(
        name="In Front",
        description="Draw through objects, rather than only where they do not hide it",
        default=True,
    )


REMEDIES = (
    ("NONE", "None", "Nothing is known that would help"),
    ("SUBSTEPS", "Twice the Substeps", "Smaller steps follow fast motion of small bodies"),
    ("INTEGRATOR", "Default Integrator", "The integrator that stays calm where others do not"),
)


class REDMAX_PG_diagnosis(bpy.types.PropertyGroup):
    """Where the last run failed, and what to try."""

    failed: BoolProperty(name="Failed", description="The last simulation ended before its time", **_setting())
    frame: IntProperty(
        name="Frame",
        description="Frame at which it failed",
        min=-FRAMES,
        max=FRAMES,
        **_setting(),
    )
    joint: StringProperty(name="Joint", description="Where it failed first", **_setting())
    problem: StringProperty(name="Problem", description="What went wrong", **_setting())
    remedy: EnumProperty(name="Remedy", description="What to try", items=REMEDIES, **_setting())


CLASSES = (
    REDMAX_PG_friction,
    REDMAX_PG_surface,
    REDMAX_PG_collider,
    REDMAX_PG_overlay,
    REDMAX_PG_diagnosis,
)
