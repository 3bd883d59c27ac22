import bpy

obj = bpy.context.object
bone = obj.data.bones.active if obj.type == "ARMATURE" else None
settings = (obj.pose.bones[bone.name] if bone else obj).redmax

settings.control.response = 0.05
settings.control.ratio = 1.0
settings.control.ease = 16
settings.control.wake = 2.0
