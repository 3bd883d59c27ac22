"""The Klann walker of objects: it walks, its loops close themselves, its pins rub, its torque is plotted."""

from contextlib import nullcontext

import bpy
import numpy as np
import pytest
from blender_fixtures import once

from redmax_blender.bridge.bake.actions import curves_of
from redmax_blender.bridge.recording import figure_cache
from redmax_blender.bridge.recording.recorded_result import recorded_result
from redmax_blender.bridge.run.simulate_scene import Simulation
from redmax_blender.commands.torques import plot_torques
from redmax_blender.engine import Result, compile_scene, scene_options, simulate
from redmax_blender.engine.scene import ColliderSpec, LoopPoint, Plane
from redmax_blender.engine.shots.klann import LEGS, Klann
from redmax_blender.examples.shots.klann_scene import SIDES, build_klann, check_klann, crank_joint, machine
from redmax_blender.examples.shots.perform import perform_klann


def no_phases(name: str):
    return nullcontext()


def settle(frames: int, substeps: int = 10) -> None:
    scene = bpy.context.scene
    scene.render.fps = 24
    scene.gravity = (0.0, 0.0, -9.81)
    scene.redmax.frame_start, scene.redmax.frame_end = 1, frames
    scene.redmax.substeps, scene.redmax.integrator = substeps, "euler"


def recorded(simulation: Simulation) -> Result:
    frames = list(simulation.frames)
    return recorded_result(compile_scene(simulation.reading.scene), frames, simulation.key)


def crank_torque(result: Result, klann: Klann) -> np.ndarray:
    columns = [result.coordinates(f"{klann.crank(side)} joint").start for side in SIDES]
    return result.torque[:, columns].sum(axis=1)


def test_it_walks_and_is_baked_with_the_torque_of_its_cranks(tmp_path):
    """Half a revolution; pins, feet and their paths are checked on the way."""
    scene = bpy.context.scene
    scene.render.fps = 24
    performance = perform_klann(scene, 31, no_phases, friction=0.2)
    assert not performance.problem
    legs = [obj for obj in bpy.data.objects if obj.type == "MESH" and obj.name.startswith("leg.")]
    assert len(legs) == 6 and all(leg.redmax.is_baked for leg in legs)
    hull = bpy.data.objects["hull"]
    scene.frame_set(31)
    assert hull.location.x == pytest.approx(performance.result.joint_pose[-1, 0, 9], abs=1e-4)
    assert hull.location.x > 0.4  # a stride
    # an empty is shown where its joint is
    gap = bpy.data.objects["hip.front.L"].matrix_world.translation - bpy.data.objects["leg.front.L"].location
    assert gap.length == pytest.approx(abs(complex(0.866, 1.5) - complex(0.232, 0.866)) * 0.4, rel=1e-4)
    holder = bpy.data.objects["RedMax Graphs"]
    plotted = {curve.data_path: curve for curve in curves_of(holder)}
    klann = Klann(friction=0.2)
    names = [f'["torque {klann.crank(side)} joint"]' for side in SIDES]
    torque = np.sum([[plotted[name].evaluate(f) for f in range(1, 32)] for name in names], axis=0)
    np.testing.assert_allclose(torque[1:], crank_torque(performance.result, klann)[1:], rtol=1e-5, atol=1e-5)
    assert torque[1:].max() > 2.0
    (chart,) = plot_torques(tmp_path / "klann_torque.svg", performance)
    assert all(f"{klann.crank(side)} joint" in chart.read_text(encoding="utf-8") for side in SIDES)


def test_its_loops_are_found_and_keep_their_friction():
    """Twelve joints close loops, whichever they are, and rub as the others do; no friction is lost."""
    scene = bpy.context.scene
    built = build_klann(scene, Klann(friction=0.3))
    settle(2)
    reading = Simulation(bpy.context).reading
    assert len(reading.cut) == 2 * len(LEGS) and not reading.warnings
    assert not {crank_joint(built, Klann(), side).name for side in SIDES} & set(reading.cut)
    loops = [c for c in reading.scene.constraints if isinstance(c, LoopPoint)]
    assert len(loops) == 12 and all(loop.perpendicular_to is not None for loop in loops)
    rubbing = [body.joint.friction for body in reading.scene.bodies] + [loop.friction for loop in loops]
    found = [friction for friction in rubbing if friction is not None]
    assert len(found) == 5 * 6 + 2 + 6  # the pins of a leg with its closures, and the cranks
    assert {round(friction.coefficient, 6) for friction in found} == {0.3}
    assert {round(friction.radius, 6) for friction in found} == {Klann().pin}


@once
def test_it_is_the_machine_of_the_engine():
    """Read back from meshes and empties, and cut where the spec is, it needs the torque of that spec."""
    klann = Klann(friction=0.5)
    scene = bpy.context.scene
    built = build_klann(scene, klann)
    pure = machine(klann)
    for loop in pure.constraints:
        built.joints[loop.name].redmax.joint.cut = "ALWAYS"
    settle(13)
    simulation = Simulation(bpy.context)
    read = simulation.reading.scene
    ours = recorded(simulation)
    motion = {body.name: body.joint.motion for body in read.bodies}
    shapes = {body.name: body.shape for body in read.bodies}
    for body in pure.bodies:
        body.joint.motion = motion[body.name]
        if not body.name.startswith("foot"):
            body.shape = shapes[body.name]  # of the same mass, but flat
    pure.colliders = [ColliderSpec(name="floor", shape=Plane(), friction=klann.floor)]
    pure.time = read.time
    model = compile_scene(pure)
    theirs = Result.from_frames(
        model, simulate(model, scene_options(pure), end=pure.time.end, record=pure.time.record)
    )
    columns = [theirs.coordinates(klann.crank(side)).start for side in SIDES]
    expected = theirs.torque[:, columns].sum(axis=1)
    found = crank_torque(ours, klann)
    np.testing.assert_allclose(found, expected, rtol=1e-3)
    check_klann(ours, klann)


@once
def test_more_friction_from_the_panel_takes_more_torque():
    """Copy to Selected gives the friction of one joint to all; the motion is the same, the torque is not."""
    scene = bpy.context.scene
    klann = Klann(friction=0.0)
    built = build_klann(scene, klann)
    settle(11)
    before = crank_torque(recorded(Simulation(bpy.context)), klann)
    first = crank_joint(built, klann, "L")
    friction = first.redmax.friction
    friction.coefficient, friction.radius, friction.height = 0.8, klann.pin, klann.width
    for joint in built.joints.values():
        joint.select_set(True)
    bpy.context.view_layer.objects.active = first
    assert bpy.ops.redmax.copy_part(part="friction") == {"FINISHED"}
    assert {round(joint.redmax.friction.coefficient, 6) for joint in built.joints.values()} == {0.8}
    after = crank_torque(recorded(Simulation(bpy.context)), klann)
    assert (after[2:] > before[2:] + 0.5).all()


def test_added_from_the_menu_it_is_simulated_with_fewer_legs():
    """Taken apart by hand: without its two hind legs it has eight loops, and still moves by its cranks."""
    scene = bpy.context.scene
    assert bpy.ops.redmax.add_shot(shot="klann") == {"FINISHED"}
    for obj in [obj for obj in scene.objects if ".hind." in obj.name]:
        bpy.data.objects.remove(obj)
    settle(4)
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    cut = scene.redmax.cut_joints.splitlines()
    assert len(cut) == 8
    _, figures = figure_cache.shown(scene)
    rubbing = figures.friction_torque(3)  # joints that close loops are coloured and plotted as the others are
    assert all(0.0 < rubbing[name] < 1.0 for name in cut)
    scene.frame_set(4)
    turned = bpy.data.objects["crank.L"].matrix_world.to_euler().y
    assert abs(turned) > 1e-3
