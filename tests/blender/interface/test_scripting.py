"""Without the mouse: scene files out and in, the command in Blender, and operators that equal their functions."""

import json
import subprocess
import sys
from pathlib import Path

import bpy
import pytest
from blender_fixtures import make_chain, set_range, snapshot
from mechanism_fixtures import add_box, add_four_bar, add_joint

from redmax_blender import blender_command
from redmax_blender.bridge.mechanism.add_ground import add_ground
from redmax_blender.bridge.mechanism.add_spring import add_spring
from redmax_blender.bridge.mechanism.export_scene import export_scene
from redmax_blender.bridge.mechanism.import_scene import add_scene, import_scene
from redmax_blender.bridge.rig.make_physical import make_physical
from redmax_blender.bridge.run.simulate_scene import Simulation
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.run.simulate import make_frame
from redmax_blender.engine.scene import spec
from redmax_blender.engine.scene.file import encode_scene, load_scene

ROOT = Path(__file__).resolve().parents[3]


def swinging_mechanism():
    """A box on a hinge with friction, another one that falls on a ground and a stone, and a spring."""
    wall = add_box("wall", (0.0, 0.0, 2.0), (0.2, 0.2, 0.2), role="ANCHORED")
    arm = add_box("arm", (0.5, 0.0, 2.0), (1.0, 0.1, 0.1))
    loose = add_box("loose", (0.0, 0.0, 1.0), (0.3, 0.3, 0.3))
    loose.redmax.surface.collide, loose.redmax.surface.group = True, "boxes"
    hinge = add_joint("hinge", "HINGE", wall, arm, (0.0, 0.0, 2.0))
    friction = hinge.redmax.friction
    friction.coefficient, friction.radius, friction.height = 0.25, 0.05, 0.125
    bpy.context.view_layer.update()
    add_spring([arm, loose], bpy.context.scene.collection, kind="SPRING", name="spring")
    add_ground(bpy.context.scene, bpy.context.scene.collection)
    stone = add_box("stone", (0.0, 0.0, 0.25), (0.5, 0.5, 0.5), role="NONE")
    stone.redmax.collider.role, stone.redmax.collider.shape = "COLLIDER", "BOX"
    stone.redmax.surface.friction = 0.75
    set_range(1, 10)
    bpy.context.view_layer.update()


def start_poses(made):
    model = compile_scene(made)
    frame = make_frame(model, model.initial_state())
    return dict(zip(model.bodies.names, frame.body_pose[:, 9:]))


# Scene files. -----------------------------------------------------------------------------------------------


def test_the_file_holds_what_a_simulation_is_given(tmp_path):
    swinging_mechanism()
    written = export_scene(bpy.context, tmp_path / "scene.json")
    assert encode_scene(load_scene(tmp_path / "scene.json")) == encode_scene(written)
    assert encode_scene(Simulation(bpy.context).reading.scene) == encode_scene(written)


def test_exporting_changes_nothing_in_the_file(tmp_path):
    obj = make_chain(3)
    make_physical(obj, bpy.context.scene)
    obj.pose.bones["bone1"].rotation_quaternion = (0.9, 0.1, 0.0, 0.0)
    bpy.context.scene.frame_set(7)
    before = snapshot()
    export_scene(bpy.context, tmp_path / "scene.json")
    assert snapshot() == before


def test_the_exported_file_runs_without_blender(tmp_path):
    make_physical(make_chain(3), bpy.context.scene)
    set_range(1, 5)
    export_scene(bpy.context, tmp_path / "scene.json")
    from redmax_blender.cli import main

    assert main(["run", str(tmp_path / "scene.json"), "--out", str(tmp_path / "out.npz")]) == 0
    assert (tmp_path / "out.npz").exists()


def test_a_mechanism_comes_back_as_it_was_exported(tmp_path):
    swinging_mechanism()
    written = export_scene(bpy.context, tmp_path / "scene.json")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import_scene(bpy.context, tmp_path / "scene.json")
    again = export_scene(bpy.context, tmp_path / "again.json")
    before, after = start_poses(written), start_poses(again)
    assert before.keys() == after.keys()
    for name, place in before.items():
        assert after[name] == pytest.approx(place, abs=1e-5)
    friction = {body.joint.name: body.joint.friction for body in again.bodies if body.joint.friction}
    assert friction["hinge"].coefficient == pytest.approx(0.25)
    assert (friction["hinge"].radius, friction["hinge"].height) == pytest.approx((0.05, 0.125))
    surfaces = {body.name: body.surface for body in again.bodies if body.surface}
    assert surfaces["loose"].groups == ["boxes"] and surfaces.keys() == {"loose"}
    assert {c.name: type(c.shape) for c in again.colliders} == {"Ground": spec.Plane, "stone": spec.Cuboid}
    assert next(c.friction for c in again.colliders if c.name == "stone") == pytest.approx(0.75)
    assert (again.time.end, again.time.step) == pytest.approx((written.time.end, written.time.step))
    (spring,) = again.forces
    assert spring.stiffness == pytest.approx(written.forces[0].stiffness)


def test_a_loop_comes_back_as_a_loop_with_its_friction(tmp_path):
    add_four_bar()
    for name in "ABCD":
        bpy.data.objects[name].redmax.friction.coefficient = 0.5
    set_range(1, 4)
    written = export_scene(bpy.context, tmp_path / "scene.json")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import_scene(bpy.context, tmp_path / "scene.json")
    again = export_scene(bpy.context, tmp_path / "again.json")
    assert sorted(map(type, again.constraints), key=str) == sorted(map(type, written.constraints), key=str)
    for made in (written, again):
        rubbing = [body.joint.friction for body in made.bodies if body.joint.friction]
        rubbing += [loop.friction for loop in made.constraints if getattr(loop, "friction", None)]
        assert [friction.coefficient for friction in rubbing] == pytest.approx([0.5] * 4)


def test_a_file_that_no_objects_can_mean_leaves_nothing_behind(tmp_path):
    swinging_mechanism()
    written = export_scene(bpy.context, tmp_path / "scene.json")
    written.constraints.append(
        spec.PrescribedTwist(body="arm", angular=[spec.Constant(1.0), None, None], name="rod")
    )
    bpy.ops.wm.read_factory_settings(use_empty=True)
    before = snapshot()
    with pytest.raises(SceneError, match="rod"):
        add_scene(bpy.context.scene, written)
    assert snapshot() == before
    assert not bpy.data.meshes and not bpy.data.collections


@pytest.mark.parametrize("text", ["", "{}", '{"format": "redmax-scene", "version": 1, "bodies": 3}'])
def test_a_broken_file_is_reported_and_changes_nothing(tmp_path, text):
    path = tmp_path / "broken.json"
    path.write_text(text)
    before = snapshot()
    with pytest.raises(RuntimeError, match=r"broken\.json"):
        bpy.ops.redmax.import_scene(filepath=str(path))
    assert snapshot() == before


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    make_physical(make_chain(2), bpy.context.scene)
    with pytest.raises(SceneError, match="nowhere"):
        export_scene(bpy.context, tmp_path / "nowhere" / "scene.json")


def test_the_operators_equal_the_functions(tmp_path):
    swinging_mechanism()
    export_scene(bpy.context, tmp_path / "function.json")
    assert bpy.ops.redmax.export_scene(filepath=str(tmp_path / "operator.json")) == {"FINISHED"}
    assert (tmp_path / "function.json").read_bytes() == (tmp_path / "operator.json").read_bytes()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert bpy.ops.redmax.import_scene(filepath=str(tmp_path / "operator.json")) == {"FINISHED"}
    by_operator = sorted(obj.name for obj in bpy.data.objects)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import_scene(bpy.context, tmp_path / "operator.json")
    assert sorted(obj.name for obj in bpy.data.objects) == by_operator


# The command. -----------------------------------------------------------------------------------------------


def test_the_command_bakes_a_file(tmp_path):
    make_physical(make_chain(3), bpy.context.scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    arguments = ["bake", str(tmp_path / "rig.blend"), "--out", str(tmp_path / "baked.blend")]
    assert blender_command.run([*arguments, "--start", "3", "--end", "8", "--substeps", "4"]) == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "baked.blend"))
    obj = bpy.data.objects["Rig"]
    assert obj.redmax.is_baked and obj.animation_data.action is not None
    assert tuple(obj.animation_data.action.frame_range) == (3.0, 8.0)
    assert bpy.context.scene.redmax.substeps == 4


def test_the_command_says_what_is_wrong(tmp_path, capsys):
    assert blender_command.run(["bake", str(tmp_path / "missing.blend")]) == 2
    assert "missing.blend" in capsys.readouterr().err
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "empty.blend"))
    assert blender_command.run(["bake", str(tmp_path / "empty.blend")]) == 2
    assert "no bone is physical" in capsys.readouterr().err
    (tmp_path / "text.blend").write_text("no")
    assert blender_command.run(["bake", str(tmp_path / "text.blend")]) == 2


def test_the_command_runs_a_scene_file(tmp_path, capsys):
    add_box("box", (0.0, 0.0, 1.0))
    set_range(1, 4)
    export_scene(bpy.context, tmp_path / "scene.json")
    report = tmp_path / "report.json"
    assert blender_command.run(["run", str(tmp_path / "scene.json"), "--report", str(report)]) == 0
    assert json.loads(report.read_text())["status"] == "finished"


def test_the_command_is_registered_with_the_extension():
    code = (
        "import sys, bpy, os; names = []; bpy.utils.register_cli_command = lambda name, run: names.append(name)\n"
        "bpy.utils.unregister_cli_command = lambda handle: names.append('gone')\n"
        "import redmax_blender; redmax_blender.register(); redmax_blender.unregister()\n"
        "print(names, flush=True); os._exit(0)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert run.stdout.strip().endswith("['redmax', 'gone']"), run.stdout + run.stderr


# Documentation. ---------------------------------------------------------------------------------------------


def test_every_function_that_an_operator_calls_is_documented():
    import ast

    from redmax_blender import operators

    package = Path(operators.__file__).parent.parent
    for path in Path(operators.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.ImportFrom)
                and node.level == 2
                and (node.module or "").startswith("bridge.")
            ):
                file = package / f"{node.module.replace('.', '/')}.py"
                if not file.is_file():
                    continue  # a folder, of which a whole module is taken
                source = ast.parse(file.read_text())
                documented = {
                    item.name: ast.get_docstring(item)
                    for item in source.body
                    if isinstance(item, (ast.FunctionDef, ast.ClassDef))
                }
                for name in (alias.name for alias in node.names):
                    if name in documented and not name.isupper():
                        assert documented[name], f"{node.module}.{name}"
