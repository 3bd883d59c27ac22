"""Every Blender test starts from an empty file, the add-on registered, away from the user's own Blender."""

import os
import tempfile
from collections.abc import Iterator

import pytest

# Blender reads this when bpy is imported.
_resources = tempfile.TemporaryDirectory(prefix="redmax-tests-")
os.environ["BLENDER_USER_RESOURCES"] = _resources.name

import bpy  # noqa: E402

import redmax_blender  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def addon() -> Iterator[None]:
    """The add-on, registered from its sources as Blender would on enabling it."""
    redmax_blender.register()
    yield
    redmax_blender.unregister()
    _resources.cleanup()


@pytest.fixture(autouse=True)
def empty_file(addon: None) -> None:
    """A file without objects, with factory settings."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
