"""People made physical: one that falls down stairs, one that is struck, two that collide, one with a soft belly."""

import bpy
import numpy as np
import pytest
from blender_fixtures import evaluated_poses, once, set_range
from mathutils import Matrix
from mechanism_fixtures import add_box

from redmax_blender.bridge.mechanism.add_ground import add_ground
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.recording.recorded_result import simulate_recorded
from redmax_blender.bridge.rig.set_control import bones_in_scope, set_control
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.run.result import Result
from redmax_blender.engine.scene import Mesh, SceneSpec
from redmax_blender.engine.shots.falls import BEYOND, DEEPEST, measure
from redmax_blender.examples.shots.human_belly import add_belly
from redmax_blender.examples.shots.ragdoll_check import check_ragdoll
from redmax_blender.examples.shots.ragdoll_scene import HEIGHT, LET_GO, add_person, build_ragdoll, make_linear

COARSE = 0.03
"""How fine the skin is [m]."""


@pytest.fixture
def scene() -> bpy.types.Scene:
    bpy.context.scene.render.fps = 24
    return bpy.context.scene


def person(name: str, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> bpy.types.Object:
    armature, _ = add_person(bpy.context.scene, name, COARSE)
    armature.matrix_world = Matrix.Translation((x, y, z))
    return armature


def run(frames: int, substeps: int = 8) -> tuple[SceneSpec, Result]:
    set_range(1, frames, substeps)
    bpy.context.scene.redmax.integrator = "euler"
    bpy.context.scene.frame_set(1)
    simulation, result = simulate_recorded(bpy.context)
    assert not simulation.diverged
    return simulation.reading.scene, result


def paths(obj: bpy.types.Object) -> dict[str, np.ndarray]:
    """The matrices of each bone over the frames of the cache."""
    _, track = cache.track_of(obj, bpy.context.scene)
    return {name: track.pose[:, k] for k, name in enumerate(track.bones)}


def faults(spec: SceneSpec, result: Result) -> list[str]:
    return measure(compile_scene(spec), result, spec.colliders).faults(HEIGHT, float("inf"), settled=False)


def test_a_person_follows_its_keys_to_the_edge_and_falls_down_the_stairs(scene):
    made = build_ragdoll(scene)
    keyed = {}
    for frame in range(1, 1 + round(LET_GO * 24)):
        scene.frame_set(frame)
        keyed[frame] = evaluated_poses(made.armature)
    set_range(1, 28, scene.redmax.substeps)
    scene.frame_set(1)
    simulation, result = simulate_recorded(bpy.context)
    check_ragdoll(simulation, result)
    found = paths(made.armature)
    for frame, poses in keyed.items():
        for name, path in found.items():
            np.testing.assert_allclose(path[frame - 1], poses[name], atol=2e-5)
    height = found["spine"][:, 2, 3]
    assert height[-1] < height[0] - 0.6

    spec = simulation.reading.scene
    assert {type(c.shape) for c in spec.colliders if c.name == "Stairs"} == {Mesh}
    model = compile_scene(spec)
    assert len(model.bodies.names) >= 25
    assert 60.0 < model.bodies.inertia[:, 3].sum() < 90.0
    assert len(model.constraints.limits.dof) > 2 * 30


def test_a_person_stands_as_keyed_until_something_strikes_it(scene):
    obj = person("Person")
    add_ground(scene, scene.collection)
    set_control(bones_in_scope(obj, "ALL"), "KEYFRAMED")
    for bone in obj.pose.bones:
        bone.redmax.control.wake = 1.0
    ball = add_box("Ball", (0.0, -0.35, 2.4), (0.3, 0.3, 0.3))
    ball.redmax.body.shape, ball.redmax.surface.collide = "SPHERE", True
    ball.redmax.body.mass_from, ball.redmax.body.mass = "MASS", 10.0
    ball.location.y = -0.08
    _, result = run(24)
    spine = paths(obj)["spine.006"]
    moved = np.abs(spine - spine[0]).max(axis=(1, 2))
    struck = int(np.flatnonzero(moved > 1e-6)[0])
    assert 5 <= struck <= 12  # it falls by 0.5 m
    assert moved[:struck].max() < 1e-6
    assert moved[-1] > 0.1
    assert np.isfinite(result.q).all()


@once
def test_two_people_in_one_simulation_push_each_other(scene):
    """One is thrown at another, from above and without gravity: neither goes into the other, and both feel it."""
    scene.gravity = (0.0, 0.0, 0.0)
    upper, lower = person("Upper", z=1.85), person("Lower")
    root = upper.pose.bones["spine"]
    for frame, along in ((1, 0.0), (2, -0.15)):  # 3.6 m/s
        root.location.y = along
        root.keyframe_insert("location", frame=frame)
    make_linear(upper)
    upright = bones_in_scope(upper, "ALL")
    set_control(upright, "KEYFRAMED")
    set_control(upright, "FREE", 2, 1)
    spec, result = run(6)
    assert faults(spec, result) == []
    below = paths(lower)["spine.006"][:, 2, 3]
    assert below[-1] < below[0] - 0.005  # nothing but the other one pushes it
    above = np.diff(paths(upper)["spine"][:, 2, 3])
    assert abs(above[-1]) < 0.95 * abs(above[0])


@once
def test_a_soft_belly_touches_the_ground_by_itself(scene):
    """A person lies face down and falls by a hand's breadth: the belly is pressed flat, and nothing goes through."""
    obj = person("Person")
    belly = add_belly(scene, obj, vertices=60)
    obj.matrix_world = Matrix.Translation((0.0, 0.0, 0.3)) @ Matrix.Rotation(np.pi / 2, 4, "X")
    add_ground(scene, scene.collection)
    spec, result = run(12)
    assert [flesh.name for flesh in spec.flesh] == [belly.name]
    found = measure(compile_scene(spec), result, spec.colliders)
    assert found.finite and found.beyond < BEYOND
    assert found.depth.depth < DEEPEST * HEIGHT
    thick = np.ptp(result.x[:, :, 2], axis=1)
    assert thick.min() < 0.97 * thick[0]
    assert result.x[:, :, 2].min() > -DEEPEST * HEIGHT
