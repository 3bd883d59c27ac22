"""German: (context, English) -> translation. Words are those of Blender's own German interface where it has some."""

from .any_rig import ANY_RIG
from .button_tips import BUTTON_TIPS
from .choice_tips import CHOICE_TIPS
from .controls import CONTROLS, SWINGING
from .fields import FIELD_BUTTONS, FIELDS
from .goals import GOAL_BUTTONS, GOALS
from .labels import LABELS
from .messages import MESSAGES
from .muscles import MUSCLE_BUTTONS, MUSCLES
from .names import BUTTONS as OTHER_BUTTONS
from .names import CHOICES, PANELS, SETTINGS
from .nothing_lost import NOTHING_LOST
from .rigs import RIGS
from .setting_tips import SETTING_TIPS

PARTS = (
    PANELS,
    MUSCLES,
    SETTINGS,
    CHOICES,
    LABELS,
    MESSAGES,
    SETTING_TIPS,
    CHOICE_TIPS,
    BUTTON_TIPS,
    NOTHING_LOST,
    ANY_RIG,
    CONTROLS,
    GOALS,
    RIGS,
    FIELDS,
)
"""What Blender looks up in its default context; a text is in one of them only."""

BUTTONS = OTHER_BUTTONS | GOAL_BUTTONS | SWINGING
GERMAN = {("*", english): german for part in PARTS for english, german in part.items()}
BUTTONS |= MUSCLE_BUTTONS | FIELD_BUTTONS
GERMAN |= {("Operator", english): german for english, german in BUTTONS.items()}
