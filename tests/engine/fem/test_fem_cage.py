"""From an artist's mesh to a cage that holds all of it, and a surface that follows the cage."""

from __future__ import annotations

import numpy as np
import pytest
from fem_shapes import BROKEN, CLOSED, bowl, half_flipped, sphere, star, two_spheres, volume

from redmax_blender.engine.errors import InputError
from redmax_blender.engine.fem.bar import bar
from redmax_blender.engine.fem.cages.cage import make_cage
from redmax_blender.engine.fem.cages.embed import check_covered, embed
from redmax_blender.engine.fem.cages.outline import border, edges
from redmax_blender.engine.fem.cages.quality import quality
from redmax_blender.engine.fem.cages.winding import turned_alike, winding_numbers, winding_tree
from redmax_blender.engine.fem.materials.materials import Material
from redmax_blender.engine.fem.tets import make_tets, signed_volumes

RNG = np.random.default_rng(8)
SHAPES = {**CLOSED, **BROKEN}


@pytest.mark.parametrize("count", [60, 221, 900])
@pytest.mark.parametrize("name", SHAPES)
def test_a_cage_has_the_asked_size_and_covers_every_vertex(name, count):
    x, triangles = SHAPES[name]()
    cage = make_cage(x, triangles, count=count)
    assert abs(len(cage.X) / count - 1.0) < 0.07
    inside = embed(cage.X, cage.corner, x)
    assert inside.distance.max() == 0.0
    assert inside.weight.min() > -1e-9
    assert cage.parts == 1
    assert cage.fill.min() >= 0.0 and cage.fill.max() <= 1.0


@pytest.mark.parametrize("name", SHAPES)
def test_its_tetrahedra_are_well_shaped_and_all_alike(name):
    x, triangles = SHAPES[name]()
    cage = make_cage(x, triangles, cell=0.3)
    found = quality(cage.X, cage.corner)
    assert found.least_angle == pytest.approx(60.0)
    assert found.greatest_angle == pytest.approx(90.0)
    assert found.volume_ratio == pytest.approx(1.0)
    assert signed_volumes(cage.X, cage.corner) == pytest.approx(0.3**3 / 12)
    assert len(np.unique(cage.corner)) == len(cage.X)
    assert len(np.unique(np.sort(cage.corner, axis=1), axis=0)) == len(cage.corner)


LENS = np.pi / 12 * (4 * 0.7 + 0.8) * (2 * 0.7 - 0.8) ** 2
VOLUMES = {
    "sphere": 4 / 3 * np.pi,
    "star": volume(star()),
    "overlapping": 2 * 4 / 3 * np.pi * 0.7**3 - LENS,
    "flipped": 4 / 3 * np.pi,
    "non-manifold": 4 / 3 * np.pi,
}


@pytest.mark.parametrize("name", VOLUMES)
def test_fill_measures_the_solid(name):
    x, triangles = SHAPES[name]()
    assert make_cage(x, triangles, cell=0.2).solid_volume == pytest.approx(VOLUMES[name], rel=0.04)


def test_an_open_mesh_is_filled_to_about_where_its_surface_is_missing():
    x, triangles = bowl()
    cage = make_cage(x, triangles, cell=0.2)
    cut = 0.75
    cap = np.pi * (1 - cut) ** 2 * (2 + cut) / 3
    assert cage.solid_volume == pytest.approx(4 / 3 * np.pi - cap, rel=0.03)


def test_a_mirrored_mesh_gets_a_mirrored_cage():
    x, triangles = star()
    cage = make_cage(x, triangles, count=200)
    middle = 0.5 * (x.min(axis=0) + x.max(axis=0))

    def rows(points: np.ndarray) -> np.ndarray:
        return np.unique(np.round(points - middle, 9) + 0.0, axis=0)

    assert np.abs(rows(x * [1, -1, 1]) - rows(x)).max() < 1e-9, "the mesh itself is symmetric"
    assert np.array_equal(rows(cage.X), rows(cage.X * [1, -1, 1] + [0, 2 * middle[1], 0]))


def test_parts_that_do_not_touch_are_counted():
    a, s = sphere(2, 0.3, (-1.0, 0.0, 0.0))
    b, t = sphere(2, 0.3, (1.0, 0.0, 0.0))
    cage = make_cage(np.concatenate([a, b]), np.concatenate([s, t + len(a)]), cell=0.2)
    assert cage.parts == 2
    assert set(cage.part[cage.X[:, 0] < 0]) != set(cage.part[cage.X[:, 0] > 0])


def flat_grid(n: int = 8) -> tuple[np.ndarray, np.ndarray]:
    x = np.stack([*(a.reshape(-1) for a in np.meshgrid(np.arange(n), np.arange(n))), np.zeros(n * n)], axis=1)
    i = np.arange(n * n).reshape(n, n)
    a, b, c, d = (k.reshape(-1) for k in (i[:-1, :-1], i[:-1, 1:], i[1:, 1:], i[1:, :-1]))
    return x / n, np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def test_a_mesh_without_volume_is_refused():
    x, triangles = flat_grid()
    for points in (
        x,
        x @ np.linalg.qr(RNG.standard_normal((3, 3)))[0],
        x + 1e-4 * RNG.standard_normal(x.shape),
    ):
        with pytest.raises(InputError, match="cloth: the mesh encloses no volume"):
            make_cage(points, triangles, count=100, place="cloth")
    with pytest.raises(InputError, match="encloses no volume"):
        make_cage(np.zeros((3, 3)), [[0, 1, 2]], cell=0.1)


def test_a_thin_closed_sheet_is_not_refused():
    x, triangles = sphere(4)
    cage = make_cage(x * [1.0, 1.0, 0.004], triangles, cell=0.2)
    assert embed(cage.X, cage.corner, x * [1.0, 1.0, 0.004]).distance.max() == 0.0


@pytest.mark.parametrize(
    "change, arguments, text",
    [
        (lambda x, t: x.__setitem__((7, 2), np.nan), {"cell": 0.3}, r"head\.vertices\[7\].*nan"),
        (lambda x, t: x.__setitem__((7, 2), np.inf), {"cell": 0.3}, r"head\.vertices\[7\].*inf"),
        (
            lambda x, t: t.__setitem__((4, 1), 9999),
            {"cell": 0.3},
            r"head\.triangles\[4\]\[1\].*no vertex 9999",
        ),
        (lambda x, t: None, {"cell": 0.0}, r"head\.cell"),
        (lambda x, t: None, {"cell": np.nan}, r"head\.cell"),
        (lambda x, t: None, {"cell": 1e-4}, "larger cell"),
        (lambda x, t: None, {"count": 2}, r"head\.count"),
        (lambda x, t: None, {}, "neither or both"),
        (lambda x, t: None, {"cell": 0.1, "count": 100}, "neither or both"),
    ],
)
def test_impossible_input_is_named(change, arguments, text):
    x, triangles = sphere(2)
    change(x, triangles)
    with pytest.raises(InputError, match=text):
        make_cage(x, triangles, place="head", **arguments)


def test_an_empty_mesh_is_named():
    with pytest.raises(InputError, match="no vertices"):
        make_cage(np.zeros((0, 3)), np.zeros((0, 3)), cell=0.1)
    with pytest.raises(InputError, match="no faces"):
        make_cage(np.zeros((3, 3)), np.zeros((0, 3)), cell=0.1)


def test_winding_numbers_count_how_often_a_point_is_inside():
    x, triangles = two_spheres()
    tree = winding_tree(x, triangles)
    points = RNG.uniform(-1.3, 1.3, (2000, 3))
    depth = [0.7 - np.linalg.norm(points - [c, 0, 0], axis=1) for c in (-0.4, 0.4)]
    clear = (np.abs(depth[0]) > 0.03) & (np.abs(depth[1]) > 0.03)
    count = (depth[0] > 0).astype(float) + (depth[1] > 0)
    assert np.abs(winding_numbers(tree, points) - count)[clear].max() < 0.2


def test_grouped_triangles_give_nearly_the_exact_winding_number():
    x, triangles = bowl()
    points = RNG.uniform(-1.2, 1.2, (200, 3))
    a, b, c = (x[triangles[:, k]][None] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
    det = np.einsum("pti,pti->pt", a, np.cross(b, c))
    below = la * lb * lc + np.sum(a * b, 2) * lc + np.sum(b * c, 2) * la + np.sum(c * a, 2) * lb
    exact = np.arctan2(det, below).sum(axis=1) / (2 * np.pi)
    assert np.abs(winding_numbers(winding_tree(x, triangles), points) - exact).max() < 0.12


def test_flipped_faces_are_turned_back():
    x, triangles = sphere(3)
    again = turned_alike(half_flipped()[1])
    turn = [(x[t[:, 0]] * np.cross(x[t[:, 1]], x[t[:, 2]])).sum(axis=1) > 0 for t in (triangles, again)]
    assert turn[0].all() and turn[1].all()
    assert turned_alike(triangles) is triangles
    many = np.concatenate([half_flipped()[1] + k * len(x) for k in range(4)])
    again = turned_alike(many)
    places = np.tile(x, (4, 1))
    outwards = (places[again[:, 0]] * np.cross(places[again[:, 1]], places[again[:, 2]])).sum(axis=1) > 0
    assert outwards.all()


def test_a_surface_at_rest_is_where_it_was_and_follows_affine_maps_exactly():
    x, triangles = star()
    cage = make_cage(x, triangles, count=221)
    surface = embed(cage.X, cage.corner, x)
    assert np.abs(surface.deform(cage.X) - x).max() < 1e-12
    A, b = RNG.standard_normal((3, 3)), RNG.standard_normal(3)
    assert np.abs(surface.deform(cage.X @ A.T + b) - (x @ A.T + b)).max() < 1e-12
    assert surface.weight.sum(axis=1) == pytest.approx(1.0, abs=1e-14)


def test_points_are_found_in_any_tetrahedra():
    X, corner = bar((4, 3, 2), (1.0, 0.7, 0.5))
    X = X + 0.03 * RNG.standard_normal(X.shape)
    tet = RNG.integers(len(corner), size=500)
    weight = RNG.dirichlet(np.ones(4), size=500)
    points = np.einsum("pk,pkc->pc", weight, X[corner[tet]])
    found = embed(X, corner, points)
    assert found.distance.max() == 0.0
    assert np.array_equal(found.tet, tet)
    assert np.abs(found.weight - weight).max() < 1e-9


def test_points_outside_go_with_the_nearest_tetrahedron_and_say_how_far_they_are():
    X, corner = bar((3, 3, 3), (1.0, 1.0, 1.0))
    points = np.array(
        [[1.2, 0.5, 0.5], [1.3, 1.4, 0.5], [-1.0, -1.0, -1.0], [0.5, 0.5, 0.5], [0.4, -7.0, 0.3]]
    )
    found = embed(X, corner, points)
    assert found.distance == pytest.approx([0.2, 0.5, np.sqrt(3.0), 0.0, 7.0])
    assert found.outside.tolist() == [0, 1, 2, 4]
    A = RNG.standard_normal((3, 3))
    assert np.abs(found.deform(X @ A.T) - points @ A.T).max() < 1e-12
    with pytest.raises(InputError, match=r"head\.vertices\[4\].*7 m outside"):
        check_covered(found, 0.01, "head")
    check_covered(found, 10.0, "head")


def test_the_border_of_a_cage_encloses_it_and_its_edges_are_counted_once():
    brick = make_tets(*bar((3, 2, 2), (1.0, 0.7, 0.5)), Material(1.0))
    cage = make_cage(*star(), count=221)
    for X, corner in ((brick.X, brick.corner), (cage.X, cage.corner)):
        faces = border(corner)
        assert volume((X, faces)) == pytest.approx(np.abs(signed_volumes(X, corner)).sum())
        sides = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        _, uses = np.unique(np.sort(sides, axis=1), axis=0, return_counts=True)
        assert np.all(uses % 2 == 0)
        pairs = edges(corner)
        assert len(np.unique(pairs, axis=0)) == len(pairs) and np.all(pairs[:, 0] < pairs[:, 1])
