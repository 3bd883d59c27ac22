"""Soft meshes while a simulation plays live: the modifier that shows recordings, on a file of one frame.

The file is written anew for every frame that is shown, in a folder of its own that goes with the play.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection
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
from .track import changes, matrix_of, positions_of

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
        self.known: dict[str, tuple[Floats, Floats]] = {}
        """Weights and way into the object's space, of those that neither change nor are carried along."""

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
            weight, to_local = self.placed(context, thing, obj)
            local = positions_of(thing, weight, x, to_local, unit)
            file = self.folder / f"{number}.pc2"
            write_pc2(file, local[None].astype(np.float32), 1)
            show_flesh.play(obj, str(file), 1)

    def placed(
        self, context: bpy.types.Context, thing: FleshReading, obj: bpy.types.Object
    ) -> tuple[Floats, Floats]:
        """Weights of the cage's corners at the mesh's vertices, and the way from the world into its object's space."""
        if thing.name in self.known:
            return self.known[thing.name]
        if not changes(obj, self.moved):
            found = thing.placed.weights(thing.placed.local), np.linalg.inv(matrix_of(context, obj))
            self.known[thing.name] = found
            return found
        depsgraph = context.evaluated_depsgraph_get()
        return thing.placed.weights(rest_shape(obj, depsgraph)), np.linalg.inv(matrix_of(context, obj))

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
