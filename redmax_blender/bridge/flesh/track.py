"""Cages in the world -> vertices of soft meshes in their objects' own space, frame by frame."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
import numpy as np
from numpy.typing import NDArray

from ..bake.actions import animated_paths
from ..mechanism.parts import show
from ..motion.sample_motion import may_move, may_move_by_itself
from ..recording import playback
from ..recording.cache import Recording
from ..recording.point_cache import Positions
from ..rig.rig import metres_per_unit
from .rest_shape import rest_shape
from .skinning import Difference, poses_at, world_of

if TYPE_CHECKING:
    from ..read.flesh import FleshReading

Floats = NDArray[np.float64]


def mesh_tracks(
    context: bpy.types.Context, flesh: list[FleshReading], recording: Recording, x: Floats
) -> dict[str, Positions]:
    """Positions of each soft mesh's vertices in its object's space, by its name, shape (nf, ns, 3).

    x: positions of all cages' vertices in the world [m], shape (nf, nv, 3). Objects may move with what carries them,
    and shape keys may be animated or driven by bones: then Blender is asked at every frame, bones as recorded.
    """
    scene = context.scene
    unit = metres_per_unit(scene)
    made: dict[str, Positions] = {}
    changing = []
    for thing in flesh:
        obj = scene.objects[thing.name]
        ns = len(thing.placed.local)
        made[thing.name] = np.empty((len(x), ns, 3), np.float32)
        obj.redmax.flesh.cage_text = thing.placed.text
        if changes(obj, recording.tracks) or carried_along(scene, thing):
            changing.append(thing)
            continue
        to_local = np.linalg.inv(np.array(matrix_of(context, obj)))
        weight = thing.placed.weights(thing.placed.local)
        extra = difference(thing)
        for f, row in enumerate(x):
            motions = thing.skinning.motions(poses_at(recording.tracks, f), {}) if thing.skinning else None
            shape = Shape(thing.placed.local, weight, to_local, motions)
            made[thing.name][f] = positions_of(thing, shape, row, unit, extra)
    if not changing:
        return made
    extras = {thing.name: difference(thing) for thing in changing}
    for f in _frames(context, recording, len(x)):
        depsgraph = context.evaluated_depsgraph_get()
        for thing in changing:
            obj = scene.objects[thing.name]
            to_local = np.linalg.inv(matrix_of(context, obj))
            local = rest_shape(obj, depsgraph)
            motions = None
            if thing.skinning is not None:
                worlds = {a: world_of(scene.objects[a], depsgraph, unit) for a in thing.skinning.armatures}
                motions = thing.skinning.motions(poses_at(recording.tracks, f), worlds)
            shape = Shape(local, thing.placed.weights(local), to_local, motions)
            made[thing.name][f] = positions_of(thing, shape, x[f], unit, extras[thing.name])
    return made


def changes(obj: bpy.types.Object, simulated: Collection[str]) -> bool:
    """Whether the object or its shape keys may change over time; `simulated`: names of what a simulation moves."""
    keys = obj.data.shape_keys
    if keys is not None and keys.animation_data is not None:
        return True
    if obj.parent is not None and _stands(obj, obj.parent):  # its bones move, and the object stays
        return may_move_by_itself(obj)
    here = obj
    while here.parent is not None:
        bones = here.parent.type == "ARMATURE"
        if here.parent.name in simulated and (here.parent_type == "BONE" or not bones):
            return True
        here = here.parent
    return may_move(obj)


def _stands(obj: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether the object hangs on an armature as a whole, and nothing moves that."""
    if armature.type != "ARMATURE" or obj.parent_type == "BONE" or armature.parent is not None:
        return False
    if any(not constraint.mute for constraint in armature.constraints):
        return False
    data = armature.animation_data
    if data is not None and any(not driver.data_path.startswith("pose.") for driver in data.drivers):
        return False
    return all(path.startswith("pose.") for path in animated_paths(armature))


def _frames(context: bpy.types.Context, recording: Recording, count: int) -> Iterator[int]:
    """Each frame of the range, with everything else as the recording has it."""
    scene = context.scene
    current, subframe = scene.frame_current, scene.frame_subframe
    with playback.paused():
        for f in range(count):
            frame = recording.frame_start + f
            scene.frame_set(frame)
            for name, track in recording.tracks.items():
                for part, transform in playback.shown_poses(scene.objects[name], recording, track, frame):
                    show(part, transform)
            context.view_layer.update()
            yield f
        scene.frame_set(current, subframe=subframe)


def matrix_of(context: bpy.types.Context, obj: bpy.types.Object) -> Floats:
    """Where an object is in the world [Blender units], shape (4, 4)."""
    return np.array(obj.evaluated_get(context.evaluated_depsgraph_get()).matrix_world, dtype=float)


@dataclass(frozen=True)
class Shape:
    """A mesh at a frame, before its flesh moves it."""

    local: Floats
    """At rest, in the object's space, shape (ns, 3)."""
    weight: Floats
    """Of the cage's corners, shape (ns, 4)."""
    to_local: Floats
    """From the world [Blender units] into the object's space, shape (4, 4)."""
    motions: Floats | None = None
    """Of the bones that carry it (`Skinning.motions`)."""


def positions_of(
    thing: FleshReading, shape: Shape, x: Floats, unit: float, extra: Difference | None = None
) -> Floats:
    """Vertices of a mesh in its object's space, from those of all cages in the world [m], shape (nv, 3)."""
    cage, mine = thing.placed.cage, x[thing.vertices]
    world = np.einsum("sk,skc->sc", shape.weight, mine[cage.corner[cage.tet]])
    if extra is not None and shape.motions is not None:
        world = extra.add(world, shape.local, shape.weight, mine, shape.motions)
    return np.asarray(world / unit @ shape.to_local[:3, :3].T + shape.to_local[:3, 3])


def difference(thing: FleshReading) -> Difference | None:
    return None if thing.skinning is None else Difference(thing.skinning, thing.placed)


def carried_along(scene: bpy.types.Scene, thing: FleshReading) -> bool:
    """Whether an armature that deforms the mesh moves as an object."""
    names = thing.skinning.armatures if thing.skinning is not None else []
    return any(may_move(scene.objects[name]) for name in names)
