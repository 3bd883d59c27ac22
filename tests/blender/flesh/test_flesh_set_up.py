"""Making meshes soft: presets, cages that are kept, shown and edited, and what bones carry."""

from dataclasses import fields

import bpy
import numpy as np
import pytest
from flesh_fixtures import (
    add_suzanne,
    make_rig,
    mesh_state,
    select,
    simulate,
    soft_suzanne,
    soften,
)

from redmax_blender.bridge.flesh.cage import read_cage
from redmax_blender.bridge.flesh.cage_worker import build_cage, build_cage_apart
from redmax_blender.bridge.flesh.make_soft import PRESETS
from redmax_blender.bridge.flesh.rest_shape import triangles_of
from redmax_blender.bridge.read.mesh import vertex_positions
from redmax_blender.bridge.recording.cache import is_current
from redmax_blender.bridge.run.simulate_scene import Simulation
from redmax_blender.engine.errors import InputError


def read_flesh() -> list:
    return Simulation(bpy.context).reading.scene.flesh


@pytest.mark.parametrize("preset", PRESETS)
def test_make_soft_sets_the_numbers_of_its_preset(preset):
    suzanne = add_suzanne(None)
    select(suzanne)
    assert bpy.ops.redmax.make_soft(preset=preset) == {"FINISHED"}
    settings = suzanne.redmax.flesh
    assert settings.soft
    assert settings.young == pytest.approx(PRESETS[preset].young)
    assert settings.poisson == pytest.approx(PRESETS[preset].poisson)
    assert "vertices" in settings.cage_text and "60° to 90°" in settings.cage_text


def test_clear_soft_keeps_the_settings_and_lets_go_of_the_simulation():
    suzanne, _ = soft_suzanne()
    before = mesh_state(suzanne)
    simulate()
    select(suzanne)
    bpy.ops.redmax.clear_soft()
    assert not suzanne.redmax.flesh.soft and not suzanne.redmax.result
    assert suzanne.redmax.flesh.young == pytest.approx(PRESETS["MUSCLE"].young)
    assert mesh_state(suzanne) == before


def test_the_cage_is_kept_until_the_mesh_changes():
    suzanne, _ = soft_suzanne()
    depsgraph = bpy.context.evaluated_depsgraph_get()

    def cage():
        bpy.context.view_layer.update()
        return read_cage(suzanne, depsgraph, 1.0).cage

    first = cage()
    suzanne.location, suzanne.rotation_euler = (1.0, 2.0, 3.0), (0.5, 0.6, 0.7)
    assert cage() is first
    suzanne.redmax.flesh.cage_count = 100
    assert cage() is not first
    suzanne.redmax.flesh.cage_count = 60
    assert cage() is first
    suzanne.data.vertices[0].co.x += 0.05
    assert cage() is not first


def test_bones_hold_their_flesh_by_several_vertices_so_that_spin_comes_across():
    soft_suzanne((1, 10))
    (flesh,) = read_flesh()
    assert {a.body for a in flesh.attachments} == {"Rig/lower", "Rig/upper"}
    points = np.array(flesh.vertices)
    for attachment in flesh.attachments:
        held = points[attachment.vertices]
        assert len(held) >= 4
        # not on the bone's axis, about which they could turn
        assert np.linalg.norm(held[:, :2] - held[:, :2].mean(axis=0), axis=1).max() > 0.05


def test_weights_can_attach_and_groups_of_ours_come_first():
    suzanne, _ = soft_suzanne()
    suzanne.redmax.flesh.attach_from = "WEIGHTS"

    def heights() -> dict[str, np.ndarray]:
        (flesh,) = read_flesh()
        points = np.array(flesh.vertices)
        return {a.body: points[a.vertices][:, 2] for a in flesh.attachments}

    found = heights()
    assert found["Rig/upper"].min() > -0.4 and found["Rig/lower"].max() < 0.4
    assert len(found["Rig/upper"]) > 10
    crown = suzanne.vertex_groups.new(name="RedMax upper")
    crown.add([v.index for v in suzanne.data.vertices if v.co.z > 0.6], 1.0, "REPLACE")
    edited = heights()
    assert len(edited["Rig/upper"]) < len(found["Rig/upper"])
    assert edited["Rig/upper"].min() > 0.0
    assert np.array_equal(edited["Rig/lower"], found["Rig/lower"])


def test_the_pin_group_goes_with_the_bones_of_the_skin():
    suzanne, _ = soft_suzanne()
    ears = suzanne.vertex_groups.new(name="ears")
    ears.add([v.index for v in suzanne.data.vertices if abs(v.co.x) > 1.0], 1.0, "REPLACE")
    suzanne.redmax.flesh.pin_group = "ears"
    (flesh,) = read_flesh()
    points = np.array(flesh.vertices)
    assert not flesh.pinned
    held = np.concatenate([points[a.vertices] for a in flesh.attachments])
    assert np.abs(held[:, 0]).max() > 1.0
    suzanne.modifiers.remove(suzanne.modifiers["Armature"])
    suzanne.parent = None
    (flesh,) = read_flesh()
    assert flesh.pinned and not flesh.attachments


def test_the_shown_cage_can_be_edited_and_decides():
    suzanne, _ = soft_suzanne()
    before = mesh_state(suzanne)
    (automatic,) = read_flesh()
    select(suzanne)
    assert bpy.ops.redmax.show_cage() == {"FINISHED"}
    cage = suzanne.redmax.flesh.cage
    assert len(cage.data.vertices) == len(automatic.vertices) and len(cage.data.edges) > 100
    assert cage.hide_render and cage.display_type == "WIRE" and cage.parent == suzanne
    assert [group.name for group in cage.vertex_groups] == ["lower", "upper"]
    (shown,) = read_flesh()
    assert shown.attachments == automatic.attachments
    spare = next(
        i for i in range(len(automatic.vertices)) if all(i not in a.vertices for a in automatic.attachments)
    )
    cage.vertex_groups["lower"].add([spare], 1.0, "REPLACE")
    dropped = automatic.attachments[1].vertices[0]
    cage.vertex_groups["upper"].remove([dropped])
    cage.vertex_groups.new(name="Pinned").add([dropped], 1.0, "REPLACE")
    (edited,) = read_flesh()
    assert spare in edited.attachments[0].vertices
    assert dropped not in edited.attachments[1].vertices and edited.pinned == [dropped]
    simulate()
    bpy.ops.redmax.bake()
    bpy.ops.redmax.delete_bake()
    bpy.ops.redmax.free_cache()
    assert bpy.ops.redmax.remove_cage() == {"FINISHED"}
    assert mesh_state(suzanne) == before
    assert "RedMax Cages" not in bpy.data.collections and len(bpy.data.objects) == 2
    (again,) = read_flesh()
    assert again.attachments == automatic.attachments


def test_a_shown_cage_of_another_shape_is_named_and_not_used():
    suzanne, _ = soft_suzanne()
    select(suzanne)
    bpy.ops.redmax.show_cage()
    suzanne.redmax.flesh.cage_count = 120
    (warning,) = simulate()
    assert "'Suzanne'" in warning and "Show Cage makes it anew" in warning


def test_a_deleted_cage_object_counts_as_removed():
    suzanne, _ = soft_suzanne()
    select(suzanne)
    bpy.ops.redmax.show_cage()
    select(suzanne.redmax.flesh.cage)
    bpy.ops.object.delete()
    assert simulate() == []


def test_a_cage_that_is_shown_again_stays_the_same_object():
    """A new one may get the address of the removed one, and Blender's undo then leaves pointers to nothing."""
    suzanne, _ = soft_suzanne()
    select(suzanne)
    bpy.ops.redmax.show_cage()
    cage, mesh = suzanne.redmax.flesh.cage.session_uid, suzanne.redmax.flesh.cage.data.session_uid
    suzanne.redmax.flesh.cage_count = 120
    bpy.ops.redmax.show_cage()
    again = suzanne.redmax.flesh.cage
    assert (again.session_uid, again.data.session_uid) == (cage, mesh)
    assert [group.name for group in again.vertex_groups] == ["lower", "upper"]
    (flesh,) = read_flesh()
    assert len(again.data.vertices) == len(flesh.vertices)


def test_a_duplicated_mesh_gets_a_cage_of_its_own():
    suzanne, _ = soft_suzanne()
    select(suzanne)
    bpy.ops.redmax.show_cage()
    select(suzanne)
    bpy.ops.object.duplicate()
    other = bpy.context.object
    assert other != suzanne
    bpy.ops.redmax.show_cage()
    assert other.redmax.flesh.cage != suzanne.redmax.flesh.cage
    bpy.ops.redmax.remove_cage()
    assert suzanne.redmax.flesh.cage.name in bpy.context.scene.objects


def test_two_bones_with_one_name_have_groups_of_their_own():
    first, second = make_rig("One"), make_rig("Two")
    second.location.y = 0.3
    suzanne = add_suzanne(first)
    suzanne.modifiers.new("Second", "ARMATURE").object = second
    bpy.context.view_layer.update()
    soften(suzanne)
    select(suzanne)
    bpy.ops.redmax.show_cage()
    names = {group.name for group in suzanne.redmax.flesh.cage.vertex_groups}
    assert names == {"One/lower", "One/upper", "Two/lower", "Two/upper"}


def test_a_cage_from_a_process_of_its_own_is_the_same_and_so_are_its_errors():
    suzanne = add_suzanne(None)
    points, triangles = vertex_positions(suzanne.data), triangles_of(suzanne.data)
    here, there = (build(points, triangles, None, 60, "Suzanne") for build in (build_cage, build_cage_apart))
    for field in fields(here):
        assert np.array_equal(getattr(here, field.name), getattr(there, field.name)), field.name
    with pytest.raises(InputError, match=r"Suzanne: the mesh encloses no volume. Give it a thickness"):
        build_cage_apart(points * [1, 1, 0], triangles, None, 60, "Suzanne")


def test_the_cache_is_stale_when_groups_keys_or_the_cage_change():
    suzanne, _ = soft_suzanne((1, 3))
    simulate()
    scene = bpy.context.scene
    assert is_current(scene)
    suzanne.vertex_groups["lower"].add([0], 0.25, "REPLACE")
    assert not is_current(scene)
    simulate()
    assert is_current(scene)
    select(suzanne)
    suzanne.redmax.flesh.bake_to = "RELATIVE"
    assert is_current(scene)
    bpy.ops.redmax.show_cage()
    simulate()
    suzanne.redmax.flesh.cage.vertex_groups["lower"].add([0], 1.0, "REPLACE")
    assert not is_current(scene)
