"""Import OpenSim models and motions: File > Import > OpenSim."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import BoolProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

from ..engine.errors import InputError

NOTES = "OpenSim Import"
"""The text in which everything stands that was not understood."""


def write_notes(notes):
    if notes:
        text = bpy.data.texts.get(NOTES) or bpy.data.texts.new(NOTES)
        text.clear()
        text.write("\n".join(notes) + "\n")


class REDMAX_OT_import_opensim(bpy.types.Operator, ImportHelper):
    """Add an OpenSim model: its skeleton as an armature, its muscles as curves, its surfaces as wire meshes"""

    bl_idname = "redmax.import_opensim"
    bl_label = "Import OpenSim Model"
    bl_options = {"REGISTER", "UNDO"}
    filename_ext = ".osim"
    filter_glob: StringProperty(default="*.osim", options={"HIDDEN"})
    tubes: BoolProperty(
        name="Show as Tubes",
        description="Add a mesh for each muscle that bulges as it shortens",
        default=True,
    )
    joints: BoolProperty(
        name="Joints and Masses",
        description="Make the bones bodies of the simulation, with the model's joints, ranges, masses and inertias",
        default=True,
    )

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set(tip_("Go to object mode"))
            return False
        return True

    def execute(self, context):
        from ..bridge.muscles.import_opensim import import_model  # loads Numba, which takes a moment

        try:
            made = import_model(context, self.filepath, tubes=self.tubes, joints=self.joints)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        write_notes(made.notes)
        text = rpt_("Added {bones} bones, {muscles} muscles and {surfaces} surfaces")
        bones, muscles, surfaces = len(made.armature.pose.bones), len(made.muscles), len(made.surfaces)
        self.report({"INFO"}, text.format(bones=bones, muscles=muscles, surfaces=surfaces))
        if made.notes:
            text = rpt_("{count} things are not as in the file; the text '{name}' lists them")
            self.report({"WARNING"}, text.format(count=len(made.notes), name=NOTES))
        return {"FINISHED"}


class REDMAX_OT_import_opensim_motion(bpy.types.Operator, ImportHelper):
    """Give the active armature, which is from an OpenSim model, a motion of that model as its action"""

    bl_idname = "redmax.import_opensim_motion"
    bl_label = "Import OpenSim Motion"
    bl_options = {"REGISTER", "UNDO"}
    filename_ext = ".mot"
    filter_glob: StringProperty(default="*.mot;*.sto", options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        if context.object is None or context.object.type != "ARMATURE":
            cls.poll_message_set(tip_("Select the armature of an OpenSim model"))
            return False
        return True

    def execute(self, context):
        from ..bridge.muscles.import_motion import import_motion  # loads Numba, which takes a moment

        try:
            count, unused = import_motion(context.object, context.scene, self.filepath)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, rpt_("Added keys at {count} moments").format(count=count))
        if unused:
            text = rpt_("Left out {count} columns that are no coordinates: {names}")
            self.report({"WARNING"}, text.format(count=len(unused), names=", ".join(unused[:5])))
        return {"FINISHED"}
