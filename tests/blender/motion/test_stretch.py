"""Rigs that stretch: a stretch is a length, and what is let go keeps the one that it had."""

import bpy
import numpy as np
import pytest
from blender_fixtures import distance_from_cache, make_armature, set_range

from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.rig.set_control import set_control
from redmax_blender.bridge.run.simulate_scene import simulate_scene


def stretching_arm(first: float, last: float) -> bpy.types.Object:
    """Two bones and a hand: the first stretches to a target, from one length to another in 12 frames."""
    rig = make_armature(
        [
            ("arm", None, (0, 0, 0), (1, 0, 0)),
            ("fore", "arm", (1, 0, 0), (1.8, 0.3, 0)),
            ("hand", "fore", (1.8, 0.3, 0), (2.0, 0.3, 0.2)),
        ],
        connect=False,
    )
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    for frame, x in ((1, first), (12, last)):
        target.location = (x, 0, 0)
        target.keyframe_insert("location", frame=frame)
    stretch = rig.pose.bones["arm"].constraints.new("STRETCH_TO")
    stretch.target, stretch.rest_length, stretch.volume = target, 1.0, "NO_VOLUME"
    bpy.context.scene.frame_set(1)
    make_physical(rig, bpy.context.scene, Choices(root="HINGED", damping=0.05))
    set_range(1, 12, substeps=10)
    return rig


def lengths(rig: bpy.types.Object) -> np.ndarray:
    """Of the first bone as it is simulated at each frame: from its head to that of the next."""
    _, track = cache.track_of(rig, bpy.context.scene)
    at = [list(track.bones).index(name) for name in ("arm", "fore")]
    return np.linalg.norm(track.pose[:, at[1], :3, 3] - track.pose[:, at[0], :3, 3], axis=1)


@pytest.mark.parametrize("first, last", [(1.0, 1.3), (1.2, 1.2), (1.2, 0.9)])
def test_a_free_limb_keeps_the_length_that_it_starts_with(first, last):
    rig = stretching_arm(first, last)
    assert not simulate_scene(bpy.context).diverged
    assert lengths(rig) == pytest.approx(first, abs=1e-5)
    scales = [
        np.linalg.norm(np.array(m)[:3, 1]) for m in cache.track_of(rig, bpy.context.scene)[1].pose[:, 0]
    ]
    assert scales == pytest.approx([first] * 12, abs=1e-5)
    if first == 1.0:  # else the stretched bone shears what turns on it, see below
        for frame in range(1, 13):
            assert distance_from_cache(rig, frame) < 1e-5
    shown = heads(rig)
    bpy.ops.redmax.bake()
    assert heads(rig) == pytest.approx(shown, abs=1e-5)


def heads(rig: bpy.types.Object) -> np.ndarray:
    found = []
    for frame in range(1, 13):
        bpy.context.scene.frame_set(frame)
        found.append([np.array(bone.head) for bone in rig.pose.bones])
    return np.array(found)


def test_what_turns_on_a_stretched_bone_is_shown_in_its_place():
    rig = stretching_arm(1.2, 1.2)
    simulate_scene(bpy.context)
    _, track = cache.track_of(rig, bpy.context.scene)
    assert np.ptp(track.pose[:, 2, :3, 3], axis=0).max() > 0.1
    assert heads(rig) == pytest.approx(track.pose[:, :, :3, 3], abs=2e-5)


def test_a_limb_keeps_the_length_at_which_it_is_let_go():
    rig = stretching_arm(1.0, 1.33)
    set_control(list(rig.pose.bones), "KEYFRAMED", 1)
    set_control(list(rig.pose.bones), "FREE", 7)
    assert not simulate_scene(bpy.context).diverged
    found = lengths(rig)
    keyed = []
    for frame in range(1, 7):
        bpy.context.scene.frame_set(frame)
        keyed.append(bpy.data.objects["Target"].matrix_world.translation.x)
    assert found[:6] == pytest.approx(keyed, abs=1e-4)
    assert np.all(np.diff(found[:6]) > 0.0)
    assert found[6:] == pytest.approx(found[-1], abs=1e-4)
    assert found[6] == pytest.approx(found[5], abs=0.04)
    _, track = cache.track_of(rig, bpy.context.scene)
    assert heads(rig) == pytest.approx(track.pose[:, :, :3, 3], abs=2e-5)
