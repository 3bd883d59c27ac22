"""The Ragdoll button, the check of a character and its fixes, and its total mass."""

import bpy
import numpy as np
import pytest
from blender_fixtures import distance_from_cache, make_armature, set_range, snapshot
from rig_fixtures import add_tubes, imported, volume
from test_imported_rigs import LEG, SKIN, total_mass

from redmax_blender.bridge.mechanism.add_ground import add_ground
from redmax_blender.bridge.rig.limbs.check import lowest_body, noted
from redmax_blender.bridge.rig.make_physical import bone_mass, make_physical
from redmax_blender.bridge.rig.rig import physical_parents
from redmax_blender.bridge.run.simulate_scene import simulate_scene


def leg(scale: float = 1.0) -> bpy.types.Object:
    obj = imported(LEG, (0.0, 1e-3, 0.0))
    obj.scale = (scale,) * 3
    bpy.context.view_layer.update()
    add_tubes(obj, SKIN)
    bpy.context.view_layer.objects.active = obj
    return obj


def kinds(obj) -> list[str]:
    return [finding.kind for finding in noted(obj)]


def test_one_click_lets_a_character_fall_onto_a_ground():
    obj = leg()
    assert bpy.ops.redmax.ragdoll() == {"FINISHED"}
    assert obj.pose.bones["hips"].redmax.joint == "FREE"
    assert obj.redmax.self_collision and obj.redmax.hold_locations
    grounds = [o for o in bpy.context.scene.objects if o.redmax.collider.role == "GROUND"]
    assert [round(g.location.z - lowest_body(obj)[0], 6) for g in grounds] == [0.0]
    assert kinds(obj) == []
    assert bpy.ops.redmax.ragdoll() == {"FINISHED"}  # again: no second ground
    assert sum(o.redmax.collider.role == "GROUND" for o in bpy.context.scene.objects) == 1
    obj.location.z = 0.3
    bpy.context.view_layer.update()
    set_range(1, 20)
    assert not simulate_scene(bpy.context).diverged
    bpy.context.scene.frame_set(20)
    assert distance_from_cache(obj, 20) < 1e-5
    assert obj.pose.bones["hips"].head.z < 0.85  # it has fallen
    assert lowest_body(obj)[0] > grounds[0].location.z - 0.02  # and nothing fell through


@pytest.mark.parametrize(("scale", "unit"), [(100.0, 0.01), (0.001, 1000.0), (39.37, 0.0254)])
def test_a_character_in_the_wrong_unit_is_asked_about_and_set_right(scale, unit):
    obj = leg(scale)
    bpy.ops.redmax.make_physical(root="FREE")
    assert kinds(obj) == ["UNIT"]
    assert bpy.ops.redmax.fix_finding(kind="UNIT") == {"FINISHED"}
    assert bpy.context.scene.unit_settings.scale_length == pytest.approx(unit)
    assert kinds(obj) == []
    assert obj.redmax.total_mass == pytest.approx(
        1000.0 * volume(bpy.data.objects["Skin"]) * unit**3, rel=0.05
    )
    assert obj.pose.bones["hips"].redmax.joint == "FREE"


def test_a_mass_that_is_far_from_the_mesh_is_found_and_mended():
    obj = leg()
    bpy.ops.redmax.make_physical()
    right = obj.redmax.total_mass
    obj.redmax.total_mass = 10.0 * right
    assert bpy.ops.redmax.check() == {"FINISHED"}
    assert kinds(obj) == ["MASS"]
    bpy.ops.redmax.fix_finding(kind="MASS")
    assert kinds(obj) == []
    assert obj.redmax.total_mass == pytest.approx(right, rel=0.05)


def test_total_mass_scales_every_body_alike_and_stays():
    obj = leg()
    make_physical(obj, bpy.context.scene)
    before = [bone_mass(bone, 1.0) for bone in obj.pose.bones]
    damping = [bone.redmax.damping for bone in obj.pose.bones]
    obj.redmax.total_mass = 3.0 * sum(before)
    assert [bone_mass(bone, 1.0) for bone in obj.pose.bones] == pytest.approx(
        [3.0 * m for m in before], rel=1e-5
    )
    assert [bone.redmax.damping for bone in obj.pose.bones] == pytest.approx(
        [3.0 * d for d in damping], rel=1e-5
    )
    make_physical(obj, bpy.context.scene)
    assert total_mass(obj) == pytest.approx(3.0 * sum(before), rel=1e-5)
    settings = snapshot()
    obj.redmax.total_mass = 0.0  # nothing weighs nothing
    assert settings == snapshot()


def test_loose_parts_are_found_and_joined():
    obj = make_armature(
        [
            ("body", None, (0, 0, 0), (0, 0, 0.5)),
            ("arm", "body", (0, 0, 0.5), (0.5, 0, 0.5)),
            ("hand", None, (0.52, 0, 0.5), (0.7, 0, 0.5)),
        ],
        connect=False,
    )
    bpy.ops.redmax.make_physical(root="FREE")
    assert kinds(obj) == ["ROOTS"]
    bpy.ops.redmax.fix_finding(kind="ROOTS")
    assert kinds(obj) == []
    assert physical_parents(obj)["hand"].name == "arm"
    assert obj.pose.bones["hand"].redmax.joint == "SPHERICAL"


def test_bodies_below_the_ground_and_out_of_the_skin_are_found_and_mended():
    obj = leg()
    ground = add_ground(bpy.context.scene, bpy.context.scene.collection, height=0.3)
    bpy.context.view_layer.update()
    bpy.ops.redmax.make_physical()
    obj.pose.bones["shin"].redmax.start = (0.6, 0.0, 0.0)
    bpy.ops.redmax.check()
    assert kinds(obj) == ["OUTSIDE", "BELOW"]
    assert noted(obj)[0].bones == ("shin",)
    bpy.ops.redmax.fix_finding(kind="OUTSIDE")
    assert kinds(obj) == ["BELOW"]
    bpy.ops.redmax.fix_finding(kind="BELOW")
    assert kinds(obj) == []
    assert ground.location.z == pytest.approx(lowest_body(obj)[0], abs=1e-5)
    assert np.abs(np.array(ground.location)[:2]).max() == 0.0
