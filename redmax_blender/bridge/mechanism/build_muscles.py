"""Muscles of a recorded scene as meshes that bulge, one a muscle, with a shape key a frame."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.model.records import Model
from ...engine.muscles.paths.exact import evaluate
from ...engine.run.result import Result
from ...engine.scene import HillActuator, MuscleSpec, SceneSpec
from ...engine.tree.kinematics import forward_kinematics
from ..muscles import tube
from ..muscles.show import key_shapes
from .build_scene import frame_times

Floats = NDArray[np.float64]

DENSITY = 1060.0
"""[kg/m³]"""
STRENGTH = 250e3
"""Of muscle [Pa]: a muscle without mass is as thick as its force asks for."""
THIN = 0.004
"""Radius of a muscle that has neither mass nor strength [m]."""


def build_muscles(
    spec: SceneSpec,
    model: Model,
    result: Result,
    collection: bpy.types.Collection,
    fps: float,
    frame_start: int = 1,
) -> list[bpy.types.Object]:
    """A closed tube of constant volume a muscle, keyed on whole frames from `frame_start` on."""
    if model.muscles is None:
        return []
    times, frames = frame_times(result, fps, frame_start)
    near = np.clip(np.searchsorted(result.t, times), 0, len(result) - 1)
    states = [result.state(int(k)) for k in near]
    poses = [forward_kinematics(model, state).E_wj for state in states]
    out = []
    for muscle, path in zip(spec.muscles, model.muscles.sources, strict=True):
        shapes = [evaluate(path, E, tube.ALPHAS, q=state.q) for E, state in zip(poses, states, strict=True)]
        begin, end = _belly(muscle)
        wanted = _volume(muscle, float(shapes[0].length))
        vertices = [tube.tube(shape.points, wanted, begin, end) for shape in shapes]
        mesh = bpy.data.meshes.new(muscle.name)
        mesh.from_pydata(vertices[0].tolist(), [], tube.faces())
        mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
        made = bpy.data.objects.new(muscle.name, mesh)
        collection.objects.link(made)
        key_shapes(made, [int(frame) for frame in frames], vertices)
        out.append(made)
    return out


def _volume(muscle: MuscleSpec, length: float) -> float:
    """[m³]"""
    if muscle.mass > 0.0:
        return muscle.mass / DENSITY
    actuator = muscle.actuator
    if isinstance(actuator, HillActuator):
        return actuator.max_force / STRENGTH * (actuator.optimal_length or 0.5 * length)
    return float(np.pi) * THIN**2 * length


def _belly(muscle: MuscleSpec) -> tuple[float, float]:
    """Where the mass begins and ends, as parts of the path."""
    shares = np.flatnonzero(np.array(muscle.distribution))
    if not len(shares):
        return 0.1, 0.9
    n = len(muscle.distribution)
    return float(shares[0]) / n, float(shares[-1] + 1) / n
