"""Ropes and struts: two points that may come nearer to each other but not part, or part but not come nearer.

These are the inequalities among the constraints in maximal coordinates. They are solved with the contacts: a rope that
is taut pulls along its line as a surface that is touched pushes along its normal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..contact.contacts import Contacts
from ..model.records import Floats, Ints, Model
from ..tree.kinematics import Kinematics
from .active import is_active

_KEYS = -(1 << 62)
"""Below the keys of all contacts between surfaces."""


@dataclass(frozen=True)
class Ropes:
    """n of them."""

    owner: Ints
    """Number of the constraint of each, shape (n,)."""
    link: Ints
    """Links of the two ends, -1 for the world, shape (n, 2)."""
    x: Floats
    """The ends in joint frames, or in the world [m], shape (n, 2, 3)."""
    length: Floats
    """Largest or least distance [m], shape (n,)."""
    side: Floats
    """+1 for a rope, -1 for a strut, shape (n,)."""


def rope_contacts(model: Model, kin: Kinematics, t: float) -> Contacts | None:
    """Those that hold at time t [s], as contacts without friction; null for none."""
    ropes = model.ropes
    if ropes is None:
        return None
    which = np.flatnonzero(is_active(model.constraints, t)[ropes.owner])
    if not len(which):
        return None
    link, side = ropes.link[which], ropes.side[which]
    x = ropes.x[which]
    held = link >= 0
    R = kin.E_wj[:, :9].reshape(-1, 3, 3)[link]
    x = np.where(held[..., None], np.einsum("naij,naj->nai", R, x) + kin.E_wj[link, 9:], x)
    line = x[:, 1] - x[:, 0]
    distance = np.linalg.norm(line, axis=1)
    # ends in one place pull nowhere, and a strut between them has to be given a direction
    line = np.where(distance[:, None] > 0.0, line, [0.0, 0.0, 1.0])
    n = len(which)
    return Contacts(
        link=np.ascontiguousarray(link),
        tet=np.full((n, 2), -1, np.int64),
        weight=np.zeros((n, 2, 4)),
        x=x,
        normal=side[:, None] * line / np.linalg.norm(line, axis=1)[:, None],
        gap=side * (ropes.length[which] - distance),
        velocity=np.zeros((n, 3)),
        friction=np.zeros(n),
        restitution=np.zeros(n),
        key=_KEYS + which,
        pair=np.full((n, 2), -1, np.int64),
    )


def rope_number(key: int) -> int:
    """Which rope a contact is that `rope_contacts` gave, of its key."""
    return key - _KEYS
