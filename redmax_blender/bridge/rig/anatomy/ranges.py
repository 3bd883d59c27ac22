"""How far the joints of people and animals turn.

Ranges of people are those of healthy adults (American Academy of Orthopaedic Surgeons, Joint Motion, 1965), shared out
among the bones of a spine; those of animals are from the angles between the bones of dogs, flexed and extended
(Jaegger, Marcellin-Little and Levine, American Journal of Veterinary Research, 2002). They are measured from where
anatomists have their zero, so that it does not matter whether arms are spread or hang in the rest pose.
"""

from __future__ import annotations

from typing import NamedTuple


class Turn(NamedTuple):
    """A range of one angle: positive turns take the tip of the bone `towards` a side; "ahead" is front and up."""

    towards: str
    low: float
    """[°]"""
    high: float
    """[°]"""
    zero: str = "rest"
    """Where it is zero: in the "rest" pose, in line with the "carrier", or with the bone pointing "down"."""


class Bend(NamedTuple):
    """A hinge that goes on bending the way that it is bent in the rest pose, measured from where it is straight."""

    low: float
    """[°]"""
    high: float
    """[°]"""
    towards: str = ""
    """The side to which it bends where the rest pose does not say; empty: then nothing is known of it."""


TWIST = "twist"
"""About the bone itself, either way."""
Range = tuple[Turn, ...] | Bend
PERSON: dict[str, Range] = {
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
    "foot": (Turn("ahead", -45.0, 20.0), Turn(TWIST, -20.0, 20.0)),
    "toe": (Turn("ahead", -30.0, 60.0),),
    "breast": (),
    "heel": (),
    "hip": (),
    "palm": (),
    "twist": (),
}  # fmt: skip
"""Parts of a body and how their joints turn; those without a turn are one with what carries them."""
ANIMAL: dict[str, Range] = {
    "back": (Turn("up", -12.0, 12.0), Turn(TWIST, -10.0, 10.0), Turn("left", -12.0, 12.0)),
    "animal neck": (Turn("up", -25.0, 25.0), Turn(TWIST, -20.0, 20.0), Turn("left", -25.0, 25.0)),
    "animal head": (Turn("up", -35.0, 25.0), Turn(TWIST, -30.0, 30.0), Turn("left", -30.0, 30.0)),
    "hip": (),
    "hind thigh": (Turn("front", -40.0, 45.0), Turn(TWIST, -15.0, 15.0), Turn("out", -10.0, 35.0)),
    "stifle": Bend(18.0, 138.0, "back"),
    "hock": Bend(16.0, 141.0, "front"),
    "shoulder blade": (Turn("ahead", -20.0, 20.0),),
    "fore arm": (Turn("front", -50.0, 45.0), Turn(TWIST, -15.0, 15.0), Turn("out", -10.0, 30.0)),
    "elbow": Bend(15.0, 144.0, "front"),
    "carpus": Bend(-16.0, 148.0, "back"),
    "paw": (Turn("ahead", -30.0, 60.0),),
    "limb joint": Bend(10.0, 150.0),
}
"""Parts of animals; a joint has the name of what bends there: a stifle is the joint of a hind leg's second bone."""
RANGES = PERSON | ANIMAL
SAID = {
    "hind thigh": "an animal's hip", "fore arm": "an animal's shoulder", "shoulder blade": "an animal's shoulder blade",
    "stifle": "an animal's stifle", "hock": "an animal's hock", "elbow": "an animal's elbow",
    "carpus": "an animal's carpus", "paw": "an animal's paw", "back": "an animal's back",
    "animal neck": "an animal's neck", "animal head": "an animal's head", "limb joint": "a limb, as it is bent",
}  # fmt: skip
"""How a decision calls the joints of animals."""


def said(part: str) -> str:
    """Why a joint turns as it does."""
    return SAID.get(part, f"a human {part}")
