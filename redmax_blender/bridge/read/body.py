"""Mesh objects -> bodies of a mechanism."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.mechanisms.parts import Body
from ...engine.scene import spec
from ..bake.actions import animated_paths
from ..rig.bodies import is_anchored
from ..rig.body_shape import Placed, read_surface, shape_of
from .bone import make_pose

Floats = NDArray[np.float64]

SWITCHES = {"rigid_body.kinematic", "rigid_body.enabled"}
"""Data paths of what makes one of Blender's active bodies an animated one."""


def read_body(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float, warnings: list[str]
) -> Body:
    """The object as a body where the depsgraph shows it; its motion, if it has one, is the caller's."""
    settings = obj.redmax.body
    place = f"Object '{obj.name}'"
    anchored = is_anchored(obj)
    if settings.role == "NONE":  # one of Blender's rigid bodies
        kind, mass, density = obj.rigid_body.collision_shape, float(obj.rigid_body.mass), None
        if obj.rigid_body.type == "ACTIVE" and set(animated_paths(obj)) & SWITCHES:
            warnings.append(
                f"{place}: Animated or Dynamic of its rigid body is keyed; it is taken as at the first frame "
                f"throughout, {'anchored' if anchored else 'active'}"
            )
    else:
        given = settings.mass_from == "MASS"
        kind = settings.shape
        mass = float(settings.mass) if given else None
        density = None if given else float(settings.density)
    for name, value in (("mass", mass), ("density", density), ("drag", float(settings.drag))):
        if value is not None and not (np.isfinite(value) and (value > 0.0 or name == "drag")):
            raise SceneError(f"{place}, {name}", f"it is {value}", "Give a number above zero.")
    if not np.isfinite(settings.weight):
        raise SceneError(f"{place}, gravity", f"it is {settings.weight}", "Give a finite number.")
    placed = _placed(obj, kind, depsgraph, unit, anchored, warnings)
    return Body(
        name=obj.name,
        shape=placed.shape,
        pose=placed.pose,
        mass=mass,
        density=density,
        damping=float(settings.drag),
        weight=float(settings.weight),
        anchored=anchored,
    )


def _placed(
    obj: bpy.types.Object,
    kind: str,
    depsgraph: bpy.types.Depsgraph,
    unit: float,
    anchored: bool,
    warnings: list[str],
) -> Placed:
    if kind != "COMPOUND":
        return shape_of(read_surface(obj, depsgraph, unit), kind, anchored, warnings)
    children = [c for c in obj.children_recursive if c.type == "MESH" and c.rigid_body is not None]
    if not children:
        raise SceneError(
            f"Object '{obj.name}'",
            "its shape is Compound Parent, and no child has a rigid body",
            "Give its parts rigid bodies, or choose another shape.",
        )
    parts = [
        shape_of(read_surface(c, depsgraph, unit), c.rigid_body.collision_shape, anchored, warnings)
        for c in children
    ]
    frame = parts[0].pose
    return Placed(spec.Composite(parts=[_part(part, frame) for part in parts]), frame)


def _part(placed: Placed, frame: Floats) -> spec.Part:
    local = np.linalg.inv(frame) @ placed.pose
    return spec.Part(shape=placed.shape, pose=make_pose(local[:3, :3], local[:3, 3]))
