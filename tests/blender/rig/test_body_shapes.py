"""Objects as bodies: masses and where they are, whatever the object's scale."""

import bpy
import numpy as np
import pytest
from blender_fixtures import set_range
from mathutils import Matrix
from mechanism_fixtures import add_box, link, make_blenders

from redmax_blender.bridge.rig.body_shape import read_surface, shape_of
from redmax_blender.bridge.run.simulate_scene import Simulation
from redmax_blender.engine.bodies.inertia import shape_mass

SIDES = np.array([0.4, 0.4, 1.2])
VOLUMES = {
    "BOX": 0.4 * 0.4 * 1.2,
    "SPHERE": 4 / 3 * np.pi * 0.6**3,
    "CAPSULE": np.pi * 0.2**2 * 0.8 + 4 / 3 * np.pi * 0.2**3,
    "CYLINDER": np.pi * 0.2**2 * 1.2,
    "CONE": np.pi * 0.2**2 * 1.2 / 3,
    "CONVEX_HULL": 0.4 * 0.4 * 1.2,
    "MESH": 0.4 * 0.4 * 1.2,
}


def placed(obj: bpy.types.Object, kind: str, unit: float = 1.0, warnings: list[str] | None = None):
    bpy.context.view_layer.update()
    surface = read_surface(obj, bpy.context.evaluated_depsgraph_get(), unit)
    return shape_of(surface, kind, False, [] if warnings is None else warnings)


@pytest.mark.parametrize("kind", VOLUMES)
@pytest.mark.parametrize("mirror", [1.0, -1.0])
def test_volume_and_centre_of_every_shape(kind, mirror):
    obj = add_box("thing", (0.0, 0.0, 0.0))
    obj.data.transform(Matrix.Translation((0.0, 0.0, 2.0)))  # away from the object's origin
    obj.matrix_world = Matrix.Translation((1.0, 2.0, 3.0)) @ Matrix.Rotation(0.8, 4, "Y")
    obj.scale = (0.4 * mirror, 0.4, 1.2)
    found = placed(obj, kind, unit=0.5)
    mass = shape_mass(found.shape, 1000.0, "thing")
    assert mass.mass == pytest.approx(1000.0 * VOLUMES[kind] * 0.5**3, rel=0.005)
    centre = found.pose[:3, :3] @ mass.centre + found.pose[:3, 3]
    middle = 0.5 * np.array(obj.matrix_world @ Matrix.Translation((0.0, 0.0, 2.0)))[:3, 3]
    if kind == "CONE":
        middle = middle - 0.25 * 1.2 * 0.5 * found.pose[:3, 2]
    np.testing.assert_allclose(centre, middle, atol=1e-5)


def test_modifiers_count():
    obj = add_box("thing", (0.0, 0.0, 0.0))
    array = obj.modifiers.new("Array", "ARRAY")
    array.count = 3
    assert shape_mass(placed(obj, "BOX").shape, 1.0, "").mass == pytest.approx(3.0, rel=1e-5)


def test_inside_out_meshes_are_turned():
    obj = add_box("thing", (0.0, 0.0, 0.0))
    obj.data.flip_normals()
    warnings: list[str] = []
    assert shape_mass(placed(obj, "MESH", warnings=warnings).shape, 1.0, "").mass == pytest.approx(1.0)
    assert warnings == []


def test_open_meshes_become_boxes_with_a_word():
    obj = add_box("bowl", (0.0, 0.0, 0.0), (1.0, 2.0, 3.0))
    mesh = obj.data
    faces = [tuple(p.vertices) for p in mesh.polygons][:-1]
    corners = [tuple(v.co) for v in mesh.vertices]
    mesh.clear_geometry()
    mesh.from_pydata(corners, [], faces)
    warnings: list[str] = []
    found = placed(obj, "MESH", warnings=warnings)
    assert shape_mass(found.shape, 1.0, "").mass == pytest.approx(6.0)
    assert len(warnings) == 1 and "Object 'bowl'" in warnings[0]


def test_a_plane_as_ground_needs_no_volume():
    mesh = bpy.data.meshes.new("plane")
    mesh.from_pydata([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [], [(0, 1, 2, 3)])
    plane = link(bpy.data.objects.new("plane", mesh))
    add_box("stone", (0.0, 0.0, 1.0))
    plane.redmax.body.role = "ANCHORED"
    set_range(1, 3)
    assert Simulation(bpy.context).reading.warnings == []
    plane.redmax.body.role = "ACTIVE"
    (warning,) = Simulation(bpy.context).reading.warnings
    assert "'plane'" in warning


def test_a_compound_has_the_mass_of_its_parent_and_the_shape_of_its_children():
    parent = add_box("parent", (0.0, 0.0, 0.0))
    make_blenders(parent, "ACTIVE", "COMPOUND")
    parent.rigid_body.mass = 6.0
    for x in (-2.0, 2.0):
        child = add_box("child", (x, 0.0, 0.0))
        make_blenders(child, "ACTIVE")
        child.parent = parent
    bpy.context.view_layer.update()
    set_range(1, 3)
    bodies = Simulation(bpy.context).reading.scene.bodies
    assert [body.name for body in bodies] == ["parent"]
    assert bodies[0].mass == pytest.approx(6.0)
    mass = shape_mass(bodies[0].shape, 1.0, "")
    assert mass.mass == pytest.approx(2.0)
    assert sorted(mass.moments) == pytest.approx([2 / 6, 2 / 6 + 8.0, 2 / 6 + 8.0])
