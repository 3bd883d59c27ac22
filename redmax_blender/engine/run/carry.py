"""A state of one scene taken over into another that differs in settings, connections or parts: nothing jumps.

Joints that are the same keep their coordinates and velocities. Others get those with which their bodies are where they
were, and move as they did. Where no coordinates do that, because the connection is new and its parts are not together,
the body is free at first, and a constraint brings it to its place; `Carried.waits` says so, and the scene as it was
meant is tried again when that is done.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
import numpy as np

from ..algebra import se3
from ..compile.scene import compile_scene
from ..constraints.rows import evaluate_rows
from ..model.records import Floats, Model
from ..model.state import State
from ..scene import (
    BodySpec,
    Fixed,
    Free,
    Interval,
    JointSpec,
    LoopHinge,
    LoopPoint,
    LoopSlider,
    LoopWeld,
    Point,
    Pose,
    Prismatic,
    Revolute,
    SceneSpec,
)
from ..scene.constraints import ConstraintSpec, PrescribedTwist
from ..tree.kinematics import Kinematics, forward_kinematics

TOGETHER = 1e-6
"""How far a body may be from where its joint lets it be, in sizes of the scene, to be there."""
_MOST = 30
"""Newton iterations."""


@dataclass(frozen=True)
class Carried:
    """A scene that goes on."""

    spec: SceneSpec
    """With what holds connections that are still to be closed."""
    model: Model
    state: State
    waits: tuple[str, ...]
    """Joints whose parts are not together yet."""


def carry_over(old: SceneSpec, model: Model, state: State, spec: SceneSpec, over: float) -> Carried:
    """Go on from a state of an old scene with a new one; new connections close over some time [s]."""
    new, start = compile_scene(spec), state.t
    after, far = _state(old, model, state, spec, new)
    if far:
        spec = _held_by_loops(spec, new, far, Interval(start=start, over=over))
        new = compile_scene(spec)
        after, _ = _state(old, model, state, spec, new)
    opened = _open(old, spec, new, after)
    if opened:
        constraints = [
            msgspec.structs.replace(c, active=[Interval(start=start, over=over)])
            if name in opened and not c.active
            else c
            for c, name in zip(spec.constraints, new.constraints.names, strict=True)
        ]
        spec = msgspec.structs.replace(spec, constraints=constraints)
        new = compile_scene(spec)
    return Carried(spec, new, after, tuple(far))


def _state(
    old: SceneSpec, model: Model, state: State, spec: SceneSpec, new: Model
) -> tuple[State, list[str]]:
    """The state in the new scene, and the joints at which bodies are not."""
    before = {body.name: body for body in old.bodies}
    number = {name: b for b, name in enumerate(model.bodies.names)}
    kin = forward_kinematics(model, state)
    out = replace(new.initial_state(), t=state.t)
    again = []
    for b, body in enumerate(spec.bodies):
        was = before.get(body.name)
        if was is None:
            continue
        i = number[body.name]
        mine, its = _links(new, b), _links(model, i)
        if _same_joint(was, body) and len(mine) == len(its):
            a, c = (slice(m.tree.dof[l[0]], m.tree.dof[l[-1] + 1]) for m, l in ((new, mine), (model, its)))
            out.q[a], out.qdot[a], out.chart[mine] = state.q[c], state.qdot[c], state.chart[its]
        else:
            again.append((b, _shape_pose(model, kin, i), _shape_twist(model, kin, i)))
    _carry_soft(old, model, state, spec, new, out)
    far = []
    for b, pose, twist in sorted(again, key=lambda each: int(new.bodies.link[each[0]])):
        if not _fit(new, out, b, pose, twist):
            far.append(spec.bodies[b].name)
    return out, far


def _links(model: Model, b: int) -> list[int]:
    """The links of a body's joint, from its parent's outwards, those of a moving base too."""
    link = int(model.bodies.link[b])
    first: list[int] = []
    carriers = set(model.bodies.link.tolist())
    while link >= 0 and (not first or link not in carriers):
        first.append(link)
        link = int(model.tree.parent[link])
    return first[::-1]


def _same_joint(a: BodySpec, b: BodySpec) -> bool:
    return (
        a.parent == b.parent
        and a.joint.type == b.joint.type
        and a.joint.frame == b.joint.frame
        and a.joint.base == b.joint.base
        and a.pose == b.pose
    )


def _shape_pose(model: Model, kin: Kinematics, b: int) -> Floats:
    """Of a body's shape in the world, shape (4, 4)."""
    return np.asarray(se3.pose_matrix(kin.E_wj[model.bodies.link[b]]) @ se3.pose_matrix(model.bodies.E_js[b]))


def _shape_twist(model: Model, kin: Kinematics, b: int) -> Floats:
    """Of a body's shape, in its own axes, shape (6,)."""
    return np.asarray(
        se3.Ad(se3.inverse(se3.pose_matrix(model.bodies.E_js[b]))) @ kin.V[model.bodies.link[b]]
    )


def _carry_soft(old: SceneSpec, model: Model, state: State, spec: SceneSpec, new: Model, out: State) -> None:
    """Vertices of flesh and states of muscles, where these are the same things."""
    if spec.flesh == old.flesh and spec.strands == old.strands and out.x.shape == state.x.shape:
        out.x[:], out.v[:] = state.x, state.v
    if model.muscles is not None and new.muscles is not None and len(state.muscle):
        number = {name: i for i, name in enumerate(model.muscles.names)}
        for i, name in enumerate(new.muscles.names):
            if name in number:
                out.muscle[i] = state.muscle[number[name]]


def _fit(model: Model, state: State, b: int, pose: Floats, twist: Floats) -> bool:
    """Write coordinates and velocities with which a body's shape has a pose and a twist; False where none do."""
    links = _links(model, b)
    span = slice(model.tree.dof[links[0]], model.tree.dof[links[-1] + 1])
    link = int(model.bodies.link[b])
    E_js = se3.pose_matrix(model.bodies.E_js[b])
    goal = pose @ se3.inverse(E_js)
    start = state.q[span].copy()
    state.q[span] = _first_guess(model, state, links, goal)
    reach = max(model.constraints.size, 1e-9)
    weight = np.array([reach, reach, reach, 1.0, 1.0, 1.0])
    error = np.zeros(6)
    for _ in range(_MOST):
        kin = forward_kinematics(model, state)
        error = se3.log(se3.inverse(se3.pose_matrix(kin.E_wj[link])) @ goal)
        J = _columns(model, kin, links)
        change = np.linalg.lstsq(weight[:, None] * J, weight * error, rcond=1e-12)[0]
        size = np.abs(change).max(initial=0.0)
        state.q[span] += change * min(1.0, 1.0 / max(size, 1e-300))
        if size < 1e-14:
            break
    kin = forward_kinematics(model, state)
    error = se3.log(se3.inverse(se3.pose_matrix(kin.E_wj[link])) @ goal)
    if not np.abs(weight * error).max() < TOGETHER * reach:
        state.q[span] = start
        return False
    state.qdot[span] = 0.0
    still = forward_kinematics(model, state).V[link]
    J = _columns(model, kin, links)
    wanted = se3.Ad(E_js) @ twist - still
    state.qdot[span] = np.linalg.lstsq(J, wanted, rcond=1e-12)[0]
    return True


def _first_guess(model: Model, state: State, links: list[int], goal: Floats) -> Floats:
    """Coordinates to begin with: of a free body those that it has, zero of others."""
    n = int(model.tree.dof[links[-1] + 1] - model.tree.dof[links[0]])
    if n < 6:
        return np.zeros(n)
    parent = int(model.tree.parent[links[0]])
    E = np.eye(4) if parent < 0 else se3.pose_matrix(forward_kinematics(model, state).E_wj[parent])
    rest = se3.pose_matrix(model.tree.E_pj0[links[0]])
    inside = se3.inverse(E @ rest) @ goal
    return np.concatenate([inside[:3, 3], se3.log_so3(inside[:3, :3])])


def _columns(model: Model, kin: Kinematics, links: list[int]) -> Floats:
    """Twist of the last link, in its frame, by each coordinate of these links, shape (6, n)."""
    last = se3.inverse(se3.pose_matrix(kin.E_wj[links[-1]]))
    out = []
    for link in links:
        down = se3.Ad(last @ se3.pose_matrix(kin.E_wj[link]))
        out += [down @ kin.S[k] for k in range(model.tree.dof[link], model.tree.dof[link + 1])]
    return np.array(out).reshape(-1, 6).T


def _open(old: SceneSpec, spec: SceneSpec, new: Model, state: State) -> set[str]:
    """Constraints that are new, or other than before, and do not hold in a state."""
    rows = new.constraints.rows
    if not len(rows.type):
        return set()
    known = {_key(c): c for c in old.constraints if c.name}
    kin = forward_kinematics(new, state)
    error = np.abs(evaluate_rows(rows, state.t, kin).error * rows.lever)
    out = set()
    for i, (constraint, name) in enumerate(zip(spec.constraints, new.constraints.names, strict=True)):
        if isinstance(constraint, PrescribedTwist):
            continue
        was = known.get(_key(constraint))
        same = was is not None and msgspec.structs.replace(was, active=[]) == msgspec.structs.replace(
            constraint, active=[]
        )
        if not same and error[rows.owner == i].max(initial=0.0) > TOGETHER * new.constraints.size:
            out.add(name)
    return out


def _key(constraint: ConstraintSpec) -> tuple[str, str]:
    return (type(constraint).__name__, constraint.name)


def without_joints(spec: SceneSpec, bodies: list[str]) -> SceneSpec:
    """The scene with these bodies free: what is left of them when their joints are cut."""
    return _held_by_loops(spec, compile_scene(spec), bodies, None)


def _held_by_loops(spec: SceneSpec, model: Model, far: list[str], when: Interval | None) -> SceneSpec:
    """The scene with these bodies free, and a constraint in place of the joint of each where it is said when."""
    start = model.initial_state()
    kin = forward_kinematics(model, start)
    number = {body.name: b for b, body in enumerate(spec.bodies)}
    bodies, constraints = list(spec.bodies), list(spec.constraints)
    for name in far:
        b = number[name]
        body = spec.bodies[b]
        E = se3.pose_matrix(kin.E_wj[model.bodies.link[b]])
        own = Point(tuple(se3.inverse(se3.pose_matrix(model.bodies.E_js[b]))[:3, 3].tolist()), name)
        R = E[:3, :3]
        if body.parent is None:
            above, axes = Point(tuple(E[:3, 3].tolist())), R
        else:
            p = number[body.parent]
            E_p = se3.pose_matrix(kin.E_wj[model.bodies.link[p]])
            shape = E_p @ se3.pose_matrix(model.bodies.E_js[p])
            above = Point(tuple((se3.inverse(shape) @ E)[:3, 3].tolist()), body.parent)
            axes = E_p[:3, :3].T @ R
        if when is not None:
            constraints.append(_loop(body, above, own, axes, when))
        at = Pose(tuple(E[:3, 3].tolist()), se3.quaternion(R).tolist())
        joint = JointSpec(type=Free(), name=body.joint.name, frame=at)
        bodies[b] = msgspec.structs.replace(body, parent=None, joint=joint)
    return msgspec.structs.replace(spec, bodies=bodies, constraints=constraints)


def _loop(body: BodySpec, a: Point, b: Point, axes: Floats, when: Interval) -> ConstraintSpec:
    """A constraint that leaves a body the freedom that its joint does, or nearly."""
    kind, name = body.joint.type, f"{body.joint.name or body.name} comes"
    match kind:
        case Fixed():
            return LoopWeld(a=a, b=b, active=[when], name=name)
        case Revolute():
            axis = axes @ np.array(kind.axis)
            return LoopHinge(a=a, b=b, axis=tuple(axis.tolist()), active=[when], name=name)
        case Prismatic():
            axis = axes @ np.array(kind.axis)
            return LoopSlider(a=a, b=b, axis=tuple(axis.tolist()), active=[when], name=name)
    return LoopPoint(a=a, b=b, active=[when], name=name)
