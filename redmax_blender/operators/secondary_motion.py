"""Secondary Motion: tails, hair, ears, antennas and what dangles, by three sliders; and from other add-ons."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty, FloatProperty

from ..bridge.bake.linked import LINKED, is_linked
from ..bridge.rig.mirror_settings import mirror_settings
from ..bridge.rig.other_jiggles import feel_of
from ..bridge.rig.secondary_motion import FEELS, Feel, add_secondary_motion, selected_bones
from ..engine.errors import SceneError

KINDS = (
    ("TAIL", "Tails", "They keep their shape loosely and trail their animation"),
    ("HAIR", "Hair", "Hangs, and comes to rest soon"),
    ("EARS", "Ears", "Keep their shape and flop a little"),
    ("ANTENNA", "Antennas", "Stiff, and rings for long"),
    ("DANGLING", "Dangling", "Hangs freely, as a chain or an earring"),
)


def _can(cls, context):
    obj = context.object
    if obj is None or obj.type != "ARMATURE" or obj.mode == "EDIT" or not selected_bones(obj):
        cls.poll_message_set(tip_("Select bones in pose mode"))
        return False
    if is_linked(obj):
        cls.poll_message_set(tip_(LINKED))
        return False
    return True


def _slider(name, description):
    return FloatProperty(name=name, description=description, min=0.0, max=1.0, default=0.3, subtype="FACTOR")


class REDMAX_OT_secondary_motion(bpy.types.Operator):
    """Let the selected bones swing after the rest of the rig"""

    bl_idname = "redmax.secondary_motion"
    bl_label = "Secondary Motion"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="Kind", items=KINDS)
    stiffness: _slider(
        "Stiffness", "How much the bones keep their shape, in proportion to the weight that they hold up"
    )
    follow: _slider(
        "Follow", "How closely the bones follow their own animation; 0 leaves them to physics alone"
    )
    drag: _slider("Drag", "How soon the bones come to rest")

    @classmethod
    def poll(cls, context):
        return _can(cls, context)

    def invoke(self, context, _event):
        feel = FEELS[self.kind]
        self.stiffness, self.follow, self.drag = feel.stiffness, feel.follow, feel.drag
        return self.execute(context)

    def draw(self, _context):
        self.layout.use_property_split = True
        for name in ("stiffness", "follow", "drag"):
            self.layout.prop(self, name, slider=True)

    def execute(self, context):
        chosen = selected_bones(context.object)
        feel = FEELS[self.kind]
        set_by_hand = [self.properties.is_property_set(name) for name in ("stiffness", "follow", "drag")]
        if any(set_by_hand):
            feel = Feel(self.stiffness, self.follow, self.drag)
        try:
            carrying = add_secondary_motion(context.object, context.scene, chosen, feel)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        text = rpt_("{count} bones swing")
        if carrying:
            text = rpt_("{count} bones swing, on {names}, which follow their animation")
        self.report({"INFO"}, text.format(count=len(chosen), names=", ".join(map(repr, carrying[:3]))))
        return {"FINISHED"}


class REDMAX_OT_read_jiggles(bpy.types.Operator):
    """Take over what Wiggle 2 or Jiggle Physics left on the bones of the armature"""

    bl_idname = "redmax.read_jiggles"
    bl_label = "From Wiggle or Jiggle"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        obj = context.object
        if obj is None or obj.type != "ARMATURE" or obj.mode == "EDIT":
            cls.poll_message_set(tip_("Select an armature"))
            return False
        if is_linked(obj):
            cls.poll_message_set(tip_(LINKED))
            return False
        return True

    def execute(self, context):
        obj = context.object
        feels = {bone.name: feel for bone in obj.pose.bones if (feel := feel_of(bone)) is not None}
        if not feels:
            self.report({"WARNING"}, "No bone has settings of Wiggle 2 or Jiggle Physics")
            return {"CANCELLED"}
        try:
            for feel in dict.fromkeys(feels.values()):
                bones = [obj.pose.bones[name] for name, each in feels.items() if each == feel]
                add_secondary_motion(obj, context.scene, bones, feel)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, rpt_("{count} bones swing").format(count=len(feels)))
        return {"FINISHED"}


class REDMAX_OT_mirror_settings(bpy.types.Operator):
    """Copy all settings of the selected bones to the bones of the other side"""

    bl_idname = "redmax.mirror_settings"
    bl_label = "Mirror Settings"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return _can(cls, context)

    def execute(self, context):
        active, chosen = context.active_pose_bone, selected_bones(context.object)
        done = mirror_settings(sorted(chosen, key=lambda bone: bone != active))
        if not done:
            self.report({"WARNING"}, "No selected bone has another side, as Ear.L and Ear.R")
            return {"CANCELLED"}
        self.report({"INFO"}, rpt_("Mirrored the settings to {count} bones").format(count=len(done)))
        return {"FINISHED"}
