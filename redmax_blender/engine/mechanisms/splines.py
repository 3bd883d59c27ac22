"""Curves and surfaces of frames as joints have them, and the place on one that is nearest to a point."""

from __future__ import annotations

from functools import lru_cache

import msgspec
import numpy as np

from ..algebra import se3
from ..algebra.spatial import Tuple
from ..compile.links import joint_links
from ..jit.decorators import njit
from ..joints import spline_curve, spline_surface
from ..model.records import Floats
from ..scene import SplineCurve, SplineSurface

LOOKS = 8
"""Places that are looked at between two knots, before the nearest of them is followed."""
_MOST = 30
"""Newton iterations."""
_STEP = 1e-5
"""Of differences, in knots."""


def spans(spline: SplineCurve | SplineSurface) -> list[tuple[float, float]]:
    """First and last value of each parameter."""
    if isinstance(spline, SplineCurve):
        n = len(spline.frames)
        return [(0.0, float(n if spline.cyclic else n - 3))]
    return [(0.0, len(spline.controls[0]) - 3.0), (0.0, len(spline.controls) - 3.0)]


def frame_at(spline: SplineCurve | SplineSurface, at: Floats) -> Floats:
    """The frame at these parameters, shape (4, 4)."""
    params = _params(msgspec.json.encode(spline), isinstance(spline, SplineCurve))
    kernel = _on_curve if isinstance(spline, SplineCurve) else _on_surface
    return se3.pose_matrix(np.array(kernel(params, np.asarray(at, float))))


@njit
def _on_curve(params: Floats, q: Floats) -> Tuple:
    return spline_curve.transform(params, 0, q, 0)


@njit
def _on_surface(params: Floats, q: Floats) -> Tuple:
    return spline_surface.transform(params, 0, q, 0)


@lru_cache(maxsize=64)
def _params(data: bytes, curve: bool) -> Floats:
    kind: type[SplineCurve] | type[SplineSurface] = SplineCurve if curve else SplineSurface
    joint: SplineCurve | SplineSurface = msgspec.json.decode(data, type=kind)
    return np.array(list(joint_links(joint, "joint")[0].params), float)


def tangents(spline: SplineCurve | SplineSurface, at: Floats) -> Floats:
    """How the place moves with each parameter [m], shape (n, 3)."""
    out = []
    for k in range(len(at)):
        d = np.zeros(len(at))
        d[k] = _STEP
        out.append((frame_at(spline, at + d)[:3, 3] - frame_at(spline, at - d)[:3, 3]) / (2.0 * _STEP))
    return np.array(out)


def nearest(spline: SplineCurve | SplineSurface, point: Floats) -> tuple[Floats, Floats]:
    """Parameters of the place that is nearest to a point, and the frame there."""
    ends = spans(spline)
    grids = [np.linspace(a, b, int(round(LOOKS * (b - a))) + 1) for a, b in ends]
    tried = np.stack(np.meshgrid(*grids, indexing="ij"), axis=-1).reshape(-1, len(ends))
    far = [float(np.linalg.norm(frame_at(spline, at)[:3, 3] - point)) for at in tried]
    at = tried[int(np.argmin(far))]
    cyclic = isinstance(spline, SplineCurve) and spline.cyclic
    low, high = (np.array(side) for side in zip(*ends, strict=True))
    for _ in range(_MOST):
        T = tangents(spline, at)
        step = np.linalg.lstsq(T.T, point - frame_at(spline, at)[:3, 3], rcond=None)[0]
        before = at
        at = at + np.clip(step, -0.5, 0.5)
        at = at if cyclic else np.clip(at, low, high)
        if np.abs(at - before).max() < 1e-12:
            break
    return at, frame_at(spline, at)
