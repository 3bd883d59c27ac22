"""Constraints of a scene -> arrays of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..algebra import se3
from ..constraints.ropes import Ropes
from ..constraints.rows import ACROSS, AXES, DISTANCE, POINT, TWIST
from ..errors import SceneError
from ..model.curves import pack
from ..model.records import MODES, PRESCRIBED, Constraints, Floats, Joints, Limits, Rows
from ..scene.base import Constant, Curve, Vec3
from ..scene.constraints import (
    ConstraintSpec,
    Gear,
    Interval,
    LoopDistance,
    LoopHinge,
    LoopPiston,
    LoopPoint,
    LoopSlider,
    LoopWeld,
    PrescribedPoint,
    PrescribedPose,
    PrescribedTwist,
    Switch,
)
from .couplings import coordinate, gears
from .forces import Places, three

_NOTHING = np.zeros(3)
_Spans = tuple[tuple[float, float, float], ...]


@dataclass
class _RowList:
    """Rows as they are laid down, constraint by constraint."""

    columns: dict[str, list[object]] = field(
        default_factory=lambda: {
            k: [] for k in ("type", "owner", "link", "x", "axis", "part", "value", "path", "turn")
        }
    )
    curves: list[tuple[int, Curve, str]] = field(default_factory=list)

    def add(
        self,
        type_: int,
        owner: int,
        a: tuple[int, Floats],
        b: tuple[int, Floats],
        axis_a: Floats = _NOTHING,
        axis_b: Floats = _NOTHING,
        part: int = 0,
        value: float = 0.0,
        path: int = -1,
        turn: int = -1,
    ) -> None:
        row = (type_, owner, (a[0], b[0]), (a[1], b[1]), (axis_a, axis_b), part, value, path, turn)
        for column, entry in zip(self.columns.values(), row, strict=True):
            column.append(entry)

    def add_curves(self, curves: Sequence[Curve], place: str) -> int:
        first = len(self.curves)
        self.curves += [(first + k, curve, place) for k, curve in enumerate(curves)]
        return first

    def rows(self, size: float) -> Rows:
        c = self.columns
        return Rows(
            type=np.array(c["type"], np.int64),
            owner=np.array(c["owner"], np.int64),
            link=np.array(c["link"], np.int64).reshape(-1, 2),
            x=np.array(c["x"], float).reshape(-1, 2, 3),
            axis=np.array(c["axis"], float).reshape(-1, 2, 3),
            part=np.array(c["part"], np.int64),
            value=np.array(c["value"], float),
            path=np.array(c["path"], np.int64),
            turn=np.array(c["turn"], np.int64),
            targets=pack(self.curves),
            lever=np.where(np.array(c["type"], np.int64) == AXES, size, 1.0),
        )


def constraints(
    specs: Sequence[ConstraintSpec],
    places: Places,
    joints: Joints,
    q0: Floats,
    limits: Limits,
    is_angle: NDArray[np.bool_],
) -> Constraints:
    """All of them; `is_angle` tells angles from lengths among the coordinates, shape (nr,)."""
    out = _RowList()
    names: list[str] = []
    active: list[_Spans] = []
    found: list[tuple[int, list[tuple[int, float]], float]] = []
    for i, spec in enumerate(specs):
        place = f"constraints[{i}]" + (f" '{spec.name}'" if spec.name else "")
        names.append(spec.name or f"{spec.__struct_config__.tag} {i}")
        active.append(_when(spec, place))
        match spec:
            case LoopPoint():
                _loop_point(out, i, spec, places, place)
            case LoopHinge():
                _loop_hinge(out, i, spec, places, place)
            case LoopWeld():
                _loop_weld(out, i, spec, places, place)
            case LoopSlider() | LoopPiston():
                _loop_slide(out, i, spec, places, place)
            case LoopDistance():
                if spec.sense == "equal":
                    a, b, length = _distance(spec, places, place)
                    out.add(DISTANCE, i, a, b, value=length)
            case Gear():
                terms = [coordinate(t, joints, f"{place}.terms[{k}]") for k, t in enumerate(spec.terms)]
                offset = spec.offset
                if offset is None:
                    offset = float(sum(f * q0[d] for d, f in terms))
                found.append((i, terms, offset))
            case PrescribedPoint():
                _prescribed_point(out, i, spec, places, place)
            case PrescribedPose():
                _prescribed_pose(out, i, spec, places, place)
            case PrescribedTwist():
                _prescribed_twist(out, i, spec, places, place)
    size = _extent(places)
    return Constraints(
        names=tuple(names),
        active=tuple(active),
        rows=out.rows(size),
        gears=gears(found, is_angle, size),
        limits=limits,
        size=size,
    )


def _distance(
    spec: LoopDistance, places: Places, place: str
) -> tuple[tuple[int, Floats], tuple[int, Floats], float]:
    """The two ends, and the length that their distance is measured by [m]."""
    a, b = _ends(spec.a, spec.b, places, place)
    length = spec.length
    if length is None:
        length = float(np.linalg.norm(places.in_world(*a) - places.in_world(*b)))
    if not length > 0.0:
        raise SceneError(f"{place}.length", f"the length is {length} m", "Give a length above zero.")
    return a, b, length


def ropes(specs: Sequence[ConstraintSpec], places: Places) -> Ropes | None:
    """Distances that are bounded on one side; null for none."""
    found = [
        (i, s, *_distance(s, places, f"constraints[{i}]" + (f" '{s.name}'" if s.name else "")))
        for i, s in enumerate(specs)
        if isinstance(s, LoopDistance) and s.sense != "equal"
    ]
    if not found:
        return None
    return Ropes(
        owner=np.array([i for i, *_ in found], np.int64),
        link=np.array([(a[0], b[0]) for _, _, a, b, _ in found], np.int64),
        x=np.array([(a[1], b[1]) for _, _, a, b, _ in found], float),
        length=np.array([length for *_, length in found]),
        side=np.array([1.0 if s.sense == "at-most" else -1.0 for _, s, *_ in found]),
    )


def _extent(places: Places) -> float:
    """Largest side [m] of a box around the joints and the bodies, these as long as their radii of gyration tell."""
    b = places.bodies
    centres = np.array([places.in_world(int(l), x) for l, x in zip(b.link, b.E_jb[:, 9:], strict=True)])
    radii = np.sqrt(3.0 * b.inertia[:, :3].max(axis=1) / b.inertia[:, 3])[:, None]
    points = np.concatenate([places.E_wj[:, 9:], centres - radii, centres + radii])
    return float(np.ptp(points, axis=0).max())


def _when(spec: ConstraintSpec, place: str) -> _Spans:
    """When a constraint holds: by its intervals, or by the modes of a prescribed point."""
    if not (isinstance(spec, PrescribedPoint) and spec.modes):
        return _intervals(spec.active, place)
    if spec.active:
        raise SceneError(f"{place}.modes", "the point has both modes and intervals", "Leave out `active`.")
    return tuple(
        (start, end, over) for start, end, mode, over in mode_spans(spec.modes) if mode == PRESCRIBED
    ) or ((np.inf, np.inf, 0.0),)


def mode_spans(modes: Sequence[Switch]) -> list[tuple[float, float, int, float]]:
    """From, until, mode and time of transition; a motion is prescribed until its first switch."""
    times = [-np.inf, *(s.time for s in modes), np.inf]
    kinds = [PRESCRIBED, *(MODES[s.mode] for s in modes)]
    overs = [0.0, *(s.over for s in modes)]
    return [(float(times[k]), float(times[k + 1]), kinds[k], overs[k]) for k in range(len(kinds))]


def _intervals(active: Sequence[Interval], place: str) -> _Spans:
    spans = []
    for k, span in enumerate(active):
        start = -np.inf if span.start is None else span.start
        end = np.inf if span.end is None else span.end
        if not end > start:
            raise SceneError(
                f"{place}.active[{k}]", f"it ends at {end} s and starts at {start} s", "Let it end later."
            )
        if span.over < 0.0 or (span.over > 0.0 and span.start is None):
            raise SceneError(
                f"{place}.active[{k}].over",
                f"it takes hold over {span.over} s" + ("" if span.start is not None else " but has no start"),
                "Give zero or more, and a start.",
            )
        spans.append((float(start), float(end), span.over))
    return tuple(spans)


def _ends(a: object, b: object, places: Places, place: str) -> tuple[tuple[int, Floats], tuple[int, Floats]]:
    ends = places.point(a, f"{place}.a"), places.point(b, f"{place}.b")  # type: ignore[arg-type]
    if ends[0][0] == ends[1][0]:
        raise SceneError(
            place, "both ends are on the same body", "Connect two bodies, or a body and the world."
        )
    return ends


def unit_axis(axis: Vec3, place: str) -> Floats:
    """A direction of unit length."""
    a = np.array(axis, float)
    n = float(np.linalg.norm(a))
    if not n > 0.0:
        raise SceneError(place, f"the axis is {tuple(axis)}", "Give a direction that is not zero.")
    return np.asarray(a / n)


def _loop_point(out: _RowList, i: int, spec: LoopPoint, places: Places, place: str) -> None:
    a, b = _ends(spec.a, spec.b, places, place)
    if spec.perpendicular_to is None:
        for d in np.eye(3):
            out.add(POINT, i, a, b, d)
    else:
        axis = unit_axis(spec.perpendicular_to, f"{place}.perpendicular_to")
        for across in _across(axis):
            out.add(ACROSS, i, a, b, across, axis)


def _loop_hinge(out: _RowList, i: int, spec: LoopHinge, places: Places, place: str) -> None:
    a, b = _ends(spec.a, spec.b, places, place)
    for d in np.eye(3):
        out.add(POINT, i, a, b, d)
    axis = unit_axis(spec.axis, f"{place}.axis")
    in_b = places.rotation(b[0]).T @ places.rotation(a[0]) @ axis
    for across in _across(axis):
        out.add(AXES, i, a, b, across, in_b)


def _across(axis: Floats) -> list[Floats]:
    """Two unit vectors perpendicular to an axis and to each other."""
    e = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(axis, e)
    first /= np.linalg.norm(first)
    return [first, np.cross(axis, first)]


def _loop_weld(out: _RowList, i: int, spec: LoopWeld, places: Places, place: str) -> None:
    a, b = _ends(spec.a, spec.b, places, place)
    # The point of b that is at a's point now: the relative pose that is kept is the present one.
    R_b = places.rotation(b[0])
    origin = _NOTHING if b[0] < 0 else places.E_wj[b[0], 9:]
    meet = R_b.T @ (places.in_world(*a) - origin)
    for d in np.eye(3):
        out.add(POINT, i, a, (b[0], meet), d)
    R = R_b.T @ places.rotation(a[0])
    for k in range(3):
        out.add(AXES, i, a, b, np.eye(3)[k], R[:, (k + 1) % 3])


def _loop_slide(out: _RowList, i: int, spec: LoopSlider | LoopPiston, places: Places, place: str) -> None:
    a, b = _ends(spec.a, spec.b, places, place)
    axis = unit_axis(spec.axis, f"{place}.axis")
    first, second = _across(axis)
    out.add(ACROSS, i, a, b, first, axis)
    out.add(ACROSS, i, a, b, second, axis)
    to_b = places.rotation(b[0]).T @ places.rotation(a[0])
    # the axes stay parallel, and for a slider nothing turns about them either
    out.add(AXES, i, a, b, first, to_b @ axis)
    out.add(AXES, i, a, b, second, to_b @ axis)
    if isinstance(spec, LoopSlider):
        out.add(AXES, i, a, b, first, to_b @ second)


def _prescribed_point(out: _RowList, i: int, spec: PrescribedPoint, places: Places, place: str) -> None:
    a = places.point(spec.point, f"{place}.point")
    if a[0] < 0:
        raise SceneError(
            f"{place}.point.body", "the point is fixed in the world", "Name the body whose point is to move."
        )
    world = (-1, _NOTHING)
    if spec.direction is None:
        if len(spec.path) != 3:
            raise SceneError(
                f"{place}.path", f"there are {len(spec.path)} curves", "Give three, for x, y and z."
            )
        if all(curve is None for curve in spec.path):
            raise SceneError(f"{place}.path", "all its curves are null", "Give at least one.")
        path = out.add_curves(three(spec.path, f"{place}.path"), f"{place}.path")
        for k, d in enumerate(np.eye(3)):
            if spec.path[k] is not None:
                out.add(POINT, i, a, world, d, path=path)
        return
    if len(spec.path) != 1 or spec.path[0] is None:
        raise SceneError(f"{place}.path", "a single direction needs a single curve", "Give one curve.")
    d = unit_axis(spec.direction, f"{place}.direction")
    # The row sees only d · target, so the curve goes into the largest component of d, divided by it.
    k = int(np.argmax(np.abs(d)))
    curves: list[Curve] = [Constant(value=0.0)] * 3
    curves[k] = spec.path[0]
    path = out.add_curves(curves, f"{place}.path")
    out.add(POINT, i, a, world, d, part=k, value=1.0 / float(d[k]), path=path)


def _prescribed_pose(out: _RowList, i: int, spec: PrescribedPose, places: Places, place: str) -> None:
    body = places.body(spec.body, f"{place}.body")
    E = places.bodies.E_js[body]
    a = (int(places.bodies.link[body]), E[9:])
    world = (-1, _NOTHING)
    if len(spec.position) != 3:
        raise SceneError(
            f"{place}.position", f"there are {len(spec.position)} curves", "Give three, for x, y and z."
        )
    if not spec.rotation and all(curve is None for curve in spec.position):
        raise SceneError(place, "neither position nor rotation is prescribed", "Give at least one curve.")
    path = out.add_curves(three(spec.position, f"{place}.position"), f"{place}.position")
    for k, d in enumerate(np.eye(3)):
        if spec.position[k] is not None:
            out.add(POINT, i, a, world, d, path=path)
    if spec.rotation:
        turn = out.add_curves(three(spec.rotation, f"{place}.rotation"), f"{place}.rotation")
        R = E[:9].reshape(3, 3)
        for k in range(3):
            out.add(AXES, i, a, world, R[:, k], np.eye(3)[(k + 1) % 3], turn=turn)


def _prescribed_twist(out: _RowList, i: int, spec: PrescribedTwist, places: Places, place: str) -> None:
    body = places.body(spec.body, f"{place}.body")
    link, E = int(places.bodies.link[body]), se3.pose_matrix(places.bodies.E_jb[body])
    curves = three(spec.angular, f"{place}.angular") + three(spec.linear, f"{place}.linear")
    path = out.add_curves(curves, place)
    to_body = se3.Ad(se3.inverse(E))
    components = spec.components
    if components is None:
        components = [k for k, curve in enumerate(spec.angular) if curve is not None]
        components += [3, 4, 5] if any(curve is not None for curve in spec.linear) else []
    if not components:
        raise SceneError(place, "no component of the twist is prescribed", "Give a curve, or `components`.")
    for k in components:
        axis = E[:3, k - 3] if k >= 3 else _NOTHING
        row = to_body[k]
        out.add(TWIST, i, (link, axis), (-1, _NOTHING), row[:3], row[3:], part=k, path=path)
