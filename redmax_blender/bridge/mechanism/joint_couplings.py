"""Joints between objects that turn together -> hyper-reduced coordinates, or gears where one of them is driven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy

from ...engine.errors import SceneError
from ...engine.scene import spec

if TYPE_CHECKING:  # they load Numba, and panels import this
    from ...engine.mechanisms.mechanism import Assembly
    from ...engine.mechanisms.parts import Connection

REDUCED = ("HINGE", "SLIDER")
"""Joints of one coordinate, which may be the same as another one's."""
KINDS = (*REDUCED, "PISTON", "SCREW")
"""Joints that can move with another one; pistons and screws by their angle."""


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
                    "Only hinges, sliders, pistons and screws can be coupled: change its kind, or clear Couple To.",
                )
            if by_name[each.name].cut == "always":
                raise SceneError(
                    f"Joint '{each.name}'",
                    "it is coupled with another joint, and is set to be cut always",
                    "Let another joint of the loop be cut.",
                )
            by_name[each.name].cut = "never"
    return followers


def couple(
    followers: Sequence[bpy.types.Object], made: Assembly
) -> tuple[list[spec.CouplingSpec], list[spec.Gear]]:
    """What makes each joint move with the one that it follows, directly or through others: one coordinate for all of
    them, or a gear for each where a motor with keys moves one, or where one has two coordinates."""
    groups: dict[str, list[bpy.types.Object]] = {}
    for obj in followers:
        if float(obj.redmax.coupling.ratio) == 0.0:
            raise SceneError(
                _place(obj), "the ratio is zero", "Give another ratio, or make it a fixed joint."
            )
        groups.setdefault(_row(obj)[-1].name, []).append(obj)
    led = {body.joint.name for body in made.bodies if any(curve is not None for curve in body.joint.motion)}
    couplings, gears = [], []
    for first, members in groups.items():
        all_of_them = [*members, _row(members[0])[-1]]
        if any(obj.name in led or obj.redmax.joint.kind not in REDUCED for obj in all_of_them):
            gears += [_gear(obj, made) for obj in members]
            continue
        terms = [spec.Term(obj.name, _factor(obj) * _sign(obj.name, made)) for obj in members]
        couplings.append(spec.CouplingSpec(terms=[spec.Term(first, _sign(first, made)), *terms], name=first))
    return couplings, gears


def _factor(obj: bpy.types.Object) -> float:
    """How far a joint moves for each angle or length of the first one of its row."""
    factor = 1.0
    for each in (obj, *_row(obj)[:-1]):
        factor *= float(each.redmax.coupling.ratio)
    return factor


def _gear(obj: bpy.types.Object, made: Assembly) -> spec.Gear:
    leader = obj.redmax.coupling.joint
    return spec.Gear(
        terms=[
            _term(obj, 1.0, made),
            _term(leader, -float(obj.redmax.coupling.ratio), made),
        ],
        name=f"{obj.name} and {leader.name}",
    )


def _term(obj: bpy.types.Object, factor: float, made: Assembly) -> spec.Term:
    index = 0 if obj.redmax.joint.kind in REDUCED else 1
    return spec.Term(obj.name, factor * _sign(obj.name, made), index)


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
