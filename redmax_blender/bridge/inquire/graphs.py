"""What was inquired as animated custom properties: the Graph Editor plots them."""

from __future__ import annotations

import bpy
import numpy as np

from ..recording.graph_figures import fitting, write_graphs
from .asking import Answers


def graph_answers(scene: bpy.types.Scene, found: Answers) -> bpy.types.Object:
    """Bake all figures over the frames that were told; returns the object that has them."""
    heads = list(dict.fromkeys(head for told in found.moments for head in told.columns))
    rows: dict[str, np.ndarray] = {}
    for head in heads:
        values = np.array([told.columns.get(head, 0.0) for told in found.moments])
        rows[fitting(head.replace("[", "(").replace("]", ")"), rows)] = values
    return write_graphs(scene, found.first, rows)
