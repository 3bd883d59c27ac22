"""Auto: a change is simulated again in the background, from where it matters, and shown as it comes."""

import bpy
import numpy as np
import pytest
from blender_fixtures import distance_from_cache, make_chain, set_range

from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import make_physical
from redmax_blender.bridge.run.auto import auto
from redmax_blender.bridge.run.coming import Coming
from redmax_blender.bridge.run.simulate_scene import Simulation, simulate_scene

LAST = 24


@pytest.fixture(autouse=True)
def nothing_under_way():
    yield
    auto.stop()


def chain() -> bpy.types.Object:
    obj = make_chain(4)
    make_physical(obj, bpy.context.scene)
    set_range(1, LAST, substeps=4)
    bpy.context.scene.redmax.auto = True
    return obj


def track(obj) -> cache.Track:
    return cache.track_of(obj, bpy.context.scene, itself=True)[1]


def until_done(looks: int = 200) -> int:
    """Looks of the timer until nothing is under way; how many there were."""
    for count in range(looks):
        auto._took = 0.0
        bpy.context.view_layer.update()
        a_few_frames()
        if auto.simulation is None:
            return count
    raise AssertionError("it does not end")


def a_few_frames() -> None:
    auto._took = 0.0
    auto.look(apart=False, most=3)


def change(obj, **settings) -> None:
    for name, value in settings.items():
        setattr(obj.pose.bones[-1].redmax, name, value)
    obj.update_tag()
    bpy.context.view_layer.update()


def test_a_change_is_simulated_and_no_change_is_not():
    obj = chain()
    until_done()
    first = track(obj)
    assert len(first.pose) == LAST and obj.redmax.result
    key = obj.redmax.result
    bpy.context.scene.frame_set(9)
    until_done()
    assert obj.redmax.result == key, "another frame is no change"
    change(obj, mass_from="MASS", mass=5.0)
    until_done()
    assert obj.redmax.result != key
    assert np.abs(track(obj).pose - first.pose).max() > 1e-3
    assert distance_from_cache(obj, 9) < 1e-5
    change(obj, mass_from="DENSITY")
    until_done()
    np.testing.assert_array_equal(track(obj).pose, first.pose)
    bpy.context.scene.redmax.auto = False
    change(obj, mass_from="MASS", mass=9.0)
    until_done()
    np.testing.assert_array_equal(track(obj).pose, first.pose)


def test_frames_are_shown_as_they_come_and_undone_when_it_is_stopped():
    obj = chain()
    until_done()
    old = track(obj)
    bpy.context.scene.frame_set(20)
    shown = np.array(obj.pose.bones[-1].matrix)
    change(obj, mass_from="MASS", mass=5.0)
    simulation = Simulation(bpy.context)
    coming = Coming(simulation)
    for _ in range(6):
        simulation.advance()
    assert coming.show(bpy.context)
    stand_in = cache.track_of(obj, bpy.context.scene)[1]
    assert len(stand_in.pose) == 6
    for _ in range(16):
        simulation.advance()
    assert coming.show(bpy.context) and not coming.show(bpy.context)
    stand_in = cache.track_of(obj, bpy.context.scene)[1]
    assert len(stand_in.pose) == 22
    bpy.context.view_layer.update()
    now = np.array(obj.pose.bones[-1].matrix)
    assert np.abs(now - stand_in.pose[19, -1]).max() < 1e-5 < np.abs(now - shown).max()
    coming.end(bpy.context.scene)
    bpy.context.view_layer.update()
    assert np.abs(np.array(obj.pose.bones[-1].matrix) - shown).max() < 1e-6
    while simulation.advance():
        pass
    simulation.finish(bpy.context)
    whole = track(obj)
    np.testing.assert_allclose(stand_in.quaternion, whole.quaternion[:22], atol=1e-12)
    np.testing.assert_allclose(stand_in.location, whole.location[:22], atol=1e-12)
    assert np.abs(whole.pose - old.pose).max() > 1e-3


def turn(obj, angle: float, frame: int) -> None:
    bone = obj.pose.bones["bone0"]
    bone.rotation_mode = "XYZ"
    bone.rotation_euler.x = angle
    bone.keyframe_insert("rotation_euler", frame=frame)


def test_only_the_frames_after_a_changed_key_are_simulated():
    obj = make_chain(3)
    for frame, angle in ((1, 0.0), (20, 0.6), (30, 0.0), (40, 1.0)):
        turn(obj, angle, frame)
    make_physical(obj, bpy.context.scene)
    obj.pose.bones["bone0"].redmax_control = "KEYFRAMED"
    set_range(1, 48, substeps=4)
    simulate_scene(bpy.context)
    before = track(obj).pose
    turn(obj, -0.5, 40)
    simulation = Simulation(bpy.context, where_it_matters=True)
    kept = simulation.place[1][1] + 1
    assert 8 < kept <= 20, "a key at 40 moves what is after the one at 20, by the handles of that at 30"
    while simulation.advance():
        pass
    simulation.finish(bpy.context)
    after = track(obj).pose
    np.testing.assert_array_equal(after[:kept], before[:kept])
    assert np.abs(after[-1] - before[-1]).max() > 1e-2
    obj.pose.bones["bone2"].redmax.damping = 3.0
    assert Simulation(bpy.context, where_it_matters=True).place[1] is None, "that matters from the start"
    obj.pose.bones["bone2"].redmax.property_unset("damping")


def test_what_was_posed_by_hand_is_where_it_starts_and_is_not_lost_when_it_is_stopped():
    obj = chain()
    until_done()
    bone = obj.pose.bones[-1]
    bpy.context.scene.frame_set(1)
    bone.rotation_mode = "XYZ"
    bone.rotation_euler.x = 0.7
    obj.update_tag()
    bpy.context.view_layer.update()
    until_done()
    assert bone.rotation_euler.x == pytest.approx(0.7, abs=1e-5)
    bone.rotation_euler.x = 0.4
    bpy.context.view_layer.update()
    a_few_frames()
    assert auto.simulation is not None
    a_few_frames()
    auto.stop()
    bpy.context.scene.redmax.auto = False
    bpy.ops.redmax.free_cache()
    assert bone.rotation_euler.x == pytest.approx(0.4, abs=1e-5)


def test_what_cannot_be_simulated_is_said_once_and_a_bake_is_left_alone():
    obj = chain()
    until_done()
    bpy.context.scene.gravity.z = float("nan")
    bpy.context.view_layer.update()
    until_done()
    assert "gravity" in auto.problem.lower()
    bpy.context.scene.gravity.z = -9.8
    until_done()
    assert not auto.problem
    change(obj, mass_from="MASS", mass=5.0)
    a_few_frames()
    assert auto.simulation is not None
    bpy.ops.redmax.bake()
    until_done()
    assert obj.redmax.is_baked
