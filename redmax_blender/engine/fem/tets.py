"""A body of linear tetrahedra: rest shape, materials and lumped masses as constant arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..model.records import Floats, Ints
from .materials.materials import KINDS, Material, check_material

LEAST_FILL = 0.05
"""A tetrahedron that the solid hardly enters still weighs and resists like one filled by this fraction, so that its
corners neither lack mass nor stiffness; both shrink alike, and its own frequencies stay."""


@dataclass(frozen=True)
class Tets:
    """nt tetrahedra on nv vertices."""

    X: Floats
    """Rest positions [m], shape (nv, 3)."""
    corner: Ints
    """Vertices of each tetrahedron, turned so that the volume is positive, shape (nt, 4)."""
    volume: Floats
    """Rest volume [m³], whatever it is filled with, shape (nt,)."""
    fill: Floats
    """Fraction of each tetrahedron that is solid, at least `LEAST_FILL`, shape (nt,)."""
    kind: Ints
    """`materials.Kind` of each tetrahedron, shape (nt,)."""
    element: Floats
    """What kernels need of each: Dm⁻¹ row by row [1/m], filled volume [m³], μ and λ [Pa], β [s], shape (nt, 13)."""
    mass: Floats
    """Lumped mass of each vertex [kg], shape (nv,)."""
    drag: Floats
    """Rayleigh's α times the mass, of each vertex [kg/s], shape (nv,)."""

    @property
    def nv(self) -> int:
        return len(self.X)

    @property
    def nt(self) -> int:
        return len(self.corner)


def make_tets(
    X: ArrayLike,
    corner: ArrayLike,
    materials: Material | Sequence[Material],
    material: ArrayLike | None = None,
    fill: ArrayLike | None = None,
    stiffness: ArrayLike | None = None,
    mass: float | None = None,
    place: str = "tets",
) -> Tets:
    """Tetrahedra `corner` (nt, 4) on rest positions X (nv, 3) [m].

    `material` is the number of each tetrahedron's material (all 0), `fill` the fraction that is solid (all 1), and
    `stiffness` multiplies Young's modulus, a number a tetrahedron. `mass` [kg] scales the whole body to that mass
    in place of what its densities give. `place` is what errors call it.
    """
    points: Floats = np.ascontiguousarray(np.asarray(X, np.float64).reshape(-1, 3))
    corners: Ints = np.ascontiguousarray(np.asarray(corner, np.int64).reshape(-1, 4))
    listed = [materials] if isinstance(materials, Material) else list(materials)
    for i, m in enumerate(listed):
        check_material(
            m, f"{place}.material" if isinstance(materials, Material) else f"{place}.materials[{i}]"
        )
    check_points(points, f"{place}.vertices")
    corners, volume = _turned_outwards(points, corners, place)
    nt = len(corners)
    which = np.zeros(nt, np.int64) if material is None else np.asarray(material, np.int64).reshape(nt)
    if which.min(initial=0) < 0 or which.max(initial=0) >= len(listed):
        raise InputError(
            f"{place}.material",
            f"it names materials {which.min()} to {which.max()} of {len(listed)}",
            "Correct it.",
        )
    solid = np.clip(_per_tet(fill, nt, f"{place}.fill"), LEAST_FILL, 1.0)
    factor = _per_tet(stiffness, nt, f"{place}.stiffness")
    if np.any(factor <= 0.0):
        t = int(np.argmin(factor))
        raise InputError(
            f"{place}.stiffness[{t}]",
            f"the multiplier is {factor[t]:g}",
            "Give a positive number a tetrahedron.",
        )

    def of(name: str) -> Floats:
        values: Floats = np.array([getattr(m, name) for m in listed], np.float64)[which]
        return values

    edges = np.swapaxes(points[corners[:, 1:]] - points[corners[:, :1]], 1, 2)
    filled = volume * solid
    element = np.empty((nt, 13))
    element[:, :9] = np.linalg.inv(edges).reshape(nt, 9)
    element[:, 9] = filled
    element[:, 10] = of("mu") * factor
    element[:, 11] = of("lam") * factor
    element[:, 12] = of("stiffness_damping")
    weight = of("density") * filled
    if mass is not None:
        if not (np.isfinite(mass) and mass > 0.0):
            raise InputError(f"{place}.mass", f"it is {mass:g} kg", "Give a positive number.")
        weight *= mass / weight.sum()
    kinds = np.array([int(KINDS[m.kind]) for m in listed], np.int64)[which]
    return Tets(
        X=points,
        corner=corners,
        volume=volume,
        fill=solid,
        kind=kinds,
        element=element,
        mass=lumped(corners, weight, len(points)),
        drag=lumped(corners, weight * of("mass_damping"), len(points)),
    )


def join_tets(bodies: Sequence[Tets]) -> Tets:
    """Several bodies as one, their vertices and tetrahedra in order; they share no vertex."""
    first = np.cumsum([0] + [b.nv for b in bodies])
    return Tets(
        X=np.concatenate([b.X for b in bodies]),
        corner=np.concatenate([b.corner + f for b, f in zip(bodies, first)]),
        volume=np.concatenate([b.volume for b in bodies]),
        fill=np.concatenate([b.fill for b in bodies]),
        kind=np.concatenate([b.kind for b in bodies]),
        element=np.concatenate([b.element for b in bodies]),
        mass=np.concatenate([b.mass for b in bodies]),
        drag=np.concatenate([b.drag for b in bodies]),
    )


def check_points(points: Floats, place: str) -> None:
    """Raise an InputError that names the first vertex that is not a number."""
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise InputError(
            f"{place}[{int(bad[0])}]",
            f"the position is {points[bad[0]].tolist()} ({len(bad)} such vertices)",
            "Give finite coordinates.",
        )


def signed_volumes(points: Floats, corner: Ints) -> Floats:
    """Volume of each tetrahedron [m³], negative where it is inverted, shape (nt,)."""
    a, b, c = (points[corner[:, k]] - points[corner[:, 0]] for k in (1, 2, 3))
    volumes: Floats = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    return volumes


def lumped(corner: Ints, weight: Floats, nv: int) -> Floats:
    """A quarter of each tetrahedron's weight at each of its corners, shape (nv,)."""
    return np.bincount(corner.reshape(-1), weights=np.repeat(0.25 * weight, 4), minlength=nv).astype(
        np.float64
    )


def vertex_to_tet(corner: Ints, value: ArrayLike) -> Floats:
    """Mean over the corners of a number a vertex, shape (nt,): stiffness from a painted vertex group."""
    mean: Floats = np.asarray(value, np.float64)[corner].mean(axis=1)
    return mean


def _per_tet(value: ArrayLike | None, nt: int, place: str) -> Floats:
    if value is None:
        return np.ones(nt)
    values: Floats = np.asarray(value, np.float64)
    if values.shape != (nt,):
        raise InputError(
            place, f"it has the shape {values.shape}", f"Give one number for each of the {nt} tetrahedra."
        )
    if not np.isfinite(values).all():
        t = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InputError(f"{place}[{t}]", f"the number is {values[t]}", "Give a finite number here.")
    return values


def _turned_outwards(points: Floats, corner: Ints, place: str) -> tuple[Ints, Floats]:
    """Corners such that every volume is positive, and the volumes [m³]."""
    nv = len(points)
    if len(corner) == 0:
        raise InputError(place, "it has no tetrahedra", "Give a mesh with a volume.")
    bad = np.argwhere((corner < 0) | (corner >= nv))
    if len(bad):
        t, k = (int(i) for i in bad[0])
        raise InputError(
            f"{place}.tets[{t}][{k}]",
            f"there is no vertex {int(corner[t, k])}; there are {nv}, counted from 0",
            "Correct the index.",
        )
    unused = np.flatnonzero(np.bincount(corner.reshape(-1), minlength=nv) == 0)
    if len(unused):
        raise InputError(
            f"{place}.vertices[{int(unused[0])}]",
            f"the vertex belongs to no tetrahedron ({len(unused)} such vertices)",
            "Remove it: it would have no mass.",
        )
    volume = signed_volumes(points, corner)
    inside_out = volume < 0.0
    corner = corner.copy()
    corner[inside_out] = corner[inside_out][:, [0, 1, 3, 2]]
    volume = np.abs(volume)
    longest = np.linalg.norm(points[corner][:, :, None] - points[corner][:, None], axis=3).max(axis=(1, 2))
    flat = np.flatnonzero(volume <= 1e-9 * longest**3)
    if len(flat):
        raise InputError(
            f"{place}.tets[{int(flat[0])}]",
            f"the tetrahedron has no volume ({len(flat)} such tetrahedra)",
            "Remove it or move its vertices apart.",
        )
    return corner, volume
