"""Poses and twists of a tree's links in the kernel of its steps; together they are `kinematics.forward_pass`.

They are apart because the poses at a step's end are those at the start of the next one, and on the way there only they
are needed.
"""

from __future__ import annotations

from ... import joints
from ...algebra.spatial import (
    ZERO6,
    Row,
    Tuple,
    ad_times,
    add6,
    axpy6,
    compose,
    load3,
    load6,
    load12,
    matmul3,
    store6,
    store12,
    twist_down,
)
from ...jit.decorators import borrower, subroutine
from ...joints.revolute import axis_angle
from ...model.records import Floats, Ints


@subroutine
def moved(kind: int, params: Row, at: int, chart: int, q: Row, i: int) -> Tuple:
    """Pose of a link in its frame at q = 0: the joints that are rare, out of the way of the others."""
    return joints.transform(kind, params, at, chart, q, i)


@borrower
def poses(
    parent: Ints,
    kind: Ints,
    dof: Ints,
    at: Ints,
    params: Floats,
    E_pj0: Floats,
    chart: Ints,
    q: Floats,
    E_pj: Floats,
    E_wj: Floats,
) -> None:
    for j in range(len(parent)):
        E = load12(E_pj0, j)
        if kind[j] == joints.REVOLUTE:  # the most of them, and their origins stay
            R = matmul3(E, axis_angle(load3(params, at[j]), q[dof[j]]))
            E = (R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8], E[9], E[10], E[11])
        elif kind[j] != joints.FIXED:
            E = compose(E, moved(kind[j], params, at[j], chart[j], q, dof[j]))
        store12(E_pj, j, E)
        p = parent[j]
        store12(E_wj, j, E if p < 0 else compose(load12(E_wj, p), E))


@borrower
def twists(
    parent: Ints,
    kind: Ints,
    dof: Ints,
    at: Ints,
    params: Floats,
    chart: Ints,
    q: Floats,
    qdot: Floats,
    E_pj: Floats,
    V: Floats,
    S: Floats,
    Sdot: Floats,
    A: Floats,
) -> None:
    for j in range(len(parent)):
        i, n = dof[j], dof[j + 1] - dof[j]
        joints.subspace(kind[j], params, at[j], chart[j], q, qdot, i, n, S, Sdot)
        rate, bias = ZERO6, ZERO6
        for k in range(i, i + n):
            rate = axpy6(qdot[k], load6(S, k), rate)
            bias = axpy6(qdot[k], load6(Sdot, k), bias)
        p = parent[j]
        twist, acceleration = rate, bias
        if p >= 0:
            E = load12(E_pj, j)
            twist = add6(twist_down(E, load6(V, p)), rate)
            acceleration = add6(twist_down(E, load6(A, p)), add6(ad_times(twist, rate), bias))
        store6(V, j, twist)
        store6(A, j, acceleration)
