"""Random impacts: a body flies into another one, or into a tree of them, that rests or sleeps.

Masses from 1 g to 1 t, restitution from 0 to 1, any shapes, hinges, sleeves and balls, steps from 1/24 to 1/960 s.
Energy and restitution are those of the first blow, while nothing turns yet: what its impulses do to the velocities, by
a dense mass matrix, which the end of the step has to confirm. They are those at the time of the blow, as gravity adds
to them before it and takes from them after it. Momentum is that of the states, over all steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from redmax_blender.engine import compile_scene
from redmax_blender.engine.algebra.se3 import symmetric
from redmax_blender.engine.contact.contacts import Contacts
from redmax_blender.engine.friction.memory import DryReport
from redmax_blender.engine.integrators.euler import EulerSteps, euler, euler_midway
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    ColliderSpec,
    Cuboid,
    Cylinder,
    Ellipsoid,
    Free,
    JointSpec,
    Plane,
    Pose,
    Prismatic,
    Revolute,
    SceneSpec,
    Sphere,
    Spherical,
    Surface,
)
from redmax_blender.engine.tree.kinematics import Kinematics, forward_kinematics

Floats = NDArray[np.float64]
RATES = (24, 60, 240, 960)
AFTER = 4
"""Steps without a blow with which an impact is over."""


def shape(draw: np.random.Generator, size: float):
    kind = draw.integers(5)
    if kind == 0:
        return Sphere(0.5 * size)
    if kind == 1:
        return Capsule(radius=0.3 * size, height=0.5 * size)
    if kind == 2:
        return Cylinder(radius=0.5 * size, height=size)
    if kind == 3:
        return Ellipsoid(tuple((0.5 * size * draw.uniform(0.5, 1.0, 3)).tolist()))
    return Cuboid(tuple((size * draw.uniform(0.5, 1.0, 3)).tolist()))


@dataclass(frozen=True)
class Impact:
    """What a random impact did."""

    happened: bool
    rubs: bool
    slept: bool
    """Whether the target slept when the projectile set out."""
    momentum: float
    """Change of the horizontal momentum, as a fraction of the projectile's; zero where the target has limbs,
    whose momentum changes as they turn in a step."""
    energy: float
    """Growth of the kinetic energy by the first blow, as a fraction of it."""
    restitution: float
    """By how much a contact that pushes comes apart otherwise than by its coefficient, as a fraction of the blow."""


def scene(draw: np.random.Generator, h: float, asleep: bool) -> tuple[SceneSpec, Floats]:
    """A target on smooth ground, or in empty space, and a projectile that waits beside it; and how fast it will be."""
    bounce, rubs = float(draw.uniform(0, 1)), float(draw.choice([0.0, 0.5]))
    surface = Surface(friction=0.0 if asleep else rubs, restitution=bounce)
    size = float(draw.uniform(0.3, 0.6))
    root = Cuboid((size, size, size)) if asleep else shape(draw, size)
    bodies = [
        BodySpec(
            name="target",
            shape=root,
            mass=float(10 ** draw.uniform(-3, 3)),
            joint=JointSpec(type=Free(), frame=Pose((0.0, 0.0, 0.5 * size))),
            surface=surface,
        )
    ]
    kinds = (Spherical(), Revolute(tuple(draw.normal(size=3).tolist())), Prismatic((0.0, 1.0, 0.0)))
    for i in range(int(draw.integers(0, 3)) if not asleep else 0):
        bodies.append(
            BodySpec(
                name=f"limb {i}",
                parent=bodies[-1].name,
                shape=Capsule(radius=0.1 * size, height=size),
                mass=float(10 ** draw.uniform(-3, 3)),
                pose=Pose((0.0, 0.0, 0.7 * size)),
                joint=JointSpec(
                    type=kinds[draw.integers(3)], frame=Pose((0.0, 0.0, 0.5 * size if i == 0 else 1.4 * size))
                ),
                surface=surface,
            )
        )
    own = float(draw.uniform(0.3, 0.6))
    fast = max(2.5 * 9.81 * h, 0.5)
    velocity = np.array([-float(draw.uniform(fast, fast + 2.0)), 0.0, 0.0])
    # Anywhere between what is seen in the first step and what takes some; off the middle by part of the size.
    away = 0.9 * (size + own) + float(draw.uniform(0.0, 4.0)) * h * abs(float(velocity[0]))
    high = max(0.5 * size + 0.1, 0.9 * own) if asleep else 0.5 * size
    place = (away, *(0.2 * size * draw.uniform(-1, 1, 2) * [1.0, not asleep] + [0.0, high]).tolist())
    bodies.append(
        BodySpec(
            name="projectile",
            shape=shape(draw, own),
            mass=float(10 ** draw.uniform(-3, 3)),
            pose=Pose((0.0, 0.0, 0.0), rotation=draw.uniform(-2, 2, 3).tolist()),
            joint=JointSpec(type=Free(), frame=Pose(place)),
            surface=surface,
        )
    )
    ground = ColliderSpec(name="ground", shape=Plane(), friction=0.0)
    spec = SceneSpec(bodies=bodies, colliders=[ground] if asleep else [])
    if not asleep:
        spec.gravity = (0.0, 0.0, 0.0)
    return spec, velocity


def momentum(model: Model, state: State) -> Floats:
    """Of all bodies together, in the world [kg·m/s]."""
    kin = forward_kinematics(model, state)
    P = np.einsum("lij,lj->li", symmetric(model.tree.inertia), kin.V)[:, 3:]
    return np.einsum("lij,lj->i", kin.E_wj[:, :9].reshape(-1, 3, 3), P)


@dataclass(frozen=True)
class Dense:
    """The model in one configuration."""

    kin: Kinematics
    J: Floats
    """Twists of the links by the rates, shape (nl, 6, nr)."""
    M: Floats
    """shape (nr, nr)."""

    @staticmethod
    def of(model: Model, state: State) -> Dense:
        columns = [
            forward_kinematics(model, State(state.t, state.q, unit, state.chart)).V
            for unit in np.eye(model.nr)
        ]
        J = np.stack(columns, axis=2)
        M = np.einsum("lia,lij,ljb->ab", J, symmetric(model.tree.inertia), J)
        return Dense(forward_kinematics(model, state), J, M)

    def points(self, contacts: Contacts) -> Floats:
        """Velocities of side 0 against side 1 of contacts by the rates, shape (nc, 3, nr)."""
        out = np.zeros((len(contacts), 3, self.J.shape[2]))
        for side, sign in ((0, 1.0), (1, -1.0)):
            for c in np.flatnonzero(contacts.link[:, side] >= 0):
                link = contacts.link[c, side]
                R = self.kin.E_wj[link, :9].reshape(3, 3)
                arm = R.T @ (contacts.x[c, side] - self.kin.E_wj[link, 9:])
                out[c] += sign * R @ (self.J[link, 3:] + np.cross(self.J[link, :3], arm, axis=0))
        return out

    def kinetic(self, qdot: Floats) -> float:
        return 0.5 * float(qdot @ self.M @ qdot)


def launch(steps: EulerSteps, velocity: Floats) -> None:
    """Let the projectile, the last six coordinates, fly."""
    qdot = steps.state.qdot.copy()
    qdot[-6:-3] = velocity
    s = steps.state
    steps.state = State(s.t, s.q, qdot, s.chart, s.x, s.v)


def run_impact(seed: int) -> Impact:
    draw = np.random.default_rng(seed)
    h = 1.0 / float(draw.choice(RATES))
    asleep = bool(draw.random() < 0.4)
    spec, velocity = scene(draw, h, asleep)
    model = compile_scene(spec)
    start = model.initial_state()
    steps = (euler_midway if draw.random() < 0.5 else euler)(model, start, Options(h=h))
    slept = False
    if asleep:
        # The projectile floats until the target sleeps; then it is where it was.
        held = start.q[-6:].copy()
        for _ in range(round(1.2 / h)):
            next(steps)
            q, qdot = steps.state.q.copy(), steps.state.qdot.copy()
            q[-6:], qdot[-6:] = held, 0.0
            s = steps.state
            steps.state = State(s.t, q, qdot, s.chart, s.x, s.v)
        sleepers = steps.memory.dry.sleepers
        slept = sleepers is not None and bool(sleepers.asleep[0])
    launch(steps, velocity)
    weight = float(model.bodies.inertia[-1, 3]) * float(np.linalg.norm(velocity))
    alone = len(spec.bodies) == 2
    drift, growth, rebound, quiet = 0.0, 0.0, 0.0, -1
    carried = momentum(model, steps.state)
    away = float(spec.bodies[-1].joint.frame.position[0])
    for _ in range(round(1.3 * away / (-velocity[0] * h)) + AFTER):
        before = steps.state
        next(steps)
        report = steps.memory.report
        if alone:
            change = momentum(model, steps.state) - carried
            drift = max(drift, float(np.linalg.norm(change[:2])) / weight)
        if quiet >= 0:
            quiet += 1
            if quiet > AFTER:
                break
            continue
        if report.dry is None or report.dry.contacts is None:
            continue
        hit = (report.dry.contacts.link >= 0).all(axis=1) & np.any(report.dry.impulse != 0.0, axis=1)
        if hit.any() or report.parts > 1:
            quiet = 0
            if report.parts == 1:
                growth, rebound = blow(model, before, steps.state, report.dry, h, hit)
    rubs = bool(spec.bodies[-1].surface.friction > 0.0)
    return Impact(quiet >= 0, rubs, slept, drift, growth, rebound)


def blow(
    model: Model, before: State, after: State, dry: DryReport, h: float, hit: NDArray[np.bool_]
) -> tuple[float, float]:
    """Growth of the kinetic energy by the impulses of a step, as a fraction of it; and by how much contacts that push
    come apart otherwise than Newton's law has it, as a fraction of the blow."""
    at, c = Dense.of(model, before), dry.contacts
    assert c is not None
    heavy = np.einsum("lij,lja->lia", symmetric(model.tree.inertia)[:, 3:, 3:], at.J[:, 3:])
    heavy += np.einsum("lij,lja->lia", symmetric(model.tree.inertia)[:, 3:, :3], at.J[:, :3])
    pull = np.einsum("lia,lji,j->a", heavy, at.kin.E_wj[:, :9].reshape(-1, 3, 3), model.gravity)
    alone = before.qdot + h * np.linalg.solve(at.M, pull)
    G = at.points(c)
    end = alone + np.linalg.solve(at.M, np.einsum("cia,ci->a", G, dry.impulse))
    # The projectile is alone and does not turn yet: its velocity is that of the state, whatever its coordinates.
    assert after.qdot[-6:-3] == pytest.approx(
        end[-6:-3], rel=1e-9, abs=1e-9 * float(np.abs(end[-6:-3]).max())
    )
    held = alone.copy()
    if model.gravity.any():
        held[:-6] = before.qdot[:-6]  # the target lies on the ground
    first, last = (np.einsum("ci,cia,a->c", c.normal, G, qdot) for qdot in (before.qdot, held))
    hard = float(-first[hit].min())
    bounces = hit & (c.restitution > 0.0) & (c.gap + h * last < 0.0) & (first < -0.5 * hard)
    when = min((touches(*one, h) for one in zip(c.gap[bounces], first[bounces], last[bounces])), default=0.0)
    # velocities of a step are those half a step before its end
    struck = before.qdot + (0.5 + when) * (held - before.qdot)
    left = struck + end - held
    speed = [np.einsum("ci,cia,a->c", c.normal, G, qdot) for qdot in (struck, left)]
    # one that has come down to the ground turns on it, which is not what it does alone
    flies = not ((c.link == model.bodies.link[-1]).any(axis=1) & (c.link < 0).any(axis=1)).any()
    rebound = 0.0
    if flies and hard > 2.0 * h * float(np.linalg.norm(model.gravity)) and bounces.any():
        rebound = float(np.abs(speed[1] + c.restitution * speed[0])[bounces].max()) / hard
    return (at.kinetic(left) - at.kinetic(struck)) / at.kinetic(struck), rebound


def touches(gap: float, first: float, last: float, h: float) -> float:
    """After which part of a step a gap closes whose speed goes from one to the other, along a parabola."""
    if gap <= 0.0:
        return 0.0
    a = last - first
    roots = np.roots([0.5 * a, first + 0.5 * a, gap / h])
    return float(min((r.real for r in roots if abs(r.imag) < 1e-9 and 0.0 < r.real <= 1.0), default=1.0))
