"""Prescribed points that are guided at times -> arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .compile_constraints import mode_spans
from .compile_forces import Places
from .compile_joints import check_modes
from .curves import pack
from .model import GUIDED, Floats, Guides
from .scene_base import Curve
from .scene_constraints import ConstraintSpec, PrescribedPoint


def guides(specs: Sequence[ConstraintSpec], places: Places) -> Guides | None:
    """A guide for each prescribed direction of each point that is ever guided; null for none."""
    link: list[int] = []
    x: list[Floats] = []
    direction: list[Floats] = []
    numbers: list[tuple[float, float]] = []
    active: list[tuple[tuple[float, float], ...]] = []
    curves: list[tuple[int, Curve, str]] = []
    for i, spec in enumerate(specs):
        if not isinstance(spec, PrescribedPoint):
            continue
        place = f"constraints[{i}]" + (f" '{spec.name}'" if spec.name else "")
        gains = check_modes(spec.modes, spec.guide, lambda name, place=place: f"{place}.{name}")  # type: ignore[misc]
        spans = tuple((start, end) for start, end, mode, _ in mode_spans(spec.modes) if mode == GUIDED)
        if not spans:
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
                link.append(where[0])
                x.append(where[1])
                direction.append(d)
                numbers.append(gains)
                active.append(spans)
    if not link:
        return None
    stiffness, damping = np.array(numbers, float).T
    return Guides(
        link=np.array(link, np.int64),
        x=np.array(x, float),
        direction=np.array(direction, float),
        stiffness=stiffness.copy(),
        damping=damping.copy(),
        active=tuple(active),
        curves=pack(curves),
    )
