"""Points that are led along directions of the world towards curves by springs and dampers, implicitly.

Along its direction d a guide pulls with k (s - d·x) + c (ṡ - d·v), s being its curve. Within one link all of that is
a 6x6 block, so that it joins the inertia and costs the linear-time solve nothing.

A firm guide with a far target needs two things more. It would turn its link by more than a step can tell: so it asks
for no more than TURN in a step, and takes more of them. And where joints are stretched towards the target and cannot
reach it, the pull makes them swing across it like strings under tension: with the pull constant over the step, link j,
whose joint and the next one towards the point are r_j apart, has the stiffness (F·r_j) 1 - (r_j Fᵀ + F r_jᵀ) / 2 for
its rotation, of which the first part joins the matrix where it is positive.
"""

from __future__ import annotations

import numpy as np

from ..algebra.spatial import (
    cross,
    dot6,
    load6,
    load12,
    load21,
    store21,
    sym_minus_outer,
    transform_point,
    unrotate,
)
from ..jit.decorators import njit
from ..model.curves import evaluate
from ..model.records import Floats, Guides, Ints, Model
from ..tree.kinematics import Kinematics

TURN = 0.2
"""Angle [rad] by which a guide turns its link in a step, at most."""
MOST = 0.999
"""Influence beyond which a guide becomes no firmer: its time is a thousandth of its own by then."""


def leading(guides: Guides, t: float) -> Ints:
    """The guides that lead at time t [s]; a step that ends at a switch still belongs to what was before."""
    spans = enumerate(guides.active)
    return np.array([i for i, s in spans if any(a + 1e-9 < t <= b + 1e-9 for a, b in s)], np.int64)


def gains(guides: Guides, t: float) -> tuple[Floats, Floats]:
    """Stiffness [N/m] and damping [N·s/m] of the guides at time t [s], shapes (ng,).

    An influence s multiplies their times by (1 - s) / s, which divides the stiffness by its square.
    """
    if guides.influence is None:
        return guides.stiffness, guides.damping
    s = np.clip(evaluate(guides.influence, t)[:, 0], 0.0, MOST)
    firmer: Floats = np.ones(len(guides.stiffness))
    firmer[guides.influence.target] = s / (1.0 - s)
    return guides.stiffness * firmer**2, guides.damping * firmer


def add_guides(model: Model, kin: Kinematics, t: float, h: float, F: Floats, A_m: Floats | None) -> None:
    """Add the pull at time t [s] to the link wrenches F (nl, 6), and h c + h² k to A_m (nl, 21) for a step of h [s].

    Where A_m is given the damping of the point's own velocity is in it only, as for all dampers.
    """
    g = model.guides
    if g is None:
        return
    implicit = A_m is not None
    stiffness, damping = gains(g, t)
    most = (damping + h * stiffness) * g.reach * (TURN / h) if implicit else np.full(len(g.reach), np.inf)
    pull_points(
        leading(g, t), g.point, g.link, g.x, g.direction, stiffness, damping, most, evaluate(g.curves, t),
        model.tree.parent, kin.E_wj, kin.V, h, implicit, F, A_m if A_m is not None else np.empty((0, 21)),
    )  # fmt: skip


@njit
def pull_points(
    which: Ints,
    point: Ints,
    link: Ints,
    x: Floats,
    direction: Floats,
    stiffness: Floats,
    damping: Floats,
    most: Floats,
    values: Floats,
    parent: Ints,
    E_wj: Floats,
    V: Floats,
    h: float,
    implicit: bool,
    F: Floats,
    A_m: Floats,
) -> None:
    pull = np.zeros(len(link))
    size = np.zeros(len(link))
    for i in which:
        p = transform_point(load12(E_wj, link[i]), (x[i, 0], x[i, 1], x[i, 2]))
        place = direction[i, 0] * p[0] + direction[i, 1] * p[1] + direction[i, 2] * p[2]
        pull[i] = stiffness[i] * (values[i, 0] - place) + damping[i] * values[i, 1]
        size[point[i]] += pull[i] * pull[i]
    tension = np.zeros(len(A_m))
    for i in which:
        l = link[i]
        E = load12(E_wj, l)
        d = unrotate(E, (direction[i, 0], direction[i, 1], direction[i, 2]))
        r = (x[i, 0], x[i, 1], x[i, 2])
        m = cross(r, d)
        row = (m[0], m[1], m[2], d[0], d[1], d[2])
        speed = dot6(row, load6(V, l))
        f = pull[i]
        if implicit:
            whole = np.sqrt(size[point[i]])
            asked = most[i] / whole if whole > most[i] else 1.0
            f *= asked
            slope = damping[i] + h * stiffness[i]
            store21(A_m, l, sym_minus_outer(load21(A_m, l), row, -h * slope))
            p = transform_point(E, r)
            end, j = direction[i, 0] * p[0] + direction[i, 1] * p[1] + direction[i, 2] * p[2], l
            while j >= 0 and most[i] < np.inf:
                start = 0.0
                for c in range(3):
                    start += direction[i, c] * E_wj[j, 9 + c]
                tension[j] += (f - asked * slope * speed) * (end - start)
                end, j = start, parent[j]
        else:
            f -= damping[i] * speed
        for c in range(6):
            F[l, c] += f * row[c]
    for j in range(len(tension)):
        if tension[j] > 0.0:
            for c in (0, 3, 5):  # the diagonal of the rotations
                A_m[j, c] += h * h * tension[j]


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
    stiffness, damping = gains(g, t)
    for i in leading(g, t):
        link = g.link[i]
        row, place, speed = _row(g, kin, int(i))
        k, c = stiffness[i], damping[i]
        pull = k * (values[i, 0] - place) + c * (values[i, 1] - speed)
        turned = np.cross(row[3:], xi[:, link, :3])  # d as the displaced link sees it
        change = np.concatenate([np.cross(g.x[i], turned), turned], axis=1)
        slower = k * (xi[:, link] @ row) + c * (dV[:, link] @ row + change @ kin.V[link])
        dF[:, link] += pull * change - slower[:, None] * row
