"""The user's settings of a run: its range, its step, its formula, its cache; and its progress. Data only."""

from collections.abc import Callable

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

from .board_properties import REDMAX_PG_board_control
from .friction_properties import FRAMES, REDMAX_PG_diagnosis, REDMAX_PG_overlay
from .goal_properties import REDMAX_PG_goals
from .inquire_properties import REDMAX_PG_inquire
from .show_properties import show_switch
from .take_properties import REDMAX_PG_take, REDMAX_PG_wedge

INTEGRATORS = (
    (
        "euler-midway",
        "Default",
        "Implicit Euler with Coriolis forces midway through the step: calm on fast chains, fast, and holds limits, "
        "loops and targets. First order",
    ),
    (
        "euler",
        "Implicit Euler",
        "One linear solve a step, by far the fastest; needs small steps where bodies are small or spin. First order",
    ),
    ("bdf1", "BDF1", "Implicit Euler by Newton's method; calms motion down by itself. First order"),
    ("bdf2", "BDF2", "Two-step implicit formula by Newton's method; accurate and stable. Second order"),
    ("sdirk2", "SDIRK2", "Two implicit stages a step by Newton's method; keeps energy best. Second order"),
    (
        "rk-recursive",
        "Runge-Kutta",
        "As many steps as the accuracy needs, by recursive dynamics; keeps energy, slow on stiff joints",
    ),
    (
        "rk-redmax",
        "Runge-Kutta, RedMax",
        "As many steps as the accuracy needs, by the RedMax system; to compare with the recursive one",
    ),
)


def _setting(**more):
    return {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}} | more


def _substeps_given(settings, _context):
    settings.auto_substeps = False


auto_switched: list[Callable[[], None]] = []
"""Called after Auto was turned on or off."""


def _auto_switched(_settings, _context):
    for call in auto_switched:
        call()


def folder_setting():
    """For paths that may begin with // for the folder of the .blend file; Blenders before 4.5 take them anyway."""
    newer = bpy.app.version >= (4, 5, 0)
    return _setting(options={"PATH_SUPPORTS_BLEND_RELATIVE"} if newer else set(), subtype="DIR_PATH")


class REDMAX_PG_scene(bpy.types.PropertyGroup):
    """The run: its range, its step, its formula."""

    frame_start: IntProperty(
        name="Simulation Start",
        description="First frame of the simulation; the pose at this frame is where it starts",
        min=-FRAMES,
        max=FRAMES,
        default=1,
        **_setting(),
    )
    frame_end: IntProperty(
        name="End",
        description="Last frame of the simulation",
        min=-FRAMES,
        max=FRAMES,
        default=250,
        **_setting(),
    )
    use_start_velocity: BoolProperty(
        name="Inherit Velocity",
        description="Bones and bodies start with the velocity that their animation has when the first frame is "
        "reached; otherwise at rest",
        default=True,
        **_setting(),
    )
    preroll: IntProperty(
        name="Pre-Roll",
        description="Frames that are simulated before the first one and not kept, so that motion has settled "
        "by then. They begin in the pose that the animation has so many frames earlier",
        min=0,
        soft_max=100,
        **_setting(),
    )
    loop_blend: IntProperty(
        name="Loop Blend",
        description="Last frames of the range that blend into those of the pre-roll, so that the range loops "
        "seamlessly; 0 for none. The pre-roll must be as long",
        min=0,
        soft_max=50,
        **_setting(),
    )
    auto_substeps: BoolProperty(
        name="Automatic Substeps",
        description="As many steps a frame as the scene needs: few for a tail that swings, more for contacts, "
        "friction, stiff springs and loops",
        default=True,
        **_setting(),
    )
    substeps: IntProperty(
        name="Substeps",
        description="Steps of the integrator a frame; more are more accurate and slower. A number that is given here "
        "switches Automatic off",
        min=1,
        soft_max=100,
        default=40,
        update=_substeps_given,
        **_setting(),
    )
    chosen_substeps: IntProperty(
        name="Chosen Substeps",
        description="Steps a frame of the last simulation, and 0 before the first one",
        min=0,
        soft_max=100,
        **_setting(),
    )
    integrator: EnumProperty(
        name="Integrator",
        description="Formula that advances the simulation in time",
        items=INTEGRATORS,
        default="euler-midway",
        **_setting(),
    )
    gravity_in_scene_units: BoolProperty(
        name="Scale Gravity",
        description="Read the scene's gravity the way its field shows it, multiplied by the unit scale. "
        "When off, the number itself is m/s², so that the default 9.81 is Earth's at every unit scale",
        **_setting(),
    )
    use_rigid_bodies: BoolProperty(
        name="Blender's Rigid Bodies",
        description="Objects with a rigid body or a rigid body constraint of Blender's take part as well. "
        "Blender's own simulation of them pauses until the cache is freed",
        default=True,
        **_setting(),
    )
    paused_rigid_bodies: BoolProperty(
        name="Paused Rigid Bodies", description="Blender's rigid body world was switched off", **_setting()
    )
    cut_joints: StringProperty(
        name="Loop Closures",
        description="Joints that close loops in the last simulation, one a line",
        **_setting(),
    )
    auto: BoolProperty(
        name="Auto",
        description="When a setting, a key or a pose changes, simulate again in the background, from the frame where "
        "it matters, and show the frames as they come",
        update=_auto_switched,
        **_setting(),
    )
    show_simulation: show_switch(
        "Show everything as it was simulated; when off, bones and objects have their own pose and keys, which can be "
        "edited"
    )
    cache_folder: StringProperty(
        name="Cache",
        description="Folder for simulation results; // is the folder of the .blend file",
        default="//redmax_cache",
        **folder_setting(),
    )
    diagnosis: PointerProperty(
        name="Diagnosis", type=REDMAX_PG_diagnosis, description="Where the last run failed", **_setting()
    )
    goals: PointerProperty(
        name="Goals of the Scene",
        type=REDMAX_PG_goals,
        description="What the simulation is to reach, and what may change for that",
        **_setting(),
    )
    takes: CollectionProperty(
        name="Takes",
        type=REDMAX_PG_take,
        description="Simulations that are kept beside the one that is shown",
        **_setting(),
    )
    take_index: IntProperty(
        name="Active Take", description="The take that is picked", min=0, soft_max=10_000, **_setting()
    )
    wedge: PointerProperty(
        name="Wedge of the Scene", type=REDMAX_PG_wedge, description="What a wedge varies", **_setting()
    )
    board: CollectionProperty(
        name="Control Board",
        type=REDMAX_PG_board_control,
        description="Switches and sliders of your own",
        override={"LIBRARY_OVERRIDABLE"},
    )
    board_index: IntProperty(
        name="Active Control", description="The control that is picked", min=0, soft_max=10_000, **_setting()
    )
    pulls: StringProperty(
        name="Pulls", description="What the mouse did in the take that was kept", **_setting()
    )
    inquire: PointerProperty(
        name="Inquire", type=REDMAX_PG_inquire, description="How forces are told and drawn", **_setting()
    )
    overlay: PointerProperty(
        name="Overlay", type=REDMAX_PG_overlay, description="What is drawn over the 3D view", **_setting()
    )


class REDMAX_PG_progress(bpy.types.PropertyGroup):
    """What a running simulation shows in the panel; on the window manager, so never saved."""

    running: BoolProperty(name="Running", description="A simulation is under way", options=set())
    live: BoolProperty(name="Live", description="A live simulation plays", options=set())
    factor: FloatProperty(
        name="Progress",
        description="Part of the frames that are done",
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        options=set(),
    )
    notice: StringProperty(
        name="Notice", description="What happened without a button, until the frame changes", options=set()
    )
    message: StringProperty(name="Message", description="What the simulation is doing", options=set())


CLASSES = (REDMAX_PG_scene, REDMAX_PG_progress)
