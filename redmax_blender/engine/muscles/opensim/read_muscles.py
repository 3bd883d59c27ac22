"""Muscles of a model file: their paths, the surfaces that these slide over, and their parameters."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..check import check_path
from ..functions import Constant
from ..records import Mover, MusclePath, PathPoint, Surface, Wrap, WrapSurface
from .elements import Reader, last_word, objects, title
from .read_functions import read_curve
from .read_skeleton import Frames, rotation_xyz


@dataclass(frozen=True)
class MuscleRecord:
    """A muscle as the file has it; SI units."""

    name: str
    kind: str
    """Class in the file, such as Millard2012EquilibriumMuscle."""
    path: MusclePath
    """Frames are bodies of the skeleton, coordinates are its coordinates."""
    max_isometric_force: float
    optimal_fiber_length: float
    tendon_slack_length: float
    pennation: float
    """At the optimal fibre length [rad]."""
    max_contraction_velocity: float = 10.0
    """[optimal fibre lengths/s]"""
    properties: dict[str, float] = field(default_factory=dict)
    """Every other number that the file gives, of curves as CurveName.property."""


KINDS = {
    "WrapCylinder": Surface.CYLINDER,
    "WrapSphere": Surface.SPHERE,
    "WrapEllipsoid": Surface.ELLIPSOID,
    "WrapTorus": Surface.TORUS,
}


def _quadrant(reader: Reader, element: ET.Element) -> tuple[int, int] | None:
    word = reader.text(element, "quadrant", "all").lower()
    if word in ("all", "unassigned"):
        return None
    bare = word.lstrip("+-")
    if bare not in ("x", "y", "z") or len(word) - len(bare) > 1:
        raise reader.error(element, f"its quadrant is '{word}'", "It is all, x, -x, y, -y, z or -z.")
    return "xyz".index(bare), -1 if word.startswith("-") else 1


def _surface(reader: Reader, element: ET.Element, body: int, E: Any) -> WrapSurface:
    kind = KINDS[element.tag]
    length = np.inf
    if kind == Surface.ELLIPSOID:
        size = tuple(float(x) for x in reader.numbers(element, "dimensions", 3))
    elif kind == Surface.TORUS:
        size = (reader.positive(element, "outer_radius"), reader.positive(element, "inner_radius"), 0.0)
    else:
        size = (reader.positive(element, "radius"), 0.0, 0.0)
        if kind == Surface.CYLINDER:
            length = reader.positive(element, "length", 1.0)
    R = E[:3, :3] @ rotation_xyz(reader.numbers(element, "xyz_body_rotation", 3, [0.0] * 3))
    origin = E[:3, :3] @ reader.numbers(element, "translation", 3, [0.0] * 3) + E[:3, 3]
    return WrapSurface(
        name=element.get("name", ""),
        kind=kind,
        size=(size[0], size[1], size[2]),
        frame=body,
        rotation=tuple(R.ravel().tolist()),
        origin=(float(origin[0]), float(origin[1]), float(origin[2])),
        active=reader.flag(element, "active", True),
        quadrant=_quadrant(reader, element),
        length=length,
    )


def read_surfaces(reader: Reader, model: ET.Element, frames: Frames) -> dict[str, WrapSurface]:
    found: dict[str, WrapSurface] = {}

    def visit(element: ET.Element, owner: str) -> None:
        for child in element:
            inside = owner
            if child.tag in ("Body", "Ground", "PhysicalOffsetFrame"):
                name = child.get("name", "ground")
                for wrap in objects(child, "WrapObjectSet"):
                    if wrap.tag not in KINDS:
                        reader.note(f"{title(wrap)}: this kind of surface is not understood and left out")
                        continue
                    body, E = frames.place(name, owner, wrap)
                    found[wrap.get("name", "")] = _surface(reader, wrap, body, E)
                inside = name if child.tag != "PhysicalOffsetFrame" else owner
            elif child.tag.endswith("Joint"):
                inside = child.get("name", "")
            visit(child, inside)

    visit(model, "")
    return found


class _Paths:
    def __init__(
        self, reader: Reader, frames: Frames, coordinates: dict[str, int], surfaces: dict[str, WrapSurface]
    ) -> None:
        self.reader, self.frames, self.coordinates, self.surfaces = reader, frames, coordinates, surfaces

    def coordinate(self, element: ET.Element, name: str) -> int:
        word = last_word(self.reader.text(element, name))
        if word not in self.coordinates:
            raise self.reader.error(element, f"there is no coordinate '{word}'", "Is its name spelt right?")
        return self.coordinates[word]

    def point(self, element: ET.Element) -> PathPoint:
        reader = self.reader
        body, E = self.frames.place(reader.text(element, "socket_parent_frame"), "", element)
        if element.tag == "MovingPathPoint":
            if not np.allclose(E, np.eye(4)):
                raise reader.error(element, "it moves in an offset frame", "Let it hang on the body itself.")
            movers = tuple(self._mover(element, axis) for axis in "xyz")
            return PathPoint(body, (0.0, 0.0, 0.0), movers=(movers[0], movers[1], movers[2]))
        place = E[:3, :3] @ reader.numbers(element, "location", 3) + E[:3, 3]
        where = (float(place[0]), float(place[1]), float(place[2]))
        if element.tag == "ConditionalPathPoint":
            low, high = reader.numbers(element, "range", 2)
            return PathPoint(
                body, where, active=(self.coordinate(element, "socket_coordinate"), float(low), float(high))
            )
        if element.tag != "PathPoint":
            raise reader.error(
                element,
                "this kind of path point is not understood",
                "Known are fixed, moving and conditional ones.",
            )
        return PathPoint(body, where)

    def _mover(self, element: ET.Element, axis: str) -> Mover:
        holder = element.find(f"{axis}_location")
        function = next(iter(holder), None) if holder is not None else None
        if function is None:
            text = (holder.text or "").strip() if holder is not None else ""
            try:
                return Mover(-1, Constant(float(text) if text else 0.0))
            except ValueError:
                raise self.reader.error(
                    element, f"its {axis}_location is '{text}'", "It is a function."
                ) from None
        curve = read_curve(self.reader, function)
        if isinstance(curve, Constant):
            return Mover(-1, curve)
        return Mover(self.coordinate(element, f"socket_{axis}_coordinate"), curve)

    def read(self, muscle: ET.Element, geometry: ET.Element) -> MusclePath:
        reader = self.reader
        points = tuple(self.point(child) for child in objects(geometry, "PathPointSet"))
        surfaces: list[WrapSurface] = []
        wraps = []
        for element in objects(geometry, "PathWrapSet"):
            name = last_word(reader.text(element, "wrap_object"))
            if name not in self.surfaces:
                raise reader.error(
                    muscle, f"it is to wrap over '{name}', which there is none of", "Is its name spelt right?"
                )
            first, last = (int(x) for x in reader.numbers(element, "range", 2, [-1, -1]))
            method = reader.text(element, "method", "hybrid")
            if method not in ("hybrid", "midpoint", "axial"):
                raise reader.error(
                    muscle, f"it wraps by the method '{method}'", "It is hybrid, midpoint or axial."
                )
            ends = max(first, 1) - 1, last - 1 if last > 0 else -1
            wraps.append(Wrap(len(surfaces), *ends, method=method))
            surfaces.append(self.surfaces[name])
        return MusclePath(muscle.get("name", ""), points, tuple(surfaces), tuple(wraps))


def _all_numbers(muscle: ET.Element) -> dict[str, float]:
    out: dict[str, float] = {}
    for child in muscle:
        groups = [(child.tag, child)] if len(child) == 0 else []
        if child.tag.endswith("Curve"):
            groups = [(f"{child.tag}.{inner.tag}", inner) for inner in child]
        for name, element in groups:
            word = (element.text or "").strip()
            if word in ("true", "false"):
                out[name] = float(word == "true")
                continue
            try:
                out[name] = float(word)
            except ValueError:
                continue
    return out


def read_muscles(
    reader: Reader, model: ET.Element, frames: Frames, coordinates: dict[str, int]
) -> tuple[MuscleRecord, ...]:
    paths = _Paths(reader, frames, coordinates, read_surfaces(reader, model, frames))
    out: list[MuscleRecord] = []
    for element in objects(model, "ForceSet"):
        name = element.get("name", "")
        if "Muscle" not in element.tag:
            reader.note(f"{title(element)}: this force is not a muscle and is left out")
            continue
        geometry = next(
            (child for child in element.iter() if child.tag.endswith("Path") and len(child) > 0), None
        )
        if geometry is None or geometry.tag != "GeometryPath":
            what = "no path" if geometry is None else f"a {geometry.tag}"
            raise reader.error(element, f"it has {what}", "Only a GeometryPath is understood.")
        if any(other.name == name for other in out):
            raise reader.error(element, "its name is used twice", "Give each muscle a name of its own.")
        path = paths.read(element, geometry)
        for note in check_path(path):
            reader.note(note)
        force = reader.number(element, "max_isometric_force", 1000.0)
        if force < 0.0:
            raise reader.error(element, f"<max_isometric_force> is {force:g}", "It cannot be negative.")
        out.append(
            MuscleRecord(
                name=name,
                kind=element.tag,
                path=path,
                max_isometric_force=force,
                optimal_fiber_length=reader.positive(element, "optimal_fiber_length", 0.1),
                tendon_slack_length=reader.positive(element, "tendon_slack_length", 0.2),
                pennation=reader.number(element, "pennation_angle_at_optimal", 0.0),
                max_contraction_velocity=reader.positive(element, "max_contraction_velocity", 10.0),
                properties=_all_numbers(element),
            )
        )
    return tuple(out)
