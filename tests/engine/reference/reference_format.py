"""Reads scenes of the published RedMax code (schema `redmax-reference-case/1`) into our own types.

Their plain numbers are cm, g and s; an engine does not mind. Bodies are given with their joint, all frames as we have
them. What this project cannot express, and what this reader does not know, is reported by name, never approximated.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from reference_parts import (
    Json,
    NotCoveredError,
    first_of,
    linear_pieces,
    read_kind,
    read_law,
    read_pose,
    read_shape,
    vec3,
)

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import InputError
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import (
    BodySpec,
    Constant,
    Curve,
    JointSpec,
    Limits,
    Polynomial,
    SceneSpec,
    TimeSpec,
)
from redmax_blender.engine.scene.constraints import ConstraintSpec, Gear, LoopPoint, PrescribedTwist, Term
from redmax_blender.engine.scene.forces import ForceSpec, Point, PointForce, Spring
from redmax_blender.engine.tree.kinematics import forward_kinematics

__all__ = ["Case", "NotCoveredError", "Run", "read_case"]

SCHEMA = "redmax-reference-case/1"


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
    end: float | None = None
    """When the run ends, where that is not the end of the scene [s]."""


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


# Controls -----------------------------------------------------------------------------------------------------


def _driven(d: Json) -> tuple[dict[int, list[Curve | None]], dict[int, list[Curve | None]]]:
    """Motions and torques of joints."""
    motions: dict[int, list[Curve | None]] = {}
    torques: dict[int, list[Curve | None]] = {}
    for c in d["controls"]:
        kind = c["type"]
        if kind == "prescribed_joint":
            motions[c["joint"]] = _laws(d, c, "law")
        elif kind == "prescribed_joint_rate_maximal":
            motions[c["joint"]] = [_at_rate(d, c)]
        elif "torque" in kind:
            torques[first_of(c, "joint")] = _laws(d, c, "law", "torque", "tau", "pieces", "value")
        elif kind != "prescribed_body":
            raise NotCoveredError(f"control '{kind}'")
    return motions, torques


def _laws(d: Json, c: Json, *names: str) -> list[Curve | None]:
    """A curve for each coordinate of the joint."""
    given = first_of(c, *names)
    count = len(d["joints"][c["joint"]]["q0"])
    if isinstance(given, list) and len(given) == count and not isinstance(given[0], dict):
        return [read_law(x) for x in given]
    if count != 1:
        raise NotCoveredError(f"a single law for the {count} coordinates of joint {c['joint']}")
    return [read_law(given)]


def _at_rate(d: Json, c: Json) -> Curve:
    """A joint that turns at a given rate. Only a constant one is the same as a prescribed position."""
    law = read_law(first_of(c, "rate", "law"))
    if not isinstance(law, Constant):
        raise NotCoveredError("a prescribed rate that changes with time")
    q0, t0 = float(d["joints"][c["joint"]]["q0"][0]), float(d["time"]["t0"])
    return Polynomial(coefficients=[q0, law.value], t0=t0)


def _twists(d: Json) -> list[ConstraintSpec]:
    return [
        PrescribedTwist(
            body=d["bodies"][c["body"]]["name"],
            angular=[linear_pieces(c["pieces"], "omega_body", k) for k in range(3)],
            linear=[linear_pieces(c["pieces"], "v_world", k) for k in range(3)],
            components=c["twist_rows"],
        )
        for c in d["controls"]
        if c["type"] == "prescribed_body"
    ]


# Forces -------------------------------------------------------------------------------------------------------


def _point(d: Json, body: int, x: list[float]) -> Point:
    """Points are given in the body frame; that of a composite is not its shape's."""
    if body < 0:
        return Point(position=vec3(x))
    b = d["bodies"][body]
    if b["shape"] == "composite":
        E = b["E_joint_body"]
        x = list(np.array(E["R"]) @ np.array(x) + np.array(E["p"]))
    return Point(position=vec3(x), body=b["name"])


def _world(d: Json, body: int, x: list[float]) -> NDArray[np.float64]:
    """Initial world position of a point."""
    if body < 0:
        return np.array(x, float)
    E = se3.pose_matrix(
        np.r_[np.ravel(d["bodies"][body]["E_joint_body"]["R"]), d["bodies"][body]["E_joint_body"]["p"]]
    )
    model = compile_scene(SceneSpec(bodies=_bodies(d, {}, {})))
    kin = forward_kinematics(model, model.initial_state())
    return np.asarray((se3.pose_matrix(kin.E_wj[model.bodies.link[body]]) @ E @ np.r_[x, 1.0])[:3])


def _nodes(f: Json) -> list[tuple[int, list[float]]]:
    """Bodies and points of a spring or cable: a list of them, two lists, or numbered fields."""
    points = f.get("points") or f.get("nodes")
    if points:
        return [(int(first_of(n, "body")), first_of(n, "x", "point")) for n in points]
    if isinstance(f.get("bodies"), list):
        return list(zip(map(int, f["bodies"]), first_of(f, "xs", "x"), strict=True))
    return [(int(f["body_1"]), f["x_1"]), (int(f["body_2"]), f["x_2"])]


def _forces(d: Json) -> list[ForceSpec]:
    out: list[ForceSpec] = []
    for f in d["forces"]:
        kind = f["type"]
        if kind == "point_force_world":
            p = _point(d, f["body"], f.get("x", [0.0, 0.0, 0.0]))
            if p.body is None:
                raise NotCoveredError("a force on the world")
            push: list[Curve | None] = [Constant(value=float(v)) for v in first_of(f, "force_world", "force")]
            out.append(PointForce(body=p.body, position=p.position, force=push))
            continue
        if kind not in ("spring_point_point", "spring_damper_A", "spring_damper_B", "cable"):
            raise NotCoveredError(f"force '{kind}'")
        nodes = _nodes(f)
        points = [_point(d, body, x) for body, x in nodes]
        stiffness, damping = float(f["stiffness"]), float(f.get("damping", 0.0))
        if kind == "spring_point_point":
            if damping != 0.0:
                raise NotCoveredError("a damper between two points that brakes across the line as well")
            out.append(Spring(points=points, stiffness=stiffness, rest_length=0.0, tangent="exact"))
            continue
        length = f.get("rest_length")
        if not isinstance(length, (int, float)):
            positions = np.array([_world(d, body, x) for body, x in nodes])
            length = float(np.linalg.norm(np.diff(positions, axis=0), axis=1).sum())
        # the reference's tension is k (l - L) / L, and its damping d l' / L
        out.append(
            Spring(
                points=points,
                stiffness=stiffness / length,
                damping=damping / length,
                rest_length=float(length),
                tension_only=kind == "cable",
                tangent="axial",
            )
        )
    return out


# Constraints ---------------------------------------------------------------------------------------------------


def _constraints(d: Json) -> list[ConstraintSpec]:
    out: list[ConstraintSpec] = _twists(d)
    names = [j["name"] for j in d["joints"]]
    for c in d["constraints"]:
        kind = c["type"]
        if kind in ("loop_hinge", "loop_universal"):
            a, b = first_of(c, "body_a", "body_A", "body_1"), first_of(c, "body_b", "body_B", "body_2")
            xa, xb = first_of(c, "x_a", "x_A", "x_1"), first_of(c, "x_b", "x_B", "x_2")
            axis = [1.0, 0.0, 0.0]
            if kind == "loop_hinge":
                axis = c.get("axis") or d["joints"][d["bodies"][a]["joint"]]["axis"]
            out.append(LoopPoint(a=_point(d, a, xa), b=_point(d, b, xb), perpendicular_to=vec3(axis)))
        elif kind == "joint_ratio":
            terms = [
                Term(joint=names[c["joint_a"]], factor=float(c["factor"])),
                Term(joint=names[c["joint_b"]], factor=-1.0),
            ]
            out.append(Gear(terms=terms, offset=0.0))
        elif kind != "joint_limit":
            raise NotCoveredError(f"constraint '{kind}'")
    return out


def _limits(d: Json, j: Json, n: int) -> Limits | None:
    if "penalty_limit" in j:
        p = j["penalty_limit"]
        return Limits(lower=p["lower"], upper=p["upper"], stiffness=p["stiffness"], damping=p["damping"])
    for c in d["constraints"]:
        if c["type"] == "joint_limit" and c["joint"] == n:
            return Limits(lower=c["lower"], upper=c["upper"])
    return None


def _check_covered(d: Json) -> None:
    needs = [f"deformable '{x['type']}'" for x in d.get("deformables") or []]
    needs += ["joint friction"] if d.get("friction") else []
    needs += [f"constraint '{c['type']}'" for c in d["constraints"] if c["type"].startswith("floor")]
    needs += [f"force '{f['type']}'" for f in d["forces"] if f["type"].startswith("ground")]
    if needs:
        raise NotCoveredError(", ".join(dict.fromkeys(needs)))


# The whole -----------------------------------------------------------------------------------------------------


def _runs(d: Json) -> list[Run]:
    runs = []
    computed = d.get("computed") or {}
    for label, integrator in (("redmax_euler", "euler"), ("bdf1", "bdf1"), ("bdf2", "bdf2")):
        value = d.get("expected", {}).get(label)
        ours = computed.get(label) or {}
        corrected = next((v for k, v in ours.items() if k.startswith("H_with") and "correct" in k), None)
        if corrected is not None:
            runs.append(Run(integrator, label, corrected, False, "fault of the published code corrected"))
        elif value is not None:
            if any(f["type"] == "spring_damper_A" for f in d["forces"]):
                continue  # its damper and its energy are at fault, and nobody computed what is right
            runs.append(Run(integrator, label, value, True))
        elif "H" in ours:
            runs.append(Run(integrator, label, ours["H"], False, "not recorded; computed independently"))
    accurate = computed.get("accurate_ode")
    if accurate and not d["controls"] and not d["constraints"]:
        changed = d.get("ode45_overrides") or {}
        end = changed.get("t1", (changed.get("time") or {}).get("t1"))
        for integrator in ("rk-recursive", "rk-redmax"):
            runs.append(Run(integrator, "accurate_ode", accurate["H"], False, end=end))
    return runs


def _bodies(
    d: Json, motions: dict[int, list[Curve | None]], torques: dict[int, list[Curve | None]]
) -> list[BodySpec]:
    bodies = []
    for n, (b, j) in enumerate(zip(d["bodies"], d["joints"], strict=True)):
        shape, pose, density = read_shape(b)
        joint = JointSpec(
            type=read_kind(j),
            name=j["name"],
            frame=read_pose(j["E_parent_joint"]),
            q=j["q0"],
            qdot=j["qdot0"],
            stiffness=j.get("stiffness", 0.0),
            damping=j.get("damping", 0.0),
            rest=j.get("q_rest"),
            motion=motions.get(n, []),
            torque=torques.get(n, []),
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
                damping=b.get("damping", 0.0),
                joint=joint,
            )
        )
    return bodies


def read_case(path: Path) -> Case:
    """A reference file as a scene of ours, with the figures to reproduce. Raises NotCoveredError with the reason."""
    try:
        return _read(json.loads(path.read_text()))
    except json.JSONDecodeError as error:
        raise NotCoveredError(f"this is not JSON ({error})") from None
    except UnicodeDecodeError:
        raise NotCoveredError("this is not text") from None
    except (InputError, msgspec.ValidationError) as error:
        raise NotCoveredError(str(error)) from None
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
        # some field is missing or of another kind than in any file this reader was written for
        raise NotCoveredError(f"the file is not as expected: {type(error).__name__} {error}") from None


def _read(d: Json) -> Case:
    if d.get("schema") != SCHEMA:
        raise NotCoveredError(f"the schema is {d.get('schema')!r}, and {SCHEMA!r} is what can be read")
    _check_covered(d)
    t = d["time"]
    h = float(first_of(t, "euler_step", "step"))
    scene = SceneSpec(
        name=d["id"],
        gravity=vec3(d["gravity"]),
        bodies=_bodies(d, *_driven(d)),
        forces=_forces(d),
        constraints=_constraints(d),
        time=TimeSpec(start=t["t0"], end=t["t1"], step=h),
    )
    options = Options(
        h=h,
        stabilisation=(d.get("stabilisation") or {}).get("euler_position"),
        rtol=1e-10,
        atol=1e-10,
        solver="direct",
        limit_lookahead=False,
    )
    compile_scene(msgspec.convert(msgspec.to_builtins(scene), SceneSpec))  # every number of the right kind
    steps: dict[str, Any] = (d.get("cpp_refreshed") or {}).get("steps") or {}
    return Case(
        d["id"],
        scene,
        options,
        _runs(d),
        [p["body"] for p in d.get("probes") or []],
        {int(k): v["probe_positions"] for k, v in steps.items()},
    )
