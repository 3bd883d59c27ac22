"""What an optimisation changes and what it wants: the `task` of a scene file."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .base import Curve, Name, Spec, Vec3

Positive = Annotated[float, Meta(gt=0.0)]
Target = float | Curve | None
"""A number, a curve over time to follow, or null for a component that does not matter."""

# Parameters: what may change. ---------------------------------------------------------------------------------


class Parameter(Spec, kw_only=True):
    """Common to all parameters. Where there are several numbers, a list has one entry for each of them."""

    name: str = ""
    """What reports call it; made from its other fields when empty."""
    initial: list[float] | float | None = None
    """Where the search begins; what the scene has when null."""
    lower: list[float] | float | None = None
    upper: list[float] | float | None = None
    scale: Positive = 1.0
    """How large a usual change of it is: the search works with value / scale."""


class ValueParameter(Parameter, tag_field="kind", tag="value"):
    """Any number of the scene."""

    path: list[str | int] | str
    """Where it is: fields, names or numbers of entries, such as `bodies.arm.joint.stiffness`; a list where a name has
    a dot in it."""


class TorqueParameter(Parameter, tag_field="kind", tag="torque"):
    """The torque or force in a joint's coordinates, in place of what the scene has there [N·m, N]."""

    joint: Name
    coordinates: list[int] | None = None
    """Which ones; all when null."""
    times: list[float] = msgspec.field(default_factory=list)
    """Knots of a curve over time [s]; a constant when empty."""
    interpolation: Literal["cubic", "linear", "step"] = "cubic"


class StartParameter(Parameter, tag_field="kind", tag="start"):
    """Initial coordinates of a joint [rad, m]."""

    joint: Name
    coordinates: list[int] | None = None


class StartVelocityParameter(Parameter, tag_field="kind", tag="start-velocity"):
    """Initial velocities of a joint's coordinates [rad/s, m/s]."""

    joint: Name
    coordinates: list[int] | None = None


class PushParameter(Parameter, tag_field="kind", tag="push"):
    """A force along the world's axes on a body, constant for a while [N]; three numbers."""

    body: Name
    position: Vec3 = (0.0, 0.0, 0.0)
    """Where it acts, in the frame of the body's shape [m]."""
    time: float = 0.0
    duration: Positive = 0.1


class CurveParameter(Parameter, tag_field="kind", tag="curve"):
    """A curve of the scene, in place of what is there: a muscle's excitation, the influence of a guide, a force, a
    motion."""

    path: list[str | int] | str
    """Where it is, such as `muscles.flexor.excitation`."""
    times: list[float] = msgspec.field(default_factory=list)
    """Its knots [s]; a constant when empty."""
    interpolation: Literal["cubic", "linear", "step"] = "linear"


class FactorParameter(Parameter, tag_field="kind", tag="factor"):
    """One factor for several numbers of the scene, 1 at first."""

    paths: Annotated[list[list[str | int] | str], Meta(min_length=1)]


ParameterSpec = (
    ValueParameter
    | TorqueParameter
    | StartParameter
    | StartVelocityParameter
    | PushParameter
    | CurveParameter
    | FactorParameter
)

# Objectives: what is wanted. ----------------------------------------------------------------------------------


class Goal(Spec, kw_only=True):
    """Common to all objectives: the weight, and when it counts.

    At one time it counts once; over a range it is integrated over time.
    """

    weight: float = 1.0
    name: str = ""
    time: float | None = None
    """[s]; the end of the scene when this and the range are null."""
    start: float | None = None
    """First time of a range [s]."""
    until: float | None = None
    """Last time of a range [s]; the end of the scene when null."""


class PointGoal(Goal, tag_field="kind", tag="point"):
    """½ |x - target|² of a point on a body [m²]."""

    body: Name
    target: list[Target]
    """Three components along the axes of the world [m]."""
    position: Vec3 = (0.0, 0.0, 0.0)
    """In the frame of the body's shape [m]."""


class VelocityGoal(Goal, tag_field="kind", tag="velocity"):
    """½ |v - target|² of a point on a body [m²/s²]."""

    body: Name
    target: list[Target] = msgspec.field(default_factory=lambda: [0.0, 0.0, 0.0])
    position: Vec3 = (0.0, 0.0, 0.0)


class SpinGoal(Goal, tag_field="kind", tag="spin"):
    """½ |ω - target|² of a body, along the axes of the world [rad²/s²]."""

    body: Name
    target: list[Target] = msgspec.field(default_factory=lambda: [0.0, 0.0, 0.0])


class RotationGoal(Goal, tag_field="kind", tag="rotation"):
    """1 - cos of the angle between a body's rotation and the target: half its square where it is small."""

    body: Name
    target: list[float]
    """Quaternion (w, x, y, z) or rotation vector [rad] of the shape's frame in the world."""


class CentreGoal(Goal, tag_field="kind", tag="centre"):
    """½ |c - target|² of a centre of mass [m²]."""

    target: list[Target]
    bodies: list[Name] | None = None
    """All when null."""


class CentreVelocityGoal(Goal, tag_field="kind", tag="centre-velocity"):
    """½ |ċ - target|² of a centre of mass [m²/s²]."""

    target: list[Target] = msgspec.field(default_factory=lambda: [0.0, 0.0, 0.0])
    bodies: list[Name] | None = None


class CoordinatesGoal(Goal, tag_field="kind", tag="coordinates"):
    """½ |q - target|² of a joint's coordinates [rad², m²]."""

    joint: Name
    target: list[Target]


class PoseGoal(Goal, tag_field="kind", tag="pose"):
    """½ Σ |q - target|² of the coordinates of several joints [rad², m²]."""

    joints: Annotated[list[Name], Meta(min_length=1)]
    targets: list[list[Target]]
    """Of each of them, a list as for `coordinates`."""


class RatesGoal(Goal, tag_field="kind", tag="rates"):
    """½ |qdot - target|² of a joint's velocities."""

    joint: Name
    target: list[Target]


class EnergyGoal(Goal, tag_field="kind", tag="energy"):
    """Energy [J], or with a target half the square of what it is off."""

    of: Literal["kinetic", "gravity", "springs", "total"] = "kinetic"
    target: float | None = None


class EffortGoal(Goal, tag_field="kind", tag="effort"):
    """½ Σ torque² of the torques applied in joints, over the whole run if nothing else is said."""

    joints: list[Name] | None = None
    """All when null."""


class ExcitationGoal(Goal, tag_field="kind", tag="excitation"):
    """½ Σ excitation² of muscles, over the whole run if nothing else is said."""

    muscles: list[Name] | None = None
    """All when null."""


class SmoothnessGoal(Goal, tag_field="kind", tag="smoothness"):
    """½ Σ (change of velocity over a step / its length)² of joints, over the whole run if nothing else is said."""

    joints: list[Name] | None = None


GoalSpec = (
    PointGoal
    | VelocityGoal
    | SpinGoal
    | RotationGoal
    | CentreGoal
    | CentreVelocityGoal
    | CoordinatesGoal
    | PoseGoal
    | RatesGoal
    | EnergyGoal
    | EffortGoal
    | ExcitationGoal
    | SmoothnessGoal
)


class TaskSpec(Spec):
    """Find parameters for which the weighted sum of the objectives is least."""

    parameters: Annotated[list[ParameterSpec], Meta(min_length=1)]
    objectives: Annotated[list[GoalSpec], Meta(min_length=1)]
    regularisation: float = 0.0
    """Adds half of this times Σ (value / scale)²."""
    derivatives: Literal["auto", "adjoint", "differences"] = "auto"
    """The adjoint of the run, or central differences: two runs a parameter, good for what has no adjoint. `auto`: the
    adjoint where there is one."""
    method: Literal["l-bfgs-b", "least-squares", "cma-es"] = "l-bfgs-b"
    """How to search: along gradients; along differences of all that is squared in the objectives, for few parameters
    and many numbers to resemble; or by drawing values at random about the best so far, where gradients lead nowhere."""
    enough: float | None = None
    """The search ends where the objective is no more than this; null: it goes on until it falls no further."""
    iterations: Annotated[int, Meta(ge=1)] = 200
    """Steps of the search, at most, from each start."""
    tolerance: Positive = 1e-10
    """The search ends where the objective falls by less than this fraction in a step."""
    restarts: Annotated[int, Meta(ge=0)] = 0
    """Further searches, from random values."""
    spread: Positive = 1.0
    """How far from the initial values they begin, in scales; within the bounds. With `cma-es`, first values are drawn
    about these with a third of it as standard deviation."""
    seed: int = 0
