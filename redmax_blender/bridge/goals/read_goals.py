"""The goals of a scene as the engine's task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
from msgspec.structs import replace

from ...engine.errors import SceneError
from ...engine.scene import spec, task
from ..mechanism.export_scene import read_for_export
from ..read.scene import Reading
from .changes import Change, parameters_of
from .places import Places
from .wanted import find_target, objectives_of

METHODS = {"GRADIENT": "l-bfgs-b", "LEAST_SQUARES": "least-squares", "EVOLUTION": "cma-es"}
NEAR = 1e-3
"""A search ends where points are this near to their targets [m], and velocities to zero [m/s]."""


@dataclass(frozen=True)
class Goals:
    scene: spec.SceneSpec
    """With its task."""
    reading: Reading
    changes: list[Change]


def read_goals(context: bpy.types.Context) -> Goals:
    """Read the scene as a simulation would, and its goals. Changes nothing."""
    scene = context.scene
    goals = scene.redmax.goals
    wanted, changes = goals.wanted, goals.changes
    if not len(wanted):
        raise SceneError("Goals", "there is no goal", "Press Add Goal and say what is wanted.")
    if not len(changes):
        raise SceneError(
            "Goals", "nothing may change", "Press Add Change and say what may change to reach the goals."
        )
    targets = [find_target(context, goal, i) for i, goal in enumerate(wanted)]
    reading = read_for_export(context)
    places = Places(scene, reading)
    objectives: list[Any] = []
    for i, (goal, target) in enumerate(zip(wanted, targets)):
        objectives += objectives_of(context, reading, places, goal, target, i)
    found: list[tuple[Any, Change]] = []
    for i, change in enumerate(changes):
        first = sum(each.count for _, each in found)
        found += parameters_of(scene, reading, places, change, i, first)
    effort = _effort(goals, found)
    kinds = {goal.kind for goal in wanted}
    enough = None
    if kinds <= {"REACH", "REST"} and not effort:
        enough = 0.5 * NEAR**2 * sum(goal.weight for goal in wanted)
    wish = task.TaskSpec(
        parameters=[parameter for parameter, _ in found],
        objectives=[*objectives, *effort],
        method=METHODS[_method(goals.method, kinds, reading.scene, effort)],  # type: ignore[arg-type]
        enough=enough,
        iterations=int(goals.iterations),
        tolerance=1e-6,
    )
    return Goals(replace(reading.scene, task=wish), reading, [change for _, change in found])


def _method(chosen: str, kinds: set[str], made: spec.SceneSpec, effort: list[Any]) -> str:
    """How to search: as chosen, or as suits what is wanted."""
    if chosen != "AUTO":
        return chosen
    if kinds == {"FOLLOW"} and not effort:
        return "LEAST_SQUARES"
    touches = any(body.surface is not None for body in made.bodies)
    return "EVOLUTION" if touches else "GRADIENT"


def _effort(goals: Any, found: list[tuple[Any, Change]]) -> list[Any]:
    """What torques and excitations cost, as fractions of their largest values."""
    weight = float(goals.effort)
    if weight == 0.0:
        return []
    made: list[Any] = []
    for parameter, change in found:
        if change.kind == "TORQUE":
            share = weight / float(parameter.upper) ** 2
            made.append(
                task.EffortGoal(joints=[parameter.joint], weight=share, name=f"effort of {change.bones[0]}")
            )
    excited = [change.object for _, change in found if change.kind == "EXCITATION"]
    if excited:
        made.append(task.ExcitationGoal(muscles=excited, weight=weight, name="excitations"))
    return made


__all__ = ["Change", "Goals", "read_goals"]
