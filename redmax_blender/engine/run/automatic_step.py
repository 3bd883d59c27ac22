"""The step that a scene needs: chosen from what is in it, before anything is simulated.

Euler's step at an angular frequency ω adds a damping ratio ω h / 2 to what springs do, and shifts the phase of what
gravity swings; contacts, dry friction, loops and muscles have the steps at which their errors were measured to be small
(`docs/benchmarks.md`). The smallest of all these steps is taken, and divides a frame evenly. Steps in which too much
happens at once are divided by the engine itself, so that blows and spins need no smaller step here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, inf, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from ..bodies.inertia import MassProperties, body_mass
from ..compile.poses import pose_parts
from ..scene.spec import (
    BodySpec,
    Fixed,
    Gear,
    PrescribedPoint,
    PrescribedPose,
    PrescribedTwist,
    Prismatic,
    SceneSpec,
    Spring,
)

Floats = NDArray[np.float64]

EXTRA_DAMPING = 0.05
"""Damping ratio that steps may add to a spring: a third of what a lively tail has."""
SEEN = 0.25
"""Cycles a frame that an eye can tell apart: of faster springs only the mean is seen."""
SWING = 0.15
"""ω h of a pendulum: the phase is off by ω² h² / 24, a thousandth."""
STIFF = 0.2
"""ω h of springs that are not in the matrix of the step, which would make energy of it."""
RESPONSE = 0.25
"""Step over the response time of a guide."""
TOUCH = 1 / 240
"""[s] Figures fall, slide and rub well."""
LOOP = 1 / 960
"""[s] Loops keep their energy to 1 % a swing."""
LEAST, MOST = 2, 100
"""Steps a frame."""


@dataclass(frozen=True)
class Need:
    """What needs a step as small as this."""

    step: float
    """[s]"""
    what: str


@dataclass(frozen=True)
class _Moved:
    """What a joint carries."""

    mass: float
    """[kg]"""
    inertia: float
    """About the joint, the mean of all axes [kg·m²]."""
    length: float
    """From the joint to the centre of mass [m]."""


def automatic_substeps(spec: SceneSpec, frame: float) -> tuple[int, str]:
    """Steps in a frame [s], and what needs so many."""
    need = min(_needs(spec, frame), key=lambda each: each.step, default=Need(inf, ""))
    count = min(max(ceil(frame / need.step - 1e-6), LEAST), MOST)
    return count, need.what if count > LEAST else ""


def _needs(spec: SceneSpec, frame: float) -> Iterator[Need]:
    slowest = 2.0 * EXTRA_DAMPING / (2.0 * pi * SEEN / frame)
    """A step at which a spring that is just seen has no more than the extra damping [s]."""
    masses = {body.name: body_mass(body.shape, body.density, body.mass, body.name) for body in spec.bodies}
    moved = _moved(spec.bodies, masses)
    g = float(np.linalg.norm(spec.gravity))
    for body in spec.bodies:
        joint, carried = body.joint, moved.get(body.name)
        if carried is None:  # its parent is not there: compiling says so
            continue
        if isinstance(joint.type, Fixed) or (joint.motion and not joint.modes and joint.wake is None):
            continue
        if g > 0.0 and carried.length > 0.0:
            yield Need(SWING / sqrt(g / carried.length), f"the swing of '{body.name}'")
        stiffness = float(np.max(joint.stiffness))
        straight = isinstance(joint.type, Prismatic)
        if stiffness > 0.0:
            omega = sqrt(stiffness / (carried.mass if straight else carried.inertia))
            seen = max(2.0 * EXTRA_DAMPING / omega, slowest)
            yield Need(seen if joint.implicit else min(seen, STIFF / omega), f"the spring of '{body.name}'")
        if joint.guide is not None and joint.guide.response:
            yield Need(RESPONSE * joint.guide.response, f"the guide of '{body.name}'")
        if joint.friction is not None:
            yield Need(TOUCH, f"friction in '{body.name}'")
        if any(joint.motors):
            yield Need(TOUCH, f"the motor of '{body.name}'")
        if joint.limits is not None:
            yield Need(TOUCH, f"the limits of '{body.name}'")
    yield from _between(spec, masses, slowest)


def _between(spec: SceneSpec, masses: dict[str, MassProperties], slowest: float) -> Iterator[Need]:
    """What is not in a joint."""
    for force in spec.forces:
        if isinstance(force, Spring) and force.stiffness > 0.0:
            held = [masses[p.body].mass for p in force.points if p.body is not None and p.body in masses]
            if held:
                yield Need(max(2.0 * EXTRA_DAMPING / sqrt(force.stiffness / min(held)), slowest), "a spring")
    led = (PrescribedPoint, PrescribedPose, PrescribedTwist)
    for constraint in spec.constraints:
        if isinstance(constraint, led):
            yield Need(TOUCH, "what follows a target")
        elif isinstance(constraint, Gear):
            yield Need(TOUCH, "gears")
        else:
            yield Need(LOOP, "loops")
    solid = [body for body in spec.bodies if body.surface is not None]
    if (solid and (spec.colliders or (spec.self_collision.enabled and len(solid) > 1))) or spec.tubes:
        yield Need(TOUCH, "contacts")
    for name in ("flesh", "strands", "muscles", "couplings"):
        if getattr(spec, name):
            yield Need(TOUCH, name)


def _moved(bodies: list[BodySpec], masses: dict[str, MassProperties]) -> dict[str, _Moved]:
    """What each body's joint carries, as the bodies lie when all coordinates are zero."""
    turns: dict[str, Floats] = {}
    joints: dict[str, Floats] = {}
    carriers: dict[str, list[str]] = {}
    sums: dict[str, list[tuple[float, Floats, float]]] = {body.name: [] for body in bodies}
    for body in _parents_first(bodies):
        turn, place = pose_parts(body.joint.frame, body.name)
        if body.parent is not None:
            above = turns[body.parent]
            turn, place = above @ turn, joints[body.parent] + above @ place
        turns[body.name], joints[body.name] = turn, place
        carriers[body.name] = [*(carriers[body.parent] if body.parent is not None else ()), body.name]
        own_turn, own_place = pose_parts(body.pose, body.name)
        mass = masses[body.name]
        centre = place + turn @ (own_place + own_turn @ mass.centre)
        for carrier in carriers[body.name]:
            sums[carrier].append((mass.mass, centre, float(np.sum(mass.moments)) / 3.0))
    return {name: _sum(parts, joints[name]) for name, parts in sums.items() if parts}


def _sum(parts: list[tuple[float, Floats, float]], joint: Floats) -> _Moved:
    total = sum(mass for mass, _, _ in parts)
    middle = sum((mass * centre for mass, centre, _ in parts), np.zeros(3)) / total
    inertia = sum(
        own + mass * float(np.sum((centre - joint) ** 2)) * 2.0 / 3.0 for mass, centre, own in parts
    )
    return _Moved(total, inertia, float(np.linalg.norm(middle - joint)))


def _parents_first(bodies: list[BodySpec]) -> Iterator[BodySpec]:
    done: set[str | None] = {None}
    waiting = list(bodies)
    while waiting:
        ready = [body for body in waiting if body.parent in done]
        if not ready:
            return
        yield from ready
        done |= {body.name for body in ready}
        waiting = [body for body in waiting if body.name not in done]
