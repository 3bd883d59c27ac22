"""Random scenes over every joint kind: what the property tests and the benchmarks run on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from redmax_blender.engine.joints.kinds import CHARTS
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import State
from redmax_blender.engine.scene import (
    BodySpec,
    CompositeJoint,
    Fixed,
    Free,
    FreePlanar,
    Inertia,
    JointKind,
    JointSpec,
    Planar,
    Pose,
    Prismatic,
    Revolute,
    SceneSpec,
    Spherical,
    SphericalEuler,
    SplineCurve,
    SplineSurface,
    Translational,
    Universal,
    Vec3,
)

Rng = np.random.Generator


def random_vector(rng: Rng, scale: float = 1.0) -> Vec3:
    x, y, z = (scale * rng.normal(size=3)).tolist()
    return (x, y, z)


def random_pose(rng: Rng, scale: float = 0.3) -> Pose:
    """Any orientation; about `scale` [m] away."""
    q = rng.normal(size=4)
    return Pose(position=random_vector(rng, scale), rotation=(q / np.linalg.norm(q)).tolist())


def _spline_curve(rng: Rng, cyclic: bool) -> SplineCurve:
    """A curve of frames that turn by less than half a turn from one to the next."""
    frames = [Pose(random_vector(rng), list(random_vector(rng, 0.5))) for _ in range(6)]
    return SplineCurve(frames=frames, cyclic=cyclic)


def _spline_surface(rng: Rng) -> SplineSurface:
    return SplineSurface(controls=(0.5 * rng.normal(size=(5, 6, 6))).tolist())


KINDS: dict[str, Callable[[Rng], JointKind]] = {
    "fixed": lambda rng: Fixed(),
    "revolute": lambda rng: Revolute(random_vector(rng)),
    "prismatic": lambda rng: Prismatic(random_vector(rng)),
    "planar": lambda rng: Planar(),
    "translational": lambda rng: Translational(),
    "universal": lambda rng: Universal(),
    "spherical": lambda rng: Spherical(),
    "spherical-euler": lambda rng: SphericalEuler(CHARTS[int(rng.integers(len(CHARTS)))]),
    "free": lambda rng: Free(),
    "free, rotation first": lambda rng: Free(order="rotation-translation"),
    "free, euler": lambda rng: Free(rotation="euler"),
    "free-planar": lambda rng: FreePlanar(),
    "spline-curve": lambda rng: _spline_curve(rng, True),
    "spline-curve, open": lambda rng: _spline_curve(rng, False),
    "spline-surface": _spline_surface,
    "composite": lambda rng: CompositeJoint([Revolute(random_vector(rng)), Prismatic(random_vector(rng))]),
    "composite, nested": lambda rng: CompositeJoint(
        [CompositeJoint([Universal(), Prismatic(random_vector(rng))]), CompositeJoint([Spherical()])]
    ),
}
"""A random joint of every kind that a scene file can have, by a name for the test's report. None has more than the six
freedoms of a body: beyond them the mass matrix is singular."""

ALL = tuple(KINDS)


def random_scene(
    rng: Rng,
    n: int,
    kinds: Sequence[str] = ALL,
    shape: str = "tree",
    root: str | None = None,
    spacing: float = 0.3,
) -> SceneSpec:
    """n bodies hanging on each other as a "chain", a "binary" tree or a random "tree" (a forest, in fact).

    Kinds take turns, so that n >= len(kinds) has them all; `root` is the kind of the first joint where it matters.
    """
    order = [kinds[int(k)] for k in rng.permutation(np.arange(n) % len(kinds))]
    if root is not None:
        order[0] = root
    bodies = []
    for i, kind in enumerate(order):
        parent = {
            "chain": i - 1,
            "binary": (i - 1) // 2 if i else -1,
            "tree": int(rng.integers(-1, i)),
        }[shape]
        bodies.append(
            BodySpec(
                name=f"body{i}",
                parent=f"body{parent}" if parent >= 0 else None,
                # Moments of a solid body: none is larger than the sum of the others.
                shape=Inertia(
                    mass=float(rng.uniform(0.5, 2.0)), moments=tuple(rng.uniform(0.06, 0.1, 3).tolist())
                ),
                pose=random_pose(rng, spacing),
                joint=JointSpec(type=KINDS[kind](rng), frame=random_pose(rng, spacing)),
            )
        )
    return SceneSpec(bodies=bodies, gravity=random_vector(rng, 5.0))


def random_state(rng: Rng, model: Model, speed: float = 1.0) -> State:
    """Coordinates in [-1, 1], away from every singularity; velocities of about `speed` [rad/s, m/s]."""
    q = rng.uniform(-1.0, 1.0, model.nr)
    return State(0.0, q, speed * rng.normal(size=model.nr), model.tree.chart.copy())
