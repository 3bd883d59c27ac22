"""Contact points of two convex pieces, in the frame of the first."""

from __future__ import annotations

from ...algebra.arrays import Floats, Ints
from ...algebra.spatial import Tuple, cross, rotate, transform_point, unrotate
from ...jit.decorators import subroutine
from ..shapes.kinds import BOX, CAPSULE, HULL, SPHERE
from ..shapes.support import box_feature, hull_feature, round_feature
from ..vectors import along, dot, norm, row3, sub, unit
from .closest import box_axes, point_in_box, segments
from .epa import epa
from .gjk import FAR, OVERLAP, gjk
from .manifold import clip_features, four

APART, TOUCH = 0, 1


@subroutine
def nearest(
    kind_a: Ints, size_a: Floats, first_a: Ints, verts_a: Floats, i: int,
    kind_b: Ints, size_b: Floats, first_b: Ints, verts_b: Floats, j: int,
    E: Tuple, far: float, scale: float, S: Floats, weight: Floats, N: Floats, F: Ints, H: Ints,
) -> tuple[int, float, Tuple, Tuple, Tuple]:  # fmt: skip
    """Whether the pieces, without their rounding, are nearer than `far`; their signed distance, the direction in which
    the first is pushed, and the nearest (or deepest) points of both."""
    ka, kb = kind_a[i], kind_b[j]
    zero = (0.0, 0.0, 0.0)
    if ka <= CAPSULE and kb <= CAPSULE:
        a, b = segments(size_a[i, 2], size_b[j, 2], E)
        e = sub(a, b)
        d = norm(e)
        if d > far:
            return APART, d, zero, a, b
        if d > 1e-10 * scale:
            return TOUCH, d, (e[0] / d, e[1] / d, e[2] / d), a, b
        # Axes that cross: out across both of them.
        n = cross((0.0, 0.0, 1.0), (E[2], E[5], E[8]))
        if norm(n) < 1e-6 or ka == SPHERE or kb == SPHERE:
            n = (1.0, 0.0, 0.0) if ka == CAPSULE else (E[0], E[3], E[6])
        n = unit(n)
        if n[0] * E[9] + n[1] * E[10] + n[2] * E[11] > 0.0:
            n = (-n[0], -n[1], -n[2])
        return TOUCH, 0.0, n, a, b
    if ka == SPHERE and kb == BOX:
        d, n, p = point_in_box(unrotate(E, (-E[9], -E[10], -E[11])), size_b[j, 0], size_b[j, 1], size_b[j, 2])
        return (APART if d > far else TOUCH), d, rotate(E, n), zero, transform_point(E, p)
    if ka == BOX and kb == SPHERE:
        o = (E[9], E[10], E[11])
        d, n, p = point_in_box(o, size_a[i, 0], size_a[i, 1], size_a[i, 2])
        return (APART if d > far else TOUCH), d, (-n[0], -n[1], -n[2]), p, o
    if ka == BOX and kb == BOX:
        s, axis, n = box_axes(size_a, i, j, E)
        if s > far:
            return APART, s, zero, zero, zero
        if s <= 1e-9 * scale and axis < 6:
            # Faces: the manifold finds the points; these stand in where it finds none.
            return TOUCH, s, n, zero, zero
    state, count, v, a, b = gjk(
        kind_a, size_a, first_a, verts_a, i, kind_b, size_b, first_b, verts_b, j, E, far, scale, S, weight
    )
    if state == FAR:
        return APART, far, zero, a, b
    if state == OVERLAP:
        depth, n, a, b = epa(
            kind_a, size_a, first_a, verts_a, i, kind_b, size_b, first_b, verts_b, j,
            E, count, scale, S, N, F, H,
        )  # fmt: skip
        return TOUCH, -depth, n, a, b
    d = norm(v)
    return TOUCH, d, (v[0] / d, v[1] / d, v[2] / d), a, b


@subroutine
def feature(
    kind: Ints, size: Floats, first: Ints, verts: Floats, faces: Ints, face_at: Ints, face_vertex: Ints,
    face_normal: Floats, edge_at: Ints, edge_to: Ints, i: int, d: Tuple, out: Floats,
) -> int:  # fmt: skip
    """Corners of what piece i touches with when pressed along the unit vector d, in its own frame."""
    k = kind[i]
    if k == BOX:
        return box_feature(size[i, 0], size[i, 1], size[i, 2], d, out)
    if k == HULL:
        return hull_feature(
            first, verts, faces, face_at, face_vertex, face_normal, edge_at, edge_to, i, d, out
        )
    return round_feature(k, size, i, d, out)


@subroutine
def pair_contacts(
    kind: Ints, size: Floats, first: Ints, verts: Floats, faces: Ints, face_at: Ints, face_vertex: Ints,
    face_normal: Floats, edge_at: Ints, edge_to: Ints, i: int, j: int, E: Tuple, far: float, scale: float,
    S: Floats, weight: Floats, N: Floats, F: Ints, H: Ints, P: Floats, Q: Floats, R: Floats, M: Floats,
) -> tuple[int, Tuple]:  # fmt: skip
    """Up to four rows of M (point of a, point of b, distance without rounding, feature), and the normal from b to a,
    for piece j at the pose E in piece i; only points nearer than `far` [m]."""
    state, d, n, a, b = nearest(
        kind, size, first, verts, i, kind, size, first, verts, j, E, far, scale, S, weight, N, F, H
    )
    if state == APART:
        return 0, n
    if kind[i] == SPHERE or kind[j] == SPHERE:
        _single(M, 0, a, b, d)
        return 1, n
    count_p = feature(
        kind, size, first, verts, faces, face_at, face_vertex, face_normal, edge_at, edge_to,
        i, (-n[0], -n[1], -n[2]), P,
    )  # fmt: skip
    count_q = feature(
        kind, size, first, verts, faces, face_at, face_vertex, face_normal, edge_at, edge_to,
        j, unrotate(E, n), Q,
    )  # fmt: skip
    for k in range(count_q):
        x = transform_point(E, row3(Q, k))
        Q[k, 0], Q[k, 1], Q[k, 2] = x[0], x[1], x[2]
    round_ = kind[i] == CAPSULE and kind[j] == CAPSULE
    count = clip_features(P, count_p, Q, count_q, n, d if round_ else 0.0, R, M)
    least = far
    for k in range(count):
        least = min(least, M[k, 6])
    if count == 0 or least > d + 1e-6 * scale:
        if norm(a) == 0.0 and norm(b) == 0.0:  # two boxes of which only the axis is known
            # Where a corner touches a face, the face is touched below the corner.
            a, b = row3(P, 0), row3(Q, 0)
            d = dot(n, sub(a, b))
            if count_p == 1:
                b = along(a, -d, n)
            else:
                a = along(b, d, n)
        _single(M, count, a, b, d)
        count += 1
    return four(M, count, n, far), n


@subroutine
def _single(M: Floats, k: int, a: Tuple, b: Tuple, d: float) -> None:
    for c in range(3):
        M[k, c], M[k, 3 + c] = a[c], b[c]
    M[k, 6], M[k, 7] = d, 0.0
