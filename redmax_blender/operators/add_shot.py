"""Add Bridge, Add Umbrella: a mechanism to start from."""

import bpy
from bpy.props import EnumProperty

SHOTS = (
    ("bridge", "Bridge", "A cable-stayed bridge of hinged blocks"),
    ("umbrella", "Umbrella", "An umbrella that its runner opens. Best without gravity"),
)


class REDMAX_OT_add_shot(bpy.types.Operator):
    """Add a mechanism of bodies, joints and springs, which can be changed and simulated"""

    bl_idname = "redmax.add_shot"
    bl_label = "Add Mechanism"
    bl_options = {"REGISTER", "UNDO"}

    shot: EnumProperty(name="Mechanism", items=SHOTS)

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set("Go to object mode")
            return False
        return True

    def execute(self, context):
        from ..bridge.build_shots import BUILDERS  # loads Numba, which takes a moment

        made = BUILDERS[self.shot](context.scene)
        self.report(
            {"INFO"},
            f"Added {len(made.bodies)} bodies, {len(made.joints)} joints and {len(made.springs)} springs. "
            "Press Simulate in the RedMax tab",
        )
        return {"FINISHED"}
