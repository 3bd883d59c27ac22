"""Triangle meshes as colliders: the same contacts as the solid that they are the skin of, and no bumps between."""

from __future__ import annotations

import numpy as np
import pytest
from contact_scenes import Round, contacts_of, free_body, reach

from redmax_blender.engine.scene import (
    Capsule,
    ColliderSpec,
    Cuboid,
    Cylinder,
    Ellipsoid,
    Hull,
    Mesh,
    Pose,
    Sphere,
)

CORNERS = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
OCTAHEDRON = Hull(vertices=[(0.3, 0, 0), (-0.3, 0, 0), (0, 0.3, 0), (0, -0.3, 0), (0, 0, 0.3), (0, 0, -0.3)])
SHAPES: list[Round] = [
    Sphere(radius=0.2),
    Capsule(radius=0.1, height=0.4),
    Cuboid(sides=(0.4, 0.3, 0.2)),
    Cylinder(radius=0.2, height=0.3),
    Ellipsoid(radii=(0.3, 0.2, 0.1)),
    OCTAHEDRON,
]


def grid(n: int, size: float = 4.0, shuffle: int | None = None) -> Mesh:
    """A flat floor of 2 n² triangles at z = 0; with a seed, its inner vertices are shifted sideways."""
    at = np.linspace(-0.5 * size, 0.5 * size, n + 1)
    points = np.array([(x, y, 0.0) for x in at for y in at])
    if shuffle is not None:
        inner = (np.abs(points[:, :2]) < 0.49 * size).all(axis=1)
        points[inner, :2] += np.random.default_rng(shuffle).uniform(-0.3, 0.3, (inner.sum(), 2)) * size / n
    triangles = []
    for i in range(n):
        for j in range(n):
            a, b, c, d = (
                i * (n + 1) + j,
                (i + 1) * (n + 1) + j,
                (i + 1) * (n + 1) + j + 1,
                i * (n + 1) + j + 1,
            )
            triangles += [(a, b, c), (a, c, d)]
    return Mesh(vertices=[tuple(p) for p in points.tolist()], triangles=triangles)


def cube(sides: tuple[float, float, float]) -> Mesh:
    """The skin of a box, twelve triangles."""
    x, y, z = (0.5 * s for s in sides)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return Mesh(vertices=[(a * x, b * y, c * z) for a, b, c in CORNERS], triangles=triangles)


def half_height(shape: Round) -> float:
    return float(reach(shape, np.eye(4), np.array([[0.0, 0.0, -1.0]]))[0])


@pytest.mark.parametrize("gap", [0.001, -0.001])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_a_floor_of_triangles_has_no_bumps(shape: Round, gap: float) -> None:
    """Wherever a body is on it, however fast it slides, all normals are straight up and no contact is deeper."""
    floor = ColliderSpec(name="floor", shape=grid(11, shuffle=3))
    rng = np.random.default_rng(2)
    for _ in range(12):
        x, y = rng.uniform(-1.0, 1.0, 2)
        angle = rng.uniform(-3.0, 3.0)
        speed = rng.uniform(-2.0, 2.0, 2)
        body = free_body(
            "body", shape, (x, y, half_height(shape) + gap), (0.0, 0.0, angle), velocity=(*speed, -0.1)
        )
        c = contacts_of([body], [floor], h=0.01)
        assert len(c) >= 1
        assert c.normal == pytest.approx(np.tile([0.0, 0.0, 1.0], (len(c), 1)), abs=1e-9)
        assert c.gap.min() == pytest.approx(gap, abs=1e-9)
        assert len(c) <= 4


def test_a_box_on_many_triangles_stands_on_its_four_corners() -> None:
    floor = ColliderSpec(name="floor", shape=grid(40))
    c = contacts_of([free_body("box", Cuboid(sides=(1.0, 0.8, 0.2)), (0.03, 0.01, 0.1))], [floor])
    assert len(c) == 4
    found = c.x[:, 0, :2] - [0.03, 0.01]
    assert np.abs(np.abs(found) - [0.5, 0.4]).max() < 1e-9


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_the_skin_of_a_box_touches_like_the_box(shape: Round) -> None:
    """Gaps and normals of the nearest points agree for bodies all around it, near faces, edges and corners."""
    sides = (1.0, 0.7, 0.5)
    rng = np.random.default_rng(8)
    skin, solid = ColliderSpec(name="c", shape=cube(sides)), ColliderSpec(name="c", shape=Cuboid(sides=sides))
    compared = 0
    for _ in range(25):
        at = rng.uniform(-1.0, 1.0, 3) * (np.array(sides) * 0.5 + 0.35)
        body = free_body("body", shape, at, rng.normal(size=3))
        want, found = contacts_of([body], [solid], h=0.1), contacts_of([body], [skin], h=0.1)
        if len(want) == 0 or want.gap.min() < 0.0:  # inside, a skin pushes with its faces only
            assert len(want) or not len(found)
            continue
        assert len(found)
        k, l = np.argmin(want.gap), np.argmin(found.gap)
        assert found.gap[l] == pytest.approx(want.gap[k], abs=1e-7)
        assert found.normal[l] == pytest.approx(want.normal[k], abs=1e-5)
        compared += 1
    assert compared >= 4


def test_an_open_sheet_holds_from_both_sides() -> None:
    sheet = ColliderSpec(name="sheet", shape=grid(4))
    for side in (1.0, -1.0):
        body = free_body("ball", Sphere(radius=0.1), (0.3, 0.2, 0.101 * side), velocity=(0.0, 0.0, -side))
        c = contacts_of([body], [sheet])
        assert c.normal == pytest.approx(np.tile([0.0, 0.0, side], (len(c), 1)), abs=1e-9)


@pytest.mark.parametrize("mesh", [grid(6), cube((4.0, 4.0, 0.001))], ids=["sheet", "thin closed"])
def test_a_bullet_does_not_pass_a_mesh(mesh: Mesh) -> None:
    h = 1.0 / 24.0
    v = np.array([30.0, -20.0, -500.0])
    body = free_body("bullet", Sphere(radius=0.01), (-0.8, 0.5, 15.0), velocity=v)
    c = contacts_of([body], [ColliderSpec(name="wall", shape=mesh)], h=h)
    assert len(c) >= 1
    assert c.normal == pytest.approx(np.tile([0.0, 0.0, 1.0], (len(c), 1)), abs=1e-9)
    assert (c.normal @ v < -c.gap / h).any()


def test_a_mesh_turns_and_moves_with_its_pose() -> None:
    slope = ColliderSpec(
        name="slope", shape=grid(5), pose=Pose(position=(1.0, 2.0, 3.0), rotation=[0.4, 0.0, 0.0])
    )
    up = np.array([0.0, -np.sin(0.4), np.cos(0.4)])
    ball = free_body("ball", Sphere(radius=0.2), np.array([1.0, 2.0, 3.0]) + 0.21 * up)
    c = contacts_of([ball], [slope], h=0.1)
    assert c.normal[0] == pytest.approx(up, abs=1e-9)
    assert c.gap[0] == pytest.approx(0.01, abs=1e-9)
