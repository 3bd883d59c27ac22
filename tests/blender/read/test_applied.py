"""Torques, pushes and start speeds that are set or keyed: they move bodies as mechanics says."""

import bpy
import numpy as np
import pytest
from blender_fixtures import make_chain, set_range
from mechanism_fixtures import add_box

from redmax_blender.bridge.mechanism.export_scene import read_for_export
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.run.simulate_scene import simulate_scene


def weightless():
    bpy.context.scene.gravity = (0.0, 0.0, 0.0)


def hinge():
    rig = make_chain(1)
    bone = rig.pose.bones[0]
    bone.redmax.physical, bone.redmax.joint, bone.redmax.axis = True, "REVOLUTE", "X"
    bone.redmax.damping = 0.0
    set_range(1, 25)
    weightless()
    return rig, bone


def angle(rig, bone, frame):
    """How far a hinge has turned since the first frame [rad]."""
    track = cache.track_of(rig, bpy.context.scene)[1]
    first, now = (track.pose[f - 1, track.bones.index(bone.name), :3, :3] for f in (1, frame))
    return np.arccos(np.clip((np.trace(first.T @ now) - 1.0) / 2.0, -1.0, 1.0))


def test_a_push_moves_a_body_by_its_impulse():
    box = add_box("Box", (0.0, 0.0, 1.0), (0.2, 0.2, 0.2))
    box.redmax.body.mass_from, box.redmax.body.mass = "MASS", 2.0
    set_range(1, 25)
    weightless()
    for frame, push in ((4, 0.0), (5, 12.0), (8, 12.0), (9, 0.0)):
        box.redmax_push = (push, 0.0, 0.0)
        box.keyframe_insert("redmax_push", frame=frame)
    simulate_scene(bpy.context)
    pose = cache.track_of(box, bpy.context.scene)[1].pose[:, 0, :3, 3]
    speed = 12.0 * 4.0 / 24.0 / 2.0  # four frames, the half ones at both ends included
    assert (pose[24, 0] - pose[23, 0]) * 24.0 == pytest.approx(speed, rel=1e-3)
    assert np.abs(pose[:, 1:] - pose[0, 1:]).max() < 1e-6


def test_a_torque_turns_a_hinge_and_start_speeds_are_those_given():
    rig, bone = hinge()
    bone.redmax_torque = (0.5, 0.0, 0.0)
    made = read_for_export(bpy.context).scene
    assert made.bodies[0].joint.torque[0].value == 0.5
    simulate_scene(bpy.context)
    pushed = angle(rig, bone, 25)
    assert pushed > 0.1
    assert angle(rig, bone, 13) == pytest.approx(pushed / 4.0, rel=0.05)  # it accelerates evenly
    bone.redmax_torque = (0.0, 0.0, 0.0)
    control = bone.redmax.control
    control.use_start_speeds, control.start_speeds[0] = True, 1.5
    simulate_scene(bpy.context)
    assert angle(rig, bone, 25) == pytest.approx(1.5, rel=1e-3)


def test_keyed_torques_are_read_frame_by_frame():
    _, bone = hinge()
    for frame, torque in ((1, 0.0), (11, 2.0)):
        bone.redmax_torque[0] = torque
        bone.keyframe_insert("redmax_torque", index=0, frame=frame)
    for curve in bone.id_data.animation_data.action.fcurves if bpy.app.version < (5, 0, 0) else ():
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    curve = read_for_export(bpy.context).scene.bodies[0].joint.torque[0]
    assert curve.times[:2] == [0.0, 1.0 / 24.0] and len(curve.values) == 25
    assert curve.values[10] == curve.values[24] == 2.0 and 0.0 < curve.values[5] < 2.0


def test_a_recording_is_outdated_when_a_torque_changes():
    from redmax_blender.bridge.run.fingerprint import fingerprint

    _, bone = hinge()
    before = fingerprint(bpy.context.scene)
    bone.redmax_torque = (0.5, 0.0, 0.0)
    assert fingerprint(bpy.context.scene) != before
