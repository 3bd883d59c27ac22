"""Contacts that bounce do so where they touch, at some time within a step, and not before.

A step without the blow comes first: it tells when a gap closes, along the parabola that the step goes, and how fast.
Velocities of Euler's steps are those half a step before their time, as positions lie on a parabola; so with the speed v
of a gap at the start of a step, and v + a at the end of one without a blow, it closes with w = v + a (1/2 + s) after a
part s of the step. Then it opens with -e w, and has -e w + a (1/2 - s) at the end. Until then bodies move as they do
without the blow, and after it as they do with it: both keep surfaces apart, and so does any mean of the two.

What touches in several places, or is pushed on by something else in the same step, has one blow, at the time of the
first: all velocities are found for a whole step.
"""

from __future__ import annotations

import math

from ...algebra.arrays import Floats, Ints, Mask, Places
from ...jit.decorators import borrower, inline

_FAR = 2.0
"""A contact is let go where it may close by so many times the speed with which it would."""
_NONE = 1e-12
"""Energy that blows make, as a fraction of what they turn round, that is rounding."""
_MORE = 1.02
"""How much less they turn round for that than a blow along the normal alone would have to."""
EASED = 8
"""How often a step is solved again for that."""


@inline
def _closing(gap: float, h: float) -> float:
    return -gap / h if gap > 0.0 else 0.0


@inline
def _when(gap: float, speed: float) -> float:
    """When a gap closes that has that speed [s]."""
    if gap <= 0.0:
        return 0.0
    return gap / -speed if speed < 0.0 else math.inf


@inline
def _alike(link: Ints, c: int, k: int) -> bool:
    """Whether two contacts are of the same two links."""
    return 0 <= k < len(link) and bool(link[k, 0] == link[c, 0] and link[k, 1] == link[c, 1])


@borrower
def let_go(hits: Floats, link: Ints, gap: Floats, h: float, begin: int, lack: Floats, r: Floats) -> None:
    """Let the rows of contacts that hit do nothing in `r` (m,), which comes as `lack`, what velocities lack; and those
    of the same two links (nc, 2) that would touch later, if the first did not. Rows of contacts are from `begin` on,
    three each, and contacts of the same links after each other."""
    for c in range(len(hits)):
        if not hits[c] < 0.0:
            continue
        first = _when(gap[c], _closing(gap[c], h) - lack[begin + 3 * c])
        low, high = c, c
        while _alike(link, c, low - 1):
            low -= 1
        while _alike(link, c, high + 1):
            high += 1
        for k in range(low, high + 1):
            i = begin + 3 * k
            speed = _closing(gap[k], h) - lack[i]
            if k == c or _when(gap[k], speed) >= first:
                r[i] = -_FAR * (abs(speed) + abs(hits[c])) - speed


@inline
def touch_time(gap: float, v: float, a: float, h: float) -> float:
    """After which part of a step of h [s] a gap closes, for its speed v and what that changes by, a [m/s]."""
    if gap <= 0.0:
        return 0.0
    b = -(v + 0.5 * a)
    root = b * b - 2.0 * a * gap / h
    if root < 0.0 or b + math.sqrt(root) <= 0.0:
        return 1.0
    return min(2.0 * gap / (h * (b + math.sqrt(root))), 1.0)


@borrower
def aim(
    hits: Floats, before: Floats, restitution: Floats, gap: Floats, h: float, island: Ints, begin: int, when: Floats,
    r: Floats,
) -> bool:  # fmt: skip
    """What velocities lack (m,) for contacts that hit to bounce, where it was for gaps to close; and as which part of
    the step the motion before it goes into that of each island, in `when`.

    `before` (nc,) are the speeds of gaps at the end of a step without a blow, `island` (nc,) the island of each
    contact; whether anything bounces. `when` has room for two numbers an island.
    """
    n, any_ = len(when) // 2, False
    for k in range(n):
        when[k], when[n + k] = 0.0, 2.0
    for c in range(len(hits)):
        if hits[c] < 0.0 and island[c] >= 0 and gap[c] + h * before[c] < 0.0:
            s = touch_time(gap[c], hits[c], before[c] - hits[c], h)
            when[n + island[c]] = min(when[n + island[c]], s)
    for c in range(len(hits)):
        if not (hits[c] < 0.0 and island[c] >= 0 and gap[c] + h * before[c] < 0.0):
            continue
        s, a, least = when[n + island[c]], before[c] - hits[c], _closing(gap[c], h)
        apart = a * (0.5 - s) - restitution[c] * min(hits[c] + a * (0.5 + s), 0.0)
        if apart <= least:
            continue
        r[begin + 3 * c] += apart - least
        any_ = True
        if touch_time(gap[c], hits[c], a, h) == s and apart > before[c]:
            end = max(h * (1.0 - s) * (apart + 0.5 * a * s), 0.0)
            part = (max(gap[c], 0.0) + h * apart - end) / (h * (apart - before[c]))
            when[island[c]] = max(when[island[c]], min(max(part, 0.0), 1.0))
    return any_


@borrower
def row_changes(
    at: Places, index: Places, pushed: Floats, free: Mask, D: Floats, value: Floats, begin: int, moved: Floats,
    out: Floats,
) -> None:  # fmt: skip
    """What impulses (m,) of short rows (`impulses/short_rows.py`) do to the speeds of those from `begin` on, into
    `out`. `moved` is scratch of a number a coordinate."""
    moved[:] = 0.0
    for i in range(len(value)):
        if value[i] != 0.0:
            for e in range(at[i], at[i + 1]):
                k = index[e]
                if free[k]:
                    moved[k] += D[k] * pushed[e] * value[i]
    for i in range(len(out)):
        out[i] = 0.0
        for e in range(at[begin + i], at[begin + i + 1]):
            out[i] += pushed[e] * moved[index[e]]


@borrower
def add_unbound(gap: Floats, h: float, lack: Floats, speed: Floats) -> None:
    """Speeds of contact rows (3 nc,) from what impulses change of them, and from what they lack without any."""
    for i in range(len(speed)):
        speed[i] -= lack[i]
        if i % 3 == 0:
            speed[i] += _closing(gap[i // 3], h)


@borrower
def ease(
    hits: Floats, restitution: Floats, gap: Floats, h: float, island: Ints, when: Floats, speed: Floats, change: Floats,
    impulse: Floats, lack: Floats, work: Floats, r: Floats,
) -> bool:  # fmt: skip
    """Let contacts bounce less, in `r`, where their blows make energy: Coulomb's law and a coefficient of restitution
    do not always go together. Whether there are any.

    Of contact rows (3 nc,): `speed` without the blows, `change` of that and `impulse` by them, and what velocities
    `lack` without any; `work` has room for two numbers an island."""
    n, any_ = len(when) // 2, False
    work[:] = 0.0
    for c in range(len(hits)):
        k = island[c]
        if k < 0 or when[n + k] > 1.0:
            continue
        for i in range(3 * c, 3 * c + 3):
            u = speed[i]
            if i == 3 * c and hits[c] < 0.0:
                u = hits[c] + (speed[i] - hits[c]) * (0.5 + when[n + k])
                if gap[c] + h * speed[i] < 0.0:
                    work[n + k] -= impulse[i] * u * restitution[c] / (1.0 + restitution[c])
            work[k] += impulse[i] * (u + 0.5 * change[i])
    for c in range(len(hits)):
        k = island[c]
        if not (hits[c] < 0.0 and k >= 0 and gap[c] + h * speed[3 * c] < 0.0 and work[n + k] > 0.0):
            continue
        if work[k] > _NONE * work[n + k] and r[3 * c] > lack[3 * c]:
            less = min(_MORE * work[k] / work[n + k], 1.0) * restitution[c]
            r[3 * c] = max(
                r[3 * c] + less * (hits[c] + (speed[3 * c] - hits[c]) * (0.5 + when[n + k])), lack[3 * c]
            )
            any_ = True
    return any_


@borrower
def spread_parts(
    at: Places, index: Places, first: Ints, island: Ints, free: Mask, tree: Ints, when: Floats, part: Floats
) -> None:
    """To each tree the part of its island (`aim`), zero for others."""
    part[:] = 0.0
    for b in range(len(island)):
        if island[b] >= 0 and when[island[b]] > 0.0:
            for e in range(at[first[b]], at[first[b + 1]]):
                if free[index[e]]:
                    part[tree[index[e]]] = when[island[b]]
