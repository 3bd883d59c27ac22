"""A leg of three bones in the plane, of the size of a runner's, and the muscles that shots give it.

Lengths, masses and moments are common shares of a person of 1.75 m and 70 kg; places of muscles are round numbers near
those of people. Bones hang along -z, x points ahead; joints turn about -y: a positive angle lifts a limb ahead.
"""

from __future__ import annotations

from math import pi
from typing import Any

from ...scene import (
    BodySpec,
    Composite,
    Ellipsoid,
    Inertia,
    JointKind,
    JointSpec,
    MusclePoint,
    MuscleSpec,
    Over,
    Part,
    Pose,
    Revolute,
    Vec3,
    WrapCylinder,
    WrapSpec,
)
from .bones import AXIS

THIGH, SHANK = 0.43, 0.43
"""Lengths [m]."""
SHANK_MASS = 3.1
"""[kg]"""
ACROSS = [0.5 * pi, 0.0, 0.0]
"""Turns the axis of a cylinder across the plane."""
CALF = {
    "gastrocnemius lateral": 0.15,
    "gastrocnemius medial": 0.27,
    "soleus": 0.43,
    "tibialis anterior": 0.15,
}
"""Muscles over the ankle, and how the mass of the shank that they have is shared."""
_SEEN = 1e-3
"""Density [kg/m³] of what only shows where a limb is."""


def _limb(length: float, thick: float, mass: float, turn: float = 0.0) -> Composite:
    """Mass about the middle of a limb, and an ellipsoid that shows it."""
    along, across = mass * (0.29 * length) ** 2, 0.5 * mass * (0.5 * thick) ** 2
    pose = Pose((0.0, 0.0, 0.0), [0.0, turn, 0.0])
    seen = Part(Ellipsoid((0.4 * thick, 0.4 * thick, 0.5 * length)), pose, _SEEN)
    return Composite([Part(Inertia(mass, (along, along, across)), pose), seen])


def bones(
    hip: JointSpec, knee: JointSpec, ankle: JointSpec, left_in_shank: float = 1.0, thick: float = 0.5
) -> list[BodySpec]:
    """Thigh, shank and foot. left_in_shank: part of the shank's mass that is not in muscles."""
    return [
        BodySpec("thigh", _limb(THIGH, thick * 0.16, 7.0), None, hip, Pose((0.0, 0.0, -0.45 * THIGH))),
        BodySpec(
            "shank",
            _limb(SHANK, thick * 0.11, SHANK_MASS * left_in_shank),
            "thigh",
            knee,
            Pose((0.0, 0.0, -0.43 * SHANK)),
        ),
        BodySpec("foot", _limb(0.22, thick * 0.08, 1.0, 0.5 * pi), "shank", ankle, Pose((0.06, 0.0, -0.05))),
    ]


def hinge(at: Vec3, kind: JointKind | None = None, **settings: Any) -> JointSpec:
    return JointSpec(type=Revolute(AXIS) if kind is None else kind, frame=Pose(at), **settings)


def on_thigh(x: float, z: float, y: float = 0.0) -> MusclePoint:
    """z counted downwards from the hip [m]."""
    return MusclePoint((x, y, -z + 0.45 * THIGH), "thigh")


def on_shank(x: float, z: float, y: float = 0.0) -> MusclePoint:
    """From the knee."""
    return MusclePoint((x, y, -z + 0.43 * SHANK), "shank")


def on_foot(x: float, z: float, y: float = 0.0) -> MusclePoint:
    """From the ankle."""
    return MusclePoint((x - 0.06, y, -z + 0.05), "foot")


def condyles(radius: float = 0.025) -> WrapSpec:
    """The end of the thigh bone, which the gastrocnemius slides over."""
    return WrapSpec("condyles", WrapCylinder(radius), "thigh", Pose((0.0, 0.0, -0.55 * THIGH), ACROSS))


def calf(mass: float = 0.0, points: int = 20, **settings: dict[str, Any]) -> list[MuscleSpec]:
    """The four muscles over the ankle. mass: of all [kg], in the middle of each as its belly is."""
    heel = on_foot(-0.045, 0.03)
    paths = {
        "gastrocnemius lateral": ([on_thigh(-0.03, 0.40, -0.02), heel], [Over("condyles")], (0.02, 0.20)),
        "gastrocnemius medial": ([on_thigh(-0.03, 0.40, 0.02), heel], [Over("condyles")], (0.02, 0.19)),
        "soleus": ([on_shank(-0.02, 0.08), heel], [], (0.02, 0.17)),
        "tibialis anterior": (
            [on_shank(0.025, 0.12), on_shank(0.035, 0.38), on_foot(0.06, 0.02)], [], (0.02, 0.20),
        ),
    }  # fmt: skip
    out = []
    for name, (along, over, tendons) in paths.items():
        out.append(
            MuscleSpec(
                name,
                along,
                over,
                mass=mass * CALF[name],
                mass_points=points,
                distribution=belly(points, *tendons),
                **settings.get(name, {}),
            )
        )
    return out


def belly(points: int, origin: float, insertion: float, length: float = 0.42) -> list[float]:
    """Shares of mass: none where the tendons are, of these lengths on a path of that length [m]."""
    middles = [(i + 0.5) / points * length for i in range(points)]
    return [1.0 if origin < x < length - insertion else 0.0 for x in middles]
