"""Bodies, joints and coordinates of a model file."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np

from ...algebra.se3 import pose_row
from .. import functions as fn
from ..records import WORLD
from ..skeleton import Axis, Body, Coordinate, Coupler, Joint, Skeleton
from .elements import Reader, objects, title
from .read_functions import read_terms

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SIMPLE: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "WeldJoint": ((), ()),
    "PinJoint": ((_Z,), ()),
    "SliderJoint": ((), (_X,)),
    "UniversalJoint": ((_X, _Y), ()),
    "GimbalJoint": ((_X, _Y, _Z), ()),
    "BallJoint": ((_X, _Y, _Z), ()),
    "PlanarJoint": ((_Z,), (_X, _Y)),
    "FreeJoint": ((_X, _Y, _Z), (_X, _Y, _Z)),
}
"""Axes of turning in turn, and of sliding, one a coordinate."""


def rotation_xyz(angles: Any) -> Any:
    """Turns about x, the turned y and the turned z, as a matrix."""
    R = np.eye(3)
    for k, angle in enumerate(angles):
        c, s = np.cos(angle), np.sin(angle)
        turn = np.eye(3)
        i, j = (k + 1) % 3, (k + 2) % 3
        turn[i, i] = turn[j, j] = c
        turn[i, j], turn[j, i] = -s, s
        R = R @ turn
    return R


class Frames:
    """Which body a frame of the file hangs on, and where."""

    def __init__(self, reader: Reader, model: ET.Element) -> None:
        self.reader = reader
        self.bodies = {"ground": WORLD}
        for i, body in enumerate(objects(model, "BodySet")):
            name = body.get("name", "")
            if not name or name in self.bodies:
                raise reader.error(
                    body, "its name is missing or used twice", "Give each body a name of its own."
                )
            self.bodies[name] = i
        self.offsets: dict[tuple[str, str], ET.Element] = {}
        self._collect(model, "")

    def _collect(self, element: ET.Element, owner: str) -> None:
        for child in element:
            if child.tag == "PhysicalOffsetFrame":
                self.offsets[owner, child.get("name", "")] = child
            name = child.get("name", "") if child.tag != "PhysicalOffsetFrame" else owner
            inside = name if child.tag.endswith("Joint") or child.tag in ("Body", "Ground") else owner
            self._collect(child, inside)

    def place(self, path: str, owner: str, asked: ET.Element, seen: tuple[str, ...] = ()) -> tuple[int, Any]:
        """Body and pose (4, 4) in it of the frame that an element of `owner` calls `path`."""
        words = [word for word in path.strip().split("/") if word not in ("", "..", ".")]
        if not words:
            raise self.reader.error(asked, "it names no frame", "Give the path of a body.")
        name = words[-1]
        holder = words[-2] if len(words) > 1 else owner
        for key in ((holder, name), (owner, name)):
            if key in self.offsets:
                return self._offset(self.offsets[key], key, asked, seen)
        if name in self.bodies:
            return self.bodies[name], np.eye(4)
        others = [key for key in self.offsets if key[1] == name]
        if len(others) == 1:
            return self._offset(self.offsets[others[0]], others[0], asked, seen)
        raise self.reader.error(
            asked, f"there is no body or frame '{path.strip()}'", "Is its name spelt right?"
        )

    def _offset(
        self, frame: ET.Element, key: Any, asked: ET.Element, seen: tuple[str, ...]
    ) -> tuple[int, Any]:
        mark = "/".join(key)
        if mark in seen or len(seen) > 50:
            raise self.reader.error(
                asked, f"the frame '{key[1]}' hangs on itself", "Let one of its parents be a body."
            )
        body, E = self.place(self.reader.text(frame, "socket_parent"), key[0], frame, (*seen, mark))
        local = np.eye(4)
        local[:3, :3] = rotation_xyz(self.reader.numbers(frame, "orientation", 3, [0.0] * 3))
        local[:3, 3] = self.reader.numbers(frame, "translation", 3, [0.0] * 3)
        return body, E @ local


def read_bodies(reader: Reader, model: ET.Element) -> tuple[Body, ...]:
    out = []
    for element in objects(model, "BodySet"):
        mass = reader.number(element, "mass")
        if mass < 0.0:
            raise reader.error(element, f"its mass is {mass:g} kg", "Masses cannot be negative.")
        xx, yy, zz, xy, xz, yz = reader.numbers(element, "inertia", 6, [0.0] * 6)
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if np.linalg.eigvalsh(inertia).min() < -1e-9 * max(1e-9, float(np.abs(inertia).max())):
            raise reader.error(
                element, "its inertia is not positive", "Give it the inertia about its centre of mass."
            )
        centre = reader.numbers(element, "mass_center", 3, [0.0] * 3)
        out.append(
            Body(
                element.get("name", ""), mass, (float(centre[0]), float(centre[1]), float(centre[2])), inertia
            )
        )
    if not out:
        raise reader.error(None, "it holds no bodies", "Is it a model?")
    return tuple(out)


def _read_coordinate(reader: Reader, element: ET.Element) -> Coordinate:
    low, high = reader.numbers(element, "range", 2, [-1e9, 1e9])
    if low > high:
        raise reader.error(element, f"its range goes from {low:g} to {high:g}", "Exchange its ends.")
    return Coordinate(
        name=element.get("name", ""),
        default=reader.number(element, "default_value", 0.0),
        low=float(low),
        high=float(high),
        locked=reader.flag(element, "locked", False),
        clamped=reader.flag(element, "clamped", False),
    )


class _Joints:
    def __init__(self, reader: Reader, model: ET.Element, frames: Frames) -> None:
        self.reader, self.frames = reader, frames
        self.coordinates: list[Coordinate] = []
        self.index: dict[str, int] = {}
        self.rotational: dict[int, bool] = {}
        self.joints = [self._read(element) for element in objects(model, "JointSet")]

    def _read(self, element: ET.Element) -> Joint:
        reader, name = self.reader, element.get("name", "")
        holder = element.find("coordinates")
        own = []
        for child in holder if holder is not None else []:
            coordinate = _read_coordinate(reader, child)
            if not coordinate.name or coordinate.name in self.index:
                raise reader.error(
                    child, "its name is missing or used twice", "Give each coordinate its own name."
                )
            self.index[coordinate.name] = len(self.coordinates)
            own.append(len(self.coordinates))
            self.coordinates.append(coordinate)
        parent, in_parent = self.frames.place(reader.text(element, "socket_parent_frame"), name, element)
        child_body, in_child = self.frames.place(reader.text(element, "socket_child_frame"), name, element)
        if child_body == WORLD:
            raise reader.error(element, "the ground is its child", "Exchange its parent and its child.")
        if element.tag == "CustomJoint":
            turns, slides = self._custom(element)
        elif element.tag in SIMPLE:
            turns, slides = self._simple(element, own)
        else:
            raise reader.error(
                element,
                "this kind of joint is not understood",
                f"Known are CustomJoint, {', '.join(SIMPLE)}.",
            )
        for axes, rotational in ((turns, True), (slides, False)):
            for axis in axes:
                for i, curve in axis.terms:
                    if isinstance(curve, fn.Linear):
                        self.rotational.setdefault(i, rotational)
        return Joint(name, parent, child_body, pose_row(in_parent), pose_row(in_child), turns, slides)

    def _simple(self, element: ET.Element, own: list[int]) -> tuple[Any, Any]:
        turn_axes, slide_axes = SIMPLE[element.tag]
        if len(own) != len(turn_axes) + len(slide_axes):
            raise self.reader.error(
                element,
                f"it has {len(own)} coordinates",
                f"A {element.tag} needs {len(turn_axes) + len(slide_axes)}.",
            )
        axes = [Axis(a, ((i, fn.Linear(1.0)),)) for i, a in zip(own, (*turn_axes, *slide_axes), strict=True)]
        rest = Axis(_X)
        turns = [*axes[: len(turn_axes)], rest, rest, rest][:3]
        slides = [*axes[len(turn_axes) :], rest, rest, rest][:3]
        return tuple(turns), tuple(slides)

    def _custom(self, element: ET.Element) -> tuple[Any, Any]:
        transform = element.find("SpatialTransform")
        parts = [] if transform is None else transform.findall("TransformAxis")
        if len(parts) != 6:
            raise self.reader.error(element, f"its SpatialTransform has {len(parts)} axes", "It needs six.")
        names = [f"{word}{k}" for word in ("rotation", "translation") for k in (1, 2, 3)]
        by_name = {part.get("name"): part for part in parts}
        ordered = [by_name[n] for n in names] if set(names) == set(by_name) else parts
        axes = [self._axis(part, element, k) for k, part in enumerate(ordered)]
        return tuple(axes[:3]), tuple(axes[3:])

    def _axis(self, part: ET.Element, joint: ET.Element, k: int) -> Axis:
        direction = self.reader.numbers(part, "axis", 3, np.eye(3)[k % 3])
        size = float(np.linalg.norm(direction))
        if size < 1e-12:
            raise self.reader.error(
                joint, f"the axis of its {part.get('name')} is zero", "Give it a direction."
            )
        if k < 3:
            direction = direction / size
        names = self.reader.text(part, "coordinates", "-").split()
        coordinates = []
        for name in names if names != ["-"] else []:
            if name not in self.index:
                raise self.reader.error(joint, f"there is no coordinate '{name}'", "Is its name spelt right?")
            coordinates.append(self.index[name])
        holder = part.find("function")
        function = next(iter(holder), None) if holder is not None else None
        if function is None:
            function = next((c for c in part if c.tag not in ("coordinates", "axis", "function")), None)
        a = (float(direction[0]), float(direction[1]), float(direction[2]))
        if function is None:
            return Axis(a)
        terms, offset = read_terms(self.reader, function, coordinates)
        return Axis(a, terms, offset)


def _sorted(reader: Reader, joints: list[Joint], bodies: tuple[Body, ...]) -> tuple[Joint, ...]:
    """Parents before children."""
    carried: dict[int, Joint] = {}
    for joint in joints:
        if joint.child in carried:
            raise reader.error(
                None,
                f"'{bodies[joint.child].name}' hangs on the joints '{carried[joint.child].name}' and '{joint.name}'",
                "Loops of joints are not understood: close them by a constraint.",
            )
        carried[joint.child] = joint
    free = [body.name for i, body in enumerate(bodies) if i not in carried]
    if free:
        raise reader.error(
            None, f"no joint carries body '{free[0]}'", "Give it a joint, a FreeJoint for example."
        )
    out: list[Joint] = []
    placed = {WORLD}
    while len(out) < len(joints):
        ready = [joint for joint in joints if joint.child not in placed and joint.parent in placed]
        if not ready:
            stuck = next(joint for joint in joints if joint.child not in placed)
            raise reader.error(
                None, f"the joint '{stuck.name}' hangs on itself", "Begin the tree at the ground."
            )
        out += ready
        placed |= {joint.child for joint in ready}
    return tuple(out)


def _read_couplers(reader: Reader, model: ET.Element, index: dict[str, int]) -> tuple[Coupler, ...]:
    out = []
    for element in objects(model, "ConstraintSet"):
        if element.tag != "CoordinateCouplerConstraint":
            reader.note(f"{title(element)}: this constraint is not understood and left out")
            continue
        if not reader.flag(element, "isEnforced", True):
            continue
        names = [
            *reader.text(element, "independent_coordinate_names").split(),
            reader.text(element, "dependent_coordinate_name"),
        ]
        for name in names:
            if name not in index:
                raise reader.error(element, f"there is no coordinate '{name}'", "Is its name spelt right?")
        holder = reader.find(element, "coupled_coordinates_function")
        function = next(iter(holder), None) if holder is not None else None
        if function is None:
            raise reader.error(element, "it has no function", "The file is incomplete.")
        terms, offset = read_terms(reader, function, [index[name] for name in names[:-1]])
        scale = reader.number(element, "scale_factor", 1.0)
        out.append(
            Coupler(
                index[names[-1]], tuple((i, fn.Scaled(scale, curve)) for i, curve in terms), scale * offset
            )
        )
    return tuple(out)


def read_skeleton(reader: Reader, model: ET.Element, frames: Frames) -> Skeleton:
    bodies = read_bodies(reader, model)
    read = _Joints(reader, model, frames)
    coordinates = tuple(
        Coordinate(c.name, c.default, c.low, c.high, read.rotational.get(i, True), c.locked, c.clamped)
        for i, c in enumerate(read.coordinates)
    )
    gravity = reader.numbers(model, "gravity", 3, [0.0, -9.80665, 0.0])
    return Skeleton(
        bodies=bodies,
        joints=_sorted(reader, read.joints, bodies),
        coordinates=coordinates,
        couplers=_read_couplers(reader, model, read.index),
        gravity=(float(gravity[0]), float(gravity[1]), float(gravity[2])),
    )
