"""Goals of armatures: poses, keys, torques, pushes and fits, from what an animator wants to keys of the next run."""

import bpy
import numpy as np
import pytest
from blender_fixtures import make_armature, set_range
from hybrid_fixtures import key_rotation
from mathutils import Matrix
from mechanism_fixtures import add_box, add_empty

from redmax_blender.bridge.goals.read_goals import read_goals
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.engine.errors import InputError


def arm(joint="REVOLUTE"):
    """Two bones that hang on the world."""
    rig = make_armature(
        [("upper", None, (0, 0, 1.0), (0.3, 0, 1.0)), ("lower", "upper", (0.3, 0, 1.0), (0.55, 0, 1.0))]
    )
    for bone in rig.pose.bones:
        bone.redmax.physical, bone.redmax.joint, bone.redmax.axis = True, joint, "X"
        bone.redmax.damping, bone.redmax.radius = 0.02, 0.04
        bone.rotation_mode = "XYZ"
    set_range(1, 16)
    bpy.context.view_layer.update()
    return rig


def jumper():
    """A body that flies, with two limbs."""
    rig = make_armature(
        [
            ("trunk", None, (0, 0, 1.0), (0, 0, 1.5)),
            ("arm", "trunk", (0, 0, 1.5), (0.5, 0, 1.5)),
            ("leg", "trunk", (0, 0, 1.0), (0.0, 0, 0.5)),
        ],
        connect=False,
    )
    for bone in rig.pose.bones:
        bone.redmax.physical, bone.redmax.joint, bone.redmax.axis = True, "REVOLUTE", "X"
        bone.redmax.radius, bone.rotation_mode = 0.06, "XYZ"
    rig.pose.bones["trunk"].redmax.joint = "FREE"
    set_range(1, 13, substeps=2)
    bpy.context.view_layer.update()
    return rig


def key_recorded(rig, frames, seen):
    """Key what was recorded at frames, as if it had been posed there by hand."""
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        for bone in rig.pose.bones:
            bone.matrix = Matrix(seen[frame][bone.name].tolist())
            bpy.context.view_layer.update()
            bone.keyframe_insert("location", frame=frame)
            bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)


def poses(rig, frame):
    """Recorded poses of the bones in the armature's space, by name."""
    track = cache.track_of(rig, bpy.context.scene)[1]
    row = frame - bpy.context.scene.redmax.frame_start
    return {name: track.pose[row, k] for k, name in enumerate(track.bones)}


def keyed(rig, frame):
    bpy.context.scene.frame_set(frame)
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {bone.name: np.array(bone.matrix) for bone in shown.pose.bones}


def add(kind, obj, **more):
    goals = bpy.context.scene.redmax.goals
    entry = (goals.wanted if kind in ("REACH", "REST", "POSE", "KEYS", "FOLLOW") else goals.changes).add()
    entry.kind, entry.object = kind, obj
    for name, value in more.items():
        setattr(entry, name, value)
    return entry


def test_in_betweens_pass_through_the_keys_with_less_torque():
    rig = jumper()
    bones = rig.pose.bones
    strength = 9.0
    for name, sign in (("arm", 1.0), ("leg", -1.0)):
        for frame, torque in ((1, strength), (5, -strength), (9, strength), (13, -strength)):
            bones[name].redmax_torque[0] = sign * torque
            bones[name].keyframe_insert("redmax_torque", index=0, frame=frame)
    speeds = bones["trunk"].redmax.control
    speeds.use_start_speeds, speeds.start_speeds = True, (0.2, 1.0, 2.5, 0.8, 0.0, 0.0)
    simulate_scene(bpy.context)
    seen = {frame: poses(rig, frame) for frame in (1, 7, 13)}
    bpy.ops.redmax.free_cache()
    rig.animation_data_clear()
    speeds.use_start_speeds = False
    for bone in bones:
        bone.redmax_torque = (0.0, 0.0, 0.0)
    key_recorded(rig, (1, 7, 13), seen)
    assert bpy.ops.redmax.set_up_goals(kind="IN_BETWEENS") == {"FINISHED"}
    for change in bpy.context.scene.redmax.goals.changes:
        change.knots = 4
    assert bpy.ops.redmax.solve_goals() == {"FINISHED"}
    assert not simulate_scene(bpy.context).diverged
    for frame in (7, 13):
        for name, pose in poses(rig, frame).items():
            assert np.abs(pose[:3, 3] - seen[frame][name][:3, 3]).max() < 0.02, (frame, name)
            assert np.abs(pose[:3, :3] - seen[frame][name][:3, :3]).max() < 0.05, (frame, name)
    made = read_goals(bpy.context).scene
    torques = [np.array(body.joint.torque[0].values) for body in made.bodies[1:]]
    assert not made.bodies[0].joint.torque
    assert 0.0 < np.mean(np.square(torques)) < strength**2 / 3.0  # that of the torques that made the keys


def test_an_arm_is_torqued_into_a_pose():
    rig = arm()
    key_rotation(rig.pose.bones["upper"], {1: (0.0, 0.0, 0.0), 16: (0.8, 0.0, 0.0)})
    key_rotation(rig.pose.bones["lower"], {1: (0.0, 0.0, 0.0), 16: (-0.5, 0.0, 0.0)})
    wanted = keyed(rig, 16)
    bpy.context.scene.frame_set(1)
    add("POSE", rig, frame=16)
    add("TORQUE", rig, largest=40.0, knots=3)
    assert bpy.ops.redmax.solve_goals() == {"FINISHED"}
    simulate_scene(bpy.context)
    for name, pose in poses(rig, 16).items():
        assert np.abs(pose - wanted[name]).max() < 0.02


def test_stiffness_and_damping_are_fitted_to_keys():
    rig = arm()
    for bone in rig.pose.bones:
        bone.redmax.stiffness, bone.redmax.damping = 12.0, 0.3
    simulate_scene(bpy.context)
    seen = {frame: poses(rig, frame) for frame in range(1, 17)}
    bpy.ops.redmax.free_cache()
    key_recorded(rig, range(1, 17), seen)
    for bone in rig.pose.bones:
        bone.redmax.stiffness, bone.redmax.damping = 5.0, 1.0
    bpy.context.scene.frame_set(1)
    assert bpy.ops.redmax.set_up_goals(kind="FIT") == {"FINISHED"}
    assert bpy.ops.redmax.solve_goals() == {"FINISHED"}
    for bone in rig.pose.bones:
        assert bone.redmax.stiffness == pytest.approx(12.0, rel=0.03)
        assert bone.redmax.damping == pytest.approx(0.3, rel=0.1)


def test_a_push_at_a_frame_makes_a_box_reach():
    box, mark = add_box("Box", (0, 0, 1.0), (0.2, 0.2, 0.2)), add_empty("Mark", (1.0, 0.5, 0.2))
    set_range(1, 16, substeps=10)
    add("REACH", box, target=mark, frame=13)
    add("PUSH", box, frame=3, duration=3, largest=2000.0)
    assert bpy.ops.redmax.solve_goals() == {"FINISHED"}
    simulate_scene(bpy.context)
    x = cache.track_of(box, bpy.context.scene)[1].pose[12, 0, :3, 3]
    assert np.linalg.norm(x - np.array(mark.location)) < 0.02


def test_a_body_starts_where_it_hits():
    box, mark = add_box("Box", (0, 0, 3.0), (0.2, 0.2, 0.2)), add_empty("Mark", (0.4, -0.3, 0.5))
    set_range(1, 16, substeps=10)
    add("REACH", box, target=mark, frame=16)
    add("PLACE", box, largest=3.0)
    assert bpy.ops.redmax.solve_goals() == {"FINISHED"}
    bpy.context.scene.frame_set(1)
    simulate_scene(bpy.context)
    x = cache.track_of(box, bpy.context.scene)[1].pose[15, 0, :3, 3]
    assert np.linalg.norm(x - np.array(mark.location)) < 0.01


def test_undo_takes_everything_back():
    rig = arm()
    mark = add_empty("Mark", (0.3, 0.3, 1.2))
    bpy.context.view_layer.objects.active = rig
    add("REACH", rig, bone="lower", target=mark, frame=10)
    add("TORQUE", rig, largest=40.0, knots=2)
    bpy.context.scene.redmax.goals.iterations = 3
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.redmax.solve_goals() == {"FINISHED"}
    assert bpy.data.objects["Rig"].animation_data is not None
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert bpy.data.objects["Rig"].animation_data is None


@pytest.mark.parametrize(
    ("kind", "more", "words"),
    [
        ("POSE", {"frame": 40}, "outside of the simulation"),
        ("KEYS", {}, "no keys within"),
        ("FOLLOW", {}, "nothing moves"),
        ("POSE", {"bone": "tail", "frame": 9}, "not a physical bone"),
    ],
)
def test_goals_about_keys_that_cannot_be_get_clear_words(kind, more, words):
    rig = arm()
    add(kind, rig, **more)
    add("TORQUE", rig)
    with pytest.raises(InputError, match=words):
        read_goals(bpy.context)


@pytest.mark.parametrize(
    ("kind", "more", "words"),
    [
        ("TORQUE", {"bone": "tail"}, "not a physical bone"),
        ("STIFFNESS", {}, "zero for all"),
        ("MASS", {"largest": 1.0}, "not above 1"),
        ("PUSH", {"frame": 1}, "about no bone"),
        ("PUSH", {"bone": "lower", "frame": 99}, "outside of the simulation"),
        ("EXCITATION", {}, "no muscle"),
        ("VELOCITY", {}, "not an active body"),
    ],
)
def test_changes_of_bones_that_cannot_be_get_clear_words(kind, more, words):
    rig = arm()
    add("REACH", rig, bone="lower", target=add_empty("Mark", (0.3, 0.3, 1.2)), frame=10)
    add(kind, rig, **more)
    with pytest.raises(InputError, match=words):
        read_goals(bpy.context)
