"""Whether the fall of the Ragdoll is physical."""

from __future__ import annotations

from ...bridge.run.simulate_scene import Simulation
from ...engine.compile.scene import compile_scene
from ...engine.run.result import Result
from ...engine.shots.falls import measure
from .ragdoll_scene import HEIGHT


def check_ragdoll(simulation: Simulation, result: Result) -> None:
    """Raise AssertionError when the fall is not physical: something in something else, or a joint beyond its range."""
    spec = simulation.reading.scene
    found = measure(compile_scene(spec), result, spec.colliders)
    faults = found.faults(HEIGHT, float("inf"), settled=False)
    if faults:
        raise AssertionError(f"ragdoll: {faults[0]}")
