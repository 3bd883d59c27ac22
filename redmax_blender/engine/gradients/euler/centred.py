"""Ball joints and free bodies in Euler's steps backwards (`centres.py`): where they arrive, and at what rates.

Seen from its own frame, a body that is turned by φ0 before a step, with the angular velocity ω and the velocity of its
centre of mass that the step gives it, ends up turned by φ1, at a place p1, with ω* and a rate of p. That map of some
twenty numbers is differentiated by complex steps, exact to rounding; S and its derivatives by formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model.records import Floats, Model
from ...model.state import State
from ...tree.centres import (
    ARM,
    BALL,
    FLAGS,
    INERTIA,
    LINK,
    MOVE,
    MOVED_TURN,
    MOVES,
    SPINS,
    TURN,
    TURNED_MOVE,
    TURNS,
)
from ...tree.kinematics import Kinematics, forward_kinematics
from ..reparameterise import subspace_slopes
from ..tree import CoordinateBars, LinkBars, Motion, TreeArrays, TreeBars

Numbers = NDArray[np.complex128]
_EPS = 1e-30
_SUBSTEP, _SUBSTEPS = 0.5, 64
"""As in `centres.py`: how far a body turns freely in one part of a step."""
_I = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])


def turning_link(model: Model, row: Any) -> int:
    return int(row[LINK] - 1 if row[FLAGS] & TURNED_MOVE else row[LINK])


def what_prevents(model: Model) -> str | None:
    """Why the centred bodies of a model cannot be differentiated."""
    t, fixed = model.tree, np.diff(model.tree.dof) == 0
    for row in model.centres.which:
        if np.any(fixed & (t.parent == row[LINK])):
            return "there is no adjoint of Euler's steps of free bodies that others are fixed to"
    return None


def centre_tree(model: Model, tree: TreeArrays) -> TreeArrays:
    """With what the sweep has to know about centred links."""
    mode, arm = np.zeros(model.nl, np.int64), np.zeros((model.nl, 3))
    for row, of in zip(model.centres.which, model.centres.of, strict=True):
        turn = turning_link(model, row)
        if row[FLAGS] & BALL:
            mode[turn] |= 1
        if row[FLAGS] & (MOVED_TURN | TURNED_MOVE):
            mode[turn] |= 2
            arm[turn] = of[ARM:INERTIA]
        if row[FLAGS] & TURNED_MOVE:
            mode[row[LINK]] |= 4
    return tree._replace(centred=mode, arm=arm)


def hat(x: Any) -> Any:
    """Cross product matrices of vectors, shape (..., 3, 3)."""
    out = np.zeros((*x.shape[:-1], 3, 3), x.dtype)
    out[..., 2, 1], out[..., 0, 2], out[..., 1, 0] = x[..., 0], x[..., 1], x[..., 2]
    out[..., 1, 2], out[..., 2, 0], out[..., 0, 1] = -x[..., 0], -x[..., 1], -x[..., 2]
    return out


def _exp(r: Numbers) -> Numbers:
    """Rotations of rotation vectors, shape (n, 3, 3); analytic in r."""
    s = np.sum(r * r, axis=-1)[..., None, None]
    small = np.abs(s) < 1e-6
    safe = np.sqrt(np.where(small, 1.0, s))
    a = np.where(small, 1.0 - s / 6.0 + s * s / 120.0, np.sin(safe) / safe)
    b = np.where(small, 0.5 - s / 24.0 + s * s / 720.0, (1.0 - np.cos(safe)) / safe**2)
    K = hat(r)
    return np.asarray(np.eye(3) + a * K + b * (K @ K))


def _times(M: Numbers, x: Numbers) -> Numbers:
    return np.asarray(np.einsum("...ij,...j->...i", M, x))


def _turn(w: Numbers, inertia: Numbers, h: float, spins: bool) -> tuple[Numbers, Numbers]:
    """The rotation over a step, and the angular velocity at its end."""
    if not spins:
        return _exp(h * w), w
    speed = float(np.linalg.norm(w[0].real))
    n = 1
    if h * speed > _SUBSTEP:
        n = int(min(h * speed / _SUBSTEP, _SUBSTEPS - 1.0)) + 1
    step, whole = h / n, np.broadcast_to(np.eye(3, dtype=complex), (len(w), 3, 3))
    for _ in range(n):
        L, new = _times(inertia, w), w
        for _trial in range(30):
            goal = _times(np.swapaxes(_exp(0.5 * step * (w + new)), -1, -2), L)
            J = inertia - 0.5 * step * hat(goal)
            d = np.linalg.solve(J, (goal - _times(inertia, new))[..., None])[..., 0]
            new = new + d
            if np.abs(d).max() <= 1e-15 * max(speed, 1e-300) and _trial > 2:
                break
        whole = whole @ _exp(0.5 * step * (w + new))
        w = new
    return whole, w


class Arrival:
    """How one centred body arrives in a step, differentiated."""

    def __init__(
        self, model: Model, c: int, start: State, end: State, S0: Floats, S1: Floats, R0: Floats
    ) -> None:
        self.model, self.row, self.of = model, model.centres.which[c], model.centres.of[c]
        row = self.row
        self.link = turning_link(model, row)
        self.turn = slice(int(row[TURN]), int(row[TURN] + row[TURNS]))
        self.moves = bool(row[FLAGS] & (MOVED_TURN | TURNED_MOVE))
        self.move = slice(int(row[MOVE]), int(row[MOVE] + row[MOVES])) if self.moves else slice(0, 0)
        self.S0, self.S1 = S0[self.turn, :3].T, S1[self.turn, :3].T
        self.R0, self.start, self.end = R0, start, end

    def velocities(self, R1: Floats, h: float, u: Floats) -> None:
        """Put the velocities with which the step moves them into u (nr,), from where they have arrived."""
        q0, q1, v1 = self.start.q, self.end.q, self.end.qdot
        if self.row[FLAGS] & BALL:
            w = self.S1 @ v1[self.turn]
            if self.row[FLAGS] & SPINS:
                inertia = self.of[INERTIA:][_I]
                w = np.linalg.solve(inertia, self.R0.T @ R1 @ inertia @ w)
            u[self.turn] = np.linalg.solve(self.S0, w)
        w = self.S0 @ u[self.turn]
        if not self.moves:
            return
        n, r = self.row[MOVES], self.of[ARM:INERTIA]
        p0, p1 = np.zeros(3), np.zeros(3)
        p0[:n], p1[:n] = q0[self.move], q1[self.move]
        if self.row[FLAGS] & MOVED_TURN:
            v = (p1 + R1 @ r - p0 - self.R0 @ r) / h
            u[self.move] = (v - self.R0 @ np.cross(w, r))[:n]
        else:
            v = (R1 @ (p1 + r) - self.R0 @ (p0 + r)) / h
            u[self.move] = (self.R0.T @ v - np.cross(w, p0 + r))[:n]

    def back(self, u: Floats, h: float, q_bar: Floats, v_bar: Floats) -> tuple[Floats, Floats, Floats]:
        """Derivatives by the coordinates at the start and by u, both of shape (nr,) with zeros elsewhere, and by the
        arm and the moments, shape (9,); from those by the coordinates and rates at the end."""
        model, row = self.model, self.row
        flags, n = row[FLAGS], int(row[MOVES])
        w = self.S0 @ u[self.turn]
        slope0 = subspace_slopes(model, self.start, self.link, u[self.turn])
        slope1 = subspace_slopes(model, self.end, self.link, self.end.qdot[self.turn])
        # by φ1, p1, ω* and the rate of p
        q_turn, v_turn = q_bar[self.turn], v_bar[self.turn]
        out_q, out_u = np.zeros(model.nr), np.zeros(model.nr)
        ball = bool(flags & BALL)
        phi1, w1 = np.zeros(3), np.zeros(3)
        if ball:
            w1 = np.linalg.solve(self.S1.T, v_turn)
            phi1 = np.linalg.solve(self.S1.T, q_turn - slope1.T @ w1)
        p1, rate1 = np.zeros(3), np.zeros(3)
        if self.moves:
            p1[:n], rate1[:n] = q_bar[self.move], v_bar[self.move]
        J = self._jacobian(u, w, h)
        bar = np.concatenate([phi1, p1, w1, rate1]) @ J
        phi0, p0, w0, rate0, constants = bar[:3], bar[3:6], bar[6:9], bar[9:12], bar[12:21]
        phi_end, w_end = bar[21:24], bar[24:27]
        if not ball:  # it arrives as coordinates do, and the place of what it carries depends on that
            along = self.S1.T @ phi_end + slope1.T @ w_end
            out_q[self.turn] += q_turn + along
            out_u[self.turn] += v_turn + h * (q_turn + along) + self.S1.T @ w_end
        out_q[self.turn] += self.S0.T @ phi0 + slope0.T @ w0
        out_u[self.turn] += self.S0.T @ w0
        if self.moves:
            out_q[self.move] += p0[:n]
            out_u[self.move] += rate0[:n]
        return out_q, out_u, constants

    def _jacobian(self, u: Floats, w: Floats, h: float) -> Floats:
        """Of (φ1, p1, ω*, rate) by (φ0, p0, ω, rate, arm, moments), and by (φ1, ω*) where these follow from
        coordinates; shape (12, 27)."""
        flags, n = self.row[FLAGS], int(self.row[MOVES])
        x = np.zeros(27)
        x[6:9] = w
        if self.moves:
            x[3 : 3 + n], x[9 : 9 + n] = self.start.q[self.move], u[self.move]
        x[12:21] = self.of
        y = x + 1j * _EPS * np.eye(27)
        phi0, p0, w0, rate, r, moments = y[:, :3], y[:, 3:6], y[:, 6:9], y[:, 9:12], y[:, 12:15], y[:, 15:21]
        R0 = self.R0 @ (np.eye(3) + hat(phi0))
        if flags & BALL:
            T, w1 = _turn(w0, moments[:, _I], h, bool(flags & SPINS))
            R1 = R0 @ T
        else:
            R_end = self._end_rotation()
            R1 = R_end @ (np.eye(3) + hat(y[:, 21:24]))
            w1 = self.S1 @ self.end.qdot[self.turn] + y[:, 24:27]
        out = np.zeros((27, 12))
        if flags & BALL:
            still = R1[0].real.T @ (R1.imag / _EPS)
            out[:, :3] = np.stack([still[:, 2, 1], still[:, 0, 2], still[:, 1, 0]], axis=1)
            out[:, 6:9] = w1.imag / _EPS
        if flags & MOVED_TURN:
            v = rate + _times(R0, np.cross(w0, r))
            out[:, 3:6] = (p0 + _times(R0, r) + h * v - _times(R1, r)).imag / _EPS
            out[:, 9:12] = (v - _times(R1, np.cross(w1, r))).imag / _EPS
        elif flags & TURNED_MOVE:
            back = np.swapaxes(R1, -1, -2)
            v = _times(R0, rate + np.cross(w0, p0 + r))
            p1 = _times(back, _times(R0, p0 + r) + h * v) - r
            out[:, 3:6] = p1.imag / _EPS
            out[:, 9:12] = (_times(back, v) - np.cross(w1, p1 + r)).imag / _EPS
        return out.T

    def _end_rotation(self) -> Floats:
        return self.R1

    R1: Floats = np.eye(3)
    """Where it has turned to, in the frame before the joint."""


@dataclass(frozen=True)
class Shift:
    """Derivatives by a tangent's coordinates and rates, and by where it is brought to, shape (nr,) each."""

    q_tangent: Floats
    v_tangent: Floats
    q_end: Floats
    v_end: Floats
    """Those that come as they are: by rates that are coordinates' own."""


def shifted_back(model: Model, tangent: State, end: State, v_bar: Floats, of_bars: Floats) -> Shift:
    """Bodies keep their velocities where positions are brought from `tangent` to `end`, and have other rates there."""
    out = Shift(np.zeros(model.nr), np.zeros(model.nr), np.zeros(model.nr), v_bar.copy())
    here, there = forward_kinematics(model, tangent), forward_kinematics(model, end)
    for c, (row, of) in enumerate(zip(model.centres.which, model.centres.of, strict=True)):
        link, n = turning_link(model, row), int(row[MOVES])
        turn = slice(int(row[TURN]), int(row[TURN] + row[TURNS]))
        moves, ball = bool(row[FLAGS] & (MOVED_TURN | TURNED_MOVE)), bool(row[FLAGS] & BALL)
        move = slice(int(row[MOVE]), int(row[MOVE] + n)) if moves else slice(0, 0)
        S0, S1 = here.S[turn, :3].T, there.S[turn, :3].T
        C0 = subspace_slopes(model, tangent, link, tangent.qdot[turn])
        C1 = subspace_slopes(model, end, link, end.qdot[turn])
        w0, w1 = np.zeros((2, 3))
        if moves:
            x = np.zeros(24)
            x[3 : 3 + n], x[15 : 15 + n] = tangent.q[move], end.q[move]
            x[6:9], x[18:21] = S0 @ tangent.qdot[turn], S1 @ end.qdot[turn]
            x[9 : 9 + n], x[21:24] = tangent.qdot[move], of[ARM:INERTIA]
            rates = np.zeros(3)
            rates[:n] = v_bar[move]
            R0, R1 = rotation_of(here, model, link), rotation_of(there, model, link)
            bar = rates @ _shift_slopes(int(row[FLAGS]), x, R0, R1)
            out.q_tangent[turn] += S0.T @ bar[:3]
            out.q_tangent[move] += bar[3 : 3 + n]
            out.v_tangent[move] += bar[9 : 9 + n]
            out.q_end[turn] += S1.T @ bar[12:15]
            out.q_end[move] += bar[15 : 15 + n]
            out.v_end[move] = 0.0
            of_bars[c, ARM:INERTIA] += bar[21:24]
            w0, w1 = bar[6:9], bar[18:21]
        if ball:
            own = np.linalg.solve(S1.T, v_bar[turn])
            w0 = w0 + w1 + own
            out.q_end[turn] -= C1.T @ own
            out.v_end[turn] = 0.0
        else:
            out.q_end[turn] += C1.T @ w1
            out.v_end[turn] += S1.T @ w1
        out.q_tangent[turn] += C0.T @ w0
        out.v_tangent[turn] += S0.T @ w0
    return out


def _shift_slopes(flags: int, x: Floats, R0: Floats, R1: Floats) -> Floats:
    """Of the rate of the place at the end by (turn, place, ω, rate) at the tangent, (turn, place, ω) at the end and the
    arm, shape (3, 24)."""
    y = x + 1j * _EPS * np.eye(24)
    before, after = R0 @ (np.eye(3) + hat(y[:, :3])), R1 @ (np.eye(3) + hat(y[:, 12:15]))
    p0, w0, rate, p1, w1, r = y[:, 3:6], y[:, 6:9], y[:, 9:12], y[:, 15:18], y[:, 18:21], y[:, 21:24]
    if flags & MOVED_TURN:
        found = rate + _times(before, np.cross(w0, r)) - _times(after, np.cross(w1, r))
    else:
        v = _times(before, rate + np.cross(w0, p0 + r))
        found = _times(np.swapaxes(after, -1, -2), v) - np.cross(w1, p1 + r)
    return np.asarray(found.imag.T / _EPS)


def _cross(a: Floats, b: Floats) -> Floats:
    """Of two vectors; NumPy's own takes thirty times as long."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def add_gyroscopic(model: Model, m: Motion, bars: LinkBars, of_bars: Floats) -> None:
    """Add the derivatives of what spins by itself: its gyroscopic torque has no part in the equations of motion."""
    for c, (row, of) in enumerate(zip(model.centres.which, model.centres.of, strict=True)):
        if not row[FLAGS] & SPINS:
            continue
        l, inertia = row[LINK], of[INERTIA:][_I]
        w, virtual = m.V[l, :3], m.W[l, :3]
        L, across = inertia @ w, _cross(virtual, w)
        bars.W[l, :3] -= _cross(w, L)
        bars.V[l, :3] -= _cross(L, virtual) + inertia @ across
        _add_moments(of_bars[c], -np.outer(across, w))


def _add_moments(out: Floats, full: Floats) -> None:
    """Add derivatives by the six moments, from those by the full matrix."""
    for i in range(3):
        for j in range(3):
            out[INERTIA + _I[i, j]] += full[i, j]


def add_arms(model: Model, tree: TreeBars, out: CoordinateBars, of_bars: Floats, seen: Floats) -> None:
    """Hand derivatives by the arms of the sweep on: to the arms of centres, and to the place where that is in it.

    seen: what has been handed on before, shape (nl, 3)."""
    for c, row in enumerate(model.centres.which):
        if row[FLAGS] & (MOVED_TURN | TURNED_MOVE):
            turn = turning_link(model, row)
            bar = tree.arm[turn] - seen[turn]
            seen[turn] = tree.arm[turn]
            of_bars[c, ARM:INERTIA] += bar
            if row[FLAGS] & TURNED_MOVE:
                out.q[row[MOVE] : row[MOVE] + row[MOVES]] += bar[: row[MOVES]]


def to_inertia(model: Model, of_bars: Floats, inertia: Floats) -> None:
    """Turn derivatives by arms and moments of centred bodies into ones by the inertias of their links, (nl, 6, 6)."""
    for row, of_bar in zip(model.centres.which, of_bars, strict=True):
        l = int(row[LINK])
        full = model.tree.inertia[l]
        m = float(full[15])
        if m <= 0.0:
            continue
        c = np.array([full[13], full[8], full[9]])  # m times the centre
        moments = np.zeros((3, 3))
        for k, (i, j) in enumerate([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]):
            moments[i, j] += 0.5 * of_bar[INERTIA + k]
            moments[j, i] += 0.5 * of_bar[INERTIA + k]
        c_bar, m_bar = of_bar[ARM:INERTIA] / m, -float(of_bar[ARM:INERTIA] @ c) / m**2
        inertia[l, :3, :3] += moments
        if row[FLAGS] & (MOVED_TURN | TURNED_MOVE):  # about the centre: less (c·c 1 - c cᵀ) / m
            trace = float(np.trace(moments))
            c_bar = c_bar - 2.0 * (trace * c - moments @ c) / m
            m_bar += float(trace * (c @ c) - c @ moments @ c) / m**2
        # [c] is the upper right block; its entries (2, 4), (0, 5) and (1, 3) are c
        inertia[l, 2, 4] += c_bar[0]
        inertia[l, 0, 5] += c_bar[1]
        inertia[l, 1, 3] += c_bar[2]
        inertia[l, 3, 3] += m_bar


def rotation_of(kin: Kinematics, model: Model, link: int) -> Floats:
    """Rotation of a link in its frame at q = 0."""
    frame = model.tree.E_pj0[link, :9].reshape(3, 3)
    return np.asarray(frame.T @ kin.E_pj[link, :9].reshape(3, 3))
