"""Simulate: what is simulated is what is shown, in the viewport and in renders, and nothing else changes."""

import time

import bpy
import numpy as np
import pytest
from blender_fixtures import (
    distance_from_cache,
    evaluated_poses,
    key_bone,
    make_chain,
    place,
    set_range,
    snapshot,
    turn_bones,
)
from mathutils import Matrix

from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.simulate_scene import Simulation, simulate_scene
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.run.simulate import scene_options, simulate


def simulated_chain(root: str = "HINGED", frames: int = 12, **where) -> bpy.types.Object:
    obj = make_chain(4)
    place(obj, **where)
    turn_bones(obj)
    make_physical(obj, bpy.context.scene, Choices(root=root))
    set_range(1, frames)
    simulate_scene(bpy.context)
    return obj


@pytest.mark.parametrize("root", ["ANCHORED", "HINGED", "FREE"])
@pytest.mark.parametrize("unit_scale", [1.0, 0.1])
def test_scrubbing_shows_the_cached_pose(root, unit_scale):
    obj = simulated_chain(root, unit_scale=unit_scale)
    for frame in (1, 7, 12, 3):
        assert distance_from_cache(obj, frame) < 1e-5
    moved = cache.track_of(obj, bpy.context.scene)[1].pose
    assert np.abs(moved[-1] - moved[0]).max() > 0.05


def test_the_cache_holds_what_the_engine_computes():
    """World poses of the bones, found by Blender's own matrices, against the engine run by hand."""
    from redmax_blender.bridge.read.scene import read_scene

    obj = make_chain(3)
    place(obj, unit_scale=0.1)
    turn_bones(obj)
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(1, 8)
    spec = read_scene(bpy.context, [obj]).scene
    frames = list(
        simulate(compile_scene(spec), scene_options(spec), end=spec.time.end, record=spec.time.record)
    )
    simulate_scene(bpy.context)
    for number, frame in enumerate(frames, start=1):
        bpy.context.scene.frame_set(number)
        for name, row in zip(("bone0", "bone1", "bone2"), frame.joint_pose):
            world = np.array(obj.matrix_world @ obj.pose.bones[name].matrix)
            assert world[:3, 3] * 0.1 == pytest.approx(row[9:], abs=1e-6)
            assert world[:3, :3] / 1.7 == pytest.approx(row[:9].reshape(3, 3), abs=1e-5)


def test_the_operator_does_what_the_function_does():
    obj = simulated_chain()
    key = obj.redmax.result
    poses = cache.track_of(obj, bpy.context.scene)[1].pose
    bpy.ops.redmax.free_cache()
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    assert obj.redmax.result == key
    assert np.array_equal(cache.track_of(obj, bpy.context.scene)[1].pose, poses)


def test_playback_wins_over_keys_inside_the_range_and_leaves_them_outside():
    obj = make_chain(3)
    key_bone(obj, "bone1", (1, 10, 30))
    scene = bpy.context.scene
    keys = snapshot()["actions"]
    before = {}
    for frame in (2, 8, 25, 30):
        scene.frame_set(frame)
        before[frame] = evaluated_poses(obj)
    make_physical(obj, scene)
    set_range(5, 20)
    simulate_scene(bpy.context)
    for frame in (5, 6, 13, 20):
        assert distance_from_cache(obj, frame) < 1e-5
    scene.frame_set(8)
    assert np.abs(evaluated_poses(obj)["bone1"] - before[8]["bone1"]).max() > 1e-2
    for frame in (2, 25, 30):
        scene.frame_set(frame)
        assert evaluated_poses(obj)["bone1"] == pytest.approx(before[frame]["bone1"], abs=1e-6)
    assert snapshot()["actions"] == keys


def test_between_frames_the_pose_is_between(tmp_path):
    """Motion blur asks for fractions of frames."""
    obj = simulated_chain()
    scene = bpy.context.scene
    heads = []
    for frame, part in ((5, 0.0), (5, 0.5), (6, 0.0)):
        scene.frame_set(frame, subframe=part)
        heads.append(evaluated_poses(obj)["bone3"][:3, 3])
    step = np.abs(heads[2] - heads[0]).max()
    assert np.abs(heads[1] - 0.5 * (heads[0] + heads[2])).max() < 0.2 * step


def test_a_second_simulation_from_another_frame_starts_from_the_same_pose():
    obj = simulated_chain()
    key = obj.redmax.result
    bpy.context.scene.frame_set(9)
    simulate_scene(bpy.context)
    assert obj.redmax.result == key
    assert bpy.context.scene.frame_current == 9
    assert distance_from_cache(obj, 9) < 1e-5


def test_a_bone_posed_by_hand_starts_there_and_the_others_where_they_started():
    obj = simulated_chain()
    scene = bpy.context.scene
    first = cache.track_of(obj, scene)[1].pose[0]
    scene.frame_set(1)
    by_hand = Matrix.Rotation(1.0, 4, "Z")
    obj.pose.bones["bone3"].matrix_basis = by_hand
    simulate_scene(bpy.context)
    second = cache.track_of(obj, scene)[1]
    assert second.pose[0, :3] == pytest.approx(first[:3], abs=1e-5)
    assert second.quaternion[0, 3] == pytest.approx(list(by_hand.to_quaternion()), abs=1e-6)


def test_free_cache_gives_back_the_pose_exactly():
    obj = make_chain(4)
    turn_bones(obj)
    obj.pose.bones["bone1"].rotation_euler = (7.0, -1.0, 0.5)  # more than a turn
    make_physical(obj, bpy.context.scene)
    set_range(1, 8)
    before = snapshot()
    simulate_scene(bpy.context)
    bpy.context.scene.frame_set(6)
    assert bpy.ops.redmax.free_cache() == {"FINISHED"}
    bpy.context.scene.frame_set(1)
    assert snapshot() == before


def test_constraints_on_simulated_bones_are_muted_and_come_back():
    obj = make_chain(4)
    limit = obj.pose.bones["bone2"].constraints.new("LIMIT_ROTATION")
    limit.owner_space = "POSE"  # no limit of the joint, but the bone could not turn
    limit.use_limit_x = limit.use_limit_y = limit.use_limit_z = True
    other = obj.pose.bones["bone3"].constraints.new("LIMIT_ROTATION")
    other.mute = True  # the user's own choice stays
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(1, 15)
    outcome = simulate_scene(bpy.context)
    assert limit.mute and other.mute
    assert any("bone2: Limit Rotation" in warning for warning in outcome.warnings)
    for frame in (4, 15):
        assert distance_from_cache(obj, frame) < 1e-5
    simulate_scene(bpy.context)
    assert limit.mute
    bpy.ops.redmax.free_cache()
    assert not limit.mute and other.mute


def test_cancelling_keeps_what_is_done():
    obj = make_chain(3)
    make_physical(obj, bpy.context.scene)
    set_range(1, 50)
    outcome = simulate_scene(bpy.context, progress=lambda done, total: done < 10)
    assert outcome.cancelled
    assert (outcome.recording.frame_last, outcome.recording.frame_end) == (10, 50)
    for frame in (1, 10):
        assert distance_from_cache(obj, frame) < 1e-5
    bpy.context.scene.frame_set(40)  # beyond: the last pose is held
    assert evaluated_poses(obj)["bone2"] == pytest.approx(
        outcome.recording.tracks["Rig"].pose[-1, 2], abs=1e-5
    )


def test_divergence_names_frame_and_bone_and_keeps_the_good_frames():
    obj = make_chain(3)
    for bone in obj.pose.bones:
        bone.lock_ik_y = bone.lock_ik_z = True
    make_physical(obj, bpy.context.scene)
    bpy.context.scene.gravity = (0.0, 0.0, -1e30)
    set_range(1, 200)
    with pytest.raises(RuntimeError, match=r"Diverged at frame \d+, first at bone 'bone[012]' of 'Rig'"):
        bpy.ops.redmax.simulate()
    recording = cache.get(obj.redmax.result, bpy.context.scene)
    assert 1 <= recording.frame_last < 200
    assert np.all(np.isfinite(recording.tracks["Rig"].pose))


def test_progress_counts_all_frames():
    make_physical(make_chain(2), bpy.context.scene)
    set_range(3, 9)
    seen = []
    simulate_scene(bpy.context, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i, 7) for i in range(1, 8)]


def test_two_armatures_are_simulated_together():
    first, second = make_chain(2, name="A"), make_chain(3, name="B/C")
    second.location.x = 5.0
    for obj in (first, second):
        make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(1, 6)
    simulate_scene(bpy.context)
    assert first.redmax.result == second.redmax.result
    for obj in (first, second):
        assert distance_from_cache(obj, 6) < 1e-5
    second.name = "Renamed"
    assert distance_from_cache(second, 4) < 1e-5


def test_undo_forgets_the_result_and_redo_brings_it_back():
    make_physical(make_chain(3), bpy.context.scene, Choices(root="HINGED"))
    set_range(1, 8)
    bpy.ops.ed.undo_push(message="before")
    before = snapshot()
    bpy.ops.redmax.simulate("EXEC_DEFAULT", True)
    assert bpy.data.objects["Rig"].redmax.result
    bpy.ops.ed.undo()
    assert snapshot() == before
    bpy.ops.ed.redo()
    obj = bpy.data.objects["Rig"]
    assert obj.redmax.result
    assert distance_from_cache(obj, 5) < 1e-5


def recordings(folder):
    """Files of recordings beside a .blend file, without the figures of their runs."""
    return [path for path in (folder / "redmax_cache").glob("*.npz") if "_" not in path.stem]


def test_a_saved_file_finds_its_cache_again(tmp_path):
    obj = simulated_chain()
    cached = cache.track_of(obj, bpy.context.scene)[1].pose.copy()
    path = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    assert len(recordings(tmp_path)) == 1
    bpy.ops.wm.read_factory_settings(use_empty=True)
    cache._memory.clear()
    bpy.ops.wm.open_mainfile(filepath=str(path))
    obj = bpy.data.objects["Rig"]
    for frame in (2, 12):
        assert distance_from_cache(obj, frame) < 1e-5
    assert np.array_equal(cache.track_of(obj, bpy.context.scene)[1].pose, cached)

    cache._memory.clear()  # saved elsewhere, the cache comes along
    (tmp_path / "other").mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "other" / "shot.blend"))
    assert len(recordings(tmp_path / "other")) == 1

    bpy.ops.redmax.free_cache()
    assert not recordings(tmp_path / "other")


@pytest.mark.parametrize("content", [b"", b"PK not a zip", None])
def test_a_damaged_or_missing_cache_is_no_result(tmp_path, content):
    simulated_chain()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    (file,) = recordings(tmp_path)
    file.unlink() if content is None else file.write_bytes(content)
    cache._memory.clear()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert cache.track_of(bpy.data.objects["Rig"], bpy.context.scene) is None
    bpy.context.scene.frame_set(5)
    assert not bpy.ops.redmax.bake.poll()
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    assert distance_from_cache(bpy.data.objects["Rig"], 5) < 1e-5


def test_renders_show_the_simulation_over_a_keyed_action(tmp_path):
    """The same picture from the cache and from its bake, and another than from the keys."""
    obj = make_chain(2, length=1.0)
    key_bone(obj, "bone1", (1, 20))
    scene = bpy.context.scene
    make_physical(obj, scene, Choices(root="HINGED"))
    box(obj, "bone0", 0.15)
    box(obj, "bone1", 0.15)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    camera.matrix_world = Matrix.Translation((1.0, -7.0, 0.0)) @ Matrix.Rotation(np.pi / 2, 4, "X")
    scene.camera = camera
    set_range(1, 15)
    scene.frame_set(12)
    keyed = render(tmp_path / "keyed.png")
    simulate_scene(bpy.context)
    cached = render(tmp_path / "cached.png")
    bpy.ops.redmax.bake()
    baked = render(tmp_path / "baked.png")
    assert np.abs(cached - keyed).max() > 0.2
    assert np.abs(cached - baked).max() < 0.02


def box(obj, bone, size):
    """A box around a bone's tail, following it."""
    mesh = bpy.data.meshes.new("Box")
    corners = [(x, y, z) for x in (-size, size) for y in (-size, size) for z in (-size, size)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], faces)
    thing = bpy.data.objects.new("Box", mesh)
    bpy.context.scene.collection.objects.link(thing)
    thing.parent, thing.parent_type, thing.parent_bone = obj, "BONE", bone


def render(path):
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 1, False
    scene.render.resolution_x = scene.render.resolution_y = 64
    scene.render.film_transparent = True
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(path))
    return np.array(image.pixels[:]).reshape(64, 64, 4)[..., 3]


def run_apart(limit: float = 120.0) -> Simulation:
    """A simulation in a process of its own, advanced until it is done as the modal operator does."""
    simulation = Simulation(bpy.context, apart=True)
    until = time.monotonic() + limit
    while simulation.advance():
        assert time.monotonic() < until
        time.sleep(0.001)
    return simulation


def test_a_process_of_its_own_gives_the_same_recording():
    obj = simulated_chain()
    here = cache.get(obj.redmax.result, bpy.context.scene)
    bpy.ops.redmax.free_cache()
    apart = run_apart().finish(bpy.context).recording
    assert apart.key == here.key
    assert apart.tracks["Rig"].pose == pytest.approx(here.tracks["Rig"].pose, abs=1e-9)


def test_errors_come_back_from_the_process_as_they_are():
    obj = make_chain(3)
    for bone in obj.pose.bones:
        bone.lock_ik_y = bone.lock_ik_z = True
    make_physical(obj, bpy.context.scene)
    bpy.context.scene.gravity = (0.0, 0.0, -1e30)
    set_range(1, 200)
    simulation = run_apart()
    assert "first at bone 'bone" in simulation.diverged
    assert simulation.done >= 1
    bpy.context.scene.gravity = (0.0, 0.0, float("nan"))
    with pytest.raises(SceneError, match="gravity"):
        run_apart()


def test_a_run_in_a_process_can_be_stopped_and_keeps_what_has_arrived():
    obj = make_chain(3)
    make_physical(obj, bpy.context.scene)
    set_range(1, 100000)
    simulation = Simulation(bpy.context, apart=True)
    while simulation.done < 20:
        assert simulation.advance()
    simulation.stop()
    recording = simulation.finish(bpy.context, cancelled=True).recording
    assert 20 <= recording.frame_last < 100000
    assert distance_from_cache(obj, 15) < 1e-5
