import bpy

settings = bpy.context.object.redmax

settings.flesh.young = 500000.0
settings.flesh.poisson = 0.48
settings.flesh.mass_from = "DENSITY"
settings.flesh.density = 1100.0
settings.flesh.damping = 0.001
