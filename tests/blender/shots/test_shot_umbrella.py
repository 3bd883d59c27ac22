"""Bridge and umbrella as objects: the same mechanisms as the engine's own, open to the user's hand, baked."""

from contextlib import nullcontext

import bpy
import numpy as np
import pytest
from mechanism_fixtures import world

from redmax_blender.bridge.mechanism.build_mechanism import build_mechanism
from redmax_blender.bridge.run.simulate_scene import Simulation
from redmax_blender.engine import compile_scene, scene_options, simulate
from redmax_blender.engine.scene import LoopPoint, Spring
from redmax_blender.engine.shots.bridge import HALF_SPAN
from redmax_blender.engine.shots.umbrella import RIB_LENGTH, RIBS
from redmax_blender.engine.shots.umbrella import spec as umbrella_spec
from redmax_blender.examples.shots.build_shots import (
    OPENS_AFTER,
    OPENS_FOR,
    SHOT_BRIDGE,
    SHOT_UMBRELLA,
    build_bridge,
    build_umbrella,
    soft_bridge,
)
from redmax_blender.examples.shots.perform import perform_bridge, perform_umbrella


def no_phases(name: str):
    return nullcontext()


def settle(frames: int, substeps: int = 4) -> None:
    scene = bpy.context.scene
    scene.redmax.frame_start, scene.redmax.frame_end = 1, frames
    scene.redmax.substeps, scene.redmax.integrator = substeps, "euler"


def test_the_bridge_of_objects_is_the_bridge_of_the_engine():
    """Read back from meshes, empties and curves, it moves as the spec it was built from."""
    scene = bpy.context.scene
    scene.gravity = (0.0, 0.0, -9.8)
    build_bridge(scene)
    settle(13)
    simulation = Simulation(bpy.context)
    read = simulation.reading.scene
    assert simulation.reading.cut == ["deck end"]
    springs = [force for force in read.forces if isinstance(force, Spring)]
    pure = soft_bridge()
    built = {force.name: force for force in pure.forces}
    assert len(springs) == len(built) == 30
    for spring in springs:
        other = built[spring.name]
        for name in ("stiffness", "damping", "rest_length"):
            assert getattr(spring, name) == pytest.approx(getattr(other, name), rel=1e-6)
        for mine, theirs in zip(spring.points, other.points, strict=True):
            assert mine.body == theirs.body
            assert mine.position == pytest.approx(theirs.position, abs=2e-6)
    ours, theirs = (compile_scene(scene) for scene in (read, pure))
    for name in (SHOT_BRIDGE.deck(3), SHOT_BRIDGE.tower("L", 4)):
        a, b = (model.bodies.names.index(name) for model in (ours, theirs))
        np.testing.assert_allclose(ours.bodies.inertia[a], theirs.bodies.inertia[b], rtol=1e-5)
    # The last block ends a sixth of a millimetre from its anchor: the spec pulls it there, an empty holds it
    # where it is. Pressed together by its cables, a soft deck of hinges makes much of that, and of single precision.
    loop = pure.constraints[0]
    loop.b.position = (SHOT_BRIDGE.deck_points()[-1, 0] - HALF_SPAN, *loop.b.position[1:])
    pure.time.step, pure.time.record, pure.time.end = read.time.step, read.time.record, read.time.end
    frames = list(
        simulate(compile_scene(pure), scene_options(pure), end=pure.time.end, record=pure.time.record)
    )
    for mine, other in zip(simulation.frames, frames, strict=True):
        for name in (SHOT_BRIDGE.deck(i) for i in range(SHOT_BRIDGE.n_deck)):
            here = mine.joint_pose[ours.bodies.names.index(name), 9:]
            there = other.joint_pose[theirs.bodies.names.index(name), 9:]
            np.testing.assert_allclose(here, there, atol=0.02)  # of 24 m, while it falls by 0.25 m


def test_the_deck_bakes_to_keys_of_its_objects_and_the_cables_follow():
    scene = bpy.context.scene
    performance = perform_bridge(scene, 25, no_phases)
    deck = [bpy.data.objects[SHOT_BRIDGE.deck(i)] for i in range(SHOT_BRIDGE.n_deck)]
    assert all(obj.redmax.is_baked and not obj.redmax.result for obj in deck)
    cable = bpy.data.objects["cable.08"]
    ends = [modifier.object for modifier in cable.modifiers]
    for frame in (1, 25):
        scene.frame_set(frame)
        recorded = performance.result.body_pose[frame - 1]
        for obj in deck:
            row = recorded[performance.result.bodies.index(obj.name)]
            np.testing.assert_allclose(world(obj)[:3, 3], row[9:], atol=1e-5)
        lengths = np.linalg.norm(world(ends[0])[:3, 3] - world(ends[1])[:3, 3])
        assert lengths > 1.0
    assert world(deck[10])[2, 3] < 3.4  # it hangs lower than it was built


def test_umbrella_opens_from_its_runner_and_is_baked():
    scene = bpy.context.scene
    scene.render.fps = 24
    frames = int(1 + 24 * (OPENS_AFTER + OPENS_FOR)) + 2
    performance = perform_umbrella(scene, frames, no_phases)  # which checks closures and symmetry as well
    assert not performance.problem
    runner = bpy.data.objects["runner"]
    scene.frame_set(1)
    low = world(runner)[2, 3]
    tips = [bpy.data.objects[SHOT_UMBRELLA.rib(k, SHOT_UMBRELLA.n - 1)] for k in range(RIBS)]
    closed = [np.linalg.norm(world(tip)[:2, 3]) for tip in tips]
    scene.frame_set(frames)
    assert world(runner)[2, 3] - low == pytest.approx(SHOT_UMBRELLA.travel, rel=1e-5)
    opened = [np.linalg.norm(world(tip)[:2, 3]) for tip in tips]
    assert max(closed) < 0.2 * RIB_LENGTH and min(opened) > 0.7 * RIB_LENGTH
    assert all(tip.redmax.is_baked for tip in tips)
    assert len(bpy.data.objects["runner"].animation_data.action.name) > 0 and not runner.redmax.is_baked


def test_the_user_moves_the_runner_and_the_umbrella_stays_closed():
    scene = bpy.context.scene
    scene.use_gravity = False
    made = build_umbrella(scene)
    made.bodies["runner"].animation_data_clear()
    scene.frame_set(1)
    settle(6)
    made.bodies["runner"].location.z = 10.0
    simulation = Simulation(bpy.context)
    frames = list(simulation.frames)
    assert len(simulation.reading.cut) == RIBS
    assert np.abs(frames[-1].joint_pose - frames[0].joint_pose).max() < 0.05


def test_every_part_of_the_umbrella_is_an_object():
    pure = umbrella_spec(SHOT_UMBRELLA)
    made = build_mechanism(bpy.context.scene, pure, anchored={"runner"})
    assert set(made.bodies) == {body.name for body in pure.bodies}
    assert len(made.springs) == sum(isinstance(force, Spring) for force in pure.forces)
    loops = [constraint.name for constraint in pure.constraints if isinstance(constraint, LoopPoint)]
    assert {name for name, obj in made.joints.items() if obj.redmax.joint.cut == "ALWAYS"} == set(loops)
    assert {obj.type for obj in made.collection.all_objects} == {"MESH", "EMPTY", "CURVE"}


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_added_from_the_menu_it_simulates_at_any_scale_of_units(unit):
    scene = bpy.context.scene
    scene.unit_settings.scale_length = unit
    assert bpy.ops.redmax.add_shot(shot="bridge") == {"FINISHED"}
    settle(4)
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    middle = bpy.data.objects[SHOT_BRIDGE.deck(10)]
    scene.frame_set(1)
    start = world(middle)[2, 3] * unit
    scene.frame_set(4)
    assert 0.01 < start - world(middle)[2, 3] * unit < 0.2
