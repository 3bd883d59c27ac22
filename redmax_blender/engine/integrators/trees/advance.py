"""The steps of `trees/kernel.py`, on arrays that are made there."""

from __future__ import annotations

import numpy as np

from ...constraints.bending import bend_share, fastest_turn
from ...constraints.rows import place_rows
from ...friction.joints.active_rows import build_stairs, resting, source_forces
from ...friction.joints.active_set import stagger
from ...friction.joints.extrapolate import foresee, remember
from ...friction.joints.loop_rows import pin_rows
from ...jit.decorators import borrower
from ...model.curves import evaluate_pieces
from ...model.records import Floats, Ints
from ...tree.centres import arrive, carry_rates, centre_bias, keep_spins, take_off_gyroscopic
from ...tree.charts import near_gimbal_lock, needs_shortening
from ...tree.passes import Mask, eliminate, solve_velocities, transmitted
from .checks import calm_for, largest_error, misses, passes_stop, too_fast
from .common import common_impulses, common_places
from .forces import bias_change, joint_forces, link_impulses, prescribe, stop_speeds
from .joint_friction import STIFF
from .loops import ABSENT, MEASURED, factor_cells, solve_cells
from .poses import poses, twists
from .rows import copy_rows, row_speed
from .stagger import guess_sides, stagger_loops, stairs_of
from .unpack import floats_at, ints_at

_MISSED = 1e-9
"""Velocity [rad/s, m/s] by which a step may miss a stop; more is for the general route to judge."""
_STAYS = 1e-12
"""Way of a coordinate [rad, m] that makes no difference to what depends on places alone."""
_LEFT = 5.0
"""Of the error of loops that is asked for, how much a step may leave to the next one, which takes it away."""
_AT_ONCE = 1e-3
"""Of that, what is left without a trip back: errors as large as they may be would add up to a drift."""
_SLOWLY = 0.5
"""Of an error, how much has to be left of it in the next trip for the rows to be put down again where things lie."""
_TRIPS = 21
"""Places that a step looks at on its way back onto the loops, at most."""


@borrower
def take_steps(
    ints: Ints, floats: Floats, at: Ints, masks: Mask, loops: Ints | None, chart: Ints, q: Floats, qdot: Floats,
    kept_bound: Floats, kept_rest: Mask, kept_calm: Floats, kept_impulse: Floats, kept_trend: Floats, start:
    float, count: int, most: int, out: Floats, force: Floats, row_value: Floats, tell: Floats, of_poses: Floats,
    of_links: Floats, of_joints: Floats, masses: Floats, of_dofs: Floats, marks: Mask, sticks: Mask,
    order_of_dofs: Ints, of_sources: Floats, numbers_of: Ints, of_curves: Floats, singles: Floats, of_bounds:
    Floats, calm: Floats, of_rows: Floats, of_all: Floats, in_maximal: Floats, rough: Floats, of_all_rows:
    Floats, of_steps: Floats, sides: Ints, moving: Floats,
) -> int:  # fmt: skip
    """See `tree_steps`; the arrays after its own are scratch, some of them zeros."""
    parent, kind, dof, place_at = ints_at(ints, 0), ints_at(ints, 1), ints_at(ints, 2), ints_at(ints, 3)
    first, source = ints_at(ints, 4), ints_at(ints, 5)
    shape, rub_link, rub_dof = ints_at(ints, 6), ints_at(ints, 7), ints_at(ints, 8)
    limit_dof, tree = ints_at(ints, 9), ints_at(ints, 10)
    torque_dof, motion_dof, modes = ints_at(ints, 11), ints_at(ints, 12), ints_at(ints, 13)
    curve_first, curve_formula, curve_at = ints_at(ints, 14), ints_at(ints, 15), ints_at(ints, 16)
    profile_dof, profile_first, profile_formula, profile_at = (
        ints_at(ints, 17), ints_at(ints, 18), ints_at(ints, 19), ints_at(ints, 20)
    )  # fmt: skip
    stop_dof, counts = ints_at(ints, 21), ints_at(ints, 22)
    row_type, row_link = ints_at(ints, 23), ints_at(ints, 24).reshape(-1, 2)
    pin_begin, pin_end = ints_at(ints, 25), ints_at(ints, 26)
    pin_shape, pin_slides = ints_at(ints, 27), ints_at(ints, 28)
    entry_at, origin = ints_at(ints, 37), ints_at(ints, 39)
    centred = ints_at(ints, 40).reshape(-1, 8)
    m, pins = len(row_type), len(pin_shape)
    corrections, iterations, points = counts[0], counts[1], counts[2]
    dry, sleep, charted = counts[3] > 0, counts[4] > 0, counts[5] > 0
    nl, nr, ns = len(parent), len(q), len(source)
    nt, nm = len(torque_dof), len(motion_dof)
    params = floats_at(floats, at, 0)
    E_pj0 = floats_at(floats, at, 1).reshape(nl, 12)
    inertia = floats_at(floats, at, 2).reshape(nl, 21)
    mass = floats_at(floats, at, 3).reshape(nl, 21)
    drag = floats_at(floats, at, 4).reshape(-1, 21)
    gravity, stiffness, damping, rest, explicit = (
        floats_at(floats, at, 5), floats_at(floats, at, 6), floats_at(floats, at, 7),
        floats_at(floats, at, 8), floats_at(floats, at, 9),
    )  # fmt: skip
    push, side, limit, restitution = (
        floats_at(floats, at, 10), floats_at(floats, at, 11), floats_at(floats, at, 12),
        floats_at(floats, at, 13),
    )  # fmt: skip
    size = floats_at(floats, at, 14).reshape(-1, 3)
    mu = floats_at(floats, at, 15).reshape(-1, 2)
    until, data = floats_at(floats, at, 16), floats_at(floats, at, 17)
    profile_until, profile_data = floats_at(floats, at, 18), floats_at(floats, at, 19)
    guide = floats_at(floats, at, 20).reshape(-1, 2)
    stops = floats_at(floats, at, 21).reshape(-1, 4)
    turn_limit, numbers = floats_at(floats, at, 22), floats_at(floats, at, 23)
    h, tolerance, scene_size, calm_speed = numbers[0], numbers[1], numbers[2], numbers[3]
    goal, calm_time = numbers[4] * scene_size, numbers[5]
    row_x = floats_at(floats, at, 24).reshape(-1, 2, 3)
    row_axis = floats_at(floats, at, 25).reshape(-1, 2, 3)
    row_length, lever = floats_at(floats, at, 26), floats_at(floats, at, 29)
    world_x = floats_at(floats, at, 27).reshape(-1, 3)
    world_axis = floats_at(floats, at, 28).reshape(-1, 3)
    pin_x = floats_at(floats, at, 30).reshape(-1, 2, 3)
    pin_axis = floats_at(floats, at, 31).reshape(-1, 2, 3)
    pin_size = floats_at(floats, at, 32).reshape(-1, 3)
    centres = floats_at(floats, at, 33).reshape(-1, 9)
    switchable, asleep, drowsy = masks[:nl], masks[nl : nl + nr], masks[nl + nr :]

    nc, n_profile, n_limit, nb = len(curve_first) - 1, len(profile_dof), len(limit_dof), len(kept_bound)
    n, r_ = (ns + pins, m + pins) if m > 0 else (0, 0)
    E_pj, E_wj, E_end, E_there = of_poses[0], of_poses[1], of_poses[2], of_poses[3]
    E_common = of_poses[4]
    V, A, F, wrench, twist, other = (
        of_links[0], of_links[1], of_links[2], of_links[3], of_links[4], of_links[5]
    )  # fmt: skip
    blank, still, V_end, V_last = of_links[6], of_links[7], of_links[8], of_links[9]
    pressed, lack, X, F_common, local = of_links[10], of_links[11], of_links[12], of_links[13], of_links[14]
    S, Sdot, U, two_U, S_common = (
        of_joints[:nr], of_joints[nr : 2 * nr], of_joints[2 * nr : 3 * nr], of_joints[3 * nr : 5 * nr],
        of_joints[5 * nr :],
    )  # fmt: skip
    IA, mass_common = masses[:nl], masses[nl:]
    b_r, A_r, known, landing, tau = of_dofs[0], of_dofs[1], of_dofs[2], of_dofs[3], of_dofs[4]
    b, D, r, u, y, K = of_dofs[5], of_dofs[6], of_dofs[7], of_dofs[8], of_dofs[9], of_dofs[10]
    A_held, b_held, last_v, needs, wide = of_dofs[11], of_dofs[12], of_dofs[13], of_dofs[14], of_dofs[15]
    end, arrived, trial, zeros = of_dofs[16], of_dofs[17], of_dofs[18], of_dofs[19]
    x, v, v0, x_made, A_made = of_dofs[20], of_dofs[21], of_dofs[22], of_dofs[23], of_dofs[24]
    driven, free, free_made = marks[:nr], marks[nr : 2 * nr], marks[2 * nr : 3 * nr]
    holds, kept = marks[3 * nr : 3 * nr + n_limit], marks[3 * nr + n_limit :]
    place, every = order_of_dofs[:nr], order_of_dofs[nr:]
    speed, up, down = of_sources[0], of_sources[1], of_sources[2]
    order, rub_of, dof_of = numbers_of[0], numbers_of[1], numbers_of[2]
    values, before, pull = of_curves[:nc], of_curves[nc : nc + nm], of_curves[nc + nm :]
    torque, now = values[:nt], values[nt : nt + nm]
    stop_speed, stretch, times = (
        singles[:n_limit], singles[n_limit : n_limit + n_profile],
        singles[n_limit + n_profile : n_limit + n_profile + nc],
    )  # fmt: skip
    motor_speed = singles[n_limit + n_profile + nc :]
    bound, load, missed, last_load = of_bounds[0], of_bounds[1], of_bounds[2], of_bounds[3]
    load_joints, load_pins = load[: len(shape)], load[len(shape) :]
    # Of loops: m rows, r_ with those of their pins, n steps of staircases.
    error, start_error, opened = of_rows[0], of_rows[1], of_rows[2]
    value, give, wanted, move, response, level = (
        of_all[0], of_all[1], of_all[2], of_all[3], of_all[4], of_all[5]
    )  # fmt: skip
    maximal, loop_rows, pin_row = in_maximal[:r_], in_maximal[:m], in_maximal[m:r_]
    G, far = in_maximal[r_ : 2 * r_], in_maximal[2 * r_ :]
    two_D, pushed, L = (
        rough[: 2 * nr], rough[2 * nr : 2 * nr + 2 * entry_at[-1]], rough[2 * nr + 2 * entry_at[-1] :]
    )  # fmt: skip
    Y, pin_wrench = of_all_rows[: 2 * r_], of_all_rows[2 * r_ :]
    loop_link, pin_link, pin_first = row_link[:m], row_link[m:], every[: pins + 1]
    velocity, part, last, found, speeds = of_steps[0], of_steps[1], of_steps[2], of_steps[3], of_steps[4]
    tops, bottoms, centre, stiff, forces = of_steps[5], of_steps[6], of_steps[7], of_steps[8], of_steps[9]
    state, made = sides[0], sides[1]
    kept_open, kept_openings = kept_impulse[n : n + m], kept_impulse[n + m : n + 4 * m].reshape(3, m)
    kept_rate = kept_impulse[n + 4 * m :]
    for k in range(nr):
        x[k], v[k] = q[k], qdot[k]
    for i in range(len(every)):
        every[i] = i
    for i in range(nb):
        sticks[i] = kept_rest[i]
    worst = 0.0
    for k in range(nr):
        for e in range(first[k], first[k + 1]):
            dof_of[source[e]] = k
    if loops is not None:
        for i in range(n):
            centre[i] = kept_impulse[i]
    placed, stays, closed, share = False, False, False, 0.0
    done = 0
    while done < most:
        t = start + (count + done) * h
        if charted and (
            needs_shortening(kind, dof, turn_limit, x) or near_gimbal_lock(kind, dof, switchable, chart, x)
        ):
            break
        if not placed:
            poses(parent, kind, dof, place_at, params, E_pj0, chart, x, E_pj, E_wj)
            if loops is not None:
                place_rows(
                    row_type, loop_link, row_x, row_axis, row_length, world_x, world_axis, E_wj, loop_rows, error
                )  # fmt: skip
        twists(parent, kind, dof, place_at, params, chart, x, v, E_pj, V, S, Sdot, A)
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
        for k in range(nr):
            free[k] = not driven[k]
        centre_bias(centred, centres, free, parent, dof, x, v, E_pj, V, S, Sdot, A)
        link_impulses(inertia, drag, gravity, E_wj, V, A, h, F)
        take_off_gyroscopic(centred, centres, free, V, h, F)
        foresee(kept_bound, kept_trend, bound)
        for i in range(len(bound)):
            bound[i] = max(bound[i], 0.0)
        for k in range(nr):
            v0[k], b[k], tau[k] = v[k], b_r[k], 0.0
            D[k] = 0.0
        if loops is not None:
            for k in range(nr):
                stays = stays and A_r[k] == A_made[k] and free[k] == free_made[k]
            if not stays:
                pin_rows(pin_link, pin_x, pin_axis, pin_shape, pin_slides, pin_first, E_wj, pin_row)
                for i in range(pins):
                    give[m + i] = MEASURED
                common_places(
                    origin, dof, mass, E_wj, S, row_link, maximal, E_common, mass_common, S_common, G
                )
                whole = factor_cells(
                    ints, mass_common, A_r, S_common, free, row_link, G, give, IA, blank, wide, two_U, two_D, kept,
                    response, pushed, L, Y, 0,
                )  # fmt: skip
                if dry and not whole:
                    break  # how rows share their load that repeat each other is for the general route to say
                for k in range(nr):
                    x_made[k], A_made[k], free_made[k] = x[k], A_r[k], free[k]
                for i in range(n):
                    made[i] = -1
                    give_way = two_D[dof_of[i]] if i < ns else response[m + i - ns]
                    stiff[i] = STIFF / give_way if give_way > 0.0 else STIFF
            common_impulses(E_common, F, F_common)
            share = bend_share(h * fastest_turn(V))
            # rows lead along their way, as in `constraints.active._bend`
            for k in range(nr):
                trial[k] = x[k] + h * v[k]
            arrive(centred, centres, free, params, chart, S, h, x, v, trial, moving)
            poses(parent, kind, dof, place_at, params, E_pj0, chart, trial, E_end, E_there)
            place_rows(
                row_type, loop_link, row_x, row_axis, row_length, world_x, world_axis, E_there, far, opened
            )  # fmt: skip
            for i in range(m):
                level[i] = share * (row_speed(row_link, maximal, i, V) - (opened[i] - error[i]) / h)
            stairs_of(push, motor_speed, side, stop_speed, holds, len(shape), speeds, tops, bottoms)
            guess_sides(
                row_link, maximal, dof_of, len(shape), bound, centre, stiff, speeds, v, V, tops, bottoms, state,
            )  # fmt: skip
        lost = False
        for pass_ in range(corrections + 1):
            if pass_ > 0:
                for k in range(nr):
                    y[k] = 0.0
                if loops is not None:
                    for i in range(m):
                        wanted[i] = -level[i] - row_speed(row_link, maximal, i, V)
                    solve_cells(
                        ints, mass_common, S_common, free, row_link, G, two_U, two_D, kept, pushed, L, Y, 0, still,
                        zeros, wanted, False, zeros, y, value, twist, lack, X, u, wide,
                    )  # fmt: skip
                for k in range(nr):
                    y[k] = 0.5 * (v0[k] + y[k] + v[k])
                    b[k] = b_r[k]
                keep_spins(centred, free, v0, y)
                twists(parent, kind, dof, place_at, params, chart, x, y, E_pj, twist, S, Sdot, other)
                centre_bias(centred, centres, free, parent, dof, x, y, E_pj, twist, S, Sdot, other)
                bias_change(parent, dof, inertia, E_pj, S, V, A, twist, other, h, wrench, b)
            on_stairs = dry
            if loops is None:  # noqa: SIM102  (alone, it is decided while compiling)
                if not dry:
                    for k in range(nr):
                        v[k] = known[k]
                    if pass_ == 0:
                        eliminate(parent, dof, mass, A_r, E_pj, S, free, IA, U, D)
                    solve_velocities(parent, dof, mass, E_pj, S, U, D, free, F, b, v, twist, wrench, r, u, y)
                    on_stairs = ns > 0 and misses(limit_dof, side, stop_speed, holds, v, 1e-12)
                    tell[done, 0], tell[done, 1], tell[done, 2] = 0.0, 0.0, 0.0
            if loops is not None and n == 0 and not moved:
                solve_cells(
                    ints, mass_common, S_common, free, row_link, G, two_U, two_D, kept, pushed, L, Y, 0, F_common, b,
                    level, False, zeros, v, value, V_end, lack, X, u, wide,
                )  # fmt: skip
                tell[done, 0], tell[done, 1], tell[done, 2] = 1.0, 1.0, 0.0
            elif loops is not None:
                rounds, passes, change = stagger_loops(
                    ints, parent, dof, mass_common, A_r, S_common, free, row_link, G, F_common, b, known, moved,
                    dof_of, speeds, tops, bottoms, centre, stiff, state, made, IA, blank, two_U, two_D, kept,
                    response, pushed, L, Y, pin_begin, pin_end, pin_shape, pin_slides, pin_x, pin_axis, pin_size,
                    shape, rub_link, rub_dof, size, points, mu, sticks, bound, kept_bound, kept_rate, tolerance,
                    iterations, v, wrench, tau, value, forces, velocity, A_held, b_held, last_v, u, wide, V_end,
                    pressed, lack, X, V_last, level, wanted, give, part, last, found, needs, load, load_joints,
                    load_pins, missed, last_load, pin_link, pin_wrench, E_common, S, maximal, local,
                )  # fmt: skip
                lost = lost or rounds == 0
                tell[done, 0], tell[done, 1], tell[done, 2] = rounds, passes, change
            elif on_stairs:
                for k in range(nr):
                    v[k] = known[k] if driven[k] else v0[k]
                build_stairs(
                    first, source, push, motor_speed, side, stop_speed, holds, len(shape), order, speed, up,
                    down, rub_of,
                )  # fmt: skip
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
        arrive(centred, centres, free, params, chart, S, h, x, v, end, moving)
        for k in range(nr):
            arrived[k], trial[k] = end[k], end[k]
        if loops is not None:
            worst, placed, ahead = largest_error(error, lever), False, 0.0
            closed = worst <= _LEFT * goal
            stays = worst <= goal
            for k in range(nr):
                stays = stays and abs(end[k] - x_made[k]) <= _STAYS
            for i in range(r_):
                row_value[i] = value[i]
                wanted[i], move[i] = 0.0, 0.0
            foresee(kept_open, kept_openings, opened)
            for i in range(m):
                start_error[i] = error[i]
                wanted[i] = error[i] + opened[i]
                ahead = max(ahead, abs(wanted[i] * lever[i]))
            for trip in range(0 if stays else _TRIPS):
                if trip > 0 or ahead > 0.01 * goal:
                    solve_cells(
                        ints, mass_common, S_common, free, row_link, G, two_U, two_D, kept, pushed, L, Y, 0, still,
                        zeros, wanted, False, zeros, y, value, twist, lack, X, u, wide,
                    )  # fmt: skip
                    for i in range(m):
                        move[i] += wanted[i]
                    for k in range(nr):
                        trial[k] = end[k] - y[k]
                poses(parent, kind, dof, place_at, params, E_pj0, chart, trial, E_end, E_there)
                place_rows(
                    row_type, loop_link, row_x, row_axis, row_length, world_x, world_axis, E_there, far, error
                )  # fmt: skip
                size_now = largest_error(error, lever)
                if trip > 0 and not size_now < 0.9 * worst:
                    placed = False  # the poses are those of another place
                    break
                if trip == 0 and ahead > 0.01 * goal and size_now > max(_SLOWLY * ahead, _LEFT * goal):
                    for i in range(m):  # it was foreseen wrongly
                        wanted[i], move[i] = 0.0, 0.0
                    worst = np.inf
                    continue
                slowly = trip > 0 and size_now > _SLOWLY * worst
                worst = size_now
                for k in range(nr):
                    end[k] = trial[k]
                for i in range(m):
                    wanted[i] = error[i]
                placed = worst <= _LEFT * goal
                if placed and (trip > 0 or worst <= _AT_ONCE * goal):
                    break
                if slowly:  # too far from the step's start: from here on as things lie now
                    copy_rows(far, maximal)
                    for i in range(pins):
                        give[m + i] = ABSENT
                    twists(parent, kind, dof, place_at, params, chart, end, v, E_end, twist, S, Sdot, other)
                    common_places(
                        origin, dof, mass, E_there, S, row_link, maximal, E_common, mass_common, S_common, G
                    )
                    factor_cells(
                        ints, mass_common, A_r, S_common, free, row_link, G, give, IA, blank, wide, two_U, two_D,
                        kept, response, pushed, L, Y, 0,
                    )  # fmt: skip
            if not worst <= _LEFT * goal or passes_stop(limit_dof, side, limit, free, arrived, end):
                break
            if stays:
                placed = True
            elif placed:
                E_pj, E_end = E_end, E_pj
                E_wj, E_there = E_there, E_wj
                copy_rows(far, maximal)
            if share == 1.0 and closed:
                for k in range(nr):
                    if free[k]:
                        v[k] += (end[k] - arrived[k]) / h
            for i in range(n):
                kept_impulse[i] = centre[i]
            for i in range(m):
                opened[i] = move[i] + error[i] - start_error[i]
            remember(opened, kept_open, kept_openings)
        tell[done, 3] = worst
        for i in range(ns):
            force[i] = 0.0 if loops is None else forces[i]
        if on_stairs and loops is None:
            source_forces(first, up, down, order, place, tau, force)
        for k in range(nr):
            out[4, k] = tau[k] if driven[k] else 0.0
            for e in range(first[k], first[k + 1]):
                if driven[k] and loops is None:
                    out[4, k] -= force[source[e]]
        good = True
        carry_rates(centred, centres, free, params, chart, end, moving, v)
        for k in range(nr):
            out[2, k], out[3, k] = x[k], v0[k]
            x[k] = end[k]
            out[0, k], out[1, k] = x[k], v[k]
            good = good and np.isfinite(x[k]) and np.isfinite(v[k])
        remember(bound, kept_bound, kept_trend)
        for i in range(nb):
            kept_rest[i] = sticks[i]
        for i in range(len(kept_calm)):
            kept_calm[i] = calm[i]
        done += 1
        if not good:
            break
    return done
