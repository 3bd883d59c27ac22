"""What kind of body a rig is, which part of it each bone is, and where its sides are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .by_shape import person_by_shape, quadruped_by_shape
from .limb_pairs import LimbPair, limb_pairs
from .names import part_of, side_of
from .skeleton import Skeleton

Floats = NDArray[np.float64]

UPRIGHT = 0.85
"""Cosine of the angle between a spine and the legs, turned round, up to which a body is that of a person."""
TRUNK = {"spine", "neck", "head", "back", "animal neck", "animal head"}
"""Parts that follow each other along the middle of a body."""
FORWARD = 0.3
"""How far feet point forward at least, as a part of their length, where they say where the front is."""


@dataclass(frozen=True)
class Body:
    """A person, an animal, or anything with limbs."""

    kind: str
    """"person", "quadruped", or "limbs" for what has some that mirror each other."""
    parts: Mapping[str, str]
    """What bones are: keys of the tables of ranges."""
    left: Floats
    """In the armature's space, as all directions here; unit vectors of shape (3,)."""
    up: Floats
    tree: Skeleton

    @property
    def front(self) -> Floats:
        return np.cross(self.left, self.up)

    def direction(self, name: str) -> Floats:
        """Of a limb; of the trunk to the trunk's next bone, not to the limbs beside it."""
        if self.parts.get(name) in TRUNK:
            onwards = [other for other in self.tree.carried[name] if self.parts.get(other) in TRUNK]
            arms = [self.tree.head[other] - self.tree.head[name] for other in onwards]
            arm = max(arms, key=lambda a: float(a @ a), default=np.zeros(3))
            size = float(np.linalg.norm(arm))
            if size > 0.1 * float(np.linalg.norm(self.tree.tip[name] - self.tree.head[name])):
                return np.asarray(arm / size)
        return self.tree.direction(name)

    def side(self, name: str) -> float:
        """1 on the left side of a body, -1 on the right one."""
        middle = np.mean([self.tree.head[n] for n in self.parts if n in self.tree.head], axis=0)
        return 1.0 if float((self.tree.tip[name] - middle) @ self.left) >= 0.0 else -1.0


def recognise(tree: Skeleton) -> Body | None:
    """By the names of its bones where these make sense, else by where its joints are; null for what has no limbs."""
    if len(tree.head) < 4:
        return None
    named = person_by_name(tree)
    if named is not None:
        return named
    pairs = limb_pairs(tree)
    person = person_by_shape(tree, pairs)
    if person is not None:
        parts, legs = person
        return _with_sides("person", tree, parts, legs, _between(tree, parts, "thigh", "upper arm"))
    quadruped = quadruped_by_shape(tree, pairs)
    if quadruped is not None:
        parts, legs, up = quadruped
        return _with_sides("quadruped", tree, parts, legs, up)
    joints = _limbs(pairs)
    return Body("limbs", joints, pairs[0].across, np.zeros(3), tree) if joints else None


def person_by_name(tree: Skeleton) -> Body | None:
    """Null where there are not two thighs and two upper arms by their names, or the body does not stand upright."""
    parts = named_parts(tree)
    if any(sum(part == wanted for part in parts.values()) < 2 for wanted in ("thigh", "upper arm")):
        return None
    up = _between(tree, parts, "thigh", "upper arm")
    if not np.linalg.norm(up) > 0.0:
        return None
    legs = np.mean(
        [tree.direction(name) for name, part in parts.items() if part in ("thigh", "shin")], axis=0
    )
    if -float(legs @ up) < UPRIGHT * float(np.linalg.norm(legs)):
        return None
    ends: dict[str, Floats] = {}
    for name, part in parts.items():
        if part == "thigh" and side_of(name):
            ends.setdefault(side_of(name), tree.head[name])
    left = np.zeros(3)
    if len(ends) == 2:
        left = ends["left"] - ends["right"]
    left = left - (left @ up) * up
    size = float(np.linalg.norm(left))
    if not size > 0.0:
        return None
    return Body("person", parts, _facing(tree, parts, left / size, up), up, tree)


def named_parts(tree: Skeleton) -> dict[str, str]:
    """What each bone is by its name, and by what it hangs on and carries."""
    parts = {name: part for name in tree.head if (part := part_of(name)) is not None}
    for name, part in list(
        parts.items()
    ):  # of LeftShoulder, LeftElbow, LeftWrist the first is an arm; legs likewise
        carried = {parts.get(other) for other in tree.carried[name]}
        if part == "shoulder" and "forearm" in carried:
            parts[name] = "upper arm"
        elif part in ("hip", "spine") and "shin" in carried and side_of(name):
            parts[name] = "thigh"
        elif part == "palm" and parts.get(tree.carrier[name] or "") == "forearm":
            parts[name] = "hand"
    below = {
        above
        for name, part in parts.items()
        if part in ("shoulder", "upper arm", "thigh")
        for above in tree.above(name)
    }
    carrying = {tree.carrier[name] for name, part in parts.items() if part in ("spine", "neck", "head")}
    for name in tree.head:  # those that carry come first
        carrier, part = tree.carrier[name], parts.get(name)
        above = "" if carrier is None else parts.get(carrier, "")
        if part == "spine" and name not in below and carrier is not None:
            parts[name] = "neck" if name in carrying else "head"
            if not _goes_up(tree, name, below):
                parts[name] = "spine"
        elif part in ("finger", "thumb"):
            parts[name] = f"{part} tip" if above.startswith(part) else part
        elif part in ("upper arm", "forearm", "thigh", "shin") and above == part:
            parts[name] = "twist"  # a limb in two: the second half goes with the first
    return parts


def _goes_up(tree: Skeleton, name: str, below: set[str]) -> bool:
    """Whether a bone above the arms hangs on the spine that carries them, as a neck does and hips do not."""
    carrier = tree.carrier[name]
    while carrier is not None and carrier not in below:
        carrier = tree.carrier[carrier]
    if carrier is None:
        return False
    rest = tree.head[name] - tree.head[carrier] + tree.direction(name) * 1e-3
    others = [o for o in tree.carried[carrier] if o in below]
    return not others or float(rest @ tree.direction(carrier)) >= -1e-3 * tree.size


def _between(tree: Skeleton, parts: Mapping[str, str], low: str, high: str) -> Floats:
    """Direction from the middle of some parts to the middle of others, a unit vector; zero where there is none."""
    a, b = (
        np.mean([tree.head[name] for name, part in parts.items() if part == wanted], axis=0)
        for wanted in (low, high)
    )
    return np.asarray((b - a) / max(float(np.linalg.norm(b - a)), 1e-12))


def _with_sides(kind: str, tree: Skeleton, parts: dict[str, str], legs: LimbPair, up: Floats) -> Body:
    left = legs.across - (legs.across @ up) * up
    left /= max(float(np.linalg.norm(left)), 1e-12)
    sides = {side_of(limb[0]): sign for limb, sign in zip(legs.limbs, (1.0, -1.0))}
    if set(sides) == {"left", "right"}:
        left = sides["left"] * left
    return Body(kind, parts, _facing(tree, parts, left, up), up, tree)


def _facing(tree: Skeleton, parts: Mapping[str, str], left: Floats, up: Floats) -> Floats:
    """The left side, turned round where the feet say that the front is behind."""
    front = np.cross(left, up)
    feet = [tree.direction(name) for name, part in parts.items() if part in ("foot", "toe", "paw")]
    ahead = float(np.mean(feet, axis=0) @ front) if feet else 0.0
    return -left if ahead < -FORWARD else left


def _limbs(pairs: list[LimbPair]) -> dict[str, str]:
    """Of something that is neither person nor quadruped: where its mirrored limbs begin, and their joints."""
    found: dict[str, str] = {}
    for pair in pairs:
        for limb in pair.limbs:
            for k, name in enumerate(limb):
                found.setdefault(name, "limb" if k == 0 else "limb joint")
    return found
