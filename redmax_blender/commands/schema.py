"""`schema`: the JSON schema of the scene file, made from the types."""

from __future__ import annotations

import argparse
import json

from ..engine.scene.file import scene_schema


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It takes none."""


def run(args: argparse.Namespace) -> int:
    print(json.dumps(scene_schema(), indent=2))
    return 0
