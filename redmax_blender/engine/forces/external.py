"""Forces and torques on bodies over time, and drag in moving air."""

from __future__ import annotations

import numpy as np

from ..algebra import se3
from ..model.curves import evaluate
from ..model.records import External, Floats, Model
from ..tree.kinematics import Kinematics


def add_external_wrenches(model: Model, kin: Kinematics, t: float, F: Floats) -> None:
    """Add the wrenches at time t [s] to the link wrenches F (nl, 6), in joint frames."""
    e = model.external
    if e is None or not len(e.link):
        return
    values = evaluate(e.curves, t)[:, 0].reshape(-1, 2, 3)
    for i, link in enumerate(e.link):
        axes = kin.E_wj[link, :9].reshape(3, 3).T if e.in_world[i] else e.axes[i]
        force, torque = axes @ values[i, 0], axes @ values[i, 1]
        F[link, :3] += np.cross(e.x[i], force) + torque
        F[link, 3:] += force


def add_wind(model: Model, kin: Kinematics, t: float, h: float, F: Floats, A_m: Floats | None) -> None:
    """Add drag to the wrenches F (nl, 6); its damping, times h [s], to A_m (nl, 21), where it is implicit.

    An implicit drag is linearised about the present speed: its velocity-dependent part is in A_m only, as for all
    dampers. With A_m null all of it is in F.
    """
    e = model.external
    if e is None or not len(e.wind_link):
        return
    air = evaluate(e.wind_curves, t)[:, 0].reshape(-1, 3)
    for i, link in enumerate(e.wind_link):
        past, coefficient = _past(e, kin, i, int(link), air[i])
        if e.wind_drag[i, 2] and A_m is not None:
            G = np.zeros((3, 6))
            G[:, :3], G[:, 3:] = -se3.bracket3(e.wind_x[i]), np.eye(3)
            A_m[link] += se3.symmetric_rows(h * coefficient * G.T @ G)
            R = kin.E_wj[link, :9].reshape(3, 3)
            force = coefficient * (R.T @ air[i])
        else:
            force = coefficient * past
        F[link, :3] += np.cross(e.wind_x[i], force)
        F[link, 3:] += force


def _past(e: External, kin: Kinematics, i: int, link: int, air: Floats) -> tuple[Floats, float]:
    """Velocity of the air past a body, in its joint frame [m/s], and the drag per speed [N·s/m]."""
    R = kin.E_wj[link, :9].reshape(3, 3)
    own = kin.V[link, 3:] + np.cross(kin.V[link, :3], e.wind_x[i])
    past = R.T @ air - own
    return past, float(e.wind_drag[i, 0] + e.wind_drag[i, 1] * np.linalg.norm(past))


def external_changes(model: Model, kin: Kinematics, t: float, xi: Floats, dV: Floats, dF: Floats) -> None:
    """Add the change of these wrenches along displacements xi and changes dV of link twists, each (n, nl, 6), to dF."""
    e = model.external
    if e is None:
        return
    if len(e.link):
        values = evaluate(e.curves, t)[:, 0].reshape(-1, 2, 3)
        for i in np.flatnonzero(e.in_world):
            link = e.link[i]
            R = kin.E_wj[link, :9].reshape(3, 3)
            force = np.cross(R.T @ values[i, 0], xi[:, link, :3])
            torque = np.cross(R.T @ values[i, 1], xi[:, link, :3])
            dF[:, link, :3] += np.cross(e.x[i], force) + torque
            dF[:, link, 3:] += force
    if len(e.wind_link):
        air = evaluate(e.wind_curves, t)[:, 0].reshape(-1, 3)
        for i, link in enumerate(e.wind_link):
            R = kin.E_wj[link, :9].reshape(3, 3)
            past, coefficient = _past(e, kin, i, int(link), air[i])
            slower = dV[:, link, 3:] + np.cross(dV[:, link, :3], e.wind_x[i])
            change = np.cross(R.T @ air[i], xi[:, link, :3]) - slower
            force = coefficient * change
            speed = float(np.linalg.norm(past))
            if speed > 0.0:
                force += e.wind_drag[i, 1] / speed * np.outer(change @ past, past)
            dF[:, link, :3] += np.cross(e.wind_x[i], force)
            dF[:, link, 3:] += force
