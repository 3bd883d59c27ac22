"""A step in which surfaces touch: what is near, what contacts and stops do to the motion, and where it ends.

Between the two is the narrow phase (`contact/narrow/pieces.py`); the kernel of `steps.py` calls them. Arrays of links,
of coordinates and of pieces come as one array each, which has their columns in parts one after the other: a call costs
a tenth of a microsecond an array, and more where many wait.
"""

from __future__ import annotations

import math

import numpy as np

from ..algebra.arrays import Floats, Ints, Mask
from ..algebra.spatial import axpy6, load6, store6
from ..contact.describe import collider_velocity
from ..contact.near.broad import find_pairs
from ..contact.near.carry import carry
from ..contact.near.carry import lost as flown
from ..contact.shapes.kinds import GUARD, KEYS
from ..friction.contacts.blocks import contact_blocks
from ..friction.contacts.bounce import EASED, spread_parts
from ..friction.contacts.kept import guess_impulses, sort_impulses
from ..friction.contacts.path_rows import enter_joint, enter_stop, find_paths, touch_rows
from ..friction.response import DOUBTFUL
from ..impulses.islands import find_islands
from ..impulses.laws import BOX, PUSH
from ..impulses.pace import NEWTON
from ..impulses.short_rows import push_path, tree_change
from ..impulses.solve import ROUGH, lay_out, solve_islands
from ..integrators.trees.forces import bias_change, link_impulses, stop_speeds
from ..integrators.trees.kernel import any_calm, too_fast
from ..jit.decorators import borrower, inline, subroutine
from ..tree.centres import arrive, carry_blow, carry_rates, centre_bias, keep_spins, take_off_gyroscopic
from ..tree.charts import near_gimbal_lock, needs_shortening
from ..tree.kinematics import forward_pass
from ..tree.passes import eliminate, solve_velocities
from .blows import aim_blows, ease_blows, make_blows
from .bonds import enter_bonds, mark_links, push_bonded
from .closing import close_again, close_loops, fit_velocities, lead_along
from .corrections import motion, strays
from .joint_friction import (
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
from .overlaps import move_within, part_overlaps
from .parts import Acting, Bonds, Kept, Links, Numbers, Rows, Shapes, Stops, Work
from .stops import lacking, loosest, stop_impulses, without

LINK_PARTS = (12, 12, 6, 6, 6, 6, 6, 21, 21, 6, 12, 12)
"""Columns of E_pj, E_wj, V, A, the impulses on links, two twists, two inertias, wrenches, and poses at the end."""
COORDINATE_PARTS = (6, 6, 6, 1, 1, 1, 1, 1, 5, 1)
"""Columns of S, Sdot, U, D, three scratch vectors, impulses in the coordinates with what corrections add, what
`acting.act_in_joints` finds, and another scratch vector."""
PIECE_PARTS = (12, 3, 3, 3, 3, 3, 1, 1)
"""Columns of what `contact.near.placing.Placed` has, in its order."""
_MISSED = 1e-10
"""Way [rad, m] beyond a stop that is more than rounding."""
_LOOSE = 1e-4
"""Way beyond a stop that one may go for other impulses, where friction inside joints makes these hard to find."""
_FEW, _HASTY = 8, 14
"""Newton steps of a solution with such friction, at most, where they lead to what is enough; and those of a second try
where something moves, and a third one could only do without the general route."""
OPENS = 10.0
"""How much more than asked for loops may be open at the end of a step; the rest is for the general route, which has
another way to close them."""
WHIRL = 1.0
"""Turn of a tree in a step [rad] above which overlaps are left for the next one: they come apart as they are at the
start, about axes that are others at the end."""
_SAME = 1e-9
"""Change of Coriolis forces, as a fraction of all momentum and gravity, for which nothing is solved again."""
STEPS, SWEEPS, RESIDUAL, SHIFT, DEEPEST, STOPS, TURN, ASTRAY, CONTACTS, OPEN = range(10)
"""What `answer` tells, by its place."""
TOLD = OPEN + 1


@inline
def matrix_of(flat: Floats, n: int, before: int, columns: int) -> Floats:
    """The part of a flat array with n rows that comes after `before` columns."""
    return flat[n * before : n * (before + columns)].reshape(n, columns)


@inline
def vector_of(flat: Floats, n: int, before: int) -> Floats:
    return flat[n * before : n * (before + 1)]


@subroutine
def look(
    links: Links, shapes: Shapes, numbers: Numbers, work: Work, drowsy: Mask, free: Mask, chart: Ints, q: Floats,
    qdot: Floats, flesh: Floats, out: Ints,
) -> tuple[int, bool]:  # fmt: skip
    """Kinematics, and pairs of pieces that are near each other; how many these are, and whether a tree is calm.

    -1 where positions or velocities are beyond all bounds, and -2 where rotations need other coordinates.
    """
    nl, nr, n, h = len(links.parent), len(q), len(shapes.link), numbers.h
    if needs_shortening(links.kind, links.dof, links.turn_limit, q) or near_gimbal_lock(
        links.kind, links.dof, links.switchable, chart, q
    ):
        return -2, False
    of_links, of_coordinates, pieces = work.links, work.coordinates, work.pieces
    E_wj, V, A = (
        matrix_of(of_links, nl, 12, 12),
        matrix_of(of_links, nl, 24, 6),
        matrix_of(of_links, nl, 30, 6),
    )
    forward_pass(
        links.parent, links.kind, links.dof, links.at, links.params, links.E_pj0, chart, q, qdot,
        matrix_of(of_links, nl, 0, 12), E_wj, V, matrix_of(of_coordinates, nr, 0, 6),
        matrix_of(of_coordinates, nr, 6, 6), A,
    )  # fmt: skip
    centre_bias(
        links.centred, links.centres, free, links.parent, links.dof, q, qdot, matrix_of(of_links, nl, 0, 12), V,
        matrix_of(of_coordinates, nr, 0, 6), matrix_of(of_coordinates, nr, 6, 6), A,
    )  # fmt: skip
    if too_fast(V, h, numbers.size) or flown(E_wj, numbers.size):
        return -1, False
    E, v, w = matrix_of(pieces, n, 0, 12), matrix_of(pieces, n, 12, 3), matrix_of(pieces, n, 15, 3)
    low, high = matrix_of(pieces, n, 21, 3), matrix_of(pieces, n, 24, 3)
    reach, slack = vector_of(pieces, n, 27), vector_of(pieces, n, 28)
    count = 0
    if n > 0:
        carry(
            shapes.link, shapes.collider, shapes.vertex, shapes.E, shapes.half, shapes.rounding, E_wj, V, A,
            work.poses, work.twists, flesh, flesh, h, numbers.fall, E, v, w, matrix_of(pieces, n, 18, 3), low, high,
            reach, slack,
        )  # fmt: skip
        count = find_pairs(
            shapes.bounded, shapes.planes, low, high, numbers.members, shapes.owner, shapes.link, shapes.collider,
            shapes.vertex, shapes.still, shapes.group, shapes.ignores, shapes.apart, shapes.parted,
            numbers.bodies_collide, E, v, w, shapes.half, shapes.rounding, reach, slack, h, out,
        )  # fmt: skip
    return count, any_calm(links.of_link, drowsy, V, numbers.calm_speed, numbers.size, work.calm)


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
    links: Links, shapes: Shapes, stops_of: Stops, acting: Acting, bonds: Bonds, rows: Rows, bonded: int, equal: int,
    work: Work, numbers: Numbers, inner: InnerFriction, chart: Ints, motors: Floats, free: Mask, q: Floats,
    qdot: Floats,
    pairs: Ints, X: Floats, which: Ints, kept_from: Kept, end: Floats, new_impulse: Floats, new_keys: Ints,
    kept: Floats, kept_at: Floats, velocity_of: Floats, holding: Mask, stop_value: Floats, tell: Floats,
) -> bool:  # fmt: skip
    """A step with contacts X, `which` (`contact/narrow/pieces.py`), and the first `bonded` rows of bonds, of which
    `equal` are loops and gears: coordinates and velocities at its end, `end` (2, nr).

    `kept_from` is what the last step left in `DryMemory`; `new_impulse` (nc, 3) are the impulses of the contacts,
    `new_keys`, `kept` and `kept_at` the same by keys, `velocity_of` (nc, 3) that of the colliders there. Stops whose
    row had a part are marked in `holding` (nh,), with their speeds and impulses in `stop_value` (2, nh). False where
    there is no result, or none that is good enough.

    With corrections it is solved again, with Coriolis forces at the velocities midway through the step; where these
    lead astray, that is told.
    """
    h, fast, tolerance, enough, part, slop = (
        numbers.h,
        numbers.fast,
        numbers.tolerance,
        numbers.enough,
        numbers.part,
        numbers.slop,
    )
    corrections, trees, longest, boxed = numbers.corrections, numbers.trees, numbers.longest, numbers.boxed
    parent, kind_of, dof, place_at, params, E_pj0 = (
        links.parent, links.kind, links.dof, links.at, links.params, links.E_pj0
    )  # fmt: skip
    inertia, drag, gravity, tree, turning = (
        links.inertia,
        links.drag,
        links.gravity,
        links.tree,
        links.turning,
    )
    limit_dof, limit_link, side, limit, bounce = (
        stops_of.dof, stops_of.link, stops_of.side, stops_of.bound, stops_of.restitution
    )  # fmt: skip
    of_links, coordinates = work.links, work.coordinates
    nl, nr, nc, nh, nm = len(parent), len(q), len(X), len(limit_dof), len(motors)
    E_pj, E_wj = matrix_of(of_links, nl, 0, 12), matrix_of(of_links, nl, 12, 12)
    V, A, F, V_free = (
        matrix_of(of_links, nl, 24, 6), matrix_of(of_links, nl, 30, 6), matrix_of(of_links, nl, 36, 6),
        matrix_of(of_links, nl, 42, 6),
    )  # fmt: skip
    S, U, D = (
        matrix_of(coordinates, nr, 0, 6),
        matrix_of(coordinates, nr, 12, 6),
        vector_of(coordinates, nr, 18),
    )
    mass = matrix_of(of_links, nl, 75, 21)
    b_r, A_r, known, landing = (
        vector_of(coordinates, nr, 23), vector_of(coordinates, nr, 24), vector_of(coordinates, nr, 25),
        vector_of(coordinates, nr, 26),
    )  # fmt: skip
    b, lack = vector_of(coordinates, nr, 22), matrix_of(of_links, nl, 48, 6)
    unbound, speed, midway = np.empty(nr), stop_value[0], np.empty(nr if corrections > 0 else 0)
    other, by_tree = np.empty((nl if corrections > 0 else 0, 6)), np.empty(trees)
    last, moved = np.zeros(nr if corrections > 0 else 0), np.zeros(3)
    link_impulses(inertia, drag, gravity, E_wj, V, A, h, F)
    centred, centres = links.centred, links.centres
    take_off_gyroscopic(centred, centres, free, V, h, F)
    pull = matrix_of(of_links, nl, 96, 6)
    for j in range(nl):
        store6(F, j, axpy6(h, load6(pull, j), load6(F, j)))
    for k in range(nr):
        b[k] = b_r[k]
    IA, hasty, exact, rough, fair, few = (
        matrix_of(of_links, nl, 54, 21),
        False,
        tolerance,
        enough,
        0.0,
        NEWTON,
    )
    pairs_inside, rows_inside = len(inner.dof), len(inner.force)
    rubs_inside = pairs_inside > 0
    rubbing = begin_rubbing(pairs_inside, nl, nr)
    looser = rubs_inside
    for i in range(nm):
        looser = looser or acting.motor_push[i] > 0.0
    if looser:
        hasty = nc > 0 and moves(inertia, V, fast)
        exact, rough, fair = precision(inner.numbers, nr, nc > 0, hasty, tolerance, enough)
    if rubs_inside:
        few = _FEW
    elif looser:  # there are no rounds that would ask for more
        few = _HASTY
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
    for l in inner.link:
        if parent[l] >= 0:
            touched[parent[l]] = True
    for l in acting.motor_link:
        if parent[l] >= 0:
            touched[parent[l]] = True
    mark_links(rows, bonded, parent, touched)
    tell[DEEPEST] = _sides(
        pairs, X, which, shapes.link, shapes.collider, shapes.moving, shapes.friction, shapes.restitution, work.poses,
        h, link, x, normal_of, gap, velocity, friction, restitution, key, touched,
    )  # fmt: skip
    for c in range(nc):
        for k in range(3):
            velocity_of[c, k] = velocity[c, k]
    coordinate, T = find_paths(parent, dof, E_pj, S, U, D, free, touched, path, longest)
    held, driven, before = np.empty(nh, np.bool_), np.empty(nr, np.bool_), np.zeros(nh)
    for k in range(nr):
        driven[k] = not free[k]
    stop_speeds(limit_dof, side, limit, bounce, driven, q, qdot, h, speed, held)
    for i in range(len(kept_from.owner)):
        if kept_from.owner[i] < 0 and -1 - kept_from.owner[i] < nh:
            before[-1 - kept_from.owner[i]] = kept_from.row_value[i]
    stride = 3 if boxed else 2
    alone = rows_inside + nm
    most_rows, room = nh + alone + bonded + 3 * nc, (nh + alone) * longest
    room += rows.first[bonded] * longest
    for c in range(nc):
        for s in range(2):
            if link[c, s] >= 0:
                room += 3 * (path[link[c, s] + 1] - path[link[c, s]])
    most = nh + pairs_inside + nm + bonded + stride * nc
    places = np.empty(most_rows + 1 + room, np.uint32)
    at, index = places[: most_rows + 1], places[most_rows + 1 :]
    ints, floats = np.empty(4 * most + 1, np.int64), np.empty(room + longest + 4 * most_rows + 3 * most)
    first, kind = ints[: most + 1], ints[most + 1 : 2 * most + 1]
    island, normal = ints[2 * most + 1 : 3 * most + 1], ints[3 * most + 1 :]
    r, diagonal, brace, value = (
        vector_of(floats, most_rows, 0), vector_of(floats, most_rows, 1), vector_of(floats, most_rows, 2),
        vector_of(floats, most_rows, 3),
    )  # fmt: skip
    floats = floats[4 * most_rows :]
    mu, bound, soft, entry, pushed = (
        floats[:most], floats[most : 2 * most], floats[2 * most : 3 * most], floats[3 * most : 3 * most + longest],
        floats[3 * most + longest :],
    )  # fmt: skip
    wide, stamp = vector_of(coordinates, nr, 28), np.empty(nr if bonded > 0 else 0, np.int64)
    tell[STEPS], tell[SWEEPS], tell[SHIFT], tell[CONTACTS], tell[OPEN] = 0.0, 0.0, 0.0, nc, 0.0
    stops, own, block, m, nb, pass_ = 0, 0, 0, 0, 0, 0
    begun, G = np.empty(3 * nc), np.empty((len(bonds.type), 2, 6))
    passed, solved, fitted = False, False, qdot.copy()
    hits, blows, struck, eased = np.empty(nc), make_blows(0, 0, 0), False, 0
    while True:
        if pass_ > 0 and not passed:
            for k in range(nr):
                midway[k], b[k] = 0.5 * (fitted[k] + end[1, k]), b_r[k]
            keep_spins(centred, free, qdot, midway)
            forward_pass(
                parent, kind_of, dof, place_at, params, E_pj0, chart, q, midway, E_pj, E_wj, V_free, S,
                matrix_of(coordinates, nr, 6, 6), other,
            )  # fmt: skip
            centre_bias(
                centred, centres, free, parent, dof, q, midway, E_pj, V_free, S, matrix_of(coordinates, nr, 6, 6), other
            )  # fmt: skip
            bias_change(parent, dof, inertia, E_pj, S, V, A, V_free, other, h, lack, b)
            for k in range(nr):
                midway[k] = b[k] - b_r[k]
            if _total(midway) <= _SAME * _total(of_links[36 * nl : 42 * nl]):
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
        stops, bond, bond_block = m, m + alone, m + pairs_inside + nm
        own, block = bond + bonded, bond_block + bonded
        m, nb = own + 3 * nc, block + stride * nc
        enter_friction(
            inner, parent, dof, E_pj, S, U, D, free, path, coordinate, T, unbound, stops, at, index, pushed, r,
            value, first, kind, mu, normal, bound,
        )  # fmt: skip
        for i in range(nm):
            l, row, a = acting.motor_link[i], stops + rows_inside + i, stops + pairs_inside + i
            at[row + 1] = enter_joint(
                parent, dof, E_pj, S, U, D, free, path, coordinate, T, l, acting.motor_dof[i], 1, 0, int(at[row]),
                index, pushed,
            )  # fmt: skip
            r[row], value[row] = motors[i] - unbound[acting.motor_dof[i]], kept_from.motor[i]
            first[a], kind[a], mu[a], normal[a], bound[a] = row, BOX, 0.0, -1, acting.motor_push[i]
        for k in range(len(stamp)):
            stamp[k] = -1
        enter_bonds(
            rows, bonded, parent, dof, E_pj, S, U, D, free, path, coordinate, T, V_free, unbound, bond, at, index,
            pushed, r, wide, stamp,
        )  # fmt: skip
        for i in range(nb):
            soft[i] = 0.0
        for i in range(bonded):
            a = bond_block + i
            first[a], kind[a], mu[a], normal[a], bound[a] = bond + i, rows.kind[i], 0.0, -1, 0.0
            soft[a], value[bond + i] = rows.soft[i], rows.value[i]
        struck = touch_rows(
            link, x, normal_of, gap, velocity, restitution, E_wj, V, V_free, D, free, path, coordinate, T, fast, h,
            own, at, index, pushed, tangent, r, diagonal, hits,
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
                kept_from.keys, kept_from.impulse, kept_from.place, key, x, normal_of, tangent, normal[:nb], mu, own,
                value, bound,
            )  # fmt: skip
        if rubs_inside:
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
        eased = 0
        if struck:
            blows = make_blows(nc, islands, m)
            struck = aim_blows(
                blows, hits, link, restitution, gap, h, at, index, pushed, free, D, r[:m], first[: nb + 1], kind[:nb],
                mu[:nb], normal[:nb], soft[:nb], island[:nb], layout, exact, rough, own, block, stride, bound[:nb],
                value[:m], vector_of(coordinates, nr, 19),
            )  # fmt: skip
        same = False
        while True:
            steps, sweeps, tell[RESIDUAL] = solve_islands(
                at[:m], at[1 : m + 1], index, pushed, free, r[:m], first[: nb + 1], kind[:nb], mu[:nb], normal[:nb],
                soft[:nb], island[:nb], layout, exact, rough, fast, few, fair, same, bound[:nb], value[:m],
            )  # fmt: skip
            same = True
            tell[STEPS] += steps
            tell[SWEEPS] += sweeps
            tree_change(parent, dof, E_pj, S, U, D, free, at, index, pushed, value[:m], unbound, end[1])
            if not rubs_inside:
                if not struck or eased == EASED or not ease_blows(
                    blows, hits, restitution, gap, h, at, index, pushed, free, D, own, value[:m],
                    vector_of(coordinates, nr, 19), r[:m],
                ):  # fmt: skip
                    break
                same = False
                eased += 1
                continue
            more = few == _FEW or (few < NEWTON and lost(inner, qdot, tell[RESIDUAL], rough, enough))
            if more and not tell[RESIDUAL] <= rough:
                few = _HASTY if hasty and few == _FEW else NEWTON
                continue
            few, exact = _FEW, max(exact, min(tell[RESIDUAL], rough))  # the next round does not try for more
            for i in range(rows_inside):
                inner.force[i] = value[stops + i]
            for j in range(nl):
                store6(rubbing.F, j, load6(F, j))
            push_bonded(rows, bonded, value, bond, rubbing.F)
            find_loads(
                inner, rubbing, parent, dof, mass, A_r, E_pj, E_wj, S, b, end[1], link, x, normal_of, tangent, own,
                value,
            )  # fmt: skip
            ends = settle(inner, rubbing, free, end[1], tell[RESIDUAL], tell[STEPS], hasty)
            if (ends or not tell[RESIDUAL] <= rough) and lost(inner, qdot, tell[RESIDUAL], rough, enough):
                return False
            if ends:
                break
            for i in range(pairs_inside):
                bound[stops + i] = inner.bound[i]
        if looser and loosest(limit_dof, side, holding, speed, end[1]) > _LOOSE / h:
            others = np.empty(m)
            without(stops, value[:m], others)
            tree_change(parent, dof, E_pj, S, U, D, free, at, index, pushed, others, unbound, end[1])
            lacking(limit_dof, side, holding, speed, end[1], r)
            stop_impulses(
                at, index, pushed, free, r[:stops], first[: stops + 1], kind[:stops], mu[:stops], normal[:stops],
                soft[:stops], bound[:stops], island[:stops], layout, value[:stops],
            )  # fmt: skip
            tree_change(parent, dof, E_pj, S, U, D, free, at, index, pushed, value[:m], unbound, end[1])
        passed, solved, row = False, True, 0
        for i in range(nm):
            kept_from.motor[i] = value[stops + rows_inside + i]
        for i in range(bonded):
            rows.value[i] = value[bond + i]
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
        if pass_ == 0 and corrections > 0 and equal > 0:
            fit_velocities(
                rows, equal, bond, bond_block, links, E_pj, S, U, D, free, at, index, pushed, island[:nb], layout, V,
                qdot, fitted,
            )  # fmt: skip
        if corrections > 0:
            for k in range(nr):
                midway[k], last[k] = end[1, k] - last[k], end[1, k]
            moved[min(pass_, 2)] = motion(parent, dof, mass, A_r, E_pj, S, midway, other)
        if pass_ == corrections:
            break
        pass_ += 1
    carried, mean = np.empty((len(centred), 6)), end[1]
    if struck:
        mean = np.empty(nr)
        tree_change(parent, dof, E_pj, S, U, D, free, at, index, pushed, blows.without, unbound, mean)
        spread_parts(at, index, first[: nb + 1], island[:nb], free, tree, blows.when, by_tree)
        for k in range(nr):
            mean[k] = end[1, k] + by_tree[tree[k]] * (mean[k] - end[1, k])
    for k in range(nr):
        end[0, k] = q[k] + h * mean[k] if free[k] else landing[k]
    arrive(centred, centres, free, params, chart, S, h, q, mean, end[0], carried)
    if struck:
        carry_blow(centred, centres, free, params, chart, S, h, q, mean, end[1], carried)
    for k in range(nr):
        if not (np.isfinite(end[0, k]) and np.isfinite(end[1, k])):
            return False
    tell[ASTRAY] = 1.0 if strays(moved[0], moved[1], moved[2]) else 0.0
    tell[STOPS], tell[TURN] = stops, _largest_turn(end[1], turning, tree, by_tree)
    strict = bonded > 0 or (stops > 0 and not looser)
    most_left = max(DOUBTFUL, min(enough, ROUGH) if strict else enough)
    if not rubs_inside and not tell[RESIDUAL] <= most_left:
        return False
    for i in range(stops):
        stop_value[1, i] = value[i]
    sort_impulses(key, x, normal_of, tangent, own, value, new_impulse, new_keys, kept, kept_at)
    deepest = tell[DEEPEST]
    for i in range(bonded):
        deepest = min(deepest, rows.gap[i])
    if deepest < -slop and h * tell[TURN] <= WHIRL:
        part_overlaps(
            at, index, pushed, free, gap, stops, rows, bonded, bond, bond_block, own, block, stride, island, layout,
            part, slop, value[:m],
        )  # fmt: skip
        tree_change(parent, dof, E_pj, S, U, D, free, at, index, pushed, value[:m], end[0], unbound)
        move_within(limit_dof, side, limit, holding, tree, by_tree, unbound, end[0])
    if equal > 0:
        row = 0
        for i in range(nh):
            if holding[i]:
                before[row] = side[i] * (end[0, limit_dof[i]] - limit[i])
                row += 1
        leads = lead_along(bonds, rows, equal, V, h, numbers.goal)
        for k in range(nr):
            fitted[k] = end[0, k]
        tell[OPEN] = close_loops(
            bonds, rows, equal, links, numbers.goal, E_pj, S, U, D, free, chart, at, index, pushed, stops, before, bond,
            bond_block, island[:nb], layout, matrix_of(of_links, nl, 102, 12), matrix_of(of_links, nl, 114, 12), G,
            end[0],
        )  # fmt: skip
        if not tell[OPEN] <= OPENS * numbers.goal:
            tell[OPEN] = close_again(
                bonds, rows, equal, links, stops_of, holding, numbers, mass, A_r, free, chart, end[0]
            )
        for k in range(nr):
            if leads and free[k]:
                end[1, k] += (end[0, k] - fitted[k]) / h
    carry_rates(centred, centres, free, params, chart, end[0], carried, end[1])
    return bool(tell[OPEN] <= OPENS * numbers.goal)
