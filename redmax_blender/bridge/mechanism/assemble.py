"""Objects that lie about are moved to where their joints hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix

from ...engine.errors import SceneError
from ...engine.mechanisms.assemble import Assembled, Fight, gaps_between, pull_together
from ...engine.mechanisms.parts import Body, Connection
from ..read.body import read_body
from ..read.joint import read_joints
from ..rig import bodies as parts
from ..rig.rig import metres_per_unit

APART = 1e-4
"""Sizes of the scene by which the two ends of a joint may miss each other before a simulation."""
ROUNDED = 1e-5
"""Sizes of the scene within which joints hold already: Blender's matrices have seven digits."""
STAYED = 1e-6
"""Of a move [Blender units] that is none."""


@dataclass(frozen=True)
class Done:
    """What Assemble did."""

    moved: list[str]
    fights: list[Fight]
    searches: int


def check_together(bodies: Sequence[Body], connections: Sequence[Connection]) -> None:
    """Raise SceneError for joints whose second end is not where the joint is."""
    apart = [c for c in connections if c.pose_b is not None]
    if not apart:
        return
    gaps, size = gaps_between(bodies, apart)
    missing = [gap for gap in gaps if max(gap.distance / size, gap.angle) > APART]
    if missing:
        raise SceneError(
            f"Joint '{missing[0].name}'",
            f"its two ends are {missing[0].distance:.3g} m and {np.degrees(missing[0].angle):.3g}° apart"
            + (f", and so are those of {len(missing) - 1} more" if missing[1:] else ""),
            "Press Assemble (RedMax tab, Mechanism), or clear its Second End.",
        )


def assemble_objects(context: bpy.types.Context) -> Done:
    """Move the scene's active bodies to the nearest places at which all joints hold; nowhere if there are none."""
    scene, unit = context.scene, metres_per_unit(context.scene)
    depsgraph = context.evaluated_depsgraph_get()
    objects = parts.bodies(scene)
    bodies = {obj.name: read_body(obj, depsgraph, unit, []) for obj in objects}
    joints = read_joints(parts.joints(scene), bodies.keys(), depsgraph, unit, [])
    if not joints.connections:
        raise SceneError("Assemble", "no joint connects anything", "Connect two bodies first (Connect).")
    gaps, size = gaps_between(list(bodies.values()), joints.connections)
    if all(max(gap.distance / size, gap.angle) < ROUNDED for gap in gaps):
        return Done([], [], 0)
    found = pull_together(list(bodies.values()), joints.connections)
    if found.fights:
        return Done([], found.fights, found.searches)
    return Done(_move(context, objects, bodies, found, unit), [], found.searches)


def _move(
    context: bpy.types.Context,
    objects: Sequence[bpy.types.Object],
    bodies: dict[str, Body],
    found: Assembled,
    unit: float,
) -> list[str]:
    """Where parents move, children are put in their own places afterwards."""
    places = {}
    for obj in objects:
        change = found.poses[obj.name] @ np.linalg.inv(bodies[obj.name].pose)
        change[:3, 3] /= unit
        places[obj.name] = Matrix(change.tolist()) @ obj.matrix_world
    moved = []
    for obj in sorted(objects, key=lambda each: len(_above(each))):
        if np.abs(np.array(places[obj.name] - obj.matrix_world)).max() > STAYED:
            if not bodies[obj.name].anchored:
                moved.append(obj.name)
            obj.matrix_world = places[obj.name]
            context.view_layer.update()
    return moved


def _above(obj: bpy.types.Object) -> list[bpy.types.Object]:
    return [] if obj.parent is None else [obj.parent, *_above(obj.parent)]
