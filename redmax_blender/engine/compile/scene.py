"""SceneSpec -> Model: order, index ranges, packing.

Every error that the types cannot express is found here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..bodies.inertia import MassProperties, body_mass, spatial_rows
from ..errors import SceneError
from ..finite import check_finite
from ..joints.kinds import Kind
from ..model.curves import Curves, evaluate, pack
from ..model.records import Bodies, Floats, Joints, Limits, Model, Tree
from ..model.state import State
from ..scene import BodySpec, Constant, Curve, Free, JointSpec, SceneSpec, TimeSpec
from ..tree.kinematics import forward_kinematics
from .constraints import constraints, ropes
from .contact import surfaces
from .couplings import reduction
from .fields import fields
from .flesh import carrying, flesh
from .forces import Places, external, lifts, springs
from .forest import body_place, joint_names, parent_indices, parents_first
from .friction import friction
from .guide_gains import with_gains
from .guides import guides
from .joints import joint_limits, joint_modes
from .links import Link, joint_links
from .muscles import with_muscles
from .poses import IDENTITY, pose_numbers
from .wakes import wakes

_ANGULAR = (Kind.REVOLUTE, Kind.UNIVERSAL, Kind.SPHERICAL, Kind.SPHERICAL_EULER)


def compile_scene(spec: SceneSpec) -> Model:
    """The constant arrays of a scene. Raises SceneError with the place, the problem and what to do."""
    check_finite(spec)
    _check_time(spec.time)
    if not spec.bodies:
        raise SceneError("bodies", "the scene has no bodies", "Add at least one body.")
    parents = parent_indices(spec.bodies)
    names = joint_names(spec.bodies)
    links = _Links()
    for b in parents_first(spec.bodies, parents):
        links.add_body(spec.bodies, b, parents[b])
    bodies = _bodies(spec.bodies, links)
    joints, limits, q0, qdot0 = _joints(spec, names, links)
    tree = links.tree(bodies)
    start = State(spec.time.start, q0, qdot0, tree.chart)
    kin = forward_kinematics(tree, start)
    places = Places(bodies, kin.E_wj)
    soft = flesh(spec.flesh, spec.strands, places, kin)
    model = Model(
        gravity=np.array(spec.gravity, np.float64),
        tree=carrying(tree, soft),
        bodies=bodies,
        joints=joints,
        q0=q0,
        qdot0=qdot0,
        springs=springs(spec.forces, places),
        constraints=constraints(spec.constraints, places, joints, q0, limits, links.is_angle()),
        external=external([*spec.forces, *lifts(spec)], places),
        fields=fields(spec.forces, places, soft),
        guides=guides(spec.constraints, places),
        ropes=ropes(spec.constraints, places),
        reduction=reduction(spec.couplings, joints, len(q0)),
        t0=float(spec.time.start),
        flesh=soft,
        contact=surfaces(spec, places, tree, joints, soft, start, kin),
        friction=friction(spec, joints, tree, places, limits),
    )
    model = with_muscles(model, spec.muscles, spec.wraps, places, kin)
    woken = wakes(spec.bodies, bodies.link, joints.dof, joints.motion.target, model.nl)
    model = with_gains(replace(model, wakes=woken) if woken is not None else model, spec)
    return replace(model, told=spec) if spec.changes or spec.pulls else model


def _check_time(time: TimeSpec) -> None:
    if not time.step > 0.0:
        raise SceneError("time.step", f"the step is {time.step} s", "Give a step above zero.")
    if not time.end > time.start:
        raise SceneError(
            "time.end",
            f"the time span is empty: it ends at {time.end} s and starts at {time.start} s",
            "Let it end after it starts.",
        )


@dataclass
class _Links:
    """The links as they are laid down, body by body, parents first."""

    parent: list[int] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    E_pj0: list[tuple[float, ...]] = field(default_factory=list)
    dof: list[int] = field(default_factory=lambda: [0])
    of_body: dict[int, int] = field(default_factory=dict)
    """The link that carries each body."""
    span: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The coordinates of each body's joint."""

    def add_body(self, bodies: Sequence[BodySpec], b: int, parent: int) -> None:
        joint, place = bodies[b].joint, f"{body_place(bodies, b)}.joint"
        above = -1 if parent < 0 else self.of_body[parent]
        frame = pose_numbers(joint.frame, f"{place}.frame")
        moving = joint_links(Free(), place) if joint.base else []
        own = joint_links(joint.type, f"{place}.type")
        for link in [*moving, *own]:
            self.parent.append(above)
            self.links.append(link)
            self.E_pj0.append(frame)
            self.dof.append(self.dof[-1] + link.dofs)
            above, frame = len(self.links) - 1, IDENTITY
        self.of_body[b] = above
        self.span[b] = (self.dof[-1] - sum(link.dofs for link in own), self.dof[-1])

    def is_angle(self) -> NDArray[np.bool_]:
        """Which coordinates are angles rather than lengths; a parameter of a spline counts as a length."""
        return np.array([link.kind in _ANGULAR for link in self.links for _ in range(link.dofs)], bool)

    def tree(self, bodies: Bodies) -> Tree:
        sizes = [len(link.params) for link in self.links]
        inertia = np.zeros((len(self.links), 21))
        damping = np.zeros((len(self.links), 21))
        R, p = bodies.E_jb[:, :9].reshape(-1, 3, 3), bodies.E_jb[:, 9:]
        inertia[bodies.link] = spatial_rows(R, p, bodies.inertia[:, :3], bodies.inertia[:, 3])
        d = bodies.damping
        damping[bodies.link] = spatial_rows(R, p, np.repeat(d[:, None], 3, axis=1), d)
        return Tree(
            parent=np.array(self.parent, np.int64),
            kind=np.array([link.kind for link in self.links], np.int64),
            dof=np.array(self.dof, np.int64),
            at=np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64),
            params=np.array([x for link in self.links for x in link.params], np.float64),
            E_pj0=np.array(self.E_pj0, np.float64).reshape(-1, 12),
            inertia=inertia,
            damping=damping,
            chart=np.array([link.chart for link in self.links], np.int64),
            centred=np.array([link.centred for link in self.links], np.bool_),
        )


def _bodies(specs: Sequence[BodySpec], links: _Links) -> Bodies:
    masses: list[MassProperties] = []
    shape_rows: list[tuple[float, ...]] = []
    for b, body in enumerate(specs):
        place = body_place(specs, b)
        masses.append(body_mass(body.shape, body.density, body.mass, place))
        shape_rows.append(pose_numbers(body.pose, f"{place}.pose"))
        if body.damping < 0.0:
            raise SceneError(f"{place}.damping", f"the damping is {body.damping}", "Give zero or more.")
    E_js = np.array(shape_rows)
    R, p = E_js[:, :9].reshape(-1, 3, 3), E_js[:, 9:]
    axes = np.array([m.axes for m in masses])
    centres = np.array([m.centre for m in masses])
    E_jb = np.concatenate([(R @ axes).reshape(-1, 9), np.einsum("bij,bj->bi", R, centres) + p], axis=1)
    diagonal = np.array([[*m.moments, m.mass, m.mass, m.mass] for m in masses])
    explicit = np.array([body.damping > 0.0 and not body.implicit for body in specs], np.bool_)
    return Bodies(
        names=tuple(body.name for body in specs),
        link=np.array([links.of_body[b] for b in range(len(specs))], np.int64),
        E_jb=np.ascontiguousarray(E_jb),
        inertia=diagonal,
        damping=np.array([body.damping for body in specs], np.float64),
        E_js=E_js,
        explicit=explicit if explicit.any() else None,
    )


def _joints(spec: SceneSpec, names: tuple[str, ...], links: _Links) -> tuple[Joints, Limits, Floats, Floats]:
    """The joints, their hard stops, and the initial coordinates and velocities."""
    nr = links.dof[-1]
    free, explicit = np.ones(nr, np.bool_), np.zeros(nr, np.bool_)
    q0, qdot0, stiffness, damping, rest = np.zeros((5, nr))
    torques: list[tuple[int, Curve, str]] = []
    motions: list[tuple[int, Curve, str]] = []
    profiles: list[tuple[int, Curve, str]] = []
    joints: list[tuple[JointSpec, slice, Callable[[str], str]]] = []
    for b, body in enumerate(spec.bodies):
        joint = body.joint
        begin, end = links.span[b]
        joints.append((joint, slice(begin, end), _placer(spec.bodies, b)))
        place = joints[-1][2]
        if joint.base and len(joint.base) != 6:
            raise SceneError(
                place("base"),
                f"there are {len(joint.base)} curves",
                "Give six: a position and a rotation vector.",
            )
        for k, curve in enumerate(joint.base):
            motions.append((begin - 6 + k, curve or Constant(0.0), place(f"base[{k}]")))
        for curves, into, name in (
            (joint.torque, torques, "torque"),
            (joint.motion, motions, "motion"),
            (joint.spring_curve, profiles, "spring_curve"),
        ):
            if curves and len(curves) != end - begin:
                _wrong_length(place(name), len(curves), end - begin, "curves", joint)
            for k, curve in enumerate(curves):
                if curve is not None:
                    into.append((begin + k, curve, place(f"{name}[{k}]")))
    torque, motion = pack(torques), pack(motions)
    switches, guide = joint_modes(joints)
    free[[d for i, d in enumerate(motion.target) if not switches or not switches[i]]] = False
    _follow(motion, spec.time.start, q0, qdot0)
    for joint, span, place in joints:
        _fill(q0, span, joint.q, place("q"), joint)
        _fill(qdot0, span, joint.qdot, place("qdot"), joint)
        for array, given, name in (
            (stiffness, joint.stiffness, "stiffness"),
            (damping, joint.damping, "damping"),
        ):
            _fill(array, span, given, place(name), joint)
            if np.any(array[span] < 0.0):
                raise SceneError(place(name), f"the {name} is {array[span].min()}", "Give zero or more.")
        explicit[span] = not joint.implicit
        rest[span] = q0[span]
        _fill(rest, span, joint.rest, place("rest"), joint)
    kinds = tuple(str(body.joint.type.__struct_config__.tag) for body in spec.bodies)
    dof = np.array([links.span[b] for b in range(len(spec.bodies))], np.int64)
    limits, stops = joint_limits(joints)
    profile = pack(profiles) if profiles else None
    packed = Joints(
        names,
        kinds,
        dof,
        stiffness,
        damping,
        rest,
        torque,
        motion,
        free,
        switches,
        guide,
        profile,
        stops,
        explicit if explicit.any() else None,
    )
    return packed, limits, q0, qdot0


def _placer(bodies: Sequence[BodySpec], b: int) -> Callable[[str], str]:
    """Builds the place of a joint's field; only errors and curves need the text."""
    return lambda name: f"{body_place(bodies, b)}.joint.{name}"


def _follow(motion: Curves, t: float, q0: Floats, qdot0: Floats) -> None:
    """Prescribed coordinates begin on their motion unless the scene says otherwise."""
    if len(motion):
        values = evaluate(motion, t)
        q0[motion.target], qdot0[motion.target] = values[:, 0], values[:, 1]


def _fill(
    array: Floats, span: slice, given: list[float] | float | None, place: str, joint: JointSpec
) -> None:
    """Put a number for all coordinates of a joint, or a list with one number each, where it belongs."""
    if given is None:
        return
    if isinstance(given, (list, tuple)) and len(given) != span.stop - span.start:
        _wrong_length(place, len(given), span.stop - span.start, "numbers", joint)
    array[span] = given


def _wrong_length(place: str, count: int, wanted: int, what: str, joint: JointSpec) -> None:
    kind = joint.type.__struct_config__.tag
    raise SceneError(
        place,
        f"there are {count} {what}, and this {kind} joint has {wanted} coordinates",
        f"Give {wanted}, in the order of the coordinates.",
    )
