"""Constraints of a scene -> arrays of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from . import se3
from .compile_forces import Places, three
from .constraints.rows import ACROSS, AXES, DISTANCE, POINT, TWIST
from .curves import pack
from .errors import SceneError
from .model import Constraints, Floats, Gears, Joints, Limits, Rows
from .scene_base import Constant, Curve, Vec3
from .scene_constraints import (
    ConstraintSpec,
    CouplingSpec,
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
    Term,
)

_NOTHING = np.zeros(3)


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

    def rows(self) -> Rows:
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
        )


def constraints(
    specs: Sequence[ConstraintSpec], places: Places, joints: Joints, q0: Floats, limits: Limits
) -> Constraints:
    out = _RowList()
    names: list[str] = []
    active: list[tuple[tuple[float, float], ...]] = []
    gears: list[tuple[int, list[tuple[int, float]], float]] = []
    for i, spec in enumerate(specs):
        place = f"constraints[{i}]" + (f" '{spec.name}'" if spec.name else "")
        names.append(spec.name or f"{spec.__struct_config__.tag} {i}")
        active.append(_intervals(spec.active, place))
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
                a, b = _ends(spec.a, spec.b, places, place)
                length = spec.length
                if length is None:
                    length = float(np.linalg.norm(places.in_world(*a) - places.in_world(*b)))
                if not length > 0.0:
                    raise SceneError(
                        f"{place}.length", f"the length is {length} m", "Give a length above zero."
                    )
                out.add(DISTANCE, i, a, b, value=length)
            case Gear():
                terms = [_coordinate(t, joints, f"{place}.terms[{k}]") for k, t in enumerate(spec.terms)]
                offset = spec.offset
                if offset is None:
                    offset = float(sum(f * q0[d] for d, f in terms))
                gears.append((i, terms, offset))
            case PrescribedPoint():
                _prescribed_point(out, i, spec, places, place)
            case PrescribedPose():
                _prescribed_pose(out, i, spec, places, place)
            case PrescribedTwist():
                _prescribed_twist(out, i, spec, places, place)
    origins = places.E_wj[:, 9:] if len(places.E_wj) else np.zeros((1, 3))
    reach = np.abs(places.bodies.E_js[:, 9:]).max(initial=0.0)
    size = float(np.ptp(origins, axis=0).max()) + float(reach)
    return Constraints(
        names=tuple(names),
        active=tuple(active),
        rows=out.rows(),
        gears=_gears(gears),
        limits=limits,
        size=max(size, 1e-9),
    )


def _intervals(active: Sequence[Interval], place: str) -> tuple[tuple[float, float], ...]:
    spans = []
    for k, span in enumerate(active):
        start = -np.inf if span.start is None else span.start
        end = np.inf if span.end is None else span.end
        if not end > start:
            raise SceneError(
                f"{place}.active[{k}]", f"it ends at {end} s and starts at {start} s", "Let it end later."
            )
        spans.append((float(start), float(end)))
    return tuple(spans)


def _ends(a: object, b: object, places: Places, place: str) -> tuple[tuple[int, Floats], tuple[int, Floats]]:
    ends = places.point(a, f"{place}.a"), places.point(b, f"{place}.b")  # type: ignore[arg-type]
    if ends[0][0] == ends[1][0]:
        raise SceneError(
            place, "both ends are on the same body", "Connect two bodies, or a body and the world."
        )
    return ends


def _unit(axis: Vec3, place: str) -> Floats:
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
        axis = _unit(spec.perpendicular_to, f"{place}.perpendicular_to")
        for across in _across(axis):
            out.add(ACROSS, i, a, b, across, axis)


def _loop_hinge(out: _RowList, i: int, spec: LoopHinge, places: Places, place: str) -> None:
    a, b = _ends(spec.a, spec.b, places, place)
    for d in np.eye(3):
        out.add(POINT, i, a, b, d)
    axis = _unit(spec.axis, f"{place}.axis")
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
    axis = _unit(spec.axis, f"{place}.axis")
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
        path = out.add_curves(three(spec.path, f"{place}.path"), f"{place}.path")
        for k, d in enumerate(np.eye(3)):
            if spec.path[k] is not None:
                out.add(POINT, i, a, world, d, path=path)
        return
    if len(spec.path) != 1 or spec.path[0] is None:
        raise SceneError(f"{place}.path", "a single direction needs a single curve", "Give one curve.")
    d = _unit(spec.direction, f"{place}.direction")
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
    for k in spec.components:
        given = spec.angular if k < 3 else spec.linear
        if k < 3 and given and given[k] is None:
            continue
        axis = E[:3, k - 3] if k >= 3 else _NOTHING
        row = to_body[k]
        out.add(TWIST, i, (link, axis), (-1, _NOTHING), row[:3], row[3:], part=k, path=path)


def _coordinate(term: Term, joints: Joints, place: str) -> tuple[int, float]:
    if term.joint not in joints.names:
        raise SceneError(
            f"{place}.joint", f"there is no joint '{term.joint}'", "Give the name of a joint of the scene."
        )
    first, end = joints.dof[joints.names.index(term.joint)]
    if not 0 <= term.index < end - first:
        raise SceneError(
            f"{place}.index",
            f"joint '{term.joint}' has {end - first} coordinates, and the index is {term.index}",
            f"Give a number from 0 to {end - first - 1}."
            if end > first
            else "A joint without coordinates cannot take part.",
        )
    return int(first + term.index), term.factor


def _gears(gears: Sequence[tuple[int, list[tuple[int, float]], float]]) -> Gears:
    first = np.concatenate([[0], np.cumsum([len(g[1]) for g in gears])]).astype(np.int64)
    terms = [t for g in gears for t in g[1]]
    return Gears(
        owner=np.array([g[0] for g in gears], np.int64),
        first=first,
        dof=np.array([t[0] for t in terms], np.int64),
        factor=np.array([t[1] for t in terms], float),
        offset=np.array([g[2] for g in gears], float),
    )


def reduction(couplings: Sequence[CouplingSpec], joints: Joints, nr: int) -> Floats | None:
    """B of qdot = B zdot (paper, Eq. 8): a column a coupling, and one for each coordinate in none; null for none."""
    if not couplings:
        return None
    columns: list[Floats] = []
    taken: dict[int, str] = {}
    for i, coupling in enumerate(couplings):
        place = f"couplings[{i}]" + (f" '{coupling.name}'" if coupling.name else "")
        column = np.zeros(nr)
        for k, term in enumerate(coupling.terms):
            dof, factor = _coordinate(term, joints, f"{place}.terms[{k}]")
            if dof in taken:
                raise SceneError(
                    f"{place}.terms[{k}].joint",
                    f"that coordinate of '{term.joint}' is already in {taken[dof]}",
                    "A coordinate can be in one coupling only.",
                )
            if factor == 0.0:
                raise SceneError(
                    f"{place}.terms[{k}].factor",
                    "the factor is zero",
                    "Leave the term out, or fix the joint.",
                )
            if not joints.free[dof] or dof in joints.motion.target:
                raise SceneError(
                    f"{place}.terms[{k}].joint",
                    f"the motion of '{term.joint}' is prescribed and coupled at once",
                    "Remove the coupling or the motion.",
                )
            taken[dof] = place
            column[dof] = factor
        columns.append(column)
    columns += [np.eye(nr)[d] for d in range(nr) if d not in taken]
    return np.array(columns).T.copy()
