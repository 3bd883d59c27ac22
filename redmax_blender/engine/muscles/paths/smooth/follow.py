"""All paths in one pass: lengths, moment arms, and the motion of the points that carry mass."""

from __future__ import annotations

import numpy as np

from ....jit.decorators import njit, subroutine
from ....model.records import Floats, Ints
from ...records import Surface
from .barrier import KIND, POSE, ROUNDING, ROW, SHIFT, SIZE, STRENGTH, barrier
from .packed import Followed, Motion, Paths, Records
from .spans import straight_span, string_bias, string_span

ASTRAY = -2
"""A string that has to be put anew."""
FAR = 0.3
"""How far a string's ends may move between two searches, as a fraction of the smallest radius."""
_TORUS, _ELLIPSOID = int(Surface.TORUS), int(Surface.ELLIPSOID)


@subroutine
def _place(
    motion: Motion, frame: int, x0: float, x1: float, x2: float, cols: Ints, x: Floats, W: Floats
) -> None:
    """A point of a frame in the world, x (3,), and its velocity by coordinates, W (3, nc)."""
    if frame < 0:
        x[0], x[1], x[2] = x0, x1, x2
        W[:] = 0.0
        return
    E = motion.pose
    r = np.empty(3)
    for c in range(3):
        r[c] = E[frame, 3 * c] * x0 + E[frame, 3 * c + 1] * x1 + E[frame, 3 * c + 2] * x2
        x[c] = E[frame, 9 + c] + r[c]
    for i in range(len(cols)):
        k = cols[i]
        w0, w1, w2 = motion.turn[frame, 0, k], motion.turn[frame, 1, k], motion.turn[frame, 2, k]
        W[0, i] = motion.shift[frame, 0, k] + w1 * r[2] - w2 * r[1]
        W[1, i] = motion.shift[frame, 1, k] + w2 * r[0] - w0 * r[2]
        W[2, i] = motion.shift[frame, 2, k] + w0 * r[1] - w1 * r[0]


@subroutine
def _curve(knots: Floats, first: int, count: int, q: float, out: Floats) -> None:
    """Value, slope and second derivative of a piecewise cubic that goes straight on beyond its knots, into out (3,)."""
    last = first + count - 1
    k = first
    if q > knots[last, 0]:
        k = last
    else:
        while k < last - 1 and q >= knots[k + 1, 0]:
            k += 1
    u, b, c, d = q - knots[k, 0], knots[k, 2], knots[k, 3], knots[k, 4]
    if q < knots[first, 0] or q > knots[last, 0]:
        c = d = 0.0
    out[0] = knots[k, 1] + u * (b + u * (c + u * d))
    out[1] = b + u * (2.0 * c + 3.0 * u * d)
    out[2] = 2.0 * c + 6.0 * u * d


@subroutine
def place_point(
    paths: Paths, motion: Motion, i: int, cols: Ints, x: Floats, W: Floats, slip: Floats, turn: Floats
) -> None:
    """Point i in the world and its velocity by coordinates; how it slips in its frame: velocity and acceleration."""
    point = paths.points[i]
    at = np.empty(3)
    value, rate, bend = np.empty(3), np.zeros(3), np.zeros(3)
    for c in range(3):
        at[c] = point.x[c]
        slip[c] = turn[c] = 0.0
    for m in range(point.mover, point.mover + point.movers):
        mover = paths.movers[m]
        _curve(paths.knots, mover.knot, mover.knots, motion.q[mover.coordinate], value)
        at[mover.axis] = value[0]
        rate[mover.axis], bend[mover.axis] = value[1], value[2]
    _place(motion, point.frame, at[0], at[1], at[2], cols, x, W)
    for m in range(point.mover, point.mover + point.movers):
        mover = paths.movers[m]
        speed = motion.qdot[mover.coordinate]
        for c in range(3):
            axis = 1.0 if c == mover.axis else 0.0
            if point.frame >= 0:
                axis = motion.pose[point.frame, 3 * c + mover.axis]
            slip[c] += axis * rate[mover.axis] * speed
            turn[c] += axis * bend[mover.axis] * speed * speed
            for k in range(len(cols)):
                if cols[k] == mover.coordinate:
                    W[c, k] += axis * rate[mover.axis]


@subroutine
def _speed(motion: Motion, frame: int, cols: Ints, w: Floats, v: Floats) -> None:
    """Angular velocity w (3,) of a frame and velocity v (3,) of its origin."""
    for c in range(3):
        w[c] = v[c] = 0.0
        if frame >= 0:
            for k in cols:
                w[c] += motion.turn[frame, c, k] * motion.qdot[k]
                v[c] += motion.shift[frame, c, k] * motion.qdot[k]


@subroutine
def _accelerate(motion: Motion, frame: int, cols: Ints, x: Floats, a: Floats) -> None:
    """Acceleration a (3,) of the point of a frame that is at x in the world, where coordinates do not accelerate."""
    if frame < 0:
        a[0] = a[1] = a[2] = 0.0
        return
    w, v = np.empty(3), np.empty(3)
    _speed(motion, frame, cols, w, v)
    E, t = motion.pose, motion.turn_bias
    r0, r1, r2 = x[0] - E[frame, 9], x[1] - E[frame, 10], x[2] - E[frame, 11]
    u0, u1, u2 = w[1] * r2 - w[2] * r1, w[2] * r0 - w[0] * r2, w[0] * r1 - w[1] * r0
    a[0] = motion.shift_bias[frame, 0] + t[frame, 1] * r2 - t[frame, 2] * r1 + w[1] * u2 - w[2] * u1
    a[1] = motion.shift_bias[frame, 1] + t[frame, 2] * r0 - t[frame, 0] * r2 + w[2] * u0 - w[0] * u2
    a[2] = motion.shift_bias[frame, 2] + t[frame, 0] * r1 - t[frame, 1] * r0 + w[0] * u1 - w[1] * u0


@subroutine
def surface_row(s: Records, i: int, motion: Motion, rows: Floats, at: int) -> None:
    """A surface as `barrier` wants it, where it is now."""
    rows[at, KIND] = s[i].kind
    for c in range(3):
        rows[at, SIZE + c] = s[i].size[c]
    rows[at, ROUNDING], rows[at, STRENGTH], rows[at, SHIFT] = s[i].rounding, s[i].strength, s[i].shift
    frame, own, E = s[i].frame, s[i].pose, motion.pose
    if frame < 0:
        for c in range(12):
            rows[at, POSE + c] = own[c]
        return
    for r in range(3):
        for c in range(3):
            rows[at, POSE + 3 * r + c] = (
                E[frame, 3 * r] * own[c] + E[frame, 3 * r + 1] * own[3 + c] + E[frame, 3 * r + 2] * own[6 + c]
            )
        rows[at, POSE + 9 + r] = (
            E[frame, 3 * r] * own[9]
            + E[frame, 3 * r + 1] * own[10]
            + E[frame, 3 * r + 2] * own[11]
            + E[frame, 9 + r]
        )


@subroutine
def _weights(t: float, w: Floats) -> None:
    """Of four nodes at a fraction t between the middle two: a curve through all of them, and its derivatives."""
    t2, t3 = t * t, t * t * t
    w[0, 0], w[0, 1] = 0.5 * (-t + 2.0 * t2 - t3), 0.5 * (2.0 - 5.0 * t2 + 3.0 * t3)
    w[0, 2], w[0, 3] = 0.5 * (t + 4.0 * t2 - 3.0 * t3), 0.5 * (t3 - t2)
    w[1, 0], w[1, 1] = 0.5 * (-1.0 + 4.0 * t - 3.0 * t2), 0.5 * (-10.0 * t + 9.0 * t2)
    w[1, 2], w[1, 3] = 0.5 * (1.0 + 8.0 * t - 9.0 * t2), 0.5 * (3.0 * t2 - 2.0 * t)
    w[2, 0], w[2, 1] = 0.5 * (4.0 - 6.0 * t), 0.5 * (-10.0 + 18.0 * t)
    w[2, 2], w[2, 3] = 0.5 * (8.0 - 18.0 * t), 0.5 * (6.0 * t - 2.0)


@subroutine
def into_world(rows: Floats, own: Floats, x: Floats) -> None:
    """Points in the frame of the first surface (n, 3) into the world."""
    e = POSE
    for i in range(len(own)):
        for c in range(3):
            x[i, c] = (
                rows[0, e + 3 * c] * own[i, 0] + rows[0, e + 3 * c + 1] * own[i, 1]
                + rows[0, e + 3 * c + 2] * own[i, 2] + rows[0, e + 9 + c]
            )  # fmt: skip


@subroutine
def out_of_world(rows: Floats, x: Floats, own: Floats) -> None:
    """And back."""
    e = POSE
    for i in range(len(own)):
        d0, d1, d2 = x[i, 0] - rows[0, e + 9], x[i, 1] - rows[0, e + 10], x[i, 2] - rows[0, e + 11]
        for c in range(3):
            own[i, c] = rows[0, e + c] * d0 + rows[0, e + 3 + c] * d1 + rows[0, e + 6 + c] * d2


@subroutine
def _astray(rows: Floats, x: Floats, ends: Floats) -> bool:
    """Whether a string says nothing about the way round that it takes between new ends."""
    n = len(x) - 1
    least = np.inf
    for s in range(len(rows)):
        size = rows[s, SIZE]
        if int(rows[s, KIND]) == _TORUS:
            size = rows[s, SIZE + 1]
        elif int(rows[s, KIND]) == _ELLIPSOID:
            size = min(size, min(rows[s, SIZE + 1], rows[s, SIZE + 2]))
        least = min(least, size)
    moved, bent, span = 0.0, 0.0, 0.0
    for c in range(3):
        moved = max(moved, max(abs(ends[0, c] - x[0, c]), abs(ends[1, c] - x[n, c])))
        span = max(span, abs(x[n, c] - x[0, c]))
        for i in range(1, n):
            bent = max(bent, abs(x[i, c] - x[0, c] - (x[n, c] - x[0, c]) * i / n))
    if moved > FAR * least:
        return True
    if bent > 1e-9 * span:
        return False
    g, H, push = np.empty(3), np.empty((3, 3)), np.empty(3)
    for i in range(1, n):
        t = i / n
        y0 = ends[0, 0] + t * (ends[1, 0] - ends[0, 0])
        y1 = ends[0, 1] + t * (ends[1, 1] - ends[0, 1])
        y2 = ends[0, 2] + t * (ends[1, 2] - ends[0, 2])
        for s in range(len(rows)):
            if barrier(rows, s, y0, y1, y2, g, H, push) > 0.0:
                return True
    return False


@njit
def follow(paths: Paths, motion: Motion, second: bool, only: int, out: Followed) -> None:
    """Fill `out`; biases only where `second` asks for them. Strings begin where they were last on their surfaces.

    Where that tells nothing, because a string was straight and is to touch down, or its ends have moved far since,
    `settled` becomes ASTRAY: put the exact path there and call again with the number of the path in `only` (else -1).
    """
    for p in range(len(paths.paths)):
        if paths.paths[p].points > 0 and (only < 0 or only == p):
            _follow_one(paths, motion, second, only < 0, out, p)


@subroutine
def _follow_one(paths: Paths, motion: Motion, second: bool, doubt: bool, out: Followed, p: int) -> None:
    path = paths.paths[p]
    cols = paths.columns[path.column : path.column + path.columns]
    nc = len(cols)
    qdot = np.empty(nc)
    for k in range(nc):
        qdot[k] = motion.qdot[cols[k]]
    on = np.empty(path.points, np.int64)
    count, nodes = 0, 0
    for i in range(path.points):
        point = paths.points[path.point + i]
        inner = 0 < i < path.points - 1
        if inner and point.coordinate >= 0:
            value = motion.q[point.coordinate]
            if value < point.lower or value > point.upper:
                continue
        on[count] = path.point + i
        count += 1
        nodes += point.segments + 1
    spans = count - 1
    x, dx, ddx = np.empty((nodes, 3)), np.empty((nodes, 3, nc)), np.zeros((nodes, 3))
    begin, length = np.zeros(spans + 1, np.int64), np.zeros(spans)
    dL, bias = np.zeros((spans, nc)), np.zeros(spans)
    ends, W = np.empty((2, 3)), np.empty((2, 3, nc))
    v, a = np.zeros((2, 3)), np.zeros((2, 3))
    slip, turned, w, unused = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    out.settled[p] = 0
    for j in range(spans):
        for e in range(2):
            point = paths.points[on[j + e]]
            place_point(paths, motion, on[j + e], cols, ends[e], W[e], slip, turned)
            if second:
                for c in range(3):
                    v[e, c] = 0.0
                    for k in range(nc):
                        v[e, c] += W[e, c, k] * qdot[k]
                _accelerate(motion, point.frame, cols, ends[e], a[e])
                if point.movers > 0:
                    _speed(motion, point.frame, cols, w, unused)
                    a[e, 0] += turned[0] + 2.0 * (w[1] * slip[2] - w[2] * slip[1])
                    a[e, 1] += turned[1] + 2.0 * (w[2] * slip[0] - w[0] * slip[2])
                    a[e, 2] += turned[2] + 2.0 * (w[0] * slip[1] - w[1] * slip[0])
        point = paths.points[on[j]]
        n = point.segments
        b0, b1 = begin[j], begin[j] + n + 1
        begin[j + 1] = b1
        if point.surfaces == 0:
            length[j], bias[j] = straight_span(ends, W, v, a, x[b0:b1], dx[b0:b1], ddx[b0:b1], dL[j])
            continue
        ns = point.surfaces
        rows, moving, twist = np.empty((ns, ROW)), np.zeros((ns, 6, nc)), np.zeros((ns, 4, 3))
        for s in range(ns):
            surface = paths.surfaces[point.surface + s]
            surface_row(paths.surfaces, point.surface + s, motion, rows, s)
            if surface.frame >= 0:
                own = surface.pose
                place = np.empty(3)
                _place(motion, surface.frame, own[9], own[10], own[11], cols, place, moving[s, 3:])
                for k in range(nc):
                    for c in range(3):
                        moving[s, c, k] = motion.turn[surface.frame, c, cols[k]]
                if second:
                    for c in range(3):
                        twist[s, 0, c] = twist[s, 1, c] = 0.0
                        for k in range(nc):
                            twist[s, 0, c] += moving[s, c, k] * qdot[k]
                            twist[s, 1, c] += moving[s, 3 + c, k] * qdot[k]
                        twist[s, 2, c] = motion.turn_bias[surface.frame, c]
                    _accelerate(motion, surface.frame, cols, place, twist[s, 3])
        string = np.empty((n + 1, 3))
        into_world(rows, paths.nodes[point.node : point.node + n + 1], string)
        if doubt and _astray(rows, string, ends):
            out.settled[p] = ASTRAY
            return
        length[j], steps = string_span(ends, W, rows, moving, string, dx[b0:b1], dL[j])
        x[b0:b1] = string
        out_of_world(rows, string, paths.nodes[point.node : point.node + n + 1])
        if second:
            bias[j] = string_bias(v, a, rows, twist, string, dx[b0:b1], qdot, length[j], dL[j], ddx[b0:b1])
        if out.settled[p] >= 0:
            out.settled[p] = steps if steps < 0 else out.settled[p] + steps
    _gather(paths, out, p, qdot, begin, length, dL, bias, x, dx, ddx)


@subroutine
def _bend(across: Floats, p: int, begin: Ints, length: Floats, x: Floats, dx: Floats) -> None:
    """What turning the path's segments costs per unit of tension: the part of d²L/dq² that cannot be negative."""
    nc = dx.shape[2]
    u, side = np.empty(3), np.empty((3, nc))
    for j in range(len(length)):
        n = begin[j + 1] - begin[j] - 1
        for i in range(begin[j], begin[j] + n):
            size = 0.0
            for c in range(3):
                u[c] = x[i + 1, c] - x[i, c]
                size += u[c] * u[c]
            if not size > 0.0:
                continue
            for k in range(nc):
                along = 0.0
                for c in range(3):
                    side[c, k] = dx[i + 1, c, k] - dx[i, c, k]
                    along += u[c] * side[c, k]
                for c in range(3):
                    side[c, k] -= along / size * u[c]
            for a in range(nc):
                for b in range(a + 1):
                    value = side[0, a] * side[0, b] + side[1, a] * side[1, b] + side[2, a] * side[2, b]
                    across[p, a, b] += n / length[j] * value
                    if a != b:
                        across[p, b, a] += n / length[j] * value


@subroutine
def _gather(
    paths: Paths,
    out: Followed,
    p: int,
    qdot: Floats,
    begin: Ints,
    length: Floats,
    dL: Floats,
    bias: Floats,
    x: Floats,
    dx: Floats,
    ddx: Floats,
) -> None:
    """Lengths of the path from those of its spans, and its mass points: each slides with the path's strain."""
    path, nc, spans = paths.paths[p], len(qdot), len(length)
    cols = paths.columns[path.column : path.column + nc]
    total, total_bias, rate = 0.0, 0.0, 0.0
    whole = np.zeros(nc)
    for j in range(spans):
        total += length[j]
        total_bias += bias[j]
        for k in range(nc):
            whole[k] += dL[j, k]
            rate += dL[j, k] * qdot[k]
    out.length[p], out.length_bias[p] = total, total_bias
    for k in range(out.gradient.shape[1]):
        out.gradient[p, k] = 0.0
    for k in range(nc):
        out.gradient[p, cols[k]] = whole[k]
    if out.across.shape[0] > 0:
        out.across[p] = 0.0
        _bend(out.across, p, begin, length, x, dx)
    w, node = np.empty((3, 4)), np.empty(4, np.int64)
    before = np.zeros(nc)
    slope, bend, slope_rate, db = np.empty(3), np.empty(3), np.empty(3), np.empty(nc)
    for i in range(path.mass, path.mass + path.masses):
        m = paths.masses[i]
        s = min(max(m.share * total + m.offset, 0.0), total)
        j, start, start_bias = 0, 0.0, 0.0
        before[:] = 0.0
        while j < spans - 1 and s > start + length[j]:
            start += length[j]
            start_bias += bias[j]
            for k in range(nc):
                before[k] += dL[j, k]
            j += 1
        n = begin[j + 1] - begin[j] - 1
        fraction = (s - start) / length[j] if length[j] > 0.0 else 0.0
        t = fraction * n
        at = min(max(int(t), 0), n - 1)
        _weights(t - at, w)
        # beyond the ends the string goes straight on
        if at == 0:
            for r in range(3):
                w[r, 1] += 2.0 * w[r, 0]
                w[r, 2] -= w[r, 0]
                w[r, 0] = 0.0
        if at == n - 1:
            for r in range(3):
                w[r, 2] += 2.0 * w[r, 3]
                w[r, 1] -= w[r, 3]
                w[r, 3] = 0.0
        for r in range(4):
            node[r] = begin[j] + min(max(at - 1 + r, 0), n)
        inv = 1.0 / length[j] if length[j] > 0.0 else 0.0
        moves, own = 0.0, 0.0  # rates of the fraction, and of the span's length
        for k in range(nc):
            db[k] = (m.share * whole[k] - before[k] - fraction * dL[j, k]) * inv
            moves += db[k] * qdot[k]
            own += dL[j, k] * qdot[k]
        turn = (m.share * total_bias - start_bias - fraction * bias[j] - 2.0 * moves * own) * inv
        for c in range(3):
            y = slope[c] = bend[c] = slope_rate[c] = 0.0
            acceleration = 0.0
            for r in range(4):
                y += w[0, r] * x[node[r], c]
                slope[c] += n * w[1, r] * x[node[r], c]
                bend[c] += n * n * w[2, r] * x[node[r], c]
                acceleration += w[0, r] * ddx[node[r], c]
            out.points[i, c] = y
            for k in range(out.jacobian.shape[2]):
                out.jacobian[i, c, k] = 0.0
            for k in range(nc):
                d, e = 0.0, 0.0
                for r in range(4):
                    d += w[0, r] * dx[node[r], c, k]
                    e += n * w[1, r] * dx[node[r], c, k]
                out.jacobian[i, c, cols[k]] = d + slope[c] * db[k]
                slope_rate[c] += e * qdot[k]
            out.bias[i, c] = (
                acceleration + 2.0 * slope_rate[c] * moves + bend[c] * moves * moves + slope[c] * turn
            )
