"""Blender's Soft Body modifier -> flesh: its mass, its stiffness, its friction and its goal group.

Blender's soft body is a net of springs along the mesh's edges; its solver takes the mass of a vertex in grams and time
in frames. An edge of length l that is stretched by a part ε of it pulls with k ε, k = pull / (1 - pull) in newtons.
Edges of all directions in a volume V make a solid with Young's modulus Σ k l / 6V (Cauchy's relations for central
springs), and that is what flesh of the same mass gets. It is as stiff as the soft body all in all; a skin of springs
and a solid do not sag alike everywhere.
"""

from __future__ import annotations

import json

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ..read.mesh import vertex_positions
from ..rig.rig import metres_per_unit
from .cage import PlacedCage, read_cage

GRAM = 1e-3
"""What Blender's solver takes the mass of a vertex in [kg]."""
FRICTION = 0.01
"""What it multiplies its friction by."""
MOST, LEAST = 0.999, 1e-3
"""Its range of `pull`, and a stiffness for a soft body without springs."""


def soft_body_of(obj: bpy.types.Object) -> bpy.types.SoftBodyModifier | None:
    """The mesh's Soft Body modifier, if it has one."""
    return next((m for m in obj.modifiers if m.type == "SOFT_BODY"), None) if obj.type == "MESH" else None


def convert_soft_body(obj: bpy.types.Object, context: bpy.types.Context) -> list[str]:
    """Make a mesh with a Soft Body modifier soft, and switch the modifier off; what to tell the user.

    Nothing changes when it cannot be.
    """
    from ..read.flesh import check_settings  # loads Numba, which takes a moment

    place = f"Object '{obj.name}'"
    modifier = soft_body_of(obj)
    if modifier is None:
        raise SceneError(place, "it has no Soft Body modifier", "Add one, or press Make Soft.")
    if obj.redmax.is_baked:
        raise SceneError(place, "it is baked", "Delete its bake first.")
    check_settings(obj, numbers=False)
    scene = context.scene
    placed = read_cage(obj, context.evaluated_depsgraph_get(), metres_per_unit(scene))
    body, settings = modifier.settings, obj.redmax.flesh
    settings.soft = True
    settings.material = "COROTATED"
    settings.mass_from = "MASS"
    settings.mass = body.mass * GRAM * len(obj.data.vertices)
    settings.young = young_of(obj, body, placed)
    settings.drag = body.friction * FRICTION / body.mass * scene.render.fps / scene.render.fps_base
    settings.pin_group = body.vertex_group_goal if body.use_goal else ""
    settings.cage_text = placed.text
    if not settings.converted:
        settings.converted = json.dumps(
            [str(modifier.persistent_uid), modifier.show_viewport, modifier.show_render]
        )
    modifier.show_viewport = modifier.show_render = False
    text = rpt_(
        "'{name}' is now soft: {mass} kg, {young} Pa; its modifier '{modifier}' is switched off, and Clear Soft "
        "switches it on again"
    )
    mass, young = f"{settings.mass:.3g}", f"{settings.young:.3g}"
    said = [text.format(name=obj.name, mass=mass, young=young, modifier=modifier.name)]
    if body.use_goal and not body.vertex_group_goal:
        text = rpt_(
            "'{name}': its goal has no vertex group, so no part is pinned; the bones carry the flesh around them"
        )
        said.append(text.format(name=obj.name))
    return said


def young_of(obj: bpy.types.Object, body: bpy.types.SoftBodySettings, placed: PlacedCage) -> float:
    """Young's modulus [Pa] of flesh that is as stiff as a soft body; see above."""
    vertices = vertex_positions(obj.data) @ placed.stretch.T
    pairs = np.empty(2 * len(obj.data.edges), np.int32)
    obj.data.edges.foreach_get("vertices", pairs)
    length = _length(vertices, pairs)
    if body.use_stiff_quads:
        quads = [face.vertices for face in obj.data.polygons if len(face.vertices) == 4]
        diagonals = np.array([(a, c, b, d) for a, b, c, d in quads], np.int32)
        length += float(body.shear) * _length(vertices, diagonals)
    pull = min(float(body.pull), MOST) if body.use_edges else 0.0
    return max(pull / (1.0 - pull), LEAST) * length / (6.0 * placed.cage.volume)


def _length(vertices: NDArray[np.float64], pairs: NDArray[np.int32]) -> float:
    """Of all straight lines between pairs of vertices [m]."""
    ends = vertices[pairs.reshape(-1, 2)]
    return float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).sum())


def restore_soft_body(obj: bpy.types.Object) -> None:
    """Switch a converted Soft Body modifier on as it was."""
    settings = obj.redmax.flesh
    if not settings.converted:
        return
    uid, viewport, render = json.loads(settings.converted)
    settings.converted = ""
    for modifier in obj.modifiers:
        if str(modifier.persistent_uid) == uid:
            modifier.show_viewport, modifier.show_render = viewport, render
