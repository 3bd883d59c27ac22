"""What muscles did in a simulation is kept with it: shown while scrubbing, as graphs, and where a run goes on."""

import bpy
import numpy as np
import pytest
from blender_fixtures import make_armature

from redmax_blender.bridge.muscles.add_muscle import add_muscle, ends_of_bones
from redmax_blender.bridge.recording import figure_cache
from redmax_blender.bridge.recording.figures import Figures
from redmax_blender.bridge.recording.frame_file import load_frames
from redmax_blender.bridge.recording.graph_figures import graph_figures
from redmax_blender.bridge.rig.make_physical import make_physical
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.drawing.muscles import colour_of


def excited_arm() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A forearm on a hinge with a flexor that begins to pull in the second frame."""
    arm = make_armature(
        [("upper", None, (0, 0, 0), (0.3, 0, 0)), ("fore", "upper", (0.3, 0, 0), (0.6, 0, 0))]
    )
    scene = bpy.context.scene
    scene.use_gravity = False
    scene.redmax.frame_start, scene.redmax.frame_end = 1, 10
    make_physical(arm, scene)
    arm.pose.bones["upper"].redmax.joint = "FIXED"
    fore = arm.pose.bones["fore"].redmax
    fore.joint, fore.axis, fore.stiffness = "REVOLUTE", "X", 0.0
    ends = ends_of_bones(arm, list(arm.pose.bones))
    muscle = add_muscle(ends, scene.collection, scene, "Flexor")
    muscle.redmax.muscle.max_force = 20.0
    for frame, value in ((1, 0.0), (4, 1.0)):
        muscle.redmax.muscle.excitation = value
        muscle.keyframe_insert("redmax.muscle.excitation", frame=frame)
    return arm, muscle


def test_tension_and_activation_are_shown_while_scrubbing():
    arm, muscle = excited_arm()
    scene = bpy.context.scene
    simulate_scene(bpy.context)
    begin, figures = figure_cache.shown(scene)
    assert begin == 1 and figures.muscles == ("Flexor",) and figures.muscle.shape == (10, 1, 4)
    seen = []
    for frame in (1, 5, 10):
        scene.frame_set(frame)
        settings = muscle.redmax.muscle
        length, tension, activation, _ = figures.muscle_at("Flexor", frame - 1)
        assert settings.tension == pytest.approx(tension, rel=1e-4, abs=1e-4)
        assert settings.activation == pytest.approx(activation, rel=1e-4)
        assert settings.length == pytest.approx(length, abs=1e-4)
        seen.append((settings.activation, colour_of(muscle)))
    assert seen[2][0] > seen[1][0] > seen[0][0] and seen[0][1] != seen[2][1]
    assert abs(arm.pose.bones["fore"].matrix_basis.to_euler().x) > 0.01


def test_graphs_have_length_tension_and_activation():
    excited_arm()
    simulate_scene(bpy.context)
    holder = graph_figures(bpy.context.scene)
    _, figures = figure_cache.shown(bpy.context.scene)
    for name, column in (("length Flexor (m)", 0), ("tension Flexor (N)", 1), ("activation Flexor", 2)):
        bpy.context.scene.frame_set(7)
        assert holder[name] == pytest.approx(float(figures.muscle[6, 0, column]), rel=1e-5)


def test_a_run_goes_on_with_the_muscles_as_they_were(tmp_path):
    """From the middle of a run: activations and fibres are those of that frame, not of the start."""
    excited_arm()
    simulate_scene(bpy.context)
    _, figures = figure_cache.shown(bpy.context.scene)
    folder = next(iter({f.parent for f in _frame_files()}))
    frames = load_frames(next(iter(folder.glob("*.frames"))))
    state = frames[6].state
    assert state.muscle.shape == (1, 2)
    np.testing.assert_allclose(state.muscle[0], figures.muscle[6, 0, 2:])


def _frame_files():
    from redmax_blender.bridge.recording import cache

    scene = bpy.context.scene
    key = next(iter(cache.keys_in_use(scene)))
    return sorted(cache.path_of(key, scene).parent.glob("*.frames"))


def test_figures_of_older_versions_are_read(tmp_path):
    """They know nothing of muscles."""
    excited_arm()
    simulate_scene(bpy.context)
    _, figures = figure_cache.shown(bpy.context.scene)
    figures.save(tmp_path / "new.npz")
    again = Figures.load(tmp_path / "new.npz")
    np.testing.assert_array_equal(again.muscle, figures.muscle)
    with np.load(tmp_path / "new.npz") as file:
        np.savez(tmp_path / "old.npz", **{k: file[k] for k in file.files if not k.startswith("muscle")})
    assert Figures.load(tmp_path / "old.npz").muscle_at("Flexor", 0) is None
