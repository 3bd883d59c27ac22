"""How far parts are from where their connections let them be, and how that changes as they move.

All connections at once, as arrays. A connection is a pose A on its first part and a pose B on its second one; X = A⁻¹ B
has three lengths along A's axes and a rotation, of which some are locked, and some limited. Lengths count in sizes
of the scene, so that a radian and a size weigh the same. Variations are twists of the parts in their own frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..algebra import se3
from ..model.records import Floats, Ints
from .parts import BALL, ONE_WAY, Connection, free_axes
from .splines import nearest, tangents

Flags = NDArray[np.bool_]

ROWS = 12
"""A connection has three rows of lengths, three of angles, and as many of their limits."""


@dataclass
class Gaps:
    """The connections of a set of parts."""

    names: list[str]
    parts: Ints
    """First and second part of each, shape (nc, 2); the last number stands for the world."""
    A: Floats
    """In the frames of the parts, shape (nc, 4, 4)."""
    B: Floats
    locked: Flags
    """Lengths that are, shape (nc, 3)."""
    turns: Ints
    """How many angles are free, shape (nc,)."""
    axes: Floats
    """Columns that bring the free angle to z, or two of them to x and y, shape (nc, 3, 3)."""
    lower: Floats
    """Limits of lengths and then of angles along these columns, shape (nc, 6)."""
    upper: Floats
    size: float
    """[m]"""
    splines: dict[int, Connection]
    """Those that are curves and surfaces."""

    def errors(self, T: Floats, slopes: bool = True) -> tuple[Floats, Floats]:
        """Rows of all connections with the parts at T, shape (np + 1, 4, 4): (nc, 12); and their derivatives by the
        twists of both parts, (nc, 12, 12)."""
        A, locked, axes = self._followed(T)
        Fa, Fb = T[self.parts[:, 0]] @ A, T[self.parts[:, 1]] @ self.B
        RT = Fa[:, :3, :3].transpose(0, 2, 1)
        p = np.einsum("cij,cj->ci", RT, Fb[:, :3, 3] - Fa[:, :3, 3]) / self.size
        R = RT @ Fb[:, :3, :3]
        turned = axes.transpose(0, 2, 1) @ R @ axes
        angular, d_angular, values, d_values = _angles(turned, self.turns)
        along = np.einsum("cji,cj->ci", axes, p)
        held = np.where(locked, along, 0.0)
        lengths, angles = ~locked, values != 0.0
        out = np.zeros((len(p), ROWS))
        out[:, :3], out[:, 3:6] = held, angular
        beyond_p, on_p = _beyond(along, self.lower[:, :3], self.upper[:, :3])
        beyond_r, on_r = _beyond(self._whole(values), self.lower[:, 3:], self.upper[:, 3:])
        out[:, 6:9], out[:, 9:] = np.where(lengths, beyond_p, 0.0), np.where(angles, beyond_r, 0.0)
        if not slopes:
            return out, np.zeros((0, ROWS, 12))
        # by what happens at the connection: rotation and translation of A and of B, each along its own axes
        d_p = np.zeros((len(p), 3, 12))
        d_p[:, :, 0:3] = _cross(p)
        d_p[:, :, 3:6] = -np.eye(3) / self.size
        d_p[:, :, 9:12] = R / self.size
        d_p = axes.transpose(0, 2, 1) @ d_p
        d_phi = np.zeros((len(p), 3, 12))
        d_phi[:, :, 0:3] = -axes.transpose(0, 2, 1)
        d_phi[:, :, 6:9] = axes.transpose(0, 2, 1) @ R
        J = np.zeros((len(p), ROWS, 12))
        J[:, :3] = np.where(locked[:, :, None], d_p, 0.0)
        J[:, 3:6] = d_angular @ d_phi
        J[:, 6:9] = np.where((lengths & on_p)[:, :, None], d_p, 0.0)
        J[:, 9:] = np.where((angles & on_r)[:, :, None], d_values @ d_phi, 0.0)
        J[:, :, :6] = J[:, :, :6] @ _adjoint(A)
        J[:, :, 6:] = J[:, :, 6:] @ _adjoint(self.B)
        return out, J

    def _followed(self, T: Floats) -> tuple[Floats, Flags, Floats]:
        """With curves and surfaces where the second parts are nearest to them, free along their tangents."""
        if not self.splines:
            return self.A, self.locked, self.axes
        A, locked, axes = self.A.copy(), self.locked.copy(), self.axes.copy()
        for c, connection in self.splines.items():
            spline = connection.spline
            assert spline is not None
            first, second = self.parts[c]
            X = se3.inverse(T[first] @ self.A[c]) @ T[second] @ self.B[c]
            at, frame = nearest(spline, X[:3, 3])
            A[c] = self.A[c] @ frame
            along = np.linalg.qr(tangents(spline, at).T, mode="complete")[0]
            axes[c] = frame[:3, :3].T @ along
            locked[c] = [k >= len(at) for k in range(3)]
        return A, locked, axes

    def _whole(self, values: Floats) -> Floats:
        """Angles by as many turns as bring them nearest to the middle of their limits."""
        low, high = self.lower[:, 3:], self.upper[:, 3:]
        both = np.isfinite(low) & np.isfinite(high)
        middle = np.where(both, 0.5 * (np.where(both, low, 0.0) + np.where(both, high, 0.0)), values)
        return np.where(
            self.turns[:, None] == 3,
            values,
            values - 2.0 * np.pi * np.round((values - middle) / (2.0 * np.pi)),
        )


def gaps_of(
    connections: Sequence[Connection], number: dict[str | None, int], poses: Floats, size: float
) -> Gaps:
    """Connections of parts at poses, shape (np + 1, 4, 4); `number` says which row is of which part."""
    n = len(connections)
    ends = np.array([[number[c.a], number[c.b]] for c in connections], dtype=np.int64).reshape(-1, 2)
    A, B = np.empty((n, 4, 4)), np.empty((n, 4, 4))
    locked, turns, axes = np.ones((n, 3), bool), np.zeros(n, np.int64), np.tile(np.eye(3), (n, 1, 1))
    lower, upper = np.full((n, 6), -np.inf), np.full((n, 6), np.inf)
    for i, c in enumerate(connections):
        A[i] = se3.inverse(poses[ends[i, 0]]) @ c.pose
        B[i] = se3.inverse(poses[ends[i, 1]]) @ (c.pose if c.pose_b is None else c.pose_b)
        free = free_axes(c)
        angles = [BALL.index(name) for name in free if name in BALL]
        turns[i] = len(angles)
        order = _columns(angles)
        axes[i] = np.eye(3)[:, order] * ([1, 1, _sign(order)] if len(angles) == 2 else [1, 1, 1])
        for k, axis in enumerate(order):
            locked[i, k] = "xyz"[axis] not in free
            for at, name, unit in ((k, "xyz"[axis], size), (3 + k, BALL[axis], 1.0)):
                limit = c.axes.get(name)
                if limit is not None and name in free:
                    lower[i, at] = -np.inf if limit.lower is None else limit.lower / unit
                    upper[i, at] = np.inf if limit.upper is None else limit.upper / unit
        if axes[i].min() < 0.0:  # the last column points backwards
            lower[i, 2], upper[i, 2] = -upper[i, 2], -lower[i, 2]
    splines = {i: c for i, c in enumerate(connections) if c.kind in ONE_WAY}
    return Gaps([c.name for c in connections], ends, A, B, locked, turns, axes, lower, upper, size, splines)


def _columns(angles: list[int]) -> list[int]:
    """Axes in the order in which the free angle is the last, or two of them are the first."""
    if len(angles) == 1:
        return [(angles[0] + 1) % 3, (angles[0] + 2) % 3, angles[0]]
    if len(angles) == 2:
        return [*angles, 3 - sum(angles)]
    return [0, 1, 2]


def _sign(order: list[int]) -> int:
    return 1 if (order[0] + 1) % 3 == order[1] else -1


def _cross(v: Floats) -> Floats:
    out = np.zeros((len(v), 3, 3))
    out[:, 0, 1], out[:, 0, 2], out[:, 1, 2] = -v[:, 2], v[:, 1], -v[:, 0]
    return out - out.transpose(0, 2, 1)


def _adjoint(A: Floats) -> Floats:
    """Twist of a pose on a part, in its own axes, by the twist of the part, shape (nc, 6, 6)."""
    RT = A[:, :3, :3].transpose(0, 2, 1)
    out = np.zeros((len(A), 6, 6))
    out[:, :3, :3] = out[:, 3:, 3:] = RT
    out[:, 3:, :3] = -RT @ _cross(A[:, :3, 3])
    return out


def _beyond(x: Floats, lower: Floats, upper: Floats) -> tuple[Floats, Flags]:
    """How far numbers are beyond their limits, and whether they are."""
    out = np.maximum(x - upper, 0.0) - np.maximum(lower - x, 0.0)
    return out, out != 0.0


def _angles(R: Floats, turns: Ints) -> tuple[Floats, Floats, Floats, Floats]:
    """Rotations that should not be, (nc, 3), and the angles that are free, (nc, 3), each with its derivative by a
    rotation in A's axes, (nc, 3, 3)."""
    n = len(R)
    held, d_held = np.zeros((n, 3)), np.zeros((n, 3, 3))
    free, d_free = np.zeros((n, 3)), np.zeros((n, 3, 3))
    whole = (turns == 0) | (turns == 3)
    if whole.any():
        r, d = _logs(R[whole])
        none, ball = (turns == 0)[whole, None], (turns == 3)[whole, None]
        held[whole], free[whole] = np.where(none, r, 0.0), np.where(ball, r, 0.0)
        d_held[whole] = np.where(none[:, :, None], d, 0.0)
        d_free[whole] = np.where(ball[:, :, None], d, 0.0)
    one = turns == 1
    if one.any():
        held[one, :2], d_held[one, :2] = _tilts(R[one, :, 2])
        free[one, 2] = np.arctan2(R[one, 1, 0] - R[one, 0, 1], R[one, 0, 0] + R[one, 1, 1])
        d_free[one, 2, 2] = 1.0
    two = turns == 2
    if two.any():
        Q = R[two]
        held[two, 0], d_held[two, 0, 1], d_held[two, 0, 2] = Q[:, 0, 1], Q[:, 2, 1], -Q[:, 1, 1]
        free[two, 0] = np.arctan2(Q[:, 2, 1], Q[:, 1, 1])
        free[two, 1] = np.arctan2(Q[:, 0, 2], Q[:, 0, 0])
        length = np.maximum(np.hypot(Q[:, 1, 1], Q[:, 2, 1]), 1e-9)
        d_free[two, 0, 0] = 1.0
        d_free[two, 1, 1], d_free[two, 1, 2] = Q[:, 1, 1] / length, Q[:, 2, 1] / length
    return held, d_held, free, d_free


def _tilts(w: Floats) -> tuple[Floats, Floats]:
    """The angle from z to a unit vector, along the two directions across, (n, 2), and its derivative, (n, 2, 3)."""
    c, s = w[:, 2], np.hypot(w[:, 0], w[:, 1])
    angle = np.arctan2(s, c)
    small = s < 1e-6
    safe = np.where(small, 1.0, s)
    g = np.where(small, np.where(c > 0.0, 1.0, np.pi / 1e-6), angle / safe)
    slope = np.where(small, -1.0 / 3.0, -(safe - angle * c) / safe**3)
    across = np.stack([w[:, 1], -w[:, 0]], axis=1)
    across[small & (c < 0.0)] = [1e-6, 0.0]
    dw = -_cross(w)  # of φ x w
    d = g[:, None, None] * np.stack([dw[:, 1], -dw[:, 0]], axis=1)
    d += slope[:, None, None] * across[:, :, None] * dw[:, 2][:, None, :]
    return g[:, None] * across, d


def _logs(R: Floats) -> tuple[Floats, Floats]:
    """Rotation vectors, and their derivatives by a rotation from the left."""
    from scipy.spatial.transform import Rotation

    r = Rotation.from_matrix(R).as_rotvec()
    angle = np.linalg.norm(r, axis=1)
    half = 0.5 * np.maximum(angle, 1e-4)
    k = np.where(angle < 1e-3, 1.0 / 12.0, (1.0 - half / np.tan(half)) / (4.0 * half * half))
    W = _cross(r)
    return r, np.eye(3) - 0.5 * W + k[:, None, None] * (W @ W)
