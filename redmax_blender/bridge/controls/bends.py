"""What the controls of a limb in IK do to its bones, which depends on how far it is bent.

It is measured once and then learnt from the steps that are taken (Broyden's update), so that a pose costs a few
evaluations of the rig; it is measured again where steps stop to help.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .choose import Channel, Choice
from .posing import PARTS, Floats
from .probe import STEP, Probe

LEARNT = 1e-3
"""Steps smaller than this [rad, lengths] are not learnt from: Blender's single precision would be."""
ALONE = 0.1
"""Nor are steps in which others that move the limb do more than this part of what its own controls do."""


@dataclass
class Limb:
    """One limb in IK: its simulated bones, and the channels that are its own."""

    rows: list[int]
    channels: list[Channel]
    felt: Floats
    """What a unit of each channel does to the bones, in their own frames, shape (n, 7, channels)."""
    fresh: bool = True
    """Whether it was measured in the pose that the rig has."""


@dataclass
class Bends:
    """All limbs in IK of a rig as its switches are now."""

    probe: Probe
    choice: Choice
    limbs: dict[int, Limb] = field(default_factory=dict)

    def grouped(self, channels: Sequence[Channel]) -> dict[int, list[int]]:
        """Which of the channels bend which limb; corrections do not pass through IK."""
        found: dict[int, list[int]] = {}
        giving = {id(channel) for channel in self.choice.first}
        for k, channel in enumerate(channels):
            control = channel.control
            if id(channel) in giving and self.choice.bends(control):
                found.setdefault(self.choice.limbs[control.name], []).append(k)
        return found

    def fill(self, found: Floats, channels: Sequence[Channel], at: dict[int, int], poses: Floats) -> None:
        """Put what the limbs' controls do into a matrix, shape (n, 7, channels)."""
        groups = self.grouped(channels)
        self.measure({n: [channels[k] for k in ks] for n, ks in groups.items() if n not in self.limbs}, poses)
        for number, ks in groups.items():
            limb = self.limbs[number]
            kept = [i for i, row in enumerate(limb.rows) if row in at]
            places = [at[limb.rows[i]] for i in kept]
            found[np.ix_(places, range(PARTS), ks)] = limb.felt[kept]

    def measure(self, wanted: dict[int, list[Channel]], poses: Floats) -> None:
        """Move the channels of limbs a little: all limbs at once, one channel of each after the other."""
        scale = self.probe.scale
        for number, channels in wanted.items():
            rows = sorted({row for c in channels for row in c.control.rows if row in self.choice.ik_rows})
            self.limbs[number] = Limb(rows, channels, np.zeros((len(rows), PARTS, len(channels))))
        for turn in range(max((len(channels) for channels in wanted.values()), default=0)):
            by = {}
            for channels in wanted.values():
                if turn < len(channels):
                    twist = np.zeros(6)
                    component = channels[turn].component
                    twist[component] = STEP * scale[component]
                    by[channels[turn].control.name] = twist
            felt = self.probe.moved(by, poses, self.probe.at) / STEP / self.probe.felt
            for number, channels in wanted.items():
                if turn < len(channels):
                    limb, moved = self.limbs[number], set(channels[turn].control.rows)
                    for i, row in enumerate(limb.rows):
                        if row in moved:
                            limb.felt[i, :, turn] = felt[row]

    def learn(
        self, channels: Sequence[Channel], step: Floats, matrix: Floats, way: Floats, at: dict[int, int]
    ) -> None:
        """From a step of the channels and the twists that it gave, shapes (channels,) and (n, 7).

        matrix: what was expected of a unit of each channel, shape (n, 7, channels).
        """
        blind = [
            k
            for k, channel in enumerate(channels)
            if any(self.choice.blind(channel.control, row) for row in channel.control.rows)
        ]
        others = float(np.linalg.norm(step[blind]))
        for number, ks in self.grouped(channels).items():
            limb, own = self.limbs[number], step[ks]
            limb.fresh = False
            size = float(own @ own)
            if size < LEARNT**2 or others**2 > ALONE**2 * size:
                continue
            for i, row in enumerate(limb.rows):
                if row in at:
                    missed = way[at[row]] - matrix[at[row]] @ step
                    limb.felt[i] += np.outer(missed, own) / size

    def forget(self) -> bool:
        """Measure anew what was not measured here; whether there is any such limb."""
        old = [number for number, limb in self.limbs.items() if not limb.fresh]
        for number in old:
            del self.limbs[number]
        return bool(old)
