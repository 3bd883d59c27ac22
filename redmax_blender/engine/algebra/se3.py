"""Rigid transforms and twists on NumPy arrays: exp, log, Ad, ad and their derivatives.

Twists are (angular, linear) in body coordinates: Ė = E [ξ]. Poses are 4x4 matrices here; the kernels keep them as
rows of twelve numbers (`pose_row`, `pose_matrix`). The coefficient functions are shared with the joint kernels.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..jit.decorators import njit

Floats = NDArray[np.float64]

_SERIES_BELOW = 4.0
"""Switch of the coefficient functions between power series and closed form, in θ²: both are good to 1e-15 there."""


@njit
def exp_coefficients(x: float) -> tuple[float, float, float, float, float, float, float, float]:
    """(a0 … a7) with a_k(x) = Σ_n (-x)^n / (2n + k)!, x = θ².

    a0 = cos θ, a1 = sin θ / θ, a2 = (1 - cos θ) / θ², a3 = (θ - sin θ) / θ³ and so on; they satisfy
    a_k = 1/k! - x a_{k+2} and da_k/dx = (k a_{k+2} - a_{k+1}) / 2, so that every derivative of the exponential map
    is made of them without a division, whatever the angle.
    """
    if x < _SERIES_BELOW:
        a7 = 0.0
        a6 = 0.0
        for i in range(11):
            n = 10 - i
            a7 = 1.0 - x * a7 / ((2 * n + 8) * (2 * n + 9))
            a6 = 1.0 - x * a6 / ((2 * n + 7) * (2 * n + 8))
        a7 /= 5040.0
        a6 /= 720.0
        a5 = 1.0 / 120.0 - x * a7
        a4 = 1.0 / 24.0 - x * a6
        a3 = 1.0 / 6.0 - x * a5
        a2 = 0.5 - x * a4
        a1 = 1.0 - x * a3
        a0 = 1.0 - x * a2
    else:
        theta = math.sqrt(x)
        a0 = math.cos(theta)
        a1 = math.sin(theta) / theta
        a2 = (1.0 - a0) / x
        a3 = (1.0 - a1) / x
        a4 = (0.5 - a2) / x
        a5 = (1.0 / 6.0 - a3) / x
        a6 = (1.0 / 24.0 - a4) / x
        a7 = (1.0 / 120.0 - a5) / x
    return (a0, a1, a2, a3, a4, a5, a6, a7)


def bracket3(w: ArrayLike) -> Floats:
    """[w]: the cross-product matrix."""
    x, y, z = np.asarray(w, float)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def unbracket3(W: ArrayLike) -> Floats:
    W = np.asarray(W, float)
    return 0.5 * np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]])


def bracket6(xi: ArrayLike) -> Floats:
    """[ξ]: the 4x4 matrix of a twist."""
    xi = np.asarray(xi, float)
    X = np.zeros((4, 4))
    X[:3, :3] = bracket3(xi[:3])
    X[:3, 3] = xi[3:]
    return X


def exp_so3(w: ArrayLike) -> Floats:
    """Rotation matrix of a rotation vector [rad]."""
    w = np.asarray(w, float)
    a = exp_coefficients(float(w @ w))
    W = bracket3(w)
    return np.asarray(np.eye(3) + a[1] * W + a[2] * W @ W)


def log_so3(R: ArrayLike) -> Floats:
    """Rotation vector [rad], of length at most π, of a rotation matrix."""
    R = np.asarray(R, float)
    # By way of the quaternion (its largest component first), which is accurate at 0 and at π alike.
    q = quaternion(R)
    if q[0] < 0.0:
        q = -q
    s = float(np.linalg.norm(q[1:]))
    if s < 1e-8:
        return 2.0 * q[1:] * (1.0 + s * s / 6.0)
    return np.asarray(2.0 * math.atan2(s, q[0]) / s * q[1:])


def quaternion(R: ArrayLike) -> Floats:
    """Unit quaternion (w, x, y, z) of a rotation matrix."""
    R = np.asarray(R, float)
    K = np.array(
        [
            [1 + R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 - R[0, 0] + R[1, 1] - R[2, 2], R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 - R[0, 0] - R[1, 1] + R[2, 2]],
        ]
    )
    row = K[int(np.argmax(np.diag(K)))]
    return np.asarray(row / np.linalg.norm(row))


def rotation_matrix(q: ArrayLike) -> Floats:
    """Rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = np.asarray(q, float)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def right_jacobian(w: ArrayLike) -> Floats:
    """S of the spherical joint: body angular velocity per rate of the rotation vector, I - a2 [w] + a3 [w]²."""
    w = np.asarray(w, float)
    a = exp_coefficients(float(w @ w))
    W = bracket3(w)
    return np.asarray(np.eye(3) - a[2] * W + a[3] * W @ W)


def exp(xi: ArrayLike) -> Floats:
    """exp([ξ]), shape (4, 4)."""
    xi = np.asarray(xi, float)
    a = exp_coefficients(float(xi[:3] @ xi[:3]))
    W = bracket3(xi[:3])
    E = np.eye(4)
    E[:3, :3] += a[1] * W + a[2] * W @ W
    E[:3, 3] = xi[3:] + a[2] * W @ xi[3:] + a[3] * W @ (W @ xi[3:])
    return E


def log(E: ArrayLike) -> Floats:
    """The twist ξ with exp(ξ) = E and |angular part| <= π."""
    E = np.asarray(E, float)
    w = log_so3(E[:3, :3])
    x = float(w @ w)
    a = exp_coefficients(x)
    W = bracket3(w)
    # V⁻¹ = I - W/2 + c W², c = (1 - a1 / (2 a2)) / θ² = (a2/2 - ... ) written without a division by θ².
    c = (a[3] - 2.0 * a[4]) / (2.0 * a[2])
    p = E[:3, 3]
    return np.concatenate([w, p - 0.5 * W @ p + c * W @ (W @ p)])


def inverse(E: ArrayLike) -> Floats:
    E = np.asarray(E, float)
    X = np.eye(4)
    X[:3, :3] = E[:3, :3].T
    X[:3, 3] = -E[:3, :3].T @ E[:3, 3]
    return X


def Ad(E: ArrayLike) -> Floats:
    """Adjoint of a pose: takes twists of the child frame to the parent frame (supplement Eq. 5)."""
    E = np.asarray(E, float)
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = E[:3, :3]
    X[3:, :3] = bracket3(E[:3, 3]) @ E[:3, :3]
    return X


def ad(xi: ArrayLike) -> Floats:
    """Adjoint of a twist: the spatial cross product (supplement Eq. 8)."""
    xi = np.asarray(xi, float)
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = bracket3(xi[:3])
    X[3:, :3] = bracket3(xi[3:])
    return X


def Ad_dot(E: ArrayLike, xi: ArrayLike) -> Floats:
    """Time derivative of Ad(E) when E moves with the body twist ξ: Ad(E) ad(ξ)."""
    return np.asarray(Ad(E) @ ad(xi))


def dexp(xi: ArrayLike) -> Floats:
    """Right-trivialised derivative of exp: exp(ξ)⁻¹ d exp(ξ) = [dexp(ξ) dξ], shape (6, 6)."""
    xi = np.asarray(xi, float)
    w, v = xi[:3], xi[3:]
    x = float(w @ w)
    a = exp_coefficients(x)
    W, V = bracket3(w), bracket3(v)
    WW = W @ W
    # Directional derivative along v of the right Jacobian's series, with da_k/dx = (k a_{k+2} - a_{k+1}) / 2.
    s = 2.0 * float(w @ v)
    da2 = 0.5 * (2.0 * a[4] - a[3])
    da3 = 0.5 * (3.0 * a[5] - a[4])
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = np.eye(3) - a[2] * W + a[3] * WW
    X[3:, :3] = -a[2] * V - s * da2 * W + a[3] * (W @ V + V @ W) + s * da3 * WW
    return X


def dlog(xi: ArrayLike) -> Floats:
    """Inverse of `dexp`: how log changes with a body twist applied on the right. Singular on the 2π shell."""
    return np.asarray(np.linalg.inv(dexp(xi)))


def pose_matrix(row: ArrayLike) -> Floats:
    """4x4 matrix of a row of twelve numbers."""
    row = np.asarray(row, float)
    E = np.eye(4)
    E[:3, :3] = row[:9].reshape(3, 3)
    E[:3, 3] = row[9:12]
    return E


def pose_row(E: ArrayLike) -> Floats:
    """Row of twelve numbers of a 4x4 matrix."""
    E = np.asarray(E, float)
    return np.concatenate([E[:3, :3].ravel(), E[:3, 3]])


_ENTRIES = np.array(
    [
        [0, 1, 2, 6, 7, 8],
        [1, 3, 4, 9, 10, 11],
        [2, 4, 5, 12, 13, 14],
        [6, 9, 12, 15, 16, 17],
        [7, 10, 13, 16, 18, 19],
        [8, 11, 14, 17, 19, 20],
    ]
)
"""Where the entries of a symmetric 6x6 matrix are in its row of 21 numbers (`spatial.py`)."""


def symmetric(rows: ArrayLike) -> Floats:
    """Symmetric 6x6 matrices of rows of 21 numbers, shape (…, 6, 6)."""
    return np.asarray(np.asarray(rows, float)[..., _ENTRIES])


def symmetric_rows(matrices: ArrayLike) -> Floats:
    """Rows of 21 numbers of symmetric 6x6 matrices, shape (…, 21)."""
    M = np.asarray(matrices, float)
    flat = M.reshape(*M.shape[:-2], 36)
    where = [int(np.flatnonzero(_ENTRIES.ravel() == k)[0]) for k in range(21)]
    return np.asarray(flat[..., where])
