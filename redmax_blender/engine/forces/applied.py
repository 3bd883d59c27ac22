"""All wrenches on links that do not come from inertia, gravity or body damping, and how they change with the motion."""

from __future__ import annotations

import numpy as np

from ..algebra.spatial import cross, load12, rotate, unrotate
from ..jit.decorators import njit
from ..model.records import Floats, Ints, Model
from ..tree.kinematics import Kinematics
from .external import add_external_wrenches, add_wind, external_changes
from .fields import add_fields, field_changes
from .guides import add_guides, guide_changes
from .springs import add_spring_wrenches, measure_springs


def applied_wrenches(model: Model, kin: Kinematics, t: float) -> Floats:
    """Springs, forces on bodies, wind and fields at time t [s], in joint frames, shape (nl, 6)."""
    F: Floats = np.zeros((model.nl, 6))
    if len(model.springs.rest):
        state = measure_springs(model.springs, kin)
        add_spring_wrenches(model.springs, state, state.tension, F)
    if model.external is not None:
        add_external_wrenches(model, kin, t, F)
        add_wind(model, kin, t, 0.0, F, None)
    add_fields(model, kin, t, 0.0, F, None)
    add_guides(model, kin, t, 0.0, F, None)
    return F


def has_applied(model: Model) -> bool:
    acting = (model.external, model.fields, model.guides)
    return bool(len(model.springs.rest)) or any(each is not None for each in acting)


@njit
def _spring_changes(
    first: Ints,
    link: Ints,
    x: Floats,
    stiffness: Floats,
    damping: Floats,
    tension: Floats,
    taut: Ints,
    along: Floats,
    span: Floats,
    E_wj: Floats,
    V: Floats,
    xi: Floats,
    dV: Floats,
    dF: Floats,
) -> None:
    """Exact change of the springs' wrenches along displacements xi and changes dV of link twists, each (nl, 6)."""
    nn = len(link)
    v = np.zeros((nn, 3))
    dx = np.zeros((nn, 3))
    dv = np.zeros((nn, 3))
    du = np.zeros((nn, 3))
    for s in range(len(tension)):
        if taut[s] == 0:
            continue
        for n in range(first[s], first[s + 1]):
            l = link[n]
            for c in range(3):
                v[n, c] = dx[n, c] = dv[n, c] = 0.0
            if l < 0:
                continue
            E = load12(E_wj, l)
            r = (x[n, 0], x[n, 1], x[n, 2])
            a = cross((V[l, 0], V[l, 1], V[l, 2]), r)
            own = (V[l, 3] + a[0], V[l, 4] + a[1], V[l, 5] + a[2])
            w = rotate(E, own)
            turn = (xi[l, 0], xi[l, 1], xi[l, 2])
            b = cross(turn, r)
            moved = rotate(E, (xi[l, 3] + b[0], xi[l, 4] + b[1], xi[l, 5] + b[2]))
            d = cross((dV[l, 0], dV[l, 1], dV[l, 2]), r)
            e = cross(turn, own)
            faster = rotate(E, (dV[l, 3] + d[0] + e[0], dV[l, 4] + d[1] + e[1], dV[l, 5] + d[2] + e[2]))
            for c in range(3):
                v[n, c], dx[n, c], dv[n, c] = w[c], moved[c], faster[c]
        dT = 0.0
        for n in range(first[s], first[s + 1] - 1):
            ds = 0.0
            for c in range(3):
                ds += along[n, c] * (dx[n + 1, c] - dx[n, c])
            inv = 1.0 / span[n] if span[n] > 1e-12 else 0.0
            drate = 0.0
            for c in range(3):
                du[n, c] = (dx[n + 1, c] - dx[n, c] - along[n, c] * ds) * inv
                drate += du[n, c] * (v[n + 1, c] - v[n, c]) + along[n, c] * (dv[n + 1, c] - dv[n, c])
            dT += stiffness[s] * ds + damping[s] * drate
        last = first[s + 1] - 1
        for c in range(3):
            du[last, c] = 0.0
        for n in range(first[s], first[s + 1]):
            l = link[n]
            if l < 0:
                continue
            E = load12(E_wj, l)
            g0, g1, g2 = -along[n, 0], -along[n, 1], -along[n, 2]
            h0, h1, h2 = -du[n, 0], -du[n, 1], -du[n, 2]
            if n == last:
                g0 = g1 = g2 = 0.0
            if n > first[s]:
                g0 += along[n - 1, 0]
                g1 += along[n - 1, 1]
                g2 += along[n - 1, 2]
                h0 += du[n - 1, 0]
                h1 += du[n - 1, 1]
                h2 += du[n - 1, 2]
            T = tension[s]
            f = unrotate(E, (-T * g0, -T * g1, -T * g2))
            df = unrotate(E, (-dT * g0 - T * h0, -dT * g1 - T * h1, -dT * g2 - T * h2))
            t = cross((xi[l, 0], xi[l, 1], xi[l, 2]), f)
            df = (df[0] - t[0], df[1] - t[1], df[2] - t[2])
            m = cross((x[n, 0], x[n, 1], x[n, 2]), df)
            for c in range(3):
                dF[l, c] += m[c]
                dF[l, 3 + c] += df[c]


def applied_changes(model: Model, kin: Kinematics, t: float, xi: Floats, dV: Floats) -> Floats:
    """Change of `applied_wrenches` along each of n displacements xi and changes dV of link twists, shape (n, nl, 6)."""
    dF: Floats = np.zeros_like(xi)
    s = model.springs
    if len(s.rest):
        state = measure_springs(s, kin)
        taut = ((state.length > s.rest) | (s.tension_only == 0)).astype(np.int64)
        for k in range(len(xi)):
            _spring_changes(
                s.first, s.link, s.x, s.stiffness, s.damping, state.tension, taut, state.along, state.span, kin.E_wj,
                kin.V, xi[k], dV[k], dF[k],
            )  # fmt: skip
    if model.external is not None:
        external_changes(model, kin, t, xi, dV, dF)
    field_changes(model, kin, t, xi, dV, dF)
    guide_changes(model, kin, t, xi, dV, dF)
    return dF
