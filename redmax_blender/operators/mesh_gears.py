"""Gear, Belt or Rack: two joints that move together."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty, FloatProperty

from ..bridge.mechanism.mesh_gears import mesh_gears
from ..engine.errors import SceneError


def _joints(context):
    """The two selected joints, the active one last."""
    found = [obj for obj in context.selected_objects if obj.redmax.joint.kind != "NONE"]
    return sorted(found, key=lambda obj: (obj == context.object, obj.name))


class REDMAX_OT_mesh_gears(bpy.types.Operator):
    """Let the active joint move with the other selected one, as teeth, a belt or a rack make it"""

    bl_idname = "redmax.mesh_gears"
    bl_label = "Gear, Belt or Rack"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(
        name="Kind",
        items=(
            ("GEAR", "Gear", "Teeth on the outside: the wheels turn against each other"),
            ("BELT", "Belt", "A belt or chain around both: they turn the same way"),
            ("RACK", "Rack", "A wheel of teeth, and a slider that it moves along"),
        ),
    )
    radius1: FloatProperty(
        name="First Radius",
        description="Of the wheel of the joint that leads; 0 for that of the teeth of its part",
        min=0.0,
        subtype="DISTANCE",
    )
    radius2: FloatProperty(
        name="Second Radius",
        description="Of the wheel of the active joint, which follows; 0 for that of the teeth of its part, or what is "
        "left between the axes",
        min=0.0,
        subtype="DISTANCE",
    )

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set(tip_("Go to object mode"))
            return False
        if len(_joints(context)) != 2:
            cls.poll_message_set(tip_("Select two joints, the one that follows last"))
            return False
        return True

    def execute(self, context):
        leader, follower = _joints(context)
        try:
            ratio = mesh_gears(leader, follower, self.kind, radii=(self.radius1, self.radius2))
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        text = rpt_("'{follower}' moves by {ratio} for each angle or length of '{leader}'")
        self.report({"INFO"}, text.format(follower=follower.name, ratio=f"{ratio:.4g}", leader=leader.name))
        return {"FINISHED"}
