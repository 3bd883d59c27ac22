"""Curves and surfaces of frames, as joints have them, through given places."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_banded, solve_circulant
from scipy.spatial.transform import Rotation

from ..algebra import se3
from ..model.records import Floats
from ..scene import Pose, SplineCurve, SplineSurface

_TURNS = 60
"""Corrections of control frames until the curve goes through its frames; each leaves two thirds at most."""


def fit_curve(points: Floats, cyclic: bool, turns: bool, up: Floats | None = None) -> SplineCurve:
    """The curve through points [m], shape (n, 3), a whole number of its parameter at each; the first one is not
    repeated where it is cyclic.

    turns: its frames have x along the curve, and turn about it no more than they must; otherwise they all stand as the
    axes do. up: where z is to point at the beginning, about.
    """
    controls = _controls(points, cyclic)
    if not turns:
        return SplineCurve([Pose((x, y, z)) for x, y, z in controls.tolist()], cyclic)
    wanted = _frames(
        points, _slopes(controls, cyclic), cyclic, np.array([0.0, 0.0, 1.0]) if up is None else up
    )
    C = _with_ends(wanted, cyclic)
    C[:, :3, 3] = controls
    middle = slice(None) if cyclic else slice(1, -1)
    goal = C.copy() if cyclic else wanted
    goal[:, :3, 3] = np.roll(points, 1, axis=0) if cyclic else points
    for _ in range(_TURNS):
        step = _log(_inverse(_at_knots(C, cyclic)) @ goal)
        C[middle] = C[middle] @ _exp(1.2 * step)
        if not cyclic:  # the ends go on as they come
            C[0] = C[1] @ se3.inverse(C[2]) @ C[1]
            C[-1] = C[-2] @ se3.inverse(C[-3]) @ C[-2]
        if np.abs(step).max() < 1e-10:
            break
    return SplineCurve([_pose(E) for E in C], cyclic)


def fit_surface(points: Floats, turns: bool) -> SplineSurface:
    """The surface through a grid of points [m], shape (n1, n2, 3), a whole number of its parameters at each.

    turns: its frames have z along the normal and x along the second direction of the grid; otherwise they all stand as
    the axes do.
    """
    fields = np.concatenate([points, np.zeros(points.shape)], axis=2)
    if turns:
        dx = np.gradient(points, axis=1)
        normal = np.cross(dx, np.gradient(points, axis=0))
        R = np.stack([_unit(dx), _unit(np.cross(normal, dx)), _unit(normal)], axis=-1)
        angles = Rotation.from_matrix(R.reshape(-1, 3, 3)).as_euler("XYZ").reshape(points.shape)
        fields[:, :, 3:] = np.unwrap(np.unwrap(angles, axis=0), axis=1)
    n1, n2 = fields.shape[:2]
    across = _controls(fields.transpose(1, 0, 2).reshape(n2, -1), False).reshape(n2 + 2, n1, 6)
    controls = _controls(across.transpose(1, 0, 2).reshape(n1, -1), False).reshape(n1 + 2, n2 + 2, 6)
    return SplineSurface(controls.tolist())


def _unit(v: Floats) -> Floats:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-300))


def _controls(points: Floats, cyclic: bool) -> Floats:
    """Controls of the uniform cubic B-spline through points, whose ends, if it has some, are not bent."""
    n = len(points)
    if cyclic:
        first = np.zeros(n)
        first[[0, 1, -1]] = 4.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0
        # the parameter k is at the middle one of the controls k, k + 1 and k + 2
        return np.roll(np.asarray(solve_circulant(first, points)), 1, axis=0)
    if n > 2:
        band = np.array([[1.0], [4.0], [1.0]]) * np.ones((1, n - 2)) / 6.0
        right = points[1:-1].copy()
        right[0] -= points[0] / 6.0
        right[-1] -= points[-1] / 6.0
        inner = np.concatenate([points[:1], solve_banded((1, 1), band, right), points[-1:]])
    else:
        inner = points
    return np.concatenate([2.0 * inner[:1] - inner[1:2], inner, 2.0 * inner[-1:] - inner[-2:-1]])


def _slopes(controls: Floats, cyclic: bool) -> Floats:
    """Of the spline at its knots, shape (n, 3)."""
    if cyclic:
        return np.asarray(0.5 * (np.roll(controls, -2, axis=0) - controls))
    return np.asarray(0.5 * (controls[2:] - controls[:-2]))


def _frames(points: Floats, slopes: Floats, cyclic: bool, up: Floats) -> Floats:
    """Frames at the knots with x along the curve, carried along it without turning about it."""
    x = _unit(slopes)
    z = up - (up @ x[0]) * x[0]
    if np.linalg.norm(z) < 0.1:
        z = np.eye(3)[int(np.argmin(np.abs(x[0])))]
        z = z - (z @ x[0]) * x[0]
    side = [z / np.linalg.norm(z)]
    for before, after in zip(x, [*x[1:], x[0]], strict=True):
        side.append(_carried(side[-1], before, after))
    if cyclic:  # what is left after a round is shared out
        left = np.arctan2(side[-1] @ np.cross(x[0], side[0]), side[-1] @ side[0])
        for k in range(len(x)):
            side[k] = se3.exp_so3(-left * k / len(x) * x[k]) @ side[k]
    out = np.tile(np.eye(4), (len(x), 1, 1))
    zs = np.array(side[: len(x)])
    out[:, :3, :3] = np.stack([x, np.cross(zs, x), zs], axis=-1)
    out[:, :3, 3] = points
    return out


def _carried(v: Floats, before: Floats, after: Floats) -> Floats:
    """A vector turned as one direction turns into another."""
    axis = np.cross(before, after)
    s, c = float(np.linalg.norm(axis)), float(before @ after)
    turned = se3.exp_so3(axis / s * np.arctan2(s, c)) @ v if s > 1e-12 else v
    turned = turned - (turned @ after) * after
    return np.asarray(turned / np.linalg.norm(turned))


def _with_ends(frames: Floats, cyclic: bool) -> Floats:
    return np.roll(frames, 1, axis=0) if cyclic else np.concatenate([frames[:1], frames, frames[-1:]])


def _at_knots(C: Floats, cyclic: bool) -> Floats:
    """Frames of the spline at its knots, in the order of the controls in the middle."""
    before = np.roll(C, 1, axis=0) if cyclic else C[:-2]
    here = C if cyclic else C[1:-1]
    after = np.roll(C, -1, axis=0) if cyclic else C[2:]
    first, second = _log(_inverse(before) @ here), _log(_inverse(here) @ after)
    return np.asarray(before @ _exp(5.0 / 6.0 * first) @ _exp(second / 6.0))


def _inverse(E: Floats) -> Floats:
    out = np.tile(np.eye(4), (len(E), 1, 1))
    out[:, :3, :3] = E[:, :3, :3].transpose(0, 2, 1)
    out[:, :3, 3] = -np.einsum("nij,nj->ni", out[:, :3, :3], E[:, :3, 3])
    return out


def _log(E: Floats) -> Floats:
    return np.array([se3.log(each) for each in E])


def _exp(xi: Floats) -> Floats:
    return np.array([se3.exp(each) for each in xi])


def _pose(E: Floats) -> Pose:
    x, y, z = E[:3, 3].tolist()
    return Pose((x, y, z), se3.quaternion(E[:3, :3]).tolist())
