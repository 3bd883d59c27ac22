"""Staircases: the forces of friction, motors and stops in single coordinates, over the velocity of each.

A staircase falls. Its *steps* are speeds at which a coordinate may be held: at rest by friction, at the speed of a
motor, at a stop. Step i gives any force from -down[i] to up[i] at its speed, up[i] below it and -down[i] above it. The
steps of coordinate k are first[k]:first[k+1], by speed. Where a coordinate is on its staircase is a *place*: 2 i + 1
held at step i, or 2 i gliding between the steps i - 1 and i.
"""

from __future__ import annotations

import numpy as np

from ...jit.decorators import borrower, inline
from ...model.records import Floats, Ints
from ...tree.passes import Mask

_NEVER = 1e300
"""Speed of a step that takes no part."""


@borrower
def build_stairs(
    first: Ints,
    source: Ints,
    push: Floats,
    motor_speed: Floats,
    side: Floats,
    stop_speed: Floats,
    holds: Mask,
    rubs: int,
    order: Ints,
    speed: Floats,
    up: Floats,
    down: Floats,
    rub_of: Ints,
) -> None:
    """Sort the steps of each coordinate by speed; `order` tells the source of each.

    Sources are numbered: pairs of surfaces, motors with their largest impulse `push`, then stops with their side, +1
    for a lower one, and speed; only stops that `holds` marks take part. Heights of friction are left to the caller.
    """
    motors = len(push)
    for k in range(len(first) - 1):
        for e in range(first[k], first[k + 1]):
            s = source[e]
            v, above, below, rank = 0.0, 0.0, 0.0, 1
            if s >= rubs + motors:
                i = s - rubs - motors
                v, rank = _NEVER, 3
                if holds[i]:
                    # at one speed, an upper stop comes after everything else and a lower one before: nothing is beyond
                    v, rank = stop_speed[i], 0 if side[i] > 0.0 else 2
                    above, below = (np.inf, 0.0) if side[i] > 0.0 else (0.0, np.inf)
            elif s >= rubs:
                v = motor_speed[s - rubs]
                above = push[s - rubs]
                below = above
            at = e
            while at > first[k] and (
                speed[at - 1] > v or (speed[at - 1] == v and rub_of[at - 1] > rank)  # the rank, for now
            ):
                speed[at], up[at], down[at] = speed[at - 1], up[at - 1], down[at - 1]
                order[at], rub_of[at] = order[at - 1], rub_of[at - 1]
                at -= 1
            speed[at], up[at], down[at], order[at], rub_of[at] = v, above, below, s, rank
        for e in range(first[k], first[k + 1]):
            rub_of[e] = order[e] if order[e] < rubs else -1


@borrower
def first_guess(
    first: Ints,
    speed: Floats,
    up: Floats,
    down: Floats,
    rub_of: Ints,
    sticks: Mask,
    driven: Mask,
    qdot: Floats,
    place: Ints,
) -> None:
    """Velocities before the step, at rest where surfaces stick, and within the stops; and the places of those."""
    for k in range(len(qdot)):
        if not driven[k]:
            for i in range(first[k], first[k + 1]):
                if rub_of[i] >= 0 and sticks[rub_of[i]]:
                    qdot[k] = 0.0
            for i in range(first[k], first[k + 1]):
                if up[i] == np.inf:
                    qdot[k] = max(qdot[k], speed[i])
                elif down[i] == np.inf:
                    qdot[k] = min(qdot[k], speed[i])
        at = 0
        for i in range(first[k], first[k + 1]):
            if qdot[k] > speed[i]:
                at = 2 * (i - first[k]) + 2
            elif qdot[k] == speed[i] and at % 2 == 0 and (rub_of[i] < 0 or sticks[rub_of[i]]):
                at = 2 * (i - first[k]) + 1
        place[k] = at


@inline
def glide_force(first: Ints, up: Floats, down: Floats, k: int, passed: int) -> float:
    """Force in coordinate k when it is faster than `passed` of its steps and slower than the others."""
    total = 0.0
    for i in range(first[k], first[k + 1]):
        total += -down[i] if i - first[k] < passed else up[i]
    return total


@inline
def other_forces(first: Ints, up: Floats, down: Floats, k: int, step: int) -> float:
    """Force of all other steps while coordinate k is held at one of them."""
    total = 0.0
    for i in range(first[k], first[k + 1]):
        if i - first[k] < step:
            total -= down[i]
        elif i - first[k] > step:
            total += up[i]
    return total


@borrower
def place_of(
    first: Ints, speed: Floats, up: Floats, down: Floats, k: int, v: float, tau: float, slack: float
) -> int:
    """Where coordinate k is on its staircase at velocity v, which the force tau keeps.

    A step whose force is not enough lets its coordinate go.
    """
    passed = 0
    for i in range(first[k + 1] - first[k]):
        s = speed[first[k] + i]
        if v > s:
            passed = i + 1
        elif v == s:
            own = tau - other_forces(first, up, down, k, i)
            if own > up[first[k] + i] + slack:
                return 2 * i
            if not own < -down[first[k] + i] - slack:
                return 2 * i + 1
            passed = i + 1
    return 2 * passed


@inline
def toward(first: Ints, speed: Floats, k: int, place: int, start: float, goal: float, part: float) -> float:
    """From a velocity a part of the way to another one, as far as the next step of the staircase."""
    v = start + part * (goal - start)
    i = place // 2
    if place % 2 == 0:
        if i > 0 and v < speed[first[k] + i - 1]:
            v = speed[first[k] + i - 1]
        if i < first[k + 1] - first[k] and v > speed[first[k] + i]:
            v = speed[first[k] + i]
    return v


@inline
def back_on(first: Ints, speed: Floats, k: int, place: int, start: float, goal: float) -> int:
    """The step that a gliding coordinate begins on and would go back over; -1 for none."""
    i = place // 2
    if i > 0 and start == speed[first[k] + i - 1] and goal < start:
        return i - 1
    if i < first[k + 1] - first[k] and start == speed[first[k] + i] and goal > start:
        return i
    return -1


@borrower
def dissipation(first: Ints, speed: Floats, up: Floats, down: Floats, qdot: Floats) -> float:
    """Σ φ(qdot)."""
    total = 0.0
    for k in range(len(qdot)):
        for i in range(first[k], first[k + 1]):
            if qdot[k] > speed[i]:
                total += down[i] * (qdot[k] - speed[i])
            elif qdot[k] < speed[i]:
                total += up[i] * (speed[i] - qdot[k])
    return total


@borrower
def fits(
    first: Ints,
    speed: Floats,
    up: Floats,
    down: Floats,
    driven: Mask,
    place: Ints,
    qdot: Floats,
    tau: Floats,
    slack: float,
) -> bool:
    """Whether velocities and the forces that keep them are what the places say, so that they are the solution."""
    for k in range(len(qdot)):
        if driven[k]:
            continue
        i, end = first[k] + place[k] // 2, first[k + 1]
        if place[k] % 2 == 0:
            if i > first[k] and not qdot[k] >= speed[i - 1]:
                return False
            if i < end and not qdot[k] <= speed[i]:
                return False
        else:
            own = tau[k] - other_forces(first, up, down, k, place[k] // 2)
            if not (own <= up[i] + slack and own >= -down[i] - slack):
                return False
    return True


@borrower
def strongest_of(first: Ints, tau: Floats) -> float:
    """The largest force of a staircase."""
    out = 0.0
    for k in range(len(tau)):
        if first[k + 1] > first[k]:
            out = max(out, abs(tau[k]))
    return out


@borrower
def source_forces(
    first: Ints, up: Floats, down: Floats, order: Ints, place: Ints, tau: Floats, out: Floats
) -> None:
    """The force of each source on its coordinate."""
    for k in range(len(place)):
        at = place[k] // 2 if place[k] % 2 == 1 else -1
        passed = place[k] // 2
        rest = tau[k]
        for i in range(first[k], first[k + 1]):
            if i - first[k] != at:
                force = -down[i] if i - first[k] < passed else up[i]
                out[order[i]] = force
                rest -= force
        if at >= 0:
            out[order[first[k] + at]] = rest


@borrower
def resting(first: Ints, rub_of: Ints, place: Ints, out: Mask) -> None:
    """Which surfaces stick: their coordinate is held at the step that is theirs."""
    for k in range(len(place)):
        for i in range(first[k], first[k + 1]):
            if rub_of[i] >= 0:
                out[rub_of[i]] = place[k] == 2 * (i - first[k]) + 1
