"""Soft meshes in scenes as artists make them: parents, poses, units, several meshes, bodies."""

import bpy
import numpy as np
import pytest
from blender_fixtures import make_armature, set_range
from flesh_fixtures import (
    add_suzanne,
    ball,
    film,
    make_rig,
    mesh_state,
    recorded,
    shown,
    simulate,
    soft_suzanne,
    soften,
)
from mathutils import Matrix
from mechanism_fixtures import add_box

from redmax_blender.bridge.read.mesh import vertex_positions
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.simulate_scene import Simulation, simulate_scene


def test_several_meshes_on_one_armature():
    rig = make_rig()
    meshes = [add_suzanne(rig, name) for name in ("A", "B", "C")]
    for k, mesh in enumerate(meshes):
        mesh.data.transform(Matrix.Translation((0.0, 0.1 * k, 0.0)) @ Matrix.Scale(1.0 - 0.2 * k, 4))
    soften(*meshes)
    set_range(1, 8, substeps=2)
    simulate()
    previews = [film(mesh) for mesh in meshes]
    bpy.ops.redmax.bake()
    for mesh, preview in zip(meshes, previews):
        assert np.ptp(preview, axis=0).max() > 0.02
        assert np.abs(film(mesh) - preview).max() < 1e-5
    assert np.abs(recorded(meshes[0])[5] - recorded(meshes[1])[5]).max() > 0.05


def test_parents_and_units_and_placed_objects_show_the_flesh_where_it_is():
    """The same scene moved, turned, scaled and in other units gives the same motion, seen from the armature."""

    def run(prepare) -> np.ndarray:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        suzanne, rig = soft_suzanne((1, 8))
        suzanne.modifiers["Subdivision"].show_viewport = False
        bpy.context.scene.gravity = (0.0, 0.0, 0.0)
        rig.pose.bones["upper"].matrix_basis = Matrix.Rotation(0.5, 4, "X")
        rig.pose.bones["upper"].redmax.stiffness = 0.0
        prepare(suzanne, rig)
        bpy.context.view_layer.update()
        simulate()
        inverse = np.linalg.inv(np.array(rig.matrix_world))
        return film(suzanne, range(1, 9)) @ inverse[:3, :3].T + inverse[:3, 3]

    def moved(_suzanne, rig):
        rig.location, rig.rotation_euler = (1.0, 2.0, 3.0), (0.3, 0.4, 0.5)

    def unparented(suzanne, rig):
        moved(suzanne, rig)
        bpy.context.view_layer.update()
        suzanne.parent = None
        suzanne.matrix_world = rig.matrix_world

    plain = run(lambda *_: None)
    assert np.ptp(plain, axis=0).max() > 0.01
    for prepare in (moved, unparented):
        assert (
            np.abs(run(prepare) - plain).max() < 2e-4
        )  # the cage's lattice is the same, its rounding is not


@pytest.mark.parametrize("kind", ["OBJECT", "ARMATURE"])
def test_a_child_with_old_style_deforming_is_not_deformed_twice(kind):
    rig = make_rig()
    suzanne = add_suzanne(rig)
    suzanne.modifiers.remove(suzanne.modifiers["Subdivision"])
    if kind == "ARMATURE":
        suzanne.modifiers.remove(suzanne.modifiers["Armature"])
    suzanne.parent_type = kind
    rig.pose.bones["upper"].matrix_basis = Matrix.Rotation(0.4, 4, "X")
    before = mesh_state(suzanne)
    soften(suzanne)
    set_range(1, 10, substeps=2)
    simulate()
    seen = film(suzanne, range(1, 11))
    assert np.abs(seen - recorded(suzanne)).max() < 1e-6
    simulate()  # while it is shown, with what deforms it switched off
    assert np.abs(film(suzanne, range(1, 11)) - seen).max() < 1e-6
    bpy.ops.redmax.bake()
    assert np.abs(film(suzanne, range(1, 11)) - seen).max() < 1e-5
    bpy.ops.redmax.delete_bake()
    bpy.ops.redmax.free_cache()
    assert mesh_state(suzanne) == before


def test_a_mesh_parented_to_a_bone_hangs_on_that_bone_alone():
    rig = make_rig()
    head = ball("Head", (0.0, 0.0, 0.8))
    head.parent, head.parent_type, head.parent_bone = rig, "BONE", "upper"
    bpy.context.view_layer.update()
    head.matrix_world = Matrix.Translation((0.0, 0.0, 0.8))
    soften(head)
    set_range(1, 10, substeps=2)
    simulation = Simulation(bpy.context)
    (flesh,) = simulation.reading.scene.flesh
    assert [a.body for a in flesh.attachments] == ["Rig/upper"]
    simulate()
    seen = film(head, range(1, 11))
    assert np.abs(_bone_motion(rig, 10) - np.eye(4)).max() > 0.1, "the bone moves"
    # near the bone the flesh is where the bone has carried it
    core = np.argsort(np.linalg.norm(seen[0] - [0.0, 0.0, 0.45], axis=1))[:4]
    for frame, positions in enumerate(seen, start=1):
        motion = _bone_motion(rig, frame)
        carried = seen[0][core] @ motion[:3, :3].T + motion[:3, 3]
        assert np.abs(positions[core] - carried).max() < 0.08
    bpy.ops.redmax.bake()
    assert np.abs(film(head, range(1, 11)) - seen).max() < 1e-5


def _bone_motion(rig: bpy.types.Object, frame: int) -> np.ndarray:
    bpy.context.scene.frame_set(1)
    first = rig.pose.bones["upper"].matrix.copy()
    bpy.context.scene.frame_set(frame)
    return np.array(rig.pose.bones["upper"].matrix @ first.inverted())


def test_a_mesh_parented_to_a_body_is_carried_by_it():
    body = add_box("Body", (0.0, 0.0, 2.0), (0.3, 0.3, 0.3))
    flesh = ball("Flesh", (0.0, 0.0, 2.0))
    flesh.parent = body
    flesh.matrix_parent_inverse = body.matrix_world.inverted()
    bpy.context.view_layer.update()
    soften(flesh)
    set_range(1, 10, substeps=2)
    simulate()
    seen = film(flesh, range(1, 11))
    fallen = 0.5 * 9.81 * (9 / 24) ** 2
    assert seen[0].mean(axis=0) - seen[-1].mean(axis=0) == pytest.approx([0, 0, fallen], rel=0.2, abs=0.02)
    body_fall = _height(body, 1) - _height(body, 10)
    assert body_fall == pytest.approx(fallen, rel=0.2)
    bpy.ops.redmax.bake()
    assert np.abs(film(flesh, range(1, 11)) - seen).max() < 1e-5


def _height(obj, frame):
    bpy.context.scene.frame_set(frame)
    return obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation.z


def test_flesh_alone_pinned_to_the_world():
    """No armature, no body: a ball hangs by the group that pins it."""
    hanging = ball("Hanging")
    top = hanging.vertex_groups.new(name="top")
    top.add([v.index for v in hanging.data.vertices if v.co.z > 0.25], 1.0, "REPLACE")
    hanging.redmax.flesh.pin_group = "top"
    soften(hanging)
    set_range(1, 24, substeps=2)
    assert simulate() == []
    frames = recorded(hanging)
    drop = frames[0] - frames[-1]
    assert drop[:, 2].max() > 0.005
    assert np.abs(drop[vertex_positions(hanging.data)[:, 2] > 0.39]).max() < 0.3 * drop[:, 2].max()


def test_a_part_attached_to_nothing_falls_and_is_named():
    suzanne, _ = soft_suzanne((1, 6))
    far = ball("far", (5.0, 0.0, 0.0))
    bpy.ops.object.select_all(action="DESELECT")
    far.select_set(True)
    suzanne.select_set(True)
    bpy.context.view_layer.objects.active = suzanne
    bpy.ops.object.join()
    soften(suzanne, count=200)
    (warning,) = simulate()
    assert "'Suzanne'" in warning and "attached to nothing and will move freely" in warning
    frames = recorded(suzanne)
    ball_part = vertex_positions(suzanne.data)[:, 0] > 3.0
    fall = 0.5 * 7.0 * (5 / 24) ** 2
    assert (frames[0] - frames[-1])[ball_part, 2] == pytest.approx(fall, rel=0.25)


def test_stiffer_where_the_group_says_so():
    def sag(group: bool) -> float:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        hanging = ball("Hanging")
        top = hanging.vertex_groups.new(name="top")
        top.add([v.index for v in hanging.data.vertices if v.co.z > 0.25], 1.0, "REPLACE")
        hanging.redmax.flesh.pin_group = "top"
        if group:
            hanging.vertex_groups.new(name="soft")  # no vertex has a weight in it
            hanging.redmax.flesh.stiffness_group = "soft"
        soften(hanging)
        set_range(1, 24, substeps=2)
        simulate()
        frames = recorded(hanging)
        return float((frames[0] - frames)[:, :, 2].max())

    assert sag(True) > 3.0 * sag(False)


def test_flesh_starts_in_the_pose_of_its_bones():
    """A posed start: near the bones the flesh is where the Armature modifier shows the skin."""
    suzanne, rig = soft_suzanne()
    suzanne.modifiers["Subdivision"].show_viewport = False
    bpy.context.scene.gravity = (0.0, 0.0, 0.0)
    rig.pose.bones["upper"].matrix_basis = Matrix.Rotation(1.0, 4, "X")
    bpy.context.view_layer.update()
    skin = shown(suzanne)
    simulate()
    bpy.context.scene.frame_set(3)
    far = np.abs(vertex_positions(suzanne.data)[:, 2]) > 0.6
    assert np.abs(skin - vertex_positions(suzanne.data))[far].max() > 0.5, "the pose matters"
    assert np.median(np.linalg.norm(shown(suzanne) - skin, axis=1)[far]) < 0.1


def test_the_engine_in_its_own_process_gives_the_same_flesh():
    suzanne, _ = soft_suzanne((1, 4))
    simulate()
    here = recorded(suzanne).copy()
    simulation = Simulation(bpy.context, apart=True)
    while simulation.advance():
        pass
    simulation.finish(bpy.context)
    assert np.array_equal(recorded(suzanne), here)


def test_a_mirror_modifier_is_named():
    suzanne, _ = soft_suzanne((1, 3))
    suzanne.modifiers.new("Mirror", "MIRROR")
    (warning,) = simulate()
    assert "'Suzanne'" in warning and "'Mirror' copies what is simulated" in warning


def test_a_mesh_in_edit_mode_is_read_as_it_is_and_not_baked():
    suzanne, _ = soft_suzanne((1, 3))
    bpy.context.view_layer.objects.active = suzanne
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(0.0, 0.1, 0.0))
    simulate()
    moved = recorded(suzanne)[0][:, 1].mean()
    with pytest.raises(RuntimeError, match="edit mode"):
        bpy.ops.redmax.bake()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert moved == pytest.approx(vertex_positions(suzanne.data)[:, 1].mean(), abs=1e-3)
    bpy.ops.redmax.bake()
    assert suzanne.redmax.is_baked


def test_flesh_turns_with_a_bone_that_spins_about_itself():
    rig = make_armature([("axle", None, (0, 0, -0.4), (0, 0, 0.4))])
    bpy.ops.object.mode_set(mode="OBJECT")
    make_physical(rig, bpy.context.scene, Choices(root="HINGED"))
    axle = rig.pose.bones["axle"].redmax
    axle.joint, axle.axis, axle.radius = "REVOLUTE", "Y", 0.02
    axle.stiffness, axle.damping, axle.rest_from = 2000.0, 200.0, "ANGLES"
    axle.rest_angles = (0.0, 1.5, 0.0)
    tyre = ball("Tyre")
    tyre.modifiers.new("Armature", "ARMATURE").object = rig
    soften(tyre)
    bpy.context.scene.gravity = (0.0, 0.0, 0.0)
    set_range(1, 36, substeps=2)
    assert simulate() == []
    first, last = recorded(tyre)[[0, -1]]
    rim = np.linalg.norm(first[:, :2], axis=1) > 0.3
    turned = np.angle((last[rim] @ [1, 1j, 0]) / (first[rim] @ [1, 1j, 0]))
    bpy.context.scene.frame_set(36)
    spun = rig.pose.bones["axle"].matrix.to_3x3() @ rig.data.bones["axle"].matrix_local.to_3x3().inverted()
    angle = np.arctan2(spun[1][0], spun[0][0])
    assert abs(angle) > 1.0
    assert np.median(turned) == pytest.approx(angle, abs=0.1)


def test_many_bones_without_flesh_are_told_in_one_line():
    bones = [("root", None, (0, 0, -0.4), (0, 0, 0.4))]
    bones += [(f"far{i}", "root", (5.0 + i, 0, 0), (5.0 + i, 0, 0.5)) for i in range(9)]
    rig = make_armature(bones, connect=False)
    bpy.ops.object.mode_set(mode="OBJECT")
    make_physical(rig, bpy.context.scene)
    thing = ball("Thing")
    thing.modifiers.new("Armature", "ARMATURE").object = rig
    soften(thing)
    set_range(1, 3, substeps=2)
    (warning,) = simulate()
    assert "no flesh is near 9 bones ('far0', " in warning and warning.count("far") == 5


def test_flesh_goes_along_with_an_armature_that_the_animation_moves():
    suzanne, rig = soft_suzanne((1, 12))
    bpy.context.scene.gravity = (0.0, 0.0, 0.0)
    suzanne.modifiers["Subdivision"].show_viewport = False
    for frame, x in ((1, 0.0), (12, 1.5)):
        rig.location.x = x
        rig.keyframe_insert("location", index=0, frame=frame)
    bpy.context.scene.frame_set(1)
    simulate()
    seen = film(suzanne, range(1, 13))
    neck = np.argsort(np.linalg.norm(seen[0] - [0.0, 0.0, -0.4], axis=1))[:20]
    shift = (seen[:, neck] - seen[0, neck]).mean(axis=1)
    ways = []
    for frame in range(1, 13):
        bpy.context.scene.frame_set(frame)
        ways.append(rig.matrix_world.translation.x)
    assert ways[-1] == pytest.approx(1.5)
    assert shift[:, 0] == pytest.approx(ways, abs=0.15)
    bpy.ops.redmax.bake()
    assert np.abs(film(suzanne, range(1, 13)) - seen).max() < 1e-5


def test_a_run_goes_on_from_a_frame_with_the_flesh_that_was_there():
    suzanne, _ = soft_suzanne((1, 10))
    simulate()
    whole = recorded(suzanne).copy()
    suzanne.redmax.flesh.young *= 4.0
    outcome = simulate_scene(bpy.context, since=5)
    assert not outcome.diverged
    again = recorded(suzanne)
    assert np.array_equal(again[:5], whole[:5])
    assert 1e-5 < np.abs(again[-1] - whole[-1]).max() < 0.5


def test_the_pre_roll_of_flesh_is_not_shown():
    suzanne, _ = soft_suzanne((1, 10))
    simulate()
    whole = recorded(suzanne).copy()
    scene = bpy.context.scene
    scene.redmax.frame_start, scene.redmax.preroll = 4, 3
    simulate()
    assert recorded(suzanne).shape[0] == 7
    assert np.abs(recorded(suzanne) - whole[3:]).max() < 1e-6


def test_an_armature_modifier_that_is_added_later_does_not_deform_twice():
    suzanne, rig = soft_suzanne((1, 4))
    simulate()
    seen = film(suzanne)
    suzanne.modifiers.new("Second", "ARMATURE").object = rig
    simulate()
    assert not suzanne.modifiers["Second"].show_viewport
    assert np.abs(film(suzanne) - seen).max() < 1e-6
    suzanne.modifiers["Armature"].show_viewport = True  # the user wants it so
    simulate()
    assert suzanne.modifiers["Armature"].show_viewport
    bpy.ops.redmax.free_cache()
    assert suzanne.modifiers["Second"].show_viewport and suzanne.modifiers["Armature"].show_render


def arm_with_fingers() -> tuple[bpy.types.Object, bpy.types.Object]:
    """An arm of two bones and a thin one, bent at the first frame, in a round skin with smooth weights."""
    rig = make_armature(
        [("upper", None, (0, 0, 0), (0, 0, 1)), ("lower", "upper", (0, 0, 1), (0, 0, 2)),
         ("thin", "lower", (0, 0, 2), (0, 0, 2.5))],
    )  # fmt: skip
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.mesh.primitive_cylinder_add(vertices=12, radius=0.2, depth=2.6, location=(0, 0, 1.25))
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide(number_cuts=3)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.transform_apply(location=True)
    skin = bpy.context.object
    skin.parent = rig
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    ends = {"upper": (-1.0, 1.0), "lower": (1.0, 2.0), "thin": (2.0, 4.0)}
    for name, (low, high) in ends.items():
        group = skin.vertex_groups.new(name=name)
        for vertex in skin.data.vertices:
            inside = min(vertex.co.z - low, high - vertex.co.z)
            weight = float(np.clip(0.5 + inside / 0.3, 0.0, 1.0))
            if weight > 0.0:
                group.add([vertex.index], weight, "REPLACE")
    make_physical(rig, bpy.context.scene, Choices(root="ANCHORED"))
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    rig.pose.bones["lower"].rotation_euler = (1.3, 0.0, 0.0)
    rig.pose.bones["thin"].rotation_euler = (-0.9, 0.3, 0.0)
    bpy.context.view_layer.update()
    return rig, skin


@pytest.mark.parametrize("count", [60, 400])
def test_the_first_frame_is_what_the_armature_shows_at_any_size_of_the_cage(count):
    _, skin = arm_with_fingers()
    set_range(1, 4, substeps=2)
    bpy.context.scene.frame_set(1)
    before = shown(skin)
    soften(skin, count=count)
    assert simulate() == []
    bpy.context.scene.frame_set(1)
    assert np.abs(shown(skin) - before).max() < 1e-5
    mesh = recorded(skin)
    assert np.abs(mesh[3] - mesh[0]).max() > 1e-3  # and it moves on from there


@pytest.mark.parametrize("moving", [False, True])
def test_flesh_that_only_follows_is_the_armatures_skin_in_every_pose(moving):
    """Stiff flesh on bones that are led slowly from pose to pose, as the armature alone shows it."""
    rig, skin = arm_with_fingers()
    scene = bpy.context.scene
    scene.use_gravity = False
    for frame, angle in ((1, 1.3), (30, 0.0), (40, 0.0)):
        rig.pose.bones["lower"].rotation_euler[0] = angle
        rig.pose.bones["thin"].rotation_euler = (-0.7 * angle, 0.2 * angle, 0.0)
        for name in ("lower", "thin"):
            rig.pose.bones[name].keyframe_insert("rotation_euler", frame=frame)
        if moving:
            rig.location[0] = 0.02 * frame
            rig.keyframe_insert("location", frame=frame)
    for bone in rig.pose.bones:
        bone.redmax_control = "KEYFRAMED"
    set_range(1, 40, substeps=2)
    wanted = []
    for frame in (1, 40):
        scene.frame_set(frame)
        wanted.append(shown(skin))
    scene.frame_set(1)
    soften(skin, count=60)
    skin.redmax.flesh.young, skin.redmax.flesh.damping = 1e6, 0.05
    simulate()
    for frame, there, tolerance in ((1, wanted[0], 1e-5), (40, wanted[1], 0.02)):
        scene.frame_set(frame)
        assert np.abs(shown(skin) - there).max() < tolerance
