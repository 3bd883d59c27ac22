"""Soft meshes across undo, saved files, a process without the add-on, and renders."""

import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from flesh_fixtures import film, mesh_state, simulate, soft_suzanne

from redmax_blender.bridge.flesh.show import MODIFIER
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.live import Live

PLAY = """
import os, sys
import bpy
import numpy as np
blend, out, name, first, last = sys.argv[1:]
bpy.ops.wm.open_mainfile(filepath=blend)
assert not hasattr(bpy.types.Object, "redmax")
obj = bpy.data.objects[name]
frames = []
for frame in range(int(first), int(last) + 1):
    bpy.context.scene.frame_set(frame)
    shown = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    flat = np.empty(3 * len(shown.data.vertices), np.float32)
    shown.data.vertices.foreach_get("co", flat)
    matrix = np.array(shown.matrix_world)
    frames.append(flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])
np.save(out, np.stack(frames))
sys.stdout.flush()
os._exit(0)
"""


def play_without_us(blend: Path, name: str, first: int, last: int) -> np.ndarray:
    """What a Blender that never heard of us shows of a file, shape (nf, n, 3)."""
    out = blend.with_suffix(".npy")
    command = [sys.executable, "-c", PLAY, str(blend), str(out), name, str(first), str(last)]
    subprocess.run(command, check=True, timeout=120, capture_output=True)
    return np.load(out)


@pytest.mark.parametrize("kind", ["ABSOLUTE", "RELATIVE", "PC2"])
def test_without_the_add_on_the_baked_file_still_plays(kind, tmp_path):
    suzanne, _ = soft_suzanne()
    suzanne.redmax.flesh.bake_to = kind
    blend = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    simulate()
    preview = film(suzanne)
    bpy.ops.redmax.bake()
    assert np.abs(film(suzanne) - preview).max() < 1e-5
    bpy.ops.redmax.free_cache()
    bpy.ops.wm.save_mainfile()
    assert np.abs(play_without_us(blend, "Suzanne", 1, 16) - preview).max() < 1e-5


def test_a_point_cache_is_a_file_beside_the_blend_file_until_the_bake_is_deleted(tmp_path):
    suzanne, _ = soft_suzanne()
    suzanne.redmax.flesh.bake_to = "PC2"
    simulate()
    with pytest.raises(RuntimeError, match="not saved yet"):
        bpy.ops.redmax.bake()
    assert not suzanne.redmax.is_baked and not bpy.data.objects["Rig"].redmax.is_baked
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.redmax.bake()
    (file,) = (tmp_path / "redmax_bake").iterdir()
    assert suzanne.modifiers[MODIFIER].filepath == f"//redmax_bake/{file.name}"
    assert suzanne.data.shape_keys is None
    bpy.ops.redmax.delete_bake()
    assert not file.exists()
    assert suzanne.modifiers[MODIFIER].filepath.startswith("//redmax_cache/")


def test_a_point_cache_that_cannot_be_written_bakes_nothing_at_all(tmp_path):
    suzanne, rig = soft_suzanne((1, 3))
    (tmp_path / "file").write_text("no folder")
    suzanne.redmax.flesh.bake_to = "PC2"
    suzanne.redmax.flesh.bake_folder = str(tmp_path / "file" / "folder")
    simulate()
    before = mesh_state(suzanne)
    with pytest.raises(RuntimeError, match=r"'Suzanne': its point cache cannot be written.*Bake Folder"):
        bpy.ops.redmax.bake()
    assert not suzanne.redmax.is_baked and not rig.redmax.is_baked and not bpy.data.actions
    assert mesh_state(suzanne) == before


def test_saving_brings_the_preview_along(tmp_path):
    suzanne, _ = soft_suzanne()
    simulate()
    preview = film(suzanne)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    assert np.abs(film(suzanne) - preview).max() == 0.0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    suzanne = bpy.data.objects["Suzanne"]
    assert suzanne.modifiers[MODIFIER].filepath.startswith("//redmax_cache/")
    assert np.abs(film(suzanne) - preview).max() == 0.0
    (tmp_path / "elsewhere").mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "elsewhere" / "b.blend"))
    suzanne = bpy.data.objects["Suzanne"]
    file = Path(bpy.path.abspath(suzanne.modifiers[MODIFIER].filepath))
    assert file.parent == tmp_path / "elsewhere" / "redmax_cache"
    assert np.abs(film(suzanne) - preview).max() == 0.0


def test_a_missing_cache_lets_the_armature_deform_the_mesh_again(tmp_path):
    suzanne, _ = soft_suzanne()
    simulate()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    for file in (tmp_path / "redmax_cache").iterdir():
        file.unlink()
    cache._memory.clear()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    suzanne = bpy.data.objects["Suzanne"]
    assert MODIFIER not in suzanne.modifiers
    assert suzanne.modifiers["Armature"].show_viewport and suzanne.modifiers["Armature"].show_render


@pytest.mark.parametrize("kind", ["ABSOLUTE", "RELATIVE"])
def test_undo_of_simulate_bake_and_delete(kind):
    suzanne, _ = soft_suzanne()
    suzanne.redmax.flesh.bake_to = kind
    states = []

    def step(message, call):
        bpy.ops.ed.undo_push(message=message)
        states.append(mesh_state(bpy.data.objects["Suzanne"]))
        call()

    step("before", bpy.ops.redmax.simulate)
    preview = film(suzanne)
    bpy.context.scene.frame_set(3)
    step("simulated", bpy.ops.redmax.bake)
    step("baked", bpy.ops.redmax.delete_bake)
    step("deleted", bpy.ops.redmax.free_cache)
    bpy.ops.ed.undo_push(message="freed")
    assert mesh_state(bpy.data.objects["Suzanne"]) == states[0]
    for state in reversed(states):
        bpy.ops.ed.undo()
        suzanne = bpy.data.objects["Suzanne"]
        assert mesh_state(suzanne) == state
        if suzanne.redmax.result:
            assert np.abs(film(suzanne) - preview).max() < 1e-5
    bpy.ops.ed.redo()
    suzanne = bpy.data.objects["Suzanne"]
    assert np.abs(film(suzanne) - preview).max() < 1e-6


def flesh_on_a_rig_that_becomes_physical_later(baked: bool = False) -> bpy.types.Object:
    """Suzanne, simulated while her armature was not, and baked or not; then that is made physical."""
    suzanne, rig = soft_suzanne((1, 3))
    for bone in rig.pose.bones:
        bone.redmax.physical = False
    simulate()
    if baked:
        bpy.ops.redmax.bake()
    assert suzanne.modifiers["Armature"].show_viewport
    make_physical(rig, bpy.context.scene, Choices(root="ANCHORED"))
    return suzanne


@pytest.mark.parametrize("baked", [False, True])
@pytest.mark.parametrize("by", ["undo", "file"])
def test_an_armature_that_was_not_simulated_goes_on_deforming_after_undo_and_in_the_file(by, baked, tmp_path):
    """What is switched off follows from the recording, not from what is physical by now."""
    suzanne = flesh_on_a_rig_that_becomes_physical_later(baked)
    seen, before = film(suzanne, (1, 2, 3)), mesh_state(suzanne)
    if by == "undo":
        bpy.ops.ed.undo_push(message="physical")
        bpy.context.scene.redmax.substeps = 5
        bpy.ops.ed.undo_push(message="something else")
        bpy.ops.ed.undo()
    else:
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    suzanne = bpy.data.objects["Suzanne"]
    assert mesh_state(suzanne) == before
    assert np.abs(film(suzanne, (1, 2, 3)) - seen).max() == 0.0


def test_undo_leaves_a_modifier_on_that_was_added_after_the_simulation():
    suzanne, rig = soft_suzanne((1, 3))
    simulate()
    suzanne.modifiers.new("Second", "ARMATURE").object = rig
    bpy.ops.ed.undo_push(message="modifier")
    before = mesh_state(suzanne)
    bpy.context.scene.redmax.substeps = 5
    bpy.ops.ed.undo_push(message="something else")
    bpy.ops.ed.undo()
    assert mesh_state(bpy.data.objects["Suzanne"]) == before


def test_a_live_run_leaves_off_what_was_off_and_no_more():
    suzanne = flesh_on_a_rig_that_becomes_physical_later()
    before, noted = mesh_state(suzanne), suzanne.redmax.flesh.paused
    with Live(bpy.context) as live:
        while not live.take():
            pass
        live.show(bpy.context)
        assert not suzanne.modifiers["Armature"].show_viewport
    assert (mesh_state(suzanne), suzanne.redmax.flesh.paused) == (before, noted)


def test_renders_show_the_flesh(tmp_path):
    """A still and an animation, in the background: what Blender renders is where the flesh is."""
    suzanne, _ = soft_suzanne((1, 8))
    simulate()
    scene = bpy.context.scene
    seen = {}

    def look(_scene, depsgraph):
        shown = suzanne.evaluated_get(depsgraph)
        flat = np.empty(3 * len(shown.data.vertices), np.float32)
        shown.data.vertices.foreach_get("co", flat)
        seen[scene.frame_current] = flat.reshape(-1, 3)

    expected = film(suzanne, range(1, 9))
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera = camera
    suzanne.modifiers["Subdivision"].render_levels = 1
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 1
    scene.render.resolution_x = scene.render.resolution_y = 16
    scene.render.filepath = str(tmp_path / "f")
    scene.frame_start, scene.frame_end = 4, 5
    bpy.app.handlers.depsgraph_update_post.append(look)
    bpy.app.handlers.frame_change_post.append(look)
    try:
        bpy.ops.render.render(animation=True)
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(look)
        bpy.app.handlers.frame_change_post.remove(look)
    matrix = np.array(suzanne.matrix_world)
    for frame in (4, 5):
        assert np.abs(seen[frame] @ matrix[:3, :3].T + matrix[:3, 3] - expected[frame - 1]).max() < 1e-6


def test_a_library_override_is_simulated_and_baked_to_a_point_cache(tmp_path):
    suzanne, rig = soft_suzanne((1, 4))
    character = bpy.data.collections.new("Character")
    scene = bpy.context.scene
    scene.collection.children.link(character)
    for obj in (suzanne, rig):
        character.objects.link(obj)
        scene.collection.objects.unlink(obj)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.collections = ["Character"]
    (linked,) = wanted.collections
    scene.collection.children.link(linked)
    linked.override_hierarchy_create(scene, bpy.context.view_layer, do_fully_editable=True)
    scene.collection.children.unlink(linked)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    suzanne = scene.objects["Suzanne"]
    assert suzanne.override_library is not None
    scene.redmax.frame_end, scene.gravity = 4, (6.0, 0.0, -7.0)
    before = [(m.name, m.show_viewport, m.show_render) for m in suzanne.modifiers]
    simulate()
    preview = film(suzanne)
    with pytest.raises(RuntimeError, match=r"linked from a library.*Point Cache"):
        bpy.ops.redmax.bake()
    suzanne.redmax.flesh.bake_to = "PC2"
    bpy.ops.redmax.bake()
    assert np.abs(film(suzanne) - preview).max() == 0.0
    bpy.ops.redmax.delete_bake()
    bpy.ops.redmax.free_cache()
    assert [(m.name, m.show_viewport, m.show_render) for m in suzanne.modifiers] == before
