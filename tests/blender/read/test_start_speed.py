"""Objects that keys move until the simulation starts go on as fast."""

import bpy
import numpy as np
import pytest
from blender_fixtures import set_range
from mechanism_fixtures import add_box, add_joint

from redmax_blender.bridge.bake.actions import curves_of
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.run.simulate_scene import simulate_scene


def key_evenly(obj, path, values):
    """Key a channel at frames, with straight lines between."""
    for frame, value in values.items():
        setattr(obj, path, value)
        obj.keyframe_insert(path, frame=frame)
    for curve in curves_of(obj):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def poses(obj):
    return cache.track_of(obj, bpy.context.scene)[1].pose[:, 0]


def simulate_from(frame, count=12):
    bpy.context.scene.gravity = (0, 0, 0)
    set_range(frame, frame + count, substeps=10)
    bpy.context.scene.frame_set(frame)
    assert not simulate_scene(bpy.context).diverged


@pytest.mark.parametrize("start", [-3, 10])
def test_a_body_that_keys_throw_flies_on(start):
    """Two units a second along x, and half a turn a second: so it goes on without gravity."""
    box = add_box("Box", (0, 0, 0), (0.3, 0.3, 0.3))
    key_evenly(box, "location", {-24: (-2.0, 0, 1), 24: (2.0, 0, 1)})
    key_evenly(box, "rotation_euler", {-24: (0, 0, -np.pi), 24: (0, 0, np.pi)})
    simulate_from(start)
    shown = poses(box)
    np.testing.assert_allclose(np.diff(shown[:, :3, 3], axis=0), [[1.0 / 12.0, 0, 0]] * 12, atol=1e-4)
    turned = np.unwrap(np.arctan2(shown[:, 1, 0], shown[:, 0, 0]))
    np.testing.assert_allclose(np.diff(turned), np.pi / 24.0, rtol=1e-3)


def test_at_rest_when_that_is_chosen():
    box = add_box("Box", (0, 0, 0), (0.3, 0.3, 0.3))
    key_evenly(box, "location", {-24: (-2.0, 0, 1), 24: (2.0, 0, 1)})
    bpy.context.scene.redmax.use_start_velocity = False
    simulate_from(10)
    assert np.abs(poses(box) - poses(box)[0]).max() < 1e-6


def test_a_body_on_a_hinge_turns_on_with_what_hangs_on_it():
    """Keys turn a door about its hinge; a plate that is hinged to it has no keys, and turns along."""
    door = add_box("Door", (0.5, 0, 0), (1.0, 0.05, 0.5))
    plate = add_box("Plate", (1.25, 0, 0), (0.5, 0.05, 0.5))
    add_joint("Hinge", "HINGE", None, door, (0, 0, 0), (0, 0, 0))
    add_joint("Second", "HINGE", door, plate, (1.0, 0, 0), (0, 0, 0))
    angles = {frame: 0.05 * (frame - 1) for frame in range(-10, 2)}
    for frame, angle in angles.items():
        door.location, door.rotation_euler.z = (0.5 * np.cos(angle), 0.5 * np.sin(angle), 0.0), angle
        door.keyframe_insert("location", frame=frame)
        door.keyframe_insert("rotation_euler", frame=frame)
    for curve in curves_of(door):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    simulate_from(1, 2)
    for obj in (door, plate):
        shown = poses(obj)
        turned = np.arctan2(shown[:, 1, 0], shown[:, 0, 0])
        np.testing.assert_allclose(np.diff(turned), 0.05, rtol=0.05)
