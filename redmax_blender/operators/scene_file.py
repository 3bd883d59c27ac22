"""Export and import scene files: File > Export > RedMax Scene, File > Import > RedMax Scene."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ..bridge.rig.bodies import simulated_objects
from ..engine.errors import InputError


class REDMAX_OT_export_scene(bpy.types.Operator, ExportHelper):
    """Write what would be simulated as a scene file, which the command line runs without Blender"""

    bl_idname = "redmax.export_scene"
    bl_label = "Export RedMax Scene"
    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        if not simulated_objects(context.scene):
            cls.poll_message_set(tip_("No bone is physical and no object is an active body"))
            return False
        return True

    def execute(self, context):
        from ..bridge.mechanism.export_scene import export_scene  # loads Numba, which takes a moment

        try:
            made = export_scene(context, self.filepath)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        text = rpt_("Wrote {count} bodies to '{path}'")
        self.report({"INFO"}, text.format(count=len(made.bodies), path=self.filepath))
        return {"FINISHED"}


class REDMAX_OT_import_scene(bpy.types.Operator, ImportHelper):
    """Add the bodies, joints, springs, colliders and flesh of a scene file as objects"""

    bl_idname = "redmax.import_scene"
    bl_label = "Import RedMax Scene"
    bl_options = {"REGISTER", "UNDO"}
    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set(tip_("Go to object mode"))
            return False
        return True

    def execute(self, context):
        from ..bridge.mechanism.import_scene import import_scene  # loads Numba, which takes a moment

        try:
            made = import_scene(context, self.filepath)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        text = rpt_("Added {count} bodies in collection '{name}'")
        self.report({"INFO"}, text.format(count=len(made.bodies), name=made.collection.name))
        return {"FINISHED"}
