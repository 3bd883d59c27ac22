"""Joints: how a link moves relative to its parent. One file a kind; this one is the dispatch that kernels call.

Each kind gives the pose Q(q), the motion subspace S with Q⁻¹ Q̇ = [S q̇], its time derivative Sdot, dS/dq, and, where
S depends on q, the second derivative that exact Newton matrices need. Columns of S are rows of an (nr, 6) array.
"""

from __future__ import annotations

from ..algebra.spatial import Floats, Row, Tuple
from ..jit.decorators import inline, subroutine
from . import revolute, spherical, spherical_euler, spline_curve, spline_surface, translations, universal
from .kinds import CHARTS, DOFS, Kind

__all__ = [
    "CHARTS",
    "DOFS",
    "Kind",
    "bias_curvature",
    "is_constant",
    "subspace",
    "subspace_gradient",
    "transform",
]

FIXED = int(Kind.FIXED)
REVOLUTE = int(Kind.REVOLUTE)
PRISMATIC = int(Kind.PRISMATIC)
PLANAR = int(Kind.PLANAR)
TRANSLATIONAL = int(Kind.TRANSLATIONAL)
UNIVERSAL = int(Kind.UNIVERSAL)
SPHERICAL = int(Kind.SPHERICAL)
SPHERICAL_EULER = int(Kind.SPHERICAL_EULER)
SPLINE_CURVE = int(Kind.SPLINE_CURVE)
SPLINE_SURFACE = int(Kind.SPLINE_SURFACE)


@inline
def is_constant(kind: int) -> bool:
    """Whether S does not depend on q."""
    return kind <= TRANSLATIONAL


@inline
def transform(kind: int, params: Row, at: int, chart: int, q: Row, i: int) -> Tuple:
    """Q(q): pose of the link in its frame at q = 0 (supplement Eq. 22)."""
    if kind == REVOLUTE:
        return revolute.transform(params, at, q, i)
    if kind == PRISMATIC:
        return translations.prismatic_transform(params, at, q, i)
    if kind == PLANAR:
        return translations.translation(q[i], q[i + 1], 0.0)
    if kind == TRANSLATIONAL:
        return translations.translation(q[i], q[i + 1], q[i + 2])
    if kind == UNIVERSAL:
        return universal.transform(q, i)
    if kind == SPHERICAL:
        return spherical.transform(q, i)
    if kind == SPHERICAL_EULER:
        return spherical_euler.transform(chart, q, i)
    if kind == SPLINE_CURVE:
        return spline_curve.transform(params, at, q, i)
    if kind == SPLINE_SURFACE:
        return spline_surface.transform(params, at, q, i)
    return translations.translation(0.0, 0.0, 0.0)


@inline
def subspace(
    kind: int,
    params: Row,
    at: int,
    chart: int,
    q: Row,
    qdot: Row,
    i: int,
    n: int,
    S: Floats,
    Sdot: Floats,
) -> None:
    """Write S and Sdot of a link with n coordinates, the first of them number i."""
    if is_constant(kind):
        for k in range(i, i + n):
            for c in range(6):
                Sdot[k, c] = 0.0
    if kind == REVOLUTE:
        revolute.subspace(params, at, S, i)
    elif kind == PRISMATIC:
        translations.prismatic_subspace(params, at, S, i)
    elif kind in (PLANAR, TRANSLATIONAL):
        translations.axes_subspace(S, i, n)
    elif kind == UNIVERSAL:
        universal.subspace(q, qdot, i, S, Sdot)
    elif kind == SPHERICAL:
        spherical.subspace(q, qdot, i, S, Sdot)
    elif kind == SPHERICAL_EULER:
        spherical_euler.subspace(chart, q, qdot, i, S, Sdot)
    elif kind == SPLINE_CURVE:
        spline_curve.subspace(params, at, q, qdot, i, S, Sdot)
    elif kind == SPLINE_SURFACE:
        spline_surface.subspace(params, at, q, qdot, i, S, Sdot)


@subroutine
def subspace_gradient(kind: int, params: Row, at: int, chart: int, q: Row, i: int, dS: Floats) -> None:
    """dS[k, a]: derivative of column a of S by coordinate k of the link; dS is zero on entry, shape (3, 3, 6)."""
    if kind == UNIVERSAL:
        universal.subspace_gradient(q, i, dS)
    elif kind == SPHERICAL:
        spherical.subspace_gradient(q, i, dS)
    elif kind == SPHERICAL_EULER:
        spherical_euler.subspace_gradient(chart, q, i, dS)
    elif kind == SPLINE_CURVE:
        spline_curve.subspace_gradient(params, at, q, i, dS)
    elif kind == SPLINE_SURFACE:
        spline_surface.subspace_gradient(params, at, q, i, dS)


@subroutine
def bias_curvature(kind: int, params: Row, at: int, chart: int, q: Row, i: int, u: Tuple, v: Tuple) -> Tuple:
    """(d²S/dq² [u, v]) v for a link whose S depends on q; u and v have three numbers, of which it uses its own."""
    if kind == UNIVERSAL:
        return universal.bias_curvature(q, i, u, v)
    if kind == SPHERICAL:
        return spherical.bias_curvature(q, i, u, v)
    if kind == SPHERICAL_EULER:
        return spherical_euler.bias_curvature(chart, q, i, u, v)
    if kind == SPLINE_CURVE:
        return spline_curve.bias_curvature(params, at, q, i, u, v)
    if kind == SPLINE_SURFACE:
        return spline_surface.bias_curvature(params, at, q, i, u, v)
    return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
