"""What the recipes begin with: rigs and things that stand for yours, and keys."""

import bpy


def add_rig(name, bones):
    """A rig of bones (name, parent, head, tail), in pose mode; a bone that begins at its parent's end is connected."""
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    activate(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone_name, parent, head, tail in bones:
        bone = data.edit_bones.new(bone_name)
        bone.head, bone.tail = head, tail
        if parent:
            bone.parent = data.edit_bones[parent]
            bone.use_connect = bone.parent.tail == bone.head
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    return rig


def add_chain(name, begin, end, count, first=None):
    """Bones (name, parent, head, tail) of a straight chain between two points; it hangs on the bone `first`."""
    points = [[a + (b - a) * k / count for a, b in zip(begin, end)] for k in range(count + 1)]
    names = [f"{name}{k + 1}" for k in range(count)]
    return list(zip(names, [first, *names], points, points[1:]))


def add_box(name, at, size):
    """A box with its sizes along x, y, z."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=at)
    box = bpy.context.object
    box.name, box.scale = name, size
    bpy.ops.object.transform_apply(location=False, rotation=False)
    return box


def add_empty(name, at):
    empty = bpy.data.objects.new(name, None)
    empty.location, empty.empty_display_size = at, 0.1
    bpy.context.scene.collection.objects.link(empty)
    return empty


def activate(obj, others=()):
    """Select an object and others, and make it the active one."""
    if bpy.context.object is not None and bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for other in bpy.context.view_layer.objects:
        other.select_set(other in (obj, *others))
    bpy.context.view_layer.objects.active = obj


def key(thing, name, values):
    """Key a property of an object, a bone or a group of settings: {frame: value}."""
    for frame, value in values.items():
        setattr(thing, name, value)
        thing.keyframe_insert(name, frame=frame)


def simulate(frame_end, substeps=20):
    """Press Simulate."""
    scene = bpy.context.scene
    scene.frame_start = scene.redmax.frame_start = 1
    scene.frame_end = scene.redmax.frame_end = frame_end
    scene.redmax.substeps = substeps
    scene.frame_set(1)
    bpy.ops.redmax.simulate()
