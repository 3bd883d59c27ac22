"""`blender --command redmax …` in a Blender program that has the extension's zip installed."""

import json
from pathlib import Path

import pytest
from window_blender import build_for_window, call, install, needs_window

MAKE = """
import bpy
for obj in list(bpy.data.objects):
    bpy.data.objects.remove(obj)
bpy.ops.preferences.addon_enable(module="rigify")
bpy.ops.object.armature_basic_human_metarig_add()
bpy.ops.redmax.make_physical()
bpy.context.scene.redmax.frame_end = 12
bpy.ops.redmax.export_scene(filepath="/out/person.json")
bpy.ops.wm.save_as_mainfile(filepath="/out/person.blend")
"""
LOOK = """
import bpy
obj = bpy.data.objects["metarig"]
print("BAKED", obj.redmax.is_baked, *obj.animation_data.action.frame_range)
"""


@needs_window
@pytest.mark.timeout(1800)  # kernels are compiled once after installing
def test_shot_run_and_bake_work_and_leave_the_extension_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def blender(*arguments: str) -> str:
        return call("sh", "blender", *arguments, seconds=600, out=tmp_path)

    install(build_for_window(tmp_path, monkeypatch), tmp_path)
    blender("-b", "--python-expr", MAKE)
    small = ("--frames", "6", "--no-video", "--samples", "1", "--size", "160x90")
    for _ in range(2):  # the second time with what the first one left
        said = blender(
            "--command", "redmax", "shot", "chain", *small, "--out", "/out", "--report", "/out/shot.json"
        )
        assert (tmp_path / "shot.json").exists(), said[-3000:]
        assert json.loads((tmp_path / "shot.json").read_text())["status"] == "finished"
        (tmp_path / "shot.json").unlink()
    said = blender("--command", "redmax", "run", "/out/person.json", "--report", "/out/run.json")
    assert json.loads((tmp_path / "run.json").read_text())["status"] == "finished", said[-3000:]
    blender("--command", "redmax", "bake", "/out/person.blend", "--out", "/out/baked.blend")
    assert "BAKED True 1.0 12.0" in blender("-b", "/out/baked.blend", "--python-expr", LOOK)
