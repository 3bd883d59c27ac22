"""Fields of force of a scene -> arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from ..errors import SceneError
from ..fem.flesh import Flesh
from ..forces import fields as columns
from ..forces.noise import own_order
from ..model.curves import pack
from ..model.records import Bodies, Fields, Floats, Ints
from ..scene import Constant, Curve, Field
from ..scene.forces import ForceSpec
from .forces import Places
from .poses import pose_parts

WHAT = ("force", "wind", "vortex", "magnetic", "harmonic", "turbulence", "drag")
SHAPES = ("point", "line", "plane")
FALLOFFS = ("sphere", "tube", "cone")
SIDES = {"both": 0, "front": 1, "back": -1}
NOT_NEGATIVE = (
    "flow", "damping", "size", "power", "nearest", "farthest", "radial_power", "radial_nearest", "radial_farthest",
    "noise",
)  # fmt: skip
_LENGTHS = {columns.NEAR: "nearest", columns.FAR: "farthest"}
_RADII = {columns.NEAR_R: "radial_nearest", columns.FAR_R: "radial_farthest"}


def fields(forces: Sequence[ForceSpec], places: Places, flesh: Flesh | None) -> Fields | None:
    """All fields of force; null when there are none."""
    found = [(i, force) for i, force in enumerate(forces) if isinstance(force, Field)]
    if not found:
        return None
    bodies = places.bodies
    soft: tuple[str, ...] = () if flesh is None else flesh.names
    kind = np.zeros((len(found), 7), np.int64)
    number = np.zeros((len(found), 12))
    order = np.zeros((len(found), 256), np.int64)
    curves: list[tuple[int, Curve, str]] = []
    weight = np.zeros((len(found), len(bodies.names) + len(soft)))
    for n, (i, field) in enumerate(found):
        place = f"forces[{i}]" + (f" '{field.name}'" if field.name else "")
        _check(field, place)
        kind[n] = _kind(field)
        number[n] = _numbers(field)
        order[n] = _order(field, f"{place}.noise_order")
        curves += [(n, curve, where) for curve, where in _curves(field, place)]
        weight[n] = _weights(field, bodies.names + soft, place)
    spread = np.array([field.spread for _, field in found])
    link, at, point_weight = _points(bodies, weight[:, : len(bodies.names)], spread)
    of, mass = _flesh(flesh)
    return Fields(
        kind, number, order, pack(curves), link, at, point_weight, of, mass,
        np.ascontiguousarray(weight[:, len(bodies.names) :]),
    )  # fmt: skip


def _check(field: Field, place: str) -> None:
    for name in NOT_NEGATIVE:
        value = getattr(field, name)
        if value is not None and value < 0.0:
            raise SceneError(
                f"{place}.{name}", f"the {name.replace('_', ' ')} is {value}", "Give zero or more."
            )
    for name in ("unit", "noise_rate"):
        if not getattr(field, name) > 0.0:
            raise SceneError(f"{place}.{name}", f"it is {getattr(field, name)}", "Give a number above zero.")


def _kind(field: Field) -> tuple[int, ...]:
    return (
        WHAT.index(field.type), SHAPES.index(field.shape), FALLOFFS.index(field.falloff), SIDES[field.side],
        int(field.gravitation), int(field.world_noise), field.seed & 0x7FFFFFFF,
    )  # fmt: skip


def _numbers(field: Field) -> Floats:
    row = np.zeros(12)
    row[columns.FLOW], row[columns.DAMPING], row[columns.SIZE] = field.flow, field.damping, field.size
    row[columns.POWER], row[columns.POWER_R] = field.power, field.radial_power
    row[columns.NOISE], row[columns.RATE], row[columns.UNIT] = field.noise, field.noise_rate, field.unit
    radial = 1.0 if field.falloff == "cone" else field.unit
    for lengths, unit in ((_LENGTHS, field.unit), (_RADII, radial)):
        for column, name in lengths.items():
            value = getattr(field, name)
            row[column] = math.inf if value is None else value / unit
    return row


def _order(field: Field, place: str) -> Ints:
    if not field.noise_order:
        return own_order()
    if sorted(field.noise_order) != list(range(256)):
        raise SceneError(
            place,
            "it is not an order of the numbers from 0 to 255",
            "Give each of them once, or leave it out.",
        )
    return np.array(field.noise_order, np.int64)


def _curves(field: Field, place: str) -> list[tuple[Curve, str]]:
    """Strength, position and rotation vector."""
    strength = field.strength
    curves: list[tuple[Curve, str]] = [
        (Constant(float(strength)) if isinstance(strength, int | float) else strength, f"{place}.strength")
    ]
    if len(field.motion) not in (0, 6):
        raise SceneError(
            f"{place}.motion",
            f"there are {len(field.motion)} curves",
            "Give six: three of the position and three of the rotation vector.",
        )
    if field.motion:
        return curves + [(curve, f"{place}.motion[{k}]") for k, curve in enumerate(field.motion)]
    R, p = pose_parts(field.pose, f"{place}.pose")
    return curves + [(Constant(float(v)), place) for v in (*p, *Rotation.from_matrix(R).as_rotvec())]


def _weights(field: Field, names: tuple[str, ...], place: str) -> Floats:
    """How strongly each body and flesh feels a field."""
    out = np.zeros(len(names))
    if field.bodies is None:
        if field.weights:
            raise SceneError(
                f"{place}.weights", "there are weights and no bodies", "Name the bodies that they are for."
            )
        out[:] = 1.0
        return out
    if field.weights and len(field.weights) != len(field.bodies):
        raise SceneError(
            f"{place}.weights",
            f"there are {len(field.weights)} weights for {len(field.bodies)} bodies",
            "Give one for each of the bodies, in their order.",
        )
    for k, name in enumerate(field.bodies):
        if name not in names:
            raise SceneError(
                f"{place}.bodies[{k}]",
                f"there is no body or flesh '{name}'",
                "Give the name of a body or of flesh of the scene.",
            )
        out[names.index(name)] = field.weights[k] if field.weights else 1.0
    return out


def _points(
    bodies: Bodies, weight: Floats, spread: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> tuple[Ints, Floats, Floats]:
    """Points of bodies that feel fields: links, (place, share, mass), and weights (nf, np)."""
    link: list[int] = []
    at: list[Floats] = []
    columns_: list[Floats] = []
    for b in range(len(bodies.names)):
        for points, share, use in (
            (bodies.E_jb[b, None, 9:], 1.0, ~spread),
            (_six(bodies, b), 1.0 / 6.0, spread),
        ):
            felt = np.where(use, weight[:, b], 0.0)
            if not felt.any():
                continue
            for x in points:
                link.append(int(bodies.link[b]))
                at.append(np.array([*x, share, share * bodies.inertia[b, 3]]))
                columns_.append(felt)
    return (
        np.array(link, np.int64),
        np.array(at, float).reshape(-1, 5),
        np.ascontiguousarray(np.array(columns_, float).reshape(-1, len(weight)).T),
    )


def _six(bodies: Bodies, b: int) -> Floats:
    """Six points on a body's principal axes, of a sixth of its mass each, with its second moments [m], shape (6, 3)."""
    R, centre = bodies.E_jb[b, :9].reshape(3, 3), bodies.E_jb[b, 9:]
    moments, mass = bodies.inertia[b, :3], bodies.inertia[b, 3]
    spread = np.maximum(0.5 * moments.sum() - moments, 0.0) / mass if mass > 0.0 else np.zeros(3)
    steps = (R * np.sqrt(3.0 * spread)).T
    return np.concatenate([centre + steps, centre - steps])


def _flesh(flesh: Flesh | None) -> tuple[Ints, Floats]:
    """The flesh or strand of each vertex, and what each of these weighs [kg]."""
    if flesh is None:
        return np.zeros(0, np.int64), np.zeros(0)
    of = np.full(flesh.nv, -1, np.int64)
    mass = np.zeros(len(flesh.names))
    for k in range(len(flesh.names)):
        of[flesh.first[k] : flesh.first[k + 1]] = k
        mass[k] = flesh.tets.mass[flesh.first[k] : flesh.first[k + 1]].sum()
    return of, mass
