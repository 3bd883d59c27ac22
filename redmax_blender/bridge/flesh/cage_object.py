"""The cage as an object: a wire mesh whose vertex groups say what is attached to which bone, and can be edited.

It is a child of the mesh, is never rendered, and takes no part in bakes. While it is there its groups decide; without
it, attachment is automatic.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ...engine.fem.cages.attach import FREE, WORLD
from ...engine.fem.cages.outline import edges
from ...engine.model.records import Ints
from ..read.mesh import vertex_positions
from ..rig.rig import metres_per_unit
from .attach import PINNED, Holder, automatic, read_holders
from .cage import PlacedCage, read_cage
from .rest_shape import group_weights

COLLECTION = "RedMax Cages"
PIN = "Pinned"
FITS = 1e-3
"""Distance, in cells, up to which a vertex is where its cage has it."""


def shown_cage(obj: bpy.types.Object, scene: bpy.types.Scene) -> bpy.types.Object | None:
    """The object that shows the cage of a soft mesh, unless the user has deleted it."""
    cage = obj.redmax.flesh.cage
    return cage if cage is not None and cage.name in scene.objects and cage.type == "MESH" else None


def show_cage(obj: bpy.types.Object, context: bpy.types.Context) -> bpy.types.Object:
    """Make the cage of a soft mesh visible, with its automatic attachment; one that is there is made anew."""
    scene = context.scene
    depsgraph, unit = context.evaluated_depsgraph_get(), metres_per_unit(scene)
    placed = read_cage(obj, depsgraph, unit)
    holders = read_holders(obj, depsgraph, unit)
    body = automatic(obj, placed, holders, depsgraph, unit)
    cage = _ensure(obj, scene)
    local = placed.cage.X @ np.linalg.inv(placed.stretch).T
    cage.data.from_pydata(local.tolist(), edges(placed.cage.corner).tolist(), [])
    for number, name in [*enumerate(group_names(holders)), (WORLD, PIN)]:
        members = np.flatnonzero(body == number).tolist()
        if members or number != WORLD:
            cage.vertex_groups.new(name=name).add(members, 1.0, "REPLACE")
    obj.redmax.flesh.cage_text = placed.text
    return cage


def _ensure(obj: bpy.types.Object, scene: bpy.types.Scene) -> bpy.types.Object:
    """The empty object for the cage of a mesh, new or emptied.

    One that is there is never replaced by a new one: that may get the address of the removed one, and then undo (in
    Blender 4.2 to 5.2) takes what refers to it for unchanged and leaves it with a pointer to nothing.
    """
    cage = obj.redmax.flesh.cage
    if _is_own(cage, obj):
        cage.data.clear_geometry()
        cage.vertex_groups.clear()
        if cage.name not in scene.objects:
            _collection(scene).objects.link(cage)
        return cage
    mesh = bpy.data.meshes.new(f"{obj.name} Cage")
    cage = bpy.data.objects.new(mesh.name, mesh)
    _collection(scene).objects.link(cage)
    cage.parent = obj
    cage.display_type = "WIRE"
    cage.hide_render = True
    obj.redmax.flesh.cage = cage
    return cage


def remove_cage(obj: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    """Remove the object that shows the cage; whether there was one."""
    cage = obj.redmax.flesh.cage
    obj.redmax.flesh.cage = None
    there = _is_own(cage, obj) and cage.name in scene.objects
    if _is_own(cage, obj):
        mesh = cage.data
        bpy.data.objects.remove(cage)
        if mesh.users == 0:
            bpy.data.meshes.remove(mesh)
    home = bpy.data.collections.get(COLLECTION)
    if home is not None and not home.objects and not home.children:
        bpy.data.collections.remove(home)
    return there


def _is_own(cage: bpy.types.Object | None, obj: bpy.types.Object) -> bool:
    """Whether a cage is that of the mesh itself, and not of another one that the mesh was duplicated from."""
    return cage is not None and cage.type == "MESH" and cage.parent in (None, obj)


def _collection(scene: bpy.types.Scene) -> bpy.types.Collection:
    home = bpy.data.collections.get(COLLECTION) or bpy.data.collections.new(COLLECTION)
    if home.name not in scene.collection.children:
        scene.collection.children.link(home)
    return home


def group_names(holders: Sequence[Holder]) -> list[str]:
    """A vertex group's name for each holder: the bone's, with its armature's where two have bones of that name."""
    labels = [holder.label for holder in holders]
    return [h.label if labels.count(h.label) == 1 else h.body for h in holders]


def edited(
    obj: bpy.types.Object, scene: bpy.types.Scene, placed: PlacedCage, holders: Sequence[Holder]
) -> Ints | None:
    """What the groups of the shown cage say: the number of each vertex's holder, WORLD or FREE.

    None without one, or when it shows another cage than the mesh has now.
    """
    cage = shown_cage(obj, scene)
    if cage is None or len(cage.data.vertices) != len(placed.cage.X):
        return None
    there = vertex_positions(cage.data) @ placed.stretch.T
    if np.abs(there - placed.cage.X).max() > FITS * placed.cage.cell:
        return None
    names = [*group_names(holders), PIN]
    weights = group_weights(cage, *names)
    strongest = np.argmax(weights, axis=1)
    number = np.array([*range(len(holders)), WORLD])[strongest]
    held = weights[np.arange(len(weights)), strongest] >= PINNED
    return np.where(held, number, FREE)
