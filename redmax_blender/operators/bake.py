"""Bake: the simulation as keyframes."""

from math import radians

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from ..bridge.bake.bake import BakeOptions, bake_object, check_bake, delete_bake
from ..bridge.bake.flesh import check_flesh_bake
from ..bridge.flesh.soft_meshes import is_soft
from ..bridge.recording import cache
from ..engine.errors import SceneError


class REDMAX_OT_bake(bpy.types.Operator):
    """Write the simulation into a copy of each object's action; only the keys of what is simulated are replaced"""

    bl_idname = "redmax.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    into: EnumProperty(
        name="Bake Into",
        description="Where the keyframes go. The original action stays as it is in any case",
        items=(
            ("COPY", "Copy of Action", "A copy of the action, with the curves of what is simulated replaced"),
            ("NEW", "New Action", "A new action that has nothing but what is simulated"),
            ("SLOT", "Slot of Action", "A new slot of the same action, from Blender 4.4 on"),
            (
                "NLA",
                "NLA Strip",
                "A strip on a new track above all others; the action is pushed down to a strip",
            ),
        ),
    )
    only_selected: BoolProperty(name="Only Selected Objects", description="Leave other objects unbaked")
    only_selected_bones: BoolProperty(
        name="Only Selected Bones", description="Leave simulated bones that are not selected as they were"
    )
    step: IntProperty(
        name="Frame Step", description="A key every so many frames", min=1, soft_max=20, default=1
    )
    clean: BoolProperty(
        name="Clean Curves",
        description="Leave out keys where smooth curves stay within the bounds without them",
    )
    clean_angle: FloatProperty(
        name="Max Angle",
        description="Largest error of a bone's own rotation that Clean Curves may make",
        min=1e-5,
        soft_max=0.2,
        default=radians(0.5),
        precision=3,
        subtype="ANGLE",
    )
    clean_length: FloatProperty(
        name="Max Distance",
        description="Largest error of a bone's own location that Clean Curves may make",
        min=1e-6,
        soft_max=0.1,
        default=0.001,
        precision=4,
        subtype="DISTANCE",
    )

    to_controls: BoolProperty(
        name="To Controls",
        description="Key the controls of rigs that have some, IK or FK as each limb is switched, so that the result "
        "is edited with the rig; otherwise key the simulated bones",
        default=True,
    )

    @classmethod
    def poll(cls, context):
        shown = [obj for obj in context.scene.objects if obj.redmax.result]
        if not shown:
            cls.poll_message_set(tip_("Simulate first"))
            return False
        if all(obj.redmax.is_baked for obj in shown):
            cls.poll_message_set(tip_("It is baked; Delete Bake to bake again"))
            return False
        if all(
            cache.track_of(obj, context.scene) is None and cache.mesh_of(obj, context.scene) is None
            for obj in shown
        ):
            cls.poll_message_set(tip_("The cache is missing; simulate again"))
            return False
        return True

    def invoke(self, context, _event):
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(self, "into")
        layout.prop(self, "to_controls")
        layout.prop(self, "only_selected")
        layout.prop(self, "only_selected_bones")
        layout.prop(self, "step")
        layout.prop(self, "clean")
        bounds = layout.column()
        bounds.active = self.clean
        bounds.prop(self, "clean_angle")
        bounds.prop(self, "clean_length")

    def choices(self):
        return BakeOptions(
            self.into,
            self.only_selected_bones,
            self.step,
            self.clean,
            self.clean_angle,
            self.clean_length,
            self.to_controls,
        )

    def execute(self, context):
        objects = [
            obj
            for obj in context.scene.objects
            if obj.redmax.result and not obj.redmax.is_baked and (obj.select_get() or not self.only_selected)
        ]
        if not objects:
            self.report({"ERROR"}, "No simulated object is selected")
            return {"CANCELLED"}
        made, warnings = [], []
        try:
            for obj in filter(is_soft, objects):
                check_flesh_bake(obj, context.scene)
            options = self.choices()
            for obj in objects:
                if not is_soft(obj):
                    check_bake(obj, context.scene, options)
            made.extend(bake_object(obj, context.scene, options, warnings) for obj in objects)
        except SceneError as error:
            for obj in objects:  # all or none
                if obj.redmax.is_baked:
                    delete_bake(obj)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for warning in warnings:
            self.report({"WARNING"}, warning)
        names = ", ".join(f"'{action.name}'" if action else rpt_("a point cache") for action in made[:3])
        text = rpt_("Baked 1 object into {names}")
        if len(made) > 3:
            text = rpt_("Baked {count} objects into {names} and {more} more")
        elif len(made) > 1:
            text = rpt_("Baked {count} objects into {names}")
        self.report({"INFO"}, text.format(count=len(made), names=names, more=len(made) - 3))
        return {"FINISHED"}
