"""Limits of joints, and how their motions are switched, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..errors import SceneError
from ..model.records import MODES, Floats, Limits
from ..scene import JointSpec
from ..scene import Limits as LimitsSpec
from ..scene.constraints import Guide, Switch

_Place = Callable[[str], str]
JointEntry = tuple[JointSpec, slice, _Place]
"""A joint, its coordinates, and where in the scene its fields are."""


def joint_modes(
    joints: Sequence[JointEntry],
) -> tuple[tuple[tuple[tuple[float, int, float], ...], ...], Floats]:
    """For every motion curve its switches, and stiffness and damping of its guide; no switches at all as ()."""
    switches: list[tuple[tuple[float, int, float], ...]] = []
    guide: list[tuple[float, float]] = []
    for joint, _, place in joints:
        if joint.base:  # in front of the joint's own coordinates, and followed in every mode
            switches += [()] * 6
            guide += [(0.0, 0.0)] * 6
        own = tuple((s.time, MODES[s.mode], s.over) for s in joint.modes)
        if own and not any(curve is not None for curve in joint.motion):
            raise SceneError(
                place("modes"), "the joint has modes but no motion", "Give it a motion to follow or to leave."
            )
        k, c = check_modes(joint.modes, joint.guide, place)
        for curve in joint.motion:
            if curve is not None:
                switches.append(own)
                guide.append((k, c))
    return (tuple(switches) if any(switches) else ()), np.array(guide, float).reshape(-1, 2)


def check_modes(modes: Sequence[Switch], guide: Guide | None, place: _Place) -> tuple[float, float]:
    """Stiffness and damping of the guide, zero for none; raises a SceneError where modes and guide do not fit."""
    for k, (a, b) in enumerate(zip(modes[:-1], modes[1:], strict=True)):
        if b.time <= a.time:
            raise SceneError(
                place(f"modes[{k + 1}].time"),
                "the times do not increase",
                "Put the switches in order of time.",
            )
    for k, switch in enumerate(modes):
        if switch.over < 0.0 or (switch.over > 0.0 and switch.mode != "prescribed"):
            raise SceneError(
                place(f"modes[{k}].over"),
                f"the switch to '{switch.mode}' takes {switch.over} s",
                "Give zero or more, and only for the mode 'prescribed'.",
            )
    if guide is None:
        if any(switch.mode == "guided" for switch in modes):
            raise SceneError(place("guide"), "there is a mode 'guided' but no guide", "Give a guide.")
        return 0.0, 0.0
    if guide.response is not None:
        if guide.stiffness or guide.damping or guide.response <= 0.0 or guide.ratio < 0.0:
            raise SceneError(
                place("guide"),
                f"its response is {guide.response} s, its ratio {guide.ratio}, its stiffness {guide.stiffness} and "
                f"its damping {guide.damping}",
                "Give a response above zero and a ratio of zero or more, without stiffness and damping; or these two.",
            )
        return 0.0, 0.0  # `guide_gains` fills them in
    if guide.stiffness < 0.0 or guide.damping < 0.0:
        raise SceneError(
            place("guide"),
            f"its stiffness is {guide.stiffness} and its damping {guide.damping}",
            "Give zero or more.",
        )
    return guide.stiffness, guide.damping


def joint_limits(joints: Sequence[JointEntry]) -> tuple[Limits, Floats]:
    """Hard stops, and springy ones as rows of coordinate, lower, upper, stiffness and damping."""
    hard: list[tuple[int, float, float, float]] = []
    springy: list[tuple[float, float, float, float, float]] = []
    for joint, span, place in joints:
        limits = joint.limits
        if limits is None:
            continue
        n = span.stop - span.start
        lower = _bounds(limits.lower, n, -np.inf, place("limits.lower"))
        upper = _bounds(limits.upper, n, np.inf, place("limits.upper"))
        if not 0.0 <= limits.restitution <= 1.0:
            raise SceneError(
                place("limits.restitution"),
                f"the restitution is {limits.restitution}",
                "Give a number from 0 to 1.",
            )
        _check_springy(limits, place)
        for k in range(n):
            if lower[k] > upper[k]:
                raise SceneError(
                    place("limits"),
                    f"coordinate {k} has the lower limit {lower[k]} above the upper limit {upper[k]}",
                    "Swap them.",
                )
            dof = span.start + k
            if limits.stiffness is not None:
                springy.append((dof, lower[k], upper[k], limits.stiffness, limits.damping))
                continue
            if np.isfinite(lower[k]):
                hard.append((dof, 1.0, lower[k], limits.restitution))
            if np.isfinite(upper[k]):
                hard.append((dof, -1.0, upper[k], limits.restitution))
    dofs, side, bound, restitution = np.array(hard, float).reshape(-1, 4).T
    packed = Limits(dofs.astype(np.int64), side.copy(), bound.copy(), restitution.copy())
    return packed, np.array(springy, float).reshape(-1, 5)


def _check_springy(limits: LimitsSpec, place: _Place) -> None:
    """A stop is hard, with restitution, or springy, with stiffness and damping."""
    for name, value in (("stiffness", limits.stiffness), ("damping", limits.damping)):
        if value is not None and value < 0.0:
            raise SceneError(place(f"limits.{name}"), f"the {name} is {value}", "Give zero or more.")
    if limits.stiffness is None and limits.damping != 0.0:
        raise SceneError(
            place("limits.damping"),
            "the stop has a damping but no stiffness",
            "Give a stiffness as well, which makes it springy, or use `restitution`.",
        )
    if limits.stiffness is not None and limits.restitution != 0.0:
        raise SceneError(
            place("limits.restitution"),
            "a springy stop returns energy by itself and has no restitution",
            "Leave out the stiffness, or use `damping` instead.",
        )


def _bounds(given: list[float | None] | float | None, n: int, open_: float, place: str) -> list[float]:
    if given is None:
        return [open_] * n
    if isinstance(given, (int, float)):
        return [float(given)] * n
    if len(given) != n:
        raise SceneError(
            place, f"there are {len(given)} numbers, and the joint has {n} coordinates", f"Give {n}."
        )
    return [open_ if x is None else float(x) for x in given]
