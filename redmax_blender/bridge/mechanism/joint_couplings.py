"""Joints between objects that turn together -> hyper-reduced coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy

from ...engine.errors import SceneError
from ...engine.scene import spec

if TYPE_CHECKING:  # they load Numba, and panels import this
    from ...engine.mechanisms.mechanism import Assembly
    from ...engine.mechanisms.parts import Connection

KINDS = ("HINGE", "SLIDER")
"""Joints of one coordinate."""


def coupled(empties: Sequence[bpy.types.Object], connections: Sequence[Connection]) -> list[bpy.types.Object]:
    """Joints that turn with another one. All of them need coordinates: none may be the one that closes a loop."""
    followers = [
        obj for obj in empties if obj.redmax.joint.kind != "NONE" and obj.redmax.coupling.joint is not None
    ]
    by_name = {connection.name: connection for connection in connections}
    for obj in followers:
        for each in (obj, *_row(obj)):
            if each.name not in by_name:
                raise SceneError(
                    _place(obj),
                    f"'{each.name}' is no joint of the scene",
                    "Choose a joint between bodies, or clear the field.",
                )
            if each.redmax.joint.kind not in KINDS:
                raise SceneError(
                    f"Joint '{each.name}'",
                    f"it is coupled with another joint, and its kind is {each.redmax.joint.kind.lower()}",
                    "Only hinges and sliders can be coupled: change its kind, or clear Couple To.",
                )
            if by_name[each.name].cut == "always":
                raise SceneError(
                    f"Joint '{each.name}'",
                    "it is coupled with another joint, and is set to be cut always",
                    "Let another joint of the loop be cut.",
                )
            by_name[each.name].cut = "never"
    return followers


def couple(followers: Sequence[bpy.types.Object], made: Assembly) -> list[spec.CouplingSpec]:
    """A coupling for each joint that others turn with, directly or through one another."""
    groups: dict[str, list[spec.Term]] = {}
    for obj in followers:
        row = _row(obj)
        factor = 1.0
        for each in (obj, *row[:-1]):
            ratio = float(each.redmax.coupling.ratio)
            if ratio == 0.0:
                raise SceneError(
                    _place(each), "the ratio is zero", "Give another ratio, or make it a fixed joint."
                )
            factor *= ratio
        first = row[-1].name
        groups.setdefault(first, [spec.Term(first, _sign(first, made))])
        groups[first].append(spec.Term(obj.name, factor * _sign(obj.name, made)))
    return [spec.CouplingSpec(terms=terms, name=first) for first, terms in groups.items()]


def _row(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """The joints that one turns with, the next one first."""
    found = [obj]
    while (following := found[-1].redmax.coupling.joint) is not None:
        if following in found:
            names = " → ".join(each.name for each in (*found, following))
            raise SceneError(_place(obj), f"{names} go in a circle", "Clear the field for one of them.")
        found.append(following)
    return found[1:]


def _sign(joint: str, made: Assembly) -> float:
    """Joints that run from their second object to the first one count the other way."""
    return -1.0 if joint in made.reversed_ else 1.0


def _place(obj: bpy.types.Object) -> str:
    return f"Joint '{obj.name}', Couple To"
