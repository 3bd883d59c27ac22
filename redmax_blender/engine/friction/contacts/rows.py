"""Contacts as rows: for each the velocity along its normal and along two tangents, of side 0 against side 1."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...algebra.arrays import Floats, Ints
from ...algebra.spatial import Tuple, cross, load12, unrotate
from ...contact.contacts import Contacts
from ...jit.decorators import njit
from ...model.records import Model
from ...tree.kinematics import Kinematics
from ..joints.loads import across_axis

_RECOVERY = 10.0
"""Rate [1/s] at which flesh comes out of what it overlaps."""
_BOUNCE = 2.0
"""A contact bounces when it is faster than so many times what gravity adds in a step."""


@dataclass(frozen=True)
class ContactRows:
    """Three rows a contact: normal, first and second tangent."""

    link: Ints
    """Links of the two sides, -1 where a side is none, shape (3 nc, 2)."""
    G: Floats
    """Derivative by the twist of each side, in its joint frame, shape (3 nc, 2, 6)."""
    tangent: Floats
    """The two tangents in the world, shape (nc, 2, 3)."""
    wanted: Floats
    """Least velocity along the normal, and velocity of the collider along the tangents [m/s], shape (3 nc,)."""
    hits: Floats
    """Speed at which a gap that may bounce closes at the start of the step [m/s], zero for others, shape (nc,)."""


@njit
def fill_rows(
    sides: Ints, x: Floats, normal: Floats, gap: Floats, velocity: Floats, restitution: Floats, E_wj: Floats, V: Floats,
    soft: Floats, recovery: float, fast: float, h: float, link: Ints, G: Floats, tangent: Floats, wanted: Floats,
    hits: Floats,
) -> None:  # fmt: skip
    """The rows of nc contacts (`ContactRows`). `soft` (nc, 2) is what `_flesh_speed` gives, or empty; contacts that
    are faster than `fast` [m/s] may bounce, which `contacts/bounce.py` sees to."""
    for c in range(len(normal)):
        n: Tuple = (normal[c, 0], normal[c, 1], normal[c, 2])
        t = across_axis(n)
        u = cross(n, t)
        for k in range(3):
            tangent[c, 0, k], tangent[c, 1, k] = t[k], u[k]
        speed = 0.0
        for a in range(3):
            d = n
            if a == 1:
                d = t
            elif a == 2:
                d = u
            moving = d[0] * velocity[c, 0] + d[1] * velocity[c, 1] + d[2] * velocity[c, 2]
            i = 3 * c + a
            wanted[i] = moving
            speed -= moving if a == 0 else 0.0
            for side in range(2):
                l = sides[c, side]
                link[i, side] = l
                if l < 0:
                    for k in range(6):
                        G[i, side, k] = 0.0
                    continue
                sign = 1.0 if side == 0 else -1.0
                E = load12(E_wj, l)
                f = unrotate(E, d)
                m = cross(
                    unrotate(E, (x[c, side, 0] - E[9], x[c, side, 1] - E[10], x[c, side, 2] - E[11])), f
                )
                for k in range(3):
                    G[i, side, k], G[i, side, 3 + k] = sign * m[k], sign * f[k]
                    if a == 0:
                        speed += sign * (m[k] * V[l, k] + f[k] * V[l, 3 + k])
        # A gap may close within the step and no more; what overlaps may not get deeper.
        least = -gap[c] / h if gap[c] > 0.0 else 0.0
        if len(soft) > 0:
            speed += soft[c, 0]
            if soft[c, 1] != 0.0 and gap[c] < 0.0:
                least = -gap[c] * recovery
        # What hits without bouncing closes the gap, and the step ends there.
        bounces = restitution[c] > 0.0 and speed < -fast and gap[c] + h * (speed - fast) < 0.0
        hits[c] = speed if bounces else 0.0
        wanted[3 * c] += least


@njit
def add_row_wrenches(link: Ints, G: Floats, value: Floats, F: Floats) -> None:
    """F += Gᵀ value, wrenches on links in joint frames, shape (nl, 6)."""
    for i in range(len(link)):
        if value[i] == 0.0:
            continue
        for side in range(2):
            l = link[i, side]
            if l >= 0:
                for k in range(6):
                    F[l, k] += G[i, side, k] * value[i]


_NO_FLESH: Floats = np.zeros((0, 2))


def _flesh_speed(model: Model, contacts: Contacts, v: Floats) -> Floats:
    """Velocity of side 0 against side 1 along the normal that is the flesh's [m/s], and 1 where a side is flesh; shape
    (nc, 2), or (0, 2) in a model without flesh."""
    if model.flesh is None:
        return _NO_FLESH
    soft = contacts.tet >= 0
    corner = model.flesh.tets.corner[contacts.tet]
    point = np.einsum("csk,cskx->csx", np.where(soft[..., None], contacts.weight, 0.0), v[corner])
    speed = np.einsum("cx,cx->c", contacts.normal, point[:, 0] - point[:, 1])
    return np.stack([speed, soft.any(axis=1).astype(float)], axis=1)


def bounce_speed(gravity: Floats, h: float) -> float:
    """Velocity [m/s] above which contacts bounce, for steps of h [s]."""
    return _BOUNCE * h * math.sqrt(float(gravity[0] ** 2 + gravity[1] ** 2 + gravity[2] ** 2))


def contact_rows(model: Model, contacts: Contacts, kin: Kinematics, v: Floats, h: float) -> ContactRows:
    """The rows of a step of h [s]; v are the velocities of flesh, shape (nv, 3).

    Positions of flesh are not moved apart by themselves: it comes out of what it overlaps at a limited rate.
    """
    nc = len(contacts)
    out = ContactRows(
        np.empty((3 * nc, 2), np.int64), np.empty((3 * nc, 2, 6)), np.empty((nc, 2, 3)), np.empty(3 * nc),
        np.empty(nc),
    )  # fmt: skip
    fill_rows(
        contacts.link, contacts.x, contacts.normal, contacts.gap, contacts.velocity, contacts.restitution, kin.E_wj,
        kin.V, _flesh_speed(model, contacts, v), min(1.0 / h, _RECOVERY), bounce_speed(model.gravity, h), h, out.link,
        out.G, out.tangent, out.wanted, out.hits,
    )  # fmt: skip
    return out


def relative_velocity(model: Model, contacts: Contacts, kin: Kinematics, v: Floats) -> Floats:
    """Of side 0 against side 1 at the velocities of a state [m/s], shape (nc, 3); v are those of flesh, shape (nv, 3),
    of which only the part along the normal is told."""
    out = -contacts.velocity
    soft = _flesh_speed(model, contacts, v)
    if len(soft):
        out += soft[:, :1] * contacts.normal
    for side, sign in ((0, 1.0), (1, -1.0)):
        on = contacts.link[:, side] >= 0
        link = contacts.link[on, side]
        E, V = kin.E_wj[link], kin.V[link]
        R = E[:, :9].reshape(-1, 3, 3)
        arm = np.einsum("cij,ci->cj", R, contacts.x[on, side] - E[:, 9:])
        out[on] += sign * np.einsum("cij,cj->ci", R, V[:, 3:] + np.cross(V[:, :3], arm))
    return np.asarray(out)
