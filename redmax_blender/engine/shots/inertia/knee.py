"""A leg whose knee is a spline joint, moved by Hill-type muscles (thesis, Fig. 6.18-6.19).

The shank slides on the thigh bone as it bends, which no hinge does. The quadriceps (rectus femoris, over the front of
the thigh bone) and the semimembranosus are excited in turn, so that the knee extends and flexes; a proportional
controller on the angle of the ankle excites soleus and tibialis anterior, which hold the foot.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any

import numpy as np

from ...run.result import Result
from ...scene import (
    Constant,
    Curve,
    Fixed,
    HillActuator,
    JointSpec,
    MusclePoint,
    MuscleSpec,
    Over,
    Piece,
    Piecewise,
    Pose,
    Reflex,
    SceneSpec,
    SmoothStep,
    SplineCurve,
    TimeSpec,
    WrapCylinder,
    WrapSpec,
)
from ..figures import Figure
from .leg import ACROSS, SHANK, THIGH, bones, calf, condyles, hinge, on_shank, on_thigh

CONTROLS = 13
"""Frames of the knee's spline, from 0.35 rad beyond straight to 2.2 rad bent."""
STRAIGHT, BENT = -0.35, 2.2
REST = -0.1
"""Angle at which the controller holds the ankle [rad]."""
GAIN = 4.0
"""Of the controller [1/rad]."""


def bend(coordinate: float | Any) -> Any:
    """Angle of the knee at a value of its spline's coordinate [rad]."""
    return STRAIGHT + (BENT - STRAIGHT) * (np.asarray(coordinate) - 1.0) / (CONTROLS - 3.0)


def coordinate(angle: float) -> float:
    return float(1.0 + (CONTROLS - 3.0) * (angle - STRAIGHT) / (BENT - STRAIGHT))


def knee_joint() -> SplineCurve:
    """The shank rolls back and slides on the end of the thigh bone while it bends."""
    frames = []
    for k in range(CONTROLS):
        angle = STRAIGHT + (BENT - STRAIGHT) * (k - 1.0) / (CONTROLS - 3.0)
        back, down = (
            -0.014 * sin(0.5 * max(angle, -0.4)) ** 2 - 0.006 * angle,
            0.012 * (cos(0.7 * angle) - 1.0),
        )
        frames.append(Pose((back, 0.0, -down), [0.0, angle, 0.0]))
    return SplineCurve(frames, cyclic=False)


def _twitches(*times: tuple[float, float, float]) -> Curve:
    """Excitation that rises to a level between two times and falls again."""
    pieces, rise = [], 0.08
    for begin, end, level in times:
        pieces += [
            Piece(Constant(0.02), begin),
            Piece(SmoothStep(begin, begin + rise, 0.02, level), end),
            Piece(SmoothStep(end, end + rise, level, 0.02), end + rise),
        ]
    return Piecewise([*pieces, Piece(Constant(0.02))])


def spec(end: float = 3.0, step: float = 1.0 / 480.0, mass: float = 1.5) -> SceneSpec:
    """mass: of the calf's muscles [kg]."""
    strength = {
        "gastrocnemius lateral": 500.0,
        "gastrocnemius medial": 900.0,
        "soleus": 2000.0,
        "tibialis anterior": 900.0,
    }
    settings: dict[str, dict[str, Any]] = {}
    for name, force in strength.items():
        fibre = 0.055 if "gastro" in name else 0.05 if name == "soleus" else 0.08
        settings[name] = {"actuator": HillActuator(force, optimal_length=fibre), "excitation": Constant(0.02)}
    # plantar flexion is negative: the soleus answers an ankle that is lifted, the tibialis one that hangs
    settings["soleus"]["reflexes"] = [Reflex("ankle", target=REST, gain=GAIN, only_beyond=True)]
    settings["tibialis anterior"]["reflexes"] = [Reflex("ankle", target=REST, gain=-GAIN, rate_gain=-0.1)]
    pelvis = MusclePoint((0.03, 0.0, 0.06))
    thigh = [
        MuscleSpec(
            "rectus femoris",
            [pelvis, on_thigh(0.045, 0.32), on_shank(0.035, 0.06)],
            [Over("trochlea", after=1, side="clockwise")],
            mass=0.8,
            actuator=HillActuator(1400.0, optimal_length=0.11),
            excitation=_twitches((0.15, 0.65, 0.35), (1.5, 2.0, 0.5)),
        ),
        MuscleSpec(
            "semimembranosus",
            [MusclePoint((-0.05, 0.0, -0.03)), on_shank(-0.03, 0.05)],
            mass=0.4,
            actuator=HillActuator(1200.0, optimal_length=0.1),
            excitation=_twitches((0.85, 1.2, 0.12), (2.2, 2.5, 0.2)),
        ),
    ]
    trochlea = WrapSpec("trochlea", WrapCylinder(0.028), "thigh", Pose((0.002, 0.0, -0.545 * THIGH), ACROSS))
    hip = JointSpec(type=Fixed(), frame=Pose((0.0, 0.0, 0.0), [0.0, -0.9, 0.0]))
    knee = hinge((0.0, 0.0, -THIGH), knee_joint(), name="knee", q=coordinate(0.9), damping=0.1)
    ankle = hinge((0.0, 0.0, -SHANK), name="ankle", q=REST, damping=0.4)
    return SceneSpec(
        name="Knee",
        bodies=bones(hip, knee, ankle, left_in_shank=0.5),
        wraps=[condyles(), trochlea],
        muscles=[*thigh, *calf(mass, 10, **settings)],
        time=TimeSpec(end=end, step=step, record=max(1, round(1.0 / 48.0 / step))),
    )


def knee_bend(result: Result) -> Any:
    """[rad], over the frames of a recording."""
    return bend(result.q[:, result.coordinates("knee").start])


def check(result: Result) -> None:
    """The knee extends and flexes within its spline, and the controller holds the foot."""
    angle = knee_bend(result)
    if not (angle.min() > STRAIGHT and angle.max() < BENT):
        raise AssertionError(
            f"knee: it bends from {angle.min():.2g} to {angle.max():.2g} rad, out of its spline"
        )
    if result.t[-1] >= 1.5 and np.ptp(angle) < 0.5:
        raise AssertionError(f"knee: it moves by {np.ptp(angle):.2g} rad only")
    ankle = result.q[:, result.coordinates("ankle").start]
    off = float(np.abs(ankle - REST).max())
    if off > 0.5:
        raise AssertionError(f"knee: the ankle is {off:.2g} rad off where it is held")
    active = result.muscle[:, :, 2]
    if active.min() < 0.0 or active.max() > 1.0:
        raise AssertionError("knee: an activation is not between 0 and 1")


def figures(result: Result) -> list[Figure]:
    angles = {"knee": np.degrees(knee_bend(result)),
              "ankle": np.degrees(result.q[:, result.coordinates("ankle").start])}  # fmt: skip
    chosen = ("rectus femoris", "semimembranosus", "soleus", "tibialis anterior")
    active = {name: result.muscle[:, result.muscles.index(name), 2] for name in chosen}
    return [
        Figure("angles", "Angles of knee and ankle", "time [s]", "angle [°]", result.t, angles),
        Figure("activations", "Activations", "time [s]", "activation", result.t, active),
    ]
