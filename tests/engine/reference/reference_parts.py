"""Bodies, joints and curves of the published RedMax scenes in our own types (see `reference_format.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.scene import (
    Composite,
    CompositeJoint,
    Constant,
    Cuboid,
    Curve,
    Cylinder,
    Fixed,
    Free,
    FreePlanar,
    Inertia,
    JointKind,
    Logistic,
    Part,
    Piece,
    Piecewise,
    Planar,
    Polynomial,
    Pose,
    Prismatic,
    Revolute,
    Shape,
    Sine,
    Sphere,
    Spherical,
    SphericalEuler,
    SplineCurve,
    SplineSurface,
    Translational,
    Universal,
    Vec3,
)

Json = dict[str, Any]


class NotCoveredError(Exception):
    """The scene needs something that the engine does not have, or that this reader does not know."""


def first_of(d: Json, *names: str) -> Any:
    """The first of several spellings of a field that is there."""
    for name in names:
        if d.get(name) is not None:
            return d[name]
    raise NotCoveredError(f"a field '{names[0]}' is missing")


def vec3(x: Any) -> Vec3:
    a, b, c = map(float, x)
    return a, b, c


def read_pose(t: Json) -> Pose:
    return Pose(position=vec3(t["p"]), rotation=[float(x) for x in se3.quaternion(np.array(t["R"], float))])


def read_shape(b: Json) -> tuple[Shape, Pose, float | None]:
    """Shape, its pose in the joint frame, and the density."""
    pose = read_pose(first_of(b, "E_joint_body", "E_joint_part"))
    density = b.get("density")
    match b["shape"]:
        case "cuboid":
            return Cuboid(sides=vec3(b["sides"])), pose, density
        case "sphere":
            return Sphere(radius=b["radius"]), pose, density
        case "cylinder_z":
            return Cylinder(radius=b["radius"], height=b["height"]), pose, density
        case "composite":
            parts = []
            for part in b["parts"]:
                shape, where, own = read_shape(part)
                if isinstance(shape, Composite):
                    raise NotCoveredError("a composite within a composite")
                parts.append(Part(shape=shape, pose=where, density=own))
            return Composite(parts=parts), Pose(), density
    # a mesh, or whatever else: its mass properties are given
    I = first_of(b, "inertia_diag")
    return Inertia(mass=float(I[3]), moments=vec3(I[:3])), pose, None


_SIMPLE: dict[str, type[Any]] = {
    "fixed": Fixed,
    "planar": Planar,
    "translational": Translational,
    "universal": Universal,
    "spherical": Spherical,
    "spherical_exp": Spherical,
    "free2d": FreePlanar,
    "free3d_exp": Free,
}


_CHARTED = ("spherical", "spherical_exp", "free2d", "free3d_exp")
"""Kinds that the published code steps along the rates of their coordinates."""


def read_kind(j: Json) -> JointKind:
    kind = j["type"]
    if kind in _SIMPLE:
        given = {"centred": False} if kind in _CHARTED else {}
        joint: JointKind = _SIMPLE[kind](**given)
        return joint
    match kind:
        case "revolute":
            return Revolute(axis=vec3(j["axis"]))
        case "prismatic":
            return Prismatic(axis=vec3(j["axis"]))
        case "spherical_euler":
            return SphericalEuler(chart=j.get("chart", "XYZ"))
        case "free3d_euler":
            return Free(rotation="euler", centred=False)
        case "free_st":
            return Free(order="rotation-translation", centred=False)
        case "composite":
            return CompositeJoint(joints=[read_kind(p) for p in _parts(j)])
        case "spline_curve":
            return SplineCurve(
                frames=[read_pose(f) for f in j["control_frames"]], cyclic=j.get("cyclic", True)
            )
        case "spline_surface":
            controls = next((v for k, v in j.items() if "control" in k and isinstance(v, list)), None)
            if controls is None:
                raise NotCoveredError("a spline surface without controls")
            return SplineSurface(controls=controls)
    raise NotCoveredError(f"joint kind '{kind}'")


def _parts(j: Json) -> list[Json]:
    """The joints of a composite one: a list of them, or two fields."""
    lists = [v for v in j.values() if isinstance(v, list) and v and isinstance(v[0], dict) and "type" in v[0]]
    if lists:
        return list(lists[0])
    own = [v for v in j.values() if isinstance(v, dict) and "type" in v]
    if not own:
        raise NotCoveredError("a composite joint whose parts were not found")
    return own


def read_law(law: Any) -> Curve:
    """A function of time: a number, a law with parameters, or pieces c0 + c1 t."""
    if isinstance(law, (int, float)):
        return Constant(value=float(law))
    if isinstance(law, list):
        return linear_pieces(law)
    kind = law.get("kind")
    if "pieces" in law:
        return linear_pieces(law["pieces"])
    match kind:
        case "logistic":
            curve = Logistic(t0=law["t0"], t1=law["t1"], height=law["b"], steepness=law["a"])
            if not law.get("hold_after_t1"):
                return curve
            held = Piece(curve=Constant(value=law["b"]))
            return Piecewise(pieces=[Piece(curve=curve, until=law["t1"]), held])
        case "polynomial":
            return Polynomial(coefficients=law["coefficients"], t0=law.get("t0", 0.0))
        case "constant":
            return Constant(value=float(first_of(law, "value", "c0", "b")))
        case "linear":
            return Polynomial(coefficients=[float(law["c0"]), float(law["c1"])])
        case "sine" | "sin":
            omega = law.get("omega")
            frequency = float(omega) / (2.0 * np.pi) if omega is not None else float(law["frequency"])
            return Sine(
                amplitude=float(law["amplitude"]),
                frequency=frequency,
                phase=float(law.get("phase", 0.0)),
                offset=float(law.get("offset", 0.0)),
            )
    raise NotCoveredError(f"control law '{kind}'")


def linear_pieces(pieces: list[Json], what: str | None = None, axis: int | None = None) -> Curve:
    """c0 + c1 t on each piece, t the time itself; of a component of a field, where these are given."""
    parts = []
    for p in pieces:
        line = p if what is None else p[what]
        c = [line["c0"], line["c1"]]
        if axis is not None:
            c = [x[axis] for x in c]
        parts.append(Piece(curve=Polynomial(coefficients=[float(x) for x in c]), until=p["until"]))
    return Piecewise(pieces=parts)
