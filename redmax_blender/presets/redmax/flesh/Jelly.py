import bpy

settings = bpy.context.object.redmax

settings.flesh.young = 2000.0
settings.flesh.poisson = 0.47
settings.flesh.mass_from = "DENSITY"
settings.flesh.density = 1000.0
settings.flesh.damping = 0.001
