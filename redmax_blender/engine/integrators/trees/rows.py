"""Rows of loops in maximal coordinates, two wrenches each: what the kernel of a tree's steps does with them."""

from __future__ import annotations

from ...algebra.spatial import Tuple, axpy6, dot6, load6, store6
from ...jit.decorators import borrower, inline
from ...model.records import Floats, Ints


@inline
def row_side(G: Floats, i: int, side: int) -> Tuple:
    return (G[i, side, 0], G[i, side, 1], G[i, side, 2], G[i, side, 3], G[i, side, 4], G[i, side, 5])


@inline
def set_side(G: Floats, i: int, side: int, w: Tuple) -> None:
    G[i, side, 0], G[i, side, 1], G[i, side, 2] = w[0], w[1], w[2]
    G[i, side, 3], G[i, side, 4], G[i, side, 5] = w[3], w[4], w[5]


@inline
def row_speed(link: Ints, G: Floats, i: int, V: Floats) -> float:
    """Velocity of row i in maximal coordinates."""
    a, b, total = link[i, 0], link[i, 1], 0.0
    if a >= 0:
        total += dot6(row_side(G, i, 0), load6(V, a))
    if b >= 0:
        total += dot6(row_side(G, i, 1), load6(V, b))
    return total


@inline
def add_wrenches(link: Ints, G: Floats, value: Floats, F: Floats) -> None:
    """Add the impulses of rows in maximal coordinates, G (m, 2, 6), to those on links, F (nl, 6)."""
    for i in range(len(link)):
        a, b = link[i, 0], link[i, 1]
        if a >= 0:
            store6(F, a, axpy6(value[i], row_side(G, i, 0), load6(F, a)))
        if b >= 0:
            store6(F, b, axpy6(value[i], row_side(G, i, 1), load6(F, b)))


@borrower
def copy_rows(G: Floats, out: Floats) -> None:
    """All of G (m, 2, 6) into the first of others."""
    for i in range(len(G)):
        for side in range(2):
            set_side(out, i, side, row_side(G, i, side))
