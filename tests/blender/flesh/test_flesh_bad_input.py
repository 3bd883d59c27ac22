"""Meshes of every kind become flesh; what cannot is named, and nothing changes."""

import bmesh
import bpy
import pytest
from flesh_fixtures import (
    add_suzanne,
    delete_vertices,
    mesh_state,
    recorded,
    select,
    simulate,
    soft_suzanne,
    soften,
)


def bowl(obj: bpy.types.Object) -> None:
    """Open: the upper part is missing."""
    delete_vertices(obj, lambda v: v.co.z > 0.3)


def two_tetrahedra_on_an_edge(obj: bpy.types.Object) -> None:
    """Non-manifold: an edge with four faces."""
    mesh = obj.data
    mesh.clear_geometry()
    points = [(0, 0, 0), (0, 0, 1), (1, 0, 0.5), (0.5, 1, 0.5), (-1, 0, 0.5), (-0.5, -1, 0.5)]
    faces = [(0, 1, 2), (1, 0, 3), (2, 1, 3), (0, 2, 3), (0, 1, 4), (1, 0, 5), (4, 1, 5), (0, 4, 5)]
    mesh.from_pydata(points, [], faces)


def crossed(obj: bpy.types.Object) -> None:
    """Self-intersecting: joined with itself, shifted."""
    other = obj.copy()
    other.data = obj.data.copy()
    bpy.context.scene.collection.objects.link(other)
    other.location.x += 0.4
    bpy.context.view_layer.update()
    select(other, obj)
    bpy.ops.object.join()


@pytest.mark.parametrize("change", [lambda obj: None, bowl, crossed, two_tetrahedra_on_an_edge])
def test_closed_open_crossed_and_non_manifold_meshes_work(change):
    suzanne = add_suzanne(None)
    change(suzanne)
    soften(suzanne, count=80)
    bpy.context.scene.redmax.frame_end = 4
    outcome = simulate()
    assert all("attached to nothing" in line for line in outcome)
    frames = recorded(suzanne)
    fall = 0.5 * 9.81 * (3 / 24) ** 2
    assert (frames[0] - frames[-1]).mean(axis=0)[2] == pytest.approx(fall, rel=0.35)


def plane(obj):
    delete_vertices(obj, lambda v: v.index >= 3)
    obj.data.clear_geometry()
    obj.data.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [], [(0, 1, 2, 3)])


BAD_MESHES = {
    "no volume": (plane, "'Suzanne'.*encloses no volume"),
    "empty": (lambda obj: obj.data.clear_geometry(), "'Suzanne'.*no vertices"),
    "wire": (lambda obj: _delete_faces(obj), "'Suzanne'.*no faces"),
    "nan": (lambda obj: setattr(obj.data.vertices[7], "co", (float("nan"), 0, 0)), "'Suzanne'.*7"),
    "flat": (lambda obj: setattr(obj, "scale", (1, 1, 0)), "'Suzanne'.*scale is zero"),
}


def _delete_faces(obj):
    mesh = bmesh.new()
    mesh.from_mesh(obj.data)
    bmesh.ops.delete(mesh, geom=mesh.faces[:], context="FACES_ONLY")
    mesh.to_mesh(obj.data)
    mesh.free()


@pytest.mark.parametrize("name", BAD_MESHES)
def test_a_mesh_that_cannot_be_soft_is_named_and_nothing_changes(name):
    break_it, message = BAD_MESHES[name]
    suzanne = add_suzanne(None)
    other = add_suzanne(None, "Other")
    break_it(suzanne)
    bpy.context.view_layer.update()
    select(other, suzanne)
    before = mesh_state(suzanne)
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.redmax.make_soft()
    assert not suzanne.redmax.flesh.soft and not other.redmax.flesh.soft
    assert mesh_state(suzanne) == before
    suzanne.redmax.flesh.soft = True  # a script, or a change after Make Soft
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.redmax.simulate()
    assert not suzanne.redmax.result and mesh_state(suzanne) == before


BAD_NUMBERS = {
    "young": (0.0, "Young's Modulus.*it is 0"),
    "poisson": (0.5, "Poisson's Ratio.*outside"),
    "density": (0.0, "Density.*it is 0"),
    "damping": (float("nan"), "Damping.*not a finite number"),
    "pin_group": ("nowhere", "Pin Group.*no vertex group 'nowhere'"),
    "stiffness_group": ("nowhere", "Stiffness Group.*no vertex group 'nowhere'"),
}


@pytest.mark.parametrize("name", BAD_NUMBERS)
def test_a_number_that_cannot_be_used_is_named(name):
    value, message = BAD_NUMBERS[name]
    suzanne, rig = soft_suzanne()
    setattr(suzanne.redmax.flesh, name, value)
    before = mesh_state(suzanne)
    with pytest.raises(RuntimeError, match=f"'Suzanne', {message}"):
        bpy.ops.redmax.simulate()
    assert mesh_state(suzanne) == before and not rig.redmax.result


def test_poisson_down_to_minus_one_is_refused_too():
    suzanne, _ = soft_suzanne()
    suzanne.redmax.flesh.poisson = -1.0
    with pytest.raises(RuntimeError, match="outside"):
        bpy.ops.redmax.simulate()


def test_a_rigid_body_is_not_soft_as_well():
    suzanne = add_suzanne(None)
    suzanne.redmax.body.role = "ACTIVE"
    select(suzanne)
    with pytest.raises(RuntimeError, match="rigid body and soft as well"):
        bpy.ops.redmax.make_soft()


def test_editing_the_mesh_after_the_simulation_is_noticed_by_the_bake():
    suzanne, _ = soft_suzanne()
    simulate()
    delete_vertices(suzanne, lambda v: v.index == 5)
    with pytest.raises(RuntimeError, match="506 vertices now, and had 507"):
        bpy.ops.redmax.bake()
    assert suzanne.data.shape_keys is None and not bpy.data.objects["Rig"].redmax.is_baked


def test_flesh_that_cannot_carry_itself_is_named():
    suzanne, _ = soft_suzanne((1, 3))
    assert simulate() == []
    suzanne.redmax.flesh.young = 1000.0
    (warning,) = simulate()
    assert "'Suzanne': it is too soft to carry itself" in warning
