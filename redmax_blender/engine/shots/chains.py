"""Two chains side by side with dry friction in their hinges, let go from the horizontal (paper, Fig. 5).

All axes are at 45° to gravity, so that every pin is pressed sideways, along its axis and askew at once. A chain comes
to rest from its root, which carries the most; the one with the thicker pins comes to rest first.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..scene import BodySpec, Cuboid, JointFriction, JointSpec, Revolute, SceneSpec, TimeSpec
from ..scene.base import Pose

if TYPE_CHECKING:
    from ..run.result import Result


@dataclass(frozen=True)
class Chains:
    """Their sizes; x runs along each link, from hinge to hinge."""

    links: int = 10
    length: float = 0.2
    """From hinge to hinge [m]."""
    thick: float = 0.04
    """Side of a link [m]."""
    coefficient: float = 0.5
    radii: tuple[float, float] = (0.012, 0.018)
    """Of the pins of the left and of the right chain [m]."""
    width: float = 0.04
    """Length of a pin [m]."""
    tilt: float = pi / 4
    """Of the axes against the vertical [rad]."""
    height: float = 2.5
    """Of the first hinges above the ground [m]."""
    apart: float = 0.6
    """Distance of the two chains [m]."""

    def name(self, side: int, i: int) -> str:
        return f"{('left', 'right')[side]}.{i + 1:02d}"

    def joint(self, side: int, i: int) -> str:
        """Name of the hinge that carries a link."""
        return f"{self.name(side, i)} hinge"


def spec(chains: Chains | None = None, *, end: float = 3.0, step: float = 1.0 / 240.0) -> SceneSpec:
    """Both chains as a scene."""
    c = chains or Chains()
    bodies = []
    for side, radius in enumerate(c.radii):
        for i in range(c.links):
            root = i == 0
            at = (0.0, (side - 0.5) * c.apart, c.height) if root else (c.length, 0.0, 0.0)
            bodies.append(
                BodySpec(
                    name=c.name(side, i),
                    parent=None if root else c.name(side, i - 1),
                    shape=Cuboid((c.length, c.thick, c.thick)),
                    pose=Pose((0.5 * c.length, 0.0, 0.0)),
                    joint=JointSpec(
                        type=Revolute((0.0, 0.0, 1.0)),
                        frame=Pose(at, rotation=[c.tilt if root else 0.0, 0.0, 0.0]),
                        friction=JointFriction(c.coefficient, radius, c.width),
                        name=c.joint(side, i),
                    ),
                )
            )
    return SceneSpec(name="chains", bodies=bodies, time=TimeSpec(end=end, step=step), integrator="euler")


def last_moves(result: Result, chains: Chains | None = None) -> NDArray[np.float64]:
    """When each hinge moved last [s], shape (2, links)."""
    c = chains or Chains()
    out = np.zeros((2, c.links))
    for side in range(2):
        for i in range(c.links):
            moves = np.flatnonzero(result.qdot[:, result.coordinates(c.joint(side, i))].any(axis=1))
            out[side, i] = result.t[moves[-1]] if len(moves) else 0.0
    return out


def check(result: Result, chains: Chains | None = None) -> None:
    """Raise AssertionError when a run of the chains is not physical."""
    c = chains or Chains()
    energy = result.energy.sum(axis=1)
    gain = float(np.diff(energy).max())
    if gain > 1e-3 * float(np.ptp(energy)):
        raise AssertionError(f"chains: the energy grows by {gain:.3g} J within a frame")
    last = last_moves(result, c)
    if np.any(result.qdot[-1] != 0.0):
        return  # not yet at rest
    third = max(c.links // 3, 1)
    for side, name in enumerate(("left", "right")):
        if not last[side, :third].mean() < last[side, -third:].mean():
            raise AssertionError(f"chains: the {name} chain does not come to rest from its root")
    if c.radii[0] < c.radii[1] and not last[1].max() < last[0].max():
        raise AssertionError("chains: the chain with thicker pins does not come to rest first")
