"""What dry friction hands from one step to the next, and what it tells about a step."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..contact.contacts import Contacts
from ..model.records import Floats, Ints, Model
from .sleep import Sleepers


def _floats() -> Floats:
    return np.zeros(0)


def _ints() -> Ints:
    return np.zeros(0, np.int64)


@dataclass
class DryMemory:
    """Warm starts of friction; empty before the first step."""

    bound: Floats = field(default_factory=_floats)
    """Largest friction impulse of the surfaces inside joints, then of those in loops [N·m·s, N·s], shape (n,)."""
    trend: Floats = field(default_factory=lambda: np.zeros((3, 0)))
    """How the bounds changed in the last three steps that the kernel of trees took, the latest first, shape (3, n)."""
    at_rest: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    """Which of them stick, shape (n,)."""
    inner: Floats = field(default_factory=_floats)
    """Impulses of friction and motors inside joints."""
    motor: Floats = field(default_factory=_floats)
    """Impulses of motors, where something touches."""
    bonds: Floats = field(default_factory=_floats)
    """Impulses of loops, gears, ropes and springs between links."""
    held: Floats = field(default_factory=_floats)
    """Impulses of friction, motors and stops in a tree with loops, and of the pins of these; by how much the loops had
    come open when the step's end was put onto them, and how that had changed in the last three steps [m, rad]; and what
    part of a misfit of the bounds the next round had left."""
    owner: Ints = field(default_factory=_ints)
    """Constraints that the last rows belonged to, and their impulses."""
    row_value: Floats = field(default_factory=_floats)
    keys: Ints = field(default_factory=_ints)
    """Of the last contacts, in increasing order, shape (nc,); and their impulses in the world [N·s], shape (nc, 3)."""
    impulse: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    place: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    """Where they were, on side 0, in the world [m], shape (nc, 3)."""
    sleepers: Sleepers | None = None

    def scale(self, by: float) -> None:
        """Impulses for a step that is so many times as long as the last."""
        self.impulse, self.row_value = by * self.impulse, by * self.row_value
        self.bound, self.inner = by * self.bound, by * self.inner
        self.motor, self.bonds = by * self.motor, by * self.bonds

    def prepare(self, model: Model) -> Sleepers:
        """Sizes for a model; everything sticks before the first step, and nothing sleeps."""
        if self.sleepers is not None and self.sleepers.model is model:
            return self.sleepers
        n = 0 if model.friction is None else len(model.friction.rubs) + len(model.friction.loops)
        if len(self.bound) != n:
            self.bound, self.trend, self.at_rest = np.zeros(n), np.zeros((3, n)), np.ones(n, bool)
        self.sleepers = Sleepers(model)
        return self.sleepers


@dataclass
class DryReport:
    """What friction, motors and contacts did in a step."""

    rounds: int = 0
    """How often bounds and friction were found in turn."""
    passes: int = 0
    """Linear solves that this took."""
    sweeps: int = 0
    """Sweeps of Gauss-Seidel, where they did not settle by themselves."""
    change: float = 0.0
    """Last change of the bounds, as a fraction of the largest: above the tolerance where they did not settle."""
    residual: float = 0.0
    """Of the impulses, as a fraction of the largest."""
    shift: float = 0.0
    """Last change of the friction bounds of contacts, as a fraction of the largest."""
    blur: float = 0.0
    """Velocity that rows may miss for that [m/s, rad/s]."""
    force: Floats = field(default_factory=_floats)
    """Friction in each coordinate over the step [N·m, N], shape (nr,)."""
    bound: Floats = field(default_factory=_floats)
    """Largest friction impulse of each pair of surfaces that the step had, in joints and then in loops [N·m·s, N·s],
    shape (n,); empty where the memory has it."""
    loop: Floats = field(default_factory=_floats)
    """Size of the friction of each pair of surfaces in loops [N·m, N], shape (n,)."""
    loop_rows: Floats = field(default_factory=_floats)
    """The same along the rows of `loop_rows.loop_rows` [N·m, N], shape (m,); empty where the kernel of trees told."""
    motor: Floats = field(default_factory=_floats)
    """Force of each motor [N·m, N]."""
    contacts: Contacts | None = None
    """At the step's start, without those between things that sleep or stay."""
    asleep: int = 0
    """Number of trees that sleep."""
    impulse: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    """On side 0 of each contact, in the world [N·s], shape (nc, 3)."""
    touched: bool = False
    """Whether an earlier part of a divided step had contacts, or the contacts are not told."""

    @property
    def touches(self) -> bool:
        """Whether there were contacts."""
        return self.touched or (self.contacts is not None and len(self.contacts) > 0)
