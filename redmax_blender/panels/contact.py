"""Contact: how the active bone or object collides, and what is solid."""

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ..bridge.flesh.soft_meshes import is_soft
from ..bridge.read.colliders import simulated_deformer, why_solid
from ..bridge.rig.bodies import is_anchored, is_body
from .presets import REDMAX_PT_surface_presets
from .sidebar import Sidebar, active_armature, active_bone


class VIEW3D_PT_redmax_contact(Sidebar, bpy.types.Panel):
    bl_label = "Contact"
    bl_order = 4
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, context):
        if active_bone(context) is not None or context.object is not None:
            REDMAX_PT_surface_presets.draw_panel_header(self.layout)

    def draw(self, context):
        layout = self.layout
        layout.operator("redmax.add_ground", icon="MESH_GRID")
        layout.use_property_split = True
        layout.use_property_decorate = False
        armature, obj = active_armature(context), context.object
        if armature is not None:
            self.draw_bone(layout, armature, active_bone(context))
        elif obj is None or obj.type not in ("MESH", "EMPTY"):
            layout.label(text="Select a bone, a mesh object or an empty", icon="INFO")
        elif is_soft(obj):
            self.draw_surface(layout, obj.redmax.surface)
        elif is_body(obj) and not is_anchored(obj):
            self.draw_body(layout, obj)
        else:
            self.draw_collider(layout, obj)

    def draw_bone(self, layout, armature, bone):
        layout.prop(armature.redmax, "self_collision")
        layout.prop(armature.redmax, "hold_locations")
        if bone is None or not bone.redmax.physical:
            layout.label(text="Make a physical bone active", icon="INFO")
            return
        self.draw_surface(layout, bone.redmax.surface, tube=True, together=armature.redmax.self_collision)

    def draw_body(self, layout, obj):
        if obj.redmax.body.role == "NONE":
            layout.label(text="Read from Blender's rigid body", icon="RIGID_BODY")
            layout.prop(obj.redmax.surface, "group")
            return
        self.draw_surface(layout, obj.redmax.surface, tube=True)

    def draw_collider(self, layout, obj):
        collider, surface = obj.redmax.collider, obj.redmax.surface
        layout.prop(collider, "role")
        if obj.type == "EMPTY" and collider.role == "COLLIDER":
            layout.label(text="An empty has no faces: choose Ground", icon="ERROR")
            return
        if is_body(obj) and obj.redmax.body.role == "ANCHORED" and collider.role == "NONE":
            layout.prop(surface, "collide")
        why = why_solid(obj)
        if not why:
            layout.label(text="Bodies pass through it", icon="GHOST_ENABLED")
            return
        deformer = simulated_deformer(obj)
        if deformer is not None:
            text = iface_("'{name}' deforms it: its bones collide instead")
            layout.label(text=text.format(name=deformer.name), icon="ERROR")
            return
        layout.label(text=iface_("Solid: {why}").format(why=iface_(why)), icon="MOD_PHYSICS")
        if collider.role == "COLLIDER" or why == "Collision modifier":
            layout.prop(collider, "shape")
        if why == "Passive rigid body":
            layout.label(text="Friction and bounciness from Blender's rigid body", icon="RIGID_BODY")
        else:
            layout.prop(surface, "friction", text="Friction")
            layout.prop(surface, "restitution")
        layout.prop(surface, "group")
        layout.operator("redmax.copy_part", icon="PASTEDOWN").part = "collider"

    @staticmethod
    def draw_surface(layout, surface, tube=False, together=True):
        """tube: whether it can be part of a chain, whose bodies collide with one another where `together`."""
        layout.prop(surface, "collide")
        column = layout.column()
        column.active = surface.collide
        column.prop(surface, "friction", text="Friction")
        column.prop(surface, "restitution")
        column.prop(surface, "margin")
        column.prop(surface, "group")
        if tube:
            row = column.row()
            row.active = together
            row.prop(surface, "tube")
        layout.operator("redmax.copy_part", icon="PASTEDOWN").part = "surface"


CLASSES = (REDMAX_PT_surface_presets, VIEW3D_PT_redmax_contact)
