"""The chain from rig to film: what the rig says, what is baked, what is seen, and the command that does it all."""

import json
from contextlib import nullcontext
from pathlib import Path

import bmesh
import bpy
import numpy as np
import pytest
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

from redmax_blender.bridge.rig.make_physical import make_physical
from redmax_blender.bridge.run.simulate_scene import Simulation
from redmax_blender.cli import main
from redmax_blender.engine import compile_scene, encode_scene, scene_options, simulate
from redmax_blender.engine.shots.chain import Chain, spec
from redmax_blender.examples.shots.camera import add_camera, motion_points
from redmax_blender.examples.shots.chain_rig import build_chain_rig, give_capsules
from redmax_blender.examples.shots.film import set_stage
from redmax_blender.examples.shots.perform import perform_chain
from redmax_blender.examples.shots.picture import Look, contact_sheet, evenly, write_video

SMALL = ["--size", "64x36", "--samples", "1"]


def no_phases(name: str):
    return nullcontext()


def test_make_physical_reads_the_mechanism_of_the_shot_from_the_rig():
    """IK locks give the alternating hinges, the skin gives the masses."""
    chain = Chain()
    armature, skin = build_chain_rig(bpy.context.scene, chain)
    decisions = make_physical(armature, bpy.context.scene)
    assert [d.bone for d in decisions] == [chain.name(i) for i in range(chain.links)]
    assert {d.joint for d in decisions} == {"REVOLUTE"}
    axes = [bone.redmax.axis for bone in armature.pose.bones]
    assert axes == ["Z", "X"] * 4
    surface = bmesh.new()
    surface.from_mesh(skin.data)
    assert sum(d.mass for d in decisions) == pytest.approx(1000.0 * surface.calc_volume(), rel=0.05)
    surface.free()


def test_rig_and_engine_spec_are_the_same_mechanism():
    """With the capsules' sizes given, bones and pure engine spec swing alike."""
    chain, scene = Chain(), bpy.context.scene
    armature, _ = build_chain_rig(scene, chain)
    make_physical(armature, scene)
    give_capsules(armature, chain)
    scene.render.fps = 24
    scene.redmax.frame_start, scene.redmax.frame_end = 1, 13
    scene.redmax.substeps, scene.redmax.integrator = 10, "sdirk2"
    frames = list(Simulation(bpy.context).frames)
    pure = spec(chain, end=0.5)
    model = compile_scene(pure)
    expected = list(simulate(model, scene_options(pure), end=0.5, record=10))
    assert len(frames) == len(expected)
    for ours, theirs in zip(frames, expected, strict=True):
        np.testing.assert_allclose(ours.state.q, theirs.state.q, atol=1e-4)
        np.testing.assert_allclose(ours.joint_pose, theirs.joint_pose, atol=1e-4)


def test_baked_bones_stand_where_the_simulation_put_them():
    scene = bpy.context.scene
    performance = perform_chain(scene, 13, no_phases)
    armature, chain = bpy.data.objects["Chain"], Chain()
    for frame in range(1, 14):
        scene.frame_set(frame)
        shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for i in range(chain.links):
            matrix = np.array(shown.matrix_world @ shown.pose.bones[chain.name(i)].matrix)
            recorded = performance.result.joint_pose[frame - 1, i]
            np.testing.assert_allclose(matrix[:3, :3], recorded[:9].reshape(3, 3), atol=1e-5)
            np.testing.assert_allclose(matrix[:3, 3], recorded[9:], atol=1e-5)


def test_skin_follows_the_chain():
    """Every vertex stays as near to the bones' axes as it is at rest, but for the stretch of smooth skinning."""
    scene = bpy.context.scene
    performance = perform_chain(scene, 13, no_phases)
    chain, skin = Chain(), bpy.data.objects["Chain Skin"]
    for frame in (1, 7, 13):
        scene.frame_set(frame)
        shown = skin.evaluated_get(bpy.context.evaluated_depsgraph_get())
        vertices = np.array([tuple(shown.matrix_world @ v.co) for v in shown.data.vertices])
        poses = performance.result.joint_pose[frame - 1]
        along = np.linspace(0.0, chain.length, 20)
        axis = (poses[:, None, 9:] + along[:, None] * poses[:, None, [1, 4, 7]]).reshape(-1, 3)
        distance = np.linalg.norm(vertices[:, None] - axis, axis=2).min(axis=1)
        assert distance.max() < 1.3 * chain.thick


def test_camera_holds_the_whole_motion():
    scene = bpy.context.scene
    performance = perform_chain(scene, 13, no_phases)
    set_stage(scene, performance.actors, Look(160, 90, 1), performance.ground)
    scene.render.resolution_x, scene.render.resolution_y = 160, 90
    seen = np.array(
        [
            world_to_camera_view(scene, scene.camera, Vector(point))[:]
            for point in motion_points(scene, performance.actors, range(1, 14))
        ]
    )
    assert seen[:, :2].min() > 0.0 and seen[:, :2].max() < 1.0
    assert seen[:, 2].min() > scene.camera.data.clip_start
    assert seen[:, 2].max() < scene.camera.data.clip_end


@pytest.mark.parametrize("azimuth", [-2.0, 0.0, 0.7])
def test_camera_is_as_near_as_the_margin_allows(azimuth):
    points = np.random.default_rng(3).normal(size=(50, 3)) * [3.0, 1.0, 0.5] + [10.0, -4.0, 2.0]
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y = 200, 100
    add_camera(scene, points, width=200, height=100, azimuth=azimuth, margin=0.1)
    bpy.context.view_layer.update()
    seen = np.array([world_to_camera_view(scene, scene.camera, Vector(p))[:2] for p in points])
    assert seen.min(axis=0) == pytest.approx(1 - seen.max(axis=0), abs=1e-4)  # centred
    assert seen.min() == pytest.approx(0.1, abs=1e-4)


def flat_pictures(folder: Path, greys: list[float]) -> list[Path]:
    paths = []
    for k, grey in enumerate(greys):
        image = bpy.data.images.new("flat", 32, 16)
        image.pixels.foreach_set(np.tile(np.array([grey, grey, grey, 1.0], np.float32), 32 * 16))
        image.file_format = "PNG"
        image.filepath_raw = str(folder / f"{k:05d}.png")
        image.save()
        paths.append(folder / f"{k:05d}.png")
    return paths


def test_contact_sheet_reads_from_left_to_right_and_top_to_bottom(tmp_path):
    greys = [0.0, 0.2, 0.4, 0.6, 0.8]
    contact_sheet(flat_pictures(tmp_path, greys), tmp_path / "sheet.png", columns=3, gap=4)
    sheet = bpy.data.images.load(str(tmp_path / "sheet.png"))
    assert tuple(sheet.size) == (3 * 32 + 4 * 4, 2 * 16 + 3 * 4)
    pixels = np.array(sheet.pixels[:]).reshape(sheet.size[1], sheet.size[0], 4)[::-1, :, 0]
    found = [pixels[4 + 8 + row * 20, 4 + 16 + column * 36] for row in (0, 1) for column in (0, 1, 2)]
    assert found[:5] == pytest.approx(greys, abs=0.01)
    assert found[5] == pixels[0, 0]  # the last place is empty: paper


def test_contact_sheet_shows_first_and_last_frame():
    assert evenly(range(1, 73), 8) == [1, 11, 21, 31, 42, 52, 62, 72]
    assert evenly([4, 5], 8) == [4, 5]


def test_video_has_every_picture(tmp_path):
    write_video(flat_pictures(tmp_path, [0.1, 0.5, 0.9]), tmp_path / "flat.mp4", fps=24)
    clip = bpy.data.movieclips.load(str(tmp_path / "flat.mp4"))
    assert tuple(clip.size) == (32, 16)
    assert clip.frame_duration == 3
    assert clip.fps == pytest.approx(24.0)
    assert [scene.name for scene in bpy.data.scenes] == ["Scene"]


def test_command_leaves_blend_sheet_and_video_and_says_where(tmp_path, capfd):
    out = tmp_path / "new" / "out"
    report = out / "report.json"
    arguments = ["shot", "chain", "--frames", "4", *SMALL, "--out", str(out), "--report", str(report)]
    assert main(arguments) == 0
    said = capfd.readouterr().out
    assert len(said.splitlines()) == 5, "Blender's own output must not drown ours"
    told = json.loads(report.read_text())
    assert {Path(path).name for path in told["files"]} == {"chain.blend", "chain.png", "chain.mp4"}
    assert {path.name for path in out.iterdir()} == {"chain.blend", "chain.png", "chain.mp4", "report.json"}
    for path, size in told["files"].items():
        assert Path(path).stat().st_size == size > 1000
        assert path in said
    assert told["steps"] == 30 and told["frames"] == 4
    assert told["shot_s"] == pytest.approx(3 / 24)
    assert sum(told["phases_s"].values()) == pytest.approx(told["wall_s"], rel=0.2, abs=0.5)
    assert told["jit_s"] == told["phases_s"]["jit"]

    clip = bpy.data.movieclips.load(str(out / "chain.mp4"))
    assert tuple(clip.size) == (64, 36) and clip.frame_duration == 4

    bpy.ops.wm.open_mainfile(filepath=str(out / "chain.blend"))
    scene, armature = bpy.context.scene, bpy.data.objects["Chain"]
    assert (scene.frame_start, scene.frame_end, scene.frame_current) == (1, 4, 1)
    assert armature.redmax.is_baked and scene.camera is not None
    assert not bpy.data.objects.get("Clock") and len(bpy.data.scenes) == 1
    turns = []
    for frame in (1, 4):
        scene.frame_set(frame)
        turns.append(armature.pose.bones["link.001"].rotation_euler.z)
    assert turns[1] - turns[0] > 0.01


def test_command_films_a_scene_file(tmp_path):
    scene = spec(Chain(links=2), end=0.2)
    (tmp_path / "two.json").write_bytes(encode_scene(scene))
    out = tmp_path / "out"
    assert main(["shot", str(tmp_path / "two.json"), *SMALL, "--no-video", "--out", str(out)]) == 0
    assert {path.name for path in out.iterdir()} == {"two.blend", "two.png"}
    bpy.ops.wm.open_mainfile(filepath=str(out / "two.blend"))
    assert {"link.001", "link.002"} <= set(bpy.data.objects.keys())
    assert bpy.context.scene.frame_end == 5


def test_unphysical_shot_fails(tmp_path, monkeypatch, capsys):
    from redmax_blender.engine.shots import chain

    def wrong(*args, **more):
        raise AssertionError("chain: the hinge came apart")

    monkeypatch.setattr(chain, "check", wrong)
    assert main(["shot", "chain", "--frames", "3", *SMALL, "--out", str(tmp_path)]) == 1
    assert "the hinge came apart" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_diverging_scene_keeps_its_good_frames(tmp_path, capsys):
    """A spring far too stiff for its step: the frames before are filmed, the exit code says what happened."""
    scene = spec(Chain(links=3), end=1.0, step=1 / 48, integrator="euler")
    for body in scene.bodies:
        body.joint.qdot = 60.0
    model, good = compile_scene(scene), 0
    with pytest.raises(RuntimeError):
        for _ in simulate(model, scene_options(scene), end=1.0):
            good += 1
    (tmp_path / "wild.json").write_bytes(encode_scene(scene))
    code = main(["shot", str(tmp_path / "wild.json"), *SMALL, "--no-video", "--out", str(tmp_path / "out")])
    assert code == 3
    assert "diverged" in capsys.readouterr().err
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "wild.blend"))
    assert bpy.context.scene.frame_end == 1 + (good - 1) // 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["chian"], "chain"),
        (["missing.json"], "missing.json"),
        (["chain", "--frames", "1"], "--frames"),
        (["chain", "--samples", "0"], "--samples"),
        (["chain", "--size", "big"], "480x270"),
        (["chain", "--size", "63x36"], "even"),
        (["chain", "--report", "nowhere/report.json"], "nowhere"),
        (["chain", "--out", "file"], "--out"),
    ],
)
def test_bad_arguments_are_named_before_any_work(arguments, says, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("not a folder")
    assert main(["shot", *arguments]) == 2
    assert says in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.blend"))


def test_result_that_lacks_frames_is_not_filmed(tmp_path, capsys):
    scene = replace_time(spec(Chain(links=1)), end=0.01)
    (tmp_path / "short.json").write_bytes(encode_scene(scene))
    assert main(["shot", str(tmp_path / "short.json"), *SMALL, "--out", str(tmp_path / "out")]) == 2
    assert "shorter than a frame" in capsys.readouterr().err


def replace_time(scene, end: float):
    scene.time.end = scene.time.step = end
    return scene
