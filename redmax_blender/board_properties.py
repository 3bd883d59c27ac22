"""The control board: switches and sliders of the user's own, each of which moves a setting. Data only."""

import bpy
from bpy.props import EnumProperty, FloatProperty, PointerProperty, StringProperty

KINDS = (
    ("SLIDER", "Slider", "Goes evenly from the first value to the last one"),
    ("SWITCH", "Switch", "Is at the first value or at the last one"),
)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
ARROWS = ("LEFT_ARROW", "RIGHT_ARROW", "UP_ARROW", "DOWN_ARROW", "SPACE")


def _setting(**more):
    return {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}, **more}


def _moved(self, _context):
    from .bridge.board.controls import apply

    apply(self)


class REDMAX_PG_board_control(bpy.types.PropertyGroup):
    """A switch or a slider; its name is the user's."""

    kind: EnumProperty(name="Control", description="How it moves", items=KINDS, **_setting())
    owner: PointerProperty(
        name="Of", type=bpy.types.ID, description="The object or scene whose setting it moves", **_setting()
    )
    path: StringProperty(name="Path", description="Where the setting is in its owner", **_setting())
    value: FloatProperty(
        name="Control Value",
        description="Where it stands, from the first value of the setting to the last one; key it to play it",
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=_moved,
        override={"LIBRARY_OVERRIDABLE"},
    )
    first: FloatProperty(
        name="First Value",
        description="Where the control stands at 0, in the unit of the setting",
        soft_min=-1e6,
        soft_max=1e6,
        **_setting(),
    )
    last: FloatProperty(
        name="Last Value",
        description="Where the control stands at 1, in the unit of the setting",
        default=1.0,
        soft_min=-1e6,
        soft_max=1e6,
        **_setting(),
    )
    key: StringProperty(
        name="Key",
        description="Key of the keyboard that moves it in Play Live: a letter, a digit, or an arrow such as UP_ARROW. "
        "It turns a switch over, and moves a slider by a tenth; with Shift back",
        **_setting(),
    )


CLASSES = (REDMAX_PG_board_control,)
