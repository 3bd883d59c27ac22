"""Rows of constraints: each is differentiated against what it is a row of, in space, in time, and along the motion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from small_scenes import central, mixed_tree, moved, per_twist, random_state

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.constraints.active import gear_rows, reduced_rows
from redmax_blender.engine.constraints.rows import evaluate_rows
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.model.state import State
from redmax_blender.engine.scene import Constant, Polynomial, SceneSpec, Sine
from redmax_blender.engine.scene.constraints import (
    ConstraintSpec,
    Gear,
    LoopDistance,
    LoopHinge,
    LoopPiston,
    LoopPoint,
    LoopSlider,
    LoopWeld,
    PrescribedPoint,
    PrescribedPose,
    PrescribedTwist,
    Term,
)
from redmax_blender.engine.scene.forces import Point
from redmax_blender.engine.tree.kinematics import forward_kinematics

T = 0.4
HAND = Point(body="hand", position=(0.1, 0.05, 0.02))
TAIL = Point(body="tail", position=(-0.1, 0.02, 0.04))
SLIDE = Point(body="slide", position=(0.05, -0.1, 0.0))
NAIL = Point(position=(0.3, -0.5, 0.9))
AXIS = (0.3, -0.5, 0.8)
PATH: list[Any] = [
    Sine(amplitude=0.3, frequency=0.6),
    Polynomial(coefficients=[0.1, 0.2, -0.3, 0.4]),
    Constant(value=0.2),
]
TURN: list[Any] = [
    Sine(amplitude=0.9, frequency=0.4),
    Polynomial(coefficients=[0.3, -0.5, 0.2]),
    Polynomial(coefficients=[-0.2, 0.4]),
]
SPEEDS: list[Any] = [
    Sine(amplitude=0.5, frequency=1.0),
    Constant(value=0.3),
    Polynomial(coefficients=[0.0, 1.0]),
]

ROWS: dict[str, tuple[ConstraintSpec, int]] = {
    "points": (LoopPoint(a=HAND, b=TAIL), 3),
    "point of a body and of the world": (LoopPoint(a=HAND, b=NAIL), 3),
    "point of the world and of a body": (LoopPoint(a=NAIL, b=SLIDE), 3),
    "hinge": (LoopHinge(a=HAND, b=TAIL, axis=AXIS), 5),
    "hinge on the world": (LoopHinge(a=NAIL, b=TAIL, axis=AXIS), 5),
    "weld": (LoopWeld(a=HAND, b=TAIL), 6),
    "weld to the world": (LoopWeld(a=SLIDE, b=NAIL), 6),
    "distance": (LoopDistance(a=HAND, b=TAIL, length=0.4), 1),
    "distance to the world": (LoopDistance(a=NAIL, b=SLIDE, length=0.4), 1),
    "prescribed point": (PrescribedPoint(point=HAND, path=PATH), 3),
    "prescribed point, two directions": (PrescribedPoint(point=HAND, path=[PATH[0], None, PATH[1]]), 2),
    "prescribed point, one direction": (PrescribedPoint(point=TAIL, path=[PATH[0]], direction=(1.0, -2.0, 0.5)), 1),
    "prescribed pose": (PrescribedPose(body="hand", position=PATH, rotation=TURN), 6),
    "prescribed position": (PrescribedPose(body="tail", position=[None, PATH[1], PATH[0]]), 2),
    "prescribed twist": (PrescribedTwist(body="hand", angular=SPEEDS, linear=SPEEDS), 6),
    "prescribed twist, some components": (PrescribedTwist(body="tail", linear=SPEEDS, components=[3, 5]), 2),
}  # fmt: skip

SLIDING: dict[str, type] = {"point across an axis": LoopPoint, "slider": LoopSlider, "piston": LoopPiston}
"""Constraints along whose axis the ends have moved apart; the derivative holds where nothing is off across it."""


def closed(kind: type, a: str | None, b: str | None) -> tuple[Model, State, int]:
    """A state in which the point of b lies on the axis through the point of a, 0.3 m from it."""
    bare = compile_scene(SceneSpec(bodies=mixed_tree()))
    state = random_state(bare, 11)
    kin = forward_kinematics(bare, state)
    axis = np.array(AXIS) / np.linalg.norm(AXIS)

    def frame(name: str | None, shape: bool) -> tuple[Floats, Floats]:
        """Rotation and origin of a body's shape or joint frame, or of the world."""
        if name is None:
            return np.eye(3), np.zeros(3)
        i = bare.bodies.names.index(name)
        E = kin.E_wj[bare.bodies.link[i]]
        R, p = E[:9].reshape(3, 3), E[9:]
        if shape:
            S = bare.bodies.E_js[i]
            return R @ S[:9].reshape(3, 3), R @ S[9:] + p
        return R, p

    R, p = frame(a, shape=True)
    start = R @ np.array([0.1, 0.0, 0.05]) + p
    there = start + 0.3 * frame(a, shape=False)[0] @ axis
    R, p = frame(b, shape=True)
    ends = (Point(body=a, position=(0.1, 0.0, 0.05)), Point(body=b, position=tuple(R.T @ (there - p))))
    given = {"perpendicular_to": AXIS} if kind is LoopPoint else {"axis": AXIS}
    bodies = mixed_tree()
    for body, (first, end) in zip(bodies, bare.joints.dof, strict=True):
        body.joint.q = state.q[first:end].tolist()
    model = compile_scene(SceneSpec(bodies=bodies, constraints=[kind(a=ends[0], b=ends[1], **given)]))
    return model, replace(state, t=T), {LoopPoint: 2, LoopPiston: 4, LoopSlider: 5}[kind]


def cases() -> dict[str, tuple[Model, State, int]]:
    out = {}
    for name, (spec, count) in ROWS.items():
        model = compile_scene(SceneSpec(bodies=mixed_tree(), constraints=[spec]))
        out[name] = (model, replace(random_state(model, 11), t=T), count)
    for name, kind in SLIDING.items():
        out[f"{name}, two bodies"] = closed(kind, "hand", "tail")
        out[f"{name}, fixed in the world"] = closed(kind, None, "slide")
        out[f"{name}, fixed on a body"] = closed(kind, "hand", None)
    return out


CASES = cases()


@pytest.mark.parametrize("name", CASES)
def test_rows_are_the_derivative_of_the_error_by_displacements(name: str) -> None:
    model, state, count = CASES[name]
    kin = forward_kinematics(model, state)
    rows = evaluate_rows(model.constraints.rows, T, kin)
    assert len(rows.error) == count
    G = np.zeros((count, model.nl, 6))
    for i, links in enumerate(rows.link):
        for side, link in enumerate(links):
            if link >= 0:
                G[i, link] += rows.G[i, side]
    slope = per_twist(kin, moved, lambda k: evaluate_rows(model.constraints.rows, T, k).error)
    position = rows.has_position.astype(bool)
    np.testing.assert_allclose(G.reshape(count, -1)[position], slope[position], atol=1e-8)
    if not position.any():
        assert np.abs(G).sum() > 0.0


@pytest.mark.parametrize("name", CASES)
def test_targets_are_how_fast_the_error_falls_when_nothing_moves(name: str) -> None:
    model, state, _ = CASES[name]
    kin = forward_kinematics(model, replace(state, qdot=0.0 * state.qdot))
    rows = evaluate_rows(model.constraints.rows, T, kin)
    slope = central(lambda s: evaluate_rows(model.constraints.rows, T + s, kin).error, 1e-3)
    position = rows.has_position.astype(bool)
    np.testing.assert_allclose(rows.target[position], -slope[position], atol=1e-8)


@pytest.mark.parametrize("name", CASES)
def test_bias_and_target_rate_are_the_acceleration_of_the_error_at_constant_rates(name: str) -> None:
    model, state, _ = CASES[name]

    def after(s: float) -> tuple[Floats, Floats]:
        there = replace(state, q=state.q + s * state.qdot)
        kin = forward_kinematics(model, there)
        rows = evaluate_rows(model.constraints.rows, T + s, kin)
        every = np.arange(len(rows.error))
        return rows.error, reduced_rows(model, kin, rows, every) @ state.qdot - rows.target

    rows = evaluate_rows(model.constraints.rows, T, forward_kinematics(model, state))
    position = rows.has_position.astype(bool)
    rate = central(lambda s: after(s)[0], 1e-3)
    np.testing.assert_allclose(after(0.0)[1][position], rate[position], atol=1e-8)
    if position.any() and "across" not in name and "slider" not in name and "piston" not in name:
        acceleration = central(lambda s: after(s)[1], 1e-3)
    elif position.any():
        # the points leave the axis along the motion, where the rows are not exact any more: differentiate twice
        acceleration = central(lambda s: central(lambda u: after(s + u)[0], 1e-3), 1e-3)
    else:
        acceleration = central(lambda s: after(s)[1], 1e-3)
    np.testing.assert_allclose(rows.bias - rows.target_rate, acceleration, atol=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_rows_in_reduced_coordinates_are_the_derivative_by_them(name: str) -> None:
    model, state, count = CASES[name]

    def error(q: Floats) -> Floats:
        return evaluate_rows(model.constraints.rows, T, forward_kinematics(model, replace(state, q=q))).error

    kin = forward_kinematics(model, state)
    rows = evaluate_rows(model.constraints.rows, T, kin)
    position = rows.has_position.astype(bool)
    G = reduced_rows(model, kin, rows, np.arange(count))
    slope = np.array([central(lambda s, e=e: error(state.q + s * e), 1e-3) for e in np.eye(model.nr)]).T
    np.testing.assert_allclose(G[position], slope[position], atol=1e-8)


def test_loops_are_closed_at_the_pose_they_are_defined_in() -> None:
    for name, (model, state, _) in CASES.items():
        if name.startswith(("weld", "slider", "piston", "point across")):
            state = model.initial_state()
            error = evaluate_rows(model.constraints.rows, 0.0, forward_kinematics(model, state)).error
            np.testing.assert_allclose(error, 0.0, atol=1e-12, err_msg=name)


def test_a_prescribed_twist_is_that_of_the_centre_of_mass_in_its_axes() -> None:
    model, state, _ = CASES["prescribed twist"]
    kin = forward_kinematics(model, state)
    rows = evaluate_rows(model.constraints.rows, T, kin)
    body = model.bodies.names.index("hand")
    R, p = model.bodies.E_jb[body, :9].reshape(3, 3), model.bodies.E_jb[body, 9:]
    V = kin.V[model.bodies.link[body]]
    own = np.concatenate([R.T @ V[:3], R.T @ (V[3:] + np.cross(V[:3], p))])
    np.testing.assert_allclose(np.einsum("ij,j->i", rows.G[:, 0], V), own, atol=1e-12)
    values = [np.sin(2 * np.pi * T) * 0.5, 0.3, T]
    R_w = kin.E_wj[model.bodies.link[body], :9].reshape(3, 3) @ R
    np.testing.assert_allclose(rows.target[:3], values, atol=1e-12)
    np.testing.assert_allclose(rows.target[3:], R_w.T @ values, atol=1e-12)


def test_gears_are_linear_in_the_coordinates() -> None:
    terms = [
        Term(joint="hand", factor=2.0),
        Term(joint="tail", factor=-1.0, index=1),
        Term(joint="hand", factor=0.5),
    ]
    model = compile_scene(SceneSpec(bodies=mixed_tree(), constraints=[Gear(terms=terms, offset=0.3)]))
    state = random_state(model, 2)
    G, error = gear_rows(model, state.q, np.array([0]))
    hand, tail = model.joints.dof[2, 0], model.joints.dof[3, 0] + 1
    assert G[0, hand] == 2.5
    assert G[0, tail] == -1.0
    assert error[0] == pytest.approx(2.5 * state.q[hand] - state.q[tail] - 0.3)
