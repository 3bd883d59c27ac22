"""Decide: overrule what Make Physical decided for a bone, or for all that are selected."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty, StringProperty

from ..bridge.rig.decide import decide_all
from ..bridge.rig.secondary_motion import selected_bones
from ..engine.errors import SceneError
from .make_physical import OnArmature

VERDICTS = (
    (
        "MOVE",
        "Let Move",
        "It is a limb of its own, with the joint that its locks and limits give",
        "PHYSICS",
        0,
    ),
    ("HOLD", "Lock to Parent", "It moves rigidly with its parent, and keeps its own mass", "LOCKED", 1),
    ("LEAVE_OUT", "Leave Out", "It takes no part in the simulation", "X", 2),
)


class REDMAX_OT_decide(OnArmature, bpy.types.Operator):
    """Overrule what Make Physical decided for this bone, or for the selected ones"""

    bl_idname = "redmax.decide"
    bl_label = "Change Decision"
    bl_options = {"REGISTER", "UNDO"}

    bone: StringProperty(
        name="Bone", description="Name of the bone of the active armature; the selected bones when empty"
    )
    verdict: EnumProperty(name="Decision", description="What the bone shall be", items=VERDICTS)

    @classmethod
    def description(cls, _context, properties):
        return tip_(next(text for name, _, text, _, _ in VERDICTS if name == properties.verdict))

    def execute(self, context):
        obj = context.object
        names = [self.bone] if self.bone else [bone.name for bone in selected_bones(obj)]
        if not names:
            self.report({"ERROR"}, rpt_("No bone is selected. Select some in pose mode"))
            return {"CANCELLED"}
        try:
            decide_all(obj, context.scene, names, self.verdict)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for name in names:
            self.report({"INFO"}, f"{name}: {obj.pose.bones[name].redmax.decision}")
        return {"FINISHED"}
