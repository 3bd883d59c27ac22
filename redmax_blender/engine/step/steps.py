"""The kernel of steps in which surfaces touch: as many as there are to be done, or the two halves of one.

In between the halves `run.py` sees to what sleeps, and to what acts in the joints that depends on more than the
time and straight springs. Where there is no such thing, a run goes on in here from one step to the next, until one
needs something else: then it ends before that one.
"""

from __future__ import annotations

import numpy as np

from ..algebra.arrays import Floats, Ints, Mask
from ..algebra.spatial import load21, store21
from ..contact.narrow.mesh_pairs import GATHERED
from ..contact.narrow.pieces import narrow
from ..contact.shapes.kinds import MOST
from ..integrators.trees.poses import poses
from ..jit.decorators import borrower, njit, subroutine
from ..tree.centres import arrive
from ..tree.kinematics import forward_pass
from .acting import (
    MOTOR,
    TARGET,
    act_in_joints,
    evaluate_inputs,
    has_pulls,
    move_colliders,
    pull_links,
    strikes,
)
from .bonds import make_rows, place_bonds
from .joint_friction import InnerFriction
from .parts import Acting, Bonds, Inputs, Kept, Links, Numbers, Pulls, Shapes, Solids, Stops, Work
from .step import ASTRAY, TURN, answer, look, matrix_of, vector_of

LOOK, ANSWER, STEPS = range(3)
"""What `take_steps` is to do: find what touches, do a step with what was found, or both again and again."""
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
def _ends_fast(links: Links, chart: Ints, q: Floats, qdot: Floats, h: float, most: float) -> bool:
    """The same at the end of a step, whose own twists are still asked for."""
    nl, nr = len(links.parent), len(q)
    V, A, E, S = np.empty((nl, 6)), np.empty((nl, 6)), np.empty((2, nl, 12)), np.empty((2, nr, 6))
    forward_pass(
        links.parent, links.kind, links.dof, links.at, links.params, links.E_pj0, chart, q, qdot, E[0], E[1], V, S[0],
        S[1], A,
    )  # fmt: skip
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


@borrower
def _copy(values: Floats, out: Floats) -> None:
    for i in range(len(out)):
        out[i] = values[i]


@subroutine
def _find(shapes: Shapes, solids: Solids, work: Work, h: float, pairs: Ints) -> tuple[Floats, Ints]:
    """Contacts of these pairs, as `contact/narrow/pieces.py` has them."""
    n, count = len(shapes.link), len(pairs)
    rows = MOST * count + (GATHERED if len(solids.mesh_first) > 1 else 0)
    found, reached = 0, -1
    X, which = np.empty((0, 10)), np.empty((0, 2), np.int64)
    while reached < count:
        X, which = np.empty((rows, 10)), np.empty((rows, 2), np.int64)
        if count == 0:
            break
        found, reached = narrow(
            pairs, 0, solids.kind, solids.size, solids.first, solids.verts, solids.faces, solids.face_at,
            solids.face_vertex, solids.face_normal, solids.edge_at, solids.edge_to, solids.guard, shapes.half,
            shapes.rounding, solids.mesh_of, solids.mesh_first, solids.corner, solids.normal, solids.beside,
            solids.edge, solids.closed, solids.order, solids.node_first, solids.nodes, matrix_of(work.pieces, n, 0, 12),
            matrix_of(work.pieces, n, 12, 3), matrix_of(work.pieces, n, 15, 3), matrix_of(work.pieces, n, 18, 3),
            vector_of(work.pieces, n, 27), vector_of(work.pieces, n, 28), h, X, which,
        )  # fmt: skip
        rows *= 2
    return X[:found], which[:found]


@njit
def take_steps(
    links: Links, shapes: Shapes, solids: Solids, stops_of: Stops, inputs: Inputs, acting: Acting, pulls: Pulls,
    bonds: Bonds, numbers: Numbers, work: Work, what: int, sleeps: bool, far: float, room: int, drowsy: Mask,
    times: Floats, chart: Ints, q: Floats, qdot: Floats, flesh: Floats, pairs: Ints, X: Floats, which: Ints,
    kept_from: Kept, kept_bonds: Floats, holding: Mask, stop_value: Floats, tell: Floats, told: Floats,
    inner: InnerFriction,
) -> tuple[
    int, int, bool, Ints, Floats, Ints, Floats, Floats, Floats, Floats, Floats, Floats, Kept, Floats
]:  # fmt: skip
    """Steps from q and qdot that end at times[1:]; how many were done, and why it ended.

    With `sleeps` it ends where a tree is calm; and it ends before a step that leads to velocities with which a link
    turns by more than `far` [rad] in a step, or after it where that is the first. pairs, X and `which` are what was
    found before, where `what` is `ANSWER`; `kept_from`, `kept_bonds` and `inner` what the last step left. Of step i,
    tell[i] is what `answer` tells, and told[i] (2,) what `inner` does.

    Returned with these two: whether a tree is calm; pairs, X and `which`; coordinates and velocities before the last
    step and after it; impulses of its contacts, and of its bonds; and what it leaves to the next. What it wrote into
    `work`, `holding` and `stop_value` is of the last step where all are done.
    """
    nl, nr, nh, h, most = len(links.parent), len(q), len(stops_of.dof), numbers.h, len(times) - 1
    of_links, of_coordinates = work.links, work.coordinates
    E_wj, V = matrix_of(of_links, nl, 12, 12), matrix_of(of_links, nl, 24, 6)
    mass, pull = matrix_of(of_links, nl, 75, 21), matrix_of(of_links, nl, 96, 6)
    acts = of_coordinates[23 * nr : 28 * nr].reshape(5, nr)
    nc, profiles = len(inputs.first) - 1, len(acting.profile_dof)
    values, asked = np.empty((2, nc, 3)), np.empty(nc + profiles)
    now, then = values[0], values[1]
    profile = np.empty((profiles, 3))
    rows = make_rows(bonds)
    _copy(kept_bonds, rows.value[: len(kept_bonds)])
    of_springs = np.empty((6, len(bonds.rest)))
    of_nodes = np.empty((len(bonds.spring_link), 14))
    G = np.empty((len(bonds.type), 2, 6))
    ahead, carried, E_ahead = (
        np.empty(nr),
        np.empty((len(links.centred), 6)),
        matrix_of(of_links, nl, 114, 12),
    )
    motors, free = np.empty(len(acting.motor_dof)), np.ones(nr, np.bool_)
    taken, bond_impulse = np.empty(nl), np.zeros(len(bonds.on))
    wakes = False
    for l in range(nl):
        wakes = wakes or acting.threshold[l] < np.inf
    binds = len(bonds.type) + len(bonds.gear_offset) + len(bonds.rope_length) + len(bonds.rest) > 0
    x, v, x0, v0, new_impulse = q, qdot, q, qdot, kept_from.impulse
    kept_bonds = rows.value[:0].copy()
    old, old_bonds = kept_from, kept_bonds
    inside, rows_inside = len(inner.bound), len(inner.force)
    bound, rests, force = np.empty(inside), np.empty(inside, np.bool_), np.empty(rows_inside)
    done, why, any_calm, bonded, equal = 0, DONE, False, 0, 0
    too_far = False
    while True:
        t = times[done]
        evaluate_inputs(inputs, t, asked[:nc], now)
        evaluate_inputs(inputs, t + h, asked[:nc], then)
        act_in_joints(acting, inputs, now, then, x, v, h, asked[nc:], profile, acts, free)
        if what != ANSWER:
            move_colliders(shapes, inputs, now, then, h, work.poses, work.twists)
            near = np.empty(room, np.int64)
            count, any_calm = look(links, shapes, numbers, work, drowsy, free, chart, x, v, flesh, near)
            if count > room:
                room = 2 * count
                continue
            if done > 0 and count == WOUND:  # it ended before it knew the twists
                too_far = _ends_fast(links, chart, x, v, h, far)
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
            X, which = _find(shapes, solids, work, h, pairs)
            if what == LOOK:
                break
        for j in range(nl):
            store21(mass, j, load21(links.mass, j))
            for k in range(6):
                pull[j, k] = 0.0
        if has_pulls(pulls):
            pull_links(pulls, inputs, then, links, E_wj, V, t + h, h, pull, mass)
        if binds:
            a, b = inputs.starts[TARGET], inputs.starts[TARGET + 1]
            if len(bonds.type) > 0:
                for k in range(nr):
                    ahead[k] = x[k] + h * v[k] if free[k] else acts[3, k]
                arrive(
                    links.centred, links.centres, free, links.params, chart, matrix_of(of_coordinates, nr, 0, 6), h, x,
                    v, ahead, carried,
                )  # fmt: skip
                poses(
                    links.parent, links.kind, links.dof, links.at, links.params, links.E_pj0, chart, ahead,
                    matrix_of(of_links, nl, 102, 12), E_ahead,
                )  # fmt: skip
            bonded, equal = place_bonds(
                bonds, rows, values[: 2 if b > a else 0, a:b], links, E_wj, V, x, E_ahead, len(X) == 0, h,
                numbers.size, G, of_springs, of_nodes, pull, mass,
            )  # fmt: skip
        for i in range(len(motors)):
            motors[i] = then[inputs.starts[MOTOR] + i, 0]
        n = len(X)
        end, impulse, new_keys = np.empty((2, nr)), np.empty((n, 3)), np.empty(n, np.int64)
        kept, kept_at, speed = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
        _keep(inner, bound, rests, force)
        good = answer(
            links, shapes, stops_of, acting, bonds, rows, bonded, equal, work, numbers, inner, chart, motors, free, x,
            v, pairs, X, which, kept_from, end, impulse, new_keys, kept, kept_at, speed, holding, stop_value,
            tell[done],
        )  # fmt: skip
        if good and wakes:
            good = not strikes(acting, shapes, pairs, which, speed, impulse, taken)
        if not good or (done > 0 and tell[done, ASTRAY] > 0.0):
            _give_back(inner, bound, rests, force)
            why = LOST
            break
        new_impulse = impulse
        old, old_bonds = kept_from, kept_bonds
        owner, row_value = np.empty(nh, np.int64), np.empty(nh)
        stops = 0
        for i in range(nh):
            if holding[i]:
                owner[stops], row_value[stops] = -1 - i, stop_value[1, stops]
                stops += 1
        kept_from = Kept(new_keys, kept, kept_at, owner[:stops], row_value[:stops], kept_from.motor)
        kept_bonds = rows.value[:bonded].copy()
        bond_impulse[:] = 0.0
        for i in range(bonded):
            if rows.source[i] >= 0:
                bond_impulse[rows.source[i]] = rows.value[i]
        told[done, 0], told[done, 1] = inner.told[0], inner.told[1]
        inner.told[0] = 0.0
        x0, v0, x, v = x, v, end[0], end[1]
        done += 1
        if done == most or tell[done - 1, ASTRAY] > 0.0:
            too_far = done > 1 and h * tell[done - 1, TURN] > far
            too_far = too_far and _ends_fast(links, chart, x, v, h, far)
            break
    if too_far and done > 1:
        done -= 1
        x, v = x0, v0
        kept_from, kept_bonds = old, old_bonds
        _give_back(inner, bound, rests, force)
    return (
        done, why, any_calm, pairs, X, which, x0, v0, x, v, new_impulse, bond_impulse, kept_from, kept_bonds
    )  # fmt: skip
