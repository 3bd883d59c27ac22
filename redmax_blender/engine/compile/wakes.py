"""Joints that wake when they are struck -> arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import SceneError
from ..model.records import Floats, Ints, Wakes
from ..scene import BodySpec
from .forest import body_place, parent_indices


def wakes(bodies: Sequence[BodySpec], link: Ints, dof: Ints, target: Ints, nl: int) -> Wakes | None:
    """Groups of joints that wake together; null for none.

    link: of each body. dof: coordinates of each joint, shape (nb, 2). target: coordinate of each motion.
    """
    if all(body.joint.wake is None for body in bodies):
        return None
    group: dict[int, int] = {}
    threshold: Floats = np.full(nl, np.inf)
    parents = parent_indices(bodies)
    for b, body in enumerate(bodies):
        if body.joint.wake is None:
            continue
        if not (body.joint.wake > 0.0 and np.isfinite(body.joint.wake)):
            raise SceneError(
                f"{body_place(bodies, b)}.joint.wake",
                f"it is {body.joint.wake} N·s",
                "Give a number above zero.",
            )
        threshold[link[b]] = body.joint.wake
        top = b
        while parents[top] >= 0 and bodies[parents[top]].joint.wake is not None:
            top = parents[top]
        group[b] = top
    tops = sorted(set(group.values()))
    of_link: Ints = np.full(nl + 1, -1)
    of_motion: Ints = np.full(len(target), -1)
    for b, top in group.items():
        of_link[link[b]] = tops.index(top)
        of_motion[(target >= dof[b, 0]) & (target < dof[b, 1])] = tops.index(top)
    return Wakes(len(tops), threshold, of_link, of_motion)
