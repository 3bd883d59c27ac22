"""Where a joint is on each of its two parts, and the curve or surface that it runs along."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.mechanisms.coordinates import coordinates_at
from ...engine.mechanisms.fit_spline import fit_curve, fit_surface
from ...engine.mechanisms.parts import Axis, Connection
from ...engine.mechanisms.splines import spans
from ..motion.rotations import nearest_rotation
from .ground_grid import grid_on
from .path import knots_of

Floats = NDArray[np.float64]


def pose_of(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float) -> Floats:
    """Of an empty in the world [m], without its scale, shape (4, 4)."""
    matrix = np.array(obj.evaluated_get(depsgraph).matrix_world, dtype=float)
    linear = matrix[:3, :3] / np.maximum(np.linalg.norm(matrix[:3, :3], axis=0), 1e-30)
    if not np.isfinite(matrix).all() or not abs(np.linalg.det(linear)) > 1e-6:
        raise SceneError(f"Joint '{obj.name}'", "its axes are not usable", "Clear its rotation and scale.")
    if np.linalg.det(linear) < 0.0:
        linear = -linear
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = nearest_rotation(linear), matrix[:3, 3] * unit
    return pose


def add_ends(connection: Connection, own: Any, depsgraph: bpy.types.Depsgraph, unit: float) -> None:
    """Complete a connection with its end on the second part, where that is another place, and with its curve."""
    if own.other is not None:
        connection.pose_b = pose_of(own.other, depsgraph, unit)
    if connection.kind in ("curve", "surface"):
        _add_spline(connection, own, depsgraph, unit)


def _add_spline(c: Connection, own: Any, depsgraph: bpy.types.Depsgraph, unit: float) -> None:
    place = f"Joint '{c.name}'"
    if own.path is None:
        what = "curve" if c.kind == "curve" else "mesh"
        raise SceneError(place, f"it has no {what} to slide along", f"Choose a {what} object (Along).")
    c.loose = own.path_turn == "FREE"
    follow = own.path_turn == "FOLLOW"
    if c.kind == "curve":
        points, cyclic, step = knots_of(own.path, depsgraph, unit)
        up = c.pose[:3, :3].T @ np.array([0.0, 0.0, 1.0])
        c.spline, steps = fit_curve(_seen_from(c.pose, points), cyclic, follow, up), (step,)
    else:
        grid = grid_on(own.path, depsgraph, unit)
        cyclic = False
        c.spline = fit_surface(_seen_from(c.pose, grid), follow)
        steps = tuple(float(np.linalg.norm(np.diff(grid, axis=axis), axis=2).mean()) for axis in (1, 0))
    c.unit = steps[0]
    start, axes = coordinates_at(c, c.apart), c.axes
    c.axes = {}
    for name, given, step, span in zip("uv", "xy", steps, spans(c.spline)):
        axis = axes.get(given, Axis())
        low = -np.inf if axis.lower is None else start[name] + axis.lower / step
        high = np.inf if axis.upper is None else start[name] + axis.upper / step
        if own.stop_at_ends and not cyclic:
            low, high = max(low, span[0]), min(high, span[1])
        c.axes[name] = Axis(
            free=True,
            lower=float(low) if np.isfinite(low) else None,
            upper=float(high) if np.isfinite(high) else None,
            stiffness=axis.stiffness * step**2,
            damping=axis.damping * step**2,
        )


def _seen_from(pose: Floats, points: Floats) -> Floats:
    return np.asarray((points - pose[:3, 3]) @ pose[:3, :3])
