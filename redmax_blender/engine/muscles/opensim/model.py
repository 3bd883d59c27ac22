"""A model file as a whole."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

from ..skeleton import Skeleton
from .elements import Reader, objects
from .read_muscles import MuscleRecord, read_muscles
from .read_skeleton import Frames, read_skeleton
from .xml_tree import read_xml

OLDEST = 40000
UNUSED = {
    "ControllerSet": "controllers",
    "ContactGeometrySet": "contact shapes",
    "ProbeSet": "probes",
    "ComponentSet": "other components",
    "MarkerSet": "markers",
}


@dataclass(frozen=True)
class OpenSimModel:
    name: str
    skeleton: Skeleton
    muscles: tuple[MuscleRecord, ...]
    notes: tuple[str, ...]
    """What was not understood, a sentence each."""


def read_model(path: Path | str) -> OpenSimModel:
    """Read an `.osim` file; raises `InputError` that names file and thing."""
    path = Path(path)
    return model_of(read_xml(path), str(path))


def model_of(root: ET.Element, place: str) -> OpenSimModel:
    first = Reader(place, None)
    model = root.find("Model") if root.tag == "OpenSimDocument" else None
    if model is None:
        raise first.error(
            None,
            f"it is not an OpenSim model (its root is <{root.tag}>)",
            "Choose an .osim file that holds a <Model>.",
        )
    try:
        version = int(root.get("Version", "0"))
    except ValueError:
        version = 0
    if version < OLDEST:
        raise first.error(
            None,
            f"its format is version {root.get('Version')}",
            "Open it in OpenSim 4 and save it: that writes 40000.",
        )
    reader = Reader(place, model.find("defaults"))
    frames = Frames(reader, model)
    skeleton = read_skeleton(reader, model, frames)
    index = {c.name: i for i, c in enumerate(skeleton.coordinates)}
    muscles = read_muscles(reader, model, frames, index)
    for tag, what in UNUSED.items():
        count = len(objects(model, tag))
        if count:
            reader.note(f"{count} {what} ({tag}): not used")
    return OpenSimModel(model.get("name", ""), skeleton, muscles, tuple(reader.notes))
