"""Blender's Soft Body modifier becomes flesh, and comes back."""

import bpy
import numpy as np
import pytest
from blender_fixtures import set_range
from flesh_fixtures import (
    add_suzanne,
    mesh_state,
    recorded,
    select,
    shown,
    simulate,
)


def add_soft_body(obj: bpy.types.Object) -> bpy.types.SoftBodyModifier:
    modifier = obj.modifiers.new("Softbody", "SOFT_BODY")
    body = modifier.settings
    body.mass, body.pull, body.friction = 2.0, 0.8, 0.6
    group = obj.vertex_groups.new(name="goal")
    group.add([v.index for v in obj.data.vertices if v.co.z > 0.3], 1.0, "REPLACE")
    body.use_goal, body.vertex_group_goal = True, "goal"
    return modifier


def test_a_soft_body_is_converted_and_can_be_taken_back():
    suzanne = add_suzanne(None)
    modifier = add_soft_body(suzanne)
    modifier.show_render = False
    before = mesh_state(suzanne)
    select(suzanne)
    assert bpy.ops.redmax.convert_soft_body() == {"FINISHED"}
    settings = suzanne.redmax.flesh
    assert settings.soft and settings.mass_from == "MASS" and settings.mass == pytest.approx(2e-3 * 507)
    assert settings.pin_group == "goal" and settings.drag == pytest.approx(0.6 * 0.01 / 2.0 * 24)
    assert not modifier.show_viewport and not modifier.show_render
    soft = settings.young
    modifier.settings.pull = 0.9
    bpy.ops.redmax.convert_soft_body()
    assert settings.young == pytest.approx(soft * 9.0 / 4.0, rel=1e-4)
    bpy.context.scene.redmax.frame_end = 6
    assert simulate() == []
    frames = recorded(suzanne)
    assert 0.01 < np.ptp(frames, axis=0).max() < 10.0
    bpy.ops.redmax.free_cache()
    bpy.ops.redmax.clear_soft()
    modifier.settings.pull = 0.8
    assert mesh_state(suzanne) == before


def test_one_undo_takes_the_conversion_back():
    suzanne = add_suzanne(None)
    add_soft_body(suzanne)
    select(suzanne)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.redmax.convert_soft_body()
    bpy.ops.ed.undo_push(message="converted")
    bpy.ops.ed.undo()
    suzanne = bpy.data.objects["Suzanne"]
    assert not suzanne.redmax.flesh.soft and suzanne.modifiers["Softbody"].show_viewport


def test_converted_flesh_hangs_about_as_far_as_blenders_soft_body():
    scene = bpy.context.scene
    bpy.ops.mesh.primitive_uv_sphere_add(segments=24, ring_count=16, radius=0.5)
    ball = bpy.context.object
    body = ball.modifiers.new("Softbody", "SOFT_BODY").settings
    top = ball.vertex_groups.new(name="goal")
    top.add([v.index for v in ball.data.vertices if v.co.z > 0.3], 1.0, "REPLACE")
    body.use_goal, body.vertex_group_goal, body.goal_default = True, "goal", 1.0
    body.pull = body.push = 0.8
    body.use_stiff_quads, body.shear = True, 1.0
    body.bend = 0.5  # without it the skin of springs folds, which a solid does not
    for frame in range(1, 41):
        scene.frame_set(frame)
    soft_body = -0.5 - shown(ball)[:, 2].min()
    scene.frame_set(1)
    select(ball)
    bpy.ops.redmax.convert_soft_body()
    set_range(1, 40, substeps=2)
    assert simulate() == []
    flesh = -0.5 - recorded(ball)[-1, :, 2].min()
    assert soft_body / 4.0 < flesh < 4.0 * soft_body
