"""The string: its shape by Newton's method, with a Hessian that is block tridiagonal and factored in linear time."""

from __future__ import annotations

import numpy as np

from ....jit.decorators import njit, subroutine
from ....model.records import Floats
from .barrier import barrier

_ITERATIONS = 200
_SETTLED = 1e-11
"""Longest move of a point, as a fraction of the string's length, with which Newton ends: the next would be rounding."""


@subroutine
def _invert(A: Floats, out: Floats, i: int) -> bool:
    """Inverse of a symmetric 3x3 matrix into out[i]; whether it is positive definite."""
    a, b, c = A[0, 0], A[0, 1], A[0, 2]
    d, e, f = A[1, 1], A[1, 2], A[2, 2]
    minor = a * d - b * b
    C0, C1, C2 = d * f - e * e, c * e - b * f, b * e - c * d
    det = a * C0 + b * C1 + c * C2
    if not (a > 0.0 and minor > 0.0 and det > 0.0):
        return False
    v = 1.0 / det
    out[i, 0, 0], out[i, 0, 1], out[i, 0, 2] = C0 * v, C1 * v, C2 * v
    out[i, 1, 0], out[i, 1, 1], out[i, 1, 2] = C1 * v, (a * f - c * c) * v, (b * c - a * e) * v
    out[i, 2, 0], out[i, 2, 1], out[i, 2, 2] = C2 * v, (b * c - a * e) * v, minor * v
    return True


@subroutine
def factor_string(n: float, B: Floats, count: int, damping: float, inverse: Floats) -> bool:
    """Factor the block tridiagonal matrix with 2n + damping + B_i/n on its diagonal and -n beside it.

    B (m, 3, 3), inverse (m, 3, 3) for m = count inner points; whether the matrix is positive definite.
    """
    A = np.empty((3, 3))
    for i in range(count):
        for r in range(3):
            for c in range(3):
                A[r, c] = B[i, r, c] / n
            A[r, r] += 2.0 * n + damping
        if i > 0:
            for r in range(3):
                for c in range(3):
                    A[r, c] -= n * n * inverse[i - 1, r, c]
        if not _invert(A, inverse, i):
            return False
    return True


@subroutine
def solve_string(n: float, inverse: Floats, count: int, rhs: Floats) -> None:
    """Solve for the columns of rhs (m, 3, nc), in place."""
    nc = rhs.shape[2]
    for i in range(1, count):
        for r in range(3):
            for k in range(nc):
                s = 0.0
                for c in range(3):
                    s += inverse[i - 1, r, c] * rhs[i - 1, c, k]
                rhs[i, r, k] += n * s
    t = np.empty(3)
    for i in range(count - 1, -1, -1):
        for k in range(nc):
            for r in range(3):
                t[r] = rhs[i, r, k] + (n * rhs[i + 1, r, k] if i + 1 < count else 0.0)
            for r in range(3):
                rhs[i, r, k] = inverse[i, r, 0] * t[0] + inverse[i, r, 1] * t[1] + inverse[i, r, 2] * t[2]


@subroutine
def string_energy(
    x: Floats, surf: Floats, first: int, last: int, force: Floats, B: Floats, convex: bool
) -> float:
    """Energy of the string through x (n+1, 3) among surfaces first:last; forces of barriers on its inner points
    (n-1, 3) and their Hessians B (n-1, 3, 3): where `convex`, without the part that makes them indefinite."""
    n = len(x) - 1
    total = 0.0
    for i in range(n):
        for c in range(3):
            d = x[i + 1, c] - x[i, c]
            total += 0.5 * n * d * d
    g, push, H = np.empty(3), np.empty(3), np.empty((3, 3))
    for i in range(1, n):
        for r in range(3):
            force[i - 1, r] = 0.0
            for c in range(3):
                B[i - 1, r, c] = 0.0
        for k in range(first, last):
            energy = barrier(surf, k, x[i, 0], x[i, 1], x[i, 2], g, H, push)
            if energy > 0.0:
                total += energy / n
                square = push[0] * push[0] + push[1] * push[1] + push[2] * push[2]
                across = 0.0
                for r in range(3):
                    force[i - 1, r] += push[r]
                    for c in range(3):
                        across += push[r] * H[r, c] * push[c]
                if convex:
                    stiff = max(across, 0.0) / (square * square) if square > 0.0 else 0.0
                    for r in range(3):
                        for c in range(3):
                            B[i - 1, r, c] += stiff * push[r] * push[c]
                else:
                    for r in range(3):
                        for c in range(3):
                            B[i - 1, r, c] += H[r, c]
    return total


@subroutine
def _residual(x: Floats, force: Floats, out: Floats) -> None:
    """Minus the gradient of the energy at the inner points, shape (n-1, 3, 1)."""
    n = len(x) - 1
    for i in range(1, n):
        for c in range(3):
            out[i - 1, c, 0] = n * (x[i + 1, c] - 2.0 * x[i, c] + x[i - 1, c]) - force[i - 1, c] / n


@subroutine
def relax(x: Floats, surf: Floats, first: int, last: int, force: Floats, B: Floats, inverse: Floats) -> int:
    """Let the string through x (n+1, 3) come to rest with its ends held; leaves its factored Hessian in `inverse`.

    Returns how many steps it took, or -1 where it did not.
    """
    n = len(x) - 1
    m = n - 1
    span = 0.0
    for i in range(n):
        span += np.sqrt(
            (x[i + 1, 0] - x[i, 0]) ** 2 + (x[i + 1, 1] - x[i, 1]) ** 2 + (x[i + 1, 2] - x[i, 2]) ** 2
        )
    step = np.empty((m, 3, 1))
    other, trial = np.empty((m, 3, 3)), x.copy()
    pushed = np.empty((m, 3))
    for iteration in range(_ITERATIONS):
        energy = string_energy(x, surf, first, last, force, B, False)
        exact = factor_string(n, B, m, 0.0, inverse)
        if not exact:
            string_energy(x, surf, first, last, force, B, True)
            factor_string(n, B, m, 0.0, inverse)
        _residual(x, force, step)
        slope = 0.0
        for i in range(m):
            for c in range(3):
                slope += step[i, c, 0] * step[i, c, 0]
        solve_string(n, inverse, m, step)
        longest = 0.0
        for i in range(m):
            for c in range(3):
                longest = max(longest, abs(step[i, c, 0]))
        if longest <= _SETTLED * span:
            if exact:
                return iteration
            return -1
        scale = 1.0
        for _ in range(30):
            for i in range(m):
                for c in range(3):
                    trial[i + 1, c] = x[i + 1, c] + scale * step[i, c, 0]
            after = string_energy(trial, surf, first, last, pushed, other, False)
            if after <= energy * (1.0 + 1e-15) or longest * scale < 1e-9 * span:
                break
            scale *= 0.5
        for i in range(m):
            for c in range(3):
                x[i + 1, c] = trial[i + 1, c]
    return -1


@njit
def relax_string(x: Floats, surf: Floats) -> int:
    """`relax` for one string by itself, among all surfaces."""
    m = len(x) - 2
    return relax(x, surf, 0, len(surf), np.empty((m, 3)), np.empty((m, 3, 3)), np.empty((m, 3, 3)))
