"""Reading a scene: the engine starts in the pose that Blender shows, in metres."""

from math import pi, radians, sqrt

import bpy
import numpy as np
import pytest
from blender_fixtures import MODES, evaluated_poses, make_armature, make_chain, place, set_range, turn_bones
from mathutils import Euler, Matrix
from scipy.spatial.transform import Rotation

from redmax_blender.bridge.motion import rotations
from redmax_blender.bridge.motion.joint_coordinates import joint_coordinates
from redmax_blender.bridge.motion.retarget import bone_poses
from redmax_blender.bridge.read.scene import read_scene
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.run.simulate import make_frame
from redmax_blender.engine.scene import SceneSpec

KINDS = ("FIXED", "REVOLUTE", "UNIVERSAL", "SPHERICAL", "PRISMATIC", "FREE")
AXES = (("X", "Y"), ("Y", "Z"), ("Z", "X"), ("CUSTOM", "Y"), ("X", "Z"), ("Z", "Y"))


def start_poses(obj: bpy.types.Object) -> dict[str, np.ndarray]:
    """Bone poses in armature space that the engine's initial state gives."""
    reading = read_scene(bpy.context, [obj])
    model = compile_scene(reading.scene)
    frame = make_frame(model, model.initial_state())
    (rig,) = reading.rigs
    return dict(zip(rig.bones, bone_poses(rig, frame.joint_pose[None])[0]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unit_scale", [1.0, 0.01])
def test_the_start_pose_is_exact_for_every_joint_kind(kind, unit_scale):
    """Also where the pose turns about axes that the joint does not have, on a rig placed anywhere."""
    obj = make_chain(6)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in obj.data.edit_bones:
        bone.use_connect = False
    bpy.ops.object.mode_set(mode="POSE")
    place(obj, unit_scale)
    for i, bone in enumerate(obj.pose.bones):
        bone.location = (0.1 * i, -0.05, 0.03 * i)
    turn_bones(obj)
    make_physical(obj, bpy.context.scene)
    for i, bone in enumerate(obj.pose.bones):
        bone.redmax.joint = kind
        bone.redmax.axis, bone.redmax.second_axis = AXES[i]
        bone.redmax.axis_vector = (0.6, 0.0, -0.8)
    set_range(1, 2)
    found, shown = start_poses(obj), evaluated_poses(obj)
    for name, pose in shown.items():
        assert found[name] == pytest.approx(pose, abs=2e-6), name


def test_the_start_pose_is_exact_with_scaled_helper_and_detached_bones():
    obj = make_chain(6)
    bones = obj.data.bones
    bones["bone2"].use_deform = False
    bones["bone3"].use_inherit_rotation = False
    bones["bone4"].inherit_scale = "NONE"
    place(obj)
    turn_bones(obj, seed=3)
    obj.pose.bones["bone1"].scale = (1.3, 1.3, 1.3)
    bpy.context.view_layer.update()
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(1, 2)
    found, shown = start_poses(obj), evaluated_poses(obj)
    assert set(found) == {"bone0", "bone1", "bone3", "bone4", "bone5"}
    for name, pose in found.items():
        assert pose == pytest.approx(shown[name], abs=2e-6), name


def test_constraints_count_in_the_start_pose():
    obj = make_chain(3)
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (0.5, 0.9, 0.4)
    constraint = obj.pose.bones["bone2"].constraints.new("IK")
    constraint.target = target
    bpy.context.view_layer.update()
    shown = evaluated_poses(obj)
    assert np.abs(shown["bone0"] - np.array(obj.data.bones["bone0"].matrix_local)).max() > 0.1
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(1, 2)
    found = start_poses(obj)
    for name, pose in found.items():
        assert pose == pytest.approx(shown[name], abs=2e-6), name


def test_off_axis_start_poses_are_told():
    obj = make_chain(2)
    obj.pose.bones["bone1"].lock_ik_y = obj.pose.bones["bone1"].lock_ik_z = True
    make_physical(obj, bpy.context.scene)
    set_range(1, 2)
    obj.pose.bones["bone1"].matrix_basis = Matrix.Rotation(0.5, 4, "X")
    bpy.context.view_layer.update()
    assert read_scene(bpy.context, [obj]).warnings == []
    obj.pose.bones["bone1"].matrix_basis = Matrix.Rotation(0.5, 4, "X") @ Matrix.Rotation(
        radians(20.0), 4, "Z"
    )
    bpy.context.view_layer.update()
    (warning,) = read_scene(bpy.context, [obj]).warnings
    assert "'bone1' of 'Rig'" in warning
    assert "revolute" in warning


@pytest.mark.parametrize("mode", MODES[:3])
def test_coordinates_are_the_angles_of_the_pose(mode):
    obj = make_chain(3)
    obj.pose.bones["bone1"].lock_ik_x = obj.pose.bones["bone1"].lock_ik_y = True
    obj.pose.bones["bone2"].lock_ik_y = True
    for bone in obj.pose.bones:
        bone.rotation_mode = mode
    obj.pose.bones["bone1"].matrix_basis = Matrix.Rotation(-0.7, 4, "Z")
    obj.pose.bones["bone2"].matrix_basis = Matrix.Rotation(0.3, 4, "X") @ Matrix.Rotation(-0.9, 4, "Z")
    bpy.context.view_layer.update()
    make_physical(obj, bpy.context.scene)
    set_range(1, 2)
    bodies = read_scene(bpy.context, [obj]).scene.bodies
    assert bodies[1].joint.q == pytest.approx([-0.7], abs=1e-6)
    assert bodies[2].joint.q == pytest.approx([0.3, -0.9], abs=1e-6)


def test_springs_rest_where_they_are_told():
    obj = make_chain(4)
    for name in ("bone1", "bone2", "bone3"):
        bone = obj.pose.bones[name]
        bone.lock_ik_x = bone.lock_ik_y = True
        bone.matrix_basis = Matrix.Rotation(0.4, 4, "Z")
    bpy.context.view_layer.update()
    make_physical(obj, bpy.context.scene)
    for name, rest in zip(("bone1", "bone2", "bone3"), ("START", "REST_POSE", "ANGLES")):
        obj.pose.bones[name].redmax.rest_from = rest
        obj.pose.bones[name].redmax.rest_angles = (9.0, 9.0, -0.2)
    set_range(1, 2)
    rests = [body.joint.rest for body in read_scene(bpy.context, [obj]).scene.bodies[1:]]
    assert rests[0] is None
    assert rests[1] == [0.0]
    assert rests[2] == pytest.approx([-0.2])


@pytest.mark.parametrize(("size", "unit_scale"), [(1.0, 1.0), (100.0, 0.01), (0.02, 1.0)])
def test_a_bone_swings_with_the_period_of_its_size_in_metres(size, unit_scale):
    """Small swings of a capsule about its end: T = 2π √(I / m g d)."""
    length, radius, angle = 0.8 * size * unit_scale, 0.1 * 0.8 * size * unit_scale, 0.01
    obj = make_armature([("bone", None, (0, 0, 0), (0, 0, -0.4 * size))])
    obj.scale = (2.0, 2.0, 2.0)
    bone = obj.pose.bones["bone"]
    bone.lock_ik_y = bone.lock_ik_z = True
    bone.matrix_basis = Matrix.Rotation(angle, 4, "X")
    scene = bpy.context.scene
    scene.unit_settings.scale_length = unit_scale
    scene.render.fps = 240
    bpy.context.view_layer.update()
    make_physical(obj, scene, Choices(damping=0.0))

    cylinder, ball = pi * radius**2 * (length - 2 * radius), 4 / 3 * pi * radius**3
    h, d = length - 2 * radius, length / 2
    about_centre = cylinder * (h**2 / 12 + radius**2 / 4) + ball * (
        2 / 5 * radius**2 + h**2 / 4 + 3 / 8 * h * radius
    )
    period = 2 * pi * sqrt((about_centre / (cylinder + ball) + d**2) / (9.81 * d))

    scene.redmax.integrator = "bdf2"
    set_range(1, 1 + round(1.25 * period * 240), substeps=2)
    track = simulate_scene(bpy.context).recording.tracks["Rig"]
    sideways = track.pose[:, 0, :2, 1]  # of the bone's own direction
    swing = sideways[:, np.argmax(np.abs(sideways[0]))]
    zeros = [
        i + swing[i] / (swing[i] - swing[i + 1]) for i in range(len(swing) - 1) if swing[i] * swing[i + 1] < 0
    ]
    assert (zeros[1] - zeros[0]) / 240 * 2 == pytest.approx(period, rel=2e-3)


def test_scene_gravity_can_be_read_as_its_field_shows_it():
    obj = make_chain(1)
    scene = bpy.context.scene
    make_physical(obj, scene)
    set_range(1, 2)
    scene.unit_settings.scale_length = 0.01
    assert read_scene(bpy.context, [obj]).scene.gravity == pytest.approx((0.0, 0.0, -9.81))
    scene.redmax.gravity_in_scene_units = True
    assert read_scene(bpy.context, [obj]).scene.gravity == pytest.approx((0.0, 0.0, -0.0981))
    scene.use_gravity = False
    assert read_scene(bpy.context, [obj]).scene.gravity == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_joint_coordinates_rebuild_the_rotation(kind):
    """rotation = remainder · Q(q) in the joint's axes, against SciPy's rotations."""
    random = np.random.default_rng(7)
    for rotation in (*Rotation.random(40, random_state=8).as_matrix(), np.eye(3)):
        first = random.normal(size=3)
        first /= np.linalg.norm(first)
        second = np.cross(first, random.normal(size=3))
        second /= np.linalg.norm(second)
        found = joint_coordinates(kind, first, second, rotation, np.zeros(3))
        q = np.array(found.q)
        Q = {
            "FIXED": lambda: np.eye(3),
            "REVOLUTE": lambda first=first, q=q: Rotation.from_rotvec(first * q[0]).as_matrix(),
            "UNIVERSAL": lambda q=q: Rotation.from_euler("XY", q).as_matrix(),
            "SPHERICAL": lambda q=q: Rotation.from_rotvec(q).as_matrix(),
            "PRISMATIC": lambda: np.eye(3),
            "FREE": lambda q=q: Rotation.from_rotvec(q[3:]).as_matrix(),
        }[kind]()
        rebuilt = found.axes @ found.remainder @ Q @ found.axes.T
        assert rebuilt == pytest.approx(rotation, abs=1e-12)


def test_rotations_agree_with_scipy():
    for R in Rotation.random(200, random_state=3):
        matrix = R.as_matrix()
        w, *xyz = rotations.quaternion(matrix)
        assert Rotation.from_quat([*xyz, w]).as_matrix() == pytest.approx(matrix, abs=1e-12)
        assert rotations.rotation_vector(matrix) == pytest.approx(R.as_rotvec(), abs=1e-9)
        vector = R.as_rotvec()
        angle = np.linalg.norm(vector)
        assert rotations.turn(vector / angle, angle) == pytest.approx(matrix, abs=1e-12)
    for half_turn in ([pi, 0, 0], [0, pi, 0], [0, 0, pi]):
        matrix = Rotation.from_rotvec(half_turn).as_matrix()
        assert Rotation.from_rotvec(rotations.rotation_vector(matrix)).as_matrix() == pytest.approx(
            matrix, abs=1e-9
        )


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_euler_angles_rebuild_the_rotation_also_at_gimbal_lock(order):
    random = np.random.default_rng(11)
    for middle in (0.3, -1.2, pi / 2, -pi / 2, pi / 2 - 1e-4, -pi / 2 + 1e-6, 2.5):
        first, last = random.uniform(-pi, pi, size=2)
        R = Rotation.from_euler(order.lower(), [first, middle, last])  # about fixed axes, like Blender's
        x, y, z, w = R.as_quat()
        near = random.uniform(-9.0, 9.0, size=3)
        angles = rotations.euler_near([w, x, y, z], order, near.tolist())
        in_order = [angles["XYZ".index(axis)] for axis in order]
        assert Rotation.from_euler(order.lower(), in_order).as_matrix() == pytest.approx(
            R.as_matrix(), abs=1e-9
        )
        blender = np.array(Euler(angles, order).to_matrix())
        assert blender == pytest.approx(R.as_matrix(), abs=2e-6)


def test_channels_follow_a_rotation_through_several_turns_without_jumps():
    """Two turns about a tilted axis, in every rotation mode."""
    axis = np.array([0.2, 0.5, -0.8]) / np.linalg.norm([0.2, 0.5, -0.8])
    for mode in ("QUATERNION", "AXIS_ANGLE", "XYZ", "ZXY"):
        values = {"QUATERNION": [1.0, 0.0, 0.0, 0.0], "AXIS_ANGLE": [0.0, 0.0, 1.0, 0.0]}.get(mode, [0.0] * 3)
        steps = []
        for angle in np.linspace(0.02, 4.0 * pi, 400):
            x, y, z, w = Rotation.from_rotvec(angle * axis).as_quat()
            new = rotations.rotation_near(mode, [w, x, y, z], values)
            steps.append(np.abs(np.array(new) - values).max())
            values = new
        assert max(steps[1:]) < 0.25, mode  # the first one may choose an axis


def test_scene_files_and_blender_begin_with_the_same_integrator():
    setting = bpy.context.scene.redmax.bl_rna.properties["integrator"]
    assert setting.default == SceneSpec(bodies=[]).integrator
