"""How much friction the surfaces inside joints and loops can give, from what presses them together in a step."""

from __future__ import annotations

import numpy as np

from ...constraints.active import ActiveRows
from ...model.records import Floats, Ints, Model
from ...solvers.coupled import Coupled
from ...solvers.implicit_system import ImplicitSystem
from ...tree.momentum import link_impulses
from ..blocks import Blocks
from ..contacts.flesh_rows import FleshRows
from ..memory import DryMemory
from .arrays import Friction
from .loop_rows import loop_loads
from .rows import joint_loads
from .settle import relax

_SLIDES = 1e-9
"""A surface slides that is faster than this fraction of the fastest coordinate."""


class JointBounds:
    """The bounds of one step, over the rounds in which they and the impulses are found in turn."""

    def __init__(
        self,
        model: Model,
        friction: Friction,
        system: ImplicitSystem,
        h: float,
        coupled: Coupled | None,
        soft: FleshRows | None,
    ) -> None:
        self.model, self.friction, self.system = model, friction, system
        self.coupled, self.soft = coupled, soft
        self.mu: Floats = np.concatenate([friction.rubs.mu, friction.loops.mu])
        self.F = link_impulses(system, h)
        self.guess: Floats = np.zeros(len(self.mu))
        self.begin()

    @staticmethod
    def of(
        model: Model,
        system: ImplicitSystem,
        h: float,
        coupled: Coupled | None = None,
        soft: FleshRows | None = None,
    ) -> JointBounds | None:
        """For a step of h [s]; null where nothing rubs inside joints.

        coupled: bones with their flesh, which pulls at the links. soft: what touches that flesh.
        """
        friction = model.friction
        if friction is None or not (len(friction.rubs) or len(friction.loops)):
            return None
        return JointBounds(model, friction, system, h, coupled, soft)

    def begin(self) -> None:
        """Let the next round be the first."""
        self.rounds, self.weight, self.missed = 0, 1.0, np.zeros(len(self.mu))

    def restart(self, blocks: Blocks) -> None:
        """Go back to the bounds of the first round."""
        blocks.bound[blocks.rubs.start : blocks.loops.stop] = self.guess
        self.rounds, self.weight = 0, 1.0

    def update(
        self,
        rows: ActiveRows | None,
        blocks: Blocks,
        value: Floats,
        qdot: Floats,
        memory: DryMemory,
        tolerance: float,
    ) -> float:
        """Bounds that follow from impulses and velocities; what they were missed by, as a fraction of the largest.

        A surface that sticks has the coefficient at rest until it is found to slide.
        """
        own = slice(blocks.rubs.start, blocks.loops.stop)
        bound = blocks.bound[own]
        mu = np.where(memory.at_rest, self.mu[:, 1], self.mu[:, 0])
        found = mu * self._loads(rows, blocks, value, qdot)
        largest = float(found.max(initial=0.0))
        change = float(np.abs(found - bound).max(initial=0.0)) / largest if largest > 0.0 else 0.0
        if self.rounds == 0:
            self.guess = bound.copy()
        self.rounds += 1
        self.weight = relax(found, self.rounds, self.weight, self.missed, bound)
        if change <= tolerance:
            first = blocks.first[own.start : own.stop]
            least = _SLIDES * (float(np.abs(qdot).max(initial=0.0)) + 1e-12)
            slides = np.abs(blocks.others[first] @ qdot) > least
            if np.any(memory.at_rest & slides & (self.mu[:, 0] != self.mu[:, 1])):
                change = 1.0  # the coefficient of motion counts from now on
                memory.at_rest &= ~slides
            else:
                memory.at_rest = ~slides
        return change

    def _loads(self, rows: ActiveRows | None, blocks: Blocks, value: Floats, qdot: Floats) -> Floats:
        """Largest friction over μ of each pair of surfaces, in joints and then in loops, shape (n,)."""
        pushes: list[tuple[Ints, Floats, Floats]] = []
        if rows is not None and rows.maximal is not None:
            index = rows.index
            pushes.append((rows.maximal.link[index], rows.maximal.G[index], value[: len(index)]))
        if blocks.loop is not None and len(blocks.loop[0]):
            a, b = blocks.first[blocks.loops.start], blocks.first[blocks.loops.stop]
            pushes.append((*blocks.loop, value[a:b]))
        if blocks.contact is not None:
            pushes.append((blocks.contact.link, blocks.contact.G, value[blocks.contacts]))
        F = self.F
        if self.coupled is not None and len(self.friction.rubs):
            F = F + self._flesh(self.coupled, value[blocks.contacts], qdot)
        inside = joint_loads(self.model, self.system, self.friction.rubs, F, pushes, qdot)
        return np.concatenate([inside, loop_loads(self.friction.loops, rows, value)])

    def _flesh(self, coupled: Coupled, touch: Floats, qdot: Floats) -> Floats:
        """Impulses of flesh on the links [N·m·s, N·s], with those of contacts, shape (nl, 6)."""
        if self.soft is None:
            return coupled.link_impulses(qdot, None, None)
        return coupled.link_impulses(qdot, self.soft.pushed(touch), self.soft.held_impulses(touch))
