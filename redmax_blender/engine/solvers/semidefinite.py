"""Small symmetric systems that may be singular: W = G A⁻¹ Gᵀ of rows that repeat each other or cannot move."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from ..jit.decorators import njit
from ..model.records import Floats

RANK = 1e-10
"""Eigenvalues that are this much smaller than the largest belong to rows that repeat others."""
IMMOVABLE = 1e-8
"""A row whose response is this much weaker than the strongest one is held by the joints already."""
_SAFE = 1e-6
"""Pivot of the scaled matrix above which rows are clearly independent, so that no eigenvalues need be looked at."""
_SMALL = 64


@njit
def _scales(W: Floats, s: Floats) -> bool:
    """Fill s so that it gives W a unit diagonal; returns whether all rows move something."""
    m = len(W)
    most = 0.0
    for i in range(m):
        most = max(most, W[i, i])
    all_move = most > 0.0
    for i in range(m):
        if W[i, i] > IMMOVABLE * IMMOVABLE * most:
            s[i] = 1.0 / np.sqrt(W[i, i])
        else:
            s[i] = 0.0
            all_move = False
    return all_move


@njit
def _invert(W: Floats, s: Floats, L: Floats, out: Floats) -> bool:
    """The inverse by Cholesky's factors of the scaled matrix; False where a pivot is too small to trust them."""
    m = len(W)
    if not _scales(W, s):
        return False
    for i in range(m):
        for j in range(i + 1):
            x = W[i, j] * s[i] * s[j]
            for k in range(j):
                x -= L[i, k] * L[j, k]
            if i == j:
                if not x > _SAFE:
                    return False
                L[i, i] = np.sqrt(x)
            else:
                L[i, j] = x / L[j, j]
    for c in range(m):
        for i in range(m):
            x = s[c] if i == c else 0.0
            for k in range(c, i):
                x -= L[i, k] * out[k, c]
            out[i, c] = x / L[i, i] if i >= c else 0.0
        for i in range(m - 1, -1, -1):
            x = out[i, c]
            for k in range(i + 1, m):
                x -= L[k, i] * out[k, c]
            out[i, c] = x / L[i, i]
        for i in range(m):
            out[i, c] *= s[i]
    return True


def row_scales(W: Floats) -> Floats:
    """Scales that give W a unit diagonal; zero for rows that nothing can move, of which only rounding is left."""
    s: Floats = np.empty(len(W))
    _scales(W, s)
    return s


def semidefinite_inverse(W: Floats) -> Floats:
    """The inverse of a symmetric semidefinite matrix on its range; it gives the least solution, in scaled rows."""
    m = len(W)
    if m == 0:
        return np.zeros((0, 0))
    if m <= _SMALL:
        out: Floats = np.empty((m, m))
        if _invert(W, np.empty(m), np.empty((m, m)), out):
            return out
    s = row_scales(W)
    scaled = W * np.outer(s, s)
    if m > _SMALL and (s > 0.0).all():
        L, info = scipy.linalg.lapack.dpotrf(scaled, lower=1)
        if info == 0 and float(np.diag(L).min()) ** 2 > _SAFE:
            inverse = scipy.linalg.cho_solve((L, True), np.eye(m), check_finite=False)
            return np.asarray(inverse * np.outer(s, s))
    if not np.isfinite(scaled).all():
        return np.full((m, m), np.nan)
    # symmetric eigenvalues tell repeated rows from merely stiff ones
    w, V = np.linalg.eigh(scaled)
    keep = w > RANK * max(float(w[-1]), 1e-300)
    inverse = V[:, keep] / w[keep] @ V[:, keep].T
    return np.asarray(inverse * np.outer(s, s))
