"""Bilateral Staggered Projections (paper, Alg. 3) as the published code does them: dense, in maximal coordinates, with
points on every joint, a friction QP over all their tangents, and joint reactions from the difference of two solves.

For trees of revolute and prismatic joints without springs. `tolerance` is that of the published code when 1e-3.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import lsq_linear

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.friction.joints.arrays import Rub
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import State
from redmax_blender.engine.tree.jacobian import dense_jacobian, dense_jacobian_dot
from redmax_blender.engine.tree.kinematics import body_poses, forward_kinematics

Floats = np.ndarray
REGULARISATION = 1e-6


def joint_points(model: Model, i: int, S: Floats, points: int) -> tuple[Floats, Floats, Floats]:
    """Points in the joint frame, the two normals and the tangent of each, for pair i of the model's surfaces."""
    rubs = model.friction.rubs
    size = rubs.size[i]
    if rubs.shape[i] == Rub.CYLINDER:
        axis = S[:3]
        z = np.array([0.0, 0.0, 1.0])
        turn = np.cross(axis, z)
        R = np.eye(3)
        if np.linalg.norm(turn) > 1e-12:
            R = se3.exp_so3(np.arccos(axis @ z) * turn / np.linalg.norm(turn)).T
        xs, ns, ts = [], [], []
        for end in (-0.5, 0.5):
            for k in range(points):
                a = 2 * np.pi * k / points
                u = R @ np.array([np.cos(a), np.sin(a), 0.0])
                xs.append(size[0] * u + end * size[1] * axis)
                ns.append([u, axis])
                ts.append(np.cross(axis, u))
        return np.array(xs), np.array(ns), np.array(ts)
    axis = S[3:]
    lateral = [e for e in np.eye(3) if abs(e @ axis) < 0.5]
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.5 * size
    return corners, np.array([lateral] * 8), np.array([axis] * 8)


@dataclass
class Staggered:
    model: Model
    h: float
    points: int = 4
    tolerance: float = 1e-3
    most: int = 100
    couples: bool = False
    """Whether the tangents of a joint act together, as a couple or a force along its motion alone."""
    f_beta: Floats = field(init=False)
    iterations: int = 0

    def __post_init__(self) -> None:
        self.f_beta = np.zeros(6 * len(self.model.bodies.names))

    def step(self, state: State) -> State:
        model, h = self.model, self.h
        kin = forward_kinematics(model, state)
        J, Jdot = dense_jacobian(model, kin), dense_jacobian_dot(model, kin, state.qdot)
        M = model.bodies.inertia.ravel()
        phi = (J @ state.qdot).reshape(-1, 6)
        f = np.empty_like(phi)
        poses = [se3.pose_matrix(E) for E in body_poses(model.bodies, kin)]
        for i, E in enumerate(poses):
            I = model.bodies.inertia[i]
            f[i] = se3.ad(phi[i]).T @ (I * phi[i])
            f[i, 3:] += I[3] * E[:3, :3].T @ model.gravity
        f_m = f.ravel()
        A = J.T @ (M[:, None] * J)
        b = A @ state.qdot + h * J.T @ (f_m - M * (Jdot @ state.qdot))
        N, T, owner = self.rows(kin, poses)
        load = M * (J @ state.qdot) + h * f_m
        before = np.zeros(len(M))
        for iteration in range(1, self.most + 1):
            self.iterations = iteration
            v_unc = J @ state.qdot + h * (f_m + self.f_beta) / M
            v_con = J @ np.linalg.solve(A, b + h * J.T @ self.f_beta)
            f_alpha = M * (v_con - v_unc) / h
            change = f_alpha - before
            if change @ (change / M) < self.tolerance * (f_alpha @ (f_alpha / M)):
                break
            before = f_alpha
            bound = self.bounds(f_alpha, N, owner, poses)
            root = np.sqrt(M)
            some = bound > 0.0
            beta = np.zeros(len(bound))
            found = lsq_linear(
                (T[some] / root).T,
                (load + h * f_alpha) / root,
                (-bound[some], bound[some]),
                "bvls",
                tol=1e-14,
            )
            beta[some] = found.x
            self.f_beta = -T.T @ beta / h
        qdot = np.linalg.solve(A, b + h * J.T @ (f_alpha + self.f_beta))
        return State(state.t + h, state.q + h * qdot, qdot, state.chart)

    def rows(self, kin, poses) -> tuple[list[Floats], Floats, list[int]]:
        """Normal rows of every pair, (2 points, 6 nb); tangent rows of all points; and the bodies of the pairs."""
        model = self.model
        rubs, nb = model.friction.rubs, len(poses)
        body_of = {int(l): b for b, l in enumerate(model.bodies.link)}
        N, T, owner = [], [], []
        for i in range(len(rubs)):
            link = int(rubs.link[i])
            child, up = body_of[link], int(model.tree.parent[link])
            parent = body_of[up] if up >= 0 else -1
            E_wj = se3.pose_matrix(kin.E_wj[link])
            xs, ns, ts = joint_points(model, i, kin.S[rubs.dof[i]], self.points)

            def row(x, d, child=child, parent=parent, E_wj=E_wj):
                g = np.zeros(6 * nb)
                for body, sign in ((child, 1.0), (parent, -1.0)):
                    if body >= 0:
                        E = np.linalg.inv(poses[body]) @ E_wj
                        p, n = (E @ np.r_[x, 1.0])[:3], E[:3, :3] @ d
                        g[6 * body : 6 * body + 6] += sign * np.r_[np.cross(p, n), n]
                return g

            N.append(np.array([row(x, n[k]) for x, n in zip(xs, ns, strict=True) for k in range(2)]))
            tangents = np.array([row(x, t) for x, t in zip(xs, ts, strict=True)])
            T += [tangents.mean(axis=0)] if self.couples else list(tangents)
            owner.append(child)
        return N, np.array(T), owner

    def bounds(self, f_alpha: Floats, N: list[Floats], owner: list[int], poses) -> Floats:
        """Largest friction impulse at every point (paper, Eq. 16)."""
        model, h = self.model, self.h
        body_of = {int(l): b for b, l in enumerate(model.bodies.link)}
        f = f_alpha.reshape(-1, 6).copy()
        down = {}
        for link in range(model.nl - 1, -1, -1):
            b, up = body_of[link], int(model.tree.parent[link])
            if up >= 0:
                p = body_of[up]
                carried = se3.Ad(np.linalg.inv(poses[b]) @ poses[p]).T @ f[b]
                down[b] = (p, carried)
                f[p] += carried
        out = []
        for i, rows in enumerate(N):
            b = owner[i]
            w = np.zeros(f.size)
            w[6 * b : 6 * b + 6] = f[b]
            if b in down:
                p, carried = down[b]
                w[6 * p : 6 * p + 6] = -carried
            inverse = 1.0 / model.bodies.inertia.ravel()
            H = (rows * inverse) @ rows.T + REGULARISATION * np.eye(len(rows))
            a = np.linalg.solve(H, (rows * inverse) @ w * h)
            bound = model.friction.rubs.mu[i, 0] * np.abs(a).reshape(-1, 2).sum(axis=1)
            out.append([bound.sum()] if self.couples else bound)
        return np.concatenate(out)
