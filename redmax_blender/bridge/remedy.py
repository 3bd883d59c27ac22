"""What may help a run that failed, as the diagnosis of it suggests."""

from __future__ import annotations

import bpy


def remedy_text(scene: bpy.types.Scene) -> str:
    """What `apply_remedy` would do, for a button; empty when nothing is known."""
    settings = scene.redmax
    return {
        "SUBSTEPS": f"Use {2 * settings.substeps} Substeps",
        "INTEGRATOR": "Use Implicit Euler, Midway",
    }.get(settings.diagnosis.remedy, "")


def apply_remedy(scene: bpy.types.Scene) -> str:
    """Change the scene's settings as the diagnosis suggests; returns what was done."""
    settings = scene.redmax
    if settings.diagnosis.remedy == "SUBSTEPS":
        settings.substeps = 2 * settings.substeps
        return f"{settings.substeps} substeps a frame"
    if settings.diagnosis.remedy == "INTEGRATOR":
        settings.integrator = "euler-midway"
        return "The integrator is Implicit Euler, Midway"
    return "Nothing is known that would help"
