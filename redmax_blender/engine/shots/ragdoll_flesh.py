"""The figure that falls down stairs with a soft belly, which touches stairs, platform and limbs by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..scene import SceneSpec
from . import ragdoll
from .belly import Belly, belly
from .falls import measure
from .figure import HEIGHT
from .ragdoll import SETTLED, Fall

if TYPE_CHECKING:
    from ..run.result import Result


def spec(
    fall: Fall | None = None, shape: Belly | None = None, *, end: float = 8.0, step: float = 1.0 / 240.0
) -> SceneSpec:
    """A fall as a scene."""
    fall, shape = fall or Fall(), shape or Belly()
    made = ragdoll.spec(fall, end=end, step=step)
    made.name = "ragdoll with a belly"
    q, angles, qdot = fall.start()
    made.flesh = [belly(shape, fall.skin, q, angles, qdot)]
    return made


GAIN = 90.0
"""Energy that the platform may give it [J]: what a body of its mass has at the platform's speed, and some more."""


def check(result: Result, fall: Fall | None = None, shape: Belly | None = None) -> None:
    """Raise AssertionError when a fall is not physical; see `falls`."""
    from ..compile.scene import compile_scene  # what runs every step must not import the compiler

    scene = spec(fall, shape)
    found = measure(compile_scene(scene), result, scene.colliders)
    faults = found.faults(HEIGHT, GAIN, settled=result.t[-1] >= SETTLED)
    if faults:
        raise AssertionError(f"ragdoll with a belly: {faults[0]}")
