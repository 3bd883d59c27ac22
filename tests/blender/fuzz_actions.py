"""What a user may do, in any order: our operators with random settings, and Blender's own doings around them."""

import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
from blender_fixtures import key_bone, make_chain, turn_bones
from mechanism_fixtures import add_box, add_joint, make_blenders

from redmax_blender.operators import CLASSES

Action = Callable[[random.Random], str]
"""Does something, if there is anything to do it with, and says what."""

SCENE_FILE = Path(tempfile.mkdtemp(prefix="redmax-fuzz-")) / "scene.json"
"""What one operator writes and another one reads."""
SLOW = {"add_shot"}
"""Operators that add much; they are left to tests of their own."""
KEPT = "The frames before are kept"
"""A run that fails on its way tells so as an error, and is finished all the same."""
MODES = ("OBJECT", "POSE")


# Scenes -------------------------------------------------------------------------------------------------------


def random_scene(rng: random.Random) -> None:
    """Some of: rigs, animated or not; bodies with a joint; a mesh on a rig."""
    if rng.random() < 0.7:
        rig = make_chain(rng.randint(1, 4), name="Rig")
        rig.location = (rng.uniform(-1, 1), 0.0, rng.uniform(0, 2))
        turn_bones(rig, seed=rng.randint(0, 99), amount=0.3)
        if rng.random() < 0.4:
            key_rotation(rig, rng)
        if rng.random() < 0.4:
            add_skin(rig)
        bpy.ops.object.mode_set(mode="OBJECT")
    if rng.random() < 0.5 or not bpy.data.objects:
        boxes = [add_box(f"Box{k}", (3.0 + 1.2 * k, 0.0, 1.0)) for k in range(rng.randint(1, 3))]
        if len(boxes) > 1:
            add_joint("Hinge", rng.choice(("HINGE", "POINT", "SLIDER")), *boxes[:2], at=(3.6, 0.0, 1.0))
    settings = bpy.context.scene.redmax
    settings.frame_start, settings.frame_end = 1, rng.randint(3, 6)
    settings.substeps = rng.randint(1, 3)
    bpy.context.view_layer.update()


def key_rotation(rig: bpy.types.Object, rng: random.Random) -> None:
    bone = rng.choice(list(rig.pose.bones))
    key_bone(rig, bone.name, (1, 5), seed=rng.randint(0, 99))
    for channel, value in (("location", (0.0, 0.0, 0.0)), ("scale", (1.0, 1.0, 1.0))):
        for frame in (1, 5):  # scaled bones are refused, which would be all that happens
            setattr(bone, channel, value)
            bone.keyframe_insert(channel, frame=frame)


def add_skin(rig: bpy.types.Object) -> None:
    """A box around the first bone that the rig deforms."""
    skin = add_box("Skin", (0.25, 0.0, 0.0), (0.6, 0.3, 0.3), role="NONE")
    skin.parent = rig
    group = skin.vertex_groups.new(name=rig.pose.bones[0].name)
    group.add(range(8), 1.0, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = rig


# Blender's own ------------------------------------------------------------------------------------------------


def to_mode(mode: str) -> None:
    if bpy.context.object is not None and bpy.context.mode != mode and bpy.ops.object.mode_set.poll():
        if mode == "POSE" and bpy.context.object.type != "ARMATURE":
            return
        bpy.ops.object.mode_set(mode=mode)


def change_mode(rng: random.Random) -> str:
    mode = rng.choice(MODES)
    to_mode(mode)
    return f"mode {mode}"


def change_frame(rng: random.Random) -> str:
    frame = rng.randint(-1, 8)
    bpy.context.scene.frame_set(frame)
    return f"frame {frame}"


def select(rng: random.Random) -> str:
    """Some objects, and with a rig some of its bones."""
    to_mode("OBJECT")
    objects = list(bpy.context.scene.objects)
    if not objects:
        return "select nothing"
    for obj in objects:
        obj.select_set(rng.random() < 0.6)
    active = rng.choice(objects)
    active.select_set(True)
    bpy.context.view_layer.objects.active = active
    if active.type == "ARMATURE":
        active.data.bones.active = rng.choice(list(active.data.bones))
        for bone in active.pose.bones:
            (bone if hasattr(bone, "select") else bone.bone).select = rng.random() < 0.6
        to_mode(rng.choice(MODES))
    return f"select {active.name}"


def rename(rng: random.Random) -> str:
    things = [*bpy.data.objects, *(bone for a in bpy.data.armatures for bone in a.bones)]
    if not things:
        return "rename nothing"
    thing, name = rng.choice(things), f"name{rng.randint(0, 9)}"
    before, thing.name = thing.name, name
    return f"rename {before} to {name}"


def delete(rng: random.Random) -> str:
    to_mode("OBJECT")
    objects = list(bpy.context.scene.objects)
    if len(objects) < 2:
        return "delete nothing"
    name = rng.choice(objects).name
    bpy.data.objects.remove(bpy.data.objects[name])
    return f"delete {name}"


def duplicate(_rng: random.Random) -> str:
    to_mode("OBJECT")
    if len(bpy.data.objects) > 8 or not bpy.context.selected_objects:
        return "duplicate nothing"
    bpy.ops.object.duplicate()
    return "duplicate"


def edit_bones(rng: random.Random) -> str:
    """Delete, add or move a bone in edit mode."""
    obj = bpy.context.object
    if obj is None or obj.type != "ARMATURE":
        return "edit nothing"
    bpy.ops.object.mode_set(mode="EDIT")
    bones = obj.data.edit_bones
    what = rng.choice(("delete", "add", "move"))
    if what == "delete" and len(bones) > 1:
        bones.remove(rng.choice(list(bones)))
    elif what == "add":
        bone = bones.new("new")
        bone.head, bone.tail = (0.0, 0.5, 0.0), (0.0, 1.0, 0.0)
        bone.parent = bones[0]
    else:
        rng.choice(list(bones)).tail.z += 0.1
    bpy.ops.object.mode_set(mode="OBJECT")
    return f"{what} a bone"


def pose_bone(rng: random.Random) -> str:
    """Pose a bone, with or without a key."""
    obj = bpy.context.object
    if obj is None or obj.pose is None or not len(obj.pose.bones):
        return "pose nothing"
    bone = rng.choice(list(obj.pose.bones))
    bone.rotation_quaternion = np.array([1.0, *(rng.uniform(-0.5, 0.5) for _ in range(3))])
    bone.rotation_euler = [rng.uniform(-0.5, 0.5) for _ in range(3)]
    if rng.random() < 0.5:
        bone.keyframe_insert("rotation_euler", frame=rng.randint(1, 6))
    return f"pose {bone.name}"


def change_setting(rng: random.Random) -> str:
    """One of our settings, of the scene, an object or a bone, to a value in its range."""
    owners = [bpy.context.scene, *bpy.data.objects]
    owners += [bone for obj in bpy.data.objects if obj.pose for bone in obj.pose.bones]
    owner = rng.choice(owners)
    group = owner.redmax
    inner = [p.identifier for p in group.bl_rna.properties if isinstance(getattr(group, p.identifier), Group)]
    if inner and rng.random() < 0.6:
        group = getattr(group, rng.choice(inner))
    chosen = [p for p in group.bl_rna.properties if not p.is_readonly and p.identifier in SETTABLE]
    if not chosen:
        return "set nothing"
    prop = rng.choice(chosen)
    if prop.type == "POINTER":
        setattr(group, prop.identifier, random_object(prop.identifier, owner, rng))
    else:
        setattr(group, prop.identifier, random_value(prop, rng))
    return f"set {owner.name}.{prop.identifier} = {getattr(group, prop.identifier)!r}"


Group = bpy.types.PropertyGroup
SETTABLE = {
    "physical", "joint", "axis", "stiffness", "damping", "rest_from", "radius", "mass_from", "density", "mass",
    "use_bone_length", "length", "role", "kind", "coefficient", "response", "ratio", "ease", "use_start_velocity",
    "integrator", "gravity_in_scene_units", "use_rigid_bodies", "self_collision", "friction", "restitution", "young",
    "show", "preroll", "bone", "cut", "use_motor", "motor_kind", "motor_speed", "motor_force", "shape", "collide",
    "wake", "target", "target_point", "follow", "follow_rotation", "drag", "tube", "loop_blend",
}  # fmt: skip
"""Settings that users change; ranges of frames and paths stay."""


def random_value(prop: bpy.types.Property, rng: random.Random) -> object:
    if prop.type == "ENUM":
        return rng.choice([item.identifier for item in prop.enum_items])
    if prop.type == "BOOLEAN":
        return rng.random() < 0.5
    if prop.type == "FLOAT":
        return rng.uniform(max(prop.soft_min, -10.0), min(prop.soft_max, 10.0))
    if prop.type == "INT":
        return rng.randint(max(prop.soft_min, 0), min(prop.soft_max, 5))
    return rng.choice(("", "bone0", "bone1", "nobody"))


def random_object(name: str, owner: object, rng: random.Random) -> bpy.types.Object | None:
    """An object that a pointer of this name may point to, or none."""
    things = [obj for obj in bpy.context.scene.objects if obj != owner]
    if name == "joint":
        things = [obj for obj in things if obj.redmax.joint.kind != "NONE"]
    return rng.choice([None, *things])


def key_control(rng: random.Random) -> str:
    """Key who controls a bone, or how much a point of it follows its target."""
    bones = [bone for obj in bpy.context.scene.objects if obj.pose for bone in obj.pose.bones]
    if not bones:
        return "key nothing"
    bone, name = rng.choice(bones), rng.choice(("redmax_control", "redmax_influence"))
    setattr(bone, name, random_value(bone.bl_rna.properties[name], rng))
    if rng.random() < 0.7:
        bone.keyframe_insert(name, frame=rng.randint(1, 6))
    return f"key {bone.name}.{name} = {getattr(bone, name)!r}"


def random_bone(rng: random.Random) -> bpy.types.PoseBone | None:
    bones = [bone for obj in bpy.context.scene.objects if obj.pose for bone in obj.pose.bones]
    return rng.choice(bones) if bones else None


def constrain(rng: random.Random) -> str:
    """Give a bone or an object a constraint, or mute one that it has."""
    owner = rng.choice([random_bone(rng), *bpy.context.scene.objects])
    if owner is None:
        return "constrain nothing"
    if owner.constraints and rng.random() < 0.4:
        found = rng.choice(list(owner.constraints))
        found.mute = not found.mute
        return f"mute {found.name} of {owner.name}"
    kinds = ["COPY_ROTATION", "COPY_LOCATION", "LIMIT_ROTATION"]
    kinds += ["IK"] if isinstance(owner, bpy.types.PoseBone) else []
    made = owner.constraints.new(rng.choice(kinds))
    if hasattr(made, "target"):
        made.target = random_object("target", owner.id_data, rng)
    return f"constrain {owner.name} by {made.type}"


def drive(rng: random.Random) -> str:
    """Drive a channel of a bone, or leave it."""
    bone = random_bone(rng)
    if bone is None:
        return "drive nothing"
    if not bone.driver_remove("location", 0):
        bone.driver_add("location", 0).driver.expression = "frame / 100"
    return f"drive {bone.name}"


def push_down(rng: random.Random) -> str:
    """Make an NLA strip of an action."""
    animated = [obj for obj in bpy.context.scene.objects if obj.animation_data and obj.animation_data.action]
    if not animated:
        return "push down nothing"
    obj = rng.choice(animated)
    data = obj.animation_data
    strip = data.nla_tracks.new().strips.new(data.action.name, 1, data.action)
    if rng.random() < 0.5:
        data.action = None
    return f"push down {strip.name} of {obj.name}"


def make_rigid(rng: random.Random) -> str:
    """Give a mesh object a rigid body of Blender's, in a world that is off.

    Where it is on, Blender by itself uses freed memory: a cube with a rigid body, two frames, a change to it, and undo.
    """
    found = [obj for obj in bpy.context.scene.objects if obj.type == "MESH" and obj.rigid_body is None]
    if not found:
        return "make nothing rigid"
    obj = rng.choice(found)
    make_blenders(obj, kind=rng.choice(("ACTIVE", "PASSIVE")))
    bpy.context.scene.rigidbody_world.enabled = False
    return f"make {obj.name} rigid"


def parent(rng: random.Random) -> str:
    """Hang an object on another one."""
    objects = list(bpy.context.scene.objects)
    child = rng.choice(objects)
    above = rng.choice([None, *(obj for obj in objects if obj != child and child not in _above(obj))])
    child.parent = above
    return f"hang {child.name} on {above and above.name}"


def _above(obj: bpy.types.Object) -> list[bpy.types.Object]:
    found = []
    while obj.parent is not None:
        obj = obj.parent
        found.append(obj)
    return found


BLENDERS: tuple[Action, ...] = (
    change_mode, change_frame, select, select, rename, delete, duplicate, edit_bones, pose_bone, change_setting,
    change_setting, change_setting, key_control, constrain, drive, push_down, make_rigid, parent,
)  # fmt: skip


# Ours ---------------------------------------------------------------------------------------------------------


def our_operators(usable: bool) -> list[str]:
    """All of them, or those that are not greyed, which leads further into a story."""
    names = [name for name in dir(bpy.ops.redmax) if name not in SLOW]
    if len(bpy.data.objects) > 8:
        names.remove("import_scene")
    return [name for name in names if not usable or getattr(bpy.ops.redmax, name).poll()] or names


def undoable(name: str) -> bool:
    """Whether an operator makes a step that undo leads back over; otherwise it may change nothing."""
    (cls,) = (cls for cls in CLASSES if cls.bl_idname == f"redmax.{name}")
    return "UNDO" in getattr(cls, "bl_options", ())


def bone_names() -> list[str]:
    """Of the active rig, and one that it has not."""
    obj = bpy.context.object
    return ["nobody", *(obj.pose.bones.keys() if obj is not None and obj.pose else ())]


def call(name: str, rng: random.Random) -> tuple[str, set[str] | str]:
    """Call one of our operators as a user would, with random choices; what was called, and how it ended.

    An error that it reports is a way to end; an exception in it is not.
    """
    operator = getattr(bpy.ops.redmax, name)
    properties = {}
    for prop in operator.get_rna_type().properties:
        if prop.identifier != "rna_type" and prop.type in {"ENUM", "BOOLEAN"} and rng.random() < 0.5:
            if prop.type == "ENUM" and (prop.is_enum_flag or not len(prop.enum_items)):
                continue
            properties[prop.identifier] = random_value(prop, rng)
        elif prop.identifier in ("bone", "collection"):
            properties[prop.identifier] = rng.choice(bone_names())
    if name == "live":
        properties["frames"] = rng.randint(1, 4)
    if name in ("export_scene", "import_scene"):
        properties = {"filepath": str(SCENE_FILE)}
    if name.endswith("_preset_add"):
        properties = {"name": "fuzz"}
    called = f"{name}({', '.join(f'{key}={value!r}' for key, value in properties.items())})"
    if not operator.poll():
        return called, "greyed"
    try:
        return called, operator("EXEC_DEFAULT", True, **properties)
    except RuntimeError as error:  # what it reported as an error
        if "Traceback" in str(error):
            raise AssertionError(f"{called} raised:\n{error}") from None
        if KEPT in str(error):
            return called, {"FINISHED"}
        return called, f"refused: {str(error).strip()[:200]}"
