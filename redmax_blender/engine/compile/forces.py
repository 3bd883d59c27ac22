"""Forces of a scene -> arrays: springs, forces and torques on bodies, wind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..bodies.inertia import body_mass
from ..errors import SceneError
from ..forces.springs import TANGENTS
from ..model.curves import pack
from ..model.records import Bodies, External, Floats, Springs
from ..scene.base import Constant, Curve, Vec3
from ..scene.forces import ForceSpec, Point, PointForce, Spring, Wind
from ..scene.spec import SceneSpec
from .forest import body_place

ZERO = Constant(value=0.0)


@dataclass(frozen=True)
class Places:
    """Where named things are: bodies by name, and every link's initial world pose."""

    bodies: Bodies
    E_wj: Floats
    """Initial pose of each link in the world, shape (nl, 12)."""

    def body(self, name: str, place: str) -> int:
        try:
            return self.bodies.names.index(name)
        except ValueError:
            raise SceneError(
                place, f"there is no body '{name}'", "Give the name of a body of the scene."
            ) from None

    def point(self, point: Point, place: str) -> tuple[int, Floats]:
        """Link (-1 for the world) and position in its joint frame [m]."""
        if point.body is None:
            return -1, np.array(point.position, float)
        return self.on_body(point.body, point.position, place)

    def on_body(self, name: str, position: Vec3, place: str) -> tuple[int, Floats]:
        b = self.body(name, f"{place}.body")
        E = self.bodies.E_js[b]
        return int(self.bodies.link[b]), E[:9].reshape(3, 3) @ np.array(position, float) + E[9:]

    def in_world(self, link: int, x: Floats) -> Floats:
        """Initial world position of a point of a link."""
        if link < 0:
            return x
        E = self.E_wj[link]
        return np.asarray(E[:9].reshape(3, 3) @ x + E[9:])

    def rotation(self, link: int) -> Floats:
        """Initial world rotation of a link."""
        return np.eye(3) if link < 0 else np.asarray(self.E_wj[link, :9].reshape(3, 3))


def three(curves: Sequence[Curve | None], place: str) -> list[Curve]:
    """Three curves; those that are null, or all when the list is empty, are zero."""
    if not curves:
        return [ZERO, ZERO, ZERO]
    if len(curves) != 3:
        raise SceneError(
            place, f"there are {len(curves)} curves", "Give three, for x, y and z; null for none."
        )
    return [ZERO if c is None else c for c in curves]


def springs(forces: Sequence[ForceSpec], places: Places) -> Springs:
    names: list[str] = []
    first, link = [0], list[int]()
    x: list[Floats] = []
    numbers: list[tuple[float, float, float, int, int]] = []
    for i, force in enumerate(forces):
        if not isinstance(force, Spring):
            continue
        place = f"forces[{i}]" + (f" '{force.name}'" if force.name else "")
        for field in ("stiffness", "damping", "rest_length"):
            value = getattr(force, field)
            if value is not None and value < 0.0:
                raise SceneError(
                    f"{place}.{field}", f"the {field.replace('_', ' ')} is {value}", "Give zero or more."
                )
        nodes = [places.point(p, f"{place}.points[{k}]") for k, p in enumerate(force.points)]
        if all(n[0] == nodes[0][0] for n in nodes):
            raise SceneError(
                f"{place}.points",
                "all points are on one body",
                "Put at least one on another body or in the world.",
            )
        positions = np.array([places.in_world(*n) for n in nodes])
        length = float(np.linalg.norm(np.diff(positions, axis=0), axis=1).sum())
        rest = length if force.rest_length is None else force.rest_length
        names.append(force.name or f"spring {len(names)}")
        link += [n[0] for n in nodes]
        x += [n[1] for n in nodes]
        first.append(len(link))
        numbers.append(
            (force.stiffness, force.damping, rest, int(force.tension_only), TANGENTS[force.tangent])
        )
    columns = np.array(numbers, float).reshape(-1, 5).T
    return Springs(
        names=tuple(names),
        first=np.array(first, np.int64),
        link=np.array(link, np.int64),
        x=np.array(x, float).reshape(-1, 3),
        stiffness=np.ascontiguousarray(columns[0]),
        damping=np.ascontiguousarray(columns[1]),
        rest=np.ascontiguousarray(columns[2]),
        tension_only=columns[3].astype(np.int64),
        tangent=columns[4].astype(np.int64),
    )


def lifts(spec: SceneSpec) -> list[ForceSpec]:
    """Forces at the centres of bodies that feel only a part of gravity, or more than it."""
    out: list[ForceSpec] = []
    for b, body in enumerate(spec.bodies):
        if body.weight == 1.0:
            continue
        mass = body_mass(body.shape, body.density, body.mass, body_place(spec.bodies, b))
        push = [Constant((body.weight - 1.0) * mass.mass * g) for g in spec.gravity]
        out.append(
            PointForce(body.name, tuple(mass.centre.tolist()), list(push), name=f"weight of {body.name}")
        )
    return out


def external(forces: Sequence[ForceSpec], places: Places) -> External | None:
    """Forces and torques on bodies, and wind; null when there are none."""
    link: list[int] = []
    x: list[Floats] = []
    axes: list[Floats] = []
    in_world: list[bool] = []
    pushes: list[tuple[int, Curve, str]] = []
    wind_link: list[int] = []
    wind_x: list[Floats] = []
    wind_drag: list[tuple[float, float, float]] = []
    gusts: list[tuple[int, Curve, str]] = []
    for i, force in enumerate(forces):
        place = f"forces[{i}]" + (f" '{force.name}'" if force.name else "")
        if isinstance(force, PointForce):
            where = places.on_body(force.body, force.position, place)
            body = places.body(force.body, f"{place}.body")
            for name in ("force", "torque"):
                for curve in three(getattr(force, name), f"{place}.{name}"):
                    pushes.append((len(link), curve, f"{place}.{name}"))
            link.append(where[0])
            x.append(where[1])
            axes.append(places.bodies.E_js[body, :9].reshape(3, 3))
            in_world.append(force.axes == "world")
        elif isinstance(force, Wind):
            if force.linear < 0.0 or force.quadratic < 0.0:
                raise SceneError(place, "a drag coefficient is negative", "Give zero or more.")
            names = places.bodies.names if force.bodies is None else force.bodies
            for k, name in enumerate(names):
                body = places.body(name, f"{place}.bodies[{k}]")
                for curve in three(force.velocity, f"{place}.velocity"):
                    gusts.append((len(wind_link), curve, f"{place}.velocity"))
                wind_link.append(int(places.bodies.link[body]))
                wind_x.append(places.bodies.E_jb[body, 9:])
                wind_drag.append((force.linear, force.quadratic, float(force.implicit)))
    if not (link or wind_link):
        return None
    return External(
        link=np.array(link, np.int64),
        x=np.array(x, float).reshape(-1, 3),
        axes=np.array(axes, float).reshape(-1, 3, 3),
        in_world=np.array(in_world, bool),
        curves=pack(pushes),
        wind_link=np.array(wind_link, np.int64),
        wind_x=np.array(wind_x, float).reshape(-1, 3),
        wind_drag=np.array(wind_drag, float).reshape(-1, 3),
        wind_curves=pack(gusts),
    )
