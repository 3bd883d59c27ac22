"""Show Simulation: off, the user's own pose and keys are there to be edited; on, no key takes over what is shown."""

import bpy
import numpy as np
import pytest
from blender_fixtures import distance_from_cache, evaluated_poses, make_chain, set_range
from test_own_pose import own, posed_chain

from redmax_blender.bridge.bake.actions import curves_of
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.simulate_scene import simulate_scene


def turned(angle: float) -> tuple[float, float, float, float]:
    return (float(np.cos(angle / 2)), 0.0, float(np.sin(angle / 2)), 0.0)


def key_values(obj: bpy.types.Object) -> dict:
    return {
        (curve.data_path, curve.array_index): [
            (*point.co, *point.handle_left, *point.handle_right) for point in curve.keyframe_points
        ]
        for curve in curves_of(obj)
    }


@pytest.mark.parametrize("of", ["scene", "object"])
def test_off_everything_is_as_without_the_simulation_and_on_it_is_back(of):
    obj = posed_chain(keyed=True)
    copy = obj.pose.bones["bone3"].constraints.new("COPY_ROTATION")
    copy.target, copy.subtarget, copy.influence = obj, "bone0", 0.3
    scene = bpy.context.scene
    without = []
    for frame in (1, 12, 30):
        scene.frame_set(frame)
        without.append(evaluated_poses(obj))
    scene.frame_set(1)
    simulate_scene(bpy.context)
    switch = scene.redmax if of == "scene" else obj.redmax
    scene.frame_set(12)
    switch.show_simulation = False
    bpy.context.view_layer.update()
    now = evaluated_poses(obj)
    assert all(np.allclose(now[name], without[1][name], atol=1e-6) for name in now)
    for frame, poses in zip((1, 12, 30), without):
        scene.frame_set(frame)
        now = evaluated_poses(obj)
        assert all(np.allclose(now[name], poses[name], atol=1e-6) for name in now)
    assert not copy.mute
    switch.show_simulation = True
    assert copy.mute
    bpy.context.view_layer.update()
    for frame in (30, 12, 5):
        assert distance_from_cache(obj, frame) < 1e-5
    assert cache.is_current(scene)


def test_one_character_is_edited_while_another_one_shows_its_simulation():
    first, second = make_chain(2, name="First"), make_chain(2, name="Second")
    for obj in (first, second):
        make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(1, 20)
    before = own(first)
    simulate_scene(bpy.context)
    first.redmax.show_simulation = False
    bpy.context.scene.frame_set(15)
    assert np.array_equal(own(first), before)
    assert distance_from_cache(second, 15) < 1e-5


def test_a_pose_made_while_it_is_off_is_where_the_next_simulation_starts():
    obj = posed_chain()
    scene = bpy.context.scene
    simulate_scene(bpy.context)
    scene.frame_set(14)
    scene.redmax.show_simulation = False
    obj.pose.bones["bone1"].rotation_euler = (0.3, -0.2, 0.5)
    new = own(obj)
    scene.redmax.show_simulation = True
    scene.frame_set(22)
    simulate_scene(bpy.context)
    scene.redmax.show_simulation = False
    assert np.array_equal(own(obj), new)
    start = obj.redmax.show_simulation and cache.track_of(obj, scene)[1].pose[0]
    scene.frame_set(1)
    poses = evaluated_poses(obj)
    track = cache.track_of(obj, scene)[1]
    assert max(np.abs(poses[name] - start[i]).max() for i, name in enumerate(track.bones)) < 1e-5


def test_simulate_shows_what_it_made():
    obj = posed_chain()
    simulate_scene(bpy.context)
    bpy.context.scene.redmax.show_simulation = False
    obj.redmax.show_simulation = False
    simulate_scene(bpy.context)
    assert bpy.context.scene.redmax.show_simulation and obj.redmax.show_simulation
    assert distance_from_cache(obj, 17) < 1e-5


def test_a_bake_made_while_it_is_off_is_the_simulation_and_can_be_deleted():
    obj = posed_chain()
    before = own(obj)
    simulate_scene(bpy.context)
    bpy.context.scene.redmax.show_simulation = False
    bpy.ops.redmax.bake()
    for frame in (1, 16, 30):
        assert distance_from_cache(obj, frame) < 1e-5
    bpy.ops.redmax.delete_bake()
    bpy.context.view_layer.update()
    assert np.array_equal(own(obj), before)


# Keys. --------------------------------------------------------------------------------------------------------


def insert(obj: bpy.types.Object, bone: str, *paths: str) -> None:
    """As I does it: the key, and then Blender says what has changed."""
    for path in paths:
        obj.pose.bones[bone].keyframe_insert(path)
    bpy.context.view_layer.update()


def test_a_key_keeps_its_value_when_the_simulation_is_keyed_over_it():
    obj = posed_chain(keyed=True)
    scene = bpy.context.scene
    simulate_scene(bpy.context)
    before = key_values(obj)
    scene.frame_set(30)
    assert abs(obj.pose.bones["bone0"].rotation_quaternion[0] - np.cos(0.45)) > 1e-3
    insert(obj, "bone0", "rotation_quaternion")
    assert key_values(obj) == before
    assert "bone0" in bpy.context.window_manager.redmax.notice
    assert distance_from_cache(obj, 30) < 1e-5
    scene.frame_set(29)
    assert not bpy.context.window_manager.redmax.notice


def test_a_new_key_between_others_holds_the_animation():
    obj = posed_chain(keyed=True)
    scene = bpy.context.scene
    scene.frame_set(12)
    animated = tuple(obj.pose.bones["bone0"].rotation_quaternion)
    scene.frame_set(1)
    simulate_scene(bpy.context)
    scene.frame_set(12)
    insert(obj, "bone0", "rotation_quaternion")
    scene.redmax.show_simulation = False
    scene.frame_set(12)
    assert np.allclose(obj.pose.bones["bone0"].rotation_quaternion, animated, atol=1e-5)


@pytest.mark.parametrize("bone", ["bone0", "bone1", "bone2", "bone3"])
def test_a_first_key_of_a_bone_holds_its_own_pose(bone):
    """In every rotation mode, with and without an action that is there already."""
    obj = posed_chain(keyed=bone == "bone3")
    before = own(obj)
    simulate_scene(bpy.context)
    bpy.context.scene.frame_set(20)
    insert(obj, bone, "location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
    assert bone in bpy.context.window_manager.redmax.notice
    bpy.ops.redmax.free_cache()
    index = obj.pose.bones.find(bone)
    assert np.allclose(own(obj)[index], before[index], atol=1e-6)


def test_what_was_posed_by_hand_is_keyed_as_it_was_posed():
    obj = posed_chain(keyed=True)
    scene = bpy.context.scene
    simulate_scene(bpy.context)
    scene.frame_set(15)
    obj.pose.bones["bone0"].rotation_quaternion = turned(1.4)
    insert(obj, "bone0", "rotation_quaternion")
    assert not bpy.context.window_manager.redmax.notice
    scene.redmax.show_simulation = False
    scene.frame_set(15)
    assert np.allclose(obj.pose.bones["bone0"].rotation_quaternion, turned(1.4), atol=1e-6)


def test_off_keys_take_what_is_posed():
    obj = posed_chain(keyed=True)
    scene = bpy.context.scene
    simulate_scene(bpy.context)
    scene.redmax.show_simulation = False
    scene.frame_set(15)
    obj.pose.bones["bone0"].rotation_quaternion = turned(-0.8)
    insert(obj, "bone0", "rotation_quaternion")
    for frame in (3, 15):
        scene.frame_set(frame)
    assert np.allclose(obj.pose.bones["bone0"].rotation_quaternion, turned(-0.8), atol=1e-6)
    assert not bpy.context.window_manager.redmax.notice


def test_undo_and_redo_of_a_key_leave_the_keys_alone():
    obj = posed_chain(keyed=True)
    simulate_scene(bpy.context)
    before = key_values(obj)
    bpy.context.scene.frame_set(30)
    bpy.ops.ed.undo_push(message="Frame")
    for path in ("location", "rotation_quaternion"):
        obj.pose.bones["bone0"].keyframe_insert(path)
    bpy.ops.ed.undo_push(message="Insert Keyframe")  # Blender makes its step before we are called
    bpy.context.view_layer.update()
    bpy.ops.ed.undo()
    assert key_values(bpy.data.objects["Rig"]) == before
    bpy.ops.ed.redo()
    bpy.context.view_layer.update()
    after = key_values(bpy.data.objects["Rig"])
    rotations = {key: value for key, value in after.items() if "rotation" in key[0]}
    assert rotations == before


def test_the_panel_has_the_switches_and_says_what_is_missing():
    from panel_fixtures import draw

    obj = posed_chain()
    simulate_scene(bpy.context)
    bpy.context.view_layer.objects.active = obj
    panel = bpy.types.VIEW3D_PT_redmax_run
    shown = draw(panel)
    assert sum(kind == "prop" and second == "Show Simulation" for kind, first, second in shown) == 1
    assert any(kind == "prop" and second == "Of 'Rig'" for kind, first, second in shown)
    cache._memory.clear()
    cache._missing.add(obj.redmax.result)
    assert ("label", "Frames 1 to 30 are missing; simulate again") in [entry[:2] for entry in draw(panel)]


def test_a_key_of_one_bone_leaves_the_others_as_simulated():
    """Blender evaluates the whole action anew after a key was inserted."""
    from test_own_pose import as_cached

    obj = posed_chain(keyed=True)
    simulate_scene(bpy.context)
    bpy.context.scene.frame_set(18)
    for path in ("location", "rotation_euler"):
        insert(obj, "bone1", path)
        assert as_cached(obj) < 1e-5
    obj.pose.bones["bone0"].location = (0.0, 0.0, 0.0)
    insert(obj, "bone0", "location")
    assert as_cached(obj) < 1e-5


def test_keys_that_agree_with_the_simulation_are_not_touched():
    """A key that is new and says what was simulated and animated alike keeps its handles."""
    obj = posed_chain(keyed=True)
    for frame in (1, 30):
        obj.pose.bones["bone0"].keyframe_insert("location", frame=frame)
    simulate_scene(bpy.context)
    bpy.context.scene.frame_set(18)
    bone = obj.pose.bones["bone0"]
    bone.keyframe_insert("location", keytype="EXTREME")
    bpy.context.view_layer.update()
    curves = [curve for curve in curves_of(obj) if curve.data_path.endswith("location")]
    assert [[point.type for point in curve.keyframe_points][1] for curve in curves] == ["EXTREME"] * 3
