"""The recipes of the manual: their scripts run as written, and what the page says of each of them is so."""

import importlib
import sys

import bpy
import docs_pages
import numpy as np
import pytest
from blender_fixtures import once
from mathutils import Vector

RECIPES = docs_pages.DOCS / "manual" / "recipes"
NAMES = sorted(path.stem for path in RECIPES.glob("*.py") if path.stem != "stage")


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch):
    """Run a recipe; what it returns."""
    monkeypatch.syspath_prepend(str(RECIPES))
    yield lambda name: importlib.import_module(name).build()
    for name in ("stage", *NAMES):
        sys.modules.pop(name, None)


def at(frame: int) -> None:
    bpy.context.scene.frame_set(frame)


def tail_of(rig: bpy.types.Object, bone: str) -> np.ndarray:
    return np.array(rig.matrix_world @ rig.pose.bones[bone].tail)


def keyed_pose(rig: bpy.types.Object, frame: int) -> dict[str, np.ndarray]:
    """Where the keys of a rig alone have the bones that they are of, on a copy that is not simulated."""
    copy = rig.copy()
    copy.redmax.result = ""
    bpy.context.scene.collection.objects.link(copy)
    at(frame)
    bpy.context.view_layer.update()
    found = {bone.name: np.array(bone.matrix) for bone in copy.pose.bones}
    bpy.data.objects.remove(copy)
    return found


def off_keys(rig: bpy.types.Object, frame: int, *bones: str) -> float:
    """How far the shown bones are from their keys [m, or as sine]."""
    keyed = keyed_pose(rig, frame)
    at(frame)
    return max(np.abs(np.array(rig.pose.bones[bone].matrix) - keyed[bone]).max() for bone in bones)


def test_every_recipe_is_on_the_page():
    page = (docs_pages.DOCS / "manual" / "recipes.md").read_text()
    asked = [what for kind, what, _ in docs_pages.parts(page) if kind == "script"]
    assert sorted(asked) == [f"recipes/{name}.py" for name in sorted([*NAMES, "stage"])]


def test_an_arm_leaves_its_keys_and_returns_to_them(build):
    (rig,) = build("hand_over")
    arm = ("upper", "lower")  # the hand has no keys
    assert off_keys(rig, 12, *arm) < 1e-5
    assert off_keys(rig, 24, *arm) < 1e-5
    assert off_keys(rig, 40, *arm) > 0.3
    assert off_keys(rig, 58, *arm) < 1e-5
    assert off_keys(rig, 72, *arm) < 1e-5


@once
def test_a_tail_swings_after_the_hips_and_is_carried(build):
    (rig,) = build("tail")
    frames = range(1, 61)
    hips, tip = [], []
    for frame in frames:
        at(frame)
        hips.append(-tail_of(rig, "hips")[0])  # the hips look along -Y: the tail is on their other side
        tip.append(tail_of(rig, "tail8")[0])
    assert off_keys(rig, 20, "hips") < 1e-6
    assert 13 < 1 + int(np.argmax(tip)) <= 23  # the hips turn back at 13
    assert 25 < 1 + int(np.argmin(tip)) <= 36  # and at 25
    assert max(tip) > 1.3 * 0.9 * np.sin(np.radians(25.0))  # farther out than a stiff tail
    assert tail_of(rig, "tail8")[2] > 0.3  # it hangs and does not drop


@once
def test_a_cord_is_on_its_empties_until_one_lets_go(build):
    (rig,) = build("pinned_prop")
    left, right = (bpy.data.objects[name] for name in ("Left", "Right"))
    for frame in (1, 15, 30):
        at(frame)
        head = rig.matrix_world @ rig.pose.bones["down1"].head
        assert (head - left.matrix_world.translation).length < 1e-4
        assert (Vector(tail_of(rig, "up8")) - right.matrix_world.translation).length < 1e-4
    at(60)
    assert tail_of(rig, "up8")[2] < right.matrix_world.translation.z - 0.4
    assert (rig.matrix_world @ rig.pose.bones["down1"].head - left.matrix_world.translation).length < 1e-4


def surface(skin: bpy.types.Object) -> np.ndarray:
    shown = skin.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    found = np.empty((len(mesh.vertices), 3))
    mesh.vertices.foreach_get("co", found.ravel())
    world = np.array(shown.matrix_world)
    shown.to_mesh_clear()
    return found @ world[:3, :3].T + world[:3, 3]


@once
def test_a_belly_wobbles_after_the_hop_has_ended(build):
    (skin,) = build("soft_belly")
    rig = bpy.data.objects["Buddha"]
    shapes = []
    for frame in (1, 18, 20, 22, 48):
        at(frame)
        shapes.append(surface(skin) - np.array(rig.matrix_world.translation))
    moved = [np.linalg.norm(shape - shapes[0], axis=1).max() for shape in shapes]
    assert max(moved[1:4]) > 0.01
    assert 0.0 < moved[4] < 0.08  # it hangs a little, and has not come off


@once
def test_a_crate_comes_to_rest_on_the_bridge(build):
    *planks, crate = build("rope_bridge")
    at(60)
    lowest = min(plank.matrix_world.translation.z for plank in planks)
    assert lowest > 1.0
    assert crate.matrix_world.translation.z > lowest + 0.1
    ends = [plank.matrix_world @ Vector((side * 0.2, 0.0, 0.0)) for plank in planks for side in (-1, 1)]
    for before, after in zip(ends[1:-1:2], ends[2:-1:2]):
        assert (before - after).length < 1e-3  # hinges hold


@once
def test_a_figure_stands_until_the_ball_strikes_it(build):
    rig, _ = build("ragdoll_hit")
    names = [bone.name for bone in rig.pose.bones if bone.redmax.physical]
    at(1)
    stands = {name: tail_of(rig, name) for name in names}  # it has no keys but stands
    moved = []
    for frame in range(1, 41):
        at(frame)
        moved.append(max(np.linalg.norm(tail_of(rig, name) - stands[name]) for name in names))
    blow = 1 + int(np.argmax(np.array(moved) > 1e-5))
    assert 16 < blow < 30
    assert moved[blow] > 0.02
    at(60)
    assert (rig.matrix_world @ rig.pose.bones["spine.003"].head).z < 0.9
    assert min(tail_of(rig, name)[2] for name in names) > -0.03  # the ground holds it
