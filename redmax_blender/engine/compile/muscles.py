"""Muscles of a scene -> arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..algebra.se3 import pose_matrix, pose_row
from ..errors import SceneError
from ..model.curves import evaluate, pack
from ..model.records import Floats, Ints, Joints, Model, Tree
from ..muscles.compiled import Muscles, PlainMuscles, Reflexes
from ..muscles.hill.curves import Shapes, TendonShape, undamped
from ..muscles.hill.equilibrium import resting_fibres
from ..muscles.hill.muscle import Hill
from ..muscles.hill.muscle import pack as pack_hill
from ..muscles.paths.exact import evaluate as exact_path
from ..muscles.paths.exact import point_positions, surface_poses
from ..muscles.paths.smooth.pack import Given, MassPoint, outside, pack_paths
from ..muscles.records import MusclePath, PathPoint, Side, Surface, Wrap, WrapSurface
from ..scene.muscles import (
    HillActuator,
    MuscleSpec,
    Reflex,
    SpringActuator,
    WrapCapsule,
    WrapCylinder,
    WrapEllipsoid,
    WrapSpec,
    WrapSphere,
)
from ..tree.kinematics import Kinematics
from .forces import Places
from .poses import pose_numbers

_SIDES = {"shortest": Side.SHORTEST, "counter-clockwise": Side.COUNTER_CLOCKWISE, "clockwise": Side.CLOCKWISE}


@dataclass(frozen=True)
class _Site:
    """What muscles are compiled from besides their specs."""

    places: Places
    joints: Joints
    tree: Tree
    q0: Floats
    qdot0: Floats
    surfaces: dict[str, WrapSurface]


def with_muscles(
    model: Model, specs: Sequence[MuscleSpec], wraps: Sequence[WrapSpec], places: Places, kin: Kinematics
) -> Model:
    """The model with its muscles, if any."""
    surfaces = _surfaces(wraps, places)
    if not specs:
        return model
    if model.flesh is not None:
        raise SceneError(
            "muscles", "muscles do not yet work in a scene with flesh", "Take out the muscles, or the flesh."
        )
    site = _Site(places, model.joints, model.tree, model.q0, model.qdot0, surfaces)
    paths = [_path(spec, _place(i, spec), site, kin) for i, spec in enumerate(specs)]
    names = [spec.name for spec in specs]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise SceneError(
                _place(i, specs[i]), "another muscle has this name", "Give it a name of its own."
            )
    lengths = np.array([exact_path(path, kin.E_wj, q=model.q0).length for path in paths])
    given = [
        Given(path, _mass_points(spec, float(L), _place(i, spec)), spec.rounding, spec.segments)
        for i, (spec, path, L) in enumerate(zip(specs, paths, lengths, strict=True))
    ]
    above = _coordinates_above(model.tree)
    packed = pack_paths(given, kin.E_wj, model.q0, lambda path: _moved_by(path, above))
    hill, of_hill = [], []
    for i, spec in enumerate(specs):
        if isinstance(spec.actuator, HillActuator):
            hill.append(_hill(spec.actuator, float(lengths[i]), f"{_place(i, spec)}.actuator"))
            of_hill.append(i)
    records, curves = pack_hill(hill)
    excitation = pack(
        (i, spec.excitation, f"{_place(i, spec)}.excitation")
        for i, spec in enumerate(specs)
        if spec.excitation is not None
    )
    muscles = Muscles(
        names=tuple(names),
        paths=packed,
        hill=records,
        curves=curves,
        of_hill=np.array(of_hill, np.int64),
        plain=_plain(specs, lengths),
        times=np.array([_times(spec) for spec in specs]),
        excitation=excitation,
        reflexes=_reflexes(specs, site, lengths),
        sources=tuple(paths),
        exact=tuple(i for i, g in enumerate(given) if g.is_exact),
        start=np.zeros((len(specs), 2)),
    )
    u = np.zeros(len(specs))
    u[excitation.target] = np.clip(evaluate(excitation, model.t0)[:, 0], 0.0, 1.0)
    a = np.array([u[i] if spec.activation is None else spec.activation for i, spec in enumerate(specs)])
    muscles.start[:, 0] = np.maximum(a, muscles.times[:, 2])
    fibres = np.empty(len(hill))
    resting_fibres(records, curves, muscles.start[of_hill, 0], lengths[of_hill], fibres)
    muscles.start[of_hill, 1] = fibres
    return replace(model, muscles=muscles)


def _place(i: int, spec: MuscleSpec) -> str:
    return f"muscles[{i}] '{spec.name}'"


def _positive(value: float, place: str, what: str, zero: bool = False) -> float:
    if value < 0.0 or (value == 0.0 and not zero):
        raise SceneError(
            place, f"the {what} is {value}", f"Give {'zero or more' if zero else 'more than zero'}."
        )
    return value


def _surfaces(wraps: Sequence[WrapSpec], places: Places) -> dict[str, WrapSurface]:
    out: dict[str, WrapSurface] = {}
    for i, wrap in enumerate(wraps):
        place = f"wraps[{i}] '{wrap.name}'"
        if wrap.name in out:
            raise SceneError(place, "another surface has this name", "Give it a name of its own.")
        kind, size = _shape(wrap, place)
        link, E = -1, pose_matrix(np.array(pose_numbers(wrap.pose, f"{place}.pose")))
        if wrap.body is not None:
            b = places.body(wrap.body, f"{place}.body")
            link = int(places.bodies.link[b])
            E = pose_matrix(places.bodies.E_js[b]) @ E
        row = pose_row(E)
        origin = (float(row[9]), float(row[10]), float(row[11]))
        out[wrap.name] = WrapSurface(wrap.name, kind, size, link, tuple(map(float, row[:9])), origin)
    return out


def _shape(wrap: WrapSpec, place: str) -> tuple[Surface, tuple[float, float, float]]:
    s = wrap.shape
    if isinstance(s, WrapCylinder):
        return Surface.CYLINDER, (_positive(s.radius, f"{place}.shape.radius", "radius"), 0.0, 0.0)
    if isinstance(s, WrapSphere):
        return Surface.SPHERE, (_positive(s.radius, f"{place}.shape.radius", "radius"), 0.0, 0.0)
    if isinstance(s, WrapEllipsoid):
        for r in s.radii:
            _positive(r, f"{place}.shape.radii", "half axis")
        return Surface.ELLIPSOID, s.radii
    if isinstance(s, WrapCapsule):
        _positive(s.radius, f"{place}.shape.radius", "radius")
        length = np.inf if s.length is None else _positive(s.length, f"{place}.shape.length", "length", True)
        return Surface.CAPSULE, (s.radius, float(length), 0.0)
    _positive(s.tube, f"{place}.shape.tube", "radius")
    if not s.ring > s.tube:
        raise SceneError(
            f"{place}.shape.ring", f"a ring of {s.ring} m made of a tube of {s.tube} m has no hole",
            "Give a ring that is larger than its tube.",
        )  # fmt: skip
    return Surface.TORUS, (s.ring, s.tube, 0.0)


def _path(spec: MuscleSpec, place: str, site: _Site, kin: Kinematics) -> MusclePath:
    points = []
    for k, point in enumerate(spec.points):
        at = f"{place}.points[{k}]"
        link, x = -1, np.array(point.position, float)
        if point.body is not None:
            link, x = site.places.on_body(point.body, point.position, at)
        active = None
        if point.active is not None and 0 < k < len(spec.points) - 1:
            dof = _dof(point.active.joint, point.active.coordinate, f"{at}.active", site)
            if not point.active.lower <= point.active.upper:
                raise SceneError(f"{at}.active", "the range is empty", "Let lower be below upper.")
            active = (dof, point.active.lower, point.active.upper)
        points.append(PathPoint(link, (float(x[0]), float(x[1]), float(x[2])), None, active))
    if all(p.frame == points[0].frame for p in points):
        raise SceneError(
            f"{place}.points",
            "all points are on one body",
            "Put at least one on another body or in the world.",
        )
    surfaces, wraps = [], []
    last = len(points) - 1
    for k, over in enumerate(spec.over):
        at = f"{place}.over[{k}]"
        if over.surface not in site.surfaces:
            raise SceneError(
                f"{at}.surface",
                f"there is no surface '{over.surface}'",
                "Give the name of one of the scene's wraps.",
            )
        before = last if over.before is None else over.before
        if not over.after < before <= last:
            raise SceneError(
                at, f"points {over.after} to {before} are not two of the muscle's {last + 1}",
                "Count points from 0, and let 'before' come after 'after'.",
            )  # fmt: skip
        surfaces.append(site.surfaces[over.surface])
        wraps.append(Wrap(k, over.after, before, _SIDES[over.side]))
    path = MusclePath(spec.name, tuple(points), tuple(surfaces), tuple(wraps))
    _check_outside(path, place, kin, site.q0)
    return path


def _check_outside(path: MusclePath, place: str, kin: Kinematics, q: Floats) -> None:
    """The first and last points between which a path slides over a surface must be outside it."""
    X, _ = point_positions(path, kin.E_wj, q)
    where = surface_poses(path, kin.E_wj)
    for wrap in path.wraps:
        E = where[wrap.surface]
        for k in (wrap.first, wrap.last):
            if not outside(path.surfaces[wrap.surface], (X[k] - E[9:]) @ E[:9].reshape(3, 3)):
                raise SceneError(
                    f"{place}.points[{k}]",
                    f"the point is inside the surface '{path.surfaces[wrap.surface].name}'",
                    "Move it out, or make the surface smaller.",
                )


def _dof(joint: str, coordinate: int, place: str, site: _Site) -> int:
    if joint not in site.joints.names:
        raise SceneError(
            f"{place}.joint", f"there is no joint '{joint}'", "Give the name of a joint of the scene."
        )
    begin, end = site.joints.dof[site.joints.names.index(joint)].tolist()
    if not coordinate < end - begin:
        raise SceneError(
            f"{place}.coordinate", f"the joint '{joint}' has {end - begin} coordinates", "Count them from 0."
        )
    return int(begin + coordinate)


def _mass_points(spec: MuscleSpec, length: float, place: str) -> list[MassPoint]:
    _positive(spec.mass, f"{place}.mass", "mass", True)
    a = _positive(spec.origin_tendon, f"{place}.origin_tendon", "length", True)
    b = _positive(spec.insertion_tendon, f"{place}.insertion_tendon", "length", True)
    if not a + b < length:
        raise SceneError(
            place,
            f"its tendons are {a + b:.6g} m long and its path is {length:.6g} m",
            "Give shorter tendons.",
        )
    if spec.rounding is not None:
        _positive(spec.rounding, f"{place}.rounding", "rounding", True)
        if spec.rounding == 0.0 and a + b > 0.0:
            raise SceneError(
                f"{place}.rounding",
                "the mass of an exact path has no tendons",
                "Give a rounding, or no tendons.",
            )
    weights = spec.distribution or [1.0] * spec.mass_points
    if min(weights) < 0.0 or not sum(weights) > 0.0:
        raise SceneError(
            f"{place}.distribution", "the numbers are not shares of a mass", "Give zeros and more."
        )
    if not spec.inertia or spec.mass == 0.0:
        return []
    n, total = len(weights), sum(weights)
    out = []
    for i, w in enumerate(weights):
        share = (i + 0.5) / n
        out.append(MassPoint(spec.mass * w / total, share, a - share * (a + b)))
    return out


def _hill(spec: HillActuator, length: float, place: str) -> Hill:
    _positive(spec.max_force, f"{place}.max_force", "force")
    fibre = 0.5 * length if spec.optimal_length is None else spec.optimal_length
    _positive(fibre, f"{place}.optimal_length", "length")
    if not 0.0 <= spec.pennation < 1.4:
        raise SceneError(f"{place}.pennation", f"the angle is {spec.pennation} rad", "Give 0 to 1.4.")
    slack = length - fibre * float(np.cos(spec.pennation)) if spec.slack_length is None else spec.slack_length
    _positive(slack, f"{place}.slack_length", "length")
    for name in ("max_velocity", "activation_time", "deactivation_time", "tendon_strain"):
        _positive(getattr(spec, name), f"{place}.{name}", name.replace("_", " "))
    _positive(spec.damping, f"{place}.damping", "damping", True)
    if not 0.0 <= spec.min_activation < 1.0:
        raise SceneError(
            f"{place}.min_activation", f"it is {spec.min_activation}", "Give 0 or more, below 1."
        )
    shapes = Shapes() if spec.damping > 0.0 else undamped()
    return Hill(
        spec.max_force, fibre, slack, spec.pennation, spec.max_velocity, spec.damping, spec.activation_time,
        spec.deactivation_time, spec.min_activation, spec.rigid_tendon,
        replace(shapes, tendon=TendonShape(spec.tendon_strain)),
    )  # fmt: skip


def _times(spec: MuscleSpec) -> tuple[float, float, float]:
    a = spec.actuator
    if isinstance(a, HillActuator):
        least = a.min_activation if a.damping > 0.0 else max(0.01, a.min_activation)
        return a.activation_time, a.deactivation_time, least
    return (0.0, 0.0, 0.0) if a is None else (a.activation_time, a.deactivation_time, 0.0)


def _plain(specs: Sequence[MuscleSpec], lengths: Floats) -> PlainMuscles:
    rows, index = [], []
    for i, spec in enumerate(specs):
        a = spec.actuator
        if not isinstance(a, SpringActuator):
            continue
        for name in ("max_force", "stiffness", "damping", "activation_time", "deactivation_time"):
            _positive(getattr(a, name), f"{_place(i, spec)}.actuator.{name}", name.replace("_", " "), True)
        rest = lengths[i] if a.rest_length is None else a.rest_length
        _positive(rest, f"{_place(i, spec)}.actuator.rest_length", "length")
        index.append(i)
        rows.append((a.max_force, a.stiffness, a.damping, rest))
    columns = np.ascontiguousarray(np.array(rows, float).reshape(-1, 4).T)
    return PlainMuscles(np.array(index, np.int64), *columns)


def _reflexes(specs: Sequence[MuscleSpec], site: _Site, lengths: Floats) -> Reflexes:
    rows: list[tuple[int, int, float, Reflex]] = []
    for i, spec in enumerate(specs):
        for k, r in enumerate(spec.reflexes):
            place = f"{_place(i, spec)}.reflexes[{k}]"
            dof = -1 if r.joint is None else _dof(r.joint, r.coordinate, place, site)
            first = float(lengths[i] if dof < 0 else site.q0[dof])
            rows.append((i, dof, first if r.target is None else r.target, r))
    return Reflexes(
        muscle=np.array([row[0] for row in rows], np.int64),
        dof=np.array([row[1] for row in rows], np.int64),
        target=np.array([row[2] for row in rows], float),
        gain=np.array([row[3].gain for row in rows], float),
        rate_gain=np.array([row[3].rate_gain for row in rows], float),
        only_beyond=np.array([row[3].only_beyond for row in rows], bool),
    )


def _coordinates_above(tree: Tree) -> list[list[int]]:
    """Coordinates that move each link."""
    out: list[list[int]] = []
    for j, p in enumerate(tree.parent):
        own = list(range(tree.dof[j], tree.dof[j + 1]))
        out.append(own if p < 0 else out[p] + own)
    return out


def _moved_by(path: MusclePath, above: list[list[int]]) -> Ints:
    """Coordinates that move a path's frames against one another, or all of it: where it has mass, all count."""
    frames = {p.frame for p in path.points} | {path.surfaces[w.surface].frame for w in path.wraps}
    return np.array(sorted({k for f in frames if f >= 0 for k in above[f]}), np.int64)
