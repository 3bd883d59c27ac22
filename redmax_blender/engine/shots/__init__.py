"""The shots that come with RedMax, by name.

A shot is a module with `spec() -> SceneSpec`, the mechanism without Blender, and `check(result)`, which
raises an AssertionError that says what is unphysical in a run of it. It may have `figures(result)` as well,
lines to plot. Command line, benchmarks, tests and Blender share it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from ..errors import InputError

if TYPE_CHECKING:
    from ..run.result import Result
    from ..scene import SceneSpec
    from .figures import Figure

SHOTS = {
    "chain": "a hanging chain of eight links with alternating hinge axes, let go from a raised pose",
    "chains": "two chains with dry friction in their hinges, thin pins and thick ones; they come to rest",
    "bridge": "a cable-stayed bridge of hinged blocks, let go; it settles into its cables",
    "umbrella": "an umbrella of eight ribs and a canopy of springs, opened by its runner",
    "starfish": "a starfish of twenty joints in soft flesh that stands up, dances, hops and greets",
    "klann": "a walking machine on six Klann linkages, whose joints all rub; two cranks drive it",
    "hagfish": "a hagfish of a hundred joints that ties itself into a knot and slides it to its head",
    "ragdoll": "a figure of thirty bodies that falls down stairs onto a moving platform",
    "hand": "a hand whose fingertips are led while its elbow is keyframed; the rest is passive and rubs",
    "pai": "two bones that a muscle of their own mass pulls straight in 0.3 s",
    "rat-knee": "a rat's shank, of whose inertia a muscle adds 45 %",
    "muscle-pendulums": "ten double pendulums with muscles over cylinders, and one with their mass in its bones",
    "muscle-energy": "a double pendulum that keeps its energy by its muscle's quadratic velocity vector",
    "finger-flick": "a finger that is flicked, with the inertia of its flexors and without",
    "running": "a running leg, and the torque of its ankle with 0 to 80 % of the shank's mass in muscles",
    "throw": "a figure that is thrown so that its hand ends on a mark, through contact: found by its goal",
    "reach": "an arm with muscles over cylinders, whose hand two constant torques bring to a target: found by its goal",
    "knee": "a knee on a spline joint, moved by Hill-type muscles, with an ankle that is held by reflexes",
}

_HOME = {
    "pai": "inertia.pai",
    "rat-knee": "inertia.rat_knee",
    "muscle-pendulums": "inertia.pendulums",
    "muscle-energy": "inertia.energy",
    "finger-flick": "inertia.flick",
    "running": "inertia.running",
    "knee": "inertia.knee",
    "throw": "goals.throw",
    "reach": "goals.reach",
}
"""Modules of shots that are not called as the shot."""


class Shot(Protocol):
    def spec(self) -> SceneSpec: ...
    def check(self, result: Result) -> None: ...


def figures(name: str, result: Result) -> list[Figure]:
    """What a shot plots beside its film."""
    draw = getattr(shot(name), "figures", None)
    return [] if draw is None else cast("list[Figure]", draw(result))


def shot(name: str) -> Shot:
    """The module of a shot; InputError when there is none of that name."""
    if name not in SHOTS:
        raise InputError(f"shot '{name}'", "there is no such shot", f"Choose one of: {', '.join(SHOTS)}.")
    return cast(Shot, import_module(f".{_HOME.get(name, name)}", __name__))
