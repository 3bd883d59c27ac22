"""Other arrangements to begin from: a tree of the connections holds exactly, with any coordinates that limits allow."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from ..algebra import se3
from ..model.records import Floats
from .gaps import Gaps


class Spread:
    """The parts of a set of connections as a tree, from what stands still outwards."""

    def __init__(self, gaps: Gaps, still: NDArray[np.bool_]) -> None:
        self.gaps, self.still = gaps, still

    def arrange(self, T: Floats, rng: np.random.Generator) -> Floats:
        """Poses of all parts with random lengths and angles along a random tree."""
        out, done = T.copy(), self.still.copy()
        edges: dict[int, list[tuple[int, int]]] = {i: [] for i in range(len(T))}
        for c in rng.permutation(len(self.gaps.parts)).tolist():
            a, b = self.gaps.parts[c].tolist()
            edges[a].append((c, b))
            edges[b].append((c, a))
        roots = [*np.flatnonzero(done).tolist(), *rng.permutation(len(T)).tolist()]
        for root in roots:
            if root in (len(T) - 1,) or not done[root] or self.still[root]:
                done[root] = True
                queue = deque([root])
                while queue:
                    here = queue.popleft()
                    for c, other in edges[here]:
                        if not done[other]:
                            done[other] = True
                            out[other] = self._beside(out, c, here, rng)
                            queue.append(other)
        return out

    def _beside(self, T: Floats, c: int, here: int, rng: np.random.Generator) -> Floats:
        """Pose of a part that connection c holds on another one."""
        gaps = self.gaps
        X = np.eye(4)
        axes = gaps.axes[c]
        low, high = np.maximum(gaps.lower[c], -np.pi), np.minimum(gaps.upper[c], np.pi)
        values = rng.uniform(low, np.maximum(high, low))
        values[:3] = np.where(gaps.locked[c], 0.0, gaps.size * values[:3])
        X[:3, 3] = axes @ values[:3]
        turns = gaps.turns[c]
        if turns == 3:
            X[:3, :3] = se3.exp_so3(axes @ values[3:])
        elif turns == 2:
            X[:3, :3] = axes @ se3.exp_so3([values[3], 0, 0]) @ se3.exp_so3([0, values[4], 0]) @ axes.T
        elif turns == 1:
            X[:3, :3] = axes @ se3.exp_so3([0, 0, values[5]]) @ axes.T
        if gaps.parts[c, 0] == here:
            return np.asarray(T[here] @ gaps.A[c] @ X @ se3.inverse(gaps.B[c]))
        return np.asarray(T[here] @ gaps.B[c] @ se3.inverse(X) @ se3.inverse(gaps.A[c]))
