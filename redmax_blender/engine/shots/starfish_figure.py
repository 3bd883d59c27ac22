"""How the Starfish is made, and what its keys prescribe: what the engine's scene and Blender's rig share."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

from .starfish_skin import ARMS, starfish_skin

Floats = NDArray[np.float64]

JOINTS = 4
"""Of an arm."""
FPS = 24
FRAMES = 240
STEPS = 4
"""Steps a frame."""
PRESCRIBED = 2
"""Joints of an arm, from the disc outwards, that follow keys."""
KEYED = 3
"""Frames from key to key."""
LED: dict[int, tuple[float, float]] = {0: (2.25, 5.0), 2: (6.875, 8.375)}
"""Arms whose tips are led, and from when to when [s]."""
TAKES_HOLD = 0.25
"""Time [s] over which a tip comes onto its path."""


@dataclass(frozen=True)
class Starfish:
    """Its sizes and its stuff. x runs along the first arm, z is up; it lies on z = 0."""

    radius: float = 0.5
    """From the centre to the tips [m]."""
    thickness: float = 0.11
    """[m]"""
    cage_vertices: int = 221
    young: float = 1.5e5
    """Of the flesh [Pa]."""
    density: float = 1000.0
    """Of the flesh [kg/m³]."""
    bone_density: float = 1500.0
    """[kg/m³]"""
    bone_radius: float = 0.014
    """[m]"""
    joint_stiffness: float = 20.0
    """Of passive joints [N·m/rad]."""
    joint_damping: float = 0.3
    """Of passive joints [N·m·s/rad]."""

    @property
    def hub(self) -> float:
        """Distance of the first joints from the centre [m]."""
        return 0.2 * self.radius

    @property
    def bone(self) -> float:
        """Length of a bone [m]."""
        return 0.18 * self.radius

    @property
    def middle(self) -> float:
        """Height of the bones at the start [m]."""
        return 0.4 * self.thickness

    def name(self, arm: int, joint: int) -> str:
        return f"arm.{arm + 1}.{joint + 1}"

    def along(self, arm: int) -> Floats:
        """Direction of an arm in the world, shape (3,)."""
        angle = 2.0 * pi * arm / ARMS
        return np.array([cos(angle), sin(angle), 0.0])

    def head(self, arm: int, joint: int) -> Floats:
        """Where a joint is at the start [m]; joint 4 is the end of the last bone."""
        return (self.hub + joint * self.bone) * self.along(arm) + [0.0, 0.0, self.middle]

    def skin(self, warts: float = 0.07) -> tuple[Floats, NDArray[np.int64]]:
        """Vertices [m] and quads of its skin, with bumps of this fraction of the thickness."""
        return starfish_skin(self.radius, self.thickness, along=33, across=12, warts=warts)


def keyed_angles(arm: int, joint: int) -> tuple[Floats, Floats, Floats]:
    """Times [s] of the keys of one of an arm's prescribed joints, how far it bends down, and how far sideways [rad].

    The starfish lies, stands up, dances by a wave that goes around, crouches and hops, and lies down again.
    """
    t = np.arange(0.0, FRAMES / FPS + 1e-9, KEYED / FPS)
    phase = 2.0 * pi * arm / ARMS
    up = _between(t, 0.4, 1.4) * (1.0 - _between(t, 8.5, 9.5))
    dance = _between(t, 1.8, 2.4) * (1.0 - _between(t, 5.0, 5.6))
    crouch, hop = (
        _between(t, 5.6, 6.0) - _between(t, 6.0, 6.125),
        _between(t, 6.0, 6.125) - _between(t, 6.25, 6.6),
    )
    wave = dance * np.sin(2.0 * pi * 0.8 * t - 2.0 * phase)
    if joint == 0:
        bend = 0.1 * up + 0.3 * wave - 0.45 * crouch + 0.55 * hop
        sway = 0.3 * dance * np.sin(2.0 * pi * 0.4 * t) + 0.15 * up * np.sin(2.0 * pi * 0.25 * t)
    else:
        bend = 0.95 * up + 0.15 * wave + 0.3 * crouch - 0.45 * hop
        sway = 0.12 * dance * np.sin(2.0 * pi * 0.4 * t - 0.6)
    return t, bend, sway


def keyed_path(starfish: Starfish, arm: int) -> tuple[Floats, Floats]:
    """Times [s] and places (n, 3) [m] of the point that leads the tip of an arm."""
    begin, end = LED[arm]
    t = np.arange(begin, end + 1e-9, 0.125)
    out, up = starfish.along(arm), np.array([0.0, 0.0, 1.0])
    side = np.cross(up, out)
    s = (t - begin) / (end - begin)
    lift = np.sin(pi * s) ** 0.7
    wave = 0.2 * lift * np.sin(2.0 * pi * 1.25 * (t - begin))
    r = starfish.radius
    path = np.outer(0.72 - 0.12 * lift, out) + np.outer(0.06 + 0.85 * lift, up) + np.outer(wave, side)
    return t, r * path


def _between(t: Floats, begin: float, end: float) -> Floats:
    """From 0 at `begin` to 1 at `end`, smoothly."""
    s = np.clip((t - begin) / (end - begin), 0.0, 1.0)
    return np.asarray(s * s * (3.0 - 2.0 * s))
