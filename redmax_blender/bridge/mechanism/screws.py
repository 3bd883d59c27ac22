"""Screws: pistons whose two coordinates go together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import tau
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...engine.errors import SceneError
from ...engine.scene import spec

if TYPE_CHECKING:  # they load Numba, and panels import this
    from ...engine.mechanisms.parts import Connection


def _screws(empties: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    return [obj for obj in empties if obj.redmax.joint.kind == "SCREW"]


def keep_screws(empties: Iterable[bpy.types.Object], connections: Sequence[Connection]) -> None:
    """A screw needs its coordinates: it may not be the joint that closes a loop."""
    by_name = {connection.name: connection for connection in connections}
    for obj in _screws(empties):
        if not np.isfinite(obj.redmax.joint.pitch):
            raise SceneError(f"Joint '{obj.name}', pitch", "it is not a finite number", "Give a length.")
        if by_name[obj.name].cut == "always":
            raise SceneError(
                f"Joint '{obj.name}'",
                "it is a screw, and is set to be cut always",
                "Let another joint of the loop be cut.",
            )
        by_name[obj.name].cut = "never"


def screws(empties: Iterable[bpy.types.Object], unit: float) -> list[spec.Gear]:
    """For each of them: the way along the axis is the pitch for each turn. Both coordinates change their signs
    together where the joint runs from its second object to the first."""
    return [
        spec.Gear(
            terms=[
                spec.Term(obj.name, 1.0, 0),
                spec.Term(obj.name, -float(obj.redmax.joint.pitch) * unit / tau, 1),
            ],
            name=obj.name,
        )
        for obj in _screws(empties)
    ]
