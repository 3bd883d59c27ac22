"""Takes, simulations that are kept beside the one that is shown, and what a wedge varies. Data only."""

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

MEASURES = (
    ("travel", "Travel", "How far the middle of all joints is from where it began, in m"),
    ("height_end", "Height", "Height of the middle of all joints at the end, in m"),
    ("kinetic_most", "Kinetic Energy", "The largest kinetic energy, in J"),
    ("energy_end", "Energy", "Energy at the end, in J"),
    ("torque_most", "Torque", "The largest torque or force in a joint, in N·m or N"),
    ("contact_most", "Contact Force", "The largest force of a contact, in N"),
    ("rest_time", "Time to Rest", "When everything has come to rest, in s"),
)


def _setting(**more):
    return {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}, **more}


class REDMAX_PG_take_part(bpy.types.PropertyGroup):
    """An object of a take; its name is the one in the recording."""

    object: PointerProperty(
        name="Object", type=bpy.types.Object, description="An object that the take moves", **_setting()
    )


class REDMAX_PG_take_value(bpy.types.PropertyGroup):
    """A setting that the take was simulated with, where the scene may have another by now."""

    owner: PointerProperty(
        name="Owner", type=bpy.types.ID, description="What the setting belongs to", **_setting()
    )
    path: StringProperty(name="Path", description="Where the setting is in its owner", **_setting())
    value: FloatProperty(
        name="Value",
        description="The value that the take was simulated with, in the unit of the setting",
        soft_min=-1e7,
        soft_max=1e7,
        **_setting(),
    )


class REDMAX_PG_take(bpy.types.PropertyGroup):
    """A simulation that is kept; its name is the user's."""

    key: StringProperty(name="Result", description="Which simulation it is", **_setting())
    frame_start: IntProperty(
        name="Start", description="Its first frame", soft_min=-1_000_000, soft_max=1_000_000, **_setting()
    )
    frame_end: IntProperty(
        name="End", description="Its last frame", soft_min=-1_000_000, soft_max=1_000_000, **_setting()
    )
    parts: CollectionProperty(
        name="Objects", type=REDMAX_PG_take_part, description="The objects that it moves", **_setting()
    )
    values: CollectionProperty(
        name="Values",
        type=REDMAX_PG_take_value,
        description="Settings of its own, from a wedge",
        **_setting(),
    )
    ghost: BoolProperty(
        name="Show as Ghost",
        description="Draw this take as lines over the view, to compare it with others",
        **_setting(),
    )


class REDMAX_PG_varied(bpy.types.PropertyGroup):
    """A setting that a wedge varies; its name is what tables call it."""

    owner: PointerProperty(
        name="Owner", type=bpy.types.ID, description="What the setting belongs to", **_setting()
    )
    path: StringProperty(name="Path", description="Where the setting is in its owner", **_setting())
    first: FloatProperty(
        name="First",
        description="First value that is tried, in the unit of the setting",
        soft_min=-1e7,
        soft_max=1e7,
        **_setting(),
    )
    last: FloatProperty(
        name="Last",
        description="Last value that is tried, in the unit of the setting",
        soft_min=-1e7,
        soft_max=1e7,
        **_setting(),
    )
    count: IntProperty(
        name="Values", description="How many values are tried", min=1, max=100, default=5, **_setting()
    )
    everywhere: BoolProperty(
        name="Everywhere",
        description="The same setting of all physical bones, or of all bodies, gets the value",
        default=True,
        **_setting(),
    )


class REDMAX_PG_wedge(bpy.types.PropertyGroup):
    """What a wedge varies, and where it runs."""

    varied: CollectionProperty(
        name="Varied", type=REDMAX_PG_varied, description="Settings that are varied", **_setting()
    )
    seeds: IntProperty(
        name="Seeds",
        description="Each combination is simulated so many times, jolted at random at the start; 0 for once, as it is",
        min=0,
        max=1000,
        **_setting(),
    )
    jolt: FloatProperty(
        name="Jolt",
        description="How much a seed changes start velocities, in m/s and rad/s",
        min=0.0,
        soft_max=1.0,
        default=0.01,
        precision=3,
        **_setting(),
    )
    workers: IntProperty(
        name="Processes",
        description="Processes on this machine; 0 for one a core",
        min=0,
        max=1000,
        **_setting(),
    )
    cluster: StringProperty(
        name="Cluster",
        description="Address of a Dask scheduler, such as tcp://192.168.1.5:8786, to simulate there instead; the "
        "cache folder must be one that all its machines see",
        **_setting(),
    )
    measure: EnumProperty(
        name="Chart", description="What the chart shows", items=MEASURES, default="travel", **_setting()
    )
    folder: StringProperty(
        name="Last Wedge", description="Folder of the last wedge, with its table and pictures", **_setting()
    )


CLASSES = (
    REDMAX_PG_take_part,
    REDMAX_PG_take_value,
    REDMAX_PG_take,
    REDMAX_PG_varied,
    REDMAX_PG_wedge,
)
