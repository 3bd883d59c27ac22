"""Springs backwards: their pull, and what a linearly implicit step sees of their stiffness and damping.

Paired with virtual velocities w of its nodes, a spring of tension T adds T ℓ_w to ψ, with ℓ_w = Σ a·Δw the rate of its
length under w and a the direction of a segment. A linearly implicit step of h adds (d + h k) ℓ_u ℓ_w for the velocities
u of its end, what a taut segment resists sideways, h T/s (Δu·Δw - (a·Δu)(a·Δw)), and, for the exact tangent, half of
what the lever arms do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..algebra.spatial import Tuple, cross, load12, rotate, unrotate
from ..forces.spring_tangent import EXACT, EXPLICIT, PROJECTED, SHORT
from ..jit.decorators import inline, njit, subroutine
from ..model.records import Floats, Ints, Springs
from .points import Points, add_points, place_points
from .tree import LinkBars, Motion


class SpringArrays(NamedTuple):
    first: Ints
    link: Ints
    x: Floats
    stiffness: Floats
    damping: Floats
    rest: Floats
    tension_only: Ints
    tangent: Ints


class SpringBars(NamedTuple):
    """Derivatives by what springs are made of; shapes as in `model.Springs`."""

    x: Floats
    stiffness: Floats
    damping: Floats
    rest: Floats


def spring_arrays(s: Springs) -> SpringArrays:
    return SpringArrays(s.first, s.link, s.x, s.stiffness, s.damping, s.rest, s.tension_only, s.tangent)


def spring_bars(s: Springs) -> SpringBars:
    return SpringBars(np.zeros_like(s.x), *(np.zeros(len(s.rest)) for _ in range(3)))


@inline
def _difference(a: Floats, n: int) -> Tuple:
    return (a[n + 1, 0] - a[n, 0], a[n + 1, 1] - a[n, 1], a[n + 1, 2] - a[n, 2])


@inline
def _dot(a: Tuple, b: Tuple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def _add_difference(a: Floats, n: int, s: float, x: Tuple) -> None:
    for c in range(3):
        a[n + 1, c] += s * x[c]
        a[n, c] -= s * x[c]


@subroutine
def _lever(r: Tuple, f: Tuple, twist: Tuple) -> tuple[Tuple, Tuple]:
    """Half of the symmetric part of what turning lever arms do: moment and force of it along a twist."""
    w, v = (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])
    fw = cross(f, w)
    a, b, c = cross(r, fw), cross(f, cross(r, w)), cross(f, v)
    moment = (0.5 * (a[0] + b[0] - c[0]), 0.5 * (a[1] + b[1] - c[1]), 0.5 * (a[2] + b[2] - c[2]))
    return moment, (0.5 * fw[0], 0.5 * fw[1], 0.5 * fw[2])


@subroutine
def _pair(r: Tuple, f: Tuple, u: Tuple, w: Tuple) -> float:
    moment, force = _lever(r, f, u)
    return _dot((w[0], w[1], w[2]), moment) + _dot((w[3], w[4], w[5]), force)


@inline
def _twist(a: Floats, l: int) -> Tuple:
    return (a[l, 0], a[l, 1], a[l, 2], a[l, 3], a[l, 4], a[l, 5])


@njit
def add_springs(s: SpringArrays, m: Motion, h: float, bars: LinkBars, out: SpringBars) -> None:
    """Add the derivatives of ψ; h is zero where the step is implicit in everything, and U then has no part."""
    nn = len(s.link)
    p = Points(np.zeros((nn, 3)), np.zeros((nn, 3)), np.zeros((nn, 3)), np.zeros((nn, 3)))
    b = Points(np.zeros((nn, 3)), np.zeros((nn, 3)), np.zeros((nn, 3)), np.zeros((nn, 3)))
    place_points(m, s.link, s.x, p)
    along, a_bar, span = np.zeros((nn, 3)), np.zeros((nn, 3)), np.zeros(nn)
    for i in range(len(s.rest)):
        start, last = s.first[i], s.first[i + 1] - 1
        length, rate, late, virtual = 0.0, 0.0, 0.0, 0.0
        for n in range(start, last):
            d = _difference(p.x, n)
            span[n] = np.sqrt(_dot(d, d))
            inv = 1.0 / span[n] if span[n] > SHORT else 0.0
            a = (d[0] * inv, d[1] * inv, d[2] * inv)
            along[n, 0], along[n, 1], along[n, 2] = a[0], a[1], a[2]
            length += span[n]
            rate += _dot(a, _difference(p.v, n))
            late += _dot(a, _difference(p.u, n))
            virtual += _dot(a, _difference(p.w, n))
        stretch = length - s.rest[i]
        if s.tension_only[i] and stretch <= 0.0:
            continue
        k, d_ = s.stiffness[i], s.damping[i]
        implicit = h > 0.0 and s.tangent[i] != EXPLICIT
        whole = implicit and s.tangent[i] == EXACT
        tension = k * stretch if implicit else k * stretch + d_ * rate
        slope = d_ + h * k if implicit else 0.0
        k_bar, d_bar = stretch * virtual, rate * virtual
        length_bar, late_bar = k * virtual, slope * virtual
        virtual_bar = tension + slope * late
        rate_bar = d_ * virtual
        if implicit:
            k_bar += h * late * virtual
            d_bar = late * virtual
            rate_bar = 0.0
        pull_bar = 0.0
        for n in range(start, last):
            for c in range(3):
                a_bar[n, c] = 0.0
            if not (implicit and s.tangent[i] >= PROJECTED and span[n] > SHORT):
                continue
            if not (whole or (s.link[n] != s.link[n + 1] and stretch > 0.0)):
                continue
            c_ = h * k * stretch / span[n]
            a = (along[n, 0], along[n, 1], along[n, 2])
            du, dw = _difference(p.u, n), _difference(p.w, n)
            along_u, along_w = _dot(a, du), _dot(a, dw)
            sideways = _dot(du, dw) - along_u * along_w
            _add_difference(
                b.u, n, c_, (dw[0] - along_w * a[0], dw[1] - along_w * a[1], dw[2] - along_w * a[2])
            )
            _add_difference(
                b.w, n, c_, (du[0] - along_u * a[0], du[1] - along_u * a[1], du[2] - along_u * a[2])
            )
            for c in range(3):
                a_bar[n, c] -= c_ * (along_w * du[c] + along_u * dw[c])
            pull_bar += h / span[n] * sideways
            _add_difference(b.x, n, -c_ / span[n] * sideways, a)
        if whole:
            t = h * k * stretch
            for n in range(start, last + 1):
                l = s.link[n]
                if l < 0:
                    continue
                E = load12(m.E_wj, l)
                g = (-along[n, 0], -along[n, 1], -along[n, 2]) if n < last else (0.0, 0.0, 0.0)
                if n > start:
                    g = (g[0] + along[n - 1, 0], g[1] + along[n - 1, 1], g[2] + along[n - 1, 2])
                f, r = unrotate(E, g), (s.x[n, 0], s.x[n, 1], s.x[n, 2])
                U, W = _twist(m.U, l), _twist(m.W, l)
                pull_bar += h * _pair(r, f, U, W)
                moment, force = _lever(r, f, U)
                back, push = _lever(r, f, W)
                for c in range(3):
                    bars.W[l, c] += t * moment[c]
                    bars.W[l, 3 + c] += t * force[c]
                    bars.U[l, c] += t * back[c]
                    bars.U[l, 3 + c] += t * push[c]
                none = (0.0, 0.0, 0.0)
                x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
                f_bar = (t * _pair(r, x, U, W), t * _pair(r, y, U, W), t * _pair(r, z, U, W))
                flat = _pair(none, f, U, W)
                out.x[n, 0] += t * (_pair(x, f, U, W) - flat)
                out.x[n, 1] += t * (_pair(y, f, U, W) - flat)
                out.x[n, 2] += t * (_pair(z, f, U, W) - flat)
                turn, g_bar = cross(f, f_bar), rotate(E, f_bar)
                for c in range(3):
                    bars.xi[l, c] -= turn[c]
                    if n < last:
                        a_bar[n, c] -= g_bar[c]
                    if n > start:
                        a_bar[n - 1, c] += g_bar[c]
        k_bar += pull_bar * stretch
        length_bar += pull_bar * k
        out.stiffness[i] += k_bar
        out.damping[i] += d_bar
        out.rest[i] -= length_bar
        for n in range(start, last):
            a = (along[n, 0], along[n, 1], along[n, 2])
            _add_difference(b.x, n, length_bar, a)
            _add_difference(b.v, n, rate_bar, a)
            _add_difference(b.u, n, late_bar, a)
            _add_difference(b.w, n, virtual_bar, a)
            if span[n] > SHORT:
                dv, du, dw = _difference(p.v, n), _difference(p.u, n), _difference(p.w, n)
                for c in range(3):
                    a_bar[n, c] += rate_bar * dv[c] + late_bar * du[c] + virtual_bar * dw[c]
                here = (a_bar[n, 0], a_bar[n, 1], a_bar[n, 2])
                q = _dot(a, here)
                across = (here[0] - q * a[0], here[1] - q * a[1], here[2] - q * a[2])
                _add_difference(b.x, n, 1.0 / span[n], across)
    add_points(m, s.link, s.x, b, bars, out.x)
