"""Inquire: what selected parts feel, over the frames of a simulation, live, as graphs, as a table and as arrows."""

import csv
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_fixtures import make_chain, set_range
from mechanism_fixtures import add_box, add_empty, add_four_bar, add_joint

from redmax_blender.bridge.inquire import asking
from redmax_blender.bridge.inquire.told import lines
from redmax_blender.bridge.mechanism.add_spring import add_spring
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.engine_process import engine
from redmax_blender.bridge.run.live import Live
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.drawing.inquiry import add_inquiry
from redmax_blender.drawing.shapes import Lines
from redmax_blender.engine.errors import SceneError

WEIGHT = 9.81 * 8.0


def select(*objects: bpy.types.Object) -> None:
    for obj in bpy.context.scene.objects:
        obj.select_set(obj in objects)


def hanging() -> bpy.types.Object:
    """A block of 8 kg on a rod and a hinge, at rest; the hinge."""
    block, hook = add_box("block", (0.0, 0.0, -1.0), (0.2, 0.2, 0.2)), add_empty("hook", (0.0, 0.0, 0.0))
    pole = add_box("pole", (2.0, 0.0, -0.5), (0.1, 0.1, 1.0))
    pole.redmax.body.mass_from, pole.redmax.body.mass = "MASS", 8.0
    hinge = add_joint("hinge", "HINGE", None, pole, (2.0, 0.0, 0.0))
    bpy.context.view_layer.update()
    add_spring([hook, block], bpy.context.scene.collection, kind="ROD", name="rod")
    set_range(1, 6, 4)
    return hinge


def test_a_rod_and_a_hinge_carry_what_hangs_on_them(tmp_path: Path):
    hinge = hanging()
    simulate_scene(bpy.context)
    select(hinge, bpy.data.objects["rod"], bpy.data.objects["block"])
    assert bpy.ops.redmax.inquire() == {"FINISHED"}
    found = asking.answers(bpy.context.scene)
    assert len(found.moments) == 6 and found.first == 1
    told = found.at(4).columns
    assert told["rod tension [N]"] == pytest.approx(WEIGHT, rel=1e-6)
    assert told["hinge reaction force z [N]"] == pytest.approx(WEIGHT, rel=1e-6)
    assert told["block force in all z [N]"] == pytest.approx(0.0, abs=1e-5)
    assert ("hinge reaction force", "0, 0, 78.48 N") in [
        (what, value.replace("-", "")) for what, value in lines({k: round(v, 6) for k, v in told.items()})
    ]

    assert bpy.ops.redmax.graph_inquiry() == {"FINISHED"}
    holder = next(obj for obj in bpy.data.objects if obj.redmax.graphs)
    bpy.context.scene.frame_set(3)
    assert holder["rod tension (N)"] == pytest.approx(WEIGHT, rel=1e-5)

    path = tmp_path / "told.csv"
    assert bpy.ops.redmax.inquiry_table(filepath=str(path)) == {"FINISHED"}
    rows = list(csv.DictReader(path.open()))
    assert [row["frame"] for row in rows] == [str(k) for k in range(1, 7)]
    assert float(rows[2]["rod tension [N]"]) == pytest.approx(WEIGHT, rel=1e-6)

    bpy.context.scene.redmax.inquire.size = 0.5
    drawn = Lines()
    add_inquiry(drawn, bpy.context.scene)
    assert max(np.linalg.norm(np.diff(s, axis=1), axis=2).max() for s in drawn.segments) == pytest.approx(0.5)
    bpy.context.scene.redmax.inquire.show = False
    empty = Lines()
    add_inquiry(empty, bpy.context.scene)
    assert len(empty) == 0


def test_axes_are_those_of_the_joint_and_answers_go_with_their_simulation():
    """A pole that leans by 30 degrees about its hinge presses along its own axis with the cosine of its weight."""
    hinge = hanging()
    hinge.rotation_euler = (-np.pi / 2, 0.0, np.pi / 4)  # its z axis lies in the ground, halfway to x
    simulate_scene(bpy.context)
    select(hinge)
    told = asking.inquire_scene(bpy.context, "joint").at(2).columns
    force = np.array([told[f"hinge reaction force {k} [N]"] for k in "xyz"])
    assert np.linalg.norm(force) == pytest.approx(WEIGHT, rel=1e-5)
    assert abs(force[2]) < 1e-5  # along the axis of the hinge
    bpy.context.scene.redmax.substeps = 5
    with pytest.raises(SceneError, match="settings were changed"):
        asking.inquire_scene(bpy.context)
    simulate_scene(bpy.context)
    assert asking.answers(bpy.context.scene) is None  # they were about another one


def test_without_a_selection_energy_and_momentum_of_everything_are_told_and_bones_have_names():
    rig = make_chain(3)
    make_physical(rig, bpy.context.scene, Choices())
    set_range(1, 4, 4)
    simulate_scene(bpy.context)
    select()
    bpy.context.view_layer.objects.active = None
    assert "kinetic energy [J]" in asking.inquire_scene(bpy.context).at(2).columns
    select(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="SELECT")
    told = asking.inquire_scene(bpy.context)
    assert len(told.names) == 3 and told.names[0].startswith(f"{rig.name}/")
    assert f"{told.names[1]} reaction torque x [N·m]" in told.at(2).columns
    bpy.ops.object.mode_set(mode="OBJECT")


def test_what_is_asked_in_the_engines_process_is_what_is_asked_here():
    bars = add_four_bar()
    set_range(1, 5, 4)
    simulate_scene(bpy.context)
    select(*bars, *(bpy.data.objects[name] for name in "ABCD"))
    here = asking.inquire_scene(bpy.context)
    try:
        apart = asking.Asking(bpy.context, "world", apart=True)
        while apart.advance():
            pass
    finally:
        engine.close()
    assert [told.columns for told in apart.answers.moments] == [told.columns for told in here.moments]
    assert apart.answers.moments[3].arrows == here.moments[3].arrows


def test_a_live_run_tells_what_is_asked_at_every_frame():
    hanging()
    with Live(bpy.context) as live:
        live.take()
        live.ask(bpy.context.scene, ["hinge", "block"])
        live.take()
        told = asking.answers(bpy.context.scene).at(0)
        assert told.columns["hinge reaction force z [N]"] == pytest.approx(WEIGHT, rel=1e-6)
        live.ask(bpy.context.scene, ["nothing"])
        assert "takes no part" in live.run.refused
    assert asking.answers(bpy.context.scene) is None
