"""Two convex things: how far apart, in which direction, and where they touch."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pytest
from contact_scenes import (
    KINDS,
    Floats,
    Round,
    free_body,
    outside,
    pose,
    random_rotation,
    random_shape,
    separation,
    signed_distance,
)

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.contact.contacts import Contacts
from redmax_blender.engine.contact.find import find_contacts
from redmax_blender.engine.scene import Capsule, SceneSpec, SelfCollision
from redmax_blender.engine.tree.kinematics import forward_kinematics

PAIRS = list(combinations_with_replacement(KINDS, 2))


def place(a: Round, b: Round, rng: np.random.Generator, gap: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Poses of two shapes in random directions that are separated by about a gap [m]."""
    ra, rb = random_rotation(rng), random_rotation(rng)
    d = rng.normal(size=3)
    d /= np.linalg.norm(d)
    at = -d * 3.0
    for _ in range(30):  # along d until the distance is that
        s = signed_distance(a, pose(np.zeros(3), ra), b, pose(at, rb), d)
        at = at + d * (s - gap)
        if abs(s - gap) < 1e-4:
            break
    return np.zeros(3), ra, at, rb


def contacts(a: Round, b: Round, where: tuple[Floats, Floats, Floats, Floats], h: float = 0.1) -> Contacts:
    """Of two bodies that were apart when the scene was compiled, so that they collide wherever they are now."""
    model = compile_scene(SceneSpec(bodies=[free_body("a", a), free_body("b", b, (50.0, 0.0, 0.0))]))
    pa, ra, pb, rb = where
    q = np.concatenate([pa, ra, pb - np.array([50.0, 0.0, 0.0]), rb])
    state = replace(model.initial_state(), q=q)
    return find_contacts(model, state, forward_kinematics(model, state), h)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_gap_and_normal_are_proven_by_the_slab_between(first: str, second: str) -> None:
    """A slab of the gap's width that separates the two proves that the distance is no less; the points, no more."""
    rng = np.random.default_rng(sum(map(ord, first + second)))
    for _ in range(4):
        a, b = random_shape(first, rng), random_shape(second, rng)
        where = place(a, b, rng, 0.01)
        Ea, Eb = pose(where[0], where[1]), pose(where[2], where[3])
        c = contacts(a, b, where)
        assert 1 <= len(c) <= 4
        k = int(np.argmin(c.gap))
        n = c.normal[k]
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)
        assert separation(a, Ea, b, Eb, n[None])[0] == pytest.approx(c.gap[k], abs=1e-7)
        assert n @ (c.x[k, 0] - c.x[k, 1]) == pytest.approx(c.gap[k], abs=1e-9)
        for i in range(len(c)):
            assert outside(a, Ea, c.x[i, 0]) < 1e-6
            assert outside(b, Eb, c.x[i, 1]) < 1e-6


@pytest.mark.parametrize("gap", [-0.002, -0.08])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_depth_is_the_shortest_way_out(first: str, second: str, gap: float) -> None:
    """No direction separates the two with less. Round solids are approached from inside by the polytope of 96 corners:
    a thousandth of the depth. Boxes may take a face for an edge that is better by a millionth of their size."""
    rng = np.random.default_rng(sum(map(ord, first + second)) + 1)
    for _ in range(3):
        a, b = random_shape(first, rng), random_shape(second, rng)
        where = place(a, b, rng, gap)
        Ea, Eb = pose(where[0], where[1]), pose(where[2], where[3])
        c = contacts(a, b, where)
        assert 1 <= len(c) <= 4
        k = int(np.argmin(c.gap))
        n = c.normal[k]
        best = signed_distance(a, Ea, b, Eb, n)
        smooth = "cylinder" in (first, second) or "ellipsoid" in (first, second)
        tolerance = 1e-5 + (2e-3 * abs(gap) if smooth else 0.0)
        assert separation(a, Ea, b, Eb, n[None])[0] == pytest.approx(best, abs=tolerance)
        assert c.gap[k] == pytest.approx(best, abs=tolerance)
        for i in range(len(c)):
            assert outside(a, Ea, c.x[i, 0]) < 1e-6
            assert outside(b, Eb, c.x[i, 1]) < 1e-6


@pytest.mark.parametrize("gap", [-0.002, -0.03])
def test_points_of_boxes_that_overlap_are_across_from_each_other(gap: float) -> None:
    """Forces at points that are not on one line along the normal would turn the two bodies out of nothing."""
    rng = np.random.default_rng(3)
    for _ in range(12):
        a, b = random_shape("box", rng), random_shape("box", rng)
        c = contacts(a, b, place(a, b, rng, gap))
        across = c.x[:, 0] - c.x[:, 1] - c.gap[:, None] * c.normal
        np.testing.assert_allclose(across, 0.0, atol=1e-9)


def test_capsules_that_nearly_lie_along_each_other_touch_along_what_they_share() -> None:
    """Their nearest points go from end to end when they rock by a few hundredths of a degree: a single contact there
    would let the other end sink in, step after step, and come back."""
    a, b = Capsule(0.1, 0.14), Capsule(0.1, 0.08)

    def ends(turn: float, rock: float) -> Floats:
        scene = SceneSpec(
            bodies=[
                free_body("a", a),
                free_body("b", b, (0.2, 0.0, 0.0), (turn, rock, 0.0)),
            ],
            self_collision=SelfCollision(),
        )
        model = compile_scene(scene)
        state = model.initial_state()
        found = find_contacts(model, state, forward_kinematics(model, state), 1 / 240)
        return np.sort(found.x[:, 0, 2])

    for turn in (0.0, 0.07, -0.15):
        for rock in (-5e-4, 0.0, 5e-4):
            np.testing.assert_allclose(ends(turn, rock), [-0.04, 0.04], atol=1e-3)
    assert len(ends(1.0, 0.0)) == 1  # these cross
