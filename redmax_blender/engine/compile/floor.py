"""A springy floor of flesh -> arrays."""

from __future__ import annotations

import numpy as np

from ..errors import SceneError
from ..fem.cages.embed import check_covered, embed
from ..fem.solving.pattern import BlockPattern
from ..fem.tets import Tets, check_points
from ..forces.floor import Floor
from ..scene.flesh import SpringFloor

_OUTSIDE = 1e-3
"""How far a point may be outside the tetrahedra, as a fraction of their extent."""


def floor(spec: SpringFloor, tets: Tets, first: int, pattern: BlockPattern, place: str) -> Floor:
    """The points of one flesh, whose vertices begin at `first` in the pattern, over its floor."""
    for name in ("stiffness", "damping", "drag"):
        value = getattr(spec, name)
        if value < 0.0:
            raise SceneError(f"{place}.{name}", f"the {name} is {value}", "Give zero or more.")
    length = float(np.linalg.norm(spec.normal))
    if not length > 0.0:
        raise SceneError(f"{place}.normal", "it has no direction", "Give a direction that points upwards.")
    points = tets.X if spec.points is None else np.array(spec.points, float).reshape(-1, 3)
    if not len(points):
        raise SceneError(f"{place}.points", "there are none", "Give some, or null for all vertices.")
    check_points(points, f"{place}.points")
    held = embed(tets.X, tets.corner, points)
    check_covered(held, _OUTSIDE * float(np.ptp(tets.X, axis=0).max()), f"{place}.points")
    corner, n = held.corner + first, len(points)
    return Floor(
        corner=corner,
        weight=held.weight,
        block=pattern.blocks(np.repeat(corner, 4, axis=1).ravel(), np.tile(corner, 4).ravel()).reshape(n, 16),
        plane=np.tile([*np.array(spec.normal) / length, spec.height], (n, 1)),
        stiffness=np.full(n, spec.stiffness),
        damping=np.tile([spec.damping, spec.drag], (n, 1)),
    )
