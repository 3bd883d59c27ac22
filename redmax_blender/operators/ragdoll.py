"""Ragdoll: a character that falls, in one click."""

import bpy
from bpy.props import BoolProperty

from ..bridge.rig.limbs.ragdoll import make_ragdoll
from ..bridge.rig.make_physical import Choices
from ..engine.errors import SceneError
from .make_physical import OnArmature, report_decisions


class REDMAX_OT_ragdoll(OnArmature, bpy.types.Operator):
    """Make bodies of the active armature's bones and let it fall: root free, on a ground, colliding with itself"""

    bl_idname = "redmax.ragdoll"
    bl_label = "Ragdoll"
    bl_options = {"REGISTER", "UNDO"}

    ground: BoolProperty(
        name="Ground",
        description="Add a ground below the character as it stands now, where the scene has none",
        default=True,
    )
    keep: BoolProperty(
        name="Keep My Settings",
        description="Joints, limits, masses and sizes that were changed since Make Physical was last pressed stay, and "
        "so do bones that were taken out or added; otherwise everything is decided anew",
        default=Choices.keep,
    )

    def execute(self, context):
        try:
            decisions = make_ragdoll(context, context.object, Choices(keep=self.keep), self.ground)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        report_decisions(self, context, decisions)
        return {"FINISHED"}
