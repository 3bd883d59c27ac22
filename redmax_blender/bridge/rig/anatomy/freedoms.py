"""How the bones of a body turn: ranges of people and animals, laid onto the axes that a rig's bones have."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import atan2, cos, pi, radians

import bpy
import numpy as np
from numpy.typing import NDArray

from ..joint_rules import Freedom
from .ranges import RANGES, TWIST, Bend, Turn, said
from .recognise import Body, recognise
from .skeleton import Carriers, read_skeleton

Floats = NDArray[np.float64]

OBLIQUE = cos(radians(20.0))
"""Cosine of the angle up to which an axis of a bone stands for an anatomical one, where the bone lies on its limb."""
EXACT = cos(radians(15.0))
"""Likewise where it does not, as importers leave bones: then its roll means nothing."""
BENT = radians(10.0)
"""Angle between two bones in the rest pose beyond which it says how their joint bends [rad]."""
ASIDE = radians(3.0)
"""How far a joint turns about an axis about which its part does not, where that cannot be locked [rad]."""
Limits = tuple[Floats, float, float]
"""An axis in the armature's space, and how far the joint turns about it from the rest pose [rad]."""


def body_of(
    bones: Collection[bpy.types.PoseBone], carriers: Carriers, held: Collection[str] = ()
) -> Body | None:
    """What the bodies of a rig are together; null for what has no limbs that mirror each other."""
    return recognise(read_skeleton(bones, carriers, held))


def freedoms_of(body: Body, bones: Collection[bpy.types.PoseBone], carriers: Carriers) -> dict[str, Freedom]:
    """How those bones turn of which it is known what they are."""
    found: dict[str, Freedom] = {}
    for bone in bones:
        part, carrier = body.parts.get(bone.name), carriers[bone.name]
        if part not in RANGES or carrier is None:
            continue
        if not RANGES[part]:
            found[bone.name] = Freedom((False, False, False), why=f"one with {carrier.name}")
            continue
        above = body.tree.carrier.get(bone.name)
        if above is not None:
            freedom = _freedom(bone, above, part, body)
            if freedom is not None:
                found[bone.name] = freedom
    return found


def _freedom(bone: bpy.types.PoseBone, carrier: str, part: str, body: Body) -> Freedom | None:
    """The ranges of a part about the bone's own axes; null where it is not known which way it turns."""
    ranges = RANGES[part]
    frame = np.array(bone.bone.matrix_local.to_3x3(), dtype=float)
    d, along = body.direction(bone.name), body.direction(carrier)
    if isinstance(ranges, Bend):
        limits = _bend(ranges, d, along, sides_of(body, bone.name))
        return None if limits is None else hinge(frame, d, limits, said(part))
    found = [_turn(turn, d, along, body, bone.name) for turn in ranges]
    turns = [limits for limits in found if limits is not None]
    if len(turns) < len(found):
        return None
    if len(turns) > 1:
        return ball(frame, d, turns, said(part))
    axis, low, high = turns[0]
    if not _stands_for(frame, d, axis) and part in ("forearm", "shin"):  # nothing else says how it bends
        bend = np.cross(along, d)
        size = float(np.linalg.norm(bend))
        if size > np.sin(BENT) and float(bend @ axis) > 0.5 * size:
            axis = bend / size
    return hinge(frame, d, (axis, low, high), said(part))


def sides_of(body: Body, name: str) -> dict[str, Floats]:
    """Directions by their names, as seen from one bone."""
    side = body.side(name)
    sides = {
        "front": body.front, "back": -body.front, "up": body.up, "left": body.left, "out": side * body.left,
        "ahead": (body.front + body.up) / np.sqrt(2.0),
    }  # fmt: skip
    if body.kind == "person":
        sides |= _palm(body, name, side)
    return sides


def _turn(turn: Turn, d: Floats, along: Floats, body: Body, name: str) -> Limits | None:
    """d, along: directions of the bone and of what carries it."""
    if turn.towards == TWIST:
        return d, radians(turn.low), radians(turn.high)
    axis = np.cross(d, sides_of(body, name)[turn.towards])
    size = float(np.linalg.norm(axis))
    if size < 0.2:
        return None
    axis /= size
    zeros = {"carrier": along, "down": -body.up}
    rest = _angle(zeros[turn.zero], d, axis) if turn.zero in zeros else 0.0
    # the rest pose is a pose that the body can take
    return axis, min(radians(turn.low) - rest, 0.0), max(radians(turn.high) - rest, 0.0)


def _bend(bend: Bend, d: Floats, along: Floats, sides: Mapping[str, Floats]) -> Limits | None:
    axis = np.cross(along, d)
    size = float(np.linalg.norm(axis))
    rest = atan2(size, float(along @ d))
    if rest < BENT:
        if not bend.towards:
            return None
        axis = np.cross(d, sides[bend.towards])
        size, rest = float(np.linalg.norm(axis)), 0.0
        if size < 0.2:
            return None
    return axis / size, min(radians(bend.low) - rest, 0.0), max(radians(bend.high) - rest, 0.0)


def _stands_for(frame: Floats, d: Floats, axis: Floats) -> bool:
    """Whether an axis of the bone is near enough to an anatomical one."""
    near = OBLIQUE if abs(float(frame[:, 1] @ d)) > EXACT else EXACT
    return float(np.abs(frame.T @ axis).max()) > near


def hinge(frame: Floats, d: Floats, limits: Limits, why: str) -> Freedom:
    """About the bone's axis that is near enough to the one wanted, or about that one itself.

    frame: axes of the bone as columns, shape (3, 3); d: direction of the limb, both in the armature's space.
    """
    axis, low, high = limits
    local = frame.T @ axis
    k = int(np.argmax(np.abs(local)))
    lows, highs, free = [-pi] * 3, [pi] * 3, [False] * 3
    ends = (low, high) if local[k] > 0.0 else (-high, -low)
    lows[k], highs[k], free[k] = *ends, True
    own = None if _stands_for(frame, d, axis) else _three(local if local[k] > 0.0 else -local)
    return Freedom(_three(free), _three(free), _three(lows), _three(highs), why, own)


def ball(frame: Floats, d: Floats, turns: list[Limits], why: str) -> Freedom:
    """About all axes that a part turns about, as angles about the bone's own.

    Where the bone's axes are oblique to those of the part, the box about the bone's that holds the ellipsoid which the
    ranges span.
    """
    locals_ = [frame.T @ axis for axis, _, _ in turns]
    nearest = [int(np.argmax(np.abs(local))) for local in locals_]
    if all(_stands_for(frame, d, axis) for axis, _, _ in turns) and len(set(nearest)) == len(turns):
        lows, highs, free = [-pi] * 3, [pi] * 3, [False] * 3
        for (_, low, high), local, k in zip(turns, locals_, nearest):
            lows[k], highs[k] = (low, high) if local[k] > 0.0 else (-high, -low)
            free[k] = True
        return Freedom(_three(free), _three(free), _three(lows), _three(highs), why)
    axes = list(locals_)
    middles = [0.5 * (low + high) for _, low, high in turns]
    halves = [0.5 * (high - low) for _, low, high in turns]
    if len(axes) == 2:
        axes.append(np.cross(*axes))
        middles.append(0.0)
        halves.append(ASIDE)
    centre = sum((m * a for m, a in zip(middles, axes)), np.zeros(3))
    reach = np.sqrt(sum((np.square(h * a) for h, a in zip(halves, axes)), np.zeros(3)))
    all_ = (True, True, True)
    low, high = np.minimum(centre - reach, 0.0), np.maximum(centre + reach, 0.0)
    return Freedom(all_, all_, _three(low), _three(high), why)


def _palm(body: Body, name: str, side: float) -> dict[str, Floats]:
    """Where palm and little finger of the bone's hand are: from the fingers next to it, or as with arms spread."""
    tree = body.tree
    fingers = [
        other
        for other, part in body.parts.items()
        if part == "finger" and other in tree.head and body.side(other) == side
    ]
    across = -body.front
    if len(fingers) > 1:
        root = np.array([tree.head[other] for other in fingers])
        first = _first_finger(body, fingers, root, side)
        far = int(np.argmax(np.linalg.norm(root - root[first], axis=1)))
        across = root[far] - root[first]
        across /= max(float(np.linalg.norm(across)), 1e-12)
    return {"little finger": across, "palm": -side * np.cross(tree.direction(name), across)}


def _first_finger(body: Body, fingers: list[str], roots: Floats, side: float) -> int:
    """The one that is next to the thumb: by its name, by where the thumb is, or the foremost one."""
    words = ("index", "人指", "人差指", "pointer")
    named = next((k for k, name in enumerate(fingers) if any(word in name.lower() for word in words)), None)
    if named is not None:
        return named
    thumbs = [
        body.tree.head[name]
        for name, part in body.parts.items()
        if part == "thumb" and name in body.tree.head and body.side(name) == side
    ]
    if thumbs:
        return int(np.argmin(np.linalg.norm(roots - thumbs[0], axis=1)))
    return int(np.argmax(roots @ body.front))


def _angle(a: Floats, b: Floats, axis: Floats) -> float:
    """From one direction to another about an axis [rad]."""
    a, b = a - (a @ axis) * axis, b - (b @ axis) * axis
    if min(np.linalg.norm(a), np.linalg.norm(b)) < 1e-3:
        return 0.0
    return atan2(float(axis @ np.cross(a, b)), float(a @ b))


def _three(values: Collection) -> tuple:
    x, y, z = (v if isinstance(v, bool) else float(v) for v in values)
    return (x, y, z)
