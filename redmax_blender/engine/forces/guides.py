"""Points that are led along directions of the world towards curves by springs and dampers, implicitly.

Along its direction d a guide pulls with k (s - d·x) + c (ṡ - d·v), s being its curve. Within one link all of that is
a 6x6 block, so that it joins the inertia and costs the linear-time solve nothing.
"""

from __future__ import annotations

import numpy as np

from .. import se3
from ..curves import evaluate
from ..kinematics import Kinematics
from ..model import Floats, Guides, Ints, Model


def leading(guides: Guides, t: float) -> Ints:
    """The guides that lead at time t [s]; a step that ends at a switch still belongs to what was before."""
    spans = enumerate(guides.active)
    return np.array([i for i, s in spans if any(a + 1e-9 < t <= b + 1e-9 for a, b in s)], np.int64)


def add_guides(model: Model, kin: Kinematics, t: float, h: float, F: Floats, A_m: Floats | None) -> None:
    """Add the pull at time t [s] to the link wrenches F (nl, 6), and h c + h² k to A_m (nl, 21) for a step of h [s].

    Where A_m is given the damping of the point's own velocity is in it only, as for all dampers.
    """
    g = model.guides
    if g is None:
        return
    values = evaluate(g.curves, t)
    for i in leading(g, t):
        link = g.link[i]
        row, place, speed = _row(g, kin, int(i))
        k, c = g.stiffness[i], g.damping[i]
        pull = k * (values[i, 0] - place) + c * values[i, 1]
        if A_m is None:
            pull -= c * speed
        else:
            A_m[link] += se3.symmetric_rows((h * c + h * h * k) * np.outer(row, row))
        F[link] += pull * row


def _row(g: Guides, kin: Kinematics, i: int) -> tuple[Floats, float, float]:
    """d·v per twist of the link, and where the point is and how fast it moves along d."""
    E = kin.E_wj[g.link[i]]
    R = E[:9].reshape(3, 3)
    d = R.T @ g.direction[i]
    row = np.concatenate([np.cross(g.x[i], d), d])
    return row, float(g.direction[i] @ E[9:] + d @ g.x[i]), float(row @ kin.V[g.link[i]])


def guide_changes(model: Model, kin: Kinematics, t: float, xi: Floats, dV: Floats, dF: Floats) -> None:
    """Add the change of the pulls along displacements xi and changes dV of link twists, each (n, nl, 6), to dF."""
    g = model.guides
    if g is None:
        return
    values = evaluate(g.curves, t)
    for i in leading(g, t):
        link = g.link[i]
        row, place, speed = _row(g, kin, int(i))
        k, c = g.stiffness[i], g.damping[i]
        pull = k * (values[i, 0] - place) + c * (values[i, 1] - speed)
        turned = np.cross(row[3:], xi[:, link, :3])  # d as the displaced link sees it
        change = np.concatenate([np.cross(g.x[i], turned), turned], axis=1)
        slower = k * (xi[:, link] @ row) + c * (dV[:, link] @ row + change @ kin.V[link])
        dF[:, link] += pull * change - slower[:, None] * row
