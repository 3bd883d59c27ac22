"""The smooth skin of a chain: where it touches itself, and who feels it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from contact_scenes import model_contacts
from scipy.interpolate import CubicHermiteSpline

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.contact.contacts import Contacts
from redmax_blender.engine.contact.find import find_contacts
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    Free,
    JointSpec,
    Pose,
    Revolute,
    SceneSpec,
    Spherical,
    Surface,
    Tube,
)
from redmax_blender.engine.tree.kinematics import forward_kinematics

BONE, RADIUS = 0.1, 0.05


def eel(
    n: int, name: str = "eel", at: tuple[float, float, float] = (0.0, 0.0, 0.0), **tube: object
) -> SceneSpec:
    """n bones along x, a free root and spherical joints, with a skin."""
    bodies = [
        BodySpec(
            name=f"{name}{k}",
            shape=Capsule(radius=0.04, height=BONE),
            pose=Pose(position=(0.5 * BONE, 0.0, 0.0), rotation=[0.0, math.pi / 2.0, 0.0]),
            parent=f"{name}{k - 1}" if k else None,
            joint=JointSpec(
                type=Spherical() if k else Free(), frame=Pose(position=(BONE, 0.0, 0.0) if k else at)
            ),
            surface=Surface(),
        )
        for k in range(n)
    ]
    skin = Tube(name=name, bodies=[b.name for b in bodies], radius=RADIUS, **tube)
    return SceneSpec(bodies=bodies, tubes=[skin], gravity=(0.0, 0.0, 0.0))


def bent(model: Model, turn: Callable[[int], tuple[float, float, float]], h: float = 0.01) -> Contacts:
    """Contacts with joint k turned by turn(k) [rad]."""
    state = model.initial_state()
    q = state.q.copy()
    n = (len(q) - 6) // 3
    for k in range(1, n + 1):
        q[3 + 3 * k : 6 + 3 * k] = turn(k)
    state = replace(state, q=q)
    return find_contacts(model, state, forward_kinematics(model, state), h)


def test_a_straight_tube_does_not_touch_itself_and_its_bodies_do_not_either() -> None:
    assert len(model_contacts(compile_scene(eel(30)))) == 0


def test_a_gently_curved_tube_does_not_touch_itself() -> None:
    """A circle of three quarters, its radius five times the tube's."""
    model = compile_scene(eel(12))
    c = bent(model, lambda k: (0.0, 0.0, 0.4))
    assert len(c) == 0


def test_a_helix_touches_its_next_turn_all_along() -> None:
    """Turns that are two radii apart, less a little: every span but those of the last turn is over another."""
    n, per_turn = 60, 15
    model = compile_scene(eel(n))
    # A bone's turn about an axis that it rises along by 1.9 radii a turn.
    turn = 2.0 * math.pi / per_turn
    rise = 1.9 * RADIUS / (per_turn * BONE)
    c = bent(model, lambda k: (turn * rise, 0.0, turn * math.sqrt(1.0 - rise * rise)))
    assert len(c) >= n - per_turn - 5
    assert c.gap.min() == pytest.approx(-0.1 * RADIUS, abs=0.02 * RADIUS)
    # Links of the two sides are a turn apart, and the points lie on the skin of their own bones.
    body = np.full(model.nl, -1)
    body[model.bodies.link] = np.arange(n)
    apart = np.abs(body[c.link[:, 0]] - body[c.link[:, 1]])
    assert np.abs(apart - per_turn).max() <= 2
    along = np.einsum("ij,ij->i", c.normal, c.x[:, 0] - c.x[:, 1])
    assert along == pytest.approx(c.gap, abs=1e-9)


def crossing(height: float, h: float = 0.01, speed: float = 0.0) -> tuple[Model, Contacts]:
    """Two straight tubes at right angles, the middle of the second above that of the first; it falls."""
    first, second = eel(10), eel(10, "other", (0.5 * BONE * 10, 0.0, height))
    second.bodies[0].joint.frame = Pose(position=(0.47, -0.53, height), rotation=[0.0, 0.0, math.pi / 2.0])
    second.bodies[0].joint.qdot = [0.0, 0.0, -speed, 0.0, 0.0, 0.0]
    spec = SceneSpec(
        bodies=first.bodies + second.bodies, tubes=first.tubes + second.tubes, gravity=(0.0, 0.0, 0.0)
    )
    for body in spec.bodies:
        body.surface = None
    model = compile_scene(spec)
    return model, model_contacts(model, h)


def test_two_tubes_touch_where_they_cross() -> None:
    model, c = crossing(2.0 * RADIUS + 1e-5)
    assert len(c) == 1
    assert c.gap == pytest.approx([1e-5], abs=1e-9)
    assert np.abs(c.normal[0]) == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
    assert c.x[0, :, :2] == pytest.approx(np.tile([0.47, 0.0], (2, 1)), abs=1e-7)
    assert model.contact is not None
    assert {model.contact.names[k] for k in c.pair[0]} == {"eel", "other"}
    assert c.link.min() >= 0


def test_a_fast_tube_does_not_pass_through_another() -> None:
    h = 1.0 / 24.0
    _, c = crossing(2.0, h, speed=200.0)
    k = int(np.argmin(c.gap))
    assert np.abs(c.normal[k]) == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
    assert c.gap[k] == pytest.approx(2.0 - 2.0 * RADIUS, abs=1e-9)
    assert -c.gap[k] / h > -200.0


def test_the_nearest_points_are_those_of_a_fine_search() -> None:
    """Random tangles: gaps against the distances of densely sampled splines, each and the least of all.

    Strands that run along each other have a valley with several bottoms, any of which will do: 0.4% of the radius. The
    samples are 3 mm apart, and miss the nearest points of strands that cross by up to half of that.
    """
    n = 40
    model = compile_scene(eel(n))
    rng = np.random.default_rng(6)
    found = 0
    arc = np.linspace(0.0, n * BONE, 30 * n + 1)
    strangers = arc[None] - arc[:, None] > math.pi * RADIUS + 2.0 * BONE  # whose spans are not neighbours
    for _ in range(8):
        axis = rng.normal(size=3) * [0.12, 1.0, 1.0]  # nearly across the bones: a coil
        turns = 0.6 * axis / np.linalg.norm(axis) + 0.06 * rng.normal(size=(n - 1, 3))
        state = model.initial_state()
        state = replace(state, q=np.concatenate([state.q[:6], turns.ravel()]))
        kin = forward_kinematics(model, state)
        c = find_contacts(model, state, kin, 0.01)
        E = kin.E_wj[model.bodies.link]
        X = np.concatenate([E[:, 9:], E[-1:, 9:] + BONE * E[-1:, (0, 3, 6)]])
        m = np.gradient(X, axis=0)
        fine = CubicHermiteSpline(np.arange(n + 1), X, m)(np.linspace(0.0, n, 30 * n + 1))
        d = np.linalg.norm(fine[:, None] - fine[None], axis=2) - 2.0 * RADIUS
        for k in range(len(c)):
            i, j = divmod(int(-1 - c.key[k]), n)
            least = d[30 * i : 30 * i + 31, 30 * j : 30 * j + 31].min()
            assert -0.05 * RADIUS < c.gap[k] - least < 4e-3 * RADIUS
        least = d[strangers].min()
        if least < 0.0:
            assert c.gap.min() <= least + 4e-3 * RADIUS
        found += len(c)
    assert found > 20


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bodies": ["eel0"]}, "tubes[0] 'eel'.bodies: there are 1"),
        ({"bodies": ["eel0", "cod"]}, "tubes[0] 'eel'.bodies[1]: there is no body 'cod'"),
        ({"bodies": ["eel0", "eel1", "eel0"]}, "tubes[0] 'eel'.bodies[2]: 'eel0' comes twice"),
        ({"radius": [0.1, 0.1]}, "tubes[0] 'eel'.radius: there are 2 numbers for 4 bodies"),
        ({"radius": 0.0}, "tubes[0] 'eel'.radius: a radius is 0.0 m"),
        ({"friction": -1.0}, "tubes[0] 'eel'.friction: the friction is -1.0"),
        (
            {"tip": (0.0, 0.0, -0.5 * BONE)},
            "tubes[0] 'eel'.bodies: the joints on both sides of 'eel3' are in one place",
        ),
    ],
)
def test_mistakes_are_named(change: dict[str, object], message: str) -> None:
    spec = eel(4)
    for name, value in change.items():
        setattr(spec.tubes[0], name, value)
    with pytest.raises(SceneError) as error:
        compile_scene(spec)
    assert message in str(error.value)


def test_a_tube_may_have_a_radius_a_body() -> None:
    spec = eel(3)
    spec.tubes[0].radius = [0.05, 0.04, 0.03]
    tubes = compile_scene(spec).contact.tubes
    assert tubes.radius.tolist() == [0.05, 0.04, 0.03, 0.03]
    assert tubes.arc.tolist() == pytest.approx([0.0, BONE, 2.0 * BONE, 3.0 * BONE])


def test_revolute_chains_have_skins_too() -> None:
    """A chain on hinges that is rolled up flat into a ring touches with its ends."""
    spec = eel(20)
    for body in spec.bodies[1:]:
        body.joint.type = Revolute()
        body.joint.q = 2.0 * math.pi / 20.0
    c = model_contacts(compile_scene(spec))
    assert len(c) >= 1
    assert c.gap.min() < 0.0
