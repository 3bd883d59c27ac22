"""Friction, motors and stops of a tree with loops, in the kernel of its steps.

As in `friction/joints/active_set.py`, such forces are staircases over velocities, falling, of coordinates and of the
pins of loops. Here the steps are steep but not upright: what is held gives way by its `stiff`-ness, some 1e8 times
that of the motion, from a `centre`, which is the impulse that held it last. Where a loop sticks, its joints and pins
then share what holds it in one way and not in many. Then the centre is moved to what was found, and nothing is given
any more.
The velocities minimise a sum of parabolas, ½ qdotᵀ A qdot - bᵀ qdot + Σ ψ(qdot), under the rows of the loops. Newton's
method finds them in a step or two from what held in the last step; where it overshoots, it goes as far as makes the sum
least.
"""

from __future__ import annotations

from ...algebra.spatial import axpy6, dot6, load6, load21, store6, sym_times
from ...jit.decorators import borrower, inline, inline_borrower
from ...model.records import Floats, Ints
from ...tree.passes import Mask
from .loops import ABSENT, factor_cells, solve_cells
from .rows import row_side, row_speed

_TRIES = 60
"""Newton steps, of which two or three are usual."""
_PLAIN = 2
"""Of these, the ones that may overshoot."""
_LATE = 8
"""And those after which less is exact enough."""
_EXACT, _GOOD = 1e-9, 1e-6
"""Force, over the largest, that a staircase may be missed by; and where rounding keeps it from that."""
_STILL = 1e-10
"""Velocity, over the fastest and 1 [rad/s, m/s], by which what is held may give way."""
STIFF = 1e8
"""Stiffness of what holds, over that of the motion."""


@inline
def on_riser(centre: float, stiff: float, v: float, speed: float) -> float:
    """Force of a step without its bounds."""
    return centre - stiff * (v - speed)


@inline
def within(f: float, up: float, down: float) -> float:
    return min(max(f, -down), up)


@inline
def side_of(f: float, up: float, down: float) -> int:
    """0 where a step holds, else the side on which its force is all that it can give."""
    return 1 if f > up else (-1 if f < -down else 0)


@borrower
def least_sum(
    part: Floats, velocity: Floats, speed: Floats, up: Floats, down: Floats, centre: Floats, stiff: Floats,
    slope: float, bend: float,
) -> float:  # fmt: skip
    """How much of a way to go: where the sum is least. `part` has how the velocities change over all of it, `slope` and
    `bend` are the slope at its end and how that has changed, of all but the staircases."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        total = slope - (1.0 - middle) * bend
        for s in range(len(part)):
            if part[s] != 0.0:
                v = velocity[s] + middle * part[s]
                total -= within(on_riser(centre[s], stiff[s], v, speed[s]), up[s], down[s]) * part[s]
        if total > 0.0:
            high = middle
        else:
            low = middle
    return high


@inline_borrower
def settle_stairs(
    ints: Ints,
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
    qdot: Floats,
    value: Floats,
    V: Floats,
    velocity: Floats,
    force: Floats,
    A: Floats,
    b: Floats,
    before: Floats,
    u: Floats,
    wide: Floats,
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
) -> int:
    """Velocities for given heights of all steps; returns the solves that this took, negative in vain.

    Steps are those of coordinates `dof_of` (ns,), then those of the pins, whose rows are the last in `link` and G.
    `state` (ns + pins,) has their sides, a guess that becomes what was found; `made` those that the second of the two
    factors was made for, of which the first has nothing held. `force` (ns + pins,) are the impulses of the steps.
    The arrays after it are scratch.
    """
    nl, nr, ns, n = len(F), len(b_r), len(dof_of), len(speed)
    m = len(link) - (n - ns)
    turns, taken = 0, -_TRIES  # a single way out, or every array would be counted on its way in
    for i in range(m):
        wanted[i], give[i] = level[i], 0.0
    for attempt in range(1, _TRIES + 1):
        any_held, same = False, True
        for k in range(nr):
            A[k], b[k] = A_r[k], b_r[k]
        for j in range(nl):
            store6(pressed, j, load6(F, j))
        for s in range(n):
            k = dof_of[s] if s < ns else -1
            if k >= 0 and not free[k]:
                continue
            holds = state[s] == 0
            same = same and holds == (made[s] == 1)
            any_held = any_held or holds
            rest = up[s] if state[s] > 0 else -down[s]
            if k >= 0:
                if holds:
                    A[k] += stiff[s]
                    b[k] += centre[s] + stiff[s] * speed[s]
                else:
                    b[k] += rest
            else:
                i = m + s - ns
                give[i] = ABSENT
                wanted[i] = 0.0
                if holds:
                    give[i] = 1.0 / stiff[s]
                    wanted[i] = centre[s] * give[i]
                else:
                    for side in range(2):
                        l = link[i, side]
                        if l >= 0:
                            store6(pressed, l, axpy6(rest, row_side(G, i, side), load6(pressed, l)))
        w = 1 if any_held else 0
        if any_held and not same:
            for s in range(n):
                made[s] = 1 if state[s] == 0 else 0
            factor_cells(
                ints, mass, A, S, free, link, G, give, IA, blank, u, U, D, kept, response, pushed, L, Y, 1
            )  # fmt: skip
        solve_cells(
            ints, mass, S, free, link, G, U, D, kept, pushed, L, Y, w, pressed, b, wanted, any_driven, known, qdot,
            value, V, lack, X, u, wide,
        )  # fmt: skip
        if n == 0:
            taken = attempt
            break
        missed, largest, way, fastest, slope = 0.0, 0.0, 0.0, 1.0, 0.0
        over = 0.0
        for s in range(n):
            k = dof_of[s] if s < ns else -1
            v = qdot[k] if k >= 0 else row_speed(link, G, m + s - ns, V)
            part[s] = 0.0
            if k >= 0 and not free[k]:
                velocity[s] = v
                continue
            f = on_riser(centre[s], stiff[s], v, speed[s])
            if k < 0 and state[s] == 0:
                f = value[m + s - ns]
            meant = f if state[s] == 0 else (up[s] if state[s] > 0 else -down[s])
            found[s] = f
            force[s] = within(f, up[s], down[s])
            part[s] = v - last[s]
            slope += meant * part[s]
            over += (meant - force[s]) * part[s]
            missed = max(missed, abs(meant - force[s]))
            largest = max(largest, abs(force[s]))
            fastest = max(fastest, abs(v))
            if state[s] == 0:
                way = max(way, abs(v - speed[s]))
            velocity[s] = v
        if missed <= _EXACT * largest or (attempt > _LATE and missed <= _GOOD * largest):
            for s in range(n):
                centre[s] = force[s]
            for i in range(ns, n):
                value[m + i - ns] = force[i]
            turns += 1
            if way <= _STILL * fastest or turns > 3:
                taken = attempt
                break
        else:
            if attempt > _PLAIN and over > 0.0:
                bend = 0.0
                for j in range(nl):
                    d = axpy6(-1.0, load6(W, j), load6(V, j))
                    bend += dot6(d, sym_times(load21(mass, j), d))
                for k in range(nr):
                    bend += A_r[k] * (qdot[k] - before[k]) ** 2
                much = least_sum(part, last, speed, up, down, centre, stiff, slope, bend)
                for s in range(n):
                    velocity[s] = last[s] + much * part[s]
                    found[s] = on_riser(centre[s], stiff[s], velocity[s], speed[s])
                for k in range(nr):
                    qdot[k] = before[k] + much * (qdot[k] - before[k])
                for j in range(nl):
                    store6(V, j, axpy6(much, axpy6(-1.0, load6(W, j), load6(V, j)), load6(W, j)))
            for s in range(n):
                state[s] = side_of(found[s], up[s], down[s])
        for s in range(n):
            last[s] = velocity[s]
        if attempt >= _PLAIN:
            for k in range(nr):
                before[k] = qdot[k]
            for j in range(nl):
                store6(W, j, load6(V, j))
    return taken
