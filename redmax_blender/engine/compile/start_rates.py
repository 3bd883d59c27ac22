"""Rates of joints with which bodies begin to move as something else has moved them before."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..model.records import Floats, Model
from ..tree.kinematics import forward_kinematics


def joint_rates(model: Model, wanted: Mapping[int, Floats]) -> Floats:
    """Rates of all coordinates [rad/s, m/s] at which bodies have these twists at the start, shape (nr,).

    wanted: of some bodies, by number: angular velocity and the velocity of the point at the world's origin, in the
    world, shape (6,). From the root outwards each joint adds to what carries it as much of that as it can, in the
    sense of least squares about its own origin. Prescribed coordinates keep their rates, and so do those of all other
    bodies.
    """
    kin = forward_kinematics(model, model.initial_state())
    tree = model.tree
    link_of = np.repeat(np.arange(model.nl), np.diff(tree.dof))
    columns = np.array([_in_world(kin.E_wj[l], S) for l, S in zip(link_of, kin.S, strict=True)]).reshape(
        -1, 6
    )
    driven = np.zeros(model.nr, bool)
    driven[model.joints.motion.target] = True
    qdot = model.qdot0.copy()
    for b in sorted(wanted, key=lambda b: int(model.bodies.link[b])):
        link = int(model.bodies.link[b])
        path = _coordinates(model, link)
        first, end = model.joints.dof[b]
        own = path[(first <= path) & (path < end) & ~driven[path]]
        others = np.setdiff1d(path, own)
        rest = wanted[b] - qdot[others] @ columns[others]
        at = kin.E_wj[link, 9:]
        qdot[own] = np.linalg.lstsq(_about(columns[own], at).T, _about(rest[None], at)[0], rcond=None)[0]
    return qdot


def _coordinates(model: Model, link: int) -> np.typing.NDArray[np.int64]:
    """Coordinates between a link and the world."""
    found: list[int] = []
    while link >= 0:
        found += range(int(model.tree.dof[link]), int(model.tree.dof[link + 1]))
        link = int(model.tree.parent[link])
    return np.array(sorted(found), np.int64)


def _in_world(E: Floats, V: Floats) -> Floats:
    """A twist of a frame's own, at the world's origin and along its axes, shape (6,)."""
    R, p = E[:9].reshape(3, 3), E[9:]
    return np.concatenate([R @ V[:3], R @ V[3:] + np.cross(p, R @ V[:3])])


def _about(V: Floats, at: Floats) -> Floats:
    """Twists, shape (n, 6), with the velocities of the point at another place of the world."""
    return np.hstack([V[:, :3], V[:, 3:] + np.cross(V[:, :3], at)])
