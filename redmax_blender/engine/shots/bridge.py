"""A cable-stayed bridge, the scene on which the paper compares its solvers (Table 2).

A deck of hinged blocks between two anchors hangs on thirty cables, which fan out from the tops of two towers. The
towers are stacks of hinged blocks, or rigid. The deck is a chain from the left anchor whose end a loop closure holds
on the right one. Everything moves in the plane of x and the upward axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..scene import (
    BodySpec,
    Cuboid,
    Fixed,
    JointSpec,
    LoopPoint,
    Point,
    Pose,
    Revolute,
    SceneSpec,
    Spring,
    TimeSpec,
    Vec3,
)

if TYPE_CHECKING:
    from ..run.result import Result

Floats = NDArray[np.float64]

GRAVITY = 9.8
"""[m/s²], downwards."""
DENSITY = 1000.0
"""[kg/m³]"""
HALF_SPAN = 12.0
"""Distance of the anchors from the middle [m]."""
TOWER_AT = 5.0
"""Distance of the towers from the middle [m]."""
TOWER_HEIGHT = 10.0
ANCHOR_HEIGHT = 3.0
CABLES = 30
STABILISATION = 100.0
"""Published rate at which Euler removes the error of the loop [1/s]; the default is to project positions."""
LOOP = "deck end"
"""Name of the constraint that closes the deck."""


@dataclass(frozen=True)
class Parameters:
    """Stiffness and damping of the hinges [N·m/rad, N·m·s/rad], of cables per strain [N, N·s], and sizes [m]."""

    deck_stiffness: float
    deck_damping: float
    tower_stiffness: float
    tower_damping: float
    cable_stiffness: float
    """EA: the spring constant of a cable is this over its length."""
    cable_damping: float
    deck_width: float
    tower_depth: float
    deck_thickness: float = 0.15
    tower_width: float = 0.5
    drag: float = 1.0
    """On all six components of each body's twist [N·m·s/rad, N·s/m]."""


PARAMETERS = {
    "video": Parameters(1e8, 1e4, 1e8, 1e3, 2.5e7, 1e4, deck_width=1.6, tower_depth=1.8),
    "sim": Parameters(1e3, 1e0, 9.2e6, 1e3, 1e7, 1e3, deck_width=2.0, tower_depth=2.0),
    "simple": Parameters(1e1, 1e0, 0.0, 0.0, 1e7, 1e3, deck_width=0.5, tower_depth=0.5),
}
"""As published: the settings of the paper's video, of its experiment, and of the bridge with rigid towers."""


@dataclass(frozen=True)
class Bridge:
    n_deck: int = 20
    """Blocks of the deck, at least 4."""
    n_tower: int = 20
    """Blocks of each tower; rigid towers have one."""
    towers: Literal["flexible", "rigid"] = "flexible"
    parameters: str | None = None
    """One of `PARAMETERS`; by default `video`, and `simple` where towers are rigid."""
    up: Literal["y", "z"] = "y"
    """The upward axis: y as published, or Blender's z."""

    def __post_init__(self) -> None:
        if self.n_deck < 4 or self.n_tower < 1:
            raise InputError(
                "bridge",
                f"it has {self.n_deck} blocks of deck and {self.n_tower} a tower",
                "Give at least 4 of deck and 1 a tower.",
            )
        if self.parameters is not None and self.parameters not in PARAMETERS:
            raise InputError(
                "bridge",
                f"there are no parameters '{self.parameters}'",
                f"Choose one of {', '.join(PARAMETERS)}.",
            )

    @property
    def numbers(self) -> Parameters:
        return PARAMETERS[self.parameters or ("video" if self.towers == "flexible" else "simple")]

    @property
    def blocks(self) -> int:
        """Of each tower."""
        return self.n_tower if self.towers == "flexible" else 1

    def tower(self, side: str, i: int) -> str:
        return f"tower.{side}.{i + 1:03d}"

    def deck(self, i: int) -> str:
        return f"deck.{i + 1:03d}"

    def deck_angles(self) -> Floats:
        """Initial angle of every deck hinge [rad], at which its spring rests: a shallow arch."""
        n, half = self.n_deck, self.n_deck // 2
        bend = -np.sinh(0.5 / n * np.arange(1, half + 1) / (half - 1))
        angles = np.zeros(n)
        angles[:half] = bend[::-1]
        rest = angles[n - half + 1 :]
        rest[:] = bend[: len(rest)]
        angles[0] -= bend.sum()
        return angles

    def deck_length(self) -> float:
        """Of one block [m]."""
        slopes = np.cumsum(self.deck_angles())
        return float(np.mean(2.0 * HALF_SPAN / self.n_deck / np.cos(slopes)))

    def deck_points(self) -> Floats:
        """The ends of the deck's blocks at the start, x and height [m], shape (n_deck + 1, 2)."""
        slopes = np.cumsum(self.deck_angles())
        steps = self.deck_length() * np.stack([np.cos(slopes), np.sin(slopes)], axis=1)
        start = np.array([[-HALF_SPAN, ANCHOR_HEIGHT]])
        return np.concatenate([start, start + np.cumsum(steps, axis=0)])


def spec(bridge: Bridge | None = None, *, end: float = 5.0, step: float = 0.01) -> SceneSpec:
    """The bridge as a scene, let go where all springs are at rest. Its own weight then stretches the cables."""
    bridge = bridge or Bridge()
    p = bridge.numbers
    upright = Pose() if bridge.up == "y" else Pose(rotation=[np.pi / 2, 0.0, 0.0])
    bodies = [_block(bridge, "ground", (25.0, 0.5, p.tower_depth), (0.0, 0.0, 0.0), None, upright)]
    for side, x in (("R", HALF_SPAN), ("L", -HALF_SPAN)):
        sides = (0.5, ANCHOR_HEIGHT, p.tower_depth)
        frame = Pose(position=(x, 0.0, 0.0))
        bodies.append(_block(bridge, f"anchor.{side}", sides, (0.0, 0.5 * sides[1], 0.0), "ground", frame))
    bodies += _towers(bridge) + _deck(bridge)
    last, length = bridge.deck(bridge.n_deck - 1), bridge.deck_length()
    loop = LoopPoint(
        a=Point(body=last, position=(0.5 * length, 0.0, 0.0)),
        b=Point(body="anchor.R", position=(0.0, 0.5 * ANCHOR_HEIGHT, 0.0)),
        perpendicular_to=(0.0, 0.0, 1.0),
        name=LOOP,
    )
    return SceneSpec(
        name="bridge",
        gravity=(0.0, -GRAVITY, 0.0) if bridge.up == "y" else (0.0, 0.0, -GRAVITY),
        bodies=bodies,
        forces=list(_cables(bridge)),
        constraints=[loop],
        integrator="euler",
        time=TimeSpec(end=end, step=step),
    )


def _block(
    bridge: Bridge, name: str, sides: Vec3, centre: Vec3, parent: str | None, frame: Pose, **joint: float
) -> BodySpec:
    """A cuboid; on a hinge where the joint's coordinate is given, and fixed otherwise."""
    kind = Revolute(axis=(0.0, 0.0, 1.0)) if "q" in joint else Fixed()
    return BodySpec(
        name=name,
        parent=parent,
        shape=Cuboid(sides=sides),
        density=DENSITY,
        damping=bridge.numbers.drag,
        pose=Pose(position=centre),
        joint=JointSpec(type=kind, frame=frame, **joint),  # type: ignore[arg-type]
    )


def _towers(bridge: Bridge) -> list[BodySpec]:
    p = bridge.numbers
    height = TOWER_HEIGHT / bridge.blocks
    sides, centre = (p.tower_width, height, p.tower_depth), (0.0, 0.5 * height, 0.0)
    hinge = {}
    if bridge.towers == "flexible":
        hinge = {"q": 0.0, "stiffness": p.tower_stiffness, "damping": p.tower_damping}
    bodies = []
    for i in range(bridge.blocks):
        for side, x in (("R", TOWER_AT), ("L", -TOWER_AT)):
            parent = bridge.tower(side, i - 1) if i else "ground"
            frame = Pose(position=(0.0, height, 0.0) if i else (x, 0.0, 0.0))
            bodies.append(_block(bridge, bridge.tower(side, i), sides, centre, parent, frame, **hinge))
    return bodies


def _deck(bridge: Bridge) -> list[BodySpec]:
    p, length = bridge.numbers, bridge.deck_length()
    sides, centre = (length, p.deck_thickness, p.deck_width), (0.5 * length, 0.0, 0.0)
    bodies = []
    for i, angle in enumerate(bridge.deck_angles().tolist()):
        frame = Pose(position=(length, 0.0, 0.0) if i else (0.0, ANCHOR_HEIGHT, 0.0))
        parent = bridge.deck(i - 1) if i else "anchor.L"
        hinge = {"q": angle}
        if i:
            hinge |= {"stiffness": p.deck_stiffness, "damping": p.deck_damping}
        bodies.append(_block(bridge, bridge.deck(i), sides, centre, parent, frame, **hinge))
    return bodies


def cable_ends(bridge: Bridge) -> list[tuple[int, float, str]]:
    """Block of the deck, place along it from its hinge [m], and side of the tower, of each cable from left to right."""
    length = bridge.deck_length()
    ends = []
    for k in range(1, CABLES + 1):
        along = k * bridge.n_deck * length / (CABLES + 1)
        block = min(floor(along / length), bridge.n_deck - 1)
        ends.append((block, along - block * length, "L" if k <= CABLES // 2 else "R"))
    return ends


def _cables(bridge: Bridge) -> list[Spring]:
    p, length, points = bridge.numbers, bridge.deck_length(), bridge.deck_points()
    cables = []
    for k, (block, along, side) in enumerate(cable_ends(bridge)):
        on_deck = points[block] + along / length * (points[block + 1] - points[block])
        top = np.array([TOWER_AT if side == "R" else -TOWER_AT, TOWER_HEIGHT])
        rest = float(np.linalg.norm(top - on_deck))
        cables.append(
            Spring(
                points=[
                    Point(body=bridge.deck(block), position=(along - 0.5 * length, 0.0, 0.0)),
                    Point(
                        body=bridge.tower(side, bridge.blocks - 1),
                        position=(0.0, 0.5 * TOWER_HEIGHT / bridge.blocks, 0.0),
                    ),
                ],
                stiffness=p.cable_stiffness / rest,
                damping=p.cable_damping / rest,
                rest_length=rest,
                tangent="axial",
                name=f"cable.{k + 1:02d}",
            )
        )
    return cables


def check(result: Result, bridge: Bridge | None = None, *, gap: float = 1e-4) -> None:
    """Raise AssertionError when a run of the bridge is not physical.

    gap: how far the deck's end may be from its anchor, as a fraction of the span. A bridge that sways, sags without
    end, gains energy or does not come to rest is wrong, whatever its size.
    """
    bridge = bridge or Bridge()
    length = bridge.deck_length()
    height, across = (10, 11) if bridge.up == "y" else (11, 10)
    deck = [result.bodies.index(bridge.deck(i)) for i in range(bridge.n_deck)]
    pose = result.joint_pose[:, deck]
    if not np.isfinite(result.q).all():
        raise AssertionError("bridge: a coordinate is not a number")
    along = pose[:, -1, [0, 3, 6]]
    end = pose[:, -1, 9:] + length * along
    anchor = np.zeros(3)
    anchor[0], anchor[height - 9] = HALF_SPAN, ANCHOR_HEIGHT
    open_by = np.linalg.norm(end - anchor, axis=1)[1:] / (2.0 * HALF_SPAN)
    if open_by.size and open_by.max() > gap:
        raise AssertionError(f"bridge: the deck's end leaves its anchor by {open_by.max():.2g} of the span")
    sway = float(np.abs(pose[:, :, across]).max())
    if sway > 1e-6:
        raise AssertionError(f"bridge: it leaves its plane by {sway:.2g} m")
    total = result.energy.sum(axis=1)
    scale = weight(bridge) * GRAVITY * 0.1
    gain = float((np.maximum.accumulate(total[::-1])[::-1] - total).max()) / scale
    if gain > 0.01:
        raise AssertionError(
            f"bridge: its energy grows by {gain:.1%} of what a tenth of a metre of fall gives"
        )
    y = pose[:, :, height]
    sag = float((y[0] - y).max())
    if sag > 0.1 * HALF_SPAN:
        raise AssertionError(f"bridge: the deck sags by {sag:.2g} m; the cables do not carry it")
    if result.t[-1] - result.t[0] >= 2.0:
        speed = np.abs(np.diff(y[-2:], axis=0)).max() / (result.t[-1] - result.t[-2])
        kinetic = result.energy[:, 0]
        if speed > 0.02 and kinetic[-1] > 0.1 * kinetic.max():
            raise AssertionError(f"bridge: it still moves at {speed:.2g} m/s at the end")
        # block i and its mirror image end where the other begins
        crooked = float(np.abs(y[-1, 1:] - y[-1, :0:-1]).max())
        if crooked > 5e-3 * HALF_SPAN:
            raise AssertionError(f"bridge: its halves differ by {crooked:.2g} m although it is symmetric")


def weight(bridge: Bridge) -> float:
    """Mass of the deck [kg]."""
    p = bridge.numbers
    return DENSITY * bridge.n_deck * bridge.deck_length() * p.deck_thickness * p.deck_width
