"""All contacts of a step: what is near, where it touches, and how it rubs."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from ..kinematics import Kinematics
from ..model import Floats, Ints, Model
from ..state import State
from .broad import over_planes, overlaps
from .bvh import build
from .contacts import Contacts
from .mesh_pairs import GATHERED
from .narrow import KEYS, narrow
from .placing import Placed, collider_velocity, place_pieces
from .skins import skin_contacts
from .surfaces import Surfaces, Tubes


def find_contacts(model: Model, state: State, kin: Kinematics, h: float, V: Floats | None = None) -> Contacts:
    """Everything that touches, or can touch within a step of h [s] at the present velocities.

    With a gap above zero a contact is a warning: the step may close the gap and no more, n·v >= -gap/h. V are other
    twists of the links to look ahead with, shape (nl, 6): those that a step has found, where they may be faster.
    """
    surfaces = model.contact
    if surfaces is None:
        return no_contacts()
    placed = place_pieces(surfaces, model.gravity, state, kin, h, V)
    pairs = near_pairs(surfaces, placed, h)
    X, which = _points(surfaces, placed, pairs, h)
    found = _contacts(surfaces, placed, pairs, X, which, h)
    if surfaces.tubes is None or not surfaces.bodies_collide:
        return found
    fall = 2.0 * float(np.linalg.norm(model.gravity)) * h * h
    rows, spans = skin_contacts(surfaces.tubes, kin, kin.V if V is None else V, fall, h)
    return joined(found, _skin_to_skin(surfaces.tubes, rows, spans))


def _skin_to_skin(t: Tubes, X: Floats, spans: Ints) -> Contacts:
    """Contacts of tubes. A side is a point of the bone under it."""
    nc = len(X)
    a, b = spans.T
    return Contacts(
        link=t.link[t.span[spans]],
        tet=np.full((nc, 2), -1, np.int64),
        weight=np.zeros((nc, 2, 4)),
        x=np.ascontiguousarray(X[:, :6]).reshape(nc, 2, 3),
        normal=np.ascontiguousarray(X[:, 6:9]),
        gap=np.ascontiguousarray(X[:, 9]),
        velocity=np.zeros((nc, 3)),
        friction=np.sqrt(t.friction[a] * t.friction[b]),
        restitution=np.maximum(t.restitution[a], t.restitution[b]),
        key=-1 - (a * len(t.span) + b),
        pair=t.tube[spans],
    )


def joined(a: Contacts, b: Contacts) -> Contacts:
    """All contacts of both, those of the first before."""
    return Contacts(*(np.concatenate([getattr(a, f.name), getattr(b, f.name)]) for f in fields(Contacts)))


def touching(surfaces: Surfaces, state: State, kin: Kinematics) -> tuple[Ints, Ints, Floats]:
    """Pieces that touch as they are, on both sides, and the gaps between them [m], shape (nc,) each."""
    h = 1e-9  # [s]; nothing moves far in it
    placed = place_pieces(surfaces, np.zeros(3), state, kin, h)
    pairs = near_pairs(surfaces, placed, h)
    X, which = _points(surfaces, placed, pairs, h)
    code = pairs[which[:, 0]]
    return code // len(surfaces), code % len(surfaces), X[:, 9]


def no_contacts() -> Contacts:
    ints, floats = np.zeros(0, np.int64), np.zeros(0)
    return Contacts(
        link=ints.reshape(0, 2),
        tet=ints.reshape(0, 2),
        weight=floats.reshape(0, 2, 4),
        x=floats.reshape(0, 2, 3),
        normal=floats.reshape(0, 3),
        gap=floats,
        velocity=floats.reshape(0, 3),
        friction=floats,
        restitution=floats,
        key=ints,
        pair=ints.reshape(0, 2),
    )


def near_pairs(surfaces: Surfaces, placed: Placed, h: float) -> Ints:
    """Pairs of pieces to look at closely, as (side 0)·n + (side 1), in increasing order."""
    s, n = surfaces, len(surfaces)
    filter_ = (
        s.owner, s.link, s.collider, s.vertex, s.still, s.group, s.ignores, s.apart, s.parted,
        s.bodies_collide,
    )  # fmt: skip
    low, high = placed.low, placed.high
    order, nodes = build(low[s.bounded], high[s.bounded])
    order = s.bounded[order]
    found = []
    out = np.empty(16 * n + 64, np.int64)
    count = overlaps(nodes, order, low, high, s.members, *filter_, out)
    if count > len(out):
        out = np.empty(count, np.int64)
        overlaps(nodes, order, low, high, s.members, *filter_, out)
    found.append(out[:count])
    if len(s.planes):
        out = np.empty(n * len(s.planes), np.int64)
        count = over_planes(
            s.planes, *filter_, placed.E, placed.v, placed.w, s.half, s.rounding,
            placed.reach, placed.slack, h, out,
        )  # fmt: skip
        found.append(out[:count])
    return np.sort(np.concatenate(found))


def _points(surfaces: Surfaces, placed: Placed, pairs: Ints, h: float) -> tuple[Floats, Ints]:
    """Rows (point of side 0, point of side 1, normal, gap), shape (nc, 10), and (pair, feature), shape (nc, 2)."""
    s, m = surfaces.solids, surfaces.meshes
    done = 0
    found: list[tuple[Floats, Ints]] = []
    while done < len(pairs):
        room = 4 * (len(pairs) - done) + GATHERED
        X, which = np.empty((room, 10)), np.empty((room, 2), np.int64)
        count, done = narrow(
            pairs, done, s.kind, s.size, s.first, s.verts, s.faces, s.face_at, s.face_vertex, s.face_normal,
            s.edge_at, s.edge_to, surfaces.half, surfaces.rounding, m.of_piece, m.first, m.corner, m.normal,
            m.beside, m.edge, m.closed, m.order, m.node_first, m.nodes, placed.E, placed.v, placed.w,
            placed.a, placed.reach, placed.slack, h, X, which,
        )  # fmt: skip
        found.append((X[:count], which[:count]))
    if len(found) == 1:
        return found[0]
    return (
        np.concatenate([np.zeros((0, 10)), *(X for X, _ in found)]),
        np.concatenate([np.zeros((0, 2), np.int64), *(which for _, which in found)]),
    )


def _contacts(surfaces: Surfaces, placed: Placed, pairs: Ints, X: Floats, which: Ints, h: float) -> Contacts:
    if len(X) == 0:
        return no_contacts()
    s = surfaces
    code = pairs[which[:, 0]]
    piece = np.stack([code // len(s), code % len(s)], axis=1)
    a, b = piece.T
    nc = len(X)
    x = np.ascontiguousarray(X[:, :6]).reshape(nc, 2, 3)
    tet = np.full((nc, 2), -1, np.int64)
    weight = np.zeros((nc, 2, 4))
    if s.members < len(s):
        soft = (s.vertex[piece] >= 0) & (s.link[piece] < 0)
        vertex = s.vertex[piece[soft]]
        tet[soft] = s.tet[vertex]
        side = weight[soft]
        side[np.arange(len(vertex)), s.corner[vertex]] = 1.0
        weight[soft] = side
    velocity = np.zeros((nc, 3))
    if len(s.motion):
        driven = (s.collider[b] >= 0) & (s.moving[s.collider[b]] >= 0)
        velocity[driven] = collider_velocity(placed, s.collider[b[driven]], x[driven, 1], h)
    return Contacts(
        link=np.ascontiguousarray(s.link[piece]),
        tet=tet,
        weight=weight,
        x=x,
        normal=np.ascontiguousarray(X[:, 6:9]),
        gap=np.ascontiguousarray(X[:, 9]),
        velocity=velocity,
        friction=np.sqrt(s.friction[a] * s.friction[b]),
        restitution=np.maximum(s.restitution[a], s.restitution[b]),
        key=code * KEYS + which[:, 1],
        pair=s.owner[piece],
    )
