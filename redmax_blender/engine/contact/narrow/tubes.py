"""Self-collision of tubes: smooth skins of chains, by the nearest points of their splines (paper, §6, Hagfish)."""

from __future__ import annotations

import math

import numpy as np

from ...algebra.arrays import Floats, Ints
from ...algebra.spatial import cross
from ...jit.decorators import njit, subroutine
from ..shapes.spline import along_span, load_span, nearest_on_spans, on_span
from ..vectors import dot, norm, row3, sub, unit

_ADVANCES = 40


@njit
def span_boxes(
    X: Floats, V: Floats, span: Ints, radius: Floats, length: Floats, slack: float, h: float, low: Floats,
    high: Floats,
) -> None:  # fmt: skip
    """Boxes that spans stay in over a step. A cubic leaves the box of its ends by 8/27 of its tangents at most."""
    for i in range(len(span)):
        k = span[i]
        thick = max(radius[k], radius[k + 1]) + 0.3 * length[k] + slack
        for c in range(3):
            low[i, c] = (
                min(X[k, c], X[k + 1, c], X[k, c] + h * V[k, c], X[k + 1, c] + h * V[k + 1, c]) - thick
            )
            high[i, c] = (
                max(X[k, c], X[k + 1, c], X[k, c] + h * V[k, c], X[k + 1, c] + h * V[k + 1, c]) + thick
            )


@subroutine
def _fastest(V: Floats, i: int, j: int) -> float:
    """The most by which two spans approach each other in a second [m/s]."""
    most = 0.0
    for p in range(2):
        for q in range(2):
            most = max(most, norm(sub(row3(V, i + p), row3(V, j + q))))
    return most


@subroutine
def _leaning(C: Floats, o: int, s: float, p: int, u: float) -> bool:
    """Whether the way to a point of the other span leads back along this one, by more than 6° off its normal."""
    d, a = sub(on_span(C, o, s), on_span(C, p, u)), along_span(C, o, s)
    return dot(d, a) > 0.1 * norm(d) * norm(a)


@njit
def tube_contacts(
    nodes: Floats, order: Ints, low: Floats, high: Floats, span: Ints, tube: Ints, arc: Floats, X: Floats,
    V: Floats, radius: Floats, length: Floats, ends: Ints, slack: float, h: float, out: Floats, which: Ints,
) -> int:  # fmt: skip
    """Contacts of spans with spans: rows of `out` as for pairs, and the two spans of each; how many there are."""
    stack = np.empty(64, np.int64)
    leaves = len(nodes) // 2
    C, Y = np.empty((8, 3)), np.empty(X.shape)
    count = 0
    for a in range(len(span)):
        top = 1
        stack[0] = 1
        while top:
            top -= 1
            m = stack[top]
            if (
                nodes[m, 0] > high[a, 0] or nodes[m, 3] < low[a, 0]
                or nodes[m, 1] > high[a, 1] or nodes[m, 4] < low[a, 1]
                or nodes[m, 2] > high[a, 2] or nodes[m, 5] < low[a, 2]
            ):  # fmt: skip
                continue
            if m < leaves:
                stack[top], stack[top + 1] = 2 * m, 2 * m + 1
                top += 2
                continue
            b = order[m - leaves]
            if b <= a:
                continue
            i, j = span[a], span[b]
            thick = max(radius[i], radius[i + 1]) + max(radius[j], radius[j + 1])
            # Stretches of one tube that a bend of its own radius brings no nearer than touching are neighbours.
            if tube[a] == tube[b] and arc[j] - arc[i + 1] < 0.5 * math.pi * thick:
                continue
            fastest = _fastest(V, i, j)
            t = 0.0
            s, u, d2 = 0.0, 0.0, 0.0
            gap = math.inf
            for _ in range(_ADVANCES):
                for c in range(3):
                    for p in range(max(i - 1, 0), min(i + 3, len(X))):
                        Y[p, c] = X[p, c] + t * V[p, c]
                    for p in range(max(j - 1, 0), min(j + 3, len(X))):
                        Y[p, c] = X[p, c] + t * V[p, c]
                load_span(Y, length, ends, i, C, 0)
                load_span(Y, length, ends, j, C, 4)
                s, u, d2 = nearest_on_spans(C)
                reach = (
                    radius[i] + s * (radius[i + 1] - radius[i]) + radius[j] + u * (radius[j + 1] - radius[j])
                )
                gap = math.sqrt(d2) - reach
                # Slow enough to be judged where it is; else followed until it touches.
                if h * fastest <= 0.5 * reach or gap <= 0.05 * reach:
                    break
                # The spline moves a little faster than its nodes at most.
                t += (gap - 0.02 * reach) / (1.5 * fastest)
                if t > h:
                    break
            if t > h or gap > slack + h * fastest:
                continue
            # At the far end of a span the next one has the contact, and at the near end the one before where it is
            # clearly nearer; where two strands run along each other each pair of spans keeps its own.
            if (s >= 1.0 and ends[i + 1] != 2) or (u >= 1.0 and ends[j + 1] != 2):
                continue
            if (s <= 0.0 and ends[i] != 1 and _leaning(C, 0, s, 4, u)) or (
                u <= 0.0 and ends[j] != 1 and _leaning(C, 4, u, 0, s)
            ):
                continue
            if count < len(out):
                x, y = on_span(C, 0, s), on_span(C, 4, u)
                e = sub(x, y)
                if d2 > 1e-20 * length[i] * length[i]:
                    n = unit(e)
                else:
                    n = unit(cross(along_span(C, 0, s), along_span(C, 4, u)))
                ra = radius[i] + s * (radius[i + 1] - radius[i])
                rb = radius[j] + u * (radius[j + 1] - radius[j])
                rate = 0.0
                for c in range(3):
                    va = (1.0 - s) * V[i, c] + s * V[i + 1, c]
                    vb = (1.0 - u) * V[j, c] + u * V[j + 1, c]
                    rate += n[c] * (va - vb)
                    out[count, c] = x[c] - ra * n[c] - t * va
                    out[count, 3 + c] = y[c] + rb * n[c] - t * vb
                    out[count, 6 + c] = n[c]
                out[count, 9] = gap - t * rate
                which[count, 0], which[count, 1] = a, b
            count += 1
    return count
