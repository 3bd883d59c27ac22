"""Goals: from what an animator wants to keys that the next simulation starts from."""

import bpy
import numpy as np
import pytest
from blender_fixtures import set_range
from mechanism_fixtures import add_box, add_empty

from redmax_blender.bridge.goals.keep import keep
from redmax_blender.bridge.goals.read_goals import read_goals
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.engine.errors import InputError


def thrown(at=(0.0, 0.0, 1.0), target=(1.5, -0.5, 1.2), frame=13, turned=(0.0, 0.0, 0.0)):
    """A box that is to fly through an empty at a frame."""
    box = add_box("Box", at, (0.2, 0.3, 0.1))
    box.rotation_euler = turned
    mark = add_empty("Mark", target)
    set_range(1, 16, substeps=10)
    goals = bpy.context.scene.redmax.goals
    goal = goals.wanted.add()
    goal.object, goal.target, goal.frame = box, mark, frame
    change = goals.changes.add()
    change.object = box
    bpy.context.view_layer.update()
    return box, mark


def place_at(obj, frame):
    """Where the recording has an object, in Blender units."""
    scene = bpy.context.scene
    return np.array(cache.track_of(obj, scene)[1].pose[frame - scene.redmax.frame_start, 0, :3, 3])


@pytest.mark.parametrize("turned", [(0.0, 0.0, 0.0), (0.4, -0.3, 1.0)])
def test_solve_keys_a_start_that_reaches_the_target(turned):
    box, mark = thrown(turned=turned)
    assert bpy.ops.redmax.solve_goals() == {"FINISHED"}
    bpy.context.scene.frame_set(1)
    np.testing.assert_allclose(box.matrix_world.translation, (0, 0, 1), atol=1e-6)
    assert not simulate_scene(bpy.context).diverged
    assert np.linalg.norm(place_at(box, 13) - np.array(mark.location)) < 0.01


def test_a_moving_target_is_reached_where_it_is_at_the_frame():
    box, mark = thrown()
    for frame, x in ((1, 0.0), (13, 1.0), (16, 5.0)):
        mark.location.x = x
        mark.keyframe_insert("location", frame=frame)
    assert bpy.ops.redmax.solve_goals() == {"FINISHED"}
    assert not simulate_scene(bpy.context).diverged
    assert np.linalg.norm(place_at(box, 13) - np.array((1.0, -0.5, 1.2))) < 0.01


def test_goals_survive_a_reload(tmp_path):
    thrown()
    path = str(tmp_path / "goals.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    goals = bpy.context.scene.redmax.goals
    assert goals.wanted[0].target.name == "Mark" and goals.changes[0].object.name == "Box"
    assert bpy.ops.redmax.solve_goals() == {"FINISHED"}
    assert bpy.data.objects["Box"].animation_data is not None


def test_friction_that_was_found_is_set():
    box, _ = thrown(at=(0.0, 0.0, 0.05), target=(0.5, 0.0, 0.05), frame=25)
    set_range(1, 25, substeps=4)
    box.redmax.surface.collide = True
    bpy.ops.redmax.add_ground()
    for frame, x in ((0, -2.0 / 24.0), (1, 0.0)):
        box.location.x = x
        box.keyframe_insert("location", frame=frame)
    goals = bpy.context.scene.redmax.goals
    goals.changes[0].kind, goals.changes[0].largest = "FRICTION", 2.0
    goals.iterations = 8
    scene = read_goals(bpy.context).scene
    assert scene.task.parameters[0].path == ["bodies", "Box", "surface", "friction"]
    keep(bpy.context, read_goals(bpy.context), [0.3])
    assert box.redmax.surface.friction == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda goals: goals.wanted.clear(), "there is no goal"),
        (lambda goals: goals.changes.clear(), "nothing may change"),
        (lambda goals: setattr(goals.wanted[0], "frame", 40), "outside of the simulation"),
        (lambda goals: setattr(goals.wanted[0], "target", None), "no target"),
        (lambda goals: setattr(goals.wanted[0], "object", None), "about nothing"),
        (lambda goals: setattr(goals.wanted[0], "object", bpy.data.objects["Mark"]), "not an active body"),
        (lambda goals: setattr(goals.changes[0], "object", bpy.data.objects["Mark"]), "not an active body"),
        (lambda goals: setattr(goals.changes[0], "kind", "FRICTION"), "touches nothing"),
        (
            lambda goals: setattr(bpy.context.scene.redmax, "use_start_velocity", False),
            "simulations start at rest",
        ),
    ],
)
def test_goals_that_cannot_be_get_clear_words(spoil, words):
    box, _ = thrown()
    spoil(bpy.context.scene.redmax.goals)
    with pytest.raises(InputError) as error:
        read_goals(bpy.context)
    assert words in str(error.value)
    with pytest.raises(RuntimeError, match=words[:20]):
        bpy.ops.redmax.solve_goals()
    assert box.animation_data is None


def test_a_target_beyond_reach_leaves_the_nearest_that_can_be(capfd):
    box, _ = thrown(target=(30.0, 0.0, 0.0))
    bpy.context.scene.redmax.goals.changes[0].largest = 5.0
    assert bpy.ops.redmax.solve_goals() == {"FINISHED"}
    assert not simulate_scene(bpy.context).diverged
    assert 2.0 < place_at(box, 13)[0] < 3.0  # half a second at 5 m/s
    assert "Goal 1 is missed by 27." in "".join(capfd.readouterr())


def test_entries_are_added_and_removed():
    box, _ = thrown()
    bpy.context.view_layer.objects.active = box
    goals = bpy.context.scene.redmax.goals
    assert bpy.ops.redmax.add_goal() == {"FINISHED"} and goals.wanted[1].object == box
    assert bpy.ops.redmax.add_change() == {"FINISHED"} and goals.changes[1].object == box
    assert bpy.ops.redmax.remove_goal(index=0) == {"FINISHED"} and len(goals.wanted) == 1
    assert bpy.ops.redmax.remove_goal(index=1, of_changes=True) == {"FINISHED"} and len(goals.changes) == 1
    with pytest.raises(RuntimeError, match="no such entry"):
        bpy.ops.redmax.remove_goal(index=5)
