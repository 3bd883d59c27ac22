"""What is wrong with a path, before anything is computed with it."""

from __future__ import annotations

import math

import numpy as np

from ..errors import InputError
from .paths import touch
from .records import MusclePath, PathPoint, Surface, WrapSurface

DEEP = 0.1
"""How deep inside a surface, as a fraction of its smallest half width, a point is a mistake, not a matter of digits."""


def check_path(path: MusclePath) -> list[str]:
    """Raise an `InputError` that names the muscle and the point or surface; returns what is odd but no obstacle."""
    place = f"muscle '{path.name}'"
    if len(path.points) < 2:
        raise InputError(
            place, f"its path has {len(path.points)} point(s)", "Give it an origin and an insertion."
        )
    for i, point in enumerate(path.points):
        if point.movers is None and not np.isfinite(point.location).all():
            raise InputError(place, f"point {i + 1} is at {point.location}", "Positions have to be finite.")
    if sum(point.active is None for point in path.points) < 2:
        raise InputError(
            place, "fewer than two of its points are always there", "Make its two ends unconditional."
        )
    for surface in path.surfaces:
        check_surface(surface)
    odd = []
    for wrap in path.wraps:
        surface = path.surfaces[wrap.surface]
        last = len(path.points) - 1 if wrap.last < 0 else wrap.last
        if wrap.first > last or last >= len(path.points):
            raise InputError(
                place,
                f"it is to slide over '{surface.name}' between points {wrap.first + 1} and {last + 1}",
                f"Its points are 1 to {len(path.points)}.",
            )
        for i in range(wrap.first, last + 1):
            depth = _depth(path.points[i], surface)
            if depth > DEEP * _half_width(surface):
                raise InputError(
                    place,
                    f"point {i + 1} is {1000.0 * depth:.3g} mm inside the surface '{surface.name}' that it slides over",
                    "Move the point out, or make the surface smaller.",
                )
            if depth > 0.0:
                odd.append(
                    f"{place}: point {i + 1} is {1000.0 * depth:.2g} mm inside '{surface.name}', which it passes there"
                )
    return odd


def check_surface(surface: WrapSurface) -> None:
    place = f"surface '{surface.name}'"
    count = {Surface.ELLIPSOID: 3, Surface.TORUS: 2, Surface.CAPSULE: 2}.get(surface.kind, 1)
    sizes = surface.size[:count]
    if not all(size > 0.0 for size in sizes) or any(math.isinf(size) for size in sizes[:1]):
        raise InputError(place, f"its size is {sizes}", "Radii and lengths have to be positive numbers.")
    if surface.kind == Surface.TORUS and surface.size[1] >= surface.size[0]:
        raise InputError(
            place, "its tube is as thick as its ring, so there is no hole", "Make the tube thinner."
        )
    if not np.isfinite([*surface.origin, *surface.rotation]).all():
        raise InputError(place, "its place is not finite", "Give it numbers.")


def _half_width(surface: WrapSurface) -> float:
    if surface.kind == Surface.ELLIPSOID:
        return min(surface.size)
    return surface.size[1] if surface.kind == Surface.TORUS else surface.size[0]


def _depth(point: PathPoint, surface: WrapSurface) -> float:
    """How deep a point that hangs on the same frame as a surface is inside it [m]; 0 elsewhere."""
    if (
        not surface.active
        or point.frame != surface.frame
        or point.movers is not None
        or point.active is not None
    ):
        return 0.0
    R = np.array(surface.rotation).reshape(3, 3)
    local = R.T @ (np.array(point.location) - surface.origin)
    return max(0.0, touch.inside(surface.kind, np.array(surface.size, float), local))
