"""Operators in random order on random scenes: no crash, no exception, and undo always brings back the same file.

    REDMAX_FUZZ_SECONDS=3600 REDMAX_FUZZ_SEED=7 pytest tests/blender/whole/test_fuzz.py

REDMAX_FUZZ_LOG names a file that gets every action before it is done, for when Blender crashes.
"""

import os
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bpy
import pytest
from fuzz_actions import BLENDERS, call, our_operators, random_scene, undoable
from fuzz_digest import data_blocks, differences, digest
from fuzz_poses import PoseStory

from redmax_blender.bridge.recording import cache

SECONDS = float(os.environ.get("REDMAX_FUZZ_SECONDS", "30"))
"""CI runs it in four Blenders: two minutes in all."""
SEED = int(os.environ.get("REDMAX_FUZZ_SEED", "1"))
LOG = os.environ.get("REDMAX_FUZZ_LOG")
ACTIONS = 25
"""Of one scene."""
STEPS = 20
"""Undo steps that Blender keeps safely: it keeps 32, and some of its own operators make several."""


class Console:
    """What is printed, by Blender and by Python, past their own streams."""

    def __init__(self) -> None:
        self.file = tempfile.TemporaryFile("w+b")  # noqa: SIM115

    @contextmanager
    def watched(self) -> Iterator[None]:
        kept = [os.dup(stream) for stream in (1, 2)]
        for stream in (1, 2):
            os.dup2(self.file.fileno(), stream)
        try:
            yield
        finally:
            for stream, copy in zip((1, 2), kept):
                os.dup2(copy, stream)
                os.close(copy)

    def take(self) -> str:
        self.file.seek(0)
        text = self.file.read().decode(errors="replace")
        self.file.seek(0)
        self.file.truncate()
        return text


class Story:
    """One scene and what happened to it; every state that undo can lead back to."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.seed = seed
        self.told: list[str] = []
        self.states: list[dict[str, object]] = []
        self.at = 0

    def begin(self) -> None:
        random_scene(self.rng)
        self.push("begin")

    def push(self, message: str) -> None:
        """A step that undo leads back to."""
        bpy.ops.ed.undo_push(message=message)
        self.note()

    def note(self) -> None:
        del self.states[self.at + 1 :]
        self.states.append(digest())
        del self.states[:-STEPS]
        self.at = len(self.states) - 1

    def tell(self, what: str) -> None:
        self.told.append(what)
        if LOG:
            with open(LOG, "a") as log:
                log.write(f"{self.seed}: {what}\n")

    def act(self) -> None:
        kind = self.rng.random()
        if kind < 0.2:
            self.go_through_time()
        elif kind < 0.55:
            action = self.rng.choice(BLENDERS)
            self.tell(f"… {action.__name__}")
            self.tell(action(self.rng))
            self.push(self.told[-1])
        else:
            self.operate()

    def operate(self) -> None:
        name = self.rng.choice(our_operators(usable=self.rng.random() < 0.85))
        before, blocks = self.states[self.at], data_blocks()
        self.tell(f"… {name}")
        called, ended = call(name, self.rng)
        self.tell(f"{called}: {ended}")
        # Undo crashes over a data-block that was removed and got its address taken by another one in the same step.
        replaced = [kind for kind, now in data_blocks().items() if now - blocks[kind] and blocks[kind] - now]
        assert not replaced, f"{called} removed and made {', '.join(replaced)} in one step"
        if name == "simulate" and ended == {"FINISHED"} and not bpy.context.scene.redmax.diagnosis.failed:
            assert cache.is_current(bpy.context.scene), f"{called} left a cache that is outdated at once"
        if ended == {"FINISHED"} and undoable(name):
            self.note()
        else:
            self.same(before, f"{called} ended with {ended} and left changes")

    def go_through_time(self) -> None:
        """Undo and redo some steps."""
        for _ in range(self.rng.randint(1, 4)):
            if self.rng.random() < 0.6 and self.at > 0:
                bpy.ops.ed.undo()
                self.at -= 1
                self.tell("undo")
            elif self.at < len(self.states) - 1:
                bpy.ops.ed.redo()
                self.at += 1
                self.tell("redo")
            else:
                continue
            self.same(self.states[self.at], f"{self.told[-1]} does not lead back to the same file")

    def same(self, wanted: dict[str, object], problem: str) -> None:
        found = digest()
        assert found == wanted, f"{problem}:\n{differences(wanted, found)}"


@pytest.mark.timeout(2 * SECONDS + 900)  # a kernel that is not compiled yet takes its time
def test_anything_in_any_order():
    end = time.monotonic() + SECONDS
    console, count = Console(), 0
    while time.monotonic() < end:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        story = Story(f"{SEED}.{count}")
        story.begin()
        for _ in range(ACTIONS):
            try:
                with console.watched():
                    story.act()
                said = console.take()
                assert "Traceback" not in said, f"the console says:\n{said[-3000:]}"
            except AssertionError as error:
                told = "\n  ".join(story.told)
                pytest.fail(f"scene {story.seed}:\n  {told}\n{error}", pytrace=False)
            if time.monotonic() > end:
                break
        count += 1
    print(f"{count} scenes")


POSES = float(os.environ.get("REDMAX_FUZZ_POSES", "10"))
"""Seconds of stories about poses."""


@pytest.mark.timeout(2 * POSES + 900)
def test_every_frame_shows_the_same_pose_after_undo_redo_reopening_and_the_loss_of_the_cache():
    """REDMAX_FUZZ_POSES: seconds; REDMAX_FUZZ_SEED as above."""
    end, count, checks = time.monotonic() + POSES, 0, 0
    while time.monotonic() < end:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        story = PoseStory(f"{SEED}.{count}")
        try:
            story.begin()
            for _ in range(ACTIONS):
                story.act()
                if time.monotonic() > end:
                    break
        except AssertionError as error:
            told = "\n  ".join(story.told)
            pytest.fail(f"scene {story.seed}:\n  {told}\n{error}", pytrace=False)
        finally:
            story.close()
        count, checks = count + 1, checks + story.checks
    print(f"{count} scenes, {checks} times all frames compared")


def test_a_story_is_the_same_twice():
    """A seed tells all: what was found once can be looked at again."""
    told = []
    for _ in range(2):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        story = Story("twice")
        story.begin()
        for _ in range(6):
            story.act()
        told.append(story.told)
    assert told[0] == told[1]


def test_a_change_that_undo_would_miss_is_seen(tmp_path: Path):
    """The digest is not blind: of every kind of thing in it, a change shows."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    random_scene(random.Random("seen"))
    from blender_fixtures import make_chain

    rig = make_chain(2, name="Other")
    before = digest()
    changes = [
        lambda: setattr(rig.pose.bones[0].redmax.friction, "coefficient", 0.123),
        lambda: setattr(rig.pose.bones[1], "redmax_control", "GUIDED"),
        lambda: setattr(rig.pose.bones[1], "location", (0.0, 1.0, 0.0)),
        lambda: setattr(bpy.context.scene.redmax, "substeps", 17),
        lambda: bpy.data.texts.new("Note"),
        lambda: rig.constraints.new("COPY_LOCATION"),
        lambda: rig.keyframe_insert("location", frame=3),
        lambda: bpy.context.scene.frame_set(5),
    ]
    for change in changes:
        change()
        after = digest()
        assert after != before, change
        assert differences(before, after)
        before = after
