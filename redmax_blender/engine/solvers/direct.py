"""The implicit system assembled and factored: for small or stiff systems, and as the second route of tests.

The tree part is assembled as composite inertias, joint by joint towards the root; a spring adds its rows along the
paths of its nodes. Ancestors come first, so that a row's entries lie in the lower triangle, which is all that is
filled. A dense matrix is factored by LAPACK; a sparse one with its coordinates from the leaves to the root, an order
without fill for the tree part.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs

from ..algebra.spatial import (
    Tuple,
    add21,
    cross,
    dot6,
    load6,
    load12,
    load21,
    store21,
    sym_times,
    sym_up,
    unrotate,
    wrench_up,
)
from ..jit.decorators import inline, njit
from ..model.records import Floats, Ints
from .implicit_system import ImplicitSystem
from .pcg import times

SPARSE_BELOW = 0.12
"""Fraction of entries that differ from zero, below which a sparse factor is faster than a dense one."""
SPARSE_FROM = 200
"""Number of coordinates from which it is."""


@njit
def _assemble_tree(
    parent: Ints,
    dof: Ints,
    inertia: Floats,
    A_m: Floats,
    A_r: Floats,
    E_pj: Floats,
    S: Floats,
    out: Floats,
) -> None:
    """The lower triangle; what a joint shares with a joint that is not above it stays as it is."""
    nl = len(parent)
    I = np.empty((nl, 21))
    for j in range(nl):
        store21(I, j, add21(load21(inertia, j), load21(A_m, j)))
    for j in range(nl - 1, -1, -1):
        M = load21(I, j)
        if parent[j] >= 0:
            store21(I, parent[j], add21(load21(I, parent[j]), sym_up(load12(E_pj, j), M)))
        for k in range(dof[j], dof[j + 1]):
            f = sym_times(M, load6(S, k))
            for i in range(dof[j], k + 1):
                out[k, i] = dot6(load6(S, i), f)
            out[k, k] += A_r[k]
            l = j
            while parent[l] >= 0:
                f = wrench_up(load12(E_pj, l), f)
                l = parent[l]
                for i in range(dof[l], dof[l + 1]):
                    out[k, i] = dot6(load6(S, i), f)


@inline
def _walk(parent: Ints, dof: Ints, E_pj: Floats, S: Floats, link: int, f: Tuple, v: Floats, r: int) -> None:
    """Add Jᵀ of a wrench on one link to row r of v."""
    j = link
    while j >= 0:
        for k in range(dof[j], dof[j + 1]):
            v[r, k] += dot6(load6(S, k), f)
        f = wrench_up(load12(E_pj, j), f)
        j = parent[j]


@njit
def _assemble_springs(
    parent: Ints,
    dof: Ints,
    E_pj: Floats,
    E_wj: Floats,
    S: Floats,
    first: Ints,
    link: Ints,
    x: Floats,
    axial: Floats,
    across: Floats,
    turning: Floats,
    row: Floats,
    along: Floats,
    out: Floats,
) -> None:
    nr = out.shape[0]
    v = np.zeros((6, nr))
    used = np.empty(nr, np.int64)
    for s in range(len(axial)):
        if axial[s] != 0.0:
            v[0] = 0.0
            for n in range(first[s], first[s + 1]):
                if link[n] >= 0:
                    _walk(parent, dof, E_pj, S, link[n], load6(row, n), v, 0)
            count = 0
            for k in range(nr):
                if v[0, k] != 0.0:
                    used[count] = k
                    count += 1
            for a in range(count):
                va = axial[s] * v[0, used[a]]
                for b in range(a + 1):
                    out[used[a], used[b]] += va * v[0, used[b]]
        for n in range(first[s], first[s + 1] - 1):
            if across[n] == 0.0:
                continue
            v[:3] = 0.0
            for c in range(3):
                d = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
                for side in range(2):
                    l = link[n + side]
                    if l >= 0:
                        f = unrotate(load12(E_wj, l), d)
                        m = cross((x[n + side, 0], x[n + side, 1], x[n + side, 2]), f)
                        g = 1.0 if side == 1 else -1.0
                        w = (g * m[0], g * m[1], g * m[2], g * f[0], g * f[1], g * f[2])
                        _walk(parent, dof, E_pj, S, l, w, v, c)
            count = 0
            for k in range(nr):
                if v[0, k] != 0.0 or v[1, k] != 0.0 or v[2, k] != 0.0:
                    used[count] = k
                    count += 1
            for a in range(count):
                i = used[a]
                u = v[0, i] * along[n, 0] + v[1, i] * along[n, 1] + v[2, i] * along[n, 2]
                for b in range(a + 1):
                    j = used[b]
                    w2 = v[0, j] * along[n, 0] + v[1, j] * along[n, 1] + v[2, j] * along[n, 2]
                    dot = v[0, i] * v[0, j] + v[1, i] * v[1, j] + v[2, i] * v[2, j]
                    out[i, j] += across[n] * (dot - u * w2)
        if turning[s] != 0.0:
            for n in range(first[s], first[s + 1]):
                l = link[n]
                if l < 0:
                    continue
                v[:] = 0.0
                for c in range(6):
                    e = (
                        1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0,
                        1.0 if c == 3 else 0.0, 1.0 if c == 4 else 0.0, 1.0 if c == 5 else 0.0,
                    )  # fmt: skip
                    _walk(parent, dof, E_pj, S, l, e, v, c)
                f = (row[n, 3], row[n, 4], row[n, 5])
                r = (x[n, 0], x[n, 1], x[n, 2])
                k2 = 0.5 * turning[s]
                for i in range(nr):
                    wi = (v[0, i], v[1, i], v[2, i])
                    if (
                        wi[0] == 0.0
                        and wi[1] == 0.0
                        and wi[2] == 0.0
                        and v[3, i] == 0.0
                        and v[4, i] == 0.0
                        and v[5, i] == 0.0
                    ):
                        continue
                    fw = cross(f, wi)
                    rfw = cross(r, fw)
                    frw = cross(f, cross(r, wi))
                    fv = cross(f, (v[3, i], v[4, i], v[5, i]))
                    m0 = k2 * (rfw[0] + frw[0] - fv[0])
                    m1 = k2 * (rfw[1] + frw[1] - fv[1])
                    m2 = k2 * (rfw[2] + frw[2] - fv[2])
                    for j in range(i, nr):
                        out[j, i] += (
                            v[0, j] * m0 + v[1, j] * m1 + v[2, j] * m2
                            + k2 * (v[3, j] * fw[0] + v[4, j] * fw[1] + v[5, j] * fw[2])
                        )  # fmt: skip


def _assemble_lower(system: ImplicitSystem) -> Floats:
    m, t, kin = system.model, system.model.tree, system.kin
    out: Floats = np.zeros((m.nr, m.nr))
    _assemble_tree(t.parent, t.dof, t.inertia, system.A_m, system.A_r, kin.E_pj, kin.S, out)
    if system.springs is not None:
        state, tangent = system.springs
        s = m.springs
        _assemble_springs(
            t.parent, t.dof, kin.E_pj, kin.E_wj, kin.S, s.first, s.link, s.x, tangent.axial, tangent.across,
            tangent.turning, state.row, state.along, out,
        )  # fmt: skip
    if system.muscles is not None:
        out += np.tril(system.muscles.A)
    return out


@njit
def _pack(A: Floats, first: Ints, index: NDArray[np.int32], entry: Floats) -> None:
    """The columns of a symmetric matrix whose lower triangle is given, its rows and columns in reverse order."""
    n = len(A)
    for i in range(n + 1):
        first[i] = 0
    for i in range(n):
        for k in range(i + 1):
            if A[i, k] != 0.0:
                first[n - i] += 1
                if k < i:
                    first[n - k] += 1
    for i in range(n):
        first[i + 1] += first[i]
    at = first[:-1].copy()
    for i in range(n - 1, -1, -1):
        own = n - 1 - i
        for k in range(i, -1, -1):
            if A[i, k] != 0.0:
                index[at[own]], entry[at[own]] = n - 1 - k, A[i, k]
                at[own] += 1
                if k < i:
                    other = n - 1 - k
                    index[at[other]], entry[at[other]] = own, A[i, k]
                    at[other] += 1


def _leaves_first(A: Floats) -> scipy.sparse.csc_matrix:
    """The symmetric matrix whose lower triangle is given, in the order from the leaves to the root."""
    n, size = len(A), 2 * int(np.count_nonzero(A))
    first, index, entry = np.empty(n + 1, np.int64), np.empty(size, np.int32), np.empty(size)
    _pack(A, first, index, entry)
    used = int(first[-1])
    return scipy.sparse.csc_matrix((entry[:used], index[:used], first.astype(np.int32)), shape=(n, n))


def assemble_upper(system: ImplicitSystem) -> Floats:
    """The upper triangle of A as a dense matrix, shape (nr, nr); zero below."""
    return np.ascontiguousarray(_assemble_lower(system).T)


def assemble(system: ImplicitSystem) -> Floats:
    """A as a dense matrix, shape (nr, nr)."""
    lower = _assemble_lower(system)
    return lower + np.tril(lower, -1).T


class Direct:
    """One factorization for any number of right-hand sides."""

    def __init__(self, system: ImplicitSystem) -> None:
        self.system = system
        self.iterations: list[int] = []
        A = _assemble_lower(system)
        self.free = None if system.free.all() else np.flatnonzero(system.free)
        if self.free is not None:
            A = A[np.ix_(self.free, self.free)]
        n = len(A)
        self.sparse = n >= SPARSE_FROM and 2 * np.count_nonzero(A) < SPARSE_BELOW * n * n
        if self.sparse:
            self.factor = scipy.sparse.linalg.splu(
                _leaves_first(A),
                permc_spec="NATURAL",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
        elif n:
            # LAPACK reads columns: to it, these rows are the upper triangle.
            self.factor, info = dpotrf(A.T, lower=0, clean=0, overwrite_a=1)
            if info:
                raise np.linalg.LinAlgError("the matrix is not positive definite")

    def _solve(self, B: Floats) -> Floats:
        """For columns of free coordinates, shape (n, m)."""
        if not len(B):
            return B
        if self.sparse:
            return np.asarray(self.factor.solve(np.ascontiguousarray(B[::-1]))[::-1])
        return np.asarray(dpotrs(self.factor, B, lower=0)[0])

    def solve(self, b: Floats, known: Floats | None = None, guess: Floats | None = None) -> Floats:
        """x with A x = b on the free coordinates; the others are `known`, or zero."""
        self.iterations.append(1)
        if self.free is None:
            return self._solve(b[:, None])[:, 0]
        x = np.zeros(len(b)) if known is None else np.where(self.system.free, 0.0, known)
        r = b if known is None else b - times(self.system, x)
        x[self.free] = self._solve(r[self.free, None])[:, 0]
        return x

    def solve_rows(self, B: Floats) -> Floats:
        """A⁻¹ applied to every row on the free coordinates; the others are zero. Shape (m, nr)."""
        self.iterations += [1] * len(B)
        if self.free is None:
            return self._solve(B.T).T
        out: Floats = np.zeros_like(B)
        out[:, self.free] = self._solve(B[:, self.free].T).T
        return out
