"""How the answers of Inquire are told and drawn. Data only."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty

AXES = (
    ("WORLD", "World", "Along the axes of the world"),
    ("JOINT", "Joint", "Along the axes of the joint"),
    ("BODY", "Body", "Along the principal axes of the body that the joint carries"),
)


def _setting(**more):
    return {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}, **more}


class REDMAX_PG_inquire(bpy.types.PropertyGroup):
    """How the answers of Inquire are told and drawn."""

    axes: EnumProperty(
        name="Axes",
        description="Along which axes forces and torques in joints are told",
        items=AXES,
        **_setting(),
    )
    show: BoolProperty(
        name="Arrows",
        description="Draw forces, torques, tensions and momentum as arrows over the 3D view",
        default=True,
        **_setting(),
    )
    size: FloatProperty(
        name="Arrow Size",
        description="Length of the arrow of the largest force in the range; torques and momenta have a "
        "measure of their own",
        default=1.0,
        min=0.0,
        soft_max=100.0,
        subtype="DISTANCE",
        **_setting(),
    )


CLASSES = (REDMAX_PG_inquire,)
