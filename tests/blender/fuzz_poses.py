"""Poses at every frame, before and after undo, redo, reopening and the loss of the cache.

A story is a scene with a simulation, and what a user does with it: drags the playhead, poses, keys, switches the
simulation off and on, bakes, simulates again. After each of these it is noted what is shown, and what every frame
shows; any way back to that moment has to show the same.
"""

import random
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from fuzz_actions import call, change_setting, key_control, random_scene

from redmax_blender.bridge.recording import cache, playback
from redmax_blender.bridge.rig.make_physical import Choices, make_physical

CLOSE = 5e-5
"""Poses that differ by less are one: they pass through single precision several times."""
BEYOND = 2
"""Frames before and after the range that are looked at."""

Poses = dict[str, np.ndarray]


def shown() -> Poses:
    """World matrices of all bones and objects, as they are now."""
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found = {}
    for obj in bpy.context.scene.objects:
        evaluated = obj.evaluated_get(depsgraph)
        found[obj.name] = np.array(evaluated.matrix_world)
        for bone in evaluated.pose.bones if evaluated.pose else ():
            found[f"{obj.name}/{bone.name}"] = np.array(evaluated.matrix_world @ bone.matrix)
    return found


def frames_beyond() -> int:
    """Beyond a strip of the NLA, Blender leaves channels that no other one animates as it showed them last."""
    strips = any(obj.redmax.baked_into == "NLA" for obj in bpy.context.scene.objects)
    return 0 if strips else BEYOND


def all_frames() -> dict[int, Poses]:
    """What every frame shows; the frame is the same again afterwards."""
    scene = bpy.context.scene
    frame = scene.frame_current
    settings = scene.redmax
    found = {}
    beyond = frames_beyond()
    for each in range(settings.frame_start - beyond, settings.frame_end + beyond + 1):
        scene.frame_set(each)
        found[each] = shown()
    scene.frame_set(frame)
    return found


def difference(a: Poses, b: Poses) -> str:
    """Where two poses differ most, if they do."""
    if a.keys() != b.keys():
        return f"{sorted(a.keys() ^ b.keys())} are in one of them only"
    off = {name: float(np.abs(a[name] - b[name]).max() / (1.0 + np.abs(a[name]).max())) for name in a}
    worst = max(off, key=lambda name: off[name], default="")
    return f"{worst} is off by {off[worst]:.2g}" if worst and not off[worst] < CLOSE else ""


@dataclass
class Moment:
    """What is shown after an action, at once and at every frame."""

    now: Poses
    frames: dict[int, Poses]


class PoseStory:
    """One scene, what happened to it, and the moments that undo can lead back to."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.seed = seed
        self.told: list[str] = []
        self.moments: list[Moment] = []
        self.at = -1
        self.checks = 0
        self.folder = Path(tempfile.mkdtemp(prefix="redmax-poses-"))

    def begin(self) -> None:
        random_scene(self.rng)
        for obj in bpy.context.scene.objects:
            if obj.type == "ARMATURE":
                make_physical(obj, bpy.context.scene, Choices(root=self.rng.choice(("HINGED", "FREE"))))
        bpy.context.scene.frame_set(1)
        bpy.ops.ed.undo_push(message="begin")
        self.simulate()
        self.note()

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def note(self) -> None:
        """What there is now; an undo step leads back to it."""
        del self.moments[self.at + 1 :]
        now = shown()
        self.moments.append(Moment(now, all_frames()))
        self.at = len(self.moments) - 1

    def act(self) -> None:
        kind = self.rng.random()
        if kind < 0.35 and len(self.moments) > 1:
            self.go_through_time()
        elif kind < 0.45:
            self.reopen(with_cache=self.rng.random() < 0.5)
        else:
            action = self.rng.choice(ACTIONS)
            self.told.append(f"… {action.__name__}")
            self.told[-1] = action(self)
            self.note()
            if action is not drag:
                return
            self.check("frame changed")

    def go_through_time(self) -> None:
        for _ in range(self.rng.randint(1, 3)):
            back = self.rng.random() < 0.6
            if back and self.at > 0:
                bpy.ops.ed.undo()
                self.at -= 1
            elif not back and self.at < len(self.moments) - 1:
                bpy.ops.ed.redo()
                self.at += 1
            else:
                continue
            self.told.append("undo" if back else "redo")
            self.check(self.told[-1])

    def check(self, what: str) -> None:
        """What is shown is what was shown at this moment."""
        wanted = self.moments[self.at]
        problem = difference(wanted.now, shown())
        assert not problem, f"after {what}, at once: {problem}"
        self.check_frames(wanted.frames, what)

    def check_frames(self, wanted: dict[int, Poses], what: str) -> None:
        self.checks += 1
        found = all_frames()
        assert found.keys() == wanted.keys(), f"after {what}: other frames"
        for frame, poses in wanted.items():
            problem = difference(poses, found[frame])
            assert not problem, f"after {what}, at frame {frame}: {problem}"

    def reopen(self, with_cache: bool) -> None:
        """Save, and open again; without the cache all is as without the simulation."""
        self.told.append("reopen" if with_cache else "reopen without the cache")
        scene = bpy.context.scene
        wanted = self.moments[self.at].frames
        if not with_cache:
            before = scene.redmax.show_simulation
            scene.redmax.show_simulation = False
            wanted = all_frames()
            scene.redmax.show_simulation = before
        path = self.folder / "shot.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        cache._memory.clear()
        if not with_cache:
            shutil.rmtree(self.folder / "redmax_cache", ignore_errors=True)
        bpy.ops.wm.open_mainfile(filepath=str(path))
        self.check_frames(wanted, self.told[-1])
        if not with_cache and bpy.ops.redmax.free_cache.poll():
            # The same simulation would be found again under the same key, and undo would lead to a cache that is there.
            bpy.ops.redmax.free_cache()
            self.check_frames(wanted, "free_cache")
        bpy.ops.ed.undo_push(message="opened")
        self.moments, self.at = [], -1
        self.note()

    def simulate(self) -> str:
        return press("simulate", self.rng)


def press(name: str, rng: random.Random) -> str:
    """Press one of our buttons; it makes an undo step by itself where it does something."""
    called, ended = call(name, rng)
    if ended != {"FINISHED"}:
        bpy.ops.ed.undo_push(message=called)
    return f"{called}: {ended}"


Act = Callable[[PoseStory], str]


def drag(story: PoseStory) -> str:
    """As the timeline does it: Blender makes its undo step before anybody hears of the new frame."""
    scene = bpy.context.scene
    beyond = min(frames_beyond(), 1)
    frame = story.rng.randint(scene.redmax.frame_start - beyond, scene.redmax.frame_end + beyond)
    with playback.paused():
        scene.frame_set(frame)
        bpy.ops.ed.undo_push(message="Change Frame")
    scene.frame_set(frame)
    return f"drag to {frame}"


def _pushed(story: PoseStory, what: str) -> str:
    bpy.ops.ed.undo_push(message=what)
    return what


def pose(story: PoseStory) -> str:
    """By hand, a bone without keys: undo shows those that have some as their keys say, with or without us."""
    rng = story.rng
    rigs = [obj for obj in bpy.context.scene.objects if obj.pose]
    bones = [bone for rig in rigs for bone in rig.pose.bones if bone.name not in playback.keyed_parts(rig)]
    if not bones:
        return _pushed(story, "pose nothing")
    bone = rng.choice(bones)
    bone.rotation_quaternion = np.array([1.0, *(rng.uniform(-0.5, 0.5) for _ in range(3))])
    bone.rotation_euler = [rng.uniform(-0.5, 0.5) for _ in range(3)]
    return _pushed(story, f"pose {bone.name}")


def setting(story: PoseStory) -> str:
    return _pushed(story, change_setting(story.rng))


def control(story: PoseStory) -> str:
    return _pushed(story, key_control(story.rng))


def key(story: PoseStory) -> str:
    """I over a bone, as it is shown. Not over a baked one: where there are strips of the NLA, Blender evaluates a new
    action only later when it was Python that inserted the key.
    """
    rigs = [obj for obj in bpy.context.scene.objects if obj.pose and not obj.redmax.is_baked]
    bones = [bone for rig in rigs for bone in rig.pose.bones]
    if not bones:
        return _pushed(story, "key nothing")
    bone = story.rng.choice(bones)
    path = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        bone.rotation_mode, "rotation_euler"
    )
    bone.keyframe_insert(story.rng.choice((path, "location")))
    bpy.context.view_layer.update()
    return _pushed(story, f"key {bone.name}")


def switch(story: PoseStory) -> str:
    """Show Simulation, of the scene or of an object."""
    owner = story.rng.choice([bpy.context.scene, *bpy.context.scene.objects])
    owner.redmax.show_simulation = not owner.redmax.show_simulation
    return _pushed(story, f"show {owner.name}: {owner.redmax.show_simulation}")


def simulate(story: PoseStory) -> str:
    return story.simulate()


def _operator(name: str) -> Act:
    def act(story: PoseStory) -> str:
        return press(name, story.rng)

    act.__name__ = name
    return act


ACTIONS: tuple[Act, ...] = (
    drag, drag, drag, pose, pose, key, setting, control, switch, switch, simulate, simulate,
    _operator("bake"), _operator("delete_bake"), _operator("free_cache"), _operator("make_physical"),
)  # fmt: skip
