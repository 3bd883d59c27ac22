"""Which of Blender's force fields an armature, a body or a soft mesh feels, and empties that push. Data only."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, PointerProperty


def _setting(**more):
    return {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}, **more}


def _weight(name: str, description: str):
    return FloatProperty(
        name=name, description=description, default=1.0, soft_min=0.0, soft_max=1.0, precision=3, **_setting()
    )


class REDMAX_PG_fields(bpy.types.PropertyGroup):
    """How the bones of an armature, a body or flesh feel Blender's force fields."""

    use: BoolProperty(
        name="Force Fields",
        description="Blender's force fields push it: each bone or body with the field's strength in newtons, and "
        "a soft mesh with that in all",
        default=True,
        **_setting(),
    )
    collection: PointerProperty(
        name="Collection",
        type=bpy.types.Collection,
        description="Only force fields in this collection push it; empty for all",
        **_setting(),
    )
    spread: BoolProperty(
        name="Over the Body",
        description="A bone or body feels a field at six points that have the spread of its mass, so that fields "
        "turn it; otherwise at its centre of mass only, as Blender's rigid bodies do",
        default=True,
        **_setting(),
    )
    weight: _weight("All", "Multiplies the strength of all force fields")
    force: _weight("Force", "Multiplies fields of the type Force")
    wind: _weight("Wind", "Multiplies fields of the type Wind")
    vortex: _weight("Vortex", "Multiplies fields of the type Vortex")
    magnetic: _weight("Magnetic", "Multiplies fields of the type Magnetic")
    harmonic: _weight("Harmonic", "Multiplies fields of the type Harmonic")
    turbulence: _weight("Turbulence", "Multiplies fields of the type Turbulence")
    drag: _weight("Drag", "Multiplies fields of the type Drag")


class REDMAX_PG_thruster(bpy.types.PropertyGroup):
    """An empty on a body or a bone that pushes it."""

    use: BoolProperty(
        name="Thruster",
        description="The empty pushes the body, or the physical bone, that it is parented to",
        **_setting(),
    )
    axes: EnumProperty(
        name="Axes",
        description="Along which axes force and torque are",
        items=(
            ("OWN", "Own", "The empty's own axes, which turn with the body"),
            ("WORLD", "World", "The axes of the world"),
        ),
        **_setting(),
    )
    force: FloatVectorProperty(
        name="Force",
        description="Force at the empty's origin, in N; key it to switch it on and off",
        size=3,
        soft_min=-1000.0,
        soft_max=1000.0,
        subtype="XYZ",
        override={"LIBRARY_OVERRIDABLE"},
    )
    torque: FloatVectorProperty(
        name="Torque",
        description="Torque on the body, in N·m; key it to switch it on and off",
        size=3,
        soft_min=-1000.0,
        soft_max=1000.0,
        subtype="XYZ",
        override={"LIBRARY_OVERRIDABLE"},
    )


CLASSES = (REDMAX_PG_fields, REDMAX_PG_thruster)
