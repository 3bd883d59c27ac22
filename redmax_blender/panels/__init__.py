"""The RedMax tab of the sidebar: draw() and nothing else."""

import bpy

from .bake import VIEW3D_PT_redmax_bake
from .bone import VIEW3D_PT_redmax_body, VIEW3D_PT_redmax_bone, VIEW3D_PT_redmax_limits
from .set_up import REDMAX_UL_bones, VIEW3D_PT_redmax_set_up
from .simulate import VIEW3D_PT_redmax_simulate

CLASSES = (
    REDMAX_UL_bones,
    VIEW3D_PT_redmax_set_up,
    VIEW3D_PT_redmax_bone,
    VIEW3D_PT_redmax_limits,
    VIEW3D_PT_redmax_body,
    VIEW3D_PT_redmax_simulate,
    VIEW3D_PT_redmax_bake,
)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
