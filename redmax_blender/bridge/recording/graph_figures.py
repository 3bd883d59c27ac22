"""Energies and torques of a run as animated custom properties: the Graph Editor plots them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ..bake.actions import assign, curves_in, ensure_bag, new_curve, slot_identifier, slot_of
from ..bake.keys import Keys
from . import figure_cache
from .figures import PARTS, Figures

Floats = NDArray[np.float64]

HOLDER = "RedMax Graphs"
"""Name of the object that holds the graphs: an empty, so that no action of the user's is touched."""
GROUP = "RedMax"
MUSCLE = (("length", " (m)"), ("tension", " (N)"), ("activation", ""), ("fibre length", " (m)"))
"""Columns of a muscle's figures."""


def graph_figures(scene: bpy.types.Scene, joints: Iterable[str] | None = None) -> bpy.types.Object:
    """Bake energies [J] and joint torques [N·m, N] of the run that is shown as keys of custom properties.

    joints: names as in `Figures.joints`; all that have a torque when None. Returns the object that has them.
    """
    found = figure_cache.shown(scene)
    if found is None:
        raise SceneError("Graphs", "nothing that was measured is in the cache", "Simulate first.")
    start, figures = found
    return write_graphs(scene, start, graph_rows(figures, joints))


def write_graphs(scene: bpy.types.Scene, start: int, rows: Mapping[str, Floats]) -> bpy.types.Object:
    """Values at the frames from `start` on as keys of custom properties, instead of those that were there."""
    holder = _holder(scene)
    for name in list(holder.keys()):
        if isinstance(holder[name], float):
            del holder[name]
    action = _action(holder)
    bag = ensure_bag(action, slot_of(holder))
    for old in list(curves_in(action, slot_of(holder))):
        bag.fcurves.remove(old)
    frames = np.arange(start, start + max(map(len, rows.values()), default=0))
    for name, values in rows.items():
        holder[name] = float(values[0])
        path = f'["{bpy.utils.escape_identifier(name)}"]'
        Keys.linear(frames, values).write(new_curve(bag, path, 0, GROUP))
    holder.redmax.graphs = True
    return holder


def graph_rows(figures: Figures, joints: Iterable[str] | None = None) -> dict[str, Floats]:
    """Name of each graph and its values, shape (nf,)."""
    rows: dict[str, Floats] = {f"energy {name} (J)": figures.energy[:, k] for k, name in enumerate(PARTS)}
    rows["energy total (J)"] = figures.energy.sum(axis=1)
    for m, muscle in enumerate(figures.muscles if joints is None else ()):
        for k, (what, unit) in enumerate(MUSCLE):
            rows[fitting(f"{what} {muscle}{unit}", rows)] = figures.muscle[:, m, k]
    wanted = list(figures.joints if joints is None else joints)
    for joint in wanted:
        if joint not in figures.joints:
            raise SceneError(f"Joint '{joint}'", "it was not simulated", "Choose one that was.")
        begin, end = figures.dof[figures.joints.index(joint)]
        for what, table in (("torque", figures.torque), ("friction", figures.friction)):
            values = table[:, begin:end]
            if not np.any(values):
                continue
            for k in range(end - begin):
                axis = f" {'xyz'[k % 3]}" if end - begin > 1 else ""
                rows[fitting(f"{what} {joint}{axis}", rows)] = values[:, k]
    return rows


def fitting(name: str, taken: Iterable[str]) -> str:
    """Names of custom properties have 63 bytes at most, and differ."""
    short = name.encode()[:60].decode(errors="ignore")
    number, found = 2, short
    while found in taken:
        found, number = f"{short} {number}", number + 1
    return found


def _holder(scene: bpy.types.Scene) -> bpy.types.Object:
    for obj in scene.objects:
        if obj.redmax.graphs:
            return obj
    obj = bpy.data.objects.new(HOLDER, None)
    obj.empty_display_size = 0.0
    scene.collection.objects.link(obj)
    return obj


def _action(holder: bpy.types.Object) -> bpy.types.Action:
    """An action of the holder's own, with its slot where there are slots."""
    data = holder.animation_data or holder.animation_data_create()
    action = data.action or bpy.data.actions.new(HOLDER)
    slot = slot_identifier(holder)
    if hasattr(action, "slots") and not slot:
        slot = action.slots.new(id_type="OBJECT", name=holder.name).identifier
    assign(holder, action, slot)
    return action
