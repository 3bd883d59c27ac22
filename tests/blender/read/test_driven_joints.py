"""Motors of joints between objects: those that follow keys, and those that keep a speed with a limited force."""

import bpy
import numpy as np
import pytest
from mechanism_fixtures import ABOUT_Y, add_box, add_four_bar, add_joint, world

from redmax_blender.bridge.run.fingerprint import fingerprint
from redmax_blender.bridge.run.simulate_scene import Simulation
from redmax_blender.engine.errors import SceneError


def run(frames: int = 25, substeps: int = 4) -> None:
    scene = bpy.context.scene
    scene.redmax.frame_start, scene.redmax.frame_end, scene.redmax.substeps = 1, frames, substeps
    scene.frame_set(1)
    assert bpy.ops.redmax.simulate() == {"FINISHED"}


def keyed(joint: bpy.types.Object, name: str, keys: dict[int, float]) -> None:
    settings = joint.redmax.joint
    settings.use_motor, settings.motor_kind = True, "KEYED"
    for frame, value in keys.items():
        setattr(settings, name, value)
        joint.keyframe_insert(f"redmax.joint.{name}", frame=frame)


def angle_about_y(obj: bpy.types.Object) -> float:
    R = world(obj)[:3, :3]
    R = R / np.linalg.norm(R, axis=0)
    return float(np.arctan2(R[0, 2], R[2, 2]))


@pytest.mark.parametrize("swapped", [False, True])
def test_a_keyed_hinge_is_at_its_keys_at_every_frame(swapped):
    """The second object against the first; and so it stays when the second one is what holds the first."""
    base = add_box("base", (0.0, 0.0, 0.0), role="ANCHORED")
    arm = add_box("arm", (0.0, 0.0, 1.0), (0.2, 0.2, 2.0))
    first, second = (arm, base) if swapped else (base, arm)
    hinge = add_joint("hinge", "HINGE", first, second, (0.0, 0.0, 0.0))
    keyed(hinge, "motor_angle", {1: 0.3, 25: 1.5})
    curve = hinge.redmax.joint.path_from_id("motor_angle")
    run()
    for frame in (1, 7, 13, 25):
        bpy.context.scene.frame_set(frame)
        asked = hinge.redmax.joint.motor_angle - 0.3
        assert curve and angle_about_y(arm) == pytest.approx(-asked if swapped else asked, abs=1e-5)


def test_a_keyed_slider_moves_by_its_keys_in_scene_units():
    scene = bpy.context.scene
    scene.unit_settings.scale_length = 0.1
    base = add_box("base", (0.0, 0.0, 0.0), role="ANCHORED")
    sled = add_box("sled", (2.0, 0.0, 0.0))
    rail = add_joint("rail", "SLIDER", base, sled, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    keyed(rail, "motor_distance", {1: 0.0, 25: 3.0})
    run()
    scene.frame_set(25)
    assert world(sled)[0, 3] == pytest.approx(5.0, abs=1e-5)


def test_a_keyed_crank_drives_a_loop_and_is_never_cut():
    """The rocker of a parallelogram turns as its crank does; the hinge by which it is driven is part of the tree."""
    add_four_bar()
    keyed(bpy.data.objects["A"], "motor_angle", {1: 0.0, 25: 0.6})
    run()
    scene = bpy.context.scene
    simulated = fingerprint(scene)
    assert "A" not in scene.redmax.cut_joints.splitlines()
    left, right = (bpy.data.objects[name] for name in ("left", "right"))
    for frame in (9, 25):
        scene.frame_set(frame)
        assert angle_about_y(right) == pytest.approx(angle_about_y(left), abs=1e-4)
        assert (
            fingerprint(scene) == simulated
        )  # what is keyed differs from frame to frame; the scene does not
    assert angle_about_y(left) == pytest.approx(0.9, abs=1e-4)


@pytest.mark.parametrize(("force", "turns"), [(500.0, True), (5.0, False)])
def test_a_motor_with_a_limit_keeps_its_speed_or_stalls(force, turns):
    """An arm of 8 kg, a metre long, weighs 39 N·m on a hinge about which it lies level."""
    base = add_box("base", (0.0, 0.0, 0.0), role="ANCHORED")
    arm = add_box("arm", (0.5, 0.0, 0.0), (1.0, 0.1, 0.08))
    settings = add_joint("hinge", "HINGE", base, arm, (0.0, 0.0, 0.0)).redmax.joint
    settings.use_motor, settings.motor_kind = True, "LIMITED"
    settings.motor_speed, settings.motor_force = -1.0, force
    run(7)
    bpy.context.scene.frame_set(7)
    rise = np.arctan2(world(arm)[2, 3], world(arm)[0, 3])
    if turns:
        assert rise == pytest.approx(6.0 / 24.0, abs=0.02)
    else:
        assert rise < -0.1


def test_a_piston_is_driven_along_its_axis_and_turns_freely():
    base = add_box("base", (0.0, 0.0, 0.0), role="ANCHORED")
    rod = add_box("rod", (2.0, 0.3, 0.0), (1.0, 1.0, 0.2))
    piston = add_joint("piston", "PISTON", base, rod, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    keyed(piston, "motor_distance", {1: 0.0, 13: 0.5})
    run(13)
    bpy.context.scene.frame_set(13)
    assert world(rod)[0, 3] == pytest.approx(2.5, abs=1e-5)
    assert world(rod)[2, 3] < -0.01  # its weight is beside the axis


@pytest.mark.parametrize(
    ("kind", "cut", "says"), [("POINT", "AUTO", "no axis to drive"), ("HINGE", "ALWAYS", "cut always")]
)
def test_what_cannot_be_driven_is_named(kind, cut, says):
    base = add_box("base", (0.0, 0.0, 0.0), role="ANCHORED")
    arm = add_box("arm", (0.0, 0.0, 1.0))
    settings = add_joint("shoulder", kind, base, arm, (0.0, 0.0, 0.0), ABOUT_Y).redmax.joint
    settings.use_motor, settings.motor_kind, settings.cut = True, "KEYED", cut
    with pytest.raises(SceneError, match="shoulder.*" + says):
        Simulation(bpy.context)
