"""The ankle of a running leg: its torque with 0 to 80 % of the shank's mass in four muscles (thesis, Fig. 6.15-6.17).

The leg follows a stride; torques follow by inverse dynamics. Without mass in the muscles they are those of any tool
that has none; with it they differ, in proportion. `benchmarks/running_torque.py` does the same with a model and a
motion from files.
"""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np

from ...model.records import Floats
from ...run.result import Result
from ...scene import Curve, JointSpec, Sampled, SceneSpec, TimeSpec
from ..figures import Figure
from .bones import play
from .leg import SHANK, SHANK_MASS, THIGH, bones, calf, condyles, hinge

STRIDE = 0.65
"""Time of a stride [s], as at 5.3 m/s."""
FRACTIONS = (0.0, 0.2, 0.4, 0.6, 0.8)
"""Of the mass of the shank."""
HIP = (0.35, [0.55, 0.05], [0.12, -0.05])
KNEE = (-0.95, [-0.35, -0.30], [0.75, 0.22])
ANKLE = (-0.15, [0.12, 0.16], [-0.22, 0.10])
"""Angles over a stride [rad]: mean, and cosines and sines of the first harmonics."""
SAMPLES = 120


def angle(series: tuple[float, list[float], list[float]], phase: float) -> float:
    mean, cosines, sines = series
    waves = zip(cosines, sines, strict=True)
    return mean + sum(a * cos(k * phase) + b * sin(k * phase) for k, (a, b) in enumerate(waves, 1))


def _curve(series: tuple[float, list[float], list[float]], end: float) -> list[Curve | None]:
    times = np.linspace(0.0, end, max(2, round(SAMPLES * end / STRIDE) + 1))
    return [Sampled(times.tolist(), [angle(series, 2.0 * pi * t / STRIDE) for t in times])]


def spec(fraction: float = 0.8, end: float = STRIDE, points: int = 20) -> SceneSpec:
    """fraction: of the shank's mass that the four muscles have."""
    motions = {"hip": HIP, "knee": KNEE, "ankle": ANKLE}
    at = {"hip": (0.0, 0.0, 0.0), "knee": (0.0, 0.0, -THIGH), "ankle": (0.0, 0.0, -SHANK)}
    joints: dict[str, JointSpec] = {
        name: hinge(at[name], name=name, motion=_curve(series, end)) for name, series in motions.items()
    }
    return SceneSpec(
        name="Running",
        bodies=bones(joints["hip"], joints["knee"], joints["ankle"], left_in_shank=1.0 - fraction),
        wraps=[condyles()],
        muscles=calf(fraction * SHANK_MASS, points),
        time=TimeSpec(end=end, step=1.0 / 240.0, record=1),
        integrator="euler",
    )


def ankle_torque(result: Result) -> Floats:
    """[N·m], over the frames of a recording."""
    return np.asarray(result.torque[:, result.coordinates("ankle").start])


def check(result: Result) -> None:
    """The leg is on its curves, and its ankle needs a torque that a person has without touching the ground."""
    for name, series in (("hip", HIP), ("knee", KNEE), ("ankle", ANKLE)):
        wanted = np.array([angle(series, 2.0 * pi * t / STRIDE) for t in result.t])
        off = float(np.abs(result.q[:, result.coordinates(name).start] - wanted).max())
        if off > 1e-3:
            raise AssertionError(f"running: the {name} is {off:.2g} rad off its curve")
    most = float(np.abs(ankle_torque(result)[1:]).max())
    if not 1.0 < most < 60.0:
        raise AssertionError(f"running: the torque of the ankle is {most:.3g} N·m")


def figures(result: Result) -> list[Figure]:
    del result  # of one fraction
    lines = {}
    for fraction in FRACTIONS:
        run = play(spec(fraction))
        lines[f"{100 * fraction:.0f} % of the shank's mass in muscles"] = ankle_torque(run)[2:]
    return [Figure("torque", "Torque of the ankle", "time [s]", "torque [N·m]", run.t[2:], lines)]
