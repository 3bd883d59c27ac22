"""Which paths the network knows."""

from __future__ import annotations

from ....errors import SceneError
from ...records import MusclePath, Surface


def check_network(path: MusclePath, place: str) -> None:
    """Two points that stay on their bodies, and a cylinder between them."""
    kinds = [path.surfaces[wrap.surface].kind for wrap in path.wraps]
    still = all(point.movers is None and point.active is None for point in path.points)
    if len(path.points) != 2 or kinds != [Surface.CYLINDER] or not still:
        raise SceneError(
            place,
            "the network knows paths of two points over one cylinder only",
            "Leave 'network' out: smooth paths know every surface.",
        )
