"""The settings that the page of the scene file's fields names are settings that Blender has."""

import re
from pathlib import Path

import bpy
import pytest

PAGE = Path(__file__).parents[3] / "docs" / "scene-and-blender.md"
OWNERS = {"object": bpy.types.Object, "bone": bpy.types.PoseBone, "scene": bpy.types.Scene}


def named() -> list[str]:
    return sorted(set(re.findall(r"`((?:object|bone|scene)\.redmax[\w.]*)`", PAGE.read_text())))


def test_many_are_named():
    assert len(named()) > 90


@pytest.mark.parametrize("owner", OWNERS)
def test_every_setting_that_is_named_is_there(owner):
    gone = []
    for path in named():
        first, *rest = path.split(".")
        if first != owner:
            continue
        here = OWNERS[owner].bl_rna
        for name in rest:
            found = here.properties.get(name) if here is not None else None
            if found is None:
                gone.append(path)
                break
            here = getattr(found, "fixed_type", None)
    assert not gone


def test_buttons_that_are_named_are_there():
    labels = {
        cls.bl_label for cls in bpy.types.Operator.__subclasses__() if cls.__name__.startswith("REDMAX")
    }
    assert {"Gear, Belt or Rack", "Add Spring", "Add Thruster", "Add Muscle"} <= labels
    text = PAGE.read_text()
    assert all(f"*{label}*" in text for label in ("Gear, Belt or Rack", "Add Spring", "Add Thruster"))
