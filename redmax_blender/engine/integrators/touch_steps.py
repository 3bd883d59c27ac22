"""The kernel of steps in which surfaces touch: as many as there are to be done, or the two halves of one.

In between the halves `touch_run.py` sees to what sleeps, and to what acts in the joints that depends on more than the
time and straight springs. Where there is no such thing, a run goes on in here from one step to the next, until one
needs something else: then it ends before that one.
"""

from __future__ import annotations

import numpy as np

from ..contact.arrays import Floats, Ints, Mask
from ..contact.kinds import MOST
from ..contact.mesh_pairs import GATHERED
from ..contact.narrow import narrow
from ..jit import borrower, njit, subroutine
from ..kinematics import forward_pass
from .touch_kernel import ASTRAY, TURN, answer, look, matrix_of, vector_of
from .touch_rub import InnerFriction

LOOK, ANSWER, STEPS = range(3)
"""What `touch_steps` is to do: find what touches, do a step with what was found, or both again and again."""
WOUND, FAR, DONE, CALM, LOST = -2, -1, 0, 1, 2
"""Why it ended: rotations need other coordinates, or positions or velocities are beyond all bounds, both of which are
what `look` says; all is done; a tree is calm and may fall asleep; or a step is for the general route."""


@borrower
def _turns_far(V: Floats, h: float, most: float) -> bool:
    """Whether a link turns by more than that [rad] in a step with twists V."""
    fastest = 0.0
    for j in range(len(V)):
        fastest = max(fastest, V[j, 0] * V[j, 0] + V[j, 1] * V[j, 1] + V[j, 2] * V[j, 2])
    return h * h * fastest > most * most


@subroutine
def _ends_fast(
    parent: Ints, kind: Ints, dof: Ints, place_at: Ints, params: Floats, E_pj0: Floats, chart: Ints, q: Floats,
    qdot: Floats, h: float, most: float,
) -> bool:  # fmt: skip
    """The same at the end of a step, whose own twists are still asked for."""
    nl, nr = len(parent), len(q)
    V, A, E, S = np.empty((nl, 6)), np.empty((nl, 6)), np.empty((2, nl, 12)), np.empty((2, nr, 6))
    forward_pass(parent, kind, dof, place_at, params, E_pj0, chart, q, qdot, E[0], E[1], V, S[0], S[1], A)
    return _turns_far(V, h, most)


@borrower
def _keep(inner: InnerFriction, bound: Floats, rests: Mask, force: Floats) -> None:
    for i in range(len(bound)):
        bound[i], rests[i] = inner.bound[i], inner.rests[i]
    for i in range(len(force)):
        force[i] = inner.force[i]


@borrower
def _give_back(inner: InnerFriction, bound: Floats, rests: Mask, force: Floats) -> None:
    for i in range(len(bound)):
        inner.bound[i], inner.rests[i] = bound[i], rests[i]
    for i in range(len(force)):
        inner.force[i] = force[i]


@njit
def touch_steps(
    parent: Ints, kind: Ints, dof: Ints, place_at: Ints, params: Floats, E_pj0: Floats, switchable: Mask,
    turn_limit: Floats, link: Ints, collider: Ints, vertex: Ints, E_local: Floats, half: Floats, rounding: Floats,
    bounded: Ints, planes: Ints, members: int, owner_of: Ints, still: Mask, group: Ints, ignores: Ints, apart: Ints,
    parted: Ints, bodies_collide: bool, fall: float, size: float, calm_speed: float, links: Floats, coordinates: Floats,
    pieces: Floats, calm: Mask, solid: Ints, solid_size: Floats, first: Ints, verts: Floats, faces: Ints, face_at: Ints,
    face_vertex: Ints, face_normal: Floats, edge_at: Ints, edge_to: Ints, mesh_of: Ints, mesh_first: Ints,
    corner: Floats, normal: Floats, beside: Floats, edge: Ints, closed: Ints, order: Ints, node_first: Ints,
    nodes: Floats, inertia: Floats, mass: Floats, drag: Floats, gravity: Floats, tree: Ints, turning: Mask, trees: int,
    longest: int, limit_dof: Ints, limit_link: Ints, side: Floats, limit: Floats, bounce: Floats, moving: Ints,
    rubs: Floats, bounces: Floats, boxed: bool, numbers: Floats, centred: Ints, centres: Floats, tree_of_link: Ints,
    drowsy: Mask, what: int, most: int, sleeps: bool, far: float, room: int, chart: Ints, q: Floats, qdot: Floats,
    E_col: Floats, V_col: Floats, flesh: Floats, stiffness: Floats, rest: Floats, b_r: Floats, A_r: Floats, free: Mask,
    known: Floats, landing: Floats, pairs: Ints, X: Floats, which: Ints, keys: Ints, impulse: Floats, place: Floats,
    owner: Ints, row_value: Floats, holding: Mask, stop_value: Floats, tell: Floats, told: Floats,
    inner: InnerFriction | None,
) -> tuple[
    int, int, bool, Ints, Floats, Ints, Floats, Floats, Floats, Floats, Floats, Ints, Floats, Floats, Ints, Floats
]:  # fmt: skip
    """Up to `most` steps from q and qdot; how many were done, and why it ended.

    What comes from the model is named as in `look`, `narrow` and `answer`, which have it. With `sleeps` it ends where a
    tree is calm; and it ends before a step that leads to velocities with which a link turns by more than `far` [rad] in
    a step, or after it where that is the first. In the joints there act springs, if `stiffness` (nr,) has any, and the
    impulses b_r (most, nr); coordinates that are not free move as `known` and `landing` (most, nr) say. If these have a
    single row, it is that of all steps. pairs, X and `which` are what was found before, where `what` is
    `ANSWER`; `keys` to `row_value` and `inner` what the last step left. Of step i, tell[i] is what `answer` tells,
    and told[i] (2,) what `inner` does.

    Returned with these two: whether a tree is calm; pairs, X and `which`; coordinates and velocities before the last
    step and after it; its impulses; and what it leaves to the next, as it came. What it wrote into links, coordinates,
    `holding` and `stop_value` is of the last step where all are done.
    """
    nl, nr, nh, h = len(parent), len(q), len(limit_dof), numbers[0]
    n = len(solid)
    V, E = matrix_of(links, nl, 24, 6), matrix_of(pieces, n, 0, 12)
    v_of, w_of, a_of = matrix_of(pieces, n, 12, 3), matrix_of(pieces, n, 15, 3), matrix_of(pieces, n, 18, 3)
    reach, slack = vector_of(pieces, n, 27), vector_of(pieces, n, 28)
    x, v, x0, v0, new_impulse = q, qdot, q, qdot, impulse
    old_keys, old_impulse, old_place, old_owner, old_value = keys, impulse, place, owner, row_value
    inside, rows_inside = 0, 0
    if inner is not None:
        inside, rows_inside = len(inner.bound), len(inner.force)
    pushed, springs, rows_of_time = np.empty(nr), len(stiffness) > 0, len(b_r)
    bound, rests, force = np.empty(inside), np.empty(inside, np.bool_), np.empty(rows_inside)
    done, why, any_calm = 0, DONE, False
    too_far = False
    while True:
        if what != ANSWER:
            near = np.empty(room, np.int64)
            count, any_calm = look(
                parent, kind, dof, place_at, params, E_pj0, switchable, turn_limit, link, collider, vertex, E_local,
                half, rounding, bounded, planes, members, owner_of, still, group, ignores, apart, parted,
                bodies_collide, h, fall, size, calm_speed, links, coordinates, pieces, calm, tree_of_link, drowsy,
                centred, centres, free, chart, x, v, E_col, V_col, flesh, near,
            )  # fmt: skip
            if count > room:
                room = 2 * count
                continue
            if done > 0 and count == WOUND:  # it ended before it knew the twists
                too_far = _ends_fast(
                    parent, kind, dof, place_at, params, E_pj0, chart, x, v, h, far
                )  # fmt: skip
            elif done > 0:
                too_far = _turns_far(V, h, far)
            if too_far:
                break
            if count < 0:
                why = count
                break
            pairs = near[:count]
            if what == STEPS and sleeps and any_calm:
                why = CALM
                break
            rows = MOST * count + (GATHERED if len(mesh_first) > 1 else 0)
            found, reached = 0, -1
            while reached < count:
                X, which = np.empty((rows, 10)), np.empty((rows, 2), np.int64)
                found, reached = narrow(
                    pairs, 0, solid, solid_size, first, verts, faces, face_at, face_vertex, face_normal, edge_at,
                    edge_to, half, rounding, mesh_of, mesh_first, corner, normal, beside, edge, closed, order,
                    node_first, nodes, E, v_of, w_of, a_of, reach, slack, h, X, which,
                )  # fmt: skip
                rows *= 2
            X, which = X[:found], which[:found]
            if what == LOOK:
                break
        now = done if rows_of_time > 1 else 0
        for k in range(nr):
            pushed[k] = b_r[now, k]
            if springs:
                pushed[k] -= h * stiffness[k] * (x[k] - rest[k])
        nc = len(X)
        end, new_impulse, new_keys = np.empty((2, nr)), np.empty((nc, 3)), np.empty(nc, np.int64)
        kept, kept_at = np.empty((nc, 3)), np.empty((nc, 3))
        if inner is not None:
            _keep(inner, bound, rests, force)
        good = answer(
            parent, kind, dof, place_at, params, E_pj0, inertia, mass, drag, gravity, tree, turning, trees, longest,
            limit_dof, limit_link, side, limit, bounce, link, collider, moving, rubs, bounces, boxed, numbers, links,
            coordinates, centred, centres, chart, E_col, pushed, A_r, free, known[now], landing[now], x, v, pairs, X,
            which, keys, impulse, place, owner, row_value, end, new_impulse, new_keys, kept, kept_at, holding,
            stop_value, tell[done], inner,
        )  # fmt: skip
        if not good or (done > 0 and tell[done, ASTRAY] > 0.0):
            if inner is not None:
                _give_back(inner, bound, rests, force)
            why = LOST
            break
        old_keys, old_impulse, old_place, old_owner, old_value = keys, impulse, place, owner, row_value
        keys, impulse, place = new_keys, kept, kept_at
        owner, row_value = np.empty(nh, np.int64), np.empty(nh)
        stops = 0
        for i in range(nh):
            if holding[i]:
                owner[stops], row_value[stops] = -1 - i, stop_value[1, stops]
                stops += 1
        owner, row_value = owner[:stops], row_value[:stops]
        if inner is not None:
            told[done, 0], told[done, 1] = inner.told[0], inner.told[1]
            inner.told[0] = 0.0
        x0, v0, x, v = x, v, end[0], end[1]
        done += 1
        if done == most or tell[done - 1, ASTRAY] > 0.0:
            too_far = done > 1 and h * tell[done - 1, TURN] > far
            too_far = too_far and _ends_fast(
                parent, kind, dof, place_at, params, E_pj0, chart, x, v, h, far
            )  # fmt: skip
            break
    if too_far and done > 1:
        done -= 1
        x, v = x0, v0
        keys, impulse, place, owner, row_value = old_keys, old_impulse, old_place, old_owner, old_value
        if inner is not None:
            _give_back(inner, bound, rests, force)
    return (
        done, why, any_calm, pairs, X, which, x0, v0, x, v, new_impulse, keys, impulse, place, owner, row_value
    )  # fmt: skip
