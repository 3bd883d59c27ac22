"""The hagfish: what its rig tells the engine, and the tube that holds its knot open."""

import bpy
import numpy as np
import pytest
from blender_fixtures import once

from redmax_blender.bridge.read.scene import Reading, read_scene
from redmax_blender.bridge.recording.recorded_result import simulate_recorded
from redmax_blender.bridge.rig.rig import physical_armatures
from redmax_blender.engine import Result
from redmax_blender.engine.scene import Revolute, Universal
from redmax_blender.engine.shots.hagfish import Hagfish, spec
from redmax_blender.examples.shots.hagfish_scene import build_hagfish, check_hagfish


def read() -> Reading:
    bpy.context.view_layer.update()
    return read_scene(bpy.context, physical_armatures(bpy.context.scene))


def tightened(tubes: bool) -> Result:
    """From where the knot is tied, loosely, to where its keys have pulled it tight."""
    scene, fish = bpy.context.scene, Hagfish()
    scene.render.fps = 24
    made = build_hagfish(scene, fish)
    made.armature.redmax.self_collision = tubes
    scene.redmax.frame_start = 1 + round(24 * fish.slides)
    scene.redmax.frame_end = 1 + round(24 * fish.end)
    scene.redmax.substeps = 6
    scene.frame_set(scene.redmax.frame_start)
    simulation, result = simulate_recorded(bpy.context)
    assert not simulation.diverged
    return result


def test_the_rig_is_the_animal_of_the_engine():
    fish, scene = Hagfish(), bpy.context.scene
    scene.unit_settings.scale_length = 0.01  # a scene in centimetres
    assert bpy.ops.redmax.add_shot(shot="hagfish") == {"FINISHED"}
    scene.redmax.frame_end = 40
    reading = read()
    ours, theirs = reading.scene, spec(fish)
    assert not reading.warnings
    assert [type(body.joint.type) for body in ours.bodies[1:]] == [Revolute, Universal] * 50
    for mine, other in zip(ours.bodies, theirs.bodies, strict=True):
        assert mine.mass == pytest.approx(other.mass, rel=1e-5)
        if other.joint.limits is not None:
            assert mine.joint.limits.lower == pytest.approx(other.joint.limits.lower, abs=1e-6)
            assert mine.joint.limits.upper == pytest.approx(other.joint.limits.upper, abs=1e-6)
            assert mine.joint.guide.response == pytest.approx(other.joint.guide.response, rel=1e-5)
        assert [switch.mode for switch in mine.joint.modes] == [switch.mode for switch in other.joint.modes]
    (tube,) = ours.tubes
    assert tube.bodies == [body.name for body in ours.bodies]
    assert tube.radius == pytest.approx([fish.radius] * len(ours.bodies), rel=1e-5)
    assert ours.gravity == (0.0, 0.0, 0.0)
    assert all(body.surface is None for body in ours.bodies)  # nothing is there but the tube


def test_the_tube_holds_the_knot_that_the_keys_pull_too_tight():
    check_hagfish(tightened(tubes=True))


@once
def test_without_the_tube_it_goes_through_itself():
    with pytest.raises(AssertionError, match="into itself"):
        check_hagfish(tightened(tubes=False))


def test_the_skin_is_around_the_bones():
    """Every vertex hangs on bones, and is within the radius of the tube around them."""
    fish, scene = Hagfish(), bpy.context.scene
    made = build_hagfish(scene, fish)
    scene.frame_set(1 + round(24 * fish.slides))
    shown = made.skin.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    points = np.array([made.skin.matrix_world @ vertex.co for vertex in shown.vertices])
    world = made.armature.matrix_world
    joints = np.array([world @ bone.head for bone in made.armature.pose.bones])
    nearest = np.linalg.norm(points[:, None] - joints[None], axis=2).min(axis=1)
    assert all(vertex.groups for vertex in made.skin.data.vertices)
    assert nearest.max() < 1.25 * fish.radius + 0.5 * fish.pitch
