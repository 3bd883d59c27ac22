"""The Starfish in Blender: an ordinary rig, which dances as its keys say, and whose bake is what was simulated."""

from contextlib import nullcontext

import bpy
import numpy as np
import pytest

from redmax_blender.bridge.bake.actions import curves_of
from redmax_blender.bridge.run.simulate_scene import Simulation
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.shots.starfish import Starfish, cage, spec
from redmax_blender.engine.shots.starfish_figure import FRAMES, JOINTS, LED, PRESCRIBED
from redmax_blender.engine.shots.starfish_skin import ARMS
from redmax_blender.examples.shots.perform_starfish import animate_starfish
from redmax_blender.examples.shots.starfish_rig import build_starfish


def no_phases(name: str):
    return nullcontext()


def shown(skin: bpy.types.Object) -> np.ndarray:
    """Vertices as they are seen, in the world."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    seen = skin.evaluated_get(depsgraph)
    mesh = seen.to_mesh()
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    seen.to_mesh_clear()
    world = np.array(seen.matrix_world)
    return points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]


def test_it_is_an_ordinary_rig_that_reads_as_the_engines_starfish():
    scene = bpy.context.scene
    scene.render.fps = 24
    rig = build_starfish(scene)
    assert {obj.type for obj in scene.objects} == {"ARMATURE", "MESH", "EMPTY"}
    assert len(rig.armature.data.bones) == 21 and len(rig.leads) == len(LED) == 2
    assert abs(len(rig.skin.data.vertices) / 7909 - 1.0) < 0.01
    assert [m.type for m in rig.skin.modifiers] == ["ARMATURE"]
    assert all(lead.animation_data.action is not None for lead in rig.leads)
    keyed = {
        curve.data_path.split('"')[1] for curve in curves_of(rig.armature) if "rotation" in curve.data_path
    }
    assert keyed == {Starfish().name(arm, joint) for arm in range(ARMS) for joint in range(PRESCRIBED)}
    read = Simulation(bpy.context).reading.scene
    ours, pure = compile_scene(read), compile_scene(spec())
    assert ours.nr == pure.nr == 6 + 2 * ARMS * JOINTS
    assert ours.flesh is not None and pure.flesh is not None
    assert ours.flesh.nv == pure.flesh.nv == len(cage(Starfish()).X)
    assert ours.flesh.tets.mass.sum() == pytest.approx(pure.flesh.tets.mass.sum(), rel=1e-3)
    assert len(ours.joints.motion) == 2 * ARMS * PRESCRIBED
    assert {c.name for c in read.constraints} == {"arm.1.4 follows Lead 1", "arm.3.4 follows Lead 3"}
    tips = [pure.bodies.names.index(Starfish().name(arm, 3)) for arm in range(ARMS)]
    mine = [ours.bodies.names.index(f"Starfish/{Starfish().name(arm, 3)}") for arm in range(ARMS)]
    assert np.allclose(ours.bodies.inertia[mine], pure.bodies.inertia[tips], rtol=1e-4)


def test_it_dances_and_its_bake_is_what_was_simulated():
    """The run checks itself: keys followed, tips led, nothing torn, risen from the floor."""
    scene = bpy.context.scene
    scene.render.fps = 24
    rig, result, options, problem = animate_starfish(scene, 84, no_phases)
    assert not problem and options.integrator == "euler"
    assert rig.armature.redmax.is_baked and rig.skin.redmax.is_baked
    keys = rig.skin.data.shape_keys
    assert not keys.use_relative and len(keys.key_blocks) >= 84
    depths = []
    for frame in (1, 42, 84):
        scene.frame_set(frame)
        for name in ("disc", "arm.1.4", "arm.4.2"):
            pose = np.array(rig.armature.matrix_world @ rig.armature.pose.bones[name].matrix)
            row = result.joint_pose[frame - 1, result.joints.index(f"Starfish/{name}")]
            assert np.abs(pose[:3, 3] - row[9:]).max() < 1e-4
        points = shown(rig.skin)
        assert np.isfinite(points).all()
        depths.append(points[:, 2].min())
        x = result.x[frame - 1]
        assert np.all(points.min(axis=0) > x.min(axis=0)) and np.all(points.max(axis=0) < x.max(axis=0))
    assert min(depths) > -0.02, "it stands on the floor"


def test_a_user_moves_a_key_and_the_dance_changes():
    scene = bpy.context.scene
    scene.render.fps = 24
    rig = build_starfish(scene)
    scene.redmax.frame_end = 24
    ends = []
    for lift in (0.0, 0.5):
        bone = rig.armature.pose.bones["arm.2.1"]
        bone.rotation_euler.x = lift
        bone.keyframe_insert("rotation_euler", index=0, frame=22)
        simulation = Simulation(bpy.context)
        while simulation.advance():
            pass
        assert not simulation.diverged
        ends.append(simulation.x[-1])
    moved = np.linalg.norm(ends[1] - ends[0], axis=1)
    assert moved.max() > 0.03


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_added_from_the_menu_it_simulates_at_any_scale_of_units(unit):
    scene = bpy.context.scene
    scene.unit_settings.scale_length = unit
    assert bpy.ops.redmax.add_shot(shot="starfish") == {"FINISHED"}
    assert scene.redmax.frame_end - scene.redmax.frame_start + 1 == FRAMES
    scene.redmax.frame_end = scene.redmax.frame_start + 3
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    skin = bpy.data.objects["Starfish Skin"]
    scene.frame_set(scene.redmax.frame_end)
    size = np.ptp(shown(skin), axis=0) * unit
    assert 0.8 < size[:2].max() < 1.1
