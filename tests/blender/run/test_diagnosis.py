"""After a run: the report, the figures for graphs, and what the panel says when it went wrong."""

import bpy
import numpy as np
import pytest
from blender_fixtures import make_armature, make_chain, set_range
from mechanism_fixtures import add_four_bar
from panel_fixtures import draw

from redmax_blender.bridge.bake.bake import bake_object
from redmax_blender.bridge.recording import figure_cache
from redmax_blender.bridge.recording.figures import Figures
from redmax_blender.bridge.recording.graph_figures import graph_figures, graph_rows
from redmax_blender.bridge.rig.make_physical import make_physical
from redmax_blender.bridge.run.report_text import NAME
from redmax_blender.bridge.run.simulate_scene import Simulation, free_cache, simulate_scene
from redmax_blender.engine.errors import DivergedError, SceneError


def swinging_chain(count=3, frames=6):
    obj = make_chain(count)
    make_physical(obj, bpy.context.scene)
    set_range(5, 5 + frames - 1)
    return obj


def failing_run():
    """A run that diverges after three frames, in the second bone."""
    simulation = Simulation(bpy.context)

    def fails(frames):
        for _ in range(3):
            yield next(frames)
        raise DivergedError(3.5 / 24.0, 14, "Rig/bone1")

    simulation.frames = fails(iter(simulation.frames))
    while simulation.advance():
        pass
    return simulation.finish(bpy.context)


def report():
    return bpy.data.texts[NAME].as_string()


def test_a_run_leaves_a_report_of_frames_steps_time_and_energy():
    swinging_chain()
    simulate_scene(bpy.context)
    text = report()
    for word in (
        "finished",
        "5 to 10",
        "3 bodies",
        "Steps        20 of",
        "Time",
        "Solver",
        "kinetic",
        "total",
    ):
        assert word in text, word


def test_the_report_lists_cut_loops_and_warnings():
    add_four_bar()
    set_range(1, 4)
    bpy.context.scene.redmax.integrator = "bdf2"
    outcome = simulate_scene(bpy.context)
    text = report()
    assert "Loops close at" in text and bpy.context.scene.redmax.cut_joints.splitlines()[0] in text
    assert outcome.warnings and all(warning in text for warning in outcome.warnings)


def test_a_cancelled_run_says_so():
    swinging_chain(frames=10)
    simulate_scene(bpy.context, lambda done, _total: done < 3)
    assert "cancelled" in report() and "5 to 7 of 14" in report()


def test_a_process_of_its_own_tells_the_same():
    swinging_chain(frames=4)
    here = Simulation(bpy.context)
    while here.advance():
        pass
    apart = Simulation(bpy.context, apart=True)
    while apart.advance():
        pass
    for name in ("energy", "torque", "friction"):
        assert getattr(apart.log.figures(), name) == pytest.approx(
            getattr(here.log.figures(), name), abs=1e-12
        )


def test_energies_are_those_of_the_engine():
    obj = swinging_chain(2, 8)
    for bone in obj.pose.bones:
        bone.redmax.damping = 0.0
    bpy.context.scene.redmax.integrator = "rk-recursive"
    simulate_scene(bpy.context)
    _, figures = figure_cache.shown(bpy.context.scene)
    total = figures.energy.sum(axis=1)
    assert np.ptp(figures.energy[:, 0]) > 1e-3
    assert np.ptp(total) < 1e-4 * np.ptp(figures.energy[:, 0])


def test_figures_survive_saving_and_loading(tmp_path):
    swinging_chain()
    simulate_scene(bpy.context)
    _, before = figure_cache.shown(bpy.context.scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    figure_cache._memory.clear()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "rig.blend"))
    start, after = figure_cache.shown(bpy.context.scene)
    assert start == 5 and after.joints == before.joints
    assert np.array_equal(after.energy, before.energy) and np.array_equal(after.torque, before.torque)


def test_a_broken_file_of_figures_is_as_good_as_none(tmp_path):
    path = tmp_path / "figures.npz"
    path.write_bytes(b"no")
    with pytest.raises(ValueError, match="figures"):
        Figures.load(path)


def test_free_cache_forgets_report_and_figures():
    swinging_chain()
    simulate_scene(bpy.context)
    free_cache(bpy.context)
    assert NAME not in bpy.data.texts and figure_cache.shown(bpy.context.scene) is None


# Failure. ---------------------------------------------------------------------------------------------------


def test_a_failed_run_says_frame_joint_and_what_to_try():
    swinging_chain(3, 20)
    outcome = failing_run()
    assert outcome.diverged
    diagnosis = bpy.context.scene.redmax.diagnosis
    assert (diagnosis.failed, diagnosis.frame, diagnosis.remedy) == (True, 8, "SUBSTEPS")
    assert "bone1" in diagnosis.joint
    drawn = draw(bpy.types.VIEW3D_PT_redmax_diagnosis)
    labels = " ".join(text for kind, text, _ in drawn if kind == "label")
    assert "frame 8" in labels and "bone1" in labels
    before = bpy.context.scene.redmax.substeps
    assert any(kind == "operator" and text == f"Use {2 * before} Substeps" for kind, _, text in drawn)
    assert bpy.ops.redmax.try_remedy() == {"FINISHED"}
    assert bpy.context.scene.redmax.substeps == 2 * before
    simulate_scene(bpy.context)
    assert not diagnosis.failed
    assert not bpy.ops.redmax.try_remedy.poll()


def test_an_integrator_that_fails_is_to_be_changed():
    swinging_chain(3, 20)
    settings = bpy.context.scene.redmax
    settings.integrator = "bdf2"
    failing_run()
    assert settings.diagnosis.remedy == "INTEGRATOR"
    assert bpy.ops.redmax.try_remedy() == {"FINISHED"}
    assert settings.integrator == "euler-midway"


# Graphs. ----------------------------------------------------------------------------------------------------


def test_energies_and_torques_can_be_plotted_in_the_graph_editor():
    swinging_chain()
    simulate_scene(bpy.context)
    holder = graph_figures(bpy.context.scene)
    start, figures = figure_cache.shown(bpy.context.scene)
    for frame in (5, 8, 10):
        bpy.context.scene.frame_set(frame)
        assert holder["energy total (J)"] == pytest.approx(figures.energy[frame - start].sum(), rel=1e-5)
        torque = figures.joint_torque("Rig/bone1")[frame - start, 0]
        assert holder["torque Rig/bone1 x"] == pytest.approx(torque, rel=1e-5, abs=1e-9)


def test_graphs_leave_actions_of_the_user_alone():
    obj = swinging_chain()
    simulate_scene(bpy.context)
    bake_object(obj, bpy.context.scene)
    action = obj.animation_data.action
    graph_figures(bpy.context.scene)
    assert obj.animation_data.action == action
    assert not any("energy" in name for name in obj.keys())  # noqa: SIM118


def test_graphs_are_replaced_by_those_of_the_next_run():
    obj = swinging_chain()
    simulate_scene(bpy.context)
    first = graph_figures(bpy.context.scene)
    obj.pose.bones["bone2"].redmax.joint = "FIXED"
    simulate_scene(bpy.context)
    second = graph_figures(bpy.context.scene)
    assert first == second
    assert not any("bone2" in name for name in second.keys())  # noqa: SIM118
    assert bpy.ops.redmax.graph_figures() == {"FINISHED"}


def test_long_names_get_graphs_of_their_own():
    names = tuple("a" * 70 + end for end in "bc")
    figures = Figures(
        names, np.array([[0, 1], [1, 2]]), np.zeros((2, 3)), np.ones((2, 2)), np.zeros((2, 2)), ()
    )
    rows = graph_rows(figures)
    assert len(rows) == 4 + 2 and all(len(name.encode()) <= 63 for name in rows)


def test_a_joint_that_was_not_simulated_is_named():
    swinging_chain()
    simulate_scene(bpy.context)
    with pytest.raises(SceneError, match="elbow"):
        graph_figures(bpy.context.scene, ["elbow"])


def test_torques_belong_to_the_joint_that_has_them():
    """In a tree of several branches, whose order in the engine is its own."""
    bones = [("hip", None, (0, 0, 2), (0, 0, 2.5))]
    for side, x in (("L", 1.0), ("R", -1.0)):
        bones += [
            (f"thigh.{side}", "hip", (x, 0, 2), (2 * x, 0, 2)),
            (f"shin.{side}", f"thigh.{side}", (2 * x, 0, 2), (3 * x, 0, 2)),
        ]
    obj = make_armature(bones)
    make_physical(obj, bpy.context.scene)
    rubbing = obj.pose.bones["thigh.R"].redmax
    rubbing.friction.coefficient, rubbing.friction.radius = 0.5, 0.1
    obj.pose.bones["shin.L"].redmax.joint = "REVOLUTE"
    set_range(1, 4)
    for apart in (False, True):
        simulation = Simulation(bpy.context, apart=apart)
        while simulation.advance():
            pass
        simulation.finish(bpy.context)
        _, figures = figure_cache.shown(bpy.context.scene)
        torques = figures.friction_torque(3)
        assert torques["Rig/thigh.R"] > 0.0
        assert all(torque == 0.0 for name, torque in torques.items() if name != "Rig/thigh.R")
