"""Steps are divided while a path with mass touches down on a surface or lifts off it.

There the velocities of its points change within the rounding of the surface: the mass matrix does so, and forces of
the quadratic velocity vector grow as the rounding shrinks. A step that jumps over that gains or loses energy. What
counts is how deep the straight line between two points of the path is in a surface, compared with the rounding, and how
fast that changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..jit.decorators import njit, subroutine
from ..model.records import Floats, Model
from ..model.state import State
from ..tree.kinematics import forward_kinematics
from .motion import motion_of
from .paths.smooth.barrier import ROUNDING, ROW, SHIFT, distance
from .paths.smooth.follow import place_point, surface_row
from .paths.smooth.packed import Motion, Paths

SHARE = 0.05
"""Part of the rounding, or of the depth where that is more, that a line may sink or rise in a step."""
FINEST = 256
"""Into no more parts than this is a step divided."""
_AHEAD = 1e-6
"""How far ahead the depth is looked at to see how fast it changes [s]."""
_SAMPLES = 32


@subroutine
def _line_clearance(ends: Floats, rows: Floats, s: int) -> float:
    """Least distance of a line between ends (2, 3) from surface s [m], negative inside."""
    g, H = np.empty(3), np.empty((3, 3))
    best, at = np.inf, 0.0
    low, high = 0.0, 1.0
    for level in range(12):
        count = _SAMPLES if level == 0 else 4
        for i in range(count + 1):
            t = low + (high - low) * i / count
            d = _distance_at(ends, rows, s, t, g, H)
            if d < best:
                best, at = d, t
        step = (high - low) / count
        low, high = max(0.0, at - step), min(1.0, at + step)
    return best


@subroutine
def _distance_at(ends: Floats, rows: Floats, s: int, t: float, g: Floats, H: Floats) -> float:
    e = ROW - 12
    x = ends[0, 0] + t * (ends[1, 0] - ends[0, 0]) - rows[s, e + 9]
    y = ends[0, 1] + t * (ends[1, 1] - ends[0, 1]) - rows[s, e + 10]
    z = ends[0, 2] + t * (ends[1, 2] - ends[0, 2]) - rows[s, e + 11]
    lx = rows[s, e] * x + rows[s, e + 3] * y + rows[s, e + 6] * z
    ly = rows[s, e + 1] * x + rows[s, e + 4] * y + rows[s, e + 7] * z
    lz = rows[s, e + 2] * x + rows[s, e + 5] * y + rows[s, e + 8] * z
    return float(distance(rows, s, lx, ly, lz, g, H) - rows[s, SHIFT])


@njit
def _clearances(paths: Paths, motion: Motion, out: Floats) -> None:
    """Of each path with mass: clearance of its lines from each of its surfaces over the rounding, shape (ns,); inf
    where a path has no mass or does not go there."""
    out[:] = np.inf
    none = np.empty(0, np.int64)
    ends, W, slip, turn = np.empty((2, 3)), np.empty((2, 3, 0)), np.empty(3), np.empty(3)
    rows = np.empty((1, ROW))
    for p in range(len(paths.paths)):
        path = paths.paths[p]
        if path.masses == 0:
            continue
        for j in range(path.points - 1):
            point = paths.points[path.point + j]
            if point.surfaces == 0:
                continue
            for e in range(2):
                place_point(paths, motion, path.point + j + e, none, ends[e], W[e], slip, turn)
            for k in range(point.surface, point.surface + point.surfaces):
                surface_row(paths.surfaces, k, motion, rows, 0)
                out[k] = _line_clearance(ends, rows, 0) / rows[0, ROUNDING]


def clearances(model: Model, state: State) -> Floats:
    """How far the straight lines of paths with mass are above their surfaces, in roundings, shape (ns,)."""
    assert model.muscles is not None
    paths = model.muscles.paths
    out = np.empty(len(paths.surfaces))
    _clearances(paths, motion_of(model, state, forward_kinematics(model, state)), out)
    return out


def parts(model: Model, start: State, h: float, step: Callable[[State, float], State]) -> State:
    """A step of h [s] from a state, in as many parts as lines that touch down or lift off ask for."""
    state, end = start, start.t + h
    while True:
        left = end - state.t
        part = left if left < 2.0 * h / FINEST else longest_step(model, state, left, h / FINEST)
        state = step(state, part)
        if part >= left:
            return state


def longest_step(model: Model, state: State, most: float, least: float) -> float:
    """How long a step from a state may be [s]."""
    if model.muscles is None or not model.muscles.has_mass or not len(model.muscles.paths.surfaces):
        return most
    now = clearances(model, state)
    ahead = clearances(model, replace(state, q=state.q + _AHEAD * state.qdot))
    known = np.isfinite(now) & np.isfinite(ahead)
    now, rate = now[known], (ahead[known] - now[known]) / _AHEAD
    busy = (now < 1.0) | (rate < 0.0)
    room = SHARE * np.maximum(np.abs(now[busy]), 1.0)
    fastest = float((np.abs(rate[busy]) / room).max(initial=0.0))
    return most if fastest * most <= 1.0 else max(1.0 / fastest, least)
