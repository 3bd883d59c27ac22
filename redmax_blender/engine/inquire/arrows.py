"""Forces and torques of an inquiry as arrows, for whoever draws them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..model.records import Floats
from .inquiry import Inquiry

Kind = Literal["force", "torque", "tension", "contact", "momentum"]


@dataclass(frozen=True)
class Arrow:
    kind: Kind
    point: Floats
    """[m], shape (3,)."""
    vector: Floats
    """[N, N·m, kg·m/s], shape (3,)."""


def arrows_of(told: Inquiry, name: str) -> Iterator[Arrow]:
    """What acts on the thing of this name: the reaction in a joint, on its body, what a line pulls its ends with, what
    touches a body; and a body's momentum."""
    joint = told.joints.get(name)
    if joint is not None:
        yield Arrow("force", joint.reaction.point, joint.reaction.force)
        yield Arrow("torque", joint.reaction.point, joint.reaction.torque)
    loop = told.loops.get(name)
    line = told.lines.get(name)
    if loop is not None and line is None:
        yield Arrow("force", loop.point, loop.force)
        yield Arrow("torque", loop.point, loop.torque)
    if line is not None and len(line.ends) == 2 and line.length > 0.0:
        along = (line.ends[1] - line.ends[0]) / np.linalg.norm(line.ends[1] - line.ends[0])
        yield Arrow("tension", line.ends[0], line.tension * along)
        yield Arrow("tension", line.ends[1], -line.tension * along)
    body = told.bodies.get(name)
    if body is not None:
        yield Arrow("momentum", body.centre, body.momentum)
    for touch in told.contacts:
        if name in (touch.first, touch.second):
            yield Arrow("contact", touch.point, touch.force if name == touch.first else -touch.force)
