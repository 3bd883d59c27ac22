"""What the shots of muscles share: bones as capsules, and runs of a scene."""

from __future__ import annotations

from math import pi
from typing import Any

from ...compile.scene import compile_scene
from ...model.records import Model
from ...run.result import Result
from ...run.simulate import scene_options, simulate
from ...scene import BodySpec, Capsule, JointKind, JointSpec, Pose, Revolute, SceneSpec, Vec3

AXIS: Vec3 = (0.0, -1.0, 0.0)
"""Of hinges: everything happens in the plane of x and z, and angles grow from x towards z."""
ALONG = [0.0, 0.5 * pi, 0.0]
"""A capsule along x."""


def bone(
    name: str,
    parent: str | None,
    size: tuple[float, float],
    mass: float,
    at: Vec3 = (0.0, 0.0, 0.0),
    angle: float = 0.0,
    kind: JointKind | None = None,
    **joint: Any,
) -> BodySpec:
    """A capsule of (length, radius) [m] from its joint along x; `at` is in the parent's joint.

    Points on it are counted from its middle, along the capsule's axes: see `on`.
    """
    length, radius = size
    hinge = Revolute(AXIS) if kind is None else kind
    return BodySpec(
        name,
        Capsule(radius, length),
        parent,
        JointSpec(type=hinge, frame=Pose(at), q=angle if kind is None else None, **joint),
        Pose((0.5 * length, 0.0, 0.0), ALONG),
        mass=mass,
    )


def on(length: float, x: float, z: float = 0.0, y: float = 0.0) -> Vec3:
    """A point of a bone of that length at x, y, z from its joint, as the scene wants it."""
    return (-z, y, x - 0.5 * length)


def play(spec: SceneSpec, model: Model | None = None) -> Result:
    """All of a scene's time; of a changed model of it where one is given."""
    model = compile_scene(spec) if model is None else model
    frames = simulate(model, scene_options(spec), end=spec.time.end, record=spec.time.record)
    return Result.from_frames(model, frames)


def capsule_moment(length: float, radius: float) -> float:
    """Moment of inertia across the middle of a capsule of one kilogram [m²]."""
    middle, ends = length, 4.0 / 3.0 * radius  # in proportion to their volumes
    across = middle * (length**2 / 12.0 + radius**2 / 4.0)
    across += ends * (0.4 * radius**2 + 0.25 * length**2 + 0.375 * length * radius)
    return across / (middle + ends)
