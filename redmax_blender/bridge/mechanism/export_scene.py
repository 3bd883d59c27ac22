"""The Blender scene as a scene file, which the engine and its command line run without Blender."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import bpy

from ...engine.errors import SceneError
from ...engine.scene import SceneSpec
from ...engine.scene.file import encode_scene
from ..bake.linked import check_linked
from ..board import keys as board
from ..flesh.soft_meshes import soft_meshes
from ..motion.carried import check_carried
from ..motion.sample_motion import first_frame
from ..read.scene import Reading, check_range, read_scene
from ..rig.bodies import active_bodies
from ..rig.rig import physical_armatures
from ..run.simulate_scene import at_start, left_over


def read_for_export(context: bpy.types.Context) -> Reading:
    """The scene as a simulation would read it: at the first frame of its range, without any recording."""
    scene = context.scene
    check_range(scene)
    armatures = physical_armatures(scene)
    check_linked(scene, armatures + active_bodies(scene) + soft_meshes(scene))
    moved = armatures + active_bodies(scene)
    check_carried(armatures, active_bodies(scene))
    with at_start(context, moved + left_over(scene, moved)):
        with board.settings_kept(scene):
            board.put_at(scene, first_frame(scene))
            reading = read_scene(context, armatures)
            board.read_changes(context, armatures, reading)
        return reading


def export_scene(context: bpy.types.Context, path: str | Path) -> SceneSpec:
    """Write what a simulation of the scene would be given, as JSON. A file of that name is replaced at the end."""
    made = read_for_export(context).scene
    write_scene(made, Path(path))
    return made


def write_scene(made: SceneSpec, path: Path) -> None:
    """Write a scene file that is complete or not there."""
    data = encode_scene(made)
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise SceneError(str(path), f"it cannot be written ({reason})", "Choose another place.") from None
