"""Poses and twists of a tree's links in the kernel of its steps; together they are `kinematics.forward_pass`.

They are apart because the poses at a step's end are those at the start of the next one, and on the way there only they
are needed.
"""

from __future__ import annotations

from .. import joints
from ..jit import borrower
from ..model import Floats, Ints
from ..spatial import ZERO6, ad_times, add6, axpy6, compose, load6, load12, store6, store12, twist_down


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
        E = compose(load12(E_pj0, j), joints.transform(kind[j], params, at[j], chart[j], q, dof[j]))
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
