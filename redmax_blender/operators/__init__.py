"""Operators: one verb a file. Each is poll, call the bridge, report."""

import bpy

from .add_ground import REDMAX_OT_add_ground
from .add_joint import REDMAX_OT_add_joint
from .add_part import CLASSES as PARTS
from .add_preset import (
    REDMAX_OT_control_preset_add,
    REDMAX_OT_flesh_preset_add,
    REDMAX_OT_friction_preset_add,
    REDMAX_OT_surface_preset_add,
)
from .add_shot import REDMAX_OT_add_shot
from .add_spring import REDMAX_OT_add_spring
from .add_thruster import REDMAX_OT_add_thruster
from .bake import REDMAX_OT_bake
from .board import CLASSES as BOARD
from .clear_physical import REDMAX_OT_clear_physical
from .clear_soft import REDMAX_OT_clear_soft
from .connect import CLASSES as CONNECT
from .convert_soft_body import REDMAX_OT_convert_soft_body
from .copy_part import REDMAX_OT_copy_part
from .copy_to_selected import REDMAX_OT_copy_to_selected
from .decide import REDMAX_OT_decide
from .delete_bake import REDMAX_OT_delete_bake
from .fix_finding import REDMAX_OT_check, REDMAX_OT_fix_finding
from .free_cache import REDMAX_OT_free_cache
from .goals import CLASSES as GOALS
from .graph_figures import REDMAX_OT_graph_figures
from .import_opensim import REDMAX_OT_import_opensim, REDMAX_OT_import_opensim_motion
from .inquire import CLASSES as INQUIRE
from .live import REDMAX_OT_live
from .make_physical import REDMAX_OT_make_physical
from .make_soft import REDMAX_OT_make_soft
from .mesh_gears import REDMAX_OT_mesh_gears
from .muscle import CLASSES as MUSCLES
from .ragdoll import REDMAX_OT_ragdoll
from .scene_file import REDMAX_OT_export_scene, REDMAX_OT_import_scene
from .secondary_motion import REDMAX_OT_mirror_settings, REDMAX_OT_read_jiggles, REDMAX_OT_secondary_motion
from .set_control import REDMAX_OT_set_control
from .set_role import REDMAX_OT_set_role
from .show_cage import REDMAX_OT_remove_cage, REDMAX_OT_show_cage
from .show_report import REDMAX_OT_show_report
from .show_run_report import REDMAX_OT_show_run_report
from .simulate import REDMAX_OT_simulate
from .takes import CLASSES as TAKES
from .try_remedy import REDMAX_OT_try_remedy
from .wedge import CLASSES as WEDGE

CLASSES = (
    REDMAX_OT_make_physical,
    REDMAX_OT_ragdoll,
    REDMAX_OT_check,
    REDMAX_OT_fix_finding,
    REDMAX_OT_decide,
    REDMAX_OT_clear_physical,
    REDMAX_OT_show_report,
    REDMAX_OT_copy_to_selected,
    REDMAX_OT_set_control,
    REDMAX_OT_secondary_motion,
    REDMAX_OT_read_jiggles,
    REDMAX_OT_mirror_settings,
    REDMAX_OT_copy_part,
    REDMAX_OT_friction_preset_add,
    REDMAX_OT_surface_preset_add,
    REDMAX_OT_control_preset_add,
    REDMAX_OT_flesh_preset_add,
    REDMAX_OT_add_ground,
    REDMAX_OT_set_role,
    REDMAX_OT_add_joint,
    *PARTS,
    *CONNECT,
    REDMAX_OT_add_spring,
    REDMAX_OT_mesh_gears,
    REDMAX_OT_add_thruster,
    REDMAX_OT_make_soft,
    REDMAX_OT_convert_soft_body,
    REDMAX_OT_clear_soft,
    REDMAX_OT_show_cage,
    REDMAX_OT_remove_cage,
    REDMAX_OT_add_shot,
    REDMAX_OT_simulate,
    REDMAX_OT_live,
    *GOALS,
    *TAKES,
    *BOARD,
    *WEDGE,
    REDMAX_OT_free_cache,
    REDMAX_OT_bake,
    REDMAX_OT_delete_bake,
    REDMAX_OT_graph_figures,
    *INQUIRE,
    REDMAX_OT_show_run_report,
    REDMAX_OT_try_remedy,
    REDMAX_OT_export_scene,
    REDMAX_OT_import_scene,
    *MUSCLES,
    REDMAX_OT_import_opensim,
    REDMAX_OT_import_opensim_motion,
)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
