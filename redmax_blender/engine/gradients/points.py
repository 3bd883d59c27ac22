"""Points of links: where they are, how fast they move with several sets of link twists, and all of it backwards."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..algebra.spatial import Tuple, add3, cross, load12, rotate, transform_point, unrotate
from ..jit.decorators import inline, njit, subroutine
from ..model.records import Floats, Ints
from .tree import LinkBars, Motion


class Points(NamedTuple):
    """n points in the world, shape (n, 3) each: places [m], and velocities [m/s] with the twists V, U and W."""

    x: Floats
    v: Floats
    u: Floats
    w: Floats


def points_of(motion: Motion, link: Ints, place: Floats) -> Points:
    """Points at constant places of links; -1 stands for the world, whose points are at rest."""
    points = zero_points(len(link))
    place_points(motion, link, place, points)
    return points


def zero_points(n: int) -> Points:
    return Points(*(np.zeros((n, 3)) for _ in range(4)))


@inline
def _velocity(E: Tuple, twist: Floats, l: int, r: Tuple) -> Tuple:
    c = cross((twist[l, 0], twist[l, 1], twist[l, 2]), r)
    return rotate(E, (twist[l, 3] + c[0], twist[l, 4] + c[1], twist[l, 5] + c[2]))


@inline
def _store3(a: Floats, i: int, x: Tuple) -> None:
    a[i, 0], a[i, 1], a[i, 2] = x[0], x[1], x[2]


@njit
def place_points(m: Motion, link: Ints, place: Floats, out: Points) -> None:
    for i in range(len(link)):
        l = link[i]
        r = (place[i, 0], place[i, 1], place[i, 2])
        if l < 0:
            _store3(out.x, i, r)
            continue
        E = load12(m.E_wj, l)
        _store3(out.x, i, transform_point(E, r))
        _store3(out.v, i, _velocity(E, m.V, l, r))
        _store3(out.u, i, _velocity(E, m.U, l, r))
        _store3(out.w, i, _velocity(E, m.W, l, r))


@subroutine
def _back(E: Tuple, twist: Floats, l: int, r: Tuple, bar: Floats, i: int, out: Floats, xi: Floats) -> Tuple:
    """Add what the derivative by a point's velocity is by twist and displacement; returns that by its place."""
    b = unrotate(E, (bar[i, 0], bar[i, 1], bar[i, 2]))
    w = (twist[l, 0], twist[l, 1], twist[l, 2])
    own = cross(w, r)
    own = (twist[l, 3] + own[0], twist[l, 4] + own[1], twist[l, 5] + own[2])
    moment, turn = cross(r, b), cross(own, b)
    for c in range(3):
        out[l, c] += moment[c]
        out[l, 3 + c] += b[c]
        xi[l, c] += turn[c]
    return cross(b, w)


@njit
def add_points(m: Motion, link: Ints, place: Floats, bars: Points, out: LinkBars, places: Floats) -> None:
    """Turn derivatives by points into derivatives by links and by the points' places in them, shape (n, 3)."""
    for i in range(len(link)):
        l = link[i]
        if l < 0:
            for c in range(3):
                places[i, c] += bars.x[i, c]
            continue
        E = load12(m.E_wj, l)
        r = (place[i, 0], place[i, 1], place[i, 2])
        b = unrotate(E, (bars.x[i, 0], bars.x[i, 1], bars.x[i, 2]))
        moment = cross(r, b)
        for c in range(3):
            out.xi[l, c] += moment[c]
            out.xi[l, 3 + c] += b[c]
        total = add3(b, _back(E, m.V, l, r, bars.v, i, out.V, out.xi))
        total = add3(total, _back(E, m.U, l, r, bars.u, i, out.U, out.xi))
        total = add3(total, _back(E, m.W, l, r, bars.w, i, out.W, out.xi))
        for c in range(3):
            places[i, c] += total[c]
