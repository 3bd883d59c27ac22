"""A model as the tuples of arrays that the kernel of steps is given (`parts.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..constraints.rows import TWIST
from ..contact.near.placing import fallen
from ..contact.shapes.surfaces import Surfaces
from ..forces.spring_tangent import EXACT
from ..friction.contacts.rows import bounce_speed
from ..friction.general import PART, slop
from ..friction.sleep import SPIN
from ..integrators.trees.pack import joined
from ..model.curves import Curves, pack
from ..model.records import Ints, Model
from ..model.state import Options
from .parts import Acting, Bonds, Inputs, Links, Numbers, Pulls, Shapes, Solids, Stops

Mask = NDArray[np.bool_]
MOST_BONDS = 64
"""Rows of bonds up to which they are solved as rows. Of more, most are linear, and conjugate gradients with the
preconditioner of the tree are faster (a bridge of 80 bodies: twice)."""


def suits(model: Model, options: Options) -> bool:
    """Whether the kernel knows everything that a scene has and the options ask for."""
    surfaces, f, c = model.contact, model.friction, model.constraints
    return (
        model.flesh is None
        and model.reduction is None
        and model.muscles is None
        and (surfaces is None or surfaces.tubes is None)
        and options.solver != "direct"
        and options.stabilisation is None
        and options.limit_lookahead
        and options.curved_loops
        and not np.any(c.rows.type == TWIST)
        and not np.any(model.springs.tangent == EXACT)
        and count_bonds(model) <= MOST_BONDS
        and (f is None or not (len(f.loops) or len(f.stops) or np.any(f.rubs.dofs == 2)))
    )


def count_bonds(model: Model) -> int:
    """Rows of loops, gears, ropes and springs, at most."""
    c, s = model.constraints, model.springs
    ropes = 0 if model.ropes is None else len(model.ropes.owner)
    across = 2 * int((len(s.link) - len(s.rest)) * bool(np.any(s.tangent > 1)))
    return len(c.rows.type) + len(c.gears.offset) + ropes + len(s.rest) + across


def links_of(model: Model, h: float, turning: Mask, of_link: Ints) -> Links:
    t = model.tree
    A_m, drag = h * t.damping, np.zeros((0, 21))
    if model.bodies.explicit is not None:
        drag = np.zeros_like(t.damping)
        links = model.bodies.link[model.bodies.explicit]
        drag[links] = t.damping[links]
        A_m[links] = 0.0
    owner = np.repeat(np.arange(model.nl), np.diff(t.dof)).astype(np.int64)
    return Links(
        t.parent, t.kind, t.dof, t.at, t.params, t.E_pj0, t.inertia, t.inertia + A_m, drag, model.gravity,
        model.tree_of_coordinate, of_link, owner, model.switchable, model.turn_limit.copy(), turning,
        model.centres.which, model.centres.of,
    )  # fmt: skip


def numbers_of(model: Model, options: Options, surfaces: Surfaces) -> Numbers:
    h, size = options.h, model.constraints.size
    return Numbers(
        h, bounce_speed(model.gravity, h), options.contact_tolerance, options.contact_enough, PART, slop(model),
        options.position_tolerance * size, fallen(model.gravity, h), size, SPIN, options.corrections,
        surfaces.members, surfaces.bodies_collide, model.trees, model.longest_path, options.boxed_friction,
    )  # fmt: skip


def shapes_of(s: Surfaces) -> Shapes:
    return Shapes(
        s.link, s.collider, s.vertex, s.E, s.half, s.rounding, s.bounded, s.planes, s.owner, s.still, s.group,
        s.ignores, s.apart, s.parted, s.moving, s.pose, s.friction, s.restitution,
    )  # fmt: skip


def solids_of(surfaces: Surfaces) -> Solids:
    s, m = surfaces.solids, surfaces.meshes
    return Solids(
        s.kind, s.size, s.first, s.verts, s.faces, s.face_at, s.face_vertex, s.face_normal, s.edge_at, s.edge_to,
        s.guard, m.of_piece, m.first, m.corner, m.normal, m.beside, m.edge, m.closed, m.order, m.node_first,
        m.nodes,
    )  # fmt: skip


def stops_of(model: Model) -> Stops:
    l = model.constraints.limits
    link = np.searchsorted(model.tree.dof, l.dof, side="right") - 1
    return Stops(l.dof, link, l.side, l.bound, l.restitution)


def inputs_of(model: Model, surfaces: Surfaces) -> Inputs:
    none = pack([])
    e, g, f = model.external, model.guides, model.friction
    parts: list[Curves] = [
        model.joints.torque,
        model.joints.motion,
        none if f is None else f.motors.speed,
        none if e is None else e.curves,
        none if e is None else e.wind_curves,
        none if g is None else g.curves,
        none if g is None or g.influence is None else g.influence,
        surfaces.motion,
        model.constraints.rows.targets,
        none if model.fields is None else model.fields.curves,
    ]
    all_ = joined(parts)
    starts = np.cumsum([0, *map(len, parts)]).astype(np.int64)
    return Inputs(starts, all_.first, all_.until, all_.formula, all_.at, all_.data)


def acting_of(model: Model, h: float) -> Acting:
    j, f = model.joints, model.friction
    ints, floats = np.zeros(0, np.int64), np.zeros(0)
    motor_dof, push = ints, floats
    if f is not None:
        motor_dof, push = f.motors.speed.target, h * f.motors.torque
    motor_link = np.searchsorted(model.tree.dof, motor_dof, side="right") - 1
    profile = pack([]) if j.profile is None else j.profile
    return Acting(
        j.stiffness, j.damping, j.rest, floats if j.explicit is None else j.explicit.astype(float), j.torque.target,
        j.motion.target, np.zeros(len(j.motion), np.int64), j.guide if len(j.guide) else np.zeros((len(j.motion), 2)),
        j.stops[:, 0].astype(np.int64), np.ascontiguousarray(j.stops[:, 1:]), motor_dof, motor_link.astype(np.int64),
        push, np.zeros(model.nr, bool), np.full(model.nl, np.inf), profile.target, profile.first, profile.until,
        profile.formula, profile.at, profile.data,
    )  # fmt: skip


def pulls_of(model: Model) -> Pulls:
    e, g = model.external, model.guides
    ints, three = np.zeros(0, np.int64), np.zeros((0, 3))
    forces: Any = (ints, three, np.zeros((0, 3, 3)), np.zeros(0, bool), ints, three, three)
    if e is not None:
        forces = (e.link, e.x, e.axes, e.in_world, e.wind_link, e.wind_x, e.wind_drag)
    guides: Any = (ints, ints, three, three, *(np.zeros(0),) * 3, ints, three)
    if g is not None:
        influenced = ints if g.influence is None else g.influence.target
        spans = [(i, a, b) for i, every in enumerate(g.active) for a, b in every]
        guides = (
            g.point, g.link, g.x, g.direction, g.stiffness, g.damping, g.reach, influenced,
            np.array(spans, float).reshape(-1, 3),
        )  # fmt: skip
    fields: Any = (*(np.zeros((0, k), d) for k, d in ((7, np.int64), (12, float), (256, np.int64))),)
    fields += (ints, np.zeros((0, 5)), np.zeros((0, 0)))
    if model.fields is not None:
        f = model.fields
        fields = (f.kind, f.number, f.order, f.link, f.at, f.weight)
    return Pulls(*forces, *guides, *fields)


def bonds_of(model: Model) -> Bonds:
    r, g, s = model.constraints.rows, model.constraints.gears, model.springs
    rope: Any = (np.zeros((0, 2), np.int64), np.zeros((0, 2, 3)), np.zeros(0), np.zeros(0))
    if model.ropes is not None:
        rope = (model.ropes.link, model.ropes.x, model.ropes.length, model.ropes.side)
    x, axis = (a[:, 1].copy() for a in (r.x, r.axis))
    n = len(r.type) + len(g.offset) + len(rope[2])
    rows: Any = (
        np.ones(n, bool),
        r.type,
        r.link,
        r.x,
        r.axis,
        r.value,
        x,
        axis,
        axis.copy(),
        r.path,
        r.turn,
        r.lever,
    )
    gears: Any = (g.first, g.dof, g.factor, g.offset, g.lever)
    springs: Any = (s.first, s.link, s.x, s.stiffness, s.damping, s.rest, s.tension_only, s.tangent)
    return Bonds(*rows, *gears, *rope, *springs)
