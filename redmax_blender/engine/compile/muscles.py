"""Muscles of a scene -> arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import SceneError
from ..model.curves import evaluate, pack
from ..model.records import Floats, Model
from ..muscles.compiled import Muscles, PlainMuscles, Reflexes
from ..muscles.hill.curves import Shapes, TendonShape, undamped
from ..muscles.hill.equilibrium import resting_fibres
from ..muscles.hill.muscle import Hill
from ..muscles.hill.muscle import pack as pack_hill
from ..muscles.paths.exact import evaluate as exact_path
from ..muscles.paths.smooth.pack import Given, MassPoint, pack_paths
from ..scene.muscles import (
    HillActuator,
    MuscleSpec,
    Reflex,
    SpringActuator,
    WrapSpec,
)
from ..tree.kinematics import Kinematics
from .forces import Places
from .muscle_paths import (
    MuscleSite,
    coordinate_number,
    coordinates_above,
    moved_by,
    muscle_path,
    positive,
    wrap_surfaces,
)


def with_muscles(
    model: Model, specs: Sequence[MuscleSpec], wraps: Sequence[WrapSpec], places: Places, kin: Kinematics
) -> Model:
    """The model with its muscles, if any."""
    surfaces = wrap_surfaces(wraps, places)
    if not specs:
        return model
    if model.flesh is not None:
        raise SceneError(
            "muscles", "muscles do not yet work in a scene with flesh", "Take out the muscles, or the flesh."
        )
    site = MuscleSite(places, model.joints, model.tree, model.q0, model.qdot0, surfaces)
    paths = [muscle_path(spec, _place(i, spec), site, kin) for i, spec in enumerate(specs)]
    names = [spec.name for spec in specs]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise SceneError(
                _place(i, specs[i]), "another muscle has this name", "Give it a name of its own."
            )
    lengths = np.array([exact_path(path, kin.E_wj, q=model.q0).length for path in paths])
    given = [
        Given(
            path,
            _mass_points(spec, float(L), _place(i, spec)),
            0.0 if spec.network else spec.rounding,
            spec.segments,
        )
        for i, (spec, path, L) in enumerate(zip(specs, paths, lengths, strict=True))
    ]
    above = coordinates_above(model.tree)
    packed = pack_paths(given, kin.E_wj, model.q0, lambda path: moved_by(path, above))
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


def _mass_points(spec: MuscleSpec, length: float, place: str) -> list[MassPoint]:
    positive(spec.mass, f"{place}.mass", "mass", True)
    a = positive(spec.origin_tendon, f"{place}.origin_tendon", "length", True)
    b = positive(spec.insertion_tendon, f"{place}.insertion_tendon", "length", True)
    if not a + b < length:
        raise SceneError(
            place,
            f"its tendons are {a + b:.6g} m long and its path is {length:.6g} m",
            "Give shorter tendons.",
        )
    if spec.network and a + b > 0.0:
        raise SceneError(
            f"{place}.network",
            "the mass of a network's path has no tendons",
            "Leave 'network' out, or the tendons.",
        )
    if spec.rounding is not None:
        positive(spec.rounding, f"{place}.rounding", "rounding", True)
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
    positive(spec.max_force, f"{place}.max_force", "force")
    fibre = 0.5 * length if spec.optimal_length is None else spec.optimal_length
    positive(fibre, f"{place}.optimal_length", "length")
    if not 0.0 <= spec.pennation < 1.4:
        raise SceneError(f"{place}.pennation", f"the angle is {spec.pennation} rad", "Give 0 to 1.4.")
    slack = length - fibre * float(np.cos(spec.pennation)) if spec.slack_length is None else spec.slack_length
    positive(slack, f"{place}.slack_length", "length")
    for name in ("max_velocity", "activation_time", "deactivation_time", "tendon_strain"):
        positive(getattr(spec, name), f"{place}.{name}", name.replace("_", " "))
    positive(spec.damping, f"{place}.damping", "damping", True)
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
            positive(getattr(a, name), f"{_place(i, spec)}.actuator.{name}", name.replace("_", " "), True)
        rest = lengths[i] if a.rest_length is None else a.rest_length
        positive(rest, f"{_place(i, spec)}.actuator.rest_length", "length")
        index.append(i)
        rows.append((a.max_force, a.stiffness, a.damping, rest))
    columns = np.ascontiguousarray(np.array(rows, float).reshape(-1, 4).T)
    return PlainMuscles(np.array(index, np.int64), *columns)


def _reflexes(specs: Sequence[MuscleSpec], site: MuscleSite, lengths: Floats) -> Reflexes:
    rows: list[tuple[int, int, float, Reflex]] = []
    for i, spec in enumerate(specs):
        for k, r in enumerate(spec.reflexes):
            place = f"{_place(i, spec)}.reflexes[{k}]"
            dof = -1 if r.joint is None else coordinate_number(r.joint, r.coordinate, place, site)
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
