"""Make Physical a second time: what the user has set stays, and it is said what would have been decided instead."""

import bpy
import pytest
from blender_fixtures import make_chain

from redmax_blender.bridge.rig.make_physical import Choices, clear_physical, make_physical
from redmax_blender.bridge.rig.rig import physical_bones


def test_what_was_set_stays_and_the_rest_is_decided_anew():
    obj = make_chain(4)
    scene = bpy.context.scene
    make_physical(obj, scene)
    one, two = obj.pose.bones["bone1"].redmax, obj.pose.bones["bone2"].redmax
    one.joint, one.axis = "REVOLUTE", "Z"
    one.mass_from, one.mass = "MASS", 3.0
    two.use_limits, two.limits_max = (True, False, False), (0.5, 0.0, 0.0)
    two.surface.collide = False
    decisions = {d.bone: d for d in make_physical(obj, scene, Choices(density=500.0, damping=0.0))}
    assert (one.joint, one.axis, one.mass_from, one.mass) == ("REVOLUTE", "Z", "MASS", 3.0)
    assert list(two.use_limits) == [True, False, False] and two.limits_max[0] == 0.5
    assert not two.surface.collide
    assert two.density == 500.0 and one.damping == two.damping == 0.0
    assert decisions["bone1"].mass == 3.0
    assert "joint kept as set, instead of spherical" in decisions["bone1"].kept
    assert "mass kept as set, instead of a density of 500" in decisions["bone1"].kept
    assert "limits kept as set, instead of none" in decisions["bone2"].text
    assert not decisions["bone3"].kept and obj.pose.bones["bone3"].redmax.density == 500.0
    # A third time, it is still the user's.
    make_physical(obj, scene)
    assert one.joint == "REVOLUTE" and one.mass_from == "MASS" and two.density == 1000.0


def test_everything_is_decided_anew_where_that_is_wanted():
    obj = make_chain(3)
    scene = bpy.context.scene
    make_physical(obj, scene)
    obj.pose.bones["bone1"].redmax.joint = "REVOLUTE"
    obj.pose.bones["bone2"].redmax.physical = False
    make_physical(obj, scene, Choices(keep=False))
    assert obj.pose.bones["bone1"].redmax.joint == "SPHERICAL"
    assert obj.pose.bones["bone2"].redmax.physical
    obj.pose.bones["bone1"].redmax.physical = False
    clear_physical(obj)
    make_physical(obj, scene)
    assert len(physical_bones(obj)) == 3


def test_bones_that_were_taken_out_stay_out_and_bones_that_were_added_stay_in():
    obj = make_chain(4)
    scene = bpy.context.scene
    obj.data.bones["bone3"].use_deform = False
    make_physical(obj, scene)
    obj.pose.bones["bone1"].redmax.physical = False
    obj.pose.bones["bone3"].redmax.physical = True
    decisions = make_physical(obj, scene)
    assert [bone.name for bone in physical_bones(obj)] == ["bone0", "bone2", "bone3"]
    assert {d.bone for d in decisions if not d.joint} == {"bone1"}
    assert "bone0" in next(d.text for d in decisions if d.bone == "bone2")  # it hangs on what is left


@pytest.mark.parametrize("verdict", ["HOLD", "LEAVE_OUT"])
def test_what_was_overruled_in_the_list_stays(verdict):
    obj = make_chain(3)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.redmax.make_physical()
    bpy.ops.redmax.decide(bone="bone1", verdict=verdict)
    before = (obj.pose.bones["bone1"].redmax.joint, obj.pose.bones["bone1"].redmax.physical)
    bpy.ops.redmax.make_physical(root="HINGED")
    assert (obj.pose.bones["bone1"].redmax.joint, obj.pose.bones["bone1"].redmax.physical) == before
    assert obj.pose.bones["bone0"].redmax.joint == "SPHERICAL"


def test_a_rig_of_an_earlier_version_keeps_its_settings():
    """Its bones have no note of what was decided."""
    obj = make_chain(2)
    make_physical(obj, bpy.context.scene)
    bone = obj.pose.bones["bone1"].redmax
    bone.made, bone.joint = "", "PRISMATIC"
    make_physical(obj, bpy.context.scene)
    assert bone.joint == "PRISMATIC"


def test_the_button_says_what_it_kept(capfd):
    obj = make_chain(3)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.redmax.make_physical()
    obj.pose.bones["bone2"].redmax.joint = "UNIVERSAL"
    bpy.ops.redmax.make_physical()
    assert "Kept what was set by hand on: bone2" in capfd.readouterr().out
