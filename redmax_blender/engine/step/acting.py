"""What acts in a step beside contacts: inputs over time, forces in the joints, forces and wind on links, moving
colliders. In the kernel of `steps.py`; `forces/` has the same for one state, with arrays."""

from __future__ import annotations

import math

import numpy as np

from ..algebra.arrays import Floats, Ints, Mask
from ..algebra.spatial import (
    Tuple,
    add6,
    cross,
    load6,
    load12,
    load21,
    store6,
    store21,
    sym_minus_outer,
    unrotate,
)
from ..forces.fields import push_points
from ..forces.guides import MOST, TURN, pull_points
from ..integrators.trees.forces import joint_forces
from ..jit.decorators import borrower, subroutine
from ..joints import spherical
from ..model.curves import evaluate_pieces
from ..model.records import PRESCRIBED
from .parts import Acting, Inputs, Links, Pulls, Shapes

TORQUE, MOTION, MOTOR, FORCE, AIR, LEAD, INFLUENCE, COLLIDER, TARGET, FIELD = range(10)
"""Ranges of curves, by where `Inputs.starts` has their beginning."""


@borrower
def evaluate_inputs(inputs: Inputs, t: float, times: Floats, out: Floats) -> None:
    """All curves with their first two derivatives at time t [s], shape (n, 3)."""
    if len(times) == 0:
        return
    for i in range(len(times)):
        times[i] = t
    evaluate_pieces(inputs.first, inputs.until, inputs.formula, inputs.at, inputs.data, times, out)


@borrower
def act_in_joints(
    acting: Acting, inputs: Inputs, now: Floats, then: Floats, q: Floats, qdot: Floats, h: float, scratch: Floats,
    profile: Floats, of_coordinates: Floats, free: Mask,
) -> None:  # fmt: skip
    """Forces in the joints over a step of h [s], and what is prescribed.

    `now` and `then` are all inputs at the start and at the end of the step. `of_coordinates` (5, nr) becomes impulses,
    what is implicit, the velocities and places of what is prescribed, and scratch; `free` (nr,) is false for those.
    """
    b_r, A_r, known, landing, K = (
        of_coordinates[0], of_coordinates[1], of_coordinates[2], of_coordinates[3], of_coordinates[4]
    )  # fmt: skip
    starts = inputs.starts
    a, b = starts[TORQUE], starts[MOTION]
    c = starts[MOTOR]
    if len(profile) > 0:
        for i in range(len(profile)):
            k = acting.profile_dof[i]
            scratch[i] = q[k] - acting.rest[k]
        evaluate_pieces(
            acting.profile_first, acting.profile_until, acting.profile_formula, acting.profile_at,
            acting.profile_data, scratch, profile,
        )  # fmt: skip
    joint_forces(
        acting.stiffness, acting.damping, acting.rest, acting.explicit, acting.torque_dof, then[a:b],
        acting.profile_dof, profile, acting.stop_dof, acting.stops, acting.motion_dof, acting.modes, acting.guide,
        then[b:c], q, qdot, h, b_r, A_r, K,
    )  # fmt: skip
    for k in range(len(q)):
        free[k], known[k], landing[k] = True, 0.0, 0.0
    for i in range(len(acting.motion_dof)):
        if acting.modes[i] == PRESCRIBED:
            k = acting.motion_dof[i]
            free[k] = False
            known[k] = (then[b + i, 0] - now[b + i, 0]) / h
            landing[k] = then[b + i, 0]
    for k in range(len(q)):
        if acting.asleep[k]:
            free[k], known[k], landing[k] = False, 0.0, q[k]


@borrower
def push_link(w: Tuple, l: int, F: Floats) -> None:
    store6(F, l, add6(load6(F, l), w))


@borrower
def _force_links(pulls: Pulls, values: Floats, E_wj: Floats, F: Floats) -> None:
    """Forces and torques at points of links; six values a force."""
    for i in range(len(pulls.link)):
        l = pulls.link[i]
        force: Tuple = (values[6 * i, 0], values[6 * i + 1, 0], values[6 * i + 2, 0])
        torque: Tuple = (values[6 * i + 3, 0], values[6 * i + 4, 0], values[6 * i + 5, 0])
        if pulls.in_world[i]:
            E = load12(E_wj, l)
            f, m = unrotate(E, force), unrotate(E, torque)
        else:
            A = pulls.axes[i]
            f = (
                A[0, 0] * force[0] + A[0, 1] * force[1] + A[0, 2] * force[2],
                A[1, 0] * force[0] + A[1, 1] * force[1] + A[1, 2] * force[2],
                A[2, 0] * force[0] + A[2, 1] * force[1] + A[2, 2] * force[2],
            )
            m = (
                A[0, 0] * torque[0] + A[0, 1] * torque[1] + A[0, 2] * torque[2],
                A[1, 0] * torque[0] + A[1, 1] * torque[1] + A[1, 2] * torque[2],
                A[2, 0] * torque[0] + A[2, 1] * torque[1] + A[2, 2] * torque[2],
            )
        c = cross((pulls.x[i, 0], pulls.x[i, 1], pulls.x[i, 2]), f)
        push_link((c[0] + m[0], c[1] + m[1], c[2] + m[2], f[0], f[1], f[2]), l, F)


@borrower
def _blow_on_links(
    pulls: Pulls, values: Floats, E_wj: Floats, V: Floats, h: float, F: Floats, mass: Floats
) -> None:
    """Drag in moving air (`forces.external.add_wind`); three values an entry."""
    for i in range(len(pulls.wind_link)):
        l = pulls.wind_link[i]
        x: Tuple = (pulls.wind_x[i, 0], pulls.wind_x[i, 1], pulls.wind_x[i, 2])
        air = unrotate(load12(E_wj, l), (values[3 * i, 0], values[3 * i + 1, 0], values[3 * i + 2, 0]))
        spin = cross((V[l, 0], V[l, 1], V[l, 2]), x)
        past = (air[0] - V[l, 3] - spin[0], air[1] - V[l, 4] - spin[1], air[2] - V[l, 5] - spin[2])
        size = math.sqrt(past[0] * past[0] + past[1] * past[1] + past[2] * past[2])
        drag = pulls.wind_drag[i, 0] + pulls.wind_drag[i, 1] * size
        f: Tuple = past
        if pulls.wind_drag[i, 2] != 0.0:
            f = air
            M = load21(mass, l)
            for c in range(3):
                d: Tuple = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
                m = cross(x, d)
                M = sym_minus_outer(M, (m[0], m[1], m[2], d[0], d[1], d[2]), -h * drag)
            store21(mass, l, M)
        f = (drag * f[0], drag * f[1], drag * f[2])
        m = cross(x, f)
        push_link((m[0], m[1], m[2], f[0], f[1], f[2]), l, F)


@subroutine
def _lead_points(
    pulls: Pulls, inputs: Inputs, then: Floats, links: Links, E_wj: Floats, V: Floats, t: float, h: float, F: Floats,
    mass: Floats,
) -> None:  # fmt: skip
    """Points that are guided (`forces.guides`); t is the end of the step."""
    n = len(pulls.guide_link)
    stiffness, damping, most, which = np.empty(n), np.empty(n), np.empty(n), np.empty(n, np.int64)
    for i in range(n):
        stiffness[i], damping[i] = pulls.guide_stiffness[i], pulls.guide_damping[i]
    a = inputs.starts[INFLUENCE]
    for i in range(len(pulls.influenced)):
        s = min(max(then[a + i, 0], 0.0), MOST)
        firmer = s / (1.0 - s)
        stiffness[pulls.influenced[i]] *= firmer * firmer
        damping[pulls.influenced[i]] *= firmer
    count = 0
    for i in range(n):
        most[i] = (damping[i] + h * stiffness[i]) * pulls.guide_reach[i] * (TURN / h)
        leads = False
        for s in range(len(pulls.spans)):
            if int(pulls.spans[s, 0]) == i and pulls.spans[s, 1] + 1e-9 < t <= pulls.spans[s, 2] + 1e-9:
                leads = True
        if leads:
            which[count] = i
            count += 1
    b = inputs.starts[LEAD]
    pull_points(
        which[:count], pulls.guide_point, pulls.guide_link, pulls.guide_x, pulls.guide_direction, stiffness, damping,
        most, then[b : b + n], links.parent, E_wj, V, h, True, F, mass,
    )  # fmt: skip


@borrower
def pull_links(
    pulls: Pulls, inputs: Inputs, then: Floats, links: Links, E_wj: Floats, V: Floats, t: float, h: float, F: Floats,
    mass: Floats,
) -> None:  # fmt: skip
    """Add forces over time, wind, fields and guides at the end of a step, t [s], to wrenches F (nl, 6), and what is
    implicit of them to `mass` (nl, 21)."""
    a = inputs.starts[FORCE]
    b, c = inputs.starts[AIR], inputs.starts[LEAD]
    _force_links(pulls, then[a:b], E_wj, F)
    _blow_on_links(pulls, then[b:c], E_wj, V, h, F, mass)
    if len(pulls.field_link) > 0:
        push_points(
            pulls.field_kind, pulls.field_number, pulls.field_order, pulls.field_link, pulls.field_at,
            pulls.field_weight, then[inputs.starts[FIELD] :], E_wj, V, t, h, F, mass,
        )  # fmt: skip
    if len(pulls.guide_link) > 0:
        _lead_points(pulls, inputs, then, links, E_wj, V, t, h, F, mass)


@borrower
def has_pulls(pulls: Pulls) -> bool:
    return (
        len(pulls.link) > 0
        or len(pulls.wind_link) > 0
        or len(pulls.guide_link) > 0
        or len(pulls.field_link) > 0
    )


@borrower
def _rotation_vector(R: Tuple) -> Tuple:
    """Of a rotation by less than half a turn."""
    x, y, z = R[7] - R[5], R[2] - R[6], R[3] - R[1]
    sine, cosine = 0.5 * math.sqrt(x * x + y * y + z * z), 0.5 * (R[0] + R[4] + R[8] - 1.0)
    angle = math.atan2(sine, cosine)
    by = 0.5 if sine < 1e-12 else 0.5 * angle / sine
    return (by * x, by * y, by * z)


@borrower
def move_colliders(
    shapes: Shapes, inputs: Inputs, now: Floats, then: Floats, h: float, poses: Floats, twists: Floats
) -> None:
    """Poses of colliders that move, at the start and at the end of a step (ncol, 24), and their mean twists between."""
    a = inputs.starts[COLLIDER]
    for c in range(len(shapes.moving)):
        k = shapes.moving[c]
        if k < 0:
            continue
        A = spherical.transform(now[a + k + 3 : a + k + 6, 0], 0)
        B = spherical.transform(then[a + k + 3 : a + k + 6, 0], 0)
        for i in range(9):
            poses[c, i], poses[c, 12 + i] = A[i], B[i]
        for i in range(3):
            poses[c, 9 + i], poses[c, 21 + i] = now[a + k + i, 0], then[a + k + i, 0]
            twists[c, 3 + i] = (then[a + k + i, 0] - now[a + k + i, 0]) / h
        w = _rotation_vector(
            (
                B[0] * A[0] + B[1] * A[1] + B[2] * A[2],
                B[0] * A[3] + B[1] * A[4] + B[2] * A[5],
                B[0] * A[6] + B[1] * A[7] + B[2] * A[8],
                B[3] * A[0] + B[4] * A[1] + B[5] * A[2],
                B[3] * A[3] + B[4] * A[4] + B[5] * A[5],
                B[3] * A[6] + B[4] * A[7] + B[5] * A[8],
                B[6] * A[0] + B[7] * A[1] + B[8] * A[2],
                B[6] * A[3] + B[7] * A[4] + B[8] * A[5],
                B[6] * A[6] + B[7] * A[7] + B[8] * A[8],
            )
        )
        twists[c, 0], twists[c, 1], twists[c, 2] = w[0] / h, w[1] / h, w[2] / h


@borrower
def strikes(
    acting: Acting, shapes: Shapes, pairs: Ints, which: Ints, velocity: Floats, impulse: Floats, taken: Floats
) -> bool:  # fmt: skip
    """Whether a blow wakes a link that follows its motion, or a moving collider touches one; `taken` is scratch (nl,).

    What becomes of such a step is for the general route to say (`wake.py`).
    """
    for j in range(len(taken)):
        taken[j] = 0.0
    n = len(shapes.link)
    for c in range(len(which)):
        code = pairs[which[c, 0]]
        size = math.sqrt(impulse[c, 0] ** 2 + impulse[c, 1] ** 2 + impulse[c, 2] ** 2)
        moves = velocity[c, 0] != 0.0 or velocity[c, 1] != 0.0 or velocity[c, 2] != 0.0
        for side in range(2):
            l = shapes.link[code // n if side == 0 else code % n]
            if l >= 0 and acting.threshold[l] < np.inf:
                taken[l] += size
                if taken[l] > acting.threshold[l] or moves:
                    return True
    return False
