"""Live: the simulation plays in the viewport without an end, and what is shown can be pulled at.

While it plays, bones and bodies are moved as a recording would move them, and nothing else changes; when it ends,
everything is as it was, to the last digit, or what was played becomes the recording.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.scene.change_values import difference, plain
from ..bake.channels import read_channels, write_channels
from ..board.controls import put, setting
from ..board.keys import check_same_bodies, curves, store_pulls, write_keys
from ..flesh.live import LiveFlesh
from ..inquire import asking
from ..mechanism import rigid_body_world
from ..mechanism.object_reading import ObjectReading, object_motion, object_tracks
from ..mechanism.parts import part_of, parts_of, show
from ..motion.retarget import ChainBone, bone_poses, make_track
from ..motion.sample_motion import first_frame, may_move
from ..read.scene import RigReading, read_scene
from ..recording import playback
from ..recording.figures import FigureLog
from ..rig.bodies import simulated_objects
from ..rig.rig import physical_armatures
from . import own_pose
from .fingerprint import fingerprint
from .live_run import LET_GO, LiveApart, LiveHere, Playing, Shown, ask, change, grab, pull
from .report_text import forget_run
from .settle import settle
from .simulate_scene import Outcome, Simulation, at_start, check_not_baked

Floats = NDArray[np.float64]

MOVED = 0.02
"""Change of a bone's pose matrix from which it can be told what constrained helper bones follow."""


class Live(Simulation):
    """A live run of the scene. The caller asks for frames when it likes, and ends with `end` or `keep`.

    A script needs no window for it, and may use it in a `with` block, which ends it:

        with Live(bpy.context) as live:
            for frame in range(48):
                live.take()
            live.show(bpy.context)
    """

    def __init__(self, context: bpy.types.Context, apart: bool = False) -> None:
        scene = context.scene
        check_not_baked(simulated_objects(scene))
        super().__init__(context, apart)
        self.moved = [scene.objects[rig.name] for rig in self.reading.rigs]
        self.moved += [scene.objects[thing.name] for thing in self.reading.objects]
        self.animated = any(may_move(obj) for obj in scene.objects)
        """Whether there is anything that other frames show elsewhere."""
        self.settled = False
        self.soft = LiveFlesh(self.reading.flesh, [obj.name for obj in self.moved])
        self.ended = False
        self.answers: asking.Answers | None = None
        """What was inquired."""
        self.begun = plain(self.reading.scene)
        self.meant = self.begun
        """The scene as it is played now."""
        self.board = BoardAsItWas(scene)
        self.places = [self.board.places()]
        """Where the controls of the board stood at the start and after each change."""
        self.before = AsItWas(scene, self.moved)
        self.warnings = self.mute(scene)

    def start(self, scene: bpy.types.Scene, apart: bool, since: int | None) -> None:
        self.reading.scene.changes, self.reading.scene.pulls = [], []  # they come from whoever plays
        self.run: Playing = (LiveApart if apart else LiveHere)(self.reading.scene)
        self.process, self.frames, self.key = None, iter(()), ""
        self.log = FigureLog(self.reading.scene)

    def take(self) -> list[Shown]:
        """The frames that there are since the last time. Raises what the engine raised."""
        frames = self.run.take()
        for frame in frames:
            self.joint_poses.append(frame.joint_pose)
            self.x.append(frame.x)
            if frame.told is not None and self.answers is not None:
                self.answers.moments.append(frame.told)
        return frames

    def show(self, context: bpy.types.Context) -> None:
        """Pose bones, bodies and flesh as the last frame has them."""
        scene, poses = context.scene, self.joint_poses[-1]
        number = min(self.done, self.total) - 1
        if self.animated:
            with playback.paused(), rigid_body_world.switched_off(scene):
                scene.frame_set(self.reading.frame_start - self.skipped + number)
        at = 0
        for k, rig in enumerate(self.reading.rigs):
            rows = poses[at : at + len(rig.bones)]
            self.chains[k] = self.settle(context, rig, self.chains[k], rows, number)
            show_rig(scene.objects[rig.name], rig, self.chains[k], rows, self.still(rig), number)
            at += len(rig.bones)
        self.show_objects(scene, poses, number)
        self.soft.show(context, self.x[-1])

    def still(self, rig: RigReading) -> Floats:
        """Poses of a rig's bones at all frames without the simulation, shape (nf, nb, 4, 4)."""
        samples = self.reading.samples[rig.name]
        return samples.poses[samples.lead :, [samples.column[name] for name in rig.bones]]

    def settle(
        self, context: bpy.types.Context, rig: RigReading, chain: list[ChainBone], rows: Floats, number: int
    ) -> list[ChainBone]:
        """The chain, with what its constrained helpers follow once that can be seen."""
        if self.settled or not any(link.constrained and link.name not in rig.bones for link in chain):
            return chain
        posed, still = bone_poses(rig, rows[None], number), self.still(rig)
        if np.abs(posed[0] - still[min(number, len(still) - 1)]).max() < MOVED:
            return chain
        self.settled = True
        first = self.reading.frame_start - self.skipped
        so_far = np.broadcast_to(posed[0], (number + 1, *posed.shape[1:]))  # it looks at the last one only
        return settle(context, context.scene.objects[rig.name], rig, chain, so_far, still, first)

    def show_objects(self, scene: bpy.types.Scene, poses: Floats, number: int) -> None:
        if not self.reading.objects:
            return
        column = {body.name: i for i, body in enumerate(self.reading.scene.bodies)}
        both = np.stack([self.joint_poses[0], poses])
        things = [_at(thing, number) for thing in self.reading.objects]
        motions = {thing.name: object_motion(both[:, column[thing.name]], self.unit) for thing in things}
        for name, track in object_tracks(things, motions).items():
            show(scene.objects[name], playback.transform_at(track, 0, 1.0))

    def grab(self, body: str, place: Sequence[float]) -> None:
        """Take hold of a body of the engine's at a place of the world [Blender units]."""
        self.run.tell(grab(body, np.array(place) * self.unit))

    def pull(self, place: Sequence[float]) -> None:
        """Draw what is held to a place of the world [Blender units]."""
        self.run.tell(pull(np.array(place) * self.unit))

    def ask(self, scene: bpy.types.Scene, names: Sequence[str]) -> None:
        """Tell what these parts feel, at each frame from now on, in the panel and as arrows."""
        axes = scene.redmax.inquire.axes.lower()
        self.answers = asking.Answers(list(names), axes, "")
        asking.keep(scene, self.answers)
        self.run.tell(ask(names, axes))

    def let_go(self) -> None:
        self.run.tell(LET_GO)

    def change(self, context: bpy.types.Context) -> bool:
        """Let settings that are others than before take effect from the next frame on; whether there are any.

        Raises SceneError, and goes on as before, where the scene cannot be simulated with them.
        """
        scene = context.scene
        if self.reading.flesh:
            raise SceneError(
                "Live", "there are soft meshes, whose scene cannot change while it plays", "End it."
            )
        self.before.restore(context)
        try:
            with at_start(context, self.moved):
                again = read_scene(context, physical_armatures(scene)).scene
        finally:
            self.before = AsItWas(scene, self.moved)
            self.mute(scene)
            self.show(context)
        check_same_bodies(self.reading.scene, again)
        values = difference(self.meant, plain(again))
        if not values:
            return False
        self.meant = plain(again)
        self.run.tell(change(values, len(self.places)))
        self.places.append(self.board.places())
        return True

    def end(self, context: bpy.types.Context) -> None:
        """Stop, and let everything be as it was; harmless when it has ended."""
        if self.ended:
            return
        self.board.restore()
        self.ended = True
        if self.answers is not None:
            asking.forget(context.scene)
        self.run.stop()
        self.soft.end(context.scene)
        self.before.restore(context)

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *_: object) -> None:
        self.end(bpy.context)

    def keep(self, context: bpy.types.Context) -> Outcome:
        """Stop, and let what was played, up to the end of the range, be the recording."""
        done = self.run.done(self.kept - 1 + self.skipped)
        self.end(context)
        self.joint_poses, self.x = self.joint_poses[: self.total], self.x[: self.total]
        first = self.reading.frame_start - self.skipped
        rows = [(0, self.places[0])]
        rows += [(frame, self.places[note]) for note, frame in done.notes if frame < self.done]
        write_keys(context.scene, first, rows)
        store_pulls(context.scene, done.pulls)
        with at_start(context, self.moved):
            self.inputs = fingerprint(context.scene)
        self.mute(context.scene)
        recording = self.make_recording(context)
        outcome = Outcome(recording, self.done < self.total, "", self.reading.warnings + self.warnings)
        forget_run(context.scene)
        self.attach(context.scene, recording, outcome)
        context.scene.redmax.cut_joints = "\n".join(self.reading.cut)
        playback.show_frame(context.scene)
        context.view_layer.update()
        return outcome

    def recording_key(self) -> str:
        """From what was played: no two of them are alike."""
        digest = hashlib.sha256(np.stack(self.joint_poses).tobytes()).hexdigest()
        return f"{digest[:16]}{self.kept:08x}"


def show_rig(
    obj: bpy.types.Object, rig: RigReading, chain: list[ChainBone], rows: Floats, still: Floats, number: int
) -> None:
    """Pose bones so that their joints are at rows of twelve, shape (nb, 12), at a frame of the run."""
    track = make_track(obj, rig, chain, bone_poses(rig, rows[None], number), still, number)
    for i, name in enumerate(rig.bones):
        bone = part_of(obj, name)
        if bone is not None:
            show(bone, playback.transform_at(track, i, 0.0))


def _at(thing: ObjectReading, number: int) -> ObjectReading:
    """An object whose parent's motion is that of the start and of one frame of the run."""
    if thing.parent_moves is None:
        return thing
    return replace(thing, parent_moves=thing.parent_moves[[0, min(number, len(thing.parent_moves) - 1)]])


class BoardAsItWas:
    """Where the controls of the board and their settings stood; keys of controls rest while it plays."""

    def __init__(self, scene: bpy.types.Scene) -> None:
        self.scene = scene.name
        self.settings = [setting(control.owner, control.path) for control in scene.redmax.board]
        self.before = [control.value for control in scene.redmax.board]
        found = curves(scene)
        for i, control in enumerate(scene.redmax.board):
            if i in found:
                control.value = found[i].evaluate(first_frame(scene))
                found[i].mute = True
        self.muted = list(found)

    def places(self) -> list[float]:
        return [control.value for control in bpy.data.scenes[self.scene].redmax.board]

    def restore(self) -> None:
        scene = bpy.data.scenes[self.scene]
        found = curves(scene)
        for i in self.muted:
            if i in found:
                found[i].mute = False
        for control, value, was in zip(scene.redmax.board, self.settings, self.before):
            control.value = was
            if value is not None:
                put(control.owner, control.path, value)


class AsItWas:
    """The frame, the channels of all parts of objects, and which of their constraints and drivers are muted.

    By name: nothing of Blender's is kept, which may be gone when a file is opened in between.
    """

    def __init__(self, scene: bpy.types.Scene, objects: list[bpy.types.Object]) -> None:
        self.frame = (scene.frame_current, scene.frame_subframe)
        self.objects = [obj.name for obj in objects]
        parts = [part for obj in objects for part in parts_of(obj)]
        self.channels = read_channels(parts)
        self.own = own_pose.states(parts)
        for part in parts:  # a file that is saved meanwhile has them as well
            own_pose.hold(part)
        self.muted = [
            (part.redmax.muted, {constraint.name: constraint.mute for constraint in part.constraints})
            for part in parts
        ]
        self.drivers = [
            [driver.mute for driver in obj.animation_data.drivers] if obj.animation_data else []
            for obj in objects
        ]

    def restore(self, context: bpy.types.Context) -> None:
        scene = context.scene
        parts = [part for name in self.objects for part in parts_of(scene.objects[name])]
        for part, (names, mutes) in zip(parts, self.muted):
            part.redmax.muted = names
            for constraint in part.constraints:
                constraint.mute = mutes[constraint.name]
        for name, mutes in zip(self.objects, self.drivers):
            data = scene.objects[name].animation_data
            for driver, mute in zip(data.drivers if data else (), mutes):
                driver.mute = mute
        if (scene.frame_current, scene.frame_subframe) != self.frame:
            with playback.paused():
                scene.frame_set(self.frame[0], subframe=self.frame[1])
        for part, row in zip(parts, self.channels):
            write_channels(part, row)
        own_pose.restore(parts, self.own)
        context.view_layer.update()
