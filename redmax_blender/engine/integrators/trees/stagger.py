"""Bilateral Staggered Projections of a tree with loops, in the kernel of its steps: bounds and velocities in turn."""

from __future__ import annotations

import numpy as np

from ...algebra.spatial import ZERO6, axpy6, load6, load12, store6, wrench_down
from ...friction.joints.loads import friction_bounds
from ...friction.joints.loop_rows import pin_loads
from ...friction.joints.settle import relax_bounds
from ...jit.decorators import borrower, inline, inline_borrower
from ...model.records import Floats, Ints
from ...tree.passes import Mask
from .common import carried_wrenches
from .joint_friction import on_riser, settle_stairs, side_of, within
from .rows import add_wrenches, row_side, row_speed

_CLOSING = 0.2
"""Part of the last change of the bounds below which they are best taken as they are found."""
_SHARE, _SETTLED = 1e3, 1e2
"""Times the tolerance: part of what bounds change in a step, and of the largest, to which they need not be known. What
they change in between is not looked at."""
_DOUBT, _WEARS = 2.0, 1.1
"""What a round may leave over what it left when that was last seen, and by how much that grows with each step since."""
_STUCK = 1e-9
"""Velocity, over the fastest and 1 [rad/s, m/s], below which surfaces stick: others may hold them there."""


@borrower
def stairs_of(
    push: Floats,
    motor_speed: Floats,
    side: Floats,
    stop_speed: Floats,
    holds: Mask,
    rubs: int,
    speed: Floats,
    up: Floats,
    down: Floats,
) -> None:
    """Speed and bounds of every step; those of friction are left to the caller."""
    motors = len(push)
    for i in range(len(speed)):
        speed[i], up[i], down[i] = 0.0, 0.0, 0.0
    for i in range(motors):
        speed[rubs + i], up[rubs + i], down[rubs + i] = motor_speed[i], push[i], push[i]
    for i in range(len(side)):
        s = rubs + motors + i
        if holds[i]:
            speed[s] = stop_speed[i]
            up[s], down[s] = (np.inf, 0.0) if side[i] > 0.0 else (0.0, np.inf)


@borrower
def guess_sides(
    link: Ints, G: Floats, dof_of: Ints, rubs: int, bound: Floats, centre: Floats, stiff: Floats, speed: Floats,
    qdot: Floats, V: Floats, up: Floats, down: Floats, state: Ints,
) -> None:  # fmt: skip
    """Sides of the steps at the velocities before a solve, with these bounds of friction; rows of pins are the last."""
    ns, n = len(dof_of), len(speed)
    for s in range(n):
        v = qdot[dof_of[s]] if s < ns else row_speed(link, G, len(link) - n + s, V)
        if s < rubs or s >= ns:
            up[s] = bound[s if s < ns else rubs + s - ns]
            down[s] = up[s]
        state[s] = side_of(on_riser(centre[s], stiff[s], v, speed[s]), up[s], down[s])


@inline
def misfit(state: Ints, force: Floats, rubs: int, steps: int, load: Floats, bound: Floats) -> float:
    """By how much impulses do not fit what friction can give, which is in `load` and was taken to be `bound`.

    What rests needs no more than enough: how a loop that sticks shares its loads has no one answer to wait for.
    """
    worst = 0.0
    for i in range(len(bound)):
        s = i if i < rubs else steps + i - rubs
        worst = max(worst, abs(force[s]) - load[i] if state[s] == 0 else abs(load[i] - bound[i]))
    return worst


@inline
def mix_bounds(
    state: Ints, rubs: int, steps: int, found: Floats, last_found: Floats, missed: Floats, bound: Floats
) -> float:
    """Move bounds to those that were found with them, less what the last two rounds tell that these miss; returns the
    part of the misfit that they do not tell about (Anderson's mixing).

    `missed` (n,) is what bounds were missed by in the last round, and becomes that of this one.
    """
    along, size, whole = 0.0, 0.0, 0.0
    for i in range(len(bound)):
        if state[i if i < rubs else steps + i - rubs] != 0:
            miss = found[i] - bound[i]
            along += miss * (miss - missed[i])
            size += (miss - missed[i]) ** 2
            whole += miss * miss
    part = min(max(along / size, -_CLOSING), _CLOSING) if size > 0.0 else 0.0
    for i in range(len(bound)):
        missed[i] = found[i] - bound[i]
        bound[i] = max(found[i] - part * (found[i] - last_found[i]), 0.0)
    left = whole - 2.0 * part * along + part * part * size
    return np.sqrt(max(left, 0.0) / whole) if whole > 0.0 else 1.0


@borrower
def share_driving(
    free: Mask, dof_of: Ints, speed: Floats, up: Floats, down: Floats, qdot: Floats, tau: Floats, state: Ints,
    force: Floats,
) -> None:  # fmt: skip
    """Impulses of the steps of driven coordinates: what holds takes what it can of what drives them."""
    for s in range(len(dof_of)):
        k = dof_of[s]
        if not free[k]:
            state[s] = 0
            if qdot[k] != speed[s]:
                state[s] = 1 if qdot[k] < speed[s] else -1
                force[s] = up[s] if qdot[k] < speed[s] else -down[s]
                tau[k] -= force[s]
    for s in range(len(dof_of)):
        k = dof_of[s]
        if not free[k] and state[s] == 0:
            force[s] = within(tau[k], up[s], down[s])
            if force[s] != tau[k]:
                state[s] = 1 if force[s] > 0.0 else -1
            tau[k] -= force[s]


@inline_borrower
def stagger_loops(
    ints: Ints,
    parent: Ints,
    dof: Ints,
    mass: Floats,
    A_r: Floats,
    S: Floats,
    free: Mask,
    link: Ints,
    G: Floats,
    F: Floats,
    b_r: Floats,
    known: Floats,
    any_driven: bool,
    dof_of: Ints,
    speed: Floats,
    up: Floats,
    down: Floats,
    centre: Floats,
    stiff: Floats,
    state: Ints,
    made: Ints,
    IA: Floats,
    blank: Floats,
    U: Floats,
    D: Floats,
    kept: Mask,
    response: Floats,
    pushed: Floats,
    L: Floats,
    Y: Floats,
    pin_begin: Ints,
    pin_end: Ints,
    pin_shape: Ints,
    pin_slides: Ints,
    pin_x: Floats,
    pin_axis: Floats,
    pin_size: Floats,
    shape: Ints,
    rub_link: Ints,
    rub_dof: Ints,
    size: Floats,
    points: int,
    mu: Floats,
    sticks: Mask,
    bound: Floats,
    kept_bound: Floats,
    kept_rate: Floats,
    tolerance: float,
    most: int,
    qdot: Floats,
    wrench: Floats,
    tau: Floats,
    value: Floats,
    force: Floats,
    velocity: Floats,
    A: Floats,
    b: Floats,
    before: Floats,
    u: Floats,
    wide: Floats,
    V: Floats,
    pressed: Floats,
    lack: Floats,
    X: Floats,
    W: Floats,
    level: Floats,
    wanted: Floats,
    give: Floats,
    part: Floats,
    last: Floats,
    found: Floats,
    needs: Floats,
    load: Floats,
    load_joints: Floats,
    load_pins: Floats,
    missed: Floats,
    last_load: Floats,
    pin_link: Ints,
    pin_wrench: Floats,
    E: Floats,
    S_local: Floats,
    G_local: Floats,
    local: Floats,
) -> tuple[int, int, float]:
    """Like `friction.joints.active_set.stagger`, with rows of loops and their pins; returns rounds, solves and the
    last change of the bounds. Rounds are zero where the general route has to take the step.

    All is in one frame (`trees/common.py`) but what has `local` in its name; E (nl, 12) are the poses there.
    `tau` (nr,) becomes what drives the driven coordinates, without the steps; the rest is as in `settle_stairs`,
    with scratch in the last arrays, of which `load_joints` and `load_pins` are parts of `load`.
    """
    nl, nr, rubs, ns, n = len(parent), len(b_r), len(shape), len(dof_of), len(speed)
    pins = n - ns
    m = len(link) - pins
    for i in range(rubs + pins):
        missed[i] = 0.0
    rounds, passes, change, weight, foreseen, close = 0, 0, 0.0, 1.0, np.inf, tolerance
    for round_ in range(1, most + 1):
        for i in range(rubs + pins):
            s = i if i < rubs else ns + i - rubs
            up[s] = bound[i]
            down[s] = bound[i]
        tried = settle_stairs(
            ints, mass, A_r, S, free, link, G, F, b_r, known, any_driven, dof_of, speed, up, down, centre, stiff,
            state, made, IA, blank, U, D, kept, response, pushed, L, Y, qdot, value, V, velocity, force,
            A, b, before, u, wide, pressed, lack, X, W, level, wanted, give, part, last, found,
        )  # fmt: skip
        passes += abs(tried)
        rounds = round_
        if tried < 0:
            rounds, change = 0, 1.0
            break
        if rubs + pins == 0 and not any_driven:
            break
        if foreseen <= 1.0 and tried == 1:
            change = foreseen * close  # what was held is held, and the bounds are as good as they have to be
        else:
            for j in range(nl):
                store6(pressed, j, load6(F, j))
            add_wrenches(link, G, value, pressed)
            carried_wrenches(parent, dof, mass, A_r, S, pressed, b_r, qdot, V, wrench, needs)
            if any_driven:
                for k in range(nr):
                    tau[k] = needs[k]
                share_driving(free, dof_of, speed, up, down, qdot, tau, state, force)
            if rubs + pins == 0:
                break
            for i in range(rubs):
                j = rub_link[i]
                store6(local, j, wrench_down(load12(E, j), load6(wrench, j)))
            friction_bounds(shape, rub_link, rub_dof, size, points, S_local, local, load_joints)
            for i in range(pins):
                a = 0 if link[m + i, 0] >= 0 else 1
                w = ZERO6
                for r in range(pin_begin[i], pin_end[i]):
                    w = axpy6(value[r], row_side(G_local, r, a), w)
                store6(pin_wrench, i, w)
            pin_loads(pin_link, pin_x, pin_axis, pin_shape, pin_slides, pin_size, pin_wrench, load_pins)
            largest = 0.0
            for i in range(rubs + pins):
                load[i] *= mu[i, 1 if sticks[i] else 0]
                largest = max(largest, load[i])
            before_this, change = change, misfit(state, force, rubs, ns, load, bound)
            step = 0.0
            for i in range(rubs + pins):
                step = max(step, abs(load[i] - kept_bound[i]))
            if largest > 0.0:
                close = tolerance * max(1.0, min(_SHARE * step / largest, _SETTLED))
            foreseen = np.inf
            if round_ > 1 and change < _CLOSING * before_this * largest:
                left = mix_bounds(state, rubs, ns, load, last_load, missed, bound)
                if tried == 1:
                    kept_rate[0] = change / (before_this * largest)
                    foreseen = left * change / largest * kept_rate[0] / close
            else:
                weight = relax_bounds(load, round_, weight, missed, bound)
                if round_ == 1 and tried == 1 and kept_rate[0] > 0.0 and largest > 0.0:
                    foreseen = _DOUBT * change / largest * kept_rate[0] / close
                    kept_rate[0] *= _WEARS
            if any_driven:
                foreseen = np.inf  # what drives them is found from the loads
            for i in range(rubs + pins):
                last_load[i] = load[i]
            change = change / largest if largest > 0.0 else 0.0
        if not change > close:
            less, fastest = False, 1.0
            for s in range(n):
                fastest = max(fastest, abs(velocity[s]))
            for i in range(rubs + pins):
                s = i if i < rubs else ns + i - rubs
                stuck = state[s] == 0 or abs(velocity[s]) <= _STUCK * fastest
                less = less or (sticks[i] and not stuck and mu[i, 0] != mu[i, 1])
                sticks[i] = stuck
            if not less:
                break
    return rounds, passes, change
