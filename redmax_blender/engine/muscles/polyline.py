"""Points at fractions of the length of a row of straight pieces, with derivatives along any directions at once.

That is a muscle that is straight or runs through points, with even strain: the closed form of the strands of the thesis
(Eq. 5.12-5.37), for models with many muscles.
"""

from __future__ import annotations

import numpy as np

from .records import Floats


def along(X: Floats, D: Floats, Xd: Floats, Xdd: Floats, alphas: Floats) -> tuple[Floats, Floats, Floats]:
    """Points (na, 3), their derivatives (na, 3, n), and their accelerations (na, 3).

    X (np, 3) are the corners, D (np, 3, n) how they move by n coordinates, Xd and Xdd (np, 3) their velocities and
    their accelerations while the coordinates do not accelerate.
    """
    d, dD, dv, da = np.diff(X, axis=0), np.diff(D, axis=0), np.diff(Xd, axis=0), np.diff(Xdd, axis=0)
    size = np.linalg.norm(d, axis=1)
    e = d / size[:, None]
    size_D = np.einsum("ik,ikn->in", e, dD)
    size_v = np.einsum("ik,ik->i", e, dv)
    across = dv - e * size_v[:, None]
    size_a = np.einsum("ik,ik->i", e, da) + np.einsum("ik,ik->i", across, across) / size

    def sums(x: Floats) -> Floats:
        return np.concatenate([np.zeros((1, *x.shape[1:])), np.cumsum(x, axis=0)])

    start, start_D, start_v, start_a = sums(size), sums(size_D), sums(size_v), sums(size_a)
    s = alphas * start[-1]
    k = np.clip(np.searchsorted(start, s, side="right") - 1, 0, len(size) - 1)
    # x = X_k + t d_k, with t = (α L - start_k) / size_k
    t = (s - start[k]) / size[k]
    u_D = alphas[:, None] * start_D[-1] - start_D[k]
    u_v, u_a = alphas * start_v[-1] - start_v[k], alphas * start_a[-1] - start_a[k]
    t_D = (u_D - t[:, None] * size_D[k]) / size[k][:, None]
    t_v = (u_v - t * size_v[k]) / size[k]
    t_a = (u_a - t * size_a[k] - 2.0 * t_v * size_v[k]) / size[k]
    points = X[k] + t[:, None] * d[k]
    J = D[k] + t[:, None, None] * dD[k] + d[k][:, :, None] * t_D[:, None, :]
    accel = Xdd[k] + t[:, None] * da[k] + 2.0 * t_v[:, None] * dv[k] + t_a[:, None] * d[k]
    return points, J, accel
