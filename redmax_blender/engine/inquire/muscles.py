"""What muscles do to the links that their paths run over."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..model.records import Floats, Model
from ..model.state import State
from ..muscles.accelerate import muscle_figures
from ..muscles.paths import exact
from ..muscles.paths.smooth.evaluate import room_for
from ..muscles.paths.smooth.follow import follow
from ..muscles.paths.smooth.packed import Motion
from ..tree.kinematics import Kinematics


def muscle_wrenches(model: Model, state: State, kin: Kinematics) -> Floats:
    """Wrenches of muscles on the links, in joint frames [N·m, N], shape (nl, 6).

    A path's length changes with the twist of each link: what a muscle pulls a link with is its tension along that.
    """
    F: Floats = np.zeros((model.nl, 6))
    muscles = model.muscles
    if muscles is None or not muscles.pulls:
        return F
    for path in muscles.sources:
        if path.coordinates:
            raise InputError(
                f"muscle '{path.name}'",
                "coordinates move points of it, so that no force on a body says what it does",
                "Inquire a scene without it, or give it fixed points.",
            )
    tension = muscle_figures(model, state, kin)[:, 1]
    return np.asarray(-np.einsum("m,mlc->lc", tension, _by_links(model, state, kin)))


def _by_links(model: Model, state: State, kin: Kinematics) -> Floats:
    """Derivative of each path's length by the twist of every link in its joint frame, shape (nm, nl, 6)."""
    assert model.muscles is not None
    nl = model.nl
    turn, shift = np.zeros((nl, 3, nl, 6)), np.zeros((nl, 3, nl, 6))
    R = kin.E_wj[:, :9].reshape(-1, 3, 3)
    each = np.arange(nl)
    turn[each, :, each, :3] = R
    shift[each, :, each, 3:] = R
    still = np.zeros((nl, 3))
    motion = Motion(
        kin.E_wj,
        turn.reshape(nl, 3, -1),
        shift.reshape(nl, 3, -1),
        still,
        still,
        state.q,
        np.zeros(6 * nl),
    )
    out = room_for(model.muscles.paths, 6 * nl)
    follow(model.muscles.paths, motion, False, -1, out)
    gradient = out.gradient.reshape(-1, nl, 6)
    for number in {*model.muscles.exact, *np.flatnonzero(out.settled < 0).tolist()}:
        gradient[number] = exact.evaluate(model.muscles.sources[number], kin.E_wj, (), state.q).gradient
    return gradient
