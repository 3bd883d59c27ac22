"""Two chains of objects whose hinges rub: the mechanism of the engine, with sizes that a user can change."""

from contextlib import nullcontext

import bpy
import numpy as np
import pytest

from redmax_blender.bridge.run.simulate_scene import Simulation
from redmax_blender.engine import compile_scene, scene_options, simulate
from redmax_blender.engine.shots.chains import Chains, spec
from redmax_blender.examples.shots.chains_scene import build_chains
from redmax_blender.examples.shots.perform import perform_chains


def no_phases(name: str):
    return nullcontext()


def test_they_move_as_those_of_the_engine():
    scene, chains = bpy.context.scene, Chains()
    scene.render.fps = 24
    scene.gravity = (0.0, 0.0, -9.81)
    scene.redmax.frame_start, scene.redmax.frame_end, scene.redmax.integrator = 1, 7, "euler"
    build_chains(scene, chains)
    simulation = Simulation(bpy.context)
    read = {body.name: body.joint for body in simulation.reading.scene.bodies}
    pure = spec(chains, end=0.25)
    for body in pure.bodies:
        mine, other = read[body.name].friction, body.joint.friction
        for name in ("coefficient", "radius", "height"):
            assert getattr(mine, name) == pytest.approx(getattr(other, name), rel=1e-6)
    ours = list(simulation.frames)[-1]
    pure.gravity = simulation.reading.scene.gravity
    model = compile_scene(pure)
    theirs = list(simulate(model, scene_options(pure), end=0.25))[-1]
    order = [body.name for body in simulation.reading.scene.bodies]
    for k, body in enumerate(pure.bodies):
        place = ours.joint_pose[order.index(body.name), 9:]
        np.testing.assert_allclose(place, theirs.joint_pose[k, 9:], atol=1e-4)


def test_they_are_performed_and_baked_with_their_pins():
    scene = bpy.context.scene
    scene.render.fps = 24
    performance = perform_chains(scene, 13, no_phases)
    assert not performance.problem
    chains = Chains()
    scene.frame_set(13)
    for side in range(2):
        link = bpy.data.objects[chains.name(side, 9)]
        pin = bpy.data.objects[f"{link.name} pin"]
        assert link.redmax.is_baked and link.location.z < chains.height - 0.1
        hinge = bpy.data.objects[chains.joint(side, 9)].matrix_world.translation
        bounds = np.array([pin.matrix_world @ vertex.co for vertex in pin.data.vertices])
        assert np.linalg.norm(bounds.mean(axis=0) - hinge) < 1e-4
