"""Scenes of things that touch, and shapes in plain NumPy to judge contacts by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.contact.contacts import Contacts
from redmax_blender.engine.contact.find import find_contacts
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    ColliderSpec,
    Cuboid,
    Cylinder,
    Ellipsoid,
    Free,
    Hull,
    JointSpec,
    Pose,
    SceneSpec,
    Sphere,
    Surface,
)
from redmax_blender.engine.tree.kinematics import forward_kinematics

Floats = NDArray[np.float64]
Round = Cuboid | Sphere | Capsule | Cylinder | Ellipsoid | Hull


def free_body(
    name: str,
    shape: Round,
    position: Sequence[float] = (0.0, 0.0, 0.0),
    rotation: Sequence[float] = (0.0, 0.0, 0.0),
    velocity: Sequence[float] = (0.0, 0.0, 0.0),
    spin: Sequence[float] = (0.0, 0.0, 0.0),
    **surface: object,
) -> BodySpec:
    """A body that flies freely, its rotation a rotation vector [rad]; its spin is about its own axes."""
    own = shape
    if isinstance(shape, Hull):
        own, surface = Sphere(radius=0.1), {"shape": shape, **surface}
    return BodySpec(
        name=name,
        shape=own,
        joint=JointSpec(
            type=Free(),
            frame=Pose(position=tuple(position), rotation=list(rotation)),
            qdot=[*velocity, *spin],
        ),
        surface=Surface(**surface),
    )


def contacts_of(
    bodies: Sequence[BodySpec], colliders: Sequence[ColliderSpec] = (), h: float = 0.01, **scene: object
) -> Contacts:
    model = compile_scene(SceneSpec(bodies=list(bodies), colliders=list(colliders), **scene))
    return model_contacts(model, h)


def model_contacts(
    model: Model, h: float = 0.01, t: float | None = None, V: Floats | None = None
) -> Contacts:
    state = model.initial_state()
    if t is not None:
        state = replace(state, t=t)
    return find_contacts(model, state, forward_kinematics(model, state), h, V)


def random_rotation(rng: np.random.Generator) -> Floats:
    """A rotation vector [rad]."""
    axis = rng.normal(size=3)
    return axis / np.linalg.norm(axis) * rng.uniform(0.0, np.pi)


def reach(shape: Round, E: Floats, d: Floats) -> Floats:
    """How far a shape at the pose E (4, 4) reaches along directions d (n, 3) [m], shape (n,)."""
    local = d @ E[:3, :3]
    if isinstance(shape, Sphere):
        own = shape.radius * np.linalg.norm(local, axis=1)
    elif isinstance(shape, Capsule):
        own = 0.5 * shape.height * np.abs(local[:, 2]) + shape.radius * np.linalg.norm(local, axis=1)
    elif isinstance(shape, Cuboid):
        own = np.abs(local) @ (0.5 * np.array(shape.sides))
    elif isinstance(shape, Cylinder):
        own = shape.radius * np.hypot(local[:, 0], local[:, 1]) + 0.5 * shape.height * np.abs(local[:, 2])
    elif isinstance(shape, Ellipsoid):
        own = np.linalg.norm(local * np.array(shape.radii), axis=1)
    else:
        own = (local @ np.array(shape.vertices).T).max(axis=1)
    return own + d @ E[:3, 3]


def outside(shape: Round, E: Floats, x: ArrayLike) -> float:
    """How far a point is outside of a shape, at most [m]: 0 or less inside, up to the fineness of 4000 directions."""
    d = DIRECTIONS
    return float((d @ np.asarray(x) - reach(shape, E, d)).max())


def _directions(n: int) -> Floats:
    """Unit vectors spread evenly over the sphere (Fibonacci)."""
    k = np.arange(n) + 0.5
    z, angle = 1.0 - 2.0 * k / n, np.pi * (1.0 + 5.0**0.5) * k
    s = np.sqrt(1.0 - z * z)
    return np.stack([s * np.cos(angle), s * np.sin(angle), z], axis=1)


DIRECTIONS = _directions(4000)


def separation(a: Round, Ea: Floats, b: Round, Eb: Floats, d: Floats) -> Floats:
    """Width of the slab across d (n, 3) between two shapes, b below a [m]; the largest is their signed distance."""
    return -reach(a, Ea, -d) - reach(b, Eb, d)


def signed_distance(a: Round, Ea: Floats, b: Round, Eb: Floats, around: Floats) -> float:
    """The largest separation over many directions, refined about the best of them and about a guess."""
    best = np.concatenate([DIRECTIONS, around[None]])
    width = separation(a, Ea, b, Eb, best)
    d, s, spread = best[np.argmax(width)], width.max(), 0.05
    rng = np.random.default_rng(1)
    for _ in range(60):
        tries = d + spread * rng.normal(size=(200, 3))
        tries /= np.linalg.norm(tries, axis=1)[:, None]
        width = separation(a, Ea, b, Eb, tries)
        if width.max() > s:
            d, s = tries[np.argmax(width)], width.max()
        spread *= 0.75
    return float(s)


def random_shape(kind: str, rng: np.random.Generator) -> Round:
    """A shape about half a metre large."""
    r = rng.uniform(0.2, 0.5, 3)
    if kind == "sphere":
        return Sphere(radius=float(r[0]))
    if kind == "capsule":
        return Capsule(radius=float(r[0]), height=float(2.0 * r[1]))
    if kind == "box":
        return Cuboid(sides=tuple((2.0 * r).tolist()))
    if kind == "cylinder":
        return Cylinder(radius=float(r[0]), height=float(2.0 * r[1]))
    if kind == "ellipsoid":
        return Ellipsoid(radii=tuple(r.tolist()))
    points = rng.normal(size=(int(rng.integers(5, 30)), 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    return Hull(vertices=[tuple(p) for p in (points * r).tolist()])


KINDS = ("sphere", "capsule", "box", "hull", "cylinder", "ellipsoid")


def pose(position: ArrayLike, rotation: ArrayLike) -> Floats:
    E = np.eye(4)
    E[:3, :3], E[:3, 3] = se3.exp_so3(rotation), position
    return E


GEOM = {
    Sphere: lambda s: f'type="sphere" size="{s.radius}"',
    Capsule: lambda s: f'type="capsule" size="{s.radius} {0.5 * s.height}"',
    Cuboid: lambda s: 'type="box" size="{} {} {}"'.format(*(0.5 * x for x in s.sides)),
    Cylinder: lambda s: f'type="cylinder" size="{s.radius} {0.5 * s.height}"',
    Ellipsoid: lambda s: 'type="ellipsoid" size="{} {} {}"'.format(*s.radii),
}
"""The shapes as MuJoCo writes them."""
