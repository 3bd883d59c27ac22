"""What impulses of rows do to the velocities of a step: W = G A⁻¹ Gᵀ, and what it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from ..algebra.arrays import Mask, Places
from ..impulses.dense import solve_blocks
from ..impulses.islands import find_islands
from ..impulses.laws import PUSH
from ..impulses.matrix import solve_matrix
from ..impulses.short_rows import dense_rows, shorten, transpose_times, tree_change, tree_products, tree_rows
from ..impulses.solve import ROUGH, solve_rows
from ..model.records import Floats, Ints, Model
from ..solvers.constrained import LinearSolver
from ..solvers.direct import Direct
from ..solvers.implicit_system import ImplicitSystem
from ..solvers.pcg import PCG
from ..tree.recursive import TreeFactor
from .blocks import Blocks

DOUBTFUL = 1e-4
"""Residual above which impulses are found once more where there are stops, joints that rub and the like, from the
matrix of the rows: slow, and able to more. Above `Precision.enough` where there are contacts alone."""
_ROUGHLY = 0.1
"""Part of what is enough where something hits that a matrix of rows is solved to, if it cannot be better."""
_NO_LINKS: Ints = np.zeros((0, 2), np.int64)
_NO_ROWS: Floats = np.zeros((0, 2, 6))


@dataclass(frozen=True)
class Islands:
    """Blocks of rows that have to do with each other: those that share no tree, even through others, are apart."""

    of_block: Ints
    """The island of each block, -1 for blocks that nothing can move, shape (nb,)."""
    count: int
    brace: Floats
    """What the diagonal of W lacks for rows that nothing can move within blocks that something can, shape (m,)."""

    @staticmethod
    def of(
        model: Model, blocks: Blocks, at: Places, index: Places, entry: Floats, free: Mask, diagonal: Floats
    ) -> Islands:
        binds = (model.flesh, model.reduction, model.muscles)
        apart = not len(model.springs.rest) and all(each is None for each in binds)
        of_block, brace = np.empty(len(blocks.kind), np.int64), np.empty(len(diagonal))
        count = find_islands(
            at, index, entry, free, blocks.first, blocks.normal, model.tree_of_coordinate, model.trees, apart, diagonal,
            of_block, brace,
        )  # fmt: skip
        return Islands(of_block, int(count), brace)


class Precision(NamedTuple):
    """What impulses are found to: residuals as fractions of the largest."""

    tolerance: float
    enough: float
    """Where something hits, or a few Newton steps do not lead to the tolerance."""
    calm: float
    """Change of velocity [m/s] that a row wants where something hits."""


class Response(Protocol):
    """Of m rows."""

    r: Floats
    """What the velocities x of the free motion lack, wanted - G x, shape (m,)."""
    islands: Islands

    @property
    def diagonal(self) -> Floats:
        """Of W, shape (m,)."""

    def within(self, own: slice) -> Floats:
        """W of some rows, with the islands' braces, shape (n, n)."""

    def solve(
        self, blocks: Blocks, precision: Precision, near: Floats, value: Floats
    ) -> tuple[int, int, float, float]:
        """Impulses of all rows, into `value` (m,), which comes as a guess, as `dual.solve_blocks` says."""

    def part(self, pushes: Pushes, value: Floats) -> None:
        """Impulses of some rows, for moves rather than velocities, into `value` (n,)."""

    def moved(self, x: Floats, value: Floats) -> Floats:
        """x + A⁻¹ Gᵀ value, shape (nr,)."""

    def speeds(self, x: Floats) -> Floats:
        """G x, shape (m,)."""

    def changed(self, value: Floats) -> Floats:
        """What impulses do to the speeds of rows, G A⁻¹ Gᵀ value, shape (m,)."""

    def pushed(self, value: Floats, begin: int) -> Floats:
        """Gᵀ value of the rows from `begin` on, shape (nr,)."""

    def columns(self, own: slice) -> Floats:
        """A⁻¹ Gᵀ of some rows, shape (n, nr)."""


@dataclass(frozen=True)
class Pushes:
    """n rows, each a block of its own, that are to be moved by some way."""

    row: Ints
    """Which of all rows each is, shape (n,)."""
    kind: Ints
    """shape (n,)."""
    island: Ints
    """shape (n,)."""
    way: Floats
    """How far each is to be moved at least [m, rad], shape (n,)."""

    tolerance: ClassVar[float] = 1e-3
    """Positions are put right a little every step: no need to do it well."""


@dataclass
class TreeResponse:
    """Where the tree is all there is to the matrix: rows push paths of it."""

    model: Model
    factor: TreeFactor
    others: int
    """Number of rows that are not of contacts; they come first."""
    at: Places
    """Short rows (`short_rows.py`), shape (m+1,)."""
    index: Places
    entry: Floats
    short: Floats
    """L⁻¹ of the rows."""
    diagonal: Floats
    """Of W, without the braces, shape (m,)."""
    r: Floats
    islands: Islands

    @staticmethod
    def of(model: Model, f: TreeFactor, blocks: Blocks, x: Floats) -> TreeResponse:
        t, m, c = model.tree, len(blocks.wanted), blocks.contact
        link, G = (_NO_LINKS, _NO_ROWS) if c is None else (c.link, c.G)
        room = blocks.others.size + 2 * len(link) * model.longest_path
        at, index = np.empty(m + 1, np.uint32), np.empty(room, np.uint32)
        entry, short = np.empty(room), np.empty(room)
        diagonal, r = np.empty(m), np.empty(m)
        tree_rows(
            t.parent, t.dof, f.E_pj, f.S, f.U, f.D, f.free, blocks.others, link, G, blocks.wanted, x, at, index, entry,
            short, diagonal, r,
        )  # fmt: skip
        islands = Islands.of(model, blocks, at, index, entry, f.free, diagonal)
        return TreeResponse(model, f, len(blocks.others), at, index, entry, short, diagonal, r, islands)

    def within(self, own: slice) -> Floats:
        f, model, m = self.factor, self.model, own.stop - own.start
        W: Floats = np.empty((m, m))
        others = max(min(self.others, own.stop) - own.start, 0)
        tree_products(
            self.at[own.start : own.stop + 1], self.index, self.short, f.D, f.free, model.tree_of_coordinate,
            model.trees, others, W,
        )  # fmt: skip
        W.reshape(-1)[:: m + 1] += self.islands.brace[own]
        return W

    def solve(
        self, blocks: Blocks, precision: Precision, near: Floats, value: Floats
    ) -> tuple[int, int, float, float]:
        f, model, islands = self.factor, self.model, self.islands
        bound = blocks.bound.copy()
        found = solve_rows(
            self.at[:-1], self.at[1:], self.index, self.short, f.D, f.free, model.tree_of_coordinate, model.trees,
            self.r, blocks.first, blocks.kind, blocks.mu, blocks.normal, islands.of_block, islands.count,
            *precision, blocks.bound, value,
        )  # fmt: skip
        enough = max(precision.enough, DOUBTFUL)
        if self.others:
            only_pushes = bool((blocks.kind[blocks.normal < 0] == PUSH).all())
            enough = max(DOUBTFUL, min(ROUGH, precision.enough)) if only_pushes else DOUBTFUL
        if found[2] <= enough:
            return found
        W = self.within(slice(0, len(self.r)))
        return _by_descent(W, self.r, islands, blocks, precision.tolerance, near, bound, value, found)

    def part(self, pushes: Pushes, value: Floats) -> None:
        f, model, p = self.factor, self.model, pushes
        n = len(p.row)
        solve_rows(
            self.at[p.row], self.at[p.row + 1], self.index, self.short, f.D, f.free, model.tree_of_coordinate,
            model.trees, p.way, np.arange(n + 1), p.kind, np.zeros(n), np.full(n, -1), p.island, self.islands.count,
            p.tolerance, p.tolerance, 0.0, np.zeros(n), value,
        )  # fmt: skip

    def moved(self, x: Floats, value: Floats) -> Floats:
        f, t = self.factor, self.model.tree
        out: Floats = np.empty(len(x))
        tree_change(
            t.parent, t.dof, f.E_pj, f.S, f.U, f.D, f.free, self.at, self.index, self.short, value, x, out
        )
        return out

    def speeds(self, x: Floats) -> Floats:
        m, end = len(self.r), self.at[-1]
        row = np.repeat(np.arange(m), np.diff(self.at))
        return np.asarray(np.bincount(row, self.entry[:end] * x[self.index[:end]], m), float)

    def changed(self, value: Floats) -> Floats:
        return self.speeds(self.moved(np.zeros(self.model.nr), value))

    def pushed(self, value: Floats, begin: int) -> Floats:
        out: Floats = np.zeros(self.model.nr)
        transpose_times(self.at, self.index, self.entry, value, begin, out)
        return out

    def columns(self, own: slice) -> Floats:
        still, unit = np.zeros(self.model.nr), np.eye(len(self.r))[own]
        return np.array([self.moved(still, row) for row in unit]).reshape(len(unit), -1)


@dataclass
class DenseResponse:
    """By a solve a row."""

    G: Floats
    """shape (m, nr)."""
    W: Floats
    r: Floats
    solved: Floats
    """A⁻¹ Gᵀ, shape (m, nr)."""
    islands: Islands

    @staticmethod
    def of(
        model: Model, solver: LinearSolver, blocks: Blocks, G: Floats, x: Floats, extra: Floats | None
    ) -> DenseResponse:
        """`extra` is what flesh adds to W of the contacts, shape (3 nc, 3 nc)."""
        if isinstance(solver, Direct | PCG):
            solved = solver.solve_rows(G)
        else:
            solved = np.array([solver.solve(g) for g in G])
        solved = solved.reshape(len(G), -1)
        W = G @ solved.T
        W = 0.5 * (W + W.T)
        if extra is not None:
            W[blocks.contacts, blocks.contacts] += extra
        at, index, entry = np.empty(len(G) + 1, np.uint32), np.empty(G.size, np.uint32), np.empty(G.size)
        shorten(np.ascontiguousarray(G), at, index, entry)
        islands = Islands.of(
            model, blocks, at, index, entry, np.ones(model.nr, bool), np.ascontiguousarray(np.diagonal(W))
        )
        W.reshape(-1)[:: len(W) + 1] += islands.brace
        return DenseResponse(G, W, blocks.wanted - G @ x, solved, islands)

    @property
    def diagonal(self) -> Floats:
        return np.diagonal(self.W)

    def within(self, own: slice) -> Floats:
        return self.W[own, own]

    def solve(
        self, blocks: Blocks, precision: Precision, near: Floats, value: Floats
    ) -> tuple[int, int, float, float]:
        bound, islands = blocks.bound.copy(), self.islands
        found = solve_matrix(
            self.W, self.r, blocks.first, blocks.kind, blocks.mu, blocks.normal, islands.of_block, islands.count,
            precision.tolerance, blocks.bound, value,
        )  # fmt: skip
        if found[2] <= max(DOUBTFUL, _ROUGHLY * precision.enough):
            return found
        return _by_descent(self.W, self.r, islands, blocks, precision.tolerance, near, bound, value, found)

    def part(self, pushes: Pushes, value: Floats) -> None:
        p, n = pushes, len(pushes.row)
        solve_matrix(
            self.W[np.ix_(p.row, p.row)], p.way, np.arange(n + 1), p.kind, np.zeros(n), np.full(n, -1), p.island,
            self.islands.count, p.tolerance, np.zeros(n), value,
        )  # fmt: skip

    def moved(self, x: Floats, value: Floats) -> Floats:
        return np.asarray(x + value @ self.solved)

    def speeds(self, x: Floats) -> Floats:
        return np.asarray(self.G @ x)

    def changed(self, value: Floats) -> Floats:
        return np.asarray(self.W @ value)

    def pushed(self, value: Floats, begin: int) -> Floats:
        return np.asarray(value[begin:] @ self.G[begin:])

    def columns(self, own: slice) -> Floats:
        return self.solved[own]


def _by_descent(
    W: Floats,
    r: Floats,
    islands: Islands,
    blocks: Blocks,
    tolerance: float,
    near: Floats,
    bound: Floats,
    value: Floats,
    found: tuple[int, int, float, float],
) -> tuple[int, int, float, float]:
    """Impulses that Newton's steps have not `found`, once more from `near` and the bounds before; theirs where these
    are no better."""
    kept = blocks.bound.copy(), value.copy()
    blocks.bound[:], value[:] = bound, near
    again = solve_blocks(
        W, r, blocks.first, blocks.kind, blocks.mu, blocks.normal, islands.of_block, islands.count, tolerance,
        blocks.bound, near, value,
    )  # fmt: skip
    steps, sweeps = found[0] + again[0], found[1] + again[1]
    if found[2] < max(again[2:]) or np.isnan(again[2]):
        blocks.bound[:], value[:] = kept
        again = found
    return steps, sweeps, *again[2:]


def whole_rows(system: ImplicitSystem, blocks: Blocks) -> Floats:
    """All rows in reduced coordinates, shape (m, nr)."""
    c, t, kin = blocks.contact, system.model.tree, system.kin
    if c is None:
        return blocks.others
    out: Floats = np.zeros((len(blocks.wanted), system.model.nr))
    room = 2 * system.model.longest_path
    dense_rows(
        t.parent,
        t.dof,
        kin.E_pj,
        kin.S,
        blocks.others,
        c.link,
        c.G,
        np.empty(room, np.int64),
        np.empty(room),
        out,
    )
    return out
