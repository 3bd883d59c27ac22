"""Automatic substeps: as many as the scene needs; files of earlier versions keep their number."""

import bpy
import pytest
from blender_fixtures import make_chain, set_range

from redmax_blender import handlers
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.engine.run import automatic_step


def tail(frames: int = 8) -> bpy.types.PropertyGroup:
    make_physical(make_chain(4), bpy.context.scene, Choices(root="HINGED"))
    set_range(1, frames)
    settings = bpy.context.scene.redmax
    settings.auto_substeps = True
    return settings


def test_they_are_the_default_and_a_number_switches_them_off():
    settings = bpy.context.scene.redmax
    assert settings.auto_substeps
    settings.substeps = 7
    assert not settings.auto_substeps


def test_few_for_a_tail_more_on_the_ground_and_the_report_says_why():
    settings = tail()
    simulate_scene(bpy.context)
    few = settings.chosen_substeps
    assert 2 <= few < 8
    bpy.context.scene.render.fps = 240
    simulate_scene(bpy.context)
    assert settings.chosen_substeps == 2
    bpy.context.scene.render.fps = 24
    bpy.ops.redmax.add_ground()
    simulate_scene(bpy.context)
    assert settings.chosen_substeps == 10
    assert "10 a frame, chosen for contacts" in bpy.data.texts["RedMax Report"].as_string()


def test_a_run_that_diverges_is_begun_again_with_twice_as_many(monkeypatch):
    settings = tail(40)
    bpy.context.scene.gravity.z = -1000.0
    monkeypatch.setattr(automatic_step, "automatic_substeps", lambda _scene, _frame: (1, ""))
    outcome = simulate_scene(bpy.context)
    assert settings.chosen_substeps > 1 and not outcome.diverged
    assert outcome.recording.frame_count == 40
    settings.substeps = 1
    assert simulate_scene(bpy.context).diverged, "a number that was given is kept"


@pytest.mark.parametrize("earlier", [True, False], ids=["earlier version", "this version"])
def test_files_of_earlier_versions_keep_what_they_have(tmp_path, earlier):
    settings = tail()
    if earlier:
        settings.substeps = 40
        for name in ("auto_substeps", "substeps"):  # as such a file has them: the number at its default
            settings.property_unset(name)
        bpy.app.handlers.save_pre.remove(handlers.load_recordings)
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    finally:
        if earlier:
            bpy.app.handlers.save_pre.append(handlers.load_recordings)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    settings = bpy.context.scene.redmax
    assert settings.auto_substeps != earlier
    if earlier:
        assert settings.substeps == 40
