"""Friction in joints and at contacts: how much is used, and how much there is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..friction.joints.arrays import Rub
from ..friction.joints.rows import rub_rows
from ..model.records import Floats
from .moment import Moment


@dataclass(frozen=True)
class Rubbing:
    """A pair of surfaces that rub inside a joint."""

    joint: str
    """Of the tree, or one that closes a loop."""
    shape: str
    used: float
    """Friction [N·m, N]."""
    available: float
    """The most that it can be with what presses the surfaces together now [N·m, N]."""
    turns: bool
    """Whether these are torques."""

    @property
    def slides(self) -> bool:
        """Whether all of it is used."""
        return self.available > 0.0 and self.used >= (1.0 - 1e-6) * self.available


@dataclass(frozen=True)
class Touch:
    """A point where two surfaces press on each other."""

    first: str
    second: str
    """The two surfaces: bodies, or colliders."""
    point: Floats
    """[m], shape (3,)."""
    normal: Floats
    """Unit vector from the second to the first, shape (3,)."""
    force: Floats
    """On the first, along world axes [N], shape (3,)."""
    push: float
    """Along the normal [N]."""
    used: float
    """Friction [N]."""
    available: float
    """The most that it can be [N]."""


def joint_friction(now: Moment) -> list[Rubbing]:
    """Of all joints that rub."""
    m, friction = now.model, now.model.friction
    dry = None if now.report is None else now.report.dry
    if friction is None or dry is None or not len(dry.force):
        return []
    out = []
    rubs, loops = friction.rubs, friction.loops
    first, rows = rub_rows(rubs, now.kin, m.nr)
    at_stops = _at_stops(now)
    for i in range(len(rubs)):
        span = slice(rubs.dof[i], rubs.dof[i] + rubs.dofs[i])
        G = rows[first[i] : first[i + 1], span]
        used = np.linalg.lstsq(G.T, dry.force[span], rcond=None)[0]
        most = float(now.bound[i]) + float(at_stops[span].sum())
        shape = Rub(int(rubs.shape[i]))
        out.append(
            Rubbing(m.joints.names[rubs.joint[i]], shape.name.lower(), _size(used), most, _turns(shape))
        )
    for i in range(len(loops)):
        shape = Rub(int(loops.shape[i]))
        name = m.constraints.names[loops.constraint[i]]
        most = float(now.bound[len(rubs) + i])
        out.append(Rubbing(name, shape.name.lower(), float(dry.loop[i]), most, not loops.slides[i]))
    return out


def _at_stops(now: Moment) -> Floats:
    """The most that limits of other coordinates can rub at each coordinate, shape (nr,)."""
    out: Floats = np.zeros(now.model.nr)
    assert now.model.friction is not None
    stops = now.model.friction.stops
    if len(stops):
        np.add.at(out, stops.dof, stops.mu * np.abs(now.limit_forces()[stops.limit]))
    return out


def _turns(shape: Rub) -> bool:
    return shape in (Rub.CYLINDER, Rub.BALL)


def _size(vector: Floats) -> float:
    return float(np.linalg.norm(vector))


def touches(now: Moment) -> list[Touch]:
    """All points where surfaces press on each other."""
    found, surfaces = now.contacts, now.model.contact
    if found is None or surfaces is None:
        return []
    contacts, force = found
    out = []
    for i in np.flatnonzero(contacts.pair[:, 0] >= 0).tolist():
        if not force[i].any():
            continue
        n = contacts.normal[i]
        push = float(force[i] @ n)
        first, second = (surfaces.names[k] for k in contacts.pair[i])
        point = contacts.x[i].mean(axis=0)
        used = _size(force[i] - push * n)
        out.append(Touch(first, second, point, n, force[i], push, used, float(contacts.friction[i]) * push))
    return out
