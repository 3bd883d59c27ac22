"""A hinge that turns with another one: settings of a pose bone, or of a joint between objects. Data only."""

import bpy
from bpy.props import FloatProperty, PointerProperty, StringProperty


def _setting(**more):
    return {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}, **more}


def _is_joint(self, obj):
    return obj != self.id_data and obj.redmax.joint.kind != "NONE"


class REDMAX_PG_coupling(bpy.types.PropertyGroup):
    """Couples a bone's hinge to that of another bone of the armature, so that both are one coordinate."""

    bone: StringProperty(
        name="Couple To",
        description="Bone of the same armature whose hinge this one turns with; both become one coordinate of the "
        "simulation, exactly. Empty for none",
        **_setting(),
    )
    ratio: FloatProperty(
        name="Ratio",
        description="How far this hinge turns for each angle of the other one; negative for the opposite direction",
        default=1.0,
        soft_min=-5.0,
        soft_max=5.0,
        precision=3,
        **_setting(),
    )


class REDMAX_PG_coupling_of_joints(bpy.types.PropertyGroup):
    """Couples a joint between objects to another one, so that both are one coordinate."""

    joint: PointerProperty(
        name="Couple To",
        type=bpy.types.Object,
        poll=_is_joint,
        description="Joint that this one moves with, as gears, belts and racks do: hinges, sliders, pistons and screws "
        "(by their angle). They keep the ratio exactly. Empty for none",
        **_setting(),
    )
    ratio: FloatProperty(
        name="Ratio",
        description="How far this joint moves for each angle, or length, of the other one; negative for the opposite "
        "direction",
        default=1.0,
        soft_min=-5.0,
        soft_max=5.0,
        precision=3,
        **_setting(),
    )


CLASSES = (REDMAX_PG_coupling, REDMAX_PG_coupling_of_joints)
