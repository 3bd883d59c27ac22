"""Make Physical: deform bones become bodies."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import BoolProperty, EnumProperty, FloatProperty

from ..bridge.bake.linked import LINKED, is_linked
from ..bridge.rig.limbs.check import check, note, noted
from ..bridge.rig.make_physical import Choices, make_physical, summary, write_report
from ..bridge.rig.rig import is_physical
from ..bridge.rig.root import suits
from ..engine.errors import SceneError


class OnArmature:
    """For operators that change which bones of the active armature are bodies."""

    @classmethod
    def poll(cls, context):
        obj = context.object
        if obj is None or obj.type != "ARMATURE":
            cls.poll_message_set(tip_("Select an armature"))
            return False
        if is_linked(obj):
            cls.poll_message_set(tip_(LINKED))
            return False
        if obj.redmax.is_baked:
            cls.poll_message_set(tip_("Delete the bake first"))
            return False
        return True


class REDMAX_OT_make_physical(OnArmature, bpy.types.Operator):
    """Make bodies of the active armature's deform bones, with joints from their IK locks and limits"""

    bl_idname = "redmax.make_physical"
    bl_label = "Make Physical"
    bl_options = {"REGISTER", "UNDO"}

    root: EnumProperty(
        name="Root",
        description="How bones without a physical parent are carried",
        items=(
            (
                "ANCHORED",
                "Anchored",
                "They stay where they are. One with IK locks, limits or a Limit Rotation constraint turns about its "
                "head as these say, and so does one that carries no other bone",
            ),
            ("HINGED", "Hinged", "They turn about their heads, like any other bone"),
            ("FREE", "Free", "They move freely, as a falling character"),
        ),
        default="ANCHORED",
    )
    size_from: EnumProperty(
        name="Size From",
        description="What the thickness of a body follows from",
        items=(
            ("SKIN", "Skin", "The mesh that the bone deforms, or the bone's length where there is none"),
            ("BONE", "Bone Length", "The bone's length alone"),
        ),
        default="SKIN",
    )
    slenderness: FloatProperty(
        name="Radius / Length",
        description="Radius of a body without skin, as a fraction of its bone's length",
        min=0.001,
        soft_max=0.5,
        default=Choices.slenderness,
    )
    density: FloatProperty(
        name="Density",
        description="Density of all bodies, in kg/m³ (water and flesh: 1000)",
        min=0.001,
        soft_max=10000.0,
        default=Choices.density,
    )
    damping: FloatProperty(
        name="Damping Ratio",
        description="Damping of all joints; at 1, a limb swinging stiffly would come to rest without swinging back",
        min=0.0,
        soft_max=1.0,
        default=Choices.damping,
    )
    detail: EnumProperty(
        name="Detail",
        description="Which deform bones are limbs of their own",
        items=(
            (
                "BODY",
                "Body",
                "Faces, twist bones and the halves of a limb are held on what carries them, and helpers that no "
                "skin follows are left out",
            ),
            ("ALL", "All", "Every deform bone"),
        ),
        default=Choices.detail,
    )
    human_limits: BoolProperty(
        name="Anatomical Limits",
        description="Bones of people and animals turn as far as theirs do: elbows and knees are hinges, and everything "
        "stops where it hurts. Known by their names, or by where their joints are. Only where the rig has no IK locks, "
        "limits or Limit Rotation constraint",
        default=Choices.human_limits,
    )
    cones: BoolProperty(
        name="Limit All Joints",
        description="Joints of which nothing says how far they turn are limited to a cone: 50° aside for a limb, 35° "
        "for each bone of a tail or of hair. Those of people and animals always are",
        default=Choices.cones,
    )
    only_selected: BoolProperty(
        name="Only Selected Bones", description="Leave other bones out of the simulation"
    )

    keep: BoolProperty(
        name="Keep My Settings",
        description="Joints, limits, masses and sizes that were changed since Make Physical was last pressed stay, and "
        "so do bones that were taken out or added; otherwise everything is decided anew",
        default=Choices.keep,
    )

    def invoke(self, context, _event):
        if not self.properties.is_property_set("root") and not is_physical(context.object):
            self.root = suits(context.object, context.scene)
        return self.execute(context)

    def execute(self, context):
        choices = Choices(
            density=self.density,
            size_from=self.size_from,
            slenderness=self.slenderness,
            damping=self.damping,
            root=self.root,
            only_selected=self.only_selected,
            detail=self.detail,
            human_limits=self.human_limits,
            cones=self.cones,
            keep=self.keep,
        )
        try:
            decisions = make_physical(context.object, context.scene, choices)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        report_decisions(self, context, decisions)
        return {"FINISHED"}


def report_decisions(operator, context, decisions):
    """Write the report, say what was decided, and look whether it can be right."""
    obj = context.object
    note(obj, check(obj, context.scene))
    text = write_report(obj, decisions)
    for decision in decisions:
        operator.report({"INFO"}, f"{decision.bone}: {decision.text}")
    kept = [decision for decision in decisions if decision.kept]
    if kept:
        stays = rpt_("Kept what was set by hand on: {names}. Turn off Keep My Settings to decide it anew")
        names = ", ".join(decision.bone for decision in kept[:3]) + (", …" if len(kept) > 3 else "")
        operator.report({"WARNING"}, stays.format(names=names))
    for finding in noted(obj):
        operator.report({"WARNING"}, finding.text)
    said = rpt_("{summary}. Details in the text '{name}'")
    operator.report({"INFO"}, said.format(summary=summary(obj, decisions), name=text.name))
