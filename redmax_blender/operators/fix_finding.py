"""Fix: mend what the check of a character has found; Check: look again."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty

from ..bridge.rig.limbs.check import check, note, noted
from ..bridge.rig.limbs.fix import fix
from ..bridge.rig.rig import is_physical
from ..engine.errors import SceneError
from .make_physical import OnArmature

FIXES = (
    (
        "UNIT",
        "Set Unit",
        "Let the scene's unit be so long that the character has a usual size, and decide masses anew",
    ),
    ("MASS", "Mass of the Mesh", "Let the character weigh as much as its mesh full of water"),
    ("ROOTS", "Join Parts", "Let each loose part be carried by the body that is nearest to it"),
    (
        "OUTSIDE",
        "Fit to Skin",
        "Put these bodies around their skin; those that no skin follows do not collide",
    ),
    ("BELOW", "Lower Ground", "Put the ground below the lowest body"),
)


class REDMAX_OT_fix_finding(OnArmature, bpy.types.Operator):
    """Mend what was found, and look again"""

    bl_idname = "redmax.fix_finding"
    bl_label = "Fix"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="Fix", description="What to mend", items=FIXES)

    @classmethod
    def description(cls, _context, properties):
        return tip_(next(text for name, _, text in FIXES if name == properties.kind))

    def execute(self, context):
        obj = context.object
        found = next((each for each in noted(obj) if each.kind == self.kind), None)
        if found is None:
            self.report({"WARNING"}, rpt_("Nothing of this kind was found"))
            return {"CANCELLED"}
        try:
            fix(obj, context.scene, found)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class REDMAX_OT_check(OnArmature, bpy.types.Operator):
    """Look whether the character is likely to simulate well: its size, mass, parts, bodies and ground"""

    bl_idname = "redmax.check"
    bl_label = "Check"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        if not is_physical(context.object):
            cls.poll_message_set(tip_("The active object is no armature with physical bones"))
            return False
        return True

    def execute(self, context):
        obj = context.object
        found = check(obj, context.scene)
        note(obj, found)
        for finding in found:
            self.report({"WARNING"}, finding.text)
        if not found:
            self.report({"INFO"}, rpt_("Nothing was found"))
        return {"FINISHED"}
