"""Contacts of whole scenes: flesh, moving colliders, keys from step to step, order, and how the work grows."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from contact_scenes import GEOM, Round, contacts_of, free_body, model_contacts, random_rotation, random_shape

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.contact.contacts import Contacts
from redmax_blender.engine.contact.find import find_contacts, near_pairs
from redmax_blender.engine.contact.near.placing import place_pieces
from redmax_blender.engine.fem.bar import bar
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.scene import (
    Attachment,
    Capsule,
    ColliderSpec,
    Constant,
    Cuboid,
    Cylinder,
    FleshSpec,
    MaterialSpec,
    Mesh,
    Plane,
    Polynomial,
    Pose,
    SceneSpec,
    Sphere,
    Surface,
)
from redmax_blender.engine.tree.kinematics import forward_kinematics

FLOOR = ColliderSpec(name="floor", shape=Plane())
SKIN = 1e-3 * math.sqrt(0.4**2 + 0.2**2 + 0.2**2)
"""Thickness of the flesh below [m]."""


def jelly(lift: float, **more: object) -> FleshSpec:
    """A block of 0.4 by 0.2 by 0.2 m, its underside at a height."""
    X, corner = bar((4, 2, 2), (0.4, 0.2, 0.2))
    X[:, 2] += lift
    given = {"surface": Surface(friction=0.5)} | more
    return FleshSpec(
        "jelly", [tuple(x) for x in X.tolist()], corner.tolist(), MaterialSpec(young=1e4), **given
    )


def far_ball() -> object:
    return free_body("ball", Sphere(radius=0.1), (10.0, 0.0, 5.0))


def on_flesh(model: Model, c: Contacts, k: int, side: int) -> np.ndarray:
    """Where a side of contact k is by its tetrahedron and weights [m]."""
    assert model.flesh is not None
    corner = model.flesh.tets.corner[c.tet[k, side]]
    return c.weight[k, side] @ model.initial_state().x[corner]


def test_the_underside_of_flesh_rests_on_the_floor() -> None:
    model = compile_scene(SceneSpec(bodies=[far_ball()], flesh=[jelly(0.0005)], colliders=[FLOOR]))
    c = model_contacts(model)
    assert len(c) == 15  # 5 by 3 vertices
    assert (c.link == -1).all() and (c.tet[:, 0] >= 0).all() and (c.tet[:, 1] == -1).all()
    assert c.gap == pytest.approx(np.full(15, 0.0005 - SKIN), abs=1e-12)
    assert c.normal == pytest.approx(np.tile([0.0, 0.0, 1.0], (15, 1)))
    for k in range(len(c)):
        assert on_flesh(model, c, k, 0) == pytest.approx(c.x[k, 0] + SKIN * c.normal[k], abs=1e-12)
    assert len(set(c.key.tolist())) == 15


@pytest.mark.parametrize(
    "shape", [Cuboid(sides=(1, 1, 0.1)), Capsule(radius=0.05, height=1.0), Cylinder(0.3, 0.1)]
)
def test_flesh_touches_bodies(shape: Round) -> None:
    """The body is side 1, with its link, so that the push goes both ways."""
    height = {Cuboid: 0.05, Capsule: 0.55, Cylinder: 0.05}[type(shape)]
    body = free_body("body", shape, (0.2, 0.1, -height))
    model = compile_scene(SceneSpec(bodies=[body], flesh=[jelly(0.0005)]))
    c = model_contacts(model)
    assert len(c) >= 1
    assert (c.tet[:, 0] >= 0).all() and (c.link[:, 1] == model.bodies.link[0]).all()
    assert c.gap.min() == pytest.approx(0.0005 - SKIN, abs=1e-9)
    assert c.normal[np.argmin(c.gap)] == pytest.approx([0.0, 0.0, 1.0], abs=1e-6)


def test_carried_vertices_push_their_link_and_pinned_ones_nothing() -> None:
    X, _ = bar((4, 2, 2), (0.4, 0.2, 0.2))
    left, right = np.flatnonzero(X[:, 0] < 0.01).tolist(), np.flatnonzero(X[:, 0] > 0.39).tolist()
    body = free_body("body", Cuboid(sides=(0.1, 0.2, 0.2)), (0.0, 0.1, 0.1))
    flesh = jelly(0.0, attachments=[Attachment("body", left)], pinned=right)
    model = compile_scene(SceneSpec(bodies=[body], flesh=[flesh], colliders=[FLOOR]))
    c = model_contacts(model)
    names = model.contact.names
    soft = np.array([names[p] == "jelly" for p in c.pair[:, 0]])
    assert (c.link[soft, 0] >= 0).sum() == 3  # carried
    assert (c.weight[soft, 0] == 1.0).sum() == 9  # in between
    assert (c.weight[soft, 0] == 0.5).any(axis=1).sum() == 5  # middles of edges to pinned ones
    # The flesh and the body that carries it overlap as they should.
    assert {names[p] for p in c.pair[:, 1]} == {"floor"}


def test_vertices_inside_a_body_at_the_start_are_let_out() -> None:
    body = free_body("body", Sphere(radius=0.12), (0.2, 0.1, 0.0))
    model = compile_scene(SceneSpec(bodies=[body], flesh=[jelly(0.0)]))
    inside = np.linalg.norm(model.flesh.x0 - [0.2, 0.1, 0.0], axis=1) < 0.12
    assert inside.any()
    assert (model_contacts(model).gap >= 0.0).all()


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_vertex_of_flesh_keeps_its_side_of_a_sheet_when_it_is_a_little_too_deep(side: float) -> None:
    corners = [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)]
    sheet = ColliderSpec(name="sheet", shape=Mesh(vertices=corners, triangles=[(0, 1, 2), (0, 2, 3)]))
    flesh = jelly(0.9 * SKIN if side > 0.0 else -0.2 - 0.9 * SKIN)
    model = compile_scene(SceneSpec(bodies=[far_ball()], flesh=[flesh], colliders=[sheet]))
    c = model_contacts(model)
    assert len(c) == 15
    assert c.gap == pytest.approx(np.full(15, -0.1 * SKIN), abs=1e-12)
    assert c.normal[:, 2] == pytest.approx(np.full(15, side))


def test_fast_flesh_does_not_pass_a_thin_wall() -> None:
    wall = ColliderSpec(name="wall", shape=Cuboid(sides=(4, 4, 0.001)), pose=Pose(position=(0.0, 0.0, -3.0)))
    v = [(0.0, 0.0, -200.0)] * 45
    model = compile_scene(SceneSpec(bodies=[far_ball()], flesh=[jelly(0.0, velocities=v)], colliders=[wall]))
    h = 1.0 / 24.0
    c = model_contacts(model, h)
    outer = 5 * 3 * 3 - 3  # all but those inside the block
    assert len(c) == outer
    assert (c.normal[:, 2] * -200.0 < -c.gap / h).all()


def test_a_keyframed_collider_says_how_fast_its_points_move() -> None:
    """A turntable that rises: the velocity is that of the point under the body over the whole step."""
    omega, rise, h = 2.0, 0.3, 0.02
    motion = [
        Constant(value=0.0),
        Constant(value=0.0),
        Polynomial(coefficients=[0.0, rise]),
        Constant(value=0.0),
        Constant(value=0.0),
        Polynomial(coefficients=[0.0, omega]),
    ]
    table = ColliderSpec(name="table", shape=Cylinder(radius=2.0, height=0.2), motion=motion)
    model = compile_scene(
        SceneSpec(bodies=[free_body("ball", Sphere(radius=0.1), (1.5, 0.0, 0.3))], colliders=[table])
    )
    c = model_contacts(model, h, t=0.3)
    x = c.x[0, 1]
    end = se3.exp_so3([0.0, 0.0, omega * h]) @ x + [0.0, 0.0, rise * h]
    assert c.velocity[0] == pytest.approx((end - x) / h, abs=1e-9)
    assert c.gap[0] == pytest.approx(0.2 - 0.1 - rise * 0.3, abs=1e-9)


def test_keys_stay_the_same_while_bodies_slide() -> None:
    """Each point of contact has a key of its own, which it keeps; so a solver can begin where it ended."""
    bodies = [
        free_body(
            "box", Cuboid(sides=(0.4, 0.3, 0.2)), (0.0, 0.0, 0.1), (0.0, 0.0, 0.3), velocity=(0.05, 0.02, 0.0)
        ),
        free_body("top", Cuboid(sides=(0.2, 0.2, 0.2)), (0.02, 0.01, 0.3), velocity=(0.04, 0.02, 0.0)),
        free_body("pipe", Capsule(radius=0.1, height=0.5), (2.0, 0.0, 0.1), (1.5707963, 0.0, 0.0)),
    ]
    model = compile_scene(SceneSpec(bodies=bodies, colliders=[FLOOR]))
    state, h = model.initial_state(), 0.01
    before: dict[int, np.ndarray] = {}
    for _ in range(10):
        c = find_contacts(model, state, forward_kinematics(model, state), h)
        assert len(set(c.key.tolist())) == len(c) == 10
        now = dict(zip(c.key.tolist(), c.x[:, 0], strict=True))
        if before:
            assert set(now) == set(before)
            assert max(np.linalg.norm(now[k] - before[k]) for k in now) < 0.002
        before = now
        state = replace(state, q=state.q + h * state.qdot)


def scattered(n: int, seed: int = 4) -> Model:
    """Boxes, balls and capsules a metre apart on average in a cube, some of them touching."""
    rng = np.random.default_rng(seed)
    side = n ** (1.0 / 3.0)
    kinds = ("sphere", "box", "capsule")
    bodies = [
        free_body(f"{k}", random_shape(kinds[k % 3], rng), rng.uniform(0.0, side, 3), random_rotation(rng))
        for k in range(n)
    ]
    spec = SceneSpec(bodies=bodies, colliders=[FLOOR], gravity=(0.0, 0.0, 0.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # many overlap, and pass through each other
        return compile_scene(spec)


def test_the_same_scene_gives_the_same_contacts_in_the_same_order() -> None:
    model = scattered(60)
    a, b = model_contacts(model, 0.2), model_contacts(model, 0.2)
    for name in ("key", "x", "normal", "gap", "pair"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    assert (np.diff(a.key // (1 << 20)) >= 0).all()


def test_near_pairs_are_all_pairs_whose_boxes_overlap() -> None:
    """The tree of boxes against a look at every pair."""
    model = scattered(150)
    surfaces, state = model.contact, model.initial_state()
    placed = place_pieces(surfaces, model.gravity, state, forward_kinematics(model, state), 0.01)
    n = len(surfaces)
    found = set(near_pairs(surfaces, placed, 0.01).tolist())
    bodies = np.flatnonzero(surfaces.collider < 0)
    apart = set(surfaces.apart.tolist())
    want = {
        i * n + j
        for i in bodies
        for j in bodies
        if i < j
        and (placed.low[i] <= placed.high[j]).all()
        and (placed.low[j] <= placed.high[i]).all()
        and int(surfaces.owner[i] * len(surfaces.names) + surfaces.owner[j]) not in apart
    }
    assert len(want) > 100
    assert {p for p in found if p % n != n - 1} == want


def test_the_work_grows_little_faster_than_the_number_of_bodies() -> None:
    """Between 500 and 2,000 bodies, well below the square; the processor's time, best of several."""
    cost = []
    for n in (500, 2000):
        model = scattered(n)
        state = model.initial_state()
        kin = forward_kinematics(model, state)
        find_contacts(model, state, kin, 0.01)
        best = math.inf
        for _ in range(7):
            begin = time.process_time()
            find_contacts(model, state, kin, 0.01)
            best = min(best, time.process_time() - begin)
        cost.append(best)
    assert math.log(cost[1] / cost[0]) / math.log(4.0) < 1.5


def mujoco_distance(
    shapes: list[Round], places: list[tuple[np.ndarray, np.ndarray]]
) -> tuple[float, np.ndarray]:
    """MuJoCo's distance of two shapes, and the direction from the second to the first."""
    bodies = ""
    for shape, (p, r) in zip(shapes, places, strict=True):
        q = se3.quaternion(se3.exp_so3(r))
        where = 'pos="{} {} {}" quat="{} {} {} {}"'.format(*p, *q)
        bodies += f"<body {where}><geom {GEOM[type(shape)](shape)}/></body>"
    xml = (
        f'<mujoco><option ccd_tolerance="1e-9" ccd_iterations="200"/><worldbody>{bodies}</worldbody></mujoco>'
    )
    m = mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    ends = np.zeros(6)
    distance = mujoco.mj_geomDistance(m, d, 0, 1, 10.0, ends)
    between = ends[:3] - ends[3:]
    return distance, np.sign(distance) * between / np.linalg.norm(between)


@pytest.mark.parametrize("kind", ["sphere", "capsule", "box", "cylinder", "ellipsoid"])
def test_distances_and_normals_agree_with_mujoco(kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    for other in ("sphere", "capsule", "box", "cylinder", "ellipsoid"):
        shapes = [random_shape(kind, rng), random_shape(other, rng)]
        for _ in range(3):
            d = rng.normal(size=3)
            places = [
                (np.zeros(3), random_rotation(rng)),
                (1.6 * d / np.linalg.norm(d), random_rotation(rng)),
            ]
            bodies = [
                free_body(str(k), s, p, r) for k, (s, (p, r)) in enumerate(zip(shapes, places, strict=True))
            ]
            c = contacts_of(bodies, h=0.3)  # 4 g h² is more than the distance
            distance, normal = mujoco_distance(shapes, places)
            assert distance > 0.0  # overlaps are judged by the shortest way out in the tests of pairs
            k = int(np.argmin(c.gap))
            assert c.gap[k] == pytest.approx(distance, abs=1e-6)
            assert c.normal[k] == pytest.approx(normal, abs=1e-4)


def stairs(n: int) -> Mesh:
    """A closed flight of n steps, 0.3 deep and 0.2 high."""
    outline = [(0.0, 0.0)]
    for k in range(n):
        outline += [(0.3 * k, 0.2 * (k + 1)), (0.3 * (k + 1), 0.2 * (k + 1))]
    outline.append((0.3 * n, 0.0))
    m = len(outline)
    points = [(x, -1.0, z) for x, z in outline] + [(x, 1.0, z) for x, z in outline]
    triangles = []
    for a in range(m):
        b = (a + 1) % m
        triangles += [(a, m + a, m + b), (a, m + b, b)]
    return Mesh(vertices=points, triangles=triangles)


def test_a_body_in_the_corner_of_a_stair_touches_tread_and_riser() -> None:
    box = free_body("box", Cuboid(sides=(0.1, 0.1, 0.1)), (0.3 - 0.0505, 0.0, 0.2505))
    c = contacts_of([box], [ColliderSpec(name="stairs", shape=stairs(4))])
    up, out = c.normal[:, 2] > 0.99, c.normal[:, 0] < -0.99
    assert (up | out).all()
    assert up.sum() == 4 and out.sum() == 4
    assert c.gap == pytest.approx(np.full(8, 0.0005), abs=1e-9)
