"""Texts of the interface in other languages: a folder a language.

Blender translates labels, tooltips, and names of settings and operators by itself; texts with numbers in them go
through `pgettext_iface` and `pgettext_rpt` as patterns. Its own translation of a text comes before ours.
"""

import bpy

from .german import GERMAN


def register():
    bpy.app.translations.register(__name__, {"de_DE": GERMAN, "de": GERMAN})


def unregister():
    bpy.app.translations.unregister(__name__)
