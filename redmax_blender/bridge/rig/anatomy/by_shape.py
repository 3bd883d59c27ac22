"""People and four-legged animals by where their joints are, whatever their bones are called."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from .limb_pairs import LimbPair, length_of, line_of, main_joint
from .names import part_of
from .skeleton import Skeleton

Floats = NDArray[np.float64]

DOWN, STEEP = 0.7, 0.85
"""Cosines of the angles from straight down up to which a limb is a leg of an animal, and of a person."""
LEGS, ARMS = (0.7, 4.0), (0.4, 3.0)
"""Lengths of legs and arms without feet and hands, as parts of the trunk from hips to shoulders."""
HALVES = (0.5, 2.0)
"""Shin by thigh, and forearm by upper arm."""
TWO_BONES = 0.5
"""Part of a limb that its two main bones are at least."""
LEVEL = 0.7
"""Sine of the angle up to which the spine of an animal rises."""
LONG = 0.35
"""Length of the shorter limbs of a person by that of the longest: those of a face are shorter."""
MOST = 8
"""Bones of a neck and its head."""
Parts = dict[str, str]


def person_by_shape(tree: Skeleton, pairs: list[LimbPair]) -> tuple[Parts, LimbPair] | None:
    """Parts and legs; null where no two pairs of limbs are those of a person."""
    best, found = 0.0, None
    long = [pair for pair in pairs if pair.length > LONG * pairs[0].length]
    for legs, arms in permutations(long, 2):
        if abs(float(legs.across @ arms.across)) < 0.9 or not _like_a_person(tree, legs, arms):
            continue
        score = min(legs.length, arms.length)
        if score > best:
            best, found = score, (legs, arms)
    if found is None:
        return None
    legs, arms = found
    parts: Parts = {}
    for limb in legs.limbs:
        first = main_joint(tree, limb)
        _name(parts, limb, first, ("hip", "thigh", "shin", "foot", "toe"))
    for limb in arms.limbs:
        first = main_joint(tree, limb)
        _name(parts, limb[: first + 3], first, ("shoulder", "upper arm", "forearm", "hand", "hand"))
        if len(limb) > first + 2:
            _fingers(tree, parts, limb[first + 2])
    up = _middle(tree, arms) - _middle(tree, legs)
    _trunk(tree, parts, legs, arms, up)
    return parts, legs


def _like_a_person(tree: Skeleton, legs: LimbPair, arms: LimbPair) -> bool:
    limbs = (legs.limbs[0], arms.limbs[0])
    if min(len(limb) for limb in limbs) < 2 or len(limbs[0]) - main_joint(tree, limbs[0]) < 2:
        return False
    up = _middle(tree, arms) - _middle(tree, legs)
    trunk = float(np.linalg.norm(up))
    if not trunk > 0.0 or arms.carrier is None or arms.carrier in legs.limbs[0] + legs.limbs[1]:
        return False
    for limb, lengths in zip(limbs, (LEGS, ARMS)):
        k = main_joint(tree, limb)
        line = line_of(tree, limb)
        if len(line) < k + 3:
            return False
        first, second = (float(np.linalg.norm(line[k + i + 1] - line[k + i])) for i in (0, 1))
        if not HALVES[0] * first < second < HALVES[1] * first:
            return False
        if not lengths[0] * trunk < first + second < lengths[1] * trunk:
            return False
        if first + second < TWO_BONES * length_of(tree, limb[: k + 3]):
            return False
    k = main_joint(tree, limbs[0])
    line = line_of(tree, limbs[0])
    leg = line[k + 2] - line[k]
    return -float(leg @ up) > STEEP * trunk * float(np.linalg.norm(leg))


def quadruped_by_shape(tree: Skeleton, pairs: list[LimbPair]) -> tuple[Parts, LimbPair, Floats] | None:
    """Parts, hind legs, and up; null where there are not two pairs of legs below a level spine."""
    for a, b in permutations(pairs[:4], 2):
        if abs(float(a.across @ b.across)) < 0.9 or min(len(p.limbs[0]) for p in (a, b)) < 2:
            continue
        if a.limbs[0][0] in b.limbs[0] or b.limbs[0][0] in a.limbs[0]:
            continue
        down = [_downwards(tree, pair) for pair in (a, b)]
        up = -sum(down, np.zeros(3))
        size = float(np.linalg.norm(up))
        if not size > 0.0:
            continue
        up = up / size
        spine = _middle(tree, b) - _middle(tree, a)
        span = float(np.linalg.norm(spine))
        if min(-float(d @ up) for d in down) < DOWN or not span > 0.0:
            continue
        if abs(float(spine @ up)) > LEVEL * span or abs(float(spine @ a.across)) > 0.3 * span:
            continue
        if not _heads_for(tree, a, b, spine / span, up):
            continue
        parts: Parts = {}
        for limb in a.limbs:
            _name(parts, limb, main_joint(tree, limb), ("hip", "hind thigh", "stifle", "hock", "paw"))
        for limb in b.limbs:
            _name(
                parts, limb, main_joint(tree, limb), ("shoulder blade", "fore arm", "elbow", "carpus", "paw")
            )
        _trunk(tree, parts, a, b, spine / span + up, ("back", "animal neck", "animal head"))
        return parts, a, up
    return None


def _downwards(tree: Skeleton, pair: LimbPair) -> Floats:
    """From where the two legs begin to their third joints; a unit vector for legs that do not go aside."""
    legs = []
    for limb in pair.limbs:
        line, first = line_of(tree, limb), main_joint(tree, limb)
        legs.append(line[min(first + 2, len(line) - 1)] - line[first])
    length = float(np.mean([np.linalg.norm(leg) for leg in legs]))
    return np.asarray(np.mean(legs, axis=0) / max(length, 1e-12))


def _heads_for(tree: Skeleton, hind: LimbPair, fore: LimbPair, ahead: Floats, up: Floats) -> bool:
    """Whether the second pair of legs is the one in front: by head and tail, by the feet, and by what is higher."""
    vote = 0.0
    ends = [name for name, carried in tree.carried.items() if not carried]
    middle = 0.5 * (_middle(tree, hind) + _middle(tree, fore))
    for name in tree.head:
        part, word = part_of(name), name.lower()
        along = float((tree.head[name] - middle) @ ahead) / tree.size
        if part in ("head", "neck"):
            vote += 4.0 * np.sign(along)
        elif "tail" in word:
            vote -= 4.0 * np.sign(along)
    for limb in (*hind.limbs, *fore.limbs):
        foot = tree.direction(limb[-1])
        vote += float(foot @ ahead)
    outer = [tree.tip[name] - middle for name in ends]
    front = max((float(p @ up) for p in outer if p @ ahead > 0.0), default=0.0)
    back = max((float(p @ up) for p in outer if p @ ahead <= 0.0), default=0.0)
    return vote + float(np.sign(front - back)) > 0.0


def _name(parts: Parts, limb: list[str], first: int, names: tuple[str, ...]) -> None:
    """Parts of a limb whose main joint is its `first`: before it, two main bones, what ends them, and the rest."""
    before, upper, lower, end, rest = names
    for k, name in enumerate(limb):
        parts[name] = before if k < first else (upper, lower, end)[k - first] if k < first + 3 else rest


def _fingers(tree: Skeleton, parts: Parts, hand: str) -> None:
    """A thumb is the finger that begins nearest to the wrist, of four and more."""
    roots = [name for name in tree.carried[hand] if len(tree.chain(name)) > 1 or len(tree.carried[hand]) > 3]
    thumb = ""
    if len(roots) > 3:
        thumb = min(roots, key=lambda name: float(np.linalg.norm(tree.head[name] - tree.head[hand])))
    for root in roots:
        for k, name in enumerate(tree.chain(root)):
            kind = "thumb" if root == thumb else "finger"
            parts[name] = kind if k == 0 else f"{kind} tip"


def _trunk(
    tree: Skeleton,
    parts: Parts,
    low: LimbPair,
    high: LimbPair,
    ahead: Floats,
    names: tuple[str, str, str] = ("spine", "neck", "head"),
) -> None:
    """The spine between two pairs of limbs, and neck and head on from the second one."""
    spine, neck, head = names
    path = [high.carrier, *tree.above(high.carrier)] if high.carrier is not None else []
    other = [low.carrier, *tree.above(low.carrier)] if low.carrier is not None else []
    for name in {*path, *other}:
        if name is not None:
            parts.setdefault(name, spine)
    if high.carrier is None:
        return
    middle = _middle(tree, high)
    onwards = [name for name in tree.carried[high.carrier] if name not in parts]
    if not onwards:
        return
    first = max(onwards, key=lambda name: float((tree.tip[name] - middle) @ ahead))
    if float((tree.tip[first] - middle) @ ahead) <= 0.0:
        return
    chain = [first]
    while len(chain) < MOST:
        following = tree.carried[chain[-1]]
        named = [name for name in following if part_of(name) in ("neck", "head")]
        if not named and len(following) != 1:  # a head carries a face, ears and hair
            break
        chain.append(named[0] if named else following[0])
    for name in chain:
        parts[name] = head if name == chain[-1] else neck


def _middle(tree: Skeleton, pair: LimbPair) -> Floats:
    """Between the main joints of two limbs."""
    joints = [tree.head[limb[main_joint(tree, limb)]] for limb in pair.limbs]
    return np.asarray(np.mean(joints, axis=0))
