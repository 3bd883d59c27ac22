"""What each control moves, found by moving it a little: rigs do in drivers and constraints what no graph says.

The answer of a bone to a control is kept as a map from the twist that the bone would have if it were fixed to the
control to the one that it has, both in the bone's frame. It is the identity for what hangs on the control, and for a
bone that stretches to it it says what its tip does: in either case it stays true when the rig takes another pose.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..rig.rig import carried_deform_bones
from .graph import Graph, is_control
from .posing import PARTS, Channels, Floats, Posing, carried, is_connected, twists

STEP = 2e-3
"""Of a control that is probed [rad], and as a fraction of a bone's length: far above Blender's single precision."""
FELT = 0.02
"""A bone that moves less than this, compared with the control, does not move."""
RIGID = 0.02
"""Largest deviation from the identity of the answer of a bone that hangs on a control."""
FOLLOWS = 0.2
"""Likewise of a bone that follows a control through IK."""
SAMPLE = np.array([0.7, -0.5, 0.6, 0.5, 0.6, -0.7])
"""A twist without symmetry, by which it is found which bones a control moves."""


@dataclass
class Control:
    """A bone that may be keyed, and what it does."""

    name: str
    free: list[int]
    """Components of its own twist that are not locked."""
    moves: set[str]
    """All bones that it moves."""
    rows: list[int]
    """Which of the simulated bones it moves."""
    answers: Floats
    """Their answers, shape (n, 7, 6)."""
    rigid: NDArray[np.bool_]
    """Which of them hang on it, as far as its locks go, shape (n,)."""

    following: set[int] = field(default_factory=set)
    """Rows that move nearly as if they hung on it: IK is not solved to the end."""

    @property
    def hanging(self) -> set[int]:
        return {row for row, rigid in zip(self.rows, self.rigid) if rigid}


class Probe:
    """Moves the controls of a rig a little, one after the other, in the pose that it has."""

    def __init__(self, posing: Posing, rows: Sequence[str], length: float) -> None:
        """rows: the simulated bones; length: what is long in this rig [units]."""
        self.posing, self.rows, self.length = posing, list(rows), length
        self.at = [posing.column[name] for name in rows]
        self.scale = np.array([1.0, 1.0, 1.0, length, length, length])
        """Of the components of a control's twist."""
        self.felt = np.append(self.scale, length)
        """Of what is done to a bone."""

    def controls(self, graph: Graph, moving: Collection[str]) -> list[Control]:
        """All that may be keyed for the `moving` ones of the simulated bones, and that moves nothing else."""
        found = []
        still = self.posing.poses()
        others = self.left_alone()
        for name in self.candidates(graph, moving):
            free = self.posing.free(name)
            moves = self.reach(name, free, still)
            rows = [i for i, row in enumerate(self.rows) if row in moves]
            if free and rows and others.isdisjoint(moves):
                found.append(
                    Control(name, free, moves, rows, np.zeros((0, PARTS, 6)), np.zeros(0, dtype=bool))
                )
        self.answer(found, still)
        return [control for control in found if control.rows]

    def candidates(self, graph: Graph, moving: Collection[str]) -> list[str]:
        """Controls in front of the moving bones, and those of these bones that follow nothing."""
        bones, simulated = self.posing.obj.pose.bones, set(self.rows)
        above = set().union(*(graph.upstream(name) for name in moving)) & set(self.posing.names)
        shapes = any(bone.custom_shape is not None for bone in bones)
        plain = [
            name for name in moving if not all(bones[name].lock_rotation) and not bones[name].constraints
        ]
        return [
            *(
                name
                for name in self.posing.names
                if name in above and is_control(bones[name], simulated, shapes)
            ),
            *plain,
        ]

    def left_alone(self) -> set[str]:
        """Deform bones that are not simulated and hang on nothing that is: no control that moves them is keyed."""
        obj = self.posing.obj
        deform = {bone.name for bone in obj.pose.bones if bone.bone.use_deform}
        return deform - set(self.rows) - carried_deform_bones(obj)

    def reach(self, name: str, free: Sequence[int], still: Floats) -> set[str]:
        """Names of the bones that move when a control moves as its locks let it."""
        twist = np.zeros(6)
        twist[list(free)] = (SAMPLE * self.scale)[list(free)]
        felt = self.moved({name: STEP * twist}, still, range(len(still))) / STEP / self.felt
        return {self.posing.names[i] for i in np.flatnonzero(np.abs(felt).max(axis=1) > FELT)}

    def moved(self, by: dict[str, Floats], still: Floats, which: Sequence[int] | range) -> Floats:
        """Twists of bones when controls are moved by twists of their own, shape (n, 7); all is put back."""
        before = {name: self.posing.read(name) for name in by}
        for name, twist in by.items():
            self.posing.write(name, before[name].moved(twist), locks=False)
        after = self.posing.poses()
        self.put_back(before)
        which = list(which)
        return twists(still[which], after[which])

    def put_back(self, before: dict[str, Channels]) -> None:
        for name, channels in before.items():
            self.posing.write(name, channels, locks=False)

    def answer(self, controls: list[Control], still: Floats) -> None:
        """Find the answers of all rows; controls that share none of them are moved at once."""
        for group in apart(controls):
            felt = np.zeros((len(self.rows), PARTS, 6))
            for k in range(6):
                twist = np.zeros(6)
                twist[k] = STEP * self.scale[k]
                felt[:, :, k] = self.moved({c.name: twist for c in group}, still, self.at) / twist[k]
            for control in group:
                self.fill(control, felt[control.rows], still)

    def fill(self, control: Control, felt: Floats, still: Floats) -> None:
        bones = still[[self.at[i] for i in control.rows]]
        rigid = carried(still[self.posing.column[control.name]], bones)
        units = self.scale / self.felt[:, None]
        off = np.abs(felt * units)
        off[:, :6] = np.abs((felt[:, :6] - rigid) * units[:6])
        off = off[:, :, control.free]
        size = np.maximum(np.abs(rigid * units[:6])[:, :, control.free].max(axis=(1, 2)), 1.0)
        control.rigid = off.max(axis=(1, 2)) < RIGID * size
        near = off.max(axis=(1, 2)) < FOLLOWS * size
        control.following = {row for row, follows in zip(control.rows, near) if follows}
        if is_connected(self.posing.obj.pose.bones[control.name]):  # it has no location: as if it hung on it
            felt[:, :6, 3:], felt[:, 6, 3:] = rigid[:, :, 3:], 0.0
        control.answers = felt @ np.linalg.inv(rigid)
        control.answers[control.rigid] = np.eye(PARTS, 6)


def apart(controls: Sequence[Control]) -> list[list[Control]]:
    """Groups of controls that move no bone in common."""
    groups: list[tuple[list[Control], set[int]]] = []
    for control in sorted(controls, key=lambda c: -len(c.rows)):
        rows = set(control.rows)
        for group, taken in groups:
            if taken.isdisjoint(rows):
                group.append(control)
                taken |= rows
                break
        else:
            groups.append(([control], rows))
    return [group for group, _ in groups]
