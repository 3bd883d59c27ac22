"""Add Bridge, Add Umbrella, Add Starfish: something to start from."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty

from ..bridge.flesh.soft_meshes import is_soft
from ..bridge.rig.rig import is_physical

SHOTS = (
    ("bridge", "Bridge", "A cable-stayed bridge of hinged blocks"),
    ("umbrella", "Umbrella", "An umbrella that its runner opens. Best without gravity"),
    (
        "starfish",
        "Starfish",
        "A rig with keys in a soft skin: twenty joints, some keyed and some passive, and two empties that lead arms",
    ),
    (
        "hand",
        "Hand",
        "A rig whose elbow is keyed and whose fingertips follow empties; coupled finger joints, friction in the rest",
    ),
    (
        "chains",
        "Two Chains",
        "Chains of hinges that rub, with thin pins and with thick ones: let go, they come to rest one after the other",
    ),
    (
        "klann",
        "Klann Walker",
        "A walking machine of six legs: hinges with friction, loops that close themselves, and two keyed cranks. "
        "Best with 10 substeps a frame",
    ),
    (
        "hagfish",
        "Hagfish",
        "A rig of a hundred guided bones that ties itself into a knot, and a smooth tube that does not go through "
        "itself. It floats: gravity is switched off",
    ),
    (
        "ragdoll",
        "Ragdoll",
        "A person whose keys let go of it at the top of a flight of stairs, with a platform that moves at their foot",
    ),
)


class REDMAX_OT_add_shot(bpy.types.Operator):
    """Add a mechanism or a rig that can be changed and simulated"""

    bl_idname = "redmax.add_shot"
    bl_label = "Add RedMax Scene"
    bl_options = {"REGISTER", "UNDO"}

    shot: EnumProperty(name="Scene", description="What to add", items=SHOTS)

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set(tip_("Go to object mode"))
            return False
        return True

    def execute(self, context):
        from ..examples.shots.build_shots import BUILDERS  # loads Numba, which takes a moment

        before = set(context.scene.objects)
        text = rpt_("Added {names}. Press Simulate in the RedMax tab")
        self.report({"INFO"}, text.format(names=BUILDERS[self.shot](context.scene)))
        added = [obj for obj in context.scene.objects if obj not in before]
        select_movers(context, added)
        frame_in_views(context)
        return {"FINISHED"}


def select_movers(context, added):
    """Select what was added and moves, or all of it, but no ground, camera or light."""
    context.view_layer.update()
    movers = [obj for obj in added if is_physical(obj) or obj.redmax.body.role == "ACTIVE" or is_soft(obj)]
    for obj in context.view_layer.objects:
        obj.select_set(obj in (movers or added) and obj.visible_get())


def frame_in_views(context):
    """Let every 3D view of the window show what is selected; there is none in a Blender without a window."""
    for area in () if context.screen is None else context.screen.areas:
        if area.type == "VIEW_3D":
            region = next(region for region in area.regions if region.type == "WINDOW")
            with context.temp_override(area=area, region=region):
                bpy.ops.view3d.view_selected()
