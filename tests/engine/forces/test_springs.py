"""Springs: what they pull with, what the implicit step sees of them, and how that is multiplied and assembled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_scenes import faster, mixed_tree, moved, per_twist, random_state

from redmax_blender.engine.algebra.se3 import symmetric
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.forces.joint import joint_action
from redmax_blender.engine.forces.springs import (
    add_diagonal_blocks,
    add_spring_wrenches,
    elastic_tension,
    measure_springs,
    spring_energy,
    spring_tangent,
    tangent_times,
)
from redmax_blender.engine.model.control import control_at
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.scene import SceneSpec
from redmax_blender.engine.scene.forces import Point, Spring, Tangent
from redmax_blender.engine.solvers.direct import assemble
from redmax_blender.engine.solvers.implicit_system import ImplicitSystem, implicit_system
from redmax_blender.engine.solvers.pcg import times
from redmax_blender.engine.tree.jacobian import dense_link_jacobian
from redmax_blender.engine.tree.kinematics import Kinematics, forward_kinematics

H = 0.02

HAND = Point(body="hand", position=(0.1, 0.05, 0.02))
TAIL = Point(body="tail", position=(-0.1, 0.02, 0.04))
SLIDE = Point(body="slide", position=(0.05, -0.1, 0.0))
BASE = Point(body="base", position=(0.1, 0.1, 0.1))
BASE_TOO = Point(body="base", position=(-0.1, 0.1, 0.1))
NAIL = Point(position=(0.3, -0.5, 0.9))

SPRINGS = {
    "between two bodies, pulling": Spring(points=[HAND, TAIL], stiffness=300.0, damping=4.0, rest_length=0.2),
    "between two bodies, pushing": Spring(points=[HAND, TAIL], stiffness=300.0, damping=4.0, rest_length=2.5),
    "to the world": Spring(points=[HAND, NAIL], stiffness=200.0, damping=3.0, rest_length=0.3),
    "from the world": Spring(points=[NAIL, SLIDE], stiffness=200.0, damping=3.0, rest_length=0.3),
    "of no rest length": Spring(points=[HAND, SLIDE], stiffness=150.0, rest_length=0.0),
    "through several bodies": Spring(points=[HAND, BASE, NAIL, SLIDE], stiffness=120.0, damping=2.0, rest_length=0.5),
    "through two points of one body": Spring(
        points=[TAIL, BASE, BASE_TOO, SLIDE], stiffness=120.0, damping=2.0, rest_length=0.4
    ),
    "twice on one body": Spring(points=[BASE, HAND, BASE_TOO], stiffness=90.0, damping=1.0, rest_length=0.2),
    "a taut cable": Spring(points=[HAND, TAIL], stiffness=300.0, damping=4.0, rest_length=0.2, tension_only=True),
    "a slack cable": Spring(points=[HAND, TAIL], stiffness=300.0, damping=4.0, rest_length=3.0, tension_only=True),
}  # fmt: skip
TANGENTS: list[Tangent] = ["projected", "axial", "exact", "explicit"]


def spring_model(spring: Spring, tangent: Tangent = "projected") -> tuple[Model, Kinematics]:
    spec = SceneSpec(bodies=mixed_tree(), forces=[_with(spring, tangent)])
    model = compile_scene(spec)
    return model, forward_kinematics(model, random_state(model, 3))


def _with(spring: Spring, tangent: Tangent) -> Spring:
    return Spring(**{name: getattr(spring, name) for name in spring.__struct_fields__} | {"tangent": tangent})


def pull(model: Model, kin: Kinematics, damped: bool = True) -> Floats:
    """Wrenches on the links, shape (nl, 6)."""
    F = np.zeros((model.nl, 6))
    state = measure_springs(model.springs, kin)
    tension = state.tension if damped else state.tension - _damper(model, kin)
    add_spring_wrenches(model.springs, state, tension, F)
    return F


def _damper(model: Model, kin: Kinematics) -> Floats:
    s = model.springs
    state = measure_springs(s, kin)
    return s.damping * state.rate * ((state.length > s.rest) | (s.tension_only == 0))


def dense_tangent(model: Model, kin: Kinematics) -> Floats:
    """h D - h² K as the implicit step multiplies with it, column by column, shape (6 nl, 6 nl)."""
    state = measure_springs(model.springs, kin)
    tangent = spring_tangent(model.springs, state, H)
    n = 6 * model.nl
    return np.array([
        tangent_times(model.springs, state, tangent, kin, e.reshape(-1, 6)).ravel() for e in np.eye(n)
    ]).T  # fmt: skip


def node_positions(model: Model, kin: Kinematics) -> Floats:
    """World positions of all nodes, shape (nn, 3)."""
    s = model.springs
    R, p = kin.E_wj[:, :9].reshape(-1, 3, 3), kin.E_wj[:, 9:]
    return np.array([R[l] @ x + p[l] if l >= 0 else x for l, x in zip(s.link, s.x)])


def system(model: Model, seed: int = 3) -> ImplicitSystem:
    state = random_state(model, seed)
    kin = forward_kinematics(model, state)
    control = control_at(model, H)
    return implicit_system(model, state, kin, control, joint_action(model, state, control, H), H)


@pytest.mark.parametrize("name", SPRINGS)
def test_a_spring_pulls_down_the_slope_of_its_energy(name: str) -> None:
    model, kin = spring_model(SPRINGS[name])
    slope = per_twist(
        kin, moved, lambda k: np.array([spring_energy(model.springs, measure_springs(model.springs, k))])
    )
    np.testing.assert_allclose(pull(model, kin, damped=False).ravel(), -slope[0], atol=1e-7)


@pytest.mark.parametrize("name", SPRINGS)
def test_the_rate_of_a_spring_is_how_fast_its_length_changes(name: str) -> None:
    model, kin = spring_model(SPRINGS[name])
    slope = per_twist(kin, moved, lambda k: measure_springs(model.springs, k).length)
    np.testing.assert_allclose(measure_springs(model.springs, kin).rate, slope @ kin.V.ravel(), atol=1e-8)


@pytest.mark.parametrize("name", SPRINGS)
def test_the_damper_brakes_only_along_the_line(name: str) -> None:
    model, kin = spring_model(SPRINGS[name], "axial")
    model = replace(model, springs=replace(model.springs, stiffness=0.0 * model.springs.stiffness))
    D = -per_twist(kin, faster, lambda k: pull(model, k))
    np.testing.assert_allclose(H * D, dense_tangent(model, kin), atol=1e-7)
    assert np.linalg.eigvalsh(0.5 * (D + D.T)).min() > -1e-8
    assert float(pull(model, kin).ravel() @ kin.V.ravel()) <= 0.0


@pytest.mark.parametrize("name", SPRINGS)
def test_the_exact_tangent_is_the_symmetric_part_of_the_derivative(name: str) -> None:
    model, kin = spring_model(SPRINGS[name], "exact")
    model = replace(model, springs=replace(model.springs, damping=0.0 * model.springs.damping))
    K = per_twist(kin, moved, lambda k: pull(model, k))
    np.testing.assert_allclose(dense_tangent(model, kin), -H * H * 0.5 * (K + K.T), atol=1e-7)


@pytest.mark.parametrize("name", SPRINGS)
def test_the_projected_tangent_is_the_curvature_of_the_energy_in_the_points_while_it_pulls(name: str) -> None:
    model, kin = spring_model(SPRINGS[name])
    model = replace(model, springs=replace(model.springs, damping=0.0 * model.springs.damping))
    s, state = model.springs, measure_springs(model.springs, kin)
    # the points and how they move with the links
    nodes = node_positions(model, kin)
    points = per_twist(kin, moved, lambda k: node_positions(model, k))
    along = np.diff(nodes, axis=0)
    spans = np.linalg.norm(along, axis=1)
    u = along / spans[:, None]
    g = np.zeros_like(nodes)
    g[:-1] -= u
    g[1:] += u
    taut = not s.tension_only[0] or state.length[0] > s.rest[0]
    pulled = max(float(s.stiffness[0] * (state.length[0] - s.rest[0])), 0.0)
    curvature = s.stiffness[0] * np.outer(g.ravel(), g.ravel()) * taut
    for i in range(len(spans)):
        if s.link[i] == s.link[i + 1]:
            continue  # two points of one body cannot turn about each other
        d = np.zeros((3, nodes.size))
        d[:, 3 * i : 3 * i + 3], d[:, 3 * i + 3 : 3 * i + 6] = -np.eye(3), np.eye(3)
        curvature += pulled / spans[i] * d.T @ (np.eye(3) - np.outer(u[i], u[i])) @ d
    np.testing.assert_allclose(dense_tangent(model, kin), H * H * points.T @ curvature @ points, atol=1e-7)


@pytest.mark.parametrize("tangent", TANGENTS)
@pytest.mark.parametrize("name", SPRINGS)
def test_tangents_are_symmetric_and_semidefinite_where_promised(name: str, tangent: Tangent) -> None:
    model, kin = spring_model(SPRINGS[name], tangent)
    A = dense_tangent(model, kin)
    np.testing.assert_allclose(A, A.T, atol=1e-12)
    if tangent != "exact":
        assert np.linalg.eigvalsh(A).min() > -1e-10
    if tangent == "explicit":
        assert not A.any()


@pytest.mark.parametrize("tangent", TANGENTS)
@pytest.mark.parametrize("name", SPRINGS)
def test_products_assembled_matrix_and_diagonal_blocks_are_of_one_matrix(name: str, tangent: Tangent) -> None:
    model, kin = spring_model(SPRINGS[name], tangent)
    A_m = np.zeros((model.nl, 21))
    state = measure_springs(model.springs, kin)
    add_diagonal_blocks(model.springs, state, spring_tangent(model.springs, state, H), kin, A_m)
    dense = dense_tangent(model, kin)
    for j, block in enumerate(symmetric(A_m)):
        np.testing.assert_allclose(block, dense[6 * j : 6 * j + 6, 6 * j : 6 * j + 6], atol=1e-12)
    s = system(model)
    J = dense_link_jacobian(model, s.kin)
    M = np.zeros((6 * model.nl, 6 * model.nl))
    for j, block in enumerate(symmetric(model.tree.inertia + s.A_m)):
        M[6 * j : 6 * j + 6, 6 * j : 6 * j + 6] = block
    A = J.T @ (M + dense) @ J + np.diag(s.A_r)
    np.testing.assert_allclose(assemble(s), A, atol=1e-10)
    np.testing.assert_allclose(np.array([times(s, e) for e in np.eye(model.nr)]), A, atol=1e-10)


def test_elastic_tension_leaves_out_the_damper_that_the_matrix_brings() -> None:
    spring = SPRINGS["between two bodies, pulling"]
    for tangent, damped in (("projected", False), ("explicit", True)):
        model, kin = spring_model(spring, tangent)  # type: ignore[arg-type]
        state = measure_springs(model.springs, kin)
        expected = 300.0 * (state.length[0] - 0.2) + (4.0 * state.rate[0] if damped else 0.0)
        assert elastic_tension(model.springs, state)[0] == pytest.approx(expected, rel=1e-12)


def test_a_spring_of_no_rest_length_pulls_alike_in_all_directions_when_its_ends_meet() -> None:
    here = Point(body="slide", position=(0.0, 0.0, 0.0))
    spec = SceneSpec(bodies=mixed_tree(), forces=[])
    model = compile_scene(spec)
    kin = forward_kinematics(model, model.initial_state())
    E = kin.E_wj[model.bodies.link[5]]
    where = E[:9].reshape(3, 3) @ model.bodies.E_js[5, 9:] + E[9:]
    spring = Spring(points=[here, Point(position=tuple(where))], stiffness=70.0, rest_length=0.0)
    model = compile_scene(SceneSpec(bodies=mixed_tree(), forces=[spring]))
    A = dense_tangent(model, kin)
    K = per_twist(kin, moved, lambda k: pull(model, k))
    np.testing.assert_allclose(A, -H * H * 0.5 * (K + K.T), atol=1e-7)
    assert np.linalg.matrix_rank(A, tol=1e-9) == 3


def test_springs_on_one_body_each_leave_a_tree_that_one_pass_solves() -> None:
    model = compile_scene(
        SceneSpec(bodies=mixed_tree(), forces=[SPRINGS["to the world"], SPRINGS["from the world"]])
    )
    assert system(model).is_tree
    model = compile_scene(SceneSpec(bodies=mixed_tree(), forces=[SPRINGS["between two bodies, pulling"]]))
    assert not system(model).is_tree


@pytest.mark.parametrize(
    ("spring", "place", "problem"),
    [
        (Spring(points=[HAND, TAIL], stiffness=-1.0), "forces[0].stiffness", "the stiffness is -1.0"),
        (
            Spring(points=[HAND, TAIL], stiffness=1.0, damping=-2.0),
            "forces[0].damping",
            "the damping is -2.0",
        ),
        (
            Spring(points=[HAND, TAIL], stiffness=1.0, rest_length=-2.0),
            "forces[0].rest_length",
            "the rest length is -2.0",
        ),
        (Spring(points=[BASE, BASE_TOO], stiffness=1.0), "forces[0].points", "all points are on one body"),
        (Spring(points=[NAIL, NAIL], stiffness=1.0), "forces[0].points", "all points are on one body"),
        (
            Spring(points=[HAND, Point(body="foot")], stiffness=1.0, name="band"),
            "forces[0] 'band'.points[1].body",
            "there is no body 'foot'",
        ),
    ],
)
def test_a_spring_that_cannot_be_is_named(spring: Spring, place: str, problem: str) -> None:
    with pytest.raises(SceneError) as caught:
        compile_scene(SceneSpec(bodies=mixed_tree(), forces=[spring]))
    assert caught.value.place == place
    assert problem in caught.value.problem


def test_a_spring_pulls_its_ends_towards_each_other_and_nothing_as_a_whole() -> None:
    model, kin = spring_model(SPRINGS["through several bodies"])
    F = pull(model, kin)
    on_bodies = sum(kin.E_wj[l, :9].reshape(3, 3) @ F[l, 3:] for l in range(model.nl))
    state = measure_springs(model.springs, kin)
    nail = 2  # the third node
    on_nail = -state.tension[0] * (state.along[nail - 1] - state.along[nail])
    np.testing.assert_allclose(on_bodies + on_nail, 0.0, atol=1e-9)
