"""Which cage vertices a bone carries, and what is said about those that none does."""

from __future__ import annotations

import numpy as np
import pytest
from fem_shapes import sphere

from redmax_blender.engine.errors import InputError
from redmax_blender.engine.fem.bar import bar
from redmax_blender.engine.fem.cages.attach import (
    FREE,
    WORLD,
    attach_by_weight,
    attach_to_capsules,
    attachment,
    bodies_without_vertices,
    loose_parts,
    transfer_to_cage,
)
from redmax_blender.engine.fem.cages.cage import make_cage
from redmax_blender.engine.fem.cages.embed import embed

X, CORNER = bar((10, 4, 4), (1.0, 0.4, 0.4))
HEADS, TAILS = np.array([[0.0, 0.2, 0.2], [0.5, 0.2, 0.2]]), np.array([[0.45, 0.2, 0.2], [1.0, 0.2, 0.2]])


def test_vertices_in_a_capsule_belong_to_its_bone():
    found = attach_to_capsules(X, HEADS, TAILS, [0.11, 0.11])
    for v, body in zip(found.vertex, found.body):
        axis = HEADS[body] + np.linspace(0.0, 1.0, 1001)[:, None] * (TAILS[body] - HEADS[body])
        assert np.linalg.norm(X[v] - axis, axis=1).min() <= 0.11
    assert set(found.body) == {0, 1}
    # every vertex on the two axes, and four neighbours around each of them
    assert len(found.vertex) == 11 * 5
    assert len(attach_to_capsules(X, HEADS, TAILS, [0.11, 0.11], reach=0.04).vertex) == 11 * 9


def test_between_two_bones_the_deeper_capsule_wins():
    found = attach_to_capsules(X, HEADS, TAILS, [0.3, 0.3]).of_vertices(len(X))
    assert np.all(found[X[:, 0] < 0.44] == 0)
    assert np.all(found[X[:, 0] > 0.56] == 1)


def test_no_bones_attach_nothing():
    assert len(attach_to_capsules(X, np.zeros((0, 3)), np.zeros((0, 3)), []).vertex) == 0
    with pytest.raises(InputError, match="1 heads, 2 tails"):
        attach_to_capsules(X, HEADS[:1], TAILS, [0.1])


def test_weights_attach_to_the_strongest_body():
    weight = np.zeros((len(X), 2))
    weight[:, 0], weight[:, 1] = 1.0 - X[:, 0], X[:, 0]
    body = attach_by_weight(weight, threshold=0.7).of_vertices(len(X))
    assert np.all(body[X[:, 0] < 0.29] == 0)
    assert np.all(body[X[:, 0] > 0.71] == 1)
    assert np.all(body[(X[:, 0] > 0.31) & (X[:, 0] < 0.69)] == FREE)
    with pytest.raises(InputError, match="one column for each body"):
        attach_by_weight(weight[:, 0])


def test_an_attachment_can_be_edited_and_read_back():
    found = attach_to_capsules(X, HEADS, TAILS, [0.11, 0.11])
    body = found.of_vertices(len(X))
    body[found.vertex[0]] = FREE
    body[-1] = WORLD
    edited = attachment(body)
    assert found.vertex[0] not in edited.vertex
    assert edited.body[-1] == WORLD and edited.vertex[-1] == len(X) - 1
    assert np.array_equal(edited.of_vertices(len(X)), body)


def test_painted_weights_come_over_to_the_cage():
    x, triangles = sphere(4)
    cage = make_cage(x, triangles, count=900)
    surface = embed(cage.X, cage.corner, x)
    painted = 0.5 + 0.5 * x[:, 2]
    carried = transfer_to_cage(surface, cage.corner, len(cage.X), painted)
    assert carried.min() >= 0.0 and carried.max() <= 1.0
    # near the surface the value painted there, and inside a blend of what is around: here a linear function
    assert np.abs(carried - np.clip(0.5 + 0.5 * cage.X[:, 2], 0, 1)).max() < 0.2
    deep = np.linalg.norm(cage.X, axis=1) < 0.4
    assert deep.any()
    assert np.abs(carried - (0.5 + 0.5 * cage.X[:, 2]))[deep].max() < 0.05
    two = transfer_to_cage(surface, cage.corner, len(cage.X), np.stack([painted, 1 - painted], axis=1))
    assert two.shape == (len(cage.X), 2)
    assert np.abs(two.sum(axis=1) - 1.0).max() < 1e-6
    assert np.abs(two[:, 0] - carried).max() < 1e-12


def test_a_part_attached_to_nothing_is_reported():
    a, s = sphere(2, 0.3, (-1.0, 0.0, 0.0))
    b, t = sphere(2, 0.3, (1.0, 0.0, 0.0))
    cage = make_cage(np.concatenate([a, b]), np.concatenate([s, t + len(a)]), cell=0.2)
    found = attach_to_capsules(cage.X, [[-1.2, 0, 0], [4, 4, 4]], [[-0.8, 0, 0], [5, 5, 5]], [0.15, 0.2])
    (loose,) = loose_parts(cage.X, cage.part, found)
    assert loose.centre == pytest.approx([1.0, 0.0, 0.0], abs=0.05)
    assert np.all(cage.X[loose.vertices, 0] > 0)
    assert "attached to nothing" in str(loose) and "Attach some of its vertices" in str(loose)
    assert bodies_without_vertices(found, 2) == [1]
    pinned = found.of_vertices(len(cage.X))
    pinned[loose.vertices[0]] = WORLD
    assert loose_parts(cage.X, cage.part, attachment(pinned)) == []
