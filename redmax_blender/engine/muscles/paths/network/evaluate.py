"""A path over one cylinder by the network, in the terms of the exact one.

Derivatives by origin and insertion are those of the network itself, by complex steps: exact to rounding. Outside the
range that it learned, a warning names muscle and value, once for each muscle.
"""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ....algebra.se3 import exp, pose_matrix, pose_row
from ...records import WORLD, Floats, MusclePath, PathShape, Side
from ..exact import point_positions, surface_poses
from . import plane

WEIGHTS = Path(__file__).with_name("cylinder.npz")
_STEP = 1e-3
"""Of the differences for the time derivative, in radians of the fastest frame; of fourth order."""
_TINY = 1e-30
"""Of complex steps."""


class OutsideTrainingWarning(UserWarning):
    """A muscle is where the network has learned nothing."""


@cache
def layers() -> tuple[tuple[Any, Any], ...]:
    """Weights (out, in) and biases (out,) of each layer."""
    with np.load(WEIGHTS, allow_pickle=False) as file:
        count = len(file.files) // 2
        return tuple((file[f"weight{i}"].astype(float), file[f"bias{i}"].astype(float)) for i in range(count))


def answer(x: Any) -> Any:
    """Of the network to inputs (n, 6), shape (n, 3)."""
    *hidden, (W, b) = layers()
    for weight, bias in hidden:
        x = np.tanh(x @ weight.T + bias)
    return x @ W.T + b


def path_in_plane(near: Any, far: Any, turn: Any, alpha: Any) -> tuple[Any, Any]:
    """Points (n, 2) at fractions α round the unit circle, as `plane.exact` has them, and lengths (n,)."""
    out = answer(plane.inputs(near, far, turn, alpha))
    half = answer(plane.inputs(near, far, turn, np.full(np.shape(alpha), 0.5)))
    size = plane.scale(near, far, turn)
    c, s = np.cos(0.5 * turn), np.sin(0.5 * turn)
    window = 4.0 * alpha * (1.0 - alpha) * size
    x = near + alpha * (far * np.cos(turn) - near) + window * (c * out[:, 0] - s * out[:, 1])
    y = alpha * far * np.sin(turn) + window * (s * out[:, 0] + c * out[:, 1])
    return np.stack([x, y], axis=1), size * (1.0 + half[:, 2])


_warned: set[tuple[str, str]] = set()


def _watch(name: str, near: float, far: float, turn: float) -> None:
    for what, value, low, high in (
        ("origin is at", near, plane.NEAREST, plane.FARTHEST),
        ("insertion is at", far, plane.NEAREST, plane.FARTHEST),
        ("ends are turned by", turn, plane.LEAST_TURN, plane.MOST_TURN),
    ):
        if low <= value <= high or (name, what) in _warned:
            continue
        _warned.add((name, what))
        unit = "rad about the axis" if "turned" in what else "radii of the axis"
        warnings.warn(
            f"muscle '{name}': its {what} {value:.4g} {unit}, and the network of its path knows {low:g} to {high:g}",
            OutsideTrainingWarning,
            stacklevel=3,
        )


def _shape(path: MusclePath, poses: Floats, alphas: Floats) -> PathShape:
    nf, n = len(poses), len(alphas)
    X, _ = point_positions(path, poses, np.zeros(0))
    wrap = path.wraps[0]
    surface = path.surfaces[wrap.surface]
    E = surface_poses(path, poses)[wrap.surface]
    R, p, r = E[:9].reshape(3, 3), E[9:], surface.size[0]
    o, i = (X - p) @ R
    far_round = float(np.arctan2(i[1], i[0]) - np.arctan2(o[1], o[0]))
    side = int(wrap.side) if wrap.side != Side.SHORTEST else (1 if np.sin(far_round) > 0.0 else -1)
    turn = (side * far_round) % (2.0 * np.pi)
    near, far = float(np.hypot(o[0], o[1])) / r, float(np.hypot(i[0], i[1])) / r
    _watch(path.name, near, far, turn)
    near, far = max(near, 1.0 + 1e-9), max(far, 1.0 + 1e-9)
    # values, and derivatives by near, far and turn, of all fractions at once
    shift = np.concatenate([np.zeros((1, 3)), _TINY * np.eye(3)])
    args = [np.repeat(v + 1j * shift[:, k], n + 1) for k, v in enumerate((near, far, turn))]
    flat, L = path_in_plane(args[0], args[1], args[2], np.tile(np.append(alphas, 0.5), 4))
    flat, L = flat.reshape(4, n + 1, 2)[:, :n], L.reshape(4, n + 1)[:, n]
    by_three = np.moveaxis(flat[1:].imag, 0, -1) / _TINY  # (n, 2, 3)
    length_by = L[1:].imag / _TINY
    angle = np.arctan2(o[1], o[0])
    Q = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ np.diag(
        [1.0, float(side)]
    )
    across = flat[0].real @ Q.T * r
    local = np.column_stack([across, o[2] + alphas * (i[2] - o[2])])
    # near, far, turn and the origin's angle by origin and insertion, (4, 6)
    D = np.zeros((4, 6))
    D[0, :2], D[1, 3:5] = o[:2] / (near * r * r), i[:2] / (far * r * r)
    round_o, round_i = np.array([-o[1], o[0]]) / (o[:2] @ o[:2]), np.array([-i[1], i[0]]) / (i[:2] @ i[:2])
    D[2, :2], D[2, 3:5] = -side * round_o, side * round_i
    D[3, :2] = round_o
    J = np.zeros((n, 3, 6))
    J[:, :2] = r * np.einsum("ab,nbk,kj->naj", Q, by_three, D[:3])
    J[:, 0] -= across[:, 1:] * D[3]
    J[:, 1] += across[:, :1] * D[3]
    J[:, 2, 2], J[:, 2, 5] = 1.0 - alphas, alphas
    flat_length, rise = r * float(L[0].real), i[2] - o[2]
    length = float(np.hypot(flat_length, rise))
    gradient = r * flat_length / length * (length_by @ D[:3])
    gradient[2] -= rise / length
    gradient[5] += rise / length
    carried = _Carried(poses)
    ends = [
        R.T @ (carried.motion(q.frame, x) - carried.motion(surface.frame, x))
        for q, x in zip(path.points, X, strict=True)
    ]
    relative = np.concatenate(ends)  # (6, columns)
    points = local @ R.T + p
    own = np.zeros((n, 3, 6 * nf))
    for k, x in enumerate(points):
        own[k] = carried.motion(surface.frame, x)
    jacobian = own + np.einsum("ab,nbj,jk->nak", R, J, relative)
    return PathShape(length, (gradient @ relative).reshape(nf, 6), points, jacobian.reshape(n, 3, nf, 6))


class _Carried:
    """Velocities of points that frames carry, by the frames' twists."""

    def __init__(self, poses: Floats) -> None:
        self.poses = poses

    def motion(self, frame: int, x: Floats) -> Floats:
        D = np.zeros((3, 6 * len(self.poses)))
        if frame != WORLD:
            R = self.poses[frame, :9].reshape(3, 3)
            D[:, 6 * frame : 6 * frame + 3] = np.cross(
                R, x - self.poses[frame, 9:], axisa=0, axisb=0, axisc=0
            )
            D[:, 6 * frame + 3 : 6 * frame + 6] = R
        return D


def evaluate(
    path: MusclePath, poses: Any, alphas: Any = (), q: Any = (), twists: Any = None, qdot: Any = None
) -> PathShape:
    """The network's path with frames at poses (nf, 12): see `exact.evaluate` for the arguments."""
    del q, qdot  # no point moves by itself
    poses, alphas = np.asarray(poses, float).reshape(-1, 12), np.asarray(alphas, float)
    found = _shape(path, poses, alphas)
    found.coordinate_jacobian = np.zeros((len(alphas), 3, 0))
    if twists is None:
        return found
    twists = np.asarray(twists, float)
    speed = max(float(np.abs(twists).max(initial=0.0)), 1e-9)
    h = _STEP / speed
    rate = np.zeros_like(found.jacobian)
    for k, weight in ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0)):
        moves = zip(poses, twists, strict=True)
        there = np.array([pose_row(pose_matrix(E) @ exp(k * h * V)) for E, V in moves])
        rate += weight / (12.0 * h) * _shape(path, there, alphas).jacobian
    found.jacobian_rate = rate
    found.coordinate_jacobian_rate = found.coordinate_jacobian
    return found
