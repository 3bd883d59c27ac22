"""What the user posed is theirs: undo, redo, a file without its cache and Free Cache bring it back."""

import shutil
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_fixtures import distance_from_cache, evaluated_poses, make_chain, set_range, turn_bones

from redmax_blender.bridge.bake.channels import read_channels
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.simulate_scene import simulate_scene


def posed_chain(keyed: bool = False) -> bpy.types.Object:
    """Four bones in a pose without keys, or the first of them keyed; not simulated yet."""
    obj = make_chain(4)
    turn_bones(obj, seed=3)
    if keyed:
        bone = obj.pose.bones["bone0"]
        for frame, angle in ((1, 0.2), (30, 0.9)):
            bone.rotation_quaternion = (np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(1, 30)
    bpy.context.scene.frame_set(1)
    return obj


def own(obj: bpy.types.Object) -> np.ndarray:
    return read_channels(obj.pose.bones)


def as_cached(obj: bpy.types.Object) -> float:
    """Distance of what is shown now from the recording at this frame, without changing the frame."""
    scene = bpy.context.scene
    recording, track = cache.track_of(obj, scene)
    bpy.context.view_layer.update()
    poses = evaluated_poses(obj)
    cached = track.pose[scene.frame_current - recording.frame_start]
    return max(float(np.abs(poses[name] - cached[i]).max()) for i, name in enumerate(track.bones))


def drag_to(frame: int) -> None:
    """As the timeline does it: Blender makes its undo step before anybody hears of the new frame."""
    from redmax_blender.bridge.recording import playback

    with playback.paused():
        bpy.context.scene.frame_set(frame)
        bpy.ops.ed.undo_push(message="Change Frame")
    bpy.context.scene.frame_set(frame)


@pytest.mark.parametrize("keyed", [False, True])
def test_undo_and_redo_show_the_pose_of_their_frame(keyed):
    obj = posed_chain(keyed)
    before = own(obj)
    simulate_scene(bpy.context)
    bpy.ops.ed.undo_push(message="Simulate")
    for frame in (11, 21, 28):
        drag_to(frame)
    for back in (bpy.ops.ed.undo, bpy.ops.ed.undo, bpy.ops.ed.redo, bpy.ops.ed.redo, bpy.ops.ed.undo):
        back()
        assert as_cached(bpy.data.objects["Rig"]) < 1e-5
    bpy.ops.redmax.free_cache()
    bpy.context.scene.frame_set(1)
    assert np.array_equal(own(bpy.data.objects["Rig"]), before)


def test_after_undo_a_simulation_starts_from_the_same_pose():
    obj = posed_chain()
    simulate_scene(bpy.context)
    first = cache.track_of(obj, bpy.context.scene)[1].pose
    bpy.ops.ed.undo_push(message="Simulate")
    drag_to(25)
    drag_to(14)
    bpy.ops.ed.undo()
    bpy.ops.ed.redo()
    simulate_scene(bpy.context)
    assert np.array_equal(cache.track_of(bpy.data.objects["Rig"], bpy.context.scene)[1].pose, first)


def test_undo_leaves_alone_what_was_posed_by_hand():
    obj = posed_chain()
    simulate_scene(bpy.context)
    bpy.context.scene.frame_set(12)
    obj.pose.bones["bone2"].location = (0.0, 0.25, 0.0)
    bpy.ops.ed.undo_push(message="Pose")
    bpy.context.scene.redmax.substeps = 9
    bpy.ops.ed.undo_push(message="Setting")
    bpy.ops.ed.undo()
    assert tuple(bpy.data.objects["Rig"].pose.bones["bone2"].location) == (0.0, 0.25, 0.0)


def test_a_pose_at_the_first_frame_is_kept_while_other_frames_are_looked_at():
    obj = posed_chain()
    simulate_scene(bpy.context)
    obj.pose.bones["bone1"].rotation_euler = (0.3, 0.2, 0.1)
    new = own(obj)
    for frame in (9, 30, 2):
        bpy.context.scene.frame_set(frame)
    simulate_scene(bpy.context)
    bpy.context.scene.frame_set(20)
    bpy.ops.redmax.free_cache()
    assert np.allclose(own(obj), new, atol=1e-6)


def saved_at(frame: int, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """A file of a simulated chain, saved at a frame; the pose before the simulation, and the whole motion."""
    obj = posed_chain()
    before = own(obj)
    simulate_scene(bpy.context)
    motion = cache.track_of(obj, bpy.context.scene)[1].pose
    bpy.context.scene.frame_set(frame)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    return before, motion


def reopen(folder: Path) -> bpy.types.Object:
    cache._memory.clear()
    bpy.ops.wm.open_mainfile(filepath=str(folder / "shot.blend"))
    return bpy.data.objects["Rig"]


def test_a_file_without_its_cache_opens_as_it_was_before_the_simulation(tmp_path):
    before, motion = saved_at(25, tmp_path)
    shutil.rmtree(tmp_path / "redmax_cache")
    obj = reopen(tmp_path)
    assert bpy.context.scene.frame_current == 25
    assert np.array_equal(own(obj), before)
    for frame in (1, 25):
        bpy.context.scene.frame_set(frame)
        assert np.array_equal(own(obj), before)
    assert tuple(obj.redmax.result_frames) == (1, 30)  # those that are missing
    simulate_scene(bpy.context)
    assert np.allclose(cache.track_of(obj, bpy.context.scene)[1].pose, motion, atol=1e-9)


def test_a_cache_that_comes_back_is_shown_again(tmp_path):
    before, _ = saved_at(25, tmp_path)
    (tmp_path / "redmax_cache").rename(tmp_path / "away")
    reopen(tmp_path)
    bpy.ops.wm.save_mainfile()
    shutil.copytree(tmp_path / "away", tmp_path / "redmax_cache", dirs_exist_ok=True)
    obj = reopen(tmp_path)
    assert distance_from_cache(obj, 20) < 1e-5
    bpy.ops.redmax.free_cache()
    assert np.array_equal(own(obj), before)


def test_a_pose_made_without_the_cache_is_kept_by_the_file(tmp_path):
    saved_at(25, tmp_path)
    shutil.rmtree(tmp_path / "redmax_cache")
    obj = reopen(tmp_path)
    obj.pose.bones["bone3"].rotation_euler = (0.5, 0.0, 0.0)
    after = own(obj)
    bpy.ops.wm.save_mainfile()
    assert np.array_equal(own(reopen(tmp_path)), after)


def test_constraints_that_were_muted_work_in_a_file_without_its_cache(tmp_path):
    obj = posed_chain()
    copy = obj.pose.bones["bone3"].constraints.new("COPY_ROTATION")
    copy.target, copy.subtarget = obj, "bone0"
    simulate_scene(bpy.context)
    assert copy.mute
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    shutil.rmtree(tmp_path / "redmax_cache")
    assert not reopen(tmp_path).pose.bones["bone3"].constraints[0].mute


def test_a_baked_file_without_its_cache_gives_the_pose_back_too(tmp_path):
    obj = posed_chain()
    before = own(obj)
    simulate_scene(bpy.context)
    bpy.ops.redmax.bake()
    bpy.context.scene.frame_set(17)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    shutil.rmtree(tmp_path / "redmax_cache")
    obj = reopen(tmp_path)
    bpy.ops.redmax.delete_bake()
    assert np.array_equal(own(obj), before)


def test_a_file_of_an_earlier_version_keeps_its_start_pose(tmp_path):
    """Such a file has the start pose in its recording only."""
    before, _ = saved_at(25, tmp_path)
    obj = bpy.data.objects["Rig"]
    for bone in obj.pose.bones:
        bone.redmax.is_shown = False
    obj.redmax.result_frames = (0, -1)
    bpy.ops.wm.save_mainfile()
    obj = reopen(tmp_path)
    bpy.context.scene.frame_set(8)
    bpy.ops.redmax.free_cache()
    assert np.array_equal(own(obj), before)


def test_deleting_a_bake_at_another_frame_is_no_pose_by_hand():
    obj = posed_chain()
    before = own(obj)
    simulate_scene(bpy.context)
    bpy.context.scene.frame_set(1)
    bpy.ops.redmax.bake()
    bpy.context.scene.frame_set(22)
    bpy.ops.redmax.delete_bake()
    for frame in (22, 5, 1):
        assert distance_from_cache(obj, frame) < 1e-5
    bpy.ops.redmax.free_cache()
    assert np.array_equal(own(obj), before)


def test_outside_the_range_channels_without_keys_have_their_own_values():
    """Of a bone with keys on another channel, whichever frame was looked at before."""
    obj = make_chain(2)
    bone = obj.pose.bones["bone1"]
    bone.location = (0.0, 0.1, 0.0)
    bone.keyframe_insert("location", frame=1)
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(1, 30)
    bpy.context.scene.frame_set(1)
    before = own(obj)[1]
    simulate_scene(bpy.context)
    for frame in (17, 30):
        bpy.context.scene.frame_set(frame)
        bpy.context.scene.frame_set(40)
        assert np.array_equal(own(obj)[1], before)
