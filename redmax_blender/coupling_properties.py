"""A hinge that turns with another one: settings of a pose bone. Data only."""

import bpy
from bpy.props import FloatProperty, StringProperty


def _setting(**more):
    return {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}, **more}


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


CLASSES = (REDMAX_PG_coupling,)
