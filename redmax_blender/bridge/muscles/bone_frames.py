"""Bodies of an OpenSim model as bones: which way each bone points, and how long it is. No Blender here.

A bone keeps the axes of its body up to a quarter turn: its own y axis is the one of the body's six directions that
leads to the next joint.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...engine.muscles.records import WORLD
from ...engine.muscles.skeleton import Skeleton, move

Floats = NDArray[np.float64]

SHORTEST = 0.03
"""Of a bone [m]."""


def directions(skeleton: Skeleton) -> tuple[Floats, Floats]:
    """Axes of each bone in its body, as columns (nb, 3, 3), and lengths [m] (nb,)."""
    tips = [np.zeros(3) for _ in skeleton.bodies]
    for joint in skeleton.joints:
        if joint.parent != WORLD:
            tip = joint.in_parent[9:12]
            if np.linalg.norm(tip) > np.linalg.norm(tips[joint.parent]):
                tips[joint.parent] = tip
    axes, lengths = np.zeros((len(tips), 3, 3)), np.zeros(len(tips))
    for b, body in enumerate(skeleton.bodies):
        tip = tips[b] if np.linalg.norm(tips[b]) > SHORTEST else 2.0 * np.array(body.centre)
        k = int(np.argmax(np.abs(tip)))
        y = np.zeros(3)
        y[k] = 1.0 if tip[k] > 0.0 or not tip.any() else -1.0
        x = np.zeros(3)
        x[(k + 1) % 3] = 1.0
        axes[b] = np.stack([x, y, np.cross(x, y)], axis=1)
        lengths[b] = max(SHORTEST, abs(float(tip[k])))
    return axes, lengths


def bone_matrices(skeleton: Skeleton, q: Floats, axes: Floats, scale: float) -> Floats:
    """Each bone in the ground's frame at coordinates q, (nb, 4, 4); lengths times `scale`."""
    m = move(skeleton, q)
    out = np.tile(np.eye(4), (len(skeleton.bodies), 1, 1))
    out[:, :3, :3] = m.R @ axes
    out[:, :3, 3] = scale * m.p
    return out
