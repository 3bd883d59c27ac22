"""Rigs as riggers make them: helper bones, constraints, hundreds of bones."""

import bpy
import numpy as np
import pytest
from blender_fixtures import distance_from_cache, make_armature, set_range, snapshot

from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.rig.rig import physical_parents
from redmax_blender.bridge.run.simulate_scene import simulate_scene


@pytest.fixture
def metarig() -> bpy.types.Object:
    """Rigify's human: 159 bones, none of them a helper, many of them a centimetre long."""
    bpy.ops.preferences.addon_enable(module="rigify")
    bpy.ops.object.armature_human_metarig_add()
    return bpy.context.object


def moved(obj: bpy.types.Object) -> float:
    pose = cache.track_of(obj, bpy.context.scene)[1].pose
    return float(np.abs(pose[-1] - pose[0]).max())


def test_a_human_falls_into_his_joints_with_the_defaults(metarig):
    make_physical(metarig, bpy.context.scene)
    kinds = {bone.name: bone.redmax.joint for bone in metarig.pose.bones}
    assert {kinds[name] for name in ("face", "nose", "jaw", "lip.T.L.001", "ear.R.004", "eye.L")} == {"FIXED"}
    moving = [name for name, kind in kinds.items() if kind != "FIXED"]
    assert {"spine.006", "upper_arm.L", "hand.R", "f_index.03.L", "thumb.02.R", "shin.L"} <= set(moving)
    assert len(moving) < 75
    bpy.context.scene.redmax.frame_end = 24
    outcome = simulate_scene(bpy.context)
    assert not outcome.diverged
    assert moved(metarig) > 0.1
    for frame in (1, 12, 24):
        assert distance_from_cache(metarig, frame) < 1e-5
    bpy.ops.redmax.bake()
    for frame in (1, 12, 24):
        assert distance_from_cache(metarig, frame) < 1e-5


def test_a_generated_rig_is_simulated_as_one_body_and_baked_exactly(metarig):
    """706 bones, of which 160 deform; they hang on helpers, copy helpers, and helpers copy them."""
    bpy.ops.pose.rigify_generate()
    rig = next(obj for obj in bpy.data.objects if obj.type == "ARMATURE" and obj != metarig)
    bpy.context.view_layer.objects.active = rig
    constraints = snapshot()
    make_physical(rig, bpy.context.scene)
    roots = [name for name, parent in physical_parents(rig).items() if parent is None]
    assert roots == ["DEF-spine"]
    for name in ("DEF-thigh.L.001", "DEF-forearm.R.001", "DEF-jaw", "DEF-lid.T.L.002"):
        assert rig.pose.bones[name].redmax.joint == "FIXED", name
    for name in ("DEF-thigh.L", "DEF-spine.002", "DEF-hand.L"):
        assert rig.pose.bones[name].redmax.joint == "SPHERICAL", name
    for name in ("DEF-shin.R", "DEF-f_ring.02.L"):  # as those of a person
        assert rig.pose.bones[name].redmax.joint == "REVOLUTE", name
    bpy.context.scene.redmax.frame_end = 12
    outcome = simulate_scene(bpy.context)
    assert not outcome.diverged
    assert moved(rig) > 0.02
    assert distance_from_cache(rig, 12) < 1e-5
    bpy.ops.redmax.bake(to_controls=False)
    assert distance_from_cache(rig, 7) < 1e-5
    bpy.ops.redmax.delete_bake()
    bpy.ops.redmax.free_cache()
    for bone in rig.pose.bones:
        muted = [(constraint.name, constraint.mute) for constraint in bone.constraints]
        assert muted == constraints[f"{rig.name}/{bone.name}"][2]


def test_a_bone_on_a_helper_that_follows_another_bone_is_shown_where_it_is_simulated():
    obj = make_armature(
        [
            ("arm", None, (0, 0, 0), (0.5, 0, 0)),
            ("hand", "arm", (0.5, 0, 0), (0.8, 0, 0)),
            ("tool.helper", None, (0.8, 0, 0), (0.8, 0, 0.2)),
            ("still.helper", "arm", (0.2, 0, 0), (0.2, 0, 0.2)),
            ("tool", "tool.helper", (0.8, 0, 0.1), (1.2, 0, 0.1)),
            ("flag", "still.helper", (0.2, 0, 0.1), (0.2, 0.3, 0.1)),
        ],
        connect=False,
    )
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    for helper, bone in (("tool.helper", "hand"), ("still.helper", "")):
        obj.data.bones[helper].use_deform = False
        constraint = obj.pose.bones[helper].constraints.new("CHILD_OF" if bone else "COPY_TRANSFORMS")
        constraint.target, constraint.subtarget = (obj, bone) if bone else (target, "")
    bpy.context.view_layer.update()
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    set_range(1, 15, substeps=10)
    simulate_scene(bpy.context)
    assert moved(obj) > 0.1
    for frame in (1, 8, 15):
        assert distance_from_cache(obj, frame) < 1e-5
