"""Parameters: numbers that a task may change, and how the arrays of a model change with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..compile.scene import compile_scene
from ..errors import InputError, SceneError
from ..model.curves import evaluate, pack
from ..model.records import Floats, Model
from ..scene import BodySpec, PointForce, SceneSpec
from ..scene.base import Constant, Curve, Piece, Piecewise, Sampled
from ..scene.task import (
    CurveParameter,
    FactorParameter,
    ParameterSpec,
    PushParameter,
    StartParameter,
    StartVelocityParameter,
    TorqueParameter,
    ValueParameter,
)
from .arrays import arrays_of
from .paths import entry, get, mutable, put, put_entry, shown, split

Write = Callable[[SceneSpec, Sequence[float]], None]


@dataclass(frozen=True)
class Group:
    """The numbers of one entry of `task.parameters`."""

    names: list[str]
    now: list[float]
    """What the scene has."""
    write: Write
    """Puts them into a scene, in place."""


class Parameters:
    """All parameters of a task, in order; n of them."""

    def __init__(self, spec: SceneSpec, given: Sequence[ParameterSpec], model: Model) -> None:
        self._spec = mutable(spec)
        self._groups = [_group(p, i, self._spec, model) for i, p in enumerate(given)]
        self._weighed = _weighed(self._spec, given)
        self.names: list[str] = [name for group in self._groups for name in group.names]
        double = {name for name in self.names if self.names.count(name) > 1}
        if double:
            raise InputError(
                "task.parameters",
                f"two parameters are called '{sorted(double)[0]}'",
                "Give them other names.",
            )
        self.initial, self.lower, self.upper, self.scale = _numbers(given, self._groups)
        self._affine: tuple[Floats, dict[str, Floats], list[dict[str, Floats]]] | None = None

    def __len__(self) -> int:
        return len(self.names)

    def drawn(self, spread: float, rng: np.random.Generator) -> Floats:
        """Random values about the initial ones, so many scales away at most, within the bounds."""
        way = spread * self.scale * rng.uniform(-1.0, 1.0, len(self.initial))
        return np.asarray(np.clip(self.initial + way, self.lower, self.upper))

    def scene(self, values: Floats) -> SceneSpec:
        """The scene with these values."""
        spec: SceneSpec = mutable(self._spec)
        at = 0
        for group in self._groups:
            n = len(group.names)
            group.write(spec, [float(x) for x in values[at : at + n]])
            at += n
        for body in spec.bodies:
            if body.name in self._weighed and body.weight == 1.0:
                body.weight = _BESIDE_ONE
        return spec

    def model(self, values: Floats) -> Model:
        return compile_scene(self.scene(values))

    def gradient(
        self, values: Floats, model: Model, bars: dict[str, Floats]
    ) -> tuple[Floats, dict[int, str]]:
        """Derivatives by the values, from those by the arrays of their model, shape (n,); and the numbers of the
        parameters that change an array by which none is known, with its path."""
        out, unknown = np.zeros(len(self)), {}
        for i, slope in enumerate(self._slopes(values, model)):
            for path, change in slope.items():
                if path in bars:
                    out[i] += float(np.sum(change * bars[path]))
                else:
                    unknown[i] = path
        return out, unknown

    def _slopes(self, values: Floats, model: Model) -> list[dict[str, Floats]]:
        """How the arrays change with each value.

        Most of them change in proportion: then this is found once, and found again only where it does not tell the
        arrays of new values to rounding.
        """
        now = _numbers_only(arrays_of(model))
        if self._affine is not None:
            before, arrays, slopes = self._affine
            moved = values - before
            if all(
                _close(
                    arrays[path] + sum(s[path] * d for s, d in zip(slopes, moved, strict=True) if path in s),
                    x,
                )
                for path, x in now.items()
            ):
                return slopes
        found = []
        for i in range(len(self)):
            changed = partial(self._changed, values, i)
            found.append(_slope(changed, float(values[i]), float(self.scale[i]), now))
        self._affine = (values.copy(), now, found)
        return found

    def _changed(self, values: Floats, i: int, x: float) -> dict[str, Floats]:
        other = values.copy()
        other[i] = x
        try:
            return _numbers_only(arrays_of(self.model(other)))
        except SceneError as error:
            raise _OutOfRangeError from error


_BESIDE_ONE = float(np.nextafter(1.0, 2.0))
"""A weight in place of 1, at which a body has no force that makes up for gravity, and nothing that could change."""


def _weighed(spec: SceneSpec, given: Sequence[ParameterSpec]) -> set[str]:
    """Names of the bodies whose weight may change."""
    values = [p.path for p in given if isinstance(p, ValueParameter)]
    factors = [path for p in given if isinstance(p, FactorParameter) for path in p.paths]
    steps = [split(path) for path in values + factors]
    return {
        entry(spec, s[:2], "task.parameters").name for s in steps if s[0] == "bodies" and s[2:] == ["weight"]
    }


class _OutOfRangeError(Exception):
    """A value that the scene cannot have."""


_ORDER = 8


def _slope(
    at: Callable[[float], dict[str, Floats]], x: float, scale: float, now: dict[str, Floats]
) -> dict[str, Floats]:
    """Derivative of the arrays by one value: exact to rounding where they are polynomials of it up to degree 8, which
    is all but rotations and frames; these to some 1e-13."""
    d = 0.02 * max(abs(x), scale)
    for _ in range(_SHORTER):
        for side in (1.0, -1.0):
            try:
                return _slope_by(at, x, side * d, now)
            except _OutOfRangeError:
                continue
        d *= 0.1
    raise InputError("task.parameters", f"the scene cannot have values near {x:.6g}", "Begin where it can.")


_SHORTER = 5
"""How often a distance is shortened within which the scene can have all values."""


def _slope_by(
    at: Callable[[float], dict[str, Floats]], x: float, d: float, now: dict[str, Floats]
) -> dict[str, Floats]:
    """The same from values at distances d; raises _OutOfRangeError where the scene cannot have them."""
    one, two = at(x + d), at(x + 2.0 * d)
    if one.keys() != now.keys() or any(one[p].shape != now[p].shape for p in now):
        raise InputError(
            "task.parameters", "the parts of the scene depend on it", "Choose another parameter."
        )
    if all(_close(two[p] - one[p], one[p] - now[p], np.abs(now[p]).max(initial=0.0)) for p in now):
        return {p: (two[p] - now[p]) / (2.0 * d) for p in now if not np.array_equal(two[p], now[p])}
    units = np.arange(-_ORDER // 2, _ORDER // 2 + 1)
    try:
        samples = [now if u == 0 else at(x + u * d) for u in units]
    except _OutOfRangeError:
        units = np.arange(_ORDER + 1)
        samples = [now if u == 0 else at(x + u * d) for u in units]
    powers = units[None, :].astype(float) ** np.arange(len(units))[:, None]
    wanted = np.zeros(len(units))
    wanted[1] = 1.0
    weights = np.linalg.solve(powers, wanted) / d
    out = {}
    for p in now:
        slope = np.sum([w * (s[p] - now[p]) for w, s in zip(weights, samples, strict=True)], axis=0)
        if np.any(slope != 0.0):
            out[p] = slope
    return out


def _numbers_only(arrays: dict[str, Any]) -> dict[str, Floats]:
    """Arrays of numbers; infinite ones, which mean never or nowhere, count as zero."""
    found = {p: x for p, x in arrays.items() if isinstance(x, np.ndarray) and x.dtype.kind == "f"}
    return {p: np.where(np.isfinite(x), x, 0.0) for p, x in found.items()}


def _close(a: Floats, b: Floats, size: float | None = None) -> bool:
    largest = np.abs(b).max(initial=0.0) if size is None else size
    return bool(np.all(np.abs(a - b) <= 1e-13 * largest + 1e-300))


def _numbers(given: Sequence[ParameterSpec], groups: list[Group]) -> tuple[Floats, Floats, Floats, Floats]:
    """Initial values, bounds and scales, shape (n,)."""
    initial: list[float] = []
    lower: list[float] = []
    upper: list[float] = []
    scale: list[float] = []
    for i, (p, group) in enumerate(zip(given, groups, strict=True)):
        place, n = f"task.parameters[{i}]", len(group.names)
        initial += _list(p.initial, n, f"{place}.initial") or group.now
        lower += _list(p.lower, n, f"{place}.lower") or [-np.inf] * n
        upper += _list(p.upper, n, f"{place}.upper") or [np.inf] * n
        scale += [p.scale] * n
    x, low, high = np.array(initial), np.array(lower), np.array(upper)
    for k in np.flatnonzero(~((low <= x) & (x <= high))):
        name = [name for group in groups for name in group.names][k]
        raise InputError(
            f"task parameter '{name}'",
            f"it begins at {x[k]:.6g}, outside of its bounds {low[k]:.6g} to {high[k]:.6g}",
            "Begin within the bounds, the lower one below the upper one.",
        )
    return x, low, high, np.array(scale)


def _list(given: list[float] | float | None, n: int, place: str) -> list[float] | None:
    if given is None:
        return None
    if not isinstance(given, list):
        return [float(given)] * n
    if len(given) != n:
        raise InputError(
            place, f"there are {len(given)} numbers for {n} parameters", f"Give {n}, or one for all."
        )
    return [float(x) for x in given]


def _group(p: ParameterSpec, i: int, spec: SceneSpec, model: Model) -> Group:
    place = f"task.parameters[{i}]"
    match p:
        case ValueParameter():
            now = get(spec, p.path, f"{place}.path")
            return Group([p.name or shown(p.path)], [now], lambda s, x: put(s, p.path, x[0], f"{place}.path"))
        case FactorParameter():
            numbers = [get(spec, path, f"{place}.paths") for path in p.paths]

            def scale(s: SceneSpec, x: Sequence[float]) -> None:
                for path, number in zip(p.paths, numbers, strict=True):
                    put(s, path, number * x[0], f"{place}.paths")

            return Group([p.name or f"factor of {shown(p.paths[0])}"], [1.0], scale)
        case TorqueParameter():
            return _torque(p, place, spec, model)
        case StartParameter() | StartVelocityParameter():
            return _start(p, place, spec, model)
        case PushParameter():
            return _push(p, place, spec)
        case CurveParameter():
            return _curve(p, place, spec)


def _joint_body(spec: SceneSpec, name: str, model: Model, place: str) -> tuple[int, int]:
    """Number of the body that a joint carries, and the joint's number of coordinates."""
    if name not in model.joints.names:
        known = ", ".join(model.joints.names)
        raise InputError(f"{place}.joint", f"there is no joint '{name}'", f"Choose one of {known}.")
    b = model.joints.names.index(name)
    first, end = model.joints.dof[b]
    return b, int(end - first)


def _chosen(p: Any, count: int, place: str) -> list[int]:
    chosen = list(range(count)) if p.coordinates is None else p.coordinates
    if not chosen or any(not 0 <= c < count for c in chosen):
        raise InputError(
            f"{place}.coordinates",
            f"{chosen} are not coordinates of '{p.joint}'",
            f"It has {count}: {list(range(count))}." if count else "It has none: choose a joint that moves.",
        )
    return chosen


def _torque(p: TorqueParameter, place: str, spec: SceneSpec, model: Model) -> Group:
    b, count = _joint_body(spec, p.joint, model, place)
    chosen = _chosen(p, count, place)
    _in_order(p.times, place)
    knots = len(p.times) or 1
    title = p.name or f"torque {p.joint}"
    names = [
        title + (f"[{c}]" if count > 1 else "") + (f" at {p.times[k]:g} s" if p.times else "")
        for c in chosen
        for k in range(knots)
    ]

    def write(s: SceneSpec, x: Sequence[float]) -> None:
        torque: list[Curve | None] = list(s.bodies[b].joint.torque) or [None] * count
        for n, c in enumerate(chosen):
            values = list(x[n * knots : (n + 1) * knots])
            torque[c] = Sampled(list(p.times), values, p.interpolation) if p.times else Constant(values[0])
        s.bodies[b].joint.torque = torque

    now = [_at(spec.bodies[b], c, p.times[k] if p.times else None) for c in chosen for k in range(knots)]
    return Group(names, now, write)


def _at(body: BodySpec, coordinate: int, t: float | None) -> float:
    """The torque that a scene has in a coordinate, at a time or as a constant; zero for none."""
    return _value_of(body.joint.torque[coordinate] if body.joint.torque else None, t)


def _value_of(curve: Curve | None, t: float | None) -> float:
    """Of a curve at a time, or of a constant; zero for none."""
    if curve is None or (t is None and not isinstance(curve, Constant)):
        return 0.0
    return float(evaluate(pack([(0, curve, "curve")]), t or 0.0)[0, 0])


def _in_order(times: list[float], place: str) -> None:
    if any(t1 <= t0 for t0, t1 in zip(times, times[1:], strict=False)):
        raise InputError(f"{place}.times", "they do not increase", "Give the knots in order, each once.")


def _curve(p: CurveParameter, place: str, spec: SceneSpec) -> Group:
    _in_order(p.times, place)
    now = entry(spec, p.path, f"{place}.path")
    if now is not None and not isinstance(now, Curve):
        raise InputError(
            f"{place}.path",
            f"'{shown(p.path)}' leads to no curve",
            "Give the path of something that varies with time.",
        )
    title = p.name or shown(p.path)

    def write(s: SceneSpec, x: Sequence[float]) -> None:
        curve = Sampled(list(p.times), list(x), p.interpolation) if p.times else Constant(x[0])
        put_entry(s, p.path, curve, f"{place}.path")

    if not p.times:
        return Group([title], [_value_of(now, None)], write)
    return Group([f"{title} at {t:g} s" for t in p.times], [_value_of(now, t) for t in p.times], write)


def _start(p: StartParameter | StartVelocityParameter, place: str, spec: SceneSpec, model: Model) -> Group:
    b, count = _joint_body(spec, p.joint, model, place)
    chosen = _chosen(p, count, place)
    is_place = isinstance(p, StartParameter)
    first = int(model.joints.dof[b, 0])
    array = model.q0 if is_place else model.qdot0
    field = "q" if is_place else "qdot"
    title = p.name or f"{'start' if is_place else 'start velocity'} {p.joint}"
    all_now = [float(array[first + c]) for c in range(count)]

    def write(s: SceneSpec, x: Sequence[float]) -> None:
        given = list(all_now)
        for c, value in zip(chosen, x, strict=True):
            given[c] = value
        setattr(s.bodies[b].joint, field, given)

    names = [title + (f"[{c}]" if count > 1 else "") for c in chosen]
    return Group(names, [all_now[c] for c in chosen], write)


def _push(p: PushParameter, place: str, spec: SceneSpec) -> Group:
    bodies = [body.name for body in spec.bodies]
    if p.body not in bodies:
        raise InputError(
            f"{place}.body", f"there is no body '{p.body}'", f"Choose one of {', '.join(bodies)}."
        )
    title = p.name or f"push {p.body}"

    def write(s: SceneSpec, x: Sequence[float]) -> None:
        force = [
            Piecewise(
                [Piece(Constant(0.0), p.time), Piece(Constant(v), p.time + p.duration), Piece(Constant(0.0))]
            )
            for v in x
        ]
        s.forces = [*s.forces, PointForce(body=p.body, position=p.position, force=list(force), name=title)]

    return Group([f"{title}[{c}]" for c in "xyz"], [0.0, 0.0, 0.0], write)
