"""How far the joints of people turn, for bones whose names say what they are in a body.

Ranges are those of healthy adults (American Academy of Orthopaedic Surgeons, Joint Motion, 1965), shared out among the
bones of a spine. They are measured from where anatomists have their zero, so that it does not matter whether arms are
spread or hang in the rest pose; and they are laid onto the bone's own axes, whichever of them the rig bends about.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import atan2, cos, pi, radians
from typing import NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from .joint_rules import Freedom

Floats = NDArray[np.float64]
Carriers = Mapping[str, bpy.types.PoseBone | None]

OBLIQUE = cos(radians(35.0))
"""Cosine of the angle between an anatomical axis and the nearest axis of a bone, beyond which neither is the other."""
UPRIGHT = 0.7
"""Cosine of the angle between a spine and the vertical up to which the rig is that of a person, not of a dog."""


class Turn(NamedTuple):
    """A range of one angle: positive turns take the tip of the bone `towards` a side."""

    towards: str
    low: float
    """[°]"""
    high: float
    """[°]"""
    zero: str = "rest"
    """Where it is zero: in the "rest" pose, in line with the "carrier", or with the bone pointing "down"."""


TWIST = "twist"
"""About the bone itself, either way."""
RANGES: dict[str, tuple[Turn, ...]] = {
    "spine": (Turn("front", -10.0, 25.0), Turn(TWIST, -12.0, 12.0), Turn("left", -15.0, 15.0)),
    "neck": (Turn("front", -25.0, 25.0), Turn(TWIST, -30.0, 30.0), Turn("left", -20.0, 20.0)),
    "head": (Turn("front", -25.0, 25.0), Turn(TWIST, -30.0, 30.0), Turn("left", -20.0, 20.0)),
    "shoulder": (Turn("front", -15.0, 20.0), Turn("up", -10.0, 35.0)),
    "upper arm": (
        Turn("front", -45.0, 130.0), Turn(TWIST, -80.0, 80.0), Turn("up", -20.0, 170.0, "down"),
    ),
    "forearm": (Turn("front", 0.0, 145.0, "carrier"),),
    "hand": (Turn("palm", -70.0, 80.0), Turn(TWIST, -80.0, 80.0), Turn("front", -30.0, 20.0)),
    "finger": (Turn("palm", -20.0, 90.0, "carrier"), Turn("front", -15.0, 15.0)),
    "finger tip": (Turn("palm", 0.0, 100.0, "carrier"),),
    "thumb": (Turn("little finger", -20.0, 40.0), Turn("palm", -30.0, 30.0)),
    "thumb tip": (Turn("little finger", -10.0, 70.0, "carrier"),),
    "thigh": (
        Turn("front", -20.0, 120.0, "down"), Turn(TWIST, -40.0, 40.0), Turn("out", -25.0, 45.0, "down"),
    ),
    "shin": (Turn("back", 0.0, 140.0, "carrier"),),
    "foot": (Turn("up", -45.0, 20.0), Turn(TWIST, -20.0, 20.0)),
    "toe": (Turn("up", -30.0, 60.0),),
    "breast": (),
    "heel": (),
    "hip": (),
    "palm": (),
}  # fmt: skip
"""Parts of a body and how their joints turn; those without a turn are one with what carries them."""
NAMES = {
    "spine": (
        "spine",
        "chest",
        "upperchest",
        "abdomen",
        "abdomenlower",
        "abdomenupper",
        "chestlower",
        "chestupper",
        "waist",
        "torso",
        "hips",
        "hip",
        "lowerback",
        "ribs",
        "spinelower",
        "spineupper",
    ),
    "neck": ("neck", "necklower", "neckupper", "necktwist"),
    "head": ("head",),
    "shoulder": ("shoulder", "clavicle", "collar", "collarbone"),
    "upper arm": ("upperarm", "arm", "shldr", "shldrbend"),
    "forearm": ("forearm", "lowerarm", "elbow", "forearmbend"),
    "hand": ("hand", "wrist"),
    "thigh": ("thigh", "upleg", "upperleg", "thighbend"),
    "shin": ("shin", "calf", "leg", "lowerleg", "knee"),
    "foot": ("foot", "ankle"),
    "toe": ("toe", "toes", "toebase", "ball"),
    "breast": ("breast",),
    "heel": ("heel",),
    "hip": ("pelvis",),
    "palm": ("palm", "metacarpal"),
}
"""Names of bones, by what they are, as Rigify, Mixamo, Unreal and VRM spell them; without sides and numbers."""
FINGERS = {"index", "middle", "ring", "pinky", "little"}
SIDES = {"l", "r", "left", "right"}
PREFIX = re.compile(r"^(.*:|DEF-|ORG-|MCH-|J_Bip_[LRC]_|Bip\d+[ _])")


def part_of(name: str) -> str | None:
    """What a bone is in a body, from its name: a key of `RANGES`, or null."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", PREFIX.sub("", name)).lower()
    words = [word for word in re.split(r"[^a-z]+", spaced) if word and word not in SIDES]
    if len(words) > 1 and words[0] in ("f", "hand"):  # f_index.01, LeftHandIndex1
        words = words[1:]
    if len(words) == 1 and words[0] in FINGERS:
        return "finger"
    if words == ["thumb"]:
        return "thumb"
    whole = "".join(words)
    return next((part for part, names in NAMES.items() if whole in names), None)


@dataclass(frozen=True)
class Body:
    """Where the sides of a body are, in armature space."""

    left: Floats
    up: Floats

    @property
    def front(self) -> Floats:
        return np.cross(self.left, self.up)


def human_parts(
    bones: Collection[bpy.types.PoseBone], carriers: Carriers
) -> tuple[dict[str, str], Floats] | None:
    """What each bone of a person is, and where up is in the armature's space; None where the rig is not a person's."""
    parts = _parts(bones, carriers)
    body = _body(bones, parts)
    return None if body is None else (parts, body.up)


def human_freedoms(bones: Collection[bpy.types.PoseBone], carriers: Carriers) -> dict[str, Freedom]:
    """How the bones of a person turn, for those that the names tell; none where the rig is not a person's."""
    parts = _parts(bones, carriers)
    body = _body(bones, parts)
    if body is None:
        return {}
    found = {}
    for bone in bones:
        part, carrier = parts.get(bone.name), carriers[bone.name]
        if part is None or carrier is None:
            continue
        if not RANGES[part]:
            found[bone.name] = Freedom((False, False, False), why=f"one with {carrier.name}")
            continue
        freedom = _freedom(bone, carrier, part, body, _palm(bone, bones, parts, body))
        if freedom is not None:
            found[bone.name] = freedom
    return found


def _parts(bones: Collection[bpy.types.PoseBone], carriers: Carriers) -> dict[str, str]:
    """What each bone is; a spine that goes on above the shoulders is a neck, and its end is a head."""
    parts = {bone.name: part for bone in bones if (part := part_of(bone.name)) is not None}
    below: set[str] = set()
    carrying: set[str] = set()
    for bone in bones:
        above = carriers[bone.name]
        if above is not None and parts.get(bone.name) in ("spine", "neck", "head"):
            carrying.add(above.name)
        if parts.get(bone.name) in ("shoulder", "upper arm", "thigh"):
            while above is not None:
                below.add(above.name)
                above = carriers.get(above.name)
    for bone in bones:
        carrier = carriers[bone.name]
        part = parts.get(bone.name)
        if part == "spine" and bone.name not in below and carrier is not None:
            parts[bone.name] = "neck" if bone.name in carrying else "head"
        elif part in ("finger", "thumb"):
            above_it = "" if carrier is None else parts.get(carrier.name, "")  # parents come first
            parts[bone.name] = f"{part} tip" if above_it.startswith(part) else part
    return parts


def _body(bones: Collection[bpy.types.PoseBone], parts: Mapping[str, str]) -> Body | None:
    """From hips and shoulders; null where there are not two of each, or the body does not stand upright."""
    heads = {
        part: np.array([bone.bone.head_local for bone in bones if parts.get(bone.name) == part], dtype=float)
        for part in ("thigh", "upper arm")
    }
    if any(len(points) < 2 for points in heads.values()):
        return None
    hips, arms = (points.mean(axis=0) for points in heads.values())
    left = _left(bones, parts)
    up = arms - hips
    if left is None or not np.linalg.norm(up) > 0.0:
        return None
    up /= np.linalg.norm(up)
    legs = np.mean([_direction(b) for b in bones if parts.get(b.name) in ("thigh", "shin")], axis=0)
    if -float(legs @ up) < UPRIGHT * float(np.linalg.norm(legs)):
        return None
    left -= (left @ up) * up
    return Body(left / np.linalg.norm(left), up)


def _left(bones: Collection[bpy.types.PoseBone], parts: Mapping[str, str]) -> Floats | None:
    """From the right thigh to the left one, as their names say."""
    ends: dict[str, Floats] = {}
    for bone in bones:
        if parts.get(bone.name) == "thigh":
            words = re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", bone.name).lower())
            for side in SIDES.intersection(words):
                ends.setdefault(side[0], np.array(bone.bone.head_local, dtype=float))
    if set(ends) != {"l", "r"}:
        return None
    across: Floats = ends["l"] - ends["r"]
    return across if np.linalg.norm(across) > 0.0 else None


def _palm(
    bone: bpy.types.PoseBone, bones: Collection[bpy.types.PoseBone], parts: Mapping[str, str], body: Body
) -> dict[str, Floats]:
    """Where palm and little finger of the bone's hand are: from the fingers next to it, or as with arms spread."""
    sign = _side(bone, body)
    fingers = [
        b for b in bones
        if parts.get(b.name) == "finger" and _side(b, body) == sign
    ]  # fmt: skip
    across = -body.front
    if len(fingers) > 1:
        root = np.array([b.bone.head_local for b in fingers], dtype=float)
        first = next((k for k, b in enumerate(fingers) if "index" in b.name.lower()), 0)
        far = int(np.argmax(np.linalg.norm(root - root[first], axis=1)))
        across = root[far] - root[first]
        across /= max(float(np.linalg.norm(across)), 1e-12)
    along = _direction(bone)
    return {"little finger": across, "palm": -sign * np.cross(along, across)}


def _side(bone: bpy.types.PoseBone, body: Body) -> float:
    """1 on the left side of a body, -1 on the right one."""
    return 1.0 if float(np.array(bone.bone.tail_local) @ body.left) >= 0.0 else -1.0


def _direction(bone: bpy.types.PoseBone) -> Floats:
    d = np.array(bone.bone.tail_local - bone.bone.head_local, dtype=float)
    return np.asarray(d / max(float(np.linalg.norm(d)), 1e-12))


def _freedom(
    bone: bpy.types.PoseBone, carrier: bpy.types.PoseBone, part: str, body: Body, hand: Mapping[str, Floats]
) -> Freedom | None:
    """The ranges of a part about the bone's own axes; null where its roll is oblique to them."""
    sides = {
        "front": body.front, "back": -body.front, "up": body.up, "left": body.left,
        "out": _side(bone, body) * body.left, **hand,
    }  # fmt: skip
    frame = np.array(bone.bone.matrix_local.to_3x3(), dtype=float)
    d = _direction(bone)
    zeros = {"rest": d, "carrier": _direction(carrier), "down": -body.up}
    free, low, high = [False] * 3, [-pi] * 3, [pi] * 3
    for turn in RANGES[part]:
        if turn.towards == TWIST:
            k, sign, rest = 1, 1.0, 0.0
        else:
            axis = np.cross(d, sides[turn.towards])
            size = float(np.linalg.norm(axis))
            local = frame.T @ axis / max(size, 1e-12)
            k = 0 if abs(local[0]) > abs(local[2]) else 2
            if size < 0.2 or abs(local[k]) < OBLIQUE or free[k]:
                return None
            sign = float(np.sign(local[k]))
            rest = _angle(zeros[turn.zero], d, sign * frame[:, k]) if turn.zero != "rest" else 0.0
        ends = sorted((sign * (radians(turn.low) - rest), sign * (radians(turn.high) - rest)))
        # the rest pose is a pose that the body can take
        free[k], low[k], high[k] = True, min(ends[0], 0.0), max(ends[1], 0.0)
    limited = (free[0], free[1], free[2])
    return Freedom(limited, limited, (low[0], low[1], low[2]), (high[0], high[1], high[2]), f"a human {part}")


def _angle(a: Floats, b: Floats, axis: Floats) -> float:
    """From one direction to another about an axis [rad]."""
    a, b = a - (a @ axis) * axis, b - (b @ axis) * axis
    if min(np.linalg.norm(a), np.linalg.norm(b)) < 1e-3:
        return 0.0
    return atan2(float(axis @ np.cross(a, b)), float(a @ b))
