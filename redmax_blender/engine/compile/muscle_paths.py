"""Paths of muscles: their points on links, the surfaces that they slide over, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..algebra.se3 import pose_matrix, pose_row
from ..errors import SceneError
from ..model.records import Floats, Ints, Joints, Tree
from ..muscles.functions import Constant, CubicSpline, PiecewiseLinear
from ..muscles.paths.exact import point_positions, surface_poses
from ..muscles.paths.network.check import check_network
from ..muscles.paths.smooth.pack import outside
from ..muscles.records import Mover, MusclePath, PathPoint, Side, Surface, Wrap, WrapSurface
from ..scene.muscles import (
    MusclePoint,
    MuscleSpec,
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
class MuscleSite:
    """What muscles are compiled from besides their specs."""

    places: Places
    joints: Joints
    tree: Tree
    q0: Floats
    qdot0: Floats
    surfaces: dict[str, WrapSurface]


def positive(value: float, place: str, what: str, zero: bool = False) -> float:
    if value < 0.0 or (value == 0.0 and not zero):
        raise SceneError(
            place, f"the {what} is {value}", f"Give {'zero or more' if zero else 'more than zero'}."
        )
    return value


def wrap_surfaces(wraps: Sequence[WrapSpec], places: Places) -> dict[str, WrapSurface]:
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
        half = None if wrap.half == "all" else ("xyz".index(wrap.half[1]), 1 if wrap.half[0] == "+" else -1)
        long = np.inf
        if wrap.length is not None:
            long = positive(wrap.length, f"{place}.length", "length")
            if kind != Surface.CYLINDER:
                raise SceneError(f"{place}.length", "only a cylinder has ends", "Leave the length out.")
        axes = tuple(map(float, row[:9]))
        out[wrap.name] = WrapSurface(wrap.name, kind, size, link, axes, origin, True, half, float(long))
    return out


def _shape(wrap: WrapSpec, place: str) -> tuple[Surface, tuple[float, float, float]]:
    s = wrap.shape
    if isinstance(s, WrapCylinder):
        return Surface.CYLINDER, (positive(s.radius, f"{place}.shape.radius", "radius"), 0.0, 0.0)
    if isinstance(s, WrapSphere):
        return Surface.SPHERE, (positive(s.radius, f"{place}.shape.radius", "radius"), 0.0, 0.0)
    if isinstance(s, WrapEllipsoid):
        for r in s.radii:
            positive(r, f"{place}.shape.radii", "half axis")
        return Surface.ELLIPSOID, s.radii
    if isinstance(s, WrapCapsule):
        positive(s.radius, f"{place}.shape.radius", "radius")
        length = np.inf if s.length is None else positive(s.length, f"{place}.shape.length", "length", True)
        return Surface.CAPSULE, (s.radius, float(length), 0.0)
    positive(s.tube, f"{place}.shape.tube", "radius")
    if not s.ring > s.tube:
        raise SceneError(
            f"{place}.shape.ring", f"a ring of {s.ring} m made of a tube of {s.tube} m has no hole",
            "Give a ring that is larger than its tube.",
        )  # fmt: skip
    return Surface.TORUS, (s.ring, s.tube, 0.0)


def muscle_path(spec: MuscleSpec, place: str, site: MuscleSite, kin: Kinematics) -> MusclePath:
    points = []
    for k, point in enumerate(spec.points):
        at = f"{place}.points[{k}]"
        link, x = -1, np.array(point.position, float)
        if point.body is not None:
            link, x = site.places.on_body(point.body, point.position, at)
        active = None
        if point.active is not None and 0 < k < len(spec.points) - 1:
            dof = coordinate_number(point.active.joint, point.active.coordinate, f"{at}.active", site)
            if not point.active.lower <= point.active.upper:
                raise SceneError(f"{at}.active", "the range is empty", "Let lower be below upper.")
            active = (dof, point.active.lower, point.active.upper)
        movers = _movers(point, x, at, site) if point.moves else None
        points.append(PathPoint(link, (float(x[0]), float(x[1]), float(x[2])), movers, active))
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
    path = MusclePath(spec.name, tuple(points), tuple(surfaces), tuple(wraps), spec.network)
    if spec.network:
        check_network(path, f"{place}.network")
    _check_outside(path, place, kin, site.q0)
    return path


def _movers(point: MusclePoint, x: Floats, place: str, site: MuscleSite) -> tuple[Mover, Mover, Mover]:
    """How a point moves along the axes of its link, which those of the body's shape have to be parallel to."""
    R = np.eye(3)
    if point.body is not None:
        R = pose_matrix(site.places.bodies.E_js[site.places.body(point.body, place)])[:3, :3]
    out = [Mover(-1, Constant(float(v))) for v in x]
    for k, move in enumerate(point.moves):
        at = f"{place}.moves[{k}]"
        column = R[:, "xyz".index(move.axis)]
        axis = int(np.argmax(np.abs(column)))
        if abs(column[axis]) < 1.0 - 1e-9:
            raise SceneError(
                at, "the axes of its body's shape are at an angle to those of the joint",
                "Let the body's 'pose' turn by right angles only, and put what is askew into its shape.",
            )  # fmt: skip
        if len(move.at) != len(move.values):
            raise SceneError(
                at, f"'at' has {len(move.at)} numbers and 'values' has {len(move.values)}", "Give as many."
            )
        if not np.all(np.diff(move.at) > 0.0):
            raise SceneError(f"{at}.at", "its numbers do not increase", "Sort them, and leave out doubles.")
        before = float(x[axis] - column[axis] * point.position["xyz".index(move.axis)])
        values = [before + float(np.sign(column[axis])) * v for v in move.values]
        curve = CubicSpline if move.interpolation == "cubic" else PiecewiseLinear
        out[axis] = Mover(
            coordinate_number(move.joint, move.coordinate, at, site), curve(list(move.at), values)
        )
    return out[0], out[1], out[2]


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


def coordinate_number(joint: str, coordinate: int, place: str, site: MuscleSite) -> int:
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


def coordinates_above(tree: Tree) -> list[list[int]]:
    """Coordinates that move each link."""
    out: list[list[int]] = []
    for j, p in enumerate(tree.parent):
        own = list(range(tree.dof[j], tree.dof[j + 1]))
        out.append(own if p < 0 else out[p] + own)
    return out


def moved_by(path: MusclePath, above: list[list[int]]) -> Ints:
    """Coordinates that move a path's frames against one another, or all of it: where it has mass, all count."""
    frames = {p.frame for p in path.points} | {path.surfaces[w.surface].frame for w in path.wraps}
    moved = {k for f in frames if f >= 0 for k in above[f]}
    return np.array(sorted(moved | set(path.coordinates)), np.int64)
