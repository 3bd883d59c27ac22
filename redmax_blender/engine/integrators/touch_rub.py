"""Friction inside the joints of trees that touch: what sticks and what slides, around the solution of the contacts.

In the kernel of `touch_kernel.py`. A coordinate that slides is pushed against its velocity by the largest friction of
its surfaces. One that sticks is pushed by the friction that has held it so far, and slowed by a stiff damper,

    friction = held - c qdot,        c = `_STIFF` times the inertia of all that the joint carries:

what is left of its velocity tells how the friction that holds it has to change (the method of multipliers). Contacts
and stops are solved for on the tree with these dampers, which are a few more entries on the diagonal of its matrix. A
hard hold would make limbs rigid, and what touches within them could be squeezed by any impulses at all.

After that, what needs more friction than its surfaces can give is let go, what goes against its own friction is held,
bounds follow the loads (Bilateral Staggered Projections; paper, Alg. 3), and contacts are solved for again, from the
impulses found before.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..contact.arrays import Floats, Ints, Mask
from ..friction.loads import friction_bounds
from ..friction.settle import relax_bounds
from ..friction.touch_rows import wrench_at
from ..friction.tree_passes import eliminate, spread, transmitted
from ..jit import borrower, inline, subroutine
from ..spatial import Tuple, add6, dot6, load6, load12, load21, store6, sym_times

_STIFF = 100.0
"""Of the damper of what sticks: by this factor its velocity becomes less from solution to solution."""
_TRIES = 40
"""Solutions after which a step is left to the general route."""
_ALL = 2
"""Solutions after which all that is wrong changes at once; then every other surface does."""
_FULLY, _CALMLY = 8, 12
"""Solutions after which nothing is let go any more, so that it ends: where something moves, and elsewhere."""
_MANY, _MOST = 5, 8
"""Rounds of the bounds, likewise: the next step goes on from there."""
_LAST = 12
"""The same where bounds are not near to what was found with them: in a jam, where contacts share loads anyhow."""
_OWN = 0.1
"""What friction is found to, at least, as a fraction of its own bound: next to that of a hip, a finger's is nothing."""
_CREEP = 10.0
"""How fast what sticks may be, over the tolerance times what is fast."""
_NOTHING = 1e-9
"""Load, as a fraction of the largest impulse on a link, that is none: in free fall."""
_WEAK = 1e-10
"""Response of a row, as a fraction of the largest, that is none."""
_SQUEEZED = 10.0
"""Impulse of a contact, over the sum of all momenta and weights, with which it loads joints at most, where nothing but
gravity acts. What is wedged in by friction, or cannot give way, can be squeezed by any impulses that cancel each other;
joints would jam by them, and what is stuck can be squeezed the more."""
SETTLED, AGAIN, OTHERS, LOST = 0, 1, 2, 3
"""What `judge` finds: all is well; the same once more with other bounds; with others that stick; or it does not end."""


class InnerFriction(NamedTuple):
    """What the kernel is given of n surfaces inside joints: of `friction.parts.Rubs`, of the options, and what the last
    step left."""

    shape: Ints
    link: Ints
    dof: Ints
    size: Floats
    mu: Floats
    points: int
    numbers: Floats
    """Tolerance of the bounds, the same where something moves, and 1 where more than gravity acts."""
    bound: Floats
    """Of the last step, as are the next two; they become those of this one."""
    rests: Mask
    force: Floats
    """Impulses [N·m·s, N·s]."""
    told: Floats
    """Solutions that were needed, and the last change: infinite where what is slow did not settle, shape (2,)."""


class Rubbing(NamedTuple):
    """n surfaces, each of a single coordinate."""

    dof: Ints
    mu: Floats
    numbers: Floats
    bound: Floats
    rests: Mask
    """For which the coefficient at rest counts, until they slip."""
    force: Floats
    told: Floats
    state: Ints
    """0 for what sticks; else the way it goes, ±1."""
    tries: Ints
    """Solutions, and rounds since states changed."""
    load: Floats
    missed: Floats
    held: Floats
    """Friction that has held what sticks so far."""
    inertia: Floats
    """Of all that a joint carries, about its coordinate."""
    A_r: Floats
    """Diagonal entries of all coordinates, with dampers, shape (nr,)."""
    pull: Floats
    """Impulses in the coordinates, with friction, shape (nr,)."""
    lack: Floats
    limit: Floats
    """With which weight bounds were changed last; and impulse of a contact that all that moves and weighs needs."""
    V: Floats
    F: Floats
    wrench: Floats


@subroutine
def begin_rubbing(
    given: InnerFriction, parent: Ints, dof: Ints, mass: Floats, E_pj: Floats, S: Floats, free: Mask, qdot: Floats,
    F: Floats, U: Floats, D: Floats, IA: Floats,
) -> Rubbing:  # fmt: skip
    """The states of the last step, with the impulses F on the links; U, D and IA are written."""
    own, bound, rests, force, nr, nl = (
        given.dof,
        given.bound,
        given.rests,
        given.force,
        len(free),
        len(parent),
    )
    n = len(own)
    ints, floats, wide = np.zeros(n + 2, np.int64), np.zeros(4 * n + 3 * nr + 2), np.empty((3, nl, 6))
    state, held, inertia = ints[:n], floats[2 * n : 3 * n], floats[3 * n : 4 * n]
    eliminate(
        parent, dof, mass, floats, E_pj, S, np.zeros(nr, np.bool_), IA, U, D
    )  # adds up what each link carries
    for i in range(n):
        k = own[i]
        s = load6(S, k)
        inertia[i] = dot6(s, sym_times(load21(IA, given.link[i]), s))
        held[i] = min(max(force[i], -bound[i]), bound[i])
        if free[k] and not rests[i] and qdot[k] != 0.0:
            state[i] = 1 if qdot[k] > 0.0 else -1
    given.told[:] = 0.0
    by_coordinate = floats[4 * n :]
    limit = by_coordinate[3 * nr :]
    for j in range(nl):
        limit[1] += math.sqrt(F[j, 3] * F[j, 3] + F[j, 4] * F[j, 4] + F[j, 5] * F[j, 5])
    if given.numbers[2] > 0.0:
        limit[1] = np.inf
    return Rubbing(
        own, given.mu, given.numbers, bound, rests, force, given.told, state, ints[n:], floats[:n], floats[n : 2 * n],
        held, inertia, by_coordinate[:nr], by_coordinate[nr : 2 * nr], by_coordinate[2 * nr : 3 * nr], limit, wide[0],
        wide[1], wide[2],
    )  # fmt: skip


@borrower
def slow_down(rubbing: Rubbing, A_r: Floats) -> None:
    """Diagonal entries with the dampers of what sticks."""
    dof, state, inertia, out = rubbing.dof, rubbing.state, rubbing.inertia, rubbing.A_r
    for k in range(len(A_r)):
        out[k] = A_r[k]
    for i in range(len(dof)):
        if state[i] == 0:
            out[dof[i]] += _STIFF * inertia[i]


@borrower
def rub(rubbing: Rubbing, b: Floats) -> None:
    """Impulses in the coordinates, with friction."""
    dof, state, bound, held, pull = rubbing.dof, rubbing.state, rubbing.bound, rubbing.held, rubbing.pull
    for k in range(len(b)):
        pull[k] = b[k]
    for i in range(len(dof)):
        pull[dof[i]] += held[i] if state[i] == 0 else -state[i] * bound[i]


@borrower
def unwedge(rubbing: Rubbing, begin: int, value: Floats) -> None:
    """Make impulses of contacts less, in rows from `begin` on, that are more than all that moves and weighs needs."""
    most = rubbing.limit[1]
    for i in range(begin, len(value), 3):
        if value[i] > most:
            part = most / value[i]
            for a in range(3):
                value[i + a] *= part


@borrower
def _push_links(
    link: Ints, x: Floats, normal: Floats, tangent: Floats, E_wj: Floats, begin: int, value: Floats, most: float,
    F: Floats,
) -> None:  # fmt: skip
    """Add the impulses of contacts, in rows from `begin` on, to those on the links, in their frames, up to `most`."""
    for c in range(len(link)):
        i = begin + 3 * c
        part = most / value[i] if value[i] > most else 1.0
        a, b, d = part * value[i], part * value[i + 1], part * value[i + 2]
        f: Tuple = (
            a * normal[c, 0] + b * tangent[c, 0, 0] + d * tangent[c, 1, 0],
            a * normal[c, 1] + b * tangent[c, 0, 1] + d * tangent[c, 1, 1],
            a * normal[c, 2] + b * tangent[c, 0, 2] + d * tangent[c, 1, 2],
        )
        for side in range(2):
            l = link[c, side]
            if l < 0:
                continue
            p = (x[c, side, 0], x[c, side, 1], x[c, side, 2])
            w = wrench_at(load12(E_wj, l), p, f, 1.0 if side == 0 else -1.0)
            store6(F, l, add6(load6(F, l), w))


@borrower
def find_loads(
    given: InnerFriction, rubbing: Rubbing, parent: Ints, dof: Ints, mass: Floats, A_r: Floats, E_pj: Floats,
    E_wj: Floats, S: Floats, F: Floats, b: Floats, qdot: Floats, link: Ints, x: Floats, normal: Floats, tangent: Floats,
    begin: int, value: Floats,
) -> float:  # fmt: skip
    """What presses all surfaces, in `load`; returns the largest impulse on a link."""
    pushed, wrench = rubbing.F, rubbing.wrench
    for j in range(len(parent)):
        store6(pushed, j, load6(F, j))
    _push_links(link, x, normal, tangent, E_wj, begin, value, _SQUEEZED * rubbing.limit[1], pushed)
    spread(parent, dof, E_pj, S, qdot, rubbing.V)
    transmitted(parent, dof, mass, A_r, E_pj, S, pushed, b, qdot, rubbing.V, wrench, rubbing.lack)
    friction_bounds(given.shape, given.link, given.dof, given.size, given.points, S, wrench, rubbing.load)
    most = 0.0
    for j in range(len(parent)):
        for c in range(6):
            most = max(most, abs(pushed[j, c]))
    return most


@borrower
def _moves(dof: Ints, before: Floats, qdot: Floats, fast: float) -> bool:
    """Whether something hits, or a joint moves fast: the next step will be another one."""
    most = 0.0
    for k in range(len(qdot)):
        most = max(most, abs(qdot[k] - before[k]))
    for i in range(len(dof)):
        most = max(most, abs(qdot[dof[i]]))
    return most > fast


@borrower
def largest_push(r: Floats, response: Floats) -> float:
    """Largest impulse that a row alone would need, in the norm of its response [√J]; r and responses (m,)."""
    most, out = 0.0, 0.0
    for i in range(len(r)):
        most = max(most, response[i])
    for i in range(len(r)):
        if response[i] > _WEAK * most:
            out = max(out, r[i] * r[i] / response[i])
    return math.sqrt(out)


@borrower
def _slips(rubbing: Rubbing) -> bool:
    """Let surfaces that slide have the coefficient of motion; whether that makes a difference."""
    rests, state, mu = rubbing.rests, rubbing.state, rubbing.mu
    less = False
    for i in range(len(state)):
        if rests[i] and state[i] != 0:
            rests[i] = False
            less = less or mu[i, 0] != mu[i, 1]
    return less


@inline
def _in_turn(i: int, tries: int) -> bool:
    """Whether surface i may change what it does after so many solutions: neighbours that change at once may do so for
    ever."""
    return tries <= _ALL or (i + tries) % 2 == 0


@borrower
def judge(
    rubbing: Rubbing,
    free: Mask,
    before: Floats,
    qdot: Floats,
    touches: bool,
    fast: float,
    most: float,
    noise: float,
) -> int:
    """Bounds and states for another solution, or that none is needed. Something moves where velocities are above `fast`
    [m/s, rad/s], or have changed by that; `before` are those before the step. `most` is the largest impulse on a link;
    `noise` what impulses of contacts are known to, in the norm of their response [√J]."""
    dof, bound, rests, state, force = rubbing.dof, rubbing.bound, rubbing.rests, rubbing.state, rubbing.force
    load, missed, held, inertia, mu = rubbing.load, rubbing.missed, rubbing.held, rubbing.inertia, rubbing.mu
    count, told, n = rubbing.tries, rubbing.told, len(rubbing.dof)
    moves = _moves(dof, before, qdot, fast)
    tolerance = max(rubbing.numbers[0], rubbing.numbers[1] if moves and touches else 0.0)
    count[0] += 1
    finish = count[0] > (_FULLY if moves else _CALMLY)
    largest, change, worst, wrong = _NOTHING * most, 0.0, 0.0, 0
    for i in range(n):
        load[i] *= mu[i, 1 if rests[i] else 0]
        largest = max(largest, load[i])
    for i in range(n):
        k, was, missing, over = dof[i], state[i], 0.0, 0.0
        if not free[k]:
            force[i], bound[i], held[i], missed[i] = 0.0, load[i], 0.0, 0.0
            continue
        now = held[i] if was == 0 else -was * bound[i]
        back = _STIFF * inertia[i] * qdot[k]
        held[i] = min(max(now - back, -load[i]), load[i])
        rounding = noise * math.sqrt(inertia[i]) + _NOTHING * most
        enough = min(tolerance * largest, _OWN * load[i]) + rounding
        if was == 0:
            force[i], bound[i], missed[i] = now - back, load[i], 0.0
            missing, over = abs(held[i] - now), abs(now - back) - load[i]
            if over > enough and not finish:
                wrong += 1
                if _in_turn(i, count[0]):
                    state[i] = -1 if now > back else 1
            enough = min(enough, _CREEP * tolerance * fast * _STIFF * inertia[i] + rounding)
        elif was * back < 0.0:
            force[i], missing = now, abs(held[i] - now)
            if abs(back) > enough:
                wrong += 1
                if finish or _in_turn(i, count[0]):
                    state[i] = 0
        else:
            force[i], missing = now, abs(load[i] - bound[i])
        worst, change = max(worst, missing / enough), max(change, (over if was == 0 else missing) - rounding)
    told[0], told[1] = told[0] + 1.0, change / largest
    if wrong > 0:
        if count[0] >= _TRIES:
            return LOST
        count[1] = 0
        for i in range(n):
            bound[i] = load[i]
        return OTHERS
    count[1] += 1
    near = change <= max(tolerance, rubbing.numbers[1]) * largest
    if not near and not moves and count[1] >= _LAST:
        told[1] = np.inf
        return LOST  # what comes to rest does so only with bounds that are the same in every step
    if worst <= 1.0 or count[1] >= (_LAST if not near else (_MANY if moves else _MOST)):
        if not _slips(rubbing):
            count[:] = 0
            for i in range(n):
                bound[i] = load[i]  # for the next step
                rests[i] = state[i] * qdot[dof[i]] <= 0.0 if free[dof[i]] else qdot[dof[i]] == 0.0
            return SETTLED
        count[1] = 1
    rubbing.limit[0] = relax_bounds(load, count[1], rubbing.limit[0], missed, bound)
    return AGAIN
