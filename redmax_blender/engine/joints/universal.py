"""Universal joint (supplement §4.6): Rx(q0) Ry(q1). S = (c2, 0, s2), (0, 1, 0) in the angular part."""

from __future__ import annotations

import math

from ..algebra.spatial import Floats, Row, Tuple
from ..jit.decorators import subroutine


@subroutine
def transform(q: Row, i: int) -> Tuple:
    c1, s1 = math.cos(q[i]), math.sin(q[i])
    c2, s2 = math.cos(q[i + 1]), math.sin(q[i + 1])
    return (c2, 0.0, s2, s1 * s2, c1, -s1 * c2, -c1 * s2, s1, c1 * c2, 0.0, 0.0, 0.0)


@subroutine
def subspace(q: Row, qdot: Row, i: int, S: Floats, Sdot: Floats) -> None:
    c2, s2 = math.cos(q[i + 1]), math.sin(q[i + 1])
    for c in range(6):
        S[i, c] = S[i + 1, c] = 0.0
        Sdot[i, c] = Sdot[i + 1, c] = 0.0
    S[i, 0] = c2
    S[i, 2] = s2
    S[i + 1, 1] = 1.0
    Sdot[i, 0] = -s2 * qdot[i + 1]
    Sdot[i, 2] = c2 * qdot[i + 1]


@subroutine
def subspace_gradient(q: Row, i: int, dS: Floats) -> None:
    """dS[k, a]: derivative of column a of S with respect to coordinate k."""
    dS[1, 0, 0] = -math.sin(q[i + 1])
    dS[1, 0, 2] = math.cos(q[i + 1])


@subroutine
def bias_curvature(q: Row, i: int, u: Tuple, v: Tuple) -> Tuple:
    """(d²S/dq² [u, v]) v."""
    s = u[1] * v[1] * v[0]
    return (-math.cos(q[i + 1]) * s, 0.0, -math.sin(q[i + 1]) * s, 0.0, 0.0, 0.0)
