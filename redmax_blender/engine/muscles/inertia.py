"""The mass of muscles: Jᵀ M J, and the quadratic velocity vector Jᵀ M Jdot qdot (thesis, Eq. 5.6-5.7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..jit.decorators import njit
from ..model.records import Floats, Model
from ..model.state import State
from ..tree.kinematics import Kinematics, forward_kinematics
from .motion import follow_muscles
from .paths.smooth.packed import Followed, Paths


@njit
def _add(paths: Paths, f: Followed, gravity: Floats, M: Floats, c: Floats, g: Floats) -> None:
    J = f.jacobian
    for p in range(len(paths.paths)):
        path = paths.paths[p]
        cols = paths.columns[path.column : path.column + path.columns]
        for i in range(path.mass, path.mass + path.masses):
            m = paths.masses[i].mass
            for a in range(len(cols)):
                r = cols[a]
                J0, J1, J2 = m * J[i, 0, r], m * J[i, 1, r], m * J[i, 2, r]
                c[r] += J0 * f.bias[i, 0] + J1 * f.bias[i, 1] + J2 * f.bias[i, 2]
                g[r] += J0 * gravity[0] + J1 * gravity[1] + J2 * gravity[2]
                for b in range(a + 1):
                    s = cols[b]
                    value = J0 * J[i, 0, s] + J1 * J[i, 1, s] + J2 * J[i, 2, s]
                    M[r, s] += value
                    if a != b:
                        M[s, r] += value


@dataclass(frozen=True)
class MuscleInertia:
    mass: Floats
    """Jᵀ M J [kg·m², kg·m, kg], shape (nr, nr)."""
    bias: Floats
    """Quadratic velocity vector Jᵀ M Jdot qdot, on the left side of the equations of motion [N·m, N], shape (nr,)."""
    gravity: Floats
    """Generalized force of gravity [N·m, N], shape (nr,)."""


def muscle_inertia(model: Model, followed: Followed) -> MuscleInertia:
    """Of all muscles of a model, from what `follow_muscles` found with `second`."""
    assert model.muscles is not None
    nr = model.nr
    out = MuscleInertia(np.zeros((nr, nr)), np.zeros(nr), np.zeros(nr))
    _add(model.muscles.paths, followed, model.gravity, out.mass, out.bias, out.gravity)
    if not model.muscles.velocity_terms:
        out.bias[:] = 0.0
    return out


def inertia_forces(model: Model, state: State, kin: Kinematics, qddot: Floats) -> Floats:
    """Generalized forces that accelerate the muscles' mass and hold it against gravity, shape (nr,): what inverse
    dynamics adds to those of the bodies."""
    if model.muscles is None or not model.muscles.has_mass:
        return np.zeros(model.nr)
    terms = muscle_inertia(model, follow_muscles(model, state, kin, second=True))
    return terms.mass @ qddot + terms.bias - terms.gravity


def inertia_shares(model: Model, states: list[State]) -> dict[str, float]:
    """How much each muscle's inertia matters: the largest share of the kinetic energy that it can have in any motion
    through any of the states; the most important muscle first.

    It is the largest eigenvalue of the muscle's mass matrix relative to that of the whole model.
    """
    from scipy.linalg import eigh

    from ..tree.recursive import mass_times

    muscles = model.muscles
    assert muscles is not None
    shares = dict.fromkeys(muscles.names, 0.0)
    for state in states:
        kin = forward_kinematics(model, state)
        f = follow_muscles(model, state, kin)
        own = []
        for path in muscles.paths.paths:
            J = f.jacobian[path.mass : path.mass + path.masses]
            m = muscles.paths.masses[path.mass : path.mass + path.masses]["mass"]
            own.append(np.einsum("i,icr,ics->rs", m, J, J))
        bones = np.array([mass_times(model, kin, e) for e in np.eye(model.nr)])
        whole = bones + np.sum(own, axis=0)
        for name, M in zip(muscles.names, own, strict=True):
            value = float(eigh(M, whole, eigvals_only=True)[-1]) if M.any() else 0.0
            shares[name] = max(shares[name], value)
    return dict(sorted(shares.items(), key=lambda item: -item[1]))
