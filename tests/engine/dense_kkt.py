"""An oracle for one implicit step: maximal coordinates, joints as explicit constraint rows, everything dense.

It shares no code with the engine. Poses are products of 4x4 matrices of complex numbers, so that velocities, motion
subspaces and the rows of constraints are exact derivatives by a complex step, and only the second derivative along the
motion is a difference. Six velocities a body, in the frame of its joint, solve

    [Ã  Cᵀ] [ v ]   [M v0 + h (f - M Jdot qdot)]
    [C  0 ] [-λ ] = [            w             ]

with rows C for the joints, for prescribed motions, gears and couplings, and for everything that acts between bodies.
Limits are the subset of their rows for which all multipliers push and no limit is passed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any

import numpy as np
from dense_rows import constraint_rows, curve, hat, inverse, moved_along, points_of, pose, rotation, vee
from scipy.linalg import null_space

from redmax_blender.engine.scene import spec as sc

Array = np.ndarray
EPS = 1e-30
"""Length of a complex step: so short that nothing but the derivative is left."""
RECOVERY = 10.0
"""Rate at which a coordinate comes back that begins beyond its limit [1/s]."""


def joint_transform(kind: Any, q: Array) -> Array:
    """Q(q) of a joint, shape (4, 4), complex where q is."""
    E = np.eye(4, dtype=complex)
    match kind:
        case sc.Fixed():
            pass
        case sc.Revolute():
            E[:3, :3] = rotation(np.array(kind.axis) / np.linalg.norm(kind.axis) * q[0])
        case sc.Prismatic():
            E[:3, 3] = np.array(kind.axis) / np.linalg.norm(kind.axis) * q[0]
        case sc.Planar():
            E[:2, 3] = q
        case sc.Translational():
            E[:3, 3] = q
        case sc.Universal():
            E[:3, :3] = rotation(q[0] * np.eye(3)[0]) @ rotation(q[1] * np.eye(3)[1])
        case sc.Spherical():
            E[:3, :3] = rotation(q)
        case sc.Free():
            E[:3, 3], E[:3, :3] = q[:3], rotation(q[3:])
        case sc.FreePlanar():
            E[:2, 3], E[:3, :3] = q[:2], rotation(q[2] * np.eye(3)[2])
        case _:
            raise NotImplementedError(type(kind).__name__)
    return E


def dofs(kind: Any) -> int:
    return {
        sc.Fixed: 0, sc.Revolute: 1, sc.Prismatic: 1, sc.Planar: 2, sc.Translational: 3, sc.Universal: 2,
        sc.Spherical: 3, sc.Free: 6, sc.FreePlanar: 3, sc.SphericalEuler: 3, sc.SplineCurve: 1,
        sc.SplineSurface: 2,
    }[type(kind)]  # fmt: skip


def adjoint(E: Array) -> Array:
    R, p = E[:3, :3], E[:3, 3]
    out = np.zeros((6, 6), E.dtype)
    out[:3, :3] = out[3:, 3:] = R
    out[3:, :3] = hat(p) @ R
    return out


@dataclass
class Solution:
    v: Array
    """Velocity of every body, in its joint frame, shape (nb, 6)."""
    rates: list[Array]
    """Rates of the coordinates of every joint."""
    miss: float
    """By how much the constraint rows cannot be met."""


class Oracle:
    """One step of h [s] from coordinates q and rates qdot, a list with an array a body each."""

    def __init__(self, spec: sc.SceneSpec, q: list[Array], qdot: list[Array], h: float) -> None:
        self.spec, self.q, self.qdot, self.h = spec, q, qdot, h
        self.t = spec.time.start + h
        self.names = [b.name for b in spec.bodies]
        self.parents = [-1 if b.parent is None else self.names.index(b.parent) for b in spec.bodies]
        self.nb = len(self.names)
        self.shapes = [pose(b.pose) for b in spec.bodies]
        self.frames = [pose(b.joint.frame) for b in spec.bodies]
        self.E = [E.real for E in self.poses(q)]
        self.V = self.twists(0.0)
        far, near = self.twists(1e-3) - self.twists(-1e-3), self.twists(5e-4) - self.twists(-5e-4)
        self.bias = (8.0 * near - far) / 6e-3  # Jdot qdot, to fourth order
        self.Ad_jp, self.S, self.L = [], [], []
        for b in range(self.nb):
            self._joint(b)

    def poses(self, q: list[Array]) -> list[Array]:
        """World pose of every joint frame."""
        out: list[Any] = [None] * self.nb
        todo = list(range(self.nb))
        while todo:
            b = todo.pop(0)
            p = self.parents[b]
            if p >= 0 and out[p] is None:
                todo.append(b)
                continue
            joint = self.spec.bodies[b].joint
            above = np.eye(4) if p < 0 else out[p]
            out[b] = above @ self.frames[b] @ joint_transform(joint.type, q[b])
        return out

    def twists(self, s: float) -> Array:
        """Body twists at q + s qdot with rates qdot, shape (nb, 6)."""
        along = [a + (s + 1j * EPS) * b for a, b in zip(self.q, self.qdot)]
        return np.array([vee(inverse(E.real) @ E.imag / EPS) for E in self.poses(along)])

    def _joint(self, b: int) -> None:
        joint, p = self.spec.bodies[b].joint, self.parents[b]
        Q = joint_transform(joint.type, self.q[b].astype(complex)).real
        n = dofs(joint.type)
        S = np.zeros((6, n))
        for k in range(n):
            step = joint_transform(joint.type, self.q[b] + 1j * EPS * np.eye(n)[k])
            S[:, k] = vee(inverse(Q) @ step.imag / EPS)
        row = np.zeros((6, 6 * self.nb))
        row[:, 6 * b : 6 * b + 6] = np.eye(6)
        if p >= 0:
            row[:, 6 * p : 6 * p + 6] = -adjoint(inverse(self.frames[b] @ Q))
        self.Ad_jp.append(row)
        self.S.append(S)
        self.L.append(np.linalg.pinv(S) @ row if n else np.zeros((0, 6 * self.nb)))

    def assemble(self) -> tuple[Array, Array]:
        """Ã and the right-hand side, without constraints."""
        n, h = 6 * self.nb, self.h
        A, b = np.zeros((n, n)), np.zeros(n)
        g = np.array(self.spec.gravity)
        for i, body in enumerate(self.spec.bodies):
            at = slice(6 * i, 6 * i + 6)
            to_body = adjoint(inverse(self.shapes[i]))
            assert isinstance(body.shape, sc.Inertia)
            m, I = body.shape.mass, body.shape.moments
            M = to_body.T @ np.diag([*I, m, m, m]) @ to_body
            V = self.V[i]
            momentum = M @ V
            w, v = V[:3], V[3:]
            gyro = -np.concatenate(
                [np.cross(w, momentum[:3]) + np.cross(v, momentum[3:]), np.cross(w, momentum[3:])]
            )
            weight = M @ np.concatenate([np.zeros(3), self.E[i][:3, :3].T @ g])
            drag = body.damping * to_body.T @ to_body
            A[at, at] += M + (h * drag if body.implicit else 0.0)
            b[at] += momentum + h * (gyro + weight - M @ self.bias[i] - (0.0 if body.implicit else drag @ V))
        self._joint_forces(A, b)
        for force in self.spec.forces:
            match force:
                case sc.Spring():
                    self._spring(force, A, b)
                case sc.PointForce():
                    self._push(force, b)
                case sc.Wind():
                    self._wind(force, A, b)
        return A, b

    def _joint_forces(self, A: Array, b: Array) -> None:
        h = self.h
        start = self.spec.bodies
        for i, body in enumerate(start):
            joint = body.joint
            for k in range(dofs(joint.type)):
                q, L = self.q[i][k], self.L[i][k]
                stretch = q - per(joint.rest, k, per(joint.q, k, 0.0))
                stiffness, damping = per(joint.stiffness, k, 0.0), per(joint.damping, k, 0.0)
                force = -stiffness * stretch
                if joint.torque and joint.torque[k] is not None:
                    force += curve(joint.torque[k], self.t)[0]
                if joint.spring_curve and joint.spring_curve[k] is not None:
                    pull, slope = curve(joint.spring_curve[k], stretch)
                    force, stiffness = force - pull, stiffness + slope
                if not joint.implicit:
                    force -= damping * self.qdot[i][k]
                    stiffness = damping = 0.0
                limits = joint.limits
                if limits is not None and limits.stiffness is not None:
                    low, high = per(limits.lower, k, -np.inf), per(limits.upper, k, np.inf)
                    beyond = min(q - low, 0.0) + max(q - high, 0.0)
                    if beyond:
                        force -= limits.stiffness * beyond
                        stiffness, damping = stiffness + limits.stiffness, damping + limits.damping
                if self._mode(joint) == "guided" and joint.motion[k] is not None:
                    value, rate = curve(joint.motion[k], self.t)
                    force += joint.guide.stiffness * (value - q) + joint.guide.damping * rate
                    stiffness, damping = stiffness + joint.guide.stiffness, damping + joint.guide.damping
                b += h * force * L
                A += (h * damping + h * h * max(stiffness, 0.0)) * np.outer(L, L)

    def _mode(self, joint: sc.JointSpec) -> str:
        mode = "prescribed" if any(c is not None for c in joint.motion) else "none"
        for switch in joint.modes:
            if self.t > switch.time:
                mode = switch.mode
        return mode

    def _spring(self, force: sc.Spring, A: Array, b: Array) -> None:
        h, n = self.h, 6 * self.nb
        x, P = points_of(self, force.points)  # world positions (k, 3) and their derivatives (k, 3, n)
        rest = force.rest_length
        spans = np.linalg.norm(np.diff(x, axis=0), axis=1)
        assert rest is not None, "the oracle wants explicit rest lengths"
        stretch = spans.sum() - rest
        if force.tension_only and stretch <= 0.0:
            return
        u = np.diff(x, axis=0) / spans[:, None]
        D = np.diff(P, axis=0)
        gamma = np.einsum("ki,kin->n", u, D)
        b -= h * force.stiffness * stretch * gamma
        if force.tangent == "explicit":
            b -= h * force.damping * float(gamma @ self.V.ravel()) * gamma
            return
        A += h * force.damping * np.outer(gamma, gamma)
        if force.tangent == "exact":
            A += h * h * self._curvature(force, n)
            return
        A += h * h * force.stiffness * np.outer(gamma, gamma)
        if force.tangent == "projected":
            for i, (a, c) in enumerate(zip(force.points[:-1], force.points[1:])):
                if a.body != c.body:
                    across = np.eye(3) - np.outer(u[i], u[i])
                    A += h * h * force.stiffness * max(stretch, 0.0) / spans[i] * D[i].T @ across @ D[i]

    def _curvature(self, force: sc.Spring, n: int) -> Array:
        """Symmetric part of the derivative of the elastic wrench by displacements of the bodies."""

        bodies = {self.names.index(p.body) for p in force.points if p.body is not None}
        columns = [6 * i + c for i in bodies for c in range(6)]

        def slope(j: int, s: float) -> Array:
            out = np.zeros(n)
            moved = list(self.E)
            moved[j // 6] = moved[j // 6] @ moved_along(j % 6, s)
            for k in columns:
                E = list(moved)
                E[k // 6] = moved[k // 6] + 1j * EPS * moved[k // 6] @ hat6(np.eye(6)[k % 6])
                x = np.array([world_point(self, E, p) for p in force.points])
                d = np.diff(x, axis=0)
                length = np.sqrt((d * d).sum(axis=1)).sum()
                out[k] = (0.5 * force.stiffness * (length - force.rest_length) ** 2).imag / EPS
            return out

        K = np.zeros((n, n))
        for j in columns:
            s = 1e-3
            K[:, j] = (8.0 * (slope(j, s / 2) - slope(j, -s / 2)) - (slope(j, s) - slope(j, -s))) / (6.0 * s)
        return 0.5 * (K + K.T)

    def _push(self, force: sc.PointForce, b: Array) -> None:
        i = self.names.index(force.body)
        _, P = points_of(self, [sc.Point(body=force.body, position=force.position)])
        R = self.E[i][:3, :3]
        axes = np.eye(3) if force.axes == "world" else R @ self.shapes[i][:3, :3]
        F = axes @ three(force.force, self.t)
        b += self.h * P[0].T @ F
        b[6 * i : 6 * i + 3] += self.h * R.T @ axes @ three(force.torque, self.t)

    def _wind(self, force: sc.Wind, A: Array, b: Array) -> None:
        air = three(force.velocity, self.t)
        for name in self.names if force.bodies is None else force.bodies:
            _, P = points_of(
                self, [sc.Point(body=name)]
            )  # an `Inertia` has its centre at the origin of its shape
            past = air - P[0] @ self.V.ravel()
            c = force.linear + force.quadratic * np.linalg.norm(past)
            if force.implicit:
                A += self.h * c * P[0].T @ P[0]
                b += self.h * c * P[0].T @ air
            else:
                b += self.h * c * P[0].T @ past

    def equalities(self) -> tuple[Array, Array]:
        """Rows and what they are to be."""
        rows, wanted = [], []
        for i, body in enumerate(self.spec.bodies):
            across = null_space(self.S[i].T) if self.S[i].size else np.eye(6)
            rows += list(across.T @ self.Ad_jp[i])
            wanted += [0.0] * across.shape[1]
            if self._mode(body.joint) == "prescribed":
                for k, motion in enumerate(body.joint.motion):
                    if motion is not None:
                        rows.append(self.L[i][k])
                        wanted.append((curve(motion, self.t)[0] - self.q[i][k]) / self.h)
        for coupling in self.spec.couplings:
            each = [self._rate(t) / t.factor for t in coupling.terms]
            rows += [e - each[0] for e in each[1:]]
            wanted += [0.0] * (len(each) - 1)
        for constraint in self.spec.constraints:
            if isinstance(constraint, sc.Gear):
                rows.append(sum(t.factor * self._rate(t) for t in constraint.terms))
                wanted.append(0.0)
            else:
                g, w = constraint_rows(self, constraint)
                rows += g
                wanted += w
        return np.array(rows).reshape(-1, 6 * self.nb), np.array(wanted)

    def _joint_number(self, term: sc.Term) -> int:
        return [b.joint.name or b.name for b in self.spec.bodies].index(term.joint)

    def _rate(self, term: sc.Term) -> Array:
        return self.L[self._joint_number(term)][term.index]

    def limits(self) -> tuple[list[Array], list[float]]:
        """Rows of hard stops: row · v >= wanted."""
        rows, wanted = [], []
        for i, body in enumerate(self.spec.bodies):
            limits = body.joint.limits
            if limits is None or limits.stiffness is not None:
                continue
            prescribed = self._mode(body.joint) == "prescribed"
            for k in range(dofs(body.joint.type)):
                if prescribed and body.joint.motion[k] is not None:
                    continue  # a motion goes where it goes
                for side, bound in ((1.0, per(limits.lower, k, None)), (-1.0, per(limits.upper, k, None))):
                    if bound is None:
                        continue
                    gap, speed = side * (self.q[i][k] - bound), side * self.qdot[i][k]
                    least = -gap / self.h if gap >= 0.0 else -gap * RECOVERY
                    if limits.restitution and gap + self.h * speed < 0.0:
                        least = max(least, -limits.restitution * speed)
                    rows.append(side * self.L[i][k])
                    wanted.append(least)
        return rows, wanted

    def solve(self) -> Solution:
        A, b = self.assemble()
        C, w = self.equalities()
        stops, least = self.limits()
        subsets = chain.from_iterable(combinations(range(len(stops)), k) for k in range(len(stops) + 1))
        best: Solution | None = None
        for chosen in subsets:
            rows = np.vstack([C, *(stops[i] for i in chosen)])
            v, pushes, miss = kkt(A, b, rows, np.concatenate([w, [least[i] for i in chosen]]))
            if best is None:
                best = self._solution(v, miss)
            passed = min((stops[i] @ v - least[i] for i in range(len(stops))), default=0.0)
            if passed >= -1e-9 and all(p >= -1e-9 for p in pushes[len(C) :]):
                return self._solution(v, miss)
        assert best is not None
        best.miss = np.inf  # no subset of stops works: they contradict the rest
        return best

    def _solution(self, v: Array, miss: float) -> Solution:
        return Solution(v.reshape(-1, 6), [L @ v for L in self.L], miss)


def kkt(A: Array, b: Array, C: Array, w: Array) -> tuple[Array, Array, float]:
    """Velocities, multipliers (the least ones where rows repeat each other), and the largest miss of a row."""
    n, m = len(b), len(w)
    scale = np.linalg.norm(A) / max(float(np.linalg.norm(C)), 1.0)
    K = np.zeros((n + m, n + m))
    K[:n, :n], K[:n, n:], K[n:, :n] = A, scale * C.T, scale * C
    x = np.linalg.lstsq(K, np.concatenate([b, scale * w]), rcond=1e-13)[0]
    v = x[:n]
    return v, -scale * x[n:], float(np.abs(C @ v - w).max(initial=0.0))


def hat6(xi: Array) -> Array:
    out = np.zeros((4, 4), xi.dtype)
    out[:3, :3], out[:3, 3] = hat(xi[:3]), xi[3:]
    return out


def world_point(oracle: Oracle, E: list[Array], point: sc.Point) -> Array:
    if point.body is None:
        return np.array(point.position, complex)
    i = oracle.names.index(point.body)
    local = oracle.shapes[i] @ np.array([*point.position, 1.0])
    return (E[i] @ local)[:3]


def per(value: Any, k: int, otherwise: Any) -> Any:
    """Entry k of a list, or the number that holds for all coordinates."""
    if value is None:
        return otherwise
    if isinstance(value, (list, tuple)):
        return otherwise if value[k] is None else value[k]
    return value


def three(curves: list[Any], t: float) -> Array:
    return np.array([0.0 if c is None else curve(c, t)[0] for c in curves] or [0.0, 0.0, 0.0])
