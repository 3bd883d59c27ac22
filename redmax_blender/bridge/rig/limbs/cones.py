"""How far joints turn of which nothing is known: a cone about the limb, narrower in tails and hair."""

from __future__ import annotations

from collections.abc import Mapping
from math import radians

import bpy
import numpy as np

from ..joint_rules import Freedom
from .capsule import capsule_of

SWING, TWIST = radians(50.0), radians(25.0)
"""Of a limb: aside, and about itself [rad]."""
TAIL_SWING, TAIL_TWIST = radians(35.0), radians(15.0)
"""Of each bone of a tail or a strand of hair [rad]."""
TAIL = 3
"""Bones of a chain that ends free."""
ALONG = 0.8
"""Cosine of the angle between limb and axis of its bone beyond which no axis of the bone is the limb's."""


def cone_freedom(bone: bpy.types.PoseBone, in_tail: bool) -> Freedom:
    """Free about all axes, so far."""
    swing, twist = (TAIL_SWING, TAIL_TWIST) if in_tail else (SWING, TWIST)
    axis = np.abs(capsule_of(bone).axis)
    k = int(np.argmax(axis))
    ends = [swing] * 3
    if axis[k] > ALONG:
        ends[k] = twist
    low, high = (-ends[0], -ends[1], -ends[2]), (ends[0], ends[1], ends[2])
    why = "a cone, as of a tail" if in_tail else "a cone, as of a limb"
    return Freedom((True, True, True), (True, True, True), low, high, why)


def tails(carriers: Mapping[str, bpy.types.PoseBone | None]) -> set[str]:
    """Bones of chains of three or more that end free."""
    carried: dict[str, list[str]] = {name: [] for name in carriers}
    for name, carrier in carriers.items():
        if carrier is not None:
            carried[carrier.name].append(name)
    found: set[str] = set()
    for name in carriers:
        chain = [name]
        while (
            not carried[name] and (above := carriers[chain[-1]]) is not None and len(carried[above.name]) == 1
        ):
            chain.append(above.name)
        if not carried[name] and len(chain) >= TAIL:
            found.update(chain)
    return found
