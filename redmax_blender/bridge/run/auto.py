"""Auto: when a setting changes, the scene is simulated again in the background, and shown as it comes.

Blender's timer looks whether something has changed; a fingerprint of the scene says whether it matters. Nothing is done
while something else has hold of the scene: a transform with the mouse, edit mode, a simulation, a live one.
"""

from __future__ import annotations

import time

import bpy

from ...engine.errors import InputError
from ..recording import cache, cache_status, playback
from ..rig.bodies import simulated_objects
from .coming import Coming
from .fingerprint import fingerprint
from .simulate_scene import Outcome, Simulation

LOOK = 0.03
"""Seconds between two looks while it simulates."""
REST = 0.1
"""Seconds between two looks while nothing has changed."""
SHARE = 4.0
"""A look at the scene may take a fifth of the time."""


HOLDING = (
    "TRANSFORM_OT_",
    "POSE_OT_",
    "ANIM_OT_",
    "ACTION_OT_",
    "GRAPH_OT_",
    "NLA_OT_",
    "OBJECT_OT_",
    "PAINT_OT_",
    "SCULPT_OT_",
    "REDMAX_OT_",
)
"""Operators that change something until they are confirmed."""


class Auto:
    """The simulation in the background, if there is one."""

    def __init__(self) -> None:
        self.simulation: Simulation | None = None
        self.coming: Coming | None = None
        self.scene = ""
        """Of that simulation."""
        self.factor = 0.0
        """Part of the frames that are done."""
        self.problem = ""
        """Why the scene cannot be simulated as it is."""
        self.last: Outcome | None = None
        self._seen = -1
        """The change that was looked at."""
        self._refused = ""
        """Fingerprint of a scene that could not be simulated."""
        self._at, self._took = 0.0, 0.0

    def look(self, apart: bool = True, most: int = 1000) -> float:
        """Start, go on by so many frames at most, or finish; returns the seconds until the next look."""
        context = bpy.context
        scene, progress = context.scene, context.window_manager.redmax
        held = progress.running or progress.live or is_busy(context)
        elsewhere = self.simulation is not None and self.scene != scene.name
        if not scene.redmax.auto or held or elsewhere:
            self.stop()
            return REST
        if cache_status.change_count() != self._seen:
            if time.perf_counter() < self._at + SHARE * self._took:
                return LOOK  # what has changed is not known, so nothing may be shown over it
            if self._changed(scene):
                self._begin(context, apart)
        if self.simulation is None:
            return REST
        self._go_on(context, most)
        return LOOK

    def stop(self) -> None:
        """No simulation goes on in the background; what was shown of one is gone."""
        simulation, coming = self.simulation, self.coming
        self.simulation, self.coming, self._seen = None, None, -1
        if simulation is not None:
            simulation.stop()
        scene = bpy.data.scenes.get(self.scene)
        if coming is not None and scene is not None:
            coming.end(scene)

    def _changed(self, scene: bpy.types.Scene) -> bool:
        """Whether the scene is another than what is simulated, or was."""
        now = time.perf_counter()
        self._seen = cache_status.change_count()
        objects = simulated_objects(scene)
        if not objects or any(obj.redmax.is_baked for obj in objects):
            self.stop()
            return False
        inputs = fingerprint(scene)
        posed = any(posed_at_start(obj, scene) for obj in objects)
        self._at = time.perf_counter()
        self._took = self._at - now
        if posed:
            return True
        if self.simulation is not None:
            return inputs != self.simulation.inputs
        if inputs == self._refused:
            return False
        shown = [cache.get(obj.redmax.result, scene) for obj in objects]
        return any(recording is None or recording.inputs != inputs for recording in shown)

    def _begin(self, context: bpy.types.Context, apart: bool) -> None:
        """Simulate the scene as it is now; what was under way is shown until the new one has a frame."""
        before, self.simulation = self.simulation, None
        if before is not None:
            before.stop()
        self.problem, self._refused = "", ""
        try:
            self.simulation = Simulation(context, apart=apart, where_it_matters=True)
        except InputError as error:
            self.problem, self._refused = str(error), fingerprint(context.scene)
            self.stop()
            return
        self.coming, self.scene = Coming(self.simulation), context.scene.name
        self._seen = cache_status.change_count()  # reading goes through the frames

    def _go_on(self, context: bpy.types.Context, most: int) -> None:
        """Take what has arrived, and show it."""
        simulation, coming = self.simulation, self.coming
        assert simulation is not None and coming is not None
        try:
            more, before, until = True, -1, simulation.done + most
            while more and before < simulation.done < until:
                before = simulation.done
                more = simulation.advance()
        except InputError as error:
            self.problem, self._refused = str(error), simulation.inputs
            self.stop()
            return
        self.factor = simulation.done / simulation.total
        if more:
            if coming.show(context):
                redraw(context)
            return
        self.simulation, self.coming = None, None
        coming.end(context.scene)
        if simulation.kept:
            self.last = simulation.finish(context)
            self.problem = self.last.diverged
        self._seen = cache_status.change_count()
        self._refused = simulation.inputs if self.problem else ""
        redraw(context)


def posed_at_start(obj: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    """Whether the user has posed an object by hand, without keys, at the frame where the simulation starts."""
    found = cache.track_of(obj, scene)
    if found is None or obj.redmax.is_baked:
        return False
    recording = found[0]
    first = recording.frame_start - recording.preroll
    if (
        abs(scene.frame_current_final - first) > playback.SAME_FRAME
        or abs(obj.redmax.shown_frame - first) > playback.SAME_FRAME
    ):
        return False
    return bool(playback.posed_by_user(obj, scene) - playback.keyed_parts(obj))


def is_busy(context: bpy.types.Context) -> bool:
    """Whether the user has hold of the scene: reading it now would get in the way."""
    if context.mode.startswith("EDIT"):
        return True
    under_way = (operator.bl_idname for w in context.window_manager.windows for operator in w.modal_operators)
    return any(name.startswith(HOLDING) for name in under_way)


def redraw(context: bpy.types.Context) -> None:
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in ("VIEW_3D", "DOPESHEET_EDITOR"):
                area.tag_redraw()


auto = Auto()
"""The one of this Blender."""


def tick() -> float:
    """Blender's timer calls this."""
    return auto.look()


def switch(*_: object) -> None:
    """Auto was turned on or off, or a file was opened: the timer runs where a scene wants it."""
    wanted = not bpy.app.background and any(scene.redmax.auto for scene in bpy.data.scenes)
    if wanted and not bpy.app.timers.is_registered(tick):
        bpy.app.timers.register(tick, first_interval=REST, persistent=True)
    elif not wanted and bpy.app.timers.is_registered(tick):
        bpy.app.timers.unregister(tick)
    if not wanted:
        auto.stop()
    cache_status.note_change()
