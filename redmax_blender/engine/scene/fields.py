"""Fields of force: what pushes bodies and flesh according to where they are and how fast they move."""

from __future__ import annotations

from typing import Literal

import msgspec

from .base import Curve, Name, Pose, Spec

FieldKind = Literal["force", "wind", "vortex", "magnetic", "harmonic", "turbulence", "drag"]


class Field(Spec, tag_field="kind", tag="field"):
    """A field as Blender's force fields are, of the same formulas. It is at a pose of its own, its axis is its z axis.

    What it gives is a force in newtons on each body, whatever the body's mass, as on Blender's rigid bodies. On flesh
    it is shared out over the vertices in proportion to their masses.
    """

    type: FieldKind
    """`force`: away from the field; `wind`: along its axis; `vortex`: round its axis; `magnetic`: across the velocity;
    `harmonic`: a spring and damper to the field; `turbulence`: noise in space; `drag`: against the velocity."""
    pose: Pose = msgspec.field(default_factory=Pose)
    motion: list[Curve] = msgspec.field(default_factory=list)
    """Position x, y, z [m] and rotation vector x, y, z [rad] over time, instead of `pose`; six curves or none."""
    strength: Curve | float = 1.0
    """[N]; of a drag [N·s²/m²], of a harmonic field [N/m]."""
    flow: float = 0.0
    """Drag against still air that the field brings with it [N·s/m]."""
    damping: float = 0.0
    """Of a harmonic field, as a fraction of critical for 1 kg; of a drag its linear part [N·s/m]."""
    size: float = 0.0
    """Rest length of a harmonic field, or how coarse the noise of a turbulence is [m]."""
    shape: Literal["point", "line", "plane"] = "point"
    """From where distances count: the origin, the nearest point of the z axis, or of the xy plane."""
    falloff: Literal["sphere", "tube", "cone"] = "sphere"
    power: float = 0.0
    """The force falls off as (1 + distance)⁻ᵖ."""
    nearest: float = 0.0
    """Distance [m] up to which it does not."""
    farthest: float | None = None
    """Distance [m] from which on there is none."""
    radial_power: float = 0.0
    """The same across the axis, for a tube, and over the angle in degrees from the axis, for a cone."""
    radial_nearest: float = 0.0
    """[m], or degrees for a cone."""
    radial_farthest: float | None = None
    side: Literal["both", "front", "back"] = "both"
    """Where it acts: everywhere, or where z is above or below zero."""
    gravitation: bool = False
    """Of a force: divided by the square of the distance."""
    world_noise: bool = False
    """Whether the noise of a turbulence stays where it is when the field moves."""
    noise_order: list[int] = msgspec.field(default_factory=list)
    """The numbers from 0 to 255 in the order that the noise of a turbulence follows from; one of its own when empty."""
    noise: float = 0.0
    """Random part of the strength [N]."""
    noise_rate: float = 25.0
    """How often it changes [1/s]."""
    seed: int = 0
    unit: float = 1.0
    """The length [m] that counts as one where distances fall off, and for forces: Blender's unit."""
    spread: bool = True
    """Whether a body feels the field at six points, which have the second moments of its mass, or at its centre."""
    bodies: list[Name] | None = None
    """Bodies and flesh that feel it; all when null."""
    weights: list[float] = msgspec.field(default_factory=list)
    """How strongly each of `bodies` feels it; 1 when empty."""
    name: str = ""
