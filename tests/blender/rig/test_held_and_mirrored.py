"""Bones whose keys move them on their carriers, once they are let go; armatures that importers mirror or stretch."""

import bpy
import numpy as np
import pytest
from blender_fixtures import distance_from_cache, make_armature, set_range
from rig_fixtures import add_tubes

from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.rig.set_control import set_control
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.engine.errors import SceneError


def leg_with_a_keyed_foot() -> bpy.types.Object:
    """The foot slides 0.2 forwards on its shin over twenty frames, as a foot that IK led."""
    obj = make_armature(
        [
            ("hip", None, (0, 0, 1), (0, 0, 1.2)),
            ("shin", "hip", (0, 0, 1), (0, 0, 0.5)),
            ("foot", "shin", (0, 0, 0.5), (0, -0.2, 0.5)),
        ],
        connect=False,
    )
    foot = obj.pose.bones["foot"]
    for frame, y in ((1, 0.0), (21, 0.2)):
        foot.location = (0.0, y, 0.0)
        foot.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    make_physical(obj, bpy.context.scene)
    set_range(1, 24)
    return obj


def distances(obj) -> np.ndarray:
    """From the shin's head to the foot's at each frame."""
    _, track = cache.track_of(obj, bpy.context.scene)
    column = [track.bones.index(name) for name in ("shin", "foot")]
    heads = track.pose[:, column][..., :3, 3]
    return np.linalg.norm(heads[:, 1] - heads[:, 0], axis=1)


def test_a_free_foot_stays_on_its_leg_whatever_its_keyed_location_does():
    obj = leg_with_a_keyed_foot()
    simulate_scene(bpy.context)
    assert distances(obj) == pytest.approx(np.full(24, 0.5), abs=1e-5)
    obj.redmax.hold_locations = False
    simulate_scene(bpy.context)
    assert abs(distances(obj)[-1] - distances(obj)[0]) > 0.02


def test_a_foot_that_is_let_go_halfway_stays_where_it_was_then_and_comes_back_over_the_ease():
    obj = leg_with_a_keyed_foot()
    bones = [obj.pose.bones[name] for name in ("hip", "shin", "foot")]
    set_control(bones, "KEYFRAMED", 1)
    set_control(bones, "FREE", 9)
    set_control(bones, "KEYFRAMED", 15)
    for bone in bones:
        bone.redmax.control.ease = 4
    keyed = []
    for frame in range(1, 25):
        bpy.context.scene.frame_set(frame)
        foot = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        keyed.append((foot["foot"].head - foot["shin"].head).length)
    simulate_scene(bpy.context)
    found = distances(obj)
    assert found[:8] == pytest.approx(keyed[:8], abs=1e-5)
    assert np.ptp(found[8:13]) < 1e-5
    assert found[18:] == pytest.approx(keyed[18:], abs=1e-4)
    assert np.abs(np.diff(found)).max() < 0.03  # 0.06 were it to jump


@pytest.mark.parametrize(
    "scale", [(1.0, 1.0, -1.0), (-0.5, -0.5, -0.5), (2.0, -2.0, 2.0), (1.0, 1.0003, 0.9998)]
)
def test_mirrored_and_slightly_uneven_armatures_fall_as_their_twins_do(scale):
    """A mirror image falls as the mirror image does, seen and baked."""
    ends = []
    for own in (scale, tuple(abs(s) for s in scale)):
        bpy.ops.wm.read_homefile(use_empty=True)
        bones = [("a", None, (0, 0, 0), (0.3, 0.1, 0)), ("b", "a", (0.3, 0.1, 0), (0.7, 0.2, 0.1))]
        obj = make_armature([*bones, ("c", "b", (0.7, 0.2, 0.1), (1.0, 0.2, 0.3))])
        obj.scale = own
        bpy.context.view_layer.update()
        add_tubes(
            obj, {("a", "b", "c"): (((0, 0, 0), (0.3, 0.1, 0), (0.7, 0.2, 0.1), (1.0, 0.2, 0.3)), 0.05)}
        )
        make_physical(obj, bpy.context.scene, Choices(damping=0.05))
        bpy.context.scene.gravity = [g * np.sign(s) for g, s in zip((-3.0, -4.0, -8.0), own)]
        set_range(1, 12)
        assert not simulate_scene(bpy.context).diverged
        assert distance_from_cache(obj, 12) < 1e-5
        bpy.context.scene.frame_set(12)
        ends.append(np.array([np.array(bone.matrix) for bone in obj.pose.bones]))
        bpy.ops.redmax.bake()
        assert distance_from_cache(obj, 12) < 1e-5
    assert np.abs(ends[0][-1] - np.eye(4)).max() > 0.1
    assert ends[0] == pytest.approx(ends[1], abs=1e-4)


def test_an_armature_with_three_scales_is_refused():
    obj = make_armature([("a", None, (0, 0, 0), (0, 0, 1))])
    obj.scale = (1.0, 1.1, 1.0)
    bpy.context.view_layer.update()
    with pytest.raises(SceneError, match="not the same along all three axes"):
        make_physical(obj, bpy.context.scene)
