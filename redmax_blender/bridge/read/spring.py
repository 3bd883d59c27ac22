"""Curves -> springs, cables, ropes, rods and struts between the objects that the curve's points are hooked to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.scene import spec
from ...mechanism_properties import LINES
from ..bake.actions import animated_paths
from ..flesh.attachments import carrier, point_on, world_position

Floats = NDArray[np.float64]

SENSES: dict[str, Literal["equal", "at-most", "at-least"]] = {
    "ROPE": "at-most",
    "ROD": "equal",
    "STRUT": "at-least",
}


def spring_ends(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """The objects that a curve's points are hooked to, in the order of the points."""
    hooks = [m for m in obj.modifiers if m.type == "HOOK" and m.object is not None]
    first = {hook.name: min(hook.vertex_indices, default=len(hooks)) for hook in hooks}
    return [hook.object for hook in sorted(hooks, key=lambda hook: first[hook.name])]


def read_spring(
    obj: bpy.types.Object,
    poses: Mapping[str, Floats],
    depsgraph: bpy.types.Depsgraph,
    unit: float,
    warnings: list[str],
) -> spec.Spring | spec.LoopDistance:
    """What a curve is between the places where its ends are now: a force, or a distance that is kept."""
    settings = obj.redmax.spring
    place = f"Spring '{obj.name}'"
    points = _points(obj, place, poses, depsgraph, unit, warnings)
    for name in ("stiffness", "damping", "rest_length"):
        if not np.isfinite(getattr(settings, name)):
            raise SceneError(f"{place}, {name}", "it is not a finite number", "Type in a number.")
    length = float(settings.rest_length) * unit or None
    if settings.kind not in LINES:
        return spec.Spring(
            points=points,
            stiffness=float(settings.stiffness),
            damping=float(settings.damping),
            rest_length=length,
            tension_only=settings.kind == "CABLE",
            name=obj.name,
        )
    if len(points) > 2:
        raise SceneError(
            place,
            f"it is a {settings.kind.lower()} through {len(points)} points",
            "Take a cable, which runs over its points as over pulleys, with the stiffness of the rope; "
            "or unhook all but two.",
        )
    return spec.LoopDistance(
        a=points[0], b=points[1], length=length, sense=SENSES[settings.kind], name=obj.name
    )


def _points(
    obj: bpy.types.Object,
    place: str,
    poses: Mapping[str, Floats],
    depsgraph: bpy.types.Depsgraph,
    unit: float,
    warnings: list[str],
) -> list[spec.Point]:
    """Where it is held, two places or more on different bodies."""
    ends = spring_ends(obj)
    if len(ends) < 2:
        raise SceneError(
            place,
            f"{len(ends)} of its points are hooked to an object",
            "Hook two or more (Hook modifiers), or make it with Add Spring.",
        )
    bodies = [carrier(end, poses) for end in ends]
    if len(set(bodies)) == 1:
        where = "the world" if bodies[0] is None else f"'{bodies[0]}'"
        raise SceneError(place, f"all its ends are on {where}", "Hook one of them to another body.")
    for end, body in zip(ends, bodies):
        if body is None and any(animated_paths(end)):
            warnings.append(f"{place}: its end '{end.name}' is animated, and taken as standing still")
    return [point_on(body, world_position(end, depsgraph, unit), poses) for end, body in zip(ends, bodies)]
