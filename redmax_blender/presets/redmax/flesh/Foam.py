import bpy

settings = bpy.context.object.redmax

settings.flesh.young = 10000.0
settings.flesh.poisson = 0.1
settings.flesh.mass_from = "DENSITY"
settings.flesh.density = 60.0
settings.flesh.damping = 0.01
