"""Soft meshes with shape keys of their own: they keep them, in the preview, in the bake and after it."""

import bpy
import numpy as np
import pytest
from flesh_fixtures import (
    film,
    mesh_state,
    recorded,
    simulate,
    soft_suzanne,
)
from mathutils import Matrix

from redmax_blender.bridge.bake.actions import curves_of
from redmax_blender.bridge.read.mesh import vertex_positions
from redmax_blender.bridge.run.simulate_scene import free_cache


def add_key(obj: bpy.types.Object, name: str, offset, value: float = 0.0) -> bpy.types.ShapeKey:
    """A relative shape key that moves a part of the mesh."""
    if obj.data.shape_keys is None:
        obj.shape_key_add(name="Basis")
    block = obj.shape_key_add(name=name, from_mix=False)
    block.value = value
    points = vertex_positions(obj.data)
    moved = points + np.where(points[:, 2:] > 0.0, np.asarray(offset, float), 0.0)
    block.data.foreach_set("co", moved.astype(np.float32).ravel())
    return block


def keyed_suzanne() -> bpy.types.Object:
    """With shape keys of its own: one at rest, one animated, one driven by a bone that is simulated."""
    suzanne, rig = soft_suzanne()
    add_key(suzanne, "quiet", (0.3, 0.0, 0.0))
    grow = add_key(suzanne, "grow", (0.0, 0.2, 0.1), 0.4)
    for frame, value in ((1, 0.0), (8, 1.0), (14, 0.3)):
        grow.value = value
        grow.keyframe_insert("value", frame=frame)
    driver = add_key(suzanne, "bulge", (0.0, -0.3, 0.0)).driver_add("value").driver
    driver.type = "AVERAGE"
    variable = driver.variables.new()
    variable.type = "TRANSFORMS"
    variable.targets[0].id, variable.targets[0].bone_target = rig, "upper"
    variable.targets[0].transform_type = "ROT_Z"
    variable.targets[0].transform_space = "LOCAL_SPACE"
    bpy.context.scene.frame_set(3)
    return suzanne


@pytest.mark.parametrize("kind", ["ABSOLUTE", "RELATIVE"])
def test_a_mesh_with_keys_of_its_own_keeps_them_and_gets_relative_ones(kind):
    suzanne = keyed_suzanne()
    suzanne.redmax.flesh.bake_to = kind
    suzanne.active_shape_key_index, suzanne.show_only_shape_key = 1, kind == "RELATIVE"
    before = mesh_state(suzanne)
    simulate()
    preview = film(suzanne)
    bpy.ops.redmax.bake()
    blocks = suzanne.data.shape_keys.key_blocks
    assert [b.name for b in blocks[:4]] == ["Basis", "quiet", "grow", "bulge"]
    assert len(blocks) == 4 + 12 and suzanne.data.shape_keys.use_relative
    inside = slice(2, -2)  # beyond the range its own keys go on, on top of the nearest frame's shape
    assert np.abs(film(suzanne) - preview)[inside].max() < 1e-5
    assert "grow" in str([c.data_path for c in curves_of(suzanne.data.shape_keys)])
    bpy.ops.redmax.delete_bake()
    assert np.abs(film(suzanne) - preview).max() < 1e-6
    free_cache(bpy.context)
    bpy.context.scene.frame_set(3)
    assert mesh_state(suzanne) == before


def test_animated_shape_keys_turn_with_the_flesh():
    """Where flesh has turned, so has what a shape key adds: it changes the shape at rest, not the place."""
    suzanne, rig = soft_suzanne()
    bpy.context.scene.gravity = (0.0, 0.0, 0.0)
    rig.pose.bones["upper"].matrix_basis = Matrix.Rotation(np.pi / 2, 4, "X")
    suzanne.modifiers["Subdivision"].show_viewport = False
    bpy.context.view_layer.update()
    simulate()
    plain = recorded(suzanne)[0].copy()
    nose = add_key(suzanne, "nose", (0.0, -0.2, 0.0))
    nose.value = 1.0
    nose.keyframe_insert("value", frame=3)
    simulate()
    top = vertex_positions(suzanne.data)[:, 2] > 0.6
    added = (recorded(suzanne)[0] - plain)[top]
    turned = (
        rig.matrix_world @ rig.pose.bones["upper"].matrix @ rig.data.bones["upper"].matrix_local.inverted()
    )
    expected = np.array(turned.to_3x3()) @ np.array([0.0, -0.2, 0.0])
    assert abs(expected[1]) < 1e-4 and np.abs(expected).max() > 0.19
    assert np.median(np.abs(added - expected), axis=0) == pytest.approx([0, 0, 0], abs=0.03)


def test_absolute_keys_of_its_own_ask_for_a_point_cache(tmp_path):
    suzanne, _ = soft_suzanne()
    add_key(suzanne, "other", (0.1, 0.0, 0.0))
    suzanne.data.shape_keys.use_relative = False
    before = mesh_state(suzanne)
    simulate()
    previewing = mesh_state(suzanne)
    with pytest.raises(RuntimeError, match=r"absolute shape keys of its own.*Point Cache"):
        bpy.ops.redmax.bake()
    assert mesh_state(suzanne) == previewing
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    suzanne.redmax.flesh.bake_to = "PC2"
    preview = film(suzanne)
    bpy.ops.redmax.bake()
    bpy.ops.redmax.free_cache()
    assert np.abs(film(suzanne) - preview).max() == 0.0
    bpy.ops.redmax.delete_bake()
    bpy.context.scene.frame_set(3)
    assert mesh_state(suzanne) == before


def test_a_shared_mesh_is_not_given_keys():
    suzanne, _ = soft_suzanne()
    other = suzanne.copy()
    other.redmax.flesh.soft = False
    bpy.context.scene.collection.objects.link(other)
    simulate()
    with pytest.raises(RuntimeError, match=r"also that of 'Suzanne.001'.*Single User"):
        bpy.ops.redmax.bake()
    assert suzanne.data.shape_keys is None
