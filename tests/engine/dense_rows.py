"""Constraint rows of the oracle (`dense_kkt.py`): each constraint is written as a function of poses, and the row is
its derivative by a complex step."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from redmax_blender.engine.scene import spec as sc

Array = np.ndarray
EPS = 1e-30


def hat(w: Array) -> Array:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]], dtype=np.asarray(w).dtype)


def vee(X: Array) -> Array:
    """Twist of a 4x4 matrix E⁻¹ Ė."""
    return np.array([X[2, 1], X[0, 2], X[1, 0], *X[:3, 3]])


def rotation(w: Array) -> Array:
    """Rotation matrix of a rotation vector, analytic in it."""
    w = np.asarray(w, complex)
    x = (w * w).sum()
    if abs(x) < 1e-8:
        a, b = 1.0 - x / 6.0 + x * x / 120.0, 0.5 - x / 24.0 + x * x / 720.0
    else:
        angle = np.sqrt(x)
        a, b = np.sin(angle) / angle, (1.0 - np.cos(angle)) / x
    W = hat(w)
    return np.eye(3) + a * W + b * W @ W


def moved_along(k: int, s: float) -> Array:
    """Pose of a frame that was turned (k < 3) or moved (k >= 3) by s along one of its axes."""
    E = np.eye(4)
    if k < 3:
        E[:3, :3] = rotation(s * np.eye(3)[k]).real
    else:
        E[k - 3, 3] = s
    return E


def inverse(E: Array) -> Array:
    """Of a pose."""
    out = np.eye(4, dtype=E.dtype)
    out[:3, :3] = E[:3, :3].T
    out[:3, 3] = -E[:3, :3].T @ E[:3, 3]
    return out


def pose(p: sc.Pose) -> Array:
    E = np.eye(4)
    E[:3, 3] = p.position
    if len(p.rotation) == 3:
        E[:3, :3] = rotation(np.array(p.rotation)).real
    else:
        w, *v = np.array(p.rotation) / np.linalg.norm(p.rotation)
        V = hat(np.array(v))
        E[:3, :3] = np.eye(3) + 2.0 * w * V + 2.0 * V @ V
    return E


def curve(c: Any, t: float) -> tuple[float, float]:
    """Value and rate."""
    match c:
        case sc.Constant():
            return c.value, 0.0
        case sc.Polynomial():
            p = np.polynomial.Polynomial(c.coefficients)
            return float(p(t - c.t0)), float(p.deriv()(t - c.t0)) if len(c.coefficients) > 1 else 0.0
        case sc.Sine():
            w = 2.0 * np.pi * c.frequency
            return c.offset + c.amplitude * np.sin(w * t + c.phase), w * c.amplitude * np.cos(w * t + c.phase)
    raise NotImplementedError(type(c).__name__)


def points_of(oracle: Any, points: list[sc.Point]) -> tuple[Array, Array]:
    """World positions (k, 3) and their derivatives by the velocities of all bodies (k, 3, 6 nb)."""
    x, P = [], []
    for p in points:
        D = np.zeros((3, 6 * oracle.nb))
        if p.body is None:
            x.append(np.array(p.position, float))
        else:
            i = oracle.names.index(p.body)
            local = (oracle.shapes[i] @ np.array([*p.position, 1.0]))[:3]
            R = oracle.E[i][:3, :3]
            x.append(R @ local + oracle.E[i][:3, 3])
            D[:, 6 * i : 6 * i + 3], D[:, 6 * i + 3 : 6 * i + 6] = -R @ hat(local), R
        P.append(D)
    return np.array(x), np.array(P)


def constraint_rows(oracle: Any, c: Any) -> tuple[list[Array], list[float]]:
    """Rows, and velocities that move bodies as far as their targets move in the step."""
    if isinstance(c, sc.PrescribedTwist):
        return twist_rows(oracle, c)
    bodies = [b for b in range(oracle.nb) if oracle.names[b] in names_of(c)]
    here = [E.astype(complex) for E in oracle.E]
    now = np.asarray(errors(oracle, c, here, oracle.t)).real
    before = np.asarray(errors(oracle, c, here, oracle.t - oracle.h)).real
    rows = np.zeros((len(now), 6 * oracle.nb))
    for b in bodies:
        for k in range(6):
            E = [m.astype(complex) for m in oracle.E]
            e = np.zeros(6)
            e[k] = 1.0
            X = np.zeros((4, 4))
            X[:3, :3], X[:3, 3] = hat(e[:3]), e[3:]
            E[b] = E[b] + 1j * EPS * E[b] @ X
            rows[:, 6 * b + k] = np.asarray(errors(oracle, c, E, oracle.t)).imag / EPS
    return list(rows), list((before - now) / oracle.h)


def names_of(c: Any) -> list[str]:
    match c:
        case sc.PrescribedPoint():
            return [c.point.body or ""]
        case sc.PrescribedPose():
            return [c.body]
    return [c.a.body or "", c.b.body or ""]


def errors(oracle: Any, c: Any, E: list[Array], t: float) -> list[Any]:
    """What is to be zero at time t, for bodies at E."""

    def where(p: sc.Point) -> tuple[Array, Array]:
        """World position of a point and the rotation of its joint frame."""
        if p.body is None:
            return np.array(p.position, complex), np.eye(3, dtype=complex)
        i = oracle.names.index(p.body)
        local = (oracle.shapes[i] @ np.array([*p.position, 1.0]))[:3]
        return E[i][:3, :3] @ local + E[i][:3, 3], E[i][:3, :3]

    def start(p: sc.Point) -> Array:
        """Rotation of a point's joint frame in the pose that loops are defined in, which is the present one."""
        return np.eye(3) if p.body is None else oracle.E[oracle.names.index(p.body)][:3, :3]

    if isinstance(c, sc.PrescribedPoint):
        x = where(c.point)[0]
        if c.direction is not None:
            d = np.array(c.direction) / np.linalg.norm(c.direction)
            return [d @ x - curve(c.path[0], t)[0]]
        return [x[k] - curve(p, t)[0] for k, p in enumerate(c.path) if p is not None]
    if isinstance(c, sc.PrescribedPose):
        i = oracle.names.index(c.body)
        S = E[i] @ oracle.shapes[i]
        out = [S[k, 3] - curve(p, t)[0] for k, p in enumerate(c.position) if p is not None]
        if c.rotation:
            w = [0.0 if p is None else curve(p, t)[0] for p in c.rotation]
            goal = rotation(np.array(w)).real
            out += [S[:3, k] @ goal[:, (k + 1) % 3] for k in range(3)]
        return out
    (xa, Ra), (xb, Rb) = where(c.a), where(c.b)
    if isinstance(c, sc.LoopDistance):
        gap = xa - xb
        return [np.sqrt((gap * gap).sum()) - c.length]
    if isinstance(c, sc.LoopPoint) and c.perpendicular_to is None:
        return list(xa - xb)
    if isinstance(c, sc.LoopWeld):
        meet = np.append(points_of(oracle, [c.a])[0][0], 1.0)
        if c.b.body is not None:
            i = oracle.names.index(c.b.body)
            meet = E[i] @ inverse(oracle.E[i]) @ meet
        xb = meet[:3]
        turned = Ra @ start(c.a).T @ start(c.b) @ Rb.T
        return [
            *(xa - xb),
            turned[2, 1] - turned[1, 2],
            turned[0, 2] - turned[2, 0],
            turned[1, 0] - turned[0, 1],
        ]
    axis = np.array(c.perpendicular_to if isinstance(c, sc.LoopPoint) else c.axis)
    axis = axis / np.linalg.norm(axis)
    across = scipy.linalg.null_space(axis[None])
    on_b = Rb @ start(c.b).T @ start(c.a)
    parallel = [(Ra @ d) @ (on_b @ axis) for d in across.T]
    if isinstance(c, sc.LoopHinge):
        return [*(xa - xb), *parallel]
    beside = [(Ra @ d) @ (xa - xb) for d in across.T]
    if isinstance(c, sc.LoopPoint):
        return beside
    if isinstance(c, sc.LoopPiston):
        return beside + parallel
    return [*beside, *parallel, (Ra @ across[:, 0]) @ (on_b @ across[:, 1])]


def twist_rows(oracle: Any, c: sc.PrescribedTwist) -> tuple[list[Array], list[float]]:
    i = oracle.names.index(c.body)
    S = oracle.shapes[i]
    R, p = S[:3, :3], S[:3, 3]
    rows, wanted = [], []
    for k in c.components:
        row = np.zeros(6 * oracle.nb)
        if k < 3:
            row[6 * i : 6 * i + 3] = R[:, k]
            wanted.append(curve(c.angular[k], oracle.t)[0] if c.angular and c.angular[k] is not None else 0.0)
        else:
            axis = R[:, k - 3]
            row[6 * i : 6 * i + 3], row[6 * i + 3 : 6 * i + 6] = np.cross(p, axis), axis
            v = np.array([0.0 if x is None else curve(x, oracle.t)[0] for x in c.linear] or [0.0] * 3)
            wanted.append(float(oracle.E[i][:3, :3] @ axis @ v))
        rows.append(row)
    return rows, wanted
