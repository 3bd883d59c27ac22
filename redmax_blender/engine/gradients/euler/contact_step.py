"""An Euler step in which bodies touch, backwards: its solved problem is differentiated at the contacts that push.

Where contacts are, and along which normals, follows from the poses and velocities of two links each by an algorithm
that decides a good deal; how it changes with these is found by central differences of what it gives, all links at once
that do not touch each other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import nnls

from ...contact.contacts import Contacts
from ...contact.find import find_contacts
from ...contact.shapes.kinds import KEYS
from ...friction.contacts.rows import ContactRows, contact_rows
from ...friction.general import PART, slop
from ...model.records import Floats, Ints, Model
from ...model.state import State
from ...tree.centres import BALL, FLAGS
from ...tree.kinematics import Kinematics
from ..tree import carry, coordinate_bars, link_bars, motion_at, sweep
from . import centred
from .contact_solves import TouchPass, TouchSolves, solved
from .solves import Pass

if TYPE_CHECKING:
    from .step import EulerAdjoint

_APART = 1e-5
"""Distance of the differences, as a fraction of the scene's size, and as an angle [rad]; of velocities, so much in a
step."""
_PARTS = 1e-6


def what_prevents(model: Model) -> str | None:
    """Why steps in which the bodies of a model touch cannot be differentiated; null where they can."""
    if model.contact is None:
        return None
    c = model.constraints
    if len(c.rows.type) or len(c.gears.offset):
        return (
            "there is no adjoint of steps with loops, couplings or prescribed points where bodies may touch"
        )
    if model.wakes is not None:
        return "there is no adjoint of joints that a blow lets go"
    if np.any(model.contact.restitution > 0.0):
        return "there is no adjoint of contact that bounces ('restitution')"
    if np.any(model.contact.moving >= 0):
        return "there is no adjoint of contact with colliders that move"
    for row in model.centres.which:
        if not row[FLAGS] & BALL:
            return "there is no adjoint of contact of free bodies with Euler angles"
    return None


@dataclass
class _Pairs:
    """Weights of what the rows of contacts say, three a contact."""

    rates: list[tuple[Floats, Floats]]
    """Weights of velocities of rows (3 nc,), and the rates of the coordinates that these come from."""
    wanted: Floats
    way: Floats
    """Of how far overlaps are to come apart, shape (nc,)."""
    friction: Floats


class TouchBack:
    """The way back through one step or part of a step."""

    def __init__(self, adjoint: EulerAdjoint, solves: TouchSolves, end: State) -> None:
        self.adjoint, self.solves, self.end = adjoint, solves, end
        self.model, self.h = adjoint.model, adjoint.h
        nc = len(solves.contacts)
        self.pairs = _Pairs([], np.zeros(3 * nc), np.zeros(nc), np.zeros(nc))

    def back(self, q_bar: Floats, qdot_bar: Floats) -> tuple[Floats, Floats]:
        """Derivatives by the start, from those by the end."""
        s, adjoint, model = self.solves, self.adjoint, self.model
        start, h = s.start, self.h
        u = s.passes[-1].u.copy()
        q = np.where(s.action.free, s.step.arrive(u), s.action.landing)
        tangent = State(s.t, q, s.step.rates(u, q), start.chart)
        q0, v0 = np.zeros((2, model.nr))
        shift = centred.shifted_back(model, tangent, self.end, qdot_bar, adjoint.of_bars)
        q_bar = q_bar + shift.q_end
        a, b = self._parted(self.end.q - q, s.passes[-1], q_bar)
        q0 += a
        v0 += b
        q_bar, v_bar = q_bar + shift.q_tangent, shift.v_end + shift.v_tangent
        arrivals = adjoint.arrivals(start, tangent, s.kin, u)
        a, u_bar = adjoint.arrived(arrivals, u, q_bar, v_bar)
        prescribed = np.flatnonzero(~s.action.free)
        u_bar[prescribed] = v_bar[prescribed]
        q0 += np.where(s.action.free, a, 0.0)
        by_motion = np.zeros(model.nr)
        for each in reversed(s.passes):
            mu, nu, by_friction = s.transposed(each, u_bar)
            which = Pass(each.u, each.limits, each.rates)
            if each.kin is not None:
                which = replace(which, kin=each.kin, kept=each.kept)
            out, by_rates = adjoint.reverse(start, s.t, s.kin, which, h * mu)
            known = u_bar + out.after + out.qddot / h - nu @ s.G
            q0 += out.q
            v0 += out.qdot - out.qddot / h
            self.pairs.rates += [(each.value, mu), (-nu, each.u)]
            self.pairs.wanted += nu
            self.pairs.friction += by_friction
            for limit in each.limits:
                q0[limit.dof] -= limit.of_q * known[limit.dof]
                v0[limit.dof] += limit.of_v * known[limit.dof]
                adjoint.bars.limits[limit.number] += limit.of_q * known[limit.dof]
            by_motion += known
            if by_rates is None:
                break
            v0 += np.where(each.kept, by_rates, 0.5 * by_rates)
            u_bar = np.where(each.kept, 0.0, 0.5 * by_rates)
        adjoint.add_motion(prescribed, by_motion, q_bar, start.t, s.t)
        self._add_geometry(q0, v0)
        return q0, v0

    def _parted(self, way: Floats, last: TouchPass, q_bar: Floats) -> tuple[Floats, Floats]:
        """Derivatives by the start from what moves overlapping surfaces apart: A δ = Gᵀ p with p >= 0."""
        s, model = self.solves, self.model
        nothing = np.zeros(model.nr)
        if np.abs(way).max(initial=0.0) <= 1e-13 * model.constraints.size:
            return nothing, nothing
        free = np.flatnonzero(s.system.free)
        p, _ = nnls(s.G[::3][:, free].T, (s.A @ way)[free], maxiter=1000)
        on = np.flatnonzero(p > _PARTS * p.max(initial=0.0))
        n, m = len(free), len(on)
        G = s.G[3 * on][:, free]
        K = np.zeros((n + m, n + m))
        K[:n, :n], K[:n, n:], K[n:, :n] = s.A[np.ix_(free, free)], -G.T, G
        z = solved(K.T, np.concatenate([q_bar[free], np.zeros(m)]))
        mu = nothing.copy()
        mu[free] = z[:n]
        nu, value = np.zeros((2, 3 * len(s.contacts)))
        nu[3 * on], value[3 * on] = z[n:], p[on]
        self.pairs.rates += [(value, mu), (-nu, way)]
        self.pairs.way += nu[::3]
        return self.adjoint.moved(s.start, s.kin, s.t, way, mu)

    def _value(self, contacts: Contacts, rows: ContactRows, twists: list[Floats]) -> Floats:
        """What is weighed, a number a contact, shape (nc,)."""
        wanted, base, gap = rows.wanted.copy(), self.solves.contacts.gap, contacts.gap
        # a gap that opens or closes on the way is none of this side's business
        wanted[::3] = np.where(base > 0.0, -gap / self.h, 0.0)
        out = self.pairs.wanted * wanted
        for (weight, _), twist in zip(self.pairs.rates, twists, strict=True):
            padded = np.vstack([twist, np.zeros((1, 6))])[rows.link]
            out = out + weight * np.einsum("rsk,rsk->r", rows.G, padded)
        parts = base < -slop(self.model)
        way = np.where(base > 0.0, -gap, np.where(parts, PART * (-gap - slop(self.model)), 0.0))
        return np.asarray(out.reshape(-1, 3).sum(axis=1) + self.pairs.way * way)

    def _add_geometry(self, q0: Floats, v0: Floats) -> None:
        """Add the derivatives by the start of all that was found about the rows of contacts."""
        s, model = self.solves, self.model
        plain = self.adjoint.plain
        twists = []
        for _, rates in self.pairs.rates:
            twist = np.zeros((model.nl, 6))
            carry(plain.links, s.kin.E_pj, s.kin.S, rates, twist)
            twists.append(twist)
        rows = contact_rows(model, s.contacts, s.kin, s.start.v, self.h)
        self._add_friction()
        xi, V_bar = self._differences(twists)
        still = np.zeros(model.nr)
        out = coordinate_bars(model.nr)
        for n in range(0, len(twists), 2):
            links = link_bars(model.nl)
            m = motion_at(plain, s.kin, s.start.chart, s.start.q, s.start.qdot, still, self.pairs.rates[n][1])
            if n == 0:
                links.xi[:], links.V[:] = xi, V_bar
            _add_wrenches(rows, self.pairs.rates[n][0], links.U)
            if n + 1 < len(twists):
                m.lam[:], m.W[:] = self.pairs.rates[n + 1][1], twists[n + 1]
                _add_wrenches(rows, self.pairs.rates[n + 1][0], links.W)
            sweep(plain, m, links, out, self.adjoint.bars.tree)
        q0 += out.q
        v0 += out.qdot

    def _add_friction(self) -> None:
        """Of a contact it is the mean, in products, of its two surfaces'."""
        surfaces, contacts = self.model.contact, self.solves.contacts
        bar = self.adjoint.bars.friction
        if surfaces is None or bar is None:
            return
        on = np.flatnonzero(self.pairs.friction)
        for c in on:
            code = contacts.key[c] // KEYS
            i, j = int(code // len(surfaces)), int(code % len(surfaces))
            rubs = surfaces.friction
            for a in (i, j):
                if rubs[a] > 0.0:
                    bar[a] += self.pairs.friction[c] * 0.5 * contacts.friction[c] / rubs[a]

    def _differences(self, twists: list[Floats]) -> tuple[Floats, Floats]:
        """Derivatives by the displacements of links and by their twists, shape (nl, 6) each."""
        s, model = self.solves, self.model
        kin, contacts = s.kin, s.contacts
        xi, V_bar = np.zeros((2, model.nl, 6))
        matters = np.flatnonzero(
            np.any([w.reshape(-1, 3).any(axis=1) for w, _ in self.pairs.rates], axis=0)
            | (self.pairs.way != 0.0)
        )
        colour = _colours(contacts.link[matters], model.nl)
        size = _APART * model.constraints.size
        for k in range(colour.max(initial=-1) + 1):
            links = np.flatnonzero(colour == k)
            for d in range(6):
                step = _APART if d < 3 else size
                for out, which in ((xi, "E"), (V_bar, "V")):
                    far = step if which == "E" else step / self.h
                    found = [
                        self._there(_moved(kin, links, d, sign * far, which), twists) for sign in (1.0, -1.0)
                    ]
                    slope = np.nan_to_num(
                        (found[0] - found[1]) / (2.0 * far)
                    )  # one that is gone tells nothing
                    for c in matters:
                        for side in (0, 1):
                            l = contacts.link[c, side]
                            if l >= 0 and colour[l] == k:
                                out[l, d] += slope[c]
        return xi, V_bar

    def _there(self, kin: Kinematics, twists: list[Floats]) -> Floats:
        """What is weighed where links are elsewhere, shape (nc,)."""
        s = self.solves
        here = s.contacts
        found = find_contacts(self.model, s.start, kin, self.h)
        order = np.argsort(found.key, kind="stable")
        at = np.clip(np.searchsorted(found.key[order], here.key), 0, max(len(order) - 1, 0))
        if not len(order):
            return np.full(len(here), np.nan)
        which = order[at]
        same = found.key[which] == here.key
        some = Contacts(*(getattr(found, name)[which] for name in Contacts.__dataclass_fields__))
        rows = contact_rows(self.model, some, kin, s.start.v, self.h)
        return np.where(same, self._value(some, rows, twists), np.nan)


def _add_wrenches(rows: ContactRows, weight: Floats, out: Floats) -> None:
    for side in (0, 1):
        on = rows.link[:, side] >= 0
        np.add.at(out, rows.link[on, side], (weight[:, None] * rows.G[:, side])[on])


def _moved(kin: Kinematics, links: Ints, d: int, far: float, which: str) -> Kinematics:
    """The same with links displaced, or faster, along one direction of their own frames."""
    if which == "V":
        V = kin.V.copy()
        V[links, d] += far
        return replace(kin, V=V)
    E = kin.E_wj.copy()
    R = E[links, :9].reshape(-1, 3, 3)
    if d >= 3:
        E[links, 9:] += far * R[:, :, d - 3]
    else:
        c, s = np.cos(far), np.sin(far)
        turn = np.eye(3)
        a, b = (d + 1) % 3, (d + 2) % 3
        turn[a, a] = turn[b, b] = c
        turn[b, a], turn[a, b] = s, -s
        E[links, :9] = (R @ turn).reshape(-1, 9)
    return replace(kin, E_wj=E)


def _colours(pairs: Ints, count: int) -> Ints:
    """Numbers of the links that touch, such that two that touch each other have two; -1 for others, shape (count,)."""
    colour = np.full(count, -1, np.int64)
    for l in np.unique(pairs[pairs >= 0]):
        near = pairs[(pairs == l).any(axis=1)]
        taken = {int(colour[m]) for m in near.ravel() if m >= 0 and m != l}
        colour[l] = next(k for k in range(len(taken) + 1) if k not in taken)
    return colour
