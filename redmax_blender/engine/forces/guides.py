"""Points that are led along directions of the world towards curves by springs and dampers, implicitly.

Along its direction d a guide pulls with k (s - d·x) + c (ṡ - d·v), s being its curve. Within one link all of that is
a 6x6 block, so that it joins the inertia and costs the linear-time solve nothing.
"""

from __future__ import annotations

import numpy as np

from ..curves import evaluate
from ..jit import njit
from ..kinematics import Kinematics
from ..model import Floats, Guides, Ints, Model
from ..spatial import cross, dot6, load6, load12, load21, store21, sym_minus_outer, transform_point, unrotate


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
    implicit = A_m is not None
    _pull(
        leading(g, t), g.link, g.x, g.direction, g.stiffness, g.damping, evaluate(g.curves, t), kin.E_wj, kin.V, h,
        implicit, F, A_m if A_m is not None else np.empty((0, 21)),
    )  # fmt: skip


@njit
def _pull(
    which: Ints,
    link: Ints,
    x: Floats,
    direction: Floats,
    stiffness: Floats,
    damping: Floats,
    values: Floats,
    E_wj: Floats,
    V: Floats,
    h: float,
    implicit: bool,
    F: Floats,
    A_m: Floats,
) -> None:
    for i in which:
        l = link[i]
        E = load12(E_wj, l)
        d = unrotate(E, (direction[i, 0], direction[i, 1], direction[i, 2]))
        r = (x[i, 0], x[i, 1], x[i, 2])
        m = cross(r, d)
        row = (m[0], m[1], m[2], d[0], d[1], d[2])
        p = transform_point(E, r)
        place = direction[i, 0] * p[0] + direction[i, 1] * p[1] + direction[i, 2] * p[2]
        pull = stiffness[i] * (values[i, 0] - place) + damping[i] * values[i, 1]
        if implicit:
            store21(A_m, l, sym_minus_outer(load21(A_m, l), row, -h * (damping[i] + h * stiffness[i])))
        else:
            pull -= damping[i] * dot6(row, load6(V, l))
        for c in range(6):
            F[l, c] += pull * row[c]


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
