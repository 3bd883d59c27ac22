"""The shots that come with RedMax, by name.

A shot is a module with `spec() -> SceneSpec`, the mechanism without Blender, and `check(result)`, which
raises an AssertionError that says what is unphysical in a run of it. Command line, benchmarks, tests and
Blender share it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from ..errors import InputError

if TYPE_CHECKING:
    from ..run.result import Result
    from ..scene import SceneSpec

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
}


class Shot(Protocol):
    def spec(self) -> SceneSpec: ...
    def check(self, result: Result) -> None: ...


def shot(name: str) -> Shot:
    """The module of a shot; InputError when there is none of that name."""
    if name not in SHOTS:
        raise InputError(f"shot '{name}'", "there is no such shot", f"Choose one of: {', '.join(SHOTS)}.")
    return cast(Shot, import_module(f".{name}", __name__))
