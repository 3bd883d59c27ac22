"""Every example of the Mechanism panel, added in the window and simulated from a script.

Runs inside Blender.
"""

import sys

sys.path.insert(0, "/project/tests/gui")

import bpy
from driver import SETTLE, in_view, picture, play


def scenario():
    found = {}
    for item in bpy.ops.redmax.add_shot.get_rna_type().properties["shot"].enum_items:
        for obj in list(bpy.data.objects):
            bpy.data.objects.remove(obj)
        yield SETTLE
        with in_view():
            bpy.ops.redmax.add_shot(shot=item.identifier)
            bpy.ops.view3d.view_all()
            bpy.context.scene.redmax.frame_end = bpy.context.scene.redmax.frame_start + 2
            ended = bpy.ops.redmax.simulate("EXEC_DEFAULT")
        yield 3.0 * SETTLE
        picture(item.identifier)
        found[item.identifier] = sorted(ended)
    return found


play(scenario)
