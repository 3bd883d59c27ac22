"""What the kernel of a tree's steps (`trees/kernel.py`) needs of a model, packed into three arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...friction.joints.loads import BALL
from ...friction.sleep import CALM, SPEED
from ...joints.kinds import Kind
from ...model.curves import Curves
from ...model.records import Floats, Ints, Model
from ...model.state import Options
from .cells import find_cells

Mask = NDArray[np.bool_]


def suits(model: Model, options: Options) -> bool:
    """Whether nothing but the joints of a tree acts and binds, and the options ask for nothing else."""
    c = model.constraints
    others = (
        model.flesh,
        model.contact,
        model.ropes,
        model.reduction,
        model.external,
        model.fields,
        model.guides,
        model.wakes,
        model.muscles,
    )
    f = model.friction
    return (
        options.solver != "direct"
        and options.stabilisation is None
        and options.limit_lookahead
        and options.curved_loops
        and all(part is None for part in others)
        and len(c.rows.type) <= _MOST_ROWS
        and not len(c.rows.targets)
        and c.always
        and not len(c.gears.offset)
        and not len(model.springs.rest)
        and (
            f is None or bool(np.all(f.rubs.dofs == 1) and np.all(f.loops.shape != BALL) and not len(f.stops))
        )
    )


@dataclass(frozen=True)
class Packed:
    ints: Ints
    """Begins with where each part begins, and where the last one ends."""
    floats: Floats
    at: Ints
    """The same for `floats`."""
    modes: Ints
    """Part of `ints`, to be written to: how each motion is followed now."""
    turn_limit: Floats
    """Part of `floats`, to be written to: see `Model.turn_limit`."""


def pack(model: Model, options: Options) -> Packed:
    """For steps of options.h [s]."""
    t, j, limits, sources = model.tree, model.joints, model.constraints.limits, model.sources
    h, c, rows = options.h, model.constraints, model.constraints.rows
    A_m, drag = h * t.damping, np.zeros((0, 21))
    if model.bodies.explicit is not None:
        drag = np.zeros_like(t.damping)
        links = model.bodies.link[model.bodies.explicit]
        drag[links] = t.damping[links]
        A_m[links] = 0.0
    f = model.friction
    none: Ints = np.zeros(0, np.int64)
    rubs: list[Any] = [none, none, none]
    pins: list[Any] = [none, none, none, none]
    pin_link: Ints = np.zeros((0, 2), np.int64)
    push = size = mu = pin_x = pin_axis = pin_size = np.zeros(0)
    curves = [j.torque, j.motion]
    points = 0
    if f is not None:
        rubs, points = [f.rubs.shape, f.rubs.link, f.rubs.dof], f.rubs.points
        push, size, mu = h * f.motors.torque, f.rubs.size, np.concatenate([f.rubs.mu, f.loops.mu])
        pins, pin_link = (
            [*_rows_of(rows.owner, f.loops.constraint), f.loops.shape, f.loops.slides],
            f.loops.link,
        )
        pin_x, pin_axis, pin_size = f.loops.x, f.loops.axis, f.loops.size
        curves.append(f.motors.speed)
    driving = joined(curves)
    profile = joined([] if j.profile is None else [j.profile])
    explicit = np.zeros(0) if j.explicit is None else j.explicit.astype(float)
    dry = f is not None
    turns = bool(np.isin(t.kind, [int(Kind.SPHERICAL), int(Kind.SPHERICAL_EULER)]).any())
    numbers = [options.corrections, options.friction_iterations, points, dry, dry and options.sleep, turns]
    ints, where = _packed(
        [
            t.parent, t.kind, t.dof, t.at, sources.first, sources.source, *rubs, limits.dof,
            _tree_of_link(t.parent),
            j.torque.target, j.motion.target, np.zeros(len(j.motion)),
            driving.first, driving.formula, driving.at,
            profile.target, profile.first, profile.formula, profile.at, j.stops[:, 0], numbers,
            rows.type, np.concatenate([rows.link, pin_link]), *pins, *find_cells(model).parts(),
            _origins(t.parent, rows.link), model.centres.which,
        ],
        np.int64,
    )  # fmt: skip
    head = len(where)
    packed_ints = np.concatenate([where + head, ints])
    floats, at = _packed(
        [
            t.params, t.E_pj0, t.inertia, t.inertia + A_m, drag, model.gravity,
            j.stiffness, j.damping, j.rest, explicit, push, limits.side, limits.bound, limits.restitution, size, mu,
            driving.until, driving.data, profile.until, profile.data,
            j.guide if len(j.guide) else np.zeros((len(j.motion), 2)), j.stops[:, 1:], model.turn_limit,
            [h, options.friction_tolerance, c.size, SPEED, options.position_tolerance, CALM],
            rows.x, rows.axis, rows.value, rows.x[:, 1], rows.axis[:, 1], rows.lever, pin_x, pin_axis, pin_size,
            model.centres.of,
        ],
        np.float64,
    )  # fmt: skip
    return Packed(
        packed_ints,
        floats,
        at,
        packed_ints[packed_ints[_MODES] : packed_ints[_MODES + 1]],
        floats[at[_TURN_LIMIT] : at[_TURN_LIMIT + 1]],
    )


def _tree_of_link(parent: Ints) -> Ints:
    """Number of the tree that each link is in, shape (nl,)."""
    number = np.cumsum(parent < 0) - 1
    for j, p in enumerate(parent):
        if p >= 0:
            number[j] = number[p]
    return number


def _origins(parent: Ints, joined: Ints) -> Ints:
    """The first link of the tree that each link is in, or of the trees that loops join to it, shape (nl,)."""
    first = np.arange(len(parent))
    for j, p in enumerate(parent):
        if p >= 0:
            first[j] = first[p]
    for a, b in joined:
        if a >= 0 and b >= 0 and first[a] != first[b]:
            one, other = sorted((first[a], first[b]))
            first[first == other] = one
    return first


def _rows_of(owner: Ints, constraint: Ints) -> tuple[Ints, Ints]:
    """Where the rows of each of these constraints begin and end; those of one stand together."""
    rows = [np.flatnonzero(owner == c) for c in constraint]
    begin = [int(each[0]) if len(each) else 0 for each in rows]
    return np.array(begin, np.int64), np.array(
        [b + len(r) for b, r in zip(begin, rows, strict=True)], np.int64
    )


_MOST_ROWS = 200
"""Of loops, whose matrix is dense."""
_MODES, _TURN_LIMIT = 13, 22
"""Which parts these are."""


def _packed(parts: Sequence[Any], dtype: type) -> tuple[NDArray[Any], Ints]:
    """All parts one after the other, and where each begins and the last one ends."""
    flat: list[NDArray[Any]] = [np.asarray(part, dtype).ravel() for part in parts]
    return np.concatenate(flat), np.cumsum([0, *map(len, flat)]).astype(np.int64)


def joined(curves: Sequence[Curves]) -> Curves:
    """Curves one after the other."""
    pieces = np.cumsum([0, *(len(c.until) for c in curves)])
    data = np.cumsum([0, *(len(c.data) for c in curves)])

    def together(parts: list[Any], dtype: type) -> NDArray[Any]:
        return np.asarray(np.concatenate([np.zeros(0, dtype), *parts]), dtype)

    return Curves(
        together([c.target for c in curves], np.int64),
        together([[0], *(n + c.first[1:] for n, c in zip(pieces, curves, strict=False))], np.int64),
        together([c.until for c in curves], np.float64),
        together([c.formula for c in curves], np.int64),
        together([[0], *(n + c.at[1:] for n, c in zip(data, curves, strict=False))], np.int64),
        together([c.data for c in curves], np.float64),
    )
