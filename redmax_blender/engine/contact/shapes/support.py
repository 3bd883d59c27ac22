"""How far a solid reaches in a direction, and with which of its faces, edges or corners."""

from __future__ import annotations

import math

from ...algebra.arrays import Floats, Ints
from ...algebra.spatial import Tuple
from ...jit.decorators import subroutine
from ..vectors import dot, norm, row3, sub
from .kinds import BOX, CAPSULE, CYLINDER, ELLIPSOID, HULL

FLAT = 0.9990
"""Cosine (2.6°) within which a face that looks along a normal touches as a face, not with an edge or a corner."""
LEVEL = 0.0447
"""Sine of the same angle, for edges."""
CAP = 8
"""Corners of the polygon that stands for the end of a cylinder."""


@subroutine
def support(kind: Ints, size: Floats, first: Ints, verts: Floats, i: int, d: Tuple) -> Tuple:
    """The point of piece i, without its rounding, that is farthest along d; in its own frame."""
    k = kind[i]
    if k == BOX:
        return (
            size[i, 0] if d[0] >= 0.0 else -size[i, 0],
            size[i, 1] if d[1] >= 0.0 else -size[i, 1],
            size[i, 2] if d[2] >= 0.0 else -size[i, 2],
        )
    if k == CAPSULE:
        return (0.0, 0.0, size[i, 2] if d[2] >= 0.0 else -size[i, 2])
    if k == HULL:
        best = -math.inf
        at = first[i]
        for v in range(first[i], first[i + 1]):
            s = verts[v, 0] * d[0] + verts[v, 1] * d[1] + verts[v, 2] * d[2]
            if s > best:
                best = s
                at = v
        return row3(verts, at)
    if k == CYLINDER:
        across = math.sqrt(d[0] * d[0] + d[1] * d[1])
        z = size[i, 2] if d[2] >= 0.0 else -size[i, 2]
        if across < 1e-12 * abs(d[2]):
            return (0.0, 0.0, z)
        r = size[i, 0] / across
        return (r * d[0], r * d[1], z)
    if k == ELLIPSOID:
        x, y, z = size[i, 0] * d[0], size[i, 1] * d[1], size[i, 2] * d[2]
        s = math.sqrt(x * x + y * y + z * z)
        if s < 1e-300:
            return (0.0, 0.0, 0.0)
        return (size[i, 0] * x / s, size[i, 1] * y / s, size[i, 2] * z / s)
    return (0.0, 0.0, 0.0)


@subroutine
def box_feature(a: float, b: float, c: float, d: Tuple, out: Floats) -> int:
    """Corners of the box's face, edge or corner that looks along the unit vector d; column 3 is their number."""
    big, small = 0, 0
    for k in range(1, 3):
        if abs(d[k]) > abs(d[big]):
            big = k
        if abs(d[k]) <= abs(d[small]):
            small = k
    sx = 1.0 if d[0] >= 0.0 else -1.0
    sy = 1.0 if d[1] >= 0.0 else -1.0
    sz = 1.0 if d[2] >= 0.0 else -1.0
    n = 1
    if abs(d[big]) > FLAT:
        n = 4
    elif abs(d[small]) < LEVEL:
        n = 2
    u = (big + 1) % 3 if n == 4 else small
    w = (big + 2) % 3
    for p in range(n):
        x, y, z = sx, sy, sz
        if n > 1:
            f = -1.0 if p == 0 or p == 3 else 1.0
            if u == 0:
                x = f
            elif u == 1:
                y = f
            else:
                z = f
        if n == 4:
            f = -1.0 if p < 2 else 1.0
            if w == 0:
                x = f
            elif w == 1:
                y = f
            else:
                z = f
        out[p, 0], out[p, 1], out[p, 2] = x * a, y * b, z * c
        out[p, 3] = (4.0 if x > 0.0 else 0.0) + (2.0 if y > 0.0 else 0.0) + (1.0 if z > 0.0 else 0.0)
    return n


@subroutine
def hull_feature(
    first: Ints, verts: Floats, faces: Ints, face_at: Ints, face_vertex: Ints, face_normal: Floats,
    edge_at: Ints, edge_to: Ints, i: int, d: Tuple, out: Floats,
) -> int:  # fmt: skip
    """The same for a convex polytope. `faces` are its faces, `edge_to` the vertices that share an edge with each."""
    best = -2.0
    face = -1
    for f in range(faces[i], faces[i + 1]):
        s = dot(row3(face_normal, f), d)
        if s > best:
            best = s
            face = f
    if best > FLAT:
        n = 0
        for k in range(face_at[face], face_at[face + 1]):
            v = face_vertex[k]
            out[n, 0], out[n, 1], out[n, 2], out[n, 3] = verts[v, 0], verts[v, 1], verts[v, 2], v - first[i]
            n += 1
        return n
    top = first[i]
    reach = -math.inf
    for v in range(first[i], first[i + 1]):
        s = dot(row3(verts, v), d)
        if s > reach:
            reach = s
            top = v
    out[0, 0], out[0, 1], out[0, 2], out[0, 3] = verts[top, 0], verts[top, 1], verts[top, 2], top - first[i]
    least = LEVEL
    n = 1
    for k in range(edge_at[top], edge_at[top + 1]):
        v = edge_to[k]
        e = sub(row3(verts, top), row3(verts, v))
        slope = dot(e, d) / norm(e)
        if slope < least:
            least = slope
            n = 2
            out[1, 0], out[1, 1], out[1, 2], out[1, 3] = verts[v, 0], verts[v, 1], verts[v, 2], v - first[i]
    return n


@subroutine
def round_feature(kind: int, size: Floats, i: int, d: Tuple, out: Floats) -> int:
    """The same for capsules, cylinders, ellipsoids and points."""
    if kind == CAPSULE:
        for p in range(2):
            out[p, 0], out[p, 1], out[p, 3] = 0.0, 0.0, p
            out[p, 2] = -size[i, 2] if p == 0 else size[i, 2]
        return 2
    if kind == CYLINDER:
        r, half = size[i, 0], size[i, 2]
        across = math.sqrt(d[0] * d[0] + d[1] * d[1])
        # The first corner is the one that reaches farthest, whatever the tilt.
        x, y = (1.0, 0.0) if across < 1e-9 else (d[0] / across, d[1] / across)
        if abs(d[2]) > FLAT:
            z = half if d[2] >= 0.0 else -half
            for p in range(CAP):
                angle = 2.0 * math.pi * p / CAP
                c, s = r * math.cos(angle), r * math.sin(angle)
                out[p, 0], out[p, 1], out[p, 2] = c * x - s * y, s * x + c * y, z
                out[p, 3] = p + (CAP if d[2] >= 0.0 else 0)
            return CAP
        n = 2 if abs(d[2]) < LEVEL else 1
        for p in range(n):
            z = half if d[2] >= 0.0 else -half
            if p == 1:
                z = -z
            out[p, 0], out[p, 1], out[p, 2] = r * x, r * y, z
            out[p, 3] = 32.0 + (1.0 if z > 0.0 else 0.0)
        return n
    if kind == ELLIPSOID:
        x, y, z = size[i, 0] * d[0], size[i, 1] * d[1], size[i, 2] * d[2]
        s = max(math.sqrt(x * x + y * y + z * z), 1e-300)
        out[0, 0], out[0, 1], out[0, 2] = size[i, 0] * x / s, size[i, 1] * y / s, size[i, 2] * z / s
    else:
        out[0, 0], out[0, 1], out[0, 2] = 0.0, 0.0, 0.0
    out[0, 3] = 0.0
    return 1
