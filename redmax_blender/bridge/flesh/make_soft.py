"""Make meshes soft, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ...engine.errors import SceneError
from ..rig.rig import metres_per_unit
from ..run.simulate_scene import detach
from .cage import read_cage
from .cage_words import cage_report
from .convert_soft_body import restore_soft_body


class Preset(NamedTuple):
    """A material: what a user chooses by name."""

    label: str
    description: str
    young: float
    """[Pa]"""
    poisson: float
    density: float
    """[kg/m³]"""
    damping: float
    """[s]"""


PRESETS = {
    "FLESH": Preset(
        "Flesh", "Muscle at rest, with the fat and skin around it", 20_000.0, 0.45, 1000.0, 0.005
    ),
    "FAT": Preset("Skin and Fat", "Wobbles at every step: cheeks, bellies", 5_000.0, 0.48, 930.0, 0.01),
    "MUSCLE": Preset("Muscle", "Tense: follows its bones closely", 60_000.0, 0.47, 1060.0, 0.005),
    "RUBBER": Preset(
        "Rubber", "Springy and firm, as a tyre or an octopus of rubber", 500_000.0, 0.48, 1100.0, 0.001
    ),
    "JELLY": Preset("Jelly", "As soft as can be; swings for long", 2_000.0, 0.47, 1000.0, 0.001),
    "FOAM": Preset("Foam", "Light, and gives way without bulging", 10_000.0, 0.1, 60.0, 0.01),
}


def make_soft(
    objects: Sequence[bpy.types.Object], context: bpy.types.Context, preset: str | None = None
) -> list[str]:
    """Make mesh objects soft, with the numbers of a preset; a line about each. Nothing changes when one cannot be."""
    from ..read.flesh import check_settings  # loads Numba, which takes a moment

    before = [obj.redmax.flesh.soft for obj in objects]
    unit, depsgraph = metres_per_unit(context.scene), context.evaluated_depsgraph_get()
    made = []
    for obj in objects:
        if obj.redmax.is_baked:
            raise SceneError(f"Object '{obj.name}'", "it is baked", "Delete its bake first.")
        check_settings(obj, preset is None)
        made.append(read_cage(obj, depsgraph, unit))
    said = []
    for obj, was, placed in zip(objects, before, made):
        settings = obj.redmax.flesh
        settings.soft = True
        if preset is not None:
            chosen = PRESETS[preset]
            settings.young, settings.poisson = chosen.young, chosen.poisson
            settings.density, settings.damping = chosen.density, chosen.damping
        settings.cage_text = placed.text
        text = rpt_("'{name}' is soft: {cage}") if was else rpt_("'{name}' is now soft: {cage}")
        said.append(text.format(name=obj.name, cage=cage_report(placed.text)))
    return said


def clear_soft(obj: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """The mesh takes part in no simulation any more; its settings stay for the next time."""
    from .cage_object import remove_cage  # loads Numba, which takes a moment

    if obj.redmax.is_baked:
        raise SceneError(f"Object '{obj.name}'", "it is baked", "Delete its bake first.")
    if obj.redmax.result:
        detach(obj, scene)
    remove_cage(obj, scene)
    restore_soft_body(obj)
    obj.redmax.flesh.soft = False
