"""Bad input: a report that names the thing and says what to do, and no change to the file."""

import bpy
import pytest
from blender_fixtures import key_bone, make_armature, make_chain, set_range, snapshot
from mechanism_fixtures import add_box

from redmax_blender.bridge.rig.make_physical import make_physical

NAN = float("nan")


def report_of(operator, **options) -> str:
    """What an operator reports when it refuses; fails when it does not, or when anything changed."""
    before = snapshot()
    with pytest.raises(RuntimeError) as error:
        operator(**options)
    after = snapshot()
    for key, value in before.items():
        assert after[key] == value, key
    return str(error.value)


def physical_chain() -> bpy.types.Object:
    obj = make_chain(3)
    make_physical(obj, bpy.context.scene)
    key_bone(obj, "bone2", (1, 9))
    bpy.context.scene.frame_set(4)
    set_range(1, 10)
    return obj


def test_no_armature_selected():
    mesh = bpy.data.objects.new("Box", bpy.data.meshes.new("Box"))
    bpy.context.scene.collection.objects.link(mesh)
    assert "Select an armature" in report_of(bpy.ops.redmax.make_physical)
    bpy.context.view_layer.objects.active = mesh
    assert "Select an armature" in report_of(bpy.ops.redmax.make_physical)


def test_an_armature_without_bones():
    make_armature([], name="Empty")
    report = report_of(bpy.ops.redmax.make_physical)
    assert "'Empty'" in report
    assert "no bones" in report
    assert "edit mode" in report


def test_an_armature_without_deform_bones():
    obj = make_chain(2)
    for bone in obj.data.bones:
        bone.use_deform = False
    assert "none of its bones deform" in report_of(bpy.ops.redmax.make_physical)


@pytest.mark.parametrize("operator", ["make_physical", "simulate"])
@pytest.mark.parametrize(
    ("scale", "problem"),
    [((1.0, 2.0, 1.0), "not the same"), ((0.0, 0.0, 0.0), "zero")],
)
def test_an_armature_scaled_unevenly(operator, scale, problem):
    obj = physical_chain()
    obj.scale = scale
    bpy.context.view_layer.update()
    report = report_of(getattr(bpy.ops.redmax, operator))
    assert "Armature 'Rig'" in report
    assert problem in report


def test_a_parent_that_shears_the_armature():
    obj = physical_chain()
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale = (1.0, 3.0, 1.0)
    obj.parent = parent
    obj.rotation_euler = (0.3, 0.4, 0.5)
    bpy.context.view_layer.update()
    assert "Armature 'Rig'" in report_of(bpy.ops.redmax.simulate)


def test_a_bone_mirrored_in_its_pose():
    """An uneven scale is a stretch, which is a length (`motion/test_stretch.py`); a negative one is neither."""
    obj = physical_chain()
    obj.pose.bones["bone1"].scale = (-1.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    report = report_of(bpy.ops.redmax.simulate)
    assert "Bone 'bone1' of 'Rig'" in report
    assert "Alt S" in report


def test_a_bone_of_no_length():
    obj = make_armature(
        [("long", None, (0, 0, 0), (0, 0, 1)), ("point", "long", (0, 0, 1), (0, 0, 1 + 2e-6))]
    )
    for bone in obj.pose.bones:
        bone.redmax.physical = True
    report = report_of(bpy.ops.redmax.simulate)
    assert "Bone 'point' of 'Rig'" in report
    assert "length" in report
    assert bpy.ops.redmax.make_physical() == {"FINISHED"}  # which gives it the size of a limb
    bpy.context.scene.redmax.frame_end = 3
    assert bpy.ops.redmax.simulate() == {"FINISHED"}


@pytest.mark.parametrize(("start", "end"), [(10, 10), (10, 9), (5, -5)])
def test_an_empty_frame_range(start, end):
    physical_chain()
    set_range(start, end)
    report = report_of(bpy.ops.redmax.simulate)
    assert f"starts at frame {start} and ends at frame {end}" in report


@pytest.mark.parametrize(
    ("setting", "label"),
    [("stiffness", "Stiffness"), ("damping", "Damping"), ("radius", "Radius"), ("density", "Density"),
     ("mass", "Mass"), ("limits_min", "Min"), ("rest_angles", "Rest Angles"), ("axis_vector", "Direction")],
)  # fmt: skip
def test_a_setting_that_is_no_number(setting, label):
    obj = physical_chain()
    settings = obj.pose.bones["bone1"].redmax
    vector = hasattr(getattr(settings, setting), "__len__")
    setattr(settings, setting, (NAN, 0.0, 0.0) if vector else NAN)
    report = report_of(bpy.ops.redmax.simulate)
    assert f"Bone 'bone1' of 'Rig', {label}" in report


@pytest.mark.parametrize("option", ["density", "damping", "slenderness"])
def test_a_choice_of_make_physical_that_is_no_number(option):
    physical_chain()
    assert option in report_of(bpy.ops.redmax.make_physical, **{option: NAN})


def test_a_pose_that_is_no_number():
    obj = physical_chain()
    obj.pose.bones["bone1"].rotation_euler.x = NAN
    bpy.context.view_layer.update()
    assert "'bone1' of 'Rig'" in report_of(bpy.ops.redmax.simulate)


def test_an_axis_of_no_direction():
    obj = physical_chain()
    settings = obj.pose.bones["bone1"].redmax
    settings.joint, settings.axis, settings.axis_vector = "REVOLUTE", "CUSTOM", (0.0, 0.0, 0.0)
    assert "Bone 'bone1' of 'Rig', axis" in report_of(bpy.ops.redmax.simulate)


def test_a_universal_joint_with_one_axis_twice():
    obj = physical_chain()
    settings = obj.pose.bones["bone1"].redmax
    settings.joint, settings.axis, settings.second_axis = "UNIVERSAL", "X", "X"
    assert "Bone 'bone1' of 'Rig', second axis" in report_of(bpy.ops.redmax.simulate)


@pytest.mark.parametrize("kind", ["FREE", "PRISMATIC"])
def test_a_connected_bone_that_should_leave_its_parent(kind):
    obj = physical_chain()
    obj.pose.bones["bone1"].redmax.joint = kind
    report = report_of(bpy.ops.redmax.simulate)
    assert "Bone 'bone1' of 'Rig'" in report
    assert "connected" in report


def test_gravity_that_is_no_number():
    physical_chain()
    bpy.context.scene.gravity = (0.0, 0.0, NAN)
    assert "gravity" in report_of(bpy.ops.redmax.simulate)


def test_nothing_physical_nothing_simulated_nothing_baked():
    make_chain(2)
    assert "Make Physical" in report_of(bpy.ops.redmax.simulate)
    assert "Simulate first" in report_of(bpy.ops.redmax.bake)
    assert "Nothing" in report_of(bpy.ops.redmax.free_cache)
    assert "Nothing is baked" in report_of(bpy.ops.redmax.delete_bake)


def test_setting_up_over_a_bake():
    physical_chain()
    bpy.ops.redmax.simulate()
    bpy.ops.redmax.bake()
    assert "Delete the bake first" in report_of(bpy.ops.redmax.make_physical)
    assert "baked" in report_of(bpy.ops.redmax.bake)


def test_copying_without_an_active_bone():
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = None
    assert "active" in report_of(bpy.ops.redmax.copy_to_selected)


def hang_by_parent(rig, other):
    rig.parent, rig.parent_type, rig.parent_bone = other, "BONE", "bone2"


def hang_by_constraint(rig, other):
    constraint = rig.constraints.new("CHILD_OF")
    constraint.target, constraint.subtarget = other, "bone2"


def hang_on_body(rig, _other):
    rig.parent = add_box("box", (0.0, 0.0, 3.0))


@pytest.mark.parametrize("hang", [hang_by_parent, hang_by_constraint, hang_on_body], ids=lambda f: f.__name__)
def test_an_armature_that_hangs_on_what_is_simulated(hang):
    """It would be simulated as if that stood still, and be shown where it is carried to."""
    rigs = [make_chain(3, name=name) for name in ("Other", "Rig")]
    for rig in rigs:
        make_physical(rig, bpy.context.scene)
    bpy.ops.object.mode_set(mode="OBJECT")
    hang(rigs[1], rigs[0])
    set_range(1, 4)
    said = report_of(bpy.ops.redmax.simulate)
    assert "Armature 'Rig': it hangs on" in said and "simulated itself" in said
    for bone in rigs[0].pose.bones:  # an animated one may carry it
        bone.redmax.physical = False
    if hang is not hang_on_body:
        assert bpy.ops.redmax.simulate() == {"FINISHED"}
