"""Bake options: where the keys go, which bones, how many keys; and random rigs, which all show what was simulated."""

import time
from math import radians

import bpy
import numpy as np
import pytest
from blender_fixtures import (
    all_curves,
    curve_table,
    distance_from_cache,
    evaluated_poses,
    key_bone,
    make_armature,
    make_chain,
    place,
    set_range,
    snapshot,
    turn_bones,
)
from hybrid_fixtures import control, poses_over
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mathutils import Matrix

from redmax_blender.bridge.bake.bake import BakeOptions, bake_object
from redmax_blender.bridge.bake.channels import WIDTH
from redmax_blender.bridge.mechanism.parts import rotation_of
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.recording.cache import Recording, Track
from redmax_blender.bridge.rig.make_physical import Choices, is_selected, make_physical
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.engine.errors import SceneError

SLOTS = bpy.app.version >= (4, 4, 0)
INTO = ["COPY", "NEW", "NLA", *(["SLOT"] if SLOTS else [])]


def simulated(frames: int = 20, keyed: bool = True, count: int = 5) -> bpy.types.Object:
    """A placed chain in mixed rotation modes; the last bone is a helper with keys of its own."""
    obj = make_chain(count)
    place(obj)
    turn_bones(obj)
    obj.data.bones[f"bone{count - 1}"].use_deform = False
    if keyed:
        for i, bone in enumerate(("bone1", "bone2", f"bone{count - 1}")):
            key_bone(obj, bone, (1, 10, 40), seed=i)
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(5, 4 + frames, substeps=10)
    bpy.context.scene.frame_set(5)
    simulate_scene(bpy.context)
    return obj


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("into", INTO)
def test_every_target_shows_the_simulation_and_can_be_deleted(into, keyed):
    obj = simulated(keyed=keyed)
    scene = bpy.context.scene
    outside = poses_over(obj, (2, 30, 38)) if into != "NEW" else {}
    scene.frame_set(9)
    before = snapshot()
    original = obj.animation_data.action if keyed else None
    table = curve_table(original) if keyed else {}
    assert bpy.ops.redmax.bake(into=into) == {"FINISHED"}
    if keyed:  # the original curves are where they were, whatever was added
        after = curve_table(original)
        assert {key: after[key] for key in table} == table
        assert into == "SLOT" or after == table
    for frame in (5, 9, 17, 24):
        assert distance_from_cache(obj, frame) < 1e-5
    for frame in outside if keyed else ():
        scene.frame_set(frame)
        for name, pose in evaluated_poses(obj).items():
            if name in ("bone1", "bone2", "bone4"):
                local = [
                    np.linalg.inv(p["bone0"]) @ p["bone1"] for p in (evaluated_poses(obj), outside[frame])
                ]
                assert np.abs(local[0] - local[1]).max() < 1e-4
            assert np.isfinite(pose).all()
    scene.frame_set(9)
    assert bpy.ops.redmax.delete_bake() == {"FINISHED"}
    after = snapshot()
    for key, value in before.items():
        assert after[key] == value, key
    assert not keyed or list(obj.animation_data.nla_tracks) == []
    for frame in (5, 24):
        assert distance_from_cache(obj, frame) < 1e-5


@pytest.mark.parametrize("into", INTO)
def test_one_undo_reverts_every_kind_of_bake(into):
    simulated()
    bpy.context.scene.frame_set(12)  # undo shows the keys of keyed bones for a moment
    bpy.ops.ed.undo_push(message="simulated")
    before = snapshot()
    bpy.ops.redmax.bake("EXEC_DEFAULT", True, into=into)
    assert snapshot() != before
    bpy.ops.ed.undo()
    after = snapshot()
    for key, value in before.items():
        assert after[key] == value, key
    assert distance_from_cache(bpy.data.objects["Rig"], 9) < 1e-5


@pytest.mark.skipif(SLOTS, reason="this Blender has slots")
def test_a_blender_without_slots_says_so():
    simulated()
    with pytest.raises(RuntimeError, match=r"from Blender 4\.4 on"):
        bpy.ops.redmax.bake(into="SLOT")
    assert not any(obj.redmax.is_baked for obj in bpy.data.objects)


def test_only_selected_bones_leaves_the_others_as_they_were():
    obj = simulated()
    table = curve_table(obj.animation_data.action)
    for bone in obj.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name == "bone2"
    assert [bone.name for bone in obj.pose.bones if is_selected(bone)] == ["bone2"]
    bpy.ops.redmax.bake(only_selected_bones=True)
    baked = curve_table(obj.animation_data.action)
    others = {key: keys for key, keys in table.items() if "bone2" not in key[1]}
    assert {key: keys for key, keys in baked.items() if "bone2" not in key[1]} == others
    track = cache.track_of(obj, bpy.context.scene)[1]
    bpy.context.scene.frame_set(12)
    bone = obj.pose.bones["bone2"]
    wanted = track.quaternion[7, track.bones.index("bone2")]
    assert abs(abs(np.dot(list(rotation_of(bone)), wanted)) - 1.0) < 1e-6
    bpy.ops.redmax.delete_bake()
    assert distance_from_cache(obj, 12) < 1e-5


def test_nothing_selected_is_an_error_and_no_bake():
    obj = simulated()
    for bone in obj.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = False
    before = snapshot()
    with pytest.raises(RuntimeError, match="no simulated bone is selected"):
        bpy.ops.redmax.bake(only_selected_bones=True)
    assert snapshot() == before
    with pytest.raises(SceneError, match="frame step"):
        bake_object(obj, bpy.context.scene, BakeOptions(step=0))
    assert snapshot() == before


def local_errors(obj: bpy.types.Object) -> tuple[float, float]:
    """Largest errors of the simulated bones' own rotation [rad] and location, over all recorded frames."""
    recording, track = cache.track_of(obj, bpy.context.scene)
    angle = length = 0.0
    for f in range(recording.frame_count):
        bpy.context.scene.frame_set(recording.frame_start + f)
        for i, name in enumerate(track.bones):
            bone = obj.pose.bones[name]
            q = np.array(rotation_of(bone))
            q /= np.linalg.norm(q)
            p = track.quaternion[f, i] / np.linalg.norm(track.quaternion[f, i])
            across = min(np.linalg.norm(p - q), np.linalg.norm(p + q))
            angle = max(angle, 4.0 * np.arcsin(min(0.5 * across, 1.0)))
            length = max(length, float(np.linalg.norm(np.array(bone.location) - track.location[f, i])))
    return float(angle), length


@pytest.mark.parametrize("degrees", [0.05, 0.5, 3.0])
def test_clean_curves_keeps_its_bound_with_fewer_keys(degrees):
    """In every rotation mode, at every frame; and the wider the bound, the fewer the keys."""
    obj = simulated(frames=80, keyed=False, count=6)
    scene = bpy.context.scene
    scale = 1.7  # of the object, by which lengths in the world are longer
    bake_object(obj, scene, BakeOptions(clean=True, clean_angle=radians(degrees), clean_length=0.001))
    angle, length = local_errors(obj)
    assert angle < radians(degrees)
    assert length * scale < 0.001
    counts = [len(curve.keyframe_points) for _, curve in all_curves(obj.animation_data.action)]
    assert sum(counts) < {0.05: 0.8, 0.5: 0.5, 3.0: 0.3}[degrees] * 80 * len(counts)
    assert angle > 0.2 * radians(degrees)  # it was used


def test_a_frame_step_leaves_out_keys_and_keeps_the_ends():
    obj = simulated(frames=20, keyed=False)
    bake_object(obj, bpy.context.scene, BakeOptions(step=6))
    for _, curve in all_curves(obj.animation_data.action):
        assert [point.co.x for point in curve.keyframe_points] == [5, 11, 17, 23, 24]
    for frame in (5, 11, 17, 23, 24):
        assert distance_from_cache(obj, frame) < 1e-5


MODES = ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]
INHERIT_SCALE = ["FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"]
BONE = st.fixed_dictionaries(
    {
        "parent": st.integers(-1, 8),
        "mode": st.sampled_from(MODES),
        "rotation": st.booleans(),
        "scale": st.sampled_from(INHERIT_SCALE),
        "local": st.booleans(),
        "connect": st.booleans(),
        "deform": st.booleans(),
        "size": st.sampled_from([1.0, 1.0, 0.7, 1.4]),
        "key": st.booleans(),
        "control": st.sampled_from(["FREE", "FREE", "GUIDED", "KEYFRAMED"]),
        "turn": st.tuples(*[st.floats(-1.2, 1.2)] * 3),
        "tail": st.tuples(*[st.floats(-0.4, 0.4)] * 3),
    }
)


@settings(
    max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None
)
@given(bones=st.lists(BONE, min_size=2, max_size=7), keyed_object=st.booleans(), into=st.sampled_from(INTO))
def test_random_rigs_bake_what_was_cached(bones, keyed_object, into):
    """Rotation modes, parents, bone scale, Inherit flags, helpers, keys, control: to 1e-5 of the size of the rig."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    obj = random_rig(bones, keyed_object)
    scene = bpy.context.scene
    set_range(3, 14, substeps=6)
    scene.frame_set(3)
    outcome = simulate_scene(bpy.context)
    assert not outcome.diverged
    table = curve_table(obj.animation_data.action) if obj.animation_data and obj.animation_data.action else {}
    ours = tuple(f'pose.bones["{bone.name}"]' for bone in obj.pose.bones if bone.redmax.physical)
    original = obj.animation_data.action if table else None
    assert bpy.ops.redmax.bake(into=into) == {"FINISHED"}
    for frame in range(3, 15):
        assert distance_from_cache(obj, frame) < 1e-5
    if original is not None:
        after = curve_table(original)
        assert {key: after[key] for key in table} == table
    if into == "COPY":
        baked = curve_table(obj.animation_data.action)
        kept = {key: keys for key, keys in table.items() if not is_channel(key[1], ours)}
        assert {key: baked[key] for key in kept} == kept


def is_channel(path: str, ours: tuple[str, ...]) -> bool:
    return path.startswith(ours) and not path.endswith("redmax_control")


def random_rig(bones: list[dict], keyed_object: bool) -> bpy.types.Object:
    made, heads = [], []
    for i, bone in enumerate(bones):
        parent = bone["parent"] if 0 <= bone["parent"] < i else None
        head = heads[parent] if parent is not None else (0.2 * i, 0.0, 0.0)
        tail = tuple(h + t for h, t in zip(head, bone["tail"]))
        if np.linalg.norm(bone["tail"]) < 0.1:
            tail = (head[0] + 0.2, head[1], head[2])
        heads.append(tail)
        made.append((f"b{i}", None if parent is None else f"b{parent}", head, tail))
    obj = make_armature(made, connect=False)
    bpy.ops.object.mode_set(mode="EDIT")
    for i, bone in enumerate(bones):
        obj.data.edit_bones[f"b{i}"].use_connect = bone["connect"]
    bpy.ops.object.mode_set(mode="POSE")
    for i, bone in enumerate(bones):
        data, pose = obj.data.bones[f"b{i}"], obj.pose.bones[f"b{i}"]
        data.use_inherit_rotation, data.inherit_scale = bone["rotation"], bone["scale"]
        data.use_local_location, data.use_deform = bone["local"], bone["deform"] or i == 0
        pose.rotation_mode = bone["mode"]
        pose.matrix_basis = Matrix.LocRotScale(None, euler(bone["turn"]), (bone["size"],) * 3)
        if bone["key"]:
            channel = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
            path = channel.get(bone["mode"], "rotation_euler")
            pose.keyframe_insert(path, frame=1)
            pose.matrix_basis = Matrix.LocRotScale(None, euler(bone["turn"][::-1]), (bone["size"],) * 3)
            pose.keyframe_insert(path, frame=20)
    if keyed_object:
        for frame, x in ((1, 0.0), (15, 0.5)):
            obj.location, obj.rotation_euler = (x, -x, 0.3), (0.0, x, 2.0 * x)
            obj.keyframe_insert("location", frame=frame)
            obj.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.view_layer.update()
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    for i, bone in enumerate(bones):
        control(obj, (f"b{i}",), bone["control"])
    return obj


def euler(angles):
    from mathutils import Euler

    return Euler(angles)


def test_a_hundred_bones_and_a_thousand_frames_bake_in_two_seconds():
    """Processor time, so that other programs do not count."""
    count, frames = 100, 1000
    obj = make_chain(count, length=0.1)
    scene = bpy.context.scene
    t = np.linspace(0.0, 20.0, frames)[:, None]
    angle = 0.5 * np.sin(t + 0.1 * np.arange(count))
    quaternion = np.zeros((frames, count, 4))
    quaternion[..., 0], quaternion[..., 1] = np.cos(0.5 * angle), np.sin(0.5 * angle)
    track = Track(
        tuple(bone.name for bone in obj.pose.bones),
        np.tile(np.eye(4), (frames, count, 1, 1)),
        np.zeros((frames, count, 3)),
        quaternion,
        np.ones((frames, count, 3)),
        np.zeros((count, WIDTH)),
    )
    recording = Recording("0" * 24, 1, frames, {"Rig": track})
    cache._memory[recording.key] = recording
    obj.redmax.result, obj.redmax.result_name = recording.key, "Rig"
    begin = time.process_time()
    bake_object(obj, scene)
    took = time.process_time() - begin
    assert len(all_curves(obj.animation_data.action)) >= 300
    assert took < 2.0
