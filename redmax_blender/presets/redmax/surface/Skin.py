import bpy

obj = bpy.context.object
bone = obj.data.bones.active if obj.type == "ARMATURE" else None
settings = (obj.pose.bones[bone.name] if bone else obj).redmax

settings.surface.friction = 0.5
settings.surface.restitution = 0.0
