"""RedMax: physically based character animation in reduced and maximal coordinates.

Importing the package needs no Blender: every `bpy` import happens when Blender calls `register`, so that
`redmax_blender.engine` and the command line run in any Python.
"""

from __future__ import annotations


def register() -> None:
    from . import handlers, operators, panels, properties

    properties.register()
    operators.register()
    panels.register()
    handlers.register()


def unregister() -> None:
    from . import handlers, operators, panels, properties

    handlers.unregister()
    panels.unregister()
    operators.unregister()
    properties.unregister()
