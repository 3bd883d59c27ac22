"""Make Physical: what a bone becomes, from what its rig says."""

from math import pi, radians

import bpy
import numpy as np
import pytest
from blender_fixtures import make_armature, make_chain, snapshot
from mathutils import Matrix

from redmax_blender.bridge.rig.make_physical import Choices, make_physical, report_name
from redmax_blender.bridge.rig.rig import physical_bones, physical_parents


@pytest.mark.parametrize(
    ("locked", "kind", "axes"),
    [
        ("", "SPHERICAL", ""),
        ("y", "UNIVERSAL", "XZ"),
        ("z", "UNIVERSAL", "XY"),
        ("xy", "REVOLUTE", "Z"),
        ("yz", "REVOLUTE", "X"),
        ("xyz", "FIXED", ""),
    ],
)
@pytest.mark.parametrize("source", ["ik", "ik limits", "constraint"])
def test_free_axes_decide_the_joint_wherever_the_rig_says_so(locked, kind, axes, source):
    obj = make_chain(2)
    bone = obj.pose.bones["bone1"]
    if source == "constraint":
        constraint = bone.constraints.new("LIMIT_ROTATION")
        constraint.owner_space = "LOCAL"
    for axis in locked:
        if source == "ik":
            setattr(bone, f"lock_ik_{axis}", True)
        elif source == "ik limits":
            setattr(bone, f"use_ik_limit_{axis}", True)
            setattr(bone, f"ik_min_{axis}", 0.0)
            setattr(bone, f"ik_max_{axis}", 0.0)
        else:
            setattr(constraint, f"use_limit_{axis}", True)  # both ends are 0
    make_physical(obj, bpy.context.scene)
    assert bone.redmax.joint == kind
    if axes:
        assert bone.redmax.axis == axes[0]
    if len(axes) == 2:
        assert bone.redmax.second_axis == axes[1]


def test_limits_are_taken_from_ik_before_the_constraint():
    obj = make_chain(3)
    by_ik, by_constraint = obj.pose.bones["bone1"], obj.pose.bones["bone2"]
    by_ik.use_ik_limit_x, by_ik.ik_min_x, by_ik.ik_max_x = True, -0.25, 1.5
    for bone in (by_ik, by_constraint):
        constraint = bone.constraints.new("LIMIT_ROTATION")
        constraint.owner_space = "LOCAL"
        constraint.use_limit_z, constraint.min_z, constraint.max_z = True, radians(-10.0), radians(20.0)
    make_physical(obj, bpy.context.scene)
    assert list(by_ik.redmax.use_limits) == [True, False, False]
    assert (by_ik.redmax.limits_min[0], by_ik.redmax.limits_max[0]) == pytest.approx((-0.25, 1.5))
    assert list(by_constraint.redmax.use_limits) == [False, False, True]
    assert (by_constraint.redmax.limits_min[2], by_constraint.redmax.limits_max[2]) == pytest.approx(
        (radians(-10.0), radians(20.0))
    )


def test_a_limit_in_another_space_is_no_joint_limit():
    obj = make_chain(2)
    constraint = obj.pose.bones["bone1"].constraints.new("LIMIT_ROTATION")
    constraint.owner_space = "WORLD"
    constraint.use_limit_x = True
    make_physical(obj, bpy.context.scene)
    assert obj.pose.bones["bone1"].redmax.joint == "SPHERICAL"


def test_transform_locks_are_no_joint_locks():
    """Rigify locks every deform bone it makes, and they are to be simulated all the same."""
    obj = make_chain(2)
    obj.pose.bones["bone1"].lock_rotation = (True, True, True)
    make_physical(obj, bpy.context.scene)
    assert obj.pose.bones["bone1"].redmax.joint == "SPHERICAL"


def test_damping_is_a_part_of_what_would_stop_all_that_a_joint_carries():
    """A straight chain of equal rods as one long rod, swinging about its end."""
    obj = make_chain(4, length=0.25)
    decisions = make_physical(obj, bpy.context.scene, Choices(damping=0.5))
    mass = sum(decision.mass for decision in decisions)
    critical = 2.0 * np.sqrt(mass * 1.0**2 / 3.0 * mass * 9.81 * 0.5)
    assert obj.pose.bones["bone0"].redmax.damping == pytest.approx(0.5 * critical, rel=1e-3)
    make_physical(obj, bpy.context.scene, Choices(damping=0.0))
    assert all(bone.redmax.damping == 0.0 for bone in obj.pose.bones)


@pytest.mark.parametrize(("root", "kind"), [("ANCHORED", "FIXED"), ("HINGED", "SPHERICAL"), ("FREE", "FREE")])
def test_root_is_carried_as_chosen(root, kind):
    obj = make_chain(2)
    make_physical(obj, bpy.context.scene, Choices(root=root))
    assert [bone.redmax.joint for bone in obj.pose.bones] == [kind, "SPHERICAL"]


def test_an_anchored_root_with_ik_locks_turns_as_they_say():
    obj = make_chain(2)
    obj.pose.bones["bone0"].lock_ik_x = obj.pose.bones["bone0"].lock_ik_y = True
    make_physical(obj, bpy.context.scene)
    assert (obj.pose.bones["bone0"].redmax.joint, obj.pose.bones["bone0"].redmax.axis) == ("REVOLUTE", "Z")


def test_an_anchored_bone_that_carries_nothing_turns():
    obj = make_chain(1)
    make_physical(obj, bpy.context.scene)
    assert obj.pose.bones["bone0"].redmax.joint == "SPHERICAL"


def test_helper_bones_are_skipped_and_the_chain_stays_connected():
    obj = make_chain(5)
    for name in ("bone0", "bone2", "bone3"):
        obj.data.bones[name].use_deform = False
    make_physical(obj, bpy.context.scene)
    assert [bone.name for bone in physical_bones(obj)] == ["bone1", "bone4"]
    parents = physical_parents(obj)
    assert parents["bone1"] is None
    assert parents["bone4"].name == "bone1"


def test_a_deform_bone_on_a_copied_helper_hangs_on_the_bone_that_copies_it():
    """As in generated rigs: DEF-thigh is a child of ORG-spine, which DEF-spine copies."""
    obj = make_armature(
        [
            ("ORG-spine", None, (0, 0, 0), (0, 0, 1)),
            ("DEF-spine", None, (0, 0, 0), (0, 0, 1)),
            ("DEF-thigh", "ORG-spine", (0, 0, 0), (0, 0, -1)),
        ]
    )
    obj.data.bones["ORG-spine"].use_deform = False
    copy = obj.pose.bones["DEF-spine"].constraints.new("COPY_TRANSFORMS")
    copy.target, copy.subtarget = obj, "ORG-spine"
    make_physical(obj, bpy.context.scene)
    assert physical_parents(obj)["DEF-thigh"].name == "DEF-spine"


def make_skin(obj: bpy.types.Object, bone: str, radius: float) -> bpy.types.Object:
    """A tube along a bone of the rig, weighted to it."""
    data = obj.data.bones[bone]
    angles = np.linspace(0.0, 2.0 * pi, 12, endpoint=False)
    rings = [
        (data.length * along, radius * np.cos(a), radius * np.sin(a))
        for along in np.linspace(0.05, 0.95, 6)
        for a in angles
    ]
    to_bone = data.matrix_local @ Matrix(((0, 1, 0, 0), (1, 0, 0, 0), (0, 0, -1, 0), (0, 0, 0, 1)))
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata([to_bone @ Matrix.Translation(p).translation for p in rings], [], [])
    skin = bpy.data.objects.new("Skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    skin.vertex_groups.new(name=bone).add(range(len(rings)), 1.0, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = obj
    return skin


def test_radius_is_the_distance_of_the_skin_also_when_the_skin_is_placed_elsewhere():
    obj = make_chain(3)
    obj.location, obj.scale = (1.0, 2.0, 3.0), (2.0, 2.0, 2.0)
    skin = make_skin(obj, "bone1", 0.07)
    skin.matrix_world = obj.matrix_world.copy()
    bpy.context.view_layer.update()
    skin.matrix_world = obj.matrix_world.copy()
    bpy.context.view_layer.update()
    make_physical(obj, bpy.context.scene)
    assert obj.pose.bones["bone1"].redmax.radius == pytest.approx(0.07, rel=1e-3)
    assert obj.pose.bones["bone2"].redmax.radius == pytest.approx(0.05, rel=1e-5)  # a tenth of its length
    make_physical(obj, bpy.context.scene, Choices(size_from="BONE", slenderness=0.2))
    assert obj.pose.bones["bone1"].redmax.radius == pytest.approx(0.1, rel=1e-5)


def test_mass_is_density_times_volume_in_metres():
    obj = make_chain(2, length=0.5)
    obj.scale = (3.0, 3.0, 3.0)
    bpy.context.scene.unit_settings.scale_length = 0.01
    bpy.context.view_layer.update()
    decisions = make_physical(obj, bpy.context.scene, Choices(density=500.0))
    length, radius = 0.5 * 0.03, 0.05 * 0.03
    volume = pi * radius**2 * (length - 2 * radius) + 4 / 3 * pi * radius**3
    assert [d.mass for d in decisions] == pytest.approx([500.0 * volume] * 2, rel=1e-5)


def test_the_operator_does_what_the_function_does_and_reports_every_bone():
    obj = make_chain(4)
    obj.pose.bones["bone2"].lock_ik_x = True
    make_physical(obj, bpy.context.scene, Choices(root="FREE", density=800.0, damping=0.25))
    by_function = snapshot()
    for bone in obj.pose.bones:
        bone.redmax.physical = False
        bone.redmax.joint = "FIXED"
    assert bpy.ops.redmax.make_physical(root="FREE", density=800.0, damping=0.25) == {"FINISHED"}
    text = bpy.data.texts[report_name(obj)]
    lines = text.as_string().splitlines()
    for bone in obj.pose.bones:
        assert any(line.startswith(f"{bone.name}: ") for line in lines)
        assert bone.redmax.decision in text.as_string()
    bpy.data.texts.remove(text)
    assert snapshot() == by_function


def test_clearing_keeps_the_settings():
    obj = make_chain(2)
    make_physical(obj, bpy.context.scene)
    obj.pose.bones["bone1"].redmax.density = 123.0
    assert bpy.ops.redmax.clear_physical() == {"FINISHED"}
    assert not any(bone.redmax.physical for bone in obj.pose.bones)
    assert obj.pose.bones["bone1"].redmax.density == 123.0
