"""Curve objects as lines of points: what slides along them, and what runs through their points."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils.geometry import interpolate_bezier
from numpy.typing import NDArray
from scipy.interpolate import BSpline

from ...engine.errors import SceneError

Floats = NDArray[np.float64]

FINE = 32
"""Points that are looked at between two of the curve's own."""
KNOTS = 8
"""Knots of a joint between two points of a curve that bends."""
MOST_KNOTS = 240


def is_cyclic(obj: bpy.types.Object) -> bool:
    return bool(obj.data.splines) and obj.data.splines[0].use_cyclic_u


def world_points(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, points: Floats, unit: float
) -> Floats:
    """Points of an object in the world [m]."""
    matrix = np.array(obj.evaluated_get(depsgraph).matrix_world, dtype=float)
    return np.asarray((points @ matrix[:3, :3].T + matrix[:3, 3]) * unit)


def line_of(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float) -> tuple[Floats, bool]:
    """The first spline of a curve object in the world [m], finely, and whether it is closed."""
    place = f"Curve '{obj.name}'"
    if obj.type != "CURVE" or not obj.data.splines:
        raise SceneError(
            place, "it has no spline", "Choose a curve object with a Bézier, NURBS or poly spline."
        )
    spline = obj.data.splines[0]
    cyclic = bool(spline.use_cyclic_u)
    kinds = {"BEZIER": _bezier, "NURBS": _nurbs}
    points = kinds.get(spline.type, _poly)(spline)
    if len(points) < 2 or not np.ptp(points, axis=0).max() > 1e-9:
        raise SceneError(place, "it has no length", "Give it two points that are apart.")
    return world_points(obj, depsgraph, points, unit), cyclic


def knots_of(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float
) -> tuple[Floats, bool, float]:
    """Points at even distances along a curve object [m], whether it is closed, and the distance between two."""
    line, cyclic = line_of(obj, depsgraph, unit)
    spline = obj.data.splines[0]
    own = len(spline.bezier_points) or len(spline.points)
    each = 1 if spline.type == "POLY" and own > KNOTS else KNOTS  # many points stand for something smooth
    count = int(np.clip(each * (own if cyclic else own - 1), KNOTS, MOST_KNOTS))
    closed = np.concatenate([line, line[:1]]) if cyclic else line
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    at = np.linspace(0.0, along[-1], count + 1)
    points = np.stack([np.interp(at, along, closed[:, k]) for k in range(3)], axis=1)
    return points[:-1] if cyclic else points, cyclic, float(along[-1] / count)


def _poly(spline: bpy.types.Spline) -> Floats:
    points = np.array([point.co[:3] for point in spline.points], dtype=float).reshape(-1, 3)
    return points[np.append(True, np.linalg.norm(np.diff(points, axis=0), axis=1) > 0.0)]


def _bezier(spline: bpy.types.Spline) -> Floats:
    points = list(spline.bezier_points)
    pairs = list(zip(points, points[1:]))
    if spline.use_cyclic_u and len(points) > 1:
        pairs.append((points[-1], points[0]))
    found = [interpolate_bezier(a.co, a.handle_right, b.handle_left, b.co, FINE + 1)[:-1] for a, b in pairs]
    last = [] if spline.use_cyclic_u else [points[-1].co]
    return np.array([list(p) for part in found for p in part] + [list(p) for p in last], dtype=float)


def _nurbs(spline: bpy.types.Spline) -> Floats:
    """Blender's knots: uniform ones, with ends that are met where it says so."""
    points = np.array([point.co[:] for point in spline.points], dtype=float).reshape(-1, 4)
    order = min(spline.order_u, len(points))
    if spline.use_cyclic_u:
        points = np.concatenate([points, points[: order - 1]])
    n = len(points)
    knots = np.arange(n + order, dtype=float)
    if spline.use_endpoint_u and not spline.use_cyclic_u:
        knots = np.clip(knots, order - 1, n)
    weighted = np.concatenate([points[:, :3] * points[:, 3:], points[:, 3:]], axis=1)
    count = FINE * (n - order + 1)
    at = np.linspace(knots[order - 1], knots[n], count + 1)
    rows = BSpline(knots, weighted, order - 1)(at)
    rows = rows[:-1] if spline.use_cyclic_u else rows
    return np.asarray(rows[:, :3] / rows[:, 3:])
