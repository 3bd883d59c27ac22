"""All contacts of a step: what is near, where it touches, and how it rubs."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from ..model.records import Floats, Ints, Model
from ..model.state import State
from ..tree.kinematics import Kinematics
from .contacts import Contacts
from .describe import describe
from .narrow.mesh_pairs import GATHERED
from .narrow.pieces import narrow
from .near.between import standing_out
from .near.broad import find_pairs
from .near.placing import Placed, fallen, place_pieces
from .shapes.kinds import MOST
from .shapes.skins import skin_contacts
from .shapes.surfaces import Surfaces, Tubes


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
    found = narrow_contacts(surfaces, placed, pairs, h)
    if surfaces.tubes is None or not surfaces.bodies_collide:
        return found
    rows, spans = skin_contacts(surfaces.tubes, kin, kin.V if V is None else V, fallen(model.gravity, h), h)
    return joined(found, _skin_to_skin(surfaces.tubes, rows, spans))


def narrow_contacts(surfaces: Surfaces, placed: Placed, pairs: Ints, h: float) -> Contacts:
    """Those of pairs of pieces that are near each other."""
    X, which = standing_out(surfaces, pairs, *find_points(surfaces, placed, pairs, h))
    return describe_contacts(surfaces, placed, pairs, X, which, h)


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
    X, which = find_points(surfaces, placed, pairs, h)
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
    s = surfaces
    room = 8 * len(s) + 64
    while True:
        out = np.empty(room, np.int64)
        count = find_pairs(
            s.bounded, s.planes, placed.low, placed.high, s.members, s.owner, s.link, s.collider, s.vertex, s.still,
            s.group, s.ignores, s.apart, s.parted, s.bodies_collide, placed.E, placed.v, placed.w, s.half, s.rounding,
            placed.reach, placed.slack, h, out,
        )  # fmt: skip
        if count <= room:
            return out[:count]
        room = count


def find_points(surfaces: Surfaces, placed: Placed, pairs: Ints, h: float) -> tuple[Floats, Ints]:
    """Rows (point of side 0, point of side 1, normal, gap), shape (nc, 10), and (pair, feature), shape (nc, 2)."""
    s, m = surfaces.solids, surfaces.meshes
    done = 0
    found: list[tuple[Floats, Ints]] = []
    while done < len(pairs):
        room = MOST * (len(pairs) - done) + (GATHERED if len(m.first) > 1 else 0)
        X, which = np.empty((room, 10)), np.empty((room, 2), np.int64)
        count, done = narrow(
            pairs, done, s.kind, s.size, s.first, s.verts, s.faces, s.face_at, s.face_vertex, s.face_normal,
            s.edge_at, s.edge_to, s.guard, surfaces.half, surfaces.rounding, m.of_piece, m.first, m.corner, m.normal,
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


def describe_contacts(
    surfaces: Surfaces, placed: Placed, pairs: Ints, X: Floats, which: Ints, h: float
) -> Contacts:
    """What `find_points` found, with all that is known about it."""
    nc = len(X)
    if nc == 0:
        return no_contacts()
    s = surfaces
    out = Contacts(
        link=np.empty((nc, 2), np.int64),
        tet=np.empty((nc, 2), np.int64),
        weight=np.empty((nc, 2, 4)),
        x=np.empty((nc, 2, 3)),
        normal=np.empty((nc, 3)),
        gap=np.empty(nc),
        velocity=np.empty((nc, 3)),
        friction=np.empty(nc),
        restitution=np.empty(nc),
        key=np.empty(nc, np.int64),
        pair=np.empty((nc, 2), np.int64),
    )
    describe(
        X, which, nc, pairs, s.owner, s.link, s.collider, s.vertex, s.moving, s.friction, s.restitution, s.tet,
        s.weight, placed.collider, h, out.link, out.tet, out.weight, out.x, out.normal, out.gap, out.velocity,
        out.friction, out.restitution, out.key, out.pair,
    )  # fmt: skip
    return out
