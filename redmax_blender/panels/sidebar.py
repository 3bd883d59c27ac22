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


def figure(value, unit):
    """A number with its unit and three digits: 1.15 kJ, 30 mN·m."""
    size = abs(value)
    for prefix, factor in (("M", 1e6), ("k", 1e3), ("", 1.0), ("m", 1e-3)):
        if size >= 0.9995 * factor:
            return f"{value / factor:.3g} {prefix}{unit}"
    return f"0 {unit}" if size < 5e-7 else f"{value * 1e6:.3g} µ{unit}"


def active_armature(context):
    obj = context.object
    return obj if obj is not None and obj.type == "ARMATURE" else None


def active_bone(context):
    """The active pose bone of the active armature, in object mode too."""
    armature = active_armature(context)
    bone = armature.data.bones.active if armature is not None else None
    return armature.pose.bones.get(bone.name) if bone is not None else None
