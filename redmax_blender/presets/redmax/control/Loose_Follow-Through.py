import bpy

obj = bpy.context.object
bone = obj.data.bones.active if obj.type == "ARMATURE" else None
settings = (obj.pose.bones[bone.name] if bone else obj).redmax

settings.control.response = 0.3
settings.control.ratio = 0.5
settings.control.ease = 12
settings.control.wake = 0.0
