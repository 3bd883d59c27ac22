"""From parts and connections in the world to a scene: which joints make the tree, and which close its loops.

A user places bodies and says what connects them, in any order and with any loops; the engine wants a forest and rows
that close it. Connections that only a joint of the tree can be (generic ones, and those with springs, limits or motors
of their own) are taken first, then the others; what would close a loop becomes a constraint. `Connection.cut` overrides
the choice.

Where a connection of the first sort closes a loop all the same, not it is cut but one of its bodies: that body is two
bodies of half the mass, one of which hangs on the connection's joint, welded to each other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from ..algebra import se3
from ..errors import SceneError
from ..model.records import Floats
from ..scene import (
    BodySpec,
    ConstraintSpec,
    Fixed,
    Free,
    JointSpec,
    Pose,
)
from .cut import body_to_split, half_of, loop_of, share_mass
from .parts import CLOSING, ONE_WAY, Body, Connection, as_pose
from .place import ends_of, placed_joint
from .planar_loops import Carrier, is_planar, way_between


class _Priority(IntEnum):
    """Order in which connections join the tree."""

    DEMANDED = 0
    ONLY_IN_TREE = 1
    EITHER = 2
    REFUSED = 3


@dataclass
class Assembly:
    """A scene's bodies and constraints, and what became of each connection."""

    bodies: list[BodySpec]
    constraints: list[ConstraintSpec]
    cut: list[str]
    """Connections that close a loop."""
    reversed_: list[str]
    """Connections whose joint runs from b to a: its coordinates have the other sign."""


def assemble(bodies: Sequence[Body], connections: Sequence[Connection]) -> Assembly:
    """A forest of bodies with joints at the connections, and constraints for the connections that are left."""
    index = _names(bodies, connections)
    tree, loops = _spanning_forest(bodies, connections, index)
    order, carrier = _orient(bodies, connections, tree, index)
    frames: dict[int, Floats] = {}
    specs: list[BodySpec] = []
    backwards: list[str] = []
    for b in order:
        body, edge = bodies[b], carrier[b]
        joint = _root_joint(body)
        parent: str | None = None
        frames[b] = body.pose
        if edge is not None:
            connection, flipped = connections[edge[0]], edge[2]
            parent_index = edge[1]
            frames[b] = ends_of(connection, flipped)[1]
            above = np.eye(4) if parent_index < 0 else frames[parent_index]
            parent = None if parent_index < 0 else bodies[parent_index].name
            joint = placed_joint(connection, flipped, above)
            if flipped:
                backwards.append(connection.name)
        elif body.motion is None:
            joint.frame = as_pose(body.pose)
        specs.append(
            BodySpec(
                name=body.name,
                shape=body.shape,
                parent=parent,
                joint=joint,
                pose=as_pose(se3.inverse(frames[b]) @ body.pose) if edge is not None else Pose(),
                density=body.density,
                mass=body.mass,
                damping=body.damping,
                weight=body.weight,
            )
        )
    constraints: list[ConstraintSpec] = []
    halves: dict[int, list[BodySpec]] = {}
    still = [b for b, body in enumerate(bodies) if body.anchored and body.motion is None]
    for i in loops:
        c = connections[i]
        if _priority(c, even_if_cut=True) == _Priority.EITHER:
            way = way_between(index[c.a], index[c.b], carrier, still)
            planar = way is not None and is_planar(c, [connections[k] for k in way])
            constraints.append(loop_of(c, bodies, index, frames, planar))
            continue
        split, carries, flipped = body_to_split(c, bodies, index)
        above = np.eye(4) if carries < 0 else frames[carries]
        joint = placed_joint(c, flipped, above)
        half, weld = half_of(c, bodies[split], None if carries < 0 else bodies[carries].name, flipped, joint)
        halves.setdefault(split, []).append(half)
        constraints.append(weld)
        if flipped:
            backwards.append(c.name)
    at = {spec.name: spec for spec in specs}
    for split, parts in halves.items():
        share_mass(at[bodies[split].name], parts)
        specs += parts
    return Assembly(specs, constraints, [connections[i].name for i in loops], backwards)


def _names(bodies: Sequence[Body], connections: Sequence[Connection]) -> dict[str | None, int]:
    index: dict[str | None, int] = {None: -1}
    for i, body in enumerate(bodies):
        if body.name in index:
            raise SceneError(
                f"body '{body.name}'", "the name appears twice", "Give every body a name of its own."
            )
        index[body.name] = i
    for c in connections:
        for end in (c.a, c.b):
            if end not in index:
                raise SceneError(
                    f"connection '{c.name}'", f"there is no body '{end}'", "Connect bodies of the scene."
                )
        if c.a == c.b:
            raise SceneError(f"connection '{c.name}'", "both ends are the same body", "Connect two bodies.")
    return index


def _priority(c: Connection, even_if_cut: bool = False) -> _Priority:
    if not even_if_cut and c.cut == "never":
        return _Priority.DEMANDED
    if not even_if_cut and c.cut == "always":
        return _Priority.REFUSED
    plain = all(
        a.lower is None and a.upper is None and not a.stiffness and not a.damping and a.motion is None
        for a in c.axes.values()
    )
    return _Priority.EITHER if plain and c.kind in CLOSING else _Priority.ONLY_IN_TREE


def _spanning_forest(
    bodies: Sequence[Body], connections: Sequence[Connection], index: dict[str | None, int]
) -> tuple[list[int], list[int]]:
    """Connections of the tree and of the loops. The world and everything anchored are one node."""
    group = list(range(len(bodies) + 1))  # the last one is the world

    def find(i: int) -> int:
        while group[i] != i:
            group[i] = group[group[i]]
            i = group[i]
        return i

    world = len(bodies)
    for i, body in enumerate(bodies):
        if body.anchored:
            group[find(i)] = find(world)
    tree, loops = [], []
    for i in sorted(range(len(connections)), key=lambda i: (_priority(connections[i]), i)):
        c = connections[i]
        a, b = (find(world if index[e] < 0 else index[e]) for e in (c.a, c.b))
        if a != b and c.cut != "always" and not _backwards_only(c, bodies, index):
            group[a] = b
            tree.append(i)
        elif a == b and c.cut == "never":
            raise SceneError(
                f"connection '{c.name}'",
                "it closes a loop and may not be cut",
                "Allow it to be cut, or forbid another connection of the loop less.",
            )
        else:
            loops.append(i)
    return tree, loops


def _backwards_only(c: Connection, bodies: Sequence[Body], index: dict[str | None, int]) -> bool:
    """Whether the tree might need its joint from the second part to the first one, which it cannot be."""
    first = index[c.a]
    return c.kind in ONE_WAY and first >= 0 and not bodies[first].anchored


def _orient(
    bodies: Sequence[Body],
    connections: Sequence[Connection],
    tree: Sequence[int],
    index: dict[str | None, int],
) -> tuple[list[int], dict[int, Carrier | None]]:
    """Bodies from the roots outwards, and what carries each."""
    edges: dict[int, list[int]] = {i: [] for i in range(-1, len(bodies))}
    for i in tree:
        edges[index[connections[i].a]].append(i)
        edges[index[connections[i].b]].append(i)
    carrier: dict[int, Carrier | None] = {}
    order: list[int] = []

    def spread(start: int) -> None:
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for i in edges[here]:
                a, b = index[connections[i].a], index[connections[i].b]
                other = b if a == here else a
                if other >= 0 and other not in carrier:
                    carrier[other] = (i, here, other == a)
                    order.append(other)
                    queue.append(other)

    spread(-1)
    for i, body in enumerate(bodies):
        if body.anchored and i not in carrier:
            carrier[i] = None
            order.append(i)
            spread(i)
    # What nothing holds is free; its heaviest part carries the rest, so that light parts hang on heavy ones.
    for i in sorted(range(len(bodies)), key=lambda i: -(bodies[i].mass or 0.0)):
        if i not in carrier:
            carrier[i] = None
            order.append(i)
            spread(i)
    return order, carrier


def _root_joint(body: Body) -> JointSpec:
    if not body.anchored:
        return JointSpec(type=Free())
    if body.motion is None:
        return JointSpec(type=Fixed())
    return JointSpec(type=Free(), motion=list(body.motion))
