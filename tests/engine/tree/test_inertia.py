"""Mass properties: closed forms against sampling, meshes against shapes, wholes against their parts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.bodies.inertia import MassProperties, body_mass, shape_mass, spatial_rows
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.scene import (
    Capsule,
    Composite,
    Cuboid,
    Cylinder,
    Ellipsoid,
    Inertia,
    Mesh,
    Part,
    Pose,
    Shape,
    Sphere,
)

RNG = np.random.default_rng(3)


def cube_mesh(sides: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Mesh:
    """A cuboid of twelve triangles."""
    vertices = [((i & 1) - 0.5, (i >> 1 & 1) - 0.5, (i >> 2) - 0.5) for i in range(8)]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    scaled = [(x * sides[0], y * sides[1], z * sides[2]) for x, y, z in vertices]
    return Mesh(scaled, triangles)


def round_mesh(radii: tuple[float, float, float], levels: int) -> Mesh:
    """An ellipsoid: a subdivided octahedron, its vertices on the surface."""
    points = [
        (1.0, 0.0, 0.0),
        (-1.0, 0.0, 0.0),
        (0.0, 1.0, 0.0),
        (0.0, -1.0, 0.0),
        (0.0, 0.0, 1.0),
        (0.0, 0.0, -1.0),
    ]
    vertices = [np.array(p) for p in points]
    triangles = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    for _ in range(levels):
        middles: dict[tuple[int, int], int] = {}

        def middle(i: int, j: int, middles: dict[tuple[int, int], int] = middles) -> int:
            key = (min(i, j), max(i, j))
            if key not in middles:
                m = vertices[i] + vertices[j]
                vertices.append(m / np.linalg.norm(m))
                middles[key] = len(vertices) - 1
            return middles[key]

        finer = []
        for a, b, c in triangles:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            finer += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        triangles = finer
    scaled = [tuple((v * radii).tolist()) for v in vertices]
    return Mesh(scaled, triangles)  # type: ignore[arg-type]


def inside(shape: Shape, x: np.ndarray) -> np.ndarray:
    """Which of the points (n, 3) are inside a shape."""
    match shape:
        case Cuboid():
            return np.all(np.abs(x) < 0.5 * np.array(shape.sides), axis=1)
        case Sphere():
            return np.linalg.norm(x, axis=1) < shape.radius
        case Ellipsoid():
            return np.linalg.norm(x / np.array(shape.radii), axis=1) < 1.0
        case Cylinder():
            return (np.hypot(x[:, 0], x[:, 1]) < shape.radius) & (np.abs(x[:, 2]) < 0.5 * shape.height)
        case Capsule():
            z = np.clip(x[:, 2], -0.5 * shape.height, 0.5 * shape.height)
            return np.linalg.norm(x - np.stack([0 * z, 0 * z, z], axis=1), axis=1) < shape.radius
    raise TypeError(shape)


SHAPES: list[Shape] = [
    Cuboid((0.6, 1.0, 0.3)), Sphere(0.7), Ellipsoid((0.5, 0.8, 0.3)), Cylinder(0.4, 1.1), Capsule(0.3, 0.9),
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_closed_forms_agree_with_a_sum_over_a_grid_of_points(shape: Shape) -> None:
    n = 120
    ticks = (np.arange(n) + 0.5) / n * 2.0 - 1.0
    x = np.stack(np.meshgrid(ticks, ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 3)
    x = x[inside(shape, x)]
    m = 500.0 * (2.0 / n) ** 3
    tensor = m * (np.sum(x * x) * np.eye(3) - x.T @ x)
    own = shape_mass(shape, 500.0, "shape")
    assert own.mass == pytest.approx(m * len(x), rel=0.02)
    assert np.allclose(own.tensor(), tensor, atol=0.02 * np.trace(tensor))
    assert np.array_equal(own.centre, np.zeros(3))


def test_known_values() -> None:
    """Figures of textbooks: 1 kg each."""
    assert body_mass(Cuboid((1.0, 2.0, 3.0)), None, 1.0, "b").moments == pytest.approx(
        [13 / 12, 10 / 12, 5 / 12]
    )
    assert body_mass(Sphere(2.0), None, 1.0, "b").moments == pytest.approx([1.6] * 3)
    assert body_mass(Cylinder(2.0, 3.0), None, 1.0, "b").moments == pytest.approx([1.75, 1.75, 2.0])
    assert body_mass(Ellipsoid((1.0, 2.0, 3.0)), None, 1.0, "b").moments == pytest.approx([2.6, 2.0, 1.0])


def test_limits_of_the_capsule_are_cylinder_and_sphere() -> None:
    flat = shape_mass(Capsule(0.5, 1e-9), 1.0, "s")
    ball = shape_mass(Sphere(0.5), 1.0, "s")
    assert flat.mass == pytest.approx(ball.mass) and flat.moments == pytest.approx(ball.moments)
    long = shape_mass(Capsule(1e-4, 10.0), 1.0, "s")
    rod = shape_mass(Cylinder(1e-4, 10.0), 1.0, "s")
    assert long.moments == pytest.approx(rod.moments, rel=1e-3)


def test_density_and_mass() -> None:
    assert body_mass(Cuboid((1.0, 1.0, 1.0)), None, None, "b").mass == 1000.0
    light = body_mass(Cuboid((1.0, 2.0, 1.0)), 1.0, None, "b")
    heavy = body_mass(Cuboid((1.0, 2.0, 1.0)), None, 6.0, "b")
    assert light.mass == 2.0 and heavy.mass == 6.0
    assert heavy.moments == pytest.approx(3.0 * light.moments)


def test_a_mesh_of_a_cuboid_is_the_cuboid_wherever_it_lies() -> None:
    mesh, shape = cube_mesh((0.6, 1.0, 0.3)), shape_mass(Cuboid((0.6, 1.0, 0.3)), 800.0, "s")
    offset = np.array([100.0, -50.0, 30.0])
    moved = Mesh([tuple((np.array(v) + offset).tolist()) for v in mesh.vertices], mesh.triangles)
    for own, centre in ((shape_mass(mesh, 800.0, "s"), np.zeros(3)), (shape_mass(moved, 800.0, "s"), offset)):
        assert own.mass == pytest.approx(shape.mass, rel=1e-12)
        assert own.centre == pytest.approx(centre, abs=1e-12)
        assert own.moments == pytest.approx(shape.moments, rel=1e-10)
        assert np.array_equal(own.axes, np.eye(3))


@pytest.mark.parametrize("radii", [(0.5, 0.5, 0.5), (0.5, 0.8, 0.3)])
def test_finer_round_meshes_converge_to_the_round_shape(radii: tuple[float, float, float]) -> None:
    exact = shape_mass(Ellipsoid(radii), 1000.0, "s")
    errors = []
    for levels in (3, 4, 5):
        own = shape_mass(round_mesh(radii, levels), 1000.0, "s")
        error = np.abs(own.tensor() - exact.tensor()).max() / exact.moments.max()
        errors.append([abs(own.mass / exact.mass - 1.0), error])
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert np.all(ratios > 3.7) and np.all(ratios < 4.3), "second order in the length of an edge"
    assert np.array(errors)[-1].max() < 5e-3


def test_a_turned_mesh_has_turned_principal_axes() -> None:
    R = se3.exp_so3([0.3, -0.2, 0.4])
    mesh = cube_mesh((0.6, 1.0, 0.3))
    turned = Mesh([tuple((R @ np.array(v)).tolist()) for v in mesh.vertices], mesh.triangles)
    own, straight = shape_mass(turned, 1.0, "s"), shape_mass(mesh, 1.0, "s")
    assert own.axes == pytest.approx(R, abs=1e-9)
    assert own.moments == pytest.approx(straight.moments)
    assert np.linalg.det(own.axes) == pytest.approx(1.0)


def test_a_hollow_mesh_is_the_outside_less_the_inside() -> None:
    outer, inner = cube_mesh((2.0, 2.0, 2.0)), cube_mesh((1.0, 1.0, 1.0))
    triangles = outer.triangles + [(a + 8, c + 8, b + 8) for a, b, c in inner.triangles]
    own = shape_mass(Mesh(outer.vertices + inner.vertices, triangles), 1.0, "s")
    assert own.mass == pytest.approx(7.0)
    assert own.moments == pytest.approx(np.full(3, (8.0 * 8.0 - 1.0 * 2.0) / 12.0))


def test_a_composite_of_two_halves_is_the_whole() -> None:
    whole = shape_mass(Cuboid((0.6, 1.0, 0.3)), 700.0, "s")
    half = Cuboid((0.3, 1.0, 0.3))
    parts = [Part(half, Pose((-0.15, 0.0, 0.0))), Part(half, Pose((0.15, 0.0, 0.0), [0.0, 0.0, 1.0, 0.0]))]
    own = shape_mass(Composite(parts), 700.0, "s")
    assert own.mass == pytest.approx(whole.mass)
    assert own.moments == pytest.approx(whole.moments)
    assert own.centre == pytest.approx(np.zeros(3), abs=1e-15)


def test_a_composite_is_the_sum_of_its_parts_seen_from_any_frame() -> None:
    parts = [
        Part(Sphere(0.2), Pose((0.3, -0.4, 0.2)), density=300.0),
        Part(Capsule(0.1, 0.5), Pose((-0.2, 0.1, 0.6), [0.4, -0.7, 0.2])),
        Part(round_mesh((0.2, 0.1, 0.3), 1), Pose((0.5, 0.5, 0.0), [0.1, 1.0, -0.5])),
        Part(Inertia(2.0, (0.1, 0.2, 0.25)), Pose((0.0, 0.0, -0.3), [1.0, 0.0, 0.0])),
    ]
    whole = shape_mass(Composite(parts), 900.0, "s")
    total = np.zeros((6, 6))
    for part in parts:
        own = shape_mass(part.shape, part.density or 900.0, "s")
        assert len(part.pose.rotation) in (3, 4)
        R = se3.exp_so3(part.pose.rotation) if len(part.pose.rotation) == 3 else np.eye(3)
        total += spatial(own, R, np.array(part.pose.position))
    assert spatial(whole, np.eye(3), np.zeros(3)) == pytest.approx(total, abs=1e-9)


def spatial(own: MassProperties, R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Inertia of a shape at a pose by definition, Ad(E⁻¹)ᵀ diag(I, m) Ad(E⁻¹)."""
    E = np.eye(4)
    E[:3, :3] = R @ own.axes
    E[:3, 3] = R @ own.centre + p
    A = se3.Ad(se3.inverse(E))
    return A.T @ np.diag([*own.moments, *[own.mass] * 3]) @ A


def test_spatial_inertia_row_is_the_transformed_diagonal_matrix() -> None:
    n = 20
    R = np.array([se3.exp_so3(w) for w in RNG.normal(size=(n, 3))])
    p, moments, mass = RNG.normal(size=(n, 3)), RNG.uniform(1.0, 2.0, (n, 3)), RNG.uniform(0.1, 3.0, n)
    rows = spatial_rows(R, p, moments, mass)
    upper = np.array([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)])
    for k in range(n):
        own = MassProperties(float(mass[k]), np.zeros(3), np.eye(3), moments[k])
        M = spatial(own, R[k], p[k])
        A, B, C = M[:3, :3], M[:3, 3:], M[3:, 3:]
        expected = [*A[tuple(upper.T)], *B.ravel(), *C[tuple(upper.T)]]
        assert rows[k] == pytest.approx(expected, abs=1e-12)


def test_parallel_axes() -> None:
    """A rod of 3 kg and 2 m about its end: m l² / 3."""
    rod = body_mass(Cuboid((2.0, 1e-6, 1e-6)), None, 3.0, "b")
    row = spatial_rows(rod.axes[None], np.array([[1.0, 0.0, 0.0]]), rod.moments[None], np.array([rod.mass]))[
        0
    ]
    assert row[3] == pytest.approx(4.0) and row[5] == pytest.approx(4.0)
    assert row[15] == 3.0


OPEN = cube_mesh()
BAD: dict[str, tuple[Shape, dict[str, float], str]] = {
    "zero radius": (Sphere(0.0), {}, r"b\.shape\.radius: the radius is 0"),
    "negative side": (Cuboid((1.0, -1.0, 1.0)), {}, r"b\.shape\.sides\[1\]"),
    "zero height": (Cylinder(1.0, 0.0), {}, r"b\.shape\.height"),
    "negative mass": (Sphere(1.0), {"mass": -1.0}, r"b\.mass: the mass is -1"),
    "zero mass": (Sphere(1.0), {"mass": 0.0}, r"b\.mass: the mass is 0"),
    "zero density": (Sphere(1.0), {"density": 0.0}, r"b\.density"),
    "density and mass": (Sphere(1.0), {"density": 1.0, "mass": 1.0}, "both density and mass"),
    "mass of a given inertia": (Inertia(1.0, (1.0, 1.0, 1.0)), {"mass": 2.0}, r"b\.mass.*of its own"),
    "negative moment": (Inertia(1.0, (1.0, 0.0, 1.0)), {}, r"moments\[1\]"),
    "moments of no body": (Inertia(1.0, (1.0, 1.0, 3.0)), {}, "no distribution of mass"),
    "hole in the mesh": (Mesh(OPEN.vertices, OPEN.triangles[1:]), {}, "not closed.*from vertex 0 to"),
    "one triangle turned": (
        Mesh(OPEN.vertices, [(0, 3, 2), *OPEN.triangles[1:]]), {}, "turned differently",
    ),
    "inside out": (Mesh(OPEN.vertices, [(a, c, b) for a, b, c in OPEN.triangles]), {}, "inside out"),
    "no such vertex": (Mesh(OPEN.vertices, [*OPEN.triangles, (0, 1, 8)]), {}, r"les\[12\]\[2\].*no vertex 8"),
    "no triangles": (Mesh(OPEN.vertices, []), {}, "no triangles"),
    "flat mesh": (
        Mesh([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)], [(0, 1, 2), (0, 2, 1)]), {}, "no volume",
    ),
    "empty composite": (Composite([]), {}, r"shape\.parts"),
    "bad part": (Composite([Part(Sphere(1.0)), Part(Sphere(-1.0))]), {}, r"shape\.parts\[1\]\.shape\.radius"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_shape_that_cannot_be_is_refused_with_its_place(name: str) -> None:
    shape, given, message = BAD[name]
    with pytest.raises(SceneError, match=message):
        body_mass(shape, given.get("density"), given.get("mass"), "b")


def test_water_is_the_default() -> None:
    assert body_mass(Sphere(1.0), None, None, "b").mass == pytest.approx(4000.0 / 3.0 * math.pi)
