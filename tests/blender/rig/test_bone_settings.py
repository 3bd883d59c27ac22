"""Bone settings: kept with the bone through whatever happens to it, and edited for many bones at once."""

import bpy
import pytest
from blender_fixtures import make_chain

from redmax_blender import properties, scene_properties
from redmax_blender.bridge.rig.make_physical import is_selected
from redmax_blender.engine.integrators import INTEGRATORS


def select(obj, *names):
    for bone in obj.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in names


def test_settings_survive_saving_and_loading(tmp_path):
    obj = make_chain(2)
    settings = obj.pose.bones["bone1"].redmax
    settings.physical, settings.joint, settings.stiffness = True, "UNIVERSAL", 12.5
    settings.limits_max = (0.1, 0.2, 0.3)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "rig.blend"))
    settings = bpy.data.objects["Rig"].pose.bones["bone1"].redmax
    assert (settings.physical, settings.joint, settings.stiffness) == (True, "UNIVERSAL", 12.5)
    assert list(settings.limits_max) == pytest.approx([0.1, 0.2, 0.3])


def test_settings_survive_edit_mode_and_renaming():
    obj = make_chain(3)
    obj.pose.bones["bone1"].redmax.density = 321.0
    bpy.ops.object.mode_set(mode="EDIT")
    obj.data.edit_bones["bone1"].name = "forearm"
    obj.data.edit_bones["bone2"].tail.z += 1.0
    bpy.ops.object.mode_set(mode="POSE")
    assert obj.pose.bones["forearm"].redmax.density == 321.0


def test_armatures_that_share_their_data_have_settings_of_their_own():
    obj = make_chain(2)
    obj.pose.bones["bone0"].redmax.density = 321.0
    twin = obj.copy()
    bpy.context.scene.collection.objects.link(twin)
    assert twin.data == obj.data
    twin.pose.bones["bone0"].redmax.density = 7.0
    assert obj.pose.bones["bone0"].redmax.density == 321.0


def test_copy_to_selected_copies_choices_but_not_what_belongs_to_one_bone():
    obj = make_chain(4)
    source = obj.pose.bones["bone0"].redmax
    source.physical, source.joint, source.axis, source.damping = True, "REVOLUTE", "CUSTOM", 3.0
    source.axis_vector, source.use_limits = (0.0, 1.0, 2.0), (True, False, True)
    source.decision = "mine"
    obj.data.bones.active = obj.data.bones["bone0"]
    select(obj, "bone0", "bone2", "bone3")
    assert bpy.ops.redmax.copy_to_selected() == {"FINISHED"}
    for name in ("bone2", "bone3"):
        copy = obj.pose.bones[name].redmax
        assert (copy.physical, copy.joint, copy.axis, copy.damping) == (True, "REVOLUTE", "CUSTOM", 3.0)
        assert list(copy.axis_vector) == [0.0, 1.0, 2.0]
        assert list(copy.use_limits) == [True, False, True]
        assert copy.decision == ""
    assert not obj.pose.bones["bone1"].redmax.physical


def test_the_panel_offers_every_integrator_of_the_engine():
    assert sorted(name for name, *_ in scene_properties.INTEGRATORS) == sorted(INTEGRATORS)


def test_every_setting_says_what_it_is():
    for group in (group for owner, group in properties.OWNERS if owner is not bpy.types.WindowManager):
        for prop in group.bl_rna.properties:
            if prop.identifier != "name" and prop.type != "POINTER":
                assert prop.description, f"{group.__name__}.{prop.identifier}"


def test_bone_settings_cannot_be_keyed_since_they_are_read_once():
    for prop in properties.REDMAX_PG_bone.bl_rna.properties:
        if prop.identifier not in ("rna_type", "name"):
            assert not prop.is_animatable, prop.identifier


def test_the_list_of_bones_follows_the_active_bone_and_sets_it():
    obj = make_chain(3)
    obj.data.bones.active = obj.data.bones["bone2"]
    assert obj.pose.bones[obj.redmax.bone_index].name == "bone2"
    obj.redmax.bone_index = obj.pose.bones.find("bone1")
    assert obj.data.bones.active.name == "bone1"
    assert [bone.name for bone in obj.pose.bones if is_selected(bone)] == ["bone1"]
