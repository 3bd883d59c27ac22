"""Mass, centre of mass, principal axes and moments of shapes, and the spatial inertia that follows."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compile.poses import pose_parts
from ..errors import SceneError
from ..scene import Capsule, Composite, Cuboid, Cylinder, Ellipsoid, Inertia, Mesh, Part, Shape, Sphere
from .mesh_volume import mesh_moments

Floats = NDArray[np.float64]

WATER = 1000.0
"""Density [kg/m³] where a scene gives neither density nor mass."""


@dataclass(frozen=True)
class MassProperties:
    """How the mass of a body is distributed, in the frame of its shape."""

    mass: float
    """[kg]"""
    centre: Floats
    """Centre of mass [m], shape (3,)."""
    axes: Floats
    """Principal axes as the columns of a rotation matrix, shape (3, 3)."""
    moments: Floats
    """Principal moments about the centre of mass [kg·m²], shape (3,)."""

    def tensor(self) -> Floats:
        """Inertia about the centre of mass along the axes of the shape's frame [kg·m²], shape (3, 3)."""
        return np.asarray((self.axes * self.moments) @ self.axes.T)

    def scaled_to(self, mass: float) -> MassProperties:
        """The same distribution with another total mass [kg]."""
        return MassProperties(mass, self.centre, self.axes, self.moments * (mass / self.mass))


def body_mass(shape: Shape, density: float | None, mass: float | None, place: str) -> MassProperties:
    """Mass properties of a body's shape with either a density [kg/m³] or a total mass [kg]; 1000 kg/m³ with
    neither.

    `place` is where the body stands in the scene, for error messages.
    """
    if density is not None and mass is not None:
        raise SceneError(place, "both density and mass are given", "Leave one of them out.")
    if density is not None:
        _positive(density, f"{place}.density", "density")
    if mass is not None:
        _positive(mass, f"{place}.mass", "mass")
    if isinstance(shape, Inertia) and (density is not None or mass is not None):
        given = "density" if mass is None else "mass"
        raise SceneError(
            f"{place}.{given}",
            "a shape of kind 'inertia' has a mass of its own",
            f"Leave {given} out, or change shape.mass.",
        )
    properties = shape_mass(shape, WATER if density is None else density, f"{place}.shape")
    return properties if mass is None else properties.scaled_to(mass)


def shape_mass(shape: Shape, density: float, place: str) -> MassProperties:
    """Mass properties of a shape of uniform density [kg/m³], in the frame of the shape."""
    match shape:
        case Cuboid():
            x, y, z = _lengths(shape.sides, f"{place}.sides")
            m = density * x * y * z
            return _centred(
                m, m / 12.0 * (y * y + z * z), m / 12.0 * (z * z + x * x), m / 12.0 * (x * x + y * y)
            )
        case Sphere():
            r = _positive(shape.radius, f"{place}.radius", "radius")
            m = density * 4.0 / 3.0 * math.pi * r**3
            return _centred(m, 0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r)
        case Ellipsoid():
            x, y, z = _lengths(shape.radii, f"{place}.radii")
            m = density * 4.0 / 3.0 * math.pi * x * y * z
            return _centred(
                m, 0.2 * m * (y * y + z * z), 0.2 * m * (z * z + x * x), 0.2 * m * (x * x + y * y)
            )
        case Cylinder():
            r = _positive(shape.radius, f"{place}.radius", "radius")
            h = _positive(shape.height, f"{place}.height", "height")
            m = density * math.pi * r * r * h
            across = m / 12.0 * (3.0 * r * r + h * h)
            return _centred(m, across, across, 0.5 * m * r * r)
        case Capsule():
            return _capsule(shape, density, place)
        case Mesh():
            return _mesh(shape, density, place)
        case Inertia():
            return _given(shape, place)
        case Composite():
            return _composite(shape.parts, density, f"{place}.parts")


def _centred(mass: float, x: float, y: float, z: float) -> MassProperties:
    return MassProperties(mass, np.zeros(3), np.eye(3), np.array([x, y, z]))


def _capsule(shape: Capsule, density: float, place: str) -> MassProperties:
    r = _positive(shape.radius, f"{place}.radius", "radius")
    h = _positive(shape.height, f"{place}.height", "height")
    cylinder = density * math.pi * r * r * h
    caps = density * 4.0 / 3.0 * math.pi * r**3
    along = 0.5 * cylinder * r * r + 0.4 * caps * r * r
    # The caps are the halves of a sphere, each 3/8 r beyond the end of the cylinder.
    across = cylinder / 12.0 * (3.0 * r * r + h * h) + caps * (0.4 * r * r + 0.25 * h * h + 0.375 * h * r)
    return _centred(cylinder + caps, across, across, along)


def _mesh(shape: Mesh, density: float, place: str) -> MassProperties:
    volume, centre, second = mesh_moments(shape.vertices, shape.triangles, place)
    return _principal(density * volume, centre, density * (np.trace(second) * np.eye(3) - second))


def _given(shape: Inertia, place: str) -> MassProperties:
    m = _positive(shape.mass, f"{place}.mass", "mass")
    for i, moment in enumerate(shape.moments):
        _positive(moment, f"{place}.moments[{i}]", "moment of inertia")
    a, b, c = sorted(shape.moments)
    if a + b < c * (1.0 - 1e-9):
        raise SceneError(
            f"{place}.moments",
            f"no distribution of mass has the moments {list(shape.moments)}: "
            "the two smaller must add up to at least the largest",
            "Correct the moments.",
        )
    return _centred(m, *shape.moments)


def _composite(parts: list[Part], density: float, place: str) -> MassProperties:
    if not parts:
        raise SceneError(place, "the list is empty", "Give at least one part.")
    mass = 0.0
    first = np.zeros(3)
    placed: list[tuple[float, Floats, Floats]] = []
    for i, part in enumerate(parts):
        here = f"{place}[{i}]"
        if part.density is not None:
            _positive(part.density, f"{here}.density", "density")
            if isinstance(part.shape, Inertia):
                raise SceneError(
                    f"{here}.density",
                    "a shape of kind 'inertia' has a mass of its own",
                    "Leave density out, or change shape.mass.",
                )
        own = shape_mass(part.shape, density if part.density is None else part.density, f"{here}.shape")
        R, p = pose_parts(part.pose, f"{here}.pose")
        centre = R @ own.centre + p
        placed.append((own.mass, centre, R @ own.tensor() @ R.T))
        mass += own.mass
        first += own.mass * centre
    centre = first / mass
    tensor = np.zeros((3, 3))
    for m, c, own_tensor in placed:
        d = c - centre
        tensor += own_tensor + m * (d @ d * np.eye(3) - np.outer(d, d))  # parallel axes
    return _principal(mass, centre, tensor)


def _principal(mass: float, centre: Floats, tensor: Floats) -> MassProperties:
    """Diagonalise.

    Of the 24 ways to call three lines x, y, z, the axes nearest to the shape's own are taken.
    """
    off = np.abs(tensor - np.diag(np.diag(tensor))).max()
    if off <= 1e-12 * np.trace(tensor):
        return MassProperties(mass, centre, np.eye(3), np.diag(tensor).copy())
    moments, vectors = np.linalg.eigh(tensor)
    order = max(itertools.permutations(range(3)), key=lambda o: sum(abs(vectors[i, o[i]]) for i in range(3)))
    axes = vectors[:, order]
    axes = axes * np.where(np.diag(axes) < 0.0, -1.0, 1.0)
    if np.linalg.det(axes) < 0.0:
        axes[:, int(np.argmin(np.abs(np.diag(axes))))] *= -1.0
    return MassProperties(mass, centre, axes, moments[list(order)])


def spatial_rows(rotation: Floats, origin: Floats, moments: Floats, mass: Floats) -> Floats:
    """Spatial inertia of n bodies, each seen from a frame in which it sits at the pose (rotation, origin),
    (n, 21).

    Shapes (n, 3, 3), (n, 3), (n, 3) and (n,). M = Ad(E⁻¹)ᵀ diag(moments, mass) Ad(E⁻¹) has the blocks
    A = I_c + m [c][c]ᵀ, B = m [c] and C = m 1, with c the origin and I_c the rotated moments. Drag on all six
    components of a twist has the same form, with its coefficient in the place of moments and mass.
    """
    c = origin
    A = np.einsum("nik,nk,njk->nij", rotation, moments, rotation)
    A += mass[:, None, None] * (
        np.einsum("nk,nk->n", c, c)[:, None, None] * np.eye(3) - c[:, :, None] * c[:, None, :]
    )
    x, y, z = (mass[:, None] * c).T
    rows = np.zeros((len(mass), 21))
    rows[:, :6] = A[:, (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)]
    rows[:, 6:15] = np.stack([0 * x, -z, y, z, 0 * x, -x, -y, x, 0 * x], axis=1)
    rows[:, (15, 18, 20)] = mass[:, None]
    return rows


def _positive(value: float, place: str, what: str) -> float:
    if not value > 0.0:
        raise SceneError(place, f"the {what} is {value}", f"Give a {what} above zero.")
    return value


def _lengths(values: tuple[float, float, float], place: str) -> tuple[float, float, float]:
    for i, value in enumerate(values):
        _positive(value, f"{place}[{i}]", "length")
    return values
