"""Bake: the keys show what the cache showed, and nothing else has changed."""

import bpy
import numpy as np
import pytest
from blender_fixtures import (
    all_curves,
    curve_table,
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

from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.simulate_scene import simulate_scene


def keyed_chain(frames=(1, 8, 30), count=6) -> bpy.types.Object:
    """A placed chain in mixed rotation modes, with keys on some simulated bones, a helper and the object itself."""
    obj = make_chain(count)
    place(obj, unit_scale=0.5)
    turn_bones(obj)
    obj.data.bones["bone5"].use_deform = False
    for i, bone in enumerate(("bone0", "bone1", "bone2", "bone5")):
        key_bone(obj, bone, frames, seed=i)
    obj.keyframe_insert("location", frame=1)
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    bpy.context.scene.frame_set(1)
    return obj


def simulated_paths(obj: bpy.types.Object) -> tuple[str, ...]:
    return tuple(f'pose.bones["{bone.name}"]' for bone in obj.pose.bones if bone.redmax.physical)


@pytest.mark.parametrize("root", ["ANCHORED", "HINGED", "FREE"])
@pytest.mark.parametrize("unit_scale", [1.0, 0.1])
def test_the_baked_pose_is_the_cached_pose(root, unit_scale):
    """Moved, rotated and scaled, in every rotation mode: to 1e-5 at every frame, without us."""
    obj = make_chain(6)
    place(obj, unit_scale)
    turn_bones(obj)
    make_physical(obj, bpy.context.scene, Choices(root=root))
    set_range(5, 30, substeps=10)
    simulate_scene(bpy.context)
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    modes = {bone.rotation_mode for bone in obj.pose.bones}
    assert len(modes) == 5
    for bone in obj.pose.bones:  # nothing but the keys may bring the pose back
        bone.matrix_basis = Matrix.Rotation(1.0, 4, "X")
    worst = max(distance_from_cache(obj, frame) for frame in range(5, 31))
    assert worst < 1e-5


def test_bones_that_inherit_in_other_ways_and_helpers_bake_exactly_too():
    obj = make_chain(6)
    place(obj)
    bones = obj.data.bones
    bones["bone2"].use_deform = False
    bones["bone3"].use_inherit_rotation = False
    bones["bone4"].inherit_scale = "NONE"
    bones["bone4"].use_local_location = False
    turn_bones(obj)
    obj.pose.bones["bone1"].scale = (1.2, 1.2, 1.2)
    bpy.context.view_layer.update()
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    set_range(1, 20)
    simulate_scene(bpy.context)
    for frame in (1, 9, 20):
        assert distance_from_cache(obj, frame) < 1e-5
    bpy.ops.redmax.bake()
    for frame in (1, 9, 20):
        assert distance_from_cache(obj, frame) < 1e-5


def test_everything_but_the_simulated_bones_is_as_it_was():
    obj = keyed_chain()
    original = obj.animation_data.action
    before = curve_table(original)
    set_range(5, 20)
    simulate_scene(bpy.context)
    bpy.ops.redmax.bake()
    baked = obj.animation_data.action
    assert baked != original
    assert curve_table(original) == before  # the action itself
    after = curve_table(baked)
    ours = simulated_paths(obj)
    untouched = {key: keys for key, keys in before.items() if not key[1].startswith(ours)}
    assert len(untouched) > 10
    assert {key: keys for key, keys in after.items() if not key[1].startswith(ours)} == untouched


def test_outside_the_range_the_simulated_bones_keep_their_values():
    """Keys of all kinds: plain, with modifiers, extrapolated; before, across and after the range."""
    obj = keyed_chain(frames=(-5, 3, 12, 27, 40))
    scene = bpy.context.scene
    curves = {
        (curve.data_path, curve.array_index): curve for _, curve in all_curves(obj.animation_data.action)
    }
    curves['pose.bones["bone1"].rotation_euler', 0].modifiers.new("CYCLES")
    curves['pose.bones["bone1"].rotation_euler', 1].extrapolation = "LINEAR"
    for point in curves['pose.bones["bone1"].rotation_euler', 2].keyframe_points:
        point.interpolation = "ELASTIC"
    frames = [*range(-5, 8), *range(21, 45)]
    scene.frame_start, scene.frame_end = -5, 45
    before = {}
    for frame in frames:
        scene.frame_set(frame)
        before[frame] = [tuple(getattr(obj.pose.bones[b], c)) for b, c in CHANNELS]
    set_range(8, 20)
    simulate_scene(bpy.context)
    bpy.ops.redmax.bake()
    for frame in frames:
        scene.frame_set(frame)
        now = [tuple(getattr(obj.pose.bones[b], c)) for b, c in CHANNELS]
        for new, old in zip(now, before[frame]):
            assert new == pytest.approx(old, abs=2e-5), frame


CHANNELS = (
    ("bone0", "rotation_quaternion"),
    ("bone1", "rotation_euler"),
    ("bone2", "rotation_axis_angle"),
    ("bone1", "location"),
    ("bone0", "scale"),
)


def test_rotation_channels_do_not_jump():
    obj = make_chain(6)
    make_physical(obj, bpy.context.scene, Choices(root="HINGED", damping=0.01))
    set_range(1, 60, substeps=20)
    simulate_scene(bpy.context)
    bpy.ops.redmax.bake()
    largest = 0.0
    for _, curve in all_curves(obj.animation_data.action):
        if "rotation_quaternion" in curve.data_path:
            values = np.array([point.co.y for point in curve.keyframe_points])
            largest = max(largest, np.abs(np.diff(values)).max())
    assert 0.0 < largest < 0.7


def test_curves_are_grouped_by_bone():
    obj = make_chain(2)
    make_physical(obj, bpy.context.scene)
    set_range(1, 4)
    simulate_scene(bpy.context)
    bpy.ops.redmax.bake()
    for _, curve in all_curves(obj.animation_data.action):
        assert curve.group.name in curve.data_path


def test_other_users_of_the_action_and_other_slots_are_left_alone():
    obj = keyed_chain()
    twin = obj.copy()
    bpy.context.scene.collection.objects.link(twin)
    twin.redmax.result = ""
    for bone in twin.pose.bones:
        bone.redmax.physical = False
    action = obj.animation_data.action
    if bpy.app.version >= (4, 4, 0):
        other = action.slots.new(id_type="OBJECT", name="Other")
        curve = action.layers[0].strips[0].channelbag(other, ensure=True).fcurves.new("location", index=1)
        curve.keyframe_points.insert(3.0, 7.0)
    before = curve_table(action)
    set_range(5, 12)
    simulate_scene(bpy.context)
    bpy.ops.redmax.bake()
    assert twin.animation_data.action == action
    assert curve_table(action) == before
    if bpy.app.version >= (4, 4, 0):
        assert obj.animation_data.action_slot.identifier == twin.animation_data.action_slot.identifier
        baked = curve_table(obj.animation_data.action)
        assert baked["OBOther", "location", 1] == before["OBOther", "location", 1]


def test_after_the_bake_the_cache_drives_nothing():
    obj = make_chain(3)
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(1, 10)
    simulate_scene(bpy.context)
    bpy.ops.redmax.bake()
    obj.animation_data.action = None
    by_hand = Matrix.Rotation(0.5, 4, "X")
    obj.pose.bones["bone1"].matrix_basis = by_hand
    bpy.context.scene.frame_set(7)
    assert np.array(obj.pose.bones["bone1"].matrix_basis) == pytest.approx(np.array(by_hand), abs=1e-6)


def test_one_undo_reverts_the_bake():
    keyed_chain()
    set_range(5, 12)
    simulate_scene(bpy.context)
    bpy.ops.ed.undo_push(message="simulated")
    before = snapshot()
    bpy.ops.redmax.bake("EXEC_DEFAULT", True)
    assert snapshot()["actions"] != before["actions"]
    bpy.ops.ed.undo()
    after = snapshot()
    assert after.keys() == before.keys()
    for key, value in before.items():
        assert after[key] == value, key
    assert distance_from_cache(bpy.data.objects["Rig"], 9) < 1e-5


@pytest.mark.parametrize("keyed", [True, False])
def test_delete_bake_restores_the_action_and_removes_the_copy(keyed):
    if keyed:
        obj = keyed_chain()
    else:
        obj = make_chain(4)
        make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(5, 12)
    simulate_scene(bpy.context)
    bpy.context.scene.frame_set(9)
    before = snapshot()
    had = obj.animation_data is not None
    slot = obj.animation_data.action_slot_handle if had and bpy.app.version >= (4, 4, 0) else 0
    bpy.ops.redmax.bake()
    assert bpy.ops.redmax.delete_bake() == {"FINISHED"}
    after = snapshot()
    for key, value in before.items():
        assert after[key] == value, key
    assert (obj.animation_data is not None) == had
    if had and bpy.app.version >= (4, 4, 0):
        assert obj.animation_data.action_slot_handle == slot
    for frame in (5, 12):
        assert distance_from_cache(obj, frame) < 1e-5


def test_delete_bake_leaves_an_action_that_the_user_chose_since():
    obj = keyed_chain()
    set_range(5, 12)
    simulate_scene(bpy.context)
    bpy.ops.redmax.bake()
    chosen = bpy.data.actions.new("Chosen")
    obj.animation_data.action = chosen
    bpy.ops.redmax.delete_bake()
    assert obj.animation_data.action == chosen
    assert not any(action.name.endswith("RedMax") for action in bpy.data.actions)


def test_a_bake_survives_saving_and_can_be_deleted_after_loading(tmp_path):
    obj = keyed_chain()
    set_range(5, 12)
    simulate_scene(bpy.context)
    original = obj.animation_data.action.name
    bpy.ops.redmax.bake()
    bpy.context.scene.frame_set(11)
    shown = evaluated_poses(obj)
    bpy.ops.redmax.free_cache()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "baked.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "baked.blend"))
    obj = bpy.data.objects["Rig"]
    bpy.context.scene.frame_set(11)
    for name, pose in evaluated_poses(obj).items():
        assert pose == pytest.approx(shown[name], abs=1e-6)
    assert bpy.ops.redmax.delete_bake() == {"FINISHED"}
    assert obj.animation_data.action.name == original
    assert [action.name for action in bpy.data.actions] == [original]


def test_a_bone_with_quotes_in_its_name_is_baked():
    obj = make_chain(2)
    bpy.ops.object.mode_set(mode="EDIT")
    obj.data.edit_bones["bone1"].name = 'a"b\\c'
    bpy.ops.object.mode_set(mode="POSE")
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(1, 6)
    simulate_scene(bpy.context)
    bpy.ops.redmax.bake()
    assert distance_from_cache(obj, 6) < 1e-5
