"""A figure of thirty bodies falls down a flight of stairs, onto a platform that is moved under it.

Every fall is another one: a seed gives the pose, the way it faces, where it starts and how fast it is. The stairs and
the ground stand still; the platform follows its curve, carries what lies on it to the side, and stops. In the end
everything lies still.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi, radians
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from ..scene import (
    ColliderSpec,
    Constant,
    Cuboid,
    Plane,
    Pose,
    SceneSpec,
    SelfCollision,
    SmoothStep,
    TimeSpec,
)
from .falls import measure
from .figure import HEIGHT, SEGMENTS, Skin, figure

if TYPE_CHECKING:
    from ..run.result import Result

Floats = NDArray[np.float64]

GRAVITY = 9.81
"""[m/s²], downwards."""
POSED = ("upper_arm", "forearm", "thigh", "shin", "lumbar", "head")
"""Segments whose joints start bent at random."""


@dataclass(frozen=True)
class Stairs:
    """A flight that goes down along -y, from a landing at the top to a platform at the foot."""

    steps: int = 7
    rise: float = 0.17
    """[m]"""
    run: float = 0.29
    """[m]"""
    width: float = 2.4
    """[m]"""
    landing: float = 1.2
    """Length of the landing [m]."""
    platform: float = 3.0
    """Length of the platform [m]."""
    friction: float = 0.6
    moves: float = 0.6
    """How far the platform goes along x [m]."""
    begins: float = 1.0
    """When it begins to move [s]."""
    lasts: float = 1.6
    """How long it moves [s]."""

    @property
    def top(self) -> float:
        """Height of the landing above the ground [m]."""
        return self.rise * (self.steps + 1)

    def colliders(self) -> list[ColliderSpec]:
        """Steps are blocks that stand on the ground."""
        made = [
            ColliderSpec(name="ground", shape=Plane(), friction=self.friction),
            self._block("landing", 0.0, self.landing, self.top),
        ]
        for k in range(self.steps):
            made.append(
                self._block(
                    f"step.{k + 1}", -(k + 1) * self.run, -k * self.run, self.top - (k + 1) * self.rise
                )
            )
        end = -self.steps * self.run
        platform = self._block("platform", end - self.platform - 0.02, end - 0.02, 0.5 * self.rise)
        x, y, z = platform.pose.position
        slide = SmoothStep(self.begins, self.begins + self.lasts, x, x + self.moves)
        platform.motion = [slide, *(Constant(value) for value in (y, z, 0.0, 0.0, 0.0))]
        platform.pose = Pose()
        return [*made, platform]

    def _block(self, name: str, low: float, high: float, top: float) -> ColliderSpec:
        return ColliderSpec(
            name=name,
            shape=Cuboid((self.width, high - low, top)),
            pose=Pose((0.0, 0.5 * (low + high), 0.5 * top)),
            friction=self.friction,
        )


@dataclass(frozen=True)
class Fall:
    """How the figure starts: at random, by a seed."""

    seed: int = 0
    stairs: Stairs = field(default_factory=Stairs)
    skin: Skin = field(default_factory=Skin)

    def start(self) -> tuple[list[float], dict[str, list[float]], list[float]]:
        """Where the pelvis is [m, rad], the joint angles [rad], and the velocity of the pelvis [m/s, rad/s]."""
        draw = np.random.default_rng(self.seed)
        angles = {}
        for part in SEGMENTS:
            if part.name.split(".")[0] in POSED:
                ends = [(0.8 * t.low + 0.2 * t.high, 0.2 * t.low + 0.8 * t.high) for t in part.turns]
                angles[part.name] = [radians(draw.uniform(*pair)) for pair in ends]
        turn = Rotation.from_euler("xz", [draw.uniform(-0.6, 0.6), draw.uniform(-pi, pi)]).as_rotvec()
        place = [
            draw.uniform(-0.3, 0.3), draw.uniform(0.2, 0.6), self.stairs.top + draw.uniform(1.2, 1.5)
        ]  # fmt: skip
        speed = [draw.uniform(-0.4, 0.4), draw.uniform(-2.5, -1.2), 0.0]
        spin = draw.uniform(-2.0, 2.0, 3)
        return [*place, *turn.tolist()], angles, [*speed, *spin.tolist()]


def spec(fall: Fall | None = None, *, end: float = 8.0, step: float = 1.0 / 240.0) -> SceneSpec:
    """A fall as a scene."""
    fall = fall or Fall()
    q, angles, qdot = fall.start()
    return SceneSpec(
        name="ragdoll",
        gravity=(0.0, 0.0, -GRAVITY),
        bodies=figure(fall.skin, q, angles, qdot),
        colliders=fall.stairs.colliders(),
        self_collision=SelfCollision(neighbours=2),
        integrator="euler",
        time=TimeSpec(end=end, step=step, record=10),
    )


SETTLED = 7.0
"""By then it sleeps [s]."""
GAIN = 75.0
"""Energy that the platform may give it [J]: what a body of its mass has at the platform's speed."""


def check(result: Result, fall: Fall | None = None) -> None:
    """Raise AssertionError when a fall is not physical: something goes through something else, a joint turns beyond its
    range, energy comes from nowhere, or the figure does not come to rest; see `falls`."""
    from ..compile.scene import compile_scene  # what runs every step must not import the compiler

    scene = spec(fall)
    found = measure(compile_scene(scene), result, scene.colliders)
    faults = found.faults(HEIGHT, GAIN, settled=result.t[-1] >= SETTLED)
    if faults:
        raise AssertionError(f"ragdoll: {faults[0]}")
