"""Everything that can be asked at a moment, by the names of things.

now = inquire(model, state, options)
now.joints["elbow"].along("joint")       # force [N] and torque [N·m] along the joint's own axes
now.lines["muscle a"].tension            # [N]
for touch in now.contacts: print(touch.first, touch.second, touch.used / touch.available)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..constraints.ropes import rope_number
from ..constraints.rows import DISTANCE
from ..forces.springs import measure_springs
from ..model.records import Floats, Ints, Model
from ..model.state import Options, State
from ..muscles.accelerate import muscle_figures
from ..run.energy import energies
from ..tree.conversions import momentum
from ..tree.kinematics import body_poses, body_twists
from .accelerate import Motion, accelerate
from .moment import Moment, moment
from .reactions import Axes, Wrench, axes_of, joint_reactions, loop_reactions, momentum_rates
from .rubbing import Rubbing, Touch, joint_friction, touches


@dataclass(frozen=True)
class JointFigures:
    """What a joint of the tree transmits."""

    reaction: Wrench
    """What it exerts on its body in all, with springs, motors and friction inside it; the opposite on the parent."""
    axes: dict[Axes, Floats]
    """Of the world, the joint and the body, as columns (3, 3)."""
    coordinates: Floats
    """[rad, m], shape (n,)."""
    rates: Floats
    """[rad/s, m/s], shape (n,)."""
    drive: Floats
    """The part of the reaction along each coordinate: springs, motors, friction, limits and what a motion needs [N·m,
    N], shape (n,)."""

    def along(self, axes: Axes) -> tuple[Floats, Floats]:
        """Force [N] and torque [N·m] about the joint, along these axes."""
        return self.reaction.along(self.axes[axes])


@dataclass(frozen=True)
class LineFigures:
    """A spring, rope, rod, strut or muscle."""

    tension: float
    """What it pulls with [N], negative where it pushes."""
    length: float
    """[m]"""
    rate: float
    """[m/s]"""
    ends: Floats
    """First and last point [m], shape (2, 3); empty for a muscle, whose path bends."""


@dataclass(frozen=True)
class BodyFigures:
    """How a body moves, and what that takes."""

    centre: Floats
    """Its centre of mass [m], shape (3,)."""
    velocity: Floats
    """[m/s], shape (3,)."""
    momentum: Floats
    """[kg·m/s], shape (3,)."""
    angular_momentum: Floats
    """About its centre [kg·m²/s], shape (3,)."""
    force: Floats
    """All that acts on it: the rate of its momentum [N], shape (3,)."""
    torque: Floats
    """About its centre: the rate of its angular momentum [N·m], shape (3,)."""
    kinetic: float
    """[J]"""
    gravity: float
    """Potential, zero at the world's origin [J]."""


@dataclass(frozen=True)
class Inquiry:
    """The answers, by name."""

    t: float
    """[s]"""
    joints: dict[str, JointFigures]
    loops: dict[str, Wrench]
    """What each constraint exerts on its first body."""
    gears: dict[str, float]
    """What each gear gives, over its factors [N·m, N]."""
    lines: dict[str, LineFigures]
    bodies: dict[str, BodyFigures]
    friction: list[Rubbing]
    contacts: list[Touch]
    kinetic: float
    """Energies of everything [J]; `stretch` of springs and muscles."""
    gravity: float
    stretch: float
    momentum: Floats
    """Of everything [kg·m/s], shape (3,)."""
    angular_momentum: Floats
    """About the world's origin [kg·m²/s], shape (3,)."""
    acceleration: Floats
    """Of the coordinates [rad/s², m/s²], shape (nr,)."""


def inquire(model: Model, state: State, options: Options) -> Inquiry:
    """Ask everything at a state. The options are those of the run (`scene_options`).

    Raises InputError where there is flesh, and ConvergenceError where no step is possible from there.
    """
    now = moment(model, state, options)
    motion = accelerate(now)
    parts = energies(model, now.state, now.kin)
    whole = momentum(model, now.state, now.kin)
    gears = {
        model.constraints.names[model.constraints.gears.owner[g]]: float(force)
        for g, force in zip(motion.gears, motion.gear_force, strict=True)
    }
    return Inquiry(
        t=float(now.state.t),
        joints=_joints(now, motion),
        loops=loop_reactions(now, motion),
        gears=gears,
        lines=_lines(now, motion),
        bodies=_bodies(now, motion),
        friction=joint_friction(now),
        contacts=touches(now),
        kinetic=float(parts[0]),
        gravity=float(parts[1]),
        stretch=float(parts[2]),
        momentum=whole[3:],
        angular_momentum=whole[:3],
        acceleration=motion.qddot,
    )


def _joints(now: Moment, motion: Motion) -> dict[str, JointFigures]:
    m, out = now.model, {}
    reactions = joint_reactions(now, motion)
    for j, (name, reaction) in enumerate(zip(m.joints.names, reactions, strict=True)):
        begin, end = m.joints.dof[j].tolist()
        axes: dict[Axes, Floats] = {each: axes_of(now, j, each) for each in ("world", "joint", "body")}
        out[name] = JointFigures(
            reaction,
            axes,
            now.state.q[begin:end],
            now.state.qdot[begin:end],
            _drive(now, reaction, begin, end),
        )
    return out


def _drive(now: Moment, reaction: Wrench, begin: int, end: int) -> Floats:
    """Power of a reaction per rate of each coordinate: S · wrench, link by link."""
    m, out = now.model, np.empty(end - begin)
    for k in range(begin, end):
        link = int(np.searchsorted(m.tree.dof, k, side="right")) - 1
        R, p = now.kin.E_wj[link, :9].reshape(3, 3), now.kin.E_wj[link, 9:]
        S = now.kin.S[k]
        out[k - begin] = (R @ S[:3]) @ reaction.about(p) + (R @ S[3:]) @ reaction.force
    return out


def _lines(now: Moment, motion: Motion) -> dict[str, LineFigures]:
    m, kin, out = now.model, now.kin, {}
    if len(m.springs.rest):
        s, found = m.springs, measure_springs(m.springs, kin)
        for i, name in enumerate(s.names):
            ends = np.array([_place(now, s.link[n], s.x[n]) for n in (s.first[i], s.first[i + 1] - 1)])
            out[name] = LineFigures(
                float(found.tension[i]), float(found.length[i]), float(found.rate[i]), ends
            )
    if m.ropes is not None:
        taut = _taut(now)
        for i, owner in enumerate(m.ropes.owner.tolist()):
            ends = np.array([_place(now, m.ropes.link[i, k], m.ropes.x[i, k]) for k in range(2)])
            pull = taut.get(i, 0.0) * float(m.ropes.side[i])
            out[m.constraints.names[owner]] = _line(now, m.ropes.link[i], ends, pull)
    if motion.rows is not None:
        for r, force in zip(motion.index.tolist(), motion.force.tolist(), strict=True):
            rows = m.constraints.rows
            if rows.type[r] == DISTANCE:
                ends = np.array([_place(now, rows.link[r, k], rows.x[r, k]) for k in range(2)])
                out[m.constraints.names[rows.owner[r]]] = _line(now, rows.link[r], ends, -force)
    if m.muscles is not None:
        for name, row in zip(m.muscles.names, muscle_figures(m, now.state, kin), strict=True):
            out[name] = LineFigures(float(row[1]), float(row[0]), float("nan"), np.zeros((0, 3)))
    return out


def _place(now: Moment, link: int, x: Floats) -> Floats:
    """A point of a link, or of the world, in the world [m]."""
    if link < 0:
        return np.asarray(x)
    E = now.kin.E_wj[link]
    return np.asarray(E[9:] + E[:9].reshape(3, 3) @ x)


def _line(now: Moment, links: Ints, ends: Floats, tension: float) -> LineFigures:
    """A straight line between points of two links."""
    v = np.zeros((2, 3))
    for k, link in enumerate(links.tolist()):
        if link >= 0:
            R = now.kin.E_wj[link, :9].reshape(3, 3)
            twist, arm = now.kin.V[link], ends[k] - now.kin.E_wj[link, 9:]
            v[k] = R @ twist[3:] + np.cross(R @ twist[:3], arm)
    line = ends[1] - ends[0]
    length = float(np.linalg.norm(line))
    rate = float(line @ (v[1] - v[0])) / length if length > 0.0 else 0.0
    return LineFigures(tension, length, rate, ends)


def _taut(now: Moment) -> dict[int, float]:
    """What ropes and struts that hold push their first end with along their normal [N], by their numbers."""
    found = now.contacts
    if found is None:
        return {}
    contacts, force = found
    which = np.flatnonzero(contacts.pair[:, 0] < 0)
    return {rope_number(int(contacts.key[i])): float(force[i] @ contacts.normal[i]) for i in which}


def _bodies(now: Moment, motion: Motion) -> dict[str, BodyFigures]:
    m, kin, out = now.model, now.kin, {}
    rates = momentum_rates(m, kin, motion.qddot)
    poses, twists = body_poses(m.bodies, kin), body_twists(m.bodies, kin.V)
    for b, name in enumerate(m.bodies.names):
        R, centre, I = poses[b, :9].reshape(3, 3), poses[b, 9:], m.bodies.inertia[b]
        W = rates[m.bodies.link[b]]
        v = R @ twists[b, 3:]
        out[name] = BodyFigures(
            centre=centre,
            velocity=v,
            momentum=I[3] * v,
            angular_momentum=R @ (I[:3] * twists[b, :3]),
            force=W[3:],
            torque=W[:3] - np.cross(centre, W[3:]),
            kinetic=0.5 * float(I @ twists[b] ** 2),
            gravity=-float(I[3] * centre @ m.gravity),
        )
    return out
