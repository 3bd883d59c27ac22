"""The cache: every finished frame survives a kill, a run goes on from it, and nothing outdated passes for current."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_fixtures import distance_from_cache, make_chain, set_range
from hybrid_fixtures import arm, control, key_rotation

from redmax_blender.bridge.read.scene import read_scene
from redmax_blender.bridge.recording import cache, frame_file
from redmax_blender.bridge.recording.frame_file import NAMES, FrameFile, load_frames
from redmax_blender.bridge.recording.stored_run import StoredRun
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.fingerprint import fingerprint
from redmax_blender.bridge.run.simulate_scene import Simulation, simulate_scene
from redmax_blender.engine.scene.file import encode_scene

KILLS = int(os.environ.get("REDMAX_KILLS", "4"))
"""How often a run is killed; twenty before a release."""


def led_arm() -> bpy.types.Object:
    """An arm with keys and limits whose hand an empty leads: constraints, switches and warm starts."""
    obj = arm()
    key_rotation(obj.pose.bones["chest"], {1: (0, 0, 0), 60: (0.0, 0.8, 0.3)})
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    control(obj, ("chest",), {1: "KEYFRAMED", 40: "GUIDED"})
    goal = bpy.data.objects.new("Goal", None)
    bpy.context.scene.collection.objects.link(goal)
    for frame, at in ((1, (0.85, -0.05, 1.3)), (30, (0.5, 0.3, 1.4)), (90, (0.4, -0.4, 1.2))):
        goal.location = at
        goal.keyframe_insert("location", frame=frame)
    obj.pose.bones["hand"].redmax.control.target = goal
    bpy.context.scene.frame_set(1)
    return obj


def same(a, b) -> bool:
    """Frames that agree in every bit."""
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in NAMES)


def test_a_run_that_is_killed_loses_no_frame_and_goes_on_to_the_same_result(tmp_path):
    """Killed at random moments, over and over: what is on disk is the beginning of the run to the last bit, and so is
    what it ends with."""
    set_range(1, 120, substeps=15)
    spec = read_scene(bpy.context, [led_arm()]).scene
    scene = tmp_path / "scene.json"
    scene.write_bytes(encode_scene(spec))
    # In a process of its own like the others: kernels that tests have called with other arrays may round otherwise.
    assert start(scene, tmp_path / "whole").wait(200) == 0
    (path,) = (tmp_path / "whole").glob("*.frames")
    whole = load_frames(path)
    assert len(whole) == 120
    folder = tmp_path / "killed"
    random = np.random.default_rng(int(time.time()))
    counts = []
    for _ in range(KILLS):
        process = start(scene, folder)
        kill_at_some_moment(process, folder, random)
        (path,) = folder.glob("*.frames")
        frames = load_frames(path)
        assert all(same(a, b) for a, b in zip(frames, whole))
        counts.append(len(frames))
        if len(frames) == len(whole):  # it was faster than the kill
            for file in folder.iterdir():
                file.unlink()
    assert start(scene, folder).wait(200) == 0
    frames = load_frames(path)
    assert len(frames) == len(whole)
    assert all(same(a, b) for a, b in zip(frames, whole))
    assert max(counts) > 1


def start(scene: Path, folder: Path) -> subprocess.Popen:
    root = Path(cache.__file__).resolve().parents[3]
    data = scene.read_bytes()
    request = scene.with_suffix(".request")
    head = json.dumps({"run": 1, "bytes": len(data), "folder": str(folder)})
    request.write_bytes(head.encode() + b"\n" + data)
    with request.open("rb") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "redmax_blender.bridge.run.worker"],
            stdin=file,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(root)},
        )


def kill_at_some_moment(process: subprocess.Popen, folder: Path, random: np.random.Generator) -> None:
    """SIGKILL some time after the first new bytes."""
    size = sum(path.stat().st_size for path in folder.glob("*.frames"))
    until = time.monotonic() + 60.0
    while process.poll() is None and time.monotonic() < until:
        if sum(path.stat().st_size for path in folder.glob("*.frames")) > size:
            break
        time.sleep(0.0005)
    time.sleep(float(random.uniform(0.0, 0.08)))
    process.kill()
    process.wait(10)


@pytest.mark.parametrize("left", [0, 10, 25, 40, -1, -30])
def test_a_torn_file_is_read_up_to_the_tear_and_mended(tmp_path, left):
    """Cut anywhere, within a record or a header: whole frames are read, the rest is written anew."""
    set_range(1, 12, substeps=4)
    obj = make_chain(3)
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    spec = read_scene(bpy.context, [obj]).scene
    whole = list(StoredRun(spec, tmp_path))
    (path,) = tmp_path.glob("*.frames")
    data = path.read_bytes()
    path.write_bytes(data[: left if left >= 0 else len(data) + left])
    frames = load_frames(path)
    assert len(frames) < len(whole)
    assert all(same(a, b) for a, b in zip(frames, whole))
    again = list(StoredRun(spec, tmp_path))
    assert len(again) == len(whole) and all(same(a, b) for a, b in zip(again, whole))
    assert path.read_bytes() == data


def test_a_flipped_bit_ends_what_is_read(tmp_path):
    set_range(1, 12, substeps=4)
    obj = make_chain(3)
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    run = StoredRun(read_scene(bpy.context, [obj]).scene, tmp_path)
    whole = list(run)
    (path,) = tmp_path.glob("*.frames")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)
    frames = load_frames(path)
    assert 0 < len(frames) < len(whole)
    assert all(same(a, b) for a, b in zip(frames, whole))


def test_nothing_that_is_read_is_executed(tmp_path):
    """A record that names a type of Python objects is no record."""
    path = tmp_path / "0123456789abcdef.frames"
    head = json.dumps(
        {"format": "redmax-frames", "version": 1, "key": "k", "arrays": [["x", "|O", [1]]]}
    ).encode()
    payload = head + b"\n" + bytes(64)
    path.write_bytes(frame_file._HEAD.pack(b"RMrc", len(payload), frame_file._digest(payload)) + payload)
    assert load_frames(path) == []
    for name in ("cache.py", "frame_file.py", "stored_run.py"):
        text = (Path(cache.__file__).parent / name).read_text()
        assert "import pickle" not in text and "allow_pickle=True" not in text and "eval(" not in text


def test_two_runs_do_not_write_one_file(tmp_path):
    first = FrameFile(tmp_path, "0" * 32)
    with pytest.raises(OSError):
        FrameFile(tmp_path, "0" * 32)
    first.close()
    FrameFile(tmp_path, "0" * 32).close()


def test_a_run_that_was_stopped_goes_on_where_it_stopped():
    obj = led_arm()
    set_range(1, 40, substeps=10)
    simulate_scene(bpy.context)
    whole = cache.track_of(obj, bpy.context.scene)[1].pose
    bpy.ops.redmax.free_cache()
    simulate_scene(bpy.context, progress=lambda done, total: done < 15)
    assert len(cache.track_of(obj, bpy.context.scene)[1].pose) == 15
    steps = []
    simulation = Simulation(bpy.context)
    while simulation.advance():
        steps.append(simulation.done)
    assert simulation.log.frames[-1]["solver"].get("steps", 10 * 25) <= 10 * 25  # not those before the stop
    simulation.finish(bpy.context)
    assert np.array_equal(cache.track_of(obj, bpy.context.scene)[1].pose, whole)
    assert not [path for path in cache.folder(bpy.context.scene).glob("*.npz") if "_" not in path.stem][1:]


def test_an_edited_scene_is_outdated_and_a_restored_one_is_not():
    obj = led_arm()
    scene = bpy.context.scene
    set_range(1, 10)
    simulate_scene(bpy.context)
    assert cache.is_current(scene)
    for frame in (4, 10, 1):  # showing it changes nothing
        scene.frame_set(frame)
        assert cache.is_current(scene)
    bpy.ops.redmax.bake()
    assert cache.is_current(scene)
    bpy.ops.redmax.delete_bake()
    bone = obj.pose.bones["lower"]
    edits = {
        "density": (bone.redmax, "density", 500.0),
        "control": (bone, "redmax_control", "GUIDED"),
        "response": (bone.redmax.control, "response", 0.5),
        "substeps": (scene.redmax, "substeps", 7),
        "gravity": (scene, "gravity", (0, 0, -1)),
        "speed": (scene.render, "fps", 30),
        "friction": (bone.redmax.friction, "coefficient", 0.4),
        "target": (bpy.data.objects["Goal"], "location", None),
    }
    for what, (owner, name, value) in edits.items():
        before = getattr(owner, name)
        before = tuple(before) if hasattr(before, "__len__") and not isinstance(before, str) else before
        if value is None:
            curve = curves(owner)[0]
            before = curve.keyframe_points[1].co.y
            curve.keyframe_points[1].co.y += 0.1
        else:
            setattr(owner, name, value)
        assert not cache.is_current(scene), what
        if value is None:
            curve.keyframe_points[1].co.y = before
        else:
            setattr(owner, name, before)
        assert cache.is_current(scene), what


def curves(obj):
    from redmax_blender.bridge.bake.actions import curves_of

    return curves_of(obj)


def test_the_rest_pose_counts():
    obj = make_chain(3)
    make_physical(obj, bpy.context.scene)
    before = fingerprint(bpy.context.scene)
    bpy.ops.object.mode_set(mode="EDIT")
    obj.data.edit_bones["bone2"].tail.z += 0.1
    bpy.ops.object.mode_set(mode="POSE")
    assert fingerprint(bpy.context.scene) != before


def test_size_is_known_and_freed():
    obj = make_chain(3)
    scene = bpy.context.scene
    make_physical(obj, scene, Choices(root="HINGED"))
    set_range(1, 20)
    assert cache.size(scene) == 0
    simulate_scene(bpy.context)
    on_disk = sum(path.stat().st_size for path in cache.folder(scene).iterdir())
    assert cache.size(scene) == on_disk > 1000
    bpy.ops.redmax.free_cache()
    assert list(cache.folder(scene).iterdir()) == []
    assert cache.size(scene) == 0


def test_frames_come_along_when_the_file_is_saved(tmp_path):
    obj = make_chain(3)
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(1, 10)
    simulate_scene(bpy.context)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert len(list((tmp_path / "redmax_cache").glob("*.frames"))) == 1
    cache._memory.clear()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    obj = bpy.data.objects["Rig"]
    assert distance_from_cache(obj, 8) < 1e-5
    assert cache.is_current(bpy.context.scene)
