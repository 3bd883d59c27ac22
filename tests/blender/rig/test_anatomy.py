"""People and animals are known by the names of their bones in every usual scheme, and by their joints without any."""

from math import radians

import bpy
import numpy as np
import pytest
from blender_fixtures import Bone, make_armature
from mathutils import Matrix
from rig_fixtures import imported

from redmax_blender.bridge.read.scene import read_scene
from redmax_blender.bridge.rig.anatomy.freedoms import body_of
from redmax_blender.bridge.rig.anatomy.names import part_of, side_of
from redmax_blender.bridge.rig.make_physical import Choices, bone_mass, make_physical
from redmax_blender.bridge.rig.mirror_settings import mirror_bone
from redmax_blender.bridge.rig.rig import physical_parents

PERSON = {
    "hips": (None, (0.0, 0.02, 0.95)),
    "belly": ("hips", (0.0, 0.0, 1.1)),
    "chest": ("belly", (0.0, 0.02, 1.25)),
    "neck": ("chest", (0.0, 0.03, 1.48)),
    "head": ("neck", (0.0, 0.0, 1.57)),
    "clavicle": ("chest", (0.03, 0.0, 1.42)),
    "upper arm": ("clavicle", (0.18, 0.03, 1.42)),
    "forearm": ("upper arm", (0.46, 0.05, 1.42)),
    "hand": ("forearm", (0.72, 0.02, 1.42)),
    "thigh": ("hips", (0.1, 0.0, 0.92)),
    "shin": ("thigh", (0.1, -0.02, 0.5)),
    "foot": ("shin", (0.1, 0.02, 0.08)),
    "toe": ("foot", (0.1, -0.11, 0.02)),
}
"""Joints of a person of 1.75 m who looks along -y; those at x > 0 are on either side."""
PAIRED = {name for name, (_, at) in PERSON.items() if at[0] > 0.0}
SCHEMES = {
    "Mixamo": (
        "mixamorig:{}", "Hips Spine Spine2 Neck Head Shoulder Arm ForeArm Hand UpLeg Leg Foot ToeBase", "{s}{n}",
    ),
    "VRM": (
        "J_Bip_{}",
        "C_Hips C_Spine C_Chest C_Neck C_Head Shoulder UpperArm LowerArm Hand UpperLeg LowerLeg Foot ToeBase",
        "{S}_{n}",
    ),
    "Daz": (
        "{}",
        "hip abdomenLower chestLower neckLower head Collar ShldrBend ForearmBend Hand ThighBend Shin Foot Toe",
        "{l}{n}",
    ),
    "Character Creator": (
        "CC_Base_{}",
        "Hip Waist Spine01 NeckTwist01 Head Clavicle Upperarm Forearm Hand Thigh Calf Foot ToeBase",
        "{S}_{n}",
    ),
    "Biped": (
        "Bip01 {}", "Pelvis Spine Spine1 Neck Head Clavicle UpperArm Forearm Hand Thigh Calf Foot Toe0", "{S} {n}",
    ),
    "MMD": ("{}", "下半身 上半身 上半身2 首 頭 肩 腕 ひじ 手首 足 ひざ 足首 つま先", "{j}{n}"),
    "MMD, converted": ("{}", "下半身 上半身 上半身2 首 頭 肩 腕 ひじ 手首 足 ひざ 足首 つま先", "{n}.{S}"),
    "BVH of CMU": (
        "{}", "Hips LowerBack Spine Neck Head Shoulder Arm ForeArm Hand UpLeg Leg Foot ToeBase", "{s}{n}",
    ),
    "BVH, by joints": (
        "{}", "Hips Spine Chest Neck Head Collar Shoulder Elbow Wrist Hip Knee Ankle Toe", "{s}{n}",
    ),
    "ASF": (
        "{}", "root lowerback thorax lowerneck head clavicle humerus radius wrist femur tibia foot toes", "{l}{n}",
    ),
    "MakeHuman": (
        "{}",
        "spine05 spine03 spine01 neck01 head clavicle upperarm01 lowerarm01 wrist upperleg01 lowerleg01 foot toe1-1",
        "{n}.{S}",
    ),
    "Unreal": (
        "{}", "pelvis spine_01 spine_03 neck_01 head clavicle upperarm lowerarm hand thigh calf foot ball", "{n}_{l}",
    ),
    "Rigify": (
        "DEF-{}",
        "spine spine.001 spine.003 spine.004 spine.006 shoulder upper_arm forearm hand thigh shin foot toe",
        "{n}.{S}",
    ),
    "numbers": ("{}", "j0 j1 j2 j3 j4 j5 j6 j7 j8 j9 j10 j11 j12", "{n}_{k}"),
}  # fmt: skip
"""How bones are called: what is around every name, the names in the order of PERSON, and how a side is written."""
SIDES = (("Left", "L", "l", "左", 1, 1.0), ("Right", "R", "r", "右", 2, -1.0))


def person(scheme: str) -> tuple[bpy.types.Object, dict[tuple[str, str], str]]:
    """A rig as importers leave it, and the name of each part's bone on each side ("" for the middle)."""
    around, names, sided = SCHEMES[scheme]
    called: dict[tuple[str, str], str] = {}
    joints = {}
    for (part, (above, at)), name in zip(PERSON.items(), names.split(), strict=True):
        for s, S, low, j, k, sign in SIDES if part in PAIRED else (("", "", "", "", "", 1.0),):
            own = sided.format(s=s, S=S, l=low, j=j, k=k, n=name) if s else name
            called[part, S] = around.format(own)
            carrier = None if above is None else called.get((above, S)) or called[above, ""]
            joints[called[part, S]] = (carrier, (sign * at[0], at[1], at[2]))
    return imported(joints, (0.0, 0.0, 0.06)), called


def turned(obj: bpy.types.Object, name: str, angle: float) -> np.ndarray:
    """How far the head of the next bone moves when a hinge turns by an angle, in the armature's space."""
    bone = obj.data.bones[name]
    settings = obj.pose.bones[name].redmax
    axis = (
        np.array(settings.axis_vector) if settings.axis == "CUSTOM" else np.eye(3)["XYZ".index(settings.axis)]
    )
    world = np.array(bone.matrix_local.to_3x3()) @ axis
    arm = np.array(bone.children[0].head_local - bone.head_local)
    return np.array(Matrix.Rotation(angle, 3, world.tolist())) @ arm - arm


def range_of(obj: bpy.types.Object, name: str) -> tuple[float, float]:
    """Limits of a hinge [rad]."""
    settings = obj.pose.bones[name].redmax
    assert settings.joint == "REVOLUTE", name
    axis = (
        np.array(settings.axis_vector) if settings.axis == "CUSTOM" else np.eye(3)["XYZ".index(settings.axis)]
    )
    k = int(np.argmax(np.abs(axis)))
    assert settings.use_limits[k], name
    low, high = settings.limits_min[k], settings.limits_max[k]
    return (low, high) if axis[k] > 0.0 else (-high, -low)


def far_end(obj: bpy.types.Object, name: str) -> float:
    """The limit that is farther from the rest pose [rad]."""
    return max(range_of(obj, name), key=abs)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_elbows_and_knees_of_people_are_hinges_that_fold_the_right_way(scheme):
    obj, called = person(scheme)
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    for side in "LR":
        for part, way in (("shin", (0.0, 1.0, 0.0)), ("forearm", (0.0, -1.0, 0.0))):
            name = called[part, side]
            low, high = range_of(obj, name)
            far = far_end(obj, name)
            assert (
                turned(obj, name, np.sign(far) * 0.1) @ way > 0.0
            )  # the shin goes back, the forearm forward
            assert radians(110.0) < abs(far) < radians(150.0)
            assert min(abs(low), abs(high)) < radians(20.0)  # what the rest pose bends, and no further
        for part in ("upper arm", "thigh", "hand"):
            settings = obj.pose.bones[called[part, side]].redmax
            assert settings.joint == "SPHERICAL"
            assert all(settings.use_limits)
    masses = {part: bone_mass(obj.pose.bones[name], 1.0) for (part, _), name in called.items()}
    whole = sum(bone_mass(bone, 1.0) for bone in obj.pose.bones if bone.redmax.physical)
    assert 40.0 < whole < 90.0
    assert masses["thigh"] == pytest.approx(0.145 * whole, rel=0.05)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_person_lying_in_any_direction_is_known(scheme):
    """Importers leave rigs with another axis up, and turn the object: the bones know nothing of it."""
    obj, called = person(scheme)
    bpy.context.view_layer.objects.active = obj
    obj.data.transform(Matrix.Rotation(radians(90.0), 4, "X") @ Matrix.Rotation(radians(50.0), 4, "Z"))
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    for side in "LR":
        assert range_of(obj, called["shin", side])
        assert range_of(obj, called["forearm", side])


@pytest.mark.parametrize("roll", [0.0, 40.0, 65.0])
def test_a_knee_bends_in_its_own_plane_whatever_the_roll_of_its_bone(roll):
    obj, called = person("numbers")
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    for side in "LR":
        obj.data.edit_bones[called["shin", side]].roll = radians(roll)
        obj.data.edit_bones[called["upper arm", side]].roll = radians(roll)
    bpy.ops.object.mode_set(mode="OBJECT")
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    for side in "LR":
        name = called["shin", side]
        moved = turned(obj, name, 0.2 * np.sign(far_end(obj, name)))
        assert abs(moved[0]) < 0.3 * moved[1]
        arm = obj.pose.bones[called["upper arm", side]].redmax
        assert all(arm.use_limits)
        assert all(low <= 0.0 <= high for low, high in zip(arm.limits_min, arm.limits_max))


def test_limits_of_a_hinge_about_any_axis_are_those_of_the_nearest():
    obj, called = person("numbers")
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    obj.data.edit_bones[called["shin", "L"]].roll = radians(40.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    name = called["shin", "L"]
    assert obj.pose.bones[name].redmax.axis == "CUSTOM"
    spec = read_scene(bpy.context, [obj]).scene
    limits = next(body.joint.limits for body in spec.bodies if body.name.endswith(name))
    assert limits is not None
    assert (limits.lower[0], limits.upper[0]) == pytest.approx(range_of(obj, name))


def test_a_hinge_about_any_axis_is_mirrored_with_its_limits():
    obj, called = person("MMD, converted")
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    for side, roll in (("L", 40.0), ("R", -40.0)):
        obj.data.edit_bones[called["shin", side]].roll = radians(roll)
    bpy.ops.object.mode_set(mode="OBJECT")
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    left, right = (called["shin", side] for side in "LR")
    other = obj.pose.bones[right].redmax
    other.axis, other.limits_min, other.limits_max = "X", (-0.1,) * 3, (0.1,) * 3
    mirror_bone(obj.pose.bones[left], obj.pose.bones[right])
    low, high = range_of(obj, left)
    image = turned(obj, left, 0.3) * (-1.0, 1.0, 1.0)
    same = np.allclose(turned(obj, right, 0.3), image, atol=1e-5)
    assert same or np.allclose(turned(obj, right, -0.3), image, atol=1e-5)
    assert range_of(obj, right) == pytest.approx((low, high) if same else (-high, -low))


def test_a_ragdolls_hinges_that_the_rig_leaves_unlimited_stop_where_those_of_people_do():
    obj, called = person("Unreal")
    bpy.context.view_layer.objects.active = obj
    knee = obj.pose.bones[called["shin", "L"]]
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    wanted = range_of(obj, knee.name)
    assert knee.redmax.axis != "CUSTOM"
    for axis in "xyz":
        setattr(knee, f"lock_ik_{axis}", axis.upper() != knee.redmax.axis)
    make_physical(obj, bpy.context.scene, Choices(root="FREE", keep=False))
    assert not any(knee.redmax.use_limits)
    make_physical(obj, bpy.context.scene, Choices(root="FREE", cones=True, keep=False))
    assert range_of(obj, knee.name) == pytest.approx(wanted)


def animal(names: dict[str, str], size: float = 1.0) -> bpy.types.Object:
    """A dog of 0.6 m from hip to shoulder, who looks along -y."""
    bones: list[Bone] = [
        ("back", None, (0, 0.3, 0.6), (0, 0.0, 0.62)),
        ("ribs", "back", (0, 0.0, 0.62), (0, -0.3, 0.6)),
        ("neck", "ribs", (0, -0.3, 0.6), (0, -0.45, 0.75)),
        ("skull", "neck", (0, -0.45, 0.75), (0, -0.65, 0.72)),
        ("tail1", "back", (0, 0.35, 0.6), (0, 0.5, 0.55)),
        ("tail2", "tail1", (0, 0.5, 0.55), (0, 0.65, 0.5)),
        ("tail3", "tail2", (0, 0.65, 0.5), (0, 0.8, 0.5)),
    ]
    for side, s in (("L", 1), ("R", -1)):
        x = 0.09 * s
        bones += [
            (f"hind1.{side}", "back", (x, 0.3, 0.57), (x, 0.2, 0.36)),
            (f"hind2.{side}", f"hind1.{side}", (x, 0.2, 0.36), (x, 0.37, 0.18)),
            (f"hind3.{side}", f"hind2.{side}", (x, 0.37, 0.18), (x, 0.33, 0.04)),
            (f"hind4.{side}", f"hind3.{side}", (x, 0.33, 0.04), (x, 0.25, 0.0)),
            (f"fore1.{side}", "ribs", (x, -0.3, 0.5), (x, -0.2, 0.34)),
            (f"fore2.{side}", f"fore1.{side}", (x, -0.2, 0.34), (x, -0.22, 0.1)),
            (f"fore3.{side}", f"fore2.{side}", (x, -0.22, 0.1), (x, -0.22, 0.03)),
            (f"fore4.{side}", f"fore3.{side}", (x, -0.22, 0.03), (x, -0.3, 0.0)),
        ]
    scaled = [
        (names.get(n, n), names.get(p, p) if p else p, tuple(size * v for v in a), tuple(size * v for v in b))
        for n, p, a, b in bones
    ]
    return make_armature(scaled, connect=False)


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("size", [1.0, 0.4])
def test_the_legs_of_animals_go_on_bending_the_way_that_they_are_bent(named, size):
    names = {} if named else {
        name: f"x{i}" for i, name in enumerate(b.name for b in animal({}).data.bones)
    }  # fmt: skip
    bpy.ops.wm.read_homefile(use_empty=True)
    obj = animal(names, size)
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    # a stifle folds the shin back, a hock the metatarsus forward, an elbow the forearm forward
    for bone, way, least in (("hind2", 1.0, 60.0), ("hind3", -1.0, 60.0), ("fore2", -1.0, 80.0)):
        for side in "LR":
            name = names.get(f"{bone}.{side}", f"{bone}.{side}")
            far = far_end(obj, name)
            assert turned(obj, name, np.sign(far) * 0.1)[1] * way > 0.0, bone
            assert abs(far) > radians(least)
    tail = obj.pose.bones[names.get("tail2", "tail2")].redmax
    assert tail.joint == "SPHERICAL"
    assert all(tail.use_limits)
    mass = sum(bone_mass(bone, 1.0) for bone in obj.pose.bones)
    assert 20.0 * size**3 < mass < 45.0 * size**3  # as a dog of its size
    trunk = sum(bone_mass(obj.pose.bones[names.get(n, n)], 1.0) for n in ("back", "ribs"))
    assert 0.5 < trunk / mass < 0.85


def spider() -> bpy.types.Object:
    bones: list[Bone] = [("body", None, (0, 0, 0.5), (0, -0.4, 0.5))]
    for side, s in (("L", 1), ("R", -1)):
        for k, angle in enumerate(np.radians([-50.0, -20.0, 20.0, 50.0])):
            d = np.array([s * np.cos(angle), np.sin(angle), 0.0])
            points = [
                np.array([0, 0, 0.5]) + r * d + (0, 0, z) for r, z in ((0.1, 0), (0.5, 0.4), (0.9, -0.4))
            ]
            end = points[2] + 0.15 * d
            for i, (a, b) in enumerate(zip(points, [*points[1:], end])):
                above = "body" if i == 0 else f"leg{k}{i - 1}.{side}"
                bones.append((f"leg{k}{i}.{side}", above, tuple(a), tuple(b)))
    return make_armature(bones, "Spider", connect=False)


def test_what_is_neither_person_nor_four_legged_is_limited_all_the_same():
    obj = spider()
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    bones, carriers = [b for b in obj.pose.bones], physical_parents(obj)
    body = body_of(bones, carriers)
    assert body is not None
    assert body.kind == "limbs"
    for k in range(4):
        for side in "LR":
            first, knee = (obj.pose.bones[f"leg{k}{i}.{side}"].redmax for i in (0, 1))
            assert first.joint == "SPHERICAL"
            assert all(first.use_limits)
            assert knee.joint == "REVOLUTE"
            tip = turned(obj, f"leg{k}1.{side}", 0.1 * np.sign(far_end(obj, f"leg{k}1.{side}")))
            assert abs(tip[2]) > 0.0
    bpy.ops.wm.read_homefile(use_empty=True)
    rope = make_armature([("a", None, (0, 0, 1), (0, 0, 0.8)), ("b", "a", (0, 0, 0.8), (0, 0, 0.6))])
    make_physical(rope, bpy.context.scene)
    assert not any(rope.pose.bones["b"].redmax.use_limits)  # one chain is no creature


@pytest.mark.parametrize(
    ("name", "part", "side"),
    [
        ("左腕", "upper arm", "left"), ("右ひざ", "shin", "right"), ("左足D", "thigh", "left"),
        ("左足ＩＫ", None, "left"), ("左親指１", "thumb", "left"), ("右中指２", "finger", "right"),
        ("Bip001 L Finger0", "thumb", "left"), ("Bip001 R Finger21", "finger", "right"),
        ("ValveBiped.Bip01_L_UpperArm", "upper arm", "left"), ("CC_Base_R_Mid1", "finger", "right"),
        ("CC_Base_L_ThighTwist01", "twist", "left"), ("lShldrTwist", "twist", "left"), ("lfemur", "thigh", "left"),
        ("LHipJoint", "hip", "left"), ("finger1-2.R", "thumb", "right"), ("index_metacarpal_l", "palm", "left"),
        ("ik_foot_l", None, "left"), ("J_Sec_Hair1_01", None, ""), ("ball_r", "toe", "right"), ("Leg", "shin", ""),
    ],
)  # fmt: skip
def test_names_say_parts_and_sides(name, part, side):
    assert (part_of(name), side_of(name)) == (part, side)


def test_expressions_of_a_face_are_held_by_their_names_and_a_lone_jaw_falls_open():
    words = ("brow", "lid", "lip", "cheek", "nose", "chin")
    bones: list[Bone] = [("skull", None, (0, 0, 1.0), (0, 0, 1.2))]
    for k, word in enumerate(words):
        for side, s in (("L", 1), ("R", -1)):
            x = 0.02 * s * (k + 1)
            bones.append((f"{word}.{side}", "skull", (x, -0.1, 1.1), (x, -0.25, 1.1)))
    obj = make_armature(bones, connect=False)
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    assert {b.redmax.joint for b in obj.pose.bones if b.name != "skull"} == {"FIXED"}
    bpy.ops.wm.read_homefile(use_empty=True)
    simple = make_armature(
        [("skull", None, (0, 0, 1), (0, 0, 1.2)), ("jaw", "skull", (0, 0, 1), (0, -0.1, 1))]
    )
    make_physical(simple, bpy.context.scene, Choices(root="FREE"))
    assert simple.pose.bones["jaw"].redmax.joint != "FIXED"
