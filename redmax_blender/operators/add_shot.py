"""Add Bridge, Add Umbrella, Add Starfish: something to start from."""

import bpy
from bpy.props import EnumProperty

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
            cls.poll_message_set("Go to object mode")
            return False
        return True

    def execute(self, context):
        from ..bridge.build_shots import BUILDERS  # loads Numba, which takes a moment

        self.report({"INFO"}, f"Added {BUILDERS[self.shot](context.scene)}. Press Simulate in the RedMax tab")
        return {"FINISHED"}
