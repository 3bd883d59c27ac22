"""Depth of overlap of two convex solids (van den Bergen's expanding polytope), in the frame of the first.

The polytope grows inside the difference of the two solids, which the origin is in. Its nearest face to the origin
becomes the shortest way out.
"""

from __future__ import annotations

import math

from ...algebra.arrays import Floats, Ints
from ...algebra.spatial import ZERO3, Tuple, cross, transform_point, unrotate
from ...jit.decorators import subroutine
from ..shapes.kinds import CYLINDER, ELLIPSOID
from ..shapes.support import support
from ..vectors import across, dot, norm, row3, scale, sub, unit
from .simplex import nearest_on_triangle

CORNERS = 96
"""Most corners of the polytope; smooth solids end there with an error of some 1e-4 of the depth."""
FACES = 2 * CORNERS + 8


@subroutine
def _probe(
    kind_a: Ints, size_a: Floats, first_a: Ints, verts_a: Floats, i: int,
    kind_b: Ints, size_b: Floats, first_b: Ints, verts_b: Floats, j: int,
    E: Tuple, d: Tuple, S: Floats, n: int,
) -> float:  # fmt: skip
    """Puts the farthest point of the difference along d into row n of S; returns how far it is."""
    a = support(kind_a, size_a, first_a, verts_a, i, d)
    b = transform_point(E, support(kind_b, size_b, first_b, verts_b, j, unrotate(E, (-d[0], -d[1], -d[2]))))
    for c in range(3):
        S[n, c], S[n, 3 + c], S[n, 6 + c] = a[c] - b[c], a[c], b[c]
    return (a[0] - b[0]) * d[0] + (a[1] - b[1]) * d[1] + (a[2] - b[2]) * d[2]


@subroutine
def _add_face(F: Ints, N: Floats, n: int, p: int, q: int, r: int, S: Floats) -> None:
    """Face n with the corners p, q, r; its outward normal and distance, infinite where it has no area."""
    m = cross(sub(row3(S, q), row3(S, p)), sub(row3(S, r), row3(S, p)))
    size = norm(m)
    F[n, 0], F[n, 1], F[n, 2] = p, q, r
    if size < 1e-30:
        N[n, 3] = math.inf  # never the nearest
        N[n, 0], N[n, 1], N[n, 2] = 0.0, 0.0, 0.0
        return
    for c in range(3):
        N[n, c] = m[c] / size
    N[n, 3] = dot(row3(N, n), row3(S, p))


@subroutine
def _first_corners(
    kind_a: Ints, size_a: Floats, first_a: Ints, verts_a: Floats, i: int,
    kind_b: Ints, size_b: Floats, first_b: Ints, verts_b: Floats, j: int,
    E: Tuple, n: int, least: float, S: Floats,
) -> int:  # fmt: skip
    """Adds corners of the difference to the n in S until they are four that span a volume; fewer where it is flat."""
    if n < 2:
        n = 1
        for k in range(6):
            s = 1.0 if k < 3 else -1.0
            d: Tuple = (s if k % 3 == 0 else 0.0, s if k % 3 == 1 else 0.0, s if k % 3 == 2 else 0.0)
            _probe(kind_a, size_a, first_a, verts_a, i, kind_b, size_b, first_b, verts_b, j, E, d, S, 1)
            if norm(sub(row3(S, 1), row3(S, 0))) > least:
                n = 2
                break
    if n == 2:
        e = unit(sub(row3(S, 1), row3(S, 0)))
        f = across(e)
        g = cross(e, f)
        for k in range(6):
            c, s = math.cos(k * math.pi / 3.0), math.sin(k * math.pi / 3.0)
            d = (c * f[0] + s * g[0], c * f[1] + s * g[1], c * f[2] + s * g[2])
            _probe(kind_a, size_a, first_a, verts_a, i, kind_b, size_b, first_b, verts_b, j, E, d, S, 2)
            if norm(cross(e, sub(row3(S, 2), row3(S, 0)))) > least:
                n = 3
                break
    if n == 3:
        m = unit(cross(sub(row3(S, 1), row3(S, 0)), sub(row3(S, 2), row3(S, 0))))
        for k in range(2):
            d = m if k == 0 else (-m[0], -m[1], -m[2])
            _probe(kind_a, size_a, first_a, verts_a, i, kind_b, size_b, first_b, verts_b, j, E, d, S, 3)
            if abs(dot(m, sub(row3(S, 3), row3(S, 0)))) > least:
                return 4
    return n


@subroutine
def _grow(S: Floats, n: int, N: Floats, F: Ints, H: Ints, nf: int, least: float) -> int:
    """Takes corner n into the polytope: faces that see it go, and the rim that they leave is joined to it. Returns the
    number of faces, 0 where there is no room for them."""
    w = row3(S, n)
    rim, kept = 0, 0
    for f in range(nf):
        if N[f, 3] < math.inf and dot(row3(N, f), w) - N[f, 3] > least:
            for k in range(3):
                p, q = F[f, k], F[f, (k + 1) % 3]
                found = -1
                for r in range(rim):
                    if H[r, 0] == q and H[r, 1] == p:
                        found = r
                if found >= 0:  # between two faces that go
                    rim -= 1
                    H[found, 0], H[found, 1] = H[rim, 0], H[rim, 1]
                elif rim < len(H):
                    H[rim, 0], H[rim, 1] = p, q
                    rim += 1
        else:
            if kept < f:
                for c in range(3):
                    F[kept, c] = F[f, c]
                for c in range(4):
                    N[kept, c] = N[f, c]
            kept += 1
    if rim == 0 or kept + rim > len(F):
        return 0
    for r in range(rim):
        _add_face(F, N, kept + r, H[r, 0], H[r, 1], n, S)
    return kept + rim


@subroutine
def _nearest_face(N: Floats, nf: int) -> int:
    near = 0
    for f in range(1, nf):
        if N[f, 3] < N[near, 3]:
            near = f
    return near


@subroutine
def _points(S: Floats, p: int, q: int, r: int, origin: Tuple) -> tuple[Tuple, Tuple]:
    """Points of a and b whose difference is the point of the triangle p, q, r nearest to `origin`."""
    t = nearest_on_triangle(sub(row3(S, p), origin), sub(row3(S, q), origin), sub(row3(S, r), origin))
    a: Tuple = ZERO3
    b: Tuple = ZERO3
    for k in range(3):
        c = p if k == 0 else (q if k == 1 else r)
        a = (a[0] + t[k] * S[c, 3], a[1] + t[k] * S[c, 4], a[2] + t[k] * S[c, 5])
        b = (b[0] + t[k] * S[c, 6], b[1] + t[k] * S[c, 7], b[2] + t[k] * S[c, 8])
    return a, b


@subroutine
def _flat(S: Floats, n: int, E: Tuple) -> tuple[float, Tuple, Tuple, Tuple]:
    """Two solids whose difference has no volume: out along its own normal, away from the other's middle."""
    if n == 3:
        m = unit(cross(sub(row3(S, 1), row3(S, 0)), sub(row3(S, 2), row3(S, 0))))
    elif n == 2:
        m = across(unit(sub(row3(S, 1), row3(S, 0))))
    else:
        m = unit((-E[9], -E[10], -E[11]))
    if m[0] * E[9] + m[1] * E[10] + m[2] * E[11] > 0.0:
        m = (-m[0], -m[1], -m[2])
    a, b = _points(S, 0, min(1, n - 1), min(2, n - 1), ZERO3)
    return 0.0, m, a, b


@subroutine
def epa(
    kind_a: Ints, size_a: Floats, first_a: Ints, verts_a: Floats, i: int,
    kind_b: Ints, size_b: Floats, first_b: Ints, verts_b: Floats, j: int,
    E: Tuple, n: int, scale_: float, S: Floats, N: Floats, F: Ints, H: Ints,
) -> tuple[float, Tuple, Tuple, Tuple]:  # fmt: skip
    """Depth, the direction in which a leaves b by the shortest way, and the deepest points of a and b.

    S holds the n corners that the search for the distance left. Depth 0 where the difference is flat.
    """
    n = _first_corners(
        kind_a, size_a, first_a, verts_a, i, kind_b, size_b, first_b, verts_b, j, E, n, 1e-9 * scale_, S
    )
    if n < 4:
        return _flat(S, n, E)
    if (
        dot(cross(sub(row3(S, 1), row3(S, 0)), sub(row3(S, 2), row3(S, 0))), sub(row3(S, 3), row3(S, 0)))
        > 0.0
    ):
        for c in range(9):
            S[1, c], S[2, c] = S[2, c], S[1, c]
    _add_face(F, N, 0, 0, 1, 2, S)
    _add_face(F, N, 1, 0, 3, 1, S)
    _add_face(F, N, 2, 0, 2, 3, S)
    _add_face(F, N, 3, 1, 3, 2, S)
    nf = 4
    near = 0
    # A polytope is reached in the end; a smooth solid only comes nearer.
    slack = 1e-4 if kind_a[i] in (CYLINDER, ELLIPSOID) or kind_b[j] in (CYLINDER, ELLIPSOID) else 1e-7
    while True:
        near = _nearest_face(N, nf)
        if n >= CORNERS:
            break
        reach = _probe(
            kind_a, size_a, first_a, verts_a, i, kind_b, size_b, first_b, verts_b, j, E, row3(N, near), S, n
        )
        if reach - N[near, 3] <= 1e-10 * scale_ + slack * N[near, 3]:
            break
        grown = _grow(S, n, N, F, H, nf, 1e-13 * scale_)
        if grown == 0:
            break
        nf = grown
        n += 1
    m = row3(N, near)
    a, b = _points(S, F[near, 0], F[near, 1], F[near, 2], scale(N[near, 3], m))
    return max(N[near, 3], 0.0), (-m[0], -m[1], -m[2]), a, b
