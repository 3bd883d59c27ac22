"""Soft meshes while a simulation plays live: the modifier that shows recordings, on a file of one frame.

The file is written anew for every frame that is shown, in a folder of its own that goes with the play.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
import numpy as np
from numpy.typing import NDArray

from ..recording.point_cache import write_pc2
from ..rig import deformers
from ..rig.rig import metres_per_unit
from . import show as show_flesh
from .rest_shape import rest_shape
from .skinning import Difference, Skinning, world_of
from .track import Shape, changes, difference, matrix_of, positions_of

if TYPE_CHECKING:
    from ..read.flesh import FleshReading

Floats = NDArray[np.float64]


class LiveFlesh:
    """What is soft in a live run. Nothing of Blender's is kept, which may be gone when a file is opened meanwhile."""

    def __init__(self, flesh: list[FleshReading], moved: Collection[str]) -> None:
        """`moved`: names of the objects that the run moves."""
        self.flesh, self.moved = flesh, moved
        self.folder: Path | None = None
        self.paused: dict[str, str] = {}
        """What was switched off before (`deformers`), by the object's name."""
        self.known: dict[str, Shape] = {}
        """Of those that neither change nor are carried along."""
        self.extras: dict[str, Difference | None] = {}

    def show(self, context: bpy.types.Context, x: Floats) -> None:
        """Let the meshes be as their cages are in the world [m], shape (nv, 3)."""
        if not self.flesh:
            return
        if self.folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix="redmax_live_"))
            simulated = [context.scene.objects[name] for name in self.moved]
            for thing in self.flesh:
                obj = context.scene.objects[thing.name]
                self.paused[thing.name] = obj.redmax.flesh.paused
                deformers.pause(obj, simulated)
        unit = metres_per_unit(context.scene)
        for number, thing in enumerate(self.flesh):
            obj = context.scene.objects[thing.name]
            shape = self.placed(context, thing, obj)
            if thing.skinning is not None:
                shape = replace(shape, motions=self.motions(context, thing.skinning, unit))
            extra = self.extras.get(thing.name) or self.extras.setdefault(thing.name, difference(thing))
            local = positions_of(thing, shape, x, unit, extra)
            file = self.folder / f"{number}.pc2"
            write_pc2(file, local[None].astype(np.float32), 1)
            show_flesh.play(obj, str(file), 1)

    def placed(self, context: bpy.types.Context, thing: FleshReading, obj: bpy.types.Object) -> Shape:
        """The mesh at rest, and how it follows its cage."""
        if thing.name in self.known:
            return self.known[thing.name]
        if not changes(obj, self.moved):
            local = thing.placed.local
            found = Shape(local, thing.placed.weights(local), np.linalg.inv(matrix_of(context, obj)))
            self.known[thing.name] = found
            return found
        local = rest_shape(obj, context.evaluated_depsgraph_get())
        return Shape(local, thing.placed.weights(local), np.linalg.inv(matrix_of(context, obj)))

    @staticmethod
    def motions(context: bpy.types.Context, skinning: Skinning, unit: float) -> Floats:
        """Of the bones as they have just been posed."""
        context.view_layer.update()
        depsgraph = context.evaluated_depsgraph_get()
        armatures = [context.scene.objects[name] for name in skinning.armatures]
        poses = {
            (armature.name, bone.name): np.array(bone.matrix, dtype=float)
            for armature in armatures
            for bone in armature.evaluated_get(depsgraph).pose.bones
        }
        return skinning.motions(poses, {a.name: world_of(a, depsgraph, unit) for a in armatures})

    def end(self, scene: bpy.types.Scene) -> None:
        """Let the meshes show what they showed before."""
        if self.folder is None:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder = None
        for thing in self.flesh:
            if thing.name in scene.objects:
                deformers.restore(scene.objects[thing.name], self.paused[thing.name])
                show_flesh.refresh(scene.objects[thing.name], scene)
