"""Several scenes in a file, and characters from other files."""

from pathlib import Path

import bpy
import pytest
from blender_fixtures import distance_from_cache, make_chain, set_range

from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical

EDITS = (
    ("make_physical", {}),
    ("clear_physical", {}),
    ("decide", {"bone": "bone1", "verdict": "HOLD"}),
    ("set_control", {"scope": "ALL"}),
    ("copy_part", {"part": "friction"}),
)


def simulated(name, first, last):
    """A chain in the present scene that was simulated."""
    rig = make_chain(2, name=name)
    make_physical(rig, bpy.context.scene, Choices(root="HINGED"))
    bpy.ops.object.mode_set(mode="OBJECT")
    set_range(first, last, 2)
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    return rig


def show(scene: bpy.types.Scene) -> None:
    """In the window, not asked of the context: Rigify's Generate leaves Blender 4.2 with a context that belongs
    to a data-block, still after another file was loaded. What is set through it then writes into memory that was
    freed, and Blender crashes now or later."""
    bpy.data.window_managers[0].windows[0].scene = scene


def other_scene():
    scene = bpy.data.scenes.new("Other")
    show(scene)
    return scene


def test_scenes_have_caches_of_their_own():
    first, rig = bpy.context.scene, simulated("One", 1, 6)
    size = cache.size(first)
    second = other_scene()
    assert cache.size(second) == 0
    other = simulated("Two", 5, 12)
    assert cache.size(first) == size
    second.frame_set(8)
    assert bpy.ops.redmax.simulate(from_current=True) == {"FINISHED"}  # not from what the first scene shows
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    assert other.redmax.is_baked and not rig.redmax.is_baked
    bpy.ops.redmax.delete_bake()
    bpy.ops.redmax.free_cache()
    show(first)
    assert cache.size(first) == size and cache.is_current(first)
    assert distance_from_cache(rig, 5) < 1e-5


def test_scenes_with_folders_of_their_own_survive_saving(tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    simulated("One", 1, 4)
    other_scene().redmax.cache_folder = "//other_cache"
    simulated("Two", 1, 4)
    for _ in range(2):  # saved once more, nothing of it being in memory any more
        bpy.ops.wm.save_mainfile()
        cache._memory.clear()
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert [len(list((tmp_path / name).glob("*.frames"))) for name in ("redmax_cache", "other_cache")] == [
        1,
        1,
    ]
    for scene, name in (("Scene", "One"), ("Other", "Two")):
        show(bpy.data.scenes[scene])
        assert distance_from_cache(bpy.data.objects[name], 3) < 1e-5


def test_what_is_excluded_from_the_view_layer_takes_no_part():
    """Blender does not evaluate it: it would be simulated where it was last seen."""
    rig = make_chain(2, name="One")
    make_physical(rig, bpy.context.scene, Choices(root="HINGED"))
    bpy.ops.object.mode_set(mode="OBJECT")
    collection = bpy.data.collections.new("Spare")
    bpy.context.scene.collection.children.link(collection)
    spare = rig.copy()
    collection.objects.link(spare)
    layer = bpy.context.view_layer.layer_collection.children["Spare"]
    layer.exclude = True
    spare.location.z = 5.0
    set_range(1, 3, 2)
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    assert rig.redmax.result and not spare.redmax.result
    assert cache.is_current(bpy.context.scene)
    layer.exclude = False
    assert not cache.is_current(bpy.context.scene)


def link_character(folder: Path, physical: bool) -> bpy.types.Collection:
    """A collection with a rig from another file, linked into the scene of this one."""
    rig = make_chain(3, name="Hero")
    if physical:
        make_physical(rig, bpy.context.scene, Choices(root="HINGED"))
    bpy.ops.object.mode_set(mode="OBJECT")
    collection = bpy.data.collections.new("Hero")
    collection.objects.link(rig)
    bpy.data.libraries.write(str(folder / "hero.blend"), {collection})
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    with bpy.data.libraries.load(str(folder / "hero.blend"), link=True) as (_, data):
        data.collections = ["Hero"]
    (found,) = data.collections
    bpy.context.scene.collection.children.link(found)
    bpy.context.view_layer.objects.active = bpy.context.scene.objects["Hero"]
    set_range(1, 8, 2)
    return found


def test_a_linked_character_says_that_it_needs_an_override(tmp_path):
    """Whatever is written to it would be gone with the session."""
    link_character(tmp_path, physical=True)
    hero = bpy.context.object
    hero.data.bones.active = hero.data.bones["bone1"]
    for name, options in EDITS:
        with pytest.raises(RuntimeError, match="make a library override"):
            getattr(bpy.ops.redmax, name)(**options)
    for name in ("simulate", "live"):
        with pytest.raises(RuntimeError, match="Make a library override"):
            getattr(bpy.ops.redmax, name)()
    assert not hero.redmax.result


def test_an_overridden_character_is_set_up_simulated_and_baked_here(tmp_path):
    linked = link_character(tmp_path, physical=False)
    linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    hero = next(obj for obj in bpy.data.objects if obj.override_library is not None)
    bpy.context.view_layer.objects.active = hero
    assert bpy.ops.redmax.make_physical(root="HINGED") == {"FINISHED"}
    with pytest.raises(RuntimeError, match="same name is linked"):
        bpy.ops.redmax.simulate()
    bpy.context.scene.collection.children.unlink(linked)
    bpy.context.view_layer.objects.active = hero
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    assert distance_from_cache(hero, 6) < 1e-5
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    hero = next(obj for obj in bpy.data.objects if obj.override_library is not None)
    assert all(bone.redmax.physical for bone in hero.pose.bones) and hero.redmax.is_baked
    bpy.context.view_layer.objects.active = hero
    assert bpy.ops.redmax.delete_bake() == {"FINISHED"}
    assert distance_from_cache(hero, 6) < 1e-5
    assert bpy.ops.redmax.free_cache() == {"FINISHED"}
