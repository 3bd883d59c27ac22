"""A finger that is flicked, with the inertia of its flexors and without (thesis, 6.2.5).

Three hinges; the flexors of the forearm, 200 g each, come from near the elbow and run through points along the finger,
the deep one (FDP) to the last phalanx and the other (FDS) to the middle one. A force is at the fingertip for two steps
of a millisecond. As everywhere else, a muscle's mass moves with the tendon only as far as it stretches evenly; lumped
into the forearm, which stands still, it does not count at all. The finger has come apart when a joint has turned
farther back than any finger can.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import FAILURES
from ...run.result import Result
from ...scene import (
    Constant,
    MusclePoint,
    MuscleSpec,
    Piece,
    Piecewise,
    PointForce,
    SceneSpec,
    SpringActuator,
    TimeSpec,
)
from ..figures import Figure
from .bones import bone, on, play

PHALANGES = {"proximal": (0.040, 0.005), "middle": (0.023, 0.004), "distal": (0.016, 0.003)}
"""Length and radius of the bones [m]."""
DENSITY = 5000.0
"""Of the bones, the flesh on them included, as published [kg/m³]."""
FLEXOR = 0.2
"""Mass of each of the two muscles [kg]."""
STEP, PUSHED = 1e-3, 2
"""Length of a step [s], and during how many of them the force acts."""
FORCES = (1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0)
"""[N]"""
BACK = 0.6
"""Farther back from straight than this no joint of a finger goes [rad]."""
CURLED = (-0.3, -0.35, -0.25)
"""Angles at the start [rad]; flexion is negative."""


def _mass(length: float, radius: float) -> float:
    return DENSITY * np.pi * radius**2 * (length + 4.0 / 3.0 * radius)


def spec(force: float = 2.0, inertia: bool = True, end: float = 0.3) -> SceneSpec:
    """force: at the fingertip [N]. inertia: whether the flexors' mass counts."""
    bodies, parent, at = [], None, 0.0
    for (name, size), angle in zip(PHALANGES.items(), CURLED, strict=True):
        bodies.append(bone(name, parent, size, _mass(*size), (at, 0.0, 0.0), angle, damping=2e-4))
        parent, at = name, size[0]
    until = PUSHED * STEP

    def flexor(name: str, along: list[tuple[str, float, float]], stiffness: float) -> MuscleSpec:
        points = [MusclePoint((-0.28, 0.0, -0.015)), MusclePoint((-0.03, 0.0, -0.012))]
        points += [MusclePoint(on(PHALANGES[body][0], x, z), body) for body, x, z in along]
        return MuscleSpec(
            name,
            points,
            mass=FLEXOR,
            mass_points=20,
            inertia=inertia,
            actuator=SpringActuator(stiffness=stiffness, damping=1.0),
        )

    deep = [("proximal", 0.012, -0.010), ("proximal", 0.034, -0.008), ("middle", 0.006, -0.007),
            ("middle", 0.019, -0.006), ("distal", 0.004, -0.005)]  # fmt: skip
    shallow = [("proximal", 0.012, -0.010), ("proximal", 0.034, -0.008), ("middle", 0.006, -0.007)]
    push: list[Any] = [None, None, Piecewise([Piece(Constant(force), until), Piece(Constant(0.0))])]
    return SceneSpec(
        name="Finger Flick",
        gravity=(0.0, 0.0, 0.0),
        bodies=bodies,
        forces=[PointForce("distal", on(PHALANGES["distal"][0], PHALANGES["distal"][0]), push)],
        muscles=[flexor("FDP", deep, 400.0), flexor("FDS", shallow, 400.0)],
        time=TimeSpec(end=end, step=STEP, record=1),
    )


def farthest_back(result: Result) -> float:
    """Of any joint, from straight [rad]."""
    return float(result.q.max())


def comes_apart(force: float, inertia: bool) -> bool:
    try:
        return farthest_back(play(spec(force, inertia, end=0.08))) > BACK
    except FAILURES:
        return True


def first_apart(inertia: bool, forces: tuple[float, ...] = FORCES) -> float:
    """The smallest of the forces at which it comes apart [N]; infinite where none does it."""
    return next((force for force in forces if comes_apart(force, inertia)), float("inf"))


def check(result: Result) -> None:
    if not np.isfinite(result.q).all():
        raise AssertionError("finger-flick: a coordinate is not a number")
    if farthest_back(result) > BACK:
        raise AssertionError(f"finger-flick: a joint goes back by {farthest_back(result):.2g} rad")


def figures(result: Result) -> list[Figure]:
    lines: dict[str, Any] = {"as far as a finger goes": np.full(len(FORCES), np.degrees(BACK))}
    for name, inertia in (("with the muscles' inertia", True), ("lumped into the forearm", False)):
        far = []
        for force in FORCES:
            try:
                far.append(np.degrees(farthest_back(play(spec(force, inertia, end=0.08)))))
            except FAILURES:
                far.append(np.nan)
        lines[name] = np.minimum(np.nan_to_num(np.array(far), nan=360.0), 360.0)
    return [
        Figure(
            "back", "How far back the finger is flicked", "force [N]", "angle [°]", np.array(FORCES), lines
        )
    ]
