"""Energy and force of a body of tetrahedra, and what an implicit step needs of their derivatives.

The deformation gradient of a tetrahedron is F = Ds Dm⁻¹, with the edges from its first corner as columns of Ds (now)
and Dm (at rest); corner a = 1, 2, 3 feels the force -w P b_a, where b_a is row a of Dm⁻¹, P = ∂W/∂F = U diag(ψ) Vᵀ and
w the filled volume. The step's matrix h D - h² K of an element is diagonal but for 3x3 and 2x2 blocks in the frame of
U and V (`materials`), so that is how a tetrahedron's linearisation is kept: 33 numbers.

Stiffness damping is Rayleigh's β K at rest, and beyond it the viscous counterpart of corotated elasticity: it resists
the rate of the stretch tensor RᵀF with β times the moduli of Hooke's law, so that turning, however deformed the body
is, costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.spatial import Tuple, matmul3
from ..jit.decorators import inline, njit
from ..model.records import Floats, Ints
from .materials import materials
from .materials.stretch import rotation, stretches, transposed
from .tets import Tets

EXACT, POSITIVE, ROTATED = 0, 1, 2
"""The stiffness of a linearisation: ∂²W/∂F² itself; the same without negative eigenvalues; or, of corotated elements,
the rest stiffness turned with the element, which is cheaper and ignores how tension stiffens against turning."""
TANGENTS = {"exact": EXACT, "positive": POSITIVE, "rotated": ROTATED}

_LEAST_TURN = 0.2
"""Least σi + σj by which the damper divides; an element that is nearly inverted has no definite rate of turning."""

_COROTATED = int(materials.Kind.COROTATED)


@inline
def gradient(corner: Ints, element: Floats, x: Floats, t: int) -> Tuple:
    """F of tetrahedron t at positions x, row by row; or its rate, for velocities in place of positions."""
    i, j, k, l = corner[t, 0], corner[t, 1], corner[t, 2], corner[t, 3]
    Ds = (
        x[j, 0] - x[i, 0], x[k, 0] - x[i, 0], x[l, 0] - x[i, 0],
        x[j, 1] - x[i, 1], x[k, 1] - x[i, 1], x[l, 1] - x[i, 1],
        x[j, 2] - x[i, 2], x[k, 2] - x[i, 2], x[l, 2] - x[i, 2],
    )  # fmt: skip
    return matmul3(Ds, _rest(element, t))


@inline
def _rest(element: Floats, t: int) -> Tuple:
    """Dm⁻¹ of tetrahedron t."""
    return (
        element[t, 0], element[t, 1], element[t, 2], element[t, 3], element[t, 4], element[t, 5],
        element[t, 6], element[t, 7], element[t, 8],
    )  # fmt: skip


@inline
def _spread(corner: Ints, t: int, H: Tuple, scale: float, f: Floats) -> None:
    """Add the columns of scale · H to the forces on corners 1, 2, 3, and the opposite of their sum to corner 0."""
    i, j, k, l = corner[t, 0], corner[t, 1], corner[t, 2], corner[t, 3]
    for c in range(3):
        a, b, d = scale * H[3 * c], scale * H[3 * c + 1], scale * H[3 * c + 2]
        f[j, c] += a
        f[k, c] += b
        f[l, c] += d
        f[i, c] -= a + b + d


@inline
def _scaled_columns(U: Tuple, s: Tuple) -> Tuple:
    """U diag(s)."""
    return (
        U[0] * s[0], U[1] * s[1], U[2] * s[2], U[3] * s[0], U[4] * s[1], U[5] * s[2],
        U[6] * s[0], U[7] * s[1], U[8] * s[2],
    )  # fmt: skip


@njit
def _energy(corner: Ints, kind: Ints, element: Floats, x: Floats) -> float:
    total = 0.0
    for t in range(len(corner)):
        _, s, _ = stretches(gradient(corner, element, x, t))
        total += element[t, 9] * materials.energy(kind[t], s, element[t, 10], element[t, 11])
    return total


def elastic_energy(tets: Tets, x: Floats) -> float:
    """[J] at positions x (nv, 3) [m]."""
    return float(_energy(tets.corner, tets.kind, tets.element, x))


@njit
def _forces(corner: Ints, kind: Ints, element: Floats, x: Floats, f: Floats) -> None:
    for t in range(len(corner)):
        U, s, V = stretches(gradient(corner, element, x, t))
        P = matmul3(
            _scaled_columns(U, materials.stress(kind[t], s, element[t, 10], element[t, 11])), transposed(V)
        )
        _spread(corner, t, matmul3(P, transposed(_rest(element, t))), -element[t, 9], f)


def add_elastic_forces(tets: Tets, x: Floats, f: Floats) -> None:
    """Add the elastic forces [N] at positions x (nv, 3) [m] to f (nv, 3)."""
    _forces(tets.corner, tets.kind, tets.element, x, f)


@dataclass(frozen=True)
class Linearised:
    """h D - h² K of a body at one state, a tetrahedron a row, and never formed. K = ∂f/∂x, D = -∂f/∂v."""

    tets: Tets
    row: Floats
    """U (9) and Dm⁻¹V (9), each row by row; then, times the filled volume: the 3x3 block of stretching (00 01 02 11 12
    22), the entries 01 10 02 20 12 21 of shearing by themselves, and 01 02 12 between each and its mirror image;
    shape (nt, 33)."""


@inline
def _store_row(
    row: Floats, t: int, U: Tuple, B: Tuple, s: Tuple, c: Tuple, w: float, h: float, m: Tuple
) -> None:
    """c is the curvature, m = (μ, λ, β)."""
    hh, d = w * h * h, w * h * m[2]
    for n in range(9):
        row[t, n] = U[n]
        row[t, 9 + n] = B[n]
    on, off = d * (2.0 * m[0] + m[1]), d * m[1]
    row[t, 18] = hh * c[0] + on
    row[t, 19] = hh * c[1] + off
    row[t, 20] = hh * c[2] + off
    row[t, 21] = hh * c[3] + on
    row[t, 22] = hh * c[4] + off
    row[t, 23] = hh * c[5] + on
    for n in range(3):
        i, j = (0 if n < 2 else 1), (1 if n == 0 else 2)
        # the rate of the stretch tensor off the diagonal is (σi Fij + σj Fji) / (σi + σj)
        g = 1.0 / max(s[i] + s[j], _LEAST_TURN)
        a, b = s[i] * g, s[j] * g
        q = 4.0 * d * m[0]
        own, mirror = 0.5 * hh * (c[6 + n] + c[9 + n]), 0.5 * hh * (c[6 + n] - c[9 + n])
        row[t, 24 + 2 * n] = own + q * a * a
        row[t, 25 + 2 * n] = own + q * b * b
        row[t, 30 + n] = mirror + q * a * b


@njit
def _linearise(
    corner: Ints, kind: Ints, element: Floats, x: Floats, h: float, tangent: int, f: Floats, row: Floats
) -> None:
    for t in range(len(corner)):
        F = gradient(corner, element, x, t)
        rest = _rest(element, t)
        w, mu, lam = element[t, 9], element[t, 10], element[t, 11]
        m = (mu, lam, element[t, 12])
        if tangent == ROTATED and kind[t] == _COROTATED:
            R = rotation(F)
            S = matmul3(transposed(R), F)
            p = lam * (S[0] + S[4] + S[8] - 3.0) - 2.0 * mu
            P: Tuple = (
                2.0 * mu * F[0] + p * R[0], 2.0 * mu * F[1] + p * R[1], 2.0 * mu * F[2] + p * R[2],
                2.0 * mu * F[3] + p * R[3], 2.0 * mu * F[4] + p * R[4], 2.0 * mu * F[5] + p * R[5],
                2.0 * mu * F[6] + p * R[6], 2.0 * mu * F[7] + p * R[7], 2.0 * mu * F[8] + p * R[8],
            )  # fmt: skip
            one = (1.0, 1.0, 1.0)
            _store_row(row, t, R, rest, one, materials.curvature(_COROTATED, one, mu, lam), w, h, m)
        else:
            U, s, V = stretches(F)
            P = matmul3(_scaled_columns(U, materials.stress(kind[t], s, mu, lam)), transposed(V))
            if tangent == EXACT:
                c = materials.curvature(kind[t], s, mu, lam)
            else:
                c = materials.positive_curvature(kind[t], s, mu, lam)
            _store_row(row, t, U, matmul3(rest, V), s, c, w, h, m)
        _spread(corner, t, matmul3(P, transposed(rest)), -w, f)


def linearise(tets: Tets, x: Floats, h: float, f: Floats, tangent: int = POSITIVE) -> Linearised:
    """Add the elastic forces at positions x (nv, 3) [m] to f (nv, 3) [N]; h D - h² K for a step of h [s]."""
    row = np.empty((tets.nt, 33))
    _linearise(tets.corner, tets.kind, tets.element, x, h, tangent, f, row)
    return Linearised(tets, row)


@njit
def _product(corner: Ints, row: Floats, v: Floats, out: Floats) -> None:
    for t in range(len(corner)):
        i, j, k, l = corner[t, 0], corner[t, 1], corner[t, 2], corner[t, 3]
        Ut = (
            row[t, 0], row[t, 3], row[t, 6], row[t, 1], row[t, 4], row[t, 7], row[t, 2], row[t, 5], row[t, 8]
        )  # fmt: skip
        B = (
            row[t, 9], row[t, 10], row[t, 11], row[t, 12], row[t, 13], row[t, 14], row[t, 15], row[t, 16], row[t, 17]
        )  # fmt: skip
        Vs = (
            v[j, 0] - v[i, 0], v[k, 0] - v[i, 0], v[l, 0] - v[i, 0],
            v[j, 1] - v[i, 1], v[k, 1] - v[i, 1], v[l, 1] - v[i, 1],
            v[j, 2] - v[i, 2], v[k, 2] - v[i, 2], v[l, 2] - v[i, 2],
        )  # fmt: skip
        F = matmul3(matmul3(Ut, Vs), B)
        P = (
            row[t, 18] * F[0] + row[t, 19] * F[4] + row[t, 20] * F[8],
            row[t, 24] * F[1] + row[t, 30] * F[3],
            row[t, 26] * F[2] + row[t, 31] * F[6],
            row[t, 25] * F[3] + row[t, 30] * F[1],
            row[t, 19] * F[0] + row[t, 21] * F[4] + row[t, 22] * F[8],
            row[t, 28] * F[5] + row[t, 32] * F[7],
            row[t, 27] * F[6] + row[t, 31] * F[2],
            row[t, 29] * F[7] + row[t, 32] * F[5],
            row[t, 20] * F[0] + row[t, 22] * F[4] + row[t, 23] * F[8],
        )
        _spread(corner, t, matmul3(transposed(Ut), matmul3(P, transposed(B))), 1.0, out)


def add_product(lin: Linearised, v: Floats, out: Floats) -> None:
    """out += (h D - h² K) v for vertex velocities v (nv, 3), without a matrix."""
    _product(lin.tets.corner, lin.row, v, out)
