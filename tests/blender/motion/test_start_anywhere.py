"""Start anywhere: in motion, after a pre-roll, or in the middle of what is simulated already."""

import time

import bpy
import numpy as np
import pytest
from blender_fixtures import distance_from_cache, make_armature, make_chain, set_range, turn_bones
from hybrid_fixtures import arm, control, key_rotation, poses_over

from redmax_blender.bridge.bake.actions import curves_of
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.simulate_scene import Simulation, simulate_scene
from redmax_blender.engine.errors import SceneError


def poses(obj):
    return cache.track_of(obj, bpy.context.scene)[1].pose


def windmill(speed: float = 4.0) -> bpy.types.Object:
    """A bone that its keys turn about a fixed axis at a constant speed [rad/s]; in physics nothing stops it."""
    obj = make_armature(
        [("hub", None, (0, 0, 0), (0, 0, 0.1)), ("blade", "hub", (0, 0, 0), (0.5, 0, 0))], connect=False
    )
    make_physical(obj, bpy.context.scene)
    blade = obj.pose.bones["blade"]
    blade.redmax.joint, blade.redmax.axis, blade.redmax.damping = "REVOLUTE", "Z", 0.0
    blade.rotation_mode = "XYZ"
    for frame in (-20, 60):
        blade.rotation_euler.z = speed * frame / 24.0
        blade.keyframe_insert("rotation_euler", frame=frame)
    for curve in curves_of(obj):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    bpy.context.scene.gravity = (0, 0, 0)
    return obj


@pytest.mark.parametrize("start", [-3, 1, 17])
def test_a_free_bone_starts_with_the_velocity_of_its_keys(start):
    """From any frame: with the speed that the animation had there, the motion simply goes on."""
    obj = windmill()
    set_range(start, start + 20, substeps=10)
    frames = range(start, start + 21)
    keys = poses_over(obj, frames)
    bpy.context.scene.frame_set(start)
    simulate_scene(bpy.context)
    shown = poses_over(obj, frames)
    off = [np.abs(shown[f]["blade"] - keys[f]["blade"]).max() for f in frames]
    assert off[0] < 1e-6
    assert max(off) < 1e-3


def test_at_rest_when_that_is_chosen():
    obj = windmill()
    bpy.context.scene.redmax.use_start_velocity = False
    set_range(1, 10)
    bpy.context.scene.frame_set(1)
    simulate_scene(bpy.context)
    assert np.abs(poses(obj) - poses(obj)[0]).max() < 1e-6


def test_it_starts_from_the_pose_at_that_frame():
    obj = arm()
    key_rotation(obj.pose.bones["upper"], {1: (0, 0, 0), 30: (1.5, 0.2, 0)})
    make_physical(obj, bpy.context.scene)
    keys = poses_over(obj, (18,))
    set_range(18, 25)
    simulate_scene(bpy.context)
    shown = poses_over(obj, (18,))
    assert np.abs(shown[18]["hand"] - keys[18]["hand"]).max() < 1e-6


def test_a_pre_roll_is_simulated_and_left_out():
    """Ten frames of pre-roll: what is kept is what a run that began ten frames earlier would show."""
    obj = make_chain(4)
    turn_bones(obj)
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(1, 30, substeps=8)
    simulate_scene(bpy.context)
    whole = poses(obj)
    bpy.ops.redmax.free_cache()
    set_range(11, 30, substeps=8)
    bpy.context.scene.redmax.preroll = 10
    outcome = simulate_scene(bpy.context)
    assert (outcome.recording.frame_start, outcome.recording.frame_last) == (11, 30)
    np.testing.assert_array_equal(poses(obj), whole[10:])
    for frame in (11, 20, 30):
        assert distance_from_cache(obj, frame) < 1e-5


def test_a_range_that_loops_ends_where_the_pre_roll_leads_to_its_start():
    """The frame after the last is the first: the step between them is about as large as the next one, bones keep their
    lengths, and the frames before the blend are those of the simulation."""
    obj = make_chain(4)
    turn_bones(obj)
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(11, 40, substeps=8)
    settings = bpy.context.scene.redmax
    settings.preroll = 8
    simulate_scene(bpy.context)
    whole = poses(obj)
    settings.loop_blend = 8
    outcome = simulate_scene(bpy.context)
    closed = poses(obj)
    np.testing.assert_array_equal(closed[:-8], whole[:-8])
    assert np.abs(whole[0] - whole[-1]).max() > 1.0
    assert np.abs(closed[0] - closed[-1]).max() < 1.5 * np.abs(closed[1] - closed[0]).max() < 0.3
    heads = closed[:, :, :3, 3]
    lengths = np.linalg.norm(np.diff(heads, axis=1), axis=2)
    np.testing.assert_allclose(lengths, np.broadcast_to(lengths[0], lengths.shape), atol=1e-9)
    for frame in (11, 36, 40):
        assert distance_from_cache(obj, frame) < 1e-5
    assert outcome.recording.frame_last == 40


def test_a_loop_without_a_pre_roll_to_pass_into_is_named():
    obj = make_chain(2)
    make_physical(obj, bpy.context.scene)
    set_range(1, 20)
    bpy.context.scene.redmax.loop_blend = 5
    with pytest.raises(SceneError, match=r"pre-roll of 0.*Loop Blend"):
        simulate_scene(bpy.context)


def changed_midway(edit) -> tuple[np.ndarray, np.ndarray, bpy.types.Object]:
    obj = arm()
    key_rotation(obj.pose.bones["chest"], {1: (0, 0, 0), 30: (0.5, 0.8, 0)})
    make_physical(obj, bpy.context.scene)
    control(obj, ("chest",), "KEYFRAMED")
    set_range(1, 30, substeps=10)
    bpy.context.scene.frame_set(1)
    simulate_scene(bpy.context)
    before = poses(obj)
    edit(obj)
    bpy.context.scene.frame_set(15)
    assert bpy.ops.redmax.simulate(from_current=True) == {"FINISHED"}
    return before, poses(obj), obj


def test_simulating_from_the_current_frame_keeps_the_frames_before():
    """To the last bit; after it the new setting shows, and the motion goes on without a jump."""

    def slower(obj):
        obj.pose.bones["upper"].redmax.damping = 5.0

    before, after, obj = changed_midway(slower)
    assert len(after) == 30
    np.testing.assert_array_equal(after[:15], before[:15])
    assert np.abs(after[-1] - before[-1]).max() > 0.05
    steps = np.abs(np.diff(after[10:20], axis=0)).max(axis=(1, 2, 3))
    assert steps[4] < 2.0 * steps[3]
    for frame in (3, 15, 16, 30):
        assert distance_from_cache(obj, frame) < 1e-5
    assert cache.is_current(bpy.context.scene)


def test_without_a_change_it_comes_to_the_same():
    """Warm starts are not kept for every frame: within the tolerance of the solver."""
    before, after, _ = changed_midway(lambda obj: None)
    np.testing.assert_allclose(after, before, atol=1e-5)


def test_it_may_go_on_beyond_the_old_end():
    before, after, _ = changed_midway(lambda obj: set_range(1, 45, substeps=10))
    assert len(after) == 45
    np.testing.assert_array_equal(after[:15], before[:15])


def test_a_rig_with_other_joints_cannot_go_on_and_says_so():
    obj = arm()
    make_physical(obj, bpy.context.scene)
    set_range(1, 20)
    simulate_scene(bpy.context)
    shown = poses(obj)
    obj.pose.bones["upper"].redmax.joint = "REVOLUTE"
    bpy.context.scene.frame_set(10)
    with pytest.raises(RuntimeError, match="Simulate from the start"):
        bpy.ops.redmax.simulate(from_current=True)
    assert poses(obj) is shown
    bpy.context.scene.redmax.frame_end = 9
    with pytest.raises(SceneError, match="nothing simulated at frame 10, or nothing after it"):
        simulate_scene(bpy.context, since=10)


def test_a_body_less_without_freedoms_of_its_own_cannot_go_on_either():
    """As many coordinates as before are not the same bodies."""
    obj = arm()
    make_physical(obj, bpy.context.scene)
    hand = obj.pose.bones["hand"].redmax
    hand.joint = "FIXED"
    set_range(1, 20)
    simulate_scene(bpy.context)
    hand.physical = False
    bpy.context.scene.frame_set(10)
    with pytest.raises(RuntimeError, match="Simulate from the start"):
        bpy.ops.redmax.simulate(from_current=True)


def test_a_process_of_its_own_goes_on_as_well():
    obj = arm()
    make_physical(obj, bpy.context.scene)
    set_range(1, 20, substeps=6)
    simulate_scene(bpy.context)
    before = poses(obj)
    obj.pose.bones["upper"].redmax.damping = 3.0
    simulation = Simulation(bpy.context, apart=True, since=8)
    until = time.monotonic() + 120.0
    while simulation.advance():
        assert time.monotonic() < until
        time.sleep(0.001)
    simulation.finish(bpy.context)
    apart = poses(obj)
    np.testing.assert_array_equal(apart[:8], before[:8])
    assert len(apart) == 20 and np.abs(apart[-1] - before[-1]).max() > 1e-3
