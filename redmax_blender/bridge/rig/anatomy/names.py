"""What the names of bones say: which part of a body, and which side, in the ways that rigs are usually named.

Rigify, Mixamo, Unreal, VRM, Daz, Character Creator, Biped, MakeHuman, BVH and ASF of motion capture, Maya's HumanIK,
Auto-Rig Pro, and MMD in Japanese.
"""

from __future__ import annotations

import re
import unicodedata

NAMES: dict[str, tuple[str, ...]] = {
    "spine": (
        "spine", "chest", "upperchest", "abdomen", "abdomenlower", "abdomenupper", "chestlower", "chestupper",
        "waist", "torso", "uppertorso", "lowertorso", "hips", "hip", "lowerback", "upperback", "back", "thorax", "ribs",
        "spinelower", "spineupper", "spinemiddle", "pelvis", "belly", "stomach",
    ),
    "neck": ("neck", "necklower", "neckupper", "necktwist", "lowerneck", "upperneck"),
    "head": ("head",),
    "shoulder": ("shoulder", "clavicle", "collar", "collarbone", "scapula"),
    "upper arm": ("upperarm", "arm", "uparm", "shldr", "shldrbend", "humerus", "upperarmbend"),
    "forearm": ("forearm", "lowerarm", "lowarm", "elbow", "forearmbend", "lowerarmbend", "radius"),
    "hand": ("hand", "wrist"),
    "thigh": ("thigh", "upleg", "upperleg", "thighbend", "femur"),
    "shin": ("shin", "calf", "leg", "lowerleg", "lowleg", "knee", "tibia", "shinbend"),
    "foot": ("foot", "ankle"),
    "toe": ("toe", "toes", "toebase", "ball", "metatarsal", "metatarsals", "bigtoe"),
    "breast": ("breast", "pectoral", "bust"),
    "heel": ("heel",),
    "hip": ("hipjoint", "buttock"),
    "palm": ("palm", "metacarpal", "carpal", "fingerbase"),
    "twist": (
        "upperarmtwist", "armtwist", "shldrtwist", "forearmtwist", "lowerarmtwist", "handtwist", "thightwist",
        "uplegtwist", "upperlegtwist", "legtwist", "shintwist", "calftwist", "lowerlegtwist", "armroll", "forearmroll",
        "uplegroll", "legroll", "ribstwist", "wristtwist",
    ),
}  # fmt: skip
"""Names of bones, by what they are, without sides and numbers."""
PARTS = {name: part for part, names in NAMES.items() for name in names}
FINGERS = ("index", "middle", "mid", "ring", "pinky", "little", "finger", "fingers", "pointer")
SIDES = {"l": "left", "r": "right", "left": "left", "right": "right"}
PREFIX = re.compile(
    r"^(.*:|(DEF|ORG|MCH)-|CC_Base_|J_(Bip|Sec|Adj)_(C_)?|(ValveBiped[._])?Bip\d+[ _.]?|b_)", re.IGNORECASE
)
ASIDE = {"bind", "jnt", "joint", "bone", "def", "stretch", "c", "x"}
"""Words that say nothing about a part."""
JAPANESE = {
    "上半身": "spine", "下半身": "spine", "腰": "spine", "胸": "spine", "首": "neck", "頭": "head",
    "肩": "shoulder", "腕": "upper arm", "ひじ": "forearm", "肘": "forearm", "手首": "hand", "足": "thigh",
    "ひざ": "shin", "膝": "shin", "足首": "foot", "つま先": "toe", "足先": "toe", "親指": "thumb",
    "人指": "finger", "人差指": "finger", "中指": "finger", "薬指": "finger", "小指": "finger",
    "腕捩": "twist", "手捩": "twist", "腰キャンセル": "hip",
}  # fmt: skip


def words_of(name: str) -> tuple[list[str], str]:
    """The words of a bone's name, without prefixes and numbers, and the side that it names: "left", "right" or ""."""
    side = ""
    name = unicodedata.normalize("NFKC", name)  # MMD writes ＩＫ and １ as wide as its own signs
    if any(mark in name for mark in "左右"):
        side = "left" if "左" in name else "right"
        name = re.sub("[左右]", "", name)
    name = PREFIX.sub("", name)
    name = re.sub(r"^([lrLR])(?=[A-Z])", r"\1 ", name) if not name.isupper() else name
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    words = []
    for word in re.split(r"[^a-z\u3040-\u9fff]+", spaced):
        if word in SIDES:
            side = side or SIDES[word]
        elif word and word not in ASIDE:
            words.append(word)
    if (
        len(words) == 1
        and words[0][0] in "lr"
        and words[0] not in PARTS
        and words[0][1:] in (*PARTS, "thumb", *FINGERS)
    ):
        side = side or SIDES[words[0][0]]  # lfemur, rthumb
        words = [words[0][1:]]
    return words, side


def side_of(name: str) -> str:
    """The side that a bone's name says: "left", "right", or empty."""
    return words_of(name)[1]


def part_of(name: str) -> str | None:
    """What a bone is in a body, from its name alone; null where it says nothing."""
    words, side = words_of(name)
    if not words or "ik" in words:
        return None
    whole = "".join(words)
    if re.search("[\u3040-\u9fff]", whole):
        return JAPANESE.get(re.sub(r"(?<=[^a-z])(d|ex)$", "", whole))
    biped = re.search(r"finger\s*0", name, re.IGNORECASE) or re.search(r"finger1-\d", name, re.IGNORECASE)
    if biped and side:  # Biped counts fingers from the thumb, and so does MakeHuman
        return "thumb"
    if len(words) > 1 and words[0] in ("f", "hand", "finger"):  # f_index.01, LeftHandIndex1
        words, whole = words[1:], "".join(words[1:])
    if len(words) == 1 and words[0] in FINGERS:
        return "finger"
    if words == ["thumb"]:
        return "thumb"
    if words[-1] in FINGERS and words[0] in ("toe", "metacarpal", "palm"):
        return "palm" if words[0] != "toe" else "toe"
    if words[0] in FINGERS and words[-1] in ("metacarpal", "carpal"):
        return "palm"
    found = PARTS.get(whole)
    if found == "spine" and side and whole in ("pelvis", "hip", "hips"):
        return "hip"
    return found
