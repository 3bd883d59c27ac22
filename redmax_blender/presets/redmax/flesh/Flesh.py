import bpy

settings = bpy.context.object.redmax

settings.flesh.young = 20000.0
settings.flesh.poisson = 0.45
settings.flesh.mass_from = "DENSITY"
settings.flesh.density = 1000.0
settings.flesh.damping = 0.005
