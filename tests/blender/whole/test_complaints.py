"""What users of similar add-ons complain about most, in order, each as a test. All of them run in every supported
Blender, which is the answer to the second."""

import time

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
    turn_bones,
)
from hybrid_fixtures import apart, arm, control, key_rotation, poses_over
from mathutils import Matrix
from mechanism_fixtures import add_empty

import redmax_blender
from redmax_blender.bridge.mechanism.add_spring import add_spring
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.simulate_scene import Simulation, simulate_scene


def track(obj: bpy.types.Object) -> cache.Track:
    return cache.track_of(obj, bpy.context.scene)[1]


def world_heads(obj: bpy.types.Object) -> np.ndarray:
    """Heads of the recorded bones in the world, shape (nf, nb, 3); the object stands still."""
    world = np.array(obj.matrix_world)
    return track(obj).pose[..., :3, 3] @ world[:3, :3].T + world[:3, 3]


def ground() -> bpy.types.Object:
    plane = add_empty("Ground", (0, 0, 0))
    plane.redmax.collider.role = "GROUND"
    return plane


def test_01_collisions_neither_explode_nor_stick_nor_tunnel():
    """A ragdoll falls onto the ground from two metres: nothing goes through, nothing speeds up, all comes to rest."""
    obj = make_chain(4, length=0.3)
    obj.location.z = 2.0
    obj.rotation_euler.y = 0.4
    turn_bones(obj, amount=0.3)
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    for bone in obj.pose.bones:
        bone.redmax.surface.collide = True
    ground()
    set_range(1, 60, substeps=20)
    assert not simulate_scene(bpy.context).diverged
    radius = obj.pose.bones["bone0"].redmax.radius
    heads = world_heads(obj)
    assert (
        heads[..., 2].min() > radius - 0.01
    )  # the middle of a capsule's end stays a radius above the ground
    assert heads[-1, :, 2].max() < 0.25  # it lies down
    speed = np.linalg.norm(np.diff(heads, axis=0), axis=2) * 24.0
    assert speed.max() < 1.1 * np.sqrt(2.0 * 9.81 * 2.6)  # never faster than by falling
    assert speed[-5:].max() < 0.3


def test_02_it_works_in_this_blender_and_can_be_switched_off_and_on():
    assert bpy.app.version >= (4, 2, 0)
    redmax_blender.unregister()
    assert not hasattr(bpy.types.PoseBone, "redmax")
    assert not hasattr(bpy.types.PoseBone, "redmax_control")
    redmax_blender.register()
    obj = make_chain(2)
    make_physical(obj, bpy.context.scene)
    set_range(1, 4)
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    assert bpy.ops.redmax.bake() == {"FINISHED"}


def test_03_the_bake_is_the_preview():
    obj = make_chain(5)
    place(obj)
    turn_bones(obj)
    key_bone(obj, "bone2", (1, 9, 30))
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    set_range(4, 24)
    bpy.context.scene.frame_set(4)
    simulate_scene(bpy.context)
    frames = range(4, 25)
    preview = poses_over(obj, frames)
    bpy.ops.redmax.bake()
    bpy.ops.redmax.free_cache()
    assert apart(preview, poses_over(obj, frames), track_names(obj)) < 1e-5


def track_names(obj: bpy.types.Object) -> list[str]:
    return [bone.name for bone in obj.pose.bones if bone.redmax.physical]


def test_04_the_bake_leaves_other_bones_and_actions_alone():
    obj = make_chain(5)
    obj.data.bones["bone4"].use_deform = False
    for i in (1, 4):
        key_bone(obj, f"bone{i}", (1, 9, 30), seed=i)
    other = bpy.data.actions.new("Other")
    original = obj.animation_data.action
    before = curve_table(original)
    make_physical(obj, bpy.context.scene)
    set_range(4, 14)
    simulate_scene(bpy.context)
    bpy.ops.redmax.bake()
    assert curve_table(original) == before
    baked = curve_table(obj.animation_data.action)
    helper = {key: keys for key, keys in before.items() if "bone4" in key[1]}
    assert len(helper) == 9
    assert {key: baked[key] for key in helper} == helper
    assert len(all_curves(other)) == 0


def test_05_flesh_on_an_armature_deforms_once():
    """A soft mesh with an Armature modifier: while the simulation is shown, the modifier does not deform it again."""
    from flesh_fixtures import simulate, soft_suzanne

    mesh, rig = soft_suzanne()
    simulate()
    scene = bpy.context.scene
    for modifier in mesh.modifiers:
        if modifier.type == "SUBSURF":
            modifier.show_viewport = False
    scene.frame_set(10)
    shown = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    found = np.array([tuple(vertex.co) for vertex in shown.vertices])
    recording, positions = cache.mesh_of(mesh, scene)
    np.testing.assert_allclose(found, positions[10 - recording.frame_start], atol=1e-4)
    moved = positions[-1] - positions[0]
    assert np.abs(moved).max() > 1e-4  # and it does deform
    assert rig.redmax.result


def test_06_many_bones_are_set_at_once():
    obj = make_chain(5)
    make_physical(obj, bpy.context.scene)
    arm_bones = obj.data.collections.new("Arm")
    for name in ("bone3", "bone4"):
        arm_bones.assign(obj.data.bones[name])
    assert bpy.ops.redmax.set_control(mode="KEYFRAMED", scope="ALL", insert_key=False) == {"FINISHED"}
    assert {bone.redmax_control for bone in obj.pose.bones} == {"KEYFRAMED"}
    bpy.context.scene.frame_set(12)
    bpy.ops.redmax.set_control(mode="FREE", scope="COLLECTION", collection="Arm")
    keyed = {curve.data_path: [tuple(p.co) for p in curve.keyframe_points] for _, curve in controls(obj)}
    assert keyed == {f'pose.bones["bone{i}"].redmax_control': [(1.0, 2.0), (12.0, 0.0)] for i in (3, 4)}
    for bone in obj.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in ("bone1", "bone2")
    obj.data.bones.active = obj.data.bones["bone1"]
    obj.pose.bones["bone1"].redmax.density = 123.0
    obj.pose.bones["bone1"].redmax.control.response = 0.2
    assert bpy.ops.redmax.copy_to_selected() == {"FINISHED"}
    assert obj.pose.bones["bone2"].redmax.density == 123.0
    assert obj.pose.bones["bone2"].redmax.control.response == pytest.approx(0.2)
    assert obj.pose.bones["bone3"].redmax.density != 123.0
    assert bpy.ops.redmax.friction_preset_add.poll is not None


def controls(obj: bpy.types.Object):
    return [pair for pair in all_curves(obj.animation_data.action) if "redmax_control" in pair[1].data_path]


def test_07_joints_neither_drift_apart_nor_jitter():
    """A chain whirls for ten seconds: every bone begins where its parent ends, and what comes to rest is still."""
    obj = make_chain(6, length=0.2)
    turn_bones(obj, amount=1.0)
    make_physical(obj, bpy.context.scene, Choices(root="HINGED", damping=0.3))
    set_range(1, 240, substeps=10)
    assert not simulate_scene(bpy.context).diverged
    poses = track(obj).pose
    tails = poses[:, :-1] @ np.array([0.0, 0.2, 0.0, 1.0])
    assert np.abs(tails[..., :3] - poses[:, 1:, :3, 3]).max() < 1e-6
    second, third = (np.abs(np.diff(poses[-24:, :, :3, 3], n=n, axis=0)).max() for n in (2, 3))
    assert second < 1e-3
    assert third < 0.5 * second  # it sways: what jitters changes direction from frame to frame


def test_08_it_starts_in_the_middle_of_a_shot_and_from_a_pose():
    obj = arm()
    key_rotation(obj.pose.bones["upper"], {1: (0, 0, 0), 40: (1.2, 0.4, 0.0)})
    make_physical(obj, bpy.context.scene)
    bpy.context.scene.gravity = (0, 0, 0)
    for bone in obj.pose.bones:
        bone.redmax.damping = 0.0
    keys = poses_over(obj, (22, 23))
    set_range(23, 40, substeps=20)
    bpy.context.scene.frame_set(23)
    obj.pose.bones["hand"].matrix_basis = Matrix.Rotation(0.7, 4, "X")  # by hand, not keyed
    bpy.context.view_layer.update()
    posed = evaluated_poses(obj)
    simulate_scene(bpy.context)
    shown = poses_over(obj, (23, 24))
    assert np.abs(shown[23]["lower"] - keys[23]["lower"]).max() < 1e-6
    assert np.abs(shown[23]["hand"] - posed["hand"]).max() < 1e-6
    came = keys[23]["lower"][:3, 3] - keys[22]["lower"][:3, 3]
    went = shown[24]["lower"][:3, 3] - shown[23]["lower"][:3, 3]
    assert np.linalg.norm(went - came) < 0.1 * np.linalg.norm(came)  # nothing stops it: it goes on


def test_09_progress_is_shown_and_a_shot_takes_seconds():
    """A hundred bones, a hundred frames: told frame by frame, can be stopped, and done in well under a minute."""
    obj = make_chain(100, length=0.1)
    make_physical(obj, bpy.context.scene)
    set_range(1, 100, substeps=4)
    simulation = Simulation(bpy.context)
    told = []
    begin = time.process_time()
    while simulation.advance():
        told.append(simulation.done / simulation.total)
    took = time.process_time() - begin
    assert told == sorted(told) and len(told) == 100 and told[-1] == 1.0
    assert took < 60.0
    bpy.ops.redmax.free_cache() if bpy.ops.redmax.free_cache.poll() else None
    outcome = simulate_scene(bpy.context, progress=lambda done, total: done < 10)
    assert outcome.cancelled and outcome.recording.frame_last == 10


def test_10_renders_show_the_simulation(tmp_path):
    """A render of a frame that was not shown before moves the bones first, over their keys."""
    obj = make_chain(2)
    key_bone(obj, "bone1", (1, 20))
    scene = bpy.context.scene
    make_physical(obj, scene, Choices(root="HINGED"))
    set_range(1, 12)
    scene.frame_set(1)
    simulate_scene(bpy.context)
    seen = {}

    def look(_scene, depsgraph):
        shown = obj.evaluated_get(depsgraph)
        seen[scene.frame_current] = {bone.name: np.array(bone.matrix) for bone in shown.pose.bones}

    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine, scene.cycles.samples = "CYCLES", 1
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.render.filepath = str(tmp_path / "frame")
    scene.frame_start, scene.frame_end = 8, 9
    bpy.app.handlers.frame_change_post.append(look)
    try:
        bpy.ops.render.render(animation=True)
    finally:
        bpy.app.handlers.frame_change_post.remove(look)
    assert {8, 9} <= set(seen)
    scene.frame_set(9)
    assert distance_from_cache(obj, 9) < 1e-5
    assert len(list(tmp_path.iterdir())) == 2


def test_11_animation_passes_to_physics_and_back_without_a_jerk():
    """Keyframed, free, keyframed: on its keys before the blow, no sag, no jump on the way, on its keys in the end."""
    obj = arm()
    limb = ("upper", "lower", "hand")
    key_rotation(obj.pose.bones["upper"], {1: (0, 0, 0), 60: (0.8, 0.5, 0.3)})
    make_physical(obj, bpy.context.scene)
    control(obj, limb, {1: "KEYFRAMED", 20: "FREE", 35: "KEYFRAMED"})
    set_range(1, 60, substeps=20)
    frames = range(1, 61)
    keys = poses_over(obj, frames)
    bpy.context.scene.frame_set(1)
    simulate_scene(bpy.context)
    shown = poses_over(obj, frames)
    off = {f: max(np.abs(shown[f][name] - keys[f][name]).max() for name in limb) for f in frames}
    assert max(off[f] for f in range(1, 20)) < 1e-6
    assert max(off[f] for f in range(25, 35)) > 0.05
    assert max(off[f] for f in range(43, 61)) < 1e-6
    hand = np.array([shown[f]["hand"][:3, 3] for f in frames])
    jerk = np.abs(np.diff(hand, n=2, axis=0)).max()
    assert jerk < 0.6 * np.abs(np.diff(hand, axis=0)).max()


def test_12_joints_stop_at_their_limits():
    obj = make_chain(3)
    for bone in obj.pose.bones:
        bone.lock_ik_y = bone.lock_ik_z = True
        bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, -0.3, 0.2
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    bpy.context.scene.gravity = (0.0, 3.0, -9.81)
    set_range(1, 40, substeps=10)
    simulate_scene(bpy.context)
    q = track(obj).quaternion
    angles = 2.0 * np.arctan2(q[..., 1], q[..., 0])
    angles = (angles + np.pi) % (2.0 * np.pi) - np.pi
    assert angles.min() > -0.3 - 1e-4 and angles.max() < 0.2 + 1e-4
    assert np.abs(angles).max() > 0.15


def test_13_rigs_with_constraints_drivers_and_helper_bones_work():
    """A helper copies a simulated bone, another is animated, a bone has a driver and one a constraint."""
    obj = make_armature(
        [
            ("hip", None, (0, 0, 1), (0, 0, 1.2)),
            ("turner", "hip", (0, 0, 1.2), (0.2, 0, 1.2)),
            ("tail", "turner", (0.2, 0, 1.2), (0.5, 0, 1.2)),
            ("tip", "tail", (0.5, 0, 1.2), (0.7, 0, 1.2)),
            ("copy", None, (0.7, 0, 1.2), (0.7, 0, 1.4)),
            ("flag", "copy", (0.7, 0, 1.3), (0.9, 0, 1.3)),
        ],
        connect=False,
    )
    for helper in ("turner", "copy"):
        obj.data.bones[helper].use_deform = False
    key_rotation(obj.pose.bones["turner"], {1: (0, 0, 0), 25: (0, 0, 0.9)})
    follow = obj.pose.bones["copy"].constraints.new("CHILD_OF")
    follow.target, follow.subtarget = obj, "tip"
    limit = obj.pose.bones["tip"].constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x = "WORLD", True
    tail = obj.pose.bones["tail"]
    tail.rotation_mode = "XYZ"
    tail.driver_add("rotation_euler", 1).driver.expression = "frame * 0.02"
    bpy.context.view_layer.update()
    make_physical(obj, bpy.context.scene)
    assert [bone.name for bone in obj.pose.bones if bone.redmax.physical] == ["hip", "tail", "tip", "flag"]
    set_range(1, 25, substeps=10)
    bpy.context.scene.frame_set(1)
    assert not simulate_scene(bpy.context).diverged
    assert np.abs(track(obj).pose[-1] - track(obj).pose[0]).max() > 0.1
    for frame in (1, 9, 17, 25):
        assert distance_from_cache(obj, frame) < 1e-4
    bpy.ops.redmax.bake()
    for frame in (1, 9, 17, 25):
        assert distance_from_cache(obj, frame) < 1e-4
    bpy.ops.redmax.delete_bake()
    bpy.ops.redmax.free_cache()
    assert not limit.mute
    assert not any(driver.mute for driver in obj.animation_data.drivers)


def test_14_characters_interact():
    """One character pulls another by a spring between their hands; alone, the other would stay."""
    puller, pulled = make_chain(2, name="Puller"), make_chain(2, name="Pulled")
    puller.location, pulled.location = (0, 0, 0), (0, 1.0, 0)
    scene = bpy.context.scene
    scene.gravity = (0, 0, 0)
    for obj in (puller, pulled):
        make_physical(obj, scene, Choices(root="HINGED"))
    for frame, angle in ((1, 0.0), (30, -1.0)):
        puller.rotation_euler.z = angle
        puller.keyframe_insert("rotation_euler", frame=frame)
    control(puller, ("bone0", "bone1"), "KEYFRAMED")
    ends = []
    for obj, y in ((puller, 0.0), (pulled, 1.0)):
        end = add_empty(f"{obj.name} hand", (1.0, y, 0.0))
        bpy.context.view_layer.update()
        world = end.matrix_world.copy()
        end.parent, end.parent_type, end.parent_bone = obj, "BONE", "bone1"
        bpy.context.view_layer.update()
        end.matrix_world = world
        ends.append(end)
    bpy.context.view_layer.update()
    spring = add_spring(ends, scene.collection)
    spring.redmax.spring.stiffness, spring.redmax.spring.damping = 50.0, 1.0
    set_range(1, 30, substeps=10)
    scene.frame_set(1)
    simulate_scene(bpy.context)
    moved = np.abs(track(pulled).pose[-1] - track(pulled).pose[0]).max()
    assert moved > 0.05
    assert len({obj.redmax.result for obj in (puller, pulled)}) == 1
