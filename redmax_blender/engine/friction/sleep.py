"""Trees that have come to rest are left there until something moves them.

A tree falls asleep when it and all that it touches, directly or through others, have been slow for a while and do not
become faster: what is about to topple is slow, too, but every moment less so. Asleep, its coordinates are prescribed:
where they are, at rest. It wakes before the step in which something that moves reaches it, directly or through others,
so that no impulse is ever given to a sleeper; and when a collider that carries it begins to move. Trees that something
drives, or that hang on others (motions, torques, motors, springs, wind, constraints, ropes), never sleep.

The flesh of a model is counted as one more tree, the last one. Trees that carry it or touch it sleep with it. It has no
coordinates to prescribe: as long as anything is awake its vertices are stepped on, at rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ..algebra.se3 import symmetric
from ..contact.contacts import Contacts
from ..model.curves import evaluate
from ..model.records import Floats, Ints, Model
from ..tree.kinematics import Kinematics, forward_kinematics
from .contacts.rows import relative_velocity

Mask = NDArray[np.bool_]

SPEED = 2e-3
"""Velocity, in its own sizes a second, below which a tree is calm: where it fills a picture of a thousand pixels, it
goes two of them a second."""
SPIN = 0.1
"""Angular velocity [rad/s] that no part of it may have, however small."""
CALM = 0.5
"""Time [s] for which it has to be; in the second half it must not be faster than in the first."""
_GROWS, _QUIET = 1.1, 0.05
"""By what it may be faster, and the part of that velocity that is noise and may grow."""
_TOUCH = 1e-4
"""Gap, as a fraction of the scene's size, at which things touch."""


@dataclass
class Sleepers:
    """Which trees of a model sleep; nt trees, with its flesh."""

    model: Model
    calm: Floats = field(init=False)
    """How long each tree has been calm [s], shape (nt,)."""
    first_half: Floats = field(init=False)
    """Mean pace in the first half of that time, infinite before it is over, shape (nt,)."""
    way: Floats = field(init=False)
    """Integral of the pace over what was seen of the present half [s], shape (nt,)."""
    spent: Floats = field(init=False)
    """How long that was [s], shape (nt,)."""
    asleep: Mask = field(init=False)
    """shape (nt,)."""
    group: Ints = field(init=False)
    """Trees that fell asleep together have the same number, shape (nt,)."""
    carried: Mask = field(init=False)
    """Trees that touched a collider with a motion when they fell asleep, shape (nt,)."""
    places: Floats = field(init=False)
    """Where the moving colliders were last."""

    def __post_init__(self) -> None:
        n = int(np.count_nonzero(self.model.tree.parent < 0)) + int(self.model.flesh is not None)
        self.calm, self.asleep = np.zeros(n), np.zeros(n, bool)
        self.first_half, self.way, self.spent = np.full(n, np.inf), np.zeros(n), np.zeros(n)
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
    def carriers(self) -> Ints:
        """Trees that carry flesh."""
        if self.model.flesh is None:
            return np.zeros(0, np.int64)
        links = self.model.flesh.link
        return np.asarray(np.unique(self.of_link[links[links >= 0]]))

    def sides(self, contacts: Contacts) -> Ints:
        """The tree on each side of contacts, or the flesh, -1 for colliders, shape (nc, 2)."""
        tree = self.of_link[contacts.link]
        if self.model.flesh is not None:
            tree = np.where(contacts.tet >= 0, len(self.calm) - 1, tree)
        return np.asarray(tree)

    @cached_property
    def may(self) -> Mask:
        """Trees that nothing drives all the time, shape (nt,)."""
        m = self.model
        out = np.ones(len(self.calm), bool)
        if any(part is not None for part in (m.external, m.fields, m.guides, m.reduction)):
            return ~out
        if m.flesh is not None and m.flesh.strands is not None:
            return ~out
        driven = [m.joints.motion.target, m.joints.torque.target]
        if m.friction is not None:
            driven.append(m.friction.motors.speed.target)
        out[m.tree_of_coordinate[np.concatenate(driven)]] = False
        links = np.concatenate([m.springs.link, m.constraints.rows.link.ravel()])
        out[self.of_link[links][links >= 0]] = False
        out[m.tree_of_coordinate[m.constraints.gears.dof]] = False
        if m.muscles is not None:
            out[self.of_link[m.muscles.links]] = False
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

    def wake(
        self, contacts: Contacts | None, colliders_moved: bool, kin: Kinematics, v: Floats, h: float
    ) -> None:
        """Wake what something that moves reaches in a step of h [s], and all that a blow can be handed on to in it.

        A contact that may carry an impulse in the step, because it touches or closes, or one side is not slow, joins
        the trees on both sides. Where one of a company is lively, comes nearer to another, or is pushed by a collider,
        all of it is awake: nobody in it stands like a wall. v: velocities of flesh [m/s], shape (nv, 3).
        """
        if not self.asleep.any():
            return
        woken = self.asleep & self.carried & colliders_moved
        if contacts is not None and len(contacts):
            tree = self.sides(contacts)
            u = relative_velocity(self.model, contacts, kin, v)
            closing = -np.einsum("ci,ci->c", contacts.normal, u)
            fall = h * h * float(np.linalg.norm(self.model.gravity))
            near = contacts.gap < np.maximum(_TOUCH * self.model.constraints.size, h * closing + fall)
            size = np.append(np.where(self.size > 0.0, self.size, self.model.constraints.size), np.inf)
            slow = SPEED * np.min(size[tree], axis=1)
            near |= np.linalg.norm(u, axis=1) > slow  # it may be turned round in the step by something else
            moving = closing > _QUIET * slow
            stirred = near & (moving | np.any(contacts.velocity != 0.0, axis=1))
            lively = np.append(~self.asleep & (self.calm < 0.5 * CALM), False)
            lively[tree[stirred]] = True
            lively[-1] = False
            company = companies(tree[near], len(self.asleep))
            woken |= self.asleep & np.isin(company, company[lively[:-1]])
        self._wake(woken)

    def _wake(self, woken: Mask) -> None:
        """Wake trees, with all that fell asleep together with them."""
        woken = woken & self.asleep
        if woken.any():
            together = np.isin(self.group, self.group[woken]) & self.asleep
            self.asleep[together] = False
            self.calm[together] = 0.0

    @cached_property
    def inertia(self) -> Floats:
        """Of each link, as matrices in the joint frame [kg·m², kg·m, kg], shape (nl, 6, 6)."""
        return symmetric(self.model.tree.inertia)

    @cached_property
    def size(self) -> Floats:
        """How large each tree is, as it starts [m], shape (nt,): four radii of gyration, about the length of a rod."""
        kin = forward_kinematics(self.model, self.model.initial_state())
        M, tree = self.inertia, self.of_link[:-1]
        mass = M[:, 5, 5]
        some = np.where(mass > 0.0, mass, 1.0)[:, None]
        c = np.stack([M[:, 2, 4], M[:, 0, 5], M[:, 1, 3]], axis=1) / some
        R = kin.E_wj[:, :9].reshape(-1, 3, 3)
        c_w = np.einsum("lij,lj->li", R, c) + kin.E_wj[:, 9:]
        own = 0.5 * np.trace(M[:, :3, :3], axis1=1, axis2=2) - mass * np.einsum("li,li->l", c, c)
        total: Floats = np.zeros(len(self.calm))
        middle: Floats = np.zeros((len(self.calm), 3))
        square: Floats = np.zeros(len(self.calm))
        np.add.at(total, tree, mass)
        np.add.at(middle, tree, mass[:, None] * c_w)
        total = np.where(total > 0.0, total, 1.0)
        away = c_w - (middle / total[:, None])[tree]
        np.add.at(square, tree, own + mass * np.einsum("li,li->l", away, away))
        if self.model.flesh is not None:
            x = self.model.flesh.x0
            square[-1], total[-1] = np.sum((x - x.mean(axis=0)) ** 2), len(x)
        return np.asarray(4.0 * np.sqrt(np.maximum(square, 0.0) / total))

    def pace(self, kin: Kinematics, v: Floats) -> Floats:
        """How fast each tree is, as a part of what is calm, shape (nt,); v: of flesh [m/s], shape (nv, 3).

        What counts is the velocity of matter, v² = Vᵀ M V / m: a finger that turns as fast as a thigh moves less.
        """
        out: Floats = np.zeros(len(self.calm))
        mass = self.inertia[:, 5, 5]
        square = np.einsum("li,lij,lj->l", kin.V, self.inertia, kin.V)
        square = np.divide(square, mass, out=np.zeros_like(square), where=mass > 0.0)
        size = np.where(self.size > 0.0, self.size, self.model.constraints.size)
        np.maximum.at(out, self.of_link[:-1], np.sqrt(np.maximum(square, 0.0)))
        if self.model.flesh is not None:
            out[-1] = np.linalg.norm(v, axis=1).max(initial=0.0)
        out /= SPEED * size
        spin = np.linalg.norm(kin.V[:, :3], axis=1)
        np.maximum.at(out, self.of_link[:-1], spin / SPIN)
        return out

    def _count(self, pace: Floats, h: float) -> Mask:
        """Count how long trees have been calm, by a step of h [s]; which are ready to sleep, shape (nt,)."""
        self.calm = np.where((pace < 1.0) & self.may, self.calm + h, 0.0)
        half = 0.5 * CALM
        calm = self.calm > 0.0
        self.way = np.where(calm, self.way + h * pace, 0.0)
        self.spent = np.where(calm, self.spent + h, 0.0)
        late = np.divide(self.way, self.spent, out=np.zeros_like(pace), where=self.spent > 0.0)
        ready = (self.calm >= CALM) & ~(np.isinf(self.first_half) & (pace > _QUIET))
        stirs = ready & ~self.asleep & (late > _GROWS * self.first_half) & (late > _QUIET)
        again = (self.calm >= half) & np.isinf(self.first_half) & ~ready | stirs
        self.first_half[again], self.way[again], self.spent[again] = late[again], 0.0, 0.0
        self.first_half[self.calm < half] = np.inf
        self.calm[again] = np.minimum(self.calm[again], half)  # kernels count without looking back
        return np.asarray(ready & ~stirs)

    def settle(self, kin: Kinematics, contacts: Contacts | None, h: float, v: Floats) -> None:
        """Count how long trees have been calm, at the velocities before a step of h [s]; let those fall asleep whose
        company is calm too. v: velocities of flesh [m/s], shape (nv, 3)."""
        size = self.model.constraints.size
        pace = self.pace(kin, v)
        if self.model.flesh is not None and pace[-1] >= 1.0:
            self._wake(np.arange(len(pace)) == len(pace) - 1)
        ready = self._count(pace, h)
        if not np.any(ready & ~self.asleep):
            return
        pairs = np.stack([self.carriers, np.full(len(self.carriers), len(ready) - 1)], axis=1)
        carried = np.zeros(len(ready), bool)
        touched = np.zeros(len(ready), bool)
        if contacts is not None and len(contacts):
            tree = self.sides(contacts)
            near = contacts.gap < _TOUCH * size
            pairs = np.concatenate([pairs, tree[near]])
            touched[tree[near][tree[near] >= 0]] = True
            on = near & self.moving[contacts.pair].any(axis=1)
            carried[tree[on][tree[on] >= 0]] = True
        if self.model.friction is not None:
            touched[self.of_link[self.model.friction.rubs.link]] = True
        group = companies(pairs, len(ready))
        for g in np.unique(group):
            mine = group == g
            # what hangs in the air at rest for a moment is not at rest
            if np.all(ready[mine]) and touched[mine].any():
                self.asleep[mine] = True
                self.group[mine] = np.flatnonzero(mine)[0]
                self.carried[mine] = carried[mine].any()


def companies(pairs: Ints, n: int) -> Ints:
    """The company of each of n trees that these pairs join, shape (n,); a side of -1 joins nothing."""
    a, b = pairs[(pairs >= 0).all(axis=1)].T
    joined = coo_matrix((np.ones(len(a), bool), (a, b)), shape=(n, n))
    return np.asarray(connected_components(joined, directed=False)[1], np.int64)
