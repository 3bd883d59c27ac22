"""The engine gets ready in the background as soon as there is something to simulate."""

from __future__ import annotations

import bpy

from ..flesh.soft_meshes import is_soft
from ..rig.bodies import is_body
from ..rig.rig import is_physical
from .engine_process import engine


def get_ready(_settings: object = None, _context: object = None) -> None:
    """Something has become physical. In a Blender without a window the engine runs in that, and nothing is to do."""
    if not bpy.app.background:
        engine.prepare()


def get_ready_for_file() -> None:
    """A file was opened."""
    if any(is_physical(obj) or is_body(obj) or is_soft(obj) for obj in bpy.data.objects):
        get_ready()
