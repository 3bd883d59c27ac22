"""After a bake Simulate goes on from the action before it, and edited keys stay; no button simulates by surprise."""

import bpy
import numpy as np
import pytest
from blender_fixtures import curve_table, distance_from_cache
from mechanism_fixtures import add_box
from test_own_pose import own, posed_chain

from redmax_blender.bridge.bake.actions import curves_of
from redmax_blender.bridge.bake.bake import BakeOptions, bake_object
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.run.simulate_scene import simulate_scene

INTO = ["COPY", "NEW", "NLA"] + (["SLOT"] if bpy.app.version >= (4, 4, 0) else [])


@pytest.mark.parametrize("into", INTO)
@pytest.mark.parametrize("keyed", [False, True])
def test_it_simulates_from_the_action_before_the_bake(into, keyed, capfd):
    obj = posed_chain(keyed)
    before, scene = own(obj), bpy.context.scene
    action = obj.animation_data and obj.animation_data.action
    table = action and curve_table(action)
    simulate_scene(bpy.context)
    motion = cache.track_of(obj, scene)[1].pose
    bake_object(obj, scene, BakeOptions(into=into))
    scene.frame_set(19)
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    assert "was baked: it is simulated from its own action, and its bake is deleted" in capfd.readouterr().out
    assert not obj.redmax.is_baked
    # The NLA normalises quaternions that nothing animates any more, which changes their last digit.
    assert np.allclose(cache.track_of(obj, scene)[1].pose, motion, atol=1e-5 if into == "NLA" else 1e-9)
    assert (obj.animation_data and obj.animation_data.action) == action
    assert not action or curve_table(action) == table
    assert not [each for each in bpy.data.actions if each != action]
    assert max(distance_from_cache(obj, frame) for frame in (19, 3, 30)) < 1e-5
    bpy.ops.redmax.free_cache()
    scene.frame_set(1)
    assert np.allclose(own(obj), before, atol=1e-6)


@pytest.mark.parametrize("into", INTO)
def test_a_bake_that_was_edited_stays_in_the_file(into):
    obj = posed_chain(keyed=True)
    scene = bpy.context.scene
    simulate_scene(bpy.context)
    baked = bake_object(obj, scene, BakeOptions(into=into))
    curve = next(curve for _, curve in _all(baked) if "bone2" in curve.data_path)
    curve.keyframe_points[4].co.y += 0.25
    table = curve_table(baked)
    outcome = simulate_scene(bpy.context)
    assert any(f"the edited bake is kept as action '{baked.name}'" in text for text in outcome.warnings)
    assert curve_table(baked) == table and baked.users
    assert obj.animation_data.action is not None and len(curves_of(obj)) == 4


def _all(action):
    from blender_fixtures import all_curves

    return all_curves(action)


def test_a_simulation_that_cannot_start_leaves_the_bake_alone():
    obj = posed_chain(keyed=True)
    simulate_scene(bpy.context)
    baked = bake_object(obj, bpy.context.scene)
    obj.scale = (1.0, 2.0, 1.0)
    with pytest.raises(RuntimeError):
        bpy.ops.redmax.simulate()
    assert obj.redmax.is_baked and obj.animation_data.action == baked


def test_no_tick_simulates_again():
    """Blender repeats an operator when a setting of it is changed in the panel of the last operator."""
    properties = bpy.ops.redmax.simulate.get_rna_type().properties
    assert [p.identifier for p in properties if p.identifier != "rna_type" and not p.is_hidden] == []


# Add Joint. ---------------------------------------------------------------------------------------------------


def boxes(*places, size=(1.0, 0.2, 0.2)) -> list[bpy.types.Object]:
    made = [add_box(f"Box{k}", place, size) for k, place in enumerate(places)]
    bpy.ops.object.select_all(action="DESELECT")
    for box in made:
        box.select_set(True)
    bpy.context.view_layer.objects.active = made[-1]
    bpy.context.view_layer.update()
    return made


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        (((0, 0, 5), (1.4, 0, 5)), (0.7, 0, 5)),  # a gap between two ends
        (((0, 0, 5), (1.0, 0, 5)), (0.5, 0, 5)),  # end to end
        (((0, 0, 5), (0.9, 0.1, 5)), (0.45, 0.05, 5)),  # overlapping
        (((0, 0, 5), (0, 0, 6)), (0, 0, 5.5)),  # side by side
    ],
)
def test_a_joint_is_where_two_bodies_meet_wherever_the_cursor_is(places, expected, capfd):
    boxes(*places)
    bpy.context.scene.cursor.location = (7.0, -3.0, 1.0)
    assert bpy.ops.redmax.add_joint(kind="HINGE") == {"FINISHED"}
    bpy.context.view_layer.update()
    assert np.allclose(bpy.context.object.matrix_world.translation, expected, atol=1e-5)
    assert "between 'Box0' and 'Box1'" in capfd.readouterr().out


def test_a_joint_with_the_world_is_at_the_cursor_only_where_that_is_on_the_body():
    (box,) = boxes((1.0, 2.0, 3.0))
    bpy.context.scene.cursor.location = (0.5, 2.0, 3.0)
    bpy.ops.redmax.add_joint(kind="HINGE")
    bpy.context.view_layer.update()
    assert np.allclose(bpy.context.object.matrix_world.translation, (0.5, 2.0, 3.0), atol=1e-6)
    bpy.ops.object.select_all(action="DESELECT")
    box.select_set(True)
    bpy.context.scene.cursor.location = (0.0, 0.0, 0.0)
    bpy.ops.redmax.add_joint(kind="POINT")
    bpy.context.view_layer.update()
    assert np.allclose(bpy.context.object.matrix_world.translation, (1.0, 2.0, 3.0), atol=1e-6)
    bpy.ops.object.select_all(action="DESELECT")
    box.select_set(True)
    bpy.ops.redmax.add_joint(kind="POINT", place="CURSOR")
    bpy.context.view_layer.update()
    assert np.allclose(bpy.context.object.matrix_world.translation, (0.0, 0.0, 0.0), atol=1e-6)
