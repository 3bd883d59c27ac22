"""Random scenes of everything smooth, with tasks whose parameters are numbers picked from anywhere in them."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from dense_kkt import Oracle, dofs
from random_scenes import KINDS, _body, _constraint, _force, _in_joint, _state, direction, line, vec

from redmax_blender.engine.scene import spec as sc
from redmax_blender.engine.scene import task as st

JOINTS = {
    **KINDS,
    "spherical": lambda r: sc.Spherical(centred=bool(r.random() < 0.7)),
    "free": lambda r: sc.Free(centred=bool(r.random() < 0.7)),
    "turned-free": lambda r: sc.Free(order="rotation-translation"),
    "spherical-euler": lambda r: sc.SphericalEuler(),
    "euler-free": lambda r: sc.Free(rotation="euler", centred=bool(r.random() < 0.7)),
    "free-planar": lambda r: sc.FreePlanar(centred=bool(r.random() < 0.7)),
    "spline-curve": lambda r: sc.SplineCurve(
        frames=[sc.Pose(position=vec(r, 0.5), rotation=list(vec(r, 0.5))) for _ in range(5)]
    ),
    "spline-surface": lambda r: sc.SplineSurface(controls=r.uniform(-0.3, 0.3, (4, 4, 6)).tolist()),
}
INSIDE = ["spring", "damper", "torque", "curve", "stop", "guide", "motion"]
FORCES = ["spring", "cable", "string", "anchor", "push", "wind", "exact", "explicit"]
GOALS = [
    "point", "follow", "velocity", "spin", "rotation", "centre", "centre-velocity", "coordinates", "rates", "energy",
    "effort", "smoothness",
]  # fmt: skip
SHUT = ("time", "self_collision", "axis", "frames", "controls", "target", "version", "modes", "wake")
"""Parts of a scene that are no numbers of physics, or by which no gradient is known."""


def random_scene(seed: int, integrator: str, h: float = 0.004, steps: int = 8) -> sc.SceneSpec:
    """A scene with a task, everything drawn."""
    r = np.random.default_rng(seed)
    kinds = list(r.choice(list(JOINTS), r.integers(1, 6)))
    bodies = [_body(r, i, JOINTS[kind](r)) for i, kind in enumerate(kinds)]
    spec = sc.SceneSpec(bodies=bodies, gravity=vec(r, 9.81), integrator=integrator)
    for what in r.choice(INSIDE, r.integers(0, 5)):
        _in_joint(r, bodies[r.integers(len(bodies))].joint, str(what))
    moving = [b for b in bodies if dofs_of(b)]
    if moving and not any(b.joint.torque for b in bodies):
        joint = moving[0].joint
        joint.torque = [line(r, 2.0) for _ in range(dofs_of(moving[0]))]
    simple = not {"spline-curve", "spline-surface", "euler-free", "spherical-euler"} & set(kinds)
    names = list(r.choice(FORCES, r.integers(0, 4)))
    if simple:
        spec.forces = [_force(r, Oracle(spec, *_state(spec), h), str(name)) for name in names]
    else:
        spec.forces = [_force(r, _Names(spec), str(name)) for name in names]
    if integrator.startswith("euler"):  # whose guides have no adjoint yet
        for b in bodies:
            b.joint.modes = []
        if moving and r.random() < 0.5:
            joint = moving[-1].joint
            if joint.limits is None and not joint.motion:
                joint.limits = sc.Limits(lower=[x - 0.002 for x in joint.q], upper=[x + 0.5 for x in joint.q])
    elif r.random() < 0.3:
        spec.constraints = [_guide(r, spec)]
    spec.time = sc.TimeSpec(end=h * steps, step=h)
    spec.task = st.TaskSpec(
        parameters=_parameters(r, spec),
        objectives=[_goal(r, spec, str(g), h * steps) for g in r.choice(GOALS, 4)],
    )
    return spec


LOOPS = ["point", "across", "hinge", "rod", "gear", "path", "along"]


def loop_scene(seed: int, integrator: str, h: float = 0.004, steps: int = 6) -> sc.SceneSpec:
    """A scene with a loop, a coupling or a prescribed point, and a task, everything drawn."""
    r = np.random.default_rng(seed)
    kinds = [k for k in KINDS if k != "free-planar"]
    bodies = [_body(r, i, KINDS[str(r.choice(kinds))](r)) for i in range(r.integers(3, 8))]
    for what in r.choice(["spring", "damper", "torque", "limit"], r.integers(0, 4)):
        _in_joint(r, bodies[r.integers(len(bodies))].joint, str(what))
    spec = sc.SceneSpec(bodies=bodies, gravity=vec(r, 9.81), integrator=integrator)
    here = Oracle(spec, *_state(spec), h)
    spec.forces = [_force(r, here, str(name)) for name in r.choice(["spring", "push"], r.integers(0, 2))]
    drawn = _constraint(r, here, str(r.choice(LOOPS)))
    spec.constraints = [] if drawn is None else [drawn]
    spec.time = sc.TimeSpec(end=h * steps, step=h)
    goals = [g for g in GOALS if g != "effort"]
    spec.task = st.TaskSpec(
        parameters=_parameters(r, spec),
        objectives=[_goal(r, spec, str(g), h * steps) for g in r.choice(goals, 4)],
    )
    return spec


class _Names:
    """What forces want of an oracle."""

    def __init__(self, spec: sc.SceneSpec) -> None:
        self.names = [b.name for b in spec.bodies]


def dofs_of(body: sc.BodySpec) -> int:
    return dofs(body.joint.type)


def _guide(r: np.random.Generator, spec: sc.SceneSpec) -> sc.PrescribedPoint:
    return sc.PrescribedPoint(
        point=sc.Point(body=str(r.choice([b.name for b in spec.bodies])), position=vec(r, 0.3)),
        path=[line(r, 0.3), line(r, 0.2), line(r, -0.1)],
        modes=[sc.Switch(time=-1.0, mode="guided")],
        guide=sc.Guide(stiffness=float(10 ** r.uniform(0, 3)), damping=float(10 ** r.uniform(-1, 1))),
    )


def _parameters(r: np.random.Generator, spec: sc.SceneSpec) -> list[Any]:
    paths: list[list[str | int]] = []
    _numbers(spec, [], paths)
    picked = [paths[i] for i in r.permutation(len(paths))[:8]]
    return [st.ValueParameter(path=path, name=str(path)) for path in picked]


def _numbers(thing: Any, path: list[str | int], out: list[list[str | int]]) -> None:
    if isinstance(thing, msgspec.Struct):
        for name in thing.__struct_fields__:
            if name not in SHUT:
                _numbers(getattr(thing, name), [*path, name], out)
    elif isinstance(thing, (list, tuple)):
        for i, x in enumerate(thing):
            _numbers(x, [*path, i], out)
    elif isinstance(thing, float) and thing != 0.0:  # what is zero may be so only, as a damping
        out.append(path)


def _goal(r: np.random.Generator, spec: sc.SceneSpec, what: str, end: float) -> Any:
    body = spec.bodies[r.integers(len(spec.bodies))]
    some: dict[str, Any] = {"weight": float(r.uniform(0.5, 2.0)), "name": f"{what} {r.integers(1 << 30)}"}
    when = r.random()
    if when < 0.3:
        some |= {"start": 0.3 * end}
    elif when < 0.6:
        some |= {"time": float(r.uniform(0.0, end))}
    moving = [b for b in spec.bodies if dofs_of(b)]
    if what in ("coordinates", "rates", "effort", "smoothness") and not moving:
        what = "point"
    x = [*map(float, r.uniform(-1, 1, 3))]
    match what:
        case "point":
            return st.PointGoal(body=body.name, target=x, position=vec(r, 0.3), **some)
        case "follow":
            return st.PointGoal(body=body.name, target=[line(r, 0.2), None, line(r, 0.1)], **some)
        case "velocity":
            return st.VelocityGoal(body=body.name, target=x, position=vec(r, 0.3), **some)
        case "spin":
            return st.SpinGoal(body=body.name, target=x, **some)
        case "rotation":
            return st.RotationGoal(body=body.name, target=list(vec(r, 1.0)), **some)
        case "centre":
            return st.CentreGoal(target=x, **some)
        case "centre-velocity":
            return st.CentreVelocityGoal(target=x, bodies=[body.name], **some)
        case "coordinates" | "rates":
            body = moving[r.integers(len(moving))]
            target = [*map(float, r.uniform(-1, 1, dofs_of(body)))]
            kind = st.CoordinatesGoal if what == "coordinates" else st.RatesGoal
            return kind(joint=body.name, target=target, **some)
        case "energy":
            of = str(r.choice(["kinetic", "gravity"]))
            return st.EnergyGoal(of=of, target=None if r.random() < 0.5 else 1.0, **some)
        case "effort":
            return st.EffortGoal(**some)
    return st.SmoothnessGoal(**some)


__all__ = ["direction", "loop_scene", "random_scene"]
