"""Friction and motors of a scene -> arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..errors import SceneError
from ..friction.joints.arrays import Friction, LoopRubs, Motors, Rub, Rubs, StopRubs
from ..joints.kinds import Kind
from ..model.curves import pack
from ..model.records import Floats, Ints, Joints, Limits, Tree
from ..scene import BodySpec, Free, FreePlanar, SceneSpec
from ..scene import Limits as LimitsSpec
from ..scene.base import Curve
from ..scene.constraints import ConstraintSpec, LoopHinge, LoopPiston, LoopPoint, LoopSlider
from ..scene.contact import JointFriction
from .constraints import unit_axis
from .forces import Places
from .forest import body_place
from .joints import JointEntry

_SHAPES = {
    Kind.REVOLUTE: Rub.CYLINDER,
    Kind.UNIVERSAL: Rub.CYLINDER,
    Kind.PRISMATIC: Rub.SLEEVE,
    Kind.SPLINE_CURVE: Rub.SLEEVE,
    Kind.SPHERICAL: Rub.BALL,
    Kind.SPHERICAL_EULER: Rub.BALL,
    Kind.PLANAR: Rub.PLATE,
    Kind.SPLINE_SURFACE: Rub.PLATE,
}


def friction(spec: SceneSpec, joints: Joints, tree: Tree, places: Places, limits: Limits) -> Friction | None:
    """All friction inside joints and at their stops, and all motors; null when there are none."""
    entries: list[JointEntry] = []
    for b, body in enumerate(spec.bodies):
        begin, end = joints.dof[b].tolist()
        entries.append((body.joint, slice(begin, end), _placer(spec.bodies, b)))
    rubs = _rubs(entries, places, tree)
    loops = _loops(spec.constraints, places)
    motors = _motors(entries)
    stops = _stops(entries, limits, tree)
    if not (len(rubs) or len(loops) or len(motors.torque) or len(stops)):
        return None
    return Friction(rubs, loops, motors, stops)


def _placer(bodies: Sequence[BodySpec], b: int) -> Callable[[str], str]:
    return lambda name: f"{body_place(bodies, b)}.joint.{name}"


def _links_of(tree: Tree, last: int, first_dof: int) -> list[int]:
    """The links of a joint, from the one that carries the body up to that of its first coordinate."""
    links = []
    while last >= 0 and tree.dof[last] >= first_dof:
        links.append(last)
        last = int(tree.parent[last])
    return links[::-1]


def _rubs(joints: Sequence[JointEntry], places: Places, tree: Tree) -> Rubs:
    rows: list[tuple[int, int, int, int, int]] = []
    size: list[list[float]] = []
    mu: list[list[float]] = []
    for j, (joint, span, place) in enumerate(joints):
        given = joint.friction
        if given is None:
            continue
        coefficients = _coefficients(given, place("friction"))
        found = False
        floats = isinstance(joint.type, Free | FreePlanar)
        for link in [] if floats else _links_of(tree, int(places.bodies.link[j]), span.start):
            kind = Kind(int(tree.kind[link]))
            if kind not in _SHAPES:
                continue
            found = True
            shape = _SHAPES[kind]
            if shape == Rub.SLEEVE and given.sides is not None:
                shape = Rub.BOX_SLEEVE
            _check_size(given, shape, place("friction"))
            first, count = int(tree.dof[link]), int(tree.dof[link + 1] - tree.dof[link])
            # both axes of a universal joint are pins of their own
            pairs = [(first + k, 1) for k in range(count)] if shape == Rub.CYLINDER else [(first, count)]
            for dof, dofs in pairs:
                rows.append((j, int(shape), link, dof, dofs))
                size.append(_size(given, shape))
                mu.append(coefficients)
        if not found:
            raise SceneError(
                place("friction"),
                f"nothing rubs in a {joint.type.__struct_config__.tag} joint",
                "Leave it out, or give friction to the surface of the body.",
            )
    table = np.array(rows, np.int64).reshape(-1, 5)
    return Rubs(
        joint=table[:, 0].copy(),
        shape=table[:, 1].copy(),
        link=table[:, 2].copy(),
        dof=table[:, 3].copy(),
        dofs=table[:, 4].copy(),
        size=np.array(size, float).reshape(-1, 3),
        mu=np.array(mu, float).reshape(-1, 2),
    )


def _size(given: JointFriction, shape: Rub) -> list[float]:
    if shape == Rub.BOX_SLEEVE and given.sides is not None:
        return list(given.sides)
    return [given.radius, given.height, 0.0]


def _coefficients(given: JointFriction, place: str) -> list[float]:
    static = given.coefficient if given.static is None else given.static
    for name, value in (("coefficient", given.coefficient), ("static", static)):
        if value < 0.0:
            raise SceneError(f"{place}.{name}", f"the coefficient is {value}", "Give zero or more.")
    if static < given.coefficient:
        raise SceneError(
            f"{place}.static",
            f"the coefficient at rest, {static}, is less than that of motion, {given.coefficient}",
            "Give at least that of motion, or null for the same.",
        )
    return [given.coefficient, static]


def _check_size(given: JointFriction, shape: Rub, place: str) -> None:
    for name, value in (("radius", given.radius), ("height", given.height)):
        if value < 0.0:
            raise SceneError(f"{place}.{name}", f"the {name} is {value} m", "Give zero or more.")
    if given.sides is not None and not all(side > 0.0 for side in given.sides):
        raise SceneError(f"{place}.sides", f"the sides are {given.sides} m", "Give lengths above zero.")
    if shape in (Rub.CYLINDER, Rub.BALL) and not given.radius > 0.0:
        raise SceneError(
            f"{place}.radius",
            "the radius is 0, and friction has no lever",
            "Give the radius of the pin or ball, or leave the friction out.",
        )


def _motors(joints: Sequence[JointEntry]) -> Motors:
    curves: list[tuple[int, Curve, str]] = []
    torque: list[float] = []
    for joint, span, place in joints:
        count = span.stop - span.start
        if joint.motors and len(joint.motors) != count:
            raise SceneError(
                place("motors"),
                f"there are {len(joint.motors)} motors, and the joint has {count} coordinates",
                f"Give {count}, in the order of the coordinates; null for none.",
            )
        for k, motor in enumerate(joint.motors):
            if motor is None:
                continue
            if motor.torque < 0.0:
                raise SceneError(
                    place(f"motors[{k}].torque"), f"the torque is {motor.torque}", "Give zero or more."
                )
            if joint.motion and joint.motion[k] is not None:
                raise SceneError(
                    place(f"motors[{k}]"), "the coordinate is prescribed as well", "Leave one of them out."
                )
            curves.append((span.start + k, motor.speed, place(f"motors[{k}].speed")))
            torque.append(motor.torque)
    return Motors(pack(curves), np.array(torque, float))


def _loops(constraints: Sequence[ConstraintSpec], places: Places) -> LoopRubs:
    rows: list[tuple[int, int, tuple[int, int], int]] = []
    x: list[list[Floats]] = []
    axes: list[list[Floats]] = []
    size: list[list[float]] = []
    mu: list[list[float]] = []
    for i, spec in enumerate(constraints):
        given = getattr(spec, "friction", None)
        if given is None:
            continue
        place = f"constraints[{i}]" + (f" '{spec.name}'" if spec.name else "") + ".friction"
        assert isinstance(spec, LoopPoint | LoopHinge | LoopSlider | LoopPiston)
        coefficients = _coefficients(given, place)
        a, b = places.point(spec.a, f"{place}.a"), places.point(spec.b, f"{place}.b")
        axis = np.array([0.0, 0.0, 1.0])
        if isinstance(spec, LoopPoint):
            pairs = [(Rub.BALL, 0)]
            if spec.perpendicular_to is not None:
                axis, pairs = unit_axis(spec.perpendicular_to, place), [(Rub.CYLINDER, 0)]
        else:
            axis = unit_axis(spec.axis, place)
            turns, slides = (Rub.CYLINDER, 0), (Rub.SLEEVE, 1)
            pairs = [turns] if isinstance(spec, LoopHinge) else [slides]
            if isinstance(spec, LoopPiston) and given.radius > 0.0:
                pairs = [slides, turns]
        in_b = places.rotation(b[0]).T @ places.rotation(a[0]) @ axis
        for shape, slides_ in pairs:
            _check_size(given, shape, place)
            rows.append((i, int(shape), (a[0], b[0]), slides_))
            x.append([a[1], b[1]])
            axes.append([axis, in_b])
            size.append(_size(given, shape))
            mu.append(coefficients)
    return LoopRubs(
        constraint=np.array([r[0] for r in rows], np.int64),
        shape=np.array([r[1] for r in rows], np.int64),
        link=np.array([r[2] for r in rows], np.int64).reshape(-1, 2),
        x=np.array(x, float).reshape(-1, 2, 3),
        axis=np.array(axes, float).reshape(-1, 2, 3),
        slides=np.array([r[3] for r in rows], np.int64),
        size=np.array(size, float).reshape(-1, 3),
        mu=np.array(mu, float).reshape(-1, 2),
    )


_TURNS = (Kind.REVOLUTE, Kind.UNIVERSAL, Kind.SPHERICAL, Kind.SPHERICAL_EULER)
_SLIDES = (Kind.PRISMATIC, Kind.PLANAR, Kind.TRANSLATIONAL)


def _stops(joints: Sequence[JointEntry], limits: Limits, tree: Tree) -> StopRubs:
    """What rubs at hard stops: all other coordinates of the joint."""
    rows: list[tuple[int, int]] = []
    mu: list[float] = []
    kind = np.repeat(tree.kind, np.diff(tree.dof))
    for joint, span, place in joints:
        given = joint.limits
        if given is None or given.friction == 0.0:
            continue
        _check_stop(given, span, kind, place)
        for i in np.flatnonzero((limits.dof >= span.start) & (limits.dof < span.stop)).tolist():
            own = int(limits.dof[i])
            for dof in range(span.start, span.stop):
                if dof != own:
                    # a force on the stop rubs at a radius, and a torque comes from a force there
                    levers = int(kind[dof] in _TURNS) - int(kind[own] in _TURNS)
                    rows.append((i, dof))
                    mu.append(given.friction * given.radius**levers)
    table = np.array(rows, np.int64).reshape(-1, 2)
    return StopRubs(table[:, 0].copy(), table[:, 1].copy(), np.array(mu, float))


def _check_stop(given: LimitsSpec, span: slice, kind: Ints, place: Callable[[str], str]) -> None:
    if not given.friction > 0.0:
        raise SceneError(
            place("limits.friction"), f"the coefficient is {given.friction}", "Give zero or more."
        )
    if given.stiffness is not None:
        raise SceneError(
            place("limits.friction"),
            "a springy stop has no friction",
            "Leave out the stiffness, or the friction.",
        )
    if not given.radius > 0.0:
        raise SceneError(place("limits.radius"), f"the radius is {given.radius} m", "Give more than zero.")
    if span.stop - span.start < 2 or any(k not in _TURNS + _SLIDES for k in kind[span].tolist()):
        raise SceneError(
            place("limits.friction"),
            "nothing moves along its stop in this joint",
            "Leave it out, or use a joint that turns or slides about several axes.",
        )
