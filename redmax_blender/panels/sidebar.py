"""Where all panels are, and which bone they are about."""


class Sidebar:
    """A panel in the RedMax tab of the 3D view's sidebar."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "RedMax"


def measured(layout):
    """A column for numbers whose names have units that Blender does not know: the names need the whole width."""
    column = layout.column(align=True)
    column.use_property_split = False
    return column


def active_armature(context):
    obj = context.object
    return obj if obj is not None and obj.type == "ARMATURE" else None


def active_bone(context):
    """The active pose bone of the active armature, in object mode too."""
    armature = active_armature(context)
    bone = armature.data.bones.active if armature is not None else None
    return armature.pose.bones.get(bone.name) if bone is not None else None
