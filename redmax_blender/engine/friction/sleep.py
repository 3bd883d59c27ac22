"""Trees that have come to rest are left there until something moves them.

A tree falls asleep when it and all that it touches, directly or through others, have been slow for a while. Asleep, its
coordinates are prescribed: where they are, at rest. It wakes when something that moves touches it, or when a collider
that carries it begins to move. Trees that something drives, or that hang on others (motions, torques, motors, springs,
wind, flesh, constraints, ropes), never sleep.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..contact.contacts import Contacts
from ..curves import evaluate
from ..kinematics import Kinematics
from ..model import Floats, Ints, Model

Mask = NDArray[np.bool_]

SPEED = 2e-3
"""Velocity, in sizes of the scene a second, and angular velocity [rad/s] below which a tree is calm."""
CALM = 0.5
"""Time [s] for which it has to be."""
_TOUCH = 1e-4
"""Gap, as a fraction of the scene's size, at which things touch."""


@dataclass
class Sleepers:
    """Which trees of a model sleep; nt trees."""

    model: Model
    calm: Floats = field(init=False)
    """How long each tree has been calm [s], shape (nt,)."""
    asleep: Mask = field(init=False)
    """shape (nt,)."""
    group: Ints = field(init=False)
    """Trees that fell asleep together have the same number, shape (nt,)."""
    carried: Mask = field(init=False)
    """Trees that touched a collider with a motion when they fell asleep, shape (nt,)."""
    places: Floats = field(init=False)
    """Where the moving colliders were last."""

    def __post_init__(self) -> None:
        n = int(np.count_nonzero(self.model.tree.parent < 0))
        self.calm, self.asleep = np.zeros(n), np.zeros(n, bool)
        self.group, self.carried = np.arange(n), np.zeros(n, bool)
        self.places = np.zeros(0)

    @cached_property
    def of_link(self) -> Ints:
        """The tree of each link, and -1 for none at the end, shape (nl + 1,)."""
        roots = np.cumsum(self.model.tree.parent < 0) - 1
        for j, p in enumerate(self.model.tree.parent):
            if p >= 0:
                roots[j] = roots[p]
        return np.append(roots, -1).astype(np.int64)

    @cached_property
    def may(self) -> Mask:
        """Trees that nothing drives all the time, shape (nt,)."""
        m = self.model
        out = np.ones(len(self.calm), bool)
        if m.flesh is not None or m.external is not None or m.guides is not None or m.reduction is not None:
            return ~out
        driven = [m.joints.motion.target, m.joints.torque.target]
        if m.friction is not None:
            driven.append(m.friction.motors.speed.target)
        out[m.tree_of_coordinate[np.concatenate(driven)]] = False
        links = np.concatenate([m.springs.link, m.constraints.rows.link.ravel()])
        out[self.of_link[links][links >= 0]] = False
        out[m.tree_of_coordinate[m.constraints.gears.dof]] = False
        if m.ropes is not None:
            out[self.of_link[m.ropes.link[m.ropes.link >= 0]]] = False
        return out

    @cached_property
    def moving(self) -> Mask:
        """Surfaces that are colliders with a motion, and at the end one that is none, shape (ns + 1,)."""
        s = self.model.contact
        if s is None:
            return np.zeros(1, bool)
        out = np.zeros(len(s.names) + 1, bool)
        pieces = s.collider >= 0
        out[s.owner[pieces]] = s.moving[s.collider[pieces]] >= 0
        return out

    def colliders_moved(self, t: float) -> bool:
        """Whether a collider is elsewhere than when this was last asked."""
        s = self.model.contact
        if s is None or not len(s.motion):
            return False
        places = evaluate(s.motion, t)[:, 0]
        moved = len(self.places) != len(places) or bool(np.any(np.abs(places - self.places) > 1e-12))
        self.places = places
        return moved

    @property
    def coordinates(self) -> Mask:
        """Coordinates of trees that sleep, shape (nr,)."""
        return self.asleep[self.model.tree_of_coordinate]

    def wake(self, contacts: Contacts | None, colliders_moved: bool) -> None:
        """Wake what something touches that moves."""
        if not self.asleep.any():
            return
        woken = self.asleep & self.carried & colliders_moved
        if contacts is not None and len(contacts):
            tree = self.of_link[contacts.link]
            near = contacts.gap < _TOUCH * self.model.constraints.size
            lively = np.append(~self.asleep & (self.calm < 0.5 * CALM), False)
            pushed = np.any(contacts.velocity != 0.0, axis=1)
            for a, b in ((0, 1), (1, 0)):
                hit = near & (tree[:, a] >= 0) & (lively[tree[:, b]] | pushed)
                woken[tree[hit, a]] = True
        woken &= self.asleep
        if woken.any():
            together = np.isin(self.group, self.group[woken]) & self.asleep
            self.asleep[together] = False
            self.calm[together] = 0.0

    def settle(self, kin: Kinematics, contacts: Contacts | None, h: float) -> None:
        """Count how long trees have been calm, at the velocities before a step of h [s]; let those fall asleep whose
        company is calm too."""
        size = self.model.constraints.size
        slow = (np.linalg.norm(kin.V[:, 3:], axis=1) < SPEED * size) & (
            np.linalg.norm(kin.V[:, :3], axis=1) < SPEED
        )
        still = np.ones(len(self.calm), bool)
        np.logical_and.at(still, self.of_link[:-1], slow)
        self.calm = np.where(still & self.may, self.calm + h, 0.0)
        ready = self.calm >= CALM
        if not np.any(ready & ~self.asleep):
            return
        group = np.arange(len(ready))
        carried = np.zeros(len(ready), bool)
        touched = np.zeros(len(ready), bool)
        if contacts is not None and len(contacts):
            tree = self.of_link[contacts.link]
            near = contacts.gap < _TOUCH * size
            pairs = tree[near & (tree >= 0).all(axis=1)]
            for a, b in pairs.tolist():
                if group[a] != group[b]:
                    group[group == group[b]] = group[a]
            touched[tree[near][tree[near] >= 0]] = True
            on = near & self.moving[contacts.pair].any(axis=1)
            carried[tree[on][tree[on] >= 0]] = True
        if self.model.friction is not None:
            touched[self.of_link[self.model.friction.rubs.link]] = True
        for g in np.unique(group):
            mine = group == g
            # what hangs in the air at rest for a moment is not at rest
            if np.all(ready[mine]) and touched[mine].any():
                self.asleep[mine] = True
                self.group[mine] = np.flatnonzero(mine)[0]
                self.carried[mine] = carried[mine].any()
