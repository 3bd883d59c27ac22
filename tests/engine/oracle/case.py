"""What a scene of the oracle is, and bodies that many of them are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from redmax_blender.engine.scene import (
    BodySpec,
    ColliderSpec,
    Cuboid,
    Free,
    JointSpec,
    Plane,
    Pose,
    SceneSpec,
    Surface,
    Vec3,
)

GROUND = ColliderSpec(name="ground", shape=Plane(), friction=0.6)
ZERO: Vec3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Case:
    """A scene, how it is run, and at which of its steps the next one is looked at."""

    spec: SceneSpec
    steps: int = 60
    """Of the run that the states are taken from."""
    at: tuple[int, ...] = (0, 1, 7, 20, 39, 59)
    """Steps from whose state one step is taken."""
    h: float = 1.0 / 240.0
    integrator: str = "euler"
    frame: int = 8
    """Steps of the frame that is taken from the same states, in one call."""
    options: dict[str, Any] = field(default_factory=lambda: {"sleep": False})


def bar(
    name: str, kind: Any, parent: str | None = None, length: float = 0.3, at: Vec3 | None = None, **joint: Any
) -> BodySpec:
    """A bar along x that begins at its joint, where the bar before it ends."""
    frame = joint.pop("frame", None)
    if frame is None:
        frame = Pose(at if at is not None else ((0.0 if parent is None else length), 0.0, 0.0))
    given = {key: joint.pop(key) for key in ("mass", "damping_of_body", "surface") if key in joint}
    if "damping_of_body" in given:
        given["damping"] = given.pop("damping_of_body")
    return BodySpec(
        name=name,
        parent=parent,
        shape=Cuboid((length, 0.1 * length, 0.15 * length)),
        pose=Pose((0.5 * length, 0.0, 0.0)),
        joint=JointSpec(type=kind, frame=frame, **joint),
        **given,
    )


def chain(*kinds: Any, gravity: Vec3 = (0.0, 0.0, -9.81), **joint: Any) -> SceneSpec:
    """Bars one after the other."""
    bodies = [bar(str(i), kind, str(i - 1) if i else None, **joint) for i, kind in enumerate(kinds)]
    return SceneSpec(bodies=bodies, gravity=gravity)


def loose(
    name: str, body: Any, at: Vec3, turn: Vec3 = ZERO, speed: Vec3 = ZERO, spin: Vec3 = ZERO, **surface: Any
) -> BodySpec:
    """A body that flies freely and collides."""
    given = {key: surface.pop(key) for key in ("mass", "density") if key in surface}
    return BodySpec(
        name=name,
        shape=body,
        joint=JointSpec(type=Free(), frame=Pose(at, list(turn)), qdot=[*speed, *spin]),
        surface=Surface(**({"friction": 0.5} | surface)),
        **given,
    )
