"""Add Spring, Cable, Rope, Rod: between the selected objects."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty, FloatProperty

from ..bridge.mechanism.add_spring import add_spring
from ..engine.errors import SceneError
from ..mechanism_properties import SPRING_KINDS


class REDMAX_OT_add_spring(bpy.types.Operator):
    """Connect the selected objects or empties by a spring, a cable, a rope or a rod, the active one last"""

    bl_idname = "redmax.add_spring"
    bl_label = "Add Spring"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(
        name="Kind",
        items=[kind for kind in SPRING_KINDS if kind[0] != "NONE"],
    )
    stiffness: FloatProperty(
        name="Stiffness (N/m)", description="Force for a metre of stretch", min=0.0, default=100.0
    )
    damping: FloatProperty(
        name="Damping (N·s/m)", description="Force against a change of length", min=0.0, default=1.0
    )
    radius: FloatProperty(
        name="Radius", description="How thick it is drawn", min=0.0, default=0.02, subtype="DISTANCE"
    )

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set(tip_("Go to object mode"))
            return False
        if len(context.selected_objects) < 2:
            cls.poll_message_set(tip_("Select the two objects or empties at its ends"))
            return False
        return True

    def execute(self, context):
        active = context.object
        ends = sorted(context.selected_objects, key=lambda obj: (obj == active, obj.name))
        try:
            obj = add_spring(ends, context.collection, kind=self.kind, radius=self.radius)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        obj.redmax.spring.stiffness = self.stiffness
        obj.redmax.spring.damping = self.damping
        for end in ends:
            end.select_set(False)
        obj.select_set(True)
        context.view_layer.objects.active = obj
        names = ", ".join(repr(end.name) for end in ends)
        self.report({"INFO"}, rpt_("Added '{name}' between {ends}").format(name=obj.name, ends=names))
        return {"FINISHED"}
