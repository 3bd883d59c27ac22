"""File > Export and File > Import: RedMax scenes."""


def draw_in_export(menu, _context):
    menu.layout.operator("redmax.export_scene", text="RedMax Scene (.json)")


def draw_in_import(menu, _context):
    menu.layout.operator("redmax.import_scene", text="RedMax Scene (.json)")
    menu.layout.operator("redmax.import_opensim", text="OpenSim Model (.osim)")
    menu.layout.operator("redmax.import_opensim_motion", text="OpenSim Motion (.mot)")
