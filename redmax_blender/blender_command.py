"""`blender --command redmax …`: the command line inside a Blender that has the extension."""

import bpy

from .cli import main

_handle = None


def run(arguments):
    """Blender calls this with what follows the command's name; the exit code is Blender's."""
    return main(arguments)


def register():
    global _handle
    _handle = bpy.utils.register_cli_command("redmax", run)


def unregister():
    global _handle
    bpy.utils.unregister_cli_command(_handle)
    _handle = None
