"""A soft belly for the figure: flesh around its lower trunk, carried by the bones inside it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..compile.scene import compile_scene
from ..fem.cages.cage import Cage, make_cage
from ..scene import Attachment, FleshSpec, MaterialSpec, SceneSpec, SelfCollision, Surface, Vec3
from ..tree.kinematics import forward_kinematics
from .figure import SEGMENTS, Segment, Skin, figure

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NAME = "belly"
CARRIERS = ("pelvis", "lumbar", "waist", "thorax")
"""Bodies inside it."""


@dataclass(frozen=True)
class Belly:
    """An ellipsoid of flesh on the figure that stands upright (`figure.SEGMENTS`)."""

    centre: Vec3 = (0.0, -0.045, 1.1)
    """[m]"""
    radii: Vec3 = (0.18, 0.165, 0.2)
    """[m]"""
    cell: float = 0.07
    """Size of the lattice that it is divided by [m]."""
    core: float = 0.85
    """What of a body's radius carries flesh."""
    mass: float = 10.0
    """Of what is not bone [kg]."""
    young: float = 2e4
    """[Pa], as muscle at rest with the fat around it."""
    damping: float = 0.01
    """Rayleigh's coefficient of the stiffness [s]."""
    friction: float = 0.6
    margin: float = 0.015
    """Thickness of the skin around it [m]: only vertices touch, and edges of stairs press in between them."""


def belly(
    shape: Belly, skin: Skin, q: list[float], angles: dict[str, list[float]], qdot: list[float]
) -> FleshSpec:
    """The flesh of a figure that starts as `figure(skin, q, angles, qdot)` says, moving along with it."""
    cage = _cage(shape)
    upright = {part.name: part.joint for part in SEGMENTS}
    bodies = figure(skin, q, angles, qdot)
    model = compile_scene(SceneSpec(bodies=bodies, self_collision=SelfCollision(enabled=False)))
    kin = forward_kinematics(model, model.initial_state())
    link = {name: int(model.bodies.link[b]) for b, name in enumerate(model.bodies.names)}
    distance = np.stack([_distance(_segment(name), cage.X) for name in CARRIERS], axis=1)
    nearest = np.argmin(distance, axis=1)
    inside = distance.min(axis=1) < shape.core * np.array([_segment(n).radius for n in CARRIERS])[nearest]
    share = np.maximum(distance, 1e-3) ** -4.0
    share[inside] = np.eye(len(CARRIERS))[nearest[inside]]
    share /= share.sum(axis=1, keepdims=True)
    x, v = np.zeros_like(cage.X), np.zeros_like(cage.X)
    for k, name in enumerate(CARRIERS):
        E, V = kin.E_wj[link[name]], kin.V[link[name]]
        R, p = E[:9].reshape(3, 3), E[9:]
        r = cage.X - np.array(upright[name])  # joints turn about the axes of the world in the upright pose
        x += share[:, k : k + 1] * (r @ R.T + p)
        v += share[:, k : k + 1] * ((np.cross(V[:3], r) + V[3:]) @ R.T)
    return FleshSpec(
        name=NAME,
        vertices=_rows(cage.X),
        tets=[(int(a), int(b), int(c), int(d)) for a, b, c, d in cage.corner],
        material=MaterialSpec(young=shape.young, stiffness_damping=shape.damping),
        start=_rows(x),
        velocities=_rows(v),
        attachments=[
            Attachment(name, np.flatnonzero(inside & (nearest == k)).tolist())
            for k, name in enumerate(CARRIERS)
            if np.any(inside & (nearest == k))
        ],
        fill=cage.fill.tolist(),
        mass=shape.mass,
        surface=Surface(friction=shape.friction, margin=shape.margin),
    )


@cache
def _cage(shape: Belly) -> Cage:
    """Tetrahedra that enclose the ellipsoid."""
    around, up = np.meshgrid(
        np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False), np.linspace(-0.5 * np.pi, 0.5 * np.pi, 25)
    )
    ball = np.stack([np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)], axis=-1)
    rows, columns = up.shape
    number = np.arange(rows * columns).reshape(rows, columns)
    a, b = number[:-1], number[1:]
    c, d = np.roll(a, -1, axis=1), np.roll(b, -1, axis=1)
    triangles = np.concatenate(
        [np.stack([a, c, d], axis=-1).reshape(-1, 3), np.stack([a, d, b], axis=-1).reshape(-1, 3)]
    )
    return make_cage(ball.reshape(-1, 3) * shape.radii + shape.centre, triangles, cell=shape.cell, place=NAME)


def _segment(name: str) -> Segment:
    return next(part for part in SEGMENTS if part.name == name)


def _distance(part: Segment, points: Floats) -> Floats:
    """Of points (n, 3) from the axis of a segment [m], shape (n,)."""
    begin, axis = np.array(part.begin), np.subtract(part.end, part.begin)
    along = np.clip((points - begin) @ axis / max(float(axis @ axis), 1e-12), 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - begin - along[:, None] * axis, axis=1))


def _rows(points: Floats) -> list[Vec3]:
    return [(float(x), float(y), float(z)) for x, y, z in points]
