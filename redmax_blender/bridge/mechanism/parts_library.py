"""The parts kit as a file of assets in the extension's own folder, from where they are dragged into a scene."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import bpy
from mathutils import Matrix

from .parts_kit import add_part


def write_library(context: bpy.types.Context, name: str, kinds: Iterable[str]) -> str:
    """Write one part of each kind, a metre large, as assets of a library; the path of the file."""
    folder = Path(bpy.utils.user_resource("DATAFILES", path="redmax_parts", create=True))
    if __package__ is not None and __package__.startswith("bl_ext."):
        package = ".".join(__package__.split(".")[:3])
        folder = Path(bpy.utils.extension_path_user(package, path="parts", create=True))
    path = folder / "parts.blend"
    collection = bpy.data.collections.new(name)
    made = []
    try:
        for kind in kinds:
            obj = add_part(context.scene, collection, kind, 1.0, Matrix())
            obj.asset_mark()
            obj.asset_data.description = "A body with sockets, at which Connect snaps"
            made.append(obj)
        bpy.data.libraries.write(str(path), set(made), fake_user=True)
    finally:
        for obj in made:
            mesh = obj.data
            bpy.data.objects.remove(obj)
            bpy.data.meshes.remove(mesh)
        bpy.data.collections.remove(collection)
    return str(path)
