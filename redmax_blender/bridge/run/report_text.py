"""What a run did, in words: a text block after every run, and what to try when it went wrong."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

import bpy

from ...engine.errors import ConstraintError, DivergedError
from ...engine.scene import spec
from ..recording import figure_cache
from ..recording.figures import PARTS, Figures

if TYPE_CHECKING:
    from ..read.scene import Reading
    from .simulate_scene import Outcome, Simulation

NAME = "RedMax Report"


def report_run(context: bpy.types.Context, simulation: Simulation, outcome: Outcome) -> None:
    """After a run: keep its figures, write its report, and note what went wrong, for the panel."""
    scene = context.scene
    if simulation.process is not None:
        simulation.log.dof = simulation.process.dof
    figures = simulation.log.figures().since(simulation.skipped)
    figure_cache.put(outcome.recording.key, figures, scene)
    diagnose(scene, simulation)
    lines = report_lines(scene, simulation, outcome, figures)
    text = bpy.data.texts.get(NAME) or bpy.data.texts.new(NAME)
    text.clear()
    text.write("\n".join(lines) + "\n")
    text.cursor_set(0)


def forget_run(scene: bpy.types.Scene) -> None:
    """There is no run any more: no report, and nothing that went wrong."""
    text = bpy.data.texts.get(NAME)
    if text is not None:
        bpy.data.texts.remove(text)
    settings = scene.redmax.diagnosis
    settings.failed = False
    settings.frame, settings.joint, settings.problem, settings.remedy = 0, "", "", "NONE"


def diagnose(scene: bpy.types.Scene, simulation: Simulation) -> None:
    """Write into the scene's settings where a run failed and what may help; nothing where it did not."""
    settings, error = scene.redmax.diagnosis, simulation.failure
    settings.failed = error is not None
    settings.frame, settings.joint, settings.problem, settings.remedy = 0, "", "", "NONE"
    if error is None:
        return
    first = simulation.reading.frame_start - simulation.skipped
    settings.frame = first + floor(error.time * simulation.reading.fps + 1e-9)
    if isinstance(error, ConstraintError):
        settings.joint = ", ".join(error.names)
        settings.problem = "Its constraints cannot all hold"
        settings.remedy = "SUBSTEPS"
        return
    settings.joint = simulation.joint(error.joint)
    settings.problem = "It diverged" if isinstance(error, DivergedError) else "A step could not be solved"
    euler = simulation.reading.scene.integrator.startswith("euler")
    settings.remedy = "SUBSTEPS" if euler else "INTEGRATOR"


def report_lines(
    scene: bpy.types.Scene, simulation: Simulation, outcome: Outcome, figures: Figures
) -> list[str]:
    """The report, line by line."""
    made, log, recording = simulation.reading.scene, simulation.log, outcome.recording
    state = "diverged" if outcome.diverged else "cancelled" if outcome.cancelled else "finished"
    steps = log.frames[-1]["step"]
    seconds = log.seconds - log.prepared
    frames = recording.frame_last - recording.frame_start + 1
    real = (frames - 1) / simulation.reading.fps
    lines = [
        f"{scene.name}: {state}",
        "",
        f"Frames       {recording.frame_start} to {recording.frame_last}"
        + (f" of {recording.frame_end}" if recording.frame_last < recording.frame_end else ""),
        f"Scene        {contents(made)}",
        f"Steps        {steps} of {1e3 * made.time.step:.3g} ms, {made.integrator}",
        *substeps_line(simulation.reading),
        f"Time         {seconds:.2f} s, {seconds / max(real, 1e-9):.2f} times the motion's own {real:.2f} s; "
        f"{log.prepared:.2f} s to prepare",
        *solver_lines(log.solver),
        "",
        *energy_lines(figures),
        *listed("Loops close at", simulation.reading.cut),
        *listed("Warnings", outcome.warnings),
    ]
    if outcome.diverged:
        lines += ["", outcome.diverged]
    return lines


def substeps_line(reading: Reading) -> list[str]:
    """Steps a frame, and why, where they were chosen."""
    if not reading.substeps_chosen:
        return []
    why = f", chosen for {reading.substeps_reason}" if reading.substeps_reason else ", the least"
    return [f"Substeps     {reading.scene.time.record} a frame{why}"]


def contents(made: spec.SceneSpec) -> str:
    """How many of what."""
    counts = (
        (len(made.bodies), "body", "bodies"),
        (len(made.constraints), "constraint", "constraints"),
        (len(made.forces), "force", "forces"),
        (len(made.flesh), "soft body", "soft bodies"),
        (len(made.colliders), "collider", "colliders"),
        (
            sum(body.joint.friction is not None for body in made.bodies),
            "joint with friction",
            "joints with friction",
        ),
    )
    return ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in counts if n)


def solver_lines(solver: dict) -> list[str]:
    if not solver:
        return []
    by = ", ".join(f"{count} by {name}" for name, count in solver["steps_by_solver"].items())
    lines = [
        f"Solver       {by}; {solver['iterations_mean']:.1f} iterations a solve, {solver['iterations_max']} at most"
    ]
    if solver["constraint_residual"] > 0.0:
        lines.append(f"Constraints  off by {solver['constraint_residual']:.2g} of the scene's size at most")
    return lines + [f"Remark       {said}" for said in solver.get("remarks", ())]


def energy_lines(figures: Figures) -> list[str]:
    """Energies at the first and the last frame [J]."""
    first, last = figures.energy[0], figures.energy[-1]
    lines = ["Energy          start (J)      end (J)"]
    lines += [f"  {name:<12}{a:>12.5g} {b:>12.5g}" for name, a, b in zip(PARTS, first, last)]
    lines.append(f"  {'total':<12}{first.sum():>12.5g} {last.sum():>12.5g}")
    rubbing = figures.largest_friction()
    if rubbing:
        lines.append(f"Friction in joints is {rubbing:.3g} N·m at most")
    return lines


def listed(title: str, items: list[str]) -> list[str]:
    return ["", title, *(f"  {item}" for item in items)] if items else []
