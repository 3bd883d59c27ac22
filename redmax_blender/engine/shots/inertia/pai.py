"""Two bones and a muscle, all of one mass: the bones straighten in 0.3 s, as Pai's do (thesis, Fig. 6.4).

Both bones hang on one pin and begin bent; the muscle, over the pin, pulls them straight with a constant tension.
Without gravity its work is all there is: F (L0 - L(θ)) = I(θ) θ'² / 2, from which follows when they are straight. With
the muscle's mass lumped to the bones, half of it each, they move otherwise.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ...model.records import Floats
from ...run.result import Result
from ...scene import Constant, MusclePoint, MuscleSpec, SceneSpec, SpringActuator, TimeSpec
from ..figures import Figure
from .bones import bone, capsule_moment, on, play

LENGTH, RADIUS, MASS = 0.4, 0.02, 1.0
"""Of a bone [m, kg]; the muscle has the same mass."""
ALONG, ABOVE = 0.2, 0.2
"""Where the muscle holds on to a bone, from the pin and beside the bone [m]."""
BENT = 0.6
"""Of each bone at the start, from straight [rad]."""
STRAIGHT_AT = 0.3
"""[s]"""
POINTS = 40


def muscle_length(theta: Floats) -> Floats:
    """[m]"""
    return np.asarray(2.0 * (ALONG * np.cos(theta) + ABOVE * np.sin(theta)))


def inertia(theta: Floats) -> Floats:
    """Of bones and an evenly spread muscle, by the rate at which both bones bend [kg·m²]."""
    own = MASS * (capsule_moment(LENGTH, RADIUS) + 0.25 * LENGTH**2)
    c, s = np.cos(theta), np.sin(theta)
    across, rise = ABOVE * c - ALONG * s, -ALONG * c - ABOVE * s  # of the muscle's ends
    return np.asarray(2.0 * own + MASS * (across**2 / 3.0 + rise**2))


@cache
def tension() -> float:
    """The tension with which they are straight in time [N]: time goes with one over its root."""
    return (_time(1.0) / STRAIGHT_AT) ** 2


def _time(force: float) -> float:
    """From rest to straight [s], by quadrature; theta = BENT (1 - u²) takes the rest's infinite slope away."""
    x, w = np.polynomial.legendre.leggauss(60)  # type: ignore[no-untyped-call]
    u = 0.5 * (x + 1.0)
    theta = BENT * (1.0 - u * u)
    work = force * (muscle_length(np.array([BENT])) - muscle_length(theta))
    return float(np.sum(0.5 * w * 2.0 * BENT * u * np.sqrt(0.5 * inertia(theta) / work)))


def spec(lumped: bool = False, end: float = 0.45) -> SceneSpec:
    """lumped: the muscle's mass is in the bones, half of it each."""
    bones = [
        bone(name, None, (LENGTH, RADIUS), 1.5 * MASS if lumped else MASS, angle=angle)
        for name, angle in (("right", -BENT), ("left", np.pi + BENT))
    ]
    muscle = MuscleSpec(
        "extensor",
        [MusclePoint(on(LENGTH, ALONG, ABOVE), "right"), MusclePoint(on(LENGTH, ALONG, -ABOVE), "left")],
        mass=0.0 if lumped else MASS,
        mass_points=POINTS,
        actuator=SpringActuator(max_force=tension()),
        excitation=Constant(1.0),
    )
    return SceneSpec(
        name="Pai",
        gravity=(0.0, 0.0, 0.0),
        bodies=bones,
        muscles=[muscle],
        time=TimeSpec(end=end, step=1e-3, record=5),
        integrator="sdirk2",
    )


def bends(result: Result) -> Floats:
    """Of both bones from straight [rad], shape (nf, 2)."""
    return np.stack([-result.q[:, 0], result.q[:, 1] - np.pi], axis=1)


def straight_at(result: Result) -> float:
    """When the bones are straight [s]; infinite where they never are."""
    bend = bends(result)[:, 0]
    past = np.flatnonzero(bend <= 0.0)
    if not len(past):
        return float("inf")
    k = int(past[0])
    share = bend[k - 1] / (bend[k - 1] - bend[k])
    return float(result.t[k - 1] + share * (result.t[k] - result.t[k - 1]))


def check(result: Result) -> None:
    bend = bends(result)
    apart = float(np.abs(bend[:, 0] - bend[:, 1]).max())
    if apart > 1e-6:
        raise AssertionError(f"pai: the bones are alike and bend differently, by {apart:.2g} rad")
    late = straight_at(result) - STRAIGHT_AT
    if abs(late) > 1e-3:
        raise AssertionError(f"pai: the bones are straight {late:.2g} s after {STRAIGHT_AT} s")


def figures(result: Result) -> list[Figure]:
    other = play(spec(lumped=True))
    lines = {"muscle": bends(result)[:, 0], "mass lumped to the bones": bends(other)[:, 0]}
    return [Figure("angle", "Angle of the bones from straight", "time [s]", "angle [rad]", result.t, lines)]
