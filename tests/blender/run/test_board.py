"""The control board: settings that change while it plays, kept as keys, simulated again as they were played."""

import bpy
import numpy as np
import pytest
from blender_fixtures import set_range
from mechanism_fixtures import add_box, add_empty, add_four_bar, add_joint

from redmax_blender.bridge.board import keys
from redmax_blender.bridge.board.controls import add_control, press, setting
from redmax_blender.bridge.mechanism.add_spring import add_spring
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.run.engine_process import engine
from redmax_blender.bridge.run.live import Live
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.engine.errors import SceneError


def stunt() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A block on a spring, and a wheel with a motor; the board has gravity of the block, and the motor."""
    block, hook = add_box("block", (0.0, 0.0, -1.0), (0.2, 0.2, 0.2)), add_empty("hook", (0.0, 0.0, 0.0))
    wheel = add_box("wheel", (3.0, 0.0, 0.0), (0.5, 0.5, 0.1))
    axle = add_joint("axle", "HINGE", None, wheel, (3.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    axle.redmax.joint.use_motor, axle.redmax.joint.motor_kind = True, "LIMITED"
    axle.redmax.joint.motor_speed, axle.redmax.joint.motor_force = 2.0, 100.0
    bpy.context.view_layer.update()
    add_spring([hook, block], bpy.context.scene.collection, name="spring")
    scene = bpy.context.scene
    set_range(1, 21, 4)
    add_control(scene, block, "redmax.body.weight", "Gravity").key = "g"
    add_control(scene, axle, "redmax.joint.use_motor", "Motor").key = "1"
    return block, wheel


def poses(obj: bpy.types.Object) -> np.ndarray:
    return cache.track_of(obj, bpy.context.scene)[1].pose[:, 0]


def play(frames: int, events: dict[int, str], grab: tuple[int, int] | None = None) -> None:
    """Play and keep: keys of the keyboard that are pressed after frames, and a pull at the block."""
    scene = bpy.context.scene
    with Live(bpy.context) as live:
        for number in range(frames):
            live.take()
            live.show(bpy.context)
            if number in events:
                assert press(scene, events[number])
                assert live.change(bpy.context)
            if grab and number == grab[0]:
                live.grab("block", (0.0, 0.0, -1.0))
                live.pull((0.3, 0.1, -1.0))
            if grab and number == grab[1]:
                live.let_go()
        live.keep(bpy.context)


def test_what_is_played_is_kept_as_keys_and_simulated_again_to_the_last_digit():
    block, wheel = stunt()
    scene = bpy.context.scene
    play(21, {4: "ONE", 8: "G", 12: "ONE", 15: "G"}, grab=(6, 10))
    played = {obj.name: poses(obj).copy() for obj in (block, wheel)}
    assert cache.is_current(scene)
    frames = {i: [tuple(p.co) for p in curve.keyframe_points] for i, curve in keys.curves(scene).items()}
    assert [frame for frame, _ in frames[1]] == [1.0, 5.0, 13.0]
    assert [value for _, value in frames[0]] == pytest.approx([0.5, 0.6, 0.7])
    assert {
        point.interpolation for curve in keys.curves(scene).values() for point in curve.keyframe_points
    } == {"CONSTANT"}
    assert scene.redmax.pulls
    speed = np.diff(np.unwrap(np.arctan2(played["wheel"][:, 1, 0], played["wheel"][:, 0, 0]))) * 24.0
    assert speed[3] == pytest.approx(2.0, abs=1e-6)

    simulate_scene(bpy.context)
    for obj in (block, wheel):
        assert np.array_equal(poses(obj), played[obj.name])
    assert bpy.data.objects["axle"].redmax.joint.use_motor  # as it was before
    bpy.ops.redmax.clear_played()
    assert not keys.curves(scene) and not scene.redmax.pulls
    simulate_scene(bpy.context)
    assert not np.allclose(poses(block), played["block"], atol=1e-3)


def test_the_engines_process_says_at_which_frame_a_change_came():
    stunt()
    scene = bpy.context.scene
    try:
        with Live(bpy.context, apart=True) as live:
            while live.done < 3:
                live.take()
            press(scene, "ONE")
            live.change(bpy.context)
            until = live.done + 6
            while live.done < until:
                live.take()
            live.keep(bpy.context)
    finally:
        engine.close()
    frames = [point.co[0] for point in keys.curves(scene)[1].keyframe_points]
    assert len(frames) == 2 and frames[0] == 1.0 and 3.0 <= frames[1] <= until + 3
    played = poses(bpy.data.objects["wheel"]).copy()
    simulate_scene(bpy.context)
    assert np.array_equal(poses(bpy.data.objects["wheel"])[: len(played)], played)


def test_keys_that_are_set_by_hand_count_as_those_that_were_played():
    block, _ = stunt()
    scene = bpy.context.scene
    control = scene.redmax.board[0]
    control.first, control.last = 0.0, 1.0
    bpy.data.objects["spring"].redmax.spring.stiffness = 0.0
    for frame, value in ((1, 0.0), (11, 1.0)):
        control.value = value
        scene.keyframe_insert(keys.path_of(0), frame=frame)
    for point in keys.curves(scene)[0].keyframe_points:
        point.interpolation = "CONSTANT"
    simulate_scene(bpy.context)
    heights = poses(block)[:, 2, 3]
    assert np.ptp(heights[:11]) < 1e-9
    assert heights[-1] == pytest.approx(-1.0 - 0.5 * 9.81 * (10 / 24) ** 2, rel=0.02)


def test_escape_leaves_settings_controls_and_keys_as_they_were():
    block, _ = stunt()
    scene = bpy.context.scene
    weight = scene.redmax.board[0]
    with Live(bpy.context) as live:  # from then on every part has been shown once
        live.take()
    before = (weight.value, block.redmax.body.weight, cache.fingerprint(scene))
    with Live(bpy.context) as live:
        live.take()
        weight.value = 1.0
        assert block.redmax.body.weight == pytest.approx(2.0)
        assert live.change(bpy.context)
        live.take()
        live.show(bpy.context)
    assert (weight.value, block.redmax.body.weight, cache.fingerprint(scene)) == before


def test_a_setting_that_is_changed_in_the_panel_takes_effect_and_joints_cannot_be_others():
    stunt()
    with Live(bpy.context) as live:
        live.take()
        assert not live.change(bpy.context)  # nothing was changed
        bpy.data.objects["spring"].redmax.spring.kind = "ROPE"
        assert live.change(bpy.context)
        for _ in range(6):
            live.take()
        live.show(bpy.context)
        assert abs(live.joint_poses[-1][0, 11] + 1.0) < 1e-6 or abs(live.joint_poses[-1][1, 11] + 1.0) < 1e-6
        bpy.data.objects["axle"].redmax.joint.kind = "POINT"
        bpy.data.objects["axle"].redmax.joint.use_motor = False
        with pytest.raises(SceneError, match="wheel"):
            live.change(bpy.context)
        live.take()


def test_a_hundred_switches_in_a_run_change_nothing_that_they_do_not_concern():
    """A four-bar swings as if nothing were there, while the motor beside it is switched on and off."""
    bars = add_four_bar()
    stunt()
    set_range(1, 120, 4)
    with Live(bpy.context) as live:
        names = [body.name for body in live.reading.scene.bodies]
        for k in range(101):
            live.take()
            if k:
                press(bpy.context.scene, "ONE")
                assert live.change(bpy.context)
        rows = np.array([[frame[names.index(bar.name)] for bar in bars] for frame in live.joint_poses])
    with Live(bpy.context) as live:
        for _ in range(101):
            live.take()
        quiet = np.array([[frame[names.index(bar.name)] for bar in bars] for frame in live.joint_poses])
    assert np.abs(rows - quiet).max() < 1e-3
    assert np.abs(np.diff(rows, axis=0)).max() < 0.5


def test_controls_find_ticks_numbers_and_entries_of_lists():
    block, _ = stunt()
    scene, axle = bpy.context.scene, bpy.data.objects["axle"]
    control = add_control(scene, axle, "redmax.joint.rotation_damping[2]", "Damping")
    control.last, control.value = 8.0, 0.5
    assert axle.redmax.joint.rotation_damping[2] == pytest.approx(4.0)
    assert add_control(scene, axle, "redmax.joint.rotation_damping[2]", "Damping") == control
    assert setting(block, "redmax.body.role") is None
    with pytest.raises(SceneError, match="not a number"):
        add_control(scene, axle, "redmax.joint.rotation_damping", "Damping")
    assert not press(scene, "Q")
    scene.redmax.board_index = 0
    for i, value in ((0, 0.25), (1, 1.0)):
        scene.redmax.board[i].value = value
        scene.keyframe_insert(keys.path_of(i), frame=3)
    assert bpy.ops.redmax.remove_control() == {"FINISHED"}
    assert scene.redmax.board[0].path == "redmax.joint.use_motor"
