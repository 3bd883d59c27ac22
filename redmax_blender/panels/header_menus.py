"""Object > RedMax and Pose > RedMax: what the panels' buttons do, where Blender's search (F3) finds it."""

import bpy

SET_UP = (
    ("ragdoll", "ARMATURE_DATA"),
    ("make_physical", "PHYSICS"),
    ("check", "CHECKMARK"),
    ("clear_physical", "X"),
    ("show_report", "TEXT"),
)
RUN = (
    ("simulate", "PLAY"),
    ("live", "VIEW_PAN"),
    ("free_cache", "TRASH"),
    ("bake", "ACTION_TWEAK"),
    ("delete_bake", "X"),
)
KIT = (
    ("add_part", "MESH_CYLINDER"), ("connect", "SNAP_ON"), ("assemble", "AUTOMERGE_ON"),
    ("parts_library", "ASSET_MANAGER"),
)  # fmt: skip
OBJECTS = (
    ("set_role", "RIGID_BODY"), ("add_joint", "EMPTY_ARROWS"), ("add_spring", "CURVE_PATH"),
    ("mesh_gears", "SETTINGS"),    ("add_thruster", "EMPTY_SINGLE_ARROW"),
    ("add_ground", "MESH_GRID"), ("make_soft", "MOD_SOFT"), ("convert_soft_body", "MOD_SOFT"), ("clear_soft", "X"),
    ("show_cage", "MESH_ICOSPHERE"),
)  # fmt: skip
MUSCLES = (
    ("add_muscle", "CURVE_DATA"), ("add_muscle_surface", "MESH_CYLINDER"), ("muscle_from_pose", "ARMATURE_DATA"),
    ("bake_muscles", "SHAPEKEY_DATA"), ("free_muscles", "X"),
)  # fmt: skip
BONES = (
    ("set_control", "GROUP_BONE"), ("secondary_motion", "FORCE_HARMONIC"), ("copy_to_selected", "PASTEDOWN"),
    ("mirror_settings", "MOD_MIRROR"), ("read_jiggles", "IMPORT"), ("add_thruster", "EMPTY_SINGLE_ARROW"),
)  # fmt: skip
AIMS = (
    ("add_goal", "ADD"), ("add_change", "ADD"), ("set_up_goals", "IPO_EASE_IN_OUT"), ("solve_goals", "CON_FOLLOWTRACK"),
)  # fmt: skip
TAKES = (
    ("keep_take", "ADD"), ("show_take", "HIDE_OFF"), ("use_take_values", "PASTEDOWN"), ("remove_take", "REMOVE"),
    ("simulate_wedge", "MOD_ARRAY"), ("clear_played", "TRASH"),
)  # fmt: skip
AFTER = (
    ("show_run_report", "TEXT"), ("graph_figures", "GRAPH"), ("inquire", "VIEWZOOM"), ("graph_inquiry", "GRAPH"),
    ("inquiry_table", "EXPORT"),
)  # fmt: skip


def _draw(layout, *groups):
    layout.operator_context = "INVOKE_REGION_WIN"
    for k, group in enumerate(groups):
        if k:
            layout.separator()
        for name, icon in group:
            layout.operator(f"redmax.{name}", icon=icon)


class VIEW3D_MT_redmax_object(bpy.types.Menu):
    bl_label = "RedMax"

    def draw(self, _context):
        _draw(self.layout, SET_UP, OBJECTS, KIT, MUSCLES, RUN, TAKES, AIMS, AFTER)


class VIEW3D_MT_redmax_pose(bpy.types.Menu):
    bl_label = "RedMax"

    def draw(self, _context):
        _draw(self.layout, SET_UP, BONES, MUSCLES, RUN, TAKES, AIMS, AFTER)


def draw_in_object_menu(menu, _context):
    menu.layout.menu("VIEW3D_MT_redmax_object", icon="PHYSICS")


def draw_in_pose_menu(menu, _context):
    menu.layout.menu("VIEW3D_MT_redmax_pose", icon="PHYSICS")


CLASSES = (VIEW3D_MT_redmax_object, VIEW3D_MT_redmax_pose)
