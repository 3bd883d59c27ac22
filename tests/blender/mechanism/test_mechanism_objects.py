"""Mechanisms of objects: what is simulated is what is shown and baked, and loops stay closed."""

import bpy
import numpy as np
import pytest
from blender_fixtures import make_chain, set_range, snapshot
from mathutils import Matrix
from mechanism_fixtures import (
    ABOUT_Y,
    add_box,
    add_constraint,
    add_empty,
    add_four_bar,
    add_joint,
    constrain,
    make_blenders,
    off_cache,
    world,
)

from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.simulate_scene import Simulation, simulate_scene

NAMES = ("left", "coupler", "right")


def run(frames: int = 24, substeps: int = 4):
    set_range(1, frames, substeps)
    bpy.context.scene.redmax.integrator = "euler"
    return simulate_scene(bpy.context)


def hinge_gap(first: bpy.types.Object, second: bpy.types.Object, at: np.ndarray, frames: range) -> float:
    """How far the points of two objects that are together at frame 1 come apart."""
    scene = bpy.context.scene
    scene.frame_set(1)
    locals_ = [np.linalg.inv(world(obj)) @ [*at, 1.0] for obj in (first, second)]
    worst = 0.0
    for frame in frames:
        scene.frame_set(frame)
        a, b = (world(obj) @ local for obj, local in zip((first, second), locals_))
        worst = max(worst, float(np.abs(a - b).max()))
    return worst


def test_four_bar_swings_with_its_loop_closed_and_bakes_what_it_shows():
    bars = add_four_bar()
    modes = dict(zip(NAMES, ("QUATERNION", "ZXY", "AXIS_ANGLE")))
    for name, mode in modes.items():
        bpy.data.objects[name].rotation_mode = mode
    outcome = run(60)
    assert outcome.warnings == []
    scene = bpy.context.scene
    assert scene.redmax.cut_joints in ("A", "B", "C", "D")
    ground, left, coupler, right = bars
    pins = {name: np.array(bpy.data.objects[name].location) for name in "ABCD"}
    pairs = {"A": (ground, left), "B": (left, coupler), "C": (coupler, right), "D": (ground, right)}
    for name, (first, second) in pairs.items():
        assert hinge_gap(first, second, pins[name], range(1, 61, 5)) < 1e-5
    poses = {name: cache.track_of(bpy.data.objects[name], scene)[1].pose[:, 0].copy() for name in NAMES}
    assert np.abs(poses["coupler"][:, 2, 3] - poses["coupler"][0, 2, 3]).max() > 1.0  # it falls through
    for frame in (1, 13, 60, 37):
        assert max(off_cache(bpy.data.objects[name], frame) for name in NAMES) < 1e-5

    bpy.ops.redmax.bake()
    bpy.ops.redmax.free_cache()
    for frame in range(1, 61):
        scene.frame_set(frame)
        for name in NAMES:
            assert np.abs(world(bpy.data.objects[name]) - poses[name][frame - 1]).max() < 1e-5
    assert ground.animation_data is None


def test_free_cache_and_delete_bake_give_back_objects_and_their_keys():
    bars = add_four_bar()
    coupler = bars[2]
    coupler.keyframe_insert("location", frame=1)
    coupler.keyframe_insert("scale", frame=1)
    coupler.location.x += 5.0
    coupler.keyframe_insert("location", frame=100)
    bpy.context.scene.frame_set(1)
    before = snapshot(), [np.array(obj.matrix_basis) for obj in bars]

    def now():
        bpy.context.scene.frame_set(1)
        return snapshot(), [np.array(obj.matrix_basis) for obj in bars]

    run(10)
    bpy.context.scene.frame_set(7)
    bpy.ops.redmax.bake()
    assert coupler.animation_data.action.name == "coupler RedMax"
    bpy.ops.redmax.delete_bake()
    bpy.ops.redmax.free_cache()
    after = now()
    assert np.abs(np.array(after[1]) - np.array(before[1])).max() == 0.0
    changed = {key for key in before[0] if before[0][key] != after[0][key]}
    assert changed == set()


def test_the_user_chooses_where_a_loop_is_cut():
    add_four_bar()
    for name in "ABCD":
        for other in "ABCD":
            bpy.data.objects[other].redmax.joint.cut = "ALWAYS" if other == name else "AUTO"
        assert Simulation(bpy.context).reading.cut == [name]
    for other in "ABCD":
        bpy.data.objects[other].redmax.joint.cut = "NEVER"
    with pytest.raises(RuntimeError, match="may not be cut"):
        bpy.ops.redmax.simulate()


def test_blenders_rigid_bodies_and_constraints_are_read_and_its_own_simulation_pauses():
    bars = add_four_bar()
    own = run(8)  # not until they touch each other: Blender's rigid bodies collide
    expected = {name: own.recording.tracks[name].pose.copy() for name in NAMES}
    bpy.ops.redmax.free_cache()
    for bar in bars:
        density = bar.redmax.body.density
        make_blenders(bar, "PASSIVE" if bar.name == "ground" else "ACTIVE")
        bar.rigid_body.mass = density * np.prod(bar.scale)
    for name in "ABCD":
        empty = bpy.data.objects[name]
        joint = empty.redmax.joint
        joint.kind = "NONE"
        constrain(empty, "HINGE", joint.object1, joint.object2)
    rigid = bpy.context.scene.rigidbody_world
    assert rigid.enabled
    outcome = run(8)
    assert not rigid.enabled and any("rigid body simulation" in warning for warning in outcome.warnings)
    for name in NAMES:
        assert np.abs(outcome.recording.tracks[name].pose - expected[name]).max() < 1e-4
        assert off_cache(bpy.data.objects[name], 6) < 1e-5
    bpy.ops.redmax.bake()
    bpy.ops.redmax.free_cache()
    assert not rigid.enabled
    assert np.abs(world(bpy.data.objects["left"]) - expected["left"][0, 0]).max() > 1e-3
    bpy.ops.redmax.delete_bake()
    assert rigid.enabled


def test_what_blender_moves_itself_since_is_left_to_it():
    """Moved while frames change, a rigid body of an enabled world makes Blender crash at the next undo."""
    bars = add_four_bar()
    run(8)
    bpy.context.scene.frame_set(2)
    make_blenders(bars[2])
    kept = [bar.location.copy() for bar in bars]
    bpy.context.scene.frame_set(7)
    assert bars[2].location == kept[2] and bars[1].location != kept[1]
    assert not cache.is_current(bpy.context.scene)
    bpy.context.scene.rigidbody_world.enabled = False
    bpy.context.scene.frame_set(6)
    assert bars[2].location != kept[2]


@pytest.mark.parametrize(
    ("kind", "freedoms"),
    [
        ("FIXED", 0),
        ("POINT", 3),
        ("HINGE", 1),
        ("SLIDER", 1),
        ("PISTON", 2),
        ("GENERIC", 6),
        ("GENERIC_SPRING", 6),
    ],
)
def test_every_kind_of_rigid_body_constraint_is_read(kind, freedoms):
    base, arm = add_box("base", (0.0, 0.0, 0.0)), add_box("arm", (1.0, 0.0, 0.0))
    make_blenders(base, "PASSIVE")
    make_blenders(arm, "ACTIVE")
    add_constraint("pin", kind, base, arm, (0.5, 0.0, 0.0))
    set_range(1, 3)
    (body,) = (b for b in Simulation(bpy.context).reading.scene.bodies if b.name == "arm")
    from redmax_blender.engine.compile.scene import compile_scene

    model = compile_scene(Simulation(bpy.context).reading.scene)
    assert model.nr == freedoms
    assert body.parent == "base" and body.joint.name == "pin"


def test_limits_and_springs_of_rigid_body_constraints_are_read():
    base, arm = add_box("base", (0.0, 0.0, 0.0)), add_box("arm", (1.0, 0.0, 0.0))
    make_blenders(base, "PASSIVE")
    make_blenders(arm, "ACTIVE")
    pin = add_constraint("pin", "GENERIC_SPRING", base, arm, (0.5, 0.0, 0.0)).rigid_body_constraint
    for axis in ("lin_y", "lin_z", "ang_x", "ang_y"):  # equal limits lock
        setattr(pin, f"use_limit_{axis}", True)
        setattr(pin, f"limit_{axis}_lower", 0.0)
        setattr(pin, f"limit_{axis}_upper", 0.0)
    pin.use_limit_ang_z, pin.limit_ang_z_lower, pin.limit_ang_z_upper = True, -0.2, 0.4
    pin.use_spring_x, pin.spring_stiffness_x, pin.spring_damping_x = True, 50.0, 2.0
    bpy.context.scene.unit_settings.scale_length = 0.5
    pin.use_limit_lin_x, pin.limit_lin_x_lower, pin.limit_lin_x_upper = True, -1.0, 3.0
    set_range(1, 3)
    (joint,) = (b.joint for b in Simulation(bpy.context).reading.scene.bodies if b.name == "arm")
    assert joint.limits.lower == pytest.approx([-0.5, -0.2])
    assert joint.limits.upper == pytest.approx([1.5, 0.4])
    assert joint.stiffness == pytest.approx([50.0, 0.0])
    assert joint.damping == pytest.approx([2.0, 0.0])


def turn_about_y(obj: bpy.types.Object, frame: int) -> float:
    """Angle [rad] between frame 1 and a frame."""
    scene = bpy.context.scene
    scene.frame_set(1)
    before = world(obj)[:3, :3]
    scene.frame_set(frame)
    R = world(obj)[:3, :3] @ np.linalg.inv(before)
    return float(np.arctan2(R[0, 2], R[0, 0]))


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("hinge_order", [False, True])
def test_a_motor_turns_the_hinge_of_its_objects_at_its_speed(swapped, hinge_order):
    """About the motor's X axis, the second object against the first, in whatever order the hinge has them."""
    base, wheel = add_box("base", (0.0, 0.0, 0.0)), add_box("wheel", (0.0, 1.0, 0.0), (1.0, 0.2, 1.0))
    make_blenders(base, "PASSIVE")
    make_blenders(wheel, "ACTIVE")
    first, second = (wheel, base) if hinge_order else (base, wheel)
    add_constraint("axle", "HINGE", first, second, (0.0, 1.0, 0.0))
    first, second = (wheel, base) if swapped else (base, wheel)
    motor = add_constraint("drive", "MOTOR", first, second, (0.0, 1.0, 0.0), (0.0, 0.0, np.pi / 2))
    settings = motor.rigid_body_constraint
    settings.use_motor_ang, settings.motor_ang_target_velocity, settings.motor_ang_max_impulse = (
        True,
        1.5,
        20.0,
    )
    run(25)  # one second; the motor reaches its speed in a hundredth
    expected = -1.5 if swapped else 1.5
    assert turn_about_y(wheel, 25) == pytest.approx(expected, rel=0.03)


def test_a_motor_without_a_joint_is_named():
    base, wheel = add_box("base", (0.0, 0.0, 0.0)), add_box("wheel", (0.0, 1.0, 0.0))
    make_blenders(base, "PASSIVE")
    make_blenders(wheel, "ACTIVE")
    add_constraint("drive", "MOTOR", base, wheel, (0.0, 1.0, 0.0)).rigid_body_constraint.use_motor_ang = True
    with pytest.raises(RuntimeError, match=r"Motor 'drive': no joint between 'base' and 'wheel' turns"):
        bpy.ops.redmax.simulate()


def test_an_anchored_object_is_followed_exactly_through_whole_turns():
    scene = bpy.context.scene
    crank = add_box("crank", (0.3, -0.2, 0.5), (2.0, 0.2, 0.2), role="ANCHORED")
    crank.rotation_euler = (0.4, 0.2, -0.3)
    crank.keyframe_insert("rotation_euler", frame=1)
    crank.keyframe_insert("location", frame=1)
    crank.rotation_euler = (0.4, 0.2 + 5.0 * np.pi, -0.3)
    crank.location = (1.3, 0.4, 0.1)
    crank.keyframe_insert("rotation_euler", frame=40)
    crank.keyframe_insert("location", frame=40)
    scene.frame_set(1)
    arm = add_box("arm", (2.0, 0.0, 0.5), (1.0, 0.1, 0.1))
    pin = np.array(crank.matrix_world @ Matrix.Translation((0.5, 0.0, 0.0))).dot([0.0, 0.0, 0.0, 1.0])[:3]
    add_joint("pin", "POINT", crank, arm, pin)
    set_range(1, 40, 6)
    scene.redmax.integrator = "euler"
    simulation = Simulation(bpy.context)
    frames = list(simulation.frames)
    column = [b.name for b in simulation.reading.scene.bodies].index("crank")
    for number, frame in enumerate(frames, start=1):
        scene.frame_set(number)
        pose = world(crank)
        np.testing.assert_allclose(frame.joint_pose[column, 9:], pose[:3, 3], atol=1e-6)
        np.testing.assert_allclose(
            frame.joint_pose[column, :9].reshape(3, 3), pose[:3, :3] / np.array([2.0, 0.2, 0.2]), atol=2e-6
        )
    run(40, 6)
    assert not crank.redmax.result  # its keys show it
    assert hinge_gap(crank, arm, pin, range(1, 41)) < 2e-5


def test_a_body_follows_its_target_and_is_let_go():
    scene = bpy.context.scene
    block = add_box("block", (0.0, 0.0, 2.0))
    target = add_empty("hand", (0.5, 0.5, 2.5))  # at a corner: that corner follows
    for frame, at in ((1, (0.5, 0.5, 2.5)), (30, (1.5, 0.5, 3.0))):
        target.location = at
        target.keyframe_insert("location", frame=frame)
    scene.frame_set(1)
    settings = block.redmax.body
    settings.target = target
    for frame, value in ((1, True), (20, False)):
        settings.follow = value
        block.keyframe_insert("redmax.body.follow", frame=frame)
    scene.frame_set(1)
    run(30)
    apart = []
    for frame in range(1, 31):
        scene.frame_set(frame)
        corner = world(block) @ [0.5, 0.5, 0.5, 1.0]
        apart.append(np.linalg.norm(corner[:3] - world(target)[:3, 3]))
    assert max(apart[:19]) < 1e-4
    assert apart[-1] > 0.3  # it falls


def test_a_body_turns_with_its_target():
    scene = bpy.context.scene
    block, target = add_box("block", (1.0, 0.0, 2.0)), add_empty("hand", (0.0, 0.0, 2.0))
    for frame, angle in ((1, 0.0), (25, 2.0)):
        target.rotation_euler.z = angle
        target.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)
    block.redmax.body.target, block.redmax.body.follow_rotation = target, True
    run(25)
    for frame in (1, 9, 17, 25):
        scene.frame_set(frame)
        expected = world(target) @ np.array(Matrix.Translation((1.0, 0.0, 0.0)))
        assert np.abs(world(block) - expected).max() < 1e-3


@pytest.mark.parametrize("how", ["mirrored", "delta", "child", "in moving parent", "constrained"])
def test_objects_are_shown_and_baked_where_they_are_however_they_are_placed(how):
    scene = bpy.context.scene
    base = add_box("base", (0.0, 0.0, 3.0), (1.0, 0.3, 0.2))
    base.rotation_euler = (0.2, 0.5, -0.4)
    arm = add_box("arm", (0.0, 0.0, 0.0))
    arm.matrix_world = Matrix.Translation((1.0, 0.0, 2.6)) @ Matrix.Rotation(0.7, 4, "Z")
    bpy.context.view_layer.update()
    if how == "mirrored":
        arm.scale = (-0.5, 0.7, 0.9)
    elif how == "delta":
        arm.delta_location, arm.delta_scale = (0.1, 0.2, 0.3), (2.0, 1.0, 0.5)
        arm.delta_rotation_euler = (0.3, 0.2, 0.1)
    elif how == "child":
        base.scale = (0.6, 0.6, 0.6)
        bpy.context.view_layer.update()
        arm.parent = base
    elif how == "in moving parent":
        parent = add_empty("cart", (0.0, 1.0, 0.0))
        parent.scale = (2.0, 2.0, 2.0)
        for frame in (1, 20):
            parent.location.x = 0.2 * frame
            parent.rotation_euler.z = 0.05 * frame
            parent.keyframe_insert("location", frame=frame)
            parent.keyframe_insert("rotation_euler", frame=frame)
        scene.frame_set(1)
        arm.parent = parent
    else:
        copy = arm.constraints.new("COPY_LOCATION")
        copy.target = add_empty("goal", (1.0, 0.2, 2.5))
    bpy.context.view_layer.update()
    add_joint("world pin", "POINT", None, base, (-0.5, 0.0, 3.0))
    add_joint("pin", "HINGE", base, arm, (0.5, 0.0, 2.8))
    before = world(arm)
    run(20)
    tracks = {obj.name: cache.track_of(obj, scene)[1].pose[:, 0].copy() for obj in (base, arm)}
    assert np.abs(tracks["arm"][0] - before).max() < 1e-5
    assert np.abs(tracks["arm"][-1] - before).max() > 0.1
    for obj in (base, arm):
        for frame in (1, 8, 20):
            assert off_cache(obj, frame) < 1e-5
    bpy.ops.redmax.bake()
    for frame in (1, 8, 20):
        scene.frame_set(frame)
        for obj in (base, arm):
            assert np.abs(world(obj) - tracks[obj.name][frame - 1]).max() < 1e-5


def test_armatures_and_objects_are_simulated_together():
    rig = make_chain(3)
    make_physical(rig, bpy.context.scene, Choices(root="HINGED"))
    bpy.ops.object.mode_set(mode="OBJECT")
    block = add_box("block", (0.0, 3.0, 0.0))
    set_range(1, 10)
    outcome = simulate_scene(bpy.context)
    assert set(outcome.recording.tracks) == {"Rig", "block"}
    assert off_cache(block, 10) < 1e-5
    fall = outcome.recording.tracks["block"].pose[:, 0, 2, 3]
    assert fall[-1] == pytest.approx(-0.5 * 9.81 * (9 / 24) ** 2, rel=0.05)


def test_an_object_moved_by_hand_at_the_first_frame_starts_there():
    block = add_box("block", (0.0, 0.0, 5.0))
    run(8)
    bpy.context.scene.frame_set(1)
    block.location = (1.0, 2.0, 7.0)
    outcome = run(8)
    assert outcome.recording.tracks["block"].pose[0, 0, :3, 3] == pytest.approx([1.0, 2.0, 7.0])


def test_undo_forgets_the_simulation_of_objects():
    add_four_bar()
    set_range(1, 6)
    bpy.context.scene.redmax.integrator = "euler"
    bpy.ops.ed.undo_push(message="before")
    before = snapshot()
    bpy.ops.redmax.simulate("EXEC_DEFAULT", True)
    assert bpy.data.objects["left"].redmax.result
    bpy.ops.ed.undo()
    assert snapshot() == before


def no_ends(bars):
    bpy.data.objects["A"].redmax.joint.object1 = bpy.data.objects["A"].redmax.joint.object2 = None


def same_ends(bars):
    bpy.data.objects["A"].redmax.joint.object1 = bars[1]


def end_that_is_no_body(bars):
    bars[1].redmax.body.role = "NONE"


def body_without_size(bars):
    bars[1].data.clear_geometry()


def unevenly_scaled_parent(bars):
    parent = add_empty("odd", (0.0, 0.0, 0.0))
    parent.scale = (1.0, 3.0, 1.0)
    parent.rotation_euler = (0.5, 0.5, 0.0)
    bars[2].parent = parent


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (no_ends, r"Joint 'A': it connects no objects"),
        (same_ends, r"Joint 'A': both its ends are 'left'"),
        (end_that_is_no_body, r"'left' is not a body"),
        (body_without_size, r"Object 'left': its mesh has no size"),
        (unevenly_scaled_parent, r"Object 'coupler': its parent 'odd' is scaled unevenly"),
    ],
)
def test_bad_input_is_named_and_nothing_changes(damage, message):
    bars = add_four_bar()
    damage(bars)
    set_range(1, 4)
    before = snapshot(), [np.array(obj.matrix_basis) for obj in bars]
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.redmax.simulate()
    assert snapshot() == before[0]
    assert np.array_equal([np.array(obj.matrix_basis) for obj in bars], before[1])


def test_limits_of_a_joint_that_is_cut_hold():
    def turned(limited):
        bpy.ops.wm.read_homefile(use_empty=True)
        bars = add_four_bar()
        hinge = bpy.data.objects["D"].redmax.joint
        hinge.cut = "ALWAYS"
        if limited:
            hinge.limit_rotation[2], hinge.rotation_min[2], hinge.rotation_max[2] = True, -0.1, 0.1
        run(12)
        tracks = [cache.track_of(bar, bpy.context.scene) for bar in bars]
        ways = [found[1].quaternion[:, 0] for found in tracks if found is not None]
        return max(float(2.0 * np.arccos(min(abs(q[0] @ q[-1]), 1.0))) for q in ways)

    assert turned(limited=False) > 0.3
    assert turned(limited=True) == pytest.approx(0.1, abs=1e-3)


def test_joint_limits_hold():
    scene = bpy.context.scene
    bar = add_box("bar", (0.5, 0.0, 0.0), (1.0, 0.1, 0.1))
    joint = add_joint("pin", "HINGE", None, bar, (0.0, 0.0, 0.0), ABOUT_Y).redmax.joint
    joint.limit_rotation[2], joint.rotation_min[2], joint.rotation_max[2] = True, -0.5, 0.5
    run(30)
    lowest = min(cache.track_of(bar, scene)[1].pose[:, 0, 2, 3])
    assert lowest == pytest.approx(-0.5 * np.sin(0.5), abs=0.01)


def test_an_animated_rigid_body_is_anchored_and_a_keyed_switch_is_not_ignored_silently():
    lift, stone = add_box("lift", (0.0, 0.0, 0.0)), add_box("stone", (3.0, 0.0, 0.0))
    for obj in (lift, stone):
        make_blenders(obj, "ACTIVE")
    lift.rigid_body.kinematic = True
    assert run(4).recording.tracks.keys() == {"stone"}
    lift.keyframe_insert("rigid_body.kinematic", frame=1)
    lift.rigid_body.kinematic = False
    lift.keyframe_insert("rigid_body.kinematic", frame=3)
    bpy.context.scene.frame_set(1)
    assert any("'lift': Animated or Dynamic" in warning for warning in run(4).warnings)


def test_bodies_and_joints_are_made_by_operators():
    scene = bpy.context.scene
    bars = [add_box("bar", (0.5 + i, 0.0, 0.0), (1.0, 0.1, 0.1), role="NONE") for i in range(2)]
    assert not bpy.ops.redmax.add_joint.poll()
    for bar in bars:
        bar.select_set(True)
    bpy.context.view_layer.objects.active = bars[1]
    assert bpy.ops.redmax.set_role(role="ACTIVE") == {"FINISHED"}
    scene.cursor.location, scene.cursor.rotation_euler = (1.0, 0.0, 0.0), ABOUT_Y
    assert bpy.ops.redmax.add_joint(kind="HINGE") == {"FINISHED"}
    joint = bpy.context.object.redmax.joint
    assert (joint.object1, joint.object2) == tuple(bars)
    bpy.context.object.select_set(False)
    bars[0].select_set(True)
    scene.cursor.location = (0.0, 0.0, 0.0)
    assert bpy.ops.redmax.add_joint(kind="HINGE") == {"FINISHED"}
    assert bpy.context.object.redmax.joint.object1 is None
    run(20)
    assert hinge_gap(*bars, np.array([1.0, 0.0, 0.0]), range(1, 21)) < 1e-5
    assert abs(world(bars[0])[1, 3]) < 1e-5 and world(bars[0])[2, 3] < -0.1
