"""From the two parts of each connection to the twists of all parts that may move."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..model.records import Floats, Ints


class Scatter:
    """Twists of the parts that are not still, six numbers each: angles, and lengths in sizes of the scene."""

    def __init__(self, parts: Ints, still: NDArray[np.bool_], size: float) -> None:
        self.size = size
        self.free = np.flatnonzero(~still)
        place = np.full(len(still), -1)
        place[self.free] = np.arange(len(self.free))
        self.columns = np.where(place[parts] >= 0, place[parts], len(self.free))
        self.units = np.array([1.0, 1.0, 1.0, size, size, size])

    def normal(self, e: Floats, J: Floats) -> tuple[Floats, Floats]:
        """Jᵀ J and Jᵀ e of all parts."""
        n = len(self.free) + 1
        J = J * np.tile(self.units, 2)
        JJ = (J.transpose(0, 2, 1) @ J).reshape(-1, 2, 6, 2, 6)
        Je = np.einsum("crk,cr->ck", J, e).reshape(-1, 2, 6)
        H, g = np.zeros((n, n, 6, 6)), np.zeros((n, 6))
        for i in range(2):
            np.add.at(g, self.columns[:, i], Je[:, i])
            for j in range(2):
                np.add.at(H, (self.columns[:, i], self.columns[:, j]), JJ[:, i, :, j])
        m = 6 * (n - 1)
        whole: Floats = H[:-1, :-1].transpose(0, 2, 1, 3).reshape(m, m)
        return whole, g[:-1].reshape(m)

    def along(self, J: Floats, x: Floats) -> Floats:
        """J x, row by row of each connection."""
        twists = np.concatenate([x.reshape(-1, 6), np.zeros((1, 6))])[self.columns].reshape(-1, 12)
        return np.asarray(np.einsum("crk,ck->cr", J, twists * np.tile(self.units, 2)))

    def back(self, J: Floats, e: Floats) -> Floats:
        """Jᵀ e of all parts."""
        g = np.zeros((len(self.free) + 1, 6))
        Je = (np.einsum("crk,cr->ck", J, e) * np.tile(self.units, 2)).reshape(-1, 2, 6)
        for i in range(2):
            np.add.at(g, self.columns[:, i], Je[:, i])
        return g[:-1].reshape(-1)

    def dense(self, J: Floats) -> Floats:
        """The rows of all connections by the twists of all parts, without those that are empty."""
        n = len(self.free) + 1
        J = J * np.tile(self.units, 2)
        out = np.zeros((len(J), J.shape[1], n, 6))
        each = np.arange(len(J))
        for i in range(2):
            out[each, :, self.columns[:, i]] += J[:, :, 6 * i : 6 * i + 6]
        rows: Floats = out[:, :, :-1].reshape(-1, 6 * (n - 1))
        return np.asarray(rows[np.abs(rows).max(axis=1, initial=0.0) > 1e-12])

    def moved(self, T: Floats, x: Floats) -> Floats:
        """Poses after twists of the parts."""
        from scipy.spatial.transform import Rotation

        if not len(x):
            return T
        out = T.copy()
        x = x.reshape(-1, 6)
        R = T[self.free, :3, :3]
        out[self.free, :3, 3] += np.einsum("bij,bj->bi", R, self.size * x[:, 3:])
        out[self.free, :3, :3] = R @ Rotation.from_rotvec(x[:, :3]).as_matrix()
        return out

    def away(self, T: Floats, begin: Floats, turning: Floats) -> Floats:
        """Twists from where the parts are to where they were, angles weighed by `turning`."""
        from scipy.spatial.transform import Rotation

        R = T[self.free, :3, :3]
        turn = Rotation.from_matrix(R.transpose(0, 2, 1) @ begin[self.free, :3, :3]).as_rotvec()
        shift = np.einsum("bji,bj->bi", R, begin[self.free, :3, 3] - T[self.free, :3, 3]) / self.size
        both: Floats = np.concatenate([turning[self.free, None] * turn, shift], axis=1)
        return both.reshape(-1)

    def within(self, J: Floats, away: Floats, turning: Floats) -> Floats:
        """The part of that which the connections allow, as twists."""
        scale = np.ones((len(self.free), 6))
        scale[:, :3] = 1.0 / np.maximum(turning[self.free, None], 1e-3)
        weights = scale.reshape(-1)
        rows = self.dense(J) * weights
        if not len(rows):
            return np.asarray(weights * away)
        _, s, V = np.linalg.svd(rows, full_matrices=False)
        V = V[s > 1e-9 * s[0]]
        allowed: Floats = away - V.T @ (V @ away)
        return np.asarray(weights * allowed)
