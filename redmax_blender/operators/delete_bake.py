"""Delete Bake: the actions as they were before."""

import bpy

from ..bridge import rigid_body_world
from ..bridge.bake import delete_bake
from ..bridge.playback import show_frame


class REDMAX_OT_delete_bake(bpy.types.Operator):
    """Remove the baked actions and give the objects back those they had before"""

    bl_idname = "redmax.delete_bake"
    bl_label = "Delete Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not any(obj.redmax.is_baked for obj in context.scene.objects):
            cls.poll_message_set("Nothing is baked")
            return False
        return True

    def execute(self, context):
        baked = [obj for obj in context.scene.objects if obj.redmax.is_baked]
        for obj in baked:
            delete_bake(obj)
        rigid_body_world.resume(context.scene)
        context.view_layer.update()  # now, not later: the action that is back would overwrite what is shown
        show_frame(context.scene)
        more = f" and {len(baked) - 3} more" if len(baked) > 3 else ""
        self.report({"INFO"}, f"Deleted the bake of {', '.join(repr(obj.name) for obj in baked[:3])}{more}")
        return {"FINISHED"}
