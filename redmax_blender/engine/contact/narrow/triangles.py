"""Contact points of a convex piece with a triangle of a mesh, with regard to the triangles beside it.

A triangle alone would push with its edges: a box that slides over a floor of triangles would trip over every one of
them. So an edge pushes only where it is a ridge or a border, and only in directions between the two faces beside it.
Everywhere else the face does, or the face beyond.
"""

from __future__ import annotations

from ...algebra.arrays import Floats, Ints
from ...algebra.spatial import Tuple, cross, rotate, transform_point, unrotate
from ...jit.decorators import subroutine
from ..shapes.kinds import BORDER, CREASE, RIDGE, SPHERE
from ..shapes.support import FLAT, LEVEL, support
from ..vectors import along, dot, norm, row3, sub, unit
from .manifold import clip_features
from .pairs import APART, feature, nearest
from .simplex import nearest_on_triangle

_ALIGNED = 1.0 - 1e-6


@subroutine
def _corner_of(corner: Floats, t: int, k: int) -> Tuple:
    k = k % 3
    return (corner[t, 3 * k], corner[t, 3 * k + 1], corner[t, 3 * k + 2])


@subroutine
def edge_pushes(corner: Floats, beside: Floats, edge: Ints, t: int, k: int, m: Tuple, above: bool) -> bool:
    """Whether edge k of triangle t may push along m: where it stands out, and m is not past the face beyond."""
    kind = edge[t, k]
    if kind == BORDER:
        return True
    if kind != (RIDGE if above else CREASE):
        return False
    e = unit(sub(_corner_of(corner, t, k + 1), _corner_of(corner, t, k)))
    inward = cross((beside[t, 3 * k], beside[t, 3 * k + 1], beside[t, 3 * k + 2]), e)
    return -dot(inward, m) <= 1e-6  # the way into the triangle beyond


@subroutine
def _may_push(corner: Floats, beside: Floats, edge: Ints, t: int, x: Tuple, m: Tuple, above: bool) -> bool:
    """Whether the point x of triangle t, which is on one or two of its edges, may push along m."""
    a, b, c = _corner_of(corner, t, 0), _corner_of(corner, t, 1), _corner_of(corner, t, 2)
    weight = nearest_on_triangle(sub(a, x), sub(b, x), sub(c, x))
    for k in range(3):
        # Edge k is across from corner k + 2.
        if weight[(k + 2) % 3] < 1e-6 and not edge_pushes(corner, beside, edge, t, k, m, above):
            return False
    return True


@subroutine
def _triangle_feature(T: Floats, n: Tuple, m: Tuple, out: Floats) -> int:
    """Corners of the triangle T, or of its edge, that face the normal n; m is the triangle's own, both in one frame."""
    if abs(dot(n, m)) > FLAT:
        for k in range(3):
            out[k, 0], out[k, 1], out[k, 2], out[k, 3] = T[k, 0], T[k, 1], T[k, 2], k
        return 3
    # The higher of its edges along n, where that is level.
    best, top = -1e300, 0
    for k in range(3):
        h = dot(n, row3(T, k)) + dot(n, row3(T, (k + 1) % 3))
        if h > best:
            best, top = h, k
    a, b = row3(T, top), row3(T, (top + 1) % 3)
    e = sub(b, a)
    if abs(dot(n, e)) > LEVEL * norm(e):
        return 1
    for c in range(3):
        out[0, c], out[1, c] = a[c], b[c]
    out[0, 3], out[1, 3] = top, (top + 1) % 3
    return 2


@subroutine
def triangle_contacts(
    kind: Ints, size: Floats, first: Ints, verts: Floats, faces: Ints, face_at: Ints, face_vertex: Ints,
    face_normal: Floats, edge_at: Ints, edge_to: Ints, i: int,
    kind_t: Ints, size_t: Floats, first_t: Ints, verts_t: Floats,
    corner: Floats, normal: Floats, beside: Floats, edge: Ints, t: int, above: bool, E: Tuple, far: float,
    scale: float, S: Floats, weight: Floats, N: Floats, F: Ints, H: Ints, P: Floats, Q: Floats, R: Floats,
    M: Floats,
) -> tuple[int, Tuple]:  # fmt: skip
    """Rows of M and the normal, as for pairs, for triangle t of a mesh at the pose E in piece i, touched from the side
    of its normal (`above`) or from the other. `verts_t` are the corners of the triangle in the mesh."""
    state, d, n, a, b = nearest(
        kind, size, first, verts, i, kind_t, size_t, first_t, verts_t, 0, E, far, scale, S, weight, N, F, H
    )
    if state == APART:
        return 0, n
    up = row3(normal, t)
    if not above:
        up = (-up[0], -up[1], -up[2])
    m = unrotate(E, n)
    level = dot(m, up)
    touching = d <= 1e-9 * scale
    by_face = level > _ALIGNED
    if not by_face and not touching and level < -1e-6:
        return 0, n  # from behind
    if not by_face:
        x = unrotate(E, (b[0] - E[9], b[1] - E[10], b[2] - E[11]))
        if level < -1e-6 or not _may_push(corner, beside, edge, t, x, m, above):
            if not touching:
                return 0, n  # the triangle beyond is nearer
            by_face = True
    if by_face:
        n = rotate(E, up)
        if touching:
            a = support(kind, size, first, verts, i, (-n[0], -n[1], -n[2]))
            d = dot(n, sub(a, transform_point(E, row3(verts_t, 0))))
            b = along(a, -d, n)
    if kind[i] == SPHERE:
        if (
            by_face
            and touching
            and not _inside(verts_t, unrotate(E, (b[0] - E[9], b[1] - E[10], b[2] - E[11])))
        ):
            return 0, n
        for c in range(3):
            M[0, c], M[0, 3 + c] = a[c], b[c]
        M[0, 6], M[0, 7] = d, 0.0
        return 1, n
    count_p = feature(
        kind, size, first, verts, faces, face_at, face_vertex, face_normal, edge_at, edge_to,
        i, (-n[0], -n[1], -n[2]), P,
    )  # fmt: skip
    count_q = _triangle_feature(verts_t, unrotate(E, n), up, Q)
    for k in range(count_q):
        y = transform_point(E, row3(Q, k))
        Q[k, 0], Q[k, 1], Q[k, 2] = y[0], y[1], y[2]
    count = 0
    if count_q > 1:
        if count_p == 1 and count_q == 3:
            count_p = 2  # a corner on a face, as a very short edge
            for c in range(4):
                P[1, c] = P[0, c]
        count = clip_features(P, count_p, Q, count_q, n, 0.0, R, M)
    least = far
    for k in range(count):
        least = min(least, M[k, 6])
    if count == 0 and touching and by_face:
        return 0, n
    if count == 0 or (least > d + 1e-6 * scale and not (touching and by_face)):
        for c in range(3):
            M[count, c], M[count, 3 + c] = a[c], b[c]
        M[count, 6], M[count, 7] = d, 63.0
        count += 1
    return count, n


@subroutine
def _inside(T: Floats, x: Tuple) -> bool:
    """Whether x, in the plane of the triangle T, is in it."""
    a, b, c = sub(row3(T, 0), x), sub(row3(T, 1), x), sub(row3(T, 2), x)
    m = cross(sub(b, a), sub(c, a))
    return dot(m, cross(a, b)) >= 0.0 and dot(m, cross(b, c)) >= 0.0 and dot(m, cross(c, a)) >= 0.0
