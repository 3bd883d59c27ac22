"""A model as a scene: bodies, joints with their ranges, couplers as gears, muscles with all their points, surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...algebra.se3 import pose_matrix
from ...scene.spec import (
    BodySpec,
    Composite,
    Constant,
    Curve,
    Gear,
    HillActuator,
    Inertia,
    JointSpec,
    Limits,
    MovingAxis,
    MusclePoint,
    MuscleSpec,
    Over,
    Part,
    Pose,
    Sampled,
    SceneSpec,
    Term,
    TimeSpec,
    WithinRange,
    WrapCapsule,
    WrapCylinder,
    WrapEllipsoid,
    WrapShape,
    WrapSpec,
    WrapSphere,
    WrapTorus,
)
from .. import functions as fn
from ..moving_mass import Massive
from ..records import WORLD, Floats, Mover, PathPoint, Surface, WrapSurface
from ..skeleton import Body, Coordinate, Skeleton, follow_couplers
from .joint_kinds import Place, SceneJoint, pose, scene_joint
from .model import OpenSimModel
from .read_muscles import MuscleRecord

_LIGHT = 1e-6
"""Mass [kg] and moments [kg·m²] of bodies that have none, for which a joint needs some."""
_SAMPLES = 61
"""Of functions that the scene has no name for."""
_MILLARD = "Millard2012EquilibriumMuscle"


@dataclass(frozen=True)
class ToScene:
    scene: SceneSpec
    places: dict[str, Place]
    """Where each coordinate of the model is in the scene."""
    notes: list[str]
    """What is not as in the file."""


@dataclass
class _Site:
    model: OpenSimModel
    joints: list[SceneJoint]
    places: dict[int, Place]
    notes: list[str] = field(default_factory=list)

    def body(self, frame: int) -> str | None:
        return None if frame == WORLD else self.model.skeleton.bodies[frame].name


def to_scene(
    model: OpenSimModel,
    skeleton: Skeleton | None = None,
    masses: Sequence[Massive] = (),
    motion: tuple[Floats, Floats] | None = None,
) -> ToScene:
    """The scene of a model.

    `skeleton` and `masses`: its bodies with less mass and muscles with some (`share_masses`), instead of the model's
    own. `motion`: times [s] and coordinates (rows, n) that all joints follow, instead of being free.
    """
    skeleton = model.skeleton if skeleton is None else skeleton
    begin = follow_couplers(skeleton, skeleton.default())
    skeleton = replace(
        skeleton,
        coordinates=tuple(
            replace(c, default=float(q)) for c, q in zip(skeleton.coordinates, begin, strict=True)
        ),
    )
    notes = list(model.notes)
    joints = [scene_joint(joint, skeleton.coordinates, notes) for joint in skeleton.joints]
    site = _Site(model, joints, {c: p for joint in joints for c, p in joint.places.items()}, notes)
    bodies = _bodies(site, skeleton, motion)
    mass = {m.path.name: m for m in masses}
    muscles = [_muscle(site, record, mass.get(record.name)) for record in model.muscles]
    surfaces = {s.name: s for record in model.muscles for s in record.path.surfaces if s.active}
    end = 1.0 if motion is None else float(motion[0][-1] - motion[0][0])
    scene = SceneSpec(
        name=model.name,
        gravity=skeleton.gravity,
        bodies=bodies,
        constraints=[] if motion is not None else list(_gears(site, skeleton)),
        wraps=[_wrap(site, surface) for surface in surfaces.values()],
        muscles=muscles,
        time=TimeSpec(end=end, step=1e-3, record=10),
    )
    named = {skeleton.coordinates[c].name: place for c, place in site.places.items()}
    return ToScene(scene, named, site.notes)


def _bodies(site: _Site, skeleton: Skeleton, motion: tuple[Floats, Floats] | None) -> list[BodySpec]:
    ends = {WORLD: np.eye(4)}  # from where the joint that carries a body ends to the body, as poses
    out = []
    for joint, made in zip(skeleton.joints, site.joints, strict=True):
        body = skeleton.bodies[joint.child]
        frame = ends[joint.parent] @ pose_matrix(joint.in_parent) @ made.before
        ends[joint.child] = made.body
        out.append(
            BodySpec(
                body.name,
                Composite([_inertia(site, body, bool(made.coordinates))]),
                site.body(joint.parent),
                _joint(site, joint.name, made, skeleton, pose(frame), motion),
                pose(ends[joint.child]),
            )
        )
    return out


def _inertia(site: _Site, body: Body, moves: bool) -> Part:
    """The body's mass as a part of a shape whose frame is the body's."""
    mass = body.mass
    if not mass > 0.0:
        mass = _LIGHT
        if moves:
            site.notes.append(f"body '{body.name}': it has no mass, and gets {_LIGHT:g} kg")
    moments, axes = np.linalg.eigh(body.inertia)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    least = _LIGHT * 1e-3 if body.mass > 0.0 else _LIGHT * 1e-4
    moments = np.maximum(moments, least)
    if moments[0] + moments[1] < moments[2]:
        if moments[0] + moments[1] < moments[2] * (1.0 - 1e-6):
            site.notes.append(
                f"body '{body.name}': no distribution of mass has its inertia; the smallest moment is raised to "
                f"{moments[2] - moments[1]:.4g} kg·m²"
            )
        moments[0] = moments[2] - moments[1]
    E = np.eye(4)
    E[:3, :3], E[:3, 3] = axes, body.centre
    x, y, z = moments.tolist()
    return Part(Inertia(mass, (x, y, z)), pose(E))


def _joint(
    site: _Site,
    name: str,
    made: SceneJoint,
    skeleton: Skeleton,
    frame: Pose,
    motion: tuple[Floats, Floats] | None,
) -> JointSpec:
    own = [skeleton.coordinates[c] for c in made.coordinates]
    places = [made.places[c] for c in made.coordinates]
    held = _held(site, skeleton)
    curves: list[Curve | None] = []
    for c, place in zip(made.coordinates, places, strict=True):
        if motion is not None:
            times = (motion[0] - motion[0][0]).tolist()
            curves.append(Sampled(times, (place.gain * motion[1][:, c] + place.shift).tolist()))
        elif c in held:
            curves.append(Constant(place(skeleton.coordinates[c].default)))
        else:
            curves.append(None)
    free = motion is None
    limits = _limits(own, places) if free and any(c.clamped for c in own) else None
    return JointSpec(
        made.kind,
        name,
        frame,
        q=[p(c.default) for p, c in zip(places, own, strict=True)] if free and own else None,
        motion=curves if any(curve is not None for curve in curves) else [],
        limits=limits,
    )


def _limits(own: Sequence[Coordinate], places: Sequence[Place]) -> Limits:
    lower: list[float | None] = []
    upper: list[float | None] = []
    for c, place in zip(own, places, strict=True):
        holds = c.clamped and not c.locked and c.low < c.high
        # The pose that a file begins with may be outside the range that it gives.
        lower.append(place(min(c.low, c.default)) if holds and c.low > -1e8 else None)
        upper.append(place(max(c.high, c.default)) if holds and c.high < 1e8 else None)
    return Limits(lower, upper)


def _held(site: _Site, skeleton: Skeleton) -> set[int]:
    """Coordinates that are locked, or follow others in a way that no gear does."""
    held = {i for i, c in enumerate(skeleton.coordinates) if c.locked}
    for coupler in skeleton.couplers:
        if not all(isinstance(fn.plain(curve), fn.Linear) for _, curve in coupler.terms):
            held.add(coupler.dependent)
            name = skeleton.coordinates[coupler.dependent].name
            note = f"coordinate '{name}': it follows another by a curve, and is held at its default"
            if note not in site.notes:
                site.notes.append(note)
    return held


def _gears(site: _Site, skeleton: Skeleton) -> list[Gear]:
    out = []
    for coupler in skeleton.couplers:
        lines = [(c, fn.plain(curve)) for c, curve in coupler.terms]
        known = coupler.dependent in site.places and all(c in site.places for c, _ in lines)
        if not known or not all(isinstance(line, fn.Linear) for _, line in lines):
            continue
        place = site.places[coupler.dependent]
        terms = [Term(place.joint, 1.0 / place.gain, place.number)]
        for c, line in lines:
            other = site.places[c]
            terms.append(Term(other.joint, -line.slope / other.gain, other.number))
        out.append(Gear(terms, name=skeleton.coordinates[coupler.dependent].name))
    return out


def _muscle(site: _Site, record: MuscleRecord, massive: Massive | None) -> MuscleSpec:
    path = record.path
    over = []
    for wrap in path.wraps:
        surface = path.surfaces[wrap.surface]
        if surface.active:
            over.append(Over(surface.name, wrap.first, None if wrap.last < 0 else wrap.last))
    given = record.properties
    if record.kind != _MILLARD:
        note = f"muscles of kind {record.kind}: their curves are those of {_MILLARD} here"
        if note not in site.notes:
            site.notes.append(note)
    strain = given.get(
        "FmaxTendonStrain", given.get("TendonForceLengthCurve.strain_at_one_norm_force", 0.049)
    )
    actuator = HillActuator(
        max_force=record.max_isometric_force,
        optimal_length=record.optimal_fiber_length,
        slack_length=record.tendon_slack_length,
        pennation=record.pennation,
        max_velocity=record.max_contraction_velocity,
        damping=given.get("fiber_damping", 0.1),
        activation_time=given.get("activation_time_constant", 0.01),
        deactivation_time=given.get("deactivation_time_constant", 0.04),
        min_activation=given.get("minimum_activation", 0.01),
        rigid_tendon=bool(given.get("ignore_tendon_compliance", 0.0)),
        tendon_strain=strain,
    )
    return MuscleSpec(
        record.name,
        [_point(site, point) for point in path.points],
        over,
        mass=0.0 if massive is None else massive.mass,
        mass_points=10 if massive is None else len(massive.alphas),
        actuator=actuator if record.max_isometric_force > 0.0 else None,
        activation=min(1.0, max(0.0, given.get("default_activation", 0.05))),
    )


def _point(site: _Site, point: PathPoint) -> MusclePoint:
    active = None
    if point.active is not None:
        c, low, high = point.active
        if c in site.places:
            place = site.places[c]
            active = WithinRange(place.joint, place(low), place(high), place.number)
    if point.movers is None:
        return MusclePoint(point.location, site.body(point.frame), active)
    x: list[float] = [0.0, 0.0, 0.0]
    moves = []
    for k, mover in enumerate(point.movers):
        if mover.coordinate < 0 or mover.coordinate not in site.places:
            x[k] = float(mover.curve(0.0))
        else:
            moves.append(_mover(site, "xyz"[k], mover))
    return MusclePoint((x[0], x[1], x[2]), site.body(point.frame), active, moves)


def _mover(site: _Site, axis: Any, mover: Mover) -> MovingAxis:
    place, curve = site.places[mover.coordinate], mover.curve
    scale = 1.0
    while isinstance(curve, fn.Scaled):
        scale, curve = scale * curve.scale, curve.of
    smooth = True
    if isinstance(curve, fn.CubicSpline) and curve.ends == "cubic" and len(curve.x) > 2:
        x, y = list(curve.x), list(curve.y)
    elif isinstance(curve, fn.PiecewiseLinear) and len(curve.x) > 1:
        x, y, smooth = list(curve.x), list(curve.y), False
    elif isinstance(curve, fn.Linear):
        x, y, smooth = [-1.0, 1.0], [curve(-1.0), curve(1.0)], False
    else:
        c = site.model.skeleton.coordinates[mover.coordinate]
        low, high = (c.low, c.high) if c.high - c.low < 100.0 else (c.default - np.pi, c.default + np.pi)
        x = np.linspace(low, high, _SAMPLES).tolist()
        y = [float(curve(value)) for value in x]
    at = [place(value) for value in x]
    return MovingAxis(axis, place.joint, at, [scale * value for value in y], place.number,
                      "cubic" if smooth else "linear")  # fmt: skip


def _wrap(site: _Site, surface: WrapSurface) -> WrapSpec:
    E = np.eye(4)
    E[:3, :3], E[:3, 3] = np.array(surface.rotation).reshape(3, 3), surface.origin
    half: Any = "all"
    if surface.quadrant is not None:
        half = ("-" if surface.quadrant[1] < 0 else "+") + "xyz"[surface.quadrant[0]]
    return WrapSpec(
        surface.name, _shape(surface), site.body(surface.frame), pose(E), half,
        float(surface.length) if np.isfinite(surface.length) else None,
    )  # fmt: skip


def _shape(surface: WrapSurface) -> WrapShape:
    x, y, z = surface.size
    match surface.kind:
        case Surface.CYLINDER:
            return WrapCylinder(x)
        case Surface.SPHERE:
            return WrapSphere(x)
        case Surface.ELLIPSOID:
            return WrapEllipsoid((x, y, z))
        case Surface.TORUS:
            return WrapTorus(x, y)
    return WrapCapsule(x, y if np.isfinite(y) else None)
