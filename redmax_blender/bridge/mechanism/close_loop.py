"""A range that can be played in a circle: its last frames pass into those of the pre-roll, which lead to its first.

Bodies are blended against the bodies that carry them, so that joints do not come apart. Joints that close loops of a
mechanism may, by as much as the two motions differ; flesh is blended in straight lines.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.scene import BodySpec

Floats = NDArray[np.float64]


def check_loop(scene: bpy.types.Scene) -> None:
    """Raise SceneError where there are not enough frames to blend."""
    settings = scene.redmax
    frames = settings.frame_end - settings.frame_start
    if settings.loop_blend > min(settings.preroll, frames):
        raise SceneError(
            "Simulation range",
            f"its last {settings.loop_blend} frames are to pass into a pre-roll of {settings.preroll}, and the range "
            f"has {frames} after its first",
            "Give a Pre-Roll as long as Loop Blend, and a range that is longer, or set Loop Blend to 0.",
        )


def weights(count: int) -> Floats:
    """From 0, exclusively, to 1 in so many frames, smoothly at both ends."""
    t = np.arange(1, count + 1) / count
    return np.asarray(t * t * (3.0 - 2.0 * t))


def close_poses(poses: Floats, bodies: Sequence[BodySpec], preroll: int, count: int) -> Floats:
    """Joint poses of all bodies, rows of twelve, shape (nf, nb, 12), with the last `count` frames blended."""
    out = poses.copy()
    late, early = _matrices(poses[-count:]), _matrices(poses[preroll - count : preroll])
    w = weights(count)
    number = {body.name: i for i, body in enumerate(bodies)}
    done: dict[int, Floats] = {}

    def blend(b: int) -> Floats:
        if b not in done:
            parent = bodies[b].parent
            if parent is None:
                done[b] = _between(late[:, b], early[:, b], w)
            else:
                p = number[parent]
                a, z = np.linalg.inv(late[:, p]) @ late[:, b], np.linalg.inv(early[:, p]) @ early[:, b]
                done[b] = blend(p) @ _between(a, z, w)
        return done[b]

    for b in range(len(bodies)):
        found = blend(b)
        out[-count:, b, :9] = found[:, :3, :3].reshape(count, 9)
        out[-count:, b, 9:] = found[:, :3, 3]
    return out


def close_points(x: Floats, preroll: int, count: int) -> Floats:
    """Points over frames, shape (nf, n, 3), with the last `count` frames blended."""
    out = x.copy()
    out[-count:] += weights(count)[:, None, None] * (x[preroll - count : preroll] - x[-count:])
    return out


def _matrices(rows: Floats) -> Floats:
    out = np.zeros((*rows.shape[:2], 4, 4))
    out[..., :3, :3] = rows[..., :9].reshape(*rows.shape[:2], 3, 3)
    out[..., :3, 3] = rows[..., 9:]
    out[..., 3, 3] = 1.0
    return out


def _between(a: Floats, b: Floats, w: Floats) -> Floats:
    """Poses from a to b, shape (n, 4, 4), each by its weight."""
    from scipy.spatial.transform import Rotation  # slow to import, and registering must not wait for it

    out = a.copy()
    turn = Rotation.from_matrix(np.swapaxes(a[:, :3, :3], 1, 2) @ b[:, :3, :3]).as_rotvec()
    out[:, :3, :3] = a[:, :3, :3] @ Rotation.from_rotvec(w[:, None] * turn).as_matrix()
    out[:, :3, 3] += w[:, None] * (b[:, :3, 3] - a[:, :3, 3])
    return out
