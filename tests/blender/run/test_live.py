"""Live: what is pulled moves, and afterwards everything is as it was, or what was played is the recording."""

import time

import bpy
import numpy as np
import pytest
from blender_fixtures import (
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
from flesh_fixtures import film, mesh_state, shown, soft_suzanne
from hybrid_fixtures import control
from mathutils import Matrix, Vector
from mechanism_fixtures import add_box

from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.engine_process import engine
from redmax_blender.bridge.run.live import Live
from redmax_blender.bridge.run.live_run import LiveApart, grab, pull
from redmax_blender.bridge.run.pick import bone_near, nearest_bone, on_line
from redmax_blender.bridge.run.simulate_scene import Simulation, simulate_scene

UP = np.array([0.0, 0.0, 1.0])


def physical_chain(count: int = 4, root: str = "HINGED", **where) -> bpy.types.Object:
    obj = make_chain(count)
    place(obj, **where)
    turn_bones(obj)
    make_physical(obj, bpy.context.scene, Choices(root=root))
    set_range(1, 40)
    return obj


def play(live: Live, frames: int) -> None:
    for _ in range(frames):
        live.take()
        live.show(bpy.context)
    bpy.context.view_layer.update()


def tail(obj: bpy.types.Object, bone: str) -> Vector:
    shown = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return shown.matrix_world @ shown.pose.bones[bone].tail


@pytest.mark.parametrize("unit_scale", [1.0, 0.1])
def test_it_shows_what_simulate_shows(unit_scale):
    obj = physical_chain(unit_scale=unit_scale)
    live = Live(bpy.context)
    shown = []
    for _ in range(10):
        play(live, 1)
        shown.append(evaluated_poses(obj))
    live.end(bpy.context)
    simulate_scene(bpy.context)
    for number, poses in enumerate(shown, start=1):
        bpy.context.scene.frame_set(number)
        for name, pose in evaluated_poses(obj).items():
            assert pose == pytest.approx(poses[name], abs=1e-5)


def test_a_pulled_bone_comes_to_the_hand_and_flies_on():
    obj = physical_chain(unit_scale=0.1)
    live = Live(bpy.context)
    play(live, 1)
    begin = tail(obj, "bone3")
    live.grab("Rig/bone3", begin)
    root = obj.matrix_world @ obj.pose.bones["bone0"].head
    target = begin.lerp(root, 0.5)
    for k in range(40):
        live.pull(begin.lerp(target, min(k / 10, 1.0)))
        play(live, 1)
    assert (tail(obj, "bone3") - target).length < 0.25  # 16 mm of its weight are 0.16 units here
    live.let_go()
    play(live, 15)
    assert (tail(obj, "bone3") - target).length > 0.5
    live.end(bpy.context)


@pytest.mark.parametrize("recorded", [False, True])
def test_esc_leaves_the_file_exactly_as_it_was(recorded):
    obj = physical_chain()
    key_bone(obj, "bone1", (1, 20, 40))
    constraint = obj.pose.bones["bone2"].constraints.new("COPY_ROTATION")
    constraint.influence = 0.5
    if recorded:
        simulate_scene(bpy.context)
    bpy.context.scene.frame_set(13)
    obj.pose.bones["bone0"].location.x = 0.125
    bpy.context.view_layer.update()
    before, poses = snapshot(), evaluated_poses(obj)
    live = Live(bpy.context)
    play(live, 5)
    live.grab("Rig/bone3", tail(obj, "bone3"))
    live.pull((3.0, 3.0, 3.0))
    play(live, 5)
    assert any(np.abs(poses[name] - pose).max() > 1e-3 for name, pose in evaluated_poses(obj).items())
    live.end(bpy.context)
    assert snapshot() == before
    for name, pose in evaluated_poses(obj).items():
        assert np.array_equal(pose, poses[name])


def test_esc_gives_drivers_back():
    """They are muted while it plays, because they would write over what is shown."""
    obj = make_chain(2)
    make_physical(obj, bpy.context.scene)
    driver = obj.pose.bones["bone1"].driver_add("location", 0)
    driver.driver.expression = "frame / 100"
    set_range(1, 6)
    bpy.context.view_layer.update()
    with Live(bpy.context) as live:
        live.take()
        live.show(bpy.context)
        assert driver.mute
    assert not driver.mute and not obj.pose.bones["bone1"].redmax.muted


def test_what_was_played_can_be_kept():
    obj = physical_chain()
    live = Live(bpy.context)
    play(live, 1)
    live.grab("Rig/bone3", tail(obj, "bone3"))
    seen = {}
    for frame in range(2, 15):
        live.pull((2.0, -1.0, 2.0))
        play(live, 1)
        seen[frame] = evaluated_poses(obj)
    outcome = live.keep(bpy.context)
    assert (outcome.recording.frame_start, outcome.recording.frame_last) == (1, 14)
    for frame, poses in seen.items():
        assert distance_from_cache(obj, frame) < 1e-5
        for name, pose in evaluated_poses(obj).items():
            assert pose == pytest.approx(poses[name], abs=1e-5)
    assert bpy.ops.redmax.bake() == {"FINISHED"}


def test_frames_after_the_range_play_and_are_not_kept():
    obj = physical_chain()
    key_bone(obj, "bone0", (1, 8))
    control(obj, ("bone0",), "KEYFRAMED")
    obj.update_tag()
    set_range(1, 8)
    live = Live(bpy.context)
    play(live, 20)
    recording = live.keep(bpy.context).recording
    assert recording.frame_last == 8


def test_animation_goes_on_while_it_plays():
    """A keyframed bone, and an object that is no part of the simulation."""
    obj = physical_chain()
    bpy.context.scene.frame_set(1)
    key_bone(obj, "bone0", (1, 20))
    control(obj, ("bone0",), "KEYFRAMED")
    obj.update_tag()
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    for frame, x in ((1, 0.0), (21, 2.0)):
        other.location.x = x
        other.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    live = Live(bpy.context)
    play(live, 11)
    shown = evaluated_poses(obj)["bone0"]
    assert bpy.context.scene.frame_current == 11
    assert other.location.x == pytest.approx(1.0, abs=0.01)
    live.end(bpy.context)
    assert bpy.context.scene.frame_current == 1
    bpy.context.scene.frame_set(11)
    assert evaluated_poses(obj)["bone0"] == pytest.approx(shown, abs=1e-5)


def test_a_body_can_be_pulled():
    cube = add_box("Cube", (0.0, 0.0, 3.0))
    set_range(1, 40)
    before = snapshot()
    live = Live(bpy.context)
    play(live, 1)
    live.grab("Cube", (0.0, 0.0, 3.0))
    for _ in range(30):
        live.pull((1.0, 0.0, 3.0))
        play(live, 1)
    assert tuple(cube.matrix_world.translation) == pytest.approx((1.0, 0.0, 3.0), abs=0.05)
    live.end(bpy.context)
    assert snapshot() == before
    assert cube.location == Vector((0.0, 0.0, 3.0))


def test_what_cannot_be_pulled_is_refused_and_the_play_goes_on():
    obj = physical_chain()
    control(obj, ("bone0",), "KEYFRAMED")
    obj.update_tag()
    live = Live(bpy.context)
    live.grab("Rig/bone0", (0.0, 0.0, 0.0))
    assert "Rig/bone0" in live.run.refused
    play(live, 2)
    live.end(bpy.context)


def test_constrained_helper_bones_are_followed():
    """A bone that hangs on a helper is shown where the engine has it, although the helper copies another bone."""
    obj = make_armature(
        [
            ("upper", None, (0, 0, 0), (0.5, 0, 0)),
            ("helper", None, (0.5, 0, 0), (0.7, 0, 0)),
            ("lower", "helper", (0.5, 0, 0), (1.0, 0, 0)),
        ]
    )
    helper = obj.pose.bones["helper"].constraints.new("CHILD_OF")
    helper.target, helper.subtarget = obj, "upper"
    helper.inverse_matrix = (obj.matrix_world @ obj.pose.bones["upper"].matrix).inverted()
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    obj.pose.bones["helper"].redmax.physical = False
    set_range(1, 40)
    bpy.context.view_layer.update()
    live = Live(bpy.context)
    play(live, 16)
    names = live.reading.rigs[0].bones
    for name, row in zip(names, live.joint_poses[-1]):
        world = np.array(obj.matrix_world @ obj.pose.bones[name].matrix)
        assert world[:3, 3] == pytest.approx(row[9:], abs=1e-4)
    live.end(bpy.context)


def test_the_operator_plays_keeps_and_can_be_undone():
    obj = physical_chain()
    bpy.ops.ed.undo_push(message="set up")
    before = snapshot()
    assert bpy.ops.redmax.live(frames=6) == {"CANCELLED"}
    assert snapshot() == before
    assert bpy.ops.redmax.live(frames=6, keep=True) == {"FINISHED"}
    assert cache.track_of(obj, bpy.context.scene)[0].frame_count == 6


def test_the_bone_under_the_cursor_is_picked():
    obj = physical_chain()
    reading = Simulation(bpy.context).reading
    middle = obj.matrix_world @ (0.5 * (obj.pose.bones["bone2"].head + obj.pose.bones["bone2"].tail))
    assert nearest_bone(bpy.context, reading, middle, {"Rig"}) == "Rig/bone2"
    assert nearest_bone(bpy.context, reading, middle, {"Other"}) is None

    class Straight:
        """Looks down along z, a hundred pixels a unit."""

        def ray(self, cursor):
            return Vector((cursor.x / 100, cursor.y / 100, 50.0)), Vector((0.0, 0.0, -1.0))

        def pixel(self, point):
            return Vector((100 * point.x, 100 * point.y))

    cursor = Vector((100 * middle.x, 100 * middle.y))
    picked = bone_near(bpy.context, reading, Straight(), cursor)
    assert picked.body == "Rig/bone2"
    assert (picked.place - middle).length < 1e-4
    assert bone_near(bpy.context, reading, Straight(), cursor + Vector((900.0, 900.0))) is None


def test_the_nearest_point_of_a_line_stays_on_it():
    a, b = Vector((0.0, 0.0, 0.0)), Vector((1.0, 0.0, 0.0))
    assert on_line(Vector((-1.0, 1.0, 0.0)), a, b) == a
    assert on_line(Vector((2.0, 1.0, 0.0)), a, b) == b
    assert on_line(Vector((0.25, 1.0, 0.0)), a, b) == Vector((0.25, 0.0, 0.0))
    assert on_line(b, a, a) == a


def test_the_engine_plays_in_a_process_of_its_own():
    """As fast as the clock and no faster; it takes commands, and ends when it is told to."""
    obj = physical_chain()
    spec = Simulation(bpy.context).reading.scene
    run = LiveApart(spec)
    frames = []
    begin = time.perf_counter()
    while len(frames) < 2 and time.perf_counter() - begin < 200.0:
        frames += run.take()
        time.sleep(0.01)
    begin, count = time.perf_counter(), len(frames)
    where = np.array(tail(obj, "bone3"))
    run.tell(grab("Rig/bone3", where))
    run.tell(grab("nobody", where))
    while len(frames) < count + 24 and time.perf_counter() - begin < 60.0:
        run.tell(pull(where + UP))
        frames += run.take()
        time.sleep(0.01)
    assert time.perf_counter() - begin > 22.0 / 24.0
    assert not np.array_equal(frames[-1].joint_pose, frames[0].joint_pose)
    assert frames[0].joint_pose.shape == (4, 12)
    run.stop()
    until = time.perf_counter() + 20.0
    while run.job.number in engine.numbers and time.perf_counter() < until:
        time.sleep(0.01)
    assert run.job.number not in engine.numbers and engine.process_id is not None


def test_errors_of_the_other_process_arrive_here():
    from redmax_blender.engine.errors import SceneError

    physical_chain()
    spec = Simulation(bpy.context).reading.scene
    spec.bodies[0].mass, spec.bodies[0].density = -1.0, None
    run = LiveApart(spec)
    with pytest.raises(SceneError, match="mass"):
        begin = time.perf_counter()
        while time.perf_counter() - begin < 120.0:
            run.take()
            time.sleep(0.01)


def test_matrices_of_a_moving_armature_object_are_shown_right():
    obj = physical_chain()
    bpy.context.scene.frame_set(1)
    for frame, x in ((1, 0.0), (20, 1.0)):
        obj.location.x = x
        obj.keyframe_insert("location", index=0, frame=frame)
    bpy.context.scene.frame_set(1)
    live = Live(bpy.context)
    play(live, 9)
    for name, row in zip(live.reading.rigs[0].bones, live.joint_poses[-1]):
        world = Matrix(obj.matrix_world) @ obj.pose.bones[name].matrix
        assert np.array(world.translation) == pytest.approx(row[9:], abs=1e-4)
    live.end(bpy.context)


def test_flesh_is_shown_while_it_plays_and_a_script_needs_no_window():
    """As a simulation shows it, frame by frame; afterwards the mesh is as it was."""
    mesh, _ = soft_suzanne((1, 6))
    before = mesh_state(mesh)
    played = []
    with Live(bpy.context) as live:
        for _ in range(6):
            play(live, 1)
            played.append(shown(mesh))
    assert mesh_state(mesh) == before
    simulate_scene(bpy.context)
    recorded = film(mesh, range(1, 7))
    assert np.ptp(recorded, axis=0).max() > 0.005
    np.testing.assert_allclose(played, recorded, atol=1e-5)
    with Live(bpy.context) as live:
        play(live, 3)
    np.testing.assert_allclose(film(mesh, range(1, 7)), recorded, atol=1e-7)
