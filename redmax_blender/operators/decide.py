"""Decide: overrule what Make Physical decided for a bone."""

import bpy
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty, StringProperty

from ..bridge.rig.make_physical import decide
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
    ("HOLD", "Hold", "It is a body that is held rigidly on the bone that carries it", "LOCKED", 1),
    ("LEAVE_OUT", "Leave Out", "It takes no part in the simulation", "X", 2),
)


class REDMAX_OT_decide(OnArmature, bpy.types.Operator):
    """Overrule what Make Physical decided for this bone"""

    bl_idname = "redmax.decide"
    bl_label = "Change Decision"
    bl_options = {"REGISTER", "UNDO"}

    bone: StringProperty(name="Bone", description="Name of the bone of the active armature")
    verdict: EnumProperty(name="Decision", description="What the bone shall be", items=VERDICTS)

    @classmethod
    def description(cls, _context, properties):
        return tip_(next(text for name, _, text, _, _ in VERDICTS if name == properties.verdict))

    def execute(self, context):
        try:
            decide(context.object, context.scene, self.bone, self.verdict)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{self.bone}: {context.object.pose.bones[self.bone].redmax.decision}")
        return {"FINISHED"}
