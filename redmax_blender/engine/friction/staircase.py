"""Dry friction, motors and stops of single coordinates in a tree, in linear time (paper, Alg. 3).

In each coordinate such forces are a staircase over its velocity, falling: it is *held* at the speed of a step (at rest
by friction, at the speed of a motor, at a stop) by any force between the heights of its two sides, or it *glides*
between two steps under a given force. Once it is known which of these holds everywhere, held coordinates are
prescribed, the others are free, and the hybrid recursion gives all velocities and forces at once.

Which holds is found by descent. The velocities minimise ½ qdotᵀ A qdot - bᵀ qdot + Σ φ(qdot), where the staircases are
the slopes of φ with the sign reversed. A pass lets go of the coordinates that the force of their step cannot hold,
solves for the rest, and goes there, or as far as makes the sum less; a coordinate that meets a step on its way stays on
it.

The height of a friction step is μ times the load of the joint, and the load depends on the solution. Staggered, the two
are found in turn until the heights stay the same.
"""

from __future__ import annotations

import numpy as np

from ..jit import njit, subroutine
from ..model import Floats, Ints
from .loads import friction_bounds
from .tree_passes import Mask, eliminate, energy, solve_velocities, spread, transmitted

_MOST = 200
"""Passes of a descent, of which a handful is usual."""


@subroutine
def glide_force(first: Ints, up: Floats, down: Floats, k: int, passed: int) -> float:
    """Force in coordinate k when it is faster than `passed` of its steps and slower than the others."""
    total = 0.0
    for i in range(first[k], first[k + 1]):
        total += -down[i] if i - first[k] < passed else up[i]
    return total


@subroutine
def other_forces(first: Ints, up: Floats, down: Floats, k: int, step: int) -> float:
    """Force of all other steps while coordinate k is held at one of them."""
    total = 0.0
    for i in range(first[k], first[k + 1]):
        if i - first[k] < step:
            total -= down[i]
        elif i - first[k] > step:
            total += up[i]
    return total


@subroutine
def places(
    first: Ints, speed: Floats, up: Floats, down: Floats, qdot: Floats, tau: Floats, slack: float, place: Ints
) -> None:
    """Where each coordinate is on its staircase: 2 i + 1 held at step i, or 2 i gliding below it.

    `tau` is the force that keeps the velocities. A step whose force is not enough lets its coordinate go.
    """
    for k in range(len(qdot)):
        n = first[k + 1] - first[k]
        passed, at = 0, -1
        for i in range(n):
            s = speed[first[k] + i]
            if qdot[k] > s:
                passed = i + 1
            elif qdot[k] == s and at < 0:
                own = tau[k] - other_forces(first, up, down, k, i)
                if own > up[first[k] + i] + slack:
                    passed = i
                    break
                if own < -down[first[k] + i] - slack:
                    passed = i + 1
                else:
                    at = i
                    break
        place[k] = 2 * passed if at < 0 else 2 * at + 1


@subroutine
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


@subroutine
def back_on(first: Ints, speed: Floats, k: int, place: int, start: float, goal: float) -> int:
    """The step that a gliding coordinate begins on and would go back over; -1 for none."""
    i = place // 2
    if i > 0 and start == speed[first[k] + i - 1] and goal < start:
        return i - 1
    if i < first[k + 1] - first[k] and start == speed[first[k] + i] and goal > start:
        return i
    return -1


@subroutine
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


@subroutine
def descend(
    parent: Ints,
    dof: Ints,
    mass: Floats,
    A_r: Floats,
    E_pj: Floats,
    S: Floats,
    F: Floats,
    b_r: Floats,
    driven: Mask,
    first: Ints,
    speed: Floats,
    up: Floats,
    down: Floats,
    most: int,
    qdot: Floats,
    V: Floats,
    wrench: Floats,
    tau: Floats,
    place: Ints,
) -> int:
    """Velocities on the staircases, from a guess; returns the passes it took, negative when `most` were not enough.

    `driven` marks coordinates whose velocity is given in qdot. `tau` (nr,) becomes the force of the staircases, and for
    driven coordinates what drives them.
    """
    nl, nr = len(parent), len(b_r)
    IA = np.empty((nl, 21))
    lack = np.empty((nl, 6))
    U = np.empty((nr, 6))
    D = np.empty(nr)
    r, u, y = np.empty(nr), np.empty(nr), np.empty(nr)
    pushed, goal, trial = np.empty(nr), np.empty(nr), np.empty(nr)
    free = np.empty(nr, np.bool_)
    spread(parent, dof, E_pj, S, qdot, V)
    transmitted(parent, dof, mass, A_r, E_pj, S, F, b_r, qdot, V, wrench, tau)
    value = energy(F, b_r, V, qdot, tau) + dissipation(first, speed, up, down, qdot)
    arrived = False
    for count in range(1, most + 1):
        strongest = 0.0
        for k in range(nr):
            if first[k + 1] > first[k]:
                strongest = max(strongest, abs(tau[k]))
        places(first, speed, up, down, qdot, tau, 1e-11 * strongest, place)
        same = arrived
        for k in range(nr):
            glides = not driven[k] and place[k] % 2 == 0
            same = same and glides == free[k]
            free[k] = glides
            pushed[k] = b_r[k]
            if glides:
                pushed[k] += glide_force(first, up, down, k, place[k] // 2)
        if same:
            return count
        turned = True
        while turned:
            for k in range(nr):
                goal[k] = qdot[k]
            eliminate(parent, dof, mass, A_r, E_pj, S, free, IA, U, D)
            solve_velocities(parent, dof, mass, E_pj, S, U, D, free, F, pushed, goal, V, lack, r, u, y)
            turned = False
            for k in range(nr):
                # what was let go one way, and in company would go the other way, is better held
                step = back_on(first, speed, k, place[k], qdot[k], goal[k]) if free[k] else -1
                if step >= 0:
                    free[k] = False
                    place[k] = 2 * step + 1
                    pushed[k] = b_r[k]
                    turned = True
        part, before = 1.0, value
        while True:
            arrived = part == 1.0
            for k in range(nr):
                trial[k] = toward(first, speed, k, place[k], qdot[k], goal[k], part)
                arrived = arrived and trial[k] == goal[k]
            if not arrived:
                spread(parent, dof, E_pj, S, trial, V)
            transmitted(parent, dof, mass, A_r, E_pj, S, F, b_r, trial, V, wrench, tau)
            value = energy(F, b_r, V, trial, tau) + dissipation(first, speed, up, down, trial)
            if arrived or value <= before + 1e-13 * abs(before) or part < 1e-9:
                break
            part *= 0.5
        for k in range(nr):
            qdot[k] = trial[k]
        if np.isnan(value):
            return -count
    return -most


@subroutine
def slips(first: Ints, rub_of: Ints, place: Ints, mu: Floats, sticks: Mask) -> bool:
    """Let surfaces that do not stay at rest have the coefficient of motion; whether that makes a difference."""
    less = False
    for k in range(len(place)):
        for i in range(first[k], first[k + 1]):
            j = rub_of[i]
            if j >= 0 and sticks[j] and place[k] != 2 * (i - first[k]) + 1:
                sticks[j] = False
                less = less or mu[j, 0] != mu[j, 1]
    return less


@njit
def stagger(
    parent: Ints,
    dof: Ints,
    mass: Floats,
    A_r: Floats,
    E_pj: Floats,
    S: Floats,
    F: Floats,
    b_r: Floats,
    driven: Mask,
    first: Ints,
    speed: Floats,
    up: Floats,
    down: Floats,
    rub_of: Ints,
    shape: Ints,
    link: Ints,
    rub_dof: Ints,
    size: Floats,
    points: int,
    mu: Floats,
    sticks: Mask,
    bound: Floats,
    tolerance: float,
    most: int,
    place: Ints,
    qdot: Floats,
    wrench: Floats,
    tau: Floats,
) -> tuple[int, int, float]:
    """Bilateral Staggered Projections; returns rounds, passes and the last change of the bounds, as a fraction.

    qdot comes as a guess, within the stops. `bound` (n,) comes as a guess of the largest friction impulses and leaves
    as what was found; `sticks` tells the surfaces at rest, for which the coefficient at rest counts until they slip.
    `rub_of` names the surfaces of each step of a staircase, -1 for motors and stops.
    """
    nl = len(parent)
    V = np.empty((nl, 6))
    load = np.empty(len(link))
    passes, change = 0, 0.0
    for round_ in range(1, most + 1):
        for i in range(len(speed)):
            if rub_of[i] >= 0:
                up[i] = bound[rub_of[i]]
                down[i] = bound[rub_of[i]]
        count = descend(
            parent, dof, mass, A_r, E_pj, S, F, b_r, driven, first, speed, up, down, _MOST,
            qdot, V, wrench, tau, place,
        )  # fmt: skip
        passes += abs(count)
        if len(link) == 0:
            return round_, passes, 0.0 if count > 0 else 1.0
        friction_bounds(shape, link, rub_dof, size, points, S, wrench, load)
        change, largest = 0.0, 0.0
        for i in range(len(link)):
            now = mu[i, 1 if sticks[i] else 0] * load[i]
            largest = max(largest, now)
            change = max(change, abs(now - bound[i]))
            # Where a joint is near to locking itself the two projections overshoot each other.
            bound[i] = now if round_ <= 10 else 0.5 * (now + bound[i])
        change = change / largest if largest > 0.0 else 0.0
        if count < 0:
            change = 1.0
        elif change <= tolerance and not slips(first, rub_of, place, mu, sticks):
            return round_, passes, change
    return most, passes, change
