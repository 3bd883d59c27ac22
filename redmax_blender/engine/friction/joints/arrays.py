"""What rubs inside joints, and motors, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from ...model.curves import Curves
from ...model.records import Floats, Ints


class Rub(IntEnum):
    """Shape of the two surfaces that rub inside a joint."""

    CYLINDER = 0
    """A pin in a bearing: turns about its axis, and is pressed against its side and its two end faces."""
    SLEEVE = 1
    """A rod in a round sleeve: slides along its axis, and is pressed against the two ends of the sleeve."""
    BOX_SLEEVE = 2
    """The same with a rectangular rod, pressed at its eight corners."""
    BALL = 3
    """A ball in a socket."""
    PLATE = 4
    """Two plates that slide on each other."""


@dataclass(frozen=True)
class Rubs:
    """n pairs of surfaces that rub, each in one link of a joint."""

    joint: Ints
    """The joint that each belongs to, shape (n,)."""
    shape: Ints
    """`Rub`, shape (n,)."""
    link: Ints
    """shape (n,)."""
    dof: Ints
    """The first of its coordinates, shape (n,)."""
    dofs: Ints
    """How many coordinates move it: 1, 2 for a plate, 3 for a ball; shape (n,)."""
    size: Floats
    """Radius and height, or the three sides of a box [m], shape (n, 3)."""
    mu: Floats
    """Coefficients in motion and at rest, shape (n, 2)."""
    points: int = 0
    """Points on each rim of a cylinder or sleeve that carry its load; 0 spreads it evenly all around."""

    def __len__(self) -> int:
        return len(self.link)


@dataclass(frozen=True)
class LoopRubs:
    """n pairs of surfaces that rub in joints which close loops."""

    constraint: Ints
    """shape (n,)."""
    shape: Ints
    """`Rub`, shape (n,)."""
    link: Ints
    """The two links, -1 for the world, shape (n, 2)."""
    x: Floats
    """Centre of the joint in both joint frames, or in the world [m], shape (n, 2, 3)."""
    axis: Floats
    """Its axis, likewise, shape (n, 2, 3)."""
    slides: Ints
    """1 where it slides along its axis, 0 where it turns about it, shape (n,)."""
    size: Floats
    mu: Floats

    def __len__(self) -> int:
        return len(self.constraint)


@dataclass(frozen=True)
class Motors:
    """Coordinates that are driven towards a speed by a torque within bounds; n of them."""

    speed: Curves
    """[rad/s, m/s], and the coordinate of each."""
    torque: Floats
    """Largest, either way [N·m, N], shape (n,)."""


@dataclass(frozen=True)
class StopRubs:
    """n coordinates that rub against a stop of another coordinate of their joint."""

    limit: Ints
    """The stop, shape (n,)."""
    dof: Ints
    """The coordinate that rubs there, shape (n,)."""
    mu: Floats
    """Largest friction over what presses on the stop, each a force or a torque [1, m, 1/m], shape (n,)."""

    def __len__(self) -> int:
        return len(self.limit)


_NO_STOPS = StopRubs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


@dataclass(frozen=True)
class Friction:
    """All that is dry or bounded inside the joints of a scene."""

    rubs: Rubs
    loops: LoopRubs
    motors: Motors
    stops: StopRubs = _NO_STOPS
    in_tree: bool = field(init=False)
    """Whether the recursion takes it by itself: single coordinates, no loops, and no stops that rub."""

    def __post_init__(self) -> None:
        single = bool(np.all(self.rubs.dofs == 1)) and not len(self.loops) and not len(self.stops)
        object.__setattr__(self, "in_tree", single)
