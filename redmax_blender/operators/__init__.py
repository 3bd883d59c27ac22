"""Operators: one verb a file. Each is poll, call the bridge, report."""

import bpy

from .add_joint import REDMAX_OT_add_joint
from .add_shot import REDMAX_OT_add_shot
from .add_spring import REDMAX_OT_add_spring
from .bake import REDMAX_OT_bake
from .clear_physical import REDMAX_OT_clear_physical
from .copy_to_selected import REDMAX_OT_copy_to_selected
from .delete_bake import REDMAX_OT_delete_bake
from .free_cache import REDMAX_OT_free_cache
from .make_physical import REDMAX_OT_make_physical
from .set_role import REDMAX_OT_set_role
from .show_report import REDMAX_OT_show_report
from .simulate import REDMAX_OT_simulate

CLASSES = (
    REDMAX_OT_make_physical,
    REDMAX_OT_clear_physical,
    REDMAX_OT_show_report,
    REDMAX_OT_copy_to_selected,
    REDMAX_OT_set_role,
    REDMAX_OT_add_joint,
    REDMAX_OT_add_spring,
    REDMAX_OT_add_shot,
    REDMAX_OT_simulate,
    REDMAX_OT_free_cache,
    REDMAX_OT_bake,
    REDMAX_OT_delete_bake,
)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
