"""Reads scenes of the published RedMax code (schema `redmax-reference-case/1`) into our own types.

Their plain numbers are cm, g and s; an engine does not mind. Bodies are given with their joint, all frames as we have
them. What this project cannot express yet is reported by name, never approximated.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from redmax_blender.engine import se3
from redmax_blender.engine.model import Options
from redmax_blender.engine.scene import (
    BodySpec,
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
    JointSpec,
    Logistic,
    Part,
    Piece,
    Piecewise,
    Planar,
    Polynomial,
    Pose,
    Prismatic,
    Revolute,
    SceneSpec,
    Shape,
    Sphere,
    Spherical,
    SphericalEuler,
    SplineCurve,
    SplineSurface,
    TimeSpec,
    Translational,
    Universal,
)


class NotCovered(Exception):
    """The scene needs something that the engine does not have."""


@dataclass
class Run:
    """One figure to reproduce."""

    integrator: str
    label: str
    """The integrator as the reference names it."""
    expected: float
    """H = T(t1) + V(t1) - V(t0)."""
    recorded: bool
    """Whether the expected value is the recorded one, rather than one computed independently for this case."""
    note: str = ""


@dataclass
class Case:
    name: str
    scene: SceneSpec
    options: Options
    runs: list[Run] = field(default_factory=list)


def _pose(t: dict[str, Any]) -> Pose:
    R = np.array(t["R"], float)
    # Written as a rotation vector where that is given: a quaternion would round it once more.
    rotation = [float(x) for x in se3.quaternion(R)]
    return Pose(position=tuple(map(float, t["p"])), rotation=rotation)


def _shape(b: dict[str, Any]) -> tuple[Shape, Pose, float | None]:
    """Shape, its pose in the joint frame, and the density."""
    pose = _pose(b.get("E_joint_body") or b.get("E_joint_part"))
    density = b.get("density")
    kind = b["shape"]
    if kind == "cuboid":
        return Cuboid(sides=tuple(b["sides"])), pose, density
    if kind == "sphere":
        return Sphere(radius=b["radius"]), pose, density
    if kind == "cylinder_z":
        return Cylinder(radius=b["radius"], height=b["height"]), pose, density
    if kind == "composite":
        parts = []
        for part in b["parts"]:
            shape, where, own = _shape(part)
            parts.append(Part(shape=shape, pose=where, density=own))
        return Composite(parts=parts), Pose(), density
    I = b["inertia_diag"]
    return Inertia(mass=I[3], moments=tuple(I[:3])), pose, None


def _kind(j: dict[str, Any]) -> JointKind:
    kind = j["type"]
    if kind in ("revolute", "prismatic"):
        return (Revolute if kind == "revolute" else Prismatic)(axis=tuple(map(float, j["axis"])))
    simple = {
        "fixed": Fixed,
        "planar": Planar,
        "translational": Translational,
        "universal": Universal,
        "spherical_exp": Spherical,
        "free2d": FreePlanar,
    }
    if kind in simple:
        return simple[kind]()
    if kind == "spherical_euler":
        return SphericalEuler(chart=j.get("chart", "XYZ"))
    if kind == "free3d_exp":
        return Free()
    if kind == "free3d_euler":
        return Free(rotation="euler")
    if kind == "free_st":
        return Free(order="rotation-translation")
    if kind == "composite":
        parts = next((v for v in j.values() if isinstance(v, list) and v and isinstance(v[0], dict)), None)
        if parts is None:
            parts = [v for v in j.values() if isinstance(v, dict) and "type" in v]
        return CompositeJoint(joints=[_kind(p) for p in parts])
    if kind == "spline_curve":
        return SplineCurve(frames=[_pose(f) for f in j["control_frames"]], cyclic=j.get("cyclic", True))
    if kind == "spline_surface":
        controls = next(v for k, v in j.items() if "control" in k and isinstance(v, list))
        return SplineSurface(controls=controls)
    raise NotCovered(f"joint kind '{kind}'")


def _law(law: dict[str, Any]) -> Curve:
    if law["kind"] == "logistic":
        curve = Logistic(t0=law["t0"], t1=law["t1"], height=law["b"], steepness=law["a"])
        if not law.get("hold_after_t1"):
            return curve
        return Piecewise(pieces=[Piece(curve=curve, until=law["t1"]), Piece(curve=Constant(value=law["b"]))])
    if law["kind"] == "polynomial":
        return Polynomial(coefficients=law["coefficients"], t0=law.get("t0", 0.0))
    raise NotCovered(f"control law '{law['kind']}'")


def _motions(d: dict[str, Any]) -> dict[int, Curve]:
    out: dict[int, Curve] = {}
    for c in d["controls"]:
        if c["type"] != "prescribed_joint":
            raise NotCovered(f"control '{c['type']}'")
        out[c["joint"]] = _law(c["law"])
    return out


def _check_covered(d: dict[str, Any]) -> None:
    needs = [f"force '{f['type']}'" for f in d["forces"]]
    needs += [f"constraint '{c['type']}'" for c in d["constraints"]]
    needs += [f"deformable '{x['type']}'" for x in d["deformables"]]
    needs += ["joint friction"] if d["friction"] else []
    needs += ["penalty limits" for j in d["joints"] if "penalty_limit" in j]
    if needs:
        raise NotCovered(", ".join(dict.fromkeys(needs)))


def _runs(d: dict[str, Any]) -> list[Run]:
    runs = []
    computed = d.get("computed", {})
    for label, integrator in (("redmax_euler", "euler"), ("bdf1", "bdf1"), ("bdf2", "bdf2")):
        value = d["expected"].get(label)
        ours = computed.get(label, {})
        corrected = ours.get("H_with_reference_fault_corrected")
        if corrected is not None:
            runs.append(Run(integrator, label, corrected, False, "fault of the published code corrected"))
        elif value is not None:
            runs.append(Run(integrator, label, value, True))
        elif "H" in ours:
            runs.append(Run(integrator, label, ours["H"], False, "not recorded; computed independently"))
    accurate = computed.get("accurate_ode")
    if accurate and not d["controls"] and not d["constraints"]:
        for integrator in ("rk-recursive", "rk-redmax"):
            runs.append(Run(integrator, "accurate_ode", accurate["H"], False))
    return runs


def read_case(path: Path) -> Case:
    """A reference file as a scene of ours, with the figures to reproduce. Raises NotCovered with the reason."""
    d = json.loads(path.read_text())
    _check_covered(d)
    motions = _motions(d)
    bodies = []
    for n, (b, j) in enumerate(zip(d["bodies"], d["joints"], strict=True)):
        shape, pose, density = _shape(b)
        joint = JointSpec(
            type=_kind(j),
            name=j["name"],
            frame=_pose(j["E_parent_joint"]),
            q=j["q0"],
            qdot=j["qdot0"],
            stiffness=j["stiffness"],
            damping=j["damping"],
            motion=[motions[n]] if n in motions else [],
        )
        parent = d["bodies"][j["parent"]]["name"] if j["parent"] >= 0 else None
        bodies.append(
            BodySpec(
                name=b["name"],
                parent=parent,
                shape=shape,
                pose=pose,
                density=density,
                damping=b["damping"],
                joint=joint,
            )
        )
    t = d["time"]
    h = t.get("euler_step", t.get("step"))
    scene = SceneSpec(
        name=d["id"],
        gravity=tuple(d["gravity"]),
        bodies=bodies,
        time=TimeSpec(start=t["t0"], end=t["t1"], step=h),
    )
    options = Options(h=h, stabilisation=d.get("stabilisation", {}).get("euler_position"), rtol=1e-10, atol=1e-10)
    return Case(d["id"], scene, options, _runs(d))
