"""The four curves of a musculotendon as Millard et al. (2013) shape them, in normalized lengths, velocities and forces.

Active and passive force over the fibre's length (1: optimal), force over its velocity (1: fastest, lengthening is
positive), and force of the tendon over its length (1: slack).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...model.records import Floats
from .bezier import curve

ACTIVE, VELOCITY, PASSIVE, TENDON = 0, 1, 2, 3
"""Order of the curves of a muscle."""
CURVES = 4


@dataclass(frozen=True)
class ActiveShape:
    """Active force over fibre length: a shallow ascent between two steeper ones, and a descent."""

    shortest: float = 0.4441
    transition: float = 0.73
    longest: float = 1.8123
    shallow_slope: float = 0.8616
    least: float = 0.0
    """Force outside of that."""

    def row(self) -> Floats:
        blunt = 0.05  # half the width of the plateau
        s = 1.0 - blunt
        foot = 1.0 - self.shallow_slope * (s - self.transition)
        steep = 1.25 * foot / (self.transition - self.shortest)
        half = (self.shortest + 0.5 * (self.transition - self.shortest), 0.5 * foot, steep)
        shallow = (
            self.transition + 0.5 * (s - self.transition),
            foot + 0.5 * (1.0 - foot),
            self.shallow_slope,
        )
        after = 1.0 + blunt
        down = (after + 0.5 * (self.longest - after), 0.5, -1.0 / (self.longest - blunt - after))
        return curve(
            [
                (self.shortest, self.least, 0.0),
                half,
                shallow,
                (1.0, 1.0, 0.0),
                down,
                (self.longest, self.least, 0.0),
            ],
            _hug(1.0),
        )


@dataclass(frozen=True)
class VelocityShape:
    """Force over fibre velocity."""

    shortening_slope: float = 0.0
    """At the fastest shortening."""
    shortening_slope_near: float = 0.25
    """At nine tenths of it."""
    isometric_slope: float = 5.0
    lengthening_slope: float = 0.0
    lengthening_slope_near: float = 0.15
    most: float = 1.4
    """Force at the fastest lengthening."""
    shortening_curviness: float = 0.6
    lengthening_curviness: float = 0.9

    def row(self) -> Floats:
        near = 0.5 * 0.1 * (self.shortening_slope_near + self.shortening_slope)
        far = self.most - 0.5 * 0.1 * (self.lengthening_slope_near + self.lengthening_slope)
        a, b = _hug(self.shortening_curviness), _hug(self.lengthening_curviness)
        return curve(
            [
                (-1.0, 0.0, self.shortening_slope),
                (-0.9, near, self.shortening_slope_near),
                (0.0, 1.0, self.isometric_slope),
                (0.9, far, self.lengthening_slope_near),
                (1.0, self.most, self.lengthening_slope),
            ],
            [a, a, b, b],
        )


@dataclass(frozen=True)
class PassiveShape:
    """Passive force over fibre length."""

    strain_at_zero: float = 0.0
    strain_at_one: float = 0.7
    """Strain at which the passive force is the greatest active one."""
    low_slope: float | None = None
    """Slope where the force begins; 0.2 in proportion to the default's strain, when null."""
    slope_at_one: float | None = None
    """2 / (strain from zero to one) when null."""
    curviness: float | None = None
    """0.75 when null."""

    def row(self) -> Floats:
        span = self.strain_at_one - self.strain_at_zero
        steep = 2.0 / span if self.slope_at_one is None else self.slope_at_one
        low = 0.2 if self.low_slope is None else self.low_slope
        zero, one = 1.0 + self.strain_at_zero, 1.0 + self.strain_at_one
        d = min(0.1 / steep, 0.1 * span)
        return curve(
            [(zero, 0.0, 0.0), (zero + d, 0.5 * d * low, low), (one, 1.0, steep)],
            _hug(0.75 if self.curviness is None else self.curviness),
        )


@dataclass(frozen=True)
class TendonShape:
    """Force over tendon length: a toe, then straight."""

    strain_at_one: float = 0.049
    """Strain at which the tendon bears the muscle's greatest active force."""
    slope_at_one: float | None = None
    """1.375 / strain_at_one when null."""
    toe: float | None = None
    """Force where the toe ends; 2/3 when null."""
    curviness: float | None = None
    """0.5 when null."""

    def row(self) -> Floats:
        one = 1.0 + self.strain_at_one
        steep = 1.375 / self.strain_at_one if self.slope_at_one is None else self.slope_at_one
        toe = 2.0 / 3.0 if self.toe is None else self.toe
        x_toe = (toe - 1.0) / steep + one
        x_foot = 1.0 + 0.1 * (x_toe - 1.0)
        x_half = (0.5 * toe - 1.0) / steep + one
        slope = 0.5 * toe / (x_half - x_foot)
        middle = x_foot + 0.5 * (x_half - x_foot)
        return curve(
            [(1.0, 0.0, 0.0), (middle, slope * (middle - x_foot), slope), (x_toe, toe, steep)],
            _hug(0.5 if self.curviness is None else self.curviness),
        )


@dataclass(frozen=True)
class Shapes:
    """All four."""

    active: ActiveShape = field(default_factory=ActiveShape)
    velocity: VelocityShape = field(default_factory=VelocityShape)
    passive: PassiveShape = field(default_factory=PassiveShape)
    tendon: TendonShape = field(default_factory=TendonShape)

    def rows(self) -> Floats:
        """Shape (CURVES, WIDTH)."""
        return np.stack([self.active.row(), self.velocity.row(), self.passive.row(), self.tendon.row()])


def undamped() -> Shapes:
    """Shapes for a fibre without damping: force never vanishes with activation, length or velocity, so that the
    velocity of the fibre can be found from it."""
    return Shapes(ActiveShape(least=0.1), VelocityShape(0.125, lengthening_slope=0.075))


def _hug(curviness: float) -> float:
    """Fraction of the way to the corner: neither straight nor a kink at the ends of the scale."""
    return 0.1 + 0.8 * curviness
