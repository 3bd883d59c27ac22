"""A linear system whose entries lie near the diagonal: elimination without exchange of rows, four at a time.

Rows and columns come in fours: n is a multiple of four, and the rows of a four have their entries, with what fills in,
at the columns begin[f]:end[f] of four f, both multiples of four; `end` never falls. Between these, `filled` (n / 4,
n / 4) says which fours of rows and columns have entries at all: limbs of a tree have none in common. A four of rows
takes earlier fours from itself, and skips those that it has nothing in common with.
"""

from __future__ import annotations

from ..algebra.arrays import Mask
from ..jit.decorators import borrower
from ..model.records import Floats, Ints


@borrower
def fill_in(filled: Mask, fours: int, begin: Ints, end: Ints) -> None:
    """Where entries come up in the elimination; begin and end in fours."""
    for i in range(fours):
        for k in range(begin[i], i):
            if filled[i, k]:
                for j in range(k + 1, end[k]):
                    if filled[k, j]:
                        filled[i, j] = True


@borrower
def _part_of(A: Floats, i: int, k: int, inverse: Floats) -> bool:
    """Row i over the four pivot rows from k on, in place; False where it has nothing in common with them."""
    a, b, c, d = A[i, k], A[i, k + 1], A[i, k + 2], A[i, k + 3]
    if a == 0.0 and b == 0.0 and c == 0.0 and d == 0.0:
        return False
    a *= inverse[k]
    b = (b - a * A[k, k + 1]) * inverse[k + 1]
    c = (c - a * A[k, k + 2] - b * A[k + 1, k + 2]) * inverse[k + 2]
    d = (d - a * A[k, k + 3] - b * A[k + 1, k + 3] - c * A[k + 2, k + 3]) * inverse[k + 3]
    A[i, k], A[i, k + 1], A[i, k + 2], A[i, k + 3] = a, b, c, d
    return True


@borrower
def _take(A: Floats, i: int, k: int, start: int, stop: int) -> None:
    """Subtract the four rows from k on from the four rows from i on, between two columns right of the pivots."""
    a0, a1, a2, a3 = A[i, k], A[i, k + 1], A[i, k + 2], A[i, k + 3]
    b0, b1, b2, b3 = A[i + 1, k], A[i + 1, k + 1], A[i + 1, k + 2], A[i + 1, k + 3]
    c0, c1, c2, c3 = A[i + 2, k], A[i + 2, k + 1], A[i + 2, k + 2], A[i + 2, k + 3]
    d0, d1, d2, d3 = A[i + 3, k], A[i + 3, k + 1], A[i + 3, k + 2], A[i + 3, k + 3]
    for j in range(start, stop):
        p, q, r, s = A[k, j], A[k + 1, j], A[k + 2, j], A[k + 3, j]
        A[i, j] -= a0 * p + a1 * q + a2 * r + a3 * s
        A[i + 1, j] -= b0 * p + b1 * q + b2 * r + b3 * s
        A[i + 2, j] -= c0 * p + c1 * q + c2 * r + c3 * s
        A[i + 3, j] -= d0 * p + d1 * q + d2 * r + d3 * s


@borrower
def factor(A: Floats, n: int, begin: Ints, end: Ints, filled: Mask, inverse: Floats) -> bool:
    """A = L U in place, with ones on the diagonal of L; `inverse` (n,) are those of U's diagonal.

    False where a pivot is nothing.
    """
    for i in range(0, n, 4):
        stop = end[i // 4]
        for k in range(begin[i // 4], i, 4):
            if not filled[i // 4, k // 4]:
                continue
            shared = False
            for row in range(i, i + 4):
                if _part_of(A, row, k, inverse):
                    shared = True
            if shared:
                j, last = k // 4 + 1, end[k // 4] // 4
                while j < last:  # one stretch of columns after the other
                    begun = j
                    while j < last and filled[k // 4, j]:
                        j += 1
                    if j > begun:
                        _take(A, i, k, 4 * begun, 4 * j)
                    j += 1
        for row in range(i, i + 4):
            for k in range(i, row):
                a = A[row, k] * inverse[k]
                A[row, k] = a
                if a != 0.0:
                    for j in range(k + 1, stop):
                        A[row, j] -= a * A[k, j]
            if not abs(A[row, row]) > 1e-300:
                return False
            inverse[row] = 1.0 / A[row, row]
    return True


@borrower
def solve(A: Floats, n: int, begin: Ints, end: Ints, inverse: Floats, x: Floats) -> None:
    """x = A⁻¹ x with the factors of A."""
    for i in range(n):
        total = x[i]
        for k in range(begin[i // 4], i):
            total -= A[i, k] * x[k]
        x[i] = total
    for i in range(n - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, end[i // 4]):
            total -= A[i, k] * x[k]
        x[i] = total * inverse[i]
