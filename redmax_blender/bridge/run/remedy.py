"""What may help a run that failed, as the diagnosis of it suggests."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_rpt as rpt_


def steps_taken(settings: bpy.types.PropertyGroup) -> int:
    """Steps a frame of the last simulation."""
    return int(settings.chosen_substeps if settings.auto_substeps else settings.substeps)


def remedy_text(scene: bpy.types.Scene) -> str:
    """What `apply_remedy` would do, for a button; empty when nothing is known."""
    settings = scene.redmax
    if settings.diagnosis.remedy == "SUBSTEPS":
        return iface_("Use {count} Substeps").format(count=2 * steps_taken(settings))
    if settings.diagnosis.remedy == "INTEGRATOR":
        return iface_("Use the Default Integrator")
    return ""


def apply_remedy(scene: bpy.types.Scene) -> str:
    """Change the scene's settings as the diagnosis suggests; returns what was done."""
    settings = scene.redmax
    if settings.diagnosis.remedy == "SUBSTEPS":
        settings.substeps = 2 * steps_taken(settings)
        return rpt_("{count} substeps a frame").format(count=settings.substeps)
    if settings.diagnosis.remedy == "INTEGRATOR":
        settings.integrator = "euler-midway"
        return rpt_("The integrator is the default one")
    return rpt_("Nothing is known that would help")
