"""Channels of controls that bring the simulated bones into given poses: Newton's method on the rig itself.

What a control does is known from `probe`; limbs in IK are learnt on the way (`bends`). Where the controls that were
chosen cannot reach the pose, as a rig that twists a forearm along its length, the others correct the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from .bends import Bends
from .choose import FEW, Channel, Choice
from .posing import PARTS, Channels, Floats, Posing, carried, twists
from .probe import Probe

REACHED = 3e-5
"""Largest error of a bone that is left as it is, as a fraction of the rig's size."""
PASSES = 10
DAMPING = 1e-5
"""Of a Newton step, so that channels which do nothing in a pose stay."""
CORRECTION = 1e-4
"""Likewise where all channels correct what is left, many of which do the same."""
STRIDE = 0.6
"""Largest change of a channel in one step [rad, lengths]: beyond it the rig is not as it was probed."""
GAIN = 0.7
"""A step that leaves more than this part of the error is one of the last."""
HOPED = 0.5
"""Unless it should have left less than this: then what the limbs in IK do is measured again."""


@dataclass
class Solver:
    """One rig as its switches are now."""

    probe: Probe
    choice: Choice
    moving: list[int]
    """Rows that the chosen channels give."""
    checked: list[int]
    """Rows whose pose counts in the end."""
    size: float
    """Of the rig [units]."""
    lengths: Floats
    """Of the simulated bones [units]."""
    more: list[Channel] = field(default_factory=list)
    """What has been needed so far for corrections."""

    def __post_init__(self) -> None:
        self.bends = Bends(self.probe, self.choice)

    @property
    def posing(self) -> Posing:
        return self.probe.posing

    def solve(self, wanted: Floats) -> float:
        """Bring the rows to poses, shape (nb, 4, 4); returns what is left of the error, in sizes of the rig."""
        left = self.newton(wanted, self.choice.first, self.moving, DAMPING)
        straight = [c for c in self.choice.first if not self.choice.turns_ik(c.control)]
        for _ in range(2):
            off = self.off(wanted)
            if not off:
                break
            if self.more:
                left = self.newton(wanted, [*straight, *self.more], self.checked, CORRECTION)
                off = self.off(wanted)
            if off and self.find_near(off):
                left = self.newton(wanted, [*straight, *self.more], self.checked, CORRECTION)
        return max(left, self.error(wanted, self.checked))

    def off(self, wanted: Floats) -> list[int]:
        """Rows that are not in place."""
        errors = self.errors(self.residual(self.posing.poses(), wanted, self.checked), self.checked)
        return [row for row, error in zip(self.checked, errors) if error > REACHED]

    def find_near(self, off: list[int]) -> bool:
        """Add what is left of the chosen controls, and tweaks: what moves one of these bones, and few others."""
        chosen = {channel.control.name for channel in self.choice.first}
        return self.add(
            channel
            for channel in self.choice.rest
            if not self.choice.turns_ik(channel.control)
            and (len(channel.control.rows) <= FEW or channel.control.name in chosen)
            and not set(channel.control.rows).isdisjoint(off)
        )

    def add(self, channels: Iterable[Channel]) -> bool:
        known = {id(channel) for channel in self.more}
        new = [channel for channel in channels if id(channel) not in known]
        self.more += new
        return bool(new)

    def error(self, wanted: Floats, rows: Sequence[int]) -> float:
        return float(self.errors(self.residual(self.posing.poses(), wanted, rows), rows).max(initial=0.0))

    def residual(self, poses: Floats, wanted: Floats, rows: Sequence[int]) -> Floats:
        """Twists from where bones are to where they should be, in radians and lengths, shape (n, 7)."""
        at = [self.probe.at[i] for i in rows]
        return twists(poses[at], wanted[list(rows)]) / self.probe.felt

    def errors(self, residual: Floats, rows: Sequence[int]) -> Floats:
        """How far bones are from where they should be, at either end or beside, in sizes of the rig, shape (n,)."""
        angles, ways = np.linalg.norm(residual[:, :3], axis=1), np.linalg.norm(residual[:, 3:], axis=1)
        return np.asarray((angles * self.lengths[list(rows)] + ways * self.probe.length) / self.size)

    def newton(
        self, wanted: Floats, channels: Sequence[Channel], rows: Sequence[int], damping: float
    ) -> float:
        at = {row: i for i, row in enumerate(rows)}
        poses = self.posing.poses()
        residual = self.residual(poses, wanted, rows)
        now = best = float(np.linalg.norm(residual))
        places = [self.probe.at[i] for i in rows]
        kept, slow = self.channels(channels), 0
        for _ in range(PASSES):
            if self.errors(residual, rows).max() < REACHED or slow > 1:
                break
            matrix = self.matrix(channels, at, poses)
            step = self.step(matrix, residual, damping)
            expected = float(np.linalg.norm(residual - matrix @ step))
            self.move(self.channels(channels), channels, step)
            moved = self.posing.poses()
            way = twists(poses[places], moved[places]) / self.probe.felt
            self.bends.learn(channels, step, matrix, way, at)
            poses, residual = moved, self.residual(moved, wanted, rows)
            now = float(np.linalg.norm(residual))
            if now > GAIN * best:
                slow = 0 if expected < HOPED * best and self.bends.forget() else slow + 1
            else:
                slow = 0
            if now < best:
                best, kept = now, self.channels(channels)
        if now > best:
            self.probe.put_back(kept)
            residual = self.residual(self.posing.poses(), wanted, rows)
        return float(self.errors(residual, rows).max())

    def step(self, matrix: Floats, residual: Floats, damping: float) -> Floats:
        """Of all channels, shape (channels,)."""
        flat = matrix.reshape(-1, matrix.shape[2])
        square = flat.T @ flat + damping * np.eye(flat.shape[1])
        return np.clip(np.linalg.solve(square, flat.T @ residual.ravel()), -STRIDE, STRIDE)

    def channels(self, channels: Sequence[Channel]) -> dict[str, Channels]:
        return {name: self.posing.read(name) for name in {c.control.name for c in channels}}

    def move(self, last: dict[str, Channels], channels: Sequence[Channel], step: Floats) -> None:
        """Move controls from where they were by components of their own twists."""
        by = {name: np.zeros(6) for name in last}
        for channel, amount in zip(channels, step):
            by[channel.control.name][channel.component] = amount * self.probe.scale[channel.component]
        for name, twist in by.items():
            self.posing.write(name, last[name].moved(twist))

    def matrix(self, channels: Sequence[Channel], at: dict[int, int], poses: Floats) -> Floats:
        """What a unit of each channel does to the rows, shape (n, 7, channels); at: their places among the n."""
        scale = self.probe.scale
        found = np.zeros((len(at), PARTS, len(channels)))
        blocks: dict[str, tuple[list[int], Floats]] = {}
        for k, channel in enumerate(channels):
            control = channel.control
            if control.name not in blocks:
                used = [
                    j
                    for j, row in enumerate(control.rows)
                    if row in at and not self.choice.blind(control, row)
                ]
                bones = poses[[self.probe.at[control.rows[j]] for j in used]]
                rigid = carried(poses[self.posing.column[control.name]], bones)
                blocks[control.name] = ([at[control.rows[j]] for j in used], control.answers[used] @ rigid)
            places, felt = blocks[control.name]
            found[places, :, k] = felt[:, :, channel.component] * scale[channel.component] / self.probe.felt
        self.bends.fill(found, channels, at, poses)
        return found
