"""Set Control: who moves many bones, now or from this frame on."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ..bridge.bake.linked import LINKED, is_linked
from ..bridge.rig.set_control import MODE_LABELS, bones_in_scope, is_keyed, set_control
from ..control_properties import MODES


class REDMAX_OT_set_control(bpy.types.Operator):
    """Let animation, physics or both move the chosen bones, and key it at the current frame"""

    bl_idname = "redmax.set_control"
    bl_label = "Set Control"
    bl_options = {"REGISTER", "UNDO"}

    mode: EnumProperty(name="Control", description="Who moves the bones", items=MODES)
    scope: EnumProperty(
        name="Bones",
        description="Which physical bones are meant",
        items=(
            ("SELECTED", "Selected", "The selected bones"),
            ("ALL", "All", "Every physical bone of the armature"),
            ("COLLECTION", "Collection", "The bones of a bone collection and of those in it"),
        ),
    )
    collection: StringProperty(name="Collection", description="Name of the bone collection")
    insert_key: BoolProperty(
        name="Insert Key",
        description="Key it at the current frame, so that it holds from there on; "
        "bones that have keys already are keyed in any case",
        default=True,
    )

    @classmethod
    def poll(cls, context):
        obj = context.object
        if obj is None or obj.type != "ARMATURE" or not any(b.redmax.physical for b in obj.pose.bones):
            cls.poll_message_set(tip_("Select an armature with physical bones"))
            return False
        if is_linked(obj):
            cls.poll_message_set(tip_(LINKED))
            return False
        if obj.mode == "EDIT":
            cls.poll_message_set(tip_("Leave edit mode (Tab)"))
            return False
        return True

    def invoke(self, context, _event):
        obj = context.object
        if not bones_in_scope(obj, "SELECTED"):
            self.scope = "ALL"
        if not self.collection and obj.data.collections.active is not None:
            self.collection = obj.data.collections.active.name
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "mode")
        layout.prop(self, "scope")
        if self.scope == "COLLECTION":
            layout.prop_search(self, "collection", context.object.data, "collections_all")
        layout.prop(self, "insert_key")

    def execute(self, context):
        obj, frame = context.object, context.scene.frame_current_final
        bones = bones_in_scope(obj, self.scope, self.collection)
        if not bones:
            text = {
                "SELECTED": rpt_("No physical bone is selected"),
                "ALL": rpt_("No physical bone is there"),
                "COLLECTION": rpt_("No physical bone is in '{name}'"),
            }[self.scope]
            self.report({"WARNING"}, text.format(name=self.collection))
            return {"CANCELLED"}
        start = context.scene.redmax.frame_start - context.scene.redmax.preroll
        for bone in bones:
            keyed = self.insert_key or is_keyed(bone)
            set_control([bone], self.mode, frame if keyed else None, start)
        if self.insert_key:
            text = rpt_("Bones that are {mode} from frame {frame} on: {count}")
        else:
            text = rpt_("Bones that are {mode}: {count}")
        mode = rpt_(MODE_LABELS[self.mode]).lower()
        self.report({"INFO"}, text.format(mode=mode, frame=f"{frame:g}", count=len(bones)))
        return {"FINISHED"}
