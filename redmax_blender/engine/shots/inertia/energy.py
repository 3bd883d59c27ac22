"""Energy of a double pendulum with and without the quadratic velocity vector of its muscle (thesis, Fig. 6.6).

With a path through a point the energy still changes by half a hundredth: mass that passes a corner of the path has
another velocity at once, and with more mass points it is as much, in smaller jumps.
"""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np

from ...compile.scene import compile_scene
from ...model.records import Floats
from ...run.result import Result
from ...scene import MusclePoint, MuscleSpec, Over, Pose, SceneSpec, TimeSpec, WrapCylinder, WrapSpec
from ..figures import Figure
from .bones import bone, on, play

LENGTH, RADIUS, MASS = 0.3, 0.012, 0.5
"""Of each bone [m, kg]; the muscle weighs the same."""
PATHS = {
    "through a point": [
        MusclePoint((0.05, 0.0, 0.06)),
        MusclePoint(on(LENGTH, 0.22, 0.05), "upper"),
        MusclePoint(on(LENGTH, 0.1, 0.03), "lower"),
    ],
    "over a cylinder": [
        MusclePoint(on(LENGTH, 0.06, 0.05), "upper"),
        MusclePoint(on(LENGTH, 0.12, 0.02), "lower"),
    ],
}
"""Types II and III of the thesis."""


def spec(path: str = "over a cylinder", end: float = 2.0, step: float = 2e-3) -> SceneSpec:
    over = [Over("elbow")] if path == "over a cylinder" else []
    return SceneSpec(
        name="Muscle Energy",
        bodies=[
            bone("upper", None, (LENGTH, RADIUS), MASS, angle=-0.35),
            bone("lower", "upper", (LENGTH, RADIUS), MASS, (LENGTH, 0.0, 0.0), -1.1),
        ],
        wraps=[
            WrapSpec(
                "elbow", WrapCylinder(0.035), "upper", Pose((0.0, 0.0, 0.5 * LENGTH), [0.5 * pi, 0.0, 0.0])
            )
        ],
        muscles=[MuscleSpec("muscle", PATHS[path], over, mass=MASS)],
        time=TimeSpec(end=end, step=step, record=max(1, round(0.01 / step))),
        integrator="sdirk2",
    )


def without_velocity(scene: SceneSpec) -> Result:
    """A run that leaves the muscle's quadratic velocity vector out; that of the bones stays."""
    model = compile_scene(scene)
    assert model.muscles is not None
    return play(scene, replace(model, muscles=replace(model.muscles, velocity_terms=False)))


def drift(result: Result) -> Floats:
    """Change of the total energy since the start, over the largest kinetic energy."""
    total = result.energy.sum(axis=1)
    return np.asarray((total - total[0]) / result.energy[:, 0].max())


def check(result: Result) -> None:
    worst = float(np.abs(drift(result)).max())
    if worst > 1e-3:
        raise AssertionError(f"muscle-energy: the energy changes by {worst:.2g} of the kinetic energy")


def figures(result: Result) -> list[Figure]:
    out = []
    for kind, path in (("type2", "through a point"), ("type3", "over a cylinder")):
        scene = spec(path)
        whole = result if kind == "type3" and len(result) > 1 else play(scene)
        less = without_velocity(scene)
        n = min(len(whole), len(less))
        total = whole.energy.sum(axis=1)
        lines = {
            "kinetic": whole.energy[:n, 0],
            "potential": whole.energy[:n, 1:].sum(axis=1),
            "total": total[:n],
            "total without the velocity vector": less.energy[:n].sum(axis=1),
        }
        title = f"Energy of a double pendulum, muscle {path}"
        out.append(Figure(kind, title, "time [s]", "energy [J]", whole.t[:n], lines))
    return out
