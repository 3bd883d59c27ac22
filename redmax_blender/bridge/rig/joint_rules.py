"""Which joint a bone gets, from what its rig already says about how it may turn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi

import bpy

NAMES = "XYZ"
LOCKED = 1e-4
"""A limit whose ends are closer than this [rad] leaves no freedom."""

UNSAID = "no locks or limits"
"""Why a bone turns about all axes where the rig says nothing."""

Three = tuple[float, float, float]


@dataclass(frozen=True)
class Freedom:
    """How a bone may turn about its own axes, and where that is from."""

    free: tuple[bool, bool, bool]
    limited: tuple[bool, bool, bool] = (False, False, False)
    low: Three = (-pi, -pi, -pi)
    """[rad]"""
    high: Three = (pi, pi, pi)
    """[rad]"""
    why: str = ""
    about: Three | None = None
    """Direction of a hinge that is none of the bone's axes; its limits are at the one that is nearest to it."""

    @property
    def axes(self) -> str:
        """Names of the free axes, e.g. "XZ"."""
        return "".join(name for name, free in zip(NAMES, self.free) if free)

    @property
    def joint(self) -> str:
        """The joint kind that has these freedoms."""
        return ("FIXED", "REVOLUTE", "UNIVERSAL", "SPHERICAL")[sum(self.free)]


def filled(freedom: Freedom, other: Freedom) -> Freedom:
    """Limited as another says about those axes that are free and of which nothing is known."""
    low, high, limited = list(freedom.low), list(freedom.high), list(freedom.limited)
    for k in range(3):
        if freedom.free[k] and not limited[k] and other.limited[k] and other.about is None:
            low[k], high[k], limited[k] = other.low[k], other.high[k], True
    if tuple(limited) == freedom.limited:
        return freedom
    why = f"{freedom.why}, no further than {other.why}"
    return replace(freedom, limited=_three(limited), low=_three(low), high=_three(high), why=why)


def freedom_of(bone: bpy.types.PoseBone) -> Freedom:
    """From IK locks and limits, or a Limit Rotation constraint, or else free about all axes.

    Transform locks say nothing about a joint: generated rigs lock every deform bone against the animator's hand.
    """
    return _from_ik(bone) or _from_limit_rotation(bone) or Freedom((True, True, True), why=UNSAID)


def _from_ik(bone: bpy.types.PoseBone) -> Freedom | None:
    locks = [getattr(bone, f"lock_ik_{a}") for a in "xyz"]
    limited = [getattr(bone, f"use_ik_limit_{a}") for a in "xyz"]
    if not any(locks) and not any(limited):
        return None
    low = [getattr(bone, f"ik_min_{a}") for a in "xyz"]
    high = [getattr(bone, f"ik_max_{a}") for a in "xyz"]
    return _freedom(locks, limited, low, high, "IK locks and limits")


def _from_limit_rotation(bone: bpy.types.PoseBone) -> Freedom | None:
    muted_by_us = bone.redmax.muted.splitlines()
    for constraint in bone.constraints:
        if constraint.type != "LIMIT_ROTATION" or constraint.owner_space != "LOCAL":
            continue
        if constraint.mute and constraint.name not in muted_by_us:
            continue
        limited = [getattr(constraint, f"use_limit_{a}") for a in "xyz"]
        if any(limited):
            low = [getattr(constraint, f"min_{a}") for a in "xyz"]
            high = [getattr(constraint, f"max_{a}") for a in "xyz"]
            return _freedom([False] * 3, limited, low, high, f"constraint '{constraint.name}'")
    return None


def _freedom(
    locks: list[bool], limited: list[bool], low: list[float], high: list[float], why: str
) -> Freedom:
    free = [not (lock or (lim and b - a < LOCKED)) for lock, lim, a, b in zip(locks, limited, low, high)]
    kept = [lim and f for lim, f in zip(limited, free)]
    lows = [a if k else -pi for a, k in zip(low, kept)]
    highs = [b if k else pi for b, k in zip(high, kept)]
    return Freedom(_three(free), _three(kept), _three(lows), _three(highs), why)


def _three(values: list) -> tuple:
    x, y, z = values
    return (x, y, z)
