"""Loops that stay in a plane: which hinges close them with two rows instead of five.

Where every joint of a loop is a hinge about one direction, or a slider across it, the parts of the loop move in planes
across that direction, whatever holds its last hinge. Three of the five rows of that hinge then only repeat what the
others say, and how joints share its load cannot be told: it is statically indeterminate. With the two rows in the plane
the loads of all joints are definite, and so is their friction. What acts across the plane is carried by the joints of
the tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .parts import Connection

PARALLEL = 1e-5
"""Sine of the angle between two axes below which they count as parallel."""

Carrier = tuple[int, int, bool]
"""Connection, parent body (-1 for the world), and whether the joint runs from b to a."""


def is_planar(closing: Connection, others: Iterable[Connection]) -> bool:
    """Whether a hinge and the other connections of its loop keep to planes across its axis."""
    if closing.kind != "hinge":
        return False
    axis = closing.pose[:3, 2]

    def in_plane(c: Connection) -> bool:
        if c.kind == "hinge":
            return bool(1.0 - abs(axis @ c.pose[:3, 2]) < 0.5 * PARALLEL**2)
        if c.kind == "slider":
            return bool(abs(axis @ c.pose[:3, 0]) < PARALLEL)
        return c.kind == "fixed"

    return all(in_plane(c) for c in others)


def way_between(
    a: int, b: int, carrier: Mapping[int, Carrier | None], still: Iterable[int]
) -> list[int] | None:
    """The tree's connections on the way from body a to body b (-1 for the world); null where none leads there.

    still: bodies that stand still in the world, which is one with them.
    """
    standing = set(still)

    def upwards(body: int) -> tuple[list[int], list[int]]:
        """Bodies from this one to its root, the world as -1, and the connections between them."""
        bodies, edges = [body], []
        while body >= 0 and body not in standing and (edge := carrier[body]) is not None:
            edges.append(edge[0])
            body = edge[1]
            bodies.append(body)
        if body in standing:
            bodies[-1] = -1
        return bodies, edges

    (over_a, edges_a), (over_b, edges_b) = upwards(a), upwards(b)
    meet = next((body for body in over_a if body in over_b), None)
    if meet is None:
        return None
    return edges_a[: over_a.index(meet)] + edges_b[: over_b.index(meet)]
