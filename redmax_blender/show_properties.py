"""What is shown in place of the user's own pose, and that pose, which stays in the file. Data only."""

from collections.abc import Callable

from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, IntVectorProperty

WIDTH = 17
"""Values of all transform channels of a bone or an object (`bridge.bake.channels`)."""
NO_FRAMES = (0, -1)

switched: list[Callable[[], None]] = []
"""Called after Show Simulation was turned on or off."""


def _switched(_self, _context):
    for call in switched:
        call()


def _setting(**more):
    return {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}, **more}


def show_switch(description: str):
    return BoolProperty(
        name="Show Simulation", description=description, default=True, update=_switched, **_setting()
    )


class OwnPose:
    """Of bones and objects: what the user posed, while the channels show a simulation."""

    is_shown: BoolProperty(
        name="Shows Simulation",
        description="The channels show a simulation, and their own values are kept in Own Pose",
        **_setting(),
    )
    own_pose: FloatVectorProperty(
        name="Own Pose",
        description="Location, rotation in each mode and scale without the simulation, as numbers without unit",
        size=WIDTH,
        soft_min=-1e6,
        soft_max=1e6,
        **_setting(),
    )


class Shown:
    """Of objects: which frames there are, and which one is shown."""

    show_simulation: show_switch(
        "Show this object as it was simulated; when off, it has its own pose and keys, which can be edited"
    )
    shown_frame: FloatProperty(
        name="Shown Frame",
        description="Frame of the simulation that the object shows",
        soft_min=-1e6,
        soft_max=1e6,
        **_setting(),
    )
    result_frames: IntVectorProperty(
        name="Frames in Result",
        description="First and last frame of the simulation that the object shows",
        size=2,
        soft_min=-1_000_000,
        soft_max=1_000_000,
        default=NO_FRAMES,
        **_setting(),
    )
