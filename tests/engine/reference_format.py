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
from redmax_blender.engine.compile import compile_scene
from redmax_blender.engine.kinematics import forward_kinematics
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
    Limits,
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
from redmax_blender.engine.scene_constraints import Gear, LoopPoint, PrescribedTwist, Term
from redmax_blender.engine.scene_forces import Point, PointForce, Spring


class NotCoveredError(Exception):
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
    probes: list[int] = field(default_factory=list)
    """Bodies whose origins are compared."""
    probe_positions: dict[int, list[list[float]]] = field(default_factory=dict)
    """Where they are after a number of steps, by the published C++ code with its cache fault repaired."""


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
    raise NotCoveredError(f"joint kind '{kind}'")


def _law(law: dict[str, Any]) -> Curve:
    if law["kind"] == "logistic":
        curve = Logistic(t0=law["t0"], t1=law["t1"], height=law["b"], steepness=law["a"])
        if not law.get("hold_after_t1"):
            return curve
        return Piecewise(pieces=[Piece(curve=curve, until=law["t1"]), Piece(curve=Constant(value=law["b"]))])
    if law["kind"] == "polynomial":
        return Polynomial(coefficients=law["coefficients"], t0=law.get("t0", 0.0))
    raise NotCoveredError(f"control law '{law['kind']}'")


def _motions(d: dict[str, Any]) -> dict[int, Curve]:
    return {c["joint"]: _law(c["law"]) for c in d["controls"] if c["type"] == "prescribed_joint"}


def _linear_pieces(pieces: list[dict[str, Any]], what: str, axis: int) -> Curve:
    """c0 + c1 t on each piece, t the time itself."""
    parts = []
    for p in pieces:
        coefficients = [float(p[what]["c0"][axis]), float(p[what]["c1"][axis])]
        parts.append(Piece(curve=Polynomial(coefficients=coefficients), until=p["until"]))
    return Piecewise(pieces=parts)


def _controls(d: dict[str, Any]) -> list[Any]:
    out: list[Any] = []
    for c in d["controls"]:
        if c["type"] == "prescribed_body":
            out.append(
                PrescribedTwist(
                    body=d["bodies"][c["body"]]["name"],
                    angular=[_linear_pieces(c["pieces"], "omega_body", k) for k in range(3)],
                    linear=[_linear_pieces(c["pieces"], "v_world", k) for k in range(3)],
                    components=c["twist_rows"],
                )
            )
        elif c["type"] != "prescribed_joint":
            raise NotCoveredError(f"control '{c['type']}'")
    return out


def _point(d: dict[str, Any], body: int, x: list[float]) -> Point:
    """Points are given in the body frame; a composite's is not its shape's."""
    if body < 0:
        return Point(position=tuple(map(float, x)))
    b = d["bodies"][body]
    if b["shape"] == "composite":
        E = b["E_joint_body"]
        x = list(np.array(E["R"]) @ np.array(x) + np.array(E["p"]))
    return Point(position=tuple(map(float, x)), body=b["name"])


def _world(d: dict[str, Any], body: int, x: list[float]) -> np.ndarray:
    if body < 0:
        return np.array(x, float)
    j = body
    E = se3.pose_matrix(
        np.r_[np.ravel(d["bodies"][body]["E_joint_body"]["R"]), d["bodies"][body]["E_joint_body"]["p"]]
    )
    spec = SceneSpec(bodies=_bodies(d, {}))
    model = compile_scene(spec)
    kin = forward_kinematics(model, model.initial_state())
    return (se3.pose_matrix(kin.E_wj[model.bodies.link[j]]) @ E @ np.r_[x, 1.0])[:3]


def _forces(d: dict[str, Any]) -> list[Any]:
    out: list[Any] = []
    for f in d["forces"]:
        kind = f["type"]
        if kind == "point_force_world":
            x, F = f.get("x", [0.0, 0.0, 0.0]), f.get("force_world", f.get("force"))
            p = _point(d, f["body"], x)
            out.append(
                PointForce(body=p.body, position=p.position, force=[Constant(value=float(v)) for v in F])
            )
            continue
        if kind not in ("spring_point_point", "spring_damper_A", "spring_damper_B", "cable"):
            raise NotCoveredError(f"force '{kind}'")
        nodes = f.get("points") or [
            {"body": f["body_1"], "x": f["x_1"]},
            {"body": f["body_2"], "x": f["x_2"]},
        ]
        points = [_point(d, n["body"], n["x"]) for n in nodes]
        if kind == "spring_point_point":
            out.append(
                Spring(
                    points=points,
                    stiffness=f["stiffness"],
                    damping=f.get("damping", 0.0),
                    rest_length=0.0,
                    tangent="exact",
                )
            )
            continue
        positions = np.array([_world(d, n["body"], n["x"]) for n in nodes])
        length = float(np.linalg.norm(np.diff(positions, axis=0), axis=1).sum())
        # the reference's tension is k (l - L) / L, damping d l' / L
        out.append(
            Spring(
                points=points,
                stiffness=f["stiffness"] / length,
                damping=f["damping"] / length,
                rest_length=length,
                tension_only=kind == "cable",
                tangent="axial",
            )
        )
    return out


def _constraints(d: dict[str, Any]) -> list[Any]:
    out: list[Any] = _controls(d)
    for c in d["constraints"]:
        kind = c["type"]
        if kind in ("loop_hinge", "loop_universal"):
            a = c.get("body_A", c.get("body_a", c.get("body_1")))
            b = c.get("body_B", c.get("body_b", c.get("body_2")))
            xa = c.get("x_A", c.get("x_a", c.get("x_1")))
            xb = c.get("x_B", c.get("x_b", c.get("x_2")))
            if kind == "loop_universal":
                axis = [1.0, 0.0, 0.0]
            else:
                axis = c.get("axis") or d["joints"][d["bodies"][a]["joint"]]["axis"]
            out.append(
                LoopPoint(a=_point(d, a, xa), b=_point(d, b, xb), perpendicular_to=tuple(map(float, axis)))
            )
        elif kind == "joint_ratio":
            names = [j["name"] for j in d["joints"]]
            out.append(
                Gear(
                    terms=[
                        Term(joint=names[c["joint_a"]], factor=float(c["factor"])),
                        Term(joint=names[c["joint_b"]], factor=-1.0),
                    ],
                    offset=0.0,
                )
            )
        elif kind != "joint_limit":
            raise NotCoveredError(f"constraint '{kind}'")
    return out


def _limits(d: dict[str, Any], j: dict[str, Any], n: int) -> Limits | None:
    if "penalty_limit" in j:
        p = j["penalty_limit"]
        return Limits(lower=p["lower"], upper=p["upper"], stiffness=p["stiffness"], damping=p["damping"])
    for c in d["constraints"]:
        if c["type"] == "joint_limit" and c["joint"] == n:
            return Limits(lower=c["lower"], upper=c["upper"])
    return None


def _check_covered(d: dict[str, Any]) -> None:
    needs = [f"deformable '{x['type']}'" for x in d["deformables"]]
    needs += ["joint friction"] if d["friction"] else []
    needs += [f"constraint '{c['type']}'" for c in d["constraints"] if c["type"].startswith("floor")]
    if needs:
        raise NotCoveredError(", ".join(dict.fromkeys(needs)))


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


def _bodies(d: dict[str, Any], motions: dict[int, Curve]) -> list[BodySpec]:
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
            limits=_limits(d, j, n),
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
    return bodies


def read_case(path: Path) -> Case:
    """A reference file as a scene of ours, with the figures to reproduce. Raises NotCoveredError with the reason."""
    d = json.loads(path.read_text())
    _check_covered(d)
    t = d["time"]
    h = t.get("euler_step", t.get("step"))
    scene = SceneSpec(
        name=d["id"],
        gravity=tuple(d["gravity"]),
        bodies=_bodies(d, _motions(d)),
        forces=_forces(d),
        constraints=_constraints(d),
        time=TimeSpec(start=t["t0"], end=t["t1"], step=h),
    )
    options = Options(
        h=h,
        stabilisation=d.get("stabilisation", {}).get("euler_position"),
        rtol=1e-10,
        atol=1e-10,
        solver="direct",
        limit_lookahead=False,
    )
    steps = d.get("cpp_refreshed", {}).get("steps", {})
    return Case(
        d["id"],
        scene,
        options,
        _runs(d),
        [p["body"] for p in d.get("probes", [])],
        {int(k): v["probe_positions"] for k, v in steps.items()},
    )
