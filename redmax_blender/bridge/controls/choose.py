"""Which channels of which controls are keyed: as few as move the simulated bones in every way that they move.

Controls that carry most come first (the torso before the spine, an upper arm before its tweak), and a channel is taken
only if it does what those before it cannot. The others, tweaks above all, stay for what is left over.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import bpy
import numpy as np

from .graph import Graph, read_bones
from .helpers import helpers_of
from .posing import Floats, carried
from .probe import FELT, Control, Probe

NEW = 0.3
"""A channel is taken when a radian of it, or a length of the rig, turns joints by more than this [rad] in a way that
those before it do not."""

FEW = 8
"""A control that moves no more simulated bones than this is a tweak."""

STAYING = ("FIXED", "REVOLUTE", "UNIVERSAL", "SPHERICAL")
"""Joints whose bones stay at a point."""

Carriers = Mapping[str, bpy.types.PoseBone | None]


@dataclass
class Channel:
    """One component of a control's twist."""

    control: Control
    component: int


@dataclass
class Choice:
    """What is keyed in a rig as its switches are now."""

    controls: list[Control]
    first: list[Channel]
    """They give the pose."""
    rest: list[Channel]
    """They may correct what the others cannot do."""
    limbs: dict[str, int] = field(default_factory=dict)
    """Controls of limbs in IK, and the number of the limb."""
    ik_rows: set[int] = field(default_factory=set)
    """Simulated bones that IK turns: how they answer depends on how far the limb is bent."""

    chains: set[str] = field(default_factory=set)
    """Bones that IK turns."""

    def hidden(self, control: Control, row: int) -> bool:
        """Whether what a control does to a bone is never told apart from what the bone's own limb does."""
        return row in self.ik_rows and control.name not in self.limbs

    def blind(self, control: Control, row: int) -> bool:
        """Whether what a control does to a bone does not count.

        It is left to the controls of the bone's own limb; of these, a target that bones follow is placed by these
        bones alone, and the limb bends as it has to: of one that is nearly straight, no step would say how far.
        """
        followers = self.followers(control)
        return self.hidden(control, row) or (bool(followers) and row not in followers)

    def turns_ik(self, control: Control) -> bool:
        """Whether a control moves bones that IK turns, as targets and poles do."""
        return control.name in self.limbs and not self.chains.isdisjoint(control.moves)

    def followers(self, control: Control) -> set[int]:
        """Bones that follow an IK control, and so say where it has to be."""
        if not self.turns_ik(control):
            return set()
        return control.following - self.ik_rows or control.hanging & self.ik_rows

    def bends(self, control: Control) -> bool:
        """Whether what a control does depends on how far its limb is bent, as that of a pole."""
        return self.turns_ik(control) and not self.followers(control)


def choose(
    probe: Probe, graph: Graph, carriers: Carriers, moving: Collection[str], controls: list[Control]
) -> Choice:
    still = probe.posing.poses()
    rows = [i for i, name in enumerate(probe.rows) if name in moving]
    choice = Choice(list(controls), [], [])
    choice.chains = set(graph.in_chain)
    choice.ik_rows = {i for i in range(len(probe.rows)) if graph.in_ik(probe.rows[i])}
    targets, poles = limbs_of(choice, probe, graph, carriers)
    places = {control.name for control in roots(choice, probe, carriers, rows, targets)}
    joints = Joints(probe, carriers, rows, still)
    held = {
        i: probe.rows.index(above.name)
        for i, name in enumerate(probe.rows)
        if name not in moving and (above := carriers.get(name)) is not None and above.name in probe.rows
    }

    masters = {c.name for c in controls if all(o.name in c.moves or c.name in o.moves for o in controls)}

    def order(control: Control) -> tuple[bool, bool, bool, bool, int, int]:
        """Controls that place something first; late those that turn about one axis only, as tweaks and twists, or bend
        what is held; last what moves all others, the nearest of them first."""
        above = control.name in masters - places
        bends = any(row in held and held[row] not in control.rows for row in control.rows)
        most = len(control.hanging & set(rows))
        handle = not {0, 1, 2} <= set(control.free)
        moves = len(control.moves)
        return above, control.name not in placing, handle, bends, -most, moves if above else -moves

    def take(control: Control, able: Sequence[int]) -> list[Channel]:
        effects = {k: effect(choice, probe, control, k, still) for k in able}
        # What moves bones only together with those that are held on their carriers, as a palm does, is no joint's.
        columns = {k: joints.turns(felt) for k, felt in effects.items() if joints.turned(felt) > NEW}
        return [Channel(control, k) for k in span.take(columns)]

    placing = places | targets | poles
    span = Span()
    for control in sorted(controls, key=order):
        able = [k for k in control.free if k < 3 or control.name in placing]
        taken = take(control, able)
        if control.name in placing:  # a straight limb does not show that its target may come nearer
            felt = {k: joints.turned(effect(choice, probe, control, k, still)) for k in able}
            taken = [Channel(control, k) for k in able if k >= 3 or felt[k] > FELT]
        choice.first += taken
    for control in controls:  # as tweaks that bend a neck
        if not joints.out_of_reach(span).isdisjoint(control.rows) and len(control.rows) <= FEW:
            able = [k for k in control.free if k >= 3]
            choice.first += take(control, able)
    for row in joints.out_of_reach(span):
        for helper in helpers_of(probe, graph, row, {*probe.rows, *(c.name for c in choice.controls)}):
            new = take(helper, helper.free)
            choice.first += new
            if new:
                choice.controls.append(helper)
                break
    taken = {(channel.control.name, channel.component) for channel in choice.first}
    choice.rest = [
        Channel(control, component)
        for control in controls
        for component in control.free
        if (control.name, component) not in taken
    ]
    return choice


class Joints:
    """What moves in the joints when bones move: turns of each against its carrier, and all of bones without one."""

    def __init__(self, probe: Probe, carriers: Carriers, rows: Sequence[int], poses: Floats) -> None:
        self.rows = list(rows)
        column = {name: i for i, name in enumerate(probe.rows)}
        self.carrier = []
        self.held_on = [
            column.get(above.name, -1) if (above := carriers.get(probe.rows[i])) is not None else -1
            for i in rows
        ]
        for row in rows:  # what is held on a bone counts as the bone
            above = carriers.get(probe.rows[row])
            while above is not None and column.get(above.name, -1) not in rows:
                above = carriers.get(above.name)
            self.carrier.append(-1 if above is None else column[above.name])
        self.axes = poses[probe.at, :3, :3]

    def turns(self, felt: Floats) -> Floats:
        """From twists of the simulated bones, shape (nb, 6), in one row."""
        turned = np.einsum("nij,nj->ni", self.axes, felt[:, :3])
        found = []
        for row, carrier in zip(self.rows, self.carrier):
            found += [turned[row] - turned[carrier]] if carrier >= 0 else [turned[row], felt[row, 3:]]
        return np.concatenate(found)

    def turned(self, felt: Floats) -> float:
        """Largest turn [rad] of a joint, or way of a root, between bones as they carry each other, held ones or not."""
        turned = np.einsum("nij,nj->ni", self.axes, felt[:, :3])
        ways = [
            turned[row] - turned[above] if above >= 0 else felt[row]
            for row, above in zip(self.rows, self.held_on)
        ]
        return max(float(np.abs(way).max()) for way in ways)

    def out_of_reach(self, span: Span) -> set[int]:
        """Simulated bones that nothing which was taken turns in every way."""
        done = np.sum(span.basis**2, axis=0) if len(span.basis) else np.zeros(1)
        missing, at = set(), 0
        for row, carrier in zip(self.rows, self.carrier):
            turns = done[at : at + 3] if len(span.basis) else np.zeros(3)
            if 1.0 - float(turns.min()) > NEW**2:
                missing.add(row)
            at += 3 if carrier >= 0 else 6
        return missing


class Span:
    """Columns that were taken, orthonormal."""

    def __init__(self) -> None:
        self.basis = np.zeros((0, 0))

    def take(self, columns: dict[int, Floats]) -> list[int]:
        """Of a control's columns those that are new, in the order of how new they are."""
        taken, left = [], dict(columns)
        while left:
            news = {k: self.new(column) for k, column in left.items()}
            best = max(news, key=lambda k: float(np.linalg.norm(news[k])))
            size = float(np.linalg.norm(news[best]))
            if size < NEW:
                break
            line = news[best][None] / size
            self.basis = np.vstack([self.basis, line]) if len(self.basis) else line
            taken.append(best)
            del left[best]
        return taken

    def new(self, column: Floats) -> Floats:
        """What is left of a column without what was taken."""
        left = column
        for _ in range(2 if len(self.basis) else 0):  # twice is enough
            left = left - self.basis.T @ (self.basis @ left)
        return np.asarray(left)


def effect(choice: Choice, probe: Probe, control: Control, component: int, poses: Floats) -> Floats:
    """What a unit of a channel does to the simulated bones, in radians and lengths of the rig, shape (nb, 6)."""
    found = np.zeros((len(probe.rows), 6))
    rigid = carried(poses[probe.posing.column[control.name]], poses[[probe.at[i] for i in control.rows]])
    felt = (control.answers @ rigid)[:, :, component] * probe.scale[component] / probe.felt
    for row, twist in zip(control.rows, felt):
        if not choice.hidden(control, row):
            found[row] = twist[:6]
    return found


def roots(
    choice: Choice, probe: Probe, carriers: Carriers, rows: Sequence[int], targets: Collection[str]
) -> list[Control]:
    """For each simulated bone that nothing simulated carries, the control that places it: it carries most.

    What IK targets carry does not count, and what carries these is no choice where there is another, so that it is the
    torso and not what lies above torso and feet alike.
    """
    governed = {row for c in choice.controls if c.name in choice.limbs for row in c.rows}
    found = []
    for row in rows:
        bone = probe.posing.obj.pose.bones[probe.rows[row]]
        if carriers.get(bone.name) is not None:
            continue
        able = [c for c in choice.controls if row in c.hanging and 3 in c.free]
        apart = [c for c in able if c.moves.isdisjoint(targets)]
        if bone.redmax.joint not in STAYING:
            apart = apart or able
        if apart:
            found.append(max(apart, key=lambda c: (len(c.hanging - governed), -len(c.moves))))
    return found


def limbs_of(choice: Choice, probe: Probe, graph: Graph, carriers: Carriers) -> tuple[set[str], set[str]]:
    """Note the controls of limbs in IK; returns the names of those that place a target, and a pole."""
    limbs: list[tuple[set[int], set[str]]] = []
    for constraint, chain in graph.chains:
        rows = {i for i in choice.ik_rows if not graph.upstream(probe.rows[i]).isdisjoint(chain)}
        read = set(read_bones(constraint, probe.posing.obj))
        for other in [limb for limb in limbs if not limb[0].isdisjoint(rows)]:
            rows, read = rows | other[0], read | other[1]
            limbs.remove(other)
        if rows:
            limbs.append((rows, read))
    targets: set[str] = set()
    poles: set[str] = set()
    aims = {getattr(constraint, "pole_subtarget", "") for constraint, _ in graph.chains}
    for number, (rows, read) in enumerate(limbs):
        above = {carriers.get(probe.rows[i]) for i in rows}
        base = {bone.name for bone in above if bone is not None} - {probe.rows[i] for i in rows}
        own = [c for c in choice.controls if base.isdisjoint(c.moves) and not rows.isdisjoint(c.rows)]
        if len(read) > 1 and not base:  # what moves target and pole alike moves the whole figure
            own = [c for c in own if not read <= c.moves]
        choice.limbs.update({c.name: number for c in own})
        for name in read:
            able = [c for c in own if (name in c.moves or name == c.name) and 3 in c.free]
            if able:
                found = poles if name in aims else targets
                found.add(max(able, key=lambda c: len(c.moves)).name)
    return targets, poles
