"""Prescribed points that are guided at times -> arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import SceneError
from ..model.curves import pack
from ..model.records import GUIDED, Floats, Guides, Ints
from ..scene.base import Curve
from ..scene.constraints import ConstraintSpec, PrescribedPoint
from .constraints import mode_spans
from .forces import Places
from .joints import check_modes


def guides(specs: Sequence[ConstraintSpec], places: Places) -> Guides | None:
    """A guide for each prescribed direction of each point that is ever guided; null for none."""
    point: list[int] = []
    link: list[int] = []
    x: list[Floats] = []
    direction: list[Floats] = []
    numbers: list[tuple[float, float]] = []
    active: list[tuple[tuple[float, float], ...]] = []
    curves: list[tuple[int, Curve, str]] = []
    influence: list[tuple[int, Curve, str]] = []
    for i, spec in enumerate(specs):
        if not isinstance(spec, PrescribedPoint):
            continue
        place = f"constraints[{i}]" + (f" '{spec.name}'" if spec.name else "")
        gains = check_modes(spec.modes, spec.guide, lambda name, place=place: f"{place}.{name}")  # type: ignore[misc]
        spans = tuple((start, end) for start, end, mode, _ in mode_spans(spec.modes) if mode == GUIDED)
        if not spans:
            if spec.influence is not None:
                raise SceneError(
                    f"{place}.influence",
                    "the point is never guided, so that nothing has this influence",
                    "Add a switch to the mode 'guided' to `modes`, or leave it out.",
                )
            continue
        where = places.point(spec.point, f"{place}.point")
        axes = (
            np.eye(3)
            if spec.direction is None
            else np.array([spec.direction]) / np.linalg.norm(spec.direction)
        )
        for d, curve in zip(axes, spec.path, strict=True):
            if curve is not None:
                curves.append((len(link), curve, f"{place}.path"))
                if spec.influence is not None:
                    influence.append((len(link), spec.influence, f"{place}.influence"))
                point.append(i)
                link.append(where[0])
                x.append(where[1])
                direction.append(d)
                numbers.append(gains)
                active.append(spans)
    if not link:
        return None
    stiffness, damping = np.array(numbers, float).T
    return Guides(
        point=np.unique(point, return_inverse=True)[1].astype(np.int64),
        link=np.array(link, np.int64),
        x=np.array(x, float),
        direction=np.array(direction, float),
        stiffness=stiffness.copy(),
        damping=damping.copy(),
        active=tuple(active),
        curves=pack(curves),
        reach=_reach(places, np.array(link, np.int64), np.array(x, float)),
        influence=pack(influence) if influence else None,
    )


def _reach(places: Places, link: Ints, x: Floats) -> Floats:
    """Distance of points from their joints, or the radius of gyration of their bodies where that is more [m], (ng,)."""
    b = places.bodies
    gyration: Floats = np.zeros(int(link.max()) + 1)
    own = b.link <= link.max()
    np.maximum.at(gyration, b.link[own], np.sqrt(b.inertia[own, :3].max(axis=1) / b.inertia[own, 3]))
    return np.maximum(np.linalg.norm(x, axis=1), gyration[link])
