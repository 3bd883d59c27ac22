"""Simulate: read the scene, run the engine a frame at a time, keep the recording."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from math import floor, inf
from time import sleep

import bpy
import numpy as np

from ...engine.errors import FAILURES, DivergedError, SceneError
from ...engine.scene import SceneSpec
from ...show_properties import NO_FRAMES
from ..bake.channels import read_channels, write_channels
from ..bake.linked import check_linked
from ..bake.target import set_aside, without_target
from ..board import keys as board
from ..flesh import show as show_flesh
from ..flesh.soft_meshes import soft_meshes
from ..flesh.track import mesh_tracks
from ..mechanism import constraints, rigid_body_world
from ..mechanism.close_loop import check_loop, close_points, close_poses
from ..mechanism.object_reading import object_motion, object_tracks
from ..mechanism.parts import WHOLE, Part, name_of, part_of, parts_of
from ..motion.carried import check_carried
from ..motion.retarget import ChainBone, bone_poses, make_track, read_chain
from ..motion.sample_motion import first_frame
from ..read.scene import Reading, check_range, read_scene
from ..recording import cache, playback
from ..recording.cache import Recording, Track
from ..recording.figures import FigureLog
from ..rig.bodies import active_bodies, simulated_objects
from ..rig.rig import metres_per_unit, physical_armatures
from ..rig.set_control import has_keyed_control
from . import kept_keys, own_pose
from .engine_run import ProcessRun, run_here
from .fingerprint import fingerprint
from .report_text import forget_run, report_run
from .settle import settle

MOST_CHOSEN = 100
"""Substeps beyond which a simulation that diverges is not tried again with more."""

KEPT = 4
"""Scenes of which is known what they were simulated from."""
_made_from: dict[str, SceneSpec] = {}
"""What recordings of this session were simulated from, by their keys."""

Progress = Callable[[int, int], bool | None]
"""Called with frames done and frames in all; returning False cancels."""


@dataclass
class Outcome:
    """What a simulation did."""

    recording: Recording
    cancelled: bool = False
    diverged: str = ""
    """Where and when, when it did."""
    warnings: list[str] = field(default_factory=list)


class Simulation:
    """A run that the caller advances a frame at a time: progress, clock and cancelling are theirs.

    Making one reads the scene, and raises SceneError where that cannot be simulated; nothing in the file has changed
    before `finish`.
    """

    def __init__(
        self,
        context: bpy.types.Context,
        apart: bool = False,
        since: int | None = None,
        where_it_matters: bool = False,
    ) -> None:
        """Read the scene and start the engine, in this process or apart, in one of its own.

        With `since`, a frame of the scene, the recording up to it is kept and the run goes on from there; with
        `where_it_matters`, that is the last frame before which nothing has changed since it was simulated, if any.
        """
        scene = context.scene
        check_range(scene)
        check_loop(scene)
        armatures = physical_armatures(scene)
        moved = armatures + active_bodies(scene)
        check_linked(scene, moved + soft_meshes(scene))
        check_not_baked(soft_meshes(scene))
        check_carried(armatures, active_bodies(scene))
        with at_start(context, moved + left_over(scene, moved)):
            self.inputs = fingerprint(scene)
            with board.settings_kept(scene):
                board.put_at(scene, first_frame(scene))
                self.reading: Reading = read_scene(context, armatures)
                board.read_changes(context, armatures, self.reading)
            depsgraph = context.evaluated_depsgraph_get()
            self.chains: list[list[ChainBone]] = [
                read_chain(obj, depsgraph, set(rig.bones), self.reading.samples[obj.name])
                for obj, rig in zip(armatures, self.reading.rigs)
            ]
        if where_it_matters:
            since = self.unchanged_until(scene)
        self.start(scene, apart, since)
        self.unit = metres_per_unit(scene)
        self.skipped = self.reading.frame_start - first_frame(scene)
        self.total = self.reading.frame_end - first_frame(scene) + 1
        self.loop_blend = int(scene.redmax.loop_blend)
        self.joint_poses: list[np.ndarray] = []
        self.x: list[np.ndarray] = []
        self.diverged = ""
        self.failure: Exception | None = None
        """What ended the run before its time."""

    def start(self, scene: bpy.types.Scene, apart: bool, since: int | None) -> None:
        """Start the engine on what was read."""
        self.apart, self.place = apart, (cache.folder(scene), self.since(scene, since))
        self.run_engine()

    def run_engine(self) -> None:
        """Begin with the first frame."""
        run = (self.reading.scene, *self.place)
        self.process = ProcessRun(*run) if self.apart else None
        self.log = FigureLog(self.reading.scene)
        if self.process is None:
            self.key, self.frames = run_here(*run, log=self.log)
        else:
            self.key, self.frames = "", self.process

    def unchanged_until(self, scene: bpy.types.Scene) -> int | None:
        """The last frame that the recording shown can keep, since what has changed matters after it."""
        from ...engine.run.same_until import same_until

        keys = cache.keys_shown(scene)
        before = _made_from.get(next(iter(keys))) if len(keys) == 1 else None
        if before is None:
            return None
        time = same_until(before, self.reading.scene)
        recording = cache.get(next(iter(keys)), scene)
        if recording is None or time <= 0.0 or not cache.frames_path(recording.key, scene).exists():
            return None
        first = first_frame(scene)
        last = min(recording.frame_last, self.reading.frame_end - 1)
        frame = last if time == inf else min(first + floor(time * self.reading.fps + 1e-6), last)
        possible = recording.frame_start - recording.preroll == first and frame > recording.frame_start
        return frame if possible else None

    def since(self, scene: bpy.types.Scene, frame: int | None) -> tuple[str, int] | None:
        """Where the run to go on from has its frames, and the number of the last one to keep."""
        if frame is None:
            return None
        first = first_frame(scene)
        for recording in filter(None, (cache.get(key, scene) for key in cache.keys_shown(scene))):
            if recording.frame_start - recording.preroll != first:
                raise SceneError("Cache", "its first frame is another", "Simulate from the start instead.")
            if recording.frame_start <= frame <= min(recording.frame_last, self.reading.frame_end - 1):
                return str(cache.frames_path(recording.key, scene)), frame - first
        raise SceneError(
            "Cache",
            f"there is nothing simulated at frame {frame}, or nothing after it in the range",
            "Go to a simulated frame before the end, or simulate from the start.",
        )

    @property
    def done(self) -> int:
        """Frames that are finished, the first one included, and those of the pre-roll."""
        return len(self.joint_poses)

    @property
    def kept(self) -> int:
        """Frames that are finished and will be kept."""
        return max(self.done - self.skipped, 0)

    def advance(self) -> bool:
        """Take one more frame, if there is one already; False when there are no more."""
        try:
            frame = next(self.frames)
        except StopIteration:
            return False
        except FAILURES as error:
            if isinstance(error, DivergedError) and self.take_finer_steps():
                return True
            self.failure = error
            at = self.reading.frame_start - self.skipped + floor(error.time * self.reading.fps + 1e-9)
            self.diverged = (
                f"Diverged at frame {at}, first at {self.joint(error.joint)}. The frames before are kept. "
                "Use more substeps, less stiffness, or another integrator"
                if isinstance(error, DivergedError)
                else f"Stopped at frame {at}: {error} The frames before are kept"
            )
            return False
        if frame is not None:
            self.joint_poses.append(frame.joint_pose)
            self.x.append(frame.x)
            self.log.add(frame)
        return True

    def take_finer_steps(self) -> bool:
        """After it diverged, where the steps were chosen: begin again with twice as many; False where that is vain."""
        time = self.reading.scene.time
        if not self.reading.substeps_chosen or 2 * time.record > MOST_CHOSEN:
            return False
        time.step, time.record = 0.5 * time.step, 2 * time.record
        self.reading.substeps_reason = "what diverged with fewer"
        self.joint_poses.clear()
        self.x.clear()
        self.run_engine()
        return True

    def stop(self) -> None:
        """No more frames are wanted."""
        if self.process is not None:
            self.process.stop()

    def joint(self, name: str) -> str:
        """bone 'bone' of 'armature', or joint 'empty', from a joint's name in the engine."""
        armature, _, bone = name.partition("/")
        if any(rig.name == armature and bone in rig.bones for rig in self.reading.rigs):
            return f"bone '{bone}' of '{armature}'"
        return f"joint '{name}'"

    def finish(self, context: bpy.types.Context, cancelled: bool = False) -> Outcome:
        """Keep the frames that are done and show them."""
        scene = context.scene
        aside = self.set_bakes_aside(scene)
        muted = self.mute(scene)
        recording = self.make_recording(context)
        outcome = Outcome(recording, cancelled, self.diverged, self.reading.warnings + aside + muted)
        self.attach(scene, recording, outcome)
        _made_from[recording.key] = self.reading.scene
        while len(_made_from) > KEPT:
            del _made_from[next(iter(_made_from))]
        scene.redmax.cut_joints = "\n".join(self.reading.cut)
        scene.redmax.chosen_substeps = self.reading.scene.time.record
        report_run(context, self, outcome)
        playback.show_frame(scene)
        context.view_layer.update()
        return outcome

    def make_recording(self, context: bpy.types.Context) -> Recording:
        """The frames that are done, as channels of bones and objects and vertices of meshes."""
        scene = context.scene
        poses, x = np.stack(self.joint_poses), self.x
        if self.closes:
            poses = close_poses(poses, self.reading.scene.bodies, self.skipped, self.loop_blend)
            x = list(close_points(np.stack(x), self.skipped, self.loop_blend)) if self.reading.flesh else x
        tracks, at = {}, 0
        for rig, chain in zip(self.reading.rigs, self.chains):
            obj = scene.objects[rig.name]
            posed = bone_poses(rig, poses[:, at : at + len(rig.bones)])
            samples = self.reading.samples[rig.name]
            animated = samples.poses[samples.lead :, [samples.column[name] for name in rig.bones]]
            first = self.reading.frame_start - self.skipped
            chain = settle(context, obj, rig, chain, posed, animated, first)
            tracks[rig.name] = make_track(obj, rig, chain, posed, animated)
            at += len(rig.bones)
        column = {body.name: i for i, body in enumerate(self.reading.scene.bodies)}
        motions = {
            thing.name: object_motion(poses[:, column[thing.name]], self.unit)
            for thing in self.reading.objects
        }
        tracks |= object_tracks(self.reading.objects, motions)
        tracks = {name: track.since(self.skipped) for name, track in tracks.items()}
        recording = Recording(
            self.recording_key(),
            self.reading.frame_start,
            self.reading.frame_end,
            tracks,
            inputs=self.inputs,
            preroll=self.skipped,
        )
        if self.reading.flesh:
            meshes = mesh_tracks(context, self.reading.flesh, recording, np.stack(x[self.skipped :]))
            recording = replace(recording, meshes=meshes)
        return recording

    def recording_key(self) -> str:
        """The engine's key, and how many frames there are: a cancelled run is another recording than a whole one."""
        key = self.process.key if self.process else self.key
        return f"{key[:16]}{self.kept:08x}" + (f"{self.loop_blend:04x}" if self.closes else "")

    @property
    def closes(self) -> bool:
        """Whether the end passes over into the beginning: where all frames are there, and the user wants it."""
        return self.loop_blend > 0 and self.done == self.total

    def set_bakes_aside(self, scene: bpy.types.Scene) -> list[str]:
        """What was baked has its own action again, from which it was simulated; what to tell the user about it."""
        names = [rig.name for rig in self.reading.rigs] + [thing.name for thing in self.reading.objects]
        baked = [obj for obj in (scene.objects[name] for name in names) if obj.redmax.is_baked]
        said = []
        for obj in baked:
            action = set_aside(obj)
            for part in own_pose.shown_parts(obj):
                own_pose.give_back(part)
            kept = f"the edited bake is kept as action '{action}'" if action else "its bake is deleted"
            said.append(f"'{obj.name}' was baked: it is simulated from its own action, and {kept}")
        return said

    def mute(self, scene: bpy.types.Scene) -> list[str]:
        """Mute constraints that would override the simulation; what to tell the user about it."""
        simulated = {rig.name: set(rig.bones) for rig in self.reading.rigs}
        simulated |= {thing.name: {WHOLE} for thing in self.reading.objects}
        return mute_posing({scene.objects[name]: parts for name, parts in simulated.items()})

    def attach(self, scene: bpy.types.Scene, recording: Recording, outcome: Outcome) -> None:
        """Let the objects show a recording, and keep it."""
        for name, track in recording.tracks.items():
            begin(scene.objects[name], scene, track)
        objects = {name: scene.objects[name] for name in (*recording.tracks, *recording.meshes)}
        outcome.warnings += show_recording(scene, recording, objects)


def mute_posing(simulated: dict[bpy.types.Object, set[str]]) -> list[str]:
    """Mute constraints that would override what is shown of these parts; what to tell the user about it."""
    muted = []
    for obj, parts in simulated.items():
        constraints.restore(obj)
        muted += [f"'{obj.name}' {each}" for each in constraints.mute(obj, parts)]
    if not muted:
        return []
    what = "constraint or driver" if any(": driver of " in each for each in muted) else "constraint"
    return [
        f"Muted {len(muted)} {plural(what, len(muted))}, which would override the simulation "
        f"({', '.join(muted[:3])}{', …' if len(muted) > 3 else ''}); Free Cache restores them"
    ]


def show_recording(
    scene: bpy.types.Scene, recording: Recording, objects: dict[str, bpy.types.Object]
) -> list[str]:
    """Let objects show a recording, by their names in it, and keep it; what to tell the user about it."""
    old, said = cache.keys_in_use(), []
    turn_on(scene)
    for name, obj in objects.items():
        settings = obj.redmax
        settings.result, settings.result_name = recording.key, name
        settings.result_frames = recording.frame_start, recording.frame_last
        turn_on(obj)
    for obj in scene.objects:  # no longer physical: its last recording would go on playing
        if obj.redmax.result and obj not in objects.values():
            detach(obj, scene)
    if rigid_body_world.pause(scene, [obj.name for name, obj in objects.items() if name in recording.tracks]):
        said.append(
            "Blender's own rigid body simulation is switched off, so that it does not move the objects as "
            "well; Free Cache switches it on again"
        )
    problem = cache.put(recording, scene)
    if problem:
        said.append(problem)
    for key in old - cache.keys_in_use():
        cache.remove_file(key, scene)
    kept_keys.look(scene)
    for name, obj in objects.items():
        if name in recording.meshes:
            show_flesh.show_new(obj, scene)
    return said


def simulate_scene(
    context: bpy.types.Context, progress: Progress | None = None, since: int | None = None
) -> Outcome:
    """Simulate all physical armatures and mechanisms of the scene over its range, and show the result.

    With `since`, the recording that there is keeps its frames up to that one, and only the rest is simulated anew. In a
    Blender with a window the engine runs in a process of its own (`engine.jit.switch`).
    """
    simulation = Simulation(context, apart=not bpy.app.background, since=since)
    while simulation.advance():
        if simulation.process is not None:
            sleep(0.002)  # until more has arrived
        if progress is not None and progress(simulation.done, simulation.total) is False:
            return simulation.finish(context, cancelled=simulation.done < simulation.total)
    return simulation.finish(context)


def free_cache(context: bpy.types.Context) -> int:
    """Forget the recordings of the scene's objects; bones and bodies return to where they started."""
    scene = context.scene
    freed = [obj for obj in scene.objects if obj.redmax.result]
    keys = {obj.redmax.result for obj in freed}
    for obj in freed:
        detach(obj, scene)
    for key in keys:
        cache.remove_file(key, scene)
    rigid_body_world.resume(scene)
    scene.redmax.cut_joints = ""
    forget_run(scene)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)  # keyed bones show their keys again
    return len(freed)


def turn_on(owner: bpy.types.Object | bpy.types.Scene) -> None:
    """What was just simulated is shown."""
    if not owner.redmax.show_simulation:
        with playback.paused():
            owner.redmax.show_simulation = True


def begin(obj: bpy.types.Object, scene: bpy.types.Scene, track: Track) -> None:
    """Let an object show a new recording; its own pose is the one that the simulation started from.

    Bones that are not simulated any more go back to their own.
    """
    playback.show_start(obj, scene, but=track.bones)
    for name, row in zip(track.bones, track.start):
        part = part_of(obj, name)
        if part is not None:
            own_pose.hold_row(part, row)
    obj.redmax.shown_frame = scene.frame_current_final


def keep_substeps(scene: bpy.types.Scene) -> None:
    """Files of earlier versions, which have no automatic substeps, keep the number that they have."""
    settings = scene.redmax
    if not settings.is_property_set("auto_substeps") and simulated_objects(scene):
        settings.auto_substeps = False


def migrate(scene: bpy.types.Scene) -> None:
    """Files of earlier versions have the poses that simulations started from in their recordings alone."""
    for obj in scene.objects:
        settings = obj.redmax
        found = cache.track_of(obj, scene) if settings.result else None
        if found is not None and tuple(settings.result_frames) == NO_FRAMES and not own_pose.shown_parts(obj):
            begin(obj, scene, found[1])
            settings.result_frames = found[0].frame_start, found[0].frame_last


def detach(obj: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Let an object show its recording no longer. A baked one keeps its own pose for when its bake is deleted."""
    if not obj.redmax.is_baked:
        playback.show_start(obj, scene)
        constraints.restore(obj)
    obj.redmax.result = ""
    obj.redmax.result_name = ""
    obj.redmax.result_frames, obj.redmax.shown_frame = NO_FRAMES, 0.0
    show_flesh.refresh(obj, scene)


def plural(what: str, count: int) -> str:
    """constraint or driver -> constraints and drivers, for more than one."""
    return what if count == 1 else what.replace(" or ", "s and ") + "s"


def check_not_baked(objects: list[bpy.types.Object]) -> None:
    for obj in objects:
        if obj.redmax.is_baked:
            kind = "Armature" if obj.type == "ARMATURE" else "Object"
            raise SceneError(
                f"{kind} '{obj.name}'", "it is baked", "Delete its bake before simulating again."
            )


def left_over(scene: bpy.types.Scene, moved: list[bpy.types.Object]) -> list[bpy.types.Object]:
    """Objects that still show a recording, but will not be simulated: they are to be read where they started."""
    return [
        obj for obj in scene.objects if obj.redmax.result and not obj.redmax.is_baked and obj not in moved
    ]


@contextmanager
def at_start(context: bpy.types.Context, objects: list[bpy.types.Object]) -> Iterator[None]:
    """The scene at the first frame of its range, as it is without any recording; afterwards, as it was.

    The pose that the user sees counts: when they posed bones or objects at the first frame without keying them, it
    starts there. Only bones that are keyframed then begin where their animation has them.
    """
    scene = context.scene
    start, current, subframe = first_frame(scene), scene.frame_current, scene.frame_subframe
    showing = [obj for obj in objects if own_pose.shown_parts(obj)]
    elsewhere = bool(showing) or current != start or bool(subframe)
    parts = [part for obj in objects for part in parts_of(obj)]
    before = read_channels(parts)
    touched = {
        obj.name: set() if obj.redmax.is_baked else playback.posed_by_user(obj, scene) for obj in showing
    }
    keyed = any(has_keyed_control(obj) for obj in objects)  # a change by hand is gone with the next frame
    again = keyed or any(is_keyframed(part) for part in parts)
    with ExitStack() as undo:
        undo.enter_context(playback.paused())
        undo.callback(_show_again, context, elsewhere, current, subframe, parts, before)
        undo.enter_context(rigid_body_world.switched_off(scene))
        for obj in objects:
            undo.enter_context(without_target(obj))
        for obj in showing:
            for part in own_pose.shown_parts(obj):
                if name_of(part) not in touched[obj.name]:
                    own_pose.write_own(part)
            undo.enter_context(constraints.unmuted(obj))
        if elsewhere or again:
            scene.frame_set(start)
        keyframed = {part for part in parts if is_keyframed(part)}
        for part, row in zip(parts, before):
            of = part.id_data.name
            by_hand = name_of(part) in touched[of] if of in touched else again and not subframe
            if current == start and by_hand and part not in keyframed:
                write_channels(part, row)
        context.view_layer.update()
        yield


def is_keyframed(part: Part) -> bool:
    """True for a physical bone that follows its animation at this frame."""
    return (
        isinstance(part, bpy.types.PoseBone) and part.redmax.physical and part.redmax_control == "KEYFRAMED"
    )


def _show_again(
    context: bpy.types.Context,
    elsewhere: bool,
    frame: int,
    subframe: float,
    parts: list[Part],
    channels: np.ndarray,
) -> None:
    if elsewhere:
        context.scene.frame_set(frame, subframe=subframe)
    for part, row in zip(parts, channels):
        write_channels(part, row)
    context.view_layer.update()
