"""How coordinates move the frames of muscles, and what follows for all paths of a model."""

from __future__ import annotations

import numpy as np

from ..jit.decorators import njit
from ..model.records import Floats, Ints, Model
from ..model.state import State
from ..tree.kinematics import Kinematics
from .paths import exact
from .paths.network import evaluate as network
from .paths.smooth.evaluate import room_for
from .paths.smooth.follow import follow
from .paths.smooth.pack import put_anew
from .paths.smooth.packed import Followed, Motion
from .records import MusclePath


@njit
def _frames(
    parent: Ints,
    dof: Ints,
    E: Floats,
    S: Floats,
    V: Floats,
    A: Floats,
    turn: Floats,
    shift: Floats,
    bias: Floats,
) -> None:
    """Of every link along world axes; bias (nl, 2, 3): angular, and of the origin."""
    nr = turn.shape[2]
    for j in range(len(parent)):
        p = parent[j]
        if p >= 0:
            r0, r1, r2 = E[j, 9] - E[p, 9], E[j, 10] - E[p, 10], E[j, 11] - E[p, 11]
            for k in range(nr):
                w0, w1, w2 = turn[p, 0, k], turn[p, 1, k], turn[p, 2, k]
                turn[j, 0, k], turn[j, 1, k], turn[j, 2, k] = w0, w1, w2
                shift[j, 0, k] = shift[p, 0, k] + w1 * r2 - w2 * r1
                shift[j, 1, k] = shift[p, 1, k] + w2 * r0 - w0 * r2
                shift[j, 2, k] = shift[p, 2, k] + w0 * r1 - w1 * r0
        for k in range(dof[j], dof[j + 1]):
            for c in range(3):
                for d in range(3):
                    turn[j, c, k] += E[j, 3 * c + d] * S[k, d]
                    shift[j, c, k] += E[j, 3 * c + d] * S[k, 3 + d]
        a0 = A[j, 3] + V[j, 1] * V[j, 5] - V[j, 2] * V[j, 4]
        a1 = A[j, 4] + V[j, 2] * V[j, 3] - V[j, 0] * V[j, 5]
        a2 = A[j, 5] + V[j, 0] * V[j, 4] - V[j, 1] * V[j, 3]
        for c in range(3):
            bias[j, 0, c] = E[j, 3 * c] * A[j, 0] + E[j, 3 * c + 1] * A[j, 1] + E[j, 3 * c + 2] * A[j, 2]
            bias[j, 1, c] = E[j, 3 * c] * a0 + E[j, 3 * c + 1] * a1 + E[j, 3 * c + 2] * a2


def motion_of(model: Model, state: State, kin: Kinematics) -> Motion:
    """Poses of all links, and their motion by coordinates."""
    nl, nr = model.nl, model.nr
    turn, shift, bias = np.zeros((nl, 3, nr)), np.zeros((nl, 3, nr)), np.empty((nl, 2, 3))
    _frames(model.tree.parent, model.tree.dof, kin.E_wj, kin.S, kin.V, kin.A, turn, shift, bias)
    return Motion(
        kin.E_wj,
        turn,
        shift,
        np.ascontiguousarray(bias[:, 0]),
        np.ascontiguousarray(bias[:, 1]),
        state.q,
        state.qdot,
    )


def follow_muscles(
    model: Model, state: State, kin: Kinematics, second: bool = False, across: bool = False
) -> Followed:
    """Lengths, moment arms and mass points of all muscles; accelerations where `second`, and what turning their paths
    costs where `across`."""
    assert model.muscles is not None
    out = room_for(model.muscles.paths, model.nr, across)
    motion = motion_of(model, state, kin)
    follow(model.muscles.paths, motion, second, -1, out)
    for number in np.flatnonzero(out.settled < 0):
        path = model.muscles.sources[number]
        put_anew(model.muscles.paths, int(number), path, kin.E_wj, state.q)
        follow(model.muscles.paths, motion, second, int(number), out)
    for number in model.muscles.exact:
        _follow_exactly(model, number, model.muscles.sources[number], kin, motion, second, out)
    return out


def _follow_exactly(
    model: Model, number: int, path: MusclePath, kin: Kinematics, motion: Motion, second: bool, out: Followed
) -> None:
    """The same for a muscle with an exact path, or with that of the network."""
    assert model.muscles is not None
    paths = model.muscles.paths
    record = paths.paths[number]
    span = slice(record.mass, record.mass + record.masses)
    evaluate = network.evaluate if path.network else exact.evaluate
    shape = evaluate(
        path, kin.E_wj, paths.masses["share"][span], motion.q, kin.V if second else None, motion.qdot
    )
    R = kin.E_wj[:, :9].reshape(-1, 3, 3)
    J = np.concatenate([np.einsum("lji,ljr->lir", R, m) for m in (motion.turn, motion.shift)], axis=1)
    out.length[number] = shape.length
    out.gradient[number] = np.einsum("ld,ldr->r", shape.gradient, J)
    moved = path.coordinates
    out.gradient[number, moved] += shape.coordinate_gradient
    out.points[span] = shape.points
    out.jacobian[span] = np.einsum("acld,ldr->acr", shape.jacobian, J)
    out.jacobian[span][:, :, moved] += shape.coordinate_jacobian
    if second:
        assert shape.jacobian_rate is not None
        out.bias[span] = np.einsum("acld,ld->ac", shape.jacobian, kin.A)
        out.bias[span] += np.einsum("acld,ld->ac", shape.jacobian_rate, kin.V)
        if moved:
            assert shape.coordinate_jacobian_rate is not None
            out.bias[span] += shape.coordinate_jacobian_rate @ motion.qdot[moved]
