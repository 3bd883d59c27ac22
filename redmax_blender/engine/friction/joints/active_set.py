"""Dry friction, motors and stops of single coordinates in a tree, in linear time (paper, Alg. 3).

In each coordinate such forces are a staircase over its velocity, falling: it is *held* at the speed of a step (at rest
by friction, at the speed of a motor, at a stop) by any force between the heights of its two sides, or it *glides*
between two steps under a given force. Once it is known which of these holds everywhere, held coordinates are
prescribed, the others are free, and the hybrid recursion gives all velocities and forces at once.

Which holds is found by descent. The velocities minimise ½ qdotᵀ A qdot - bᵀ qdot + Σ φ(qdot), where the staircases are
the slopes of φ with the sign reversed. A pass lets go of the coordinates that the force of their step cannot hold,
solves for the rest, and goes there, or as far as makes the sum less; a coordinate that meets a step on its way stays on
it. Before that it is tried whether what held in the last step, or for the last heights, holds again: usually it does,
and that takes a single solve.

The height of a friction step is μ times the load of the joint, and the load depends on the solution. Staggered, the two
are found in turn until the heights stay the same.
"""

from __future__ import annotations

import numpy as np

from ...jit.decorators import borrower, subroutine
from ...model.records import Floats, Ints
from ...tree.passes import Mask, eliminate, energy, solve_velocities, spread, transmitted
from .active_rows import back_on, dissipation, first_guess, fits, glide_force, place_of, strongest_of, toward
from .loads import friction_bounds
from .settle import relax_bounds

_MOST = 200
"""Passes of a descent, of which a handful is usual."""


_SLACK = 1e-11
"""Force, as a fraction of the largest, by which a step may be overdone."""
NOISE = 1e-12
"""And as a fraction of what would hold everything still: what is below that is rounding. In free fall all of it is."""


@borrower
def solve_places(
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
    up: Floats,
    down: Floats,
    place: Ints,
    factored: bool,
    free: Mask,
    qdot: Floats,
    V: Floats,
    IA: Floats,
    U: Floats,
    lack: Floats,
    scratch: Floats,
) -> None:
    """Velocities of coordinates that glide where their places say, into qdot, the others being held as qdot says.

    `free` is what the factor in U and scratch[0] is for, if it is `factored`; it is renewed where that has changed.
    """
    D, r, u, y, pushed = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    for k in range(len(b_r)):
        glides = not driven[k] and place[k] % 2 == 0
        factored = factored and free[k] == glides
        free[k] = glides
        pushed[k] = b_r[k]
        if glides:
            pushed[k] += glide_force(first, up, down, k, place[k] // 2)
    if not factored:
        eliminate(parent, dof, mass, A_r, E_pj, S, free, IA, U, D)
    solve_velocities(parent, dof, mass, E_pj, S, U, D, free, F, pushed, qdot, V, lack, r, u, y)


@borrower
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
    noise: float,
    qdot: Floats,
    place: Ints,
    wrench: Floats,
    tau: Floats,
    V: Floats,
    IA: Floats,
    U: Floats,
    lack: Floats,
    scratch: Floats,
    free: Mask,
) -> int:
    """Velocities on the staircases, from a guess; returns the passes it took, negative when `most` were not enough.

    `driven` marks coordinates whose velocity is given in qdot. `tau` (nr,) becomes the force of the staircases, and for
    driven coordinates what drives them; forces below `noise` are rounding. The last arrays are scratch.
    """
    nr = len(b_r)
    goal, trial = scratch[5], scratch[6]
    spread(parent, dof, E_pj, S, qdot, V)
    transmitted(parent, dof, mass, A_r, E_pj, S, F, b_r, qdot, V, wrench, tau)
    value = energy(F, b_r, V, qdot, tau) + dissipation(first, speed, up, down, qdot)
    arrived = False
    for count in range(1, most + 1):
        slack = max(_SLACK * strongest_of(first, tau), noise)
        same = arrived
        for k in range(nr):
            place[k] = place_of(first, speed, up, down, k, qdot[k], tau[k], slack)
            same = same and (not driven[k] and place[k] % 2 == 0) == free[k]
        if same:
            return count
        turned, factored = True, count > 1
        while turned:
            for k in range(nr):
                goal[k] = qdot[k]
            solve_places(
                parent, dof, mass, A_r, E_pj, S, F, b_r, driven, first, up, down, place, factored, free, goal,
                V, IA, U, lack, scratch,
            )  # fmt: skip
            turned, factored = False, True
            for k in range(nr):
                # what was let go one way, and in company would go the other way, is better held
                step = back_on(first, speed, k, place[k], qdot[k], goal[k]) if free[k] else -1
                if step >= 0:
                    place[k] = 2 * step + 1
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


@borrower
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


@borrower
def rounding_of(
    parent: Ints, dof: Ints, mass: Floats, A_r: Floats, E_pj: Floats, S: Floats, F: Floats, b_r: Floats, shape: Ints,
    link: Ints, rub_dof: Ints, size: Floats, points: int, mu: Floats, still: Floats, V: Floats, wrench: Floats,
    tau: Floats, load: Floats,
) -> float:  # fmt: skip
    """Impulses in coordinates [N·m·s, N·s] that are rounding, from those that would hold everything still.

    `still` (nr,), V and all after them are scratch.
    """
    for k in range(len(still)):
        still[k] = 0.0
    for j in range(len(V)):
        for c in range(6):
            V[j, c] = 0.0
    transmitted(parent, dof, mass, A_r, E_pj, S, F, b_r, still, V, wrench, tau)
    friction_bounds(shape, link, rub_dof, size, points, S, wrench, load)
    largest = 0.0
    for k in range(len(tau)):
        largest = max(largest, abs(tau[k]))
    for i in range(len(load)):
        largest = max(largest, load[i] * mu[i, 0])
    return NOISE * largest


@subroutine
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

    qdot comes as the velocities before the step. `bound` (n,) comes as a guess of the largest friction impulses and
    leaves as what was found; `sticks` tells the surfaces at rest, for which the coefficient at rest counts until they
    slip. `rub_of` names the surfaces of each step of a staircase, -1 for motors and stops.
    """
    nl, nr = len(parent), len(b_r)
    V, lack, IA, U = np.empty((nl, 6)), np.empty((nl, 6)), np.empty((nl, 21)), np.empty((nr, 6))
    scratch = np.empty((7, nr))
    goal, load, missed = scratch[5], np.empty(len(link)), np.zeros(len(link))
    free = np.empty(nr, np.bool_)
    passes, change, weight, noise = 0, 0.0, 1.0, -1.0
    first_guess(first, speed, up, down, rub_of, sticks, driven, qdot, place)
    for round_ in range(1, most + 1):
        for i in range(len(speed)):
            if rub_of[i] >= 0:
                up[i] = bound[rub_of[i]]
                down[i] = bound[rub_of[i]]
        for k in range(nr):
            goal[k] = qdot[k]
        solve_places(
            parent, dof, mass, A_r, E_pj, S, F, b_r, driven, first, up, down, place, round_ > 1, free, goal,
            V, IA, U, lack, scratch,
        )  # fmt: skip
        transmitted(parent, dof, mass, A_r, E_pj, S, F, b_r, goal, V, wrench, tau)
        slack = max(_SLACK * strongest_of(first, tau), noise)
        good = fits(first, speed, up, down, driven, place, goal, tau, slack)
        if not good and noise < 0.0:
            noise = rounding_of(
                parent, dof, mass, A_r, E_pj, S, F, b_r, shape, link, rub_dof, size, points, mu, scratch[6], lack,
                wrench, tau, load,
            )  # fmt: skip
            spread(parent, dof, E_pj, S, goal, V)
            transmitted(parent, dof, mass, A_r, E_pj, S, F, b_r, goal, V, wrench, tau)
            slack = max(slack, noise)
            good = fits(first, speed, up, down, driven, place, goal, tau, slack)
        if good:
            count = 1
            for k in range(nr):
                qdot[k] = goal[k]
                if driven[k]:
                    place[k] = place_of(first, speed, up, down, k, qdot[k], tau[k], slack)
        else:
            count = descend(
                parent, dof, mass, A_r, E_pj, S, F, b_r, driven, first, speed, up, down, _MOST, noise, qdot, place,
                wrench, tau, V, IA, U, lack, scratch, free,
            )  # fmt: skip
            passes += 1
        passes += abs(count)
        if len(link) == 0:
            return round_, passes, 0.0 if count > 0 else 1.0
        friction_bounds(shape, link, rub_dof, size, points, S, wrench, load)
        change, largest = 0.0, 0.0
        for i in range(len(link)):
            load[i] *= mu[i, 1 if sticks[i] else 0]
            if load[i] <= noise:
                load[i] = 0.0
            largest = max(largest, load[i])
            change = max(change, abs(load[i] - bound[i]))
        weight = relax_bounds(load, round_, weight, missed, bound)
        change = change / largest if largest > 0.0 else 0.0
        if count < 0:
            change = 1.0
        elif change <= tolerance and not slips(first, rub_of, place, mu, sticks):
            return round_, passes, change
    return most, passes, change
