"""Share of a muscle in the inertia of a rat's knee: 45 % of that of the shank (thesis, 6.2.2), by points along it.

The biceps femoris comes from the pelvis, which stands still, and goes to the shank. When it stretches evenly, a point
at the fraction α moves α times as fast as the insertion, and mass m that is spread evenly weighs as m / 3 there. The
place of the insertion is such that this is the published share. Mass at the middles of n equal parts falls short of it
by 1 / 4n² of it; mass at n points of which two are the ends, as the thesis has it, is too much by about 1 / 2n.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ...compile.scene import compile_scene
from ...model.records import Floats
from ...muscles.inertia import muscle_inertia
from ...muscles.motion import follow_muscles
from ...run.result import Result
from ...scene import MusclePoint, MuscleSpec, SceneSpec, TimeSpec
from ...tree.kinematics import forward_kinematics
from ...tree.recursive import mass_times
from ..figures import Figure
from .bones import bone, capsule_moment, on

LENGTH, RADIUS, SHANK = 0.04, 0.0025, 0.0012
"""Of the shank [m, kg]."""
MUSCLE = 0.0023
"""[kg]"""
SHARE = 0.45
"""Of the muscle's inertia in that of the bones, as published."""
POINTS = 12
COUNTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40, 60, 100)


def insertion() -> float:
    """From the knee, at a right angle to the muscle's line [m]."""
    return sqrt(3.0 * SHARE * SHANK * (capsule_moment(LENGTH, RADIUS) + 0.25 * LENGTH**2) / MUSCLE)


def spec(points: int = POINTS, ends: bool = False) -> SceneSpec:
    """points: that carry the mass; with `ends`, at the ends and evenly between, else in the middles of equal parts."""
    shank = bone("shank", None, (LENGTH, RADIUS), SHANK, angle=-2.2)
    x = insertion()
    muscle = MuscleSpec(
        "biceps femoris",
        [MusclePoint((-0.03, 0.0, 0.004)), MusclePoint(on(LENGTH, x), "shank")],
        mass=MUSCLE,
        mass_points=points,
        distribution=_at_ends(points) if ends else [],
    )
    return SceneSpec(
        name="Rat Knee",
        bodies=[shank],
        muscles=[muscle],
        time=TimeSpec(end=0.5, step=1e-3, record=5),
        integrator="sdirk2",
    )


FINE = 400
"""Places for mass points that stand at other fractions than the middles of equal parts."""


def _at_ends(points: int) -> list[float]:
    """Shares of mass at `points` places from end to end, as a distribution over many fine parts."""
    shares = np.zeros(FINE)
    for alpha in np.linspace(0.0, 1.0, points):
        at = float(np.clip(alpha * FINE - 0.5, 0.0, FINE - 1.0))
        k = min(int(at), FINE - 2)
        shares[k] += 1.0 - (at - k)
        shares[k + 1] += at - k
    return [float(share) for share in shares]


def share(scene: SceneSpec) -> float:
    """Of the muscle's inertia in that of the shank, in the scene's first pose."""
    model = compile_scene(scene)
    state = model.initial_state()
    kin = forward_kinematics(model, state)
    own = muscle_inertia(model, follow_muscles(model, state, kin)).mass[0, 0]
    return float(own / mass_times(model, kin, np.ones(1))[0])


def shares(counts: tuple[int, ...] = COUNTS) -> tuple[Floats, Floats]:
    """With mass in the middles of parts, and with mass from end to end (at least two points)."""
    middles = np.array([share(spec(n)) for n in counts])
    ends = np.array([share(spec(max(n, 2), ends=True)) for n in counts])
    return middles, ends


def check(result: Result) -> None:
    total = result.energy.sum(axis=1)
    drift = float(np.ptp(total) / result.energy[:, 0].max())
    if drift > 1e-3:
        raise AssertionError(f"rat-knee: the energy changes by {drift:.2g} of the kinetic energy")


def figures(result: Result) -> list[Figure]:
    counts = tuple(n for n in COUNTS if n > 1)
    middles, ends = shares(counts)
    lines = {
        "in the middles of equal parts": 100.0 * middles,
        "from end to end": 100.0 * ends,
        "evenly spread": np.full(len(counts), 100.0 * SHARE),
    }
    return [
        Figure("share", "Share of the muscle in the inertia of the knee", "log2 of the number of points",
               "of that of the bones [%]", np.log2(np.array(counts, float)), lines)
    ]  # fmt: skip
