"""Muscles: add one, add a surface, take its length from the pose, bake and free its tube."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from ..bridge.muscles.objects import is_muscle
from ..engine.errors import InputError
from ..muscle_properties import SURFACES


def _ends(context):
    """The bones of pose mode, or the objects of object mode; the active one last."""
    if context.mode == "POSE":
        bones = list(context.selected_pose_bones or ())
        bones.sort(key=lambda bone: (bone == context.active_pose_bone, bone.name))
        return bones
    objects = [obj for obj in context.selected_objects if obj.type in {"EMPTY", "MESH"}]
    return sorted(objects, key=lambda obj: (obj == context.object, obj.name))


def selected_muscles(context):
    return [obj for obj in context.selected_objects if is_muscle(obj)]


class _ForMuscles:
    @classmethod
    def poll(cls, context):
        if not selected_muscles(context):
            cls.poll_message_set(tip_("Select muscles"))
            return False
        return True


class REDMAX_OT_add_muscle(bpy.types.Operator):
    """Add a muscle through the selected bones or empties, the active one last"""

    bl_idname = "redmax.add_muscle"
    bl_label = "Add Muscle"
    bl_options = {"REGISTER", "UNDO"}

    mass: FloatProperty(name="Muscle Mass", description="Of belly and tendons, in kg", min=0.0, default=0.3)
    tube: BoolProperty(
        name="Show as Tube", description="Add a mesh that bulges as the muscle shortens", default=True
    )

    @classmethod
    def poll(cls, context):
        if context.mode not in {"OBJECT", "POSE"}:
            cls.poll_message_set(tip_("Go to object mode or pose mode"))
            return False
        if len(_ends(context)) < 2:
            cls.poll_message_set(tip_("Select two or more bones, or empties on bones"))
            return False
        return True

    def execute(self, context):
        from ..bridge.muscles.add_muscle import add_muscle, ends_of_bones, ends_of_objects  # loads Numba
        from ..bridge.muscles.show import give_tube

        chosen = _ends(context)
        try:
            if context.mode == "POSE":
                ends = [end for bone in chosen for end in ends_of_bones(bone.id_data, [bone])]
                ends = (
                    ends_of_bones(chosen[0].id_data, chosen)
                    if len({b.id_data for b in chosen}) == 1
                    else ends
                )
            else:
                ends = ends_of_objects(chosen)
            obj = add_muscle(ends, context.collection, context.scene)
            obj.redmax.muscle.mass = self.mass
            if self.tube:
                give_tube(obj, context.scene)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report(
            {"INFO"}, rpt_("Added '{name}' with {count} points").format(name=obj.name, count=len(ends))
        )
        return {"FINISHED"}


class REDMAX_OT_add_muscle_surface(bpy.types.Operator):
    """Add a surface on the active bone or object, which the selected muscles slide over"""

    bl_idname = "redmax.add_muscle_surface"
    bl_label = "Add Surface"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="Surface of Muscles", items=SURFACES[1:], default="CYLINDER")
    radius: FloatProperty(
        name="Radius", description="Of the surface", min=0.0001, default=0.03, subtype="DISTANCE"
    )

    @classmethod
    def poll(cls, context):
        if context.mode not in {"OBJECT", "POSE"}:
            cls.poll_message_set(tip_("Go to object mode or pose mode"))
            return False
        return True

    def execute(self, context):
        from mathutils import Matrix

        from ..bridge.muscles.add_muscle import add_surface, let_slide

        matrix, carrier = Matrix.Translation(context.scene.cursor.location), None
        bone = context.active_pose_bone if context.mode == "POSE" else None
        if bone is not None:
            carrier = (bone.id_data, bone.name)
            # At the joint, across the bone: where a muscle is led round a knee or an elbow.
            matrix = bone.id_data.matrix_world @ bone.matrix @ Matrix.Rotation(1.5707963267948966, 4, "Y")
        elif context.object is not None and context.object.type in {"EMPTY", "MESH"}:
            carrier = (context.object, "")
            matrix = context.object.matrix_world.copy()
        matrix.normalize()
        size = {"TORUS": (2.0, 0.5, 1.0), "CAPSULE": (1.0, 4.0, 1.0), "ELLIPSOID": (1.0, 1.5, 1.0)}
        scaled = [self.radius * x for x in size.get(self.kind, (1.0, 1.0, 1.0))]
        obj = add_surface(self.kind, scaled, matrix, context.collection, carrier=carrier)
        muscles = selected_muscles(context)
        for muscle in muscles:
            let_slide(muscle, obj)
        self.report(
            {"INFO"}, rpt_("Added '{name}' to {count} muscles").format(name=obj.name, count=len(muscles))
        )
        return {"FINISHED"}


class REDMAX_OT_muscle_from_pose(_ForMuscles, bpy.types.Operator):
    """Let the selected muscles have their optimal length in the pose that is shown"""

    bl_idname = "redmax.muscle_from_pose"
    bl_label = "Length from Pose"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        from ..bridge.muscles.add_muscle import length_from_pose

        try:
            for obj in selected_muscles(context):
                length_from_pose(obj, context.scene)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report(
            {"INFO"}, rpt_("Set the lengths of {count} muscles").format(count=len(selected_muscles(context)))
        )
        return {"FINISHED"}


class REDMAX_OT_bake_muscles(_ForMuscles, bpy.types.Operator):
    """Bake the tubes of the selected muscles to shape keys, over the frames of the scene"""

    bl_idname = "redmax.bake_muscles"
    bl_label = "Bake Muscles"
    bl_options = {"REGISTER", "UNDO"}

    step: IntProperty(
        name="Frame Step", description="Frames from one shape key to the next", min=1, default=1
    )

    def execute(self, context):
        from ..bridge.muscles.show import bake_tube

        try:
            counts = [bake_tube(obj, context.scene, self.step) for obj in selected_muscles(context)]
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        text = rpt_("Baked {count} shape keys on {muscles} muscles")
        self.report({"INFO"}, text.format(count=sum(counts), muscles=len(counts)))
        return {"FINISHED"}


class REDMAX_OT_free_muscles(_ForMuscles, bpy.types.Operator):
    """Remove the shape keys of the selected muscles' tubes, which then follow the pose again"""

    bl_idname = "redmax.free_muscles"
    bl_label = "Delete Bake of Muscles"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        from ..bridge.muscles.show import free_tube, show_all

        for obj in selected_muscles(context):
            free_tube(obj)
        show_all(context.scene)
        return {"FINISHED"}


CLASSES = (
    REDMAX_OT_add_muscle,
    REDMAX_OT_add_muscle_surface,
    REDMAX_OT_muscle_from_pose,
    REDMAX_OT_bake_muscles,
    REDMAX_OT_free_muscles,
)
