"""Rigify's generated rigs: made once a session, which takes seconds, and opened as files."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

from redmax_blender.bridge.recording import cache

METARIGS = {"human": "armature_human_metarig_add", "quadruped": "armature_basic_quadruped_metarig_add"}


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Paths of .blend files that were written so far, by the kind of rig."""
    return {"folder": tmp_path_factory.mktemp("rigs")}


def open_generated(generated: dict[str, Path], kind: str) -> bpy.types.Object:
    """Open a file with a generated rig, which is active; it is generated first where no test has done so."""
    if kind not in generated:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.ops.preferences.addon_enable(module="rigify")
        getattr(bpy.ops.object, METARIGS[kind])()
        metarig = bpy.context.object
        bpy.ops.pose.rigify_generate()
        bpy.data.objects.remove(metarig)
        generated[kind] = generated["folder"] / f"{kind}.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(generated[kind]))
    bpy.ops.wm.open_mainfile(filepath=str(generated[kind]))
    rig = next(obj for obj in bpy.data.objects if obj.type == "ARMATURE")
    bpy.context.view_layer.objects.active = rig
    return rig


def size_of(rig: bpy.types.Object) -> float:
    points = np.array([p for bone in rig.data.bones for p in (bone.head_local, bone.tail_local)])
    return float(np.linalg.norm(np.ptp(points, axis=0)))


def off_the_cache(rig: bpy.types.Object, frame: int) -> dict[str, float]:
    """How far each simulated bone is from the recording at a frame, in sizes of the rig.

    Measured at its head, its tail, and as far beside it as it is long: where its skin is at most.
    """
    scene = bpy.context.scene
    recording, track = cache.track_of(rig, scene)
    scene.frame_set(frame)
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    found = {}
    for name, cached in zip(track.bones, track.pose[frame - recording.frame_start]):
        length = rig.data.bones[name].length
        corners: NDArray = length * np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1.0]])
        points = np.column_stack([corners, np.ones(4)])
        off = points @ (np.array(shown.pose.bones[name].matrix) - cached).T
        found[name] = float(np.linalg.norm(off[:, :3], axis=1).max()) / size_of(rig)
    return found
