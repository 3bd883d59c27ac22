"""Force Fields: which of Blender's fields push the active armature, body or soft mesh; and thrusters."""

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ..bridge.flesh.soft_meshes import is_soft
from ..bridge.read.fields import TYPES, force_fields, weight_of, why_not
from ..bridge.rig.bodies import is_anchored, is_body
from ..bridge.rig.rig import is_physical
from .sidebar import Sidebar, measured

MOST = 8
"""Force fields that the panel names."""


def feels(obj):
    """Whether force fields push an object."""
    return obj is not None and (is_physical(obj) or is_soft(obj) or (is_body(obj) and not is_anchored(obj)))


class VIEW3D_PT_redmax_fields(Sidebar, bpy.types.Panel):
    bl_label = "Force Fields"
    bl_parent_id = "VIEW3D_PT_redmax_mechanism"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return feels(context.object)

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        obj = context.object
        settings = obj.redmax.fields
        layout.prop(settings, "use")
        column = layout.column()
        column.active = settings.use
        column.prop(settings, "collection")
        if not is_soft(obj):
            column.prop(settings, "spread")
        if not is_soft(obj):
            layout.operator("redmax.add_thruster", icon="EMPTY_SINGLE_ARROW")
        found = force_fields(context.scene)
        if not found:
            layout.label(text="No force field is in the scene", icon="FORCE_FORCE")
            return
        column.prop(settings, "weight", text="Weight")
        kinds = {TYPES[field.field.type] for field in found if not why_not(field)}
        for kind in sorted(kinds):
            column.prop(settings, kind)
        box = column.column(align=True)
        for field in found[:MOST]:
            self.draw_field(box, obj, field)
        if len(found) > MOST:
            box.label(text=iface_("And {count} more").format(count=len(found) - MOST))

    @staticmethod
    def draw_field(layout, obj, field):
        if why_not(field):
            text = iface_("{name} does nothing here").format(name=field.name)
            layout.label(text=text, icon="ERROR", translate=False)
            return
        weight = weight_of(obj, field)
        icon = "CHECKMARK" if weight else "X"
        layout.label(text=f"{field.name}: {weight:.3g}", icon=icon, translate=False)


class VIEW3D_PT_redmax_thruster(Sidebar, bpy.types.Panel):
    bl_label = "Thruster"
    bl_parent_id = "VIEW3D_PT_redmax_mechanism"

    @classmethod
    def poll(cls, context):
        obj = context.object
        return obj is not None and obj.type == "EMPTY"

    def draw_header(self, context):
        self.layout.prop(context.object.redmax.thruster, "use", text="")

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        settings = context.object.redmax.thruster
        layout.active = settings.use
        if settings.use and context.object.parent is None:
            layout.label(text="Parent it to a body or a bone", icon="ERROR")
        row = layout.row()
        row.use_property_decorate = False
        row.prop(settings, "axes", expand=True)
        measured(layout).prop(settings, "force", text="Force (N)")
        measured(layout).prop(settings, "torque", text="Torque (N·m)")


CLASSES = (VIEW3D_PT_redmax_fields, VIEW3D_PT_redmax_thruster)
