"""A span of a path, between two of its points: its length, its nodes, and how both move."""

from __future__ import annotations

import numpy as np

from ....jit.decorators import subroutine
from ....model.records import Floats
from .barrier import POSE, ROUNDING, barrier
from .string import factor_string, relax, solve_string, string_energy

_NUDGE = 1e-4
"""How far the barrier's Hessian is differentiated, as a fraction of the rounding."""


@subroutine
def straight_span(
    ends: Floats, W: Floats, v: Floats, a: Floats, x: Floats, dx: Floats, ddx: Floats, dL: Floats
) -> tuple[float, float]:
    """Length and its bias d²L/dt² of a straight line between ends (2, 3) that move with W (2, 3, nc) per coordinate,
    velocities v and biases a (2, 3). Its two nodes and their motion into x, dx, ddx; dL (nc,)."""
    nc = W.shape[2]
    L = np.sqrt(
        (ends[1, 0] - ends[0, 0]) ** 2 + (ends[1, 1] - ends[0, 1]) ** 2 + (ends[1, 2] - ends[0, 2]) ** 2
    )
    inv = 1.0 / L if L > 1e-12 else 0.0
    rate, bias = 0.0, 0.0
    for c in range(3):
        u = (ends[1, c] - ends[0, c]) * inv
        dv = v[1, c] - v[0, c]
        rate += u * dv
        bias += u * (a[1, c] - a[0, c]) + dv * dv * inv
        for e in range(2):
            x[e, c], ddx[e, c] = ends[e, c], a[e, c]
            for k in range(nc):
                dx[e, c, k] = W[e, c, k]
    for k in range(nc):
        dL[k] = 0.0
        for c in range(3):
            dL[k] += (ends[1, c] - ends[0, c]) * inv * (W[1, c, k] - W[0, c, k])
    return L, bias - rate * rate * inv


@subroutine
def string_span(
    ends: Floats, W: Floats, surf: Floats, moving: Floats, x: Floats, dx: Floats, dL: Floats
) -> tuple[float, int]:
    """Length of a string between ends (2, 3) that move with W (2, 3, nc) per coordinate, among surfaces `surf` whose
    angular velocities and velocities of their origins are `moving` (ns, 6, nc); and Newton's steps, or -1.

    x (n+1, 3) is where the search begins and what it finds; its motion goes into dx, that of the length into dL (nc,).
    """
    n = len(x) - 1
    m, nc, first, last = n - 1, W.shape[2], 0, len(surf)
    x[0], x[n] = ends[0], ends[1]
    force, B, inverse = np.empty((m, 3)), np.empty((m, 3, 3)), np.empty((m, 3, 3))
    steps = relax(x, surf, first, last, force, B, inverse)
    energy = string_energy(x, surf, first, last, force, B, False)
    if not factor_string(n, B, m, 0.0, inverse):
        string_energy(x, surf, first, last, force, B, True)
        factor_string(n, B, m, 0.0, inverse)
    L = np.sqrt(2.0 * energy)
    rhs = np.zeros((m, 3, nc))
    g, b, H, field = np.empty(3), np.empty(3), np.empty((3, 3)), np.empty(3)
    for k in range(nc):
        dL[k] = 0.0
        for c in range(3):
            dL[k] += n * ((x[0, c] - x[1, c]) * W[0, c, k] + (x[n, c] - x[n - 1, c]) * W[1, c, k])
            rhs[0, c, k] += n * W[0, c, k]
            rhs[m - 1, c, k] += n * W[1, c, k]
    for i in range(m):
        for s in range(first, last):
            if not barrier(surf, s, x[i + 1, 0], x[i + 1, 1], x[i + 1, 2], g, H, b) > 0.0:
                continue
            r0, r1, r2 = _arm(surf, s, x, i + 1)
            for k in range(nc):
                w0, w1, w2 = moving[s, 0, k], moving[s, 1, k], moving[s, 2, k]
                field[0] = moving[s, 3, k] + w1 * r2 - w2 * r1
                field[1] = moving[s, 4, k] + w2 * r0 - w0 * r2
                field[2] = moving[s, 5, k] + w0 * r1 - w1 * r0
                turned = (w1 * b[2] - w2 * b[1], w2 * b[0] - w0 * b[2], w0 * b[1] - w1 * b[0])
                for c in range(3):
                    dL[k] -= b[c] * field[c] / n
                    rhs[i, c, k] += (
                        H[c, 0] * field[0] + H[c, 1] * field[1] + H[c, 2] * field[2] - turned[c]
                    ) / n
    solve_string(n, inverse, m, rhs)
    for k in range(nc):
        dL[k] /= L
        for c in range(3):
            dx[0, c, k], dx[n, c, k] = W[0, c, k], W[1, c, k]
            for i in range(m):
                dx[i + 1, c, k] = rhs[i, c, k]
    return L, steps


@subroutine
def _arm(surf: Floats, s: int, x: Floats, i: int) -> tuple[float, float, float]:
    return (
        x[i, 0] - surf[s, POSE + 9],
        x[i, 1] - surf[s, POSE + 10],
        x[i, 2] - surf[s, POSE + 11],
    )


@subroutine
def _crossed(a: Floats, b: Floats) -> tuple[float, float, float]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@subroutine
def string_bias(
    v: Floats,
    a: Floats,
    surf: Floats,
    twist: Floats,
    x: Floats,
    dx: Floats,
    qdot: Floats,
    L: float,
    dL: Floats,
    ddx: Floats,
) -> float:
    """Accelerations of a string's nodes into ddx (n+1, 3), and of its length, where coordinates do not accelerate.

    The condition that forces balance at every node, differentiated twice along the motion. v and a (2, 3): velocities
    and biases of the ends; twist (ns, 4, 3): angular velocity of each surface, velocity of its origin, and the biases
    of both.
    """  # fmt: skip
    n = len(x) - 1
    m, nc = n - 1, len(qdot)
    xdot = np.zeros((n + 1, 3))
    rate = 0.0
    for k in range(nc):
        rate += dL[k] * qdot[k]
        for i in range(n + 1):
            for c in range(3):
                xdot[i, c] += dx[i, c, k] * qdot[k]
    force, B, inverse = np.zeros((m, 3)), np.zeros((m, 3, 3)), np.empty((m, 3, 3))
    g, b, H = np.empty(3), np.empty(3), np.empty((3, 3))
    b2, H2 = np.empty(3), np.empty((3, 3))
    rhs = np.zeros((m, 3, 1))
    r, u, w, dw = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    Hu, DH, field, pull, term = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    second = 0.0
    for c in range(3):
        second += n * ((v[0, c] - xdot[1, c]) * v[0, c] + (x[0, c] - x[1, c]) * a[0, c])
        second += n * ((v[1, c] - xdot[n - 1, c]) * v[1, c] + (x[n, c] - x[n - 1, c]) * a[1, c])
        rhs[0, c, 0] += n * a[0, c]
        rhs[m - 1, c, 0] += n * a[1, c]
    for i in range(m):
        for s in range(len(surf)):
            if not barrier(surf, s, x[i + 1, 0], x[i + 1, 1], x[i + 1, 2], g, H, b) > 0.0:
                continue
            for c in range(3):
                w[c], dw[c] = twist[s, 0, c], twist[s, 2, c]
                r[c] = x[i + 1, c] - surf[s, POSE + 9 + c]
            wr = _crossed(w, r)
            size = 0.0
            for c in range(3):
                field[c] = twist[s, 1, c] + wr[c]
                u[c] = xdot[i + 1, c] - field[c]
                size += u[c] * u[c]
                pull[c] = xdot[i + 1, c] - twist[s, 1, c]
            for c in range(3):
                Hu[c] = H[c, 0] * u[0] + H[c, 1] * u[1] + H[c, 2] * u[2]
                DH[c] = 0.0
            if size > 0.0:
                d = _NUDGE * surf[s, ROUNDING] / np.sqrt(size)
                for side in range(2):
                    f = d if side == 0 else -d
                    if barrier(
                        surf, s, x[i + 1, 0] + f * u[0], x[i + 1, 1] + f * u[1], x[i + 1, 2] + f * u[2], g, H2, b2
                    ) > 0.0:  # fmt: skip
                        for c in range(3):
                            DH[c] += (H2[c, 0] * u[0] + H2[c, 1] * u[1] + H2[c, 2] * u[2]) / (2.0 * f)
            wb, wu, dwb, dwr, wHu = (
                _crossed(w, b),
                _crossed(w, u),
                _crossed(dw, b),
                _crossed(dw, r),
                _crossed(w, Hu),
            )
            for c in range(3):
                term[c] = wb[c]
            wwb = _crossed(w, term)
            for c in range(3):
                term[c] = wr[c]
            wwr = _crossed(w, term)
            wp = _crossed(w, pull)
            for c in range(3):
                # acceleration of the surface's own point there, and Coriolis
                term[c] = twist[s, 3, c] + dwr[c] + wwr[c] + 2.0 * wu[c]
                second -= ((wb[c] + Hu[c]) * field[c] + b[c] * (twist[s, 3, c] + dwr[c] + wp[c])) / n
            for c in range(3):
                carried = H[c, 0] * term[0] + H[c, 1] * term[1] + H[c, 2] * term[2]
                rhs[i, c, 0] -= (dwb[c] + wwb[c] + 2.0 * wHu[c] + DH[c] - carried) / n
                for e in range(3):
                    B[i, c, e] += H[c, e]
    if not factor_string(n, B, m, 0.0, inverse):
        string_energy(x, surf, 0, len(surf), force, B, True)
        factor_string(n, B, m, 0.0, inverse)
    solve_string(n, inverse, m, rhs)
    for c in range(3):
        ddx[0, c], ddx[n, c] = a[0, c], a[1, c]
        for i in range(m):
            ddx[i + 1, c] = rhs[i, c, 0]
    return (second - rate * rate) / L
