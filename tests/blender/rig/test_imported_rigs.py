"""Rigs as importers leave them: bodies are where the skin is, and every limb hangs on what carries it."""

import bpy
import numpy as np
import pytest
from blender_fixtures import distance_from_cache, make_armature, set_range
from rig_fixtures import add_tubes, imported, volume

from redmax_blender.bridge.rig.limbs.capsule import capsule_of
from redmax_blender.bridge.rig.limbs.fit import distance_to_line
from redmax_blender.bridge.rig.make_physical import Choices, bone_mass, make_physical
from redmax_blender.bridge.rig.rig import physical_parents
from redmax_blender.bridge.run.simulate_scene import simulate_scene

LEG = {
    "hips": (None, (0.0, 0.0, 1.0)),
    "thigh": ("hips", (0.1, 0.0, 0.9)),
    "shin": ("thigh", (0.1, 0.05, 0.5)),
    "foot": ("shin", (0.1, 0.0, 0.1)),
}
SKIN = {
    ("hips",): (((-0.1, 0.0, 0.92), (-0.1, 0.0, 1.25)), 0.12),
    ("thigh", "shin"): (((0.1, 0.0, 0.9), (0.1, 0.05, 0.5), (0.1, 0.0, 0.1)), 0.05),
    ("foot",): (((0.1, 0.05, 0.05), (0.1, -0.2, 0.05)), 0.04),
}


def capsule_in_rig(obj, name):
    """Ends of the capsule's axis in the armature's space, and its radius."""
    bone = obj.pose.bones[name]
    capsule = capsule_of(bone)
    rest = np.array(bone.bone.matrix_local)
    a, b = (rest[:3, :3] @ end + rest[:3, 3] for end in capsule.ends)
    return a, b, capsule.radius


def total_mass(obj, unit=1.0):
    return sum(bone_mass(bone, unit) for bone in obj.pose.bones if bone.redmax.physical)


@pytest.mark.parametrize("tail", [(0.0, 1e-4, 0.0), (0.3, 0.0, 0.0), (0.0, -2.0, 1.0)])
def test_bodies_are_where_the_skin_is_wherever_the_tails_of_bones_are(tail):
    obj = imported(LEG, tail)
    skin = add_tubes(obj, SKIN)
    make_physical(obj, bpy.context.scene)
    assert total_mass(obj) == pytest.approx(1000.0 * volume(skin), rel=0.05)
    for name in ("thigh", "shin"):
        a, b, radius = capsule_in_rig(obj, name)
        head, end = LEG[name][1], LEG[{"thigh": "shin", "shin": "foot"}[name]][1]
        assert radius == pytest.approx(0.05, rel=0.05)
        line = np.linspace(np.array(head), np.array(end), 9)[1:-1]
        assert distance_to_line(line, a, b).max() < 0.055  # half a sphere ends it
    points = np.array([v.co for v in skin.data.vertices])
    apart = np.min(
        [distance_to_line(points, a, b) - r for a, b, r in (capsule_in_rig(obj, n) for n in LEG)], axis=0
    )
    assert np.abs(apart).max() < 0.06  # no skin that is far from all bodies, and nothing deep within one
    assert min(min(a[2], b[2]) - r for a, b, r in (capsule_in_rig(obj, n) for n in LEG)) > -0.02


def test_masses_do_not_depend_on_how_bones_are_drawn_or_scaled():
    masses = []
    for tail, scale in (((0.0, 1e-4, 0.0), 1.0), ((0.0, 0.1, 0.3), 1.0), ((0.3, 0.0, 0.0), 0.01)):
        bpy.ops.wm.read_homefile(use_empty=True)
        obj = imported(LEG, tail)
        obj.scale = (scale,) * 3
        bpy.context.view_layer.update()
        add_tubes(obj, SKIN)
        make_physical(obj, bpy.context.scene)
        masses.append([bone_mass(obj.pose.bones[name], scale) / scale**3 for name in LEG])
    assert masses[1] == pytest.approx(masses[0], rel=1e-3)
    assert masses[2] == pytest.approx(masses[0], rel=1e-3)


def insect():
    """Legs and belly on a bone without skin; feet on the root, as IK wants them, and a pole target beside them."""
    sides = {"L": 1.0, "R": -1.0}
    joints = {"root": (None, (0.0, 0.0, 0.0)), "hub": ("root", (0.0, 0.0, 0.6))}
    limbs = {("belly",): (((0.0, 0.1, 0.5), (0.0, 0.6, 0.5)), 0.15)}
    joints["belly"] = ("hub", (0.0, 0.1, 0.5))
    for side, s in sides.items():
        joints |= {
            f"leg.{side}": ("hub", (0.1 * s, 0.0, 0.5)),
            f"shin.{side}": (f"leg.{side}", (0.5 * s, 0.0, 0.8)),
            f"foot.{side}": ("root", (0.8 * s, 0.0, 0.1)),
            f"pole.{side}": ("root", (1.5 * s, 0.0, 1.0)),
        }
        line = ((0.1 * s, 0.0, 0.5), (0.5 * s, 0.0, 0.8), (0.8 * s, 0.0, 0.1), (0.9 * s, 0.0, 0.03))
        limbs[(f"leg.{side}", f"shin.{side}", f"foot.{side}")] = (line, 0.03)
    obj = imported(joints, (0.0, 0.0, 0.2), "Insect")
    add_tubes(obj, limbs)
    return obj


def add_ik(obj):
    for side in "LR":
        ik = obj.pose.bones[f"shin.{side}"].constraints.new("IK")
        ik.target, ik.subtarget, ik.chain_count = obj, f"foot.{side}", 2
        ik.pole_target, ik.pole_subtarget = obj, f"pole.{side}"


@pytest.mark.parametrize("exported", [False, True])
def test_a_bone_that_holds_others_stays_and_feet_hang_on_their_legs(exported):
    """With its IK constraints, and as exporters leave it: without."""
    obj = insect()
    if not exported:
        add_ik(obj)
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    carriers = {name: carrier and carrier.name for name, carrier in physical_parents(obj).items()}
    assert carriers == {
        "hub": None, "belly": "hub", "leg.L": "hub", "leg.R": "hub", "shin.L": "leg.L", "shin.R": "leg.R",
        "foot.L": "shin.L", "foot.R": "shin.R",
    }  # fmt: skip
    assert not obj.pose.bones["hub"].redmax.surface.collide  # nobody sees it
    assert bone_mass(obj.pose.bones["hub"], 1.0) < 0.03 * total_mass(obj)
    set_range(1, 12)
    outcome = simulate_scene(bpy.context)
    assert not outcome.diverged
    feet = [obj.pose.bones[name].matrix.translation for name in ("shin.L", "foot.L")]
    bpy.context.scene.frame_set(12)
    again = [obj.pose.bones[name].matrix.translation for name in ("shin.L", "foot.L")]
    assert (again[1] - again[0]).length == pytest.approx((feet[1] - feet[0]).length, rel=1e-4)
    assert distance_from_cache(obj, 12) < 1e-5


def test_who_carries_a_bone_can_be_chosen_and_stays():
    obj = make_armature(
        [
            ("body", None, (0, 0, 0), (0, 0, 0.5)),
            ("arm", "body", (0, 0, 0.5), (0.5, 0, 0.5)),
            ("prop", "body", (0.5, 0, 0.5), (0.5, 0, 0.8)),
        ],
        connect=False,
    )
    make_physical(obj, bpy.context.scene)
    obj.pose.bones["prop"].redmax.carrier = "arm"
    assert physical_parents(obj)["prop"].name == "arm"
    make_physical(obj, bpy.context.scene)
    assert physical_parents(obj)["prop"].name == "arm"
    obj.pose.bones["body"].redmax.carrier = "prop"  # it carries itself: the tree of bones counts
    obj.pose.bones["prop"].redmax.carrier = "gone"
    assert physical_parents(obj)["prop"].name == "body"
