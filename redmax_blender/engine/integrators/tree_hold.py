"""Friction, motors and stops of a tree with loops, in the kernel of its steps.

As in `friction/staircase.py`, every coordinate is held at a step of its staircase or glides between two; so does the
pin of every loop, which has a single step. What is held is a row beside those of the loops, what glides has a given
force. One set after the other is tried: what passes a step is held there, what its step cannot hold is let go. That
usually ends at once, with what held in the last step; where it does not end, the step is left to the general route.

Where a loop sticks, its joints share what holds it, in many ways: one after the other gives all that it can, until the
rest is enough for the next.
"""

from __future__ import annotations

import numpy as np

from ..friction.loads import friction_bounds
from ..friction.loop_rows import pin_loads
from ..friction.settle import relax_bounds
from ..friction.staircase import slips
from ..friction.stairs import first_guess, glide_force, other_forces, place_of, strongest_of
from ..friction.tree_passes import Mask, transmitted
from ..jit import inline, subroutine
from ..model import Floats, Ints
from .tree_rows import add_wrenches, append_row, solve_with_rows

_TRIES = 25
"""Sets of what is held that are tried."""
_EFFORT = 200
"""Sets after which a step is left to the general route."""
_SLACK = 1e-11
"""Force, as a fraction of the largest, by which a step may be overdone."""
_IMPLIED = 1e-9
"""Velocity, over the fastest and 1 [rad/s, m/s], by which a row may be missed that others imply."""
_STILL = 1e-11
"""Velocity, likewise, by which a step may be passed: what holds a loop holds all its joints, but for rounding."""


@inline
def row_speed(G: Floats, i: int, qdot: Floats) -> float:
    total = 0.0
    for k in range(len(qdot)):
        total += G[i, k] * qdot[k]
    return total


@subroutine
def next_place(
    first: Ints,
    speed: Floats,
    up: Floats,
    down: Floats,
    k: int,
    place: int,
    v: float,
    tau: float,
    slack: float,
    still: float,
) -> int:
    """Where coordinate k goes that was at a place, and has this velocity and force there; the same where it fits."""
    i, end = first[k] + place // 2, first[k + 1]
    if place % 2 == 0:
        if i > first[k] and v < speed[i - 1] - still:
            return place - 1
        if i < end and v > speed[i] + still:
            return place + 1
        return place
    own = tau - other_forces(first, up, down, k, place // 2)
    if own > up[i] + slack:
        return place - 1
    if own < -down[i] - slack:
        return place + 1
    return place


@subroutine
def rest_again(first: Ints, speed: Floats, free: Mask, qdot: Floats, still: float, place: Ints) -> None:
    """Let coordinates be held that glide beside a step at its very speed: others hold them there."""
    for k in range(len(qdot)):
        if free[k] and place[k] % 2 == 0:
            i = first[k] + place[k] // 2
            if i > first[k] and abs(qdot[k] - speed[i - 1]) <= still:
                place[k] -= 1
            elif i < first[k + 1] and abs(qdot[k] - speed[i]) <= still:
                place[k] += 1


@subroutine
def hold(
    parent: Ints,
    dof: Ints,
    mass: Floats,
    E_pj: Floats,
    S: Floats,
    U: Floats,
    D: Floats,
    free: Mask,
    F: Floats,
    b_r: Floats,
    known: Floats,
    m: int,
    G: Floats,
    at: Ints,
    index: Ints,
    entry: Floats,
    pushed: Floats,
    scale: Floats,
    L: Floats,
    strongest: float,
    first: Ints,
    speed: Floats,
    up: Floats,
    down: Floats,
    pin_bound: Floats,
    place: Ints,
    pin_place: Ints,
    wanted: Floats,
    value: Floats,
    qdot: Floats,
    tau: Floats,
    V: Floats,
    lack: Floats,
    blank: Floats,
    wide: Floats,
    u: Floats,
    b: Floats,
    touched: Mask,
    row_of: Ints,
) -> int:
    """Velocities for given heights of all steps, from a guess of the places; returns the sets tried, negative in vain.

    G has the rows of m loops and then of the pins, and a spare one. `value` becomes the impulses of the loops, and from
    m on those of the pins; the arrays after V are scratch, of which `blank`, `wide`, `u` and `touched` are zero.
    """
    nr, pins = len(b_r), len(pin_place)
    spare = m + pins
    for attempt in range(1, _TRIES + 1):
        held = m
        for i in range(nr + pins):
            row_of[i] = -1
            row = spare if i < nr else m + i - nr
            if i < nr:
                if not free[i] or place[i] % 2 == 0:
                    continue
                G[spare, i] = 1.0
            elif pin_place[i - nr] != 1:
                continue
            response = append_row(
                parent, dof, E_pj, S, U, D, free, G, row, held, strongest, at, index, entry, pushed, scale, L, blank,
                touched, wide,
            )  # fmt: skip
            if i < nr:
                G[spare, i] = 0.0
            if response > 0.0:
                wanted[held] = speed[first[i] + place[i] // 2] if i < nr else 0.0
                row_of[i] = held
                held += 1
        for k in range(nr):
            tau[k] = 0.0
            if free[k] and place[k] % 2 == 0:
                tau[k] = glide_force(first, up, down, k, place[k] // 2)
            elif free[k] and row_of[k] < 0:
                tau[k] = other_forces(first, up, down, k, place[k] // 2)
            b[k] = b_r[k] + tau[k]
        for i in range(pins):
            if pin_place[i] != 1:
                force = pin_bound[i] if pin_place[i] == 0 else -pin_bound[i]
                for k in range(nr):
                    b[k] += force * G[m + i, k]
        solve_with_rows(
            parent, dof, mass, E_pj, S, U, D, free, F, b, known, held, at, index, entry, pushed, scale, L, wanted,
            qdot, value, V, lack, u,
        )  # fmt: skip
        fastest = 1.0
        for k in range(nr):
            fastest = max(fastest, abs(qdot[k]))
            if row_of[k] >= 0:
                tau[k] = value[row_of[k]]
        slack = _SLACK * strongest_of(first, tau)
        same = True
        for k in range(nr):
            if not free[k]:
                continue
            implied = place[k] % 2 == 1 and row_of[k] < 0
            if implied and not abs(qdot[k] - speed[first[k] + place[k] // 2]) < _IMPLIED * fastest:
                return -attempt
            now = next_place(first, speed, up, down, k, place[k], qdot[k], tau[k], slack, _STILL * fastest)
            same = same and now == place[k]
            place[k] = now
        for i in range(pins):
            v = row_speed(G, m + i, qdot)
            force = 0.0
            if pin_place[i] != 1:
                force = pin_bound[i] if pin_place[i] == 0 else -pin_bound[i]
            elif row_of[nr + i] >= 0:
                force = value[row_of[nr + i]]
            elif not abs(v) < _IMPLIED * fastest:
                return -attempt
            wide[i] = force
            now = pin_place[i]
            if (now == 0 and v > _STILL * fastest) or (now == 2 and v < -_STILL * fastest):
                now = 1
            elif now == 1 and abs(force) > pin_bound[i] + slack:
                now = 0 if force > 0.0 else 2
            same = same and now == pin_place[i]
            pin_place[i] = now
        for i in range(pins):
            value[m + i] = wide[i]
            wide[i] = 0.0
        if same:
            rest_again(first, speed, free, qdot, _STILL * fastest, place)
            for i in range(pins):
                if abs(row_speed(G, m + i, qdot)) <= _STILL * fastest:
                    pin_place[i] = 1
            return attempt
    return -_TRIES


@subroutine
def misfit(
    first: Ints,
    rub_of: Ints,
    up: Floats,
    down: Floats,
    place: Ints,
    tau: Floats,
    pin_place: Ints,
    pin_force: Floats,
    rubs: int,
    load: Floats,
    bound: Floats,
) -> float:
    """By how much impulses do not fit what friction can give, which is in `load` and was taken to be `bound`.

    What rests needs no more than enough: how a loop that sticks shares its loads has no one answer to wait for.
    """
    worst = 0.0
    for k in range(len(place)):
        for e in range(first[k], first[k + 1]):
            i = rub_of[e]
            if i >= 0:
                if place[k] == 2 * (e - first[k]) + 1:
                    own = tau[k] - other_forces(first, up, down, k, e - first[k])
                    worst = max(worst, abs(own) - load[i])
                else:
                    worst = max(worst, abs(load[i] - bound[i]))
    for i in range(len(pin_place)):
        if pin_place[i] == 1:
            worst = max(worst, abs(pin_force[i]) - load[rubs + i])
        else:
            worst = max(worst, abs(load[rubs + i] - bound[rubs + i]))
    return worst


@subroutine
def hold_and_rub(
    parent: Ints,
    dof: Ints,
    mass: Floats,
    A_r: Floats,
    E_pj: Floats,
    S: Floats,
    U: Floats,
    D: Floats,
    free: Mask,
    F: Floats,
    b_r: Floats,
    known: Floats,
    link: Ints,
    owner: Ints,
    maximal: Floats,
    pin_constraint: Ints,
    pin_shape: Ints,
    pin_slides: Ints,
    pin_x: Floats,
    pin_axis: Floats,
    pin_size: Floats,
    G: Floats,
    at: Ints,
    index: Ints,
    entry: Floats,
    pushed: Floats,
    scale: Floats,
    L: Floats,
    strongest: float,
    first: Ints,
    speed: Floats,
    up: Floats,
    down: Floats,
    rub_of: Ints,
    shape: Ints,
    rub_link: Ints,
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
    value: Floats,
) -> tuple[int, int, float]:
    """Bilateral Staggered Projections with loops; returns rounds, sets and the last change of the bounds.

    Like `friction.staircase.stagger`. `link`, `owner` and `maximal` (m + pins, 2, 6) are rows in maximal coordinates,
    those of loops and then of their pins; their bounds and what sticks come after those of the joints. Rounds are zero
    where the general route has to take the step.
    """
    nl, nr, pins, rubs = len(parent), len(b_r), len(pin_shape), len(shape)
    m = len(link) - pins
    pin_link = link[m:]
    V, lack, pressed, blank = np.empty((nl, 6)), np.empty((nl, 6)), np.empty((nl, 6)), np.zeros((nl, 6))
    wide, u, b, touched = np.zeros(nr + pins), np.zeros(nr), np.empty(nr), np.zeros(nl, np.bool_)
    wanted, row_of, pin_place = (
        np.zeros(m + pins + nr),
        np.empty(nr + pins, np.int64),
        np.empty(pins, np.int64),
    )
    load, missed, pin_wrench = np.empty(rubs + pins), np.zeros(rubs + pins), np.empty((pins, 6))
    driven, any_driven = np.empty(nr, np.bool_), False
    for k in range(nr):
        driven[k] = not free[k]
        any_driven = any_driven or driven[k]
    for i in range(pins):
        v = row_speed(G, m + i, qdot)
        pin_place[i] = 1 if sticks[rubs + i] else (2 if v > 0.0 else 0)
    first_guess(first, speed, up, down, rub_of, sticks[:rubs], driven, qdot, place)
    passes, change, weight = 0, 0.0, 1.0
    for round_ in range(1, most + 1):
        for i in range(len(speed)):
            if rub_of[i] >= 0:
                up[i] = bound[rub_of[i]]
                down[i] = bound[rub_of[i]]
        tried = hold(
            parent, dof, mass, E_pj, S, U, D, free, F, b_r, known, m, G, at, index, entry, pushed, scale, L,
            strongest, first, speed, up, down, bound[rubs:], place, pin_place, wanted, value, qdot, tau, V, lack,
            blank, wide, u, b, touched, row_of,
        )  # fmt: skip
        passes += abs(tried)
        if tried < 0 or passes > _EFFORT:
            return 0, passes, 1.0
        for j in range(nl):
            for c in range(6):
                pressed[j, c] = F[j, c]
        if rubs + pins == 0 and not any_driven:
            return round_, passes, 0.0
        add_wrenches(link, maximal, value, pressed)
        transmitted(parent, dof, mass, A_r, E_pj, S, pressed, b_r, qdot, V, wrench, b)
        slack = _SLACK * strongest_of(first, tau)
        for k in range(nr):
            if driven[k]:
                tau[k] = b[k]
                place[k] = place_of(first, speed, up, down, k, qdot[k], tau[k], slack)
        if rubs + pins == 0:
            return round_, passes, 0.0
        friction_bounds(shape, rub_link, rub_dof, size, points, S, wrench, load[:rubs])
        for i in range(pins):
            side = 0 if pin_link[i, 0] >= 0 else 1
            for c in range(6):
                pin_wrench[i, c] = 0.0
                for r in range(m):
                    if owner[r] == pin_constraint[i]:
                        pin_wrench[i, c] += value[r] * maximal[r, side, c]
        pin_loads(pin_link, pin_x, pin_axis, pin_shape, pin_slides, pin_size, pin_wrench, load[rubs:])
        largest = 0.0
        for i in range(rubs + pins):
            load[i] *= mu[i, 1 if sticks[i] else 0]
            largest = max(largest, load[i])
        change = misfit(first, rub_of, up, down, place, tau, pin_place, value[m:], rubs, load, bound)
        weight = relax_bounds(load, round_, weight, missed, bound)
        change = change / largest if largest > 0.0 else 0.0
        if not change > tolerance:
            less = slips(first, rub_of, place, mu, sticks)
            for i in range(pins):
                if sticks[rubs + i] and pin_place[i] != 1:
                    sticks[rubs + i] = False
                    less = less or mu[rubs + i, 0] != mu[rubs + i, 1]
            if not less:
                for i in range(pins):
                    sticks[rubs + i] = pin_place[i] == 1
                return round_, passes, change
    return most, passes, change
