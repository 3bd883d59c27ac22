"""RedMax's other route, dense and plain: Jᵀ M J and what stands on the right-hand side, from the papers' formulas."""

from __future__ import annotations

import numpy as np

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import State
from redmax_blender.engine.tree.jacobian import dense_jacobian, dense_jacobian_dot
from redmax_blender.engine.tree.kinematics import body_poses, forward_kinematics

Floats = np.ndarray


def mass_matrix(model: Model, state: State) -> Floats:
    """Jᵀ M J, shape (nr, nr)."""
    J = dense_jacobian(model, forward_kinematics(model, state))
    return np.asarray(J.T @ (model.bodies.inertia.reshape(-1, 1) * J))


def quadratic_force(model: Model, state: State) -> Floats:
    """Jᵀ (f - M Jdot qdot), with f the Coriolis and gravity wrenches of the bodies (supplement Eq. 9), shape (nr,)."""
    kin = forward_kinematics(model, state)
    J, Jdot = dense_jacobian(model, kin), dense_jacobian_dot(model, kin, state.qdot)
    M = model.bodies.inertia
    phi = (J @ state.qdot).reshape(-1, 6)
    f = np.empty_like(phi)
    for i, E in enumerate(body_poses(model.bodies, kin)):
        R = se3.pose_matrix(E)[:3, :3]
        f[i] = se3.ad(phi[i]).T @ (M[i] * phi[i])
        f[i, 3:] += M[i, 3] * R.T @ model.gravity
    return np.asarray(J.T @ (f.ravel() - M.ravel() * (Jdot @ state.qdot)))


def accelerations(model: Model, state: State, tau: Floats) -> Floats:
    """Solve Jᵀ M J qddot = Jᵀ (f - M Jdot qdot) + tau."""
    return np.linalg.solve(mass_matrix(model, state), quadratic_force(model, state) + tau)
