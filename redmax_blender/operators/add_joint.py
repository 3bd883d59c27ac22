"""Add Joint: between the two selected bodies, or between one and the world."""

import bpy
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty
from mathutils import Matrix

from ..bridge.add_joint import add_joint
from ..bridge.bodies import is_body
from ..engine.errors import SceneError
from ..mechanism_properties import JOINT_KINDS


class REDMAX_OT_add_joint(bpy.types.Operator):
    """Connect the two selected bodies, or the selected one and the world, by a joint at the 3D cursor"""

    bl_idname = "redmax.add_joint"
    bl_label = "Add Joint"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="Joint", items=JOINT_KINDS[1:], default="HINGE")

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set(tip_("Go to object mode"))
            return False
        count = sum(is_body(obj) for obj in context.selected_objects)
        if count not in (1, 2):
            cls.poll_message_set(tip_("Select two bodies, or one to hold it on the world"))
            return False
        return True

    def execute(self, context):
        active = context.object
        bodies = [obj for obj in context.selected_objects if is_body(obj)]
        bodies.sort(key=lambda obj: (obj == active, obj.name))
        first = bodies[0] if len(bodies) == 2 else None
        cursor = Matrix(context.scene.cursor.matrix)
        try:
            obj = add_joint(self.kind, first, bodies[-1], cursor, context.collection)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for body in bodies:
            body.select_set(False)
        obj.select_set(True)
        context.view_layer.objects.active = obj
        return {"FINISHED"}
