"""Everything that the overlay shows of a scene, as lines."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector

from ..bridge.recording import figure_cache
from ..bridge.rig.bodies import simulated_objects
from ..bridge.rig.rig import metres_per_unit, physical_armatures
from . import shapes
from .best_so_far import add_best
from .bones import GHOST, add_bones
from .ghost import ghost_lines
from .inquiry import add_inquiry
from .muscles import add_muscles
from .objects import add_objects
from .picked import add_picked
from .shapes import Colour, Lines
from .takes import add_takes

CONTACT: Colour = (1.0, 0.35, 0.1, 1.0)
LONGEST = 0.15
"""Of the arrows of forces."""


def scene_lines(scene: bpy.types.Scene) -> Lines:
    """Ghosts of takes, and the lines that the scene's overlay settings ask for, in the world [Blender units]."""
    overlay = scene.redmax.overlay
    lines = Lines()
    add_takes(lines, scene)
    add_best(lines, scene.name)
    add_picked(lines)
    add_inquiry(lines, scene)
    if not overlay.show:
        return lines
    torques = friction_parts(scene) if overlay.friction else {}
    for obj in physical_armatures(scene):
        if not obj.visible_get():
            continue
        mine = {n.removeprefix(f"{obj.name}/"): t for n, t in torques.items() if n.startswith(f"{obj.name}/")}
        add_bones(lines, obj, overlay, mine)
        if overlay.ghost and obj.redmax.result:
            lines.add(ghost_lines(obj, scene), GHOST)
    add_objects(lines, scene, overlay, torques)
    add_muscles(lines, scene)
    if overlay.contacts:
        add_contacts(lines, scene)
    return lines


def add_contacts(lines: Lines, scene: bpy.types.Scene) -> None:
    """A cross where surfaces press on each other in the frame that is shown, and an arrow for the force.

    The largest force of the frame is as long as `LONGEST` of what is simulated.
    """
    found = figure_cache.shown(scene)
    if found is None:
        return
    start, figures = found
    rows = figures.contacts[min(max(scene.frame_current - start, 0), len(figures.contacts) - 1)]
    if not len(rows):
        return
    points, forces = rows[:, :3] / metres_per_unit(scene), rows[:, 3:]
    around = [
        np.array(obj.matrix_world @ Vector(c)) for obj in simulated_objects(scene) for c in obj.bound_box
    ]
    size = float(np.linalg.norm(np.ptp(np.concatenate([points, around]), axis=0))) or 1.0
    scale = LONGEST * size / float(np.linalg.norm(forces, axis=1).max())
    for point, force in zip(points, forces):
        lines.add(shapes.cross(0.1 * LONGEST * size) + point, CONTACT)
        lines.add(shapes.arrow(point, force * scale), CONTACT)


def friction_parts(scene: bpy.types.Scene) -> dict[str, float]:
    """Friction torque of each joint at the current frame, as part of the largest one of the run, by engine's name."""
    found = figure_cache.shown(scene)
    if found is None:
        return {}
    start, figures = found
    largest = figures.largest_friction()
    if not largest > 0.0:
        return {}
    torques = figures.friction_torque(scene.frame_current - start)
    return {name: torque / largest for name, torque in torques.items()}
