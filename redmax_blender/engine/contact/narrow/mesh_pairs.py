"""Contact points of a convex piece with a whole mesh: the triangles near it, and a choice of what they find."""

from __future__ import annotations

import math

from ...algebra.arrays import Floats, Ints
from ...algebra.spatial import cross, load12, unrotate
from ...jit.decorators import subroutine
from ..rows import SWIFT, approach, back_to_start, put_contact, touch
from ..shapes.kinds import GUARD
from ..vectors import apart, dot, norm, row3, sub
from .guard import guard_contact
from .manifold import ROOM, four
from .sweep import first_touch, pose_at
from .triangles import triangle_contacts

GATHERED = 256
"""Contacts that are gathered before they are thinned out."""
_ONE_WAY = 0.9995
"""Cosine (1.8°) between normals of contacts that are chosen from together."""


@subroutine
def box_in_mesh(
    E: Floats, v: Floats, w: Floats, half: Floats, reach: Floats, i: int, j: int, more: float, h: float,
    box: Floats,
) -> None:  # fmt: skip
    """The box in the frame of mesh j that piece i stays in over the step, wider by `more` [m]; (low, high)."""
    Ej = load12(E, j)
    relative = apart(Ej, load12(E, i))
    arm = (E[i, 9] - E[j, 9], E[i, 10] - E[j, 10], E[i, 11] - E[j, 11])
    moved = unrotate(Ej, sub(sub(row3(v, i), row3(v, j)), cross(row3(w, j), arm)))
    turned = h * (norm(row3(w, i)) * reach[i] + norm(row3(w, j)) * norm(arm))
    for c in range(3):
        extent = turned
        for k in range(3):
            extent += abs(relative[3 * c + k]) * half[i, k]
        extent = min(extent, reach[i] + turned) + more
        box[c] = relative[9 + c] + min(h * moved[c], 0.0) - extent
        box[3 + c] = relative[9 + c] + max(h * moved[c], 0.0) + extent


@subroutine
def thin_out(T: Floats, which: Ints, n: int, close: float, M: Floats, U: Floats, kept: Ints) -> int:
    """Of n contacts in T, at most four of those with one normal, and the deepest of those in one place.

    Returns how many are left; U, `kept` and M are scratch.
    """
    for k in range(n):
        kept[k] = 0
    out = 0
    for lead in range(n):
        if kept[lead]:
            continue
        up = (T[lead, 6], T[lead, 7], T[lead, 8])
        m = 0
        for k in range(lead, n):
            if kept[k] or dot(up, (T[k, 6], T[k, 7], T[k, 8])) < _ONE_WAY:
                continue
            kept[k] = 1
            at = m
            for r in range(m):
                x = (M[r, 0] - T[k, 0], M[r, 1] - T[k, 1], M[r, 2] - T[k, 2])
                if dot(x, x) < close * close:
                    at = r
                    break
            if at == len(M):
                m = four(M, m, up, math.inf)
                at = m
            if at < m and M[at, 6] <= T[k, 9]:
                continue
            for c in range(6):
                M[at, c] = T[k, c]
            M[at, 6], M[at, 7] = T[k, 9], k
            m = max(m, at + 1)
        m = four(M, m, up, math.inf)
        for r in range(m):
            k = int(M[r, 7])
            for c in range(10):
                U[out, c] = T[k, c]
            U[out, 10] = which[k]
            out += 1
    for k in range(out):
        for c in range(10):
            T[k, c] = U[k, c]
        which[k] = int(U[k, 10])
    return out


@subroutine
def mesh_contacts(
    kind: Ints, size: Floats, first: Ints, verts: Floats, faces: Ints, face_at: Ints, face_vertex: Ints,
    face_normal: Floats, edge_at: Ints, edge_to: Ints, guard: Floats, half: Floats, rounding: Floats,
    E: Floats, v: Floats, w: Floats, a: Floats, reach: Floats, i: int, j: int, near: float, moved: float,
    h: float, tri_first: int, corner: Floats, normal: Floats, beside: Floats, edge: Ints, closed: int,
    order: Ints, nodes: Floats, node_first: int, leaves: int,
    kind_t: Ints, size_t: Floats, first_t: Ints, verts_t: Floats, box: Floats, stack: Ints,
    point: Ints, no_size: Floats, own_reach: Floats, T: Floats, which: Ints, U: Floats, kept: Ints,
    S: Floats, weight: Floats, N: Floats, F: Ints, H: Ints, P: Floats, Q: Floats, R: Floats, M: Floats,
) -> int:  # fmt: skip
    """Contacts of piece i with mesh j in the first rows of T, their numbers for keys in `which`; how many.

    The mesh has the nodes from `node_first` on, `leaves` of them leaves. A closed mesh is touched from outside; an
    open one from the side that the middle of the piece is on.
    """
    count = 0
    smaller = reach[i]
    close = touch(smaller, reach[j])
    round_ = rounding[i] + rounding[j]
    thin = rounding[i] + min(half[i, 0], half[i, 1], half[i, 2])
    swift = moved > SWIFT * smaller
    box_in_mesh(E, v, w, half, reach, i, j, near + round_, h, box)
    Ei0 = load12(E, i)
    relative0 = apart(Ei0, load12(E, j))
    back = apart(load12(E, j), Ei0)
    middle = (back[9], back[10], back[11])
    soonest = math.inf
    guarded = swift and guard[i, 3] >= 0.0
    top = 1
    stack[0] = 1
    while top:
        top -= 1
        k = stack[top]
        q = node_first + k
        if (
            nodes[q, 0] > box[3] or nodes[q, 3] < box[0] or nodes[q, 1] > box[4] or nodes[q, 4] < box[1]
            or nodes[q, 2] > box[5] or nodes[q, 5] < box[2]
        ):  # fmt: skip
            continue
        if k < leaves:
            stack[top], stack[top + 1] = 2 * k, 2 * k + 1
            top += 2
            continue
        if count > len(T) - ROOM:
            count = thin_out(T, which, count, close, M, U, kept)
        t = order[tri_first + k - leaves]
        height = dot(
            row3(normal, t), sub(middle, (corner[t, 0], corner[t, 1], corner[t, 2]))
        )  # fmt: skip
        above = closed == 1 or height >= 0.0
        if closed == 1 and height < -0.5 * thin:
            continue  # its back
        for c in range(9):
            verts_t[c // 3, c % 3] = corner[t, c]
        Ei, relative, far = Ei0, relative0, near + round_ + moved
        time = 0.0
        passing = False
        if swift:
            time = first_touch(
                kind, size, first, verts, i, kind_t, size_t, first_t, verts_t, 0, E, v, w, a, reach, j,
                round_, close, h, S, weight, N, F, H,
            )  # fmt: skip
            passing = time > h
            if passing or time > 0.0:
                far = near + round_
            if not passing and time > 0.0:
                Ei = pose_at(E, v, w, a, i, time)
                relative = apart(Ei, pose_at(E, v, w, a, j, time))
        if guarded and not passing:
            # Of all triangles the guard knows only that which it meets first, in the last row.
            met = guard_contact(
                point, no_size, i, guard, kind_t, size_t, first_t, verts_t, 0, rounding[j], j, E, v, w, a, own_reach,
                min(h, soonest), S, weight, N, F, H, M, T, len(T) - 1,
            )  # fmt: skip
            soonest = min(soonest, met)
        found, n = triangle_contacts(
            kind, size, first, verts, faces, face_at, face_vertex, face_normal, edge_at, edge_to, i,
            kind_t, size_t, first_t, verts_t, corner, normal, beside, edge, t, above, relative, far,
            reach[i], S, weight, N, F, H, P, Q, R, M,
        )  # fmt: skip
        for f in range(min(found, len(T) - 1 - count)):
            if M[f, 6] > far:
                continue
            put_contact(M, f, Ei, n, rounding[i], rounding[j], T, count)
            if passing:
                if h * approach(T, count, E, v, w, i, j) < -T[count, 9]:
                    continue
            elif time > 0.0:
                back_to_start(T, count, E, v, w, a, i, j, time)
            which[count] = t * 64 + int(M[f, 7]) % 63  # the last is the guard's
            count += 1
    count = thin_out(T, which, count, close, M, U, kept)
    if soonest <= h:
        for c in range(10):
            T[count, c] = T[len(T) - 1, c]
        which[count] = GUARD
        count += 1
    return count
