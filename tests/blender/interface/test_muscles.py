"""Muscles in Blender: drawn, edited, shown, baked and undone; OpenSim models and motions imported."""

import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Vector

sys.path.append(str(Path(__file__).resolve().parents[2] / "engine" / "muscles"))
import small_model as small

from redmax_blender.bridge.muscles import tube as tubes
from redmax_blender.bridge.muscles.add_muscle import add_surface, let_slide
from redmax_blender.bridge.muscles.places import points, shape_of
from redmax_blender.bridge.muscles.show import vertices_of
from redmax_blender.bridge.read.scene import read_scene
from redmax_blender.engine import compile_scene, scene_options, simulate
from redmax_blender.engine.muscles.measure import measure_all
from redmax_blender.engine.muscles.opensim.model import read_model
from redmax_blender.engine.muscles.skeleton import move


def two_bones() -> bpy.types.Object:
    """An upper arm along x and a forearm along x, in pose mode, both selected."""
    data = bpy.data.armatures.new("Arm")
    obj = bpy.data.objects.new("Arm", data)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    for i, name in enumerate(("upper", "fore")):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = (0.3 * i, 0.0, 0.0), (0.3 * i + 0.3, 0.0, 0.0)
    data.edit_bones["fore"].parent = data.edit_bones["upper"]
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="SELECT")
    data.bones.active = data.bones["fore"]
    return obj


def bend(obj: bpy.types.Object, angle: float, frame: int | None = None) -> None:
    bone = obj.pose.bones["fore"]
    bone.rotation_mode = "XYZ"
    bone.rotation_euler = (angle, 0.0, 0.0)
    if frame is not None:
        bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.view_layer.update()


def length(obj: bpy.types.Object) -> float:
    return shape_of(obj, bpy.context.scene, np.zeros(0)).length


def drawn() -> tuple[bpy.types.Object, bpy.types.Object]:
    arm = two_bones()
    assert bpy.ops.redmax.add_muscle(mass=0.2) == {"FINISHED"}
    muscle = next(obj for obj in bpy.data.objects if obj.redmax.muscle.is_muscle)
    return arm, muscle


def test_a_muscle_is_drawn_between_selected_bones_and_follows_them():
    arm, muscle = drawn()
    settings = muscle.redmax.muscle
    assert settings.optimal_length + settings.tendon_length == pytest.approx(length(muscle), rel=1e-6)
    before, where = length(muscle), points(muscle)
    bend(arm, 1.0)
    assert abs(length(muscle) - before) > 0.02
    moved = points(muscle)
    np.testing.assert_allclose(moved[0], where[0], atol=1e-7)
    turned = arm.matrix_world @ arm.pose.bones["fore"].matrix
    rest = arm.matrix_world @ arm.data.bones["fore"].matrix_local
    expected = turned @ rest.inverted() @ Vector(where[-1])
    np.testing.assert_allclose(moved[-1], expected, atol=1e-6)


def test_a_point_that_is_moved_moves_the_path():
    _, muscle = drawn()
    before = length(muscle)
    muscle.data.splines[0].points[0].co.x -= 0.05
    assert length(muscle) == pytest.approx(before + 0.05, abs=5e-3)


def test_blenders_own_hooks_move_the_points_as_ours():
    """What is drawn is what is measured."""
    arm, muscle = drawn()
    bend(arm, 0.8)
    evaluated = muscle.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    shown = np.array([evaluated.matrix_world @ v.co for v in mesh.vertices])
    evaluated.to_mesh_clear()
    np.testing.assert_allclose(shown, points(muscle), atol=1e-5)


def test_the_tube_bulges_at_constant_volume_as_the_muscle_shortens():
    arm, muscle = drawn()
    wanted = muscle.redmax.muscle.mass / muscle.redmax.muscle.density
    thick, long = [], []
    for angle in (0.0, -0.6, -1.2):
        bend(arm, angle)
        bpy.context.scene.frame_set(bpy.context.scene.frame_current)  # scrubbing shows it
        shown = np.array([v.co for v in muscle.redmax.muscle.tube.data.vertices])
        assert tubes.volume(shown) == pytest.approx(wanted, rel=1e-4)
        rings = shown.reshape(tubes.RINGS, tubes.SIDES, 3)
        thick.append(float(np.linalg.norm(rings - rings.mean(axis=1, keepdims=True), axis=2).max()))
        long.append(muscle.redmax.muscle.length)
    assert np.all(np.diff(thick) * np.diff(long) < 0.0)


def test_a_muscle_slides_over_a_surface_on_a_bone():
    arm, muscle = drawn()
    bend(arm, -1.2)
    straight = length(muscle)
    middle = Vector(points(muscle).mean(axis=0))
    matrix = arm.matrix_world.to_3x3().to_4x4()
    matrix.translation = middle
    ball = add_surface("SPHERE", (0.03,) * 3, matrix, bpy.context.scene.collection, carrier=(arm, "upper"))
    bpy.context.view_layer.update()
    np.testing.assert_allclose(ball.matrix_world.translation, middle, atol=1e-6)
    let_slide(muscle, ball)
    assert length(muscle) > straight + 1e-3
    assert len(shape_of(muscle, bpy.context.scene, np.zeros(0)).corners) == 4


def test_bake_makes_shape_keys_that_are_the_tube_and_deleting_it_leaves_nothing():
    arm, muscle = drawn()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 5
    bend(arm, 0.0, 1)
    bend(arm, -1.0, 5)
    bpy.ops.object.mode_set(mode="OBJECT")
    for obj in bpy.context.selected_objects:
        obj.select_set(False)
    muscle.select_set(True)
    bpy.context.view_layer.objects.active = muscle
    assert bpy.ops.redmax.bake_muscles(step=2) == {"FINISHED"}
    made = muscle.redmax.muscle.tube
    for frame in (1, 3, 5):
        scene.frame_set(frame)
        wanted, _ = vertices_of(muscle, scene)
        evaluated = made.evaluated_get(bpy.context.evaluated_depsgraph_get())
        shown = np.array([made.matrix_world @ v.co for v in evaluated.data.vertices])
        np.testing.assert_allclose(shown, wanted, atol=1e-6)
    actions = len(bpy.data.actions)
    assert bpy.ops.redmax.free_muscles() == {"FINISHED"}
    assert made.data.shape_keys is None and len(bpy.data.actions) == actions - 1


def test_one_end_is_a_named_error_and_changes_nothing():
    arm = two_bones()
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(RuntimeError, match="poll"):
        bpy.ops.redmax.add_muscle()
    for name in ("a", "b"):  # both at the same place
        empty = bpy.data.objects.new(name, None)
        bpy.context.scene.collection.objects.link(empty)
        empty.select_set(True)
    arm.select_set(False)
    count = len(bpy.data.curves)
    with pytest.raises(RuntimeError, match="its length is zero"):
        bpy.ops.redmax.add_muscle()
    assert len(bpy.data.curves) == count


@pytest.fixture
def leg(tmp_path: Path) -> Path:
    path = tmp_path / "leg.osim"
    path.write_text(small.leg())
    return path


def test_an_opensim_model_stands_as_in_its_file(leg: Path):
    assert bpy.ops.redmax.import_opensim(filepath=str(leg)) == {"FINISHED"}
    model = read_model(leg)
    arm = bpy.context.view_layer.objects.active
    q = model.skeleton.default()
    m = move(model.skeleton, q)
    for b, body in enumerate(model.skeleton.bodies):
        head = arm.matrix_world.inverted() @ (arm.matrix_world @ arm.pose.bones[body.name].head)
        np.testing.assert_allclose(head, m.p[b], atol=1e-6)
    found = measure_all(model.skeleton, [r.path for r in model.muscles], q)
    for name, measured in found.items():
        assert length(bpy.data.objects[name]) == pytest.approx(measured.length, abs=2e-6), name
        assert bpy.data.objects[name].redmax.muscle.tube is not None
    assert bpy.data.objects["condyle"].redmax.wrap.kind == "CYLINDER"
    assert "quadriceps" in bpy.data.texts["OpenSim Import"].as_string()


def test_an_opensim_model_has_the_joints_ranges_and_masses_of_its_file(leg: Path):
    leg.write_text(small.leg(constraints=small.COUPLER))
    bpy.ops.redmax.import_opensim(filepath=str(leg), tubes=False)
    model = read_model(leg).skeleton
    arm = bpy.context.view_layer.objects.active
    bones = {bone.name: bone.redmax for bone in arm.pose.bones}
    assert [bones[body.name].joint for body in model.bodies] == ["SPHERICAL", "REVOLUTE", "REVOLUTE"]
    assert [bones[body.name].mass for body in model.bodies] == pytest.approx([b.mass for b in model.bodies])
    q = model.default()
    made = read_scene(bpy.context, [arm]).scene
    compiled = compile_scene(made)
    for body in model.bodies:  # its centre of mass and moments, from the capsule
        i = compiled.bodies.names.index(f"leg/{body.name}")
        m, own = compiled.bodies.inertia[i, 3], np.sort(compiled.bodies.inertia[i, :3])
        assert m == pytest.approx(body.mass, rel=1e-5)
        assert own == pytest.approx(np.linalg.eigvalsh(body.inertia), rel=0.25, abs=1e-3)
    k = model.index("bend")
    knee = bones["shank"]
    a = int(np.argmax(np.abs(knee.axis_vector)))
    assert knee.use_limits[a]
    ends = sorted(abs(v) for v in (knee.limits_min[a], knee.limits_max[a]))
    assert ends == pytest.approx(sorted(abs(v - q[k]) for v in (-2.0, 2.0)), abs=1e-5)
    assert bones["foot"].coupling.bone == "shank"
    assert bones["foot"].coupling.ratio == pytest.approx(0.5, abs=1e-5)
    # a little of the hinge moves the foot as the model's coordinate does, but for the slide
    frame = arm.matrix_world @ arm.pose.bones["shank"].matrix
    axis = frame.to_3x3() @ Vector(knee.axis_vector)
    jw = move(model, q).Jw[1][:, k]
    expected = arm.matrix_world.to_3x3() @ Vector((jw / np.linalg.norm(jw)).tolist())
    assert (axis - expected).length < 1e-5
    assert "knee" in bpy.data.texts["OpenSim Import"].as_string()
    frames = list(simulate(compiled, scene_options(made), end=made.time.start + 0.1))
    assert np.isfinite(frames[-1].state.q).all() and np.abs(frames[-1].state.qdot).max() > 0.05


def test_an_opensim_motion_moves_bones_and_muscles_as_the_model(leg: Path, tmp_path: Path):
    bpy.ops.redmax.import_opensim(filepath=str(leg))
    rows = [["swing", "bend", "toe", "spread"], [0.1, -0.2, 0.1, 0.0], [0.5, -1.0, -0.2, 0.2]]
    text = ["m", "nRows=2", "nColumns=5", "inDegrees=no", "endheader", "time " + " ".join(rows[0])]
    text += [f"{0.5 * i} " + " ".join(map(str, row)) for i, row in enumerate(rows[1:])]
    (tmp_path / "m.mot").write_text("\n".join(text) + "\n")
    scene = bpy.context.scene
    scene.render.fps = 24
    assert bpy.ops.redmax.import_opensim_motion(filepath=str(tmp_path / "m.mot")) == {"FINISHED"}
    model = read_model(leg)
    arm = bpy.context.object
    for i, row in enumerate(rows[1:]):
        scene.frame_set(scene.frame_start + 12 * i)
        q = model.skeleton.default()
        for name, value in zip(rows[0], row, strict=True):
            q[model.skeleton.index(name)] = value
        m = move(model.skeleton, q)
        for b, body in enumerate(model.skeleton.bodies):
            np.testing.assert_allclose(arm.pose.bones[body.name].head, m.p[b], atol=2e-6)
        for name in ("tibialis", "wrapped"):
            path = next(r.path for r in model.muscles if r.name == name)
            measured = measure_all(model.skeleton, [path], q)[name]
            assert bpy.data.objects[name].redmax.muscle.length == pytest.approx(measured.length, abs=5e-6)


@pytest.mark.parametrize(
    "text", ["", "<html/>", small.leg()[:4000], small.leg().replace("<mass>3.0", "<mass>-1")]
)
def test_a_bad_file_adds_nothing(text: str, tmp_path: Path):
    (tmp_path / "bad.osim").write_text(text)
    with pytest.raises(RuntimeError, match=r"bad\.osim"):
        bpy.ops.redmax.import_opensim(filepath=str(tmp_path / "bad.osim"))
    assert not bpy.data.objects and not bpy.data.armatures and len(bpy.data.collections) == 0


def test_undo_takes_a_muscle_back():
    arm = two_bones()
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.redmax.add_muscle()
    bpy.ops.ed.undo_push(message="after")
    assert any(obj.redmax.muscle.is_muscle for obj in bpy.data.objects)
    bpy.ops.ed.undo()
    assert not any(obj.redmax.muscle.is_muscle for obj in bpy.data.objects)
    assert arm is not None


def test_an_excited_muscle_bends_the_arm_that_is_simulated_and_a_slack_one_does_not():
    """Flexor of a forearm without gravity; the muscle's excitation is all that moves it."""
    turned = {}
    for excitation in (0.0, 1.0):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        arm, muscle = drawn()
        scene = bpy.context.scene
        scene.use_gravity = False
        scene.redmax.frame_end = 8
        bpy.ops.object.mode_set(mode="OBJECT")
        for obj in bpy.context.selected_objects:
            obj.select_set(False)
        arm.select_set(True)
        bpy.context.view_layer.objects.active = arm
        bpy.ops.redmax.make_physical()
        arm.pose.bones["upper"].redmax.joint = "FIXED"
        fore = arm.pose.bones["fore"].redmax
        fore.joint, fore.axis, fore.stiffness = "REVOLUTE", "X", 0.0
        muscle.redmax.muscle.excitation = excitation
        muscle.redmax.muscle.max_force = 20.0
        made = read_scene(bpy.context, [arm]).scene
        assert [p.body for p in made.muscles[0].points] == ["Arm/upper", "Arm/fore"]
        frames = list(simulate(compile_scene(made), scene_options(made), end=made.time.end))
        turned[excitation] = abs(float(frames[-1].state.q[-1] - frames[0].state.q[-1]))
    assert turned[1.0] > 10.0 * turned[0.0] and turned[1.0] > 0.01
