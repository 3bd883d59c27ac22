"""Random scenes with a mix of everything, for hypothesis: structure is drawn, so that it shrinks; numbers come from a
seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from dense_kkt import Oracle, dofs
from dense_rows import points_of, pose
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from redmax_blender.engine.scene import spec as sc

KINDS: dict[str, Any] = {
    "revolute": lambda r: sc.Revolute(axis=direction(r)),
    "prismatic": lambda r: sc.Prismatic(axis=direction(r)),
    "spherical": lambda r: sc.Spherical(),
    "universal": lambda r: sc.Universal(),
    "free": lambda r: sc.Free(),
    "fixed": lambda r: sc.Fixed(),
    "planar": lambda r: sc.Planar(),
    "free-planar": lambda r: sc.FreePlanar(),
    "translational": lambda r: sc.Translational(),
}
IN_JOINTS = ["spring", "damper", "torque", "curve", "stop", "guide", "motion", "limit", "bounce"]
FORCES = ["spring", "cable", "string", "anchor", "push", "wind", "exact", "explicit"]
CONSTRAINTS = [
    "point", "across", "hinge", "weld", "slider", "piston", "rod", "gear", "path", "along", "pose", "twist",
]  # fmt: skip
H = 0.01


@dataclass
class Mix:
    spec: sc.SceneSpec
    q: list[np.ndarray]
    qdot: list[np.ndarray]
    what: set[str]
    """The kinds of things that were drawn."""
    picked: str
    """The same in full, for the note of a failing example."""


def vec(r: np.random.Generator, size: float) -> tuple[float, float, float]:
    x, y, z = r.uniform(-size, size, 3)
    return float(x), float(y), float(z)


def direction(r: np.random.Generator) -> tuple[float, float, float]:
    v = r.normal(size=3)
    return tuple(map(float, v / np.linalg.norm(v)))  # type: ignore[return-value]


def line(r: np.random.Generator, start: float, speed: float = 0.5) -> sc.Polynomial:
    """A path that is at `start` at time 0 and sets off."""
    return sc.Polynomial(coefficients=[float(start), *map(float, r.uniform(-speed, speed, 2))])


@st.composite
def mixes(draw: Any) -> Mix:
    r = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(1, 6))
    kinds = draw(st.lists(st.sampled_from(list(KINDS)), min_size=count, max_size=count))
    inside = draw(st.lists(st.tuples(st.sampled_from(IN_JOINTS), st.integers(0, count - 1)), max_size=5))
    forces = draw(st.lists(st.sampled_from(FORCES), max_size=3))
    constraints = draw(st.lists(st.sampled_from(CONSTRAINTS), max_size=2))
    coupled = draw(st.booleans())
    bodies = [_body(r, i, KINDS[kind](r)) for i, kind in enumerate(kinds)]
    limited = 0
    for name, i in inside:
        if name in ("limit", "bounce"):
            limited += dofs(bodies[i].joint.type)
            if limited > 3:
                continue  # the oracle tries every subset of stops
        _in_joint(r, bodies[i].joint, name)
    spec = sc.SceneSpec(bodies=bodies, gravity=vec(r, 9.81))
    what = {*kinds, *(name for name, _ in inside), *forces, *constraints, *(["coupling"] if coupled else [])}
    mix = Mix(spec, *_state(spec), what, f"{kinds} {inside} {forces} {constraints} coupled={coupled}")
    here = Oracle(spec, mix.q, mix.qdot, H)
    spec.forces = [_force(r, here, name) for name in forces]
    spec.constraints = [c for c in (_constraint(r, here, name) for name in constraints) if c is not None]
    if coupled:
        spec.couplings = _couplings(r, spec)
    return mix


def _body(r: np.random.Generator, i: int, kind: Any) -> sc.BodySpec:
    n = dofs(kind)
    low, spread = r.uniform(0.02, 0.05), r.uniform(0.01, 0.03, 3)
    return sc.BodySpec(
        name=f"b{i}",
        parent=None if i == 0 or r.random() < 0.15 else f"b{r.integers(0, i)}",
        shape=sc.Inertia(mass=float(r.uniform(0.5, 3.0)), moments=tuple(map(float, low + spread))),
        pose=sc.Pose(position=vec(r, 0.2), rotation=list(vec(r, 1.0))),
        damping=float(r.choice([0.0, r.uniform(0.0, 0.5)])),
        implicit=bool(r.random() < 0.8),
        joint=sc.JointSpec(
            type=kind,
            frame=sc.Pose(position=vec(r, 0.5), rotation=list(vec(r, 1.5))),
            q=r.uniform(-0.7, 0.7, n).tolist(),
            qdot=r.uniform(-2.0, 2.0, n).tolist(),
            implicit=bool(r.random() < 0.8),
        ),
    )


def _in_joint(r: np.random.Generator, joint: sc.JointSpec, what: str) -> None:
    n = dofs(joint.type)
    q = np.array(joint.q)
    match what:
        case "spring":
            joint.stiffness = r.uniform(0.0, 300.0, n).tolist()
            joint.rest = r.uniform(-0.7, 0.7, n).tolist()
        case "damper":
            joint.damping = r.uniform(0.0, 20.0, n).tolist()
        case "torque":
            joint.torque = [line(r, r.uniform(-5.0, 5.0), 3.0) for _ in range(n)]
        case "curve":
            slopes = r.uniform(-20.0, 50.0, (n, 3)).tolist()
            joint.spring_curve = [sc.Polynomial(coefficients=[0.0, *s]) for s in slopes]
        case "stop" if joint.limits is None:
            lower = (q + r.uniform(-0.2, 0.1, n)).tolist()
            upper = (np.array(lower) + 0.5).tolist()
            joint.limits = sc.Limits(
                lower=lower, upper=upper, stiffness=float(r.uniform(10.0, 500.0)), damping=1.0
            )
        case "guide" if not joint.motion and n:
            joint.motion = [line(r, x + 0.1 * r.normal()) for x in q]
            joint.modes = [sc.Switch(time=-1.0, mode="guided")]
            joint.guide = sc.Guide(
                stiffness=float(10 ** r.uniform(0, 5)), damping=float(10 ** r.uniform(-1, 3))
            )
        case "motion" if not joint.motion and n:
            joint.motion = [line(r, x) if r.random() < 0.8 else None for x in q]
        case "limit" | "bounce" if joint.limits is None and not joint.motion:
            # about to be crossed where the coordinate falls; sometimes it begins beyond
            joint.limits = sc.Limits(
                lower=(q - r.uniform(-0.003, 0.015, n)).tolist(), restitution=0.6 if what == "bounce" else 0.0
            )


def _state(spec: sc.SceneSpec) -> tuple[list[np.ndarray], list[np.ndarray]]:
    return (
        [np.array(b.joint.q, float) for b in spec.bodies],
        [np.array(b.joint.qdot, float) for b in spec.bodies],
    )


def _two(r: np.random.Generator, here: Oracle) -> tuple[str | None, str | None]:
    """Two bodies, or a body and the world in either order."""
    names: list[str | None] = [*here.names, None]
    a, b = r.permutation(len(names))[:2]
    return names[a], names[b]


def _point(r: np.random.Generator, body: str | None) -> sc.Point:
    return sc.Point(body=body, position=vec(r, 0.4))


def _at(here: Oracle, body: str | None, x: np.ndarray) -> sc.Point:
    """The point of a body that is at x in the world."""
    if body is None:
        return sc.Point(position=tuple(map(float, x)))
    i = here.names.index(body)
    local = np.linalg.inv(here.E[i] @ pose(here.spec.bodies[i].pose)) @ np.append(x, 1.0)
    return sc.Point(body=body, position=tuple(map(float, local[:3])))


def _force(r: np.random.Generator, here: Oracle, what: str) -> Any:
    a, b = _two(r, here)
    ends = [_point(r, a), _point(r, b)]
    some: dict[str, Any] = {
        "stiffness": float(10 ** r.uniform(0, 5)),
        "damping": float(10 ** r.uniform(-1, 2)),
        "rest_length": float(r.uniform(0.1, 1.0)),
    }
    match what:
        case "spring":
            return sc.Spring(points=ends, tangent="projected", **some)
        case "cable":
            return sc.Spring(points=ends, tension_only=True, tangent="axial", **some)
        case "string":
            c = _two(r, here)
            points = [*ends, _point(r, c[0]), _point(r, c[1])]
            return sc.Spring(points=points, tension_only=True, **some)
        case "anchor":
            return sc.Spring(points=[_point(r, here.names[0]), _point(r, None)], tangent="projected", **some)
        case "exact":
            some["stiffness"] = min(some["stiffness"], 100.0)
            return sc.Spring(points=ends, tangent="exact", **some)
        case "explicit":
            some["stiffness"] = min(some["stiffness"], 100.0)
            return sc.Spring(points=ends, tangent="explicit", **some)
        case "push":
            body = str(r.choice(here.names))
            return sc.PointForce(
                body=body, position=vec(r, 0.3), force=[line(r, 2.0), None, line(r, -3.0)],
                torque=[None, line(r, 1.0), None], axes="world" if r.random() < 0.5 else "body",
            )  # fmt: skip
    return sc.Wind(
        velocity=[line(r, 3.0), None, line(r, -2.0)], linear=float(r.uniform(0.0, 1.0)),
        quadratic=float(r.uniform(0.0, 1.0)), implicit=bool(r.random() < 0.7),
    )  # fmt: skip


def _constraint(r: np.random.Generator, here: Oracle, what: str) -> Any:
    a, b = _two(r, here)
    start = _point(r, a)
    x = points_of(here, [start])[0][0]
    axis = np.array(direction(r))
    turned = np.eye(3) if a is None else here.E[here.names.index(a)][:3, :3]
    along = _at(here, b, x + r.uniform(-0.3, 0.3) * turned @ axis)
    body = str(r.choice(here.names))
    match what:
        case "point":
            return sc.LoopPoint(a=start, b=_at(here, b, x))
        case "across":
            return sc.LoopPoint(a=start, b=along, perpendicular_to=tuple(map(float, axis)))
        case "hinge":
            return sc.LoopHinge(a=start, b=_at(here, b, x), axis=tuple(map(float, axis)))
        case "weld":
            return sc.LoopWeld(a=start, b=_point(r, b))
        case "slider":
            return sc.LoopSlider(a=start, b=along, axis=tuple(map(float, axis)))
        case "piston":
            return sc.LoopPiston(a=start, b=along, axis=tuple(map(float, axis)))
        case "rod":
            far = _point(r, b)
            length = np.linalg.norm(points_of(here, [far])[0][0] - x)
            return sc.LoopDistance(a=start, b=far, length=float(length))
        case "gear":
            terms = _terms(r, here.spec)
            return sc.Gear(terms=terms) if terms else None
        case "path":
            p = _point(r, body)
            path: list[Any] = [line(r, v) for v in points_of(here, [p])[0][0]]
            for k in r.permutation(3)[: r.integers(0, 3)]:
                path[k] = None
            return sc.PrescribedPoint(point=p, path=path)
        case "along":
            p = _point(r, body)
            return sc.PrescribedPoint(
                point=p,
                path=[line(r, float(axis @ points_of(here, [p])[0][0]))],
                direction=tuple(map(float, axis)),
            )
        case "pose":
            return _pose(r, here, body)
    some = sorted(map(int, r.permutation(6)[: r.integers(1, 7)]))
    return sc.PrescribedTwist(
        body=body,
        angular=[line(r, 0.5) for _ in range(3)],
        linear=[line(r, -0.5) for _ in range(3)],
        components=some,
    )


def _pose(r: np.random.Generator, here: Oracle, body: str) -> sc.PrescribedPose:
    i = here.names.index(body)
    S = here.E[i] @ pose(here.spec.bodies[i].pose)
    turn = Rotation.from_matrix(S[:3, :3]).as_rotvec()
    rotation = [line(r, v) for v in turn] if r.random() < 0.7 else []
    return sc.PrescribedPose(body=body, position=[line(r, v) for v in S[:3, 3]], rotation=rotation)


def _terms(r: np.random.Generator, spec: sc.SceneSpec, free: bool = False) -> list[sc.Term]:
    """One to three coordinates with factors."""
    every = [
        (b.name, k) for b in spec.bodies for k in range(dofs(b.joint.type)) if not (free and b.joint.motion)
    ]
    chosen = r.permutation(len(every))[: r.integers(1, 4)]
    factors = r.choice([-1, 1], len(chosen)) * r.uniform(0.3, 2.0, len(chosen))
    return [sc.Term(joint=every[c][0], index=every[c][1], factor=float(f)) for c, f in zip(chosen, factors)]


def _couplings(r: np.random.Generator, spec: sc.SceneSpec) -> list[sc.CouplingSpec]:
    terms = _terms(r, spec, free=True)
    return [sc.CouplingSpec(terms=terms)] if len(terms) > 1 else []
