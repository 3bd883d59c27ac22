"""Hybrid control: keys are followed exactly, whatever drives the bones, and let go and taken back without a jerk."""

import bpy
import numpy as np
import pytest
from blender_fixtures import distance_from_cache, make_armature, set_range
from hybrid_fixtures import apart, arm, control, key_rotation, poses_over
from mathutils import Vector
from mechanism_fixtures import add_box

from redmax_blender.bridge.bake.actions import curves_of
from redmax_blender.bridge.read.scene import read_scene
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.rig.set_control import set_influence
from redmax_blender.bridge.run.simulate_scene import simulate_scene

FRAMES = range(1, 31)
BONES = ("chest", "upper", "lower", "hand")


def empty(name: str, at: tuple[float, float, float]) -> bpy.types.Object:
    obj = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(obj)
    obj.location = at
    return obj


def by_action(obj):
    """Keys on every bone, in several rotation modes, and on the object."""
    obj.pose.bones["chest"].keyframe_insert("location", frame=1)
    obj.pose.bones["chest"].location = (0.1, 0.2, -0.1)
    obj.pose.bones["chest"].keyframe_insert("location", frame=25)
    key_rotation(obj.pose.bones["upper"], {1: (0.1, 0, 0), 12: (0.9, 0.4, -0.2), 30: (-0.6, 0.8, 1.2)})
    key_rotation(obj.pose.bones["lower"], {1: (0, 0, 0), 20: (0, 3.0, 0.4), 30: (0.2, 6.5, 0.4)})
    hand = obj.pose.bones["hand"]
    hand.rotation_mode = "QUATERNION"
    for frame, q in ((1, (1, 0, 0, 0)), (15, (0.5, 0.5, -0.5, 0.5)), (30, (-0.7, 0.1, 0.7, 0.1))):
        hand.rotation_quaternion = q
        hand.keyframe_insert("rotation_quaternion", frame=frame)
    for frame, x in ((1, 0.0), (30, 2.0)):
        obj.location.x, obj.rotation_euler.z = x, x
        obj.keyframe_insert("location", frame=frame)
        obj.keyframe_insert("rotation_euler", frame=frame)


def by_nla(obj):
    """Two strips, one added onto the other."""
    key_rotation(obj.pose.bones["upper"], {1: (0, 0, 0), 30: (1.0, 0.5, 0)})
    key_rotation(obj.pose.bones["lower"], {1: (0, 0, 0), 30: (0.3, -0.5, 1.1)})
    data = obj.animation_data
    for blend in ("REPLACE", "COMBINE"):
        action = data.action.copy()
        track = data.nla_tracks.new()
        strip = track.strips.new(blend, 1, action)
        strip.blend_type = blend
        if bpy.app.version >= (4, 4, 0):
            strip.action_slot = action.slots[0]
    data.action = None


def by_drivers(obj):
    """Rotations that follow the frame and another object."""
    for bone, index, expression in (
        ("upper", 0, "0.05*frame"),
        ("lower", 2, "sin(frame/7)"),
        ("hand", 1, "var"),
    ):
        pose_bone = obj.pose.bones[bone]
        pose_bone.rotation_mode = "ZXY"
        driver = pose_bone.driver_add("rotation_euler", index).driver
        if expression == "var":
            leader = empty("Leader", (0, 0, 0))
            for frame, x in ((1, 0.0), (30, 1.5)):
                leader.location.x = x
                leader.keyframe_insert("location", frame=frame)
            variable = driver.variables.new()
            variable.type = "TRANSFORMS"
            variable.targets[0].id = leader
            variable.targets[0].transform_type = "LOC_X"
            driver.expression = variable.name
        else:
            driver.expression = expression


def by_ik(obj):
    """The hand reaches for a moving empty, and copies its rotation."""
    goal = empty("Goal", (0.6, 0.1, 1.2))
    for frame, at in ((1, (0.6, 0.1, 1.2)), (15, (0.3, -0.4, 1.0)), (30, (0.5, 0.2, 1.7))):
        goal.location, goal.rotation_euler = at, at
        goal.keyframe_insert("location", frame=frame)
        goal.keyframe_insert("rotation_euler", frame=frame)
    ik = obj.pose.bones["lower"].constraints.new("IK")
    ik.target, ik.chain_count, ik.iterations = goal, 2, 50
    copy = obj.pose.bones["hand"].constraints.new("COPY_ROTATION")
    copy.target = goal


DRIVES = {"action": by_action, "nla": by_nla, "drivers": by_drivers, "ik": by_ik}


@pytest.mark.parametrize("joint", ["SPHERICAL", "REVOLUTE", "UNIVERSAL"])
@pytest.mark.parametrize("drive", DRIVES)
def test_keyframed_bones_are_where_their_animation_has_them(drive, joint):
    """To 1e-6 at every frame, under an action, the NLA, drivers and constraints; also where the joint could not."""
    obj = arm()
    DRIVES[drive](obj)
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    for name in ("upper", "lower", "hand"):
        obj.pose.bones[name].redmax.joint = joint
    control(obj, BONES, "KEYFRAMED")
    set_range(1, 30)
    before = poses_over(obj, FRAMES)
    bpy.context.scene.frame_set(1)
    outcome = simulate_scene(bpy.context)
    assert not outcome.diverged
    assert apart(before, poses_over(obj, FRAMES), BONES) < 1e-6
    moved = max(np.abs(before[30][name] - before[1][name]).max() for name in BONES)
    assert moved > 0.3


def swinging(
    release: int | None = 20, frames: int = 30, joint: str = "SPHERICAL", last: int = 40
) -> bpy.types.Object:
    """An arm that its keys swing until the last one; from a frame on the upper arm and all it carries are free."""
    obj = arm()
    key_rotation(obj.pose.bones["upper"], {1: (0, 0, 0), last: (1.5, -0.4, 2.0)})
    key_rotation(obj.pose.bones["lower"], {1: (0, 0, 0), last: (0.5, 0.1, -0.8)})
    for curve in curves_of(obj):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    make_physical(obj, bpy.context.scene)
    for name in ("upper", "lower", "hand"):
        obj.pose.bones[name].redmax.joint = joint
    control(
        obj,
        ("upper", "lower", "hand"),
        {1: "KEYFRAMED"} if release is None else {1: "KEYFRAMED", release: "FREE"},
    )
    set_range(1, frames, substeps=40)
    bpy.context.scene.frame_set(1)
    return obj


def run_every_step(obj: bpy.types.Object):
    """The engine's states at every step of the simulation that Blender would run."""
    from redmax_blender.engine.compile.scene import compile_scene
    from redmax_blender.engine.run.simulate import scene_options, simulate

    spec = read_scene(bpy.context, [obj]).scene
    model = compile_scene(spec)
    return model, [frame.state for frame in simulate(model, scene_options(spec), end=spec.time.end)]


ENDS = {"upper": ("lower", "head"), "lower": ("hand", "head"), "hand": ("hand", "tail")}
"""Where each bone ends, on a bone that moves with it."""


def speeds_on_arrival(obj: bpy.types.Object, frame: int):
    """World velocities [m/s] with which keys bring the ends of bones to a frame, from moments before it, (3, 3)."""

    def ends(at: float):
        bpy.context.scene.frame_set(int(at), subframe=at - int(at))
        shown = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        return np.array([getattr(shown.pose.bones[name], end) for name, end in ENDS.values()])

    e = 0.05
    return (3.0 * ends(frame) - 4.0 * ends(frame - e) + ends(frame - 2.0 * e)) / (2.0 * e) * 24.0


def speeds_of_ends(obj: bpy.types.Object, model, state):
    """World velocities [m/s] of the ends of bones in a state of the engine, shape (3, 3)."""
    from redmax_blender.engine.tree.kinematics import forward_kinematics

    kin = forward_kinematics(model, state)
    found = []
    for name in ENDS:
        link = int(model.bodies.link[model.bodies.names.index(f"{obj.name}/{name}")])
        end = [0.0, obj.pose.bones[name].length, 0.0]
        R, V = kin.E_wj[link, :9].reshape(3, 3), kin.V[link]
        found.append(R @ (V[3:] + np.cross(V[:3], end)))
    return np.array(found)


@pytest.mark.parametrize("substeps", [4, 40])
@pytest.mark.parametrize("keys", ["go on", "end there"])
def test_a_bone_that_is_let_go_keeps_its_velocity(keys, substeps):
    """Keyframed up to frame 20, free after: the velocity jumps by less than 1% there, also where the keys end.

    The jump is between the velocity with which the keys arrive, and that of the free motion as it begins: forces that
    begin to act change it in proportion to time, which two steps tell. Damping of thin bones would act faster than a
    long step can tell, and is left out there.
    """
    obj = swinging(release=21, last=40 if keys == "go on" else 20)
    for bone in obj.pose.bones if substeps < 40 else ():
        bone.redmax.damping = 0.0
    arrival = speeds_on_arrival(obj, 20)
    bpy.context.scene.frame_set(1)
    set_range(1, 22, substeps)
    model, states = run_every_step(obj)
    at = 19 * substeps
    there, first, second = (speeds_of_ends(obj, model, states[at + k]) for k in range(3))
    fast = np.linalg.norm(arrival, axis=1)
    assert fast.min() > 0.4
    assert (np.linalg.norm(there - arrival, axis=1) / fast).max() < 0.001
    assert (np.linalg.norm(2.0 * first - second - arrival, axis=1) / fast).max() < 0.01


@pytest.mark.parametrize("substeps", [4, 40])
def test_a_bone_that_is_let_go_at_its_last_key_swings_on_as_fast(substeps):
    """Keys turn an arm evenly about an upright axis until frame 20, where the last one is: so it turns on."""
    obj = make_armature([("hip", None, (0, 0, 1), (0, 0, 1.2)), ("arm", "hip", (0, 0, 1.2), (0.5, 0, 1.2))])
    bone = obj.pose.bones["arm"]
    make_physical(obj, bpy.context.scene)
    upright = obj.data.bones["arm"].matrix_local.to_3x3().inverted() @ Vector((0, 0, 1))
    bone.redmax.joint, bone.redmax.axis, bone.redmax.axis_vector = "REVOLUTE", "CUSTOM", upright
    bone.redmax.damping = 0.0
    bone.rotation_mode = "AXIS_ANGLE"
    for frame, angle in ((1, 0.0), (20, 2.0)):
        bone.rotation_axis_angle = (angle, *upright)
        bone.keyframe_insert("rotation_axis_angle", frame=frame)
    for curve in curves_of(obj):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    control(obj, ("arm",), {1: "KEYFRAMED", 21: "FREE"})
    set_range(1, 24, substeps)
    bpy.context.scene.frame_set(1)
    simulate_scene(bpy.context)
    pose = cache.track_of(obj, bpy.context.scene)[1].pose[:, -1]
    angle = np.unwrap(np.arctan2(pose[:, 1, 1], pose[:, 0, 1]))
    before, after = np.diff(angle)[:19], np.diff(angle)[19:]
    np.testing.assert_allclose(before, 2.0 / 19.0, rtol=1e-4)
    np.testing.assert_allclose(after, 2.0 / 19.0, rtol=0.001)


def test_a_bone_is_on_its_keys_until_it_is_let_go():
    obj = swinging(release=21)
    simulate_scene(bpy.context)
    shown = poses_over(obj, (20, 21, 30))
    bpy.ops.redmax.free_cache()
    keys = poses_over(obj, (20, 21, 30))
    assert np.abs(shown[20]["hand"] - keys[20]["hand"]).max() < 1e-6
    assert np.abs(shown[21]["hand"] - keys[21]["hand"]).max() > 1e-5
    assert np.abs(shown[30]["hand"] - keys[30]["hand"]).max() > 0.01


def test_a_limb_that_wakes_is_unmoved_until_then():
    """A limb that stands still in its keys, against gravity, does not sag before it is let go."""
    obj = arm()
    make_physical(obj, bpy.context.scene)
    control(obj, ("upper", "lower", "hand"), {1: "KEYFRAMED", 20: "FREE"})
    set_range(1, 30, substeps=10)
    bpy.context.scene.frame_set(1)
    simulate_scene(bpy.context)
    shown = poses_over(obj, range(1, 31))
    for frame in range(1, 20):
        assert np.abs(shown[frame]["hand"] - shown[1]["hand"]).max() < 1e-6
    assert np.abs(shown[20]["hand"] - shown[1]["hand"]).max() > 1e-5
    assert np.abs(shown[30]["hand"] - shown[1]["hand"]).max() > 0.1


def test_a_return_to_the_keys_is_smooth_and_ends_on_them():
    obj = swinging(release=8, frames=40)
    for name in ("upper", "lower", "hand"):
        obj.pose.bones[name].redmax.control.ease = 10
    control(obj, ("upper", "lower", "hand"), {20: "KEYFRAMED"})
    bpy.context.scene.frame_set(1)
    _, states = run_every_step(obj)
    speeds = np.array([state.qdot for state in states])
    jumps = np.abs(np.diff(speeds, axis=0)).max(axis=1)
    step = 19 * 40 - 40  # on the way from frame 19 to frame 20
    assert jumps[step - 3 : step + 3].max() < 0.02 * np.abs(speeds).max()
    simulate_scene(bpy.context)
    shown = poses_over(obj, range(1, 41))
    bpy.ops.redmax.free_cache()
    keys = poses_over(obj, range(1, 41))
    off = {f: float(np.abs(shown[f]["hand"] - keys[f]["hand"]).max()) for f in shown}
    assert max(off[f] for f in range(1, 8)) < 1e-6
    assert off[19] > 0.02
    assert off[22] > 1e-3
    assert max(off[f] for f in range(29, 41)) < 1e-6


@pytest.mark.parametrize("density", [100.0, 10000.0])
def test_a_guided_bone_follows_whatever_it_weighs(density):
    """Response times need no tuning with mass: the same motion for a feather and for iron, close to the keys."""
    obj = swinging(release=None, frames=40)
    control(obj, ("upper", "lower", "hand"), {1: "GUIDED"})
    for bone in obj.pose.bones:
        bone.redmax.density = density
        bone.redmax.damping = 0.0
    bpy.context.scene.gravity = (0, 0, 0)
    bpy.context.scene.frame_set(1)
    simulate_scene(bpy.context)
    shown = poses_over(obj, (15, 40))
    bpy.ops.redmax.free_cache()
    keys = poses_over(obj, (15, 40))
    off = np.abs(shown[40]["hand"] - keys[40]["hand"])
    assert 1e-5 < off[:3, 3].max() < 0.01
    assert off.max() < 0.1
    motion = np.array([shown[f]["hand"] for f in (15, 40)])
    np.testing.assert_allclose(motion, GUIDED.setdefault("motion", motion), atol=1e-5)


GUIDED: dict = {}


def test_the_keys_of_a_bone_on_a_free_one_are_followed_relative_to_it():
    obj = arm()
    key_rotation(obj.pose.bones["lower"], {1: (0, 0, 0), 20: (1.0, 0.2, 0.3)})
    make_physical(obj, bpy.context.scene)
    control(obj, ("lower", "hand"), "KEYFRAMED")
    set_range(1, 20, substeps=10)
    bpy.context.scene.frame_set(1)
    simulate_scene(bpy.context)
    shown = poses_over(obj, range(1, 21))
    bpy.ops.redmax.free_cache()
    keys = poses_over(obj, range(1, 21))
    assert np.abs(shown[20]["upper"] - keys[20]["upper"]).max() > 0.1
    for f in shown:
        relative = [np.linalg.inv(poses[f]["upper"]) @ poses[f]["hand"] for poses in (shown, keys)]
        assert np.abs(relative[0] - relative[1]).max() < 2e-6


def test_a_tail_on_an_accelerating_body_hangs_like_one_in_slanted_gravity():
    """The armature moves with 3 m/s²: relative to it, bones swing as at rest under gravity that has this added.

    The two differ by the order of the step.
    """
    scene = bpy.context.scene

    def tail(substeps: int) -> bpy.types.Object:
        obj = make_armature(
            [("hip", None, (0, 0, 1), (0, 0, 1.2)), ("tail", "hip", (0, 0, 1), (0.3, 0, 0.9))], connect=False
        )
        make_physical(obj, scene)
        set_range(1, 25, substeps)
        return obj

    def difference(substeps: int) -> float:
        still = tail(substeps)
        scene.gravity = (-3.0, 0, -9.81)
        simulate_scene(bpy.context)
        wanted = cache.track_of(still, scene)[1].pose
        bpy.data.objects.remove(still)
        moving = tail(substeps)
        scene.gravity = (0, 0, -9.81)
        for frame in range(-3, 26):
            moving.location.x = 1.5 * ((frame - 1) / 24.0) ** 2
            moving.keyframe_insert("location", frame=frame)
        scene.frame_set(1)
        simulate_scene(bpy.context)
        found = cache.track_of(moving, scene)[1].pose
        assert np.abs(found[-1] - found[0]).max() > 0.2
        assert distance_from_cache(moving, 25) < 1e-5
        bpy.data.objects.remove(moving)
        return float(np.abs(found - wanted).max())

    coarse, fine = difference(20), difference(80)
    assert coarse < 2e-3
    assert fine == pytest.approx(coarse / 4.0, rel=0.2)


def test_bones_on_an_animated_helper_move_with_it():
    """The helper is no body: what hangs on it is simulated where the animation takes it, and shown there."""
    obj = make_armature(
        [
            ("hip", None, (0, 0, 1), (0, 0, 1.2)),
            ("helper", "hip", (0, 0, 1.2), (0.2, 0, 1.2)),
            ("tail", "helper", (0.3, 0, 1.2), (0.6, 0, 1.2)),
        ],
        connect=False,
    )
    obj.data.bones["helper"].use_deform = False
    key_rotation(obj.pose.bones["helper"], {1: (0, 0, 0), 30: (0.0, 0.3, 1.4)})
    make_physical(obj, bpy.context.scene)
    set_range(1, 30, substeps=10)
    bpy.context.scene.frame_set(1)
    simulate_scene(bpy.context)
    shown = poses_over(obj, range(1, 31))
    bpy.ops.redmax.free_cache()
    keys = poses_over(obj, range(1, 31))
    for f in shown:  # the joint does not come off, the helper is as it was
        assert np.abs(shown[f]["tail"][:3, 3] - keys[f]["tail"][:3, 3]).max() < 1e-5
        assert np.abs(shown[f]["helper"] - keys[f]["helper"]).max() < 1e-6
    assert np.abs(shown[30]["tail"][:3, :3] - keys[30]["tail"][:3, :3]).max() > 0.1


@pytest.mark.parametrize("point", ["TAIL", "PLACE"])
def test_an_empty_drives_a_point_of_a_bone(point):
    """The hand is held by a moving empty, led for a while, then let go; the joints above yield."""
    obj = arm()
    make_physical(obj, bpy.context.scene)
    goal = empty("Goal", (0.85, -0.05, 1.3))
    for frame, at in ((1, (0.85, -0.05, 1.3)), (20, (0.5, 0.3, 1.5)), (60, (0.5, -0.5, 1.3))):
        goal.location = at
        goal.keyframe_insert("location", frame=frame)
    hand = obj.pose.bones["hand"]
    hand.redmax.control.target, hand.redmax.control.target_point = goal, point
    for frame, influence in ((1, 1.0), (15, 0.5), (25, 0.0)):
        set_influence(hand, influence, frame)
    scene = bpy.context.scene
    set_range(1, 35, substeps=20)
    scene.frame_set(1)
    assert not simulate_scene(bpy.context).diverged
    off = {}
    for frame in range(1, 36):
        scene.frame_set(frame)
        tail = obj.matrix_world @ obj.pose.bones["hand"].tail
        off[frame] = (tail - goal.matrix_world.translation).length
    assert max(off[f] for f in range(1, 15)) < 1e-4
    assert 1e-5 < max(off[f] for f in range(16, 25)) < 0.1
    assert off[35] > 0.1


def test_a_limb_is_unmoved_until_it_is_struck():
    """A ball falls onto an arm that its keys hold up: still at the frame before the blow, giving way at it."""
    obj = arm()
    limb = ("upper", "lower", "hand")
    make_physical(obj, bpy.context.scene)
    control(obj, limb, "KEYFRAMED")
    for name in limb:
        obj.pose.bones[name].redmax.surface.collide = True
        obj.pose.bones[name].redmax.control.wake = 0.5
    ball = add_box("Ball", (0.6, -0.03, 2.0), (0.15, 0.15, 0.15))
    ball.redmax.body.shape, ball.redmax.surface.collide = "SPHERE", True
    set_range(1, 24, substeps=20)
    bpy.context.scene.frame_set(1)
    assert not simulate_scene(bpy.context).diverged
    hand = cache.track_of(obj, bpy.context.scene)[1].pose[:, -1]
    moved = np.abs(hand - hand[0]).max(axis=(1, 2))
    struck = int(np.flatnonzero(moved > 1e-6)[0])
    assert 7 <= struck <= 10  # it falls for 0.36 s
    assert moved[:struck].max() < 1e-6
    assert moved[struck + 5] > 0.1


def test_a_keyframed_collider_wakes_a_keyframed_limb():
    """Its keys move a solid box through an arm that keys hold up: still until it comes, and pushed aside by it."""
    obj = arm()
    limb = ("upper", "lower", "hand")
    make_physical(obj, bpy.context.scene)
    control(obj, limb, "KEYFRAMED")
    for name in limb:
        obj.pose.bones[name].redmax.surface.collide = True
        obj.pose.bones[name].redmax.control.wake = 0.05
    box = add_box("Box", (0.6, -0.03, 2.0), (0.15, 0.15, 0.15), role="NONE")
    box.redmax.collider.role, box.redmax.collider.shape = "COLLIDER", "BOX"
    for frame, z in ((1, 2.0), (21, 1.0)):
        box.location.z = z
        box.keyframe_insert("location", frame=frame)
    for curve in curves_of(box):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    height = obj.pose.bones["hand"].head.z
    set_range(1, 24, substeps=20)
    bpy.context.scene.frame_set(1)
    assert not simulate_scene(bpy.context).diverged
    hand = cache.track_of(obj, bpy.context.scene)[1].pose[:, -1]
    moved = np.abs(hand - hand[0]).max(axis=(1, 2))
    struck = int(np.flatnonzero(moved > 1e-6)[0])
    bottom = 2.0 - struck / 20.0 - 0.075
    assert abs(bottom - height) < 0.15
    assert moved[:struck].max() < 1e-6
    assert moved[-1] > 0.1


def test_control_that_is_keyed_counts_as_its_keys_say():
    """A value set by hand over a key would be gone at the next frame; the run does not begin with it either."""
    obj = swinging(release=None)
    control(obj, ("upper", "lower", "hand"), {1: "KEYFRAMED"})
    keys = poses_over(obj, FRAMES)
    bpy.context.scene.frame_set(1)
    for name in ("upper", "lower", "hand"):
        obj.pose.bones[name].redmax_control = "FREE"
    simulate_scene(bpy.context)
    assert apart(keys, poses_over(obj, FRAMES), ("upper", "lower", "hand")) < 1e-6


def test_a_keyframed_bone_begins_on_its_keys_and_a_free_one_where_it_was_posed():
    obj = arm()
    key_rotation(obj.pose.bones["upper"], {1: (0, 0, 0), 20: (0.5, 0, 0)})
    key_rotation(obj.pose.bones["lower"], {1: (0, 0, 0), 20: (0.5, 0, 0)})
    make_physical(obj, bpy.context.scene)
    control(obj, ("upper",), "KEYFRAMED")
    set_range(1, 20)
    keys = poses_over(obj, range(1, 21))
    bpy.context.scene.frame_set(1)
    for name in ("upper", "lower"):
        obj.pose.bones[name].rotation_euler.z = 1.0  # not keyed
    simulate_scene(bpy.context)
    shown = poses_over(obj, range(1, 21))
    assert apart(keys, shown, ("upper",)) < 1e-6
    track = cache.track_of(obj, bpy.context.scene)[1]
    turned = 2.0 * np.arctan2(track.quaternion[0, 2, 3], track.quaternion[0, 2, 0])
    assert turned == pytest.approx(1.0, abs=1e-5)
