"""Contact points of the pairs of pieces that came near each other."""

from __future__ import annotations

import numpy as np

from ...algebra.arrays import Floats, Ints
from ...algebra.spatial import cross, load12, unrotate
from ...jit.decorators import njit
from ..rows import SWIFT, approach, back_to_start, closing, deepest, put_contact, thickness, touch
from ..shapes.kinds import GUARD, HULL, KEYS, MESH, MOST, PLANE
from ..vectors import apart, dot, norm, row3, scale, sub
from .epa import CORNERS, FACES
from .guard import comes_from, guard_contact, push_back, turn_round
from .manifold import ROOM
from .mesh_pairs import GATHERED, mesh_contacts
from .pairs import pair_contacts
from .planes import plane_contacts
from .sweep import first_touch, pose_at

DEEP = 0.25
"""Pieces that overlap by more than this fraction of the thinner one come apart to the side that the smaller one's
middle is on: the shortest way may lead through."""


@njit
def narrow(
    pairs: Ints, start: int, kind: Ints, size: Floats, first: Ints, verts: Floats, faces: Ints, face_at: Ints,
    face_vertex: Ints, face_normal: Floats, edge_at: Ints, edge_to: Ints, guard: Floats, half: Floats, rounding: Floats,
    mesh_of: Ints, mesh_first: Ints, corner: Floats, normal: Floats, beside: Floats, edge: Ints, closed: Ints,
    order: Ints, node_first: Ints, nodes: Floats, E: Floats, v: Floats, w: Floats, a: Floats, reach: Floats,
    slack: Floats, h: float, X: Floats, which: Ints,
) -> tuple[int, int]:  # fmt: skip
    """Rows X and (pair, feature) of the pairs from `start` on, until there is no more room for those of a pair.

    Returns the number of rows, and the first pair that has not been looked at.
    """
    S, N, F = np.empty((CORNERS + 1, 9)), np.empty((FACES, 4)), np.empty((FACES, 3), np.int64)
    H, weight = np.empty((FACES, 2), np.int64), np.empty(8)
    P, Q, R, M = np.empty((ROOM, 4)), np.empty((ROOM, 4)), np.empty((ROOM, 4)), np.empty((ROOM, 8))
    # A triangle as a solid of its own, and where the contacts of a mesh are gathered.
    kind_t, first_t = np.full(1, HULL), np.zeros(2, np.int64)
    first_t[1] = 3
    size_t, verts_t, box = np.zeros((1, 3)), np.empty((3, 3)), np.empty(6)
    stack, T, U = np.empty(64, np.int64), np.empty((GATHERED, 10)), np.empty((GATHERED, 11))
    named, kept = np.empty(GATHERED, np.int64), np.empty(GATHERED, np.int64)
    n = len(kind)
    point, no_size, own_reach = np.zeros(n, np.int64), np.zeros((n, 3)), reach.copy()
    count = 0
    for p in range(start, len(pairs)):
        i, j = pairs[p] // n, pairs[p] % n
        if count + (GATHERED if kind[j] == MESH else MOST) > len(X):
            return count, p
        near = slack[i] + slack[j]
        if kind[j] == MESH:
            m = mesh_of[j]
            found = mesh_contacts(
                kind, size, first, verts, faces, face_at, face_vertex, face_normal, edge_at, edge_to, guard, half,
                rounding, E, v, w, a, reach, i, j, near, closing(v, w, reach, i, j, h), h,
                mesh_first[m], corner, normal, beside, edge, closed[m], order, nodes, node_first[m],
                (node_first[m + 1] - node_first[m]) // 2, kind_t, size_t, first_t, verts_t, box, stack,
                point, no_size, own_reach, T, named, U, kept, S, weight, N, F, H, P, Q, R, M,
            )  # fmt: skip
            for k in range(found):
                for c in range(10):
                    X[count, c] = T[k, c]
                which[count, 0], which[count, 1] = p, named[k] % KEYS
                count += 1
            continue
        Ei = load12(E, i)
        round_ = rounding[i] + rounding[j]
        relative = apart(Ei, load12(E, j))
        t = 0.0
        passing, swift = False, False
        if kind[j] == PLANE:
            # Of a plane only the approach along its normal counts.
            arm = (E[i, 9] - E[j, 9], E[i, 10] - E[j, 10], E[i, 11] - E[j, 11])
            between = sub(sub(row3(v, i), row3(v, j)), cross(row3(w, j), arm))
            fall = max(0.0, -dot((E[j, 2], E[j, 5], E[j, 8]), between))
            far = near + round_ + h * (fall + norm(row3(w, i)) * reach[i])
            turn = unrotate(Ei, scale(h, row3(w, i)))
            found, up = plane_contacts(kind, size, first, verts, i, relative, turn, far, M)
        else:
            moved = closing(v, w, reach, i, j, h)
            far = near + round_ + moved
            thin = min(thickness(half, rounding, i), thickness(half, rounding, j))
            swift = moved > min(SWIFT * min(reach[i], reach[j]), thin)
            if swift:
                t = first_touch(
                    kind, size, first, verts, i, kind, size, first, verts, j, E, v, w, a, reach, j,
                    round_, touch(reach[i], reach[j]), h, S, weight, N, F, H,
                )  # fmt: skip
                passing = t > h
                if passing or t > 0.0:
                    far = near + round_
                if not passing and t > 0.0:
                    Ei = pose_at(E, v, w, a, i, t)
                    relative = apart(Ei, pose_at(E, v, w, a, j, t))
            found, up = pair_contacts(
                kind, size, first, verts, faces, face_at, face_vertex, face_normal, edge_at, edge_to,
                i, j, relative, far, reach[i] + reach[j], S, weight, N, F, H, P, Q, R, M,
            )  # fmt: skip
            if found > 0 and t == 0.0 and deepest(M, found) - round_ < -DEEP * thin:
                c, o = (i, j) if reach[i] <= reach[j] else (j, i)
                if guard[c, 3] >= 0.0:
                    side = comes_from(
                        point, no_size, c, guard, kind, size, first, verts, o, rounding[o], E, reach[i] + reach[j],
                        S, weight, N, F, H,
                    )  # fmt: skip
                    side = unrotate(Ei, side if c == i else (-side[0], -side[1], -side[2]))
                    if dot(side, up) < 0.0:
                        up = side
                        found = push_back(kind, size, first, verts, i, j, relative, side, M)
        for k in range(found):
            put_contact(M, k, Ei, up, rounding[i], rounding[j], X, count)
            if passing:
                # Near each other now, and not on the way to each other: kept for what gravity may do, unless it would
                # hold up what passes by.
                if h * approach(X, count, E, v, w, i, j) < -X[count, 9]:
                    continue
            elif t > 0.0:
                back_to_start(X, count, E, v, w, a, i, j, t)
            which[count, 0], which[count, 1] = p, int(M[k, 7])
            count += 1
        if swift and not passing:
            c, o = (i, j) if reach[i] <= reach[j] else (j, i)
            if guard[c, 3] >= 0.0:
                t = guard_contact(
                    point, no_size, c, guard, kind, size, first, verts, o, rounding[o], o, E, v, w, a, own_reach,
                    h, S, weight, N, F, H, M, X, count,
                )  # fmt: skip
                if t <= h:
                    if c == j:
                        turn_round(X, count)
                    which[count, 0], which[count, 1] = p, GUARD
                    count += 1
    return count, len(pairs)
