"""The RedMax tab of the sidebar: draw() and nothing else."""

from pathlib import Path

import bpy

from .add_menu import VIEW3D_MT_redmax_shots, draw_in_add_menu
from .bake import VIEW3D_PT_redmax_bake
from .board import CLASSES as BOARD
from .bone import VIEW3D_PT_redmax_body, VIEW3D_PT_redmax_bone, VIEW3D_PT_redmax_limits
from .contact import CLASSES as CONTACT
from .control import CLASSES as CONTROL
from .coupling import VIEW3D_PT_redmax_coupling
from .diagnosis import VIEW3D_PT_redmax_diagnosis
from .fields import CLASSES as FIELDS
from .file_menu import draw_in_export, draw_in_import
from .flesh import CLASSES as FLESH
from .friction import CLASSES as FRICTION
from .goals import VIEW3D_PT_redmax_goals
from .header_menus import CLASSES as MENUS
from .header_menus import draw_in_object_menu, draw_in_pose_menu
from .inquire import CLASSES as INQUIRE
from .manual import manual_map
from .mechanism import CLASSES as MECHANISM
from .muscle import CLASSES as MUSCLE
from .overlay import VIEW3D_PT_redmax_overlay, draw_in_overlays
from .run import VIEW3D_PT_redmax_run, draw_in_timeline
from .secondary_motion import VIEW3D_PT_redmax_secondary_motion
from .set_up import REDMAX_UL_bones, VIEW3D_PT_redmax_set_up
from .simulate import VIEW3D_PT_redmax_simulate, VIEW3D_PT_redmax_solver
from .takes import CLASSES as TAKES
from .takes import draw_in_button_menu

CLASSES = (
    REDMAX_UL_bones,
    VIEW3D_PT_redmax_run,
    VIEW3D_PT_redmax_set_up,
    VIEW3D_PT_redmax_bone,
    *CONTROL,
    VIEW3D_PT_redmax_limits,
    VIEW3D_PT_redmax_coupling,
    VIEW3D_PT_redmax_body,
    VIEW3D_PT_redmax_secondary_motion,
    VIEW3D_MT_redmax_shots,
    *MECHANISM,
    *FIELDS,
    *FRICTION,
    *CONTACT,
    *FLESH,
    *MUSCLE,
    VIEW3D_PT_redmax_simulate,
    *BOARD,
    *TAKES,
    *INQUIRE,
    VIEW3D_PT_redmax_goals,
    VIEW3D_PT_redmax_diagnosis,
    VIEW3D_PT_redmax_solver,
    VIEW3D_PT_redmax_bake,
    VIEW3D_PT_redmax_overlay,
    *MENUS,
)


PRESETS = str(Path(__file__).resolve().parent.parent)
"""The folder that has our `presets` in it."""


APPENDED = (
    ("VIEW3D_MT_add", draw_in_add_menu),
    ("VIEW3D_MT_object", draw_in_object_menu),
    ("VIEW3D_MT_pose", draw_in_pose_menu),
    ("VIEW3D_PT_overlay", draw_in_overlays),
    (
        "TIME_HT_editor_buttons" if hasattr(bpy.types, "TIME_HT_editor_buttons") else "DOPESHEET_HT_header",
        draw_in_timeline,
    ),
    ("TOPBAR_MT_file_export", draw_in_export),
    ("TOPBAR_MT_file_import", draw_in_import),
    ("UI_MT_button_context_menu", draw_in_button_menu),
)
"""What we add to Blender's own menus and panels."""


def register():
    bpy.utils.register_preset_path(PRESETS)
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    for name, draw in APPENDED:
        getattr(bpy.types, name).append(draw)
    bpy.utils.register_manual_map(manual_map)


def unregister():
    bpy.utils.unregister_manual_map(manual_map)
    for name, draw in reversed(APPENDED):
        getattr(bpy.types, name).remove(draw)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
    bpy.utils.unregister_preset_path(PRESETS)
