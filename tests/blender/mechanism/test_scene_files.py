"""Scene files with what moves, what is coupled and what is soft: as objects, and back."""

import bpy
import numpy as np
import pytest
from blender_fixtures import set_range
from flesh_fixtures import ball, film
from mechanism_fixtures import add_box, add_joint

from redmax_blender.bridge.mechanism.export_scene import export_scene
from redmax_blender.bridge.mechanism.import_scene import import_scene
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.model.curves import evaluate, pack
from redmax_blender.engine.run.simulate import scene_options, simulate
from redmax_blender.engine.scene import SceneSpec


def through_a_file(tmp_path) -> tuple[SceneSpec, SceneSpec]:
    """The scene as it is exported, and as it is exported again after it was imported into an empty file."""
    written = export_scene(bpy.context, tmp_path / "scene.json")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import_scene(bpy.context, tmp_path / "scene.json")
    return written, export_scene(bpy.context, tmp_path / "again.json")


def test_a_collider_that_moves_comes_back_with_its_keys(tmp_path):
    add_box("Loose", (0, 0, 2), (0.3, 0.3, 0.3))
    stone = add_box("Stone", (0, 0, 0), (0.5, 0.5, 0.5), role="NONE")
    stone.redmax.collider.role, stone.redmax.collider.shape = "COLLIDER", "BOX"
    for frame, at, turned in ((1, (0, 0, 0), 0.0), (12, (1, 0.5, 0.2), 2.5)):
        stone.location, stone.rotation_euler.z = at, turned
        stone.keyframe_insert("location", frame=frame)
        stone.keyframe_insert("rotation_euler", frame=frame)
    set_range(1, 12, substeps=2)
    before, after = (made.colliders[0] for made in through_a_file(tmp_path))
    assert len(before.motion) == len(after.motion) == 6
    for t in np.arange(12) / 24.0:
        rows = [
            evaluate(pack([(i, c, "") for i, c in enumerate(collider.motion)]), float(t))[:, 0]
            for collider in (before, after)
        ]
        np.testing.assert_allclose(*rows, atol=1e-5)


def coupled_hinges() -> list[bpy.types.Object]:
    """Three plates side by side on hinges of their own; the second and third turn with the first."""
    joints = []
    for i in range(3):
        plate = add_box(f"Plate{i}", (0.5 + 0.3 * i, 2.0 * i, 0), (1.0 + 0.6 * i, 0.1, 0.3))
        joints.append(add_joint(f"Hinge{i}", "HINGE", None, plate, (0, 2.0 * i, 0)))
    for joint, to, ratio in ((joints[1], joints[0], -2.0), (joints[2], joints[1], 0.25)):
        joint.redmax.coupling.joint, joint.redmax.coupling.ratio = to, ratio
    set_range(1, 8, substeps=4)
    return joints


def angles(names) -> np.ndarray:
    """How far objects have turned about y since the first frame, frame by frame [rad]."""
    rows = []
    for frame in range(1, 9):
        bpy.context.scene.frame_set(frame)
        matrices = [bpy.data.objects[name].matrix_world.to_3x3().normalized() for name in names]
        rows.append([np.arctan2(m[0][2], m[0][0]) for m in matrices])
    return np.array(rows) - rows[0]


def test_coupled_joints_turn_together_and_come_back_from_a_file(tmp_path):
    coupled_hinges()
    before, after = through_a_file(tmp_path)
    for made in (before, after):
        (coupling,) = made.couplings
        leader = coupling.terms[0].factor
        assert {t.joint: t.factor / leader for t in coupling.terms} == pytest.approx(
            {"Hinge0": 1.0, "Hinge1": -2.0, "Hinge2": -0.5}
        )
    simulate_scene(bpy.context)
    turned = angles(["Plate0", "Plate1", "Plate2"])
    assert np.abs(turned[-1]).min() > 0.02
    np.testing.assert_allclose(turned[:, 1:], turned[:, :1] * [-2.0, -0.5], atol=1e-5)


@pytest.mark.parametrize(
    ("spoil", "match"),
    [
        (lambda joints: setattr(joints[0].redmax.coupling, "joint", joints[2]), "circle"),
        (lambda joints: setattr(joints[1].redmax.coupling, "ratio", 0.0), "ratio is zero"),
        (lambda joints: setattr(joints[0].redmax.joint, "kind", "POINT"), "kind is point"),
        (lambda joints: setattr(joints[0].redmax.joint, "cut", "ALWAYS"), "cut always"),
        (lambda joints: setattr(joints[0].redmax.joint, "kind", "NONE"), "no joint of the scene"),
    ],
)
def test_impossible_couplings_are_named(spoil, match):
    spoil(coupled_hinges())
    with pytest.raises(SceneError, match=match):
        simulate_scene(bpy.context)


def test_flesh_comes_back_with_its_own_tetrahedra(tmp_path):
    """The same tetrahedra on the same bodies, not a cage around them; and it moves as before."""
    post = add_box("Post", (0, 0, 0), (0.3, 0.3, 1.0))
    add_joint("Hinge", "HINGE", None, post, (0, 0, 0.5))
    blob = ball("Blob", (0, 0, -0.6), 0.4)
    blob.redmax.flesh.carrier = post
    blob.redmax.flesh.soft, blob.redmax.flesh.cage_count, blob.redmax.flesh.young = True, 60, 30_000.0
    blob.redmax.flesh.mass_from, blob.redmax.flesh.mass = "MASS", 2.5
    post.rotation_euler.y = 0.4
    set_range(1, 4, substeps=4)
    scenes = through_a_file(tmp_path)
    before, after = (made.flesh[0] for made in scenes)
    np.testing.assert_array_equal(before.tets, after.tets)
    np.testing.assert_allclose(before.vertices, after.vertices, atol=1e-6)
    np.testing.assert_allclose(before.fill, after.fill)
    assert [(a.body, a.vertices) for a in before.attachments] == [
        (a.body, a.vertices) for a in after.attachments
    ]
    assert before.attachments and after.mass == pytest.approx(2.5)
    assert after.material.young == pytest.approx(before.material.young)
    ends = [
        list(simulate(compile_scene(each), scene_options(each), end=each.time.end))[-1].state.x
        for each in scenes
    ]
    np.testing.assert_allclose(*ends, atol=1e-5)
    simulate_scene(bpy.context)
    moved = film(bpy.data.objects["Blob"], (1, 4))
    np.testing.assert_allclose(moved[1], ends[1], atol=1e-5)
    assert np.abs(moved[1] - moved[0]).max() > 0.003


def test_tetrahedra_that_do_not_fit_the_mesh_any_more_are_named(tmp_path):
    blob = ball("Blob", (0, 0, 1), 0.4)
    blob.redmax.flesh.soft, blob.redmax.flesh.cage_count = True, 40
    set_range(1, 3, substeps=2)
    through_a_file(tmp_path)
    bpy.data.objects["Blob"].data.vertices.add(1)
    with pytest.raises(SceneError, match="'Blob': its mesh has other vertices than the tetrahedra"):
        simulate_scene(bpy.context)
