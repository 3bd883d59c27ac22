"""Friction inside the joints of trees that touch: its rows beside those of stops and contacts, and its bounds.

In the kernel of `step.py`. Each pair of surfaces is a row, or three of a ball: an impulse up to a bound that
brings it to rest. It is found together with the impulses of stops and contacts; then bounds follow from what presses
the surfaces together (Bilateral Staggered Projections; paper, Alg. 3), and all impulses are found again, from those
found before.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..algebra.arrays import Floats, Ints, Mask, Places
from ..algebra.spatial import Tuple, add6, dot6, load6, load12, load21, store6, sym_times
from ..friction.contacts.path_rows import enter_joint, wrench_at
from ..friction.joints.active_set import NOISE
from ..friction.joints.loads import friction_bounds
from ..friction.joints.settle import relax_bounds
from ..impulses.laws import BOX, DISC
from ..jit.decorators import borrower, inline, subroutine
from ..tree.passes import spread, transmitted

_MOST = 7
"""Rounds, at most: the next step goes on from there; where coordinates are few, it is left to the general route."""
_LARGE = 60
"""Coordinates that are not few: for them that route takes a tenth of a second in a jam."""
_COARSER, _ENOUGH = 10.0, 0.3
"""What impulses are found to where something touches, over the tolerances; and over what is enough, where it moves."""
_EFFORT, _MORE = 16, 48
"""Newton steps after which bounds are left as they are where coordinates are many: where something moves, and
elsewhere."""
_WORST = 5.0
"""Residual with which a step is left to the general route where coordinates are many, over what is enough."""
_BLUR = 10.0
"""Change of bounds with which rounds end in any case, over the residual of the impulses."""
_FIRMLY = 0.999
"""What sticks needs less than this fraction of its bound."""


class InnerFriction(NamedTuple):
    """What the kernel is given of n surfaces inside joints: of `friction.joints.arrays.Rubs`, of the options, and what
    the last step left."""

    shape: Ints
    link: Ints
    dof: Ints
    dofs: Ints
    size: Floats
    mu: Floats
    points: int
    numbers: Floats
    """Change of bounds with which rounds end, with which they do where something moves, how many there are at most
    where the latter is not more, and 1 where more than gravity acts in the joints."""
    bound: Floats
    """Of the last step, as are the next two; they become those of this one."""
    rests: Mask
    force: Floats
    """Impulses [N·m·s, N·s], one for each row: for each coordinate, or the three axes of a ball."""
    told: Floats
    """Rounds, and the last change of the bounds, shape (2,)."""


class Rubbing(NamedTuple):
    """What the rounds of a step take for n surfaces, in a tree of nl links and nr coordinates."""

    load: Floats
    missed: Floats
    lack: Floats
    """shape (nr,)."""
    weight: Floats
    """With which bounds were changed last, shape (1,)."""
    round: Ints
    """shape (1,)."""
    sticks: Mask
    V: Floats
    """Twists, impulses on links and wrenches through joints, each (nl, 6)."""
    F: Floats
    wrench: Floats


@subroutine
def begin_rubbing(n: int, nl: int, nr: int) -> Rubbing:
    floats, wide = np.zeros(2 * n + nr + 1), np.empty((3, nl, 6))
    return Rubbing(
        floats[:n], floats[n : 2 * n], floats[2 * n : 2 * n + nr], floats[2 * n + nr :], np.zeros(1, np.int64),
        np.zeros(n, np.bool_), wide[0], wide[1], wide[2],
    )  # fmt: skip


@borrower
def moves(inertia: Floats, V: Floats, fast: float) -> bool:
    """Whether links with twists V are faster than that [m/s] on average, by their kinetic energy: the next step will be
    another one. A finger that trembles does not count."""
    energy, mass = 0.0, 0.0
    for j in range(len(V)):
        M, v = load21(inertia, j), load6(V, j)
        energy += dot6(v, sym_times(M, v))
        mass += M[20]
    return energy > mass * fast * fast


@inline
def lost(given: InnerFriction, qdot: Floats, residual: float, rough: float, enough: float) -> bool:
    """Whether a step with such a residual, and the last change of its bounds, is left to the general route."""
    if len(qdot) < _LARGE:
        return not (
            residual <= max(rough, enough) and given.told[1] <= max(given.numbers[0], given.numbers[1])
        )
    return not residual <= max(rough, _WORST * enough)


@inline
def precision(
    numbers: Floats, nr: int, touches: bool, hasty: bool, tolerance: float, enough: float
) -> tuple[float, float, float]:
    """Residual that all impulses are found to, that will do where a few Newton steps do not lead there, and that will
    do where one leads away from it."""
    exact, rough = min(tolerance, numbers[0]), min(enough, numbers[1])
    if touches:
        exact *= _COARSER
    if hasty:
        exact, rough = max(exact, _ENOUGH * rough), max(exact, rough)
    else:
        rough = max(exact, _ENOUGH * rough)
    return exact, rough, rough if nr >= _LARGE else 0.0


@borrower
def unwedge(numbers: Floats, F: Floats, begin: int, value: Floats) -> None:
    """Make impulses of contacts less, in rows from `begin` on, that are more than all momenta and weights, in the
    impulses F on the links: what is wedged in by friction, or cannot give way, can be squeezed by any that cancel each
    other, and what is stuck by them can be squeezed the more."""
    most = np.inf if numbers[3] > 0.0 else 0.0
    for j in range(len(F)):
        most += math.sqrt(F[j, 3] * F[j, 3] + F[j, 4] * F[j, 4] + F[j, 5] * F[j, 5])
    for i in range(begin, len(value), 3):
        if value[i] > most:
            part = most / value[i]
            for a in range(3):
                value[i + a] *= part


@borrower
def enter_friction(
    given: InnerFriction, parent: Ints, dof: Ints, E_pj: Floats, S: Floats, U: Floats, D: Floats, free: Mask,
    path: Ints, coordinate: Places, T: Floats, unbound: Floats, begin: int, at: Places, index: Places, pushed: Floats,
    r: Floats, value: Floats, first: Ints, kind: Ints, mu: Floats, normal: Ints, bound: Floats,
) -> None:  # fmt: skip
    """Rows and blocks of friction, both from `begin` on."""
    row, e = begin, int(at[begin])
    for i in range(len(given.dof)):
        k, n, block = given.dof[i], given.dofs[i], begin + i
        first[block], kind[block], mu[block] = row, BOX if n == 1 else DISC, 0.0
        normal[block], bound[block] = -1, given.bound[i]
        for a in range(n):
            e = enter_joint(
                parent,
                dof,
                E_pj,
                S,
                U,
                D,
                free,
                path,
                coordinate,
                T,
                given.link[i],
                k,
                n,
                a,
                e,
                index,
                pushed,
            )
            at[row + 1] = e
            r[row], value[row] = 0.0, given.force[row - begin]
            for c in range(k, k + n):
                r[row] -= unbound[c] * (1.0 if n == 1 else S[c, a])
            row += 1


@borrower
def _push_links(
    link: Ints, x: Floats, normal: Floats, tangent: Floats, E_wj: Floats, begin: int, value: Floats, F: Floats
) -> None:
    """Add the impulses of contacts, in rows from `begin` on, to those on the links, in their frames."""
    for c in range(len(link)):
        i = begin + 3 * c
        a, b, d = value[i], value[i + 1], value[i + 2]
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
    E_wj: Floats, S: Floats, b: Floats, qdot: Floats, link: Ints, x: Floats, normal: Floats, tangent: Floats,
    begin: int, value: Floats,
) -> None:  # fmt: skip
    """What presses all surfaces together, in `load`; `rubbing.F` comes with the impulses of all but contacts."""
    pushed, wrench = rubbing.F, rubbing.wrench
    all_ = 0.0
    for j in range(len(pushed)):
        all_ += math.sqrt(pushed[j, 3] ** 2 + pushed[j, 4] ** 2 + pushed[j, 5] ** 2)
    _push_links(link, x, normal, tangent, E_wj, begin, value, pushed)
    spread(parent, dof, E_pj, S, qdot, rubbing.V)
    transmitted(parent, dof, mass, A_r, E_pj, S, pushed, b, qdot, rubbing.V, wrench, rubbing.lack)
    friction_bounds(given.shape, given.link, given.dof, given.size, given.points, S, wrench, rubbing.load)
    for i in range(len(rubbing.load)):
        # where nothing presses, as in free fall, a load is rounding of all momenta and weights
        if rubbing.load[i] <= NOISE * all_ * (given.size[i, 0] + given.size[i, 1]):
            rubbing.load[i] = 0.0


@borrower
def _slip(given: InnerFriction, sticks: Mask, qdot: Floats) -> bool:
    """Which surfaces rest; whether some that did have slipped, and have the coefficient of motion from now on."""
    dof, mu, rests = given.dof, given.mu, given.rests
    slipped = False
    for i in range(len(dof)):
        still = True
        for k in range(dof[i], dof[i] + given.dofs[i]):
            still = still and qdot[k] == 0.0
        sticks[i] = sticks[i] or still
        slipped = slipped or (rests[i] and not sticks[i] and mu[i, 0] != mu[i, 1])
    for i in range(len(dof)):
        rests[i] = sticks[i] and (rests[i] or not slipped)
    return slipped


@borrower
def settle(
    given: InnerFriction,
    rubbing: Rubbing,
    free: Mask,
    qdot: Floats,
    residual: float,
    steps: float,
    hasty: bool,
) -> bool:
    """Bounds for another round, and whether none is needed; `hasty` where something moves and touches.

    They are not known better than the impulses, of which a residual is left after so many Newton steps."""
    bound, load, told, numbers = given.bound, rubbing.load, given.told, given.numbers
    n, largest, change = len(bound), 0.0, 0.0
    for i in range(n):
        load[i] *= given.mu[i, 1 if given.rests[i] else 0]
        largest = max(largest, load[i])
    row = 0
    for i in range(n):
        square = 0.0
        for _ in range(given.dofs[i]):
            square += given.force[row] ** 2
            row += 1
        needed = math.sqrt(square)
        rubbing.sticks[i] = free[given.dof[i]] and needed < _FIRMLY * bound[i]
        if not free[given.dof[i]] or (rubbing.sticks[i] and needed < _FIRMLY * load[i]):
            bound[i] = load[i]  # it sticks with either of them, or is led
        change = max(change, abs(load[i] - bound[i]))
    change = change / largest if largest > 0.0 else 0.0
    told[0], told[1] = told[0] + 1.0, change
    rubbing.round[0] += 1
    ends = change <= max(numbers[0], min(numbers[1], np.inf if hasty else _BLUR * residual))
    if not numbers[1] > numbers[0]:
        ends = ends or rubbing.round[0] >= numbers[2]
    elif rubbing.round[0] >= _MOST or (len(qdot) >= _LARGE and steps >= (_EFFORT if hasty else _MORE)):
        ends = True
    rubbing.weight[0] = relax_bounds(load, rubbing.round[0], rubbing.weight[0], rubbing.missed, bound)
    if not ends or _slip(given, rubbing.sticks, qdot):
        return False
    rubbing.round[0] = 0
    return True
