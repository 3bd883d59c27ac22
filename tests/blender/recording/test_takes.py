"""Takes: what is kept stays, whatever is simulated after it; and wedges, whose runs become takes."""

import os

import bpy
import numpy as np
import pytest
from blender_fixtures import make_chain, set_range
from mechanism_fixtures import add_box

from redmax_blender.bridge.bake.channels import read_channels
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.bridge.takes import takes
from redmax_blender.bridge.takes.wedge import Wedge, add_varied
from redmax_blender.drawing.collect import scene_lines
from redmax_blender.engine.errors import InputError


def chain(end=12):
    obj = make_chain(4)
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(1, end, substeps=4)
    return obj


def poses(obj, frames=(1, 5, 12)):
    """What the viewport shows at some frames."""
    shown = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        shown.append(np.array([np.array(bone.matrix) for bone in obj.pose.bones]))
    return np.array(shown)


def stiffer(obj, value):
    for bone in obj.pose.bones:
        bone.redmax.damping = value


def test_a_take_is_as_it_was_after_another_simulation():
    obj = chain()
    simulate_scene(bpy.context)
    first = poses(obj)
    assert bpy.ops.redmax.keep_take() == {"FINISHED"}
    stiffer(obj, 5.0)
    simulate_scene(bpy.context)
    second = poses(obj)
    assert np.abs(second - first).max() > 0.01
    bpy.ops.redmax.keep_take()
    names = [take.name for take in bpy.context.scene.redmax.takes]
    assert names == ["Take 1", "Take 2"]
    for index, wanted in ((0, first), (1, second), (0, first)):
        bpy.context.scene.redmax.take_index = index
        assert bpy.ops.redmax.show_take() == {"FINISHED"}
        np.testing.assert_array_equal(poses(obj), wanted)


def test_keeping_twice_keeps_once_and_changes_nothing_of_the_cache():
    chain()
    simulate_scene(bpy.context)
    assert cache.is_current(bpy.context.scene)
    bpy.ops.redmax.keep_take()
    bpy.ops.redmax.keep_take()
    assert len(bpy.context.scene.redmax.takes) == 1
    assert cache.is_current(bpy.context.scene)


def test_a_take_survives_free_cache_and_a_reload_and_goes_when_it_is_removed(tmp_path):
    obj = chain()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "takes.blend"))
    simulate_scene(bpy.context)
    shown = poses(obj)
    name, key = obj.name, obj.redmax.result
    bpy.ops.redmax.keep_take()
    bpy.ops.redmax.free_cache()
    path = cache.path_of(key, bpy.context.scene)
    assert path.exists()
    bpy.ops.wm.save_mainfile()
    cache._memory.clear()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "takes.blend"))
    bpy.ops.redmax.show_take()
    np.testing.assert_array_equal(poses(bpy.data.objects[name]), shown)
    bpy.ops.redmax.remove_take()
    assert path.exists()  # it is still shown
    bpy.ops.redmax.free_cache()
    assert not list(path.parent.glob(f"{key[:16]}*"))


def test_showing_a_take_keeps_the_pose_that_the_user_made_since():
    obj = chain()
    simulate_scene(bpy.context)
    bpy.ops.redmax.keep_take()
    bpy.ops.redmax.free_cache()
    bpy.context.scene.frame_set(1)
    bone = obj.pose.bones[1]
    bone.rotation_mode = "XYZ"
    bone.rotation_euler = (0.3, 0.1, -0.2)
    bpy.context.view_layer.update()
    own = read_channels(list(obj.pose.bones))
    bpy.context.scene.frame_set(6)
    bpy.ops.redmax.show_take()
    bpy.context.scene.frame_set(9)
    bpy.ops.redmax.free_cache()
    np.testing.assert_allclose(read_channels(list(obj.pose.bones)), own, atol=1e-6)


def test_a_take_is_baked_when_it_is_shown():
    obj = chain()
    simulate_scene(bpy.context)
    wanted = poses(obj)
    bpy.ops.redmax.keep_take()
    stiffer(obj, 5.0)
    simulate_scene(bpy.context)
    bpy.ops.redmax.show_take()
    bpy.ops.redmax.bake()
    np.testing.assert_allclose(poses(obj), wanted, atol=1e-5)
    with pytest.raises(RuntimeError, match="baked"):
        bpy.ops.redmax.show_take()


def test_the_ghost_of_a_take_is_where_its_bones_and_bodies_were():
    obj = chain()
    box = add_box("Box", (2.0, 0.0, 1.0), (0.2, 0.2, 0.2))
    simulate_scene(bpy.context)
    bpy.context.scene.frame_set(7)
    heads = np.array([obj.matrix_world @ bone.head for bone in obj.pose.bones])
    middle = np.array(box.matrix_world.translation)
    bpy.ops.redmax.keep_take()
    stiffer(obj, 5.0)
    simulate_scene(bpy.context)
    bpy.context.scene.frame_set(7)
    scene = bpy.context.scene
    scene.redmax.overlay.show = False
    assert len(scene_lines(scene)) == 0
    scene.redmax.takes[0].ghost = True
    points, _ = scene_lines(scene).arrays()
    for head in heads:
        assert np.linalg.norm(points - head, axis=1).min() < 1e-4
    assert np.linalg.norm(points[-24:].mean(axis=0) - middle) < 1e-4


def test_a_take_without_its_frames_says_so(tmp_path):
    chain()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "gone.blend"))
    simulate_scene(bpy.context)
    bpy.ops.redmax.keep_take()
    bpy.ops.redmax.free_cache()
    bpy.ops.wm.save_mainfile()
    for path in cache.folder(bpy.context.scene).iterdir():
        path.unlink()
    cache._memory.clear()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "gone.blend"))
    with pytest.raises(RuntimeError, match="not in the cache folder"):
        bpy.ops.redmax.show_take()


@pytest.mark.timeout(600)
def test_the_runs_of_a_wedge_become_takes_that_are_what_simulate_finds():
    """Every bone gets the value; the setting is as before; a run by hand with its settings has the same frames."""
    obj = chain()
    scene = bpy.context.scene
    scene.redmax.cache_folder = bpy.app.tempdir
    bone = obj.pose.bones[1]
    before = [each.redmax.damping for each in obj.pose.bones]
    vary = add_varied(scene, obj, f"{bone.path_from_id()}.redmax.damping", "Damping")
    vary.first, vary.last, vary.count = 0.1, 4.1, 3
    scene.redmax.wedge.workers = 2
    assert bpy.ops.redmax.simulate_wedge() == {"FINISHED"}
    assert [take.name for take in scene.redmax.takes] == ["Damping 0.1", "Damping 2.1", "Damping 4.1"]
    assert [each.redmax.damping for each in obj.pose.bones] == before
    for name in ("sheet.svg", "chart.svg", "table.csv"):
        assert os.path.getsize(os.path.join(scene.redmax.wedge.folder, name)) > 100
    scene.redmax.take_index = 2
    bpy.ops.redmax.show_take()
    shown = poses(obj)
    bpy.ops.redmax.use_take_values()
    assert obj.pose.bones[3].redmax.damping == pytest.approx(4.1)
    bpy.ops.redmax.free_cache()
    simulate_scene(bpy.context)
    np.testing.assert_array_equal(poses(obj), shown)


def test_a_wedge_of_nothing_and_of_what_is_no_number_is_refused():
    obj = chain()
    with pytest.raises(InputError, match="nothing varies"):
        Wedge(bpy.context)
    with pytest.raises(InputError, match="single number"):
        add_varied(bpy.context.scene, obj, "pose.bones[0].redmax.joint", "Joint")
    vary = add_varied(bpy.context.scene, obj, f"{obj.pose.bones[0].path_from_id()}.redmax.damping", "Damping")
    vary.path = 'pose.bones["gone"].redmax.damping'
    with pytest.raises(InputError, match="not there"):
        Wedge(bpy.context)


def test_removing_a_take_keeps_the_others():
    obj = chain()
    simulate_scene(bpy.context)
    bpy.ops.redmax.keep_take()
    stiffer(obj, 5.0)
    simulate_scene(bpy.context)
    bpy.ops.redmax.keep_take()
    takes.remove(bpy.context.scene, 0)
    assert [take.name for take in bpy.context.scene.redmax.takes] == ["Take 2"]
    bpy.ops.redmax.show_take()
