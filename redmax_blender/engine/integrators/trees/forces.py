"""What the kernel of a tree's steps needs before it solves: forces in the joints, stops, impulses on links.

The same as `forces/joint.py`, `constraints/active.py` and `solvers/implicit_system.py` do with arrays, for one step and
without leaving the kernel.
"""

from __future__ import annotations

from ...algebra.spatial import (
    ZERO6,
    ad_transpose_times,
    add6,
    axpy6,
    dot6,
    load6,
    load12,
    load21,
    store6,
    sym_times,
    unrotate,
    wrench_up,
)
from ...constraints.active import RECOVERY
from ...jit.decorators import borrower
from ...model.records import GUIDED, PRESCRIBED, Floats, Ints
from ...tree.passes import Mask


@borrower
def joint_forces(
    stiffness: Floats,
    damping: Floats,
    rest: Floats,
    explicit: Floats,
    torque_dof: Ints,
    torque: Floats,
    profile_dof: Ints,
    profile: Floats,
    stop_dof: Ints,
    stops: Floats,
    motion_dof: Ints,
    modes: Ints,
    guide: Floats,
    now: Floats,
    q: Floats,
    qdot: Floats,
    h: float,
    b_r: Floats,
    A_r: Floats,
    K: Floats,
) -> None:
    """h times the forces in the coordinates into b_r, and h D + h² K into A_r, all (nr,); K is scratch.

    `explicit` is 1 for coordinates whose spring and damper are not in A_r; `torque`, `profile` and `now` are curves
    with their derivatives, (n, 3).
    """
    for k in range(len(q)):
        b_r[k] = -stiffness[k] * (q[k] - rest[k])
        K[k] = stiffness[k]
        A_r[k] = damping[k]
    for i in range(len(torque_dof)):
        b_r[torque_dof[i]] += torque[i, 0]
    for i in range(len(profile_dof)):
        b_r[profile_dof[i]] -= profile[i, 0]
        K[profile_dof[i]] += profile[i, 1]
    if len(explicit) > 0:
        for k in range(len(q)):
            if explicit[k] != 0.0:
                b_r[k] -= A_r[k] * qdot[k]
                A_r[k] = 0.0
                K[k] = 0.0
    for i in range(len(stop_dof)):
        k = stop_dof[i]
        beyond = min(q[k] - stops[i, 0], 0.0) + max(q[k] - stops[i, 1], 0.0)
        if beyond != 0.0:
            b_r[k] -= stops[i, 2] * beyond
            K[k] += stops[i, 2]
            A_r[k] += stops[i, 3]
    for i in range(len(motion_dof)):
        if modes[i] == GUIDED:
            k = motion_dof[i]
            b_r[k] += guide[i, 0] * (now[i, 0] - q[k]) + guide[i, 1] * now[i, 1]
            K[k] += guide[i, 0]
            A_r[k] += guide[i, 1]
    for k in range(len(q)):
        b_r[k] *= h
        A_r[k] = h * A_r[k] + h * h * max(K[k], 0.0)


@borrower
def prescribe(
    motion_dof: Ints,
    modes: Ints,
    before: Floats,
    now: Floats,
    asleep: Mask,
    q: Floats,
    h: float,
    driven: Mask,
    known: Floats,
    landing: Floats,
) -> bool:
    """Velocities and ends of coordinates on their motions, and of those that sleep; whether there are any."""
    any_ = False
    for k in range(len(q)):
        driven[k] = False
        known[k] = 0.0
    for i in range(len(motion_dof)):
        if modes[i] == PRESCRIBED:
            k = motion_dof[i]
            driven[k] = True
            known[k] = (now[i, 0] - before[i, 0]) / h
            landing[k] = now[i, 0]
            any_ = True
    for k in range(len(asleep)):
        if asleep[k]:
            driven[k] = True
            known[k] = 0.0
            landing[k] = q[k]
            any_ = True
    return any_


@borrower
def stop_speeds(
    dof: Ints,
    side: Floats,
    bound: Floats,
    restitution: Floats,
    driven: Mask,
    q: Floats,
    qdot: Floats,
    h: float,
    speed: Floats,
    holds: Mask,
) -> None:
    """The velocity at which each stop would hold its coordinate, as `constraints.active` has it; all of free ones."""
    for i in range(len(dof)):
        k = dof[i]
        holds[i] = not driven[k]
        gap = side[i] * (q[k] - bound[i])
        rate = side[i] * qdot[k]
        least = -gap / h if gap >= 0.0 else -gap * min(1.0 / h, RECOVERY)
        bounce = -restitution[i] * rate
        if gap + h * rate < 0.0 and bounce > 0.0:
            least = max(least, bounce)
        speed[i] = side[i] * least


@borrower
def link_impulses(
    inertia: Floats,
    drag: Floats,
    gravity: Floats,
    E_wj: Floats,
    V: Floats,
    A: Floats,
    h: float,
    F: Floats,
) -> None:
    """Momenta, and what gravity, Coriolis forces and explicit drag add in a step of h [s], shape (nl, 6)."""
    for j in range(len(inertia)):
        M = load21(inertia, j)
        twist = load6(V, j)
        g = unrotate(load12(E_wj, j), (gravity[0], gravity[1], gravity[2]))
        accelerated = axpy6(-1.0, load6(A, j), (0.0, 0.0, 0.0, g[0], g[1], g[2]))
        momentum = sym_times(M, twist)
        f = add6(ad_transpose_times(twist, momentum), sym_times(M, accelerated))
        if len(drag) > 0:
            f = axpy6(-1.0, sym_times(load21(drag, j), twist), f)
        store6(F, j, axpy6(h, f, momentum))


@borrower
def bias_change(
    parent: Ints,
    dof: Ints,
    inertia: Floats,
    E_pj: Floats,
    S: Floats,
    V: Floats,
    A: Floats,
    V_other: Floats,
    A_other: Floats,
    h: float,
    wrench: Floats,
    out: Floats,
) -> None:
    """Add to out (nr,) how Coriolis forces change over h [s] with other twists and accelerations at zero qddot."""
    for j in range(len(parent)):
        M = load21(inertia, j)
        twist, other = load6(V, j), load6(V_other, j)
        f = ad_transpose_times(other, sym_times(M, other))
        f = axpy6(-1.0, ad_transpose_times(twist, sym_times(M, twist)), f)
        less = axpy6(-1.0, load6(A_other, j), load6(A, j))
        store6(wrench, j, axpy6(h, add6(f, sym_times(M, less)), ZERO6))
    for j in range(len(parent) - 1, -1, -1):
        f = load6(wrench, j)
        for k in range(dof[j], dof[j + 1]):
            out[k] += dot6(load6(S, k), f)
        p = parent[j]
        if p >= 0:
            store6(wrench, p, add6(load6(wrench, p), wrench_up(load12(E_pj, j), f)))
