"""From a goal to a baked shot; and a search that is ended, or whose file is closed, while it goes on."""

import time

import bpy
import numpy as np
from blender_fixtures import set_range
from mechanism_fixtures import add_box, add_empty

from redmax_blender.bridge.goals.keep import keep
from redmax_blender.bridge.goals.read_goals import read_goals
from redmax_blender.bridge.goals.solve import SolveProcess
from redmax_blender.bridge.run.simulate_scene import simulate_scene

MARK = (1.2, 0.4, 0.05)


def slid():
    """A box that lies on the ground and is to slide to a mark, on which it comes to rest."""
    box = add_box("Box", (0.0, 0.0, 0.05), (0.2, 0.2, 0.1))
    box.redmax.surface.collide = True
    bpy.ops.redmax.add_ground()
    set_range(1, 25, substeps=10)
    goals = bpy.context.scene.redmax.goals
    goal = goals.wanted.add()
    goal.object, goal.target, goal.frame = box, add_empty("Mark", MARK), 25
    goals.changes.add().object = box
    bpy.context.view_layer.update()
    return box


def running(goals):
    """A search in its process, with something found."""
    search = SolveProcess(goals.scene)
    end = time.monotonic() + 120.0
    while search.advance() and (search.found is None or not search.found.objective < search.found.first):
        assert time.monotonic() < end
        time.sleep(0.05)
    return search


def test_a_goal_becomes_a_baked_shot_through_contact(tmp_path):
    box = slid()
    assert bpy.ops.redmax.solve_goals() == {"FINISHED"}
    assert not simulate_scene(bpy.context).diverged
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    assert box.animation_data is not None
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    bpy.context.scene.frame_set(25)
    place = bpy.data.objects["Box"].matrix_world.translation
    assert np.linalg.norm(np.array(place) - MARK) < 0.02


def test_a_search_that_is_stopped_leaves_the_best_and_no_process():
    box = slid()
    goals = read_goals(bpy.context)
    search = running(goals)
    search.stop()
    assert search._process.poll() is not None
    first, best = search.found.first, search.found.objective
    assert best < first
    keep(bpy.context, goals, search.found.values)
    again = read_goals(bpy.context)
    assert box.animation_data is not None and again.scene.task is not None


def test_a_file_may_be_opened_while_a_search_goes_on(tmp_path):
    slid()
    path = str(tmp_path / "goals.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    search = running(read_goals(bpy.context))
    bpy.ops.wm.open_mainfile(filepath=path)
    search.stop()
    assert search._process.poll() is not None
    assert bpy.data.objects["Box"].animation_data is None
    assert not bpy.context.window_manager.redmax.running
    assert bpy.ops.redmax.solve_goals() == {"FINISHED"}
