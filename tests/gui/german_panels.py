"""The sidebar of a Blender that is set to German.

Runs inside Blender.
"""

import sys

sys.path.insert(0, "/project/tests/gui")

import bpy
from bpy.app.translations import pgettext, pgettext_iface, pgettext_tip
from driver import SETTLE, in_view, picture, play, region, view


def scenario():
    preferences = bpy.context.preferences.view
    preferences.language = "de_DE"
    preferences.use_translate_interface = preferences.use_translate_tooltips = True
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    with in_view():
        bpy.ops.object.armature_add()
        bpy.ops.redmax.make_physical()
        bpy.ops.object.mode_set(mode="POSE")
    view().spaces[0].show_region_ui = True
    yield 3.0 * SETTLE
    region("UI").active_panel_category = "RedMax"
    region("UI").tag_redraw()
    yield 3.0 * SETTLE
    picture("german")
    return {
        "button": pgettext("Make Physical", "Operator"),
        "panel": pgettext_iface("Joint Friction"),
        "pattern": pgettext_iface("A physical bone, {mass} kg"),
        "why": pgettext_tip("Delete the bake first"),
    }


play(scenario)
