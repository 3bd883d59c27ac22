"""RedMax: physically based character animation in reduced and maximal coordinates.

Importing the package needs no Blender: every `bpy` import happens when Blender calls `register`, so that
`redmax_blender.engine` and the command line run in any Python.
"""

from __future__ import annotations


def register() -> None:
    import bpy

    from . import blender_command, handlers, operators, panels, properties, translations
    from .drawing import overlay, timeline
    from .engine.jit import switch as jit_switch

    jit_switch.compile_kernels = bpy.app.background
    translations.register()
    properties.register()
    operators.register()
    panels.register()
    handlers.register()
    overlay.register()
    timeline.register()
    blender_command.register()


def unregister() -> None:
    from . import blender_command, handlers, operators, panels, properties, translations
    from .bridge.run.engine_process import engine
    from .drawing import overlay, timeline

    engine.close()
    blender_command.unregister()
    timeline.unregister()
    overlay.unregister()
    handlers.unregister()
    panels.unregister()
    operators.unregister()
    properties.unregister()
    translations.unregister()
