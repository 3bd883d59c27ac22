"""Contacts as rows: for each the velocity along its normal and along two tangents, of side 0 against side 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..contact.contacts import Contacts
from ..jit import njit
from ..kinematics import Kinematics
from ..model import Floats, Ints, Model
from ..spatial import Tuple, cross, load12, unrotate
from .loads import across_axis

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


@njit
def _rows(link: Ints, x: Floats, normal: Floats, E_wj: Floats, G: Floats, tangent: Floats) -> None:
    for c in range(len(normal)):
        n: Tuple = (normal[c, 0], normal[c, 1], normal[c, 2])
        t = across_axis(n)
        u = cross(n, t)
        for k in range(3):
            tangent[c, 0, k] = t[k]
            tangent[c, 1, k] = u[k]
        for side in range(2):
            l = link[c, side]
            if l < 0:
                continue
            sign = 1.0 if side == 0 else -1.0
            E = load12(E_wj, l)
            p = (x[c, side, 0] - E[9], x[c, side, 1] - E[10], x[c, side, 2] - E[11])
            r = unrotate(E, p)
            for a in range(3):
                d = n
                if a == 1:
                    d = t
                elif a == 2:
                    d = u
                f = unrotate(E, d)
                m = cross(r, f)
                i = 3 * c + a
                for k in range(3):
                    G[i, side, k] = sign * m[k]
                    G[i, side, 3 + k] = sign * f[k]


@njit
def row_velocities(link: Ints, G: Floats, V: Floats, out: Floats) -> None:
    """G V of rows in maximal coordinates."""
    for i in range(len(link)):
        total = 0.0
        for side in range(2):
            l = link[i, side]
            if l >= 0:
                for k in range(6):
                    total += G[i, side, k] * V[l, k]
        out[i] = total


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


def contact_rows(model: Model, contacts: Contacts, kin: Kinematics, v: Floats, h: float) -> ContactRows:
    """The rows of a step of h [s]. A gap may close within the step and no more; what overlaps may not get deeper.

    v are the velocities of flesh, shape (nv, 3).
    """
    nc = len(contacts)
    G: Floats = np.zeros((3 * nc, 2, 6))
    tangent: Floats = np.empty((nc, 2, 3))
    _rows(contacts.link, contacts.x, contacts.normal, kin.E_wj, G, tangent)
    link = np.repeat(contacts.link, 3, axis=0)
    directions = np.concatenate([contacts.normal[:, None], tangent], axis=1)
    moving = np.einsum("cak,ck->ca", directions, contacts.velocity)
    before: Floats = np.empty(3 * nc)
    row_velocities(link, G, kin.V, before)
    speed = before[::3] - moving[:, 0]
    least = np.where(contacts.gap > 0.0, -contacts.gap / h, 0.0)
    if model.flesh is not None:
        soft = contacts.tet >= 0
        corner = model.flesh.tets.corner[contacts.tet]
        point = np.einsum("csk,cskx->csx", np.where(soft[..., None], contacts.weight, 0.0), v[corner])
        speed += np.einsum("cx,cx->c", contacts.normal, point[:, 0] - point[:, 1])
        # positions of flesh are not moved apart by themselves: it comes out at a limited rate
        out = soft.any(axis=1) & (contacts.gap < 0.0)
        least[out] = -contacts.gap[out] * min(1.0 / h, _RECOVERY)
    hits = contacts.gap + h * speed < 0.0
    fast = speed < -_BOUNCE * h * float(np.linalg.norm(model.gravity))
    bounces = hits & fast & (contacts.restitution > 0.0)  # without, the gap closes and the step ends there
    bounce = np.where(bounces, -contacts.restitution * speed, least)
    wanted = moving.copy()
    wanted[:, 0] += np.maximum(least, bounce)
    return ContactRows(link, G, tangent, wanted.ravel())
