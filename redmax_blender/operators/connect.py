"""Connect: a joint between places that are picked on two parts; Assemble: move parts to where joints hold."""

from math import degrees

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import BoolProperty, EnumProperty, FloatVectorProperty, StringProperty
from mathutils import Vector

from ..bridge.mechanism.connect import connect
from ..bridge.mechanism.features import Feature, feature_at
from ..bridge.rig.bodies import joints
from ..bridge.run.pick import View
from ..drawing import picked
from ..engine.errors import SceneError
from ..mechanism_properties import JOINT_KINDS
from .live import NAVIGATION, cursor_in, view_under

REACH = 18.0
"""How near the cursor must be to a corner, an edge or a socket to take it [px]."""
FIRST = "Pick a point, edge or face of the first part · Ctrl: exactly under the cursor · Esc ends"
SECOND = "Pick where it belongs on the second part; empty space is the world · Esc ends"


class REDMAX_OT_connect(bpy.types.Operator):
    """Pick a point, an edge or a face on one part and on another one, and connect them by a joint. They need not be \
together: Assemble brings them there"""

    bl_idname = "redmax.connect"
    bl_label = "Connect"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="Joint", items=JOINT_KINDS[1:], default="HINGE")
    assemble: BoolProperty(name="Assemble", description="Bring the parts together at once")
    first: StringProperty(name="First", description="Name of the first part; empty for the world")
    first_place: FloatVectorProperty(
        name="Place", description="On the first part, in the world", subtype="TRANSLATION"
    )
    first_axis: FloatVectorProperty(
        name="Axis", description="Of the joint on the first part, in the world", default=(0.0, 0.0, 1.0)
    )
    second: StringProperty(name="Second", description="Name of the second part; empty for the world")
    second_place: FloatVectorProperty(
        name="Place", description="On the second part, in the world", subtype="TRANSLATION"
    )
    second_axis: FloatVectorProperty(
        name="Axis", description="Of the joint on the second part, in the world", default=(0.0, 0.0, 1.0)
    )

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set(tip_("Go to object mode"))
            return False
        return True

    def execute(self, context):
        ends = [
            Feature(name, Vector(place), Vector(axis).normalized(), "SOCKET")
            for name, place, axis in (
                (self.first, self.first_place, self.first_axis),
                (self.second, self.second_place, self.second_axis),
            )
        ]
        return self.join(context, *ends)

    def join(self, context, first, second):
        try:
            obj = connect(self.kind, first, second, context.collection)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for other in context.selected_objects:
            other.select_set(False)
        obj.select_set(True)
        context.view_layer.objects.active = obj
        self.report({"INFO"}, rpt_("'{joint}' connects {first} and {second}").format(
            joint=obj.name, first=first.part or rpt_("the world"), second=second.part or rpt_("the world")
        ))  # fmt: skip
        if self.assemble:
            bpy.ops.redmax.assemble()
        return {"FINISHED"}

    def invoke(self, context, _event):
        if bpy.app.background or context.area is None or context.area.type != "VIEW_3D":
            return self.execute(context)
        self.found, self.held = None, None
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set(iface_(FIRST))
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            return self.stop(context, {"CANCELLED"})
        if event.type in NAVIGATION:
            return {"PASS_THROUGH"}
        if event.type == "MOUSEMOVE":
            self.found = self.look(context, event)
            view = view_under(context, event)
            size = 0.02 * view.space.view_distance if view is not None else 0.1
            picked.show([each for each in (self.held, self.found) if each is not None], size)
            redraw(context)
        if event.type == "LEFTMOUSE" and event.value == "PRESS":
            found = self.look(context, event)
            if found is None or (self.held is None and not found.part):
                return {"RUNNING_MODAL"}
            if self.held is None:
                self.held = found
                context.workspace.status_text_set(iface_(SECOND))
                return {"RUNNING_MODAL"}
            self.note(self.held, found)
            return self.stop(context, self.join(context, self.held, found))
        return {"RUNNING_MODAL"}

    def look(self, context, event):
        """The place under the cursor: of a part, or of the world at the depth of the first one."""
        view = view_under(context, event)
        if view is None:
            return None
        cursor = cursor_in(view, event)
        return under(context, view, cursor, 0.0 if event.ctrl else REACH, self.held)

    def note(self, first, second):
        """Keep what was picked, for the redo panel."""
        self.first, self.first_place, self.first_axis = first.part, first.place, first.axis
        self.second, self.second_place, self.second_axis = second.part, second.place, second.axis

    def stop(self, context, result):
        picked.show([])
        context.workspace.status_text_set(None)
        redraw(context)
        return result

    def cancel(self, context):
        self.stop(context, {"CANCELLED"})


class REDMAX_OT_assemble(bpy.types.Operator):
    """Move the parts to the nearest places at which all joints hold, limits too. Anchored bodies stay"""

    bl_idname = "redmax.assemble"
    bl_label = "Assemble"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set(tip_("Go to object mode"))
            return False
        if not joints(context.scene):
            cls.poll_message_set(tip_("Connect two bodies first"))
            return False
        return True

    def execute(self, context):
        from ..bridge.mechanism.assemble import assemble_objects  # loads Numba, which takes a moment

        try:
            done = assemble_objects(context)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if done.fights:
            self.report({"ERROR"}, quarrel(done.fights))
            return {"CANCELLED"}
        if not done.moved:
            self.report({"INFO"}, rpt_("All joints hold; nothing had to move"))
            return {"FINISHED"}
        self.report({"INFO"}, rpt_("All joints hold; {count} parts moved").format(count=len(done.moved)))
        return {"FINISHED"}


def quarrel(fights):
    """What to say of joints that are in each other's way."""
    text = rpt_("These joints cannot all hold: {joints}. Remove one of them, or change a part or a limit")
    each = rpt_("'{joint}' misses by {distance} m and {angle}°")
    names = [
        each.format(joint=f.name, distance=f"{f.distance:.3g}", angle=f"{degrees(f.angle):.3g}")
        for f in fights[:4]
    ]
    return text.format(joints=", ".join(names))


def under(context, view: View, cursor, reach, held):
    """The feature that is under the cursor; with nothing there, a place of the world as deep as another one."""
    origin, direction = view.ray(cursor)
    depsgraph = context.evaluated_depsgraph_get()
    hit, place, normal, face, obj, _ = context.scene.ray_cast(depsgraph, origin, direction)
    if hit and obj.type == "MESH":
        return feature_at(obj, depsgraph, place, normal, face, view.pixel, reach)
    if held is None:
        return None
    at = view.beside(cursor, held.place)
    if context.scene.tool_settings.use_snap:
        at = Vector([round(c * 10.0) / 10.0 for c in at])
    return Feature("", at, held.axis, "SOCKET")


def redraw(context):
    for area in context.screen.areas:
        if area.type == "VIEW_3D":
            area.tag_redraw()


CLASSES = (REDMAX_OT_connect, REDMAX_OT_assemble)
