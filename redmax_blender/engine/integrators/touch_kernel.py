"""A step in which surfaces touch: what is near, what contacts and stops do to the motion, and where it ends.

Between the two is the narrow phase (`contact/narrow.py`); the kernel of `touch_steps.py` calls them. Arrays of links,
of coordinates and of pieces come as one array each, which has their columns in parts one after the other: a call costs
a tenth of a microsecond an array, and more where many wait.
"""

from __future__ import annotations

import math

import numpy as np

from ..centres import arrive, carry_rates, centre_bias, keep_spins, take_off_gyroscopic
from ..charts import near_gimbal_lock, needs_shortening
from ..contact.arrays import Floats, Ints, Mask
from ..contact.broad import find_pairs
from ..contact.carry import carry
from ..contact.carry import lost as flown
from ..contact.describe import collider_velocity
from ..contact.kinds import GUARD, KEYS
from ..friction.contact_blocks import contact_blocks
from ..friction.dual_sets import PUSH
from ..friction.islands import find_islands
from ..friction.kept_impulses import guess_impulses, sort_impulses
from ..friction.newton_pace import NEWTON
from ..friction.response import DOUBTFUL
from ..friction.row_solve import ROUGH, lay_out, solve_islands
from ..friction.short_rows import push_path, tree_change
from ..friction.touch_rows import enter_stop, find_paths, touch_rows
from ..friction.tree_passes import eliminate, solve_velocities
from ..jit import borrower, inline, subroutine
from ..kinematics import forward_pass
from .touch_midway import motion, strays
from .touch_part import move_within, part_overlaps
from .touch_rub import (
    InnerFriction,
    begin_rubbing,
    enter_friction,
    find_loads,
    lost,
    moves,
    precision,
    settle,
    unwedge,
)
from .touch_stops import lacking, loosest, stop_impulses, without
from .tree_forces import bias_change, link_impulses, stop_speeds
from .tree_kernel import any_calm, too_fast

LINK_PARTS = (12, 12, 6, 6, 6, 6, 6, 21)
"""Columns of E_pj, E_wj, V, A, the impulses on links, two twists, and inertias."""
COORDINATE_PARTS = (6, 6, 6, 1, 1, 1, 1, 1)
"""Columns of S, Sdot, U, D, three scratch vectors, and impulses in the coordinates with what corrections add."""
PIECE_PARTS = (12, 3, 3, 3, 3, 3, 1, 1)
"""Columns of what `contact.placing.Placed` has, in its order."""
_MISSED = 1e-10
"""Way [rad, m] beyond a stop that is more than rounding."""
_LOOSE = 1e-4
"""Way beyond a stop that one may go for other impulses, where friction inside joints makes these hard to find."""
_FEW, _HASTY = 8, 14
"""Newton steps of a solution with such friction, at most, where they lead to what is enough; and those of a second try
where something moves, and a third one could only do without the general route."""
_SAME = 1e-9
"""Change of Coriolis forces, as a fraction of all momentum and gravity, for which nothing is solved again."""
STEPS, SWEEPS, RESIDUAL, SHIFT, DEEPEST, STOPS, TURN, ASTRAY, CONTACTS = range(9)
"""What `answer` tells, by its place."""
TOLD = CONTACTS + 1


@inline
def matrix_of(flat: Floats, n: int, before: int, columns: int) -> Floats:
    """The part of a flat array with n rows that comes after `before` columns."""
    return flat[n * before : n * (before + columns)].reshape(n, columns)


@inline
def vector_of(flat: Floats, n: int, before: int) -> Floats:
    return flat[n * before : n * (before + 1)]


@subroutine
def look(
    parent: Ints, kind: Ints, dof: Ints, place_at: Ints, params: Floats, E_pj0: Floats, switchable: Mask,
    turn_limit: Floats, link: Ints, collider: Ints, vertex: Ints, E_local: Floats, half: Floats, rounding: Floats,
    bounded: Ints, planes: Ints, members: int, owner: Ints, still: Mask, group: Ints, ignores: Ints, apart: Ints,
    parted: Ints, bodies_collide: bool, h: float, fall: float, size: float, calm_speed: float, links: Floats,
    coordinates: Floats, pieces: Floats, calm: Mask, tree: Ints, drowsy: Mask, centred: Ints, centres: Floats,
    free: Mask, chart: Ints, q: Floats, qdot: Floats, E_col: Floats, V_col: Floats, flesh: Floats, out: Ints,
) -> tuple[int, bool]:  # fmt: skip
    """Kinematics, and pairs of pieces that are near each other; how many these are, and whether a tree is calm.

    -1 where positions or velocities are beyond all bounds, and -2 where rotations need other coordinates.
    """
    nl, nr, n = len(parent), len(q), len(link)
    if needs_shortening(kind, dof, turn_limit, q) or near_gimbal_lock(kind, dof, switchable, chart, q):
        return -2, False
    E_wj, V, A = matrix_of(links, nl, 12, 12), matrix_of(links, nl, 24, 6), matrix_of(links, nl, 30, 6)
    forward_pass(
        parent, kind, dof, place_at, params, E_pj0, chart, q, qdot, matrix_of(links, nl, 0, 12), E_wj, V,
        matrix_of(coordinates, nr, 0, 6), matrix_of(coordinates, nr, 6, 6), A,
    )  # fmt: skip
    centre_bias(
        centred, centres, free, parent, dof, q, qdot, matrix_of(links, nl, 0, 12), V, matrix_of(coordinates, nr, 0, 6),
        matrix_of(coordinates, nr, 6, 6), A,
    )  # fmt: skip
    if too_fast(V, h, size) or flown(E_wj, size):
        return -1, False
    E, v, w = matrix_of(pieces, n, 0, 12), matrix_of(pieces, n, 12, 3), matrix_of(pieces, n, 15, 3)
    low, high = matrix_of(pieces, n, 21, 3), matrix_of(pieces, n, 24, 3)
    reach, slack = vector_of(pieces, n, 27), vector_of(pieces, n, 28)
    carry(
        link, collider, vertex, E_local, half, rounding, E_wj, V, A, E_col, V_col, flesh, flesh, h, fall, E, v, w,
        matrix_of(pieces, n, 18, 3), low, high, reach, slack,
    )  # fmt: skip
    count = find_pairs(
        bounded, planes, low, high, members, owner, link, collider, vertex, still, group, ignores, apart, parted,
        bodies_collide, E, v, w, half, rounding, reach, slack, h, out,
    )  # fmt: skip
    return count, any_calm(tree, drowsy, V, calm_speed, size, calm)


@borrower
def _sides(
    pairs: Ints, X: Floats, which: Ints, link_of: Ints, collider_of: Ints, moving: Ints, rubs: Floats, bounces: Floats,
    E_col: Floats, h: float, link: Ints, x: Floats, normal: Floats, gap: Floats, velocity: Floats, friction: Floats,
    restitution: Floats, key: Ints, touched: Mask,
) -> float:  # fmt: skip
    """What a step needs of contacts (`contact.describe` tells all of it); returns the gap where they overlap most."""
    n = len(link_of)
    deepest = 0.0
    for c in range(len(gap)):
        code = pairs[which[c, 0]]
        i, j = code // n, code % n
        link[c, 0], link[c, 1] = link_of[i], link_of[j]
        for side in range(2):
            if link[c, side] >= 0:
                touched[link[c, side]] = True
            for k in range(3):
                x[c, side, k] = X[c, 3 * side + k]
        for k in range(3):
            normal[c, k], velocity[c, k] = X[c, 6 + k], 0.0
        gap[c] = X[c, 9]
        deepest = min(deepest, gap[c])
        m = collider_of[j]
        if m >= 0 and moving[m] >= 0:
            u = collider_velocity(E_col, m, (X[c, 3], X[c, 4], X[c, 5]), h)
            velocity[c, 0], velocity[c, 1], velocity[c, 2] = u
        friction[c] = math.sqrt(rubs[i] * rubs[j])
        restitution[c] = max(bounces[i], bounces[j])
        if which[c, 1] == GUARD:
            friction[c], restitution[c] = 0.0, 0.0
        key[c] = code * KEYS + which[c, 1]
    return deepest


@borrower
def _largest_turn(qdot: Floats, turning: Mask, tree: Ints, rate: Floats) -> float:
    """Largest sum over a tree of the rates that turn something [rad/s]; `rate` has room for all trees."""
    most = 0.0
    rate[:] = 0.0
    for k in range(len(qdot)):
        if turning[k]:
            rate[tree[k]] += abs(qdot[k])
            most = max(most, rate[tree[k]])
    return most


@inline
def _total(x: Floats) -> float:
    total = 0.0
    for i in range(len(x)):
        total += abs(x[i])
    return total


@subroutine
def answer(
    parent: Ints, kind_of: Ints, dof: Ints, place_at: Ints, params: Floats, E_pj0: Floats, inertia: Floats,
    mass: Floats, drag: Floats, gravity: Floats, tree: Ints, turning: Mask, trees: int, longest: int, limit_dof: Ints,
    limit_link: Ints, side: Floats, limit: Floats, bounce: Floats, link_of: Ints, collider_of: Ints, moving: Ints,
    rubs: Floats, bounces: Floats, boxed: bool, numbers: Floats, links: Floats, coordinates: Floats, centred: Ints,
    centres: Floats, chart: Ints, E_col: Floats, b_r: Floats, A_r: Floats, free: Mask, known: Floats, landing: Floats,
    q: Floats, qdot: Floats, pairs: Ints, X: Floats, which: Ints, keys: Ints, impulse: Floats, place: Floats,
    owner: Ints, row_value: Floats, end: Floats, new_impulse: Floats, new_keys: Ints, kept: Floats, kept_at: Floats,
    holding: Mask, stop_value: Floats, tell: Floats, inner: InnerFriction | None,
) -> bool:  # fmt: skip
    """A step with contacts X, `which` (`contact/narrow.py`): coordinates and velocities at its end, `end` (2, nr).

    `keys`, `impulse`, `place`, `owner` and `row_value` are what the last step left in `DryMemory`; `new_impulse`
    (nc, 3) are the impulses of the contacts, `new_keys`, `kept` and `kept_at` the same by keys. Stops whose row had a
    part are marked in `holding` (nh,), with their speeds and impulses in `stop_value` (2, nh). False where there is no
    result, or none that is good enough.

    With corrections it is solved again, with Coriolis forces at the velocities midway through the step; where these
    lead astray, that is told.
    """
    h, fast, tolerance, enough, part, slop = (
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        numbers[4],
        numbers[5],
    )
    corrections = int(numbers[6])
    nl, nr, nc, nh = len(parent), len(q), len(X), len(limit_dof)
    E_pj, E_wj = matrix_of(links, nl, 0, 12), matrix_of(links, nl, 12, 12)
    V, A, F, V_free = (
        matrix_of(links, nl, 24, 6), matrix_of(links, nl, 30, 6), matrix_of(links, nl, 36, 6),
        matrix_of(links, nl, 42, 6),
    )  # fmt: skip
    S, U, D = (
        matrix_of(coordinates, nr, 0, 6),
        matrix_of(coordinates, nr, 12, 6),
        vector_of(coordinates, nr, 18),
    )
    b, lack = vector_of(coordinates, nr, 22), matrix_of(links, nl, 48, 6)
    unbound, speed, midway = np.empty(nr), stop_value[0], np.empty(nr if corrections > 0 else 0)
    other, by_tree = np.empty((nl if corrections > 0 else 0, 6)), np.empty(trees)
    last, moved = np.zeros(nr if corrections > 0 else 0), np.zeros(3)
    link_impulses(inertia, drag, gravity, E_wj, V, A, h, F)
    take_off_gyroscopic(centred, centres, free, V, h, F)
    for k in range(nr):
        b[k] = b_r[k]
    IA, hasty, exact, rough, fair, few = matrix_of(links, nl, 54, 21), False, tolerance, enough, 0.0, NEWTON
    pairs_inside, rows_inside = 0, 0
    if inner is not None:
        pairs_inside, rows_inside = len(inner.dof), len(inner.force)
        rubbing = begin_rubbing(pairs_inside, nl, nr)
        hasty = nc > 0 and moves(inertia, V, fast)
        exact, rough, fair = precision(inner.numbers, nr, nc > 0, hasty, tolerance, enough)
        few = _FEW
    eliminate(parent, dof, mass, A_r, E_pj, S, free, IA, U, D)
    ints, floats = np.empty(3 * nc + nl + 1, np.int64), np.empty(21 * nc)
    link, key, path = ints[: 2 * nc].reshape(nc, 2), ints[2 * nc : 3 * nc], ints[3 * nc :]
    x, tangent = floats[: 6 * nc].reshape(nc, 2, 3), floats[6 * nc : 12 * nc].reshape(nc, 2, 3)
    normal_of, velocity, gap = (
        matrix_of(floats, nc, 12, 3),
        matrix_of(floats, nc, 15, 3),
        vector_of(floats, nc, 18),
    )
    friction, restitution = vector_of(floats, nc, 19), vector_of(floats, nc, 20)
    touched = np.zeros(nl, np.bool_)
    if inner is not None:
        for l in inner.link:
            if parent[l] >= 0:
                touched[parent[l]] = True
    tell[DEEPEST] = _sides(
        pairs, X, which, link_of, collider_of, moving, rubs, bounces, E_col, h, link, x, normal_of, gap, velocity,
        friction, restitution, key, touched,
    )  # fmt: skip
    coordinate, T = find_paths(parent, dof, E_pj, S, U, D, free, touched, path, longest)
    held, driven, before = np.empty(nh, np.bool_), np.empty(nr, np.bool_), np.zeros(nh)
    for k in range(nr):
        driven[k] = not free[k]
    stop_speeds(limit_dof, side, limit, bounce, driven, q, qdot, h, speed, held)
    for i in range(len(owner)):
        if owner[i] < 0 and -1 - owner[i] < nh:
            before[-1 - owner[i]] = row_value[i]
    stride = 3 if boxed else 2
    rows, room = nh + rows_inside + 3 * nc, (nh + rows_inside) * longest
    for c in range(nc):
        for s in range(2):
            if link[c, s] >= 0:
                room += 3 * (path[link[c, s] + 1] - path[link[c, s]])
    most = nh + pairs_inside + stride * nc
    places = np.empty(rows + 1 + room, np.uint32)
    at, index = places[: rows + 1], places[rows + 1 :]
    ints, floats = np.empty(4 * most + 1, np.int64), np.empty(room + longest + 4 * rows + 2 * most)
    first, kind = ints[: most + 1], ints[most + 1 : 2 * most + 1]
    island, normal = ints[2 * most + 1 : 3 * most + 1], ints[3 * most + 1 :]
    r, diagonal, brace, value = (
        vector_of(floats, rows, 0), vector_of(floats, rows, 1), vector_of(floats, rows, 2), vector_of(floats, rows, 3)
    )  # fmt: skip
    floats = floats[4 * rows :]
    mu, bound, entry, pushed = (
        floats[:most], floats[most : 2 * most], floats[2 * most : 2 * most + longest], floats[2 * most + longest :]
    )  # fmt: skip
    tell[STEPS], tell[SWEEPS], tell[SHIFT], tell[CONTACTS] = 0.0, 0.0, 0.0, nc
    stops, own, block, m, nb, pass_ = 0, 0, 0, 0, 0, 0
    begun = np.empty(3 * nc)
    passed, solved = False, False
    while True:
        if pass_ > 0 and not passed:
            for k in range(nr):
                midway[k], b[k] = 0.5 * (qdot[k] + end[1, k]), b_r[k]
            keep_spins(centred, free, qdot, midway)
            forward_pass(
                parent, kind_of, dof, place_at, params, E_pj0, chart, q, midway, E_pj, E_wj, V_free, S,
                matrix_of(coordinates, nr, 6, 6), other,
            )  # fmt: skip
            centre_bias(
                centred,
                centres,
                free,
                parent,
                dof,
                q,
                midway,
                E_pj,
                V_free,
                S,
                matrix_of(coordinates, nr, 6, 6),
                other,
            )
            bias_change(parent, dof, inertia, E_pj, S, V, A, V_free, other, h, lack, b)
            for k in range(nr):
                midway[k] = b[k] - b_r[k]
            if _total(midway) <= _SAME * _total(links[36 * nl : 42 * nl]):
                break
        if not passed:
            for k in range(nr):
                unbound[k] = known[k]
            solve_velocities(
                parent, dof, mass, E_pj, S, U, D, free, F, b, unbound, V_free, lack, vector_of(coordinates, nr, 19),
                vector_of(coordinates, nr, 20), vector_of(coordinates, nr, 21),
            )  # fmt: skip
            for i in range(nh):
                beyond = h * side[i] * (unbound[limit_dof[i]] - speed[i]) < -_MISSED
                # what pushed will push again
                holding[i] = held[i] and (beyond or before[i] > 0.0)
        for i in range(3 * nc):
            begun[i] = value[own + i]
        m, filled = 0, 0
        at[0] = 0
        for i in range(nh):
            if not holding[i]:
                continue
            filled = enter_stop(parent, dof, limit_link[i], limit_dof[i], side[i], filled, index, entry)
            at[m + 1] = filled
            push_path(
                parent, dof, E_pj, S, U, D, free, limit_link[i], -1, 0, entry, pushed[at[m] : at[m + 1]]
            )
            r[m], value[m] = side[i] * (speed[i] - unbound[limit_dof[i]]), before[i]
            first[m], kind[m], mu[m], normal[m], bound[m] = m, PUSH, 0.0, -1, 0.0
            m += 1
        stops, own, block = m, m + rows_inside, m + pairs_inside
        m, nb = own + 3 * nc, block + stride * nc
        if inner is not None:
            enter_friction(
                inner, parent, dof, E_pj, S, U, D, free, path, coordinate, T, unbound, stops, at, index, pushed, r,
                value, first, kind, mu, normal, bound,
            )  # fmt: skip
        touch_rows(
            link, x, normal_of, gap, velocity, restitution, E_wj, V, V_free, D, free, path, coordinate, T, fast, h,
            own, at, index, pushed, tangent, r, diagonal,
        )  # fmt: skip
        for i in range(own):
            square = 0.0
            for e in range(at[i], at[i + 1]):
                if free[index[e]]:  # D is not set elsewhere
                    square += pushed[e] * pushed[e] * D[index[e]]
            diagonal[i] = square
        for i in range(own, m):
            value[i] = begun[i - own] if solved else 0.0
        for a in range(block, nb):
            bound[a] = 0.0
        contact_blocks(friction, own, block, boxed, first, kind, mu, normal)
        if not solved:
            guess_impulses(
                keys, impulse, place, key, x, normal_of, tangent, normal[:nb], mu, own, value, bound
            )
        if inner is not None:
            unwedge(inner.numbers, F, own, value[:m])
        islands = find_islands(
            at, index, pushed, free, first[: nb + 1], normal[:nb], tree, trees, True, diagonal[:m], island[:nb],
            brace[:m],
        )  # fmt: skip
        layout = lay_out(
            at[:m],
            at[1 : m + 1],
            index,
            D,
            free,
            tree,
            trees,
            first[: nb + 1],
            normal[:nb],
            island[:nb],
            islands,
        )
        same = False
        while True:
            steps, sweeps, tell[RESIDUAL] = solve_islands(
                at[:m], at[1 : m + 1], index, pushed, free, r[:m], first[: nb + 1], kind[:nb], mu[:nb], normal[:nb],
                island[:nb], layout, exact, rough, fast, few, fair, same, bound[:nb], value[:m],
            )  # fmt: skip
            same = True
            tell[STEPS] += steps
            tell[SWEEPS] += sweeps
            tree_change(parent, dof, E_pj, S, U, D, free, at, index, pushed, value[:m], unbound, end[1])
            if inner is None:
                break
            more = few == _FEW or (few < NEWTON and lost(inner, qdot, tell[RESIDUAL], rough, enough))
            if more and not tell[RESIDUAL] <= rough:
                few = _HASTY if hasty and few == _FEW else NEWTON
                continue
            few, exact = _FEW, max(exact, min(tell[RESIDUAL], rough))  # the next round does not try for more
            for i in range(rows_inside):
                inner.force[i] = value[stops + i]
            find_loads(
                inner, rubbing, parent, dof, mass, A_r, E_pj, E_wj, S, F, b, end[1], link, x, normal_of, tangent, own,
                value,
            )  # fmt: skip
            ends = settle(inner, rubbing, free, end[1], tell[RESIDUAL], tell[STEPS], hasty)
            if (ends or not tell[RESIDUAL] <= rough) and lost(inner, qdot, tell[RESIDUAL], rough, enough):
                return False
            if ends:
                break
            for i in range(pairs_inside):
                bound[stops + i] = inner.bound[i]
        if inner is not None and loosest(limit_dof, side, holding, speed, end[1]) > _LOOSE / h:
            others = np.empty(m)
            without(stops, value[:m], others)
            tree_change(parent, dof, E_pj, S, U, D, free, at, index, pushed, others, unbound, end[1])
            lacking(limit_dof, side, holding, speed, end[1], r)
            stop_impulses(
                at, index, pushed, free, r[:stops], first[: stops + 1], kind[:stops], mu[:stops], normal[:stops],
                bound[:stops], island[:stops], layout, value[:stops],
            )  # fmt: skip
            tree_change(parent, dof, E_pj, S, U, D, free, at, index, pushed, value[:m], unbound, end[1])
        passed, solved, row = False, True, 0
        for i in range(nh):
            k = limit_dof[i]
            if holding[i]:
                before[i] = value[row]
                row += 1
            if held[i] and not holding[i] and h * side[i] * (end[1, k] - speed[i]) < -_MISSED:
                holding[i] = True
                passed = True
        if passed:
            continue
        if corrections > 0:
            for k in range(nr):
                midway[k], last[k] = end[1, k] - last[k], end[1, k]
            moved[min(pass_, 2)] = motion(parent, dof, mass, A_r, E_pj, S, midway, other)
        if pass_ == corrections:
            break
        pass_ += 1
    for k in range(nr):
        end[0, k] = q[k] + h * end[1, k] if free[k] else landing[k]
    carried = np.empty((len(centred), 6))
    arrive(centred, centres, free, params, chart, S, h, q, end[1], end[0], carried)
    for k in range(nr):
        if not (np.isfinite(end[0, k]) and np.isfinite(end[1, k])):
            return False
    tell[ASTRAY] = 1.0 if strays(moved[0], moved[1], moved[2]) else 0.0
    tell[STOPS], tell[TURN] = stops, _largest_turn(end[1], turning, tree, by_tree)
    if inner is None and not tell[RESIDUAL] <= max(DOUBTFUL, min(enough, ROUGH) if stops > 0 else enough):
        return False
    for i in range(stops):
        stop_value[1, i] = value[i]
    sort_impulses(key, x, normal_of, tangent, own, value, new_impulse, new_keys, kept, kept_at)
    if tell[DEEPEST] < -slop:
        part_overlaps(
            at, index, pushed, free, gap, stops, own, block, stride, island, layout, part, slop, value[:m]
        )
        tree_change(parent, dof, E_pj, S, U, D, free, at, index, pushed, value[:m], end[0], unbound)
        move_within(limit_dof, side, limit, holding, tree, by_tree, unbound, end[0])
    carry_rates(centred, centres, free, params, chart, end[0], carried, end[1])
    return True
