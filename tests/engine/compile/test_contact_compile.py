"""What a scene says about surfaces, and every mistake in it by name; who collides with whom."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from contact_scenes import contacts_of, free_body, model_contacts

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.contact.contacts import Contacts
from redmax_blender.engine.errors import SceneError, SceneWarning
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    ColliderSpec,
    Composite,
    Constant,
    Cuboid,
    Fixed,
    Hull,
    Inertia,
    JointSpec,
    LoopPoint,
    Mesh,
    Part,
    Plane,
    Point,
    Pose,
    Revolute,
    SceneSpec,
    SelfCollision,
    Sphere,
    Surface,
)

FLOOR = ColliderSpec(name="floor", shape=Plane())


def ball(name: str, x: float = 0.0, **surface: object) -> BodySpec:
    return free_body(name, Sphere(radius=0.5), (x, 0.0, 0.0), **surface)


def pairs(model: Model, c: Contacts) -> set[tuple[str, str]]:
    assert model.contact is not None
    names = model.contact.names
    return {tuple(sorted((names[a], names[b]))) for a, b in c.pair.tolist()}


def touching(spec: SceneSpec, h: float = 0.01) -> set[tuple[str, str]]:
    model = compile_scene(spec)
    return pairs(model, model_contacts(model, h))


FLAT = Hull(vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0.5, 0.5, 0)])
TRIANGLE = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
MISTAKES: list[tuple[str, Callable[[SceneSpec], object], str]] = [
    (
        "friction",
        lambda s: setattr(s.bodies[0].surface, "friction", -0.1),
        "bodies[0] 'a'.surface.friction: the friction is -0.1",
    ),
    (
        "restitution",
        lambda s: setattr(s.colliders[0], "restitution", 1.5),
        "colliders[0] 'floor'.restitution: the restitution is 1.5",
    ),
    ("margin", lambda s: setattr(s.bodies[0].surface, "margin", -1.0), "bodies[0] 'a'.surface.margin"),
    (
        "flat hull",
        lambda s: setattr(s.bodies[0].surface, "shape", FLAT),
        "surface.shape.vertices: the convex hull",
    ),
    (
        "no geometry",
        lambda s: setattr(s.bodies[0], "shape", Inertia(mass=1.0, moments=(1.0, 1.0, 1.0))),
        "bodies[0] 'a'.shape: a shape of kind 'inertia' has no geometry",
    ),
    (
        "not a number",
        lambda s: setattr(s.colliders[0].pose, "position", (0.0, math.nan, 0.0)),
        "colliders[0].pose.position[1]",
    ),
    (
        "curves",
        lambda s: setattr(s.colliders[0], "motion", [Constant(value=0.0)] * 5),
        "colliders[0] 'floor'.motion: there are 5 curves",
    ),
    (
        "unknown group",
        lambda s: s.self_collision.ignore.append(("a", "hends")),
        "self_collision.ignore[0]: there is no group, body or collider named 'hends'. Did you mean 'hands'?",
    ),
    (
        "neighbours",
        lambda s: setattr(s.self_collision, "neighbours", -1),
        "self_collision.neighbours: it is -1",
    ),
    (
        "name",
        lambda s: setattr(s.colliders[0], "name", "a"),
        "colliders[0] 'a'.name: bodies[0] has the same name",
    ),
    (
        "radius",
        lambda s: setattr(s.colliders[0], "shape", Sphere(radius=0.0)),
        "colliders[0] 'floor'.shape.radius: the length is 0.0 m",
    ),
    (
        "triangle",
        lambda s: setattr(s.colliders[0], "shape", Mesh(vertices=TRIANGLE, triangles=[(0, 1, 3)])),
        "colliders[0] 'floor'.shape.triangles[0][2]: there is no vertex 3",
    ),
    (
        "no area",
        lambda s: setattr(s.colliders[0], "shape", Mesh(vertices=TRIANGLE, triangles=[(0, 1, 1)])),
        "colliders[0] 'floor'.shape.triangles: the mesh has no triangles with an area",
    ),
]


@pytest.mark.parametrize(("mistake", "message"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES])
def test_mistakes_are_named(mistake: Callable[[SceneSpec], object], message: str) -> None:
    spec = SceneSpec(
        bodies=[ball("a"), ball("b", 5.0, groups=["hands"])],
        colliders=[ColliderSpec(name="floor", shape=Plane())],
    )
    mistake(spec)
    with pytest.raises(SceneError) as error:
        compile_scene(spec)
    assert message in str(error.value)


def test_bodies_without_a_surface_pass_through_everything() -> None:
    ghost = ball("ghost")
    ghost.surface = None
    spec = SceneSpec(bodies=[ghost], colliders=[FLOOR])
    assert compile_scene(spec).contact is None
    spec.bodies.append(ball("b"))
    assert touching(spec) == {("b", "floor")}


def chain(n: int, gap: float = 0.02) -> list[BodySpec]:
    """Cubes of a tenth in a row, each hinged on the one before; a little less than they are apart."""
    return [
        BodySpec(
            name=f"b{k}",
            shape=Cuboid(sides=(0.1, 0.1, 0.1)),
            parent=f"b{k - 1}" if k else None,
            joint=JointSpec(type=Revolute(), frame=Pose(position=(0.1 + gap, 0.0, 0.0) if k else (0, 0, 0))),
            surface=Surface(),
        )
        for k in range(n)
    ]


@pytest.mark.parametrize(("neighbours", "expected"), [(0, 3), (1, 2), (2, 1), (3, 0)])
def test_bodies_that_are_few_joints_apart_do_not_collide(neighbours: int, expected: int) -> None:
    """With an h so large that everything is within reach, b0 meets those that are farther than `neighbours`."""
    spec = SceneSpec(
        bodies=chain(4, 1e-4), self_collision=SelfCollision(neighbours=neighbours), gravity=(0.0, 0.0, -1e4)
    )
    found = touching(spec, h=0.1)
    assert sum("b0" in pair for pair in found) == expected


def test_fixed_joints_do_not_count_as_joints_and_loops_do() -> None:
    bodies = chain(4, 1e-4)
    bodies[1].joint.type = Fixed()
    spec = SceneSpec(bodies=bodies, gravity=(0.0, 0.0, -1e4))
    # b0 and b1 are one; b2 is next to both.
    assert touching(spec, h=0.1) == {("b0", "b3"), ("b1", "b3")}
    spec.constraints.append(LoopPoint(a=Point(body="b0"), b=Point(body="b3")))
    assert touching(spec, h=0.1) == set()


def test_groups_and_names_can_be_ignored() -> None:
    bodies = [
        ball("a", 0.0, groups=["red"]),
        ball("b", 1.0, groups=["red", "big"]),
        ball("c", 2.0),
        ball("d", 3.0),
    ]
    spec = SceneSpec(bodies=bodies)
    assert touching(spec) == {("a", "b"), ("b", "c"), ("c", "d")}
    spec.self_collision.ignore = [("red", "red"), ("c", "d")]
    assert touching(spec) == {("b", "c")}
    spec.self_collision.ignore = [("big", "c")]
    assert touching(spec) == {("a", "b"), ("c", "d")}
    spec.self_collision = SelfCollision(enabled=False)
    spec.colliders = [ColliderSpec(name="floor", shape=Plane(), pose=Pose(position=(0.0, 0.0, -0.5)))]
    assert touching(spec) == {(name, "floor") for name in "abcd"}


def test_large_groups_are_ignored_as_well_as_small_ones() -> None:
    """More pairs than are listed one by one."""
    bodies = [ball(f"{k:02d}", 1.0 * k, groups=["even" if k % 2 == 0 else "odd"]) for k in range(40)]
    spec = SceneSpec(bodies=bodies, self_collision=SelfCollision(ignore=[("even", "odd")]))
    assert touching(spec) == set()
    spec.self_collision.ignore = [("even", "even")]
    assert len(touching(spec)) == 39


def test_bodies_that_overlap_at_the_start_are_named_once_and_let_be() -> None:
    bodies = [ball("a"), ball("b", 0.8), ball("c", 1.797)]
    with pytest.warns(SceneWarning, match="'a' and 'b'") as caught:
        model = compile_scene(SceneSpec(bodies=bodies))
    assert len(caught) == 1
    assert model.contact is not None and model.contact.overlapping == (("a", "b"),)
    # b and c overlap by less than a hundredth of their size: that is a contact.
    assert pairs(model, model_contacts(model)) == {("b", "c")}


def test_a_body_in_the_floor_is_pushed_out_and_not_let_through() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        c = contacts_of([ball("a")], [FLOOR])
    assert c.gap == pytest.approx([-0.5])


def test_what_contacts_cannot_move_is_not_looked_at() -> None:
    """A fixed body and one on prescribed motion meet colliders and each other without contacts."""
    post = BodySpec(name="post", shape=Cuboid(sides=(1, 1, 1)), surface=Surface())
    arm = BodySpec(
        name="arm",
        shape=Cuboid(sides=(1, 1, 1)),
        joint=JointSpec(type=Revolute(), motion=[Constant(value=0.1)]),
        surface=Surface(),
    )
    assert touching(SceneSpec(bodies=[post, arm], colliders=[FLOOR])) == set()
    assert touching(SceneSpec(bodies=[post, arm, ball("b", 1.0)], colliders=[FLOOR])) == {
        ("b", "floor"),
        ("b", "post"),
        ("arm", "b"),
    }


def test_friction_is_averaged_geometrically_and_the_larger_restitution_counts() -> None:
    floor = ColliderSpec(name="floor", shape=Plane(), friction=0.9, restitution=0.2)
    c = contacts_of([ball("a", friction=0.4, restitution=0.5)], [floor])
    assert c.friction == pytest.approx([0.6])
    assert c.restitution == pytest.approx([0.5])


def test_a_margin_makes_a_body_thicker() -> None:
    body = free_body("a", Cuboid(sides=(1.0, 1.0, 1.0)), (0.0, 0.0, 0.51), margin=0.01)
    c = contacts_of([body], [FLOOR])
    assert c.gap == pytest.approx(np.zeros(4), abs=1e-12)


def test_a_body_may_touch_with_another_shape_than_it_weighs_with() -> None:
    parts = [Part(shape=Sphere(radius=0.1), pose=Pose(position=(x, 0.0, 0.0))) for x in (-0.3, 0.3)]
    body = free_body("a", Cuboid(sides=(1.0, 1.0, 1.0)), (0.0, 0.0, 0.1))
    body.surface = Surface(shape=Composite(parts=parts))
    c = contacts_of([body], [FLOOR])
    assert sorted(c.x[:, 0, 0].tolist()) == pytest.approx([-0.3, 0.3])
    assert len(set(c.key.tolist())) == 2


def test_a_body_of_several_parts_touches_with_all_but_its_weights() -> None:
    shape = Composite(
        parts=[
            Part(shape=Capsule(radius=0.1, height=1.0), pose=Pose(rotation=[0.0, math.pi / 2, 0.0])),
            Part(shape=Inertia(mass=1.0, moments=(1.0, 1.0, 1.0))),
        ]
    )
    c = contacts_of([free_body("a", shape, (0.0, 0.0, 0.1))], [FLOOR])
    assert sorted(c.x[:, 0, 0].tolist()) == pytest.approx([-0.5, 0.5])


def test_a_mesh_of_a_body_touches_as_its_hull() -> None:
    """A tetrahedron whose fourth face is dented: the dent does not show."""
    points = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.2, 0.2, 0.2)]
    triangles = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4)]
    body = free_body("a", Mesh(vertices=points, triangles=triangles))
    model = compile_scene(SceneSpec(bodies=[body]))
    assert model.contact is not None
    assert len(model.contact.solids.verts) == 4
    assert np.diff(model.contact.solids.face_at).tolist() == [3, 3, 3, 3]
