import bpy

obj = bpy.context.object
bone = obj.data.bones.active if obj.type == "ARMATURE" else None
settings = (obj.pose.bones[bone.name] if bone else obj).redmax

settings.friction.coefficient = 0.01
settings.friction.static = 0.01
settings.friction.stop_friction = 0.02
settings.friction.stop_restitution = 0.0
