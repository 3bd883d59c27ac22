"""What every part of a scene is made of: the common struct, poses, and curves over time."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

Vec3 = tuple[float, float, float]
Name = Annotated[str, Meta(min_length=1)]


class Spec(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Settings of every struct in a scene file: unknown fields are errors, defaults are not written."""


class Pose(Spec):
    """A rigid transform: where a frame is, seen from the frame it is given in."""

    position: Vec3 = (0.0, 0.0, 0.0)
    """Origin [m]."""
    rotation: list[float] = msgspec.field(default_factory=lambda: [1.0, 0.0, 0.0, 0.0])
    """Quaternion (w, x, y, z), or rotation vector (x, y, z) [rad] when three numbers are given."""


# Curves: how an input varies with time. Each has a value and its first two time derivatives. ----------------


class Constant(Spec, tag_field="kind", tag="constant"):
    value: float


class Sine(Spec, tag_field="kind", tag="sine"):
    """offset + amplitude · sin(2π · frequency · t + phase)."""

    amplitude: float
    frequency: float
    """[Hz]"""
    phase: float = 0.0
    """[rad]"""
    offset: float = 0.0


class SmoothStep(Spec, tag_field="kind", tag="smooth-step"):
    """From one value to another between two times, at rest and unaccelerated at both ends (quintic)."""

    t0: float
    t1: float
    start: float = 0.0
    end: float = 1.0


class Logistic(Spec, tag_field="kind", tag="logistic"):
    """height / (1 + exp(-steepness · s)), with s going from -1 at t0 to 1 at t1."""

    t0: float
    t1: float
    height: float = 1.0
    steepness: float = 7.0


class Polynomial(Spec, tag_field="kind", tag="polynomial"):
    """Σ coefficients[k] · (t - t0)^k."""

    coefficients: list[float]
    t0: float = 0.0


class Sampled(Spec, tag_field="kind", tag="sampled"):
    """Values at given times; held before the first and after the last."""

    times: list[float]
    """Strictly increasing [s]."""
    values: list[float]
    interpolation: Literal["cubic", "linear", "step"] = "cubic"


class Piece(Spec):
    curve: Constant | Sine | SmoothStep | Logistic | Polynomial | Sampled
    until: float | None = None
    """First time [s] at which the next piece applies; null for ever (last piece only)."""


class Piecewise(Spec, tag_field="kind", tag="piecewise"):
    pieces: list[Piece]


Curve = Constant | Sine | SmoothStep | Logistic | Polynomial | Sampled | Piecewise
