"""A tree of bodies whose joints are functions of coordinates: the bones of a musculoskeletal model.

A joint turns about three axes in turn and moves along three axes of its parent frame; each of the six amounts is a sum
of functions of single coordinates, so a knee can slide as it bends. The engine's own joints are what such joints are
imported to for simulation; here everything is exact, for lengths, moment arms and inverse dynamics.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .records import WORLD, Curve, Floats


@dataclass(frozen=True)
class Coordinate:
    name: str
    default: float = 0.0
    low: float = -np.inf
    high: float = np.inf
    """Range [rad, m]."""
    rotational: bool = True
    locked: bool = False
    clamped: bool = False


@dataclass(frozen=True)
class Axis:
    """One of a joint's six motions."""

    direction: tuple[float, float, float]
    terms: tuple[tuple[int, Curve], ...] = ()
    """(coordinate, function) whose values add up [rad, m]."""
    offset: float = 0.0


@dataclass(frozen=True)
class Joint:
    name: str
    parent: int
    """Body, -1 for the ground."""
    child: int
    in_parent: Floats
    """Pose of the joint's frame in the parent body, shape (12,)."""
    in_child: Floats
    """Pose of the joint's other frame in the child body, shape (12,)."""
    turns: tuple[Axis, Axis, Axis]
    slides: tuple[Axis, Axis, Axis]


@dataclass(frozen=True)
class Body:
    name: str
    mass: float
    """[kg]"""
    centre: tuple[float, float, float]
    """Centre of mass in the body [m]."""
    inertia: Floats
    """About the centre of mass, in the body's axes, shape (3, 3) [kg·m²]."""


@dataclass(frozen=True)
class Coupler:
    """A coordinate that is a function of others: dependent = Σ function(other)."""

    dependent: int
    terms: tuple[tuple[int, Curve], ...]
    offset: float = 0.0


@dataclass(frozen=True)
class Skeleton:
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    """Parents before children, one a body."""
    coordinates: tuple[Coordinate, ...]
    couplers: tuple[Coupler, ...] = ()
    gravity: tuple[float, float, float] = (0.0, -9.80665, 0.0)

    def index(self, coordinate: str) -> int:
        return next(i for i, c in enumerate(self.coordinates) if c.name == coordinate)

    def default(self) -> Floats:
        return np.array([c.default for c in self.coordinates])


@dataclass
class Motion:
    """Where the bodies are and how they move; world axes, row b for body b of nb, n coordinates."""

    R: Floats
    """(nb, 3, 3)"""
    p: Floats
    """Origins [m], (nb, 3)."""
    Jw: Floats
    """Angular velocity by coordinate rates, (nb, 3, n)."""
    Jv: Floats
    """Velocity of origins, (nb, 3, n)."""
    bias_w: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    """Angular acceleration with coordinates unaccelerated, (nb, 3)."""
    bias_v: Floats = field(default_factory=lambda: np.zeros((0, 3)))

    @property
    def poses(self) -> Floats:
        """Rows of twelve."""
        return np.concatenate([self.R.reshape(-1, 9), self.p], axis=1)

    def body_jacobian(self, b: int) -> Floats:
        """Twist of a body in its own axes by coordinate rates, (6, n)."""
        return np.concatenate([self.R[b].T @ self.Jw[b], self.R[b].T @ self.Jv[b]])

    def body_bias(self, b: int, qdot: Floats) -> Floats:
        """Rate of the body's twist in its own axes with coordinates unaccelerated, (6,)."""
        w, v = self.Jw[b] @ qdot, self.Jv[b] @ qdot
        return np.concatenate([self.R[b].T @ self.bias_w[b], self.R[b].T @ (self.bias_v[b] - cross(w, v))])


def skew(r: Any) -> Any:
    """Matrix of r x; many times faster than `np.cross` on single vectors."""
    x, y, z = r
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def cross(a: Any, b: Any) -> Any:
    ax, ay, az = a
    bx, by, bz = b
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def _amount(axis: Axis, q: Any, qdot: Any) -> tuple[float, list[tuple[int, float]], float, float]:
    """Value, slopes by coordinate, rate, and acceleration with coordinates unaccelerated."""
    value, rate, bias = axis.offset, 0.0, 0.0
    slopes = []
    for i, curve in axis.terms:
        value += curve(q[i])
        slope = curve(q[i], 1)
        slopes.append((i, slope))
        rate += slope * qdot[i]
        bias += curve(q[i], 2) * qdot[i] ** 2
    return value, slopes, rate, bias


def _rotation(axis: Any, angle: float) -> Any:
    c, s = np.cos(angle), np.sin(angle)
    K = skew(axis)
    return np.eye(3) + s * K + (1.0 - c) * (K @ K)


def _joint_motion(joint: Joint, q: Any, qdot: Any, n: int) -> tuple[Any, ...]:
    """In the parent's joint frame: rotation, shift, their Jacobians, and the accelerations that rates alone give."""
    R = np.eye(3)
    Hw, Hv = np.zeros((3, n)), np.zeros((3, n))
    w, alpha = np.zeros(3), np.zeros(3)
    for axis in joint.turns:
        value, slopes, rate, bias = _amount(axis, q, qdot)
        direction = np.asarray(axis.direction, float)
        a = R @ direction
        alpha = alpha + bias * a + rate * cross(w, a)
        w = w + rate * a
        for i, slope in slopes:
            Hw[:, i] += slope * a
        R = R @ _rotation(direction, value)
    shift, accel = np.zeros(3), np.zeros(3)
    for axis in joint.slides:
        value, slopes, _, bias = _amount(axis, q, qdot)
        direction = np.asarray(axis.direction, float)
        shift = shift + value * direction
        accel = accel + bias * direction
        for i, slope in slopes:
            Hv[:, i] += slope * direction
    return R, shift, Hw, Hv, alpha, accel


def move(skeleton: Skeleton, q: Any, qdot: Any = None) -> Motion:
    """Kinematics at coordinates q [rad, m] and their rates."""
    n, nb = len(skeleton.coordinates), len(skeleton.bodies)
    rates = np.zeros(n) if qdot is None else np.asarray(qdot, float)
    m = Motion(
        np.zeros((nb, 3, 3)), np.zeros((nb, 3)), np.zeros((nb, 3, n)), np.zeros((nb, 3, n)),
        np.zeros((nb, 3)), np.zeros((nb, 3)),
    )  # fmt: skip
    zero = (np.eye(3), np.zeros(3), np.zeros((3, n)), np.zeros((3, n)), np.zeros(3), np.zeros(3))
    for joint in skeleton.joints:
        k = joint.parent
        R, p, Jw, Jv, aw, av = (
            zero if k == WORLD else (m.R[k], m.p[k], m.Jw[k], m.Jv[k], m.bias_w[k], m.bias_v[k])
        )
        F = R @ joint.in_parent[:9].reshape(3, 3)
        turn, shift, Hw, Hv, alpha, accel = _joint_motion(joint, q, rates, n)
        w = Jw @ rates
        # The child's joint frame: at `arm` from the parent's origin.
        moved = F @ shift
        arm = R @ joint.in_parent[9:12] + moved
        own_w, own_v = F @ Hw, F @ Hv
        w_rel, v_rel = own_w @ rates, own_v @ rates
        Rm = F @ turn
        new_w = Jw + own_w
        angular = aw + F @ alpha + cross(w, w_rel)
        new_v = Jv + own_v - skew(arm) @ Jw
        linear = av + cross(aw, arm) + cross(w, cross(w, arm)) + 2.0 * cross(w, v_rel) + F @ accel
        # From the joint frame to the child's origin.
        Rc = Rm @ joint.in_child[:9].reshape(3, 3).T
        back = -Rc @ joint.in_child[9:12]
        total = new_w @ rates
        c = joint.child
        m.R[c], m.p[c] = Rc, p + arm + back
        m.Jw[c], m.Jv[c] = new_w, new_v - skew(back) @ new_w
        m.bias_w[c] = angular
        m.bias_v[c] = linear + cross(angular, back) + cross(total, cross(total, back))
    return m


def inverse_dynamics(
    skeleton: Skeleton, q: Any, qdot: Any, qddot: Any, motion: Motion | None = None
) -> Floats:
    """Generalized forces that give the accelerations under gravity, every coordinate free, shape (n,)."""
    m = move(skeleton, q, qdot) if motion is None else motion
    qdot, qddot = np.asarray(qdot, float), np.asarray(qddot, float)
    tau = np.zeros(len(skeleton.coordinates))
    g = np.asarray(skeleton.gravity)
    for b, body in enumerate(skeleton.bodies):
        if body.mass == 0.0 and not body.inertia.any():
            continue
        r = m.R[b] @ np.asarray(body.centre)
        inertia = m.R[b] @ body.inertia @ m.R[b].T
        w = m.Jw[b] @ qdot
        alpha = m.Jw[b] @ qddot + m.bias_w[b]
        accel = m.Jv[b] @ qddot + m.bias_v[b] + cross(alpha, r) + cross(w, cross(w, r))
        force = body.mass * (accel - g)
        torque = inertia @ alpha + cross(w, inertia @ w)
        tau += m.Jw[b].T @ (torque + cross(r, force)) + m.Jv[b].T @ force
    return tau


def mass_matrix(skeleton: Skeleton, q: Any) -> Floats:
    """Of all coordinates, (n, n)."""
    m = move(skeleton, q)
    n = len(skeleton.coordinates)
    M = np.zeros((n, n))
    for b, body in enumerate(skeleton.bodies):
        Jc = m.Jv[b] - skew(m.R[b] @ np.asarray(body.centre)) @ m.Jw[b]
        M += body.mass * Jc.T @ Jc + m.Jw[b].T @ (m.R[b] @ body.inertia @ m.R[b].T) @ m.Jw[b]
    return M


def follow_couplers(skeleton: Skeleton, q: Floats) -> Floats:
    """Coordinates with the dependent ones set by the others."""
    q = q.copy()
    for _ in range(len(skeleton.couplers)):  # one may depend on another
        for coupler in skeleton.couplers:
            q[coupler.dependent] = coupler.offset + sum(curve(q[i]) for i, curve in coupler.terms)
    return q


def coupled(skeleton: Skeleton, q: Floats, gradient: Floats) -> Floats:
    """Derivative by each coordinate where the dependent ones follow; of a dependent one, with the one it depends on
    following it."""
    slopes: dict[int, list[tuple[int, float]]] = {
        c.dependent: [(i, curve(q[i], 1)) for i, curve in c.terms] for c in skeleton.couplers
    }
    n = len(gradient)
    moves = np.eye(n)
    for _ in slopes:
        for dependent, terms in slopes.items():
            moves[dependent] = sum((slope * moves[i] for i, slope in terms), np.zeros(n))
    out = gradient @ moves
    for dependent, terms in slopes.items():
        driving = [(i, moves[dependent, i]) for i, _ in terms if moves[dependent, i] != 0.0]
        out[dependent] = out[driving[0][0]] / driving[0][1] if len(driving) == 1 else 0.0
    return np.asarray(out)
