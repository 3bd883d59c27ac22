"""Add Part: a part of the kit at the 3D cursor; the kit as an asset library."""

import os

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty
from mathutils import Matrix

from ..engine.errors import SceneError

LIBRARY = "RedMax Parts"
KINDS = (
    ("ROD", "Rod", "A round rod, with sockets at its ends and in its middle", "MESH_CYLINDER", 0),
    ("LINK", "Link", "A flat bar, with sockets for pins at its ends and in its middle", "MESH_CUBE", 1),
    ("PLATE", "Plate", "A square plate, with sockets in its middle and at its corners", "MESH_PLANE", 2),
    ("WHEEL", "Wheel", "A wheel, with a socket for its axle and one for a crank pin", "MESH_CIRCLE", 3),
    ("GEAR", "Gear", "A toothed wheel, with a socket for its axle", "SETTINGS", 4),
    ("CAN", "Can", "A tin can, with sockets in its ends", "MESH_CYLINDER", 5),
    ("WIRE", "Wire", "A stiff piece of wire, with sockets at its ends", "IPO_LINEAR", 6),
    ("BALL", "Ball", "A ball, with a socket in its middle", "MESH_UVSPHERE", 7),
)


class REDMAX_OT_add_part(bpy.types.Operator):
    """Add a part of the kit at the 3D cursor: a body with sockets, at which Connect snaps"""

    bl_idname = "redmax.add_part"
    bl_label = "Add Part"
    bl_options = {"REGISTER", "UNDO"}

    part: EnumProperty(name="Part", description="What to add", items=KINDS)
    size: FloatProperty(
        name="Size", description="Length or diameter, in metres", min=0.0001, soft_max=10.0, default=1.0
    )
    teeth: IntProperty(name="Teeth", description="Of a gear", min=6, soft_max=100, default=24)
    anchored: BoolProperty(name="Anchored", description="It stands still, or follows its animation")

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set(tip_("Go to object mode"))
            return False
        return True

    def execute(self, context):
        from ..bridge.mechanism.parts_kit import add_part  # loads Numba, which takes a moment

        pose = Matrix(context.scene.cursor.matrix)
        try:
            obj = add_part(
                context.scene, context.collection, self.part, self.size, pose,
                teeth=self.teeth, anchored=self.anchored,
            )  # fmt: skip
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for other in context.selected_objects:
            other.select_set(False)
        obj.select_set(True)
        context.view_layer.objects.active = obj
        return {"FINISHED"}


class REDMAX_OT_parts_library(bpy.types.Operator):
    """Make the parts kit an asset library, so that parts can be dragged from the Asset Browser"""

    bl_idname = "redmax.parts_library"
    bl_label = "Parts as Assets"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        from ..bridge.mechanism.parts_library import write_library  # loads Numba, which takes a moment

        path = write_library(context, LIBRARY, [kind for kind, *_ in KINDS])
        folder = os.path.dirname(path)
        libraries = context.preferences.filepaths.asset_libraries
        if not any(os.path.samefile(each.path, folder) for each in libraries if os.path.isdir(each.path)):
            libraries.new(name=LIBRARY, directory=folder)
        self.report({"INFO"}, rpt_("The parts are in the asset library '{name}'").format(name=LIBRARY))
        return {"FINISHED"}


CLASSES = (REDMAX_OT_add_part, REDMAX_OT_parts_library)
