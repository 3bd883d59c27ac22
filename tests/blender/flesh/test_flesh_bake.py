"""Soft Suzanne on two bones: preview, bake and back; nothing deforms twice, and nothing of the mesh is lost."""

import bpy
import numpy as np
import pytest
from flesh_fixtures import film, mesh_state, recorded, shown, simulate, soft_suzanne

from redmax_blender.bridge.run.simulate_scene import free_cache


def test_the_preview_shows_the_recording_and_nothing_deforms_twice():
    suzanne, _ = soft_suzanne()
    suzanne.modifiers["Subdivision"].show_viewport = False
    simulate()
    frames = recorded(suzanne)
    assert np.ptp(frames, axis=0).max() > 0.1, "it moves"
    seen = film(suzanne, range(3, 15))
    matrix = np.array(suzanne.matrix_world)
    assert np.abs(seen - (frames @ matrix[:3, :3].T + matrix[:3, 3])).max() < 1e-6


@pytest.mark.parametrize("kind", ["ABSOLUTE", "RELATIVE"])
def test_the_bake_is_the_preview(kind):
    """At every vertex and frame, before and after the range too, the Subdivision modifier included."""
    suzanne, _ = soft_suzanne()
    suzanne.redmax.flesh.bake_to = kind
    simulate()
    preview = film(suzanne)
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    assert suzanne.data.shape_keys.use_relative == (kind == "RELATIVE")
    assert np.abs(film(suzanne) - preview).max() < 1e-5


def test_between_frames_the_bake_is_the_preview_too():
    suzanne, _ = soft_suzanne()
    simulate()
    between = [3.25, 7.5, 13.9]
    preview = film(suzanne, between)
    bpy.ops.redmax.bake()
    # the armature's own motion between frames is not part of the mesh, which hangs on it only as a whole
    assert np.abs(film(suzanne, between) - preview).max() < 1e-5


@pytest.mark.parametrize("kind", ["ABSOLUTE", "RELATIVE"])
def test_delete_bake_and_free_cache_leave_the_mesh_as_it_was(kind):
    suzanne, _ = soft_suzanne()
    suzanne.redmax.flesh.bake_to = kind
    before = mesh_state(suzanne)
    simulate()
    previewing = mesh_state(suzanne)
    preview = film(suzanne)
    for _ in range(2):
        bpy.ops.redmax.bake()
        bpy.ops.redmax.delete_bake()
        found = mesh_state(suzanne)
        # the preview's own modifier is a new one
        found["modifiers"][0] = previewing["modifiers"][0]
        assert found == previewing
        assert np.abs(film(suzanne) - preview).max() < 1e-6
    free_cache(bpy.context)
    assert mesh_state(suzanne) == before


def test_freeing_the_cache_of_a_baked_mesh_keeps_the_bake():
    suzanne, _ = soft_suzanne()
    simulate()
    preview = film(suzanne)
    bpy.ops.redmax.bake()
    bpy.ops.redmax.free_cache()
    assert np.abs(film(suzanne) - preview).max() < 1e-5
    bpy.ops.redmax.delete_bake()
    assert suzanne.modifiers["Armature"].show_viewport and suzanne.data.shape_keys is None


def test_every_nth_frame_is_exact_there_and_straight_in_between():
    suzanne, _ = soft_suzanne()
    suzanne.redmax.flesh.bake_step = 4
    simulate()
    suzanne.modifiers["Subdivision"].show_viewport = False
    preview = film(suzanne, range(3, 15))
    bpy.ops.redmax.bake()
    baked = film(suzanne, range(3, 15))
    assert len(suzanne.data.shape_keys.key_blocks) == 1 + 4
    exact = [0, 4, 8, 11]
    assert np.abs(baked[exact] - preview[exact]).max() < 1e-5
    for a, b in zip(exact, exact[1:]):
        for f in range(a, b):
            part = (f - a) / (b - a)
            assert np.abs(baked[f] - (1 - part) * preview[a] - part * preview[b]).max() < 1e-5


def test_one_curve_drives_the_absolute_keys():
    suzanne, _ = soft_suzanne()
    simulate()
    bpy.ops.redmax.bake()
    keys = suzanne.data.shape_keys
    assert keys.animation_data.action == suzanne.redmax.baked_action
    scene = bpy.context.scene
    scene.frame_set(9)
    a = shown(suzanne)
    assert keys.evaluated_get(bpy.context.evaluated_depsgraph_get()).eval_time == 25.0 * 7
    scene.frame_set(10)
    assert np.abs(shown(suzanne) - a).max() > 1e-4
