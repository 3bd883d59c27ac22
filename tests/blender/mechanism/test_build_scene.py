"""A scene file in Blender: what is drawn is what is simulated, and stands and moves as the engine says."""

import bpy
import numpy as np
import pytest

from redmax_blender.bridge.mechanism.build_scene import build_scene, key_result, matrix_of
from redmax_blender.bridge.mechanism.primitives import Surface, surface_of
from redmax_blender.engine import Result, compile_scene, scene_options, simulate
from redmax_blender.engine.bodies.inertia import shape_mass
from redmax_blender.engine.scene import spec
from redmax_blender.engine.scene.base import Pose

TETRAHEDRON = spec.Mesh(
    vertices=[(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.0, 0.3)],
    triangles=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
)
SHAPES = {
    "cuboid": spec.Cuboid(sides=(0.2, 0.15, 0.3)),
    "sphere": spec.Sphere(radius=0.12),
    "cylinder": spec.Cylinder(radius=0.08, height=0.3),
    "capsule": spec.Capsule(radius=0.07, height=0.2),
    "ellipsoid": spec.Ellipsoid(radii=(0.15, 0.08, 0.1)),
    "mesh": TETRAHEDRON,
    "composite": spec.Composite(
        parts=[
            spec.Part(shape=spec.Cuboid(sides=(0.3, 0.08, 0.08))),
            spec.Part(
                shape=spec.Cylinder(radius=0.08, height=0.2),
                pose=Pose(position=(0.3, 0.0, 0.0), rotation=[0.4, 0.5, 0.0]),
            ),
        ]
    ),
}


def as_mesh(surface: Surface) -> spec.Mesh:
    """The surface cut into triangles, as a shape of the engine."""
    triangles = [(f[0], f[k], f[k + 1]) for f in surface.faces for k in range(1, len(f) - 1)]
    return spec.Mesh(vertices=[tuple(v) for v in surface.vertices.tolist()], triangles=triangles)


@pytest.mark.parametrize("name", SHAPES)
def test_surface_has_the_mass_and_inertia_that_is_simulated(name):
    shape = SHAPES[name]
    drawn = shape_mass(
        as_mesh(surface_of(shape)), 1000.0, "drawn"
    )  # also refuses open or inside-out surfaces
    meant = shape_mass(shape, 1000.0, "meant")
    scale = meant.mass ** (1 / 3) / 10.0  # size of a cube of this mass [m]
    assert drawn.mass == pytest.approx(meant.mass, rel=0.01)
    np.testing.assert_allclose(drawn.centre, meant.centre, atol=0.01 * scale)
    np.testing.assert_allclose(drawn.tensor(), meant.tensor(), atol=0.02 * np.abs(meant.tensor()).max())


def test_body_without_geometry_is_drawn_as_the_ellipsoid_of_its_inertia():
    shape = spec.Inertia(mass=5.0, moments=(0.05, 0.03, 0.04))
    drawn = shape_mass(as_mesh(surface_of(shape)), 1.0, "drawn").scaled_to(5.0)
    np.testing.assert_allclose(np.diag(drawn.tensor()), shape.moments, rtol=0.01)


def zoo(step: float = 0.01) -> spec.SceneSpec:
    """A chain of one body of each shape, children before their parents in the file."""
    names = list(SHAPES)
    bodies = [
        spec.BodySpec(
            name=name,
            shape=SHAPES[name],
            parent=names[k - 1] if k else None,
            pose=Pose(position=(0.0, 0.1, -0.2), rotation=[0.3, 0.0, 0.1]),
            joint=spec.JointSpec(
                type=spec.Revolute(axis=(0.0, 1.0, 0.0)) if k % 2 else spec.Spherical(),
                frame=Pose(position=(0.0, 0.0, -0.4), rotation=[0.0, 0.0, 0.2]),
                q=0.7 if k % 2 else [0.3, -0.4, 0.2],
                damping=0.5,
            ),
        )
        for k, name in enumerate(names)
    ]
    return spec.SceneSpec(
        name="zoo", bodies=bodies[::-1], time=spec.TimeSpec(end=0.5, step=step), integrator="sdirk2"
    )


@pytest.fixture(scope="module")
def run() -> tuple[spec.SceneSpec, Result]:
    scene = zoo(step=1 / 120)
    model = compile_scene(scene)
    return scene, Result.from_frames(model, simulate(model, scene_options(scene), end=scene.time.end))


def test_every_body_is_an_object_of_its_name_where_it_starts(run):
    scene, result = run
    objects = build_scene(scene, bpy.context.scene)
    bpy.context.view_layer.update()
    assert set(objects) == set(SHAPES)
    assert {thing.name for thing in bpy.data.collections["zoo"].objects} == set(SHAPES)
    for k, name in enumerate(result.bodies):
        np.testing.assert_allclose(objects[name].matrix_world, matrix_of(result.joint_pose[0, k]), atol=1e-6)


def test_centre_of_the_drawn_body_is_the_simulated_centre_of_mass(run):
    """Shape pose, joint frame and start pose together put the geometry where the engine has the mass."""
    scene, result = run
    objects = build_scene(scene, bpy.context.scene)
    bpy.context.view_layer.update()
    for k, name in enumerate(result.bodies):
        corners = objects[name].data.vertices
        vertices = np.array([tuple(v.co) for v in corners])
        world = np.array(objects[name].matrix_world)
        faces = [list(p.vertices) for p in objects[name].data.polygons]
        surface = Surface(vertices @ world[:3, :3].T + world[:3, 3], faces, np.zeros(len(faces), bool))
        centre = shape_mass(as_mesh(surface), 1.0, name).centre
        np.testing.assert_allclose(centre, result.body_pose[0, k, 9:], atol=2e-3)


def test_keys_show_the_recorded_pose_at_every_frame(run):
    scene, result = run
    objects = build_scene(scene, bpy.context.scene)
    last = key_result(objects, result, fps=24.0, frame_start=5)
    assert last == 5 + 12
    for frame in range(5, last + 1):
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        recorded = result.joint_pose[(frame - 5) * 5]
        for k, name in enumerate(result.bodies):
            shown = np.array(objects[name].evaluated_get(depsgraph).matrix_world)
            np.testing.assert_allclose(shown, matrix_of(recorded[k]), atol=1e-5)


def test_recording_in_other_steps_than_frames_is_interpolated(run):
    """At 50 frames a second a recording of 120 has most frames between two records: near both of them."""
    scene, result = run
    objects = build_scene(scene, bpy.context.scene)
    last = key_result(objects, result, fps=50.0)
    assert last == 26
    motion = np.abs(np.diff(result.joint_pose, axis=0)).max()  # the most that a number changes in a step
    for frame in range(1, last + 1):
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        record = round((frame - 1) / 50.0 * 120.0)
        for k, name in enumerate(result.bodies):
            shown = np.array(objects[name].evaluated_get(depsgraph).matrix_world)
            np.testing.assert_allclose(shown, matrix_of(result.joint_pose[record, k]), atol=motion)


def test_keyed_rotations_do_not_jump_when_a_body_turns_over():
    """A full turn passes the quaternions' change of sign; keys on both sides must not interpolate the long way."""
    scene = spec.SceneSpec(
        gravity=(0.0, 0.0, 0.0),
        bodies=[
            spec.BodySpec(
                name="wheel",
                shape=spec.Cylinder(radius=0.2, height=0.1),
                joint=spec.JointSpec(type=spec.Revolute(axis=(0.0, 0.0, 1.0)), qdot=12.0),
            )
        ],
        time=spec.TimeSpec(end=1.0, step=1 / 24),
        integrator="sdirk2",
    )
    model = compile_scene(scene)
    result = Result.from_frames(model, simulate(model, scene_options(scene), end=1.0))
    objects = build_scene(scene, bpy.context.scene)
    last = key_result(objects, result, fps=24.0)
    angles = []
    for frame in np.arange(1.0, last, 0.25):
        bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1))
        matrix = objects["wheel"].evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world
        angles.append(np.arctan2(matrix[1][0], matrix[0][0]))
    rate = np.diff(np.unwrap(angles)) * 24.0 / 0.25
    np.testing.assert_allclose(rate, 12.0, rtol=0.05)
