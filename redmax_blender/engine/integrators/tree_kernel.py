"""Steps of a tree that nothing binds but its own joints and loops, all in one kernel: Euler's step (`euler.py`) without
flesh, contacts, and springs between bodies.

It takes as many steps as it is asked for, unless one needs something that it does not do: then it ends before that one.
What is constant comes packed (`tree_pack.py`): a call costs about a tenth of a microsecond an array, and a step of
ten joints five microseconds.
"""

from __future__ import annotations

import numpy as np

from ..charts import near_gimbal_lock, needs_shortening
from ..constraints.active import project_rows
from ..constraints.rows import evaluate_all
from ..curves import evaluate_pieces
from ..friction.loop_rows import pin_rows
from ..friction.staircase import stagger
from ..friction.stairs import build_stairs, resting, source_forces
from ..friction.tree_passes import Mask, eliminate, solve_velocities, transmitted
from ..jit import inline, njit, subroutine
from ..kinematics import forward_pass
from ..model import Floats, Ints
from ..solvers.tree_solve import row_product
from .tree_forces import bias_change, joint_forces, link_impulses, prescribe, stop_speeds
from .tree_hold import hold_and_rub
from .tree_rows import factor_rows, largest_error, least_change, passes_stop

_DIVERGED = 1e4
"""Turn [rad], or way in sizes of the scene, that nothing covers in a step."""
_MISSED = 1e-9
"""Velocity [rad/s, m/s] by which a step may miss a stop; more is for the general route to judge."""


_TRIPS = 21
"""Places that a step looks at on its way back onto the loops, at most."""


@inline
def _ints(packed: Ints, i: int) -> Ints:
    """Part i of packed integers, which begin with where their parts do."""
    return packed[packed[i] : packed[i + 1]]


@inline
def _floats(packed: Floats, at: Ints, i: int) -> Floats:
    return packed[at[i] : at[i + 1]]


@subroutine
def too_fast(V: Floats, h: float, size: float) -> bool:
    """Whether a link is on its way across the universe, or nowhere."""
    for j in range(len(V)):
        for c in range(6):
            if not h * abs(V[j, c]) < _DIVERGED * (1.0 if c < 3 else size):
                return True
    return False


@subroutine
def calm_for(
    tree: Ints, drowsy: Mask, V: Floats, speed: float, size: float, h: float, before: Floats, now: Floats
) -> float:
    """How long the trees that `drowsy` marks have been calm at the end of a step of h [s], into `now` (nt,); returns
    the longest [s]."""
    for i in range(len(drowsy)):
        now[i] = before[i] + h if drowsy[i] else 0.0
    for j in range(len(V)):
        turn = V[j, 0] * V[j, 0] + V[j, 1] * V[j, 1] + V[j, 2] * V[j, 2]
        way = V[j, 3] * V[j, 3] + V[j, 4] * V[j, 4] + V[j, 5] * V[j, 5]
        if not (turn < speed * speed and way < speed * speed * size * size):
            now[tree[j]] = 0.0
    longest = 0.0
    for i in range(len(drowsy)):
        longest = max(longest, now[i])
    return longest


@subroutine
def any_calm(tree: Ints, drowsy: Mask, V: Floats, speed: float, size: float, calm: Mask) -> bool:
    """Whether a tree that may fall asleep is calm; the trees are marked in `drowsy`, and `calm` is scratch."""
    for i in range(len(drowsy)):
        calm[i] = drowsy[i]
    for j in range(len(V)):
        turn = V[j, 0] * V[j, 0] + V[j, 1] * V[j, 1] + V[j, 2] * V[j, 2]
        way = V[j, 3] * V[j, 3] + V[j, 4] * V[j, 4] + V[j, 5] * V[j, 5]
        if not (turn < speed * speed and way < speed * speed * size * size):
            calm[tree[j]] = False
    found = False
    for i in range(len(drowsy)):
        found = found or calm[i]
    return found


@subroutine
def misses(dof: Ints, side: Floats, speed: Floats, holds: Mask, qdot: Floats, slack: float) -> bool:
    """Whether velocities go through a stop."""
    for i in range(len(dof)):
        beyond = side[i] * (qdot[dof[i]] - speed[i])
        if holds[i] and not beyond >= -slack * (1.0 + abs(beyond)):
            return True
    return False


@njit
def tree_steps(
    packed_ints: Ints,
    packed_floats: Floats,
    at: Ints,
    masks: Mask,
    loops: Ints | None,
    chart: Ints,
    q: Floats,
    qdot: Floats,
    kept_bound: Floats,
    kept_rest: Mask,
    kept_calm: Floats,
    start: float,
    count: int,
    most: int,
    out: Floats,
    force: Floats,
    row_value: Floats,
    tell: Floats,
) -> int:
    """Steps number count + 1 and so on of a run from `start` [s]; returns how many were done, up to `most`.

    `loops` is null for a tree without them, for which a kernel of its own is compiled, and otherwise any integers.
    `kept_bound` and `kept_rest` (n,) are what friction hands on (`DryMemory`), `kept_calm` (nt,) how long trees have
    been calm [s]. For the last step, `out` (5, nr) becomes
    q and qdot at its end, the same at its start, and what drives the prescribed coordinates [N·m·s, N·s]; `force` (ns,)
    the impulses of the sources of the staircases; `row_value` (m + n,) those of the rows of loops and of their pins;
    and row i of `tell` (most, 4) rounds, passes, the last change of the bounds and the largest error of step i [m].
    """
    parent, kind, dof, place_at = (
        _ints(packed_ints, 0), _ints(packed_ints, 1), _ints(packed_ints, 2), _ints(packed_ints, 3)
    )  # fmt: skip
    first, source = _ints(packed_ints, 4), _ints(packed_ints, 5)
    shape, rub_link, rub_dof = _ints(packed_ints, 6), _ints(packed_ints, 7), _ints(packed_ints, 8)
    limit_dof, tree = _ints(packed_ints, 9), _ints(packed_ints, 10)
    torque_dof, motion_dof, modes = _ints(packed_ints, 11), _ints(packed_ints, 12), _ints(packed_ints, 13)
    curve_first, curve_formula, curve_at = (
        _ints(packed_ints, 14), _ints(packed_ints, 15), _ints(packed_ints, 16)
    )  # fmt: skip
    profile_dof, profile_first, profile_formula, profile_at = (
        _ints(packed_ints, 17), _ints(packed_ints, 18), _ints(packed_ints, 19), _ints(packed_ints, 20)
    )  # fmt: skip
    stop_dof, counts = _ints(packed_ints, 21), _ints(packed_ints, 22)
    row_type, row_link, row_owner = (
        _ints(packed_ints, 23),
        _ints(packed_ints, 24).reshape(-1, 2),
        _ints(packed_ints, 25),
    )
    pin_constraint, pin_shape, pin_slides = (
        _ints(packed_ints, 26),
        _ints(packed_ints, 27),
        _ints(packed_ints, 28),
    )
    m, pins = len(row_type), len(pin_shape)
    corrections, iterations, points = counts[0], counts[1], counts[2]
    dry, sleep = counts[3] > 0, counts[4] > 0
    nl, nr, ns = len(parent), len(q), len(source)
    nt, nm = len(torque_dof), len(motion_dof)
    params = _floats(packed_floats, at, 0)
    E_pj0 = _floats(packed_floats, at, 1).reshape(nl, 12)
    inertia = _floats(packed_floats, at, 2).reshape(nl, 21)
    mass = _floats(packed_floats, at, 3).reshape(nl, 21)
    drag = _floats(packed_floats, at, 4).reshape(-1, 21)
    gravity, stiffness, damping, rest, explicit = (
        _floats(packed_floats, at, 5), _floats(packed_floats, at, 6), _floats(packed_floats, at, 7),
        _floats(packed_floats, at, 8), _floats(packed_floats, at, 9),
    )  # fmt: skip
    push, side, limit, restitution = (
        _floats(packed_floats, at, 10), _floats(packed_floats, at, 11), _floats(packed_floats, at, 12),
        _floats(packed_floats, at, 13),
    )  # fmt: skip
    size = _floats(packed_floats, at, 14).reshape(-1, 3)
    mu = _floats(packed_floats, at, 15).reshape(-1, 2)
    until, data = _floats(packed_floats, at, 16), _floats(packed_floats, at, 17)
    profile_until, profile_data = _floats(packed_floats, at, 18), _floats(packed_floats, at, 19)
    guide = _floats(packed_floats, at, 20).reshape(-1, 2)
    stops = _floats(packed_floats, at, 21).reshape(-1, 4)
    turn_limit, numbers = _floats(packed_floats, at, 22), _floats(packed_floats, at, 23)
    h, tolerance, scene_size, calm_speed = numbers[0], numbers[1], numbers[2], numbers[3]
    goal, calm_time = numbers[4] * scene_size, numbers[5]
    row_x, row_axis = (
        _floats(packed_floats, at, 24).reshape(-1, 2, 3),
        _floats(packed_floats, at, 25).reshape(-1, 2, 3),
    )
    row_length, lever = _floats(packed_floats, at, 26), _floats(packed_floats, at, 29)
    world_x, world_axis = (
        _floats(packed_floats, at, 27).reshape(-1, 3),
        _floats(packed_floats, at, 28).reshape(-1, 3),
    )
    pin_x, pin_axis = (
        _floats(packed_floats, at, 30).reshape(-1, 2, 3),
        _floats(packed_floats, at, 31).reshape(-1, 2, 3),
    )
    pin_size = _floats(packed_floats, at, 32).reshape(-1, 3)
    switchable, asleep, drowsy = masks[:nl], masks[nl : nl + nr], masks[nl + nr :]

    E_pj, E_wj = np.empty((nl, 12)), np.empty((nl, 12))
    V, A, F = np.empty((nl, 6)), np.empty((nl, 6)), np.empty((nl, 6))
    S, Sdot, U = np.empty((nr, 6)), np.empty((nr, 6)), np.empty((nr, 6))
    wrench, twist, other, IA = np.empty((nl, 6)), np.empty((nl, 6)), np.empty((nl, 6)), np.empty((nl, 21))
    rows = np.empty((9, nr))
    b_r, A_r, known, landing, tau = rows[0], rows[1], rows[2], rows[3], rows[4]
    b, D, r, u = rows[5], rows[6], rows[7], rows[8]
    y, K = np.empty(nr), np.empty(nr)
    driven, free, place = np.empty(nr, np.bool_), np.empty(nr, np.bool_), np.empty(nr, np.int64)
    order, rub_of = np.empty(ns, np.int64), np.empty(ns, np.int64)
    speed, up, down = np.empty(ns), np.empty(ns), np.empty(ns)
    stop_speed, holds = np.empty(len(limit_dof)), np.empty(len(limit_dof), np.bool_)
    nc = len(curve_first) - 1
    times, values, before = np.empty(nc), np.empty((nc, 3)), np.empty((nm, 3))
    stretch, pull = np.empty(len(profile_dof)), np.empty((len(profile_dof), 3))
    torque, now, motor_speed = values[:nt], values[nt : nt + nm], np.empty(len(push))
    bound, sticks, calm = kept_bound.copy(), kept_rest.copy(), np.zeros(len(drowsy))
    x, v, v0 = q.copy(), qdot.copy(), np.empty(nr)
    held = m + pins + nr if m > 0 else 0
    row_at, row_index, row_scale = np.zeros(held + 1, np.int64), np.empty(held * nr, np.int64), np.empty(held)
    row_entry, row_pushed, L = np.empty(held * nr), np.empty(held * nr), np.empty((held, held))
    G, maximal, value = np.zeros((m + pins + 1, nr)), np.zeros((m + pins, 2, 6)), np.empty(held)
    error, row_scratch, strongest, worst = np.empty(m), np.empty((3, m)), 0.0, 0.0
    end, arrived, trial, resting_q = np.empty(nr), np.empty(nr), np.empty(nr), np.zeros(nr)
    E_end, S_end, far, every = (
        np.empty((nl, 12)),
        np.empty((nr, 6)),
        np.empty((m, 2, 6)),
        np.arange(m + pins + 1),
    )
    done = 0
    while done < most:
        t = start + (count + done) * h
        if needs_shortening(kind, dof, turn_limit, x) or near_gimbal_lock(kind, dof, switchable, chart, x):
            break
        forward_pass(parent, kind, dof, place_at, params, E_pj0, chart, x, v, E_pj, E_wj, V, S, Sdot, A)
        if dry and too_fast(V, h, scene_size):
            break
        if sleep and calm_for(tree, drowsy, V, calm_speed, scene_size, h, kept_calm, calm) >= calm_time:
            break  # one falls asleep
        if nm > 0:
            for i in range(nc):
                times[i] = t
            mine = curve_first[nt : nt + nm + 1]
            evaluate_pieces(mine, until, curve_formula, curve_at, data, times, before)
        if nc > 0:
            for i in range(nc):
                times[i] = t + h
            evaluate_pieces(curve_first, until, curve_formula, curve_at, data, times, values)
            for i in range(len(push)):
                motor_speed[i] = values[nt + nm + i, 0]
        if len(profile_dof) > 0:
            for i in range(len(profile_dof)):
                stretch[i] = x[profile_dof[i]] - rest[profile_dof[i]]
            evaluate_pieces(
                profile_first, profile_until, profile_formula, profile_at, profile_data, stretch, pull
            )
        joint_forces(
            stiffness, damping, rest, explicit, torque_dof, torque, profile_dof, pull, stop_dof, stops,
            motion_dof, modes, guide, now, x, v, h, b_r, A_r, K,
        )  # fmt: skip
        moved = prescribe(motion_dof, modes, before, now, asleep, x, h, driven, known, landing)
        stop_speeds(limit_dof, side, limit, restitution, driven, x, v, h, stop_speed, holds)
        link_impulses(inertia, drag, gravity, E_wj, V, A, h, F)
        for k in range(nr):
            v0[k], b[k], tau[k] = v[k], b_r[k], 0.0
            free[k], D[k] = not driven[k], 0.0
        if loops is not None:
            eliminate(parent, dof, mass, A_r, E_pj, S, free, IA, U, D)
            evaluate_all(
                row_type, row_link[:m], row_x, row_axis, row_length, world_x, world_x, world_x, world_axis, world_x,
                world_x, E_wj, V, A, maximal[:m], error, row_scratch[0], row_scratch[1], row_scratch[2],
            )  # fmt: skip
            maximal[m:] = 0.0
            G[:] = 0.0
            pin_rows(
                row_link[m:], pin_x, pin_axis, pin_shape, pin_slides, every[: pins + 1], E_wj, maximal[m:]
            )
            project_rows(parent, dof, E_pj, S, row_link, maximal, every[: m + pins], G)
            strongest = factor_rows(
                parent, dof, E_pj, S, U, D, free, G, m, row_at, row_index, row_entry, row_pushed, row_scale, L
            )
            if not strongest > 0.0:
                break
        lost = False
        for pass_ in range(corrections + 1):
            if pass_ > 0:
                for k in range(nr):
                    y[k] = 0.0
                if loops is not None:
                    for i in range(m):
                        error[i] = -row_product(row_at, row_index, row_entry, i, v0)
                    least_change(
                        parent, dof, E_pj, S, U, D, free, m, row_at, row_index, row_pushed, row_scale, L, error, u,
                        wrench, y,
                    )  # fmt: skip
                for k in range(nr):
                    y[k] = 0.5 * (v0[k] + y[k] + v[k])
                    b[k] = b_r[k]
                forward_pass(
                    parent, kind, dof, place_at, params, E_pj0, chart, x, y, E_pj, E_wj, twist, S, Sdot, other
                )
                bias_change(parent, dof, inertia, E_pj, S, V, A, twist, other, h, wrench, b)
            on_stairs = dry or loops is not None
            if loops is None:  # noqa: SIM102  (alone, it is decided while compiling)
                if not dry:
                    for k in range(nr):
                        v[k] = known[k]
                    if pass_ == 0:
                        eliminate(parent, dof, mass, A_r, E_pj, S, free, IA, U, D)
                    solve_velocities(parent, dof, mass, E_pj, S, U, D, free, F, b, v, twist, wrench, r, u, y)
                    on_stairs = ns > 0 and misses(limit_dof, side, stop_speed, holds, v, 1e-12)
                    tell[done, 0], tell[done, 1], tell[done, 2] = 0.0, 0.0, 0.0
            if on_stairs:
                for k in range(nr):
                    v[k] = known[k] if driven[k] else v0[k]
                build_stairs(
                    first, source, push, motor_speed, side, stop_speed, holds, len(shape), order, speed, up,
                    down, rub_of,
                )  # fmt: skip
                if loops is not None:
                    rounds, passes, change = hold_and_rub(
                        parent, dof, mass, A_r, E_pj, S, U, D, free, F, b, known, row_link, row_owner, maximal,
                        pin_constraint, pin_shape, pin_slides, pin_x, pin_axis, pin_size, G, row_at, row_index,
                        row_entry, row_pushed, row_scale, L, strongest, first, speed, up, down, rub_of, shape, rub_link,
                        rub_dof, size, points, mu, sticks, bound, tolerance, iterations, place, v, wrench, tau, value,
                    )  # fmt: skip
                    lost = lost or rounds == 0
                    tell[done, 0], tell[done, 1], tell[done, 2] = rounds, passes, change
                else:
                    tell[done, 0], tell[done, 1], tell[done, 2] = stagger(
                        parent, dof, mass, A_r, E_pj, S, F, b, driven, first, speed, up, down, rub_of, shape,
                        rub_link, rub_dof, size, points, mu, sticks, bound, tolerance, iterations, place, v, wrench,
                        tau,
                    )  # fmt: skip
                resting(first, rub_of, place, sticks)
            elif moved and pass_ == corrections:
                transmitted(parent, dof, mass, A_r, E_pj, S, F, b, v, twist, wrench, tau)
        if lost or misses(limit_dof, side, stop_speed, holds, v, _MISSED):
            break
        for k in range(nr):
            end[k] = landing[k] if driven[k] else x[k] + h * v[k]
            arrived[k], trial[k] = end[k], end[k]
        if loops is not None:
            worst = np.inf
            for trip in range(_TRIPS):
                forward_pass(
                    parent, kind, dof, place_at, params, E_pj0, chart, trial, resting_q, E_end, E_wj, twist, S_end,
                    Sdot, other,
                )  # fmt: skip
                evaluate_all(
                    row_type, row_link[:m], row_x, row_axis, row_length, world_x, world_x, world_x, world_axis, world_x,
                    world_x, E_wj, twist, other, far[:m], error, row_scratch[0], row_scratch[1], row_scratch[2],
                )  # fmt: skip
                size_now = largest_error(error, lever)
                if trip > 0 and not size_now < 0.9 * worst:
                    break  # the linearisation of the step's start has nothing more to give
                worst = size_now
                for k in range(nr):
                    end[k] = trial[k]
                if worst <= goal:
                    break
                least_change(
                    parent, dof, E_pj, S, U, D, free, m, row_at, row_index, row_pushed, row_scale, L, error, u, wrench,
                    y,
                )  # fmt: skip
                for k in range(nr):
                    trial[k] = end[k] - y[k]
            if not worst <= 10.0 * goal or passes_stop(limit_dof, side, limit, free, arrived, end):
                break
            for i in range(m + pins):
                row_value[i] = value[i]
        tell[done, 3] = worst
        for i in range(ns):
            force[i] = 0.0
        if on_stairs:
            source_forces(first, up, down, order, place, tau, force)
        for k in range(nr):
            out[4, k] = tau[k] if driven[k] else 0.0
            for e in range(first[k], first[k + 1]):
                if driven[k]:
                    out[4, k] -= force[source[e]]
        good = True
        for k in range(nr):
            out[2, k], out[3, k] = x[k], v0[k]
            x[k] = end[k]
            out[0, k], out[1, k] = x[k], v[k]
            good = good and np.isfinite(x[k]) and np.isfinite(v[k])
        for i in range(len(bound)):
            kept_bound[i], kept_rest[i] = bound[i], sticks[i]
        for i in range(len(kept_calm)):
            kept_calm[i] = calm[i]
        done += 1
        if not good:
            break
    return done
