"""Flesh touches with the middles of its edges as well as with its vertices."""

from __future__ import annotations

import numpy as np

from redmax_blender.engine import compile_scene
from redmax_blender.engine.contact.find import find_contacts
from redmax_blender.engine.fem.bar import bar
from redmax_blender.engine.integrators.euler import euler
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import (
    BodySpec,
    ColliderSpec,
    Cuboid,
    FleshSpec,
    Free,
    JointSpec,
    MaterialSpec,
    Plane,
    Pose,
    SceneSpec,
    Surface,
)
from redmax_blender.engine.tree.kinematics import forward_kinematics

MARGIN = 0.005


def slab(colliders: list[ColliderSpec], height: float) -> SceneSpec:
    """A slab of flesh, 0.4 m by 0.4 m in two bricks of 0.2 m each way, its underside at a height [m]."""
    X, corner = bar((2, 2, 1), (0.4, 0.4, 0.1))
    flesh = FleshSpec(
        name="slab",
        vertices=[(float(x) - 0.2, float(y) - 0.2, float(z) + height) for x, y, z in X],
        tets=[tuple(map(int, t)) for t in corner],
        material=MaterialSpec(young=1e5, stiffness_damping=0.02),
        mass=4.0,
        surface=Surface(margin=MARGIN),
    )
    far = BodySpec(
        name="far", shape=Cuboid((0.1, 0.1, 0.1)), joint=JointSpec(type=Free(), frame=Pose((9.0, 0.0, 0.0)))
    )
    return SceneSpec(bodies=[far], flesh=[flesh], colliders=colliders)


def test_a_wall_that_is_thinner_than_the_triangles_does_not_go_in_between_their_vertices() -> None:
    """The top of the wall, 2 cm thick, crosses the middles of edges only: no vertex is within 9 cm of it."""
    wall = ColliderSpec(name="wall", shape=Cuboid((0.02, 1.0, 0.2)), pose=Pose((0.1, 0.0, 0.1)))
    prop = ColliderSpec(name="prop", shape=Cuboid((0.02, 1.0, 0.2)), pose=Pose((-0.1, 0.0, 0.1)))
    model = compile_scene(slab([wall, prop], 0.21))
    steps = euler(model, model.initial_state(), Options(h=1 / 240))
    for _ in range(120):
        next(steps)
    x, ends = steps.state.x, model.contact.middle
    middle = 0.5 * (x[ends[:, 0]] + x[ends[:, 1]])
    over = np.abs(np.abs(middle[:, 0]) - 0.1) < 0.01
    assert over.any()
    assert middle[over, 2].min() > 0.2 - 1e-3  # it lies on both, and they do not show above its underside


def test_on_flat_ground_the_vertices_say_it_all() -> None:
    model = compile_scene(slab([ColliderSpec(name="ground", shape=Plane())], MARGIN))
    state = model.initial_state()
    contacts = find_contacts(model, state, forward_kinematics(model, state), 1 / 240)
    assert len(contacts) == 9
    assert np.all(contacts.weight.max(axis=2)[:, 0] == 1.0)


def test_a_middle_pushes_the_two_vertices_of_its_edge() -> None:
    wall = ColliderSpec(name="wall", shape=Cuboid((0.02, 1.0, 0.2)), pose=Pose((0.1, 0.0, 0.1)))
    model = compile_scene(slab([wall], 0.2 + MARGIN))
    state = model.initial_state()
    contacts = find_contacts(model, state, forward_kinematics(model, state), 1 / 240)
    assert len(contacts) > 0
    for tet, weight, x in zip(contacts.tet[:, 0], contacts.weight[:, 0], contacts.x[:, 0], strict=True):
        assert sorted(weight) == [0.0, 0.0, 0.5, 0.5]
        place = weight @ state.x[model.flesh.tets.corner[tet]]
        np.testing.assert_allclose(x[:2], place[:2], atol=1e-9)
