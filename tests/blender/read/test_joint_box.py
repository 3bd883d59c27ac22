"""The joint-friction box for joints between objects: sizes, overlay, colours, graphs, and simulating from here on."""

from math import radians

import bpy
import numpy as np
import pytest
from mechanism_fixtures import ABOUT_Y, add_box, add_joint, world
from panel_fixtures import draw

from redmax_blender.bridge.read.friction import joint_friction_size
from redmax_blender.bridge.read.scene import read_scene
from redmax_blender.bridge.recording import figure_cache
from redmax_blender.drawing import collect, shapes


def pendulum() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A box that swings on a hinge which rubs, and its hinge, active."""
    box = add_box("box", (0.5, 0.0, 0.0), (1.0, 0.1, 0.2))
    hinge = add_joint("hinge", "HINGE", None, box, (0.0, 0.0, 0.0), ABOUT_Y)
    hinge.redmax.friction.coefficient = 0.2
    bpy.context.view_layer.objects.active = hinge
    scene = bpy.context.scene
    scene.redmax.frame_start, scene.redmax.frame_end, scene.redmax.substeps = 1, 9, 8
    scene.redmax.integrator = "euler"
    return box, hinge


def swing() -> np.ndarray:
    """The box over all frames, as it is shown."""
    scene, found = bpy.context.scene, []
    for frame in range(1, 10):
        scene.frame_set(frame)
        found.append(world(bpy.data.objects["box"]))
    return np.array(found)


def test_sizes_of_zero_are_those_that_are_simulated_however_a_body_is_turned():
    box, hinge = pendulum()
    box.rotation_euler = (0.4, 0.3, radians(45.0))
    bpy.context.view_layer.update()
    friction = read_scene(bpy.context, []).scene.bodies[0].joint.friction
    assert joint_friction_size(hinge) == pytest.approx((friction.radius, friction.height), rel=1e-5)
    labels = [text for kind, text, _ in draw(bpy.types.VIEW3D_PT_redmax_friction) if kind == "label"]
    assert any("a cylinder about its axis" in text and "2.5 cm" in text for text in labels), labels


def test_a_fixed_joint_says_that_nothing_rubs():
    _, hinge = pendulum()
    hinge.redmax.joint.kind = "FIXED"
    drawn = draw(bpy.types.VIEW3D_PT_redmax_friction)
    assert not any(kind == "prop" for kind, *_ in drawn)


def test_colour_graph_and_another_try_from_the_current_frame():
    """Friction that is changed at a frame changes what comes after it; the torque can be seen and plotted."""
    _, hinge = pendulum()
    scene = bpy.context.scene
    assert bpy.ops.redmax.simulate() == {"FINISHED"}
    before = swing()
    start, figures = figure_cache.shown(scene)
    scene.frame_set(6)
    overlay = scene.redmax.overlay
    for name in ("bodies", "joints", "contacts"):
        setattr(overlay, name, False)
    overlay.show = overlay.friction = True
    part = figures.friction_torque(6 - start)["hinge"] / figures.largest_friction()
    colours = {tuple(colour) for colour in collect.scene_lines(scene).arrays()[1].tolist()}
    assert part > 0.0 and colours == {tuple(np.float32(shapes.ramp(part)).tolist())}
    hinge.select_set(True)
    assert bpy.ops.redmax.graph_figures(only_selected=True) == {"FINISHED"}
    holder = bpy.data.objects["RedMax Graphs"]
    assert abs(holder["friction hinge"]) == pytest.approx(
        figures.friction_torque(6 - start)["hinge"], rel=1e-5
    )
    hinge.redmax.friction.coefficient = 5.0
    assert bpy.ops.redmax.simulate(from_current=True) == {"FINISHED"}
    after = swing()
    np.testing.assert_array_equal(after[:6], before[:6])
    assert np.abs(after[-1] - before[-1]).max() > 0.01
