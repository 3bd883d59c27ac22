"""Joints that leave their motion when something strikes them: keyframed limbs that give way to a blow.

Joints with a threshold that hang together wake together. The step in which a body of theirs takes more than that is
done again without their motions, so that the blow moves them. Between a motion and a collider that moves there is no
blow to measure, because neither gives way: it is the one that the limb would take without its motion.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..forces.joint import motion_modes
from ..model.records import FREE, Floats, Ints, Model

if TYPE_CHECKING:
    from ..contact.contacts import Contacts


def struck(model: Model, contacts: Contacts | None, impulse: Floats, t: float) -> Ints:
    """Groups that still follow motions at time t [s] and take more than their threshold.

    impulse: of the contacts, in the world [N·s], shape (nc, 3).
    """
    found = model.wakes
    if found is None or contacts is None or not len(contacts) or len(impulse) != len(contacts):
        return np.zeros(0, np.int64)
    taken: Floats = np.zeros(len(found.threshold))
    size = np.linalg.norm(impulse, axis=1)
    for side in (0, 1):
        on = contacts.link[:, side] >= 0
        np.add.at(taken, contacts.link[on, side], size[on])
    following = found.of_motion[motion_modes(model, t + 2e-9) != FREE]
    groups: Ints = np.intersect1d(found.of_link[:-1][taken > found.threshold], following[following >= 0])
    return groups


def approached(model: Model, contacts: Contacts | None, t: float) -> Ints:
    """Groups that still follow motions at time t [s] and that a collider which moves touches."""
    found = model.wakes
    if found is None or contacts is None or not len(contacts):
        return np.zeros(0, np.int64)
    moving = contacts.velocity.any(axis=1)
    following = found.of_motion[motion_modes(model, t + 2e-9) != FREE]
    groups: Ints = np.intersect1d(found.of_link[contacts.link[moving]], following[following >= 0])
    return groups


def woken(model: Model, groups: Ints, t: float) -> Model:
    """The model with the motions of these groups left at time t [s], until something keyed takes hold of them again."""
    assert model.wakes is not None
    joints = model.joints
    modes = motion_modes(model, t + 2e-9)
    switches = list(joints.switches or [()] * len(joints.motion))
    free = joints.free.copy()
    for i in np.flatnonzero(np.isin(model.wakes.of_motion, groups)):
        free[joints.motion.target[i]] = True
        if modes[i] != FREE:
            own = switches[i]
            switches[i] = (
                *(s for s in own if s[0] <= t + 1e-9),
                (t, FREE, 0.0),
                *(s for s in own if s[0] > t + 1e-9),
            )
    return replace(model, joints=replace(joints, switches=tuple(switches), free=free))
