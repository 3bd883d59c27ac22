"""The RedMax tab of the sidebar: draw() and nothing else."""

import bpy

from .add_menu import VIEW3D_MT_redmax_shots, draw_in_add_menu
from .bake import VIEW3D_PT_redmax_bake
from .bone import VIEW3D_PT_redmax_body, VIEW3D_PT_redmax_bone, VIEW3D_PT_redmax_limits
from .mechanism import CLASSES as MECHANISM
from .set_up import REDMAX_UL_bones, VIEW3D_PT_redmax_set_up
from .simulate import VIEW3D_PT_redmax_simulate

CLASSES = (
    REDMAX_UL_bones,
    VIEW3D_PT_redmax_set_up,
    VIEW3D_PT_redmax_bone,
    VIEW3D_PT_redmax_limits,
    VIEW3D_PT_redmax_body,
    VIEW3D_MT_redmax_shots,
    *MECHANISM,
    VIEW3D_PT_redmax_simulate,
    VIEW3D_PT_redmax_bake,
)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.VIEW3D_MT_add.append(draw_in_add_menu)


def unregister():
    bpy.types.VIEW3D_MT_add.remove(draw_in_add_menu)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
