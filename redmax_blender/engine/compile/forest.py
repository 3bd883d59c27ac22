"""Which body hangs on which: names to indices, parents before children, and what can be wrong with it."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from ..errors import SceneError
from ..scene import BodySpec


def body_place(bodies: Sequence[BodySpec], i: int) -> str:
    return f"bodies[{i}] '{bodies[i].name}'"


def parent_indices(bodies: Sequence[BodySpec]) -> list[int]:
    """Index of each body's parent, -1 for the world."""
    index: dict[str, int] = {}
    for i, body in enumerate(bodies):
        if body.name in index:
            raise SceneError(
                f"{body_place(bodies, i)}.name",
                f"bodies[{index[body.name]}] has the same name",
                "Give every body a name of its own.",
            )
        index[body.name] = i
    parents = []
    for i, body in enumerate(bodies):
        if body.parent is not None and body.parent not in index:
            near = difflib.get_close_matches(body.parent, list(index), 1)
            remedy = (
                f"Did you mean '{near[0]}'?" if near else "Name a body of this scene, or null for the world."
            )
            raise SceneError(
                f"{body_place(bodies, i)}.parent", f"there is no body named '{body.parent}'", remedy
            )
        parents.append(-1 if body.parent is None else index[body.parent])
    return parents


def joint_names(bodies: Sequence[BodySpec]) -> tuple[str, ...]:
    """The name of each body's joint: its own, or the body's."""
    index: dict[str, int] = {}
    for i, body in enumerate(bodies):
        name = body.joint.name or body.name
        if name in index:
            raise SceneError(
                f"{body_place(bodies, i)}.joint.name",
                f"the joint of {body_place(bodies, index[name])} is named '{name}' too "
                "(a joint without a name has its body's)",
                "Give every joint a name of its own.",
            )
        index[name] = i
    return tuple(index)


def parents_first(bodies: Sequence[BodySpec], parents: Sequence[int]) -> list[int]:
    """The bodies depth first, siblings in the order of the scene: a chain stays together in memory."""
    children: list[list[int]] = [[] for _ in bodies]
    for i, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(i)
    stack = [i for i in reversed(range(len(bodies))) if parents[i] < 0]
    order: list[int] = []
    while stack:
        i = stack.pop()
        order.append(i)
        stack.extend(reversed(children[i]))
    if len(order) < len(bodies):
        _report_cycle(bodies, parents, set(order))
    return order


def _report_cycle(bodies: Sequence[BodySpec], parents: Sequence[int], reached: set[int]) -> None:
    i = next(i for i in range(len(bodies)) if i not in reached)
    seen: list[int] = []
    position: dict[int, int] = {}
    while i not in position:  # up the parents until one comes again
        position[i] = len(seen)
        seen.append(i)
        i = parents[i]
    cycle = seen[position[i] :]
    names = [f"'{bodies[k].name}'" for k in [*cycle, cycle[0]]]
    if len(names) > 9:
        names = [*names[:4], "…", *names[-4:]]
    raise SceneError(
        f"{body_place(bodies, cycle[0])}.parent",
        f"the parents go round in a circle: {' → '.join(names)}",
        "Let one of these bodies hang on the world (parent null) or on a body outside the circle.",
    )
