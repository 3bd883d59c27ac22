"""A bake writes the channels that move, and no others; and shows the simulation all the same."""

import bpy
import numpy as np
import pytest
from blender_fixtures import distance_from_cache, make_armature, make_chain, set_range, turn_bones

from redmax_blender.bridge.bake.actions import curves_of
from redmax_blender.bridge.bake.bake import BakeOptions, bake_object, delete_bake
from redmax_blender.bridge.bake.channels import read_channels
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.simulate_scene import simulate_scene


def baked_paths(obj: bpy.types.Object) -> set[tuple[str, int]]:
    return {(curve.data_path.split("]")[-1].lstrip("."), curve.array_index) for curve in curves_of(obj)}


def simulated(obj: bpy.types.Object, root: str = "HINGED", frames: int = 20) -> None:
    make_physical(obj, bpy.context.scene, Choices(root=root))
    set_range(1, frames)
    simulate_scene(bpy.context)


def worst(obj: bpy.types.Object, frames=(1, 2, 7, 13, 20)) -> float:
    return max(distance_from_cache(obj, frame) for frame in frames)


def quaternions(count: int = 4) -> bpy.types.Object:
    obj = make_chain(count)
    for bone in obj.pose.bones:
        bone.rotation_mode = "QUATERNION"
    return obj


def test_a_chain_of_four_has_the_curves_of_four_rotations():
    obj = quaternions()
    turn_bones(obj, seed=5)
    simulated(obj)
    bake_object(obj, bpy.context.scene)
    assert len(curves_of(obj)) == 16
    assert {path for path, _ in baked_paths(obj)} == {"rotation_quaternion"}
    assert worst(obj) < 1e-5


def test_what_does_not_move_and_is_at_rest_has_no_curve_and_is_at_rest():
    obj = quaternions(3)
    simulated(obj, root="ANCHORED")
    # Something in the channels that the simulation does not give them: a bone's own values while it was off.
    bpy.context.scene.redmax.show_simulation = False
    obj.pose.bones["bone0"].rotation_quaternion = (0.9, 0.1, 0.4, 0.0)
    before = read_channels(obj.pose.bones)
    bake_object(obj, bpy.context.scene)
    assert not [curve for curve in curves_of(obj) if "bone0" in curve.data_path]
    assert worst(obj) < 1e-5
    delete_bake(obj)
    assert np.array_equal(read_channels(obj.pose.bones), before)


def test_what_is_posed_and_does_not_move_is_held_by_two_keys():
    obj = quaternions(3)
    obj.pose.bones["bone0"].rotation_quaternion = (np.cos(0.3), 0.0, np.sin(0.3), 0.0)
    bpy.context.view_layer.update()
    simulated(obj, root="ANCHORED")
    bake_object(obj, bpy.context.scene)
    held = [curve for curve in curves_of(obj) if "bone0" in curve.data_path]
    assert [len(curve.keyframe_points) for curve in held] == [2] * 4
    assert worst(obj) < 1e-5


def test_a_hinge_has_one_curve():
    obj = make_chain(3)
    for bone in obj.pose.bones:
        bone.rotation_mode = "XYZ"
        bone.lock_ik_y = bone.lock_ik_z = True
    simulated(obj)
    bpy.context.view_layer.update()
    bake_object(obj, bpy.context.scene)
    if len(curves_of(obj)):
        assert baked_paths(obj) == {("rotation_euler", 0)}
    assert worst(obj) < 1e-5


def test_curves_that_say_it_already_stay_as_they_are():
    obj = quaternions(3)
    bone = obj.pose.bones["bone0"]
    for frame, angle in ((1, 0.0), (11, 0.7), (20, 0.2)):
        bone.rotation_quaternion = (np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    bone.redmax_control = "KEYFRAMED"
    set_range(1, 20)
    bpy.context.scene.frame_set(1)
    simulate_scene(bpy.context)
    bake_object(obj, bpy.context.scene)
    kept = [curve for curve in curves_of(obj) if "bone0" in curve.data_path and "quat" in curve.data_path]
    assert [len(curve.keyframe_points) for curve in kept] == [3] * 4
    assert worst(obj) < 1e-5


def test_what_a_strip_below_would_move_is_written_though_it_is_at_rest():
    """A rotation of zero that a strip of the NLA gives other values."""
    obj = quaternions(2)
    bpy.context.scene.use_gravity = bpy.context.scene.redmax.use_start_velocity = False
    bone = obj.pose.bones["bone1"]
    for frame, z in ((1, 0.0), (20, 0.8)):
        bone.rotation_quaternion = (np.cos(z), 0.0, 0.0, np.sin(z))
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    data = obj.animation_data
    data.nla_tracks.new().strips.new("below", 1, data.action)
    data.action = None
    bpy.context.scene.frame_set(1)
    simulated(obj, root="ANCHORED")
    track = cache.track_of(obj, bpy.context.scene)[1]
    assert np.abs(track.quaternion[:, 1] - (1, 0, 0, 0)).max() < 1e-6
    bake_object(obj, bpy.context.scene)
    assert worst(obj) < 1e-5


@pytest.mark.parametrize("into", ["COPY", "NEW", "NLA"])
def test_a_bake_of_what_does_not_move_at_all_can_be_made_and_deleted(into):
    obj = make_armature([("a", None, (0, 0, 0), (0, 0, 1)), ("b", "a", (0, 0, 1), (0, 0, 2))])
    make_physical(obj, bpy.context.scene)
    for bone in obj.pose.bones:
        bone.redmax.joint = "FIXED"
    set_range(1, 20)
    simulate_scene(bpy.context)
    bake_object(obj, bpy.context.scene, BakeOptions(into=into))
    assert worst(obj) < 1e-6
    delete_bake(obj)
    assert not obj.redmax.is_baked


def test_clean_curves_leaves_out_what_stays_within_its_bounds():
    """A bone that only trembles has no curve; the others have theirs."""
    obj = quaternions()
    turn_bones(obj, seed=5)
    simulated(obj)
    bake_object(obj, bpy.context.scene, BakeOptions(clean=True, clean_angle=10.0))
    few = len(curves_of(obj))
    assert worst(obj) < 10.0
    delete_bake(obj)
    bake_object(obj, bpy.context.scene, BakeOptions(clean=True))
    assert few < len(curves_of(obj)) == 16


def test_a_metarig_has_no_flat_curves():
    bpy.ops.preferences.addon_enable(module="rigify")
    bpy.ops.object.armature_human_metarig_add()
    obj = bpy.context.object
    simulated(obj, root="ANCHORED", frames=6)
    bake_object(obj, bpy.context.scene)
    assert worst(obj, (1, 3, 6)) < 1e-5
    flat = {}
    for curve in curves_of(obj):
        values = np.array([point.co.y for point in curve.keyframe_points])
        flat.setdefault(curve.data_path, []).append(np.ptp(values) < 1e-6)
    assert not [path for path, still in flat.items() if all(still)]
    assert all("rotation" in path for path in flat)
    assert len(curves_of(obj)) < 400
    print(len(curves_of(obj)), "curves")


def test_a_strip_with_nothing_below_it_holds_its_ends():
    """Blender would leave, beyond the strip, what it showed last."""
    obj = quaternions(3)
    turn_bones(obj, seed=2)
    simulated(obj)
    bake_object(obj, bpy.context.scene, BakeOptions(into="NLA"))
    ends = {}
    for frame in (20, 30, 7, 30, 1, 40):
        bpy.context.scene.frame_set(frame)
        ends[frame] = read_channels(obj.pose.bones)
    assert np.allclose(ends[30], ends[20], atol=1e-6) and np.allclose(ends[40], ends[20], atol=1e-6)
