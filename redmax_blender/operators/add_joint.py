"""Add Joint: between the two selected bodies, or between one and the world."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty
from mathutils import Matrix

from ..bridge.mechanism.add_joint import add_joint
from ..bridge.mechanism.joint_place import is_at, place_between
from ..bridge.rig.bodies import is_body
from ..engine.errors import SceneError
from ..mechanism_properties import JOINT_KINDS


class REDMAX_OT_add_joint(bpy.types.Operator):
    """Connect the two selected bodies, or the selected one and the world, by a joint where they meet"""

    bl_idname = "redmax.add_joint"
    bl_label = "Add Joint"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="Joint", items=JOINT_KINDS[1:], default="HINGE")
    place: EnumProperty(
        name="Place",
        description="Where the joint is. It is turned as the 3D cursor is",
        items=(
            (
                "BODIES",
                "Bodies",
                "Where two bodies meet or are nearest to each other; for one body, at the 3D cursor if that is on it, "
                "otherwise at the body's origin",
            ),
            ("CURSOR", "3D Cursor", "At the 3D cursor"),
        ),
    )

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
        pose, where = self.pose(context, bodies)
        try:
            obj = add_joint(self.kind, first, bodies[-1], pose, context.collection)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for body in bodies:
            body.select_set(False)
        obj.select_set(True)
        context.view_layer.objects.active = obj
        x, y, z = pose.translation
        second = bodies[-1].name
        name = bodies[0].name
        self.report({"INFO"}, where.format(first=name, second=second, place=f"({x:.3g}, {y:.3g}, {z:.3g})"))
        return {"FINISHED"}

    def pose(self, context, bodies):
        """Where the joint goes in the world, and a text that says so."""
        pose = Matrix(context.scene.cursor.matrix)
        if self.place == "CURSOR" or (len(bodies) == 1 and is_at(bodies[0], pose.translation)):
            return pose, rpt_("Joint at the 3D cursor, {place}, turned as the cursor is")
        if len(bodies) == 1:
            pose.translation = bodies[0].matrix_world.translation
            return pose, rpt_("Joint at the origin of '{first}', {place}, turned as the 3D cursor is")
        pose.translation = place_between(*bodies)
        return pose, rpt_("Joint between '{first}' and '{second}', {place}, turned as the 3D cursor is")
