"""The control board: switches and sliders for any setting."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_

from ..bridge.board.controls import NUMBERS, add_control
from ..bridge.board.keys import curves, write_keys
from ..engine.errors import SceneError


class REDMAX_OT_add_control(bpy.types.Operator):
    """Put a control on the board that moves this setting: in Play Live with the mouse or a key, and by keyframes"""

    bl_idname = "redmax.add_control"
    bl_label = "Add to Control Board"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        setting = getattr(context, "button_prop", None)
        if setting is None or setting.type not in NUMBERS:
            cls.poll_message_set(tip_("Right-click a setting that is a number or a tick"))
            return False
        return True

    def execute(self, context):
        thing, setting = context.button_pointer, context.button_prop
        try:
            path = thing.path_from_id(setting.identifier)
            found = getattr(context, "property", None)  # which entry of a list is under the cursor
            if setting.is_array and found is not None and found[2] >= 0:
                path = f"{path}[{found[2]}]"
            control = add_control(context.scene, thing.id_data, path, setting.name)
        except (SceneError, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, rpt_("'{name}' is on the control board").format(name=control.name))
        return {"FINISHED"}


class REDMAX_OT_remove_control(bpy.types.Operator):
    """Take the active control off the board, with its keyframes"""

    bl_idname = "redmax.remove_control"
    bl_label = "Remove Control"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not len(context.scene.redmax.board):
            cls.poll_message_set(tip_("There is no control on the board"))
            return False
        return True

    def execute(self, context):
        settings = context.scene.redmax
        index = min(settings.board_index, len(settings.board) - 1)
        found = {i: curve for i, curve in curves(context.scene).items() if i >= index}
        rows = {
            i: [(point.co[0], point.co[1]) for point in curve.keyframe_points] for i, curve in found.items()
        }
        for curve in found.values():
            curve.keyframe_points.clear()
        settings.board.remove(index)
        for i, points in rows.items():
            if i > index:  # the ones behind it move up
                places = [0.0] * len(settings.board)
                played = []
                for frame, value in points:
                    places = list(places)
                    places[i - 1] = value
                    played.append((frame, places))
                write_keys(context.scene, 0, played, only=i - 1)
        settings.board_index = max(index - 1, 0)
        return {"FINISHED"}


class REDMAX_OT_clear_played(bpy.types.Operator):
    """Remove what was played on the control board and with the mouse: keyframes of controls, and pulls"""

    bl_idname = "redmax.clear_played"
    bl_label = "Clear What Was Played"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not (curves(context.scene) or context.scene.redmax.pulls):
            cls.poll_message_set(tip_("Nothing was played"))
            return False
        return True

    def execute(self, context):
        places = [control.value for control in context.scene.redmax.board]
        write_keys(context.scene, 0, [(0, places)])
        context.scene.redmax.pulls = ""
        return {"FINISHED"}


CLASSES = (REDMAX_OT_add_control, REDMAX_OT_remove_control, REDMAX_OT_clear_played)
